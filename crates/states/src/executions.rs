//! The method executions of a sequence, and those that are known.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};
use testsmith_api::Origin;
use testsmith_protocol::Use;
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, World};

use crate::StateBy;

/// What was seen of a value at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// A digest of all that is inside, if all of it could be seen.
    pub state: Option<u64>,
    /// A digest of what `==` reads of it, if the type has `==` and all of that could be seen.
    pub read: Option<u64>,
    /// The class of values that `==` does not tell apart, if the type has `==`.
    pub class: Option<u32>,
}

/// What was seen while a sequence was run.
pub trait Sight {
    /// Of a slot, after so many steps. Nothing, if it could not be looked at.
    fn seen(&self, n_steps: usize, slot: SlotIdx) -> Seen;
}

/// A digest for each call of the crate's own, in order: equal ones are the same method execution.
///
/// Where a notion says nothing of a value, the next finer one does: a state that cannot be seen is told
/// by the calls that made it.
pub fn executions(world: &World, sequence: &Sequence, by: StateBy, sight: &dyn Sight) -> Vec<u64> {
    let mut found = Vec::new();
    let (mut whole, mut modifying) = (Vec::new(), Vec::new());
    for (n_steps, step) in sequence.steps().iter().enumerate() {
        let Step::Call { op, args, .. } = step else {
            continue;
        };
        let seen = |slot: SlotIdx| sight.seen(n_steps, slot);
        let state = |slot: SlotIdx| {
            let ty = world.signature(sequence.maker(slot).0).output.ty;
            match by {
                StateBy::WholeSeq => whole[slot.0 as usize],
                StateBy::ModifyingSeq => modifying[slot.0 as usize],
                StateBy::WholeState => match seen(slot).state {
                    Some(state) => digest(&("state", ty, state)),
                    None => modifying[slot.0 as usize],
                },
                StateBy::MonitorEq => match (seen(slot).read, seen(slot).state) {
                    (Some(read), _) => digest(&("read", ty, read)),
                    (None, Some(state)) => digest(&("state", ty, state)),
                    (None, None) => modifying[slot.0 as usize],
                },
                StateBy::PairwiseEq => match (seen(slot).class, seen(slot).state) {
                    (Some(class), _) => digest(&("class", ty, class)),
                    (None, Some(state)) => digest(&("state", ty, state)),
                    (None, None) => modifying[slot.0 as usize],
                },
            }
        };
        if matches!(world.catalogue.operation(*op).origin, Origin::Callable(_)) {
            found.push(digest(&(op, entry(args, state))));
        }
        let of_whole = digest(&(op, entry(args, |slot| whole[slot.0 as usize])));
        let of_modifying = digest(&(op, entry(args, |slot| modifying[slot.0 as usize])));
        for at in 0..whole.len() {
            let slot = SlotIdx(at as u16);
            let is_lent = |usage: &Use| matches!(usage, Use::Shared | Use::Mut | Use::Reborrow);
            let lent_as = args.iter().position(
                |arg| matches!(arg, Arg::Slot(of, usage) if *of == slot && is_lent(usage)),
            );
            // What nobody was lent may change, too, by what was lent before.
            let (before, after) = (seen(slot).state, sight.seen(n_steps + 1, slot).state);
            let is_changed = match (before, after) {
                (None, None) => lent_as.is_some(),
                _ => before != after,
            };
            if lent_as.is_some() || is_changed {
                whole[at] = digest(&(whole[at], of_whole, lent_as));
            }
            if is_changed {
                modifying[at] = digest(&(modifying[at], of_modifying, lent_as));
            }
        }
        whole.push(digest(&(of_whole, "result")));
        modifying.push(digest(&(of_modifying, "result")));
    }
    found
}

/// The states of arguments; a literal is its own.
fn entry(args: &[Arg], state: impl Fn(SlotIdx) -> u64) -> Vec<u64> {
    let states = args.iter().map(|arg| match arg {
        Arg::Slot(slot, _) => state(*slot),
        Arg::Literal(value) => digest(value),
    });
    states.collect()
}

fn digest(of: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

/// The method executions that tests have made.
#[derive(Clone, Debug, Default)]
pub struct Known(FxHashSet<u64>);

impl Known {
    /// Notes those of a test. How many are new; if none is, the test is redundant.
    pub fn learn(&mut self, executions: &[u64]) -> usize {
        executions.iter().filter(|it| self.0.insert(**it)).count()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
