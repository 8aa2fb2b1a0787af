//! What a test is printed from: a sequence, and what was seen along the way.

use std::collections::BTreeSet;

use testsmith_api::OperationId;
use testsmith_protocol::{MutantId, RegionId, Value};
use testsmith_sequence::{Arg, Sequence, SlotIdx, StepIdx};

/// A sequence with what is to be asserted.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// The calls.
    pub sequence: Sequence,
    /// What was seen; those that cannot be asserted are left out.
    pub checks: Vec<Check>,
    /// What the test is for.
    pub kind: TestKind,
    /// Does rustc say that it uses something deprecated? What the model itself knows to be
    /// deprecated need not be said here.
    pub deprecated: bool,
    /// Its cases, if it shows several one after the other; they name it.
    pub acts: Vec<Act>,
    /// What the test is known to reach and to kill.
    pub worth: Worth,
}

/// One of several cases that a test shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Act {
    /// The call it is about.
    pub op: OperationId,
    /// Where it begins; it ends where the next one does.
    pub first: StepIdx,
}

/// What is known of the use of a test; it is not shown in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Worth {
    /// Regions of the crate's code that it enters.
    pub regions: BTreeSet<RegionId>,
    /// Mutants that it kills.
    pub kills: BTreeSet<MutantId>,
}

/// What a test is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TestKind {
    /// It passes, and shows what the crate does today.
    Regression,
    /// The last step panics, as documented.
    ShouldPanic {
        /// A part of the message.
        expected: Option<String>,
    },
    /// It fails: ignored, for somebody to look at.
    Failure {
        /// What happens, in one line.
        reason: String,
    },
}

/// One observation to assert.
#[derive(Clone, Debug)]
pub struct Check {
    /// Asserted right after this step.
    pub after: StepIdx,
    /// What is looked at.
    pub subject: Subject,
    /// What it was.
    pub value: Value,
}

/// What a check looks at.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A slot's value.
    Slot(SlotIdx),
    /// What an operation with one shared input says about a slot.
    Observer {
        /// The operation.
        op: OperationId,
        /// The slot.
        slot: SlotIdx,
    },
    /// The slot compared with what a call gives; the check's value is `false` if they differ.
    Equals {
        /// The slot.
        slot: SlotIdx,
        /// The call.
        op: OperationId,
        /// Its arguments.
        args: Box<[Arg]>,
    },
}
