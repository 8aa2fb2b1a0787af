//! Literals decoded into real values. Text and slices are leaked: the child that holds them is
//! gone after its batch.

use testsmith_protocol::{Reader, WireError, tag};

/// A type whose values can be written in place.
pub trait Literal: Sized {
    /// Read one value.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError>;
}

fn expect(reader: &mut Reader<'_>, tag: u8) -> Result<(), WireError> {
    match reader.u8()? {
        found if found == tag => Ok(()),
        found => Err(WireError::Tag(found)),
    }
}

macro_rules! integers {
    ($tag:expr => $($ty:ty)*) => {$(
        impl Literal for $ty {
            fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
                expect(reader, $tag)?;
                Ok(reader.u128()? as $ty)
            }
        }
    )*};
}
integers!(tag::INT => i8 i16 i32 i64 i128 isize);
integers!(tag::UINT => u8 u16 u32 u64 u128 usize);

impl Literal for () {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        expect(reader, tag::UNIT)
    }
}

impl Literal for bool {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        expect(reader, tag::BOOL)?;
        Ok(reader.u8()? != 0)
    }
}

impl Literal for char {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        expect(reader, tag::CHAR)?;
        char::from_u32(reader.u32()?).ok_or(WireError::Utf8)
    }
}

impl Literal for f32 {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        expect(reader, tag::F32)?;
        Ok(f32::from_bits(reader.u32()?))
    }
}

impl Literal for f64 {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        expect(reader, tag::F64)?;
        Ok(f64::from_bits(reader.u64()?))
    }
}

impl Literal for String {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        expect(reader, tag::STR)?;
        Ok(reader.text()?.to_owned())
    }
}

impl Literal for &'static str {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(String::leak(String::decode(reader)?))
    }
}

impl<T: Literal> Literal for Vec<T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        expect(reader, tag::LIST)?;
        let n = reader.u32()?;
        (0..n).map(|_| T::decode(reader)).collect()
    }
}

impl<T: Literal> Literal for &'static [T] {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Vec::leak(Vec::decode(reader)?))
    }
}

impl<T: Literal, const N: usize> Literal for [T; N] {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        Vec::decode(reader)?
            .try_into()
            .map_err(|_| WireError::Short)
    }
}

impl<T: Literal> Literal for Option<T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        expect(reader, tag::NAMED)?;
        reader.text()?;
        Ok(match reader.u32()? {
            0 => None,
            _ => {
                reader.text()?;
                Some(T::decode(reader)?)
            }
        })
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        impl<$($name: Literal),+> Literal for ($($name,)+) {
            fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
                expect(reader, tag::TUPLE)?;
                reader.u32()?;
                Ok(($($name::decode(reader)?,)+))
            }
        }
    )*};
}
tuples! { A; A B; A B C; A B C D; }

#[cfg(test)]
mod tests;
