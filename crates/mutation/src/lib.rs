//! Mutation analysis: which mutants a package has, and which of them its own tests notice.
//!
//! All mutants stand in one copy of the source. Own tests are built on it once, and run once to learn
//! which of them reaches which mutant at what cost ([`learning`]); then only those are asked, the
//! cheapest first, each time in a fresh process ([`ask`]). What was found out is kept for the next time
//! ([`memory`]).

mod analysis;
mod analyst;
mod ask;
mod constants;
mod coverage;
mod equivalents;
mod error;
mod impact;
mod judged;
mod learning;
mod memory;
mod merge;
mod panel;
mod select;
#[cfg(test)]
mod testing;
mod verdicts;
mod verify;

pub use analysis::mutants;
pub use analyst::Analysis;
pub use coverage::{coverage, lines};
pub use equivalents::EQUIVALENTS;
pub use error::MutationError;
pub use judged::{Tested, branches, judged, sources};
pub use merge::{MergeError, merge};
pub use select::{ChangedLines, Choice, changed_lines};
pub use verify::{Verification, sample};
