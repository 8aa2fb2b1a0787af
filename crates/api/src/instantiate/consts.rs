//! Values of const parameters: those of which the crate has a type with a name, or else any.
//!
//! `type Wild = Pattern<'*', '?'>` says which instance people use. Any other may be one that the crate refuses
//! while it is compiled, by an assertion about its parameters.

use std::sync::Arc;

use crate::api::Api;
use crate::ty::{GenericArg, Prim, Ty};

/// The value of a const parameter with this name and of this type, which these types are made with.
pub(super) fn const_value<'t>(
    api: &Api,
    made: impl IntoIterator<Item = &'t Ty>,
    name: &str,
    ty: &Ty,
) -> Arc<str> {
    let named = made.into_iter().find_map(|it| named(api, it, name));
    named.unwrap_or_else(|| any(ty))
}

fn any(ty: &Ty) -> Arc<str> {
    match ty {
        Ty::Prim(Prim::Bool) => "true",
        Ty::Prim(Prim::Char) => "'a'",
        _ => "4",
    }
    .into()
}

/// The value that an alias has where this type has the parameter.
fn named(api: &Api, ty: &Ty, name: &str) -> Option<Arc<str>> {
    let mut found = None;
    ty.any(&mut |node| {
        if let Ty::Adt { path, args } = node
            && let Some(nth) = consts(args).position(|it| **it == *name)
        {
            found = of_alias(api, path, nth);
        }
        found.is_some()
    });
    found
}

/// The value that the first alias of a type has for its `nth` const parameter.
fn of_alias(api: &Api, path: &Arc<str>, nth: usize) -> Option<Arc<str>> {
    let aliases = api.type_aliases.values();
    let mut known = aliases.filter(|it| it.generics.is_empty());
    known.find_map(|alias| match &alias.ty {
        Ty::Adt { path: of, args } if of == path => {
            consts(args).nth(nth).filter(|it| is_literal(it)).cloned()
        }
        _ => None,
    })
}

fn consts(args: &[GenericArg]) -> impl Iterator<Item = &Arc<str>> {
    args.iter().filter_map(|it| match it {
        GenericArg::Const(value) => Some(value),
        _ => None,
    })
}

/// Can the value be written anywhere? The name of a constant cannot.
fn is_literal(value: &str) -> bool {
    matches!(value, "true" | "false")
        || value.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '\'')
}
