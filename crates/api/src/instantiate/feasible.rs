//! Finds the drafts whose inputs can all be made: forward chaining from literals to a fixpoint.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::literal::is_literal;
use super::{Draft, text};
use crate::operation::Origin;
use crate::ty::Ty;
use crate::types::Types;

/// The drafts whose inputs can all be made, and the types that they make.
#[derive(Default)]
pub(super) struct Feasible {
    fed: BTreeSet<Arc<str>>,
    made: BTreeMap<String, Ty>,
}

impl Feasible {
    /// Chains forward until nothing new can be made.
    pub(super) fn of(drafts: &BTreeMap<Arc<str>, Draft>, types: &Types) -> Feasible {
        let mut feasible = Feasible::default();
        loop {
            let n_before = feasible.fed.len();
            for draft in drafts.values() {
                if !feasible.is_fed(&draft.key) && feasible.lack(draft, types).is_none() {
                    feasible.fed.insert(draft.key.clone());
                    let made = text(&draft.output);
                    feasible.made.entry(made).or_insert(draft.output.clone());
                }
            }
            if feasible.fed.len() == n_before {
                return feasible;
            }
        }
    }

    /// Can every input of this draft be made?
    pub(super) fn is_fed(&self, key: &str) -> bool {
        self.fed.contains(key)
    }

    /// The first input type of a draft that cannot be made.
    pub(super) fn lack<'d>(&self, draft: &'d Draft, types: &Types) -> Option<&'d Ty> {
        draft.inputs.iter().find_map(|input| match &input.ty {
            Ty::Ref { mutable, to, .. } if !types.is_unsized(to) => {
                (!self.has_borrowed(to, *mutable)).then_some(&**to)
            }
            ty => (!is_literal(ty) && !self.has(ty)).then_some(ty),
        })
    }

    fn has(&self, ty: &Ty) -> bool {
        self.made.contains_key(&text(ty))
    }

    fn has_borrowed(&self, to: &Ty, mutable: bool) -> bool {
        let reference = |mutable| Ty::Ref {
            region: crate::ty::Region::Static,
            mutable,
            to: Box::new(to.clone()),
        };
        self.has(to) || self.has(&reference(true)) || (!mutable && self.has(&reference(false)))
    }

    /// The types that drafts lack, each once. Those come first that most callables wait for.
    pub(super) fn missing(&self, drafts: &BTreeMap<Arc<str>, Draft>, types: &Types) -> Vec<Ty> {
        let mut missing: BTreeMap<String, (Ty, usize)> = BTreeMap::new();
        for draft in drafts.values() {
            if !draft.is_view
                && !self.is_fed(&draft.key)
                && let Some(ty) = self.lack(draft, types)
            {
                let entry = missing.entry(text(ty)).or_insert_with(|| (ty.clone(), 0));
                entry.1 += usize::from(draft.origin != Origin::Recipe);
            }
        }
        let mut missing: Vec<(Ty, usize)> = missing.into_values().collect();
        missing.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        missing.into_iter().map(|(ty, _)| ty).collect()
    }

    /// The types with this head that can be made, or references to them.
    pub(super) fn available_of(&self, path: &str) -> Vec<Ty> {
        self.made
            .values()
            .filter_map(|ty| {
                let pointee = match ty {
                    Ty::Ref { to, .. } => to,
                    other => other,
                };
                matches!(pointee, Ty::Adt { path: p, .. } if **p == *path).then(|| pointee.clone())
            })
            .collect()
    }
}
