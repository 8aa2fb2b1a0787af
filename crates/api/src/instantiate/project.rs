//! Associated types of the standard library's types, as far as signatures need them.

use super::build::{adt_parts, borrowing, prim, shared, string, vec};
use super::closures;
use crate::callable::Implementor;
use crate::ty::{GenericArg, Prim, Region, TraitRef, Ty};
use crate::unify;

/// `<of as trait_>::name`, by the crate's impls and by what is known of the standard library.
pub(super) fn project(
    impls: &[Implementor],
    of: &Ty,
    trait_: Option<&TraitRef>,
    name: &str,
) -> Option<Ty> {
    if let Some(ty) = unify::project(impls, of, trait_, name) {
        return Some(ty);
    }
    let trait_name = trait_.map_or("", |trait_| trait_.name());
    match (trait_name, name) {
        ("Iterator", "Item") => iterator_item(impls, of),
        ("IntoIterator" | "", "Item") => into_iterator(of)
            .map(|(item, _)| item)
            .or_else(|| iterator_item(impls, of)),
        ("IntoIterator", "IntoIter") => into_iterator(of)
            .map(|(_, iter)| iter)
            .or_else(|| iterator_item(impls, of).map(|_| of.clone())),
        ("Future" | "IntoFuture", "Output") => future_output(impls, of),
        ("IntoFuture", "IntoFuture") => future_output(impls, of).map(|_| of.clone()),
        ("FromStr", "Err") => from_str_err(of),
        ("Fn" | "FnMut" | "FnOnce", "Output") => closures::output_of(of),
        ("Deref", "Target") => deref_target(of),
        ("ToOwned", "Owned") => Some(match of {
            Ty::Str => string(),
            Ty::Slice(of) => vec((**of).clone()),
            other => other.clone(),
        }),
        ("BuildHasher", "Hasher") => Some(Ty::adt("std::collections::hash_map::DefaultHasher", [])),
        ("SliceIndex", "Output") => match (of, trait_?.args.first()) {
            (Ty::Prim(_), Some(GenericArg::Type(Ty::Slice(item)))) => Some((**item).clone()),
            (Ty::Adt { .. }, Some(GenericArg::Type(whole))) => Some(whole.clone()),
            _ => None,
        },
        ("TryFrom" | "TryInto", "Error") => try_error(impls, of, trait_?),
        (
            "Add" | "Sub" | "Mul" | "Div" | "Rem" | "BitAnd" | "BitOr" | "BitXor" | "Shl" | "Shr"
            | "Neg" | "Not",
            "Output",
        ) => match of {
            Ty::Prim(_) => Some(of.clone()),
            Ty::Ref { to, .. } if matches!(**to, Ty::Prim(_)) => Some((**to).clone()),
            Ty::Adt { path, .. } if &**path == "std::string::String" => Some(of.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The type that a future gives in the end.
pub(super) fn future_output(impls: &[Implementor], of: &Ty) -> Option<Ty> {
    let future = TraitRef {
        path: "std::future::Future".into(),
        args: Vec::new(),
        assoc: Vec::new(),
    };
    if let Some(output) = unify::project(impls, of, Some(&future), "Output") {
        return Some(output);
    }
    match of {
        Ty::Ref {
            mutable: true, to, ..
        } => future_output(impls, to),
        Ty::Dyn { traits, .. } => {
            let future = traits.iter().find(|it| it.path == future.path)?;
            let output = future.assoc.iter().find(|(name, _)| &**name == "Output");
            output.map(|(_, ty)| ty.clone())
        }
        _ => match adt_parts(of)? {
            ("std::future::Ready" | "std::future::Pending", types, _) => {
                Some((*types.first()?).clone())
            }
            ("std::boxed::Box" | "std::pin::Pin", types, _) => future_output(impls, types.first()?),
            _ => None,
        },
    }
}

fn from_str_err(of: &Ty) -> Option<Ty> {
    let path = match of {
        Ty::Prim(Prim::Bool) => "std::str::ParseBoolError",
        Ty::Prim(Prim::Char) => "std::char::ParseCharError",
        Ty::Prim(p) if p.is_float() => "std::num::ParseFloatError",
        Ty::Prim(p) if p.is_integer() => "std::num::ParseIntError",
        Ty::Adt { path, .. } if &**path == "std::string::String" => "std::convert::Infallible",
        _ => return None,
    };
    Some(Ty::adt(path, []))
}

fn deref_target(of: &Ty) -> Option<Ty> {
    if let Ty::Ref { to, .. } = of {
        return Some((**to).clone());
    }
    let (path, types, _) = adt_parts(of)?;
    Some(match (path, types.as_slice()) {
        ("std::string::String", []) => Ty::Str,
        ("std::vec::Vec", [of]) => Ty::Slice(Box::new((*of).clone())),
        ("std::boxed::Box" | "std::rc::Rc" | "std::sync::Arc" | "std::borrow::Cow", [of]) => {
            (*of).clone()
        }
        _ => return None,
    })
}

/// `<of as TryFrom<X>>::Error`, or `<of as TryInto<X>>::Error`.
fn try_error(impls: &[Implementor], of: &Ty, trait_: &TraitRef) -> Option<Ty> {
    let Some(GenericArg::Type(other)) = trait_.args.first() else {
        return None;
    };
    let (from, into) = match trait_.name() {
        "TryFrom" => (other, of),
        _ => (of, other),
    };
    let try_from = TraitRef {
        path: "std::convert::TryFrom".into(),
        args: vec![GenericArg::Type(from.clone())],
        assoc: Vec::new(),
    };
    if let Some(ty) = unify::project(impls, into, Some(&try_from), "Error") {
        return Some(ty);
    }
    match (from, into) {
        (Ty::Prim(a), Ty::Prim(b)) if a != b && a.is_integer() && b.is_integer() => {
            Some(Ty::adt("std::num::TryFromIntError", []))
        }
        _ => Some(Ty::adt("std::convert::Infallible", [])),
    }
}

/// Item and iterator of what `for` can loop over without being an iterator.
fn into_iterator(of: &Ty) -> Option<(Ty, Ty)> {
    let iter = |path: &str, of: &Ty| Ty::adt(path, [of.clone()]);
    match of {
        Ty::Array(item, n) => Some((
            (**item).clone(),
            Ty::Adt {
                path: "std::array::IntoIter".into(),
                args: vec![
                    GenericArg::Type((**item).clone()),
                    GenericArg::Const(n.clone()),
                ],
            },
        )),
        Ty::Ref {
            region,
            mutable,
            to,
        } => borrowed_into_iterator(*region, *mutable, to),
        _ => {
            let (path, types, _) = adt_parts(of)?;
            let pair = |path: &str, k: &Ty, v: &Ty| {
                let parts = [k.clone(), v.clone()];
                (Ty::Tuple(parts.to_vec()), Ty::adt(path, parts))
            };
            Some(match (path, types.as_slice()) {
                ("std::vec::Vec", [t]) => ((*t).clone(), iter("std::vec::IntoIter", t)),
                ("std::option::Option", [t]) => ((*t).clone(), iter("std::option::IntoIter", t)),
                ("std::collections::VecDeque", [t]) => (
                    (*t).clone(),
                    iter("std::collections::vec_deque::IntoIter", t),
                ),
                ("std::collections::HashSet", [t]) => (
                    (*t).clone(),
                    iter("std::collections::hash_set::IntoIter", t),
                ),
                ("std::collections::BTreeSet", [t]) => (
                    (*t).clone(),
                    iter("std::collections::btree_set::IntoIter", t),
                ),
                ("std::collections::HashMap", [k, v]) => {
                    pair("std::collections::hash_map::IntoIter", k, v)
                }
                ("std::collections::BTreeMap", [k, v]) => {
                    pair("std::collections::btree_map::IntoIter", k, v)
                }
                _ => return None,
            })
        }
    }
}

fn borrowed_into_iterator(region: Region, mutable: bool, to: &Ty) -> Option<(Ty, Ty)> {
    let item = match to {
        Ty::Slice(item) | Ty::Array(item, _) => &**item,
        Ty::Adt { path, args } if &**path == "std::vec::Vec" => match args.first() {
            Some(GenericArg::Type(item)) => item,
            _ => return None,
        },
        _ => return None,
    };
    let path = if mutable {
        "std::slice::IterMut"
    } else {
        "std::slice::Iter"
    };
    let reference = Ty::Ref {
        region,
        mutable,
        to: Box::new(item.clone()),
    };
    Some((reference, borrowing(path, region, [item.clone()])))
}

/// What an iterator yields.
/// The trait of a `Box<dyn Iterator>`, or of one that is more.
pub(super) fn boxed_iterator(of: &Ty) -> Option<&TraitRef> {
    let ("std::boxed::Box", types, _) = adt_parts(of)? else {
        return None;
    };
    let [Ty::Dyn { traits, .. }] = types.as_slice() else {
        return None;
    };
    let is_iterator = |trait_: &&TraitRef| {
        matches!(
            trait_.name(),
            "Iterator" | "DoubleEndedIterator" | "ExactSizeIterator"
        )
    };
    traits.iter().find(is_iterator)
}

/// The type that the iterator gives, if it is known to be one.
pub(super) fn iterator_item(impls: &[Implementor], of: &Ty) -> Option<Ty> {
    let iterator = TraitRef {
        path: "std::iter::Iterator".into(),
        args: Vec::new(),
        assoc: Vec::new(),
    };
    if let Some(item) = unify::project(impls, of, Some(&iterator), "Item") {
        return Some(item);
    }
    if let Some(object) = boxed_iterator(of) {
        let item = object.assoc.iter().find(|(name, _)| &**name == "Item");
        return item.map(|(_, ty)| ty.clone());
    }
    if let Ty::Ref {
        mutable: true, to, ..
    } = of
    {
        return iterator_item(impls, to);
    }
    let (path, types, region) = adt_parts(of)?;
    let region = region.unwrap_or(Region::Static);
    source_item(path, &types, region).or_else(|| adapter_item(impls, path, &types))
}

/// What the standard library's iterators over collections and texts give.
fn source_item(path: &str, types: &[&Ty], region: Region) -> Option<Ty> {
    let reference = |ty: &Ty| shared(region, ty.clone());
    let exclusive = |ty: &Ty| super::build::exclusive(region, ty.clone());
    let text = || shared(region, Ty::Str);
    Some(match (path, types) {
        (
            "std::vec::IntoIter"
            | "std::vec::Drain"
            | "std::option::IntoIter"
            | "std::array::IntoIter"
            | "std::collections::vec_deque::IntoIter"
            | "std::collections::vec_deque::Drain"
            | "std::collections::hash_set::IntoIter"
            | "std::collections::btree_set::IntoIter"
            | "std::iter::Once"
            | "std::iter::Empty"
            | "std::iter::Repeat"
            | "std::ops::Range"
            | "std::ops::RangeInclusive"
            | "std::ops::RangeFrom",
            [t],
        ) => (*t).clone(),
        (
            "std::slice::Iter"
            | "std::option::Iter"
            | "std::collections::vec_deque::Iter"
            | "std::collections::hash_set::Iter"
            | "std::collections::btree_set::Iter"
            | "std::collections::btree_set::Range"
            | "std::collections::linked_list::Iter"
            | "std::collections::binary_heap::Iter",
            [t],
        ) => reference(t),
        (
            "std::slice::IterMut" | "std::option::IterMut" | "std::collections::vec_deque::IterMut",
            [t],
        ) => exclusive(t),
        ("std::slice::Chunks" | "std::slice::Windows" | "std::slice::ChunksExact", [t]) => {
            reference(&Ty::Slice(Box::new((*t).clone())))
        }
        (
            "std::collections::hash_map::Iter"
            | "std::collections::btree_map::Iter"
            | "std::collections::btree_map::Range",
            [k, v],
        ) => Ty::Tuple(vec![reference(k), reference(v)]),
        (
            "std::collections::hash_map::IntoIter" | "std::collections::btree_map::IntoIter",
            [k, v],
        ) => Ty::Tuple(vec![(*k).clone(), (*v).clone()]),
        ("std::collections::hash_map::Keys" | "std::collections::btree_map::Keys", [k, _]) => {
            reference(k)
        }
        ("std::collections::hash_map::Values" | "std::collections::btree_map::Values", [_, v]) => {
            reference(v)
        }
        (
            "std::str::Chars"
            | "std::char::ToLowercase"
            | "std::char::ToUppercase"
            | "std::char::EscapeDefault"
            | "std::char::EscapeUnicode"
            | "std::char::EscapeDebug",
            [],
        ) => prim(Prim::Char),
        ("std::str::CharIndices", []) => Ty::Tuple(vec![prim(Prim::Usize), prim(Prim::Char)]),
        ("std::str::Bytes", []) => prim(Prim::U8),
        (
            "std::str::Lines" | "std::str::SplitWhitespace" | "std::str::SplitAsciiWhitespace",
            [],
        ) => text(),
        ("std::str::Split" | "std::str::RSplit" | "std::str::SplitN", [_]) => text(),
        ("std::string::Drain", []) => prim(Prim::Char),
        _ => return None,
    })
}

/// What the standard library's adapters give, by what the iterators in them give.
fn adapter_item(impls: &[Implementor], path: &str, types: &[&Ty]) -> Option<Ty> {
    let inner = |ty: &Ty| iterator_item(impls, ty);
    Some(match (path, types) {
        (
            "std::iter::Rev"
            | "std::iter::Skip"
            | "std::iter::Take"
            | "std::iter::StepBy"
            | "std::iter::Fuse"
            | "std::iter::Peekable"
            | "std::iter::Cycle",
            [i],
        ) => inner(i)?,
        ("std::iter::Chain", [i, _]) => inner(i)?,
        ("std::iter::Filter" | "std::iter::TakeWhile" | "std::iter::SkipWhile", [i, _]) => {
            inner(i)?
        }
        ("std::iter::Cloned" | "std::iter::Copied", [i]) => match inner(i)? {
            Ty::Ref { to, .. } => *to,
            _ => return None,
        },
        ("std::iter::Enumerate", [i]) => Ty::Tuple(vec![prim(Prim::Usize), inner(i)?]),
        ("std::iter::Zip", [a, b]) => Ty::Tuple(vec![inner(a)?, inner(b)?]),
        ("std::iter::FlatMap", [_, u, _]) => into_iterator(u)
            .map(|(item, _)| item)
            .or_else(|| inner(u))?,
        ("std::boxed::Box", [i]) => inner(i)?,
        _ => return None,
    })
}
