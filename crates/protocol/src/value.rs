//! Values as both sides see them: literals going in, observations coming back.

use crate::wire::{Reader, WireError, Writer};

/// A value described by its structure. Literals are built of the first kinds only; observations
/// use all of them. References, boxes and smart pointers are described by what they point at.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// `()`
    Unit,
    /// `true`, `false`
    Bool(bool),
    /// `'x'`
    Char(char),
    /// A signed integer of any width.
    Int(i128),
    /// An unsigned integer of any width.
    UInt(u128),
    /// An `f32`, as bits.
    F32(u32),
    /// An `f64`, as bits.
    F64(u64),
    /// `str`, `String`
    Str(String),
    /// A tuple.
    Tuple(Vec<Value>),
    /// Arrays, slices, vectors, ordered collections; a map is a list of pairs.
    List(Vec<Value>),
    /// A struct or variant all of whose fields are seen: `Some`, `None`, `Ok`, `Err`, or a full
    /// public path. Tuple fields are named `0`, `1`, ..
    Named {
        /// The constructor.
        path: String,
        /// Fields in order of declaration.
        fields: Vec<(String, Value)>,
    },
    /// A hash table's elements, sorted: their own order means nothing.
    Unordered(Vec<Value>),
    /// The last resort: its `Debug` text.
    Debug(String),
    /// Nothing can be seen.
    Opaque,
    /// There was more than is worth carrying.
    Cut,
}

/// How deep values in values are read. A type has an end, but foreign bytes may not, and reading is recursive.
const MAX_DEPTH: usize = 256;

/// The tags of the byte form, for the guest, which writes observations without building them.
#[expect(missing_docs, reason = "each constant is the variant of that name")]
pub mod tag {
    pub const UNIT: u8 = 0;
    pub const BOOL: u8 = 1;
    pub const CHAR: u8 = 2;
    pub const INT: u8 = 3;
    pub const UINT: u8 = 4;
    pub const F32: u8 = 5;
    pub const F64: u8 = 6;
    pub const STR: u8 = 7;
    pub const TUPLE: u8 = 8;
    pub const LIST: u8 = 9;
    pub const NAMED: u8 = 10;
    pub const UNORDERED: u8 = 11;
    pub const DEBUG: u8 = 12;
    pub const OPAQUE: u8 = 13;
    pub const CUT: u8 = 14;
}

impl Value {
    /// A list of values.
    fn many(out: &mut Vec<u8>, tag: u8, values: &[Value]) {
        out.u8(tag);
        out.u32(values.len() as u32);
        values.iter().for_each(|value| value.encode(out));
    }

    /// Append the byte form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Value::Unit => out.u8(tag::UNIT),
            Value::Bool(value) => {
                out.u8(tag::BOOL);
                out.u8(u8::from(*value));
            }
            Value::Char(value) => {
                out.u8(tag::CHAR);
                out.u32(u32::from(*value));
            }
            Value::Int(value) => {
                out.u8(tag::INT);
                out.u128(*value as u128);
            }
            Value::UInt(value) => {
                out.u8(tag::UINT);
                out.u128(*value);
            }
            Value::F32(bits) => {
                out.u8(tag::F32);
                out.u32(*bits);
            }
            Value::F64(bits) => {
                out.u8(tag::F64);
                out.u64(*bits);
            }
            Value::Str(text) => {
                out.u8(tag::STR);
                out.text(text);
            }
            Value::Tuple(parts) => Value::many(out, tag::TUPLE, parts),
            Value::List(parts) => Value::many(out, tag::LIST, parts),
            Value::Named { path, fields } => {
                out.u8(tag::NAMED);
                out.text(path);
                out.u32(fields.len() as u32);
                for (name, value) in fields {
                    out.text(name);
                    value.encode(out);
                }
            }
            Value::Unordered(parts) => Value::many(out, tag::UNORDERED, parts),
            Value::Debug(text) => {
                out.u8(tag::DEBUG);
                out.text(text);
            }
            Value::Opaque => out.u8(tag::OPAQUE),
            Value::Cut => out.u8(tag::CUT),
        }
    }

    /// Read one value.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Value, WireError> {
        Value::decode_within(reader, MAX_DEPTH)
    }

    fn decode_within(reader: &mut Reader<'_>, depth: usize) -> Result<Value, WireError> {
        let below = depth.checked_sub(1);
        let part =
            |reader: &mut Reader<'_>| Value::decode_within(reader, below.ok_or(WireError::Deep)?);
        let many = |reader: &mut Reader<'_>| {
            let n = reader.u32()?;
            (0..n).map(|_| part(reader)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match reader.u8()? {
            tag::UNIT => Value::Unit,
            tag::BOOL => Value::Bool(reader.u8()? != 0),
            tag::CHAR => Value::Char(char::from_u32(reader.u32()?).ok_or(WireError::Utf8)?),
            tag::INT => Value::Int(reader.u128()? as i128),
            tag::UINT => Value::UInt(reader.u128()?),
            tag::F32 => Value::F32(reader.u32()?),
            tag::F64 => Value::F64(reader.u64()?),
            tag::STR => Value::Str(reader.text()?.to_owned()),
            tag::TUPLE => Value::Tuple(many(reader)?),
            tag::LIST => Value::List(many(reader)?),
            tag::NAMED => {
                let path = reader.text()?.to_owned();
                let n = reader.u32()?;
                let fields = (0..n)
                    .map(|_| Ok((reader.text()?.to_owned(), part(reader)?)))
                    .collect::<Result<_, _>>()?;
                Value::Named { path, fields }
            }
            tag::UNORDERED => Value::Unordered(many(reader)?),
            tag::DEBUG => Value::Debug(reader.text()?.to_owned()),
            tag::OPAQUE => Value::Opaque,
            tag::CUT => Value::Cut,
            other => return Err(WireError::Tag(other)),
        })
    }

    /// `None`
    pub fn none() -> Value {
        Value::Named {
            path: "None".into(),
            fields: Vec::new(),
        }
    }

    /// `Some(value)`
    pub fn some(value: Value) -> Value {
        Value::Named {
            path: "Some".into(),
            fields: vec![("0".into(), value)],
        }
    }

    /// Does any part satisfy the predicate?
    pub fn any(&self, predicate: &mut dyn FnMut(&Value) -> bool) -> bool {
        predicate(self)
            || match self {
                Value::Tuple(parts) | Value::List(parts) | Value::Unordered(parts) => {
                    parts.iter().any(|part| part.any(predicate))
                }
                Value::Named { fields, .. } => fields.iter().any(|(_, part)| part.any(predicate)),
                _ => false,
            }
    }
}
