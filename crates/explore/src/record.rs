//! What exploration found: executions worth a test, and failures.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use testsmith_api::OperationId;
use testsmith_protocol::{Death, Fingerprint, Outcome};
use testsmith_sequence::Sequence;

/// Executions kept of one operation.
const MAX_PER_OPERATION: usize = 48;

/// What failed where.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cause {
    /// A panic raised at this place.
    Panic {
        /// The source file, as the compiler names it.
        file: String,
        /// The line.
        line: u32,
    },
    /// The process ended.
    Death(Death),
}

/// One cause of failure, with the shortest sequence that shows it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The operation that failed.
    pub operation: OperationId,
    /// What and where.
    pub cause: Cause,
    /// The panic's message; empty for deaths.
    pub message: String,
    /// The shortest sequence; its last step fails.
    pub sequence: Sequence,
    /// How often it was met.
    pub n_met: u64,
}

/// An execution worth a test.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The operation called last.
    pub operation: OperationId,
    /// The shortest sequence that showed it.
    pub sequence: Sequence,
}

/// Everything found so far.
#[derive(Debug, Default)]
pub struct Record {
    kept: FxHashMap<(OperationId, u64), usize>,
    n_kept: FxHashMap<OperationId, usize>,
    executions: Vec<Kept>,
    failures: BTreeMap<(OperationId, Cause), Failure>,
}

impl Record {
    /// Executions that showed something, in order of their first finding.
    pub fn executions(&self) -> &[Kept] {
        &self.executions
    }

    /// Failures, in order of operation and cause.
    pub fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.failures.values()
    }

    /// An execution of `operation` ended with these values. Kept if the operation never gave
    /// them, or if this way to them is shorter.
    pub fn returned(
        &mut self,
        operation: OperationId,
        shown: impl Iterator<Item = Fingerprint>,
        sequence: &Sequence,
    ) {
        let hash = shown.fold(0u64, |hash, print| {
            (hash ^ print.hash)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .rotate_left(23)
        });
        match self.kept.get(&(operation, hash)) {
            Some(&at) => {
                if sequence.steps().len() < self.executions[at].sequence.steps().len() {
                    self.executions[at].sequence = sequence.clone();
                }
            }
            None => {
                let n = self.n_kept.entry(operation).or_default();
                if *n < MAX_PER_OPERATION {
                    *n += 1;
                    self.kept.insert((operation, hash), self.executions.len());
                    self.executions.push(Kept {
                        operation,
                        sequence: sequence.clone(),
                    });
                }
            }
        }
    }

    /// An execution failed. `sequence` ends with the failing step.
    pub fn failed(&mut self, operation: OperationId, outcome: &Outcome, sequence: Sequence) {
        let (cause, message) = match outcome {
            Outcome::Panicked {
                message,
                file,
                line,
                ..
            } => (
                Cause::Panic {
                    file: file.clone(),
                    line: *line,
                },
                message.clone(),
            ),
            Outcome::Died { death, .. } => (Cause::Death(*death), String::new()),
            _ => return,
        };
        let failure = self
            .failures
            .entry((operation, cause.clone()))
            .or_insert_with(|| Failure {
                operation,
                cause,
                message: message.clone(),
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
