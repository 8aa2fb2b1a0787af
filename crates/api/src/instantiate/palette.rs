//! Candidates for the type and const parameters of a callable, from their bounds.
//!
//! Over-approximates: rustc settles what really satisfies the bounds. The order matters, because
//! caps cut the tail: first a type that copies, then one that moves.

use std::sync::Arc;

use super::adt_palette::{AdtPalette, from_adts, from_callable};
use super::build::{FRESH, borrowing, option, prim, shared, slice, string, vec};
use super::closures::standing_for;
use super::form::unnameable;
use super::traits::{bounds_on, is_local, mentioned_params, satisfies};
use crate::api::Api;
use crate::callable::{Bound, Callable, GenericKind, Implementor};
use crate::ty::{GenericArg, Prim, Substitution, TraitRef, Ty, is_fn_trait};
use crate::unify::unify_args;

/// The most candidates, since every instance costs compile time.
const MAX_CANDIDATES: usize = 6;

/// The sources of candidates.
#[derive(Clone, Copy)]
pub(super) struct Palette<'a> {
    pub(super) api: &'a Api,
    pub(super) adts: &'a AdtPalette,
}

/// Types for a parameter with few bounds.
pub(super) fn general() -> Vec<Ty> {
    vec![
        prim(Prim::U8),
        string(),
        prim(Prim::I32),
        prim(Prim::F64),
        prim(Prim::Char),
        prim(Prim::Bool),
        prim(Prim::U32),
    ]
}

/// Types for something outside of any callable, by its bounds; they have neither parameters nor
/// lifetimes.
pub(crate) fn proposals(api: &Api, bounds: &[TraitRef]) -> Vec<Ty> {
    let alone = Palette {
        api,
        adts: &AdtPalette::new(),
    };
    let mut proposed: Vec<Ty> = Vec::new();
    for trait_ in bounds {
        let item = trait_.assoc.iter().find(|(name, _)| &**name == "Item");
        match (trait_.name(), item) {
            ("IntoIterator", Some((_, item))) => proposed.push(vec(item.clone())),
            (_, Some((_, item))) => {
                proposed.push(Ty::adt("std::vec::IntoIter", [item.clone()]));
            }
            _ => proposed.extend(specific(alone, trait_, 1).unwrap_or_default()),
        }
    }
    proposed.extend(general());
    let is_plain = |ty: &Ty| {
        let mut has_region = false;
        ty.map(&mut |_| None, &mut |region| {
            has_region = true;
            region
        });
        !has_region && !ty.any(&mut |node| matches!(node, Ty::Param(_)))
    };
    proposed.retain(is_plain);
    proposed
}

pub(super) fn moves(ty: &Ty) -> bool {
    !matches!(ty, Ty::Prim(_) | Ty::Ref { mutable: false, .. })
}

/// Candidates for a type parameter, best first; they may mention other parameters.
pub(super) fn candidates(palette: Palette<'_>, callable: &Callable, name: &Arc<str>) -> Vec<Ty> {
    let api = palette.api;
    let param = Ty::Param(name.clone());
    let bounds = bounds_on(&callable.bounds, &param);
    let of_references = bounds_on_references(&callable.bounds, name);
    let accepts = |ty: &Ty| {
        let fits = |ty: &Ty, trait_: &TraitRef| satisfies(api, ty, trait_) != Some(false);
        let mut bounds = bounds.iter();
        let mut of_references = of_references.iter();
        bounds.all(|trait_| fits(ty, trait_))
            && of_references.all(|trait_| fits(&shared(FRESH, ty.clone()), trait_))
    };
    if let Some(looped_over) = by_reference(callable, name) {
        return vec![looped_over];
    }
    let is_tied = bounds.iter().any(|trait_| {
        let is_iterator = matches!(trait_.name(), "Iterator" | "IntoIterator");
        let mut is_param = |ty: &Ty| matches!(ty, Ty::Param(_));
        is_iterator && trait_.assoc.iter().any(|(_, ty)| ty.any(&mut is_param))
    });
    if !is_tied && let Some(chosen) = from_callable(palette, callable, name) {
        let is_nameable = |ty: &Ty| unnameable(api, ty).is_ok();
        let fits = |ty: &Ty| is_nameable(ty) && accepts(ty);
        let mut fitting: Vec<Ty> = chosen.into_iter().filter(fits).collect();
        let surer = surer(palette, bounds.iter().chain(&of_references), &fitting);
        fitting.extend(surer.into_iter().filter(&accepts));
        if !fitting.is_empty() {
            return fitting;
        }
    }
    let of_bounds = by_bounds(palette, callable, &param, &bounds, 2);
    let Some(of_bounds) = of_bounds else {
        return Vec::new();
    };
    if !of_bounds.is_empty() {
        let fitting: Vec<Ty> = of_bounds.iter().filter(|ty| accepts(ty)).cloned().collect();
        let is_closed = bounds.iter().any(|trait_| is_local(api, &trait_.path));
        return capped(if fitting.is_empty() && !is_closed {
            of_bounds
        } else {
            fitting
        });
    }
    let of_impls = by_own_impls(api, callable, name);
    if !of_impls.is_empty() {
        return capped(of_impls);
    }
    if let Some(relative) = related(callable, name) {
        return vec![relative];
    }
    let fitting: Vec<Ty> = general().into_iter().filter(&accepts).collect();
    // Two candidates are enough, and the second should be a type that moves, if there is one.
    let second = fitting.iter().skip(1).find(|ty| moves(ty));
    let second = second.or(fitting.get(1));
    fitting.first().into_iter().chain(second).cloned().collect()
}

/// `&'a T: Trait`
fn bounds_on_references<'b>(bounds: &'b [Bound], name: &Arc<str>) -> Vec<&'b TraitRef> {
    let of_bound = |bound: &'b Bound| match bound {
        Bound::Trait {
            on: Ty::Ref { to, .. },
            trait_,
        } if matches!(&**to, Ty::Param(n) if n == name) => Some(trait_),
        _ => None,
    };
    bounds.iter().filter_map(of_bound).collect()
}

/// If no candidate is known to implement some trait of a dependency, by itself or as a reference: a
/// type that is known to.
fn surer<'b>(
    palette: Palette<'_>,
    bounds: impl Iterator<Item = &'b &'b TraitRef>,
    among: &[Ty],
) -> Option<Ty> {
    let is_known = |ty: &Ty, trait_: &TraitRef| {
        let fits = |ty: &Ty| satisfies(palette.api, ty, trait_) == Some(true);
        fits(ty) || fits(&shared(FRESH, ty.clone()))
    };
    let bounds: Vec<_> = bounds.filter(|it| !it.path.starts_with("std::")).collect();
    let mut each = bounds.iter();
    let doubtful = each.find(|trait_| !among.iter().any(|ty| is_known(ty, trait_)))?;
    let candidates = implementors(palette, doubtful, 1).into_iter();
    let mut owned = candidates.map(|ty| match ty {
        Ty::Ref { to, .. } => *to,
        ty => ty,
    });
    owned.find(|ty| bounds.iter().all(|trait_| is_known(ty, trait_)))
}

/// Is it unsized, like `Path`, `OsStr` and `CStr`? Their values are owned by a box or a type of
/// their own.
fn is_unsized_std(ty: &Ty) -> bool {
    let paths = ["std::path::Path", "std::ffi::OsStr", "std::ffi::CStr"];
    matches!(ty, Ty::Adt { path, .. } if paths.contains(&&**path))
}

fn capped(mut tys: Vec<Ty>) -> Vec<Ty> {
    tys.truncate(MAX_CANDIDATES);
    tys
}

/// `for<'a> &'a I: IntoIterator<Item = E>`, or of `&'a mut I`: a vector for `I`, references to its items for `E`.
fn by_reference(callable: &Callable, name: &Arc<str>) -> Option<Ty> {
    callable.bounds.iter().find_map(|bound| {
        let Bound::Trait {
            on:
                Ty::Ref {
                    region,
                    mutable,
                    to,
                },
            trait_,
        } = bound
        else {
            return None;
        };
        if trait_.name() != "IntoIterator" {
            return None;
        }
        if matches!(&**to, Ty::Param(n) if n == name) {
            return Some(vec(prim(Prim::U8)));
        }
        let is_item = trait_
            .assoc
            .iter()
            .any(|(_, ty)| matches!(ty, Ty::Param(n) if n == name));
        is_item.then(|| Ty::Ref {
            region: *region,
            mutable: *mutable,
            to: Box::new(prim(Prim::U8)),
        })
    })
}

/// `Text: PartialEq<T>`: what the crate's own impls say that `T` can be.
fn by_own_impls(api: &Api, callable: &Callable, name: &Arc<str>) -> Vec<Ty> {
    let mut tys = Vec::new();
    for bound in &callable.bounds {
        let Bound::Trait { on, trait_ } = bound else {
            continue;
        };
        if !matches!(on, Ty::Adt { .. }) || !mentioned_params(trait_).contains(name) {
            continue;
        }
        for implementor in &api.impls {
            if implementor.trait_.path == trait_.path
                && implementor.self_ty == *on
                && let [GenericArg::Type(ty)] = implementor.trait_.args.as_slice()
                && !ty.any(&mut |t| matches!(t, Ty::Param(_) | Ty::Assoc { .. }))
                && !matches!(ty, Ty::Ref { .. })
            {
                tys.push(ty.clone());
            }
        }
    }
    tys
}

/// A parameter that another one's bound relates to: `K: Borrow<Q>`, `Q: Equivalent<K>`.
fn related(callable: &Callable, name: &Arc<str>) -> Option<Ty> {
    let is_earlier = |other: &Arc<str>| {
        let position = |n: &Arc<str>| callable.generics.iter().position(|p| p.name == *n);
        position(other) < position(name)
    };
    callable.bounds.iter().find_map(|bound| match bound {
        Bound::Trait {
            on: Ty::Param(on),
            trait_,
        } if on == name && relates(trait_) => mentioned_params(trait_)
            .into_iter()
            .find(|other| other != name && is_earlier(other))
            .map(Ty::Param),
        Bound::Trait {
            on: Ty::Param(on),
            trait_,
        } if is_earlier(on) && relates(trait_) && mentioned_params(trait_).contains(name) => {
            Some(Ty::Param(on.clone()))
        }
        _ => None,
    })
}

/// Does a type usually have this relation to itself?
fn relates(trait_: &TraitRef) -> bool {
    !matches!(
        trait_.name(),
        "Extend" | "FromIterator" | "AsRef" | "AsMut" | "Index" | "IndexMut"
    )
}

/// Candidates from the bounds themselves: `None` if one of the bounds can never be met, empty if
/// none proposes anything.
fn by_bounds(
    palette: Palette<'_>,
    callable: &Callable,
    param: &Ty,
    bounds: &[&TraitRef],
    fuel: u32,
) -> Option<Vec<Ty>> {
    let mut proposed: Vec<Ty> = Vec::new();
    for trait_ in bounds {
        let tys = match trait_.name() {
            _ if is_fn_trait(&trait_.path) => Some(vec![standing_for(trait_, bounds)]),
            "IntoIterator" | "Iterator" | "DoubleEndedIterator" | "ExactSizeIterator" => {
                iterators(palette, callable, param, trait_, bounds, fuel)
            }
            _ => specific(palette, trait_, fuel),
        };
        match tys {
            None => {}
            Some(tys) if tys.is_empty() => return None,
            // The first bound that proposes types leads; later ones only filter.
            Some(tys) if proposed.is_empty() => proposed = tys,
            Some(_) => {}
        }
    }
    Some(proposed)
}

/// Types for `I: IntoIterator<Item = X>` and relatives; `X` may be known by its bounds only.
fn iterators(
    palette: Palette<'_>,
    callable: &Callable,
    param: &Ty,
    trait_: &TraitRef,
    bounds: &[&TraitRef],
    fuel: u32,
) -> Option<Vec<Ty>> {
    let stated = bounds
        .iter()
        .flat_map(|trait_| &trait_.assoc)
        .find(|(name, _)| &**name == "Item")
        .map(|(_, ty)| ty.clone());
    let mut items = match stated {
        Some(item) => vec![item],
        None => item_candidates(palette, callable, param, fuel),
    };
    if items.is_empty() {
        return Some(Vec::new());
    }
    items.truncate(2);
    let is_iterator =
        trait_.name() != "IntoIterator" || bounds.iter().any(|trait_| trait_.name() == "Iterator");
    Some(
        items
            .into_iter()
            .map(|item| match (is_iterator, item) {
                (
                    false,
                    Ty::Ref {
                        mutable: false, to, ..
                    },
                ) if !to.is_unsized() => shared(FRESH, slice(*to)),
                (
                    true,
                    Ty::Ref {
                        mutable: false, to, ..
                    },
                ) if !to.is_unsized() => borrowing("std::slice::Iter", FRESH, [*to]),
                (false, item) => vec(fresh(&item)),
                (true, item) => Ty::adt("std::vec::IntoIter", [fresh(&item)]),
            })
            .collect(),
    )
}

/// Candidates for `I::Item` by the bounds on it.
fn item_candidates(palette: Palette<'_>, callable: &Callable, param: &Ty, fuel: u32) -> Vec<Ty> {
    let api = palette.api;
    let bounds: Vec<&TraitRef> = callable
        .bounds
        .iter()
        .filter_map(|bound| match bound {
            Bound::Trait {
                on: Ty::Assoc { of, name, .. },
                trait_,
            } if **of == *param && &**name == "Item" => Some(trait_),
            _ => None,
        })
        .collect();
    if fuel == 0 {
        return vec![prim(Prim::U8)];
    }
    let item = Ty::Assoc {
        of: Box::new(param.clone()),
        trait_: None,
        name: "Item".into(),
        args: Vec::new(),
    };
    let accepts = |ty: &Ty| {
        bounds
            .iter()
            .all(|trait_| satisfies(api, ty, trait_) != Some(false))
    };
    match by_bounds(palette, callable, &item, &bounds, fuel - 1) {
        None => Vec::new(),
        Some(tys) if tys.is_empty() => general().into_iter().filter(accepts).collect(),
        Some(tys) => tys,
    }
}

/// Regions of a bound are the callable's own; those of a palette type are the instance's.
fn fresh(ty: &Ty) -> Ty {
    ty.map(&mut |_| None, &mut |region| match region {
        crate::ty::Region::Bound(_) => FRESH,
        other => other,
    })
}

/// What one bound proposes; `None` if it says nothing, empty if nothing can meet it.
pub(super) fn specific(palette: Palette<'_>, trait_: &TraitRef, fuel: u32) -> Option<Vec<Ty>> {
    let api = palette.api;
    let arg = match trait_
        .args
        .iter()
        .find(|arg| matches!(arg, GenericArg::Type(_)))
    {
        Some(GenericArg::Type(ty)) => Some(fresh(ty)),
        _ => None,
    };
    if is_local(api, &trait_.path) {
        return Some(implementors(palette, trait_, fuel));
    }
    match (trait_.path.starts_with("std::"), trait_.name()) {
        (false, _) => of_other_crate(palette, trait_, fuel),
        (
            true,
            "AsRef" | "AsMut" | "Borrow" | "BorrowMut" | "Into" | "TryInto" | "From"
            | "FromIterator" | "Extend",
        ) => of_conversion(palette, trait_, arg?, fuel),
        (true, _) => of_std(palette, trait_, arg, fuel),
    }
}

/// As [`specific`], for a trait of another crate that is not the standard library.
fn of_other_crate(palette: Palette<'_>, trait_: &TraitRef, fuel: u32) -> Option<Vec<Ty>> {
    match trait_.name() {
        "Rng" | "RngCore" | "TryRng" | "TryRngCore" => Some(generators(palette.api)),
        "Deserializer" | "Serializer" | "Distribution" | "Visitor" => {
            Some(implementors(palette, trait_, fuel))
        }
        "Float" | "FloatCore" | "FloatConst" | "Real" | "RealField" => {
            Some(vec![prim(Prim::F64), prim(Prim::F32)])
        }
        "Signed" => Some(vec![prim(Prim::I32), prim(Prim::F64)]),
        "Integer" | "PrimInt" => Some(vec![prim(Prim::I32), prim(Prim::U8)]),
        "Unsigned" => Some(vec![prim(Prim::U8), prim(Prim::U32)]),
        "Num" | "NumOps" | "NumCast" | "NumAssign" | "Zero" | "One" | "Bounded" => {
            Some(vec![prim(Prim::I32), prim(Prim::F64)])
        }
        _ => {
            let own = implementors(palette, trait_, fuel);
            (!own.is_empty()).then_some(own)
        }
    }
}

/// As [`specific`], for a trait of the standard library that converts from or to `arg`.
fn of_conversion(palette: Palette<'_>, trait_: &TraitRef, arg: Ty, fuel: u32) -> Option<Vec<Ty>> {
    let text = || shared(FRESH, Ty::Str);
    let bytes = || shared(FRESH, slice(prim(Prim::U8)));
    let name = trait_.name();
    Some(match (name, arg) {
        ("AsRef" | "Borrow", Ty::Str) => vec![text(), string()],
        ("AsRef" | "Borrow", Ty::Slice(of)) => match *of {
            Ty::Prim(Prim::U8) => vec![bytes(), vec(prim(Prim::U8)), text()],
            of => vec![vec(of.clone()), shared(FRESH, slice(of))],
        },
        ("AsRef", Ty::Adt { path, .. })
            if matches!(&*path, "std::path::Path" | "std::ffi::OsStr") =>
        {
            vec![text(), string()]
        }
        ("Borrow" | "BorrowMut", of) if !matches!(of, Ty::Param(_)) => vec![of],
        ("AsRef", Ty::Adt { path, .. }) if &*path == "std::ffi::CStr" => {
            vec![Ty::adt("std::ffi::CString", [])]
        }
        ("AsMut", of @ Ty::Adt { .. }) if is_unsized_std(&of) => {
            vec![Ty::adt("std::boxed::Box", [of])]
        }
        ("AsMut", Ty::Slice(of)) => vec![vec(*of)],
        ("AsMut", Ty::Str) => vec![string()],
        ("AsRef" | "AsMut", _) => implementors(palette, trait_, fuel),
        ("Into" | "TryInto", to) => into_candidates(palette.api, name, &to),
        ("From", from) => {
            let mut tys = implementors(palette, trait_, fuel);
            match &from {
                Ty::Ref { to, .. } if **to == Ty::Str => tys.push(string()),
                _ => tys.push(from),
            }
            tys
        }
        ("FromIterator", item) => match &item {
            Ty::Prim(Prim::Char) => vec![string(), vec(item)],
            Ty::Ref { to, .. } if **to == Ty::Str => vec![string()],
            Ty::Adt { path, .. } if &**path == "std::string::String" => vec![vec(item), string()],
            _ => vec![vec(item)],
        },
        ("Extend", item) => match &item {
            Ty::Prim(Prim::Char) => vec![string(), vec(item)],
            Ty::Ref { to, .. } if **to == Ty::Str => vec![string()],
            _ => vec![vec(item)],
        },
        _ => return None,
    })
}

/// As [`specific`], for any other trait of the standard library.
fn of_std(palette: Palette<'_>, trait_: &TraitRef, arg: Option<Ty>, fuel: u32) -> Option<Vec<Ty>> {
    let text = || shared(FRESH, Ty::Str);
    let bytes = || shared(FRESH, slice(prim(Prim::U8)));
    let name = trait_.name();
    Some(match (name, arg) {
        ("RangeBounds", Some(of)) => ["Range", "RangeInclusive", "RangeFrom", "RangeTo"]
            .map(|kind| Ty::adt(&format!("std::ops::{kind}"), [of.clone()]))
            .into_iter()
            .chain([Ty::adt("std::ops::RangeFull", [])])
            .collect(),
        ("Index" | "IndexMut", _) => {
            let own = implementors(palette, trait_, fuel);
            if own.is_empty() {
                return None;
            }
            own
        }
        ("SliceIndex", _) => vec![
            prim(Prim::Usize),
            Ty::adt("std::ops::Range", [prim(Prim::Usize)]),
        ],
        ("ToString" | "Display", _) => vec![prim(Prim::I32), text()],
        ("FromStr", _) => vec![prim(Prim::I32), string()],
        ("Hasher", _) => vec![Ty::adt("std::collections::hash_map::DefaultHasher", [])],
        ("BuildHasher", _) => vec![Ty::adt("std::collections::hash_map::RandomState", [])],
        ("Read" | "BufRead" | "Seek", _) => {
            let mut tys = vec![Ty::adt("std::io::Cursor", [vec(prim(Prim::U8))])];
            if name != "Seek" {
                tys.push(bytes());
            }
            tys
        }
        ("Write", _) if &*trait_.path == "std::fmt::Write" => vec![string()],
        ("Write", _) => vec![vec(prim(Prim::U8))],
        ("Error", _) => vec![Ty::adt("std::fmt::Error", [])],
        ("Deref", _) => match trait_.assoc.first() {
            Some((_, target)) => vec![shared(FRESH, fresh(target))],
            None => vec![Ty::adt("std::boxed::Box", [prim(Prim::U8)])],
        },
        ("DerefMut", _) => vec![Ty::adt("std::boxed::Box", [prim(Prim::U8)])],
        ("Neg", _) => vec![prim(Prim::I32), prim(Prim::F64)],
        ("Add" | "Sub" | "Mul" | "Div" | "Rem" | "Sum" | "Product", _) => {
            vec![prim(Prim::I32), prim(Prim::F64), prim(Prim::U8)]
        }
        ("Iterator" | "DoubleEndedIterator" | "ExactSizeIterator" | "FusedIterator", _) => {
            vec![Ty::adt("std::vec::IntoIter", [prim(Prim::U8)])]
        }
        ("IntoIterator", _) => vec![vec(prim(Prim::U8))],
        ("Future" | "IntoFuture", _) => {
            let output = trait_.assoc.iter().find(|(name, _)| &**name == "Output");
            let output = output.map_or(prim(Prim::U8), |(_, ty)| fresh(ty));
            vec![Ty::adt("std::future::Ready", [output])]
        }
        _ => return None,
    })
}

/// Sources of random numbers, if the crate under test can name any. Features decide which there
/// are, so rustc judges.
fn generators(api: &Api) -> Vec<Ty> {
    match api.dependencies.iter().any(|krate| &**krate == "rand") {
        true => ["StdRng", "SmallRng"]
            .map(|name| Ty::adt(&format!("rand::rngs::{name}"), []))
            .into(),
        false => Vec::new(),
    }
}

fn into_candidates(api: &Api, name: &str, to: &Ty) -> Vec<Ty> {
    let text = || shared(FRESH, Ty::Str);
    let mut tys = Vec::new();
    if let Ty::Adt { path, args } = to {
        match (&**path, args.as_slice()) {
            ("std::string::String", _) => return vec![text(), string()],
            ("std::borrow::Cow", [GenericArg::Region(_), GenericArg::Type(Ty::Str)]) => {
                return vec![text(), string()];
            }
            ("std::boxed::Box" | "std::rc::Rc" | "std::sync::Arc", [GenericArg::Type(Ty::Str)]) => {
                return vec![text()];
            }
            ("std::path::PathBuf", _) => return vec![text(), string()],
            ("std::option::Option", [GenericArg::Type(of)]) => {
                return vec![option(of.clone()), of.clone()];
            }
            ("std::vec::Vec", [GenericArg::Type(Ty::Prim(Prim::U8))]) => {
                return vec![to.clone(), text()];
            }
            _ => {}
        }
    }
    tys.push(to.clone());
    let from = if name == "TryInto" { "TryFrom" } else { "From" };
    for implementor in &api.impls {
        let mut found = crate::unify::Match::default();
        if implementor.trait_.name() == from
            && crate::unify::unify(&implementor.self_ty, to, &mut found)
            && let Some(GenericArg::Type(source)) = implementor.trait_.args.last()
        {
            let source = found.apply(source);
            let is_free = source.any(&mut |t| matches!(t, Ty::Param(_) | Ty::Assoc { .. }));
            let ty = source.map(&mut |_| None, &mut |_| FRESH);
            if !is_free && !tys.contains(&ty) && tys.len() < 4 {
                tys.push(ty);
            }
        }
    }
    if let (Ty::Prim(to), "TryInto") = (to, name)
        && to.is_integer()
    {
        tys.push(prim(Prim::I32));
    }
    tys
}

/// Types of explicit impls of a trait, their own parameters filled in, simplest first.
fn implementors(palette: Palette<'_>, trait_: &TraitRef, fuel: u32) -> Vec<Ty> {
    let mut tys: Vec<(u8, Ty)> = Vec::new();
    for implementor in &palette.api.impls {
        let same = implementor.trait_.path == trait_.path
            && (trait_.args.is_empty()
                || trait_.args.iter().any(mentions_param)
                || unify_args(
                    &implementor.trait_.args,
                    &trait_.args,
                    &mut crate::unify::Match::default(),
                ));
        if !same {
            continue;
        }
        for ty in fill(palette, implementor, &trait_.args, fuel) {
            let rank = match &ty {
                Ty::Prim(_) => 0,
                Ty::Adt { args, .. } if args.is_empty() => 1,
                Ty::Ref { .. } => 3,
                _ => 2,
            };
            if is_sized(palette.api, &ty) && !tys.iter().any(|(_, known)| *known == ty) {
                tys.push((rank, ty));
            }
        }
    }
    tys.sort_by_key(|(rank, _)| *rank);
    // Many impls for integers would crowd out the crate's own types.
    let n_prims = tys.iter().filter(|(rank, _)| *rank == 0).count();
    if n_prims > 2 {
        let (prims, others): (Vec<_>, Vec<_>) = tys.into_iter().partition(|(rank, _)| *rank == 0);
        tys = prims.into_iter().take(2).chain(others).collect();
    }
    tys.into_iter().map(|(_, ty)| ty).collect()
}

fn is_sized(api: &Api, ty: &Ty) -> bool {
    !ty.is_unsized()
        && !matches!(ty, Ty::Adt { path, .. } if api.adts.get(path).is_some_and(|adt| !adt.sized))
}

fn mentions_param(arg: &GenericArg) -> bool {
    matches!(arg, GenericArg::Type(ty) if ty.any(&mut |t| matches!(t, Ty::Param(_))))
}

/// The self type of an impl at one choice of its parameters. What the trait is asked for decides
/// some of them, and may mention parameters of who asks.
fn fill(
    palette: Palette<'_>,
    implementor: &Implementor,
    asked: &[GenericArg],
    fuel: u32,
) -> Vec<Ty> {
    let api = palette.api;
    let self_ty = implementor
        .self_ty
        .map(&mut |_| None, &mut |region| match region {
            crate::ty::Region::Var(_) => FRESH,
            other => other,
        });
    if implementor.generics.is_empty() {
        return vec![self_ty];
    }
    if fuel == 0 {
        return Vec::new();
    }
    let mut found = crate::unify::Match::default();
    let mut substitution = match unify_args(&implementor.trait_.args, asked, &mut found) {
        true => found.substitution,
        false => Substitution::default(),
    };
    let is_asked = !substitution.types.is_empty();
    for param in &implementor.generics {
        if substitution.types.contains_key(&param.name) {
            continue;
        }
        match &param.kind {
            GenericKind::Const(ty) => {
                let value =
                    super::consts::const_value(api, [&implementor.self_ty], &param.name, ty);
                substitution.consts.insert(param.name.clone(), value);
            }
            GenericKind::Type { .. } => {
                let bounds = bounds_on(&implementor.bounds, &Ty::Param(param.name.clone()));
                let mut proposed = None;
                for trait_ in &bounds {
                    if is_fn_trait(&trait_.path) {
                        let trait_ = trait_.substitute(&substitution);
                        proposed = Some(vec![standing_for(&trait_, &bounds)]);
                        break;
                    }
                    // A blanket impl over its own trait (`impl T for &U where U: T`) recurses.
                    match specific(palette, trait_, fuel - 1) {
                        Some(tys) if tys.is_empty() => return Vec::new(),
                        Some(tys) if proposed.is_none() => proposed = Some(tys),
                        _ => {}
                    }
                }
                let accepts = |ty: &Ty| {
                    bounds
                        .iter()
                        .all(|trait_| satisfies(api, ty, trait_) != Some(false))
                };
                let of_adt = from_adts(palette, [&implementor.self_ty], &param.name);
                let of_adt = of_adt.filter(|tys| tys.iter().any(&accepts));
                let choices = of_adt.or(proposed).unwrap_or_else(general);
                let Some(choice) = choices.into_iter().find(|ty| accepts(ty)) else {
                    return Vec::new();
                };
                substitution.types.insert(param.name.clone(), choice);
            }
        }
    }
    let ty = self_ty.substitute(&substitution).substitute(&substitution);
    let is_own = |name: &Arc<str>| implementor.generics.iter().any(|param| param.name == *name);
    let is_open = ty.any(&mut |t| match t {
        Ty::Param(name) => !is_asked || is_own(name),
        Ty::Assoc { .. } => !is_asked,
        _ => false,
    });
    match is_open {
        true => Vec::new(),
        false => vec![ty],
    }
}
