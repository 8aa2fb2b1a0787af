//! The commands, one a file: its arguments, the call, what is printed, and its line in the table of
//! several packages. What they do stands in `testsmith_commands`.

pub(crate) mod api;
pub(crate) mod augment;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod man;
pub(crate) mod minimize;
pub(crate) mod mutants;
mod reach;
pub(crate) mod record;
pub(crate) mod redundancy;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod states;
