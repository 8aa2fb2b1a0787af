//! Finds what tests are good for that were read back from their files: the code that they enter, and
//! the mutants that they kill.
//!
//! A test notices a mutant if a value that it asserts something about is another one, or if it does
//! not come to its end. What a test does in statements that could not be read is not known, so it may
//! be worth more than is said here.

use testsmith_api::OperationId;
use testsmith_emit::{TestCase, TestKind, Worth};
use testsmith_equip::{Executor, Setting};
use testsmith_explore::ReadBack;
use testsmith_harness::GuestError;
use testsmith_protocol::Outcome;
use testsmith_record::Drops;
use testsmith_sequence::{Sequence, SlotIdx, Step, World};

use super::Candidate;
use super::check::length;
use super::kill::{self, Judgement};
use super::reduce::{Reduced, Scope};
use super::steady::{SeenAt, Trial};
use crate::budget::Budget;

/// What each of these tests is good for. Without a judgement that is not known.
pub(crate) fn worth(
    world: &World,
    executor: &mut Executor,
    tests: &[&ReadBack],
    judgement: Option<&mut Judgement<'_>>,
) -> Result<Vec<Worth>, GuestError> {
    let mut worth = vec![Worth::default(); tests.len()];
    let Some(judgement) = judgement else {
        return Ok(worth);
    };
    let candidates = tests.iter().map(|test| candidate(test));
    let (which, mut candidates): (Vec<usize>, Vec<Candidate>) = candidates
        .enumerate()
        .filter_map(|(i, candidate)| Some((i, candidate?)))
        .unzip();
    let asks = candidates.iter().map(|it| it.trial.ask()).collect();
    let runs = executor.run(world, Setting::USUAL, asks)?;
    for (candidate, (_, execution)) in candidates.iter_mut().zip(runs) {
        // Whatever a test does that ends like this, its values say nothing.
        if execution.outcome != Outcome::Returned {
            candidate.places.clear();
        }
        candidate.trial.prints = Trial::prints(&execution.effects);
    }
    kill::find_regions(world, executor, &mut candidates)?;
    // What is known of the tests that are there decides what is new, so nothing of it is given up.
    let (budget, drops) = (&Budget::unbounded(), &mut Drops::default());
    kill::sample(world, executor, judgement, &mut candidates, budget, drops)?;
    kill::complete(world, executor, judgement, &mut candidates, budget, drops)?;
    for (i, candidate) in which.into_iter().zip(candidates) {
        worth[i] = Worth {
            regions: candidate.entered.iter().copied().collect(),
            kills: candidate.kills.iter().map(|kill| kill.mutant).collect(),
            told: Vec::new(),
        };
    }
    Ok(worth)
}

/// The test in the form in which mutants are tried on tests.
fn candidate(test: &ReadBack) -> Option<Candidate> {
    let sequence = &test.sequence;
    let (operation, out) = last_call(sequence)?;
    let place = |slot: &SlotIdx| SeenAt {
        slot: *slot,
        at_end: false,
    };
    Some(Candidate {
        case: TestCase {
            sequence: sequence.clone(),
            checks: Vec::new(),
            kind: TestKind::Regression,
            deprecated: false,
            acts: Vec::new(),
            worth: Worth::default(),
            parts: Vec::new(),
        },
        facts: Vec::new(),
        inputs: Vec::new(),
        regions: Vec::new(),
        way: 0,
        entered: Vec::new(),
        reached: Vec::new(),
        beside: Vec::new(),
        unmoved: Vec::new(),
        duties: Vec::new(),
        fuel: 0,
        kills: Vec::new(),
        shown: false,
        essential: false,
        subject: String::new(),
        operation,
        source: Reduced {
            operation,
            sequence: sequence.clone(),
            output: None,
            scope: Scope::Last,
        },
        n_steps: length(sequence),
        places: test.asserted.iter().map(place).collect(),
        trial: Trial {
            observed: sequence.clone(),
            out,
            watch_end: Vec::new(),
            prints: Vec::new(),
        },
    })
}

fn last_call(sequence: &Sequence) -> Option<(OperationId, SlotIdx)> {
    sequence.steps().iter().rev().find_map(|step| match step {
        Step::Call { op, out, .. } => Some((*op, *out)),
        Step::Drop(_) => None,
    })
}
