//! Values as patterns, for types that cannot be compared.

use testsmith_api::{Fields, Shape, Ty};
use testsmith_protocol::Value;

use crate::cx::{Cx, type_args};
use crate::literal::{constructor, constructor_path, fill_fields, scalar, string};

/// A pattern and what it is good for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    /// Some value of the type does not match.
    pub(crate) refutable: bool,
    /// Only this value matches.
    pub(crate) exact: bool,
}

/// The pattern that says as much as can be said about the value.
pub(crate) fn pattern(cx: Cx<'_>, ty: &Ty, value: &Value) -> Pattern {
    known(cx, ty, value).unwrap_or(Pattern {
        text: "_".to_owned(),
        refutable: false,
        exact: false,
    })
}

fn known(cx: Cx<'_>, ty: &Ty, value: &Value) -> Option<Pattern> {
    let exact = |text: String| {
        Some(Pattern {
            text,
            refutable: true,
            exact: true,
        })
    };
    match (ty, value) {
        (Ty::Prim(_), Value::F32(_) | Value::F64(_)) => None,
        (Ty::Prim(prim), _) => exact(scalar(cx, *prim, value, false)?.text),
        (Ty::Ref { to, .. }, Value::Str(text)) if **to == Ty::Str => exact(string(text)),
        (Ty::Ref { to, .. }, _) if !to.is_unsized() => {
            let inner = known(cx, to, value)?;
            Some(Pattern {
                text: format!("&{}", inner.text),
                ..inner
            })
        }
        (Ty::Tuple(types), Value::Tuple(values)) if types.len() == values.len() => {
            let parts: Vec<_> = types
                .iter()
                .zip(values)
                .map(|(ty, value)| pattern(cx, ty, value))
                .collect();
            let comma = if parts.len() == 1 { "," } else { "" };
            Some(Pattern {
                text: format!("({}{comma})", texts(&parts).join(", ")),
                refutable: parts.iter().any(|part| part.refutable),
                exact: parts.iter().all(|part| part.exact),
            })
        }
        (Ty::Adt { path, .. }, Value::Named { path: made, fields }) => {
            named(cx, path, ty, made, fields)
        }
        _ => None,
    }
}

fn texts(parts: &[Pattern]) -> Vec<String> {
    parts.iter().map(|part| part.text.clone()).collect()
}

fn named(
    cx: Cx<'_>,
    path: &str,
    ty: &Ty,
    made: &str,
    fields: &[(String, Value)],
) -> Option<Pattern> {
    let args = type_args(ty);
    match (path, made, fields) {
        ("std::option::Option", "None", []) => {
            return Some(Pattern {
                text: "None".to_owned(),
                refutable: true,
                exact: true,
            });
        }
        ("std::option::Option", "Some", [(_, inner)])
        | ("std::result::Result", "Ok", [(_, inner)]) => {
            return Some(one_field(made, pattern(cx, args.first()?, inner)));
        }
        ("std::task::Poll", _, []) => {
            return Some(Pattern {
                text: constructor_path(cx, path, made),
                refutable: true,
                exact: true,
            });
        }
        ("std::task::Poll", _, [(_, inner)]) => {
            let head = constructor_path(cx, path, made);
            return Some(one_field(&head, pattern(cx, args.first()?, inner)));
        }
        ("std::result::Result", "Err", [(_, inner)]) => {
            return Some(one_field(made, pattern(cx, args.get(1)?, inner)));
        }
        _ => {}
    }
    let (declared, complete) = constructor(cx, ty, made)?;
    let head = constructor_path(cx, path, made);
    let many_variants = matches!(
        &cx.adt(path)?.shape,
        Shape::Enum { variants, open } if variants.len() > 1 || *open
    );
    let parts: Vec<_> = declared
        .list()
        .iter()
        .map(|field| {
            let value = fields.iter().find(|(name, _)| **name == *field.name);
            match value {
                Some((_, value)) => pattern(cx, &field.ty, value),
                None => pattern(cx, &field.ty, &Value::Opaque),
            }
        })
        .collect();
    let refutable = many_variants || parts.iter().any(|part| part.refutable);
    let exact = complete && parts.iter().all(|part| part.exact);
    let text = match &declared {
        Fields::Tuple(_) if !complete => return None,
        Fields::Tuple(_) if !parts.is_empty() && parts.iter().all(|part| part.text == "_") => {
            format!("{head}(..)")
        }
        Fields::Named(list) => {
            let mut shown: Vec<_> = list
                .iter()
                .zip(&parts)
                .filter(|(_, part)| part.text != "_")
                .map(|(field, part)| format!("{}: {}", cx.identifier(&field.name), part.text))
                .collect();
            if shown.len() < list.len() || !complete {
                shown.push("..".to_owned());
            }
            format!("{head} {{ {} }}", shown.join(", "))
        }
        Fields::Unit if !complete => format!("{head} {{ .. }}"),
        _ => fill_fields(cx, &head, &declared, &texts(&parts)),
    };
    Some(Pattern {
        text,
        refutable,
        exact,
    })
}

fn one_field(made: &str, inner: Pattern) -> Pattern {
    Pattern {
        text: format!("{made}({})", inner.text),
        refutable: true,
        exact: inner.exact,
    }
}
