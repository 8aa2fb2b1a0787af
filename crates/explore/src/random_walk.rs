//! Undirected random testing: every sequence is built from nothing, and nothing is learnt.
//!
//! A baseline. Operations, literals and the borrow check are those of the other strategies.

use testsmith_protocol::Execution;
use testsmith_sequence::{Builder, SlotIdx, World};

use crate::ledger::Ledger;
use crate::literals::Literals;
use crate::strategy::{Ask, Options, Strategy};
use crate::workshop::{MAX_ATTEMPTS, Workshop};

/// The strategy's state.
pub struct RandomWalk<'w> {
    workshop: Workshop<'w>,
}

impl<'w> RandomWalk<'w> {
    /// Starts with nothing but the catalogue and the literals.
    pub fn new(world: &'w World, literals: Literals, options: Options) -> RandomWalk<'w> {
        RandomWalk {
            workshop: Workshop::new(world, literals, options),
        }
    }

    /// Steps at random until there are `n_steps`, or none fits any more.
    fn walk(&mut self, builder: &mut Builder<'w>, n_steps: usize) -> Option<()> {
        for _ in 0..MAX_ATTEMPTS {
            if builder.steps().len() >= n_steps {
                break;
            }
            let operation = self.workshop.choose_operation()?;
            self.workshop.apply(builder, operation);
        }
        Some(())
    }
}

impl Strategy for RandomWalk<'_> {
    fn propose(&mut self) -> Option<Ask> {
        for _ in 0..MAX_ATTEMPTS {
            let mut builder = Builder::new(self.workshop.world);
            let n_steps = 1 + self.workshop.rng.below(self.workshop.options.max_steps);
            self.walk(&mut builder, n_steps)?;
            if !builder.steps().is_empty()
                && let Some(ask) = self.workshop.ask(builder, SlotIdx(0), SlotIdx(0))
            {
                return Some(ask);
            }
        }
        None
    }

    fn learn(&mut self, ask: &Ask, execution: &Execution) {
        let workshop = &mut self.workshop;
        workshop.ledger.enter(workshop.world, ask, execution);
        if execution.touch.is_some() {
            return;
        }
        // No shorter sequence was run before: what values were at birth was not yet counted.
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
