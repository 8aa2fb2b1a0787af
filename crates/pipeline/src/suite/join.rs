//! Several cases in one test.

use std::collections::BTreeMap;

use testsmith_api::OperationId;
use testsmith_emit::{Check, Subject, TestCase, TestKind, Worth};
use testsmith_sequence::{Builder, SlotIdx, StepIdx, World};

use super::reduce::about;
use super::{CASES_PER_TEST, Candidate};

/// Steps of a test with several cases.
const MAX_JOINED_STEPS: usize = 56;

/// Cases of one operation in one test, a few at a time. A type with more operations than tests has
/// several operations in one. If they stand `apart`, each case is a test.
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
    // (how many tests the operation has before this one, its cases): every operation's first test
    // comes before any operation's second.
    let mut groups: Vec<(usize, Vec<Candidate>)> = Vec::new();
    for cases in by_operation.into_values() {
        let mut n_before = 0;
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
    // If there are too many, those go whose code others go through too.
    groups.sort_by_key(|(n_before, group)| {
        let is_essential = group.iter().any(|candidate| candidate.essential);
        (!is_essential, *n_before)
    });
    groups
        .into_iter()
        .filter_map(|(_, group)| joined(world, group))
        .collect()
}

/// One test that runs these cases one after the other.
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
        acts.push(about(world, candidate.operation, &candidate.case.sequence));
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
