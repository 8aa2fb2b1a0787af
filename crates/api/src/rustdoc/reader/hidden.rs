//! What `#[doc(hidden)]` keeps from people, and from the denominator of reach.
//!
//! rustdoc is asked for hidden items too, because without them it leaves out what a hidden module
//! defines and a public one re-exports. Then it is ours to tell the two apart.

use std::collections::HashSet;

use rustdoc_types::{Attribute, Crate, GenericArg, GenericArgs, Id, Impl, Item, ItemEnum, Type};

use super::names::PublicNames;

/// Is the item itself marked?
pub(super) fn has_hidden_attribute(item: &Item) -> bool {
    let is_mark =
        |attr: &Attribute| matches!(attr, Attribute::Other(text) if text == "#[doc(hidden)]");
    item.attrs.iter().any(is_mark)
}

/// What rustdoc leaves out unless it is asked for hidden items: those that are marked, and all
/// that a marked module defines, even if it is re-exported.
pub(super) struct Hidden(HashSet<Id>);

impl Hidden {
    pub(super) fn of(krate: &Crate) -> Hidden {
        let mut found = Hidden(HashSet::new());
        for item in krate.index.values() {
            if item.crate_id == 0 && has_hidden_attribute(item) {
                found.add(krate, item.id);
            }
        }
        found
    }

    fn add(&mut self, krate: &Crate, id: Id) {
        if !self.0.insert(id) {
            return;
        }
        if let Some(ItemEnum::Module(module)) = krate.index.get(&id).map(|item| &item.inner) {
            for member in &module.items {
                self.add(krate, *member);
            }
        }
    }

    /// Is the item not in the fixed denominator of reach, because of its place?
    pub(super) fn is_uncounted(&self, item: &Item) -> bool {
        self.0.contains(&item.id)
    }

    /// The same of what an impl has: its type, its trait or an argument of the trait is such.
    pub(super) fn is_uncounted_impl(&self, item: &Item, impl_: &Impl) -> bool {
        self.is_uncounted(item) || parts(impl_).iter().any(|id| self.0.contains(id))
    }
}

/// Is the item not meant for people: marked, or without a name but through what is marked?
pub(super) fn is_hidden(names: &PublicNames<'_>, item: &Item) -> bool {
    has_hidden_attribute(item) || names.hidden(item.id).is_some()
}

/// The same of what an impl has.
pub(super) fn is_hidden_impl(
    krate: &Crate,
    names: &PublicNames<'_>,
    item: &Item,
    impl_: &Impl,
) -> bool {
    let items = parts(impl_);
    let mut items = items.iter().filter_map(|id| krate.index.get(id));
    has_hidden_attribute(item) || items.any(|part| is_hidden(names, part))
}

/// The type, the trait and the trait's arguments, as far as they are items.
fn parts(impl_: &Impl) -> Vec<Id> {
    let mut parts: Vec<Id> = id_of(&impl_.for_).into_iter().collect();
    if let Some(trait_) = &impl_.trait_ {
        parts.push(trait_.id);
        if let Some(GenericArgs::AngleBracketed { args, .. }) = trait_.args.as_deref() {
            parts.extend(args.iter().filter_map(|arg| match arg {
                GenericArg::Type(ty) => id_of(ty),
                _ => None,
            }));
        }
    }
    parts
}

fn id_of(ty: &Type) -> Option<Id> {
    match ty {
        Type::ResolvedPath(path) => Some(path.id),
        Type::BorrowedRef { type_, .. } => id_of(type_),
        _ => None,
    }
}
