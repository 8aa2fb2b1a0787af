//! Calls that are not made again, because they did not end in time.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use testsmith_api::OperationId;
use testsmith_protocol::Use;
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step};

use crate::classes::{argument_class, digest};

/// After so many calls that did not end, an operation as a whole is not called again.
const MAX_ENDLESS: u32 = 4;
/// Kinds of calls remembered; every one of them cost seconds, so there are never many.
const MAX_KINDS: usize = 1 << 14;

/// What must not be called again: operations with arguments of certain kinds, and whole operations.
#[derive(Clone, Debug, Default)]
pub struct Quarantine {
    kinds: FxHashSet<u64>,
    n_endless: BTreeMap<OperationId, u32>,
}

impl Quarantine {
    /// This call of a sequence did not end.
    pub(crate) fn add(&mut self, sequence: &Sequence, operation: OperationId, args: &[Arg]) {
        *self.n_endless.entry(operation).or_default() += 1;
        if self.kinds.len() < MAX_KINDS {
            self.kinds.insert(kind(sequence, operation, args));
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
        if self.n_endless.is_empty() {
            return false;
        }
        sequence.steps().iter().any(|step| match step {
            Step::Call { op, args, out } if *out >= from && self.n_endless.contains_key(op) => {
                self.is_closed(*op) || self.kinds.contains(&kind(sequence, *op, args))
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
