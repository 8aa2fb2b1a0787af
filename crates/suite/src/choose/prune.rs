//! Keeps few cases that together do all that the chosen ones do, and of each the assertions that it
//! needs.
//!
//! **Duties.** A case is chosen while little is known of the others: kinds of arguments and of results
//! are only a guess at what is worth showing. Once it is known what every case kills and where it goes,
//! a case earns its place by a duty: a mutant that it kills, a region that it enters, or a callable that
//! it calls. Few short cases that do all duties are kept. A second value, a clone of a clone or
//! the same call on another instance of a generic type is no duty, so it needs a mutant or a
//! branch that nothing else shows. It used to be that every new kind of result was worth a case;
//! readers of such suites found that they show much and say little.
//!
//! **Few assertions, the strongest first.** What a call gives is asserted, and of every value that it
//! changes one thing: the whole value if that can be written, else what says most. Others are
//! asserted only where a mutant is noticed by nothing else. Capacities and private `Debug` text come
//! last: they change although nothing has broken.

use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_api::{COLLECT_SORTED, CallableId, Form, OperationId, Origin, TypeIdx};
use testsmith_emit::{Check, Subject, assertable};
use testsmith_protocol::{MutantId, RegionId, Value};
use testsmith_record::Drops;
use testsmith_sequence::{Arg, SlotIdx, Step, World};

use super::kill::bit;
use super::usual::{literals, oddness};
use super::{Candidate, reduce};
use crate::simplify::reading as read;

/// What a case may be there for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Duty {
    /// It calls this, or asks it in an assertion.
    Call(CallableId),
    /// It enters this region.
    Enter(RegionId),
    /// It kills this mutant.
    Kill(MutantId),
}

/// Removes cases that have no duty, and assertions that no duty needs.
/// `known` are texts that the crate's people wrote.
pub(super) fn prune(
    world: &World,
    known: &BTreeSet<String>,
    cases: &mut Vec<Candidate>,
    drops: &mut Drops,
) {
    let n_before = cases.len();
    cases.retain(|case| !runs_nothing(world, case));
    let costs: Vec<usize> = cases.iter().map(|it| cost(world, known, it)).collect();
    // What a case does by the way is its duty only if no case does it by the call that it is about.
    let mut done = FxHashSet::default();
    let own: Vec<Vec<Duty>> = cases.iter().map(|it| own_duties(world, it)).collect();
    let mut order = few(&own, &costs, &done);
    done.extend(order.iter().flat_map(|i| &own[*i]).copied());
    let all: Vec<Vec<Duty>> = cases.iter().map(|it| duties(world, it)).collect();
    done.extend(order.iter().flat_map(|i| &all[*i]).copied());
    let more = few(&all, &costs, &done);
    order.extend(
        more.into_iter()
            .filter(|i| !order.contains(i))
            .collect::<Vec<_>>(),
    );
    // An observer is asked for itself only if no case is about it.
    let called = order.iter().flat_map(|i| makers(world, &cases[*i]));
    let called: FxHashSet<CallableId> = called.collect();
    let mut done = FxHashSet::default();
    let mut n_checks = 0;
    for i in &order {
        n_checks += trim(world, &mut cases[*i], &called, &mut done);
    }
    let kept: BTreeSet<usize> = order.into_iter().collect();
    let mut i = 0;
    cases.retain(|_| {
        i += 1;
        kept.contains(&(i - 1))
    });
    let n_gone = (n_before - cases.len()) as u64;
    drops.add("execution", "others show all that it shows", n_gone);
    drops.add(
        "answer",
        "no mutant needs it, and another one says more",
        n_checks,
    );
}

/// What a case could be there for by the call that it is about, by calls that make what others are
/// given, and by what it asserts.
fn own_duties(world: &World, case: &Candidate) -> Vec<Duty> {
    let asked = case.case.checks.iter().filter_map(|it| asks(world, it));
    let calls = makers(world, case).into_iter().chain(asked);
    let enters = case.regions.iter().map(|it| Duty::Enter(it.region()));
    let kills = case.kills.iter().map(|it| Duty::Kill(it.mutant));
    calls.map(Duty::Call).chain(enters).chain(kills).collect()
}

/// The callable that a case is about, and those that make what others are given.
fn makers(world: &World, case: &Candidate) -> Vec<CallableId> {
    let sequence = &case.case.sequence;
    let about = callable(world, reduce::about(world, case.operation, sequence));
    let is_used = |out: SlotIdx| {
        let mut args = sequence.steps().iter().flat_map(|step| match step {
            Step::Call { args, .. } => &args[..],
            Step::Drop(_) => &[],
        });
        args.any(|arg| matches!(arg, Arg::Slot(slot, _) if *slot == out))
    };
    let makers = sequence.steps().iter().filter_map(|step| match step {
        Step::Call { op, out, .. } if is_used(*out) => callable(world, *op),
        _ => None,
    });
    about.into_iter().chain(makers).collect()
}

/// Does a case do this?
pub(super) fn does(world: &World, case: &Candidate, wanted: &[Duty]) -> bool {
    let done: FxHashSet<Duty> = duties(world, case).into_iter().collect();
    wanted.iter().all(|duty| done.contains(duty))
}

/// What a case could be there for.
fn duties(world: &World, case: &Candidate) -> Vec<Duty> {
    let calls = called(world, case).into_iter().map(Duty::Call);
    let asked = case
        .case
        .checks
        .iter()
        .filter_map(|it| asks(world, it))
        .map(Duty::Call);
    let enters = case.entered.iter().map(|it| Duty::Enter(*it));
    let kills = case.kills.iter().map(|it| Duty::Kill(it.mutant));
    calls.chain(asked).chain(enters).chain(kills).collect()
}

/// The callables that a case calls.
fn called(world: &World, case: &Candidate) -> BTreeSet<CallableId> {
    operations(case)
        .filter_map(|op| callable(world, op))
        .collect()
}

/// The operations that a case calls.
fn operations(case: &Candidate) -> impl Iterator<Item = OperationId> + '_ {
    case.case
        .sequence
        .steps()
        .iter()
        .filter_map(|step| match step {
            Step::Call { op, .. } => Some(*op),
            Step::Drop(_) => None,
        })
}

/// The callable of an operation that is worth a test for itself. What is derived is the compiler's
/// code, and `Debug` is for whoever debugs: a test of either needs a mutant or a branch.
fn callable(world: &World, op: OperationId) -> Option<CallableId> {
    let operation = world.catalogue.operation(op);
    let Origin::Callable(callable) = operation.origin else {
        return None;
    };
    let of_trait = match &operation.form {
        // No code of the crate runs.
        Form::Variant { .. } | Form::StructLiteral { .. } => return None,
        Form::Trait { trait_, .. } => &*trait_.path,
        _ => "",
    };
    // A derived format is somebody's contract, unlike a derived `clone`.
    let derived = world.catalogue.api.callable(callable).derived;
    let is_derived = derived && of_trait.starts_with("std::");
    (of_trait != "std::fmt::Debug" && !is_derived).then_some(callable)
}

/// The callable that a check asks.
fn asks(world: &World, check: &Check) -> Option<CallableId> {
    let op = match &check.subject {
        Subject::Observer { op, .. } | Subject::Equals { op, .. } => *op,
        Subject::Slot(_) => return None,
    };
    callable(world, op)
}

/// What a case costs its reader.
fn cost(world: &World, known: &BTreeSet<String>, case: &Candidate) -> usize {
    let calls = operations(case).map(|op| &world.catalogue.operation(op).form);
    // What a closure of ours gives back says little about the crate.
    let n_closures = calls
        .filter(|it| matches!(it, Form::Closure { .. }))
        .count();
    // That something equals itself is hardly worth saying.
    let is_of_itself = case.case.sequence.steps().iter().any(|step| match step {
        Step::Call { args, .. } => (1..args.len()).any(|i| {
            matches!(&args[i], Arg::Slot(slot, _) if args[..i].iter().any(
                |before| matches!(before, Arg::Slot(other, _) if other == slot)
            ))
        }),
        Step::Drop(_) => false,
    });
    // Whoever reads private text does not learn what the crate promises.
    let checks = &case.case.checks;
    let is_text = !checks.is_empty() && checks.iter().all(|it| telling(world, case, it) >= TEXT);
    // One item has no order, and nothing to tell it from.
    let is_single = checks.iter().any(
        |it| matches!(&it.value, Value::List(items) | Value::Unordered(items) if items.len() == 1),
    );
    // Nothing is the least that a test can find.
    let is_bare = checks.iter().all(|it| is_nothing(&it.value));
    2 + read(world, &case.case.sequence) / 2
        + literals(&case.case.sequence)
            .map(|it| oddness(it, known))
            .sum::<usize>()
        + 2 * n_closures
        + 2 * usize::from(is_bare)
        + usize::from(is_single)
        + 8 * usize::from(is_of_itself || is_text)
}

/// Is it what one has before anything was done: zero, nothing, an empty list?
pub(super) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Int(0) | Value::UInt(0) => true,
        Value::Str(text) => text.is_empty(),
        Value::List(items) | Value::Unordered(items) => items.is_empty(),
        Value::Named { path, .. } => path == "None",
        Value::Tuple(parts) => parts.iter().all(is_nothing),
        _ => false,
    }
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

/// Keeps the assertions that a case needs, and gives how many are gone. `done` are the duties that
/// cases before it do; those that the case does are added. `called` are the callables that some case
/// is about.
fn trim(
    world: &World,
    case: &mut Candidate,
    called: &FxHashSet<CallableId>,
    done: &mut FxHashSet<Duty>,
) -> u64 {
    let checks = &case.case.checks;
    let rank: Vec<u8> = checks.iter().map(|it| telling(world, case, it)).collect();
    let mut keep = vec![false; checks.len()];
    // The most telling check of every value that the case looks at.
    let mut seen: Vec<_> = checks.iter().map(about).collect();
    seen.dedup();
    for slot in seen {
        let own = (0..checks.len()).filter(|i| about(&checks[*i]) == slot);
        if let Some(best) = own.min_by_key(|i| (rank[*i], roundabout(world, &checks[*i])))
            && (rank[best] < TEXT || !keep.contains(&true))
        {
            keep[best] = true;
        }
    }
    for (i, check) in checks.iter().enumerate() {
        let asked = asks(world, check).filter(|it| !called.contains(it));
        keep[i] |= asked.is_some_and(|it| !done.contains(&Duty::Call(it)));
    }
    let open = case
        .kills
        .iter()
        .filter(|it| !done.contains(&Duty::Kill(it.mutant)));
    let mut open: Vec<u64> = open.map(|it| it.checks).collect();
    loop {
        open.retain(|checks| {
            let mut kept = (0..keep.len()).filter(|i| keep[*i]);
            *checks != u64::MAX && !kept.any(|i| checks & bit(i) != 0)
        });
        let noticed = |i: usize| open.iter().filter(|it| **it & bit(i) != 0).count();
        let rest = (0..keep.len()).filter(|i| !keep[*i] && noticed(*i) > 0);
        let Some(best) = rest.max_by_key(|i| (noticed(*i), std::cmp::Reverse(rank[*i]))) else {
            break;
        };
        keep[best] = true;
    }
    let n_gone = keep.iter().filter(|keep| !**keep).count();
    case.retain_checks(&keep);
    let own = duties(world, case).into_iter();
    case.duties = own.filter(|duty| done.insert(*duty)).collect();
    n_gone as u64
}

/// The slot that a check looks at.
fn about(check: &Check) -> u16 {
    match &check.subject {
        Subject::Slot(slot) | Subject::Observer { slot, .. } | Subject::Equals { slot, .. } => {
            slot.0
        }
    }
}

/// The rank from which on a check is made only where nothing else is said.
const TEXT: u8 = 4;

/// How little a check tells: 0 for a whole value, then numbers, flags and shapes; text that shows
/// private fields and what is no matter of behaviour come last.
fn telling(world: &World, case: &Candidate, check: &Check) -> u8 {
    if is_incidental(world, check) {
        return TEXT + 1;
    }
    if check.value.any(&mut |part| matches!(part, Value::Debug(_)))
        && !matches!(check.subject, Subject::Equals { .. })
    {
        return TEXT;
    }
    let ty: TypeIdx = match &check.subject {
        Subject::Equals { .. } => return 0,
        Subject::Slot(slot) => world.signature(case.case.sequence.maker(*slot).0).output.ty,
        Subject::Observer { op, then, .. } => world.signature(then.unwrap_or(*op)).output.ty,
    };
    let is_result = matches!(&check.subject, Subject::Slot(slot) if *slot == case.trial.out);
    match &check.value {
        _ if assertable(world, ty, &check.value) < 3 => 3,
        _ if is_result => 0,
        Value::Bool(_) => 2,
        Value::Int(_) | Value::UInt(_) | Value::F32(_) | Value::F64(_) => 1,
        Value::Named { fields, .. } if fields.is_empty() => 2,
        _ => 0,
    }
}

/// How far about a check asks: a method of the type's own is how anybody would ask, then text, then
/// what a conversion for other code gives.
fn roundabout(world: &World, check: &Check) -> u8 {
    let Subject::Observer { op, then, .. } = &check.subject else {
        return 0;
    };
    match &world.catalogue.operation(*op).form {
        // Whoever knows the order asserts it.
        _ if then.is_some_and(|it| is_sorted(world, it)) => 1,
        Form::Inherent { .. } | Form::Field { .. } => 0,
        Form::Recipe { .. } => 1,
        Form::Trait { trait_, .. } => match &*trait_.path {
            "std::string::ToString" | "std::fmt::Display" => 1,
            "std::ops::Deref" => 2,
            _ => 3,
        },
        _ => 2,
    }
}

/// Does the operation put all items of an iterator into an order that they do not have?
fn is_sorted(world: &World, op: OperationId) -> bool {
    let form = &world.catalogue.operation(op).form;
    matches!(form, Form::Recipe { template } if &**template == COLLECT_SORTED)
}

/// Does the check ask for something that may change although nothing has broken?
fn is_incidental(world: &World, check: &Check) -> bool {
    let Subject::Observer { op, .. } = &check.subject else {
        return false;
    };
    match &world.catalogue.operation(*op).form {
        Form::Inherent { name, .. } | Form::Trait { name, .. } => {
            name.contains("capacity") || name.ends_with("_ptr") || &**name == "size_hint"
        }
        _ => false,
    }
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
