//! What the compiler wrapper does in rustc's place: it adds flags, compiles the copy instead of the crate,
//! or writes down how the crate would be compiled.

#![expect(
    clippy::disallowed_methods,
    reason = "it stands in rustc's place, and runs it"
)]

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::copy::redirected;
use crate::elsewhere::{moved, others};
use crate::equivalent::captured;
use crate::instrument::{COPY_VARIABLE, INNER_WRAPPER, LENIENT_VARIABLE};

/// Behaves as a compiler wrapper: the arguments are rustc's, the first of them is rustc itself.
/// Returns the exit code.
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
    if let Some(code) = captured(arguments) {
        return code;
    }
    if std::env::var_os(COPY_VARIABLE).is_some() {
        return match redirected(arguments) {
            Some(copy) => {
                let unstable = name.filter(|_| copy.unstable);
                become_compiler(&copy.arguments, unstable, &others(None))
            }
            None => compile(arguments, None),
        };
    }
    if let Some(moved) = moved(arguments) {
        return become_compiler(&moved.arguments, None, &moved.variables);
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
    become_compiler(&arguments, None, &others(None))
}

/// Becomes the compiler, or the wrapper that the user had, so that cargo sees how that ends: by a signal,
/// perhaps, which says nothing of the code. The crate named in `unstable` may use unstable features.
fn compile(arguments: &[OsString], unstable: Option<&str>) -> i32 {
    become_compiler(arguments, unstable, &[])
}

fn become_compiler(
    arguments: &[OsString],
    unstable: Option<&str>,
    variables: &[(String, Option<OsString>)],
) -> i32 {
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
    for (name, value) in variables {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let error = command.exec();
    eprintln!(
        "error: cannot start {}: {error}",
        command.get_program().display()
    );
    101
}
