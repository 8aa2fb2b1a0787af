//! What a test is printed from: a sequence, and what was observed along the way.

use std::collections::BTreeSet;

use testsmith_api::OperationId;
use testsmith_protocol::{MutantId, RegionId, Value};
use testsmith_sequence::{Arg, Sequence, SlotIdx, StepIdx};

/// A sequence, and what is asserted about it.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// The calls.
    pub sequence: Sequence,
    /// Observations to assert. Those that cannot be written are left out.
    pub checks: Vec<Check>,
    /// What the test is for.
    pub kind: TestKind,
    /// Does rustc say that the test uses something deprecated? What the model itself knows to be
    /// deprecated need not be noted here.
    pub deprecated: bool,
    /// The cases of the test, if it shows several one after another. The test is named after them.
    pub acts: Vec<Act>,
    /// What the test is known to enter and to kill.
    pub worth: Worth,
}

/// One of several cases that a test shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Act {
    /// The call that it is about.
    pub op: OperationId,
    /// The step at which it begins. It ends where the next one begins.
    pub first: StepIdx,
}

/// What a test is known to be good for. The printed test does not show it.
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
        /// Is there a panic only where the compiler keeps debug assertions?
        only_checked: bool,
    },
    /// It fails. It is ignored, and there for somebody to look at.
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
    /// What the check looks at.
    pub subject: Subject,
    /// The value that was observed.
    pub value: Value,
}

/// What a check looks at.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A slot's value.
    Slot(SlotIdx),
    /// The answer of an operation with one shared input about a slot.
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
