//! Which traits a stand-in implements, at which arguments, with which associated types.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::signature::{ItemNames, letter};
use super::{Wanted, is_own};
use crate::api::Api;
use crate::callable::{Bound, GenericKind, GenericParam};
use crate::instantiate::{proposals, satisfies};
use crate::traits::{Method, Trait};
use crate::ty::{GenericArg, KeyNames, Prim, Substitution, TraitRef, Ty};

/// More traits above each other mean that they ask for one another.
const MAX_TRAITS: usize = 12;

/// What `derive` can do.
pub(super) const DERIVES: [&str; 9] = [
    "std::clone::Clone",
    "std::marker::Copy",
    "std::fmt::Debug",
    "std::cmp::PartialEq",
    "std::cmp::Eq",
    "std::cmp::PartialOrd",
    "std::cmp::Ord",
    "std::hash::Hash",
    "std::default::Default",
];

/// What derives others.
pub(super) fn with(path: &str) -> &'static [&'static str] {
    match path {
        "std::marker::Copy" => &["std::clone::Clone"],
        "std::cmp::Eq" => &["std::cmp::PartialEq"],
        "std::cmp::PartialOrd" => &["std::cmp::PartialEq"],
        "std::cmp::Ord" => &[
            "std::cmp::PartialEq",
            "std::cmp::Eq",
            "std::cmp::PartialOrd",
        ],
        _ => &[],
    }
}

/// An impl in the making.
pub(super) struct Part<'a> {
    pub(super) def: &'a Trait,
    /// What stands for the trait's parameters; those without an entry are the impl's own.
    pub(super) by: Substitution,
}

/// The traits that are to be implemented.
pub(super) struct Blueprint<'a> {
    pub(super) api: &'a Api,
    pub(super) parts: Vec<Part<'a>>,
    /// Traits of the standard library, by path.
    pub(super) others: BTreeSet<Arc<str>>,
    /// What associated types must be.
    fixed: Vec<(Arc<str>, Ty)>,
    /// May impls have parameters?
    generic: bool,
}

impl<'a> Blueprint<'a> {
    /// All that is wanted, and what that stands on; or what is in the way.
    pub(super) fn of(
        api: &'a Api,
        wanted: &Wanted,
        generic: bool,
    ) -> Result<Blueprint<'a>, Arc<str>> {
        let mut plan = Blueprint {
            api,
            parts: Vec::new(),
            others: BTreeSet::new(),
            fixed: Vec::new(),
            generic,
        };
        wanted.traits.iter().try_for_each(|it| plan.add(it))?;
        Ok(plan)
    }

    fn add(&mut self, trait_: &TraitRef) -> Result<(), Arc<str>> {
        let path = &*trait_.path;
        let is_free = matches!(
            trait_.name(),
            "Send" | "Sync" | "Unpin" | "Sized" | "UnwindSafe" | "RefUnwindSafe" | "Any"
        );
        if is_free && path.starts_with("std::") || self.others.contains(path) {
            return Ok(());
        }
        if DERIVES.contains(&path) || path == "std::fmt::Display" {
            self.others.insert(trait_.path.clone());
            return Ok(());
        }
        if matches!(path, "std::error::Error" | "std::string::ToString") {
            self.others.insert("std::fmt::Display".into());
            if trait_.name() == "Error" {
                self.others.insert(trait_.path.clone());
            }
            return Ok(());
        }
        if !is_own(self.api, trait_) {
            let what = trait_.render(&KeyNames);
            return Err(format!("`{what}` is asked for as well").into());
        }
        let is_known = |part: &Part<'_>| part.def.path == trait_.path;
        if self.parts.iter().any(is_known) {
            return Ok(());
        }
        if self.parts.len() == MAX_TRAITS {
            return Err("it stands on too many others".into());
        }
        let api = self.api;
        if let Some(bounds) = blanket(api, &trait_.path) {
            return bounds.iter().try_for_each(|it| self.add(it));
        }
        let def = &api.traits[&trait_.path];
        if let Some(why) = &def.closed {
            return Err(why.clone());
        }
        let by = self.arguments(def, trait_);
        self.fixed.extend(trait_.assoc.iter().cloned());
        self.parts.push(Part {
            def,
            by: by.clone(),
        });
        let own: Vec<TraitRef> = def
            .supertraits
            .iter()
            .map(|it| it.substitute(&by))
            .collect();
        own.iter().try_for_each(|it| self.add(it))
    }

    /// What stands for the trait's parameters.
    fn arguments(&self, def: &Trait, asked: &TraitRef) -> Substitution {
        let mut by = Substitution::default();
        let is_open = |ty: &Ty| ty.any(&mut |t| matches!(t, Ty::Param(_) | Ty::Assoc { .. }));
        for (own, given) in def.self_ref.args.iter().zip(&asked.args) {
            match (own, given) {
                (GenericArg::Type(Ty::Param(name)), GenericArg::Type(ty)) if !is_open(ty) => {
                    by.types.insert(name.clone(), ty.clone());
                }
                (GenericArg::Type(Ty::Param(name)), _) if !self.generic => {
                    by.types.insert(name.clone(), Ty::Prim(Prim::U8));
                }
                (GenericArg::Const(name), GenericArg::Const(n))
                    if n.starts_with(|c: char| c.is_ascii_digit()) =>
                {
                    by.consts.insert(name.clone(), n.clone());
                }
                (GenericArg::Const(name), _) if !self.generic => {
                    by.consts.insert(name.clone(), "4".into());
                }
                _ => {}
            }
        }
        by
    }

    /// The associated types.
    pub(super) fn choose_types(&self, wanted: &Wanted) -> Result<Vec<(Arc<str>, Ty)>, Arc<str>> {
        let mut chosen: Vec<(Arc<str>, Ty)> = Vec::new();
        for part in &self.parts {
            for required in &part.def.types {
                let name = &required.name;
                if required.generic {
                    return Err(format!("its type `{name}` has parameters").into());
                }
                let mut fixed = self.fixed.iter().filter(|(it, _)| it == name);
                let is_known = |ty: &Ty| !ty.any(&mut |it| matches!(it, Ty::Param(_)));
                if let Some((_, ty)) = fixed.find(|(_, ty)| is_known(ty)) {
                    chosen.push((name.clone(), ty.clone()));
                    continue;
                }
                let asked = wanted.of_types.iter().filter(|(it, _)| it == name);
                let bounds: Vec<TraitRef> = required
                    .bounds
                    .iter()
                    .chain(asked.map(|(_, trait_)| trait_))
                    .map(|it| in_trait(&chosen).trait_(&it.substitute(&part.by)))
                    .collect();
                let fits = |ty: &Ty| {
                    let mut bounds = bounds.iter();
                    bounds.all(|it| satisfies(self.api, ty, it) != Some(false))
                };
                let mut candidates = proposals(self.api, &bounds).into_iter();
                let Some(ty) = candidates.find(fits) else {
                    return Err(format!("nothing is known for its type `{name}`").into());
                };
                chosen.push((name.clone(), ty));
            }
        }
        Ok(chosen)
    }
}

/// Bounds of an impl for all types that meet them.
fn blanket(api: &Api, path: &Arc<str>) -> Option<Vec<TraitRef>> {
    let impls = api.impls.iter().filter(|it| it.trait_.path == *path);
    let mut of_all = impls.filter_map(|it| match &it.self_ty {
        Ty::Param(name) => Some((name, it)),
        _ => None,
    });
    let (name, implementor) = of_all.next()?;
    let bounds = implementor.bounds.iter().filter_map(|bound| match bound {
        Bound::Trait {
            on: Ty::Param(on),
            trait_,
        } if on == name => Some(trait_.clone()),
        _ => None,
    });
    Some(bounds.collect())
}

impl Part<'_> {
    pub(super) fn generics(&self) -> Vec<GenericParam> {
        let is_open = |param: &&GenericParam| match &param.kind {
            GenericKind::Type { .. } => !self.by.types.contains_key(&param.name),
            GenericKind::Const(_) => !self.by.consts.contains_key(&param.name),
        };
        self.def.generics.iter().filter(is_open).cloned().collect()
    }

    pub(super) fn bounds(&self) -> Vec<Bound> {
        let open = self.generics();
        let is_open =
            |ty: &Ty| matches!(ty, Ty::Param(name) if open.iter().any(|it| it.name == *name));
        let substituted = self.def.bounds.iter().filter_map(|bound| match bound {
            Bound::Trait { on, trait_ } if is_open(on) => Some(Bound::Trait {
                on: on.clone(),
                trait_: trait_.substitute(&self.by),
            }),
            _ => None,
        });
        substituted.collect()
    }

    pub(super) fn trait_ref(&self) -> TraitRef {
        self.def.self_ref.substitute(&self.by)
    }

    /// `impl<T> Trait<T>`
    pub(super) fn header(&self) -> String {
        let names = ItemNames::of_impl(self.def.n_regions);
        let mut params: Vec<String> = (0..self.def.n_regions).map(letter).collect();
        params.extend(names.params(&self.generics(), &self.bounds(), &[]));
        let params = match params.is_empty() {
            true => String::new(),
            false => format!("<{}>", params.join(", ")),
        };
        format!("impl{params} {}", names.trait_(&self.trait_ref()))
    }
}

/// Signatures of a trait with the associated types that were chosen.
pub(super) struct InTrait<'c> {
    chosen: &'c [(Arc<str>, Ty)],
}

pub(super) fn in_trait(chosen: &[(Arc<str>, Ty)]) -> InTrait<'_> {
    InTrait { chosen }
}

impl InTrait<'_> {
    fn replaced(&self, ty: &Ty) -> Option<Ty> {
        match ty {
            Ty::Assoc { of, name, .. } if matches!(&**of, Ty::Param(of) if &**of == "Self") => {
                let known = self.chosen.iter().find(|(it, _)| it == name);
                known.map(|(_, ty)| ty.clone())
            }
            _ => None,
        }
    }

    pub(super) fn ty(&self, ty: &Ty) -> Ty {
        ty.map(&mut |node| self.replaced(node), &mut |region| region)
    }

    fn trait_(&self, trait_: &TraitRef) -> TraitRef {
        trait_.map(&mut |node| self.replaced(node), &mut |region| region)
    }

    pub(super) fn method(&self, method: &Method, by: &Substitution) -> Method {
        let ty = |ty: &Ty| self.ty(&ty.substitute(by));
        let mut seen = method.clone();
        seen.output = ty(&method.output);
        for (param, given) in seen.inputs.iter_mut().zip(&method.inputs) {
            param.ty = ty(&given.ty);
        }
        for bound in &mut seen.bounds {
            if let Bound::Trait { on, trait_ } = bound {
                *on = ty(on);
                *trait_ = self.trait_(&trait_.substitute(by));
            }
        }
        seen
    }
}
