//! Finds out which values are new by the chosen notion of equal states. Only these are built upon.
//!
//! Without a choice, a value is known by what can be seen of it from outside, or by all that is
//! inside if nothing can. If a notion says nothing about a value, the next finer notion decides.
//!
//! **What is new is a choice.** By default a value is new if it looks like none before it, which
//! needs no snapshot. With `--state-by` the guest writes states out, and `explore/newness.rs` asks
//! the chosen notion; `==` is asked by sequences of its own (`pairs.rs`), one value against one of
//! every class, before the value is built upon. Histories of values are digests that do not depend
//! on where in a sequence they stand (`states/histories.rs`), so what a call changed is known in
//! every sequence that repeats it.

use rustc_hash::FxHashMap;
use testsmith_api::TypeIdx;
use testsmith_protocol::{Effect, Notion};
use testsmith_sequence::{Sequence, SlotIdx};
use testsmith_states::{Histories, StateBy};

use crate::classes::digest;
use crate::digests::Digests;
use crate::ledger::Ledger;

/// The number of remembered values, as a power of two. 21 means 16 MiB.
const VALUES_BITS: u32 = 21;
/// How many states are remembered by the histories of their values. Beyond that all are forgotten,
/// and loans count as changes until states are known again.
const MAX_STATES: usize = 1 << 20;

/// Whether a value is new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Novelty {
    /// No value like it was there before.
    New,
    /// A value like it was there before.
    Known,
    /// The value shows nothing, so it is unknown whether it is new.
    Unseen,
}

/// Remembers which values were seen.
pub(crate) struct Newness {
    by: Option<StateBy>,
    values: Digests,
    /// The state of a value, by its history.
    states: FxHashMap<u64, u64>,
}

impl Newness {
    /// Starts without any value.
    pub(crate) fn new(by: Option<StateBy>) -> Newness {
        let bits = by.map_or(0, |_| VALUES_BITS);
        Newness {
            by,
            values: Digests::with_bits(bits),
            states: FxHashMap::default(),
        }
    }

    /// Does `==` decide, where it can be asked?
    pub(crate) fn is_pairwise(&self) -> bool {
        self.by == Some(StateBy::PairwiseEq)
    }

    /// Remembers a value that a sequence leaves in a slot, and says whether it is new. The ledger
    /// counts what can be seen of it in any case.
    pub(crate) fn note(
        &mut self,
        ledger: &mut Ledger,
        ty: TypeIdx,
        sequence: &Sequence,
        slot: SlotIdx,
        effect: &Effect,
    ) -> Novelty {
        let is_new_to_see = ledger.note_state(ty, effect.fingerprint);
        let state = effect.state.as_ref().filter(|it| it.whole);
        let state = state.map(|it| it.hash);
        let seen = match effect.fingerprint.notion {
            Notion::None => None,
            _ => Some(digest(&effect.fingerprint)),
        };
        if !matches!(self.by, None | Some(StateBy::WholeSeq)) && state.is_none() {
            *ledger.stats.n_unseen.entry(ty).or_default() += 1;
        }
        let at = usize::from(slot.0);
        let found = match self.by {
            None => {
                return match (seen, is_new_to_see) {
                    (None, _) => Novelty::Unseen,
                    (Some(_), true) => Novelty::New,
                    (Some(_), false) => Novelty::Known,
                };
            }
            Some(StateBy::WholeSeq) => Some(Histories::of(sequence, |_| None).whole[at]),
            Some(StateBy::ModifyingSeq) => Some(self.modifying(sequence, at, state.or(seen))),
            // For monitor-eq the guest sends what `==` reads instead of the whole.
            Some(StateBy::WholeState | StateBy::MonitorEq | StateBy::PairwiseEq) => state.or(seen),
        };
        match found {
            None => Novelty::Unseen,
            Some(found) if self.values.insert(digest(&(ty, found))) => Novelty::New,
            Some(_) => Novelty::Known,
        }
    }

    /// A digest of the calls that made and changed a value.
    fn modifying(&mut self, sequence: &Sequence, at: usize, state: Option<u64>) -> u64 {
        if let Some(state) = state {
            let whole = Histories::of(sequence, |it| self.states.get(&it).copied()).whole[at];
            if self.states.len() >= MAX_STATES {
                self.states.clear();
            }
            self.states.insert(whole, state);
        }
        Histories::of(sequence, |it| self.states.get(&it).copied()).modifying[at]
    }
}

/// A digest of everything that was seen of a value.
pub(crate) fn look(effect: &Effect) -> u64 {
    let state = effect.state.as_ref().map(|it| it.hash);
    digest(&(effect.fingerprint, state))
}
