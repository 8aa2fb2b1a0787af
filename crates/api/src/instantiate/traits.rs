//! What is known about which types implement which traits, to rank instances before rustc judges.

use super::build::adt_parts;
use super::closures::is_closure;
use crate::api::Api;
use crate::callable::Bound;
use crate::ty::{GenericArg, Prim, TraitRef, Ty, is_fn_trait};
use crate::unify::{self, Match};

/// Does the type implement the trait? `None` where we don't know: rustc will tell.
pub(crate) fn satisfies(api: &Api, ty: &Ty, trait_: &TraitRef) -> Option<bool> {
    let name = trait_.name();
    if matches!(
        name,
        "Send" | "Sync" | "Unpin" | "UnwindSafe" | "RefUnwindSafe" | "Any" | "Sized"
    ) {
        return Some(true);
    }
    if is_fn_trait(&trait_.path) {
        return Some(is_closure(ty));
    }
    if is_closure(ty) && !is_local(api, &trait_.path) {
        let is_pointer = matches!(ty, Ty::FnPtr { .. });
        return Some(is_pointer && matches!(name, "Clone" | "Copy" | "Debug"));
    }
    if matches!(name, "Borrow" | "BorrowMut")
        && let [GenericArg::Type(to)] = trait_.args.as_slice()
        && !matches!(to, Ty::Param(_))
    {
        return borrows_as(api, ty, to, trait_);
    }
    if matches!(name, "AsRef" | "AsMut")
        && let [GenericArg::Type(to)] = trait_.args.as_slice()
        && !matches!(to, Ty::Param(_))
        && let Some(known) = converts(ty, to, name == "AsMut")
    {
        return Some(known);
    }
    if is_local(api, &trait_.path) {
        return Some(implements_local(api, ty, trait_));
    }
    if let Some(known) = becomes(api, ty, trait_) {
        return Some(known);
    }
    if let Some(known) = has_power(ty, trait_) {
        return Some(known);
    }
    if matches!(ty, Ty::Adt { path, .. } if api.adts.contains_key(path)) {
        return own_implements(api, ty, trait_);
    }
    std_implements(api, ty, trait_)
}

/// `ty: Borrow<to>`, or `BorrowMut`.
fn borrows_as(api: &Api, ty: &Ty, to: &Ty, trait_: &TraitRef) -> Option<bool> {
    let is_owner = unify::same_but_regions(ty, to)
        || match to {
            Ty::Str | Ty::Slice(_) => true,
            _ => matches!(ty, Ty::Ref { to: inner, .. } if unify::same_but_regions(inner, to)),
        };
    match ty {
        Ty::Prim(_) => Some(ty == to),
        _ if is_owner => None,
        _ => Some(has_impl(api, ty, trait_)),
    }
}

/// Does the type implement a trait of the crate under test?
fn implements_local(api: &Api, ty: &Ty, trait_: &TraitRef) -> bool {
    // The type may decide what a parameter among the trait's arguments is.
    let is_open = trait_.args.iter().any(|arg| match arg {
        GenericArg::Type(ty) => ty.any(&mut |node| matches!(node, Ty::Param(_))),
        _ => false,
    });
    let is_ours = is_stand_in(ty) && is_open;
    let any = TraitRef {
        args: Vec::new(),
        ..trait_.clone()
    };
    has_impl(api, ty, if is_ours { &any } else { trait_ })
}

/// `ty: Pow<by>`, between primitive types.
fn has_power(ty: &Ty, trait_: &TraitRef) -> Option<bool> {
    let [GenericArg::Type(by)] = trait_.args.as_slice() else {
        return None;
    };
    let base = as_prim(ty)?;
    if trait_.name() != "Pow" || by.any(&mut |node| matches!(node, Ty::Param(_))) {
        return None;
    }
    let Some(by) = as_prim(by) else {
        return Some(false);
    };
    let is_small = matches!(by, Prim::U8 | Prim::U16 | Prim::U32 | Prim::Usize);
    Some(if base.is_integer() {
        is_small
    } else {
        by.is_float()
    })
}

/// Does a type of the crate under test implement a trait of another crate? Its own impls are known,
/// but not those that another crate has for any type.
fn own_implements(api: &Api, ty: &Ty, trait_: &TraitRef) -> Option<bool> {
    let has_blanket = matches!(
        trait_.name(),
        "Into"
            | "TryInto"
            | "From"
            | "TryFrom"
            | "Borrow"
            | "BorrowMut"
            | "ToOwned"
            | "ToString"
            | "IntoIterator"
    );
    match has_impl(api, ty, trait_) {
        true => Some(true),
        false if has_blanket || !trait_.path.starts_with("std::") => None,
        false => Some(false),
    }
}

/// Does a type of the language or the standard library implement a trait of another crate?
fn std_implements(api: &Api, ty: &Ty, trait_: &TraitRef) -> Option<bool> {
    let name = trait_.name();
    // Of the standard library's traits, those that are not listed are not met.
    let or_not = |known: Option<bool>| known.or(trait_.path.starts_with("std::").then_some(false));
    match ty {
        Ty::Prim(prim) => or_not(prim_satisfies(*prim, name)),
        Ty::Ref {
            mutable: false, to, ..
        } if **to == Ty::Str => Some(matches!(
            name,
            "Copy"
                | "Clone"
                | "Debug"
                | "Display"
                | "Default"
                | "Eq"
                | "PartialEq"
                | "Ord"
                | "PartialOrd"
                | "Hash"
                | "AsRef"
                | "Into"
                | "TryInto"
                | "ToString"
                | "Borrow"
                | "Deref"
                | "ToOwned"
                | "Serialize"
                | "Equivalent"
                | "Comparable"
        )),
        Ty::Ref { mutable: false, .. } if matches!(name, "Copy" | "Clone") => Some(true),
        // The standard library has none of these for references in general.
        Ty::Ref { to, .. }
            if matches!(
                name,
                "Index" | "IndexMut" | "Default" | "Extend" | "FromIterator"
            ) && matches!(&**to, Ty::Adt { path, .. } if api.adts.contains_key(path)) =>
        {
            Some(has_impl(api, ty, trait_))
        }
        Ty::Ref {
            mutable: false, to, ..
        } if matches!(**to, Ty::Slice(_)) && trait_.path.starts_with("std::") => Some(matches!(
            name,
            "Read"
                | "BufRead"
                | "AsRef"
                | "Debug"
                | "Default"
                | "Eq"
                | "PartialEq"
                | "Ord"
                | "PartialOrd"
                | "Hash"
                | "IntoIterator"
                | "Borrow"
                | "Into"
                | "TryInto"
                | "ToOwned"
                | "Deref"
        )),
        Ty::Adt { path, .. } if name == "Write" && path.starts_with("std::") => {
            let is_text = &*trait_.path == "std::fmt::Write";
            Some((&**path == "std::string::String") == is_text)
        }
        Ty::Adt { path, .. }
            if path.starts_with("std::") && matches!(name, "Index" | "IndexMut") =>
        {
            Some(is_indexed(path, trait_))
        }
        Ty::Adt { path, .. } if &**path == "std::string::String" => {
            or_not(std_adt_satisfies(ty, name))
        }
        Ty::Adt { .. } => std_adt_satisfies(ty, name),
        _ => None,
    }
}

/// `ty: Into<Local>`: all of that type's `From` impls are known.
fn becomes(api: &Api, ty: &Ty, trait_: &TraitRef) -> Option<bool> {
    let [GenericArg::Type(to @ Ty::Adt { path, .. })] = trait_.args.as_slice() else {
        return None;
    };
    let is_open = to.any(&mut |node| matches!(node, Ty::Param(_)));
    if &*trait_.path != "std::convert::Into" || !api.adts.contains_key(path) || is_open {
        return None;
    }
    let from = TraitRef {
        path: "std::convert::From".into(),
        args: vec![GenericArg::Type(ty.clone())],
        assoc: Vec::new(),
    };
    Some(unify::same_but_regions(ty, to) || has_impl(api, to, &from) || has_impl(api, ty, trait_))
}

/// Text is indexed by ranges, a vector by numbers as well.
fn is_indexed(path: &str, trait_: &TraitRef) -> bool {
    let by = match trait_.args.as_slice() {
        [GenericArg::Type(by)] => by,
        _ => return false,
    };
    let is_range = matches!(by, Ty::Adt { path, .. } if path.starts_with("std::ops::Range"));
    match path {
        "std::string::String" => is_range,
        "std::vec::Vec" => is_range || *by == Ty::Prim(Prim::Usize),
        _ => false,
    }
}

/// Is it a type of ours, that implements few things?
pub(super) fn is_stand_in(ty: &Ty) -> bool {
    let of_ours = |path: &str| path.split("::").next() == Some(crate::api::STAND_INS);
    matches!(ty, Ty::Adt { path, .. } if of_ours(path))
}

/// A primitive, or a reference to one.
fn as_prim(ty: &Ty) -> Option<Prim> {
    match ty {
        Ty::Prim(prim) => Some(*prim),
        Ty::Ref { to, .. } => as_prim(to),
        _ => None,
    }
}

/// Is it this crate's own public trait? Of others, somebody else may know more implementors.
pub(super) fn is_local(api: &Api, path: &str) -> bool {
    api.traits.contains_key(path)
}

/// Is there an explicit impl whose header matches? Its bounds are rustc's business.
pub(super) fn has_impl(api: &Api, ty: &Ty, trait_: &TraitRef) -> bool {
    api.impls.iter().any(|implementor| {
        let mut found = Match::default();
        implementor.trait_.path == trait_.path
            && unify::unify(&implementor.self_ty, ty, &mut found)
            && (trait_.args.is_empty()
                || implementor.trait_.args.len() != trait_.args.len()
                || unify::unify_args(&implementor.trait_.args, &trait_.args, &mut found))
            && bounds_hold(api, &implementor.bounds, &found, 2)
    })
}

pub(super) fn bounds_hold(api: &Api, bounds: &[Bound], found: &Match, fuel: u32) -> bool {
    fuel == 0
        || bounds.iter().all(|bound| match bound {
            Bound::Trait {
                on: Ty::Param(name),
                trait_,
            } => match found.substitution.types.get(name) {
                Some(ty) if !matches!(ty, Ty::Param(_)) => {
                    satisfies(api, ty, trait_) != Some(false)
                }
                _ => true,
            },
            _ => true,
        })
}

/// `ty: AsRef<to>` of the types in the general palette.
fn converts(ty: &Ty, to: &Ty, mutable: bool) -> Option<bool> {
    let is_os = matches!(to, Ty::Adt { path, .. } if matches!(&**path, "std::path::Path" | "std::ffi::OsStr"));
    let is_bytes = matches!(to, Ty::Slice(of) if **of == Ty::Prim(Prim::U8));
    Some(match ty {
        Ty::Prim(_) => false,
        Ty::Ref { to: text, .. } if **text == Ty::Str => {
            !mutable && (*to == Ty::Str || is_bytes || is_os)
        }
        Ty::Adt { path, .. } if &**path == "std::string::String" => {
            *to == Ty::Str || (!mutable && (is_bytes || is_os))
        }
        Ty::Adt { path, args } if &**path == "std::vec::Vec" => {
            let is_slice = matches!((to, args.first()), (Ty::Slice(of), Some(GenericArg::Type(item))) if **of == *item);
            is_slice || unify::same_but_regions(ty, to)
        }
        _ => return None,
    })
}

fn prim_satisfies(prim: Prim, name: &str) -> Option<bool> {
    let is_int = prim.is_integer();
    let is_float = prim.is_float();
    let is_number = is_int || is_float;
    let is_signed = is_float || prim.int_range().is_some_and(|(_, signed)| signed);
    Some(match name {
        "Copy" | "Clone" | "Debug" | "Display" | "Default" | "PartialEq" | "PartialOrd"
        | "ToString" | "FromStr" | "Borrow" | "BorrowMut" | "ToOwned" | "Into" | "From"
        | "TryFrom" | "TryInto" | "Serialize" | "Deserialize" | "DeserializeOwned"
        | "Equivalent" | "Comparable" => true,
        "SliceIndex" => prim == Prim::Usize,
        "Pattern" => prim == Prim::Char,
        "Eq" | "Ord" | "Hash" => !is_float,
        "Add" | "Sub" | "Mul" | "Div" | "Rem" | "AddAssign" | "SubAssign" | "MulAssign"
        | "DivAssign" | "RemAssign" | "Sum" | "Product" | "LowerExp" | "UpperExp" => is_number,
        "Neg" => is_signed,
        "Not" => is_int || prim == Prim::Bool,
        "BitAnd" | "BitOr" | "BitXor" | "BitAndAssign" | "BitOrAssign" | "BitXorAssign" => {
            is_int || prim == Prim::Bool
        }
        "Shl" | "Shr" | "ShlAssign" | "ShrAssign" | "LowerHex" | "UpperHex" | "Octal"
        | "Binary" | "Step" => is_int,
        // num-traits and num-integer, which most numeric crates are generic over.
        "Num" | "NumCast" | "NumOps" | "NumRef" | "NumAssign" | "NumAssignRef" | "NumAssignOps"
        | "Zero" | "One" | "ToPrimitive" | "FromPrimitive" | "AsPrimitive" | "Bounded"
        | "RefNum" | "Pow" | "Euclid" => is_number,
        "Float" | "FloatCore" | "FloatConst" | "Real" | "RealField" => is_float,
        "PrimInt" | "Integer" | "CheckedAdd" | "CheckedSub" | "CheckedMul" | "CheckedDiv"
        | "Saturating" | "WrappingAdd" | "WrappingSub" | "Roots" => is_int,
        "Signed" => is_signed,
        "Unsigned" => is_int && !is_signed,
        "AsRef" | "AsMut" | "Deref" | "DerefMut" | "Iterator" | "IntoIterator" | "Read"
        | "Write" | "Hasher" | "BuildHasher" | "Error" | "Extend" | "FromIterator" | "Index"
        | "IndexMut" | "RangeBounds" => false,
        _ => return None,
    })
}

fn std_adt_satisfies(ty: &Ty, name: &str) -> Option<bool> {
    let (path, types, _) = adt_parts(ty)?;
    let is_string = path == "std::string::String";
    let is_vec = path == "std::vec::Vec";
    let is_seq = matches!(
        path,
        "std::vec::IntoIter" | "std::slice::Iter" | "std::str::Chars"
    );
    if !(is_string || is_vec || is_seq) {
        return match (path, name) {
            (_, "Copy") => Some(path == "std::fmt::Error"),
            ("std::io::Cursor", _) => Some(matches!(
                name,
                "Read"
                    | "BufRead"
                    | "Seek"
                    | "Write"
                    | "Clone"
                    | "Debug"
                    | "Default"
                    | "Eq"
                    | "PartialEq"
            )),
            ("std::collections::hash_map::RandomState", _) => Some(matches!(
                name,
                "BuildHasher" | "Clone" | "Default" | "Debug"
            )),
            ("std::fmt::Error", _) => Some(matches!(
                name,
                "Error"
                    | "Clone"
                    | "Debug"
                    | "Default"
                    | "Eq"
                    | "PartialEq"
                    | "Ord"
                    | "PartialOrd"
                    | "Hash"
                    | "Display"
                    | "ToString"
            )),
            _ => None,
        };
    }
    let of_items = |name: &str| match types.as_slice() {
        [Ty::Prim(prim)] => prim_satisfies(*prim, name),
        _ => None,
    };
    Some(match name {
        "Copy" => path == "std::slice::Iter",
        "Clone" | "Debug" => true,
        "Iterator" | "DoubleEndedIterator" | "FusedIterator" => is_seq,
        "ExactSizeIterator" => is_seq && path != "std::str::Chars",
        "IntoIterator" => is_vec || is_seq,
        "Eq" | "Ord" | "Hash" | "PartialEq" | "PartialOrd" if is_vec => return of_items(name),
        "Default" | "Eq" | "Ord" | "Hash" | "PartialEq" | "PartialOrd" => !is_seq,
        "AsRef" | "AsMut" | "Borrow" | "BorrowMut" | "Deref" | "DerefMut" | "Extend"
        | "FromIterator" | "Into" | "From" | "TryInto" | "TryFrom" | "ToOwned" => !is_seq,
        "Display" | "ToString" | "FromStr" | "Add" | "AddAssign" => is_string,
        "Serialize" | "Deserialize" | "DeserializeOwned" | "Equivalent" | "Comparable" => !is_seq,
        "Write" | "Index" | "IndexMut" => !is_seq,
        "Neg" | "Not" | "Sub" | "Mul" | "Div" | "Rem" | "BitAnd" | "BitOr" | "BitXor" | "Shl"
        | "Shr" | "Sum" | "Product" | "LowerHex" | "UpperHex" | "Binary" | "Octal" | "Hasher"
        | "BuildHasher" | "Error" | "Read" | "Num" | "Zero" | "One" | "Float" | "FloatCore"
        | "PrimInt" | "Integer" | "Signed" | "Unsigned" | "Bounded" | "NumCast" | "ToPrimitive"
        | "FromPrimitive" | "RealField" | "NumOps" | "NumAssign" | "NumAssignOps"
        | "FloatConst" | "Real" | "SubAssign" | "MulAssign" | "DivAssign" | "RemAssign" => false,
        _ => return None,
    })
}

/// The trait bounds on one type of a callable.
pub(super) fn bounds_on<'a>(bounds: &'a [Bound], ty: &Ty) -> Vec<&'a TraitRef> {
    bounds
        .iter()
        .filter_map(|bound| match bound {
            Bound::Trait { on, trait_ } if on == ty => Some(trait_),
            _ => None,
        })
        .collect()
}

/// Does any part of the trait's arguments mention a parameter?
pub(super) fn mentioned_params(trait_: &TraitRef) -> Vec<std::sync::Arc<str>> {
    let mut names = Vec::new();
    for arg in &trait_.args {
        if let GenericArg::Type(Ty::Param(name)) = arg {
            names.push(name.clone());
        }
    }
    names
}
