//! Finds the calls that ask whether a law holds, and whether they ask it of values that the law is
//! meant for.

use testsmith_api::{Asks, Form, Law, OperationId, TypeIdx};
use testsmith_protocol::{Caps, Use};
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, World, twins};

/// The law that an operation asks for, if it does.
pub(crate) fn law(world: &World, op: OperationId) -> Option<&Law> {
    match &world.catalogue.operation(op).form {
        Form::Law(law) => Some(law),
        _ => None,
    }
}

/// Is the law at the end of a sequence asked of values that it is meant for? A change of the
/// sequence may have made twins different, or left out a drop.
pub fn is_fairly_asked(world: &World, sequence: &Sequence) -> bool {
    let Some(Step::Call { op, args, .. }) = sequence.steps().last() else {
        return true;
    };
    match law(world, *op).map(|law| law.asks) {
        Some(Asks::OfAlike) => twins(sequence).is_some(),
        Some(Asks::OfRead) => args.iter().all(|arg| match arg {
            Arg::Slot(slot, _) => is_read(world, sequence, *slot),
            Arg::Literal(_) => false,
        }),
        Some(Asks::AfterDrops) => {
            let counts = |slot: SlotIdx| {
                let is_it = |arg: &Arg| matches!(arg, Arg::Slot(of, _) if *of == slot);
                args.iter().any(is_it) || !world.caps(ty_of(world, sequence, slot)).has(Caps::DROP)
            };
            let mut slots = (0..sequence.n_slots()).map(SlotIdx);
            slots.all(|slot| counts(slot) || is_gone(sequence, slot))
        }
        Some(Asks::OfAny) | None => true,
    }
}

/// Did `FromStr` make the value of text, and nothing change it since?
fn is_read(world: &World, sequence: &Sequence, slot: SlotIdx) -> bool {
    let form = |op: OperationId| &world.catalogue.operation(op).form;
    let mut maker = sequence.maker(slot);
    if let (Form::Unwrap(_), [Arg::Slot(of, _)]) = (form(maker.0), maker.1) {
        maker = sequence.maker(*of);
    }
    let reads =
        matches!(form(maker.0), Form::Trait { trait_, .. } if &*trait_.path == "std::str::FromStr");
    let mut steps = sequence.steps().iter();
    reads && !steps.any(|step| step.uses(slot, Use::Mut))
}

fn ty_of(world: &World, sequence: &Sequence, slot: SlotIdx) -> TypeIdx {
    world.signature(sequence.maker(slot).0).output.ty
}

/// Was the value moved or dropped?
fn is_gone(sequence: &Sequence, slot: SlotIdx) -> bool {
    sequence
        .steps()
        .iter()
        .any(|step| *step == Step::Drop(slot) || step.uses(slot, Use::Move))
}
