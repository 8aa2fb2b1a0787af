//! Callables that are not under test and make what tests need: of a dependency, or written by the
//! user.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::api::Api;
use crate::callable::{Callable, CallableId, CallableKind, Implementor, Param, Reason};
use crate::ty::{Prim, Ty};

/// The most operations that make one type of a dependency, since each of them is compiled.
const MAX_MAKERS: usize = 4;
/// How deep makers may depend on other makers.
const MAX_DEPTH: usize = 2;
/// The most types of a dependency that serve for one trait.
const MAX_IMPLEMENTORS: usize = 6;

impl Api {
    /// The callable with this id: the crate's own, or one beside it.
    pub fn callable(&self, id: CallableId) -> &Callable {
        let i = id.0 as usize;
        match i.checked_sub(self.callables.len()) {
            None => &self.callables[i],
            Some(i) => &self.beside[i],
        }
    }

    /// Is it the crate's own?
    pub fn is_own(&self, id: CallableId) -> bool {
        (id.0 as usize) < self.callables.len()
    }

    /// Adds the functions of a user's module. Each of them makes values, or is a law.
    pub fn join_module(&mut self, module: Api) {
        self.dependencies.push(module.krate.clone());
        let (laws, makers) = module.callables.into_iter().partition(is_law);
        self.laws.extend::<Vec<_>>(laws);
        self.beside.extend::<Vec<_>>(makers);
        self.adts.extend(module.adts);
        self.traits.extend(module.traits);
        self.impls.extend(module.impls);
    }

    /// Adds the callables of a dependency that make these types, or types that implement these
    /// traits. Both are given by path.
    pub fn join_dependency(&mut self, dependency: Api, lacking: &BTreeSet<Arc<str>>) {
        let is_known = |implementor: &Implementor, known: &[Implementor]| {
            let is_same = |it: &Implementor| {
                it.trait_ == implementor.trait_ && it.self_ty == implementor.self_ty
            };
            known.iter().any(is_same)
        };
        let mut wanted = lacking.clone();
        for path in lacking {
            let implementors = dependency.impls.iter();
            let types = implementors
                .filter(|it| it.trait_.path == *path)
                .filter_map(|it| head(&it.self_ty));
            wanted.extend(types.take(MAX_IMPLEMENTORS).cloned());
        }
        for _ in 0..MAX_DEPTH {
            for path in wanted.clone() {
                for maker in makers(&dependency, &path) {
                    let inputs = maker.inputs.iter();
                    wanted.extend(inputs.filter_map(|it| head(&it.ty)).cloned());
                    if !self.beside.iter().any(|known| known.key == maker.key) {
                        self.beside.push(maker.clone());
                    }
                }
            }
        }
        for implementor in &dependency.impls {
            let is_wanted = head(&implementor.self_ty).is_some_and(|it| wanted.contains(it))
                || wanted.contains(&implementor.trait_.path);
            if is_wanted && !is_known(implementor, &self.impls) {
                self.impls.push(implementor.clone());
            }
        }
        let adts = dependency.adts.into_iter();
        self.adts
            .extend(adts.filter(|(path, _)| wanted.contains(path)));
    }
}

/// The ADT that a type is, or refers to.
fn head(ty: &Ty) -> Option<&Arc<str>> {
    match ty {
        Ty::Ref { to, .. } => head(to),
        Ty::Adt { path, .. } => Some(path),
        _ => None,
    }
}

/// Callables that make a type without taking a value of it, those that need least first.
fn makers<'d>(dependency: &'d Api, path: &Arc<str>) -> Vec<&'d Callable> {
    let is_it = |ty: &Ty| matches!(ty, Ty::Adt { path: of, .. } if of == path);
    let makes = |callable: &&Callable| {
        let wraps = |ty: &Ty| match ty {
            Ty::Adt { path, .. }
                if matches!(&**path, "std::option::Option" | "std::result::Result") =>
            {
                ty.children().first().is_some_and(|inner| is_it(inner))
            }
            ty => is_it(ty),
        };
        let asks_for_it = |callable: &Callable| {
            let mut inputs = callable.inputs.iter();
            inputs.any(|input| input.ty.any(&mut |ty| is_it(ty)))
        };
        callable.skip.is_none()
            && !callable.is_unsafe
            && !callable.docs.deprecated
            && wraps(&callable.output)
            && !asks_for_it(callable)
    };
    let rank = |callable: &&Callable| {
        let is_trait = matches!(callable.kind, CallableKind::Trait { .. });
        (callable.generics.len(), callable.inputs.len(), is_trait)
    };
    let mut makers: Vec<&Callable> = dependency.callables.iter().filter(makes).collect();
    makers.sort_by_key(rank);
    makers.truncate(MAX_MAKERS);
    makers
}

impl Reason {
    /// Paths of types and traits that are lacking, as far as the reason knows.
    pub fn lacking(&self) -> Vec<Arc<str>> {
        let text = match self {
            Reason::NoInstance { bounds, .. } => bounds,
            Reason::NoProducer { ty, .. } => ty,
            _ => return Vec::new(),
        };
        let is_part = |c: char| c == '_' || c == ':' || c.is_alphanumeric();
        let words = text.split(|c| !is_part(c));
        let paths = words.filter(|word| word.contains("::") && !word.starts_with("std::"));
        paths.map(Arc::from).collect()
    }
}

/// Does the function only say whether a value is valid?
fn is_law(callable: &Callable) -> bool {
    let is_shown = |param: &Param| matches!(&param.ty, Ty::Ref { mutable: false, .. });
    matches!(callable.kind, CallableKind::Function { .. })
        && callable.output == Ty::Prim(Prim::Bool)
        && callable.generics.is_empty()
        && !callable.inputs.is_empty()
        && callable.inputs.iter().all(is_shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_what_is_lacking() {
        let reason = Reason::NoProducer {
            ty: "std::vec::Vec<big::Int<u8>>".into(),
            maker: None,
        };
        assert_eq!(reason.lacking(), ["big::Int".into()]);
        assert_eq!(Reason::Unsafe.lacking(), []);
    }
}
