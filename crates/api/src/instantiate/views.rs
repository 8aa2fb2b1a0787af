//! Ways to look into values: unwraps, projections, payloads of variants, driven iterators.

use super::Draft;
use super::build::{adt_parts, exclusive, option, shared, slice, string, vec};
use super::literal::is_literal;
use super::project::{boxed_iterator, future_output, project};
use super::recipes::{drafted, open_regions, recipe, references};
use crate::api::Api;
use crate::callable::{Adt, Fields, Shape};
use crate::keywords::{NEWEST_EDITION, identifier, written_path};
use crate::operation::{Form, Side};
use crate::ty::{Prim, Region, RegionIdx, Ty};
use crate::types::Types;
use crate::unify::{self, Match, unify_args};

/// A borrow that nothing else in the signature mentions.
const LENDER: Region = Region::Var(RegionIdx(u32::MAX - 1));

/// The expression for all items of an iterator.
const COLLECT: &str = "{0}.collect::<Vec<_>>()";

/// The expression for all items of an iterator in their own order, for iterators that have none: those
/// of hash tables give their items in another order each time.
pub const COLLECT_SORTED: &str = "{0}.collect::<std::collections::BTreeSet<_>>()";

/// The expressions for one part of each item of an iterator, where the other part can be neither written nor
/// compared: the values of a container that gives handles with them.
const COLLECT_FIRST: &str = "{0}.map(|(it, _)| it).collect::<Vec<_>>()";
const COLLECT_SECOND: &str = "{0}.map(|(_, it)| it).collect::<Vec<_>>()";

/// Does the operation give all items of an iterator?
pub fn collects(form: &Form) -> bool {
    matches!(form, Form::Recipe { template } if matches!(
        &**template,
        COLLECT | COLLECT_SORTED | COLLECT_FIRST | COLLECT_SECOND
    ))
}

/// Steps that look into a value: unwraps, projections, and driven iterators.
pub(super) fn views(api: &Api, slots: &Types, ty: &Ty) -> Vec<Draft> {
    let ty = open_regions(ty);
    let view = |template: &str, output: Ty| recipe(template, vec![ty.clone()], output);
    if let Ty::Tuple(parts) = &ty {
        let is_opaque = parts.iter().any(|part| !is_literal(part));
        return match is_opaque {
            true => (0..)
                .zip(parts)
                .map(|(i, part): (u32, _)| view(&format!("{{0}}.{i}"), part.clone()))
                .collect(),
            false => Vec::new(),
        };
    }
    if let Ty::Ref {
        region,
        mutable: false,
        to,
    } = &ty
        && let Some(("std::option::Option", types, _)) = adt_parts(to)
        && let [of] = types.as_slice()
    {
        return vec![view("{0}.as_ref()", option(shared(*region, (*of).clone())))];
    }
    let Some((path, types, _)) = adt_parts(&ty) else {
        return Vec::new();
    };
    if let Some(adt) = api.adts.get(path) {
        let mut views = payloads(adt, &ty);
        views.extend(driven(api, &ty));
        views.extend(collected(api, &ty));
        return views;
    }
    let mut views = std_views(api, slots, &ty, path, &types);
    if path.starts_with("std::") && !path.starts_with("std::ops::") {
        views.extend(iterated(api, &ty, path));
    }
    views
}

/// Steps that look into a value of the standard library's types that are no iterators.
fn std_views(api: &Api, slots: &Types, ty: &Ty, path: &str, types: &[&Ty]) -> Vec<Draft> {
    let view = |template: &str, output: Ty| recipe(template, vec![ty.clone()], output);
    let unwrap = |side: Side, payload: &Ty| {
        let text = match side {
            Side::Some => "unwrap Some",
            Side::Ok => "unwrap Ok",
            Side::Err => "unwrap Err",
        };
        drafted(text, Form::Unwrap(side), vec![ty.clone()], payload.clone())
    };
    match (path, types) {
        ("std::option::Option", [of]) if !of.is_unit() => vec![unwrap(Side::Some, of)],
        ("std::result::Result", [ok, err]) => [(Side::Ok, ok), (Side::Err, err)]
            .into_iter()
            .filter(|(_, payload)| !payload.is_unit() && !is_uninhabited(payload))
            .map(|(side, payload)| unwrap(side, payload))
            .collect(),
        ("std::boxed::Box", [of]) if !slots.is_unsized(of) => vec![view("*{0}", (*of).clone())],
        ("std::boxed::Box", [Ty::Dyn { traits, .. }]) => {
            let shown = traits.iter().find_map(|it| match &*it.path {
                "std::fmt::Display" => Some("{0}.to_string()"),
                "std::fmt::Debug" => Some("format!(\"{:?}\", {0})"),
                _ => None,
            });
            let look = |template| recipe(template, vec![shared(LENDER, ty.clone())], string());
            shown.map(look).into_iter().collect()
        }
        ("std::borrow::Cow", [Ty::Str]) => vec![view("{0}.into_owned()", string())],
        ("std::borrow::Cow", [Ty::Slice(of)]) => {
            vec![view("{0}.into_owned()", vec((**of).clone()))]
        }
        ("std::vec::Vec", [of]) if !is_literal(of) => vec![view(
            "{0}.into_iter()",
            Ty::adt("std::vec::IntoIter", [(*of).clone()]),
        )],
        ("std::task::Poll", [of]) if !is_literal(of) => vec![view(
            "match {0} { std::task::Poll::Ready(value) => Some(value), std::task::Poll::Pending => None }",
            option((*of).clone()),
        )],
        // What has a name was driven before it was pinned.
        ("std::pin::Pin", [of]) if of.children().iter().any(|it| it.is_unsized()) => {
            driven(api, ty).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Steps that take items of an iterator of the standard library.
fn iterated(api: &Api, ty: &Ty, path: &str) -> Vec<Draft> {
    let Some(item) = super::project::iterator_item(&api.impls, ty) else {
        return Vec::new();
    };
    let advance = |template: &str| {
        recipe(
            template,
            vec![exclusive(LENDER, ty.clone())],
            option(item.clone()),
        )
    };
    let mut views = vec![advance("{0}.next()")];
    if is_double_ended(path, ty) {
        views.push(advance("{0}.next_back()"));
    }
    if !matches!(path, "std::iter::Cycle" | "std::iter::Repeat") {
        views.extend(sorted(ty, &item));
        views.extend(parts(ty, &item));
        views.push(recipe(COLLECT, vec![ty.clone()], vec(item)));
    }
    views
}

/// All items of an iterator of the crate's own. Its other methods are callables of the crate.
fn collected(api: &Api, ty: &Ty) -> Vec<Draft> {
    let Some(item) = super::project::iterator_item(&api.impls, ty) else {
        return Vec::new();
    };
    let item = unify::normalise(&item, &mut |of, trait_, name| {
        project(&api.impls, of, trait_, name)
    });
    if item.any(&mut |it| matches!(it, Ty::Assoc { .. } | Ty::Param(_))) {
        return Vec::new();
    }
    let mut drafts: Vec<Draft> = sorted(ty, &item).into_iter().collect();
    drafts.extend(parts(ty, &item));
    drafts.push(recipe(COLLECT, vec![ty.clone()], vec(item)));
    drafts
}

/// All items of an iterator in their own order, if they certainly have one.
fn sorted(ty: &Ty, item: &Ty) -> Option<Draft> {
    let output = Ty::adt("std::collections::BTreeSet", [item.clone()]);
    is_ordered(item).then(|| recipe(COLLECT_SORTED, vec![ty.clone()], output))
}

/// That part of all items of an iterator of pairs which can be compared, if the other one cannot.
fn parts(ty: &Ty, item: &Ty) -> Option<Draft> {
    let Ty::Tuple(parts) = item else { return None };
    let (template, part) = match &parts[..] {
        [first, second] if is_ordered(first) && !is_ordered(second) => (COLLECT_FIRST, first),
        [first, second] if !is_ordered(first) && is_ordered(second) => (COLLECT_SECOND, second),
        _ => return None,
    };
    Some(recipe(template, vec![ty.clone()], vec(part.clone())))
}

/// Is it a type of the standard library whose values are in order, as numbers and texts are?
fn is_ordered(ty: &Ty) -> bool {
    match ty {
        Ty::Prim(prim) => !matches!(prim, Prim::F32 | Prim::F64 | Prim::Never),
        Ty::Str => true,
        Ty::Tuple(parts) => !parts.is_empty() && parts.iter().all(is_ordered),
        Ty::Ref { mutable, to, .. } => !mutable && is_ordered(to),
        Ty::Adt { path, .. } => &**path == "std::string::String",
        _ => false,
    }
}

/// A future with what it gives in the end.
fn driven(api: &Api, ty: &Ty) -> Option<Draft> {
    let output = unify::normalise(&future_output(&api.impls, ty)?, &mut |of, trait_, name| {
        project(&api.impls, of, trait_, name)
    });
    let is_known = !output.any(&mut |it| matches!(it, Ty::Assoc { .. } | Ty::Param(_)));
    let executor = api.executor().filter(|_| is_known)?;
    let template = format!("{executor}({{0}})");
    Some(recipe(&template, vec![ty.clone()], option(output)))
}

fn is_double_ended(path: &str, ty: &Ty) -> bool {
    boxed_iterator(ty).is_some_and(|trait_| trait_.name() == "DoubleEndedIterator")
        || matches!(
            path,
            "std::vec::IntoIter"
                | "std::slice::Iter"
                | "std::slice::IterMut"
                | "std::str::Chars"
                | "std::str::CharIndices"
        )
}

/// What the variants of a local enum hold, each as an `Option`; an unwrap takes it from there.
fn payloads(adt: &Adt, ty: &Ty) -> Vec<Draft> {
    let (Shape::Enum { variants, open }, Ty::Adt { args, .. }) = (&adt.shape, ty) else {
        return Vec::new();
    };
    let mut found = Match::default();
    let Ty::Adt { args: declared, .. } = &adt.self_ty else {
        return Vec::new();
    };
    if !unify_args(declared, args, &mut found) {
        return Vec::new();
    }
    let is_only = variants.len() == 1 && !open;
    let otherwise = if is_only { "" } else { ", _ => None" };
    variants
        .iter()
        .filter(|variant| variant.usable)
        .filter_map(|variant| {
            let fields = variant.fields.list();
            let tys: Vec<Ty> = fields.iter().map(|field| found.apply(&field.ty)).collect();
            let is_known = |ty: &Ty| !ty.any(&mut |t| matches!(t, Ty::Assoc { .. } | Ty::Param(_)));
            if tys.iter().all(is_literal) || !tys.iter().all(is_known) {
                return None;
            }
            // The harness is of that edition; who prints a test takes from it what is not needed.
            let raw = |name| identifier(name, NEWEST_EDITION);
            let names: Vec<String> = (0..tys.len()).map(|i| format!("value{i}")).collect();
            let pattern = match &variant.fields {
                Fields::Named(list) => {
                    let parts: Vec<String> = list
                        .iter()
                        .zip(&names)
                        .map(|(field, name)| format!("{}: {name}", raw(&field.name)))
                        .collect();
                    format!(" {{ {} }}", parts.join(", "))
                }
                _ => format!("({})", names.join(", ")),
            };
            let (value, output) = match tys.as_slice() {
                [ty] => (names[0].clone(), ty.clone()),
                _ => (format!("({})", names.join(", ")), Ty::Tuple(tys)),
            };
            let template = format!(
                "match {{0}} {{ {}::{}{pattern} => Some({value}){otherwise} }}",
                written_path(&adt.path, NEWEST_EDITION),
                raw(&variant.name)
            );
            Some(recipe(&template, vec![ty.clone()], option(output)))
        })
        .collect()
}

fn is_uninhabited(ty: &Ty) -> bool {
    match ty {
        Ty::Prim(Prim::Never) => true,
        Ty::Adt { path, .. } => &**path == "std::convert::Infallible",
        _ => false,
    }
}

/// A view of an owned string or vector as what many functions take.
pub(super) fn borrowed_views(slots: &Types, ty: &Ty) -> Vec<Draft> {
    let ty = open_regions(ty);
    match adt_parts(&ty) {
        Some(("std::string::String", _, _)) => {
            references(slots, LENDER, false, &Ty::Str, &shared(LENDER, Ty::Str))
        }
        Some(("std::vec::Vec", types, _)) if types.len() == 1 => {
            let of = slice(types[0].clone());
            references(slots, LENDER, false, &of, &shared(LENDER, of.clone()))
        }
        Some(("std::cell::Ref" | "std::cell::RefMut", types, _)) if types.len() == 1 => {
            vec![recipe(
                "&**{0}",
                vec![shared(LENDER, ty.clone())],
                shared(LENDER, types[0].clone()),
            )]
        }
        _ => Vec::new(),
    }
}
