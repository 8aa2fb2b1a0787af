//! Undirected random testing: it builds every sequence from nothing, and learns nothing.
//!
//! A baseline. It shares operations, literals and the borrow check with the other strategies.

use testsmith_protocol::Execution;
use testsmith_sequence::{SlotIdx, World};

use crate::ask::Ask;
use crate::ledger::Ledger;
use crate::literals::Literals;
use crate::options::Options;
use crate::strategy::Strategy;
use crate::workshop::Workshop;

/// The strategy's state.
pub struct RandomWalk<'w> {
    workshop: Workshop<'w>,
}

impl<'w> RandomWalk<'w> {
    /// Starts with only the catalogue and the literals.
    pub fn new(world: &'w World, literals: Literals, options: Options) -> RandomWalk<'w> {
        RandomWalk {
            workshop: Workshop::new(world, literals, options),
        }
    }
}

impl Strategy for RandomWalk<'_> {
    fn propose(&mut self) -> Option<Ask> {
        self.workshop.walk()
    }

    fn learn(&mut self, ask: &Ask, execution: &Execution) {
        let workshop = &mut self.workshop;
        workshop.ledger.enter(workshop.world, ask, execution);
        if execution.touch.is_some() {
            return;
        }
        // No beginning of the sequence was run before, so values were not counted when they were
        // made.
        for effect in &execution.effects {
            let (maker, _) = ask.sequence.maker(SlotIdx(effect.slot));
            let ty = workshop.world.signature(maker).output.ty;
            workshop.ledger.note_state(ty, effect.fingerprint);
        }
    }

    fn ledger(&self) -> &Ledger {
        &self.workshop.ledger
    }
}
