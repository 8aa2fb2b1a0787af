//! Tells one story of cases that would each say a part of it.
//!
//! **One state, several questions.** That a new map has no first key, no last key and no items is one fact and not
//! three. So cases that only ask about a state are told together, after the call that led to that state.
//!
//! **Before and after.** That a set does not contain what was not inserted, and contains it once it was, is one
//! story of `contains`.
//!
//! A question takes nothing and changes nothing, so asking it earlier or later makes no difference to the others. Only
//! values that change are asked together: of a number or a version everything could be asked, and a test of all
//! that would be a bag.

use std::collections::BTreeSet;

use testsmith_api::{Form, OperationId, Ty, TypeIdx};
use testsmith_emit::{Act, Check, Subject, TestCase, TestKind};
use testsmith_protocol::Use;
use testsmith_sequence::{Arg, Builder, SlotIdx, Step, StepIdx, World};

use super::Candidate;
use super::duty::{Side, side};
use super::reduce::about;

/// The most assertions of a story. Readers lose the thread after that.
const MAX_CHECKS: usize = 6;
/// The most calls of a story.
const MAX_STEPS: usize = 9;

/// Cases to tell together.
pub(super) struct Told {
    /// The positions of the cases, the one that the story is about last if it has one.
    pub(super) of: Vec<usize>,
    /// The story.
    pub(super) case: TestCase,
}

/// Finds stories among the cases of one type. Each case is in one story at most.
pub(super) fn stories(world: &World, cases: &[&Candidate]) -> Vec<Told> {
    let parts: Vec<Option<Part<'_>>> = cases.iter().map(|it| Part::of(world, it)).collect();
    let mut told = Vec::new();
    let mut taken = BTreeSet::<usize>::new();
    let changing = Changing::of(world);
    let mut order: Vec<usize> = (0..cases.len()).filter(|i| parts[*i].is_some()).collect();
    // What is there is asked for before what is not.
    order.sort_by_key(|i| {
        let length = parts[*i].as_ref().map(|it| it.all.len());
        (length, side(cases[*i]).is_some_and(Side::is_absent))
    });
    for i in &order {
        if taken.contains(i) {
            continue;
        }
        let Some(first) = parts[*i].as_ref().filter(|it| it.is_question) else {
            continue;
        };
        let is_open = |j: &&usize| !taken.contains(*j) && *j != i;
        let questions = order.iter().filter(is_open).filter(|j| {
            let other = parts[**j].as_ref();
            other.is_some_and(|it| {
                it.is_question && it.head() == first.head() && it.given() == first.given()
            })
        });
        let questions: Vec<usize> = std::iter::once(*i).chain(questions.copied()).collect();
        let host = order.iter().filter(is_open).find(|j| {
            let other = parts[**j].as_ref();
            other.is_some_and(|it| !it.is_question && it.all == first.head())
        });
        let is_one = first.given().is_some() || changing.is_about(world, first);
        let of_state = is_one.then(|| {
            let of = questions.iter().chain(host).copied().collect::<Vec<_>>();
            tell(world, &parts, &of)
        });
        let later = order.iter().filter(is_open).find(|j| {
            let other = parts[**j].as_ref();
            other.is_some_and(|it| it.about == first.about && it.all.starts_with(first.head()))
        });
        let after = || tell(world, &parts, &[*i, *later?]);
        if let Some(story) = of_state.flatten().or_else(after) {
            taken.extend(&story.of);
            told.push(story);
        }
    }
    told
}

/// A case that may be part of a story.
struct Part<'c> {
    candidate: &'c Candidate,
    all: &'c [Step],
    /// The step of the call that it is about.
    at: usize,
    about: OperationId,
    /// Does the call only look at what was there before?
    is_question: bool,
}

impl<'c> Part<'c> {
    fn of(world: &World, candidate: &'c Candidate) -> Option<Part<'c>> {
        let case = &candidate.case;
        if !matches!(case.kind, TestKind::Regression) || case.deprecated {
            return None;
        }
        let all = case.sequence.steps();
        let op = about(world, candidate.operation, &case.sequence);
        let at = all
            .iter()
            .rposition(|step| matches!(step, Step::Call { op: called, .. } if *called == op))?;
        let n_before = n_slots(&all[..at]);
        let only_looks = |step: &Step| match step {
            Step::Drop(slot) => slot.0 >= n_before,
            Step::Call { args, .. } => args.iter().all(|arg| match arg {
                Arg::Slot(slot, usage) => {
                    slot.0 >= n_before || matches!(usage, Use::Shared | Use::Copy | Use::Reborrow)
                }
                Arg::Literal(_) => true,
            }),
        };
        let is_lent_on = all[at..].iter().any(|step| match step {
            Step::Call { args, .. } => args
                .iter()
                .any(|arg| matches!(arg, Arg::Slot(slot, Use::Reborrow) if slot.0 < n_before)),
            Step::Drop(_) => false,
        });
        Some(Part {
            candidate,
            all,
            at,
            about: op,
            is_question: at > 0 && !is_lent_on && all[at..].iter().all(only_looks),
        })
    }

    /// The call that the case is about, if that is given something: what contains 2 and what is the
    /// successor of 5 are two stories.
    fn given(&self) -> Option<OperationId> {
        let Step::Call { args, .. } = &self.all[self.at] else {
            return None;
        };
        let is_given = |it: &Arg| matches!(it, Arg::Literal(_));
        args.iter().any(is_given).then_some(self.about)
    }

    /// The steps that lead to the state that is asked about.
    fn head(&self) -> &'c [Step] {
        &self.all[..self.at]
    }
}

/// The types of the crate that have methods which change them.
struct Changing(BTreeSet<TypeIdx>);

impl Changing {
    fn of(world: &World) -> Changing {
        let operations = world.catalogue.operations.iter();
        let changed = operations.filter_map(|it| {
            let Form::Inherent { has_self: true, .. } = &it.form else {
                return None;
            };
            let receiver = it.signature.inputs.first()?.ty.ty;
            match &world.catalogue.types.get(receiver).ty {
                Ty::Ref {
                    mutable: true, to, ..
                } => world.catalogue.types.find(to),
                _ => None,
            }
        });
        Changing(changed.collect())
    }

    /// Is the question about a value that can change?
    fn is_about(&self, world: &World, part: &Part<'_>) -> bool {
        let Step::Call { args, .. } = &part.all[part.at] else {
            return false;
        };
        let Some(Arg::Slot(slot, _)) = args.first() else {
            return false;
        };
        let maker = part.candidate.case.sequence.maker(*slot).0;
        self.0.contains(&world.signature(maker).output.ty)
    }
}

/// One test of several parts: the questions of each before the rest of the last one.
fn tell(world: &World, parts: &[Option<Part<'_>>], of: &[usize]) -> Option<Told> {
    let part = |i: &usize| parts[*i].as_ref();
    let mut of = of.to_vec();
    // A story has only so much room. The last part is what it is about.
    loop {
        let n_checks = of
            .iter()
            .filter_map(part)
            .map(|it| it.candidate.case.checks.len());
        let n_steps = of.iter().filter_map(part).map(|it| it.all.len() - it.at);
        let head = part(of.first()?)?.at;
        if n_checks.sum::<usize>() <= MAX_CHECKS && n_steps.sum::<usize>() + head <= MAX_STEPS {
            break;
        }
        let n = of.len();
        of.remove(n.checked_sub(2)?);
    }
    let (last, questions) = of.split_last()?;
    let (last, first) = (part(last)?, part(questions.first()?)?);
    let n_head = first.at;
    let slots_of_head = n_slots(first.head());
    let mut steps = first.head().to_vec();
    let mut checks: Vec<Check> = Vec::new();
    let add = |steps: &mut Vec<Step>, checks: &mut Vec<Check>, part: &Part<'_>, from: usize| {
        let shift = Shift {
            n_steps: n_head,
            n_slots: slots_of_head,
            by_steps: steps.len() - n_head,
            by_slots: n_slots(steps) - slots_of_head,
        };
        steps.extend(part.all[from..].iter().map(|it| shift.step(it)));
        for check in part
            .candidate
            .case
            .checks
            .iter()
            .filter_map(|it| shift.check(it))
        {
            let is_known = checks.iter().any(|it| same(it, &check));
            if !is_known {
                checks.push(check);
            }
        }
    };
    // What is asked about the outcome of the last call comes after it, what is asked before comes first.
    let is_outcome = last.all == first.head();
    if is_outcome {
        add(&mut steps, &mut checks, last, n_head);
    }
    for question in questions {
        let question = part(question)?;
        add(&mut steps, &mut checks, question, question.at);
    }
    if !is_outcome {
        add(&mut steps, &mut checks, last, n_head);
    }
    let mut builder = Builder::new(world);
    builder.append_steps(&steps).ok()?;
    checks.sort_by_key(|it| it.after);
    // Questions about one state are about the call that led there.
    let same_state = (is_outcome || last.is_question && last.at == n_head)
        && questions
            .iter()
            .filter_map(part)
            .any(|it| it.given().is_none());
    let op = match same_state {
        true => last_call(&steps[..n_head])?,
        false => last.about,
    };
    let case = TestCase {
        sequence: builder.finish(),
        checks,
        acts: vec![Act {
            op,
            first: StepIdx(0),
        }],
        ..last.candidate.case.clone()
    };
    (of.len() > 1).then_some(Told { of, case })
}

/// The operation that is called last.
fn last_call(steps: &[Step]) -> Option<OperationId> {
    steps.iter().rev().find_map(|step| match step {
        Step::Call { op, .. } => Some(*op),
        Step::Drop(_) => None,
    })
}

/// How steps and slots move when steps are put between the head of a case and its rest.
struct Shift {
    n_steps: usize,
    n_slots: u16,
    by_steps: usize,
    by_slots: u16,
}

impl Shift {
    fn slot(&self, slot: SlotIdx) -> SlotIdx {
        match slot.0 < self.n_slots {
            true => slot,
            false => SlotIdx(slot.0 + self.by_slots),
        }
    }

    fn step(&self, step: &Step) -> Step {
        match step {
            Step::Drop(slot) => Step::Drop(self.slot(*slot)),
            Step::Call { op, args, out } => Step::Call {
                op: *op,
                args: args
                    .iter()
                    .map(|arg| match arg {
                        Arg::Slot(slot, usage) => Arg::Slot(self.slot(*slot), *usage),
                        Arg::Literal(value) => Arg::Literal(value.clone()),
                    })
                    .collect(),
                out: self.slot(*out),
            },
        }
    }

    fn check(&self, check: &Check) -> Option<Check> {
        let after = usize::from(check.after.0);
        let after = match after < self.n_steps {
            true => after,
            false => after + self.by_steps,
        };
        Some(Check {
            after: StepIdx(after as u16),
            subject: check.subject.moved(|slot| Some(self.slot(slot)))?,
            value: check.value.clone(),
        })
    }
}

/// Do the checks say the same at the same place?
fn same(a: &Check, b: &Check) -> bool {
    let is_same_subject = match (&a.subject, &b.subject) {
        (Subject::Slot(a), Subject::Slot(b)) => a == b,
        (
            Subject::Observer { op, slot, then },
            Subject::Observer {
                op: other,
                slot: of,
                then: after,
            },
        ) => (op, slot, then) == (other, of, after),
        (
            Subject::Equals { slot, op, args },
            Subject::Equals {
                slot: of,
                op: other,
                args: given,
            },
        ) => (slot, op, args) == (of, other, given),
        _ => false,
    };
    is_same_subject && a.after == b.after && a.value == b.value
}

fn n_slots(steps: &[Step]) -> u16 {
    let calls = steps.iter().filter(|it| matches!(it, Step::Call { .. }));
    calls.count() as u16
}
