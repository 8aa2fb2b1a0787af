//! Recognises and makes sequences that make a value twice in the same way, for a last call that
//! takes both values.

use testsmith_api::OperationId;

use crate::builder::{Builder, World};
use crate::step::{Arg, Sequence, SlotIdx, Step};

/// The steps that a sequence does twice, and the slot in them that the last call takes. `None` if
/// the two halves differ.
pub fn twins(sequence: &Sequence) -> Option<(Sequence, SlotIdx)> {
    let (last, steps) = sequence.steps.split_last()?;
    let Step::Call { args, .. } = last else {
        return None;
    };
    let [Arg::Slot(first, _), Arg::Slot(second, _)] = &**args else {
        return None;
    };
    let (one, other) = steps.split_at(steps.len() / 2);
    let half = Sequence { steps: one.into() };
    let offset = half.n_slots();
    let moved = one.iter().map(|step| shifted(step, offset));
    let is_same = other.iter().cloned().eq(moved) && first.0 + offset == second.0;
    is_same.then_some((half, *first))
}

/// Makes a sequence that does the half twice, and then makes the last call with both values.
pub fn doubled(
    world: &World,
    half: &Sequence,
    slot: SlotIdx,
    last: OperationId,
) -> Option<Sequence> {
    let mut builder = Builder::new(world);
    let mut args = Vec::new();
    for input in &world.signature(last).inputs {
        let offset = builder.append(half).ok()?;
        let slot = SlotIdx(slot.0 + offset);
        args.push(Arg::Slot(slot, world.usage(input, builder.ty(slot))?));
    }
    builder.push(last, args).ok()?;
    Some(builder.finish())
}

fn shifted(step: &Step, offset: u16) -> Step {
    let moved = |slot: SlotIdx| SlotIdx(slot.0 + offset);
    match step {
        Step::Call { op, args, out } => Step::Call {
            op: *op,
            args: args
                .iter()
                .map(|arg| match arg {
                    Arg::Slot(slot, usage) => Arg::Slot(moved(*slot), *usage),
                    literal => literal.clone(),
                })
                .collect(),
            out: moved(*out),
        },
        Step::Drop(slot) => Step::Drop(moved(*slot)),
    }
}

#[cfg(test)]
mod tests;
