//! The method executions of a sequence, and those that are known.

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

/// What was seen while a sequence was run.
pub trait Sight {
    /// Of a slot, after so many steps. Nothing, if it could not be looked at.
    fn seen(&self, n_steps: usize, slot: SlotIdx) -> Seen;
}

/// What a test looks at beside its steps, to assert what it is.
#[derive(Clone, Debug)]
pub enum Look {
    /// The value in a slot.
    Value(SlotIdx),
    /// What a call gives.
    Call(OperationId, Vec<Arg>),
}

/// A digest for each call of the crate's own, in order: equal ones are the same method execution.
///
/// Where a notion says nothing of a value, the next finer one does: a state that cannot be seen is told
/// by the calls that made it. Calls of `==` itself go by whole states at most: what a notion believes
/// must not be what it judges.
pub fn executions(world: &World, sequence: &Sequence, by: StateBy, sight: &dyn Sight) -> Vec<u64> {
    executions_and_looks(world, sequence, &[], by, sight)
}

/// As [`executions`], with what is looked at, each after so many steps: calls, and results that are
/// asserted. What calls the same and asserts something else is not the same test.
pub fn executions_and_looks(
    world: &World,
    sequence: &Sequence,
    looks: &[(usize, Look)],
    by: StateBy,
    sight: &dyn Sight,
) -> Vec<u64> {
    let mut found = Vec::new();
    let mut histories = Histories::default();
    // By slot, the execution that made it, and its history then.
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
        // What `==` says or reads cannot say which calls of `==` are alike.
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
                    // As a call gave it, or as others left it.
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
