//! The component set: sequences that end in useful values, by type.

use std::collections::VecDeque;

use testsmith_api::TypeIdx;
use testsmith_sequence::{Sequence, SlotIdx};

use crate::rng::Rng;

/// Components of one type beyond this replace older ones.
const MAX_PER_TYPE: usize = 1500;
/// Of many types each may have fewer, so that all together stay within bounds.
const MAX_IN_ALL: usize = 60_000;
/// But so many in any case.
const MIN_PER_TYPE: usize = 50;
/// Values of which nothing can be seen are all unlike, so only few are kept.
const MAX_UNSEEN_PER_TYPE: usize = 100;
/// Where new ways through the code were found, more may be found nearby.
const MAX_FRESH_PER_TYPE: usize = 24;
/// How often such a value is preferred.
const FRESH_PERCENT: usize = 25;
/// Values that people made in examples and tests.
const MAX_SEEDED_PER_TYPE: usize = 60;
/// How often such a value is preferred: it is long, but was worth showing.
const SEEDED_PERCENT: usize = 8;
/// How many more are drawn for a shorter one.
const N_DRAWS: usize = 3;
/// Null-like values are not built upon, but a few are there to be used.
const MAX_BARREN_PER_TYPE: usize = 60;

/// Sequences by the type of a value they make.
#[derive(Debug)]
pub(crate) struct Components {
    by_type: Vec<Vec<(Sequence, SlotIdx)>>,
    barren: Vec<Vec<(Sequence, SlotIdx)>>,
    /// Values of sequences that went through the code in a new way, the newest last.
    fresh: Vec<VecDeque<(Sequence, SlotIdx)>>,
    /// Values of seeds.
    seeded: Vec<Vec<(Sequence, SlotIdx)>>,
    max_per_type: usize,
    n_evicted: u64,
}

impl Components {
    /// An empty set for so many types.
    pub(crate) fn new(n_types: usize) -> Components {
        Components {
            by_type: vec![Vec::new(); n_types],
            barren: vec![Vec::new(); n_types],
            fresh: vec![VecDeque::new(); n_types],
            seeded: vec![Vec::new(); n_types],
            max_per_type: (MAX_IN_ALL / n_types.max(1)).clamp(MIN_PER_TYPE, MAX_PER_TYPE),
            n_evicted: 0,
        }
    }

    /// Components that were replaced because a type had too many.
    pub(crate) fn n_evicted(&self) -> u64 {
        self.n_evicted
    }

    /// Is there a component of this type?
    pub(crate) fn has(&self, ty: TypeIdx) -> bool {
        !self.by_type[ty.0 as usize].is_empty()
    }

    /// Is there room for another value of which nothing can be seen?
    pub(crate) fn wants_unseen(&self, ty: TypeIdx) -> bool {
        self.by_type[ty.0 as usize].len() < MAX_UNSEEN_PER_TYPE
    }

    /// Adds a reusable value.
    pub(crate) fn add(&mut self, ty: TypeIdx, sequence: &Sequence, slot: SlotIdx, rng: &mut Rng) {
        let list = &mut self.by_type[ty.0 as usize];
        if list.len() < self.max_per_type {
            list.push((sequence.clone(), slot));
        } else {
            self.n_evicted += 1;
            let at = rng.below(list.len());
            list[at] = (sequence.clone(), slot);
        }
    }

    /// Adds a value of a sequence that went through the code in a new way. The oldest
    /// one makes room.
    pub(crate) fn add_fresh(&mut self, ty: TypeIdx, sequence: &Sequence, slot: SlotIdx) {
        let list = &mut self.fresh[ty.0 as usize];
        if list.len() == MAX_FRESH_PER_TYPE {
            list.pop_front();
        }
        list.push_back((sequence.clone(), slot));
    }

    /// Adds a value of a seed, as long as there is room.
    pub(crate) fn add_seeded(&mut self, ty: TypeIdx, sequence: &Sequence, slot: SlotIdx) {
        let list = &mut self.seeded[ty.0 as usize];
        if list.len() < MAX_SEEDED_PER_TYPE {
            list.push((sequence.clone(), slot));
        }
    }

    /// Adds a null-like value or a very large number.
    pub(crate) fn add_barren(
        &mut self,
        ty: TypeIdx,
        sequence: &Sequence,
        slot: SlotIdx,
        rng: &mut Rng,
    ) {
        let list = &mut self.barren[ty.0 as usize];
        if list.len() < MAX_BARREN_PER_TYPE {
            list.push((sequence.clone(), slot));
        } else {
            let at = rng.below(list.len());
            list[at] = (sequence.clone(), slot);
        }
    }

    /// A null-like value of one of these types.
    pub(crate) fn choose_barren(
        &self,
        types: &[TypeIdx],
        rng: &mut Rng,
    ) -> Option<&(Sequence, SlotIdx)> {
        let is_filled = |ty: &TypeIdx| !self.barren[ty.0 as usize].is_empty();
        let filled: Vec<TypeIdx> = types.iter().copied().filter(is_filled).collect();
        let ty = *rng.pick(&filled)?;
        rng.pick(&self.barren[ty.0 as usize])
    }

    /// A component of one of these types, of several drawn usually the shortest.
    pub(crate) fn choose(&self, types: &[TypeIdx], rng: &mut Rng) -> Option<&(Sequence, SlotIdx)> {
        let filled: Vec<TypeIdx> = types.iter().copied().filter(|ty| self.has(*ty)).collect();
        let ty = *rng.pick(&filled)?;
        let fresh = &self.fresh[ty.0 as usize];
        if !fresh.is_empty() && rng.chance(FRESH_PERCENT) {
            // Of two drawn the younger: what was found last leads furthest.
            let (first, second) = (rng.below(fresh.len()), rng.below(fresh.len()));
            return fresh.get(first.max(second));
        }
        let seeded = &self.seeded[ty.0 as usize];
        if !seeded.is_empty() && rng.chance(SEEDED_PERCENT) {
            return rng.pick(seeded);
        }
        // What is shorter costs less: the same calls show more.
        let list = &self.by_type[ty.0 as usize];
        let mut shortest = rng.pick(list)?;
        for _ in 0..N_DRAWS {
            let other = rng.pick(list)?;
            if other.0.steps().len() < shortest.0.steps().len() && rng.chance(80) {
                shortest = other;
            }
        }
        Some(shortest)
    }
}
