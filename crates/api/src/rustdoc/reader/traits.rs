//! Traits: what somebody who implements one would have to write.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustdoc_types::{
    GenericBound, GenericParamDefKind as Kind, Generics, Item, ItemEnum, Trait as JsonTrait,
    TraitBoundModifier, WherePredicate,
};

use super::Reader;
use super::scope::{Elision, Scope};
use crate::callable::{Bound, Implementor, Reason};
use crate::traits::{Method, RequiredType, Trait};
use crate::ty::{GenericArg, Region, TraitRef, Ty};

impl<'r> Reader<'r> {
    /// The crate's public traits.
    pub(super) fn traits(
        &self,
        items: &[&'r Item],
        impls: &[Implementor],
    ) -> BTreeMap<Arc<str>, Trait> {
        let mut traits = BTreeMap::new();
        for item in items {
            let ItemEnum::Trait(def) = &item.inner else {
                continue;
            };
            if let Some(path) = self.names.public(item.id) {
                let mut trait_ = self.trait_(path.clone(), def, impls);
                trait_.deprecated = item.deprecation.is_some();
                traits.insert(path, trait_);
            }
        }
        traits
    }

    fn trait_(&self, path: Arc<str>, def: &'r JsonTrait, impls: &[Implementor]) -> Trait {
        let implementors = impls
            .iter()
            .filter(|implementor| implementor.trait_.path == path)
            .filter(|implementor| self.problem_in(&implementor.self_ty).is_none())
            .cloned()
            .collect();
        let (mut scope, self_ref) = self.trait_scope(&path, &def.generics);
        let own = Ty::Param("Self".into());
        scope.bounds_on(&own, &def.bounds);
        let is_on_self = |bound: &Bound| matches!(bound, Bound::Trait { on, .. } if *on == own);
        let (of_self, bounds): (Vec<Bound>, Vec<Bound>) =
            scope.bounds.drain(..).partition(is_on_self);
        let supertraits = of_self.into_iter().filter_map(trait_of).collect();
        let mut trait_ = Trait {
            path,
            implementors,
            dyn_compatible: def.is_dyn_compatible,
            deprecated: false,
            n_regions: scope.n_regions,
            generics: scope.generics,
            bounds,
            supertraits,
            types: Vec::new(),
            consts: Vec::new(),
            methods: Vec::new(),
            closed: def.is_unsafe.then(|| "it is an unsafe trait".into()),
            self_ref,
        };
        for id in &def.items {
            if let Some(item) = self.local(*id) {
                self.member(item, def, &mut trait_);
            }
        }
        trait_.closed = trait_.closed.take().or_else(|| self.seal(&trait_));
        trait_
    }

    /// A scope with a trait's own parameters, and the trait with them as arguments.
    fn trait_scope(&self, path: &Arc<str>, generics: &Generics) -> (Scope<'_>, TraitRef) {
        let mut scope = Scope::new(self);
        scope.declare(generics);
        let params = generics.params.iter();
        let args = params.map(|param| match &param.kind {
            Kind::Lifetime { .. } => GenericArg::Region(scope.region(Some(&param.name))),
            Kind::Type { .. } => GenericArg::Type(Ty::Param(param.name.as_str().into())),
            Kind::Const { .. } => GenericArg::Const(param.name.as_str().into()),
        });
        let self_ref = TraitRef {
            path: path.clone(),
            args: args.collect(),
            assoc: Vec::new(),
        };
        scope.read_bounds(generics);
        (scope, self_ref)
    }

    fn member(&self, item: &'r Item, def: &'r JsonTrait, trait_: &mut Trait) {
        let name: Arc<str> = item.name.as_deref().unwrap_or_default().into();
        let (mut scope, _) = self.trait_scope(&trait_.path, &def.generics);
        match &item.inner {
            ItemEnum::AssocType {
                generics,
                bounds,
                type_: None,
            } => {
                scope.bounds.clear();
                let own = Ty::Param(name.clone());
                scope.bounds_on(&own, bounds);
                let bounds = scope.bounds.into_iter();
                let of_it = bounds.filter(|it| matches!(it, Bound::Trait { on, .. } if *on == own));
                trait_.types.push(RequiredType {
                    name,
                    bounds: of_it.filter_map(trait_of).collect(),
                    generic: !generics.params.is_empty(),
                });
            }
            ItemEnum::AssocConst { type_, value: None } => {
                scope.elision = Elision::Fixed(Region::Static);
                trait_.consts.push((name, scope.ty(type_)));
            }
            ItemEnum::Function(func) => {
                let n_outer = (scope.generics.len(), scope.bounds.len());
                let (inputs, output) = scope.signature(func);
                let own = Ty::Param("Self".into());
                let is_own = |bound: &Bound| match bound {
                    Bound::Trait { on, .. } | Bound::Outlives { on, .. } => *on != own,
                };
                if func.header.is_unsafe && !func.has_body && trait_.closed.is_none() {
                    let why = format!("its method `{name}` is unsafe");
                    trait_.closed = Some(why.into());
                }
                trait_.methods.push(Method {
                    name,
                    generics: scope.generics.split_off(n_outer.0),
                    bounds: scope.bounds.split_off(n_outer.1),
                    maybe_unsized: maybe_unsized(&func.generics),
                    n_regions: scope.n_regions,
                    inputs,
                    output,
                    docs: self.docs(item),
                    is_async: func.header.is_async,
                    is_unsafe: func.header.is_unsafe,
                    required: !func.has_body,
                });
                if let Some(method) = trait_.methods.last_mut() {
                    method.bounds.retain(is_own);
                }
            }
            _ => {}
        }
    }

    /// Something private that everybody would have to name.
    fn seal(&self, trait_: &Trait) -> Option<Arc<str>> {
        let unnameable = |reason: Reason| match reason {
            Reason::Unnameable(what) => Some(what),
            _ => None,
        };
        let mut supertraits = trait_.supertraits.iter();
        let above = supertraits.find_map(|it| self.problem_of(&it.path).and_then(unnameable));
        if let Some(what) = above {
            return Some(format!("it asks for `{what}`, which nobody outside can name").into());
        }
        let mut required = trait_.methods.iter().filter(|method| method.required);
        required.find_map(|method| {
            let inputs = method.inputs.iter().map(|param| &param.ty);
            let mut types = inputs.chain([&method.output]);
            let what = types.find_map(|ty| self.problem_in(ty).and_then(unnameable))?;
            let name = &method.name;
            Some(format!("its method `{name}` has `{what}`, which nobody outside can name").into())
        })
    }
}

fn trait_of(bound: Bound) -> Option<TraitRef> {
    match bound {
        Bound::Trait { trait_, .. } => Some(trait_),
        Bound::Outlives { .. } => None,
    }
}

/// Parameters with `?Sized` among their bounds.
fn maybe_unsized(generics: &Generics) -> Vec<Arc<str>> {
    let is_maybe = |bounds: &[GenericBound]| {
        let mut bounds = bounds.iter();
        bounds.any(|it| {
            matches!(
                it,
                GenericBound::TraitBound {
                    modifier: TraitBoundModifier::Maybe,
                    ..
                }
            )
        })
    };
    let params = generics
        .params
        .iter()
        .filter_map(|param| match &param.kind {
            Kind::Type { bounds, .. } if is_maybe(bounds) => Some(param.name.as_str()),
            _ => None,
        });
    let predicates = generics.where_predicates.iter();
    let clauses = predicates.filter_map(|predicate| match predicate {
        WherePredicate::BoundPredicate {
            type_: rustdoc_types::Type::Generic(name),
            bounds,
            ..
        } if is_maybe(bounds) => Some(name.as_str()),
        _ => None,
    });
    params.chain(clauses).map(Arc::from).collect()
}
