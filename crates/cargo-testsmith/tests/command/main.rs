//! The command as a user runs it: on real packages, and on input that makes no sense.

#![expect(
    clippy::disallowed_methods,
    reason = "the command is run on packages in directories of their own"
)]

mod analysis;
mod anywhere;
mod api;
mod augment;
mod binaries;
mod bugs;
mod choices;
mod diff;
mod equivalent;
mod fix;
mod hostile;
mod huge;
mod interruption;
mod laws;
mod minimize;
mod modules;
mod mutants;
mod publishing;
mod reach;
mod recording;
mod redundancy;
mod refusals;
mod report;
mod run;
mod seeds;
mod snapshots;
mod standing;
mod states;
mod subject;
mod verdicts;
mod walls;
mod workspaces;
