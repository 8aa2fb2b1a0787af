//! A sequence as text, for messages and tests of our own: `s2 = semver::Version::new(1, 2, s1)`.

use std::fmt::Write as _;

use testsmith_protocol::Use;

use crate::builder::World;
use crate::step::{Arg, Sequence, Step};

/// Writes one line for each step.
pub fn text(world: &World, sequence: &Sequence) -> String {
    let mut out = String::new();
    for step in sequence.steps() {
        match step {
            Step::Drop(slot) => {
                let _ = writeln!(out, "drop(s{})", slot.0);
            }
            Step::Call {
                op,
                args,
                out: slot,
            } => {
                let args: Vec<String> = args.iter().map(arg_text).collect();
                let key = &world.catalogue.operation(*op).key;
                let _ = writeln!(out, "s{} = {key}({})", slot.0, args.join(", "));
            }
        }
    }
    out
}

fn arg_text(arg: &Arg) -> String {
    match arg {
        Arg::Literal(value) => format!("{value:?}"),
        Arg::Slot(slot, usage) => {
            let prefix = match usage {
                Use::Move => "move ",
                Use::Copy => "",
                Use::Shared => "&",
                Use::Mut => "&mut ",
                Use::Reborrow => "&*",
            };
            format!("{prefix}s{}", slot.0)
        }
    }
}

#[cfg(test)]
mod tests;
