//! Failing sequences made short: what the failure does not depend on goes.

use testsmith_explore::{Ask, Cause, Failure};
use testsmith_harness::GuestError;
use testsmith_protocol::{Death, Execution, Outcome};
use testsmith_sequence::{Sequence, SlotIdx, World, slice, without};

use crate::executor::{Executor, Setting};

/// The failures with shorter sequences that fail in the same way at their last step.
pub(crate) fn simplify(
    world: &World,
    executor: &mut Executor,
    failures: impl Iterator<Item = Failure>,
) -> Result<Vec<Failure>, GuestError> {
    let mut simple = Vec::new();
    for mut failure in failures {
        if let Some(shorter) = slice(world, &failure.sequence) {
            try_out(world, executor, &mut failure, vec![shorter])?;
        }
        // Running out of time or memory takes long: one try must do.
        let is_slow = matches!(
            failure.cause,
            Cause::Death(Death::TimedOut | Death::OutOfMemory)
        );
        if is_slow {
            simple.push(failure);
            continue;
        }
        // From the back: what comes late depends on what came before, not the reverse.
        let mut step_idx = failure.sequence.steps().len().saturating_sub(1);
        while step_idx > 0 {
            step_idx -= 1;
            if let Some(shorter) = without(world, &failure.sequence, step_idx) {
                try_out(world, executor, &mut failure, vec![shorter])?;
            }
            step_idx = step_idx.min(failure.sequence.steps().len().saturating_sub(1));
        }
        simple.push(failure);
    }
    Ok(simple)
}

/// Takes the first sequence that is shorter and fails alike.
fn try_out(
    world: &World,
    executor: &mut Executor,
    failure: &mut Failure,
    sequences: Vec<Sequence>,
) -> Result<(), GuestError> {
    let n_steps = failure.sequence.steps().len();
    let asks = sequences
        .into_iter()
        .filter(|sequence| sequence.steps().len() < n_steps)
        .map(|sequence| Ask {
            sequence,
            watch_from: SlotIdx(u16::MAX),
            watch_end: Vec::new(),
            traced: None,
            values: false,
            watched: false,
        })
        .collect();
    for (ask, execution) in executor.run(world, Setting::USUAL, asks)? {
        if let Some(message) = fails_alike(failure, &ask.sequence, &execution) {
            failure.sequence = ask.sequence;
            failure.message = message;
            return Ok(());
        }
    }
    Ok(())
}

/// The message, if the last step failed for the same cause.
fn fails_alike(failure: &Failure, sequence: &Sequence, execution: &Execution) -> Option<String> {
    if execution.touch.is_some() {
        return None;
    }
    let last = sequence.steps().len().checked_sub(1)? as u16;
    match (&execution.outcome, &failure.cause) {
        (
            Outcome::Panicked {
                at,
                message,
                file,
                line,
            },
            Cause::Panic {
                file: known_file,
                line: known_line,
            },
        ) if *at >= last && (file, line) == (known_file, known_line) => Some(message.clone()),
        (Outcome::Died { at, death }, Cause::Death(known)) if *at >= last && death == known => {
            Some(String::new())
        }
        _ => None,
    }
}
