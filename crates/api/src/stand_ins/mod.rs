//! Stand-ins: items of ours that harness and tests contain, because nobody else has them.
//!
//! A trait that somebody asks for and nobody implements gets a small type ([`implement`]): a
//! public field for each thing that its methods give, so that its values are made, shown and
//! compared like those of any other type. What a future gives is asked of a small function
//! ([`executor`]), and what can be serialized is written as text and read from it ([`serde`]). Values
//! that are counted ([`counter`]) show whether a container drops each of them once. The
//! harness has them in a crate of their own, tests at their end.
//!
//! **Stand-ins, for what nobody has.** A trait of the crate that something asks for and nothing
//! implements gets a type of ours (`Api::stand_ins`), on demand, once `instantiate` has said what
//! it lacks. Its fields are what its methods give, and they are public, so that palettes, literals,
//! observers and tests treat it like any other struct: what a method gives is chosen by whoever
//! explores, what it was given can be asserted. A method that takes `&mut self` uses its field up,
//! because one that gave the same for ever would make a loop of whoever reads until the end. The
//! harness has stand-ins as a crate that rustc judges before anything is built on it; tests have
//! the definitions they name at their end. Where no type can be written, the reason names what is
//! in the way.

mod blueprint;
mod bodies;
mod counter;
mod executor;
mod implement;
mod provided;
mod serde;
mod signature;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::api::Api;
use crate::callable::{Bound, Callable, CallableId, CallableKind, Reason};
use crate::operation::Catalogue;
use crate::ty::{KeyNames, TraitRef, Ty, is_fn_trait, last_segment};

/// What one type would have to implement.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The traits: one of the crate's at least.
    traits: Vec<TraitRef>,
    /// What its associated types must implement.
    of_types: Vec<(Arc<str>, TraitRef)>,
}

impl Wanted {
    fn add(&mut self, other: Wanted) {
        for trait_ in other.traits {
            if !self.traits.iter().any(|it| it.path == trait_.path) {
                self.traits.push(trait_);
            }
        }
        self.of_types.extend(other.of_types);
    }

    /// The crate's own traits, as text; parameters of who asks are all the same.
    fn key(&self, api: &Api) -> String {
        let own = self.traits.iter().filter(|it| is_own(api, it));
        let anonymous = own.map(|it| {
            let any = |ty: &Ty| matches!(ty, Ty::Param(_)).then(|| Ty::Param("_".into()));
            it.map(&mut |ty| any(ty), &mut |region| region)
        });
        let mut texts: Vec<String> = anonymous.map(|it| it.render(&KeyNames)).collect();
        texts.sort();
        texts.join(" + ")
    }
}

fn is_own(api: &Api, trait_: &TraitRef) -> bool {
    api.traits.contains_key(&trait_.path)
}

impl Catalogue {
    /// Traits of the crate that callables ask for, and that no type implements which can be had.
    pub fn wanted(&self) -> Vec<Wanted> {
        let mut found: BTreeMap<String, Wanted> = BTreeMap::new();
        for (id, reason) in &self.skipped {
            for wanted in wanted_by(&self.api, *id, reason) {
                if !wanted.traits.iter().any(|it| is_own(&self.api, it)) {
                    continue;
                }
                let key = wanted.key(&self.api);
                match found.get_mut(&key) {
                    Some(known) => known.add(wanted),
                    None => {
                        found.insert(key, wanted);
                    }
                }
            }
        }
        let mut found: Vec<Wanted> = found.into_values().collect();
        // What implements little comes first: it is what others will choose.
        found.sort_by_key(|it| it.traits.iter().filter(|it| is_own(&self.api, it)).count());
        found
    }
}

fn wanted_by(api: &Api, id: CallableId, reason: &Reason) -> Vec<Wanted> {
    let callable = api.callable(id);
    match reason {
        Reason::NoInstance { param, .. } => vec![of_bounds(callable, param)],
        Reason::NoProducer { ty, .. } => {
            let mut objects = implementors_not_had(api, callable, ty);
            for input in &callable.inputs {
                input.ty.any(&mut |node| {
                    if let Ty::Dyn { traits, .. } = node
                        && !traits.iter().any(|it| is_fn_trait(&it.path))
                    {
                        objects.push(Wanted {
                            traits: traits.clone(),
                            of_types: Vec::new(),
                        });
                    }
                    false
                });
            }
            objects
        }
        _ => Vec::new(),
    }
}

/// A parameter stands at a type that implements what it must, but nobody has a value of it.
fn implementors_not_had(api: &Api, callable: &Callable, ty: &str) -> Vec<Wanted> {
    let implements = |trait_: &TraitRef| {
        let mut impls = api.impls.iter().filter(|it| it.trait_.path == trait_.path);
        impls.any(|it| it.self_ty.render(&KeyNames) == ty)
    };
    let params = callable.bounds.iter().filter_map(|bound| match bound {
        Bound::Trait {
            on: Ty::Param(param),
            trait_,
        } if is_own(api, trait_) && implements(trait_) => Some(param),
        _ => None,
    });
    params.map(|param| of_bounds(callable, param)).collect()
}

/// All that is asked of a parameter.
fn of_bounds(callable: &Callable, param: &Arc<str>) -> Wanted {
    let mut wanted = Wanted {
        traits: Vec::new(),
        of_types: Vec::new(),
    };
    let is_it = |ty: &Ty| matches!(ty, Ty::Param(name) if name == param);
    for bound in &callable.bounds {
        match bound {
            Bound::Trait { on, trait_ } if is_it(on) => wanted.traits.push(trait_.clone()),
            Bound::Trait {
                on: Ty::Assoc { of, name, .. },
                trait_,
            } if is_it(of) => wanted.of_types.push((name.clone(), trait_.clone())),
            _ => {}
        }
    }
    wanted
}

impl Api {
    /// Writes a type for each of these, as far as one can be written; how many there are. What is
    /// in the way of the others is among [`Api::obstacles`].
    pub fn add_stand_ins(&mut self, wanted: &[Wanted]) -> usize {
        let n_before = self.stand_ins.len();
        for wanted in wanted {
            let Some(first) = wanted.traits.iter().find(|it| is_own(self, it)) else {
                continue;
            };
            let key = wanted.key(self);
            if self.stand_ins.iter().any(|it| *it.wanted == *key) {
                continue;
            }
            let name = self.free_name(&format!("Sample{}", last_segment(&first.path)));
            match implement::implement(self, &name, wanted) {
                Ok(written) => written.join(self),
                Err(obstacle) => {
                    let path = first.path.clone();
                    self.obstacles.entry(path).or_insert(obstacle);
                }
            }
        }
        self.stand_ins.len() - n_before
    }

    /// Takes back a stand-in that rustc refuses.
    pub fn remove_stand_in(&mut self, name: &str, why: &str) {
        let Some(at) = self.stand_ins.iter().position(|it| *it.name == *name) else {
            return;
        };
        let stand_in = self.stand_ins.remove(at);
        let path = stand_in.path();
        let mut is_head = |ty: &Ty| matches!(ty, Ty::Adt { path: of, .. } if **of == *path);
        let mut is_it = |ty: &Ty| ty.any(&mut is_head);
        self.adts.remove(&*path);
        self.impls.retain(|it| !is_it(&it.self_ty));
        self.beside.retain(|it| !is_it(&it.output));
        let mut is_provided = |it: &Callable| matches!(&it.kind, CallableKind::Trait { self_ty, .. } if is_it(self_ty));
        self.callables.retain(|it| !is_provided(it));
        for trait_ in stand_in.traits {
            let obstacle = format!("rustc refuses `{}`: {why}", stand_in.name);
            self.obstacles.entry(trait_).or_insert(obstacle.into());
        }
    }

    /// The name itself, or with a number: nothing of the crate's or of ours has it.
    fn free_name(&self, wanted: &str) -> Arc<str> {
        let of_kind = |callable: &Callable| match &callable.kind {
            CallableKind::Function { path } | CallableKind::Const { path } => Some(path.clone()),
            _ => None,
        };
        let callables = self.callables.iter().chain(&self.beside);
        let paths = callables.filter_map(of_kind);
        let paths = paths
            .chain(self.adts.keys().cloned())
            .chain(self.traits.keys().cloned())
            .chain(self.definitions.values().cloned())
            .chain(self.foreign.keys().cloned())
            .chain(self.stand_ins.iter().map(|it| it.name.clone()));
        let taken: BTreeSet<String> = paths.map(|it| last_segment(&it).to_owned()).collect();
        let numbered = (2..).map(|n| format!("{wanted}{n}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        let name = names.find(|name| !taken.contains(name));
        name.expect("there are more numbers than names").into()
    }
}
