//! Remembers calls that are not made again because they did not end in time, and calls that are
//! made seldom because they take much work.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_api::OperationId;
use testsmith_protocol::Use;
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step};

use crate::classes::{argument_class, digest};

/// After this many calls that did not end, an operation is not called at all.
const MAX_ENDLESS: u32 = 4;
/// A call with this much work counts as dear. It leaves little time for others, and no test makes
/// it.
pub(crate) const DEAR_WORK: u64 = 1 << 17;
/// The work that is counted for a call that used up all time or memory.
pub(crate) const FATAL_WORK: u64 = 1 << 23;
/// How many dear calls of one kind are made. Further ones would show little more.
const MAX_DEAR: u8 = 4;
/// The most kinds of calls that are remembered. Each of them cost seconds, so there are never many.
const MAX_KINDS: usize = 1 << 14;

/// Calls that are not to be made again: operations with arguments of certain kinds, and whole
/// operations.
#[derive(Clone, Debug, Default)]
pub struct Quarantine {
    kinds: FxHashSet<u64>,
    n_endless: BTreeMap<OperationId, u32>,
    /// How often each kind of call was dear, and the operations with such calls.
    dear: FxHashMap<u64, u8>,
    dear_operations: FxHashSet<OperationId>,
}

impl Quarantine {
    /// Notes that this call of a sequence did not end.
    pub(crate) fn add(&mut self, sequence: &Sequence, operation: OperationId, args: &[Arg]) {
        *self.n_endless.entry(operation).or_default() += 1;
        if self.kinds.len() < MAX_KINDS {
            self.kinds.insert(kind(sequence, operation, args));
        }
    }

    /// Notes that this call of a sequence took much work.
    pub(crate) fn add_dear(&mut self, sequence: &Sequence, operation: OperationId, args: &[Arg]) {
        self.add_calls(kind(sequence, operation, args), operation, 1);
    }

    /// Notes that this call of a sequence used up all time or memory.
    pub(crate) fn add_dearest(
        &mut self,
        sequence: &Sequence,
        operation: OperationId,
        args: &[Arg],
    ) {
        self.add_calls(kind(sequence, operation, args), operation, MAX_DEAR);
    }

    fn add_calls(&mut self, kind: u64, operation: OperationId, n: u8) {
        if self.dear.len() < MAX_KINDS {
            let n_calls = self.dear.entry(kind).or_default();
            *n_calls = n_calls.saturating_add(n);
            self.dear_operations.insert(operation);
        }
    }

    /// Must the operation not be called at all?
    pub fn is_closed(&self, operation: OperationId) -> bool {
        self.n_endless
            .get(&operation)
            .is_some_and(|n| *n >= MAX_ENDLESS)
    }

    /// Operations with a call that did not end, and how many such calls there were.
    pub fn operations(&self) -> &BTreeMap<OperationId, u32> {
        &self.n_endless
    }

    /// Is one of the calls from this slot on in quarantine?
    pub(crate) fn refuses(&self, sequence: &Sequence, from: SlotIdx) -> bool {
        if self.n_endless.is_empty() && self.dear.is_empty() {
            return false;
        }
        let is_endless = |op: &OperationId, args: &[Arg]| {
            self.n_endless.contains_key(op)
                && (self.is_closed(*op) || self.kinds.contains(&kind(sequence, *op, args)))
        };
        let is_dear = |op: &OperationId, args: &[Arg]| {
            let n_calls = || self.dear.get(&kind(sequence, *op, args));
            self.dear_operations.contains(op) && n_calls().is_some_and(|n| *n >= MAX_DEAR)
        };
        sequence.steps().iter().any(|step| match step {
            Step::Call { op, args, out } if *out >= from => {
                is_endless(op, args) || is_dear(op, args)
            }
            _ => false,
        })
    }
}

fn kind(sequence: &Sequence, operation: OperationId, args: &[Arg]) -> u64 {
    let classes = args.iter().map(|arg| match arg {
        // How often a value is changed in the whole sequence says nothing about one call in the
        // middle.
        Arg::Slot(slot, Use::Mut) => digest(&sequence.maker(*slot).0),
        arg => argument_class(sequence, arg, 1),
    });
    digest(&(operation, classes.collect::<Vec<u64>>()))
}
