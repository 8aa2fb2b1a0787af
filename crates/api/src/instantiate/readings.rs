//! Reads results whose type has no name, and which no box can hold either.

use super::Draft;
use super::build::{adt_parts, prim, string, vec};
use crate::operation::Reading;
use crate::ty::{GenericArg, Prim, TraitRef, Ty};

/// Does the type contain one that has no name?
pub(super) fn is_nameless(ty: &Ty) -> bool {
    ty.any(&mut |node| matches!(node, Ty::Opaque { .. }))
}

/// The call with each of the readings that its result may have; itself, if a slot can hold that.
pub(super) fn readings(draft: Draft) -> Vec<Draft> {
    if !is_nameless(&draft.output) {
        return vec![draft];
    }
    let mut found: Vec<(Reading, Ty)> = Vec::new();
    if let Ty::Opaque { traits } = &draft.output {
        found.extend(traits.iter().filter_map(by_trait));
        found.push((Reading::Items, string()));
    }
    found.push((Reading::Shown, string()));
    match adt_parts(&draft.output) {
        Some(("std::option::Option", ..)) => found.push((Reading::IsSome, prim(Prim::Bool))),
        Some(("std::result::Result", ..)) => found.push((Reading::IsOk, prim(Prim::Bool))),
        _ => {}
    }
    found.push((Reading::Dropped, Ty::unit()));
    let with = |(reading, output)| Draft {
        key: format!("{}{reading}", draft.key).into(),
        output,
        reading: Some(reading),
        ..draft.clone()
    };
    found.into_iter().map(with).collect()
}

/// What a trait of the standard library gives, owned.
fn by_trait(trait_: &TraitRef) -> Option<(Reading, Ty)> {
    match (&*trait_.path, trait_.args.as_slice()) {
        ("std::convert::AsRef", [GenericArg::Type(Ty::Str)]) => Some((Reading::Borrowed, string())),
        ("std::convert::AsRef", [GenericArg::Type(Ty::Slice(of))]) => {
            Some((Reading::Borrowed, vec((**of).clone())))
        }
        ("std::iter::IntoIterator", _) => {
            let (_, item) = trait_.assoc.iter().find(|(name, _)| &**name == "Item")?;
            (!is_nameless(item)).then(|| (Reading::Collected, vec(item.clone())))
        }
        _ => None,
    }
}
