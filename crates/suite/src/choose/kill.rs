//! Finds which code candidates go through, and which mutants they kill. A candidate kills a mutant
//! if, with the mutant active, a checked value differs or the candidate does not come to its end.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_api::OperationId;
use testsmith_emit::{Check, Subject};
use testsmith_explore::Ask;
use testsmith_harness::{Copied, GuestError, MutantId, RegionId};
use testsmith_protocol::{Death, Execution, Outcome};
use testsmith_record::Drops;
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, World};

use super::Candidate;
use super::far::Farthest;
use super::steady::{SeenAt, Trial};
use super::telling::{is_left_out, is_private};
use crate::budget::Budget;
use testsmith_equip::{Executor, Setting};

/// How many candidates are tried on a mutant before any is chosen.
const MAX_TRIED: usize = 24;
/// Of those that were made to show a call, so many times fewer are tried in addition.
const SHOWN_PART: usize = 3;
/// How many candidates are compared by what they kill of the mutants of one region.
const MAX_COMPARED: usize = 96;
/// A candidate may use this many times its usual fuel with a mutant.
const MORE_FUEL: u64 = 10;
/// It may use this much fuel in addition.
const SOME_FUEL: u64 = 10_000;
/// Candidates are tried in classes of this much fuel, those with little fuel first.
const MUCH_FUEL: u64 = 1_000;

/// The rewritten copy, and how to judge its mutants.
pub struct Judgement<'j> {
    /// The copy.
    pub copied: &'j Copied,
    /// Ends the judging early when it is set.
    pub cancel: &'j AtomicBool,
    /// Is told how many runs are done, and how many there are.
    pub progress: &'j mut dyn FnMut(usize, usize),
    /// Is told how far each mutant comes.
    pub farthest: &'j mut Farthest,
    /// The mutants that matter, if not all do.
    pub only: Option<&'j FxHashSet<MutantId>>,
}

/// A mutant that a candidate kills.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kill {
    pub(super) mutant: MutantId,
    /// One bit for each check: does it notice the mutant? All bits are set if the candidate does
    /// not come to its end.
    pub(super) checks: u64,
}

/// Candidates, and the mutants that they are tried on.
pub(super) struct Group {
    /// Positions of the candidates.
    pub(super) tried: Vec<usize>,
    pub(super) mutants: Vec<MutantId>,
}

/// The bit that stands for a check.
pub(super) fn bit(check: usize) -> u64 {
    1 << check.min(63)
}

/// Finds the regions that each candidate goes through, with its observers and without.
pub(super) fn find_regions(
    world: &World,
    executor: &mut Executor,
    candidates: &mut [Candidate],
) -> Result<(), GuestError> {
    let observed = candidates.iter().map(|it| it.trial.observed.clone());
    let with = traces(world, executor, observed.collect())?;
    let bare = candidates.iter().map(|it| it.case.sequence.clone());
    let without = traces(world, executor, bare.collect())?;
    for (candidate, (with, without)) in candidates.iter_mut().zip(with.iter().zip(&without)) {
        candidate.reached = regions(with);
        candidate.entered = regions(without);
        candidate.fuel = with.fuel;
    }
    Ok(())
}

/// Finds the regions that each candidate goes through with the observers that its checks ask.
pub(super) fn enter_with_checks(
    world: &World,
    executor: &mut Executor,
    candidates: &mut [Candidate],
) -> Result<(), GuestError> {
    let shown = candidates.iter().map(|candidate| {
        let sequence = candidate.case.sequence.clone();
        with_checks(world, candidate).unwrap_or(sequence)
    });
    let runs = traces(world, executor, shown.collect())?;
    for (candidate, run) in candidates.iter_mut().zip(&runs) {
        candidate.entered = regions(run);
    }
    Ok(())
}

/// The calls of a candidate and of its checks.
fn with_checks(world: &World, candidate: &Candidate) -> Option<Sequence> {
    let mut builder = Builder::new(world);
    builder.append(&candidate.case.sequence).ok()?;
    for check in &candidate.case.checks {
        match &check.subject {
            Subject::Slot(_) => {}
            Subject::Equals { op, args, .. } => {
                builder.push_gently(*op, args.to_vec()).ok()?;
            }
            Subject::Observer { op, slot, then } => {
                let answer = ask_about(world, &mut builder, *op, *slot)?;
                if let Some(then) = then {
                    ask_about(world, &mut builder, *then, answer)?;
                }
            }
        }
    }
    Some(builder.finish())
}

/// Appends a call with one argument.
pub(super) fn ask_about(
    world: &World,
    builder: &mut Builder<'_>,
    op: OperationId,
    slot: SlotIdx,
) -> Option<SlotIdx> {
    let usage = world.usage(&world.signature(op).inputs[0], builder.ty(slot))?;
    builder.push_gently(op, vec![Arg::Slot(slot, usage)]).ok()
}

/// Runs sequences on the copy. Nothing is watched, because observing a value would go through code,
/// too.
fn traces(
    world: &World,
    executor: &mut Executor,
    sequences: Vec<Sequence>,
) -> Result<Vec<Execution>, GuestError> {
    let asks = sequences.into_iter().map(|sequence| Ask {
        traced: sequence.n_slots().checked_sub(1).map(SlotIdx),
        sequence,
        watch_from: SlotIdx(u16::MAX),
        watch_end: Vec::new(),
        values: false,
        watched: false,
        traced_on: false,
    });
    let setting = Setting {
        whole: true,
        ..Setting::USUAL
    };
    let runs = executor.run(world, setting, asks.collect())?;
    Ok(runs.into_iter().map(|(_, execution)| execution).collect())
}

fn regions(execution: &Execution) -> Vec<RegionId> {
    let regions = execution.trace.regions.iter();
    regions.map(|it| it.region()).collect()
}

/// Tries a few candidates on each mutant, unlike ones first, and notes which mutants they kill.
pub(super) fn sample(
    world: &World,
    executor: &mut Executor,
    judgement: &mut Judgement<'_>,
    candidates: &mut [Candidate],
    budget: &Budget<'_>,
    drops: &mut Drops,
) -> Result<(), GuestError> {
    let mutants = by_region(judgement, &FxHashSet::default());
    let groups = groups(mutants, tried(candidates, MAX_TRIED));
    let trying = Trying {
        world,
        budget,
        stops: true,
        states: false,
    };
    trying.on(executor, judgement, candidates, &groups, drops)
}

/// Tries the candidates that are left on the mutants that none kills yet, in waves: each wave tries as many
/// more as were tried before it, and a mutant that one kills is done.
pub(super) fn harvest(
    world: &World,
    executor: &mut Executor,
    judgement: &mut Judgement<'_>,
    candidates: &mut [Candidate],
    budget: &Budget<'_>,
    drops: &mut Drops,
) -> Result<(), GuestError> {
    let sampled = tried(candidates, MAX_TRIED);
    let mut left = tried(candidates, usize::MAX);
    for (region, list) in &mut left {
        let known: FxHashSet<usize> = sampled.get(region).into_iter().flatten().copied().collect();
        list.retain(|i| !known.contains(i));
    }
    let mut wave = MAX_TRIED;
    let trying = Trying {
        world,
        budget,
        stops: true,
        states: false,
    };
    while left.values().any(|list| !list.is_empty()) && !budget.is_over(executor.work) {
        let next = left.iter_mut().map(|(region, list)| {
            let rest = list.split_off(list.len().min(wave));
            (*region, std::mem::replace(list, rest))
        });
        let next: FxHashMap<RegionId, Vec<usize>> = next.collect();
        let mutants = by_region(judgement, &killed(candidates));
        let mut groups = groups(mutants, next);
        groups.retain(|group| !group.tried.is_empty());
        if groups.is_empty() {
            break;
        }
        trying.on(executor, judgement, candidates, &groups, drops)?;
        wave *= 2;
    }
    let n_left: usize = left.values().map(Vec::len).sum();
    budget.give_up("case", "try it on the mutants that survive", n_left, drops);
    Ok(())
}

/// Tries all candidates on the mutants that no candidate is known to kill.
pub(super) fn complete(
    world: &World,
    executor: &mut Executor,
    judgement: &mut Judgement<'_>,
    candidates: &mut [Candidate],
    budget: &Budget<'_>,
    drops: &mut Drops,
) -> Result<(), GuestError> {
    let mutants = by_region(judgement, &killed(candidates));
    let groups = groups(mutants, tried(candidates, usize::MAX));
    let trying = Trying {
        world,
        budget,
        stops: true,
        states: false,
    };
    trying.on(executor, judgement, candidates, &groups, drops)
}

/// Tries the candidates, in this order of preference, on all mutants that some candidate kills: only who knows what
/// each kills knows which few do all of it.
pub(super) fn compare(
    world: &World,
    executor: &mut Executor,
    judgement: &mut Judgement<'_>,
    candidates: &mut [Candidate],
    order: &[usize],
    budget: &Budget<'_>,
    drops: &mut Drops,
) -> Result<(), GuestError> {
    let known = killed(candidates);
    let mut reaching: FxHashMap<RegionId, Vec<usize>> = FxHashMap::default();
    for i in order {
        for region in &candidates[*i].reached {
            let of_region = reaching.entry(*region).or_default();
            if of_region.len() < MAX_COMPARED {
                of_region.push(*i);
            }
        }
    }
    let mut mutants = by_region(judgement, &FxHashSet::default());
    for of_region in mutants.values_mut() {
        of_region.retain(|it| known.contains(it));
    }
    mutants.retain(|_, of_region| !of_region.is_empty());
    let groups = groups(mutants, reaching);
    ask(
        world, executor, judgement, candidates, &groups, budget, drops,
    )?;
    for candidate in candidates {
        let mut kills: BTreeMap<MutantId, u64> = BTreeMap::new();
        for kill in &candidate.kills {
            *kills.entry(kill.mutant).or_default() |= kill.checks;
        }
        let kills = kills.into_iter();
        candidate.kills = kills
            .map(|(mutant, checks)| Kill { mutant, checks })
            .collect();
    }
    Ok(())
}

/// Tries each group's candidates on the group's mutants.
pub(super) fn ask(
    world: &World,
    executor: &mut Executor,
    judgement: &mut Judgement<'_>,
    candidates: &mut [Candidate],
    groups: &[Group],
    budget: &Budget<'_>,
    drops: &mut Drops,
) -> Result<(), GuestError> {
    let trying = Trying {
        world,
        budget,
        stops: false,
        states: false,
    };
    trying.on(executor, judgement, candidates, groups, drops)
}

/// The mutants that some candidate is known to kill.
pub(super) fn killed(candidates: &[Candidate]) -> FxHashSet<MutantId> {
    let kills = candidates.iter().flat_map(|candidate| &candidate.kills);
    kills.map(|kill| kill.mutant).collect()
}

/// The mutants that some candidate is known to kill by a check that is made gladly.
pub(super) fn killed_plainly(world: &World, candidates: &[Candidate]) -> FxHashSet<MutantId> {
    let kills = candidates.iter().flat_map(|candidate| {
        let plain = plain_checks(world, candidate);
        let kills = candidate.kills.iter();
        kills.filter(move |kill| kill.checks & plain != 0)
    });
    kills.map(|kill| kill.mutant).collect()
}

/// The checks that are made gladly, as bits: those that read no private text, and nothing that may change although
/// nothing has broken. That a candidate does not come to its end is plain, too.
fn plain_checks(world: &World, candidate: &Candidate) -> u64 {
    let checks = candidate.case.checks.iter().enumerate();
    let is_plain = |check: &Check| !is_private(check) && !is_left_out(world, candidate, check);
    let plain = checks.filter(|(_, check)| is_plain(check));
    let n_checks = candidate.case.checks.len().min(63);
    plain.fold(u64::MAX << n_checks, |all, (i, _)| all | bit(i))
}

/// Adds the kills of a candidate with the same steps, which asks no more than this one does.
pub(super) fn take_kills(candidate: &mut Candidate, of: &Candidate) {
    let asked = |it: &Check| match &it.subject {
        Subject::Slot(slot) => (*slot, None, None),
        Subject::Observer { op, slot, then } => (*slot, Some(*op), *then),
        Subject::Equals { slot, op, .. } => (*slot, Some(*op), Some(*op)),
    };
    let checks = &candidate.case.checks;
    let at = |check: &Check| checks.iter().position(|it| asked(it) == asked(check));
    let there: Vec<Option<usize>> = of.case.checks.iter().map(at).collect();
    for kill in &of.kills {
        let noticing = (0..there.len()).filter(|i| kill.checks & bit(*i) != 0);
        let noticing = noticing.filter_map(|i| there[i]);
        let checks = match kill.checks {
            u64::MAX => u64::MAX,
            _ => noticing.fold(0, |all, i| all | bit(i)),
        };
        match candidate
            .kills
            .iter_mut()
            .find(|it| it.mutant == kill.mutant)
        {
            Some(known) => known.checks |= checks,
            None if checks == 0 => {}
            None => candidate.kills.push(Kill { checks, ..*kill }),
        }
    }
}

/// Forgets that other checks tell mutants which some candidate kills by one that is made gladly.
pub(super) fn prefer_plain(world: &World, candidates: &mut [Candidate]) {
    let plainly = killed_plainly(world, candidates);
    for candidate in candidates {
        let plain = plain_checks(world, candidate);
        for kill in &mut candidate.kills {
            if kill.checks != u64::MAX && plainly.contains(&kill.mutant) {
                kill.checks &= plain;
            }
        }
        candidate.kills.retain(|kill| kill.checks != 0);
    }
}

/// The mutants of each region that matter, except those in `but`.
pub(super) fn by_region(
    judgement: &Judgement<'_>,
    but: &FxHashSet<MutantId>,
) -> BTreeMap<RegionId, Vec<MutantId>> {
    let copied = judgement.copied;
    let mut found: BTreeMap<RegionId, Vec<MutantId>> = BTreeMap::new();
    for (id, mutant) in copied.numbered() {
        if let Some(region) = mutant.region
            && !copied.dropped.contains_key(&id)
            && !but.contains(&id)
            // Nothing can kill what is the same program.
            && mutant.sameness.is_none()
            && judgement.only.is_none_or(|only| only.contains(&id))
        {
            found.entry(region).or_default().push(id);
        }
    }
    found
}

/// The candidates to try for each region: first one of each operation and way, then a second of
/// each, and so on up to `max`.
fn tried(candidates: &[Candidate], max: usize) -> FxHashMap<RegionId, Vec<usize>> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|i| (candidates[*i].fuel / MUCH_FUEL, candidates[*i].n_steps));
    let mut by_region: FxHashMap<RegionId, Vec<(usize, usize)>> = FxHashMap::default();
    let mut n_alike: FxHashMap<(RegionId, bool, OperationId, u64), usize> = FxHashMap::default();
    for i in order {
        let candidate = &candidates[i];
        for region in &candidate.reached {
            let n = n_alike.entry((*region, candidate.shown, candidate.operation, candidate.way));
            let n = n.or_default();
            if *n < max {
                by_region.entry(*region).or_default().push((*n, i));
                *n += 1;
            }
        }
    }
    let first = |mut list: Vec<(usize, usize)>| {
        list.sort_by_key(|(n, _)| *n);
        let (shown, explored): (Vec<usize>, Vec<usize>) = list
            .into_iter()
            .map(|(_, i)| i)
            .partition(|i| candidates[*i].shown);
        let shown = shown.into_iter().take(max.div_ceil(SHOWN_PART));
        shown.chain(explored.into_iter().take(max)).collect()
    };
    by_region
        .into_iter()
        .map(|(region, list)| (region, first(list)))
        .collect()
}

/// Groups the mutants of each region with the candidates to try on them.
fn groups(
    mutants: BTreeMap<RegionId, Vec<MutantId>>,
    mut tried: FxHashMap<RegionId, Vec<usize>>,
) -> Vec<Group> {
    let groups = mutants.into_iter().map(|(region, mutants)| Group {
        tried: tried.remove(&region).unwrap_or_default(),
        mutants,
    });
    groups.collect()
}

/// How many candidates are tried on every mutant before the others are tried on any. These are tried only if
/// none of the first runs out of time with the mutant: most others would, too, and each takes as long as
/// thousands of programs.
const FIRST: usize = 4;
/// How many candidates run in one process.
const PER_BATCH: usize = 64;

/// Candidates, and the mutant that they are tried on; none in the run that others are compared with.
type Job<'g> = (Option<MutantId>, &'g [usize]);

/// How candidates are tried on mutants.
struct Trying<'t> {
    world: &'t World,
    budget: &'t Budget<'t>,
    /// Does a process end with the first candidate that does not come to its end? Not if each is another
    /// version of a case that has to kill what the case kills.
    stops: bool,
    /// Are states written out?
    states: bool,
}

/// A run of a candidate with a mutant, and the same without.
struct Tried<'t> {
    mutant: MutantId,
    candidate: usize,
    before: &'t Execution,
    after: &'t Execution,
}

impl Trying<'_> {
    /// Runs each group's candidates without a mutant and then with each of its mutants, in processes of
    /// their own. What there is no time for is counted.
    fn on(
        &self,
        executor: &mut Executor,
        judgement: &mut Judgement<'_>,
        candidates: &mut [Candidate],
        groups: &[Group],
        drops: &mut Drops,
    ) -> Result<(), GuestError> {
        let mut endless: FxHashSet<MutantId> = FxHashSet::default();
        let mut n_left = 0;
        let groups = cheap_first(groups, candidates);
        for is_first in [true, false] {
            // The run without a mutant has the same candidates, seeds and history as those with one, so
            // that a difference is the mutant's.
            let mut jobs: Vec<Job<'_>> = Vec::new();
            for Group { tried, mutants } in &groups {
                let (first, rest) = tried.split_at(tried.len().min(FIRST));
                for group in if is_first { first } else { rest }.chunks(PER_BATCH) {
                    let wanted = mutants.iter().filter(|mutant| !endless.contains(mutant));
                    let wanted = wanted.map(|mutant| (Some(*mutant), group));
                    jobs.extend([(None, group)].into_iter().chain(wanted));
                }
            }
            let mut found: Vec<(usize, Kill)> = Vec::new();
            let n_done = self.run(
                &jobs,
                executor,
                judgement,
                candidates,
                |judgement, trial| {
                    let Tried {
                        mutant,
                        candidate: i,
                        before,
                        after,
                    } = trial;
                    let base = (i, candidates[i].n_steps);
                    judgement.farthest.note(mutant, base, before, after);
                    let checks = noticed(&candidates[i].places, before, after);
                    if checks != 0 {
                        found.push((i, Kill { mutant, checks }));
                        if is_endless(after) {
                            endless.insert(mutant);
                        }
                    }
                },
            )?;
            n_left += jobs.len() - n_done;
            for (i, kill) in found {
                candidates[i].kills.push(kill);
            }
        }
        let what = "trial of cases on a mutant";
        self.budget.give_up(what, "make it", n_left, drops);
        let n_endless = endless.len() as u64;
        let why = "tried on few cases: they do not end with it";
        drops.add("mutant", why, n_endless);
        Ok(())
    }

    /// Runs the jobs until they or the budget are over, hands out each run with a mutant, and gives how many
    /// jobs were done.
    fn run(
        &self,
        jobs: &[Job<'_>],
        executor: &mut Executor,
        judgement: &mut Judgement<'_>,
        candidates: &[Candidate],
        mut each: impl FnMut(&mut Judgement<'_>, Tried<'_>),
    ) -> Result<usize, GuestError> {
        let mut before: Vec<Execution> = Vec::new();
        let settings = jobs.iter().map(|(mutant, group)| {
            let setting = Setting {
                mutant: *mutant,
                stops: self.stops && mutant.is_some(),
                states: self.states,
                ..Setting::USUAL
            };
            let asks = group.iter().map(|i| {
                let candidate = &candidates[*i];
                (
                    candidate.trial.ask(),
                    candidate.fuel * MORE_FUEL + SOME_FUEL,
                )
            });
            (setting, asks.collect())
        });
        let cancel = judgement.cancel;
        let is_over = |work| cancel.load(Ordering::Relaxed) || self.budget.is_over(work);
        let mut n_done = 0;
        executor.run_each(self.world, settings, is_over, |runs| {
            (judgement.progress)(n_done, jobs.len());
            let (mutant, group) = jobs[n_done];
            n_done += 1;
            let runs = runs.into_iter().map(|(_, execution)| execution).collect();
            let Some(mutant) = mutant else {
                before = runs;
                return;
            };
            for ((i, before), after) in group.iter().zip(&before).zip(&runs) {
                let trial = Tried {
                    mutant,
                    candidate: *i,
                    before,
                    after,
                };
                each(judgement, trial);
            }
        })?;
        Ok(n_done)
    }
}

/// Finds the mutants that change nothing in these trials but private state.
pub(super) fn look_inside(
    world: &World,
    executor: &mut Executor,
    judgement: &mut Judgement<'_>,
    candidates: &[Candidate],
    groups: &[Group],
    budget: &Budget<'_>,
) -> Result<(), GuestError> {
    let jobs = groups.iter().flat_map(|Group { tried, mutants }| {
        let mutants = mutants.iter().copied().map(Some);
        let mutants = std::iter::once(None).chain(mutants);
        mutants.map(|mutant| (mutant, &tried[..]))
    });
    let jobs: Vec<Job<'_>> = jobs.collect();
    let trying = Trying {
        world,
        budget,
        stops: false,
        states: true,
    };
    trying.run(
        &jobs,
        executor,
        judgement,
        candidates,
        |judgement, trial| {
            let returned = [trial.before, trial.after].map(|it| it.outcome == Outcome::Returned);
            if returned == [true; 2] && states(trial.before) != states(trial.after) {
                let i = trial.candidate;
                let base = (i, candidates[i].n_steps);
                judgement.farthest.infected(trial.mutant, base);
            }
        },
    )?;
    Ok(())
}

/// The states that are seen whole, with their places.
fn states(execution: &Execution) -> Vec<(u16, bool, u64)> {
    let effects = execution.effects.iter().filter_map(|effect| {
        let state = effect.state.as_ref().filter(|it| it.whole)?;
        Some((effect.slot, effect.at_end, state.hash))
    });
    effects.collect()
}

/// The groups, those first whose first candidates take least: what takes long must not keep many mutants
/// from being tried at all.
fn cheap_first<'g>(groups: &'g [Group], candidates: &[Candidate]) -> Vec<&'g Group> {
    let cost = |group: &&Group| {
        let first = group.tried.iter().take(FIRST);
        first.map(|i| candidates[*i].fuel / MUCH_FUEL).sum::<u64>()
    };
    let mut groups: Vec<&Group> = groups.iter().collect();
    groups.sort_by_key(cost);
    groups
}

fn is_endless(execution: &Execution) -> bool {
    matches!(&execution.outcome, Outcome::Died { death, .. } if *death == Death::TimedOut)
}

/// The checks that tell the two executions apart, as bits.
fn noticed(places: &[SeenAt], before: &Execution, after: &Execution) -> u64 {
    if before.outcome != Outcome::Returned {
        return 0;
    }
    if after.outcome != Outcome::Returned {
        return u64::MAX;
    }
    let (before, after) = (
        Trial::prints(&before.effects),
        Trial::prints(&after.effects),
    );
    let differs = |place: &SeenAt| {
        let before = before.iter().find(|(at, _)| at == place);
        before.is_some() && before != after.iter().find(|(at, _)| at == place)
    };
    let checks = places.iter().enumerate();
    checks
        .filter(|(_, place)| differs(place))
        .fold(0, |all, (i, _)| all | bit(i))
}
