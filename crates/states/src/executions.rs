//! Digests the method executions of a sequence, and remembers those that tests have made.

use rustc_hash::FxHashSet;
use testsmith_api::{OperationId, Origin};
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, World};

use crate::StateBy;
use crate::equality::is_equality;
use crate::histories::{Histories, digest, entry};

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

/// Gives what was seen while a sequence was run.
pub trait Sight {
    /// What was seen of a slot after `n_steps` steps; the default if the slot could not be looked
    /// at.
    fn seen(&self, n_steps: usize, slot: SlotIdx) -> Seen;
}

/// Something that a test looks at besides its steps, in order to assert it.
#[derive(Clone, Debug)]
pub enum Look {
    /// The value in a slot.
    Value(SlotIdx),
    /// The result of a call.
    Call(OperationId, Vec<Arg>),
}

/// A digest for each call of the crate's own callables, in order. Equal digests stand for the same
/// method execution.
///
/// If a notion cannot tell the state of a value, the next finer notion does: a state that cannot be
/// seen is identified by the calls that made it. Calls of `==` itself are told apart at least as
/// finely as by whole states, because a notion must not take for granted what it judges.
pub fn executions(world: &World, sequence: &Sequence, by: StateBy, sight: &dyn Sight) -> Vec<u64> {
    executions_and_looks(world, sequence, &[], by, sight)
}

/// Does the same as [`executions`], with digests of the looks too, each after a number of steps. A
/// test that makes the same calls and asserts something else is not the same.
pub fn executions_and_looks(
    world: &World,
    sequence: &Sequence,
    looks: &[(usize, Look)],
    by: StateBy,
    sight: &dyn Sight,
) -> Vec<u64> {
    let mut found = Vec::new();
    let mut histories = Histories::default();
    // For each slot, the digest of the execution that made it, and its history at that time.
    let mut makers: Vec<(u64, u64)> = Vec::new();
    for n_steps in 0..=sequence.steps().len() {
        let seen = |slot: SlotIdx| sight.seen(n_steps, slot);
        let state_by = |slot: SlotIdx, by: StateBy| {
            let ty = world.signature(sequence.maker(slot).0).output.ty;
            match by {
                StateBy::WholeSeq => histories.whole[slot.0 as usize],
                StateBy::ModifyingSeq => histories.modifying[slot.0 as usize],
                StateBy::WholeState => match seen(slot).state {
                    Some(state) => digest(&("state", ty, state)),
                    None => histories.modifying[slot.0 as usize],
                },
                StateBy::MonitorEq => match (seen(slot).read, seen(slot).state) {
                    (Some(read), _) => digest(&("read", ty, read)),
                    (None, Some(state)) => digest(&("state", ty, state)),
                    (None, None) => histories.modifying[slot.0 as usize],
                },
                StateBy::PairwiseEq => match (seen(slot).class, seen(slot).state) {
                    (Some(class), _) => digest(&("class", ty, class)),
                    (None, Some(state)) => digest(&("state", ty, state)),
                    (None, None) => histories.modifying[slot.0 as usize],
                },
            }
        };
        let state = |slot: SlotIdx| state_by(slot, by);
        // A notion that goes by what `==` answers or reads cannot say which calls of `==` are the
        // same.
        let called = |op: OperationId, args: &[Arg]| {
            let by = match is_equality(world, op) {
                true => by.min(StateBy::WholeState),
                false => by,
            };
            digest(&(op, entry(args, |slot| state_by(slot, by))))
        };
        for (_, look) in looks.iter().filter(|(after, _)| *after == n_steps) {
            match look {
                Look::Value(slot) => {
                    let at = slot.0 as usize;
                    let (maker, birth) = makers[at];
                    // The value as its call gave it, or as later calls left it.
                    let later = (histories.modifying[at] != birth).then(|| state(*slot));
                    found.push(digest(&("value", maker, later)));
                }
                Look::Call(op, args) => {
                    let maker = called(*op, args);
                    found.extend([maker, digest(&("value", maker, None::<u64>))]);
                }
            }
        }
        let Some(Step::Call { op, args, .. }) = sequence.steps().get(n_steps) else {
            continue;
        };
        let execution = called(*op, args);
        if matches!(world.catalogue.operation(*op).origin, Origin::Callable(_)) {
            found.push(execution);
        }
        histories.call(*op, args, |change| {
            let after = sight.seen(n_steps + 1, change.slot).state;
            match (seen(change.slot).state, after) {
                (None, None) => change.is_lent,
                (before, after) => before != after,
            }
        });
        let birth = *histories.modifying.last().expect("a call fills a slot");
        makers.push((execution, birth));
    }
    found
}

/// The method executions that tests have made.
#[derive(Clone, Debug, Default)]
pub struct Known(FxHashSet<u64>);

impl Known {
    /// Notes the executions of a test, and gives how many are new. If none is, the test is
    /// redundant.
    pub fn learn(&mut self, executions: &[u64]) -> usize {
        executions.iter().filter(|it| self.0.insert(**it)).count()
    }

    /// How many executions are known.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Is no execution known?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
