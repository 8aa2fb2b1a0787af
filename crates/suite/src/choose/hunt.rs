//! Hunts mutants that no candidate kills: makes variations of the executions with which each came farthest.
//!
//! **An archive of targets.** [`Farthest`](super::far::Farthest) remembers for each mutant the few candidates with
//! which it came farthest: entered its code, changed the way through it, changed a value; those first with
//! the most impact for their length. Code that no candidate enters is a target, too, with the candidates
//! that come nearest ([`super::near`]). Of the targets, those come first that were tried least since they
//! last came farther (MIO).
//!
//! **Looking closer comes first.** What a mutant changes may be there and not be looked at: the other values of
//! the execution, and private text where nothing else tells. Then a variation begins where a mutant has
//! come to: more calls may show what it changed, another literal may change more, and
//! where the way depends on a comparison, one near its sides may turn it.
//!
//! A variation is observed as any execution is, and tried on all mutants that live in the code that it
//! enters. It stays only if it kills one, or brings one farther. The hunt ends when nothing moves.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_equip::Executor;
use testsmith_explore::{Kept, Purpose, Variations};
use testsmith_harness::{GuestError, MutantId, RegionId};
use testsmith_record::{Drops, HuntEnd, HuntReport};
use testsmith_sequence::{Sequence, World};

use super::Candidate;
use super::far::Far;
use super::kill::{self, Group, Judgement};
use super::near::{self, Watched};
use super::observe::Observatory;
use super::reduce::{Reduced, Scope, reduce};
use crate::budget::{Budget, Doing};

/// How many targets are hunted in one round.
const PER_ROUND: usize = 48;
/// How many variations are made for each of them.
const VARIATIONS: usize = 12;
/// How many of these turn a comparison.
const TURNING: usize = 4;
/// How many variations are tried on the mutants of one region.
const MAX_TRIED: usize = 24;
/// A mutant that private text tells waits until the others were tried so many times more.
const TRIES_OF_KILLED: usize = 2;
/// How many of the executions with which a mutant came farthest are looked at as a whole.
const MAX_CLOSER: usize = 3;
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

/// Living mutants by their regions.
type Living = BTreeMap<RegionId, Vec<MutantId>>;

/// What the hunt knows beside what it is given.
#[derive(Default)]
struct Known {
    /// The sequences that were made.
    made: FxHashSet<Sequence>,
    /// How often each target was drawn since it last came farther.
    n_tries: FxHashMap<MutantId, usize>,
    /// What candidates compare.
    watched: Watched,
    /// The comparisons of each function.
    compared_in: FxHashMap<String, Vec<MutantId>>,
    n_varied: usize,
}

/// A mutant that lives, or code that nothing enters, with the first mutant in it.
struct Target {
    mutant: MutantId,
    far: Option<Far>,
    /// How many regions around it are not entered either.
    level: usize,
    /// The candidates that come farthest, the best first.
    bases: Vec<usize>,
    /// The comparisons that are to come out otherwise.
    sites: Vec<MutantId>,
}

impl Hunt<'_, '_> {
    /// Hunts until nothing moves or the budget is used up. Candidates that kill something are added.
    pub(super) fn run(
        mut self,
        executor: &mut Executor,
        judgement: &mut Judgement<'_>,
        candidates: &mut Vec<Candidate>,
        drops: &mut Drops,
    ) -> Result<HuntReport, GuestError> {
        self.budget.enter(Doing::Hunting);
        let n_before = candidates.len();
        let before = kill::killed(candidates);
        let living = kill::by_region(judgement, &before);
        let mut told = HuntReport {
            left: living.values().map(Vec::len).sum(),
            ended: HuntEnd::Rounds,
            ..HuntReport::default()
        };
        let mut known = Known::of(judgement);
        let mut n_idle = 0;
        self.look_inside(executor, judgement, candidates)?;
        self.look_closer(executor, judgement, candidates)?;
        told.closer = kill::killed(candidates).difference(&before).count();
        for _ in 0..MAX_ROUNDS {
            // What only private text tells is killed and still hunted.
            let living = kill::by_region(judgement, &kill::killed_plainly(self.world, candidates));
            let targets = self.targets(executor, judgement, candidates, &living, &mut known)?;
            if targets.is_empty() || n_idle >= MAX_IDLE {
                told.ended = match targets.is_empty() {
                    true => HuntEnd::NoneLeft,
                    false => HuntEnd::NothingMoves,
                };
                break;
            }
            if self.budget.is_over(executor.work) {
                let what = "hunt it to the end";
                self.budget.give_up("mutant", what, targets.len(), drops);
                told.ended = HuntEnd::Budget;
                break;
            }
            told.rounds += 1;
            let far: Vec<Option<Far>> = farthest(&living, judgement);
            let first = candidates.len();
            let n_killed = kill::killed(candidates).len();
            self.vary(executor, candidates, &targets, &mut known)?;
            self.ask(executor, judgement, candidates, first, &living)?;
            let moved = self.moved(judgement, candidates, &living, &far, &mut known.n_tries);
            let moved = moved || kill::killed(candidates).len() > n_killed;
            n_idle = if moved { 0 } else { n_idle + 1 };
        }
        let killed = kill::killed(candidates);
        told.killed = killed.difference(&before).count();
        let plainly = kill::killed_plainly(self.world, candidates);
        told.by_text = killed
            .difference(&before)
            .filter(|it| !plainly.contains(it))
            .count();
        told.tried = known.n_varied;
        let n_living = told.left - told.killed;
        drops.add("mutant", "hunted, and alive", n_living as u64);
        let n_kept = keep_killers(self.world, candidates, n_before);
        kill::prefer_plain(self.world, candidates);
        let why = "made to kill a mutant that survives, and kills none";
        drops.add(
            "execution",
            why,
            known.n_varied.saturating_sub(n_kept) as u64,
        );
        Ok(told)
    }

    /// Finds the mutants that change nothing but private state.
    fn look_inside(
        &self,
        executor: &mut Executor,
        judgement: &mut Judgement<'_>,
        candidates: &[Candidate],
    ) -> Result<(), GuestError> {
        let living = kill::by_region(judgement, &kill::killed(candidates));
        let by_bases = by_bases(judgement, &living, |far| far == Far::Entered);
        let groups = by_bases
            .into_iter()
            .map(|(tried, mutants)| Group { tried, mutants });
        let groups: Vec<Group> = groups.collect();
        let (world, budget) = (self.world, self.budget);
        kill::look_inside(world, executor, judgement, candidates, &groups, budget)
    }

    /// Looks at all values of the executions in which a living mutant changed something that no check tells.
    fn look_closer(
        &mut self,
        executor: &mut Executor,
        judgement: &mut Judgement<'_>,
        candidates: &mut Vec<Candidate>,
    ) -> Result<(), GuestError> {
        let living = kill::by_region(judgement, &kill::killed(candidates));
        let by_bases = by_bases(judgement, &living, |far| far > Far::Entered);
        let bases: BTreeSet<usize> = by_bases.keys().flatten().copied().collect();
        let closer = bases.iter().map(|i| Reduced {
            scope: Scope::All,
            ..candidates[*i].source.clone()
        });
        let closer: Vec<Reduced> = closer.collect();
        let unsaid = &mut Drops::default();
        let found = self
            .observatory
            .look(self.world, executor, &closer, unsaid)?;
        let mut at: FxHashMap<usize, usize> = FxHashMap::default();
        let mut added = Vec::new();
        for (base, found) in bases.iter().zip(found) {
            if let Some(found) = found {
                at.insert(*base, candidates.len() + added.len());
                added.push(found);
            }
        }
        kill::find_regions(self.world, executor, &mut added)?;
        candidates.append(&mut added);
        let groups = by_bases.into_iter().map(|(bases, mutants)| Group {
            tried: bases.iter().filter_map(|it| at.get(it).copied()).collect(),
            mutants,
        });
        let groups: Vec<Group> = groups.collect();
        let (world, budget) = (self.world, self.budget);
        kill::ask(
            world, executor, judgement, candidates, &groups, budget, unsaid,
        )
    }

    /// The targets that are hunted next: those first that were tried least since they last came farther, and
    /// of these the ones that came farthest. Those whose way depends on comparisons are watched.
    fn targets(
        &self,
        executor: &mut Executor,
        judgement: &Judgement<'_>,
        candidates: &[Candidate],
        living: &Living,
        known: &mut Known,
    ) -> Result<Vec<Target>, GuestError> {
        let mut found: Vec<Target> = Vec::new();
        let killed = kill::killed(candidates);
        let entered: FxHashSet<RegionId> = candidates
            .iter()
            .flat_map(|it| &it.reached)
            .copied()
            .collect();
        for (region, mutants) in living {
            let described = mutants.iter().map(|it| (it, judgement.copied.mutant(*it)));
            // Those that the user suppresses are no targets.
            let wanted = described.filter(|(_, it)| it.suppressed.is_none());
            let tried = wanted.filter_map(|(mutant, described)| {
                let far = judgement.farthest.of(*mutant)?;
                let function = described.function_key();
                let sites = match far {
                    Far::Entered => known.compared_in.get(&function).cloned(),
                    Far::Infected | Far::Seen => None,
                };
                Some(Target {
                    mutant: *mutant,
                    far: Some(far),
                    level: 0,
                    bases: judgement.farthest.bases(*mutant),
                    sites: sites.unwrap_or_default(),
                })
            });
            found.extend(tried);
            if !entered.contains(region)
                && let Some(mutant) = mutants.first()
                && let Some(way) = near::way(&judgement.copied.regions, *region, &entered)
            {
                let first = judgement.copied.region(way.first);
                found.push(Target {
                    mutant: *mutant,
                    far: None,
                    level: way.level,
                    bases: near::approaching(candidates, &way),
                    sites: first.map_or(Vec::new(), |it| it.decided_by.clone()),
                });
            }
        }
        found.retain(|it| !it.bases.is_empty());
        found.sort_by_key(|it| {
            let n_tries = known.n_tries.get(&it.mutant).copied().unwrap_or(0);
            let n_tries = n_tries
                + if killed.contains(&it.mutant) {
                    TRIES_OF_KILLED
                } else {
                    0
                };
            (n_tries, Reverse(it.far), it.level, it.mutant.0)
        });
        found.truncate(PER_ROUND);
        let turned = found.iter().filter(|it| !it.sites.is_empty());
        let turned: BTreeSet<usize> = turned.flat_map(|it| &it.bases).copied().collect();
        known
            .watched
            .watch(self.world, executor, candidates, turned)?;
        for target in found.iter_mut().filter(|it| it.far.is_none()) {
            target.bases = near::nearest(&known.watched, &target.bases, &target.sites);
        }
        Ok(found)
    }

    /// Makes variations for targets, and adds those that show something.
    fn vary(
        &mut self,
        executor: &mut Executor,
        candidates: &mut Vec<Candidate>,
        targets: &[Target],
        known: &mut Known,
    ) -> Result<(), GuestError> {
        let (mut varied, mut closely) = (Vec::new(), Vec::new());
        for target in targets {
            let n_tries = known.n_tries.entry(target.mutant).or_default();
            let at = target.bases[*n_tries % target.bases.len()];
            *n_tries += 1;
            let base = &candidates[at].source.sequence;
            let (purpose, into) = match target.far {
                Some(Far::Infected | Far::Seen) => (Purpose::Show, &mut closely),
                _ => (Purpose::Infect, &mut varied),
            };
            let is_wanted = |site: u32| target.sites.contains(&MutantId(site));
            let turned = self
                .variations
                .towards(base, known.watched.of(at), is_wanted);
            let turned = turned
                .into_iter()
                .filter(|it| known.made.insert(it.sequence.clone()));
            let mut made: Vec<Kept> = turned.take(TURNING).collect();
            for _ in made.len()..VARIATIONS {
                let mate = self.variations.below(candidates.len());
                let mate = &candidates[mate].source.sequence;
                let one = self.variations.of(base, mate, purpose);
                made.extend(one.filter(|it| known.made.insert(it.sequence.clone())));
            }
            into.append(&mut made);
        }
        known.n_varied += varied.len() + closely.len();
        self.look(executor, varied, Scope::Last, candidates)?;
        self.look(executor, closely, Scope::All, candidates)
    }

    /// Observes variations, and adds those that show something.
    fn look(
        &mut self,
        executor: &mut Executor,
        varied: Vec<Kept>,
        scope: Scope,
        candidates: &mut Vec<Candidate>,
    ) -> Result<(), GuestError> {
        // What becomes of variations is told in one number.
        let unsaid = &mut Drops::default();
        let mut reduced = reduce(self.world, executor, &varied, self.budget, unsaid)?;
        reduced.iter_mut().for_each(|it| it.scope = scope);
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
        living: &Living,
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
        living: &Living,
        before: &[Option<Far>],
        n_tries: &mut FxHashMap<MutantId, usize>,
    ) -> bool {
        let killed = kill::killed_plainly(self.world, candidates);
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

impl Known {
    fn of(judgement: &Judgement<'_>) -> Known {
        let mut compared_in: FxHashMap<String, Vec<MutantId>> = FxHashMap::default();
        for (_, mutant) in judgement.copied.numbered() {
            let sites = compared_in.entry(mutant.function_key()).or_default();
            if !sites.contains(&mutant.first) {
                sites.push(mutant.first);
            }
        }
        Known {
            compared_in,
            ..Known::default()
        }
    }
}

/// Removes the candidates from `first` on that kill nothing which others do not kill as plainly, and gives how
/// many stay. One that looks closer at an execution takes the place of the first that looked at it.
fn keep_killers(world: &World, candidates: &mut Vec<Candidate>, first: usize) -> usize {
    let hunted = candidates.split_off(first);
    let mut killed = kill::killed(candidates);
    let mut plainly = kill::killed_plainly(world, candidates);
    let mut at: FxHashMap<Sequence, usize> = FxHashMap::default();
    for (i, candidate) in candidates.iter().enumerate() {
        at.entry(candidate.source.sequence.clone()).or_insert(i);
    }
    let mut n_kept = 0;
    for mut it in hunted {
        let one = std::slice::from_ref(&it);
        let kills_more = !kill::killed(one).is_subset(&killed)
            || !kill::killed_plainly(world, one).is_subset(&plainly);
        if !kills_more {
            continue;
        }
        killed.extend(kill::killed(one));
        plainly.extend(kill::killed_plainly(world, one));
        n_kept += 1;
        match at.get(&it.source.sequence).copied() {
            Some(known) => {
                kill::take_kills(&mut it, &candidates[known]);
                it.shown = candidates[known].shown;
                candidates[known] = it;
            }
            None => {
                at.insert(it.source.sequence.clone(), candidates.len());
                candidates.push(it);
            }
        }
    }
    n_kept
}

/// The first candidates with which each mutant that has come so far came farthest, and the mutants with the
/// same ones.
fn by_bases(
    judgement: &Judgement<'_>,
    living: &Living,
    is_meant: impl Fn(Far) -> bool,
) -> BTreeMap<Vec<usize>, Vec<MutantId>> {
    let mut by_bases: BTreeMap<Vec<usize>, Vec<MutantId>> = BTreeMap::new();
    for mutant in living.values().flatten() {
        if judgement.farthest.of(*mutant).is_some_and(&is_meant) {
            let mut bases = judgement.farthest.bases(*mutant);
            bases.truncate(MAX_CLOSER);
            by_bases.entry(bases).or_default().push(*mutant);
        }
    }
    by_bases
}

/// How far each mutant has come.
fn farthest(living: &Living, judgement: &Judgement<'_>) -> Vec<Option<Far>> {
    let mutants = living.values().flatten();
    mutants.map(|it| judgement.farthest.of(*it)).collect()
}
