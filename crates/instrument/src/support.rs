//! What the copy of a crate contains beside its own code: a module at the end of the root file.
//!
//! Its parts are files of Rust that are not compiled here; they find the standard library by
//! `self::std`, whatever the crate's edition, and use nothing of the crate.

/// Which mutant is active.
const ACTIVE: &str = include_str!("support/active.rs");

/// What the module needs of a compiler that is not asked to be stable: whether it is evaluating.
pub const UNSTABLE: &str = "feature(core_intrinsics, const_eval_select)";

/// The text of the module.
pub(crate) fn support() -> String {
    let attributes = "#[doc(hidden)] #[allow(warnings, clippy::all)]";
    format!("\n{attributes} pub mod __testsmith {{ extern crate std;\n{ACTIVE}\n}}\n")
}
