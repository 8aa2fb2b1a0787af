//! Laws that values of the crate's types must obey: those of the standard library's traits, one file
//! for each family, and the user's own. Each is an operation: its arguments are chosen like any
//! others, and what breaks it is printed like any other call.
//!
//! A law is added to the function of its family. A new family is a file with such a function, and its
//! name in [`FAMILIES`]. `fixtures/laws` plants a violation of every law.

mod answers;
mod clone;
mod contract;
mod convert;
mod default;
mod drop;
mod eq;
mod extend;
mod hash;
mod iterator;
mod operators;
mod ord;
mod serde;
mod text;
mod twins;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Draft;
use super::build::{exclusive, region, shared};
use super::feasible::Feasible;
use super::recipes::{drafted, open_regions};
use super::traits::{bounds_hold, has_impl, satisfies};
use crate::api::Api;
use crate::callable::{CallableKind, Shape};
use crate::operation::{Asks, Clause, Form, Law, Origin};
use crate::ty::{FullNames, GenericArg, Names, Region, TraitRef, Ty};
use crate::unify::{Match, same_but_regions, unify};

pub(super) use contract::of_module;

/// What knows laws of a type.
const FAMILIES: [fn(&Subject<'_>) -> Vec<Draft>; 14] = [
    eq::laws,
    hash::laws,
    ord::laws,
    clone::laws,
    text::laws,
    default::laws,
    iterator::laws,
    extend::laws,
    operators::laws,
    convert::laws,
    serde::laws,
    contract::laws,
    twins::laws,
    answers::laws,
];

/// The type that laws are about.
pub(super) struct Subject<'a> {
    api: &'a Api,
    /// At what its parameters stand at, regions open.
    ty: Ty,
    /// All other operations.
    drafts: &'a BTreeMap<Arc<str>, Draft>,
}

/// The laws of one instance of each of the crate's types that somebody can have: what holds for one
/// holds for the others.
pub(super) fn drafts(
    api: &Api,
    drafts: &BTreeMap<Arc<str>, Draft>,
    feasible: &Feasible,
) -> Vec<Draft> {
    let mut found = Vec::new();
    let own = api.adts.values();
    let is_own = |path: &str| path.split("::").next() == Some(&*api.krate);
    for adt in own.filter(|adt| adt.sized && is_own(&adt.path)) {
        let mut instances = feasible.available_of(&adt.path);
        // Short names are those of simple types.
        instances.sort_by_key(|ty| {
            let text = ty.render(&FullNames);
            (text.len(), text)
        });
        let Some(ty) = instances.first() else {
            continue;
        };
        let subject = Subject {
            api,
            ty: open_regions(ty),
            drafts,
        };
        found.extend(FAMILIES.iter().flat_map(|family| family(&subject)));
    }
    found.extend(drop::laws(api, feasible));
    found.extend(of_module(api));
    found
}

/// An impl of a trait for the type.
struct Impl {
    /// The trait's arguments; none stand for the type itself.
    args: Vec<Ty>,
    assoc: Vec<(Arc<str>, Ty)>,
}

impl Impl {
    fn assoc(&self, name: &str) -> Option<&Ty> {
        let mut assoc = self.assoc.iter();
        assoc.find(|(known, _)| &**known == name).map(|(_, ty)| ty)
    }
}

impl Subject<'_> {
    /// Is there an impl of the trait, at any arguments?
    fn is(&self, path: &str) -> bool {
        is(self.api, &self.ty, path)
    }

    /// Is it an enum that everybody can see?
    fn is_enum(&self) -> bool {
        let adt = match &self.ty {
            Ty::Adt { path, .. } => self.api.adts.get(path),
            _ => None,
        };
        adt.is_some_and(|adt| matches!(adt.shape, Shape::Enum { .. }))
    }

    /// Can two values be compared?
    fn is_comparable(&self) -> bool {
        let of_self = |it: &Impl| it.args.iter().all(|arg| same_but_regions(arg, &self.ty));
        self.impls(PARTIAL_EQ).iter().any(of_self)
    }

    /// Did the compiler write the impl of this trait? Then the laws of its fields are enough.
    fn is_derived(&self, path: &str) -> bool {
        self.api.callables.iter().any(|callable| {
            let CallableKind::Trait {
                self_ty, trait_, ..
            } = &callable.kind
            else {
                return false;
            };
            callable.derived
                && &*trait_.path == path
                && unify(self_ty, &self.ty, &mut Match::default())
        })
    }

    /// The impls of a trait for this type.
    fn impls(&self, path: &str) -> Vec<Impl> {
        impls(self.api, &self.ty, path)
    }

    /// The inherent method of this name, if it takes `&self` alone; what it gives.
    fn question(&self, name: &str) -> Option<Ty> {
        self.drafts.values().find_map(|draft| match &draft.form {
            Form::Inherent {
                self_ty,
                name: known,
                has_self: true,
                ..
            } if &**known == name
                && same_but_regions(self_ty, &self.ty)
                && matches!(&draft.inputs[..], [it] if matches!(&it.ty, Ty::Ref { mutable: false, .. })) =>
            {
                Some(draft.output.clone())
            }
            _ => None,
        })
    }

    /// The `n`th argument, borrowed.
    fn lent(&self, n: u32) -> Ty {
        lent(&self.ty, n)
    }

    /// The `n`th argument, borrowed mutably.
    fn lent_mutably(&self, n: u32) -> Ty {
        exclusive(region(n * STRIDE), apart(&self.ty, n))
    }

    /// The argument of this number by value, as an expression.
    fn value(&self, n: u32) -> String {
        by_value(self.api, &self.ty, n)
    }

    /// How an argument of a call is passed, so that more than one call can take it: the input of a law, and
    /// the expression. `None` if it can be passed once only.
    fn passed(&self, ty: &Ty, n: u32) -> Option<(Ty, String)> {
        Some(match ty {
            Ty::Prim(_) => (ty.clone(), format!("{{{n}}}")),
            Ty::Ref {
                mutable: false, to, ..
            } => (lent(to, n), format!("{{{n}}}")),
            ty if is(self.api, ty, "std::clone::Clone") => (lent(ty, n), by_value(self.api, ty, n)),
            _ => return None,
        })
    }

    /// How the type is written.
    fn text(&self) -> String {
        self.ty.render(&Inferred)
    }

    /// If values need not be equal to themselves, only those that are count.
    fn given_reflexive(&self, n: u32) -> Vec<Clause> {
        match self.is("std::cmp::Eq") {
            true => Vec::new(),
            false => vec![given(format!("{{{n}}}.eq({{{n}}})"))],
        }
    }

    fn law(
        &self,
        name: &str,
        says: &str,
        rank: u8,
        inputs: Vec<Ty>,
        clauses: Vec<Clause>,
    ) -> Draft {
        let law = Law {
            name: name.into(),
            of: self.ty.clone(),
            says: says.into(),
            rank,
            clauses,
            asks: Asks::OfAny,
            doubted_above: None,
        };
        draft(law, inputs)
    }

    /// A law that is none if it is broken more often than now and then: by its names alone it cannot be
    /// told from something else.
    fn guess(&self, name: &str, says: &str, inputs: Vec<Ty>, clauses: Vec<Clause>) -> Draft {
        let mut guess = self.law(name, says, 3, inputs, clauses);
        if let Form::Law(law) = &mut guess.form {
            Arc::make_mut(law).doubted_above = Some(10);
        }
        guess
    }
}

const PARTIAL_EQ: &str = "std::cmp::PartialEq";

/// More regions than any type has.
const STRIDE: u32 = 64;

/// The type with regions that no other argument has.
fn apart(ty: &Ty, n: u32) -> Ty {
    ty.map(&mut |_| None, &mut |it| match it {
        Region::Var(index) => region(n * STRIDE + 1 + index.0),
        other => other,
    })
}

fn lent(ty: &Ty, n: u32) -> Ty {
    shared(region(n * STRIDE), apart(ty, n))
}

fn is(api: &Api, ty: &Ty, path: &str) -> bool {
    let trait_ = TraitRef {
        path: path.into(),
        args: Vec::new(),
        assoc: Vec::new(),
    };
    match ty {
        Ty::Adt { path, .. } if api.adts.contains_key(path) => has_impl(api, ty, &trait_),
        _ => satisfies(api, ty, &trait_) == Some(true),
    }
}

/// The impls of a trait of the standard library for a type, as this crate has them.
fn impls(api: &Api, ty: &Ty, path: &str) -> Vec<Impl> {
    let implementors = api.impls.iter().filter(|it| &*it.trait_.path == path);
    let known = implementors.filter_map(|it| {
        let mut found = Match::default();
        if !unify(&it.self_ty, ty, &mut found) || !bounds_hold(api, &it.bounds, &found, 2) {
            return None;
        }
        let args = it.trait_.args.iter().filter_map(|arg| match arg {
            GenericArg::Type(ty) => Some(found.apply(ty)),
            _ => None,
        });
        let args: Vec<Ty> = args.collect();
        let is_open = |ty: &Ty| ty.any(&mut |node| matches!(node, Ty::Param(_)));
        let assoc = it.assoc.iter();
        let assoc = assoc.map(|(name, ty)| (name.clone(), found.apply(ty)));
        (!args.iter().any(is_open)).then(|| Impl {
            args,
            assoc: assoc.collect(),
        })
    });
    known.collect()
}

/// An argument that is borrowed, by value.
fn by_value(api: &Api, ty: &Ty, n: u32) -> String {
    match is(api, ty, "std::marker::Copy") {
        true => format!("*{{{n}}}"),
        false => format!("{{{n}}}.clone()"),
    }
}

fn given(text: impl Into<String>) -> Clause {
    Clause::Given(text.into())
}

fn then(text: impl Into<String>) -> Clause {
    Clause::Then(text.into())
}

fn let_(name: &'static str, text: impl Into<String>) -> Clause {
    Clause::Let(name, text.into())
}

/// The value of an expression, or none if it panics.
fn caught(text: &str) -> String {
    format!("std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {text})).ok()")
}

fn draft(law: Law, inputs: Vec<Ty>) -> Draft {
    let name = law.name.clone();
    let of = law.of.render(&crate::ty::KeyNames);
    let form = Form::Law(law.into());
    let mut draft = drafted(&name, form, inputs, Ty::unit());
    draft.key = format!("{name} <{of}>").into();
    draft.origin = Origin::Law;
    draft
}

/// Paths in full, lifetimes left to inference.
struct Inferred;

impl Names for Inferred {
    fn path(&self, path: &str) -> String {
        FullNames.path(path)
    }

    fn region(&self, region: Region) -> Option<String> {
        match region {
            Region::Bound(_) => FullNames.region(region),
            _ => Some("'_".to_owned()),
        }
    }
}
