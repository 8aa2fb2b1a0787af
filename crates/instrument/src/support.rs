//! What the copy of a crate contains beside its own code: a module at the end of the root file.
//!
//! Its parts are files of Rust that are not compiled here; they find the standard library by
//! `self::std`, whatever the crate's edition, and use nothing of the crate.

/// What the module needs of a compiler that is not asked to be stable: whether it is evaluating,
/// what generic parameters stand for, and that values of a type can be patterns.
pub const UNSTABLE: &str = "feature(core_intrinsics, const_eval_select, specialization, freeze, structural_match, \
     thread_local)";

/// Which mutant is active.
const ACTIVE: &str = include_str!("support/active.rs");
/// What is counted.
const PROBES: &str = include_str!("support/probes.rs");
/// What a process has entered.
const REACH: &str = include_str!("support/reach.rs");
/// What functions return.
const RETURNED: &str = include_str!("support/returned.rs");
/// What it is if that cannot be looked at.
const UNSEEN: &str = "fn note_returns() {} fn write_returned() {}";
/// What is compared.
const COMPARED: &str = include_str!("support/compared.rs");
/// Calls from outside.
const RECORD: &str = include_str!("support/record.rs");
/// Values written out as graphs, and built again.
const SNAPSHOT: &str = include_str!("support/snapshot.rs");
/// What equalities read of values.
const READS: &str = include_str!("support/reads.rs");
/// The standard library's types.
const STANDARD: &str = include_str!("support/snapshot_std.rs");

/// What a thread has of its own, if there is a short way to it.
const DIRECT: &str = include_str!("support/thread_direct.rs");
/// What it has if there is not.
const BY_KEY: &str = include_str!("support/thread_plain.rs");

/// What the compiler evaluates, if it lets us know that it does.
const EVALUATED: &str = include_str!("support/evaluated.rs");
/// What is done if it does not.
const RUN: &str = include_str!("support/run.rs");
/// How generic parameters are looked into, if the compiler lets us.
const THROUGH: &str = include_str!("support/snapshot_through.rs");
/// What is done if it does not.
const PLAIN: &str = include_str!("support/snapshot_plain.rs");
/// What derived equalities name, if they are written out.
const DERIVED: &str = include_str!("support/derived.rs");

/// What monitored equalities call; specialisation tells what they read it of.
const MONITOR: &str = include_str!("support/monitor.rs");

/// The text of the module in a crate with so many regions of its own, and so many in all, which may
/// use what is not stable or not.
pub(crate) fn support((n_own, n_regions): (usize, usize), unstable: bool) -> String {
    let (thread, entries, sight, derived, monitor, returned) = match unstable {
        true => (DIRECT, EVALUATED, THROUGH, DERIVED, MONITOR, RETURNED),
        false => (BY_KEY, RUN, PLAIN, "", "", UNSEEN),
    };
    let attributes = "#[doc(hidden)] #[allow(warnings, clippy::all)]";
    format!(
        "\n{attributes} pub mod __testsmith {{ extern crate std;\n\
         pub const N_OWN_REGIONS: usize = {n_own};\n\
         pub const N_REGIONS: usize = {n_regions};\n\
         {ACTIVE}\n{thread}\n{PROBES}\n{REACH}\n{returned}\n{entries}\n{COMPARED}\n{SNAPSHOT}\n{READS}\n{STANDARD}\n{sight}\n{monitor}\n{derived}\n{RECORD}\n}}\n"
    )
}
