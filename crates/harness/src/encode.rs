//! Encodes sequences for the guest.

use testsmith_api::Pass;
use testsmith_protocol::{Program, Use, WireArg, WireStep};
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, World};

/// A program that runs the sequence. It describes slots from `watch_from` on when they are made,
/// and those of `watch_end` at the end, and traces the call that fills `traced`.
pub fn encode(
    world: &World,
    sequence: &Sequence,
    watch_from: SlotIdx,
    watch_end: &[SlotIdx],
    traced: Option<SlotIdx>,
    values: bool,
) -> Program {
    let mut steps = Vec::new();
    for step in sequence.steps() {
        match step {
            Step::Drop(slot) => WireStep::Drop(slot.0).encode(&mut steps),
            Step::Call { op, args, .. } => {
                let inputs = &world.signature(*op).inputs;
                let literals: Vec<Vec<u8>> = args
                    .iter()
                    .map(|arg| {
                        let mut bytes = Vec::new();
                        if let Arg::Literal(value) = arg {
                            value.encode(&mut bytes);
                        }
                        bytes
                    })
                    .collect();
                let args = args
                    .iter()
                    .zip(inputs)
                    .zip(&literals)
                    .map(|((arg, input), bytes)| match arg {
                        // The bits of a wide reference are copied; the loan is the host's affair.
                        Arg::Slot(slot, Use::Reborrow) if input.pass == Pass::Value => {
                            WireArg::Slot(slot.0, Use::Copy)
                        }
                        Arg::Slot(slot, usage) => WireArg::Slot(slot.0, *usage),
                        Arg::Literal(_) => WireArg::Literal {
                            ty: input.ty.ty.0,
                            borrowed: input.pass != Pass::Value,
                            bytes,
                        },
                    })
                    .collect();
                WireStep::Call { op: op.0, args }.encode(&mut steps);
            }
        }
    }
    let n_steps = sequence.steps().len() as u16;
    Program {
        steps,
        n_steps,
        watch_from: watch_from.0,
        watch_end: watch_end.iter().map(|slot| slot.0).collect(),
        values,
        watched: false,
        traced_on: false,
        fuel: u64::MAX,
        trace_step: traced.and_then(|slot| {
            let is_maker = |step: &Step| matches!(step, Step::Call { out, .. } if *out == slot);
            let at = sequence.steps().iter().position(is_maker)?;
            Some(at as u16)
        }),
    }
}
