#[derive(Clone, Debug, PartialEq)]
pub struct FromText(pub String);

impl FromText {
    fn between(&self, start: char, end: char) -> Option<&str> {
        self.0.strip_prefix(start)?.strip_suffix(end)
    }

    fn unquoted(&self) -> String {
        let text = self.between('"', '"').unwrap_or(&self.0);
        text.replace("\\\"", "\"").replace("\\\\", "\\")
    }

    fn split(text: &str, separator: char) -> Vec<FromText> {
        let (mut depth, mut quoted, mut escaped) = (0, false, false);
        let parts = text.split(|c| {
            match c {
                '"' if !escaped => quoted = !quoted,
                '[' | '{' if !quoted => depth += 1,
                ']' | '}' if !quoted => depth -= 1,
                _ => {}
            }
            escaped = c == '\\' && !escaped;
            c == separator && depth == 0 && !quoted
        });
        let parts = parts.map(|part| FromText(part.trim().to_string()));
        parts.filter(|part| !part.0.is_empty()).collect()
    }

    fn pairs(&self) -> Option<Vec<(FromText, FromText)>> {
        let parts = FromText::split(self.between('{', '}')?, ',');
        let pair = |part: &FromText| {
            let mut sides = FromText::split(&part.0, ':').into_iter();
            Some((sides.next()?, sides.next()?))
        };
        parts.iter().map(pair).collect()
    }
}

impl<'de> ::serde::de::Deserializer<'de> for FromText {
    type Error = ::stand_ins::Refusal;

    fn deserialize_any<V: ::serde::de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        if let Some(items) = self.between('[', ']') {
            let items = FromText::split(items, ',').into_iter();
            return ::serde::de::value::SeqDeserializer::new(items).deserialize_any(visitor);
        }
        if let Some(pairs) = self.pairs() {
            return ::serde::de::value::MapDeserializer::new(pairs.into_iter()).deserialize_any(visitor);
        }
        match (&*self.0, self.0.parse(), self.0.parse(), self.0.parse()) {
            ("null", ..) => visitor.visit_unit(),
            ("true", ..) => visitor.visit_bool(true),
            ("false", ..) => visitor.visit_bool(false),
            (_, Ok(n), ..) => visitor.visit_u64(n),
            (_, _, Ok(n), _) => visitor.visit_i64(n),
            (.., Ok(n)) => visitor.visit_f64(n),
            _ => visitor.visit_str(&self.unquoted()),
        }
    }

    fn deserialize_option<V: ::serde::de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match &*self.0 {
            "null" => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: ::serde::de::Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: ::serde::de::Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value, Self::Error> {
        match self.pairs() {
            Some(pairs) => {
                let map = ::serde::de::value::MapDeserializer::new(pairs.into_iter());
                visitor.visit_enum(::serde::de::value::MapAccessDeserializer::new(map))
            }
            None => visitor.visit_enum(::serde::de::value::StrDeserializer::new(&self.unquoted())),
        }
    }

    ::serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> ::serde::de::IntoDeserializer<'de, ::stand_ins::Refusal> for FromText {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
