//! The `Debug` text of an observed value, where only the standard library's formatting is needed.

use testsmith_api::{Ty, last_segment};
use testsmith_protocol::Value;

use crate::cx::type_args;
use crate::literal::time_of;

/// What `format!("{x:?}")` says, if that can be known.
pub(crate) fn debug_text(ty: &Ty, value: &Value) -> Option<String> {
    match (ty, value) {
        (_, Value::Debug(text)) => Some(text.clone()),
        (Ty::Ref { to, .. }, _) => debug_text(to, value),
        (Ty::Prim(_), Value::Bool(value)) => Some(value.to_string()),
        (Ty::Prim(_), Value::Char(c)) => Some(format!("{c:?}")),
        (Ty::Prim(_), Value::Int(n)) => Some(n.to_string()),
        (Ty::Prim(_), Value::UInt(n)) => Some(n.to_string()),
        (Ty::Prim(_), Value::F32(bits)) => Some(format!("{:?}", f32::from_bits(*bits))),
        (Ty::Prim(_), Value::F64(bits)) => Some(format!("{:?}", f64::from_bits(*bits))),
        (Ty::Str, Value::Str(text)) => Some(format!("{text:?}")),
        (Ty::Tuple(_), Value::Unit) => Some("()".to_owned()),
        (Ty::Tuple(types), Value::Tuple(values)) if types.len() == values.len() => {
            let parts: Vec<_> = types
                .iter()
                .zip(values)
                .map(|(ty, value)| debug_text(ty, value))
                .collect::<Option<_>>()?;
            let comma = if parts.len() == 1 { "," } else { "" };
            Some(format!("({}{comma})", parts.join(", ")))
        }
        (Ty::Slice(element) | Ty::Array(element, _), Value::List(values)) => {
            list('[', element, values, ']')
        }
        (Ty::Adt { path, .. }, _) if path.starts_with("std::") => std_text(path, ty, value),
        _ => None,
    }
}

fn list(open: char, element: &Ty, values: &[Value], close: char) -> Option<String> {
    let parts: Vec<_> = values
        .iter()
        .map(|value| debug_text(element, value))
        .collect::<Option<_>>()?;
    Some(format!("{open}{}{close}", parts.join(", ")))
}

fn std_text(path: &str, ty: &Ty, value: &Value) -> Option<String> {
    let args = type_args(ty);
    match (last_segment(path), value) {
        ("String" | "Cow", Value::Str(text)) => Some(format!("{text:?}")),
        ("Box" | "Rc" | "Arc", _) => debug_text(args.first()?, value),
        ("Vec" | "VecDeque", Value::List(values)) => list('[', args.first()?, values, ']'),
        ("BTreeSet", Value::List(values)) => list('{', args.first()?, values, '}'),
        ("Duration", Value::Named { fields, .. }) => Some(format!("{:?}", time_of(fields)?)),
        ("Option" | "Result", Value::Named { path, fields }) => match (&**path, &fields[..]) {
            ("None", []) => Some("None".to_owned()),
            ("Some" | "Ok", [(_, inner)]) => {
                Some(format!("{path}({})", debug_text(args.first()?, inner)?))
            }
            ("Err", [(_, inner)]) => Some(format!("Err({})", debug_text(args.get(1)?, inner)?)),
            _ => None,
        },
        _ => None,
    }
}

/// Does the text seem to contain an address?
pub(crate) fn shows_address(text: &str) -> bool {
    text.match_indices("0x").any(|(at, _)| {
        text[at + 2..]
            .chars()
            .take_while(char::is_ascii_hexdigit)
            .count()
            >= 6
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_text_inside_std_types_is_put_together() {
        let ty = Ty::adt(
            "std::result::Result",
            [Ty::unit(), Ty::adt("krate::Error", [])],
        );
        let value = Value::Named {
            path: "Err".into(),
            fields: vec![("0".into(), Value::Debug("Error(3)".into()))],
        };
        assert_eq!(debug_text(&ty, &value).as_deref(), Some("Err(Error(3))"));
        assert!(shows_address("Foo(0x7ffd1234)"));
        assert!(!shows_address("Foo(0xff)"));
    }
}
