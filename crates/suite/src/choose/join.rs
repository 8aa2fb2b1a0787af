//! Joins several cases into one test.

use std::collections::BTreeMap;

use testsmith_api::{Form, OperationId, Side};
use testsmith_emit::{Act, Check, Subject, TestCase, TestKind, Worth};
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, Builder, SlotIdx, Step, StepIdx, World};

use super::reduce::about;
use super::{CASES_PER_TEST, Candidate};

/// The most steps of a test with several cases.
const MAX_JOINED_STEPS: usize = 56;

/// Joins the cases of one operation to tests of a few cases each. If a type has more operations
/// than tests, cases of several operations share a test. With `apart`, each case is a test.
pub(super) fn join(
    world: &World,
    chosen: Vec<Candidate>,
    max_tests: usize,
    apart: bool,
) -> Vec<TestCase> {
    let mut by_operation: BTreeMap<OperationId, Vec<Candidate>> = BTreeMap::new();
    for candidate in chosen {
        let list = by_operation.entry(candidate.operation).or_default();
        list.push(candidate);
    }
    let separate = by_operation.len() <= max_tests;
    // For each group, how many groups its operation has before it, and its cases. By that number
    // every operation's first test comes before any operation's second.
    let mut groups: Vec<(usize, Vec<Candidate>)> = Vec::new();
    for mut cases in by_operation.into_values() {
        let mut n_before = 0;
        // If the cases need more than one test, those with similar outcomes should share one.
        if cases.len() > CASES_PER_TEST {
            cases.sort_by_cached_key(|candidate| outcome(world, candidate));
        }
        for (i, candidate) in cases.into_iter().enumerate() {
            let has_room = |group: &[Candidate]| {
                let n_steps: usize = group.iter().map(|c| c.n_steps).sum();
                group.len() < CASES_PER_TEST && n_steps + candidate.n_steps <= MAX_JOINED_STEPS
            };
            match groups.last_mut() {
                Some((_, group)) if !apart && (i > 0 || !separate) && has_room(group) => {
                    group.push(candidate)
                }
                _ => {
                    groups.push((n_before, vec![candidate]));
                    n_before += 1;
                }
            }
        }
    }
    // If there are too many tests, those go first whose code other tests go through as well.
    groups.sort_by_key(|(n_before, group)| {
        let is_essential = group.iter().any(|candidate| candidate.essential);
        (!is_essential, *n_before)
    });
    groups
        .into_iter()
        .filter_map(|(_, group)| joined(world, group))
        .collect()
}

/// The outcome by which cases are sorted: a rank of the variant that the call gave, and text such
/// as the message of an error.
fn outcome(world: &World, candidate: &Candidate) -> (u8, String) {
    let mut taken = candidate.case.sequence.steps().iter().filter_map(|step| {
        let Step::Call { op, args, .. } = step else {
            return None;
        };
        match (&world.catalogue.operation(*op).form, &args[..]) {
            (Form::Unwrap(side), [Arg::Slot(from, _)]) if *from == candidate.trial.out => {
                Some(*side)
            }
            _ => None,
        }
    });
    let first = candidate.case.checks.first().map(|check| &check.value);
    let text = |value: Option<&Value>| match value {
        Some(Value::Str(text)) => text.clone(),
        Some(Value::Bool(flag)) => flag.to_string(),
        Some(Value::Named { path, fields }) => match &fields[..] {
            [(_, Value::Named { path: inner, .. })] => format!("{path} {inner}"),
            _ => path.clone(),
        },
        _ => String::new(),
    };
    match (taken.next(), first) {
        (Some(Side::Err), first) => (3, text(first)),
        (Some(_), _) => (0, String::new()),
        (None, Some(Value::Named { path, .. })) => {
            let rank = match &**path {
                "Ok" | "Some" => 0,
                "None" => 2,
                "Err" => 3,
                _ => 1,
            };
            (rank, text(first))
        }
        (None, Some(Value::Bool(flag))) => (1, flag.to_string()),
        _ => (1, String::new()),
    }
}

/// One test that runs these cases one after another.
fn joined(world: &World, group: Vec<Candidate>) -> Option<TestCase> {
    if group.len() < 2 {
        return group.into_iter().next().map(|candidate| TestCase {
            worth: worth(&[&candidate]),
            ..candidate.case
        });
    }
    let mut builder = Builder::new(world);
    let mut checks = Vec::new();
    let mut acts = Vec::new();
    for candidate in &group {
        let first_step = builder.steps().len() as u16;
        let offset = builder.append(&candidate.case.sequence).ok()?;
        let shift = |slot: SlotIdx| SlotIdx(slot.0 + offset);
        for check in &candidate.case.checks {
            let subject = match &check.subject {
                Subject::Slot(slot) => Subject::Slot(shift(*slot)),
                Subject::Observer { op, slot } => Subject::Observer {
                    op: *op,
                    slot: shift(*slot),
                },
                Subject::Equals { slot, op, args } => Subject::Equals {
                    slot: shift(*slot),
                    op: *op,
                    args: args.clone(),
                },
            };
            checks.push(Check {
                after: StepIdx(check.after.0 + first_step),
                subject,
                value: check.value.clone(),
            });
        }
        acts.push(Act {
            op: about(world, candidate.operation, &candidate.case.sequence),
            first: StepIdx(first_step),
        });
    }
    Some(TestCase {
        sequence: builder.finish(),
        checks,
        kind: TestKind::Regression,
        deprecated: false,
        acts,
        worth: worth(&group.iter().collect::<Vec<_>>()),
    })
}

fn worth(group: &[&Candidate]) -> Worth {
    let kills = group.iter().flat_map(|it| &it.kills);
    Worth {
        regions: group.iter().flat_map(|it| &it.entered).copied().collect(),
        kills: kills.map(|kill| kill.mutant).collect(),
    }
}
