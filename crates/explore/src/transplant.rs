//! Carries steps over from one sequence to another. Where a value is not there that a step takes, another one of
//! its type serves, or a new one is made.

use rustc_hash::FxHashMap;
use testsmith_api::OperationId;
use testsmith_sequence::{Arg, Builder, SlotIdx, Step};

use crate::workshop::Workshop;

/// What the slots of the old sequence are in the new one.
pub(crate) type Renamed = FxHashMap<SlotIdx, SlotIdx>;

impl<'w> Workshop<'w> {
    /// Appends steps of another sequence. A step is left out that nothing can be found or made for: gives how
    /// many were carried over.
    pub(crate) fn transplant(
        &mut self,
        builder: &mut Builder<'w>,
        steps: &[Step],
        renamed: &mut Renamed,
    ) -> usize {
        let carried = steps.iter().filter_map(|step| match step {
            Step::Call { op, args, out } => {
                let new = self.carry(builder, *op, args, renamed)?;
                renamed.insert(*out, new);
                Some(())
            }
            // The builder adds the drops that are still necessary by itself.
            Step::Drop(_) => None,
        });
        carried.count()
    }

    fn carry(
        &mut self,
        builder: &mut Builder<'w>,
        op: OperationId,
        args: &[Arg],
        renamed: &Renamed,
    ) -> Option<SlotIdx> {
        // What is made for a call that fails after all would stay.
        let mut trial = builder.clone();
        let mut carried = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let arg = match arg {
                Arg::Literal(_) => arg.clone(),
                Arg::Slot(slot, usage) => match renamed.get(slot) {
                    Some(new) if trial.is_live(*new) => Arg::Slot(*new, *usage),
                    _ => self.stand_in(&mut trial, op, i)?,
                },
            };
            carried.push(arg);
        }
        let slot = trial.push(op, carried).ok()?;
        *builder = trial;
        Some(slot)
    }

    /// A value for an input: one that is there, or a new one.
    fn stand_in(&mut self, builder: &mut Builder<'w>, op: OperationId, i: usize) -> Option<Arg> {
        let input = &self.world.signature(op).inputs[i];
        let accepted = &self.traffic.accepts[op.0 as usize][i];
        let there = builder
            .live()
            .filter(|it| accepted.contains(&builder.ty(*it)));
        let there: Vec<SlotIdx> = there.collect();
        let slot = match self.rng.pick(&there) {
            Some(slot) => *slot,
            None => self.make(builder, input.ty.ty, 1)?,
        };
        Some(Arg::Slot(slot, self.world.usage(input, builder.ty(slot))?))
    }
}
