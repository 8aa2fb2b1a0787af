//! Finds the values of expressions that a literal can stand for.

use testsmith_api::{GenericArg, Prim, Ty};
use testsmith_protocol::Value;

use super::script::{Expr, arithmetic};

/// Ranges with more elements than this are not written out.
const MAX_RANGE: i128 = 64;

/// How exactly a value must fit its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fit {
    /// Numbers must be at number types, text at text types.
    Exact,
    /// The type is a parameter's, and the program instantiates it differently. Any literal may
    /// stand for another, as long as equal ones stand for equal ones.
    StandIn,
}

/// What a local name stands for, if it is an expression without calls.
pub(super) type Lookup<'a> = &'a dyn Fn(&str) -> Option<&'a Expr>;

/// Does the method change the type of a literal, but not its value?
fn is_conversion(name: &str) -> bool {
    matches!(
        name,
        "to_string"
            | "to_owned"
            | "into"
            | "to_vec"
            | "clone"
            | "as_str"
            | "as_bytes"
            | "as_slice"
            | "as_ref"
            | "into_boxed_str"
            | "iter"
            | "into_iter"
            | "cloned"
            | "copied"
            | "collect"
            | "into_bytes"
    )
}

/// Does the expression have no calls, only literals, names of such expressions, and conversions?
pub(super) fn is_pure(expr: &Expr, lookup: Lookup<'_>) -> bool {
    match expr {
        Expr::Bool(_) | Expr::Char(_) | Expr::Int(_) | Expr::Float(_) => true,
        Expr::Text(_) | Expr::Bytes(_) => true,
        Expr::Tuple(_) | Expr::List(_) | Expr::Place(_) | Expr::Range { .. } => {
            expr.parts().into_iter().all(|part| is_pure(part, lookup))
        }
        Expr::Path(path) if path.qualifier.is_none() => {
            path.name == "None" || lookup(&path.name).is_some()
        }
        Expr::Call(path, args) if path.name == "Some" => {
            args.iter().all(|arg| is_pure(arg, lookup))
        }
        Expr::Method {
            receiver,
            name,
            args,
        } => args.is_empty() && is_conversion(name) && is_pure(receiver, lookup),
        Expr::Operator(..) => number(expr, lookup).is_some(),
        _ => false,
    }
}

/// The number that a pure expression stands for.
fn number(expr: &Expr, lookup: Lookup<'_>) -> Option<i128> {
    match expr {
        Expr::Int(value) => Some(*value),
        Expr::Place(of) => number(of, lookup),
        Expr::Path(path) if path.qualifier.is_none() => number(lookup(&path.name)?, lookup),
        Expr::Operator(names, parts) => match parts.as_slice() {
            [a, b] => arithmetic(names, number(a, lookup)?, number(b, lookup)?),
            _ => None,
        },
        _ => None,
    }
}

/// The value of a pure expression at a type: numbers at number types, text at text types.
pub(super) fn value_at(ty: &Ty, expr: &Expr, lookup: Lookup<'_>, fit: Fit) -> Option<Value> {
    match expr {
        Expr::Operator(..) => {
            return value_at(ty, &Expr::Int(number(expr, lookup)?), lookup, fit);
        }
        Expr::Place(of) => return value_at(ty, of, lookup, fit),
        Expr::Method {
            receiver,
            name,
            args,
        } if args.is_empty() && is_conversion(name) => {
            return value_at(ty, receiver, lookup, fit);
        }
        Expr::Path(path) if path.qualifier.is_none() && path.name != "None" => {
            return value_at(ty, lookup(&path.name)?, lookup, fit);
        }
        _ => {}
    }
    match ty {
        Ty::Prim(prim) => primitive(*prim, expr).or_else(|| {
            let value = stand_in(expr).filter(|_| fit == Fit::StandIn)?;
            primitive(*prim, &value.number)
        }),
        Ty::Tuple(types) if types.is_empty() => {
            matches!(expr, Expr::Tuple(parts) if parts.is_empty()).then_some(Value::Unit)
        }
        Ty::Tuple(types) => match expr {
            Expr::Tuple(parts) if parts.len() == types.len() => {
                let values = types
                    .iter()
                    .zip(parts)
                    .map(|(ty, part)| value_at(ty, part, lookup, fit));
                Some(Value::Tuple(values.collect::<Option<_>>()?))
            }
            _ => None,
        },
        Ty::Ref {
            mutable: false, to, ..
        } => match &**to {
            Ty::Str => text(expr, fit),
            Ty::Slice(of) => list(of, expr, lookup, fit),
            _ => None,
        },
        Ty::Array(of, n) => match list(of, expr, lookup, fit)? {
            Value::List(values) if n.parse() == Ok(values.len()) => Some(Value::List(values)),
            // An instance has one length, so the list is repeated or cut.
            Value::List(values) if fit == Fit::StandIn && !values.is_empty() => {
                let n = n.parse().ok()?;
                Some(Value::List(values.into_iter().cycle().take(n).collect()))
            }
            _ => None,
        },
        Ty::Adt { path, args } => match (&**path, &args[..]) {
            ("std::string::String", _) => text(expr, fit),
            ("std::vec::Vec", [GenericArg::Type(of), ..]) => list(of, expr, lookup, fit),
            ("std::option::Option", [GenericArg::Type(of)]) => match expr {
                Expr::Path(path) if path.name == "None" => Some(Value::none()),
                Expr::Call(path, args) if path.name == "Some" && args.len() == 1 => {
                    Some(Value::some(value_at(of, &args[0], lookup, fit)?))
                }
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn text(expr: &Expr, fit: Fit) -> Option<Value> {
    match expr {
        Expr::Text(text) => Some(Value::Str(text.clone())),
        _ if fit == Fit::StandIn => Some(Value::Str(stand_in(expr)?.text)),
        _ => None,
    }
}

/// A literal in the form of a number and of text.
struct StandIn {
    number: Expr,
    text: String,
}

/// A stand-in for a literal. Small numbers stay as they are. Anything else becomes a number below
/// 128, which every number type has.
fn stand_in(expr: &Expr) -> Option<StandIn> {
    let number = |n: i128| Expr::Int(n.rem_euclid(128));
    let folded = |text: &str| {
        text.bytes()
            .fold(0, |sum: i128, byte| sum * 3 + i128::from(byte))
            % 1024
    };
    Some(match expr {
        Expr::Int(value) => StandIn {
            number: number(*value),
            text: value.to_string(),
        },
        Expr::Char(value) => StandIn {
            number: number(i128::from(u32::from(*value))),
            text: value.to_string(),
        },
        Expr::Bool(value) => StandIn {
            number: number(i128::from(*value)),
            text: value.to_string(),
        },
        Expr::Float(value) => StandIn {
            number: number(*value as i128),
            text: value.to_string(),
        },
        Expr::Text(value) => StandIn {
            number: number(folded(value)),
            text: value.clone(),
        },
        Expr::Tuple(parts) if parts.is_empty() => StandIn {
            number: number(0),
            text: String::new(),
        },
        _ => return None,
    })
}

fn list(of: &Ty, expr: &Expr, lookup: Lookup<'_>, fit: Fit) -> Option<Value> {
    let bytes = |bytes: &[u8]| {
        let is_bytes = *of == Ty::Prim(Prim::U8);
        let values = bytes.iter().map(|byte| Value::UInt(u128::from(*byte)));
        is_bytes.then(|| Value::List(values.collect()))
    };
    match expr {
        Expr::List(parts) => {
            let values = parts.iter().map(|part| value_at(of, part, lookup, fit));
            Some(Value::List(values.collect::<Option<_>>()?))
        }
        Expr::Bytes(it) => bytes(it),
        Expr::Text(it) => bytes(it.as_bytes()),
        Expr::Range {
            start,
            end,
            is_inclusive,
        } => {
            let (Some(Expr::Int(start)), Some(Expr::Int(end))) = (start.as_deref(), end.as_deref())
            else {
                return None;
            };
            let end = end + i128::from(*is_inclusive);
            if end - start > MAX_RANGE {
                return None;
            }
            let values = (*start..end).map(|n| value_at(of, &Expr::Int(n), lookup, fit));
            Some(Value::List(values.collect::<Option<_>>()?))
        }
        _ => None,
    }
}

fn primitive(prim: Prim, expr: &Expr) -> Option<Value> {
    match (prim, expr) {
        (Prim::Bool, Expr::Bool(value)) => Some(Value::Bool(*value)),
        (Prim::Char, Expr::Char(value)) => Some(Value::Char(*value)),
        (Prim::F32, Expr::Float(value)) => Some(Value::F32((*value as f32).to_bits())),
        (Prim::F64, Expr::Float(value)) => Some(Value::F64(value.to_bits())),
        (_, Expr::Int(value)) => {
            let (bits, is_signed) = prim.int_range()?;
            // Numbers with more bits than this are treated as if they had only so many.
            let bits = bits.min(126);
            let (min, max) = match is_signed {
                true => (-1i128 << (bits - 1), (1i128 << (bits - 1)) - 1),
                false => (0, (1i128 << bits) - 1),
            };
            if !(min..=max).contains(value) {
                return None;
            }
            Some(match is_signed {
                true => Value::Int(*value),
                false => Value::UInt(*value as u128),
            })
        }
        _ => None,
    }
}
