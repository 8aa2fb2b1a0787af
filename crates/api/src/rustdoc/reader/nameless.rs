//! Results of types that nobody outside can name: what is known of them all the same.
//!
//! **What no box can hold is read at once.** A result of a private type is `impl Trait` to the
//! reader, an iterator if a public type iterates with it (`reader/nameless.rs`). Where that says too
//! little for a trait object, the operation is the call with a *reading* of its result
//! (`Operation::reading`): what it borrows, its items, its text, or nothing but what the call does.
//! Each is tried, and the first that rustc accepts is kept.

use super::{Reader, normalise};
use crate::callable::Implementor;
use crate::ty::{Region, TraitRef, Ty};
use crate::unify::{self, Match};

impl Reader<'_> {
    /// A result with `impl Trait` in place of what cannot be named: that is what it is to a caller.
    pub(super) fn nameless(&self, ty: &Ty, impls: &[Implementor]) -> Ty {
        let is_private = |path: &str| self.names.is_unnameable(path);
        ty.map(
            &mut |node| match node {
                Ty::Adt { path, .. } if is_private(path) => Some(Ty::Opaque {
                    traits: self.iterator(node, impls).into_iter().collect(),
                }),
                Ty::Dyn { traits, .. } if traits.iter().any(|it| is_private(&it.path)) => {
                    Some(Ty::Opaque { traits: Vec::new() })
                }
                _ => None,
            },
            &mut |region| region,
        )
    }

    /// rustdoc leaves out the impls of a private type, but not what a public one iterates with.
    fn iterator(&self, ty: &Ty, impls: &[Implementor]) -> Option<TraitRef> {
        let iterator = TraitRef {
            path: "std::iter::Iterator".into(),
            args: Vec::new(),
            assoc: Vec::new(),
        };
        let own = unify::project(impls, ty, Some(&iterator), "Item");
        let item = own.or_else(|| impls.iter().find_map(|it| item_with(it, ty)))?;
        let item = normalise(&item, impls);
        self.problem_in(&item).is_none().then(|| TraitRef {
            assoc: vec![("Item".into(), item)],
            ..iterator
        })
    }
}

/// `type Item` of an impl of `IntoIterator` whose `IntoIter` the type is.
fn item_with(implementor: &Implementor, ty: &Ty) -> Option<Ty> {
    if &*implementor.trait_.path != "std::iter::IntoIterator" {
        return None;
    }
    let assoc = |name: &str| {
        let mut known = implementor.assoc.iter();
        known.find_map(|(of, ty)| (**of == *name).then_some(ty))
    };
    let (iterator, item) = (assoc("IntoIter")?, assoc("Item")?);
    let mut found = Match::default();
    if !unify::unify(iterator, ty, &mut found) {
        return None;
    }
    let mut is_known = !item.any(
        &mut |node| matches!(node, Ty::Param(name) if !found.substitution.types.contains_key(name)),
    );
    item.map(&mut |_| None, &mut |region| {
        is_known &= !matches!(region, Region::Var(_)) || found.regions.contains_key(&region);
        region
    });
    is_known.then(|| found.apply(item))
}
