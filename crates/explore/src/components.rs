//! The component set: sequences that end in useful values, by type.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use testsmith_api::TypeIdx;
use testsmith_protocol::{Fingerprint, Notion};
use testsmith_sequence::{Sequence, SlotIdx};

use crate::rng::Rng;

/// Components of one type beyond this replace older ones.
const MAX_PER_TYPE: usize = 1500;
/// Values of which nothing can be seen are all unlike, so only few are kept.
const MAX_UNSEEN_PER_TYPE: usize = 100;
/// Where new ways through the code were found, more may be found nearby.
const MAX_FRESH_PER_TYPE: usize = 24;
/// How often such a value is preferred.
const FRESH_PERCENT: usize = 50;
/// Null-like values are not built upon, but a few are there to be used.
const MAX_BARREN_PER_TYPE: usize = 60;

/// Sequences by the type of a value they make, and the values seen so far.
#[derive(Debug)]
pub struct Components {
    by_type: Vec<Vec<(Sequence, SlotIdx)>>,
    barren: Vec<Vec<(Sequence, SlotIdx)>>,
    /// Values of sequences that went through the code in a new way, the newest last.
    fresh: Vec<VecDeque<(Sequence, SlotIdx)>>,
    seen: FxHashSet<(TypeIdx, Fingerprint)>,
    n_evicted: u64,
}

impl Components {
    /// An empty set for so many types.
    pub fn new(n_types: usize) -> Components {
        Components {
            by_type: vec![Vec::new(); n_types],
            barren: vec![Vec::new(); n_types],
            fresh: vec![VecDeque::new(); n_types],
            seen: FxHashSet::default(),
            n_evicted: 0,
        }
    }

    /// The number of distinct values seen.
    pub fn n_states(&self) -> usize {
        self.seen.len()
    }

    /// Components that were replaced because a type had too many.
    pub fn n_evicted(&self) -> u64 {
        self.n_evicted
    }

    /// Is there a component of this type?
    pub fn has(&self, ty: TypeIdx) -> bool {
        !self.by_type[ty.0 as usize].is_empty()
    }

    /// Remembers a value; was it new? Two values of which nothing can be seen are never the same.
    pub fn note(&mut self, ty: TypeIdx, fingerprint: Fingerprint) -> bool {
        if fingerprint.notion == Notion::None {
            return self.by_type[ty.0 as usize].len() < MAX_UNSEEN_PER_TYPE;
        }
        self.seen.insert((ty, fingerprint))
    }

    /// Adds a reusable value.
    pub fn add(&mut self, ty: TypeIdx, sequence: &Sequence, slot: SlotIdx, rng: &mut Rng) {
        let list = &mut self.by_type[ty.0 as usize];
        if list.len() < MAX_PER_TYPE {
            list.push((sequence.clone(), slot));
        } else {
            self.n_evicted += 1;
            let at = rng.below(list.len());
            list[at] = (sequence.clone(), slot);
        }
    }

    /// Adds a value of a sequence that went through the code in a new way. The oldest goes.
    pub fn add_fresh(&mut self, ty: TypeIdx, sequence: &Sequence, slot: SlotIdx) {
        let list = &mut self.fresh[ty.0 as usize];
        if list.len() == MAX_FRESH_PER_TYPE {
            list.pop_front();
        }
        list.push_back((sequence.clone(), slot));
    }

    /// Adds a null-like value or a very large number.
    pub fn add_barren(&mut self, ty: TypeIdx, sequence: &Sequence, slot: SlotIdx, rng: &mut Rng) {
        let list = &mut self.barren[ty.0 as usize];
        if list.len() < MAX_BARREN_PER_TYPE {
            list.push((sequence.clone(), slot));
        } else {
            let at = rng.below(list.len());
            list[at] = (sequence.clone(), slot);
        }
    }

    /// A null-like value of one of these types.
    pub fn choose_barren(&self, types: &[TypeIdx], rng: &mut Rng) -> Option<&(Sequence, SlotIdx)> {
        let is_filled = |ty: &TypeIdx| !self.barren[ty.0 as usize].is_empty();
        let filled: Vec<TypeIdx> = types.iter().copied().filter(is_filled).collect();
        let ty = *rng.pick(&filled)?;
        rng.pick(&self.barren[ty.0 as usize])
    }

    /// A component of one of these types; of two drawn, usually the shorter one.
    pub fn choose(&self, types: &[TypeIdx], rng: &mut Rng) -> Option<&(Sequence, SlotIdx)> {
        let filled: Vec<TypeIdx> = types.iter().copied().filter(|ty| self.has(*ty)).collect();
        let ty = *rng.pick(&filled)?;
        let fresh = &self.fresh[ty.0 as usize];
        if !fresh.is_empty() && rng.chance(FRESH_PERCENT) {
            // Of two drawn the younger: what was found last leads furthest.
            let (first, second) = (rng.below(fresh.len()), rng.below(fresh.len()));
            return fresh.get(first.max(second));
        }
        let list = &self.by_type[ty.0 as usize];
        let (first, second) = (rng.pick(list)?, rng.pick(list)?);
        let shorter = |a: &(Sequence, _), b: &(Sequence, _)| a.0.steps().len() <= b.0.steps().len();
        Some(if shorter(first, second) == rng.chance(70) {
            first
        } else {
            second
        })
    }
}
