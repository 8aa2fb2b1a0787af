//! Variations of one sequence, as a genetic algorithm for tests makes them: a call more or less, another call,
//! another way to make a value, another argument, or the end of another sequence. They look for what a sequence
//! almost shows, as a mutant that changes a value which nobody has asked about yet.
//!
//! A changed sequence is built again, step by step: where a later step takes what is gone, another value of its
//! type serves ([`crate::transplant`]). So no change is refused because something depends on what it
//! changes.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use testsmith_api::OperationId;
use testsmith_protocol::Compared;
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, World};

use crate::hints::{nearby, sides};
use crate::literals::Literals;
use crate::options::Options;
use crate::record::Kept;
use crate::transplant::Renamed;
use crate::workshop::Workshop;

/// The most calls that are appended at once.
const MAX_MORE: usize = 3;

/// What a variation is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Code is to go another way or to compute something else: arguments and states matter.
    Infect,
    /// Something changed, and nobody has seen it: what is called afterwards matters.
    Show,
}

/// A way to change a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Append,
    Literal,
    Delete,
    Insert,
    Call,
    Argument,
    Maker,
    Cross,
}

impl Purpose {
    /// The ways to change a sequence, each as often as it is to be tried.
    fn changes(self) -> &'static [(Change, usize)] {
        match self {
            Purpose::Infect => &[
                (Change::Literal, 30),
                (Change::Append, 16),
                (Change::Insert, 16),
                (Change::Argument, 10),
                (Change::Maker, 8),
                (Change::Call, 8),
                (Change::Cross, 8),
                (Change::Delete, 4),
            ],
            Purpose::Show => &[
                (Change::Append, 44),
                (Change::Cross, 14),
                (Change::Insert, 12),
                (Change::Literal, 12),
                (Change::Call, 6),
                (Change::Argument, 6),
                (Change::Maker, 4),
                (Change::Delete, 2),
            ],
        }
    }
}

/// Makes variations of sequences.
pub struct Variations<'w> {
    workshop: Workshop<'w>,
    /// Operations that are known to return.
    known: FxHashSet<OperationId>,
}

impl<'w> Variations<'w> {
    /// Variations that add no operations but those that these executions end with.
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

    /// A number below this one, which must not be zero.
    pub fn below(&mut self, n: usize) -> usize {
        self.workshop.rng.below(n)
    }

    /// A variation of a sequence; of another one, the end may be added. `None` if this attempt gave none.
    pub fn of(&mut self, base: &Sequence, mate: &Sequence, purpose: Purpose) -> Option<Kept> {
        let changes = purpose.changes();
        let mut at = self
            .workshop
            .rng
            .below(changes.iter().map(|(_, n)| n).sum());
        let (change, _) = changes.iter().find(|(_, n)| {
            let is_it = at < *n;
            at = at.saturating_sub(*n);
            is_it
        })?;
        let sequence = self.changed(base, mate, *change)?;
        self.kept(base, sequence)
    }

    /// Variations with a literal near one that the sequence's comparisons at these places compare, with which
    /// they come out otherwise; the likeliest first.
    pub fn towards(
        &mut self,
        base: &Sequence,
        compared: &[Compared],
        is_wanted: impl Fn(u32) -> bool,
    ) -> Vec<Kept> {
        let wanted = compared.iter().filter(|it| is_wanted(it.site));
        let wanted: Vec<_> = wanted.filter_map(sides).collect();
        let workshop = &self.workshop;
        let is_free = |step: &Step, input: usize| match step {
            Step::Call { op, .. } => workshop.allowed(*op, input).is_none(),
            Step::Drop(_) => false,
        };
        let found = nearby(workshop.world, base, &wanted, is_free);
        let found = found.into_iter().map(|it| it.sequence);
        found.filter_map(|it| self.kept(base, it)).collect()
    }

    /// The sequence as one that is kept, if it calls nothing that may not return.
    fn kept(&self, base: &Sequence, sequence: Sequence) -> Option<Kept> {
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

    fn changed(&mut self, base: &Sequence, mate: &Sequence, change: Change) -> Option<Sequence> {
        let steps = base.steps();
        let workshop = &mut self.workshop;
        let mut builder = Builder::new(workshop.world);
        let mut renamed = Renamed::default();
        let at = workshop.rng.below(steps.len().max(1));
        match change {
            Change::Append => {
                builder.append(base).ok()?;
                workshop.burst(&mut builder);
            }
            Change::Literal => {
                let mut steps = steps.to_vec();
                self.exchange(&mut steps)?;
                builder.append_steps(&steps).ok()?;
            }
            Change::Delete => {
                workshop.transplant(&mut builder, &steps[..at], &mut renamed);
                workshop.transplant(&mut builder, steps.get(at + 1..)?, &mut renamed);
            }
            Change::Insert => {
                workshop.transplant(&mut builder, &steps[..at], &mut renamed);
                workshop.burst(&mut builder);
                workshop.transplant(&mut builder, &steps[at..], &mut renamed);
            }
            Change::Cross => {
                workshop.transplant(&mut builder, &steps[..at + 1], &mut renamed);
                let from = workshop.rng.below(mate.steps().len().max(1));
                workshop.transplant(
                    &mut builder,
                    mate.steps().get(from..)?,
                    &mut Renamed::default(),
                );
            }
            Change::Call | Change::Argument | Change::Maker => {
                let Step::Call { op, args, out } = steps.get(at)? else {
                    return None;
                };
                workshop.transplant(&mut builder, &steps[..at], &mut renamed);
                let new = match change {
                    Change::Call => workshop.other_call(&mut builder, *op, args, &renamed),
                    Change::Argument => workshop.other_argument(&mut builder, *op, args, &renamed),
                    _ => workshop.other_maker(&mut builder, *op),
                };
                renamed.insert(*out, new?);
                workshop.transplant(&mut builder, steps.get(at + 1..)?, &mut renamed);
            }
        }
        (!builder.steps().is_empty()).then(|| builder.finish())
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

impl<'w> Workshop<'w> {
    /// Another call on the same value as this one.
    fn other_call(
        &mut self,
        builder: &mut Builder<'w>,
        op: OperationId,
        args: &[Arg],
        renamed: &Renamed,
    ) -> Option<SlotIdx> {
        let slots = args.iter().filter_map(|arg| match arg {
            Arg::Slot(slot, _) => renamed.get(slot).copied(),
            Arg::Literal(_) => None,
        });
        let slot = slots.into_iter().find(|it| builder.is_live(*it))?;
        let consumers = &self.traffic.consumers[builder.ty(slot).0 as usize];
        let (other, input) = *self.rng.pick(consumers)?;
        if other == op {
            return None;
        }
        let args = self.choose_arguments(builder, other, Some((input, slot)), 0, &mut None);
        builder.push(other, args.ok()?).ok()
    }

    /// The same call with one argument chosen anew.
    fn other_argument(
        &mut self,
        builder: &mut Builder<'w>,
        op: OperationId,
        args: &[Arg],
        renamed: &Renamed,
    ) -> Option<SlotIdx> {
        let i = self.rng.below(args.len().max(1));
        let input = self.world.signature(op).inputs.get(i)?;
        let chosen = match self.choose_argument(builder, op, i, &[]) {
            Some(arg) => arg,
            None => {
                let slot = self.make(builder, input.ty.ty, 1)?;
                Arg::Slot(slot, self.world.usage(input, builder.ty(slot))?)
            }
        };
        let args = args.iter().enumerate().map(|(j, arg)| match arg {
            _ if i == j => Some(chosen.clone()),
            Arg::Slot(slot, usage) => Some(Arg::Slot(*renamed.get(slot)?, *usage)),
            Arg::Literal(_) => Some(arg.clone()),
        });
        builder.push(op, args.collect::<Option<_>>()?).ok()
    }

    /// Another way to make what this call makes.
    fn other_maker(&mut self, builder: &mut Builder<'w>, op: OperationId) -> Option<SlotIdx> {
        let ty = self.world.signature(op).output.ty;
        self.make(builder, ty, 1)
    }
}

/// Does the sequence call it already?
fn calls_it(base: &Sequence, wanted: OperationId) -> bool {
    let mut steps = base.steps().iter();
    steps.any(|step| matches!(step, Step::Call { op, .. } if *op == wanted))
}
