//! Calls that should not change a state share the calls that make it.
//!
//! The trace of several calls does not say which of them went through which code. So only two
//! things are checked: whether a result is new for its operation, and whether there is code that
//! none of the operations had gone through. Calls that may be the reason are made again alone.
//!
//! **Calls that only look share what they look at.** The exhaustive strategy sends a state with a
//! dozen `&self` calls as one program. What each of them went through cannot be told apart, so it
//! is only asked whether there is anything new: a result that its operation never gave, code that
//! none of the operations went through, another state at the end. Who may have shown it is called
//! again alone, and only that is learnt from. A round begins when all of the last one is known.

use rustc_hash::FxHashMap;
use testsmith_api::OperationId;
use testsmith_protocol::{Execution, Outcome, Passage};
use testsmith_sequence::{Arg, Builder, SlotIdx, Step};

use super::arguments::Given;
use super::{Call, Exhaustive, Job, State, StateIdx};
use crate::ask::Ask;
use crate::classes::digest;
use crate::digests::Digests;
use crate::newness::look;
use crate::workshop::Workshop;

/// The most calls that share a state.
const MAX_TOGETHER: usize = 12;
/// An operation that was this often in a group that changed its state is called alone from then on.
const MAX_SUSPECTED: u32 = 3;
/// The number of remembered results, as a power of two.
const SHOWN_BITS: u32 = 18;

/// A call, and the slot of its result.
pub(super) type Made = (Call, SlotIdx);

/// Calls under way that share a state.
pub(super) struct Shared {
    pub(super) state: StateIdx,
    pub(super) calls: Vec<Made>,
}

/// Knows which operations may share a state, and which results were seen.
pub(super) struct Sharing {
    suspected: FxHashMap<OperationId, u32>,
    shown: Digests,
}

impl Sharing {
    pub(super) fn new() -> Sharing {
        Sharing {
            suspected: FxHashMap::default(),
            shown: Digests::with_bits(SHOWN_BITS),
        }
    }

    /// May the operation share a state? It may unless it is suspected of changing its arguments.
    pub(super) fn may_share(&self, operation: OperationId) -> bool {
        let suspected = self.suspected.get(&operation);
        suspected.is_none_or(|n| *n < MAX_SUSPECTED)
    }
}

/// Splits calls into groups that are small enough to share a state.
pub(super) fn groups(calls: Vec<Call>) -> Vec<Vec<Call>> {
    let groups = calls.chunks(MAX_TOGETHER).map(<[Call]>::to_vec);
    groups.collect()
}

/// Makes the state, and then one call after another. Gives the calls back if the sequence must not
/// be run or is rejected.
pub(super) fn build(
    workshop: &Workshop<'_>,
    state: &State,
    calls: Vec<Call>,
) -> Result<(Ask, Vec<Made>), Vec<Call>> {
    let mut builder = Builder::new(workshop.world);
    if builder.append(&state.sequence).is_err() {
        return Err(calls);
    }
    let from = SlotIdx(builder.n_slots());
    let mut made = Vec::new();
    for call in &calls {
        match push(workshop, &mut builder, state.slot, call) {
            Some(out) => made.push(out),
            None => return Err(calls),
        }
    }
    let seen = std::iter::once(state.slot).chain(made.iter().copied());
    let watch_end = seen.filter(|slot| builder.is_observable(*slot)).collect();
    let sequence = builder.finish();
    if workshop.ledger.quarantine.refuses(&sequence, from) {
        return Err(calls);
    }
    let ask = Ask {
        sequence,
        watch_from: SlotIdx(u16::MAX),
        watch_end,
        traced: Some(from),
        traced_on: true,
        values: false,
        watched: false,
    };
    Ok((ask, calls.into_iter().zip(made).collect()))
}

fn push(
    workshop: &Workshop<'_>,
    builder: &mut Builder<'_>,
    slot: SlotIdx,
    call: &Call,
) -> Option<SlotIdx> {
    let inputs = &workshop.world.signature(call.operation).inputs;
    let args = call.list.iter().enumerate().map(|(i, given)| match given {
        Given::Receiver => {
            let usage = workshop.world.usage(&inputs[i], builder.ty(slot))?;
            Some(Arg::Slot(slot, usage))
        }
        Given::Literal(value) => workshop.written(builder, call.operation, i, value),
        Given::State(..) => None,
    });
    let args = args.collect::<Option<Vec<Arg>>>()?;
    builder.push(call.operation, args).ok()
}

impl Exhaustive<'_> {
    /// Finds out whether one of several calls showed something new.
    pub(super) fn learn_shared(&mut self, shared: Shared, ask: &Ask, execution: &Execution) {
        let Shared { state, calls } = shared;
        let ledger = &mut self.directed.workshop.ledger;
        if execution.outcome != Outcome::Returned || execution.touch.is_some() {
            ledger.count_again(execution);
            return self.part(state, calls, ask, execution);
        }
        ledger.count_shared(ask, execution);
        let made = &self.states[state.ty.0 as usize][state.n];
        let look = |slot: SlotIdx| {
            let mut effects = execution.effects.iter();
            effects.find(|it| it.slot == slot.0).map(look)
        };
        if look(made.slot).is_some_and(|look| look != made.look) {
            for (call, _) in &calls {
                *self.sharing.suspected.entry(call.operation).or_default() += 1;
            }
            return self.alone_first(state, calls.into_iter().map(|(call, _)| call));
        }
        let is_strange = |it: &Passage| {
            let mut calls = calls.iter();
            !calls.any(|(call, _)| ledger.has_entered(call.operation, it.region()))
        };
        let is_strange = execution.trace.regions.iter().any(is_strange);
        let mut shows = |(call, out): &Made| {
            let shown = &mut self.sharing.shown;
            // A result that shows nothing cannot be new.
            look(*out).is_some_and(|look| shown.insert(digest(&(call.operation, look))))
        };
        let (new, known): (Vec<_>, Vec<_>) = calls.into_iter().partition(|it| shows(it));
        let again = match is_strange {
            true => known,
            false => {
                if let Some(round) = self.round() {
                    round.shared += known.len() as u64;
                }
                Vec::new()
            }
        };
        let again = new.into_iter().chain(again);
        self.alone_first(state, again.map(|(call, _)| call));
    }

    /// Calls the operation that failed alone, and lets the others go on.
    fn part(&mut self, state: StateIdx, calls: Vec<Made>, ask: &Ask, execution: &Execution) {
        let at = match execution.outcome {
            Outcome::Panicked { at, .. } | Outcome::Died { at, .. } | Outcome::Refused { at } => {
                Some(usize::from(at))
            }
            Outcome::Returned | Outcome::Malformed(_) => None,
        };
        let failed = at.and_then(|at| match ask.sequence.steps().get(at) {
            Some(Step::Call { out, .. }) => Some(*out),
            _ => None,
        });
        let (failed, others): (Vec<_>, Vec<_>) =
            calls.into_iter().partition(|(_, out)| Some(*out) == failed);
        let others = others.into_iter().map(|(call, _)| call);
        match failed.is_empty() {
            true => self.alone_first(state, others),
            false => {
                let others = others.collect::<Vec<_>>();
                self.jobs.push_front((state, Job::Together(others)));
                self.alone_first(state, failed.into_iter().map(|(call, _)| call));
            }
        }
    }
}
