//! The commands, one a file: its arguments, the call, what is printed, and its line in the table of
//! several packages. How the work is done is left to `testsmith_commands`.
//!
//! A command may use what another prints, but none needs to know which commands there are: whoever
//! calls them gives them what depends on that.

pub(crate) mod api;
pub(crate) mod augment;
pub(crate) mod bugs;
pub(crate) mod clean;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod diff;
mod issue;
pub(crate) mod man;
pub(crate) mod minimize;
pub(crate) mod mutants;
mod reach;
pub(crate) mod record;
pub(crate) mod redundancy;
pub(crate) mod report;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod sandbox;
pub(crate) mod states;
