//! Makes cases plain: finds shorter ways to make their values and simpler literals, as long as a
//! case shows the same.
//!
//! A case shows the same if its last call takes the same way through the code, its answers are of
//! the same kinds, and it still does its duty: the facts, mutants and regions for which the suite
//! relies on it. Literals that differ stay different, and short literals stay as they are, because
//! zeros are no easier to read than small numbers.
//!
//! **Plain is short, not small.** Literals of regression tests are made shorter as those of
//! failures are, but small numbers and short texts stay, and those that differ stay different:
//! `Version::new(0, 0, 0)` would not notice fields in the wrong order. Duties are given to the
//! shortest cases first, since there is least to be made plain about them.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use testsmith_emit::{Check, Subject};
use testsmith_explore::{class, coarse};
use testsmith_harness::GuestError;
use testsmith_protocol::{MutantId, Value};
use testsmith_record::Drops;
use testsmith_sequence::{
    Arg, Sequence, SlotIdx, Step, World, slice, with_literal, with_maker, with_slot, without,
};

use super::Candidate;
use super::check::length;
use super::duty::{Duties, Duty};
use super::kill::{Group, Judgement, ask, find_regions};
use super::observe::Observatory;
use super::reduce::Reduced;
use super::steady::vary;
use super::usual::{exchanged, leaves_of, like, literals, odd, places, plainer, usual};
use super::weak::{is_nothing, n_given, repeats_argument};
use crate::budget::Budget;
use crate::simplify::{Makers, is_free, reading};
use testsmith_equip::Executor;
use testsmith_equip::Limited;

/// Cases are made plain at most so many times over: after each, versions that do not do their duties
/// are cut off.
const MAX_PASSES: usize = 8;
/// The most rounds of tries in a pass. In each round every case has one of its values changed.
const MAX_ROUNDS: usize = 32;
/// The most tries for one value in one round.
const MAX_TRIES: usize = 18;
/// The most tries in all.
const MAX_IN_ALL: usize = 30_000;
/// What the last call works on keeps so many items: a value with one item, or none, tells little of a
/// method.
const ENOUGH_GIVEN: usize = 2;

/// What tries are made from.
pub(super) struct Plain<'p> {
    pub(super) world: &'p World,
    pub(super) makers: &'p Makers,
    pub(super) limited: &'p Limited,
    /// Texts that the crate's people wrote.
    pub(super) known: &'p BTreeSet<String>,
    pub(super) budget: &'p Budget<'p>,
}

/// For each case, the facts that only it is relied on for. The shortest case that shows a fact is
/// relied on, because there is least to make plain about it.
fn facts(cases: &[Candidate]) -> Vec<BTreeSet<u64>> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|i| length(&cases[*i].source.sequence));
    let mut own = vec![BTreeSet::new(); cases.len()];
    let mut known = BTreeSet::new();
    for i in order {
        let facts = cases[i].facts.iter().copied();
        own[i] = facts.filter(|it| known.insert(*it)).collect();
    }
    own
}

/// The versions of a case: what it was at first, then every plainer version that showed the same.
struct Progress {
    /// The position of the case.
    of: usize,
    versions: Vec<Candidate>,
    /// For each version but the first, what was tried when it was made.
    made: Vec<Next>,
    /// Versions that looked the same and did not do the case's duties.
    rejected: FxHashSet<Sequence>,
    next: Next,
}

/// Which part of a case is tried next.
#[derive(Clone, Copy)]
enum Next {
    /// The way to make this slot; the last slot comes first.
    Maker(u16),
    /// This one of the odd literals, wherever it stands.
    Everywhere(usize),
    /// This literal.
    Literal {
        step: usize,
        input: usize,
    },
    Done,
}

impl Plain<'_> {
    /// Makes all cases plain.
    pub(super) fn make(
        &self,
        executor: &mut Executor,
        observatory: &mut Observatory,
        judgement: Option<&mut Judgement<'_>>,
        cases: &mut [Candidate],
        drops: &mut Drops,
    ) -> Result<(), GuestError> {
        let facts = facts(cases);
        let mut judgement = judgement;
        let mut open: Vec<Progress> = cases
            .iter()
            .enumerate()
            .map(|(of, case)| Progress {
                of,
                versions: vec![case.clone()],
                made: Vec::new(),
                rejected: FxHashSet::default(),
                // What was made to show a call is plain, and as long as it should be.
                next: match case.shown {
                    true => Next::Done,
                    false => Next::Maker(case.source.sequence.n_slots().saturating_sub(1)),
                },
            })
            .collect();
        let mut n_tries = 0;
        for _ in 0..MAX_PASSES {
            for _ in 0..MAX_ROUNDS {
                if self.budget.is_over(executor.work) {
                    break;
                }
                let n_new = self.round(
                    executor,
                    observatory,
                    &facts,
                    judgement.is_some(),
                    &mut open,
                )?;
                n_tries += n_new;
                if n_new == 0 || n_tries > MAX_IN_ALL {
                    break;
                }
            }
            let is_any_bad = self.judge(executor, judgement.as_deref_mut(), cases, &mut open)?;
            if self.budget.is_over(executor.work) {
                let is_open = |it: &&Progress| !matches!(it.next, Next::Done);
                let n_open = open.iter().filter(is_open).count();
                let plain = "make all of its values plain";
                self.budget.give_up("case", plain, n_open, drops);
                break;
            }
            if !is_any_bad || n_tries > MAX_IN_ALL {
                break;
            }
        }
        // The last tries were judged, too, or there were none.
        open.retain(|progress| progress.versions.len() > 1);
        self.accept(executor, judgement, open, cases)
    }

    /// Tries something about every case that is not done, and gives the number of tries.
    fn round(
        &self,
        executor: &mut Executor,
        observatory: &mut Observatory,
        facts: &[BTreeSet<u64>],
        is_judged: bool,
        open: &mut [Progress],
    ) -> Result<usize, GuestError> {
        let mut tries: Vec<Reduced> = Vec::new();
        let mut spans = Vec::new();
        for (i, progress) in open.iter_mut().enumerate() {
            let sequences = self.next_tries(progress);
            if sequences.is_empty() {
                continue;
            }
            let now = progress.now();
            spans.push((i, tries.len()..tries.len() + sequences.len()));
            tries.extend(sequences.into_iter().map(|sequence| Reduced {
                operation: now.operation,
                sequence,
                output: now.source.output.clone(),
                scope: now.source.scope,
            }));
        }
        // A try that fails costs nothing, so it is not counted among the drops.
        let seen = observatory.look(self.world, executor, &tries, &mut Drops::default())?;
        let mut seen = seen.into_iter();
        for (i, span) in &spans {
            let progress = &mut open[*i];
            let found = seen.by_ref().take(span.len());
            let found: Vec<Candidate> = found.flatten().collect();
            let same = found
                .into_iter()
                .find_map(|version| alike(progress.now(), version, &facts[progress.of], is_judged));
            match same {
                Some(version) => {
                    progress.versions.push(version);
                    progress.made.push(progress.next);
                }
                None => progress.step_on(),
            }
        }
        Ok(tries.len())
    }

    /// The sequences to try next; none if nothing is left to try.
    fn next_tries(&self, progress: &mut Progress) -> Vec<Sequence> {
        loop {
            let sequence = &progress.now().source.sequence;
            let mut tries = match progress.next {
                Next::Done => return Vec::new(),
                Next::Maker(slot) => self.shorter(sequence, SlotIdx(slot)),
                Next::Everywhere(i) => self.usual(sequence, i),
                Next::Literal { step, input } => self.plainer(sequence, step, input),
            };
            tries.retain(|it| !progress.rejected.contains(it));
            if !tries.is_empty() {
                return tries;
            }
            progress.step_on();
        }
    }

    /// Sequences that make the slot in a way that is shorter to read.
    fn shorter(&self, sequence: &Sequence, slot: SlotIdx) -> Vec<Sequence> {
        // The last call is what the case is about, so it stays.
        if slot.0 + 1 >= sequence.n_slots() {
            return Vec::new();
        }
        let ty = |slot| self.world.signature(sequence.maker(slot).0).output.ty;
        let now = self.reading(sequence);
        let earlier = (0..slot.0).map(SlotIdx).filter(|it| ty(*it) == ty(slot));
        let shared = earlier.filter_map(|it| with_slot(self.world, sequence, slot, it));
        let known = self.makers.of_type(ty(slot));
        let made = known.filter_map(|maker| with_maker(self.world, sequence, slot, maker));
        let made = shared.chain(made).filter_map(|it| slice(self.world, &it));
        // A call that changes a value may not be needed at all.
        let mut steps = sequence.steps().iter();
        let step = steps.position(|it| matches!(it, Step::Call { out, .. } if *out == slot));
        let gone = step.and_then(|step| without(self.world, sequence, step));
        let n_enough = n_given(self.world, sequence).min(ENOUGH_GIVEN);
        let is_repeating = repeats_argument(sequence);
        let shorter = gone.into_iter().chain(made).filter(|it| {
            self.reading(it) < now
                && n_given(self.world, it) >= n_enough
                && (is_repeating || !repeats_argument(it))
        });
        shorter.take(MAX_TRIES).collect()
    }

    /// What there is to read in a sequence.
    fn reading(&self, sequence: &Sequence) -> usize {
        let mut leaves = Vec::new();
        literals(sequence).for_each(|it| leaves_of(it, &mut leaves));
        reading(self.world, sequence) + leaves.len()
    }

    /// Sequences with usual literals in place of the odd one with this number.
    fn usual(&self, sequence: &Sequence, i: usize) -> Vec<Sequence> {
        let Some(old) = odd(sequence).into_iter().nth(i) else {
            return Vec::new();
        };
        let places = places(sequence, &old);
        let is_free = |(step, input, _): &(usize, usize, &Value)| {
            matches!(&sequence.steps()[*step], Step::Call { op, .. }
                if is_free(self.world, *op, *input, self.limited))
        };
        if !places.iter().all(is_free) {
            return Vec::new();
        }
        let mut usual = usual(&old, sequence);
        if let Value::Str(text) = &old
            && !self.known.contains(text)
        {
            let like = like(text, self.known, MAX_TRIES.saturating_sub(usual.len()));
            usual.extend(like.into_iter().map(Value::Str));
        }
        let tries = usual.into_iter().filter_map(|new| {
            let mut places = places.iter();
            places.try_fold(sequence.clone(), |made, (step, input, value)| {
                with_literal(
                    self.world,
                    &made,
                    *step,
                    *input,
                    exchanged(value, &old, &new),
                )
            })
        });
        tries.collect()
    }

    fn plainer(&self, sequence: &Sequence, step: usize, input: usize) -> Vec<Sequence> {
        let Step::Call { op, args, .. } = &sequence.steps()[step] else {
            return Vec::new();
        };
        let Some(Arg::Literal(value)) = args.get(input) else {
            return Vec::new();
        };
        if !is_free(self.world, *op, input, self.limited) {
            return Vec::new();
        }
        let others: Vec<&Value> = literals(sequence).filter(|it| *it != &**value).collect();
        plainer(value)
            .into_iter()
            .filter(|it| !others.contains(&it))
            .take(MAX_TRIES)
            .filter_map(|it| with_literal(self.world, sequence, step, input, it))
            .collect()
    }

    /// Tries versions on mutants. What is not asked because time is over counts as not killed, so
    /// the case stays as it was.
    fn ask(
        &self,
        executor: &mut Executor,
        judgement: &mut Judgement<'_>,
        versions: &mut [Candidate],
        groups: &[Group],
    ) -> Result<(), GuestError> {
        let drops = &mut Drops::default();
        let Plain { world, budget, .. } = *self;
        ask(world, executor, judgement, versions, groups, budget, drops)
    }

    /// Cuts off the versions from the first one on that does not do the case's duties, and says
    /// whether there are any. That one is not tried again, and its place is tried once more.
    fn judge(
        &self,
        executor: &mut Executor,
        judgement: Option<&mut Judgement<'_>>,
        cases: &[Candidate],
        open: &mut [Progress],
    ) -> Result<bool, GuestError> {
        let Some(judgement) = judgement else {
            return Ok(false);
        };
        let mut versions: Vec<Candidate> = Vec::new();
        let mut groups = Vec::new();
        let mut spans = Vec::new();
        for (i, progress) in open
            .iter()
            .enumerate()
            .filter(|(_, it)| !it.made.is_empty())
        {
            let first = versions.len();
            versions.extend(progress.versions.iter().skip(1).cloned());
            let kill = |duty: &Duty| match duty {
                Duty::Kill(mutant) => Some(*mutant),
                _ => None,
            };
            groups.push(Group {
                tried: (first..versions.len()).collect(),
                mutants: cases[progress.of].duties.iter().filter_map(kill).collect(),
            });
            spans.push((i, first..versions.len()));
        }
        for version in &mut versions {
            version.kills.clear();
        }
        find_regions(self.world, executor, &mut versions)?;
        self.ask(executor, judgement, &mut versions, &groups)?;
        let all = Duties::new(self.world, judgement.only.is_some());
        let mut is_any_bad = false;
        for (i, span) in spans {
            let progress = &mut open[i];
            let duties = &cases[progress.of].duties;
            let judged = &mut versions[span];
            let n_good = judged
                .iter()
                .take_while(|version| all.does(version, duties))
                .count();
            for (version, judged) in progress.versions.iter_mut().skip(1).zip(judged) {
                version.entered.clone_from(&judged.entered);
                version.reached.clone_from(&judged.reached);
                version.kills.clone_from(&judged.kills);
                version.fuel = judged.fuel;
            }
            if let Some(tried) = progress.made.get(n_good) {
                is_any_bad = true;
                progress.next = *tried;
                let bad = &progress.versions[n_good + 1];
                progress.rejected.insert(bad.source.sequence.clone());
                progress.versions.truncate(n_good + 1);
                progress.made.truncate(n_good);
            }
        }
        Ok(is_any_bad)
    }

    /// Takes for each case its last version, if nothing about that varies.
    fn accept(
        &self,
        executor: &mut Executor,
        judgement: Option<&mut Judgement<'_>>,
        open: Vec<Progress>,
        cases: &mut [Candidate],
    ) -> Result<(), GuestError> {
        let last = open.into_iter().filter_map(|mut progress| {
            let version = progress.versions.pop()?;
            Some((progress.of, version))
        });
        let (of, mut best): (Vec<usize>, Vec<Candidate>) = last.unzip();
        let n_checks: Vec<usize> = best.iter().map(|it| it.case.checks.len()).collect();
        let drops = &mut Drops::default();
        vary(self.world, executor, &mut best, self.budget, drops)?;
        if let Some(judgement) = judgement {
            let groups = beside(cases, &of);
            self.ask(executor, judgement, &mut best, &groups)?;
        }
        for ((of, n_checks), version) in of.into_iter().zip(n_checks).zip(best) {
            if version.case.checks.len() == n_checks {
                cases[of] = version;
            }
        }
        Ok(())
    }
}

impl Progress {
    fn now(&self) -> &Candidate {
        self.versions.last().expect("there is at least the first")
    }

    fn step_on(&mut self) {
        let steps = self.now().source.sequence.steps();
        self.next = match self.next {
            Next::Maker(0) => Next::Everywhere(0),
            Next::Everywhere(i) if i < odd(&self.now().source.sequence).len() => {
                Next::Everywhere(i + 1)
            }
            Next::Everywhere(_) => Next::Literal { step: 0, input: 0 },
            // A shorter way may have removed slots.
            Next::Maker(slot) => {
                let n_slots = self.now().source.sequence.n_slots();
                match slot.min(n_slots).checked_sub(1) {
                    Some(slot) => Next::Maker(slot),
                    None => Next::Done,
                }
            }
            Next::Literal { step, input } => {
                let n_args = match steps.get(step) {
                    Some(Step::Call { args, .. }) => args.len(),
                    _ => 0,
                };
                if input + 1 < n_args {
                    Next::Literal {
                        step,
                        input: input + 1,
                    }
                } else if step + 1 < steps.len() {
                    Next::Literal {
                        step: step + 1,
                        input: 0,
                    }
                } else {
                    Next::Done
                }
            }
            Next::Done => Next::Done,
        };
    }
}

/// The version with the checks of the case, if it shows the same.
fn alike(
    case: &Candidate,
    mut version: Candidate,
    own_facts: &BTreeSet<u64>,
    is_judged: bool,
) -> Option<Candidate> {
    if version.way != case.way {
        return None;
    }
    let role = |of: &Candidate, slot: &SlotIdx| {
        let mut watched = of.trial.watch_end.iter();
        watched.position(|it| it == slot)
    };
    let is_same = |old: &Check, new: &Check| match (&old.subject, &new.subject) {
        (Subject::Slot(a), Subject::Slot(b)) => role(case, a) == role(&version, b),
        (
            Subject::Observer { op, slot, then },
            Subject::Observer {
                op: other,
                slot: b,
                then: after,
            },
        ) => (op, then) == (other, after) && role(case, slot) == role(&version, b),
        (
            Subject::Equals { slot, op, args },
            Subject::Equals {
                slot: b,
                op: other,
                args: of,
            },
        ) => (op, args) == (other, of) && role(case, slot) == role(&version, b),
        _ => false,
    };
    let mut keep = vec![false; version.case.checks.len()];
    for (old, fact) in case.case.checks.iter().zip(&case.facts) {
        let new = version.case.checks.iter().position(|it| is_same(old, it))?;
        let is_own = own_facts.contains(fact);
        let value = &version.case.checks[new].value;
        let is_same = match is_judged {
            true => tells_as_much(&old.value, value),
            false => shows_same(&old.value, value, is_own),
        };
        if !is_same {
            return None;
        }
        keep[new] = true;
    }
    version.retain_checks(&keep);
    // The version keeps the facts of the first, so that duties stay what they were.
    if version.facts.len() != case.facts.len() {
        return None;
    }
    version.facts.clone_from(&case.facts);
    version.duties.clone_from(&case.duties);
    version.essential = case.essential;
    version.n_steps = length(&version.case.sequence);
    Some(version)
}

/// Do two answers show the same? Integers must be of the same narrow class if `is_exact`, because
/// then no other case shows the fact.
fn shows_same(old: &Value, new: &Value, is_exact: bool) -> bool {
    match (old, new) {
        (Value::Int(_), Value::Int(_)) | (Value::UInt(_), Value::UInt(_)) if is_exact => {
            class(old, 0) == class(new, 0)
        }
        (Value::Debug(_), Value::Debug(_)) | (Value::Str(_), Value::Str(_)) => {
            tells_as_much(old, new)
        }
        _ => coarse(old) == coarse(new),
    }
}

/// Does the new answer tell as much as the old one: the same variants, and something where there was
/// something? Where it is known which mutants a case is there for, which number it gives is no matter.
fn tells_as_much(old: &Value, new: &Value) -> bool {
    let all = |old: &[Value], new: &[Value]| {
        old.len() == new.len()
            && old
                .iter()
                .zip(new)
                .all(|(old, new)| tells_as_much(old, new))
    };
    let is_alike =
        |old: f64, new: f64| old.is_nan() == new.is_nan() && old.is_infinite() == new.is_infinite();
    match (old, new) {
        (Value::Debug(old), Value::Debug(new)) => {
            let head = |text: &str| -> String {
                text.chars().take_while(|c| c.is_alphanumeric()).collect()
            };
            head(old) == head(new)
        }
        (Value::Str(old), Value::Str(new)) => {
            old.is_empty() == new.is_empty() && telling(old) == telling(new)
        }
        (Value::Int(_), Value::Int(_)) | (Value::UInt(_), Value::UInt(_)) => {
            is_nothing(old) || !is_nothing(new)
        }
        (Value::F64(old), Value::F64(new)) => is_alike(f64::from_bits(*old), f64::from_bits(*new)),
        (Value::F32(old), Value::F32(new)) => {
            let float = |bits: &u32| f64::from(f32::from_bits(*bits));
            is_alike(float(old), float(new))
        }
        (
            Value::Named { path, fields },
            Value::Named {
                path: other,
                fields: of,
            },
        ) => {
            let of_both = fields.iter().zip(of);
            path == other
                && fields.len() == of.len()
                && of_both
                    .into_iter()
                    .all(|((_, old), (_, new))| tells_as_much(old, new))
        }
        (Value::Tuple(old), Value::Tuple(new)) => all(old, new),
        (Value::List(old), Value::List(new)) | (Value::Unordered(old), Value::Unordered(new)) => {
            old.len().min(2) == new.len().min(2)
        }
        _ => coarse(old) == coarse(new),
    }
}

/// Words in `Debug` text that tell which variant or flag a value has.
fn telling(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let known = ["true", "false", "None", "Some", "Ok", "Err"];
    words.filter(|word| known.contains(word)).collect()
}

/// The mutants that versions may kill beyond their duties: those that their cases kill. `of` has the
/// case of each version.
fn beside(cases: &[Candidate], of: &[usize]) -> Vec<Group> {
    let mut by_mutant: BTreeMap<MutantId, Vec<usize>> = BTreeMap::new();
    for (i, of) in of.iter().enumerate() {
        let case = &cases[*of];
        let kills = case.kills.iter().map(|it| it.mutant);
        for mutant in kills.filter(|it| !case.duties.contains(&Duty::Kill(*it))) {
            by_mutant.entry(mutant).or_default().push(i);
        }
    }
    let groups = by_mutant.into_iter().map(|(mutant, tried)| Group {
        tried,
        mutants: vec![mutant],
    });
    groups.collect()
}
