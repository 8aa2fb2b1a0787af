//! What the copy of a crate contains beside its own code: a module at the end of the root file.
//!
//! Its parts are files of Rust that are not compiled here; they find the standard library by
//! `self::std`, whatever the crate's edition, and use nothing of the crate.

/// Which mutant is active.
const ACTIVE: &str = include_str!("support/active.rs");
/// What is counted.
const PROBES: &str = include_str!("support/probes.rs");
/// What is compared.
const COMPARED: &str = include_str!("support/compared.rs");

/// Calls from outside.
const RECORD: &str = include_str!("support/record.rs");
/// Values written out as graphs, and built again.
const SNAPSHOT: &str = include_str!("support/snapshot.rs");
/// How generic parameters are looked into, if the compiler lets us.
const THROUGH: &str = include_str!("support/snapshot_through.rs");
/// What is done if it does not.
const PLAIN: &str = include_str!("support/snapshot_plain.rs");

/// The text of the module in a crate with so many regions.
pub(crate) fn support(n_regions: usize, sees_through: bool) -> String {
    let sight = if sees_through { THROUGH } else { PLAIN };
    let attributes = "#[doc(hidden)] #[allow(warnings, clippy::all)]";
    format!(
        "\n{attributes} pub mod __testsmith {{ extern crate std;\n\
         pub const N_REGIONS: usize = {n_regions};\n\
         {ACTIVE}\n{PROBES}\n{COMPARED}\n{SNAPSHOT}\n{sight}\n{RECORD}\n}}\n"
    )
}
