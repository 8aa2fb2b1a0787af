//! Variations of one sequence: the same calls with more after them, or with another literal. They look for
//! what a sequence almost shows, as a mutant that changes a value which nobody has asked about yet.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use testsmith_api::OperationId;
use testsmith_sequence::{Arg, Builder, Sequence, Step, World};

use crate::literals::Literals;
use crate::options::Options;
use crate::record::Kept;
use crate::workshop::Workshop;

/// The most calls that are appended.
const MAX_MORE: usize = 3;
/// How many variations in a hundred have another literal, whether calls are appended or not.
const LITERAL_PERCENT: usize = 40;
/// How many of those have nothing appended.
const LITERAL_ONLY_PERCENT: usize = 70;

/// Makes variations of sequences.
pub struct Variations<'w> {
    workshop: Workshop<'w>,
    /// Operations that are known to return.
    known: FxHashSet<OperationId>,
}

impl<'w> Variations<'w> {
    /// Variations that append no operations but those that these executions end with.
    pub fn new(world: &'w World, literals: Literals, seed: u64, kept: &[Kept]) -> Variations<'w> {
        let options = Options {
            seed,
            max_burst: MAX_MORE,
            ..Options::default()
        };
        Variations {
            workshop: Workshop::new(world, literals, options),
            known: kept.iter().map(|it| it.operation).collect(),
        }
    }

    /// A variation of a sequence. `None` if this attempt gave none.
    pub fn of(&mut self, base: &Sequence) -> Option<Kept> {
        let mut steps = base.steps().to_vec();
        let rng = &mut self.workshop.rng;
        let is_other = rng.chance(LITERAL_PERCENT);
        let is_longer = !(is_other && rng.chance(LITERAL_ONLY_PERCENT));
        if is_other {
            self.exchange(&mut steps)?;
        }
        let mut builder = Builder::new(self.workshop.world);
        builder.append_steps(&steps).ok()?;
        if is_longer {
            self.workshop.burst(&mut builder);
        }
        let sequence = builder.finish();
        let mut calls = sequence.steps().iter().filter_map(|step| match step {
            Step::Call { op, .. } => Some(*op),
            Step::Drop(_) => None,
        });
        let is_known = calls.all(|op| self.known.contains(&op) || calls_it(base, op));
        let operation = sequence.steps().iter().rev().find_map(|step| match step {
            Step::Call { op, .. } => Some(*op),
            Step::Drop(_) => None,
        })?;
        (is_known && sequence != *base).then_some(Kept {
            operation,
            sequence,
        })
    }

    /// Puts another literal in the place of one.
    fn exchange(&mut self, steps: &mut [Step]) -> Option<()> {
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            if let Step::Call { args, .. } = step {
                let literals = args.iter().enumerate();
                let literals = literals.filter(|(_, it)| matches!(it, Arg::Literal(_)));
                places.extend(literals.map(|(i, _)| (at, i)));
            }
        }
        let (at, i) = *self.workshop.rng.pick(&places)?;
        let Step::Call { op, args, .. } = &mut steps[at] else {
            return None;
        };
        let value = Arc::new(self.workshop.literal(*op, i)?);
        args[i] = Arg::Literal(value);
        Some(())
    }
}

/// Does the sequence call it already?
fn calls_it(base: &Sequence, wanted: OperationId) -> bool {
    let mut steps = base.steps().iter();
    steps.any(|step| matches!(step, Step::Call { op, .. } if *op == wanted))
}
