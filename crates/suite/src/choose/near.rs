//! How near executions come to code that none of them enters: the approach level, and the branch distance at
//! the first branch that goes another way.
//!
//! A region is entered after the region around it, if what decides comes out so. So the way to a region that
//! nobody has entered begins in the innermost region around it that somebody has. The comparisons that decide
//! there are noted in one more run, without any mutant; the nearer their sides are, the nearer the
//! execution comes.

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_equip::{Executor, Setting};
use testsmith_explore::{Ask, nearness};
use testsmith_harness::{GuestError, MutantId, Region, RegionId};
use testsmith_protocol::Compared;
use testsmith_sequence::{SlotIdx, World};

use super::Candidate;

/// How many executions are watched that come to the last region which is entered.
const MAX_WATCHED: usize = 8;
/// How many of these are kept, those that come nearest.
const MAX_BASES: usize = 3;

/// The way to a region that no execution enters.
pub(super) struct Way {
    /// The approach level: how many regions around it are not entered either.
    pub(super) level: usize,
    /// The outermost of all these.
    pub(super) first: RegionId,
    /// The region around that, which is entered.
    pub(super) from: RegionId,
}

/// The way to a region. `None` if its function is not entered.
pub(super) fn way(regions: &[Region], to: RegionId, entered: &FxHashSet<RegionId>) -> Option<Way> {
    let (mut first, mut level) = (to, 0);
    loop {
        let from = regions.get(first.0 as usize)?.parent?;
        if entered.contains(&from) {
            return Some(Way { level, first, from });
        }
        (first, level) = (from, level + 1);
    }
}

/// What executions compare, by the position of the candidate. Each is watched once.
#[derive(Default)]
pub(super) struct Watched(FxHashMap<usize, Vec<Compared>>);

impl Watched {
    /// What a candidate compares, if it was watched.
    pub(super) fn of(&self, candidate: usize) -> &[Compared] {
        self.0.get(&candidate).map_or(&[], |it| it)
    }

    /// Watches these candidates, those that were not watched before.
    pub(super) fn watch(
        &mut self,
        world: &World,
        executor: &mut Executor,
        candidates: &[Candidate],
        which: impl IntoIterator<Item = usize>,
    ) -> Result<(), GuestError> {
        let new = which.into_iter().filter(|it| !self.0.contains_key(it));
        let mut new: Vec<usize> = new.collect();
        new.sort_unstable();
        new.dedup();
        let asks = new.iter().map(|i| Ask {
            sequence: candidates[*i].source.sequence.clone(),
            watch_from: SlotIdx(u16::MAX),
            watch_end: Vec::new(),
            traced: None,
            traced_on: false,
            values: false,
            watched: true,
        });
        let runs = executor.run(world, Setting::USUAL, asks.collect())?;
        let runs = runs.into_iter().map(|(_, run)| run.noted.compared);
        self.0.extend(new.into_iter().zip(runs));
        Ok(())
    }
}

/// Candidates that may come near a region, the shortest first.
pub(super) fn approaching(candidates: &[Candidate], way: &Way) -> Vec<usize> {
    let enters = |i: &usize| candidates[*i].reached.contains(&way.from);
    let mut found: Vec<usize> = (0..candidates.len()).filter(enters).collect();
    found.sort_by_key(|i| (candidates[*i].n_steps, *i));
    found.truncate(MAX_WATCHED);
    found
}

/// Of these candidates, which were watched, those that come nearest to what decides the way.
pub(super) fn nearest(watched: &Watched, approaching: &[usize], sites: &[MutantId]) -> Vec<usize> {
    let is_wanted = |site: u32| sites.contains(&MutantId(site));
    let distance = |i: &usize| nearness(watched.of(*i), is_wanted);
    let mut ranked: Vec<(f64, usize)> = approaching.iter().map(|i| (distance(i), *i)).collect();
    ranked.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    ranked.into_iter().take(MAX_BASES).map(|(_, i)| i).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use testsmith_harness::RegionKind;

    use super::*;

    fn region(parent: Option<u32>) -> Region {
        Region {
            file: "src/lib.rs".into(),
            line: 1,
            function: "f".to_owned(),
            kind: RegionKind::Then,
            parent: parent.map(RegionId),
            decided_by: Vec::new(),
            lines: BTreeSet::new(),
        }
    }

    #[test]
    fn the_way_to_a_region_begins_in_the_innermost_one_around_it_that_is_entered() {
        let regions = [None, Some(0), Some(1), Some(2)].map(region);
        let known = |it: &[u32]| it.iter().map(|id| RegionId(*id)).collect::<FxHashSet<_>>();
        let found = way(&regions, RegionId(3), &known(&[0, 1])).expect("its function is entered");
        assert_eq!(
            (found.level, found.first, found.from),
            (1, RegionId(2), RegionId(1))
        );
        assert!(way(&regions, RegionId(3), &known(&[])).is_none());
    }
}
