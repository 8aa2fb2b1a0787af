//! Coverage instrumentation of the crate under test, through a compiler wrapper: us.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
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
/// The wrapper that the user had.
const INNER_WRAPPER: &str = "TESTSMITH_INNER_WRAPPER";

impl Instrument {
    pub(crate) fn apply(&self, command: &mut Command) {
        if let Some(inner) = std::env::var_os("RUSTC_WRAPPER") {
            command.env(INNER_WRAPPER, inner);
        }
        command.env("RUSTC_WRAPPER", &self.wrapper);
        match &self.copy {
            Some(dir) => command
                .env(WRAPPER_VARIABLE, &self.krate)
                .env(crate::COPY_VARIABLE, dir),
            None => command.env(
                WRAPPER_VARIABLE,
                format!("{},testsmith_harness", self.krate),
            ),
        };
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
        return run(&mut compiler(arguments));
    }
    if std::env::var_os(crate::COPY_VARIABLE).is_some() {
        return match crate::copy::redirected(arguments) {
            Some(copy) => {
                let mut compiler = compiler(&copy.arguments);
                if copy.sees_through {
                    compiler.env("RUSTC_BOOTSTRAP", "1");
                }
                run(&mut compiler)
            }
            None => run(&mut compiler(arguments)),
        };
    }
    match arguments.iter().any(|word| word == "--test") {
        true => run(&mut compiler(arguments)),
        false => {
            let flag = OsString::from("-Cinstrument-coverage");
            let arguments: Vec<OsString> = arguments.iter().cloned().chain([flag]).collect();
            run(&mut compiler(&arguments))
        }
    }
}

/// The compiler, or the wrapper that the user had.
fn compiler(arguments: &[OsString]) -> Command {
    let inner = std::env::var_os(INNER_WRAPPER).filter(|inner| !inner.is_empty());
    let words: Vec<OsString> = inner.into_iter().chain(arguments.iter().cloned()).collect();
    let mut command = Command::new(words.first().map_or(OsStr::new(""), |it| it));
    command.args(words.iter().skip(1));
    command
}

fn run(command: &mut Command) -> i32 {
    match command.status() {
        Ok(status) => status.code().unwrap_or(101),
        Err(_) => 101,
    }
}
