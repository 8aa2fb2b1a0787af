//! From callables, generic as written, to operations at concrete types.
//!
//! Three forces choose the instances. A palette proposes types by their bounds; a type that some
//! input needs and nothing makes is *demanded* from the callables whose output could be it; and a
//! callable without any instance that can be fed is *supplied* with the types that exist. What can
//! never be fed is dropped, with its reason. rustc settles later what really satisfies the bounds.

mod adt_palette;
mod build;
mod closures;
mod consts;
mod feasible;
mod form;
mod instance;
mod laws;
mod literal;
mod objects;
mod palette;
mod project;
mod readings;
mod recipes;
#[cfg(test)]
mod tests;
mod traits;
mod variants;
mod views;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::api::Api;
use crate::callable::{Adt, CallableId, CallableKind, Reason, Shape};
use crate::operation::{Catalogue, Form, Input, Operation, Origin, Pass, Reading, Signature};
use crate::ty::{GenericArg, Region, Substitution, Ty};
use crate::types::{Types, erase};
use crate::unify::{Match, unify};
use adt_palette::AdtPalette;
use feasible::Feasible;
pub use literal::is_literal;
use palette::Palette;
pub(crate) use palette::proposals;
pub(crate) use traits::satisfies;
pub use views::{COLLECT_SORTED, collects};

/// Limits on what [`instantiate`] makes.
#[derive(Clone, Debug)]
pub struct InstantiateOptions {
    /// Instances of one callable by its palette.
    pub max_instances: usize,
    /// Further instances of one callable on demand of others.
    pub max_demanded: usize,
    /// How deep recipes nest.
    pub max_recipe_depth: u32,
}

impl Default for InstantiateOptions {
    fn default() -> InstantiateOptions {
        InstantiateOptions {
            max_instances: 4,
            max_demanded: 6,
            max_recipe_depth: 3,
        }
    }
}

/// An operation before its types are interned.
#[derive(Clone, Debug)]
struct Draft {
    key: Arc<str>,
    origin: Origin,
    form: Form,
    n_regions: u32,
    inputs: Vec<DraftInput>,
    output: Ty,
    outlives: Vec<(Region, Region)>,
    /// Does it only look into a value that exists, so that nothing need be made for it?
    is_view: bool,
    /// See [`Operation::opaque`].
    opaque: bool,
    /// See [`Operation::formatter`].
    formatter: Option<usize>,
    /// See [`Operation::reading`].
    reading: Option<Reading>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct DraftInput {
    name: Arc<str>,
    ty: Ty,
    generic: bool,
}

/// Chooses instances for every callable of a crate, and recipes that make their inputs.
pub fn instantiate(api: Api, options: &InstantiateOptions) -> Catalogue {
    let mut types = Types::default();
    for adt in api.adts.values().filter(|adt| !adt.sized) {
        types.declare_unsized(&adt.path);
    }
    let mut work = Work {
        adts: adt_palette::adt_palette(&api),
        drafts: BTreeMap::new(),
        n_demanded: BTreeMap::new(),
        reasons: BTreeMap::new(),
        api: &api,
        options,
        types: &types,
    };
    work.by_palette();
    work.count();
    work.add_recipes();
    let mut feasible = Feasible::of(&work.drafts, &types);
    for _ in 0..4 {
        let n_before = work.drafts.len();
        work.demand(&feasible);
        work.supply(&feasible);
        work.add_recipes();
        feasible = Feasible::of(&work.drafts, &types);
        if work.drafts.len() == n_before {
            break;
        }
    }
    let skipped = work.skipped(&feasible);
    for law in laws::drafts(&api, &work.drafts, &feasible) {
        work.drafts.insert(law.key.clone(), law);
    }
    work.add_recipes();
    let feasible = Feasible::of(&work.drafts, &types);
    let drafts: Vec<Draft> = std::mem::take(&mut work.drafts)
        .into_values()
        .filter(|draft| feasible.is_fed(&draft.key))
        .collect();
    let operations = drafts
        .into_iter()
        .map(|mut draft| {
            if let Origin::Callable(id) = draft.origin
                && !api.is_own(id)
            {
                draft.origin = Origin::Beside(id);
            }
            finish(draft, &mut types)
        })
        .collect();
    Catalogue {
        api,
        operations,
        types,
        skipped,
    }
}

/// The drafts so far, and what they are made of.
struct Work<'a> {
    api: &'a Api,
    options: &'a InstantiateOptions,
    types: &'a Types,
    adts: AdtPalette,
    drafts: BTreeMap<Arc<str>, Draft>,
    n_demanded: BTreeMap<CallableId, usize>,
    reasons: BTreeMap<CallableId, Reason>,
}

impl Work<'_> {
    fn palette(&self) -> Palette<'_> {
        Palette {
            api: self.api,
            adts: &self.adts,
        }
    }

    fn ids(&self) -> impl Iterator<Item = CallableId> + use<> {
        let n_callables = self.api.callables.len() + self.api.beside.len();
        (0..n_callables as u32).map(CallableId)
    }

    fn by_palette(&mut self) {
        for id in self.ids() {
            if let Some(reason) = &self.api.callable(id).skip {
                self.reasons.insert(id, reason.clone());
                continue;
            }
            let n_max = self.options.max_instances;
            match instance::by_palette(self.palette(), id, n_max) {
                Ok(drafts) => {
                    for draft in drafts {
                        self.drafts.insert(draft.key.clone(), draft);
                    }
                }
                Err(reason) => {
                    self.reasons.insert(id, reason);
                }
            }
        }
    }

    /// Lets types that drop their contents hold values that are counted.
    fn count(&mut self) {
        let Some((_, counted)) = self.api.counted() else {
            return;
        };
        for id in self.ids() {
            let callable = self.api.callable(id);
            let self_ty = match &callable.kind {
                CallableKind::Inherent { self_ty, .. } | CallableKind::Trait { self_ty, .. } => {
                    self_ty
                }
                _ => continue,
            };
            let Ty::Adt { path, args } = self_ty else {
                continue;
            };
            if callable.skip.is_some() || !self.api.dropping.contains(path) {
                continue;
            }
            let mut given = Substitution::default();
            for arg in args {
                if let GenericArg::Type(Ty::Param(name)) = arg {
                    given.types.insert(name.clone(), counted.clone());
                }
            }
            if !given.types.is_empty() {
                self.add_instance(id, &given);
            }
        }
    }

    /// Close the drafts under constructors of what is needed and views of what is produced.
    ///
    /// A view asks for no constructor: what it looks into exists, or there is nothing to see.
    fn add_recipes(&mut self) {
        let mut seen_needs = BTreeSet::new();
        let mut seen_products = BTreeSet::new();
        let mut pending: Vec<(Draft, u32)> = self
            .drafts
            .values()
            .filter(|draft| draft.origin != Origin::Recipe)
            .map(|draft| (draft.clone(), 0))
            .collect();
        while let Some((draft, depth)) = pending.pop() {
            if depth > self.options.max_recipe_depth {
                continue;
            }
            let mut makers = Vec::new();
            for input in draft.inputs.iter().filter(|_| !draft.is_view) {
                let (ty, is_borrowed) = self.slot_type(&input.ty);
                if !seen_needs.insert((text(ty), is_borrowed)) {
                    continue;
                }
                if is_literal(ty) {
                    if is_borrowed {
                        makers.push(recipes::literal(ty));
                    }
                } else {
                    makers.extend(recipes::constructors(self.types, ty));
                    makers.extend(objects::constructors(self.palette(), ty));
                }
            }
            let mut views = Vec::new();
            if seen_products.insert(text(&draft.output)) {
                views.extend(views::views(self.api, self.types, &draft.output));
                views.extend(views::borrowed_views(self.types, &draft.output));
            }
            if draft.origin != Origin::Recipe {
                views.extend(closures::calls(&draft.output));
            }
            views.iter_mut().for_each(|view| view.is_view = true);
            for mut recipe in makers.into_iter().chain(views) {
                if form::is_writable(&recipe) {
                    // `FnMut(&'a T)` and `for<'a> FnMut(&'a T)` have the same text.
                    let is_other = |known: &Draft| {
                        known.output != recipe.output || known.inputs != recipe.inputs
                    };
                    while self.drafts.get(&recipe.key).is_some_and(is_other) {
                        recipe.key = format!("{}'", recipe.key).into();
                    }
                    self.drafts.insert(recipe.key.clone(), recipe.clone());
                    pending.push((recipe, depth + 1));
                }
            }
        }
    }

    /// The type that a slot must have, and whether it is borrowed from there.
    fn slot_type<'t>(&self, ty: &'t Ty) -> (&'t Ty, bool) {
        match ty {
            Ty::Ref { to, .. } if !self.types.is_unsized(to) => (to, true),
            _ => (ty, false),
        }
    }

    /// Asks the callables whose output could be a type that nothing makes.
    fn demand(&mut self, feasible: &Feasible) {
        for ty in feasible.missing(&self.drafts, self.types) {
            let target = ty.map(&mut |_| None, &mut |region| match region {
                Region::Bound(_) => region,
                _ => build::FRESH,
            });
            for id in self.ids() {
                let callable = self.api.callable(id);
                if callable.skip.is_some() || callable.generics.is_empty() {
                    continue;
                }
                let mut found = Match::default();
                if makes(&callable.output, &target, &mut found, 3) {
                    self.add_instance(id, &found.substitution);
                }
            }
        }
    }

    /// Offers the types that can be made to callables that get no instance otherwise.
    fn supply(&mut self, feasible: &Feasible) {
        let mut fed = BTreeSet::new();
        for draft in self.drafts.values() {
            if let Origin::Callable(id) = draft.origin
                && feasible.is_fed(&draft.key)
            {
                fed.insert(id);
            }
        }
        for id in self.ids() {
            let callable = self.api.callable(id);
            if callable.skip.is_some() || callable.generics.is_empty() || fed.contains(&id) {
                continue;
            }
            for param in &callable.inputs {
                let (pattern, _) = self.slot_type(&param.ty);
                let Ty::Adt { path, .. } = pattern else {
                    continue;
                };
                for ty in feasible.available_of(path).into_iter().take(3) {
                    let target = ty.map(&mut |_| None, &mut |region| match region {
                        Region::Bound(_) => region,
                        _ => build::FRESH,
                    });
                    let mut found = Match::default();
                    if unify(pattern, &target, &mut found) {
                        self.add_instance(id, &found.substitution);
                    }
                }
            }
        }
    }

    fn add_instance(&mut self, id: CallableId, given: &Substitution) {
        let n = self.n_demanded.get(&id).copied().unwrap_or(0);
        let has_unsized = given.types.values().any(|ty| self.types.is_unsized(ty));
        // A variant costs the compiler next to nothing.
        let n_max = match self.api.callable(id).kind {
            CallableKind::Variant { .. } => 4 * self.options.max_demanded,
            _ => self.options.max_demanded,
        };
        if n >= n_max || has_unsized {
            return;
        }
        for draft in instance::with(self.palette(), id, given) {
            if !self.drafts.contains_key(&draft.key) {
                self.n_demanded.insert(id, n + 1);
                self.drafts.insert(draft.key.clone(), draft);
            }
        }
    }

    /// Why no value of this type can be made.
    fn starvation(&self, starved: CallableId, ty: &Ty) -> Reason {
        let text: Arc<str> = ty.render(&crate::ty::KeyNames).into();
        let mut objects = Vec::new();
        ty.any(&mut |node| {
            if let Ty::Dyn { traits, .. } = node {
                objects.extend(traits.iter().cloned());
            }
            false
        });
        if let Some(obstacle) = self.api.obstacle(&objects) {
            return Reason::NoStandIn {
                wanted: text,
                obstacle,
            };
        }
        let Ty::Adt { path, .. } = ty else {
            return Reason::NoProducer {
                ty: text,
                maker: None,
            };
        };
        let is_empty = |adt: &Adt| matches!(&adt.shape, Shape::Enum { variants, open } if variants.is_empty() && !open);
        if self.api.adts.get(path).is_some_and(is_empty) {
            return Reason::Uninhabited(text);
        }
        let is_it = |ty: &Ty| matches!(ty, Ty::Adt { path: of, .. } if of == path);
        let maker = self.ids().find(|id| {
            let callable = self.api.callable(*id);
            let mut inputs = callable.inputs.iter();
            *id != starved
                && gives(&callable.output, &is_it)
                && !inputs.any(|input| input.ty.any(&mut |node| is_it(node)))
        });
        Reason::NoProducer {
            ty: text,
            maker: maker.map(|id| self.api.callable(id).key.clone()),
        }
    }

    /// Why the callables without an operation have none.
    fn skipped(&self, feasible: &Feasible) -> Vec<(CallableId, Reason)> {
        let mut fed = BTreeSet::new();
        let mut starved: BTreeMap<CallableId, Reason> = BTreeMap::new();
        for draft in self.drafts.values() {
            let Origin::Callable(id) = draft.origin else {
                continue;
            };
            if feasible.is_fed(&draft.key) {
                fed.insert(id);
            } else if let Some(ty) = feasible.lack(draft, self.types) {
                let reason = self.starvation(id, ty);
                starved.entry(id).or_insert(reason);
            }
        }
        self.ids()
            .filter(|id| self.api.is_own(*id) && !fed.contains(id))
            .map(|id| {
                let reason = starved.get(&id).or(self.reasons.get(&id)).cloned();
                let unknown = || Reason::Unsupported("no instance".into());
                (id, reason.unwrap_or_else(unknown))
            })
            .collect()
    }
}

/// The same for types that one slot can have: their text, and which regions are higher-ranked.
fn text(ty: &Ty) -> String {
    let erased = erase(ty).0;
    let mut text = erased.render(&crate::ty::KeyNames);
    erased.map(&mut |_| None, &mut |region| {
        match region {
            Region::Bound(n) => text.extend([' ', char::from(b'0' + (n % 10) as u8)]),
            _ => text.push('\''),
        }
        region
    });
    text
}

/// Is it a wrapper whose content is easily made?
fn is_wrapper(path: &str) -> bool {
    matches!(
        path,
        "std::option::Option" | "std::result::Result" | "std::boxed::Box" | "std::vec::Vec"
    )
}

/// Is the type one that the predicate holds for, or a wrapper of one?
fn gives(output: &Ty, is_it: &dyn Fn(&Ty) -> bool) -> bool {
    let wraps = match output {
        Ty::Ref { .. } | Ty::Tuple(_) => true,
        Ty::Adt { path, .. } => is_wrapper(path),
        _ => false,
    };
    let mut parts = output.children().into_iter();
    is_it(output) || wraps && parts.any(|part| gives(part, is_it))
}

/// Is it `T` or `&T`? Such an output could be anything, so it makes nothing in particular.
fn is_free(ty: &Ty) -> bool {
    match ty {
        Ty::Param(_) => true,
        Ty::Ref { to, .. } => is_free(to),
        _ => false,
    }
}

/// Could a call with this output lead to the type: itself, or by an unwrap or behind a reference?
fn makes(output: &Ty, target: &Ty, found: &mut Match, fuel: u32) -> bool {
    let mut direct = Match::default();
    if !is_free(output) && unify(output, target, &mut direct) {
        *found = direct;
        return true;
    }
    if fuel == 0 {
        return false;
    }
    match output {
        Ty::Ref { to, .. } => makes(to, target, found, fuel - 1),
        Ty::Tuple(parts) => parts
            .iter()
            .any(|part| makes(part, target, found, fuel - 1)),
        Ty::Adt { path, .. } if is_wrapper(path) => {
            let children = output.children();
            children
                .into_iter()
                .any(|child| makes(child, target, found, fuel - 1))
        }
        _ => false,
    }
}

/// Interns the types, and decides how arguments are passed.
fn finish(draft: Draft, types: &mut Types) -> Operation {
    let inputs = draft
        .inputs
        .into_iter()
        .map(|input| {
            let (ty, pass) = match &input.ty {
                Ty::Ref {
                    region,
                    mutable,
                    to,
                } if !types.is_unsized(to) => {
                    let pass = match mutable {
                        true => Pass::Mut(*region),
                        false => Pass::Shared(*region),
                    };
                    (&**to, pass)
                }
                ty => (ty, Pass::Value),
            };
            Input {
                name: input.name,
                ty: types.intern(ty),
                pass,
                generic: input.generic,
            }
        })
        .collect();
    Operation {
        key: draft.key,
        origin: draft.origin,
        form: draft.form,
        signature: Signature {
            n_regions: draft.n_regions,
            inputs,
            output: types.intern(&draft.output),
            outlives: draft.outlives,
        },
        opaque: draft.opaque,
        formatter: draft.formatter,
        reading: draft.reading,
    }
}
