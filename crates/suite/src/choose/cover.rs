//! Chooses candidates greedily, so that few of them cover the facts and the code.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use testsmith_api::OperationId;
use testsmith_emit::{Subject, TestCase};
use testsmith_protocol::{MutantId, Passage, RegionId};
use testsmith_record::Drops;
use testsmith_sequence::World;

use super::duty::{about, side};
use super::join::join;
use super::kill::{Kill, bit};
use super::telling::strength;
use super::weak::Weak;
use super::{Candidate, Room};
use crate::simplify::reading;

/// The most checks of one case.
const MAX_CHECKS: usize = 6;
/// Of the cases that show a call, the most for one outcome.
const MAX_SHOWN: usize = 2;
/// The most cases of one operation.
const MAX_CASES_PER_OPERATION: usize = 16;
/// The gain of a region that no chosen case goes through. For comparison, a new fact counts 100,000
/// for an operation that has shown nothing yet.
const NEW_REGION: usize = 300_000;
/// The gain of a way through known regions that the operation has not taken yet.
const NEW_WAY: usize = 100_000;
/// The first ways of an operation, up to this number, are as essential as new code, because a
/// branch may have no counter of its own.
const ESSENTIAL_WAYS: usize = 8;
/// The gain of a known region that is entered a new number of times.
const NEW_COUNT: usize = 30_000;
/// The gain of a mutant that no chosen case kills.
const NEW_KILL: usize = 300_000;

/// Chooses again and again the candidate that adds most for its length, until none adds anything.
/// Facts count less for an operation that has already shown many, so that every operation gets its
/// turn. Those that are not chosen are the second part of the result.
pub(super) fn cover(
    world: &World,
    candidates: Vec<Candidate>,
    room: Room,
    drops: &mut Drops,
) -> (Vec<Candidate>, Vec<Candidate>) {
    let mut killed = FxHashSet::default();
    let (mut chosen, mut spare) = (Vec::new(), Vec::new());
    for mut open in by_subject(candidates).into_values() {
        chosen.append(&mut cover_subject(
            world,
            &mut open,
            room,
            &mut killed,
            drops,
        ));
        spare.append(&mut open);
    }
    (chosen, spare)
}

fn by_subject(candidates: Vec<Candidate>) -> BTreeMap<String, Vec<Candidate>> {
    let mut by_subject: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
    for candidate in candidates {
        let list = by_subject.entry(candidate.subject.clone()).or_default();
        list.push(candidate);
    }
    by_subject
}

/// Makes tests of the chosen candidates, as many for a type as there is room for.
pub(super) fn tests(
    world: &World,
    chosen: Vec<Candidate>,
    room: Room,
    drops: &mut Drops,
) -> Vec<TestCase> {
    let mut cases = Vec::new();
    for chosen in by_subject(chosen).into_values() {
        let max_tests = room.max_tests(n_operations(&chosen));
        let (tests, n_over) = join(world, chosen, max_tests, room);
        drops.add(
            "test",
            "its type has all the tests that it may have (--max-tests)",
            n_over as u64,
        );
        cases.extend(tests);
    }
    cases
}

/// How many operations these candidates are about.
fn n_operations(candidates: &[Candidate]) -> usize {
    let operations: BTreeSet<OperationId> = candidates.iter().map(|it| it.operation).collect();
    operations.len()
}

/// Takes those that are chosen away from the open ones.
fn cover_subject(
    world: &World,
    open: &mut Vec<Candidate>,
    room: Room,
    killed: &mut FxHashSet<MutantId>,
    drops: &mut Drops,
) -> Vec<Candidate> {
    let mut chosen = Vec::new();
    let mut shown = first_shown(world, open);
    let max_cases = room.max_cases(n_operations(open)) + shown.len();
    let mut covered = Covered::none(MAX_CASES_PER_OPERATION * room.times(), killed);
    loop {
        let is_full = chosen.len() >= max_cases;
        let best = shown.pop().or_else(|| covered.best(open, is_full));
        let Some(at) = best else {
            break;
        };
        let mut candidate = open.remove(at);
        covered.take(world, &mut candidate);
        chosen.push(candidate);
    }
    let reason = why_others_are_not(chosen.len() >= max_cases);
    drops.add("execution", reason, open.len() as u64);
    chosen
}

/// What the chosen cases of one type cover.
struct Covered<'k> {
    facts: FxHashSet<u64>,
    visited: FxHashSet<Passage>,
    entered: FxHashSet<RegionId>,
    ways: FxHashSet<(OperationId, u64)>,
    /// How many cases show each operation, and each of its outcomes.
    n_shown: BTreeMap<(OperationId, Option<u64>), usize>,
    max_per_operation: usize,
    /// Mutants that cases of this type and of those before it kill.
    killed: &'k mut FxHashSet<MutantId>,
}

impl<'k> Covered<'k> {
    fn none(max_per_operation: usize, killed: &'k mut FxHashSet<MutantId>) -> Covered<'k> {
        Covered {
            facts: FxHashSet::default(),
            visited: FxHashSet::default(),
            entered: FxHashSet::default(),
            ways: FxHashSet::default(),
            n_shown: BTreeMap::new(),
            max_per_operation,
            killed,
        }
    }

    /// The position of the candidate that adds most. `None` if none adds anything.
    fn best(&self, open: &[Candidate], is_full: bool) -> Option<usize> {
        let most = if is_full { 1 } else { self.max_per_operation };
        let open = open.iter().enumerate().filter(|(_, candidate)| {
            let n = self.n_shown.get(&(candidate.operation, None)).copied();
            let enters = |it: &Passage| !self.entered.contains(&it.region());
            n.unwrap_or(0) < most
                || candidate.regions.iter().any(enters)
                || new_kills(candidate, self.killed).next().is_some()
        });
        let gains = open.map(|(i, candidate)| (self.gain(candidate), std::cmp::Reverse(i)));
        let (gain, std::cmp::Reverse(at)) = gains.max()?;
        (gain > 0).then_some(at)
    }

    /// How much a candidate adds, for its length.
    fn gain(&self, candidate: &Candidate) -> usize {
        let all = candidate.facts.iter().chain(&candidate.inputs);
        let new: BTreeSet<&u64> = all.filter(|fact| !self.facts.contains(fact)).collect();
        let regions = candidate.regions.iter();
        let new_regions = regions.filter(|region| !self.visited.contains(region));
        let code: usize = new_regions
            .map(|it| match self.entered.contains(&it.region()) {
                true => NEW_COUNT,
                false => NEW_REGION,
            })
            .sum();
        let is_new_way = !self.ways.contains(&(candidate.operation, candidate.way));
        let code = code
            + if is_new_way { NEW_WAY } else { 0 }
            + new_kills(candidate, self.killed).count() * NEW_KILL;
        let of = |key| self.n_shown.get(&key).copied().unwrap_or(0);
        let shown = of((candidate.operation, None)) + 3 * of(outcome(candidate));
        // Reaching code may take many steps, but showing a fact should not. So length costs
        // less where code is gained.
        new.len() * 100_000 / (shown + 1) / (candidate.n_steps + 2)
            + code / (candidate.n_steps / 8 + 2)
    }

    /// Chooses a candidate, with few of its checks.
    fn take(&mut self, world: &World, candidate: &mut Candidate) {
        *self.n_shown.entry((candidate.operation, None)).or_default() += 1;
        *self.n_shown.entry(outcome(candidate)).or_default() += 1;
        let kills = new_kills(candidate, self.killed).next().is_some();
        trim(world, candidate, &self.facts, self.killed);
        self.facts
            .extend(candidate.facts.iter().chain(&candidate.inputs));
        let enters = |it: &Passage| !self.entered.contains(&it.region());
        let is_new_way = self.ways.insert((candidate.operation, candidate.way));
        let n_before = self.n_shown[&(candidate.operation, None)];
        candidate.essential = kills
            || candidate.regions.iter().any(enters)
            || is_new_way && n_before <= ESSENTIAL_WAYS;
        self.killed
            .extend(candidate.kills.iter().map(|kill| kill.mutant));
        self.visited.extend(&candidate.regions);
        self.entered
            .extend(candidate.regions.iter().map(|it| it.region()));
    }
}

fn outcome(candidate: &Candidate) -> (OperationId, Option<u64>) {
    (candidate.operation, candidate.facts.first().copied())
}

/// Of the cases that were made to show a call, the strongest ones for each outcome of each operation, by
/// position.
fn first_shown(world: &World, open: &[Candidate]) -> Vec<usize> {
    let mut alike: BTreeMap<_, Vec<(usize, usize, usize)>> = BTreeMap::new();
    for (i, it) in open.iter().enumerate().filter(|(_, it)| it.shown) {
        let of = alike.entry((about(world, it), it.operation, side(it)));
        let grade = Weak::of(world, it).grade();
        of.or_default()
            .push((grade, reading(world, &it.case.sequence), i));
    }
    let mut first: Vec<usize> = Vec::new();
    for mut alike in alike.into_values() {
        alike.sort_unstable();
        first.extend(alike.iter().take(MAX_SHOWN).map(|(.., i)| *i));
    }
    first.sort_unstable();
    first
}

/// Why the candidates are not chosen that are left.
fn why_others_are_not(is_full: bool) -> &'static str {
    match is_full {
        true => "enters no new code, kills no new mutant, and the type has many cases",
        false => "shows nothing new, or the operation has all the cases it may have",
    }
}

/// The kills of a candidate that no chosen case has made.
fn new_kills<'c>(
    candidate: &'c Candidate,
    killed: &FxHashSet<MutantId>,
) -> impl Iterator<Item = &'c Kill> {
    let kills = candidate.kills.iter();
    kills.filter(|kill| !killed.contains(&kill.mutant))
}

/// Keeps few checks: first those that notice mutants which no chosen case kills, then those of the
/// call's result, then those of new facts, then others while there is room.
fn trim(
    world: &World,
    candidate: &mut Candidate,
    covered: &FxHashSet<u64>,
    killed: &FxHashSet<MutantId>,
) {
    let needed = noticing(candidate, killed);
    let mut order: Vec<usize> = (0..candidate.facts.len()).collect();
    order.sort_by_key(|i| {
        let check = &candidate.case.checks[*i];
        let is_output = matches!(check.subject, Subject::Slot(_));
        let is_known = covered.contains(&candidate.facts[*i]);
        let strength = strength(world, candidate, check);
        (!needed.contains(i), !is_output, strength, is_known, *i)
    });
    order.truncate(MAX_CHECKS);
    let keep: Vec<bool> = (0..candidate.facts.len())
        .map(|i| order.contains(&i))
        .collect();
    candidate.retain_checks(&keep);
}

/// Checks that together notice all new mutants that any check notices. Greedily, the check that
/// notices most mutants comes first.
fn noticing(candidate: &Candidate, killed: &FxHashSet<MutantId>) -> BTreeSet<usize> {
    let mut open: Vec<u64> = new_kills(candidate, killed).map(|it| it.checks).collect();
    open.retain(|checks| *checks != u64::MAX);
    let mut needed = BTreeSet::new();
    while !open.is_empty() {
        let noticed = |i: &usize| open.iter().filter(|it| **it & bit(*i) != 0).count();
        let best = (0..candidate.facts.len()).max_by_key(|i| (noticed(i), std::cmp::Reverse(*i)));
        let Some(best) = best.filter(|i| noticed(i) > 0) else {
            break;
        };
        needed.insert(best);
        open.retain(|checks| checks & bit(best) == 0);
    }
    needed
}
