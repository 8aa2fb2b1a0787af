#[derive(Clone, Debug, PartialEq)]
pub struct ToText;

macro_rules! to_text {
    ($($name:ident($ty:ty))*) => {
        $(
            fn $name(self, value: $ty) -> Result<String, ::std::fmt::Error> {
                Ok(format!("{value:?}"))
            }
        )*
    };
}

impl ::serde::ser::Serializer for ToText {
    type Ok = String;
    type Error = ::std::fmt::Error;
    type SerializeSeq = TextParts;
    type SerializeTuple = TextParts;
    type SerializeTupleStruct = TextParts;
    type SerializeTupleVariant = TextParts;
    type SerializeMap = TextParts;
    type SerializeStruct = TextParts;
    type SerializeStructVariant = TextParts;

    to_text! {
        serialize_bool(bool) serialize_bytes(&[u8])
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_u128(u128)
        serialize_f32(f32) serialize_f64(f64)
    }

    fn serialize_str(self, value: &str) -> Result<String, Self::Error> {
        let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
        Ok(format!("\"{escaped}\""))
    }

    fn serialize_char(self, value: char) -> Result<String, Self::Error> {
        self.collect_str(&value)
    }

    fn collect_str<T: ::std::fmt::Display + ?Sized>(self, value: &T) -> Result<String, Self::Error> {
        self.serialize_str(&value.to_string())
    }

    fn serialize_none(self) -> Result<String, Self::Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: ::serde::ser::Serialize + ?Sized>(self, value: &T) -> Result<String, Self::Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<String, Self::Error> {
        Ok("null".to_string())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<String, Self::Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<String, Self::Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: ::serde::ser::Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<String, Self::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ::serde::ser::Serialize + ?Sized>(self, _: &'static str, _: u32, variant: &'static str, value: &T) -> Result<String, Self::Error> {
        Ok(format!("{{{variant:?}:{}}}", value.serialize(self)?))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<TextParts, Self::Error> {
        TextParts::begin("[", "]")
    }

    fn serialize_tuple(self, _: usize) -> Result<TextParts, Self::Error> {
        TextParts::begin("[", "]")
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<TextParts, Self::Error> {
        TextParts::begin("[", "]")
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<TextParts, Self::Error> {
        TextParts::begin(&format!("{{{variant:?}:["), "]}")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<TextParts, Self::Error> {
        TextParts::begin("{", "}")
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<TextParts, Self::Error> {
        TextParts::begin("{", "}")
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<TextParts, Self::Error> {
        TextParts::begin(&format!("{{{variant:?}:{{"), "}}")
    }
}

pub struct TextParts {
    text: String,
    end: &'static str,
}

impl TextParts {
    fn begin(start: &str, end: &'static str) -> Result<TextParts, ::std::fmt::Error> {
        let text = start.to_string();
        Ok(TextParts { text, end })
    }

    fn add<T: ::serde::ser::Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), ::std::fmt::Error> {
        let comma = if self.text.ends_with(['[', '{']) { "" } else { "," };
        self.text += &format!("{comma}{name}{}", value.serialize(ToText)?);
        Ok(())
    }
}

macro_rules! text_parts {
    ($($name:ident::$add:ident($($key:ident)?))*) => {
        $(
            impl ::serde::ser::$name for TextParts {
                type Ok = String;
                type Error = ::std::fmt::Error;

                fn $add<T: ::serde::ser::Serialize + ?Sized>(
                    &mut self,
                    $($key: &'static str,)?
                    value: &T,
                ) -> Result<(), ::std::fmt::Error> {
                    let name = String::new() $(+ &format!("{:?}:", $key))?;
                    self.add(&name, value)
                }

                fn end(self) -> Result<String, ::std::fmt::Error> {
                    Ok(self.text + self.end)
                }
            }
        )*
    };
}

text_parts! {
    SerializeSeq::serialize_element()
    SerializeTuple::serialize_element()
    SerializeTupleStruct::serialize_field()
    SerializeTupleVariant::serialize_field()
    SerializeStruct::serialize_field(key)
    SerializeStructVariant::serialize_field(key)
}

impl ::serde::ser::SerializeMap for TextParts {
    type Ok = String;
    type Error = ::std::fmt::Error;

    fn serialize_key<T: ::serde::ser::Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Self::Error> {
        self.add("", key)
    }

    fn serialize_value<T: ::serde::ser::Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Self::Error> {
        self.text += &format!(":{}", value.serialize(ToText)?);
        Ok(())
    }

    fn end(self) -> Result<String, Self::Error> {
        Ok(self.text + self.end)
    }
}
