//! The reader of rustdoc's JSON in the shape that it has from format 57 (Rust 1.95) on.

mod aliases;
mod functions;
mod generics;
mod hidden;
mod nameless;
mod names;
mod scope;
mod shapes;
mod traits;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use rustdoc_types::{Attribute, Crate, Id, Impl, Item, ItemEnum, Path, Visibility};

use crate::api::Api;
use crate::callable::{Callable, CallableKind, Docs, Implementor, Param, Reason};
use crate::rustdoc::{Externs, docs};
use crate::ty::{TraitRef, Ty};
use crate::unify;
use hidden::{Hidden, has_hidden_attribute};
use names::PublicNames;
use scope::Scope;

/// What every part of the reader looks things up in.
struct Reader<'r> {
    krate: &'r Crate,
    names: PublicNames<'r>,
    hidden: Hidden,
}

/// A callable and where it stands in the source, to number keys that collide.
struct Found {
    callable: Callable,
    place: (String, usize, usize, u32),
}

/// Turn a crate's JSON into our model.
pub(super) fn read(krate: &Crate, externs: &Externs) -> Api {
    let reader = Reader {
        krate,
        names: PublicNames::new(krate, externs),
        hidden: Hidden::of(krate),
    };
    let items = reader.local_items();
    let mut api = Api {
        krate: reader.crate_name(),
        version: krate.crate_version.clone(),
        ..Api::default()
    };
    let impls: Vec<(&Item, &Impl)> = items
        .iter()
        .filter_map(|item| match &item.inner {
            ItemEnum::Impl(impl_) if is_explicit(item, impl_) => Some((*item, impl_)),
            _ => None,
        })
        .collect();
    api.impls = reader.implementors(&impls);
    api.dropping = reader.dropping(&items);
    api.traits = reader.traits(&items, &api.impls);
    let mut found = BTreeMap::new();
    let members: HashSet<Id> = items
        .iter()
        .filter_map(|item| match &item.inner {
            ItemEnum::Module(module) => Some(&module.items),
            _ => None,
        })
        .flatten()
        .copied()
        .collect();
    for item in &items {
        reader.shape(item, &mut api.adts, &mut found);
        reader.free_item(item, members.contains(&item.id), &mut found);
    }
    for (item, impl_) in &impls {
        reader.impl_members(item, impl_, &mut found);
    }
    let mut found: Vec<Found> = found.into_values().collect();
    found.extend(reader.provided_methods(&impls));
    api.callables = reader.finish(found, &api.impls);
    for adt in api.adts.values_mut() {
        adt.normalise(&api.impls);
    }
    api.definitions = reader.names.definitions();
    api.examples = reader.examples(&items);
    api.aliases = aliases::heads(&items);
    api.type_aliases = aliases::known(&reader, &items);
    api.unknown_aliases = reader.names.unknown_aliases();
    api.foreign = reader.names.foreign();
    let named = api.foreign.values().flatten();
    let krates: BTreeSet<&str> = named.filter_map(|path| path.split("::").next()).collect();
    let others = krates.into_iter().filter(|krate| **krate != *api.krate);
    api.dependencies = others.map(Arc::from).collect();
    api
}

/// Written in the source, derives included; `Drop` cannot be called. Some derives add hidden impls
/// of the compiler's own.
fn is_explicit(item: &Item, impl_: &Impl) -> bool {
    let is_marker = |path: &Path| {
        let name = path.path.rsplit("::").next().unwrap_or_default();
        matches!(name, "Drop" | "StructuralPartialEq")
    };
    let is_compilers_own = has_hidden_attribute(item) && is_derived(item);
    !is_compilers_own
        && !impl_.is_synthetic
        && !impl_.is_negative
        && impl_.blanket_impl.is_none()
        && !impl_.trait_.as_ref().is_some_and(is_marker)
}

/// Did the compiler write it?
fn is_derived(item: &Item) -> bool {
    item.attrs.contains(&Attribute::AutomaticallyDerived)
}

impl<'r> Reader<'r> {
    /// This crate's items in order of their ids: the index has none.
    fn local_items(&self) -> Vec<&'r Item> {
        let mut items: Vec<&Item> = self
            .krate
            .index
            .values()
            .filter(|item| item.crate_id == 0)
            .collect();
        items.sort_by_key(|item| item.id.0);
        items
    }

    fn crate_name(&self) -> Arc<str> {
        let root = self.krate.index.get(&self.krate.root);
        root.and_then(|root| root.name.as_deref())
            .unwrap_or_default()
            .into()
    }

    fn local(&self, id: Id) -> Option<&'r Item> {
        self.krate.index.get(&id).filter(|item| item.crate_id == 0)
    }

    /// The definition path of an item, for want of a public one.
    fn definition_path(&self, item: &Item) -> Arc<str> {
        match self.krate.paths.get(&item.id) {
            Some(summary) => summary.path.join("::").into(),
            None => item.name.as_deref().unwrap_or("?").into(),
        }
    }

    /// Generic types with a `Drop` of their own.
    fn dropping(&self, items: &[&'r Item]) -> BTreeSet<Arc<str>> {
        let impls = items.iter().filter_map(|item| match &item.inner {
            ItemEnum::Impl(impl_) => Some(impl_),
            _ => None,
        });
        let is_drop = |impl_: &&Impl| {
            let path = impl_.trait_.as_ref().map(|it| it.path.rsplit("::").next());
            path == Some(Some("Drop")) && !impl_.is_synthetic
        };
        let types = impls.filter(is_drop).filter_map(|impl_| {
            let mut scope = Scope::new(self);
            let (self_ty, _) = self.impl_header(impl_, &mut scope);
            match self_ty {
                Ty::Adt { path, args } => {
                    let mut args = args.iter();
                    let is_generic = args.any(|arg| matches!(arg, crate::ty::GenericArg::Type(_)));
                    is_generic.then_some(path)
                }
                _ => None,
            }
        });
        types.collect()
    }

    /// All explicit trait impls; the reader's own projections need them too.
    fn implementors(&self, impls: &[(&'r Item, &'r Impl)]) -> Vec<Implementor> {
        let mut implementors: Vec<Implementor> = impls
            .iter()
            .filter_map(|(_, impl_)| {
                let mut scope = Scope::new(self);
                let (self_ty, trait_) = self.impl_header(impl_, &mut scope);
                Some(Implementor {
                    self_ty,
                    trait_: trait_?,
                    generics: scope.generics,
                    bounds: scope.bounds,
                    assoc: scope.assoc,
                })
            })
            .collect();
        let known = implementors.clone();
        for implementor in &mut implementors {
            for (_, ty) in &mut implementor.assoc {
                *ty = normalise(ty, &known);
            }
        }
        implementors.sort_by_cached_key(|i| {
            let names = &crate::ty::KeyNames;
            (i.trait_.render(names), i.self_ty.render(names))
        });
        implementors
    }

    /// Self type, trait and associated types of an impl, its parameters declared.
    fn impl_header(&self, impl_: &'r Impl, scope: &mut Scope<'_>) -> (Ty, Option<TraitRef>) {
        scope.declare(&impl_.generics);
        let self_ty = scope.ty(&impl_.for_);
        scope.self_ty = Some(self_ty.clone());
        let trait_ = impl_.trait_.as_ref().map(|path| scope.trait_ref(path));
        scope.impl_trait = trait_.clone();
        for id in &impl_.items {
            let Some(item) = self.krate.index.get(id) else {
                continue;
            };
            if let (
                Some(name),
                ItemEnum::AssocType {
                    generics,
                    type_: Some(ty),
                    ..
                },
            ) = (&item.name, &item.inner)
                && generics.params.is_empty()
            {
                let ty = scope.ty(ty);
                scope.assoc.push((name.as_str().into(), ty));
            }
        }
        scope.read_bounds(&impl_.generics);
        (self_ty, trait_)
    }

    fn docs(&self, item: &Item) -> Docs {
        let mut docs = docs::parse(item.docs.as_deref().unwrap_or_default());
        docs.deprecated = item.deprecation.is_some();
        docs.must_use = item
            .attrs
            .iter()
            .any(|attr| matches!(attr, Attribute::MustUse { .. }));
        if let Some(span) = &item.span {
            docs.file = Some(span.filename.to_string_lossy().into());
            docs.line = span.begin.0 as u32;
            docs.end = span.end.0 as u32;
        }
        docs
    }

    /// The examples of modules, types and everything else, each once.
    fn examples(&self, items: &[&Item]) -> Vec<Arc<str>> {
        let mut items: Vec<&Item> = items
            .iter()
            .copied()
            .filter(|it| it.docs.is_some())
            .collect();
        items.sort_by_cached_key(|item| Self::place(item));
        let mut known = HashSet::new();
        let examples = items
            .iter()
            .flat_map(|item| docs::parse(item.docs.as_deref().unwrap_or_default()).examples);
        examples.filter(|it| known.insert(it.clone())).collect()
    }

    fn place(item: &Item) -> (String, usize, usize, u32) {
        match &item.span {
            Some(span) => (
                span.filename.to_string_lossy().into_owned(),
                span.begin.0,
                span.begin.1,
                item.id.0,
            ),
            None => (String::new(), 0, 0, item.id.0),
        }
    }

    /// Something in the type that no caller can write.
    fn problem_in(&self, ty: &Ty) -> Option<Reason> {
        let mut problem = None;
        ty.any(&mut |node| {
            problem = match node {
                Ty::Unsupported(what) => Some(Reason::Unsupported(what.clone())),
                Ty::Adt { path, .. } => self.problem_of(path),
                Ty::Dyn { traits, .. } => traits.iter().find_map(|t| self.problem_of(&t.path)),
                Ty::Assoc {
                    trait_: Some(trait_),
                    of,
                    ..
                } if !matches!(**of, Ty::Param(_)) => self.problem_of(&trait_.path),
                _ => None,
            };
            problem.is_some()
        });
        problem
    }

    fn problem_of(&self, path: &Arc<str>) -> Option<Reason> {
        self.names
            .is_unnameable(path)
            .then(|| Reason::Unnameable(path.clone()))
    }

    fn problem_in_callable(&self, callable: &Callable) -> Option<Reason> {
        let of_kind = match &callable.kind {
            CallableKind::Inherent { self_ty, .. } => self.problem_in(self_ty),
            CallableKind::Trait {
                self_ty, trait_, ..
            } => self.problem_of(&trait_.path).or_else(|| {
                let args = Ty::Opaque {
                    traits: vec![trait_.clone()],
                };
                self.problem_in(self_ty).or_else(|| self.problem_in(&args))
            }),
            _ => None,
        };
        of_kind
            .or_else(|| callable.inputs.iter().find_map(|p| self.problem_in(&p.ty)))
            .or_else(|| self.problem_in(&callable.output))
    }

    /// Normalise, find what cannot be written, number equal keys, sort.
    fn finish(&self, mut found: Vec<Found>, impls: &[Implementor]) -> Vec<Callable> {
        found.sort_by(|a, b| a.place.cmp(&b.place));
        let mut n_seen: BTreeMap<Arc<str>, u32> = BTreeMap::new();
        let mut callables: Vec<Callable> = Vec::with_capacity(found.len());
        for Found { mut callable, .. } in found {
            for Param { ty, .. } in &mut callable.inputs {
                *ty = normalise(ty, impls);
            }
            callable.output = normalise(&callable.output, impls);
            if callable.kind.is_call() {
                callable.output = self.nameless(&callable.output, impls);
            }
            if callable.skip.is_none() {
                callable.skip = self.problem_in_callable(&callable);
            }
            let n = n_seen.entry(callable.key.clone()).or_default();
            *n += 1;
            if *n > 1 {
                callable.key = format!("{}#{n}", callable.key).into();
            }
            callables.push(callable);
        }
        callables.sort_by(|a, b| a.key.cmp(&b.key));
        callables
    }
}

fn normalise(ty: &Ty, impls: &[Implementor]) -> Ty {
    unify::normalise(ty, &mut |of, trait_, name| {
        unify::project(impls, of, trait_, name)
    })
}

impl crate::callable::Adt {
    fn normalise(&mut self, impls: &[Implementor]) {
        use crate::callable::{Fields, Shape};
        let all = |fields: &mut Fields| {
            if let Fields::Tuple(list) | Fields::Named(list) = fields {
                for field in list {
                    field.ty = normalise(&field.ty, impls);
                }
            }
        };
        match &mut self.shape {
            Shape::Struct { fields, .. } => all(fields),
            Shape::Enum { variants, .. } => variants.iter_mut().for_each(|v| all(&mut v.fields)),
            Shape::Union => {}
        }
    }
}

/// Is it `pub`? Variants, fields of variants and trait items have no visibility of their own.
fn is_public(item: &Item) -> bool {
    item.visibility == Visibility::Public
}
