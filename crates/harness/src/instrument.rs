//! Coverage instrumentation of the crate under test, through a compiler wrapper ([`crate::wrapper`]): us.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Coverage instrumentation of the crate under test, by a compiler wrapper: flags for one crate
/// must not reach build scripts and dependencies.
#[derive(Clone, Debug)]
pub struct Instrument {
    /// An executable that behaves as [`wrap`](crate::wrap) when [`WRAPPER_VARIABLE`] is set.
    pub wrapper: PathBuf,
    /// The crate under test, by its name in code.
    pub krate: String,
    /// Where its rewritten copy is, if that is compiled instead.
    pub copy: Option<PathBuf>,
}

/// Tells the wrapper which crates to instrument.
pub const WRAPPER_VARIABLE: &str = "TESTSMITH_INSTRUMENT";
/// Tells the wrapper where the copy of the crate under test is made.
pub const COPY_VARIABLE: &str = "TESTSMITH_COPY";
/// Tells the wrapper to compile the crate as it is, whatever its lints say.
pub(crate) const LENIENT_VARIABLE: &str = "TESTSMITH_LENIENT";
/// The wrapper that the user had.
pub(crate) const INNER_WRAPPER: &str = "TESTSMITH_INNER_WRAPPER";

impl Instrument {
    pub(crate) fn apply(&self, command: &mut Command) {
        match &self.copy {
            Some(dir) => self.apply_copy(command, dir),
            None => self.wrap(command, &format!("{},testsmith_harness", self.krate)),
        }
    }

    /// The crate that is compiled is the copy in this directory.
    pub fn apply_copy(&self, command: &mut Command, dir: &Path) {
        self.wrap(command, &self.krate);
        command.env(COPY_VARIABLE, dir);
    }

    /// The crate that is compiled may be one whose lints would forbid it.
    pub fn apply_lenient(&self, command: &mut Command) {
        self.wrap(command, &self.krate);
        command.env(LENIENT_VARIABLE, "1");
    }

    fn wrap(&self, command: &mut Command, krates: &str) {
        if let Some(inner) = std::env::var_os("RUSTC_WRAPPER") {
            command.env(INNER_WRAPPER, inner);
        }
        command
            .env("RUSTC_WRAPPER", &self.wrapper)
            .env(WRAPPER_VARIABLE, krates);
    }
}
