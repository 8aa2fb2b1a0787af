//! Reduces answers to their kinds: which variant, empty or not, zero or not.

use testsmith_protocol::Value;

use super::look::Reply;

/// The kind of an answer, in words about the observer: `len() > 0`. `None` if the answer has no
/// kind.
pub(super) fn predicate(observer: &str, seen: &Reply) -> Option<String> {
    let value = match seen {
        Reply::Nothing => return None,
        Reply::Panics => return Some(format!("{observer} panics")),
        Reply::Value(value) => value,
    };
    Some(match value {
        Value::Bool(true) => observer.to_owned(),
        Value::Bool(false) => format!("!{observer}"),
        Value::Str(text) => is_empty(observer, text.is_empty()),
        Value::List(items) | Value::Unordered(items) => is_empty(observer, items.is_empty()),
        Value::Named { path, .. } => format!("{observer} is {}", last(path)),
        value => match sign(value)? {
            Sign::Negative => format!("{observer} < 0"),
            Sign::Zero => format!("{observer} = 0"),
            Sign::Positive => format!("{observer} > 0"),
            Sign::NotANumber => format!("{observer} is NaN"),
        },
    })
}

fn is_empty(observer: &str, is_empty: bool) -> String {
    let not = if is_empty { "" } else { "not " };
    format!("{observer} is {not}empty")
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sign {
    Negative,
    Zero,
    Positive,
    NotANumber,
}

fn sign(value: &Value) -> Option<Sign> {
    let of_float = |it: f64| match it {
        it if it.is_nan() => Sign::NotANumber,
        it if it < 0.0 => Sign::Negative,
        it if it > 0.0 => Sign::Positive,
        _ => Sign::Zero,
    };
    Some(match value {
        Value::UInt(0) | Value::Int(0) => Sign::Zero,
        Value::UInt(_) => Sign::Positive,
        Value::Int(n) if *n < 0 => Sign::Negative,
        Value::Int(_) => Sign::Positive,
        Value::F32(bits) => of_float(f64::from(f32::from_bits(*bits))),
        Value::F64(bits) => of_float(f64::from_bits(*bits)),
        _ => return None,
    })
}

/// The value of an unsigned number. Sizes are unsigned, and only sizes are compared with each
/// other.
pub(super) fn size(seen: &Reply) -> Option<u128> {
    match seen {
        Reply::Value(Value::UInt(n)) => Some(*n),
        _ => None,
    }
}

/// What a call returned, as far as it says something: `true`, `None`, `Err(Full)`. Empty if the
/// call only returned.
pub(super) fn outcome(value: Option<&Value>) -> String {
    match value {
        Some(Value::Bool(it)) => it.to_string(),
        Some(Value::Named { path, fields }) => {
            let payload = match &fields[..] {
                [(_, Value::Named { path, fields })] if fields.is_empty() => Some(last(path)),
                _ => None,
            };
            match (path.as_str(), payload) {
                ("Err", Some(error)) => format!("Err({error})"),
                (path, _) => last(path).to_owned(),
            }
        }
        _ => String::new(),
    }
}

pub(super) fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_kind_of_an_answer_is_left() {
        let told = |value| predicate("x()", &Reply::Value(value)).unwrap_or_default();
        assert_eq!(told(Value::Bool(false)), "!x()");
        assert_eq!(told(Value::UInt(0)), "x() = 0");
        assert_eq!(told(Value::UInt(7)), told(Value::UInt(8)));
        assert_eq!(told(Value::Int(-7)), "x() < 0");
        assert_eq!(told(Value::F64((-0.0_f64).to_bits())), "x() = 0");
        assert_eq!(told(Value::F64(f64::NAN.to_bits())), "x() is NaN");
        assert_eq!(told(Value::none()), "x() is None");
        assert_eq!(told(Value::some(Value::UInt(3))), "x() is Some");
        assert_eq!(told(Value::Str(String::new())), "x() is empty");
        assert_eq!(told(Value::List(vec![Value::Unit])), "x() is not empty");
        assert_eq!(
            predicate("x()", &Reply::Panics).as_deref(),
            Some("x() panics")
        );
    }

    #[test]
    fn text_that_debug_wrote_tells_nothing() {
        for value in [Value::Debug("Iter([])".into()), Value::Opaque, Value::Unit] {
            assert_eq!(predicate("x()", &Reply::Value(value)), None);
        }
    }

    #[test]
    fn an_error_without_fields_is_named() {
        let error = Value::Named {
            path: "Err".into(),
            fields: vec![(
                "0".into(),
                Value::Named {
                    path: "bank::Error::Broke".into(),
                    fields: Vec::new(),
                },
            )],
        };
        assert_eq!(outcome(Some(&error)), "Err(Broke)");
        assert_eq!(outcome(Some(&Value::some(error))), "Some");
        assert_eq!(outcome(Some(&Value::UInt(3))), "");
    }
}
