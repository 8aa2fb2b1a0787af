//! Runs test binaries behind walls for somebody else who starts them: nextest, which lists tests by itself.

#![expect(clippy::disallowed_methods, reason = "it becomes another program")]

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use testsmith_project::{Inmate, Sandbox};

/// The argument that makes testsmith behave as the runner; a directory and a command line follow.
pub const RUN_WALLED: &str = "--run-walled";

/// Behaves as a runner: becomes the program, which may write to the directory and nowhere else. Returns the
/// exit code if it cannot.
pub fn run_walled(dir: &Path, program: &OsString, arguments: &[OsString]) -> u8 {
    let mut command = Command::new(program);
    command.args(arguments).env("TMPDIR", dir);
    for (name, value) in std::env::vars_os() {
        let is_of_tests = |it: &str| PACKAGES.iter().any(|of| it.starts_with(of));
        if name.to_str().is_some_and(is_of_tests) {
            command.env(name, value);
        }
    }
    Sandbox::new(dir).confine(&mut command, Inmate::TestBinary);
    let error = command.exec();
    eprintln!("cannot start {}: {error}", program.display());
    1
}

/// What names of variables begin with that are about the package. Others of cargo's may be secret.
const PACKAGES: [&str; 4] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_EXE_", "NEXTEST"];
