//! Mutation analysis: which mutants a package has, and which of them its own tests notice.
//!
//! All mutants stand in one copy of the source. Own tests are built on it once, and run once to learn
//! which of them reaches which mutant at what cost (`learning.rs`); then only those are asked, the
//! cheapest first, each time in a fresh process (`ask.rs`). What was found out is kept for the next time
//! (`memory.rs`).
//!
//! **Mutation analysis without builds.** All mutants stand in one copy, so own tests are built
//! once; each runs alone, twice, with no mutant active, and leaves behind how often it entered
//! which region. A mutant is asked of tests that enter its region: in waves, so that what is cheap
//! shares a process and what is dear comes last; output is read as it comes, and the first failure
//! ends the process. Fuel is five times what the tests used and some more, and ends the process at
//! once: a panic could be what a test expects. Examples of the documentation are executables like
//! others: cargo lets a runner of ours have them instead of running them. Dev-dependencies that
//! only benchmarks need are left out of the twin's manifest, and rustc says which were missed.

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
