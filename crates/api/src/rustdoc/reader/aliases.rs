//! Type aliases of the crate: what examples call types by, and what others' signatures mention.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustdoc_types::{GenericParamDefKind, Item, ItemEnum, Type};

use super::Reader;
use super::scope::Scope;
use crate::callable::TypeAlias;

/// Names of type aliases, each with the last segment of what it stands for.
pub(super) fn heads(items: &[&Item]) -> BTreeMap<Arc<str>, Arc<str>> {
    let alias = |item: &&Item| match (&item.name, &item.inner) {
        (Some(name), ItemEnum::TypeAlias(alias)) => match &alias.type_ {
            Type::ResolvedPath(path) => {
                let head = path.path.rsplit("::").next()?;
                Some((name.as_str().into(), head.into()))
            }
            _ => None,
        },
        _ => None,
    };
    items.iter().filter_map(alias).collect()
}

/// Public aliases by path. One with lifetimes stays a name.
pub(super) fn known(reader: &Reader<'_>, items: &[&Item]) -> BTreeMap<Arc<str>, TypeAlias> {
    let alias = |item: &&Item| {
        let ItemEnum::TypeAlias(alias) = &item.inner else {
            return None;
        };
        let mut params = alias.generics.params.iter();
        if params.any(|it| matches!(it.kind, GenericParamDefKind::Lifetime { .. })) {
            return None;
        }
        let mut scope = Scope::new(reader);
        scope.declare(&alias.generics);
        scope.in_inputs = false;
        let ty = scope.ty(&alias.type_);
        let known = TypeAlias {
            generics: scope.generics,
            ty,
        };
        Some((reader.names.public(item.id)?, known))
    };
    items.iter().filter_map(alias).collect()
}
