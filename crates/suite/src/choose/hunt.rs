//! Hunts mutants that no candidate kills: makes variations of the executions with which each came farthest.
//!
//! **An archive for each mutant.** [`Farthest`](super::far::Farthest) remembers the few candidates with which
//! a mutant came farthest: entered its code, changed the way through it, changed a value. A variation of one
//! of them begins where the mutant has come to, and one more call or another literal may show what it
//! changed. Of the mutants, those come first that were tried least since they last came farther.
//!
//! A variation is observed as any execution is, and tried on all mutants that live in the code that it
//! enters. It stays only if it kills one, or brings one farther. The hunt ends when nothing moves.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_equip::Executor;
use testsmith_explore::{Kept, Variations};
use testsmith_harness::GuestError;
use testsmith_protocol::{MutantId, RegionId};
use testsmith_record::Drops;
use testsmith_sequence::{Sequence, World};

use super::Candidate;
use super::far::Far;
use super::kill::{self, Group, Judgement};
use super::observe::Observatory;
use super::reduce::reduce;
use crate::budget::{Budget, Doing};

/// How many mutants are hunted in one round.
const PER_ROUND: usize = 48;
/// How many variations are made for each of them.
const VARIATIONS: usize = 12;
/// How many variations are tried on the mutants of one region.
const MAX_TRIED: usize = 24;
/// After so many rounds in which nothing was killed and nothing came farther, the hunt ends.
const MAX_IDLE: usize = 6;
/// The most rounds.
const MAX_ROUNDS: usize = 200;

/// What is hunted with.
pub(super) struct Hunt<'h, 'w> {
    pub(super) world: &'h World,
    pub(super) observatory: &'h mut Observatory,
    pub(super) variations: &'h mut Variations<'w>,
    pub(super) budget: &'h Budget<'h>,
}

impl Hunt<'_, '_> {
    /// Hunts until nothing moves or the budget is used up. Candidates that kill something are added.
    pub(super) fn run(
        mut self,
        executor: &mut Executor,
        judgement: &mut Judgement<'_>,
        candidates: &mut Vec<Candidate>,
        drops: &mut Drops,
    ) -> Result<(), GuestError> {
        self.budget.enter(Doing::Hunting);
        let n_before = candidates.len();
        let mut known: FxHashSet<Sequence> = FxHashSet::default();
        let mut n_tries: FxHashMap<MutantId, usize> = FxHashMap::default();
        let (mut n_idle, mut n_varied) = (0, 0);
        for _ in 0..MAX_ROUNDS {
            let living = kill::by_region(judgement, &kill::killed(candidates));
            let targets = targets(&living, judgement, &n_tries);
            if targets.is_empty() || n_idle >= MAX_IDLE {
                break;
            }
            if self.budget.is_over(executor.work) {
                let what = "hunt it to the end";
                self.budget.give_up("mutant", what, targets.len(), drops);
                break;
            }
            let mut varied = Vec::new();
            for mutant in &targets {
                let n = n_tries.entry(*mutant).or_default();
                *n += 1;
                let bases = judgement.farthest.bases(*mutant);
                let base = &candidates[bases[*n % bases.len()]].source.sequence;
                let made = (0..VARIATIONS).filter_map(|_| self.variations.of(base));
                varied.extend(made.filter(|it| known.insert(it.sequence.clone())));
            }
            n_varied += varied.len();
            let far: Vec<Option<Far>> = farthest(&living, judgement);
            let first = candidates.len();
            self.look(executor, varied, candidates)?;
            self.ask(executor, judgement, candidates, first, &living)?;
            let moved = self.moved(judgement, candidates, &living, &far, &mut n_tries);
            n_idle = if moved { 0 } else { n_idle + 1 };
        }
        let living = kill::by_region(judgement, &kill::killed(candidates));
        let n_living: usize = living.values().map(Vec::len).sum();
        drops.add("mutant", "hunted, and alive", n_living as u64);
        let n_kept = keep_killers(candidates, n_before);
        let why = "made to kill a mutant that survives, and kills none";
        drops.add("execution", why, (n_varied - n_kept) as u64);
        Ok(())
    }

    /// Observes variations, and adds those that show something.
    fn look(
        &mut self,
        executor: &mut Executor,
        varied: Vec<Kept>,
        candidates: &mut Vec<Candidate>,
    ) -> Result<(), GuestError> {
        // What becomes of variations is told in one number.
        let unsaid = &mut Drops::default();
        let reduced = reduce(self.world, executor, &varied, self.budget, unsaid)?;
        let found = self
            .observatory
            .look(self.world, executor, &reduced, unsaid)?;
        let found = found.into_iter().flatten();
        let mut found: Vec<Candidate> = found.filter(|it| !it.facts.is_empty()).collect();
        kill::find_regions(self.world, executor, &mut found)?;
        candidates.append(&mut found);
        Ok(())
    }

    /// Tries the candidates from `first` on on the mutants that live where they go.
    fn ask(
        &self,
        executor: &mut Executor,
        judgement: &mut Judgement<'_>,
        candidates: &mut [Candidate],
        first: usize,
        living: &BTreeMap<RegionId, Vec<MutantId>>,
    ) -> Result<(), GuestError> {
        let mut by_region: FxHashMap<RegionId, Vec<usize>> = FxHashMap::default();
        for (i, candidate) in candidates.iter().enumerate().skip(first) {
            for region in &candidate.reached {
                let tried = by_region.entry(*region).or_default();
                if tried.len() < MAX_TRIED {
                    tried.push(i);
                }
            }
        }
        let groups = living.iter().filter_map(|(region, mutants)| {
            Some(Group {
                tried: by_region.remove(region)?,
                mutants: mutants.clone(),
            })
        });
        let groups: Vec<Group> = groups.collect();
        let unsaid = &mut Drops::default();
        let (world, budget) = (self.world, self.budget);
        kill::ask(
            world, executor, judgement, candidates, &groups, budget, unsaid,
        )
    }

    /// Was anything killed, or did it come farther? What came farther has had no try since.
    fn moved(
        &self,
        judgement: &Judgement<'_>,
        candidates: &[Candidate],
        living: &BTreeMap<RegionId, Vec<MutantId>>,
        before: &[Option<Far>],
        n_tries: &mut FxHashMap<MutantId, usize>,
    ) -> bool {
        let killed = kill::killed(candidates);
        let mut moved = false;
        for (mutant, before) in living.values().flatten().zip(before) {
            moved |= killed.contains(mutant);
            if judgement.farthest.of(*mutant) > *before {
                n_tries.remove(mutant);
                moved = true;
            }
        }
        moved
    }
}

/// Removes the candidates from `first` on that kill nothing which others do not, and gives how many stay.
fn keep_killers(candidates: &mut Vec<Candidate>, first: usize) -> usize {
    let hunted = candidates.split_off(first);
    let mut killed = kill::killed(candidates);
    let kills_more = |it: &Candidate| {
        let mut new = false;
        for kill in &it.kills {
            new |= killed.insert(kill.mutant);
        }
        new
    };
    candidates.extend(hunted.into_iter().filter(kills_more));
    candidates.len() - first
}

/// How far each mutant has come.
fn farthest(
    living: &BTreeMap<RegionId, Vec<MutantId>>,
    judgement: &Judgement<'_>,
) -> Vec<Option<Far>> {
    let mutants = living.values().flatten();
    mutants.map(|it| judgement.farthest.of(*it)).collect()
}

/// The mutants that are hunted next: those first that were tried least since they last came farther, and
/// of these the ones that came farthest.
fn targets(
    living: &BTreeMap<RegionId, Vec<MutantId>>,
    judgement: &Judgement<'_>,
    n_tries: &FxHashMap<MutantId, usize>,
) -> Vec<MutantId> {
    let has_base = |it: &&MutantId| !judgement.farthest.bases(**it).is_empty();
    let mutants = living.values().flatten().filter(has_base);
    let mut targets: Vec<MutantId> = mutants.copied().collect();
    targets.sort_by_key(|it| {
        let n_tries = n_tries.get(it).copied().unwrap_or(0);
        (n_tries, std::cmp::Reverse(judgement.farthest.of(*it)), it.0)
    });
    targets.truncate(PER_ROUND);
    targets
}
