//! What exploration found: executions worth a test, and failures.
//!
//! **Three reasons to keep an execution.** what it gave, what kinds of arguments it was called
//! with, and where in the code it went. Classes of values (`explore/classes.rs`) are guesses at
//! branches; traces are the branches.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use testsmith_api::OperationId;
use testsmith_protocol::{Death, Fingerprint, Outcome};
use testsmith_sequence::{Sequence, Step};

use crate::classes::{argument_class, digest};

/// The most executions of one operation that are kept for their results.
const MAX_BY_OUTCOME: usize = 48;
/// The most executions of one operation that are kept for their arguments.
const MAX_BY_INPUTS: usize = 128;
/// The same for executions with one result.
const MAX_BY_INPUTS_AND_OUTCOME: usize = 16;

/// The most executions of one operation that are kept because they went where it had not been.
const MAX_BY_REGION: usize = 256;
/// The most executions of one operation that are kept because they took a new way.
const MAX_BY_WAY: usize = 128;

/// The most executions that are kept in all, which bounds memory.
const MAX_IN_ALL: usize = 100_000;
/// Even beyond that, each operation may keep this many, so that those reached late have some.
const MIN_PER_OPERATION: usize = 8;
/// The most causes of failure that are kept.
const MAX_FAILURES: usize = 20_000;

/// Why an execution is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum By {
    Outcome,
    Inputs,
    Region,
    Way,
}

/// What an execution showed about the code, if it was new for its operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Code {
    /// A digest of its regions, if it entered one that is new, or one more often than before.
    pub region: Option<u64>,
    /// A digest of its way, if it took a new way through known regions.
    pub way: Option<u64>,
}

/// What failed, and where.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cause {
    /// A panic raised at this place.
    Panic {
        /// The source file, as the compiler names it.
        file: String,
        /// The line.
        line: u32,
        /// The column, counted in characters from 1.
        column: u32,
    },
    /// The process ended.
    Death(Death),
}

/// One cause of failure, with the shortest sequence that shows it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The operation that failed.
    pub operation: OperationId,
    /// What failed, and where.
    pub cause: Cause,
    /// The panic's message; empty for deaths.
    pub message: String,
    /// Does it fail while a value that the operation made is dropped?
    pub dropping: bool,
    /// The shortest sequence. Its last step fails, or the drops after it.
    pub sequence: Sequence,
    /// How often it happened.
    pub n_met: u64,
}

/// An execution that is worth a test.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The operation that is called last.
    pub operation: OperationId,
    /// The shortest sequence that showed it.
    pub sequence: Sequence,
}

/// Everything found so far.
#[derive(Debug, Default)]
pub struct Record {
    kept: FxHashMap<(OperationId, By, u64), usize>,
    n_kept: FxHashMap<(OperationId, By, u64), usize>,
    executions: Vec<Kept>,
    failures: BTreeMap<(OperationId, Cause, bool), Failure>,
    n_left_out: u64,
}

impl Record {
    /// The kept executions, in the order in which they were first found.
    pub fn executions(&self) -> &[Kept] {
        &self.executions
    }

    /// How many executions and failures were worth keeping, but found no room.
    pub fn n_left_out(&self) -> u64 {
        self.n_left_out
    }

    /// Failures, in order of operation and cause.
    pub fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.failures.values()
    }

    /// Enters an execution of `operation` that gave these values. It is kept if the operation never
    /// gave them, or never for arguments of these kinds, or if the sequence is shorter than the one
    /// that is kept. It is also kept if it showed something new about the code.
    pub fn returned(
        &mut self,
        operation: OperationId,
        shown: impl Iterator<Item = Fingerprint>,
        code: Code,
        sequence: &Sequence,
    ) {
        let shown: Vec<u64> = shown.map(|print| print.hash).collect();
        let inputs: Vec<u64> = match sequence.steps().last() {
            Some(Step::Call { args, .. }) => args
                .iter()
                .map(|arg| argument_class(sequence, arg, 1))
                .collect(),
            _ => Vec::new(),
        };
        let outcome = digest(&shown);
        let keys = [
            (By::Outcome, outcome, MAX_BY_OUTCOME),
            (By::Inputs, digest(&(outcome, inputs)), MAX_BY_INPUTS),
            (By::Region, code.region.unwrap_or(0), MAX_BY_REGION),
            (By::Way, code.way.unwrap_or(0), MAX_BY_WAY),
        ];
        for (by, hash, max) in keys {
            let is_old =
                by == By::Region && code.region.is_none() || by == By::Way && code.way.is_none();
            if is_old {
                continue;
            }
            if let Some(&at) = self.kept.get(&(operation, by, hash)) {
                let known = &mut self.executions[at].sequence;
                if sequence.steps().len() < known.steps().len() {
                    *known = sequence.clone();
                }
                continue;
            }
            let n = self.n_kept.get(&(operation, by, 0)).copied().unwrap_or(0);
            let alike = self
                .n_kept
                .get(&(operation, by, outcome))
                .copied()
                .unwrap_or(0);
            let has_room = n < max
                && (matches!(by, By::Region | By::Way) || alike < MAX_BY_INPUTS_AND_OUTCOME);
            if has_room && self.executions.len() >= MAX_IN_ALL && n >= MIN_PER_OPERATION {
                self.n_left_out += 1;
            } else if has_room {
                *self.n_kept.entry((operation, by, 0)).or_default() += 1;
                *self.n_kept.entry((operation, by, outcome)).or_default() += 1;
                self.kept
                    .insert((operation, by, hash), self.executions.len());
                self.executions.push(Kept {
                    operation,
                    sequence: sequence.clone(),
                });
            }
        }
    }

    /// Enters an execution that failed. `sequence` ends with the failing step.
    pub fn failed(
        &mut self,
        operation: OperationId,
        outcome: &Outcome,
        dropping: bool,
        sequence: Sequence,
    ) {
        let (cause, message) = match outcome {
            Outcome::Panicked {
                message,
                file,
                line,
                column,
                ..
            } => (
                Cause::Panic {
                    file: file.clone(),
                    line: *line,
                    column: *column,
                },
                message.clone(),
            ),
            Outcome::Died { death, .. } => (Cause::Death(*death), String::new()),
            _ => return,
        };
        let key = (operation, cause.clone(), dropping);
        if self.failures.len() >= MAX_FAILURES && !self.failures.contains_key(&key) {
            self.n_left_out += 1;
            return;
        }
        let failure = self.failures.entry(key).or_insert_with(|| Failure {
            operation,
            cause,
            message: message.clone(),
            dropping,
            sequence: sequence.clone(),
            n_met: 0,
        });
        failure.n_met += 1;
        if sequence.steps().len() < failure.sequence.steps().len() {
            failure.sequence = sequence;
            failure.message = message;
        }
    }
}
