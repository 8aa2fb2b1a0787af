//! Coverage instrumentation of the crate under test, through a compiler wrapper: us.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Coverage instrumentation of the crate under test, by a compiler wrapper: flags for one crate
/// must not reach build scripts and dependencies.
#[derive(Clone, Debug)]
pub struct Instrument {
    /// An executable that behaves as [`wrap`] when [`WRAPPER_VARIABLE`] is set.
    pub wrapper: PathBuf,
    /// The crate under test, by its name in code.
    pub krate: String,
    /// Where its rewritten copy is, if that is compiled instead.
    pub copy: Option<PathBuf>,
}

/// Tells the wrapper which crates to instrument.
pub const WRAPPER_VARIABLE: &str = "TESTSMITH_INSTRUMENT";
/// Tells the wrapper to compile the crate as it is, whatever its lints say.
const LENIENT_VARIABLE: &str = "TESTSMITH_LENIENT";
/// The wrapper that the user had.
const INNER_WRAPPER: &str = "TESTSMITH_INNER_WRAPPER";

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
        command.env(crate::COPY_VARIABLE, dir);
    }

    /// The crate that is compiled may be one whose lints would forbid it.
    pub fn apply_lenient(&self, command: &mut Command) {
        self.wrap(command, &self.krate);
        command.env(LENIENT_VARIABLE, "1");
    }

    /// The crate that the copy in this directory was made of is not compiled: it is written down how
    /// it would be.
    pub(crate) fn apply_capture(&self, command: &mut Command, copy: &Path, file: &Path) {
        self.apply_copy(command, copy);
        crate::equivalent::ask_to_capture(command, file);
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

/// Behaves as a compiler wrapper: the arguments are rustc's, the first is rustc itself. Returns the
/// exit code.
pub fn wrap(arguments: &[OsString], krates: &str) -> i32 {
    let mut pairs = arguments.windows(2);
    let name = pairs.find_map(|pair| {
        (pair[0] == "--crate-name")
            .then(|| pair[1].to_str())
            .flatten()
    });
    let is_ours = name.is_some_and(|name| krates.split(',').any(|krate| krate == name));
    if !is_ours {
        return compile(arguments, None);
    }
    if let Some(code) = crate::equivalent::captured(arguments) {
        return code;
    }
    if std::env::var_os(crate::COPY_VARIABLE).is_some() {
        return match crate::copy::redirected(arguments) {
            Some(copy) => compile(&copy.arguments, name.filter(|_| copy.unstable)),
            None => compile(arguments, None),
        };
    }
    let is_lenient = std::env::var_os(LENIENT_VARIABLE).is_some();
    let is_test = arguments.iter().any(|word| word == "--test");
    let flag = match (is_lenient, is_test) {
        (true, _) => Some("--cap-lints=allow"),
        (false, true) => None,
        (false, false) => Some("-Cinstrument-coverage"),
    };
    let flag = flag.map(OsString::from);
    let arguments: Vec<OsString> = arguments.iter().cloned().chain(flag).collect();
    compile(&arguments, None)
}

/// Runs the compiler, or the wrapper that the user had. The crate of that name may use what is
/// unstable.
fn compile(arguments: &[OsString], unstable: Option<&str>) -> i32 {
    let inner = std::env::var_os(INNER_WRAPPER).filter(|inner| !inner.is_empty());
    let mut command = match (inner, arguments) {
        (Some(inner), all) => {
            let mut command = Command::new(inner);
            command.args(all);
            command
        }
        (None, [rustc, rest @ ..]) => {
            let mut command = Command::new(rustc);
            command.args(rest);
            command
        }
        (None, []) => return 2,
    };
    if let Some(krate) = unstable {
        command.env("RUSTC_BOOTSTRAP", krate);
    }
    match command.status() {
        Ok(status) => status.code().unwrap_or(101),
        Err(_) => 101,
    }
}
