//! Cuts out the part of a sequence that a value depends on, and makes sequences that differ in a
//! part.

use testsmith_api::Pass;
use testsmith_protocol::{Use, Value};

use crate::builder::{Builder, World};
use crate::step::{Arg, Sequence, SlotIdx, Step};

/// The steps on which the last call depends: what made its arguments, and what changed them.
/// `None` if what is left is not valid alone.
///
/// A change through a shared reference (`Cell`, `Mutex`) is not seen: a caller that needs the same
/// behaviour has to run the slice and compare.
pub fn slice(world: &World, sequence: &Sequence) -> Option<Sequence> {
    let mut needed = vec![false; usize::from(sequence.n_slots())];
    let mut keep = vec![false; sequence.steps().len()];
    let mut is_last = true;
    for (i, step) in sequence.steps().iter().enumerate().rev() {
        match step {
            Step::Drop(slot) => keep[i] = is_last || needed[usize::from(slot.0)],
            Step::Call { op, args, out } => {
                let inputs = &world.signature(*op).inputs;
                let changes = args.iter().zip(inputs).any(|(arg, input)| match arg {
                    Arg::Slot(slot, Use::Mut) => needed[usize::from(slot.0)],
                    Arg::Slot(slot, Use::Reborrow) => {
                        needed[usize::from(slot.0)] && !matches!(input.pass, Pass::Shared(_))
                    }
                    _ => false,
                });
                keep[i] = is_last || changes || needed[usize::from(out.0)];
            }
        }
        if keep[i] {
            is_last = false;
            match step {
                Step::Drop(slot) => needed[usize::from(slot.0)] = true,
                Step::Call { args, .. } => {
                    for arg in args {
                        if let Arg::Slot(slot, _) = arg {
                            needed[usize::from(slot.0)] = true;
                        }
                    }
                }
            }
        }
    }
    let steps = sequence.steps().iter().zip(&keep);
    rebuild(
        world,
        steps.filter(|(_, keep)| **keep).map(|(step, _)| step),
    )
}

/// Makes a sequence of some of another's steps, with slots renumbered.
fn rebuild<'s>(world: &World, steps: impl Iterator<Item = &'s Step>) -> Option<Sequence> {
    go_on(Builder::new(world), Vec::new(), steps)
}

/// Appends steps to those of the builder. `renamed` maps the slots that the steps name to slots of
/// the builder.
fn go_on<'s>(
    mut builder: Builder<'_>,
    mut renamed: Vec<(SlotIdx, SlotIdx)>,
    steps: impl Iterator<Item = &'s Step>,
) -> Option<Sequence> {
    for step in steps {
        let find = |slot: &SlotIdx| {
            let found = renamed.iter().find(|(old, _)| old == slot);
            found.map(|(_, new)| *new)
        };
        match step {
            // The builder adds the drops that are still necessary by itself.
            Step::Drop(_) => {}
            Step::Call { op, args, out } => {
                let args = args
                    .iter()
                    .map(|arg| match arg {
                        Arg::Slot(slot, usage) => Some(Arg::Slot(find(slot)?, *usage)),
                        Arg::Literal(value) => Some(Arg::Literal(value.clone())),
                    })
                    .collect::<Option<Vec<_>>>()?;
                let new = builder.push(*op, args).ok()?;
                renamed.push((*out, new));
            }
        }
    }
    Some(builder.finish())
}

/// The sequence without one of its steps. `None` if later steps need it.
pub fn without(world: &World, sequence: &Sequence, step_idx: usize) -> Option<Sequence> {
    let steps = sequence.steps().iter().enumerate();
    rebuild(
        world,
        steps.filter(|(i, _)| *i != step_idx).map(|(_, step)| step),
    )
}

/// The sequence in which a slot is made by the last call of another sequence. Steps that only the
/// old maker needed stay.
pub fn with_maker(
    world: &World,
    sequence: &Sequence,
    slot: SlotIdx,
    maker: &Sequence,
) -> Option<Sequence> {
    let mut builder = Builder::new(world);
    builder.append(maker).ok()?;
    let made = SlotIdx(maker.n_slots().checked_sub(1)?);
    let is_other = |step: &&Step| !matches!(step, Step::Call { out, .. } if *out == slot);
    let steps = sequence.steps().iter().filter(is_other);
    go_on(builder, vec![(slot, made)], steps)
}

/// The sequence in which an earlier slot is used in place of this one, whose maker is gone: the value
/// instead of its clone, one value instead of two that are alike. Steps that only the old maker needed
/// stay.
pub fn with_slot(
    world: &World,
    sequence: &Sequence,
    slot: SlotIdx,
    earlier: SlotIdx,
) -> Option<Sequence> {
    let at = |wanted: SlotIdx| {
        let mut steps = sequence.steps().iter();
        steps.position(|step| matches!(step, Step::Call { out, .. } if *out == wanted))
    };
    let (maker, source) = (at(slot)?, at(earlier)?);
    if source >= maker {
        return None;
    }
    let instead = |arg: &Arg| match arg {
        Arg::Slot(it, usage) if *it == slot => Arg::Slot(earlier, *usage),
        other => other.clone(),
    };
    let steps = sequence
        .steps()
        .iter()
        .enumerate()
        .filter(|(i, _)| *i != maker);
    let steps: Vec<Step> = steps
        .map(|(_, step)| match step {
            Step::Call { op, args, out } => Step::Call {
                op: *op,
                args: args.iter().map(instead).collect(),
                out: *out,
            },
            drop => drop.clone(),
        })
        .collect();
    rebuild(world, steps.iter())
}

/// The sequence with one literal replaced by another.
pub fn with_literal(
    world: &World,
    sequence: &Sequence,
    step_idx: usize,
    input: usize,
    value: Value,
) -> Option<Sequence> {
    let mut steps = sequence.steps().to_vec();
    match &mut steps[step_idx] {
        Step::Call { args, .. } => args[input] = Arg::Literal(value.into()),
        Step::Drop(_) => return None,
    }
    let mut builder = Builder::new(world);
    builder.append_steps(&steps).ok()?;
    Some(builder.finish())
}

#[cfg(test)]
mod tests;
