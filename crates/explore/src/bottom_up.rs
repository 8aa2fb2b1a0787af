//! Bottom-up random testing: it builds upon everything that returned.
//!
//! A baseline. It differs from [`crate::Directed`] only in its feedback: all that it learns is
//! whether a call returned. Whether values are new or empty, and which way a call took through the
//! code, makes no difference.

use testsmith_protocol::Execution;
use testsmith_sequence::World;

use crate::ask::Ask;
use crate::ledger::{Ledger, values_left};
use crate::literals::Literals;
use crate::options::Options;
use crate::strategy::Strategy;
use crate::workshop::Workshop;

/// The strategy's state.
pub struct BottomUp<'w> {
    workshop: Workshop<'w>,
}

impl<'w> BottomUp<'w> {
    /// Starts with only the catalogue and the literals.
    pub fn new(world: &'w World, literals: Literals, options: Options) -> BottomUp<'w> {
        BottomUp {
            workshop: Workshop::new(world, literals, options),
        }
    }
}

impl Strategy for BottomUp<'_> {
    fn propose(&mut self) -> Option<Ask> {
        self.workshop.extend()
    }

    fn learn(&mut self, ask: &Ask, execution: &Execution) {
        let workshop = &mut self.workshop;
        if workshop.learn(ask, execution).is_none() {
            return;
        }
        for (ty, slot, effect) in values_left(workshop.world, ask, execution) {
            workshop.ledger.note_state(ty, effect.fingerprint);
            let components = &mut workshop.components;
            components.add(ty, &ask.sequence, slot, &mut workshop.rng);
        }
    }

    fn ledger(&self) -> &Ledger {
        &self.workshop.ledger
    }
}
