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

/// The text of the module in a crate with so many regions.
pub(crate) fn support(n_regions: usize) -> String {
    let attributes = "#[doc(hidden)] #[allow(warnings, clippy::all)]";
    format!(
        "\n{attributes} pub mod __testsmith {{ extern crate std;\n\
         pub const N_REGIONS: usize = {n_regions};\n{ACTIVE}\n{PROBES}\n{COMPARED}\n}}\n"
    )
}
