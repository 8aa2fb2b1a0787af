#[derive(Clone, Debug, PartialEq)]
pub struct Refusal(pub String);

impl ::serde::de::Error for Refusal {
    fn custom<T: ::std::fmt::Display>(message: T) -> Refusal {
        Refusal(message.to_string())
    }

    fn invalid_type(_: ::serde::de::Unexpected<'_>, expected: &dyn ::serde::de::Expected) -> Refusal {
        Refusal(format!("expected {expected}"))
    }

    fn invalid_value(_: ::serde::de::Unexpected<'_>, expected: &dyn ::serde::de::Expected) -> Refusal {
        Refusal(format!("expected {expected}"))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Refusal {
        Refusal(format!("expected one of {expected:?}"))
    }
}

impl ::std::error::Error for Refusal {}

impl ::std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        f.write_str(&self.0)
    }
}
