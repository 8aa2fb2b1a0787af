//! Matching a type against a pattern with parameters: how an impl's header meets a concrete type.

use std::collections::BTreeMap;

use crate::callable::Implementor;
use crate::ty::{GenericArg, Region, Substitution, TraitRef, Ty};

/// What the parameters and regions of a pattern stand for.
#[derive(Clone, Default, Debug)]
pub(crate) struct Match {
    pub(crate) substitution: Substitution,
    pub(crate) regions: BTreeMap<Region, Region>,
}

impl Match {
    /// The pattern's terms in place of its parameters and regions.
    pub(crate) fn apply(&self, ty: &Ty) -> Ty {
        // Regions first: those of the substituted types are already the target's.
        ty.map(&mut |_| None, &mut |r| {
            self.regions.get(&r).copied().unwrap_or(r)
        })
        .substitute(&self.substitution)
    }
}

/// Match `target` against `pattern`, whose parameters are free.
pub(crate) fn unify(pattern: &Ty, target: &Ty, found: &mut Match) -> bool {
    match (pattern, target) {
        (Ty::Param(name), _) => match found.substitution.types.get(name) {
            Some(known) => same_but_regions(known, target),
            None => {
                found
                    .substitution
                    .types
                    .insert(name.clone(), target.clone());
                true
            }
        },
        (Ty::Prim(a), Ty::Prim(b)) => a == b,
        (Ty::Str, Ty::Str) => true,
        (Ty::Tuple(a), Ty::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| unify(a, b, found))
        }
        (Ty::Slice(a), Ty::Slice(b)) => unify(a, b, found),
        (Ty::Array(a, n), Ty::Array(b, m)) => unify(a, b, found) && unify_const(n, m, found),
        (
            Ty::Ref {
                region: r,
                mutable: a_mut,
                to: a,
            },
            Ty::Ref {
                region: s,
                mutable: b_mut,
                to: b,
            },
        ) => {
            found.regions.entry(*r).or_insert(*s);
            a_mut == b_mut && unify(a, b, found)
        }
        (Ty::RawPtr { mutable: m, to: a }, Ty::RawPtr { mutable: n, to: b }) => {
            m == n && unify(a, b, found)
        }
        (Ty::Adt { path: p, args: a }, Ty::Adt { path: q, args: b }) => {
            p == q && unify_args(a, b, found)
        }
        (
            Ty::Assoc {
                of: a,
                trait_: Some(s),
                name: m,
                args: x,
            },
            Ty::Assoc {
                of: b,
                trait_: Some(t),
                name: n,
                args: y,
            },
        ) => {
            // What is not decided yet may become anything.
            let is_open = target.any(&mut |node| matches!(node, Ty::Param(_)));
            !is_open
                && m == n
                && s.path == t.path
                && unify(a, b, found)
                && unify_args(&s.args, &t.args, found)
                && unify_args(x, y, found)
        }
        (Ty::Dyn { .. }, Ty::Dyn { .. }) | (Ty::FnPtr { .. }, Ty::FnPtr { .. }) => {
            same_but_regions(pattern, target)
        }
        _ => false,
    }
}

fn unify_const(
    pattern: &std::sync::Arc<str>,
    target: &std::sync::Arc<str>,
    found: &mut Match,
) -> bool {
    if pattern == target {
        return true;
    }
    let is_literal =
        pattern.starts_with(|c: char| c.is_ascii_digit()) || matches!(&**pattern, "true" | "false");
    !is_literal
        && found
            .substitution
            .consts
            .entry(pattern.clone())
            .or_insert_with(|| target.clone())
            == target
}

/// Match lists of generic arguments pairwise.
pub(crate) fn unify_args(pattern: &[GenericArg], target: &[GenericArg], found: &mut Match) -> bool {
    pattern.len() == target.len()
        && pattern.iter().zip(target).all(|(a, b)| match (a, b) {
            (GenericArg::Region(r), GenericArg::Region(s)) => {
                found.regions.entry(*r).or_insert(*s);
                true
            }
            (GenericArg::Type(a), GenericArg::Type(b)) => unify(a, b, found),
            (GenericArg::Const(a), GenericArg::Const(b)) => unify_const(a, b, found),
            _ => false,
        })
}

/// Equal when lifetimes are erased.
pub(crate) fn same_but_regions(a: &Ty, b: &Ty) -> bool {
    crate::types::erase(a).0 == crate::types::erase(b).0
}

/// `<of as trait_>::name` by the impls we know.
pub(crate) fn project(
    impls: &[Implementor],
    of: &Ty,
    trait_: Option<&TraitRef>,
    name: &str,
) -> Option<Ty> {
    if matches!(of, Ty::Param(_)) {
        return None;
    }
    // `impl Trait for &G` stands for all references, its bounds unchecked: only if nothing else
    // matches. `impl Trait for T` would match everything.
    let own = project_where(impls, of, trait_, name, |self_ty| !is_blanket(self_ty));
    let known = own.or_else(|| {
        project_where(impls, of, trait_, name, |self_ty| {
            is_blanket(self_ty) && !matches!(self_ty, Ty::Param(_))
        })
    });
    // `G: Visitable<NodeId = N>` may mean a type of a trait above `Visitable`.
    let has = |it: &Implementor, trait_: &TraitRef| {
        it.trait_.path == trait_.path && it.assoc.iter().any(|(n, _)| &**n == name)
    };
    let is_above = |trait_: &TraitRef| {
        let mut of_trait = impls.iter().filter(|it| it.trait_.path == trait_.path);
        of_trait.next().is_some() && !impls.iter().any(|it| has(it, trait_))
    };
    match trait_ {
        Some(trait_) if known.is_none() && is_above(trait_) => project(impls, of, None, name),
        _ => known,
    }
}

/// A parameter, or references to one.
fn is_blanket(self_ty: &Ty) -> bool {
    match self_ty {
        Ty::Param(_) => true,
        Ty::Ref { to, .. } => is_blanket(to),
        _ => false,
    }
}

fn project_where(
    impls: &[Implementor],
    of: &Ty,
    trait_: Option<&TraitRef>,
    name: &str,
    admits: impl Fn(&Ty) -> bool,
) -> Option<Ty> {
    impls.iter().find_map(|implementor| {
        if trait_.is_some_and(|trait_| trait_.path != implementor.trait_.path)
            || !admits(&implementor.self_ty)
        {
            return None;
        }
        let (_, ty) = implementor.assoc.iter().find(|(n, _)| &**n == name)?;
        let mut found = Match::default();
        if !unify(&implementor.self_ty, of, &mut found) {
            return None;
        }
        if let Some(trait_) = trait_
            && !trait_.args.is_empty()
            && !unify_args(&implementor.trait_.args, &trait_.args, &mut found)
        {
            return None;
        }
        Some(found.apply(ty))
    })
}

/// `<of as trait_>::name`, where it is known.
pub(crate) type Projection<'p> = &'p mut dyn FnMut(&Ty, Option<&TraitRef>, &str) -> Option<Ty>;

/// Replace every associated type that [`project`] knows, innermost first.
pub(crate) fn normalise(ty: &Ty, project: Projection<'_>) -> Ty {
    normalise_within(ty, project, 8)
}

fn normalise_within(ty: &Ty, project: Projection<'_>, fuel: u32) -> Ty {
    ty.map(
        &mut |node| match node {
            Ty::Assoc {
                of,
                trait_,
                name,
                args,
            } if fuel > 0 => {
                let of = normalise_within(of, project, fuel - 1);
                let trait_ = trait_.as_ref().map(|trait_| {
                    Box::new(trait_.map(
                        &mut |t| match t {
                            Ty::Assoc { .. } => Some(normalise_within(t, project, fuel - 1)),
                            _ => None,
                        },
                        &mut |r| r,
                    ))
                });
                let known = match args.is_empty() {
                    true => project(&of, trait_.as_deref(), name),
                    false => None,
                };
                Some(match known {
                    Some(known) => normalise_within(&known, project, fuel - 1),
                    None => Ty::Assoc {
                        of: Box::new(of),
                        trait_,
                        name: name.clone(),
                        args: args.clone(),
                    },
                })
            }
            _ => None,
        },
        &mut |r| r,
    )
}
