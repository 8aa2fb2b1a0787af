//! Leaves out tests that assert nothing of their own: other tests make each of their calls from the
//! same states, and assert the results.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use testsmith_api::Origin;
use testsmith_emit::{Check, Subject, TestCase, TestKind};
use testsmith_explore::digest;
use testsmith_harness::GuestError;
use testsmith_protocol::Use;
use testsmith_record::Drops;
use testsmith_sequence::{Arg, SlotIdx, Step, World};
use testsmith_states::{Look, StateBy, executions_and_looks};

use crate::budget::Budget;
use crate::sights::{Sights, Test};
use testsmith_equip::Executor;

/// Leaves out tests that are redundant by their whole states, one after another, those of the least
/// worth first.
pub(super) fn leave_out(
    world: &World,
    executor: &mut Executor,
    tests: Vec<TestCase>,
    budget: &Budget<'_>,
    drops: &mut Drops,
) -> Result<Vec<TestCase>, GuestError> {
    if budget.is_over(executor.work) {
        budget.give_up("test", "ask whether it is redundant", tests.len(), drops);
        return Ok(tests);
    }
    let all: Vec<&TestCase> = tests.iter().collect();
    let redundant = redundant(world, executor, &all)?;
    drops.add(
        "test",
        "others make the same calls from the same states, and assert the same",
        redundant.len() as u64,
    );
    let tests = tests.into_iter().enumerate();
    let tests = tests.filter(|(i, _)| !redundant.contains(i));
    Ok(tests.map(|(_, test)| test).collect())
}

fn redundant(
    world: &World,
    executor: &mut Executor,
    tests: &[&TestCase],
) -> Result<BTreeSet<usize>, GuestError> {
    // A test that makes a call with literals that no other test has is not redundant. So only
    // doubtful tests are run, and those that share a call with one.
    let coarse: Vec<BTreeSet<u64>> = tests.iter().map(|it| coarse(world, it)).collect();
    let mut n_tests: FxHashMap<u64, usize> = FxHashMap::default();
    for key in coarse.iter().flatten() {
        *n_tests.entry(*key).or_default() += 1;
    }
    // A test without calls of the crate's own is not compared: it has no executions.
    let is_doubtful =
        |keys: &BTreeSet<u64>| !keys.is_empty() && keys.iter().all(|key| n_tests[key] > 1);
    let doubtful: BTreeSet<usize> = (0..tests.len())
        .filter(|i| is_doubtful(&coarse[*i]))
        .collect();
    let in_doubt: BTreeSet<u64> = doubtful
        .iter()
        .flat_map(|i| coarse[*i].iter().copied())
        .collect();
    let near: Vec<usize> = (0..tests.len())
        .filter(|i| !coarse[*i].is_disjoint(&in_doubt))
        .collect();
    let runs: Vec<Test> = near.iter().map(|i| as_run(tests[*i])).collect();
    let sights = Sights::of(world, executor, &runs)?;
    let mut made: FxHashMap<usize, BTreeSet<u64>> = FxHashMap::default();
    let mut n_makers: FxHashMap<u64, usize> = FxHashMap::default();
    for (at, i) in near.iter().enumerate() {
        let (test, looks) = (tests[*i], looks(tests[*i]));
        let view = sights.view(at);
        let by = StateBy::WholeState;
        let keys = executions_and_looks(world, &test.sequence, &looks, by, &view);
        let keys: BTreeSet<u64> = keys.into_iter().collect();
        for key in &keys {
            *n_makers.entry(*key).or_default() += 1;
        }
        made.insert(*i, keys);
    }
    let mut order: Vec<usize> = doubtful.into_iter().collect();
    order.sort_by_key(|i| (tests[*i].worth.kills.len(), tests[*i].worth.regions.len()));
    let mut redundant = BTreeSet::new();
    for i in order {
        let keys = &made[&i];
        if keys.iter().all(|key| n_makers[key] > 1) {
            for key in keys {
                *n_makers.entry(*key).or_default() -= 1;
            }
            redundant.insert(i);
        }
    }
    Ok(redundant)
}

/// Digests of a test's calls with their literals, whatever the states.
fn coarse(world: &World, test: &TestCase) -> BTreeSet<u64> {
    let literals = |args: &[Arg]| -> Vec<Option<u64>> {
        let literal = |arg: &Arg| match arg {
            Arg::Literal(value) => Some(digest(value)),
            Arg::Slot(..) => None,
        };
        args.iter().map(literal).collect()
    };
    let calls = test.sequence.steps().iter().filter_map(|step| match step {
        Step::Call { op, args, .. } => {
            let is_own = matches!(world.catalogue.operation(*op).origin, Origin::Callable(_));
            is_own.then(|| digest(&(op, literals(args))))
        }
        Step::Drop(_) => None,
    });
    let looks = looks(test).into_iter().filter_map(|(_, look)| match look {
        Look::Call(op, args) => Some(digest(&(op, literals(&args)))),
        Look::Value(_) => None,
    });
    calls.chain(looks).collect()
}

/// What a test asserts, as looks at values and calls of observers.
pub fn looks(test: &TestCase) -> Vec<(usize, Look)> {
    let look = |check: &Check| -> Vec<Look> {
        let lent = |slot: &SlotIdx| Arg::Slot(*slot, Use::Shared);
        match &check.subject {
            Subject::Slot(slot) => vec![Look::Value(*slot)],
            Subject::Observer { op, slot, .. } => {
                vec![Look::Call(*op, vec![lent(slot)])]
            }
            Subject::Equals { slot, op, args } => {
                vec![Look::Value(*slot), Look::Call(*op, args.to_vec())]
            }
        }
    };
    let checks = test.checks.iter();
    let looks = checks.flat_map(|check| {
        let after = usize::from(check.after.0) + 1;
        look(check).into_iter().map(move |it| (after, it))
    });
    looks.collect()
}

/// The test in the form in which tests are run and compared.
pub fn as_run(test: &TestCase) -> Test {
    let n_steps = test.sequence.steps().len();
    let n_returned = match test.kind {
        TestKind::Regression => n_steps,
        TestKind::ShouldPanic { .. } | TestKind::Failure { .. } => n_steps.saturating_sub(1),
    };
    Test {
        sequence: test.sequence.clone(),
        n_returned,
        entered: BTreeSet::new(),
        fuel: 0,
        failure: None,
    }
}
