//! Coverage instrumentation of the crate under test, through a compiler wrapper ([`crate::wrapper`]): us.

use std::path::{Path, PathBuf};
use std::process::Command;

/// How the crate under test is instrumented: by a compiler wrapper, because flags for one crate
/// must not reach build scripts and dependencies.
#[derive(Clone, Debug)]
pub struct Instrument {
    /// An executable that behaves as [`wrap`](crate::wrap) when [`WRAPPER_VARIABLE`] is set.
    pub wrapper: PathBuf,
    /// The crate under test, by its name in code.
    pub krate: String,
    /// The directory of its rewritten copy, if that is compiled instead.
    pub copy: Option<PathBuf>,
}

/// The variable with the names of the crates to instrument.
pub const WRAPPER_VARIABLE: &str = "TESTSMITH_INSTRUMENT";
/// The variable with the directory of the copy.
pub const COPY_VARIABLE: &str = "TESTSMITH_COPY";
/// The variable by which the wrapper compiles the crate as it is, with its lints capped.
pub(crate) const LENIENT_VARIABLE: &str = "TESTSMITH_LENIENT";
/// The variable with the wrapper that the user had.
pub(crate) const INNER_WRAPPER: &str = "TESTSMITH_INNER_WRAPPER";

impl Instrument {
    pub(crate) fn apply(&self, command: &mut Command) {
        match &self.copy {
            Some(dir) => self.apply_copy(command, dir),
            None => self.wrap(command, &format!("{},testsmith_harness", self.krate)),
        }
    }

    /// Lets the command compile the copy in this directory instead of the crate.
    pub fn apply_copy(&self, command: &mut Command, dir: &Path) {
        self.wrap(command, &self.krate);
        command.env(COPY_VARIABLE, dir);
    }

    /// Lets the command compile the crate with its lints capped.
    pub fn apply_lenient(&self, command: &mut Command) {
        self.wrap(command, &self.krate);
        command.env(LENIENT_VARIABLE, "1");
    }

    /// Lets the command compile the crate as if it were somewhere else.
    pub(crate) fn apply_elsewhere(&self, command: &mut Command) {
        self.wrap(command, &self.krate);
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
