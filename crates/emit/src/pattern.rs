//! Values as patterns, for types that cannot be compared.

use testsmith_api::{Fields, Shape, Ty};
use testsmith_protocol::Value;

use crate::cx::{Cx, type_args};
use crate::literal::{constructor, constructor_path, fill_fields, scalar, string};

/// A pattern and what it is good for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    /// Are there values of the type that do not match?
    pub(crate) refutable: bool,
    /// Does no other value match?
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

/// The pattern of a value that a constructor made.
fn named(
    cx: Cx<'_>,
    path: &str,
    ty: &Ty,
    made: &str,
    fields: &[(String, Value)],
) -> Option<Pattern> {
    let args = type_args(ty);
    let inner = |arg: usize, value: &Value| Some(pattern(cx, args.get(arg)?, value));
    match (path, made, fields) {
        ("std::option::Option", "None", []) => Some(Pattern {
            text: "None".to_owned(),
            refutable: true,
            exact: true,
        }),
        ("std::option::Option", "Some", [(_, value)])
        | ("std::result::Result", "Ok", [(_, value)]) => Some(one_field(made, inner(0, value)?)),
        ("std::result::Result", "Err", [(_, value)]) => Some(one_field(made, inner(1, value)?)),
        ("std::task::Poll", _, []) => Some(Pattern {
            text: constructor_path(cx, path, made),
            refutable: true,
            exact: true,
        }),
        ("std::task::Poll", _, [(_, value)]) => {
            let head = constructor_path(cx, path, made);
            Some(one_field(&head, inner(0, value)?))
        }
        _ => declared(cx, path, ty, made, fields),
    }
}

/// The pattern of a value whose type the model declares, with its constructors.
fn declared(
    cx: Cx<'_>,
    path: &str,
    ty: &Ty,
    made: &str,
    fields: &[(String, Value)],
) -> Option<Pattern> {
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
    Some(Pattern {
        text: with_fields(cx, &head, &declared, complete, &parts)?,
        refutable: many_variants || parts.iter().any(|part| part.refutable),
        exact: complete && parts.iter().all(|part| part.exact),
    })
}

/// The pattern of a constructor with those of its fields. Fields without a pattern are left out.
/// `complete` says whether all fields are known.
fn with_fields(
    cx: Cx<'_>,
    head: &str,
    declared: &Fields,
    complete: bool,
    parts: &[Pattern],
) -> Option<String> {
    match declared {
        Fields::Tuple(_) if !complete => None,
        Fields::Tuple(_) if !parts.is_empty() && parts.iter().all(|part| part.text == "_") => {
            Some(format!("{head}(..)"))
        }
        Fields::Named(list) => {
            let mut shown: Vec<_> = list
                .iter()
                .zip(parts)
                .filter(|(_, part)| part.text != "_")
                .map(|(field, part)| format!("{}: {}", cx.identifier(&field.name), part.text))
                .collect();
            if shown.len() < list.len() || !complete {
                shown.push("..".to_owned());
            }
            Some(format!("{head} {{ {} }}", shown.join(", ")))
        }
        Fields::Unit if !complete => Some(format!("{head} {{ .. }}")),
        _ => Some(fill_fields(cx, head, declared, &texts(parts))),
    }
}

fn one_field(made: &str, inner: Pattern) -> Pattern {
    Pattern {
        text: format!("{made}({})", inner.text),
        refutable: true,
        exact: inner.exact,
    }
}
