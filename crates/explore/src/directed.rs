//! Feedback-directed random testing.
//!
//! What is new is built upon: values never seen before, and, before others, sequences that led
//! through the code where nothing had been. Literals that did so are varied.

use testsmith_protocol::{Execution, Notion};
use testsmith_sequence::{SlotIdx, World, slice};

use crate::ledger::{Ledger, values_left};
use crate::literals::Literals;
use crate::strategy::{Ask, Options, Strategy};
use crate::workshop::Workshop;

/// Regions of code that the making of a value may enter.
const MAX_WORK: u64 = 1 << 14;

/// Walks of so few steps are built upon as they are.
const SHORT_WALK: usize = 4;

/// The strategy's state.
pub struct Directed<'w> {
    workshop: Workshop<'w>,
}

impl<'w> Directed<'w> {
    /// Starts with nothing but the catalogue and the literals.
    pub fn new(world: &'w World, literals: Literals, options: Options) -> Directed<'w> {
        let mut workshop = Workshop::new(world, literals, options);
        workshop.is_guided = true;
        Directed { workshop }
    }
}

impl Strategy for Directed<'_> {
    fn propose(&mut self) -> Option<Ask> {
        // Breadth first, then depth: a wide API is worth a look everywhere before anything is
        // built upon.
        let workshop = &mut self.workshop;
        let n_known = workshop.ledger.stats.n_new_calls / workshop.options.calls_to_know.max(1);
        let percent = match n_known < workshop.world.catalogue.operations.len() as u64 {
            true => workshop.options.early_walk_percent,
            false => workshop.options.late_walk_percent,
        };
        match workshop.rng.chance(percent) {
            true => workshop.walk(),
            false => workshop.extend(),
        }
    }

    fn learn(&mut self, ask: &Ask, execution: &Execution) {
        let workshop = &mut self.workshop;
        let Some(lesson) = workshop.learn(ask, execution) else {
            return;
        };
        let sequence = &ask.sequence;
        // Everything built upon it would pay for it again.
        if execution.trace.work > MAX_WORK {
            workshop.ledger.stats.n_costly += 1;
            return;
        }
        if lesson.enters_new {
            workshop.literals.enliven(sequence);
        }
        // A walk is long and mostly about other things: what its last call needs is built upon.
        let is_walk = ask.watch_from == SlotIdx(0) && sequence.steps().len() > SHORT_WALK;
        let needed = match is_walk {
            true => slice(workshop.world, sequence),
            false => None,
        };
        for (ty, slot, effect) in values_left(workshop.world, ask, execution) {
            let components = &mut workshop.components;
            let (sequence, slot) = match &needed {
                Some(needed) if Some(slot) == ask.traced => (needed, SlotIdx(needed.n_slots() - 1)),
                _ if is_walk => {
                    workshop.ledger.note_state(ty, effect.fingerprint);
                    continue;
                }
                _ => (sequence, slot),
            };
            let is_new = match effect.fingerprint.notion {
                Notion::None => components.wants_unseen(ty),
                _ => workshop.ledger.note_state(ty, effect.fingerprint),
            };
            if lesson.leads_on && !effect.barren {
                components.add_fresh(ty, sequence, slot);
            }
            match (is_new, effect.barren) {
                (true, false) => components.add(ty, sequence, slot, &mut workshop.rng),
                (true, true) => components.add_barren(ty, sequence, slot, &mut workshop.rng),
                (false, _) => {}
            }
        }
    }

    fn ledger(&self) -> &Ledger {
        &self.workshop.ledger
    }
}
