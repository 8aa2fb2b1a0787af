//! Reads values as a copy wrote them down. `instrument/support/snapshot.rs` is the writer.

use testsmith_api::{GenericArg, Prim, Ty};
use testsmith_protocol::Value;

/// The first byte of a node. A smaller byte begins a scalar, and is its number of bytes.
const TEXT: u8 = 32;
const LIST: u8 = 33;
const NAMED: u8 = 34;
const FIELD: u8 = 35;
const END: u8 = 36;
const SHARED: u8 = 39;
/// Nodes in nodes are read so far. A copy writes 400; what a test wrote in its place is recursive without end.
const MAX_DEPTH: usize = 512;

/// A part of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Node<'b> {
    Scalar(&'b [u8]),
    Text(&'b [u8]),
    List(Vec<Node<'b>>),
    Named {
        name: &'b [u8],
        fields: Vec<Node<'b>>,
    },
}

struct In<'b>(&'b [u8]);

impl<'b> In<'b> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, n: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        let mut n = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            n |= usize::from(byte & 127) << shift;
            if byte < 128 {
                return Some(n);
            }
        }
        None
    }

    fn words(&mut self) -> Option<&'b [u8]> {
        let n = self.number()?;
        self.take(n)
    }

    /// Reads the next node. `None` if it refers to another node, or cannot be looked into.
    fn node(&mut self) -> Option<Node<'b>> {
        self.node_within(MAX_DEPTH)
    }

    fn node_within(&mut self, depth: usize) -> Option<Node<'b>> {
        let below = depth.checked_sub(1)?;
        match self.byte()? {
            n if n < TEXT => self.take(usize::from(n)).map(Node::Scalar),
            TEXT => self.words().map(Node::Text),
            LIST => {
                let n = self.number()?;
                (0..n)
                    .map(|_| self.node_within(below))
                    .collect::<Option<_>>()
                    .map(Node::List)
            }
            NAMED => {
                self.number()?;
                let name = self.words()?;
                let mut fields = Vec::new();
                loop {
                    match self.byte()? {
                        FIELD => {
                            self.words()?;
                            fields.push(self.node_within(below)?);
                        }
                        END => return Some(Node::Named { name, fields }),
                        _ => return None,
                    }
                }
            }
            SHARED => self.node_within(below),
            _ => None,
        }
    }
}

/// The arguments of a call, each as a guest would write it by itself. `None` if one of them refers
/// to another, or cannot be looked into.
pub(super) fn arguments(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut from = In(bytes);
    // The head of a whole value that is a constructor with number 0 and a name.
    let head = (from.byte()?, from.byte()?, from.number()?);
    if head != (0, NAMED, 0) {
        return None;
    }
    from.words()?;
    let mut arguments = Vec::new();
    loop {
        match from.byte()? {
            END => return Some(arguments),
            FIELD => {
                from.words()?;
                // A guest writes a value behind a reference like the value itself, so the mark of
                // the reference goes.
                let before = match from.0.split_first()? {
                    (&SHARED, rest) => rest,
                    _ => from.0,
                };
                from.0 = before;
                from.node()?;
                let n = before.len() - from.0.len();
                let mut alone = vec![0];
                alone.extend_from_slice(&before[..n]);
                arguments.push(alone);
            }
            _ => return None,
        }
    }
}

/// Reads a value of a type that can be written as a literal.
pub(super) fn literal(ty: &Ty, bytes: &[u8]) -> Option<Value> {
    let mut from = In(bytes.strip_prefix(&[0])?);
    let node = from.node()?;
    from.0.is_empty().then(|| value(ty, &node))?
}

fn value(ty: &Ty, node: &Node<'_>) -> Option<Value> {
    match (ty, node) {
        (Ty::Prim(prim), Node::Scalar(bytes)) => scalar(*prim, bytes),
        (Ty::Ref { to, .. }, _) => value(to, node),
        (Ty::Str, Node::Text(text)) => written(text),
        (Ty::Slice(of) | Ty::Array(of, _), Node::List(nodes)) => values(of, nodes).map(Value::List),
        (Ty::Tuple(parts), Node::List(nodes)) if parts.len() == nodes.len() => {
            let parts = parts.iter().zip(nodes);
            let parts = parts.map(|(part, node)| value(part, node));
            parts.collect::<Option<_>>().map(Value::Tuple)
        }
        (Ty::Adt { path, args }, _) => match (&**path, args.as_slice(), node) {
            ("std::string::String", _, Node::Text(text)) => written(text),
            ("std::vec::Vec", [GenericArg::Type(of)], Node::List(nodes)) => {
                values(of, nodes).map(Value::List)
            }
            ("std::option::Option", [GenericArg::Type(of)], Node::Named { name, fields }) => {
                let fields = fields.iter().map(|field| value(of, field));
                let fields: Vec<Value> = fields.collect::<Option<_>>()?;
                Some(Value::Named {
                    path: String::from_utf8(name.to_vec()).ok()?,
                    fields: fields.into_iter().map(|it| ("0".to_owned(), it)).collect(),
                })
            }
            _ => None,
        },
        _ => None,
    }
}

fn values(of: &Ty, nodes: &[Node<'_>]) -> Option<Vec<Value>> {
    nodes.iter().map(|node| value(of, node)).collect()
}

fn written(text: &[u8]) -> Option<Value> {
    String::from_utf8(text.to_vec()).ok().map(Value::Str)
}

fn scalar(prim: Prim, bytes: &[u8]) -> Option<Value> {
    let size = match prim {
        Prim::Bool | Prim::I8 | Prim::U8 => 1,
        Prim::I16 | Prim::U16 => 2,
        Prim::I32 | Prim::U32 | Prim::F32 | Prim::Char => 4,
        Prim::I64 | Prim::U64 | Prim::F64 | Prim::Isize | Prim::Usize => 8,
        Prim::I128 | Prim::U128 => 16,
        Prim::Never => return None,
    };
    if bytes.len() != size {
        return None;
    }
    let mut wide = [0; 16];
    wide[..size].copy_from_slice(bytes);
    let n = u128::from_le_bytes(wide);
    let unused = 128 - 8 * size as u32;
    Some(match prim {
        Prim::Bool => Value::Bool(n == 1),
        Prim::Char => Value::Char(char::from_u32(n as u32)?),
        Prim::F32 => Value::F32(n as u32),
        Prim::F64 => Value::F64(n as u64),
        Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 | Prim::I128 | Prim::Isize => {
            Value::Int((n << unused) as i128 >> unused)
        }
        _ => Value::UInt(n),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `call { self: Stack { items: [1, 2] }, n: -3_i16 }`
    fn call() -> Vec<u8> {
        let mut bytes = vec![0, NAMED, 0, 4];
        bytes.extend(b"call");
        bytes.extend([FIELD, 4]);
        bytes.extend(b"self");
        bytes.extend([NAMED, 0, 5]);
        bytes.extend(b"Stack");
        bytes.extend([FIELD, 5]);
        bytes.extend(b"items");
        bytes.extend([LIST, 2, 1, 1, 1, 2, END]);
        bytes.extend([FIELD, 1, b'n', SHARED, 2, 0xFD, 0xFF, END]);
        bytes
    }

    #[test]
    fn arguments_are_as_if_each_were_alone() {
        let arguments = arguments(&call()).expect("all of it can be read");
        assert_eq!(arguments.len(), 2);
        assert_eq!(arguments[1], [0, 2, 0xFD, 0xFF]);
        let of_i16 = literal(&Ty::Prim(Prim::I16), &arguments[1]);
        assert_eq!(of_i16, Some(Value::Int(-3)));
        assert_eq!(literal(&Ty::Prim(Prim::I32), &arguments[1]), None);
        let stack = &arguments[0];
        assert_eq!(literal(&Ty::Prim(Prim::I16), stack), None);
        assert!(stack.starts_with(&[0, NAMED, 0, 5]) && stack.ends_with(&[END]));
    }

    #[test]
    fn foreign_bytes_of_snapshots_are_read_or_refused() {
        let types = [
            Ty::Prim(Prim::I16),
            Ty::Str,
            Ty::Slice(Box::new(Ty::Prim(Prim::Char))),
            Ty::Tuple(vec![Ty::Prim(Prim::U8), Ty::Prim(Prim::I128)]),
        ];
        let list = vec![0, LIST, 2, 4, 65, 0, 0, 0, 4, 66, 0, 0, 0];
        testsmith_noise::throw("snapshots", &[call(), list], |bytes| {
            let arguments = arguments(bytes);
            let all = arguments.iter().flatten().map(Vec::as_slice).chain([bytes]);
            let is_read = |ty: &Ty| all.clone().filter(|it| literal(ty, it).is_some()).count();
            let read: Vec<usize> = types.iter().map(is_read).collect();
            format!("{:?} {read:?}", arguments.as_ref().map(Vec::len))
        });
    }

    #[test]
    fn what_is_not_whole_is_not_read() {
        let mut bytes = call();
        bytes[0] = 1;
        assert_eq!(arguments(&bytes), None);
        assert_eq!(arguments(&call()[..10]), None);
    }
}
