//! Calls that are not made again, because they did not end in time, or seldom, because they are dear.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_api::OperationId;
use testsmith_protocol::Use;
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step};

use crate::classes::{argument_class, digest};

/// After so many calls that did not end, an operation as a whole is not called again.
const MAX_ENDLESS: u32 = 4;
/// Work of a call that leaves time for little else: no test makes it.
pub(crate) const DEAR_WORK: u64 = 1 << 17;
/// What a call counts for that took all the time or memory there was.
pub(crate) const FATAL_WORK: u64 = 1 << 23;
/// Dear calls of one kind: the next would show little more.
const MAX_DEAR: u8 = 4;
/// Kinds of calls remembered; every one of them cost seconds, so there are never many.
const MAX_KINDS: usize = 1 << 14;

/// What must not be called again: operations with arguments of certain kinds, and whole operations.
#[derive(Clone, Debug, Default)]
pub struct Quarantine {
    kinds: FxHashSet<u64>,
    n_endless: BTreeMap<OperationId, u32>,
    /// How often a kind of call was dear, and whose it is.
    dear: FxHashMap<u64, u8>,
    dear_operations: FxHashSet<OperationId>,
}

impl Quarantine {
    /// This call of a sequence did not end.
    pub(crate) fn add(&mut self, sequence: &Sequence, operation: OperationId, args: &[Arg]) {
        *self.n_endless.entry(operation).or_default() += 1;
        if self.kinds.len() < MAX_KINDS {
            self.kinds.insert(kind(sequence, operation, args));
        }
    }

    /// This call of a sequence took much work.
    pub(crate) fn add_dear(&mut self, sequence: &Sequence, operation: OperationId, args: &[Arg]) {
        self.add_calls(kind(sequence, operation, args), operation, 1);
    }

    /// This call of a sequence took all there was.
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

    /// Is the operation not to be called at all?
    pub fn is_closed(&self, operation: OperationId) -> bool {
        self.n_endless
            .get(&operation)
            .is_some_and(|n| *n >= MAX_ENDLESS)
    }

    /// Operations with a call that did not end, and how many such calls there were.
    pub fn operations(&self) -> &BTreeMap<OperationId, u32> {
        &self.n_endless
    }

    /// Does one of the calls from this slot on stand in quarantine?
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
        // How often a value is changed in all says nothing about one call in the middle.
        Arg::Slot(slot, Use::Mut) => digest(&sequence.maker(*slot).0),
        arg => argument_class(sequence, arg, 1),
    });
    digest(&(operation, classes.collect::<Vec<u64>>()))
}
