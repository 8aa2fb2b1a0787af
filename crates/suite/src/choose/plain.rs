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
use super::kill::{Group, Judgement, ask, find_regions};
use super::observe::Observatory;
use super::prune::{Duty, does};
use super::reduce::Reduced;
use super::steady::vary;
use crate::budget::Budget;
use crate::simplify::{Makers, is_free};
use testsmith_equip::Executor;
use testsmith_equip::Limited;

/// Cases are made plain at most so many times over: after each, versions that do not do their duties
/// are cut off.
const MAX_PASSES: usize = 4;
/// The most rounds of tries in a pass. In each round every case has one of its values changed.
const MAX_ROUNDS: usize = 32;
/// The most tries for one value in one round.
const MAX_TRIES: usize = 18;
/// The most tries in all.
const MAX_IN_ALL: usize = 30_000;
/// A text with more characters than this is made shorter.
const SHORT_TEXT: usize = 8;
/// Texts that anybody would write where any text will do.
const USUAL_TEXTS: &[&str] = &["a", "b", "c", "abc"];
/// A number above this is made smaller.
const SMALL_NUMBER: u128 = 999;
/// A number above this is exchanged for one that anybody would write, if any number will do.
const ODD_NUMBER: u128 = 12;
const USUAL_NUMBERS: &[u128] = &[1, 2, 3, 5, 10];
/// A list with more items than this is made shorter.
const SHORT_LIST: usize = 3;

/// What tries are made from.
pub(super) struct Plain<'p> {
    pub(super) world: &'p World,
    pub(super) makers: &'p Makers,
    pub(super) limited: &'p Limited,
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
    next: Next,
}

/// Which part of a case is tried next.
#[derive(Clone, Copy)]
enum Next {
    /// The way to make this slot; the last slot comes first.
    Maker(u16),
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
                next: Next::Maker(case.source.sequence.n_slots().saturating_sub(1)),
            })
            .collect();
        let mut n_tries = 0;
        for _ in 0..MAX_PASSES {
            for _ in 0..MAX_ROUNDS {
                if self.budget.is_over(executor.work) {
                    break;
                }
                let n_new = self.round(executor, observatory, &facts, &mut open)?;
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
                .find_map(|version| alike(progress.now(), version, &facts[progress.of]));
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
            let tries = match progress.next {
                Next::Done => return Vec::new(),
                Next::Maker(slot) => self.shorter(sequence, SlotIdx(slot)),
                Next::Literal { step, input } => self.plainer(sequence, step, input),
            };
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
        let now = reading(sequence);
        let earlier = (0..slot.0).map(SlotIdx).filter(|it| ty(*it) == ty(slot));
        let shared = earlier.filter_map(|it| with_slot(self.world, sequence, slot, it));
        let known = self.makers.of_type(ty(slot));
        let made = known.filter_map(|maker| with_maker(self.world, sequence, slot, maker));
        let made = shared.chain(made).filter_map(|it| slice(self.world, &it));
        // A call that changes a value may not be needed at all.
        let mut steps = sequence.steps().iter();
        let step = steps.position(|it| matches!(it, Step::Call { out, .. } if *out == slot));
        let gone = step.and_then(|step| without(self.world, sequence, step));
        let shorter = gone.into_iter().chain(made).filter(|it| reading(it) < now);
        shorter.take(MAX_TRIES).collect()
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
    /// whether there are any. What was tried there is passed over from now on: a version that is made
    /// of a bad one would be bad, too.
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
        let mut is_any_bad = false;
        for (i, span) in spans {
            let progress = &mut open[i];
            let duties = &cases[progress.of].duties;
            let judged = &mut versions[span];
            let n_good = judged
                .iter()
                .take_while(|version| does(self.world, version, duties))
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
                progress.versions.truncate(n_good + 1);
                progress.made.truncate(n_good);
                progress.step_on();
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
            Next::Maker(0) => Next::Literal { step: 0, input: 0 },
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
fn alike(case: &Candidate, mut version: Candidate, own_facts: &BTreeSet<u64>) -> Option<Candidate> {
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
        if !shows_same(&old.value, &version.case.checks[new].value, is_own) {
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
        (Value::Debug(old), Value::Debug(new)) => {
            let head = |text: &str| -> String {
                text.chars().take_while(|c| c.is_alphanumeric()).collect()
            };
            head(old) == head(new)
        }
        (Value::Str(old), Value::Str(new)) => {
            old.is_empty() == new.is_empty() && telling(old) == telling(new)
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

/// What there is to read in a sequence: its steps, and its literals.
fn reading(sequence: &Sequence) -> (usize, usize) {
    (length(sequence), literals(sequence).count())
}

fn literals(sequence: &Sequence) -> impl Iterator<Item = &Value> {
    let args = sequence.steps().iter().flat_map(|step| match step {
        Step::Call { args, .. } => &args[..],
        Step::Drop(_) => &[],
    });
    args.filter_map(|arg| match arg {
        Arg::Literal(value) => Some(&**value),
        Arg::Slot(..) => None,
    })
}

/// Literals of the same type that are quicker to read, the quickest first. None if the literal is
/// short already.
fn plainer(value: &Value) -> Vec<Value> {
    match value {
        Value::UInt(number) => smaller(*number).map(Value::UInt).collect(),
        Value::Int(number) => {
            let sign = number.signum();
            let smaller = smaller(number.unsigned_abs());
            smaller.map(|it| Value::Int(it as i128 * sign)).collect()
        }
        Value::Str(text) => {
            let letters: Vec<char> = text.chars().collect();
            let is_plain = |letter: &char| letter.is_ascii_graphic() || *letter == ' ';
            let is_usual = USUAL_TEXTS.contains(&&**text);
            let is_empty = text.is_empty();
            let usual = USUAL_TEXTS.iter().filter(|_| !is_usual && !is_empty);
            let usual = usual.map(|it| Value::Str((*it).to_owned()));
            if letters.len() <= SHORT_TEXT && letters.iter().all(is_plain) {
                return usual.collect();
            }
            let parts = parts(&letters).into_iter();
            let parts = parts.map(|it| Value::Str(it.into_iter().collect()));
            usual.chain(parts).collect()
        }
        Value::List(items) => {
            let shorter = match items.len() > SHORT_LIST {
                true => parts(items),
                false => Vec::new(),
            };
            let inner = within(items).map(Value::List);
            shorter.into_iter().map(Value::List).chain(inner).collect()
        }
        Value::Tuple(items) => within(items).map(Value::Tuple).collect(),
        Value::Named { path, fields } if path == "Some" => {
            let inner = fields.iter().flat_map(|(_, it)| plainer(it));
            inner.map(Value::some).collect()
        }
        _ => Vec::new(),
    }
}

/// Copies of the list, each with one item made plainer.
fn within(items: &[Value]) -> impl Iterator<Item = Vec<Value>> {
    items.iter().enumerate().flat_map(move |(i, item)| {
        plainer(item).into_iter().map(move |plain| {
            let mut all = items.to_vec();
            all[i] = plain;
            all
        })
    })
}

/// Smaller numbers with fewer digits. The limits of integer types stay, because they are printed by
/// name.
fn smaller(number: u128) -> impl Iterator<Item = u128> {
    let is_limit = [8, 16, 32, 64, 128].iter().any(|bits| {
        let max = u128::MAX >> (128 - bits);
        number == max || number == max / 2 || number == max / 2 + 1
    });
    let is_small = number <= SMALL_NUMBER || is_limit;
    let is_odd = number > ODD_NUMBER && !is_limit;
    let usual = USUAL_NUMBERS.iter().copied().filter(move |_| is_odd);
    let round = [
        7,
        12,
        100,
        300,
        1_000,
        5_000,
        70_000,
        1_000_000,
        5_000_000_000,
    ];
    let n_digits = move |n: u128| n.checked_ilog10().unwrap_or(0);
    let below = [1, 2, 3, 4].map(|part| number - number / (part + 1));
    round
        .into_iter()
        .filter(move |it| n_digits(*it) < n_digits(number))
        .chain(
            below
                .into_iter()
                .filter(move |it| n_digits(*it) < n_digits(number)),
        )
        .filter(move |_| !is_small)
        .chain(usual)
}

/// Parts of a list: beginnings and ends of a few lengths, and the list without a piece, the
/// shortest first.
fn parts<T: Clone + PartialEq>(whole: &[T]) -> Vec<Vec<T>> {
    let n = whole.len();
    let lengths = [1, 3, SHORT_TEXT, n / 2, n - n / 4];
    let mut found: Vec<Vec<T>> = Vec::new();
    for length in lengths.into_iter().filter(|it| (1..n).contains(it)) {
        found.push(whole[..length].to_vec());
        found.push(whole[n - length..].to_vec());
    }
    let step = (n / 8).max(1);
    for i in (0..n).step_by(step) {
        let mut rest = whole.to_vec();
        rest.drain(i..(i + step).min(n));
        found.push(rest);
    }
    found.retain(|part| !part.is_empty());
    found.sort_by_key(Vec::len);
    found.dedup();
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left if every plainer value is taken that the predicate holds for.
    fn plainest(mut value: Value, is_good: impl Fn(&Value) -> bool) -> Value {
        while let Some(other) = plainer(&value).into_iter().find(|it| is_good(it)) {
            value = other;
        }
        value
    }

    #[test]
    fn noise_goes_and_what_is_short_stays() {
        let noise = Value::Str("1.9.0-a.lpa.lp11.00.1c144.a44".to_owned());
        let has_dash = |it: &Value| matches!(it, Value::Str(text) if text.contains('-'));
        assert_eq!(plainest(noise, has_dash), Value::Str("1.9.0-a.".to_owned()));
        let usual = Value::Str("abc".to_owned());
        assert!(plainer(&usual).is_empty());
        let large = Value::UInt(18_446_744_073_709_551_557);
        assert_eq!(plainest(large, |_| true), Value::UInt(7));
        assert!(plainer(&Value::UInt(u128::from(u64::MAX))).is_empty());
        assert!(plainer(&Value::UInt(12)).is_empty());
        assert_eq!(plainest(Value::UInt(42), |_| true), Value::UInt(1));
        let items = Value::List([1, 2, 3, 4, 5].map(Value::UInt).to_vec());
        let has_four = |it: &Value| matches!(it, Value::List(list) if list.len() > 3);
        let four = Value::List([1, 2, 3, 4].map(Value::UInt).to_vec());
        assert_eq!(plainest(items, has_four), four);
    }
}
