//! Puts the arguments of one call together, so that those share what they were made from that belong
//! together.
//!
//! The id of a node means something only in the tree that gave it, and an entry only in its map. So a value
//! that was made from another one is put beside that one, if the call takes both; and two that were made from
//! values of one type are made from one value.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{OperationId, Pass, Ty, TypeIdx};
use testsmith_protocol::Use;
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, World};

/// A value, and how it is made.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) sequence: Sequence,
    pub(super) slot: SlotIdx,
}

impl Made {
    /// The value that the last call gives.
    pub(super) fn last(sequence: Sequence) -> Option<Made> {
        let slot = SlotIdx(sequence.n_slots().checked_sub(1)?);
        Some(Made { sequence, slot })
    }

    /// The values of the crate that this one was borrowed or taken from.
    fn sources(&self, world: &World) -> BTreeSet<SlotIdx> {
        let mut found = BTreeSet::new();
        for step in self.sequence.steps() {
            let Step::Call { args, .. } = step else {
                continue;
            };
            for arg in args {
                if let Arg::Slot(slot, Use::Shared | Use::Mut) = arg
                    && *slot != self.slot
                    && is_of_crate(world, &self.sequence, *slot)
                {
                    found.insert(*slot);
                }
            }
        }
        found
    }
}

fn is_of_crate(world: &World, sequence: &Sequence, slot: SlotIdx) -> bool {
    let ty = world.signature(sequence.maker(slot).0).output.ty;
    matches!(&world.catalogue.types.get(ty).ty, Ty::Adt { path, .. } if !path.starts_with("std::"))
}

/// An argument that is no literal, or one that is.
pub(super) enum Given<'g> {
    Literal(Arg),
    Made(&'g Made),
}

/// A call with these arguments.
pub(super) fn call(world: &World, op: OperationId, given: Vec<Given<'_>>) -> Option<Sequence> {
    let mut scene = Scene {
        world,
        builder: Builder::new(world),
        sources: BTreeMap::new(),
    };
    let inputs = &world.signature(op).inputs;
    let mut slots: Vec<Option<SlotIdx>> = vec![None; given.len()];
    // What was made from others comes first, so that the others are there.
    for is_made_from in [true, false] {
        for ((slot, it), input) in slots.iter_mut().zip(&given).zip(inputs) {
            let Given::Made(made) = it else { continue };
            if made.sources(world).is_empty() == is_made_from {
                continue;
            }
            let known = scene.sources.get(&input.ty.ty).copied();
            *slot = match known.filter(|_| !matches!(input.pass, Pass::Value)) {
                Some(known) => Some(known),
                None => Some(scene.add(made)?),
            };
        }
    }
    let args = slots.into_iter().zip(given).zip(inputs);
    let args = args.map(|((slot, given), input)| match (slot, given) {
        (Some(slot), _) => {
            let usage = world.usage(input, scene.builder.ty(slot))?;
            Some(Arg::Slot(slot, usage))
        }
        (None, Given::Literal(literal)) => Some(literal),
        (None, Given::Made(_)) => None,
    });
    let args = args.collect::<Option<Vec<Arg>>>()?;
    scene.builder.push_gently(op, args).ok()?;
    Some(scene.builder.finish())
}

struct Scene<'w> {
    world: &'w World,
    builder: Builder<'w>,
    /// Values that others were made from, by type.
    sources: BTreeMap<TypeIdx, SlotIdx>,
}

impl Scene<'_> {
    /// Makes a value from the sources that are there already, and gives its slot.
    fn add(&mut self, made: &Made) -> Option<SlotIdx> {
        let sources = made.sources(self.world);
        let mut at: Vec<SlotIdx> = Vec::new();
        let mut shared: BTreeSet<SlotIdx> = BTreeSet::new();
        for step in made.sequence.steps() {
            let Step::Call { op, args, out } = step else {
                return None;
            };
            let ty = self.world.signature(*op).output.ty;
            let is_source = sources.contains(out);
            let known = self.sources.get(&ty).filter(|_| is_source);
            if let Some(known) = known {
                at.push(*known);
                shared.insert(*known);
                continue;
            }
            let args: Vec<Arg> = args
                .iter()
                .map(|arg| match arg {
                    Arg::Slot(slot, usage) => Arg::Slot(at[usize::from(slot.0)], *usage),
                    literal => literal.clone(),
                })
                .collect();
            // What was done to a shared value already is not done again.
            let is_shared = |arg: &Arg| matches!(arg, Arg::Slot(slot, _) if shared.contains(slot));
            let done = self.builder.steps().iter().find_map(|step| match step {
                Step::Call {
                    op: done,
                    args: of,
                    out,
                } if done == op && **of == args[..] => Some(*out),
                _ => None,
            });
            let slot = match done.filter(|_| args.iter().any(is_shared)) {
                Some(slot) if self.builder.is_live(slot) => slot,
                _ => self.builder.push_gently(*op, args).ok()?,
            };
            at.push(slot);
            if is_source {
                self.sources.insert(ty, slot);
            }
        }
        at.get(usize::from(made.slot.0)).copied()
    }
}
