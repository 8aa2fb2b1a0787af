//! The module that the rewriter adds at the end of a crate's root file.
//!
//! Its parts are files of Rust that are not compiled here. They reach the standard library by
//! `self::std`, whatever the crate's edition, and use nothing of the crate.
//!
//! **Fuel instead of time.** Functions and loops of the copy burn fuel on their thread; a program
//! that has none left ends in `_exit`, not by unwinding through code that never panicked. So what
//! does not end is the same on every machine, and a mutant that loops costs ten times what the
//! original took. Loops inside the standard library burn nothing: the watchdog stays.

use testsmith_protocol::copy_constants;

/// The unstable features that the module uses: to know whether the compiler is evaluating it, to
/// see which types generic parameters stand for, and to let values of a type be patterns.
pub const UNSTABLE: &str = "feature(core_intrinsics, const_eval_select, specialization, freeze, structural_match, \
     thread_local)";

/// Decides which mutant is active.
const ACTIVE: &str = include_str!("support/active.rs");
/// Counts regions, calls and fuel.
const PROBES: &str = include_str!("support/probes.rs");
/// Answers for the processor.
const PROCESSOR: &str = include_str!("support/processor.rs");
/// Writes down the regions that a process has entered.
const REACH: &str = include_str!("support/reach.rs");
/// Notes what functions return.
const RETURNED: &str = include_str!("support/returned.rs");
/// Replaces [`RETURNED`] where there is no specialisation, which is needed to look at any value.
const UNSEEN: &str = "fn note_returns() {} fn write_returned() {}";
/// Notes what is compared.
const COMPARED: &str = include_str!("support/compared.rs");
/// Writes down calls from outside.
const RECORD: &str = include_str!("support/record.rs");
/// Writes values out as graphs, and builds them again.
const SNAPSHOT: &str = include_str!("support/snapshot.rs");
/// Notes what equalities read of values.
const READS: &str = include_str!("support/reads.rs");
/// Snapshots of the standard library's types.
const STANDARD: &str = include_str!("support/snapshot_std.rs");

/// Thread-local data, read without a call by unstable features.
const DIRECT: &str = include_str!("support/thread_direct.rs");
/// Thread-local data without unstable features.
const BY_KEY: &str = include_str!("support/thread_plain.rs");

/// Leaves out code that the compiler evaluates, by unstable features.
const EVALUATED: &str = include_str!("support/evaluated.rs");
/// Replaces [`EVALUATED`] without unstable features.
const RUN: &str = include_str!("support/run.rs");
/// Looks into generic parameters, by unstable features.
const THROUGH: &str = include_str!("support/snapshot_through.rs");
/// Replaces [`THROUGH`] without unstable features.
const PLAIN: &str = include_str!("support/snapshot_plain.rs");
/// Names that written-out equalities use.
const DERIVED: &str = include_str!("support/derived.rs");

/// Functions that monitored equalities call. They tell types apart by specialisation.
const MONITOR: &str = include_str!("support/monitor.rs");

/// How many regions a copy has.
#[derive(Clone, Copy)]
pub(crate) struct RegionCounts {
    /// Those of the crate's own code.
    pub own: usize,
    /// All of them: derived equalities come after the crate's own.
    pub all: usize,
}

/// The text of the module for a crate with this many regions. `unstable` says whether it may use
/// unstable features.
pub(crate) fn support(regions: RegionCounts, unstable: bool) -> String {
    let RegionCounts { own, all } = regions;
    let (thread, entries, sight, derived, monitor, returned) = match unstable {
        true => (DIRECT, EVALUATED, THROUGH, DERIVED, MONITOR, RETURNED),
        false => (BY_KEY, RUN, PLAIN, "", "", UNSEEN),
    };
    let constants = copy_constants();
    let attributes = "#[doc(hidden)] #[allow(warnings, clippy::all)]";
    format!(
        "\n{attributes} pub mod __testsmith {{ extern crate std;\n\
         pub const N_OWN_REGIONS: usize = {own};\n\
         pub const N_REGIONS: usize = {all};\n\
         {constants}{ACTIVE}\n{thread}\n{PROBES}\n{PROCESSOR}\n{REACH}\n{returned}\n{entries}\n{COMPARED}\n{SNAPSHOT}\n{READS}\n{STANDARD}\n{sight}\n{monitor}\n{derived}\n{RECORD}\n}}\n"
    )
}
