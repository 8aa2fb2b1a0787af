//! Parameters, bounds and where clauses of a signature.

use rustdoc_types::{
    AssocItemConstraintKind, GenericArgs, GenericBound, GenericParamDefKind, Generics, Path,
    TraitBoundModifier, WherePredicate,
};

use super::scope::Scope;
use crate::callable::{Bound, GenericKind, GenericParam};
use crate::ty::{TraitRef, Ty};

impl Scope<'_> {
    /// Declare parameters, then read their bounds and where clauses.
    pub(super) fn generics(&mut self, generics: &Generics) {
        self.declare(generics);
        self.read_bounds(generics);
    }

    /// Declare the type and const parameters; `impl Trait` parameters come with the inputs.
    pub(super) fn declare(&mut self, generics: &Generics) {
        for param in &generics.params {
            let kind = match &param.kind {
                GenericParamDefKind::Type {
                    default,
                    is_synthetic: false,
                    ..
                } => GenericKind::Type {
                    default: default.as_ref().map(|ty| self.ty(ty)),
                    synthetic: false,
                },
                GenericParamDefKind::Const { type_, .. } => GenericKind::Const(self.ty(type_)),
                _ => continue,
            };
            self.generics.push(GenericParam {
                name: param.name.as_str().into(),
                kind,
            });
        }
    }

    /// Read the bounds and where clauses of parameters already declared.
    pub(super) fn read_bounds(&mut self, generics: &Generics) {
        for param in &generics.params {
            match &param.kind {
                GenericParamDefKind::Lifetime { outlives } => {
                    self.lifetime_outlives(&param.name, outlives);
                }
                GenericParamDefKind::Type {
                    bounds,
                    is_synthetic: false,
                    ..
                } => self.bounds_on(&Ty::Param(param.name.as_str().into()), bounds),
                _ => {}
            }
        }
        for predicate in &generics.where_predicates {
            match predicate {
                WherePredicate::BoundPredicate {
                    type_,
                    bounds,
                    generic_params,
                } => self.with_bound(generic_params, |scope| {
                    let on = scope.ty(type_);
                    scope.bounds_on(&on, bounds);
                }),
                WherePredicate::LifetimePredicate { lifetime, outlives } => {
                    self.lifetime_outlives(lifetime, outlives);
                }
                // rustdoc writes equalities as constraints of a bound.
                WherePredicate::EqPredicate { .. } => {}
            }
        }
    }

    fn lifetime_outlives(&mut self, longer: &str, shorter: &[String]) {
        for shorter in shorter {
            let pair = (self.region(Some(longer)), self.region(Some(shorter)));
            self.outlives.push(pair);
        }
    }

    pub(super) fn bounds_on(&mut self, on: &Ty, bounds: &[GenericBound]) {
        for bound in bounds {
            match bound {
                GenericBound::TraitBound {
                    trait_,
                    generic_params,
                    modifier,
                } => {
                    if matches!(modifier, TraitBoundModifier::Maybe) {
                        continue;
                    }
                    let trait_ref =
                        self.with_bound(generic_params, |scope| scope.trait_ref_on(on, trait_));
                    if trait_ref.path.as_ref() != "std::marker::Sized" {
                        self.bounds.push(Bound::Trait {
                            on: on.clone(),
                            trait_: trait_ref,
                        });
                    }
                }
                GenericBound::Outlives(lifetime) => {
                    let region = self.region(Some(lifetime));
                    self.bounds.push(Bound::Outlives {
                        on: on.clone(),
                        region,
                    });
                }
                GenericBound::Use(_) => {}
            }
        }
    }

    /// A trait in a bound; what it demands of associated types becomes bounds on those.
    fn trait_ref_on(&mut self, on: &Ty, path: &Path) -> TraitRef {
        let trait_ = self.trait_ref(path);
        if let Some(GenericArgs::AngleBracketed { constraints, .. }) = path.args.as_deref() {
            for constraint in constraints {
                if let AssocItemConstraintKind::Constraint(bounds) = &constraint.binding {
                    let assoc = Ty::Assoc {
                        of: Box::new(on.clone()),
                        trait_: Some(Box::new(TraitRef {
                            assoc: Vec::new(),
                            ..trait_.clone()
                        })),
                        name: constraint.name.as_str().into(),
                        args: Vec::new(),
                    };
                    self.bounds_on(&assoc, bounds);
                }
            }
        }
        trait_
    }
}
