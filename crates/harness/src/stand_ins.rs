//! Writes the crate of stand-ins. rustc judges each of them before anything else is built on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use testsmith_api::{STAND_INS, StandIn};
use testsmith_project::{Run, Scratch};

use crate::build::{BuildError, apply_profile};
use crate::instrument::Instrument;

/// The most rounds of rustc. There are several, because an error in one item can hide those in
/// others.
const MAX_ROUNDS: usize = 6;

/// Writes the crate without the stand-ins that rustc refuses, and gives their names, each with the
/// first line of the error.
pub fn write_stand_ins(
    scratch: &mut Scratch,
    stand_ins: &[StandIn],
    instrument: Option<&Instrument>,
) -> Result<BTreeMap<Arc<str>, String>, BuildError> {
    let mut refused: BTreeMap<Arc<str>, String> = BTreeMap::new();
    for _ in 0..MAX_ROUNDS {
        let line = |it: &StandIn| match refused.contains_key(&it.name) {
            true => String::new(),
            false => it.line(),
        };
        let lines: Vec<String> = stand_ins.iter().map(line).collect();
        scratch.add_stand_ins(STAND_INS, &lines)?;
        let mut command = scratch.cargo("check");
        command.args(["--package", "testsmith-stand-ins"]);
        apply_profile(&mut command, instrument);
        let run = Run::of(&mut command)?;
        let n_before = refused.len();
        for error in &run.errors {
            let spans = error.spans.iter();
            let ours = spans.filter(|it| it.primary && it.file.ends_with("stand-ins/src/lib.rs"));
            for span in ours {
                // One line stands before the stand-ins.
                let Some(guilty) = stand_ins.get((span.line as usize).wrapping_sub(2)) else {
                    continue;
                };
                let why = error.message.lines().next().unwrap_or_default();
                let why = format!("{why} [{}]", error.code);
                refused.entry(guilty.name.clone()).or_insert(why);
            }
        }
        if run.success {
            return Ok(refused);
        }
        if refused.len() == n_before {
            break;
        }
    }
    // If other code does not build, building the harness reports it.
    scratch.add_stand_ins(STAND_INS, &[])?;
    let all = stand_ins.iter().map(|it| it.name.clone());
    Ok(all
        .map(|name| (name, "it does not build".to_owned()))
        .collect())
}
