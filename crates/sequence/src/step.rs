//! Steps, arguments and the immutable sequence.

use std::sync::Arc;

use testsmith_api::OperationId;
use testsmith_protocol::{Use, Value};

/// Index of a slot: the n-th call of a sequence fills slot n.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SlotIdx(pub u16);

/// Index of a step; drops are steps too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StepIdx(pub u16);

/// One step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Call an operation; the result goes to the next slot.
    Call {
        /// The operation.
        op: OperationId,
        /// Its arguments, in order of its inputs.
        args: Box<[Arg]>,
        /// The slot it fills.
        out: SlotIdx,
    },
    /// End a value that has drop glue, and with it the loans it holds. Printed as `drop(x)`.
    Drop(SlotIdx),
}

impl Step {
    /// Does the step use this slot in this way?
    pub fn uses(&self, slot: SlotIdx, usage: Use) -> bool {
        match self {
            Step::Call { args, .. } => args.contains(&Arg::Slot(slot, usage)),
            Step::Drop(_) => false,
        }
    }
}

/// One argument.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Arg {
    /// A slot, and how it is used.
    Slot(SlotIdx, Use),
    /// A literal, written in place.
    Literal(Arc<Value>),
}

/// An immutable, valid test case. Only a [`crate::Builder`] makes one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sequence {
    pub(crate) steps: Arc<[Step]>,
}

impl Sequence {
    /// The sequence without steps.
    pub fn empty() -> Sequence {
        Sequence {
            steps: Arc::from([]),
        }
    }

    /// Its steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The number of slots, which is the number of calls.
    pub fn n_slots(&self) -> u16 {
        self.steps
            .iter()
            .filter(|step| matches!(step, Step::Call { .. }))
            .count() as u16
    }

    /// The call that fills a slot.
    pub fn maker(&self, slot: SlotIdx) -> (OperationId, &[Arg]) {
        self.steps
            .iter()
            .find_map(|step| match step {
                Step::Call { op, args, out } if *out == slot => Some((*op, &**args)),
                _ => None,
            })
            .expect("every slot of a sequence has the call that fills it")
    }
}
