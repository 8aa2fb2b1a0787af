//! Other choices of types, for a callable whose bounds the first ones are known not to meet.
//!
//! `G::Weight: Float` is met by `&Graph<u8, f64>`, and no bound on `G` itself says so. So the first
//! choices are varied: parameters against each other, then leaves of the types, one by one and all
//! equal ones together. Who asks knows which of the results meet the bounds.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::build::{prim, string};
use crate::api::Api;
use crate::ty::{GenericArg, Prim, Ty};

/// Combinations beyond these are not worth the time.
const MAX_COMBINATIONS: usize = 64;

/// A choice for each parameter: lists of one, to be completed like the lists they come from.
type Choice = BTreeMap<Arc<str>, Vec<Ty>>;

/// Choices other than those on the diagonal, simple ones first.
pub(super) fn all(api: &Api, lists: &Choice) -> Vec<Choice> {
    let combined = combinations(lists);
    let leaves = replacements(api);
    let first = combined.iter().take(4);
    let varied: Vec<Choice> = first
        .flat_map(|choice| with_other_leaf(choice, &leaves))
        .collect();
    combined.into_iter().chain(varied).collect()
}

/// Every parameter's candidates with every other's.
fn combinations(lists: &Choice) -> Vec<Choice> {
    let mut all = vec![Choice::new()];
    for (name, list) in lists {
        all = all
            .iter()
            .flat_map(|choice| {
                list.iter().map(|ty| {
                    let mut longer = choice.clone();
                    longer.insert(name.clone(), vec![ty.clone()]);
                    longer
                })
            })
            .take(MAX_COMBINATIONS)
            .collect();
    }
    all
}

/// The choice with one parameter varied.
fn with_other_leaf(choice: &Choice, leaves: &[Ty]) -> Vec<Choice> {
    let mut varied = Vec::new();
    for (name, chosen) in choice {
        for ty in chosen.iter().flat_map(|ty| other_leaves(ty, leaves)) {
            let mut other = choice.clone();
            other.insert(name.clone(), vec![ty]);
            varied.push(other);
        }
    }
    varied
}

/// The type with a leaf replaced: each in turn, then all that are like it.
fn other_leaves(ty: &Ty, replacements: &[Ty]) -> Vec<Ty> {
    let mut leaves = Vec::new();
    ty.any(&mut |node| {
        if is_leaf(node) {
            leaves.push(node.clone());
        }
        false
    });
    let mut varied = Vec::new();
    for with in replacements {
        for (position, leaf) in leaves.iter().enumerate() {
            // What is unsized can stand for a parameter, and is a part of nothing.
            if leaf == with || *with == Ty::Str && !is_leaf(ty) {
                continue;
            }
            let mut n = 0;
            varied.push(replaced(ty, &mut |_| {
                n += 1;
                (n - 1 == position).then(|| with.clone())
            }));
            let is_first = leaves.iter().position(|it| it == leaf) == Some(position);
            if is_first && leaves.iter().filter(|it| *it == leaf).count() > 1 {
                varied.push(replaced(ty, &mut |it| (it == leaf).then(|| with.clone())));
            }
        }
    }
    varied
}

fn replaced(ty: &Ty, by: &mut dyn FnMut(&Ty) -> Option<Ty>) -> Ty {
    ty.map(
        &mut |node| if is_leaf(node) { by(node) } else { None },
        &mut |region| region,
    )
}

fn is_leaf(ty: &Ty) -> bool {
    matches!(ty, Ty::Prim(_)) || *ty == string()
}

/// What may stand where a leaf stood: numbers and text, and what the crate's own types are made of
/// somewhere in its API.
fn replacements(api: &Api) -> Vec<Ty> {
    let numbers = [
        Prim::U32,
        Prim::F64,
        Prim::U16,
        Prim::Usize,
        Prim::U64,
        Prim::I32,
        Prim::I64,
        Prim::F32,
        Prim::U8,
        Prim::Char,
    ];
    let mut tys: Vec<Ty> = numbers.into_iter().map(prim).collect();
    tys.extend([string(), Ty::Str]);
    let mut note = |ty: &Ty| {
        ty.any(&mut |node| {
            if let Ty::Adt { path, args } = node
                && api.adts.contains_key(path)
            {
                for arg in args {
                    if let GenericArg::Type(Ty::Adt { args: none, .. }) = arg
                        && none.is_empty()
                        && let GenericArg::Type(made_of) = arg
                        && !tys.contains(made_of)
                    {
                        tys.push(made_of.clone());
                    }
                }
            }
            false
        });
    };
    for callable in &api.callables {
        callable.inputs.iter().for_each(|input| note(&input.ty));
        note(&callable.output);
    }
    tys
}
