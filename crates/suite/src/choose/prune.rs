//! Keeps few cases that together do all that the chosen ones do, and of each the assertions that it
//! needs.
//!
//! **Duties.** A case is chosen while little is known of the others: kinds of arguments and of results
//! are only a guess at what is worth showing. Once it is known what every case kills and where it goes,
//! a case earns its place by a [`Duty`]: a mutant that it kills, a region that it enters, a callable that
//! it calls, or a side of what that answers. Few short cases that do all duties are kept. A second value, a
//! clone of a clone or the same call on another instance of a generic type is no duty, so it needs a
//! mutant or a branch that nothing else shows. It used to be that every new kind of result was worth a
//! case; readers of such suites found that they show much and say little.
//!
//! **A test earns its keep.** Search finds cases that nobody would write, and some of them notice a mutant that nothing
//! else does. Such a case is kept if what only it shows is worth its length. Suites used to keep all of
//! them: of 224 cases of an XML parser, 46 held 27 of 926 kills.
//!
//! **Few assertions, the strongest first.** What a call gives is asserted, and of every value that it
//! changes one thing: the whole value if that can be written, else what says most. Others are
//! asserted only where a mutant is noticed by nothing else. Capacities and private `Debug` text come
//! last: they change although nothing has broken. A capacity is asserted only by a test of what is said to
//! change it.

use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_api::{CallableId, Form};
use testsmith_emit::{Subject, TestKind};
use testsmith_protocol::MutantId;
use testsmith_record::Drops;
use testsmith_sequence::World;

use super::Candidate;
use super::duty::{Duties, Duty, about, callable, operations};
use super::instead::{is_plain, is_plain_closure};
use super::kill::bit;
use super::telling::{TEXT, is_left_out, strength, telling, tells_text_only};
use super::usual::{literals, n_strings, oddness};
use super::weak::{Strongest, Weak};
use crate::simplify::reading as read;

/// What a case may cost its reader for each thing that only it shows.
const COST_OF_DUTY: usize = 8;
/// Private text is asserted if it notices so many mutants that nothing else does.
const LEAST_BY_TEXT: usize = 3;
/// Why a case is left out that shows something.
const NOT_WORTH_READING: &str = "what only it shows is less than what it takes to read";

/// What cases are kept for.
pub(super) struct Pruning<'p> {
    pub(super) world: &'p World,
    /// Texts that the crate's people wrote.
    pub(super) known: &'p BTreeSet<String>,
    /// Is there no other duty than to kill mutants?
    pub(super) only_kills: bool,
    /// Is every case kept that has a duty?
    pub(super) keeps_all: bool,
}

impl Pruning<'_> {
    /// Removes cases that have no duty or are not worth reading, and assertions that no duty needs.
    pub(super) fn prune(&self, cases: &mut Vec<Candidate>, drops: &mut Drops) {
        let n_before = cases.len();
        let duty = Duties::new(self.world, self.only_kills);
        let mut n_checks = 0;
        for case in cases.iter_mut() {
            n_checks += without_incidents(self.world, case) + without_written(self.world, case);
        }
        cases.retain(|case| !runs_nothing(self.world, case) && !shows_nothing(case));
        let weak = cases.iter().map(|it| Weak::of(self.world, it));
        let weak: Vec<Weak> = weak.collect();
        let costs = cases.iter().zip(&weak);
        let costs: Vec<usize> = costs
            .map(|(it, weak)| cost(self.world, self.known, it, weak))
            .collect();
        let mut order = self.order(cases, &weak, &costs, &duty);
        // An observer is asked for itself only if no case is about it.
        let called = order.iter().flat_map(|i| duty.makers(&cases[*i]));
        let called: FxHashSet<CallableId> = called.collect();
        let others = Others {
            least_by_text: match self.keeps_what_it_can() {
                true => 1,
                false => LEAST_BY_TEXT,
            },
            duty: &duty,
            called: &called,
            noticed: noticed_anyway(self.world, cases, &order),
        };
        let mut done = FxHashSet::default();
        for i in &order {
            n_checks += others.trim(self.world, *i, &mut cases[*i], &mut done);
        }
        rely_on(&duty, cases, &order);
        let n_in_order = order.len();
        order.retain(|i| self.is_worth_reading(&duty, &cases[*i], costs[*i]));
        let n_unread = (n_in_order - order.len()) as u64;
        let kept: BTreeSet<usize> = order.into_iter().collect();
        let mut i = 0;
        cases.retain(|_| {
            i += 1;
            kept.contains(&(i - 1))
        });
        let n_gone = (n_before - cases.len()) as u64 - n_unread;
        drops.add("execution", "others show all that it shows", n_gone);
        drops.add("execution", NOT_WORTH_READING, n_unread);
        drops.add(
            "answer",
            "no mutant needs it, and another one says more",
            n_checks,
        );
    }

    /// Is whatever notices a mutant wanted, however it reads?
    fn keeps_what_it_can(&self) -> bool {
        self.only_kills || self.keeps_all
    }

    /// The positions of the cases that do all duties, in the order in which they are relied on.
    fn order(
        &self,
        cases: &[Candidate],
        weak: &[Weak],
        costs: &[usize],
        duty: &Duties<'_>,
    ) -> Vec<usize> {
        let strongest = Strongest::of(self.world, cases, weak);
        let of_strongest = |(case, weak): (&Candidate, &Weak), mut duties: Vec<Duty>| {
            strongest.leave(self.world, case, weak, &mut duties);
            duties
        };
        // What a case does by the way is its duty only if no case does it by the call that it is about.
        let mut done = FxHashSet::default();
        let own = cases.iter().zip(weak);
        let own: Vec<Vec<Duty>> = own.map(|it| of_strongest(it, duty.own(it.0))).collect();
        // A case that nobody would write is there for what plain ones do not.
        let plain = cases.iter().zip(&own).map(|(case, duties)| {
            let is_plain = is_plain(self.world, self.known, case);
            duties.iter().filter(|_| is_plain).copied().collect()
        });
        let plain: Vec<Vec<Duty>> = plain.collect();
        let mut order = few(&plain, costs, &done);
        done.extend(order.iter().flat_map(|i| &own[*i]).copied());
        let odd = few(&own, costs, &done);
        done.extend(odd.iter().flat_map(|i| &own[*i]).copied());
        order.extend(odd);
        let all = cases.iter().zip(weak);
        let all: Vec<Vec<Duty>> = all.map(|it| of_strongest(it, duty.all(it.0))).collect();
        done.extend(order.iter().flat_map(|i| &all[*i]).copied());
        let mut more = few(&all, costs, &done);
        more.retain(|i| !order.contains(i));
        order.extend(more);
        order
    }

    /// Does what only this case shows make up for what it takes to read? A case that nobody would write is kept as
    /// the only one that makes some call or shows a side of its answer, or for so much that no plain case shows.
    fn is_worth_reading(&self, duty: &Duties<'_>, case: &Candidate, cost: usize) -> bool {
        let n_duties = case.duties.len();
        if self.keeps_what_it_can() || n_duties == 0 {
            return n_duties > 0;
        }
        let is_call = |it: &Duty| matches!(it, Duty::Call(_) | Duty::Side(..));
        if case.duties.iter().any(is_call) {
            return true;
        }
        // What an iterator looks like inside is nobody's business.
        if tells_text_only(self.world, case)
            && (n_duties < LEAST_BY_TEXT || duty.shows_iterator(case))
        {
            return false;
        }
        n_duties * COST_OF_DUTY >= cost || is_plain(self.world, self.known, case)
    }
}

/// Says what each case is relied on for: first for what it does by the call that it is about, then for what cases do
/// by the way.
fn rely_on(duty: &Duties<'_>, cases: &mut [Candidate], order: &[usize]) {
    let mut done = FxHashSet::default();
    for i in order {
        let own = duty.own(&cases[*i]).into_iter();
        cases[*i].duties = own.filter(|it| done.insert(*it)).collect();
    }
    for i in order {
        let all = duty.all(&cases[*i]).into_iter();
        cases[*i].duties.extend(all.filter(|it| done.insert(*it)));
    }
}

/// The positions of cases, those first that are read most easily.
pub(super) fn readable_first(
    world: &World,
    known: &BTreeSet<String>,
    cases: &[Candidate],
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_cached_key(|i| {
        let case = &cases[*i];
        let cost = cost(world, known, case, &Weak::of(world, case));
        (!is_plain(world, known, case), cost)
    });
    order
}

/// What a case costs its reader.
fn cost(world: &World, texts: &BTreeSet<String>, case: &Candidate, weak: &Weak) -> usize {
    let calls = operations(case).map(|op| &world.catalogue.operation(op).form);
    // What a closure of ours gives back says little about the crate.
    let n_closures = calls
        .map(|it| match it {
            Form::Closure { template, .. } if is_plain_closure(template) => 1,
            Form::Closure { .. } => 3,
            _ => 0,
        })
        .sum::<usize>();
    // A value that one method fills again and again is read at once.
    let mut known = BTreeSet::new();
    let n_again = operations(case).filter(|op| !known.insert(*op)).count();
    2 + (read(world, &case.case.sequence) - n_again) / 2
        + literals(&case.case.sequence)
            .map(|it| oddness(it, texts))
            .sum::<usize>()
        + n_strings(world, &case.case.sequence)
        + 2 * n_closures
        + 2 * usize::from(weak.is_bare || weak.is_unchanged || weak.is_doubled)
        // A method that nothing was put into before it is called has little to work on.
        + weak.few.map_or(0, |few| [5, 2, 0][few])
        + usize::from(!case.shown)
        + 2 * usize::from(weak.is_sorted)
        + usize::from(weak.is_single)
        + usize::from(weak.is_far)
        + 2 * usize::from(weak.is_incidental)
        + 6 * usize::from(callable(world, about(world, case)).is_none())
        // That something equals itself is hardly worth saying.
        + 8 * usize::from(weak.is_of_itself || weak.is_text || weak.is_idle || weak.is_foreign)
}

/// Few cases that together do all duties, those that do most for their cost first.
/// What is `done` already is no matter.
fn few(duties: &[Vec<Duty>], costs: &[usize], done: &FxHashSet<Duty>) -> Vec<usize> {
    let known = done;
    let mut done = done.clone();
    let gain = |i: usize, done: &FxHashSet<Duty>| {
        let new: BTreeSet<usize> = (0..duties[i].len())
            .filter(|j| !done.contains(&duties[i][*j]))
            .collect();
        new.len() * 10_000 / costs[i]
    };
    // What a case adds only becomes less, so a case that still leads when it is counted again is the
    // best one.
    let mut heap: BinaryHeap<(usize, std::cmp::Reverse<usize>)> = (0..duties.len())
        .map(|i| (gain(i, &done), std::cmp::Reverse(i)))
        .collect();
    let mut order = Vec::new();
    while let Some((_, std::cmp::Reverse(i))) = heap.pop() {
        let now = gain(i, &done);
        if now == 0 {
            continue;
        }
        let is_best = heap
            .peek()
            .is_none_or(|next| (now, std::cmp::Reverse(i)) >= *next);
        if !is_best {
            heap.push((now, std::cmp::Reverse(i)));
            continue;
        }
        done.extend(&duties[i]);
        order.push(i);
    }
    // Cases that came later may do all that an earlier one does.
    let mut n_doing: FxHashMap<Duty, usize> = FxHashMap::default();
    for duty in order.iter().flat_map(|i| distinct(&duties[*i])) {
        *n_doing.entry(duty).or_default() += 1;
    }
    let mut kept: Vec<usize> = Vec::new();
    let mut by_cost = order.clone();
    by_cost.sort_by_key(|i| std::cmp::Reverse(costs[*i]));
    let mut gone = BTreeSet::new();
    for i in by_cost {
        let own = distinct(&duties[i]);
        if own
            .iter()
            .all(|duty| known.contains(duty) || n_doing[duty] > 1)
        {
            own.iter()
                .for_each(|duty| *n_doing.entry(*duty).or_default() -= 1);
            gone.insert(i);
        }
    }
    kept.extend(order.into_iter().filter(|i| !gone.contains(i)));
    kept
}

fn distinct(duties: &[Duty]) -> FxHashSet<Duty> {
    duties.iter().copied().collect()
}

/// What is known of all cases that are kept while the assertions of each are chosen.
struct Others<'o> {
    /// How many mutants private text must notice to be asserted beside something else.
    least_by_text: usize,
    duty: &'o Duties<'o>,
    /// The callables that some case is about.
    called: &'o FxHashSet<CallableId>,
    /// For each mutant, the cases that notice it by what they assert in any event.
    noticed: FxHashMap<MutantId, Vec<usize>>,
}

/// Which cases notice a mutant by what they assert in any event.
fn noticed_anyway(
    world: &World,
    cases: &[Candidate],
    order: &[usize],
) -> FxHashMap<MutantId, Vec<usize>> {
    let mut noticed: FxHashMap<MutantId, Vec<usize>> = FxHashMap::default();
    for i in order {
        let best = best_checks(world, &cases[*i]);
        let best = (0..best.len()).filter(|check| best[*check]);
        let best = best.fold(0, |all, check| all | bit(check));
        let kills = cases[*i].kills.iter();
        for kill in kills.filter(|it| it.checks & best != 0) {
            noticed.entry(kill.mutant).or_default().push(*i);
        }
    }
    noticed
}

/// The most telling check of every value that a case looks at, if it is about what the call gave or changed.
fn best_checks(world: &World, case: &Candidate) -> Vec<bool> {
    let checks = &case.case.checks;
    let mut keep = vec![false; checks.len()];
    let mut seen: Vec<_> = checks.iter().map(|it| it.subject.slot()).collect();
    seen.dedup();
    // Other values are asserted only where a mutant needs it.
    seen.retain(|slot| !case.beside.contains(slot));
    let is_unmoved = |i: usize| case.unmoved.get(i) == Some(&true);
    for slot in seen {
        let own =
            (0..checks.len()).filter(|i| checks[*i].subject.slot() == slot && !is_unmoved(*i));
        if let Some(best) = own.min_by_key(|i| strength(world, case, &checks[*i]))
            && (telling(world, case, &checks[best]) < TEXT || !keep.contains(&true))
        {
            keep[best] = true;
        }
    }
    if !keep.contains(&true)
        && let Some(best) = (0..checks.len()).min_by_key(|i| strength(world, case, &checks[*i]))
    {
        keep[best] = true;
    }
    keep
}

impl Others<'_> {
    /// Keeps the assertions that a case needs, and gives how many are gone. `done` are the duties that
    /// cases before it do; those that the case does are added. What another case notices in any event
    /// needs no assertion here.
    fn trim(
        &self,
        world: &World,
        at: usize,
        case: &mut Candidate,
        done: &mut FxHashSet<Duty>,
    ) -> u64 {
        let checks = &case.case.checks;
        let rank: Vec<u8> = checks.iter().map(|it| telling(world, case, it)).collect();
        let mut keep = best_checks(world, case);
        let mut asked: FxHashSet<CallableId> = FxHashSet::default();
        let kept = (0..keep.len()).filter(|i| keep[*i]);
        asked.extend(kept.flat_map(|i| self.duty.asks(&checks[i])));
        for (i, check) in checks.iter().enumerate() {
            let mut own = self.duty.asks(check).into_iter();
            keep[i] |= own.any(|it| {
                !self.called.contains(&it) && !done.contains(&Duty::Call(it)) && asked.insert(it)
            });
        }
        let is_open = |mutant: MutantId| {
            let mut others = self.noticed.get(&mutant).into_iter().flatten();
            !done.contains(&Duty::Kill(mutant)) && !others.any(|it| *it != at)
        };
        let open = case.kills.iter().filter(|it| is_open(it.mutant));
        let mut open: Vec<u64> = open.map(|it| it.checks).collect();
        loop {
            open.retain(|checks| {
                let mut kept = (0..keep.len()).filter(|i| keep[*i]);
                *checks != u64::MAX && !kept.any(|i| checks & bit(i) != 0)
            });
            let noticed = |i: usize| open.iter().filter(|it| **it & bit(i) != 0).count();
            // Private text changes though nothing has broken: one mutant is not worth that.
            let least = |i: usize| match rank[i] {
                TEXT => self.least_by_text,
                _ => 1,
            };
            let rest = (0..keep.len()).filter(|i| !keep[*i] && noticed(*i) >= least(*i));
            let Some(best) = rest.max_by_key(|i| (noticed(*i), std::cmp::Reverse(rank[*i]))) else {
                break;
            };
            keep[best] = true;
        }
        let n_gone = keep.iter().filter(|keep| !**keep).count();
        case.retain_checks(&keep);
        done.extend(self.duty.all(case));
        n_gone as u64
    }
}

/// Takes away the answers that may change although nothing has broken, unless the case is about what
/// changes them, and gives how many.
fn without_incidents(world: &World, case: &mut Candidate) -> u64 {
    let checks = &case.case.checks;
    let keep: Vec<bool> = checks
        .iter()
        .map(|it| !is_left_out(world, case, it))
        .collect();
    case.retain_checks(&keep);
    keep.iter().filter(|keep| !**keep).count() as u64
}

/// Takes away the answers that a case of a literal has before its eyes: the value as it was written, and its
/// fields. Something else must be left to say.
fn without_written(world: &World, case: &mut Candidate) -> u64 {
    let form = |op| &world.catalogue.operation(op).form;
    let is_written = matches!(
        form(case.operation),
        Form::Variant { .. } | Form::StructLiteral { .. }
    );
    let keep = case.case.checks.iter().map(|check| match &check.subject {
        Subject::Slot(slot) => *slot != case.trial.out,
        Subject::Observer { op, .. } => !matches!(form(*op), Form::Field { .. }),
        Subject::Equals { .. } => true,
    });
    let keep: Vec<bool> = keep.collect();
    if !is_written || !keep.contains(&true) {
        return 0;
    }
    case.retain_checks(&keep);
    keep.iter().filter(|keep| !**keep).count() as u64
}

/// Is there nothing left that the case asserts?
fn shows_nothing(case: &Candidate) -> bool {
    case.case.checks.is_empty() && matches!(case.case.kind, TestKind::Regression)
}

/// Does the case only show that a value is what it was written as? Then no code of the crate runs.
fn runs_nothing(world: &World, case: &Candidate) -> bool {
    let form = &world.catalogue.operation(case.operation).form;
    matches!(form, Form::Variant { .. } | Form::StructLiteral { .. })
        && case.entered.is_empty()
        && case.kills.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kills(mutants: &[u32]) -> Vec<Duty> {
        let mutants = mutants.iter().map(|it| Duty::Kill(MutantId(*it)));
        mutants.collect()
    }

    #[test]
    fn a_case_that_others_make_needless_goes() {
        let duties = [
            kills(&[1, 2]),
            kills(&[1, 2, 3]),
            kills(&[4]),
            kills(&[3, 4]),
        ];
        assert_eq!(few(&duties, &[1, 1, 1, 1], &FxHashSet::default()), [1, 2]);
    }

    #[test]
    fn short_cases_come_before_long_ones() {
        let duties = [kills(&[1, 2]), kills(&[1]), kills(&[2])];
        let none = FxHashSet::default();
        assert_eq!(few(&duties, &[20, 3, 3], &none), [1, 2]);
        assert_eq!(few(&duties, &[4, 3, 3], &none), [0]);
        let done = FxHashSet::from_iter(kills(&[2]));
        assert_eq!(few(&duties, &[9, 3, 3], &done), [1]);
    }
}
