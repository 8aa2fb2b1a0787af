//! Digests what was done to make each value of a sequence, and which of that changed something.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use testsmith_api::OperationId;
use testsmith_protocol::Use;
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step};

/// Digests of what was done with values, by slot. They do not depend on where in a sequence a value
/// stands: the same calls give the same digests.
#[derive(Clone, Debug, Default)]
pub struct Histories {
    /// For each slot, all calls that made the value or borrowed it.
    pub whole: Vec<u64>,
    /// For each slot, the calls that made the value or changed it.
    pub modifying: Vec<u64>,
}

/// A slot before and after a call that may have changed it.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The slot.
    pub slot: SlotIdx,
    /// Is the slot lent to the call?
    pub is_lent: bool,
    /// The slot's whole history before the call.
    pub before: u64,
    /// The slot's whole history after the call.
    pub after: u64,
}

impl Histories {
    /// The histories of all slots after the last step. `state` gives the state of a value by its
    /// history. If that differs before and after a call, the call changed the value; where it is
    /// not known, a loan counts as a change.
    pub fn of(sequence: &Sequence, state: impl Fn(u64) -> Option<u64>) -> Histories {
        let mut histories = Histories::default();
        for step in sequence.steps() {
            let Step::Call { op, args, .. } = step else {
                continue;
            };
            histories.call(*op, args, |change| {
                match (state(change.before), state(change.after)) {
                    (Some(before), Some(after)) => before != after,
                    _ => change.is_lent,
                }
            });
        }
        histories
    }

    /// Adds a call that fills the next slot. `is_changed` is asked about every slot before it.
    pub fn call(&mut self, op: OperationId, args: &[Arg], is_changed: impl Fn(Change) -> bool) {
        let of_whole = digest(&(op, entry(args, |slot| self.whole[slot.0 as usize])));
        let of_modifying = digest(&(op, entry(args, |slot| self.modifying[slot.0 as usize])));
        for at in 0..self.whole.len() {
            let slot = SlotIdx(at as u16);
            let is_lent = |usage: &Use| matches!(usage, Use::Shared | Use::Mut | Use::Reborrow);
            let lent_as = args.iter().position(
                |arg| matches!(arg, Arg::Slot(of, usage) if *of == slot && is_lent(usage)),
            );
            let after = digest(&(self.whole[at], of_whole, lent_as));
            // A call may also change a slot that it is not lent, through a loan that was made before.
            let is_changed = is_changed(Change {
                slot,
                is_lent: lent_as.is_some(),
                before: self.whole[at],
                after,
            });
            if lent_as.is_some() || is_changed {
                self.whole[at] = after;
            }
            if is_changed {
                self.modifying[at] = digest(&(self.modifying[at], of_modifying, lent_as));
            }
        }
        self.whole.push(digest(&(of_whole, "result")));
        self.modifying.push(digest(&(of_modifying, "result")));
    }
}

/// The states that a call starts from: those of its arguments, where a literal is its own state.
pub(crate) fn entry(args: &[Arg], state: impl Fn(SlotIdx) -> u64) -> Vec<u64> {
    let states = args.iter().map(|arg| match arg {
        Arg::Slot(slot, _) => state(*slot),
        Arg::Literal(value) => digest(value),
    });
    states.collect()
}

pub(crate) fn digest(of: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}
