//! Makes tests of cases: a case is a test, and cases that differ in literals only are rows of one.
//!
//! **One story a test.** Cases of several operations used to share a test, so that there were no more
//! tests than a type may have. Nobody could say what such a test was about. What does not fit is left
//! out now. Only cases that each say a part of the same are told together ([`super::story`]).

use std::collections::BTreeMap;

use testsmith_api::{Form, OperationId, Origin};
use testsmith_emit::{Act, Check, TestCase, TestKind, Worth, is_table};
use testsmith_protocol::{Use, Value};
use testsmith_sequence::{Arg, Builder, SlotIdx, Step, StepIdx, World};

use super::check::length;
use super::reduce::about;
use super::story::stories;
use super::{Candidate, Room};

/// The most cases of a test that are no rows of a table.
const MAX_BLOCKS: usize = 3;
/// The most if they are about an operator: both operands may be values or references.
const MAX_OPERATORS: usize = 4;
/// The most lines of such a case, and of all.
const MAX_LINES: usize = 8;
const MAX_LINES_IN_ALL: usize = 22;
/// The most rows of a table.
const MAX_ROWS: usize = 16;

/// Makes tests of the cases of one type, in the order of its operations. The second result says how
/// many were left out, because there may be no more. What the suite relies on a case for is not left
/// out, unless the user says how many tests there may be.
pub(super) fn join(
    world: &World,
    chosen: Vec<Candidate>,
    max_tests: usize,
    room: Room,
) -> (Vec<TestCase>, usize) {
    let mut by_operation: BTreeMap<OperationId, Vec<Candidate>> = BTreeMap::new();
    for candidate in chosen {
        let list = by_operation.entry(candidate.operation).or_default();
        list.push(candidate);
    }
    let mut groups: Vec<Group> = Vec::new();
    for cases in by_operation.into_values() {
        let tables = match room.apart {
            true => cases.into_iter().map(|it| vec![it]).collect(),
            false => tables(world, cases),
        };
        let numbered = tables.into_iter().enumerate();
        groups.extend(numbered.map(|(n_before, cases)| Group {
            n_before,
            cases,
            story: None,
        }));
    }
    if !room.apart {
        tell(world, &mut groups);
        groups = gather(world, groups);
    }
    // If there are too many tests, those go first that enter no code and kill no mutant of their own,
    // and of those the last ones of operations that have several.
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|i| {
        let group = &groups[*i];
        let is_essential = group.cases.iter().any(|it| it.essential);
        (group.n_before > 0, !is_essential, group.n_before)
    });
    let is_needed = |i: &usize| {
        let mut cases = groups[*i].cases.iter();
        room.grows && cases.any(|it| !it.duties.is_empty())
    };
    let n_groups = order.len();
    let ranked = order.into_iter().enumerate();
    let kept = ranked.filter(|(rank, i)| *rank < max_tests || is_needed(i));
    let mut kept: Vec<usize> = kept.map(|(_, i)| i).collect();
    let n_over = n_groups - kept.len();
    kept.sort_unstable();
    let mut groups: Vec<Option<Group>> = groups.into_iter().map(Some).collect();
    let kept = kept.into_iter().filter_map(|i| groups[i].take());
    let tests = kept.filter_map(|group| match group.story {
        Some(story) => Some(TestCase {
            worth: worth(&group.cases.iter().collect::<Vec<_>>()),
            parts: parts(world, &group.cases),
            ..story
        }),
        None => joined(world, group.cases),
    });
    (tests.collect(), n_over)
}

/// The cases of one test.
struct Group {
    /// How many tests its operation has before it.
    n_before: usize,
    cases: Vec<Candidate>,
    /// The story that they tell, if they are no rows of a table.
    story: Option<TestCase>,
}

/// Tells cases together that each say a part of one story. The story stands where that case was which
/// it is about.
fn tell(world: &World, groups: &mut Vec<Group>) {
    let single: Vec<usize> = (0..groups.len())
        .filter(|i| groups[*i].cases.len() == 1)
        .collect();
    let cases: Vec<&Candidate> = single.iter().map(|i| &groups[*i].cases[0]).collect();
    for told in stories(world, &cases) {
        let Some((last, others)) = told.of.split_last() else {
            continue;
        };
        let mut cases: Vec<Candidate> = Vec::new();
        for i in others {
            cases.append(&mut groups[single[*i]].cases);
        }
        let group = &mut groups[single[*last]];
        cases.append(&mut group.cases);
        group.cases = cases;
        group.story = Some(told.case);
    }
    groups.retain(|it| !it.cases.is_empty());
}

/// Puts short cases of one callable together, those that fail apart from the others. Each is a few lines
/// of one test.
fn gather(world: &World, groups: Vec<Group>) -> Vec<Group> {
    let mut gathered: Vec<Group> = Vec::new();
    let mut open: BTreeMap<(Kin, bool), usize> = BTreeMap::new();
    for group in groups {
        let short = match &group.cases[..] {
            [only] if group.story.is_none() && length(&only.case.sequence) <= MAX_LINES => only,
            _ => {
                gathered.push(group);
                continue;
            }
        };
        let op = about(world, short.operation, &short.case.sequence);
        let key = (kin(world, op), fails(short));
        let lines = |it: &Candidate| length(&it.case.sequence) + it.case.checks.len();
        let has_room = |of: &Group| {
            let max = match &key.0 {
                Kin::Operator(_) => MAX_OPERATORS,
                Kin::Callable(_) => MAX_BLOCKS,
            };
            of.cases.len() < max
                && of.cases.iter().chain([short]).map(lines).sum::<usize>() <= MAX_LINES_IN_ALL
        };
        match open.get(&key) {
            Some(at) if has_room(&gathered[*at]) => gathered[*at].cases.extend(group.cases),
            _ => {
                open.insert(key, gathered.len());
                gathered.push(group);
            }
        }
    }
    gathered
}

/// What short cases are told together by.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Kin {
    /// They call this.
    Callable(Origin),
    /// They call an operator of these operands, by value or by reference.
    Operator(String),
}

/// An operator of two values, of a value and a reference, and so on is one thing to whoever uses it.
fn kin(world: &World, op: OperationId) -> Kin {
    let operation = world.catalogue.operation(op);
    match &operation.form {
        Form::Trait { trait_, .. } if trait_.path.starts_with("std::ops::") => {
            let inputs = operation.signature.inputs.iter();
            let operands = inputs.map(|it| {
                let text = &world.catalogue.types.get(it.ty.ty).text;
                text.trim_start_matches("&'static ").to_owned()
            });
            let operands: Vec<String> = operands.collect();
            Kin::Operator(format!("{} {}", trait_.path, operands.join(" ")))
        }
        _ => Kin::Callable(operation.origin),
    }
}

/// Does the case end in an error or a panic?
fn fails(candidate: &Candidate) -> bool {
    let is_err = |it: &Check| matches!(&it.value, Value::Named { path, .. } if path == "Err");
    !matches!(candidate.case.kind, TestKind::Regression) || candidate.case.checks.iter().any(is_err)
}

/// Puts cases of one operation together that differ in literals only.
fn tables(world: &World, cases: Vec<Candidate>) -> Vec<Vec<Candidate>> {
    let mut tables: Vec<Vec<Candidate>> = Vec::new();
    for candidate in cases {
        let fits = |table: &&mut Vec<Candidate>| {
            let rows = table.iter().chain([&candidate]).map(|it| &it.case);
            let is_alike = table[0].n_steps.abs_diff(candidate.n_steps) < 4;
            is_alike
                && table.len() < MAX_ROWS
                && is_table(world, &rows.collect::<Vec<_>>())
                && fails(&table[0]) == fails(&candidate)
                && !asks_one_state(world, &table[0], &candidate)
        };
        match tables.iter_mut().find(fits) {
            Some(table) => table.push(candidate),
            None => tables.push(vec![candidate]),
        }
    }
    tables
}

/// Do both cases ask about one value, which is made in steps of its own? Then they are told as one story.
fn asks_one_state(world: &World, a: &Candidate, b: &Candidate) -> bool {
    let before = |it: &Candidate| {
        let steps = it.case.sequence.steps();
        let (last, before) = steps.split_last()?;
        let Step::Call { op, args, .. } = last else {
            return None;
        };
        let is_asked = matches!(args.first(), Some(Arg::Slot(_, Use::Shared | Use::Copy)));
        let is_lasting = !world.signature(*op).inputs.is_empty();
        (is_asked && is_lasting && !before.is_empty()).then(|| before.to_vec())
    };
    before(a).is_some_and(|it| Some(it) == before(b))
}

/// One test that runs these cases one after another.
fn joined(world: &World, group: Vec<Candidate>) -> Option<TestCase> {
    if group.len() < 2 {
        return group.into_iter().next().map(|candidate| {
            let op = about(world, candidate.operation, &candidate.case.sequence);
            TestCase {
                worth: worth(&[&candidate]),
                acts: vec![Act {
                    op,
                    first: StepIdx(0),
                }],
                ..candidate.case
            }
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
            checks.push(Check {
                after: StepIdx(check.after.0 + first_step),
                subject: check.subject.moved(|it| Some(shift(it)))?,
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
        parts: parts(world, &group),
    })
}

/// Each case as a test of its own.
fn parts(world: &World, group: &[Candidate]) -> Vec<TestCase> {
    let alone = group.iter().map(|it| joined(world, vec![it.clone()]));
    alone.flatten().collect()
}

fn worth(group: &[&Candidate]) -> Worth {
    let kills = group.iter().flat_map(|it| &it.kills);
    Worth {
        regions: group.iter().flat_map(|it| &it.entered).copied().collect(),
        kills: kills.map(|kill| kill.mutant).collect(),
        told: Vec::new(),
    }
}
