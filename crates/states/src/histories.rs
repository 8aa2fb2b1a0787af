//! What was done to make each value of a sequence, and what of that changed something.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use testsmith_api::OperationId;
use testsmith_protocol::Use;
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step};

/// Digests of what was done with values, by slot. They do not depend on where in a sequence a value
/// stands: the same calls give the same digests.
#[derive(Clone, Debug, Default)]
pub struct Histories {
    /// All calls that made a value or were lent it.
    pub whole: Vec<u64>,
    /// Those that made it or changed it.
    pub modifying: Vec<u64>,
}

/// A slot before and after a call that may have changed it.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The slot.
    pub slot: SlotIdx,
    /// Was it lent to the call?
    pub is_lent: bool,
    /// Its whole history before.
    pub before: u64,
    /// And after it.
    pub after: u64,
}

impl Histories {
    /// Those of all slots after the last step. What is known of the state of a value with some
    /// history says whether calls changed it; where that is not known, a loan counts as a change.
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

    /// Another call, which fills the next slot. `is_changed` is asked about every slot before it.
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

/// The states of arguments; a literal is its own.
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
