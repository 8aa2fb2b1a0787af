//! What a test is printed from: a sequence, and what was observed along the way.

use std::collections::BTreeSet;
use std::ops::Range;

use testsmith_api::OperationId;
use testsmith_protocol::{MutantId, RegionId, Value};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, StepIdx, World};

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
    /// The cases that it was joined of, as tests of their own: if it turns out not to compile or to hold,
    /// those may that are not at fault.
    pub parts: Vec<TestCase>,
}

/// One of several cases that a test shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Act {
    /// The call that it is about.
    pub op: OperationId,
    /// The step at which it begins. It ends where the next one begins.
    pub first: StepIdx,
}

impl TestCase {
    /// The cases that it shows, each by itself. `None` if one of them cannot be built alone.
    pub(crate) fn rows(&self, world: &World) -> Option<Vec<Row>> {
        let n_steps = self.sequence.steps().len();
        let ends = self.acts.iter().skip(1).map(|act| usize::from(act.first.0));
        let acts = self.acts.iter().zip(ends.chain([n_steps]));
        acts.map(|(act, end)| self.row(world, usize::from(act.first.0)..end))
            .collect()
    }

    fn row(&self, world: &World, steps: Range<usize>) -> Option<Row> {
        let is_call = |step: &&Step| matches!(step, Step::Call { .. });
        let before = &self.sequence.steps()[..steps.start];
        let offset = before.iter().filter(is_call).count() as u16;
        let slot = |slot: &SlotIdx| slot.0.checked_sub(offset).map(SlotIdx);
        let arg = |arg: &Arg| match arg {
            Arg::Slot(it, usage) => Some(Arg::Slot(slot(it)?, *usage)),
            Arg::Literal(_) => Some(arg.clone()),
        };
        let own = self.sequence.steps()[steps.clone()].iter();
        let own: Vec<Step> = own
            .map(|step| {
                Some(match step {
                    Step::Call { op, args, out } => Step::Call {
                        op: *op,
                        args: args.iter().map(arg).collect::<Option<_>>()?,
                        out: slot(out)?,
                    },
                    Step::Drop(it) => Step::Drop(slot(it)?),
                })
            })
            .collect::<Option<_>>()?;
        let mut builder = Builder::new(world);
        builder.append_steps(&own).ok()?;
        let is_own = |check: &Check| steps.contains(&usize::from(check.after.0));
        let own = self.checks.iter().enumerate().filter(|(_, it)| is_own(it));
        let (of, checks): (Vec<usize>, Vec<Check>) = own
            .map(|(i, check)| {
                let subject = check.subject.moved(|it| slot(&it))?;
                let after = StepIdx(check.after.0 - steps.start as u16);
                let check = Check {
                    after,
                    subject,
                    value: check.value.clone(),
                };
                Some((i, check))
            })
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .unzip();
        let case = TestCase {
            sequence: builder.finish(),
            checks,
            kind: self.kind.clone(),
            deprecated: self.deprecated,
            acts: Vec::new(),
            worth: Worth::default(),
            parts: Vec::new(),
        };
        Some(Row { case, of })
    }
}

/// One of the cases that a test shows.
pub(crate) struct Row {
    /// The case by itself.
    pub(crate) case: TestCase,
    /// For each of its checks, the index that the check has in the test.
    pub(crate) of: Vec<usize>,
}

/// What a test is known to be good for. Of this, the printed test says only what is told.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Worth {
    /// Regions of the crate's code that it enters.
    pub regions: BTreeSet<RegionId>,
    /// Mutants that it kills.
    pub kills: BTreeSet<MutantId>,
    /// What a comment above the test says, a line each.
    pub told: Vec<String>,
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
        /// An operation that takes the answer, if that itself says nothing: `iter().collect()`.
        then: Option<OperationId>,
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

impl Subject {
    /// The value that is looked at.
    pub fn slot(&self) -> SlotIdx {
        match self {
            Subject::Slot(slot) | Subject::Observer { slot, .. } | Subject::Equals { slot, .. } => {
                *slot
            }
        }
    }

    /// The same of other slots.
    pub fn moved(&self, to: impl Fn(SlotIdx) -> Option<SlotIdx>) -> Option<Subject> {
        Some(match self {
            Subject::Slot(slot) => Subject::Slot(to(*slot)?),
            Subject::Observer { op, slot, then } => Subject::Observer {
                op: *op,
                slot: to(*slot)?,
                then: *then,
            },
            Subject::Equals { slot, op, args } => Subject::Equals {
                slot: to(*slot)?,
                op: *op,
                args: args.clone(),
            },
        })
    }
}
