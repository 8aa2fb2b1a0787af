//! The component set: sequences that end in useful values, by type.

use std::collections::VecDeque;

use testsmith_api::TypeIdx;
use testsmith_sequence::{Sequence, SlotIdx};

use crate::rng::Rng;

/// The most components of one type. Further ones replace older ones.
const MAX_PER_TYPE: usize = 1500;
/// The most components of all types together. If there are many types, each may have fewer.
const MAX_IN_ALL: usize = 60_000;
/// Each type may have this many components in any case.
const MIN_PER_TYPE: usize = 50;
/// The most components of a type whose values show nothing. All of them might differ, so only a few
/// are kept.
const MAX_UNSEEN_PER_TYPE: usize = 100;
/// The most components of one type from sequences that took a new way through the code. More new
/// ways may be found near them.
const MAX_FRESH_PER_TYPE: usize = 24;
/// How often such a component is preferred.
const FRESH_PERCENT: usize = 25;
/// The most components of one type from examples and tests.
const MAX_SEEDED_PER_TYPE: usize = 60;
/// How often such a component is preferred. They are long, but somebody thought them worth showing.
const SEEDED_PERCENT: usize = 8;
/// How many more components are drawn, to find a shorter one.
const N_DRAWS: usize = 3;
/// The most null-like values of one type. They are not built upon, but serve as arguments.
const MAX_BARREN_PER_TYPE: usize = 60;

/// Sequences by the type of a value they make.
#[derive(Debug)]
pub(crate) struct Components {
    by_type: Vec<Vec<(Sequence, SlotIdx)>>,
    barren: Vec<Vec<(Sequence, SlotIdx)>>,
    /// Values of sequences that took a new way through the code, the newest last.
    fresh: Vec<VecDeque<(Sequence, SlotIdx)>>,
    /// Values from examples and tests.
    seeded: Vec<Vec<(Sequence, SlotIdx)>>,
    max_per_type: usize,
    n_evicted: u64,
}

impl Components {
    /// An empty set for `n_types` types.
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

    /// How many components were replaced because their type had too many.
    pub(crate) fn n_evicted(&self) -> u64 {
        self.n_evicted
    }

    /// Is there a component of this type?
    pub(crate) fn has(&self, ty: TypeIdx) -> bool {
        !self.by_type[ty.0 as usize].is_empty()
    }

    /// Is there room for another value that shows nothing?
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

    /// Adds a value of a sequence that took a new way through the code. The oldest such value makes
    /// room.
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

    /// A component of one of these types. Several are drawn, and usually the shortest is taken.
    pub(crate) fn choose(&self, types: &[TypeIdx], rng: &mut Rng) -> Option<&(Sequence, SlotIdx)> {
        let filled: Vec<TypeIdx> = types.iter().copied().filter(|ty| self.has(*ty)).collect();
        let ty = *rng.pick(&filled)?;
        let fresh = &self.fresh[ty.0 as usize];
        if !fresh.is_empty() && rng.chance(FRESH_PERCENT) {
            // Two are drawn and the younger is taken, because what was found last leads furthest.
            let (first, second) = (rng.below(fresh.len()), rng.below(fresh.len()));
            return fresh.get(first.max(second));
        }
        let seeded = &self.seeded[ty.0 as usize];
        if !seeded.is_empty() && rng.chance(SEEDED_PERCENT) {
            return rng.pick(seeded);
        }
        // A shorter component costs less, so the same number of calls shows more.
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
