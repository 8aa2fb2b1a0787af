//! How cargo would compile the crate: the wrapper writes it down once, and then it is run as often
//! as needed.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use testsmith_project::{CargoCommand, Scratch};

use crate::build::BuildError;
use crate::copy::{Copied, asked};
use crate::instrument::Instrument;

/// Tells the wrapper where to write down how the crate is compiled, instead of compiling it.
const CAPTURE_VARIABLE: &str = "TESTSMITH_CAPTURE";
/// The names of environment variables that were set before cargo ran.
const KNOWN_VARIABLE: &str = "TESTSMITH_CAPTURE_KNOWN";

/// An argument that no other build gives to rustc. It makes cargo run rustc even if the crate is up
/// to date.
const CAPTURED: &str = "--cfg=testsmith_captured";

/// Variables that cargo always sets, even if they were set before.
const OF_CARGO: &[&str] = &[
    "CARGO",
    "CARGO_BIN_NAME",
    "CARGO_CRATE_NAME",
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
    "CARGO_PRIMARY_PACKAGE",
    "LD_LIBRARY_PATH",
    "OUT_DIR",
];

/// How the crate is compiled.
#[derive(Debug)]
pub(super) struct Captured {
    rustc: OsString,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    dir: PathBuf,
    /// The index of the argument that is the root file.
    source: usize,
    /// The root file, relative to the package.
    pub(super) root: PathBuf,
    /// The part of that argument before the root file.
    prefix: OsString,
}

fn ask_to_capture(command: &mut Command, file: &Path) {
    let names: Vec<Vec<u8>> = std::env::vars_os()
        .map(|(name, _)| name.into_vec())
        .collect();
    command
        .env(CAPTURE_VARIABLE, file)
        .env(KNOWN_VARIABLE, OsString::from_vec(names.join(&b'\n')));
}

/// Run in rustc's place: writes down how the crate would be compiled, if that is asked for. Returns
/// an exit code that says it failed, so that cargo asks again the next time.
pub(crate) fn captured(arguments: &[OsString]) -> Option<i32> {
    let file = std::env::var_os(CAPTURE_VARIABLE)?;
    let asked = asked(arguments)?;
    let known = std::env::var_os(KNOWN_VARIABLE).unwrap_or_default();
    let known: Vec<&[u8]> = known.as_bytes().split(|byte| *byte == b'\n').collect();
    let mut parts: Vec<OsString> = vec![
        std::env::current_dir().ok()?.into(),
        asked.source.to_string().into(),
        asked.root.into(),
        asked.prefix.into(),
        arguments.len().to_string().into(),
    ];
    parts.extend(arguments.iter().cloned());
    for (name, value) in std::env::vars_os() {
        // Variables of the user's shell are not written down.
        if is_of_cargo(&name) || !known.contains(&name.as_bytes()) && !is_ours(&name) {
            parts.extend([name, value]);
        }
    }
    let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
    Some(match fs::write(file, parts.join(&0)) {
        Ok(()) => 1,
        Err(_) => 2,
    })
}

fn is_of_cargo(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b"CARGO_PKG_") || OF_CARGO.iter().any(|it| name == *it)
}

fn is_ours(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b"TESTSMITH_") || name.as_bytes().starts_with(b"RUSTC_W")
}

impl Captured {
    /// Asks cargo how the crate is compiled. Cargo builds the crate's dependencies for that.
    pub(super) fn ask(
        scratch: &Scratch,
        spec: &str,
        instrument: &Instrument,
        copied: &Copied,
        file: &Path,
    ) -> Result<Captured, BuildError> {
        let _ = fs::remove_file(file);
        let mut command = scratch.cargo("rustc");
        command.args(["--package", spec, "--lib", "--profile", "copied"]);
        // The crate itself is not compiled; the wrapper only writes down how it would be.
        instrument.apply_copy(&mut command, &copied.dir);
        ask_to_capture(&mut command, file);
        command.args(["--", CAPTURED]);
        let output = command.output("cargo")?;
        let Ok(bytes) = fs::read(file) else {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(BuildError::Subject(said));
        };
        let unreadable = || BuildError::Unexplained("how rustc is called is not clear".to_owned());
        Captured::read(&bytes).ok_or_else(unreadable)
    }

    fn read(bytes: &[u8]) -> Option<Captured> {
        let mut parts = bytes.split(|byte| *byte == 0);
        let mut next = || Some(OsString::from_vec(parts.next()?.to_vec()));
        let dir = next()?.into();
        let source: usize = next()?.to_str()?.parse().ok()?;
        let root = next()?.into();
        let prefix = next()?;
        let n: usize = next()?.to_str()?.parse().ok()?;
        let rustc = next()?;
        let arguments: Option<Vec<OsString>> = (1..n).map(|_| next()).collect();
        let mut variables = Vec::new();
        while let (Some(name), Some(value)) = (next(), next()) {
            variables.push((name, value));
        }
        Some(Captured {
            rustc,
            arguments: arguments?,
            variables,
            dir,
            source: source - 1,
            root,
            prefix,
        })
    }

    /// The command that compiles this source and writes the results into a directory.
    pub(super) fn command(&self, scratch: &Scratch, source: &Path, out: &Path) -> CargoCommand {
        let mut command = scratch.command(&self.rustc, &self.dir);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let mut words = self.arguments.iter().enumerate().peekable();
        while let Some((i, word)) = words.next() {
            let text = word.to_str().unwrap_or_default();
            let next = words.peek().and_then(|(_, word)| word.to_str());
            match text {
                _ if i == self.source => drop(command.arg(source.join(&self.root))),
                "--emit" | "--out-dir" | "--crate-type" | "--error-format" | "--json" => {
                    words.next();
                }
                "-C" if next.is_some_and(is_replaced) => drop(words.next()),
                _ if text.strip_prefix("-C").is_some_and(is_replaced) => {}
                _ if OUTPUT.iter().any(|it| text.starts_with(it)) => {}
                CAPTURED => {}
                _ => drop(command.arg(word)),
            }
        }
        let mut remapped = OsString::from("--remap-path-prefix=");
        remapped.push(source);
        remapped.push("/=");
        remapped.push(&self.prefix);
        command
            .arg(remapped)
            .args([
                "--crate-type=lib",
                "--emit=mir,llvm-ir",
                "--cap-lints=allow",
            ])
            .args(["-Copt-level=3", "-Ccodegen-units=1", "-Cdebuginfo=0"])
            // Tests are compiled with these checks.
            .args(["-Coverflow-checks=on", "-Cdebug-assertions=on"])
            .arg("-Csymbol-mangling-version=v0")
            .arg("--out-dir")
            .arg(out);
        command
    }
}

/// How options begin that say what is made and printed.
const OUTPUT: &[&str] = &[
    "--emit=",
    "--out-dir=",
    "--crate-type=",
    "--error-format=",
    "--json=",
    "--diagnostic-width=",
];

/// Is it an option of the compiler that is given anew, or that needs a linker?
fn is_replaced(option: &str) -> bool {
    let (name, _) = option.split_once('=').unwrap_or((option, ""));
    [
        "extra-filename",
        "incremental",
        "lto",
        "linker-plugin-lto",
        "save-temps",
        "split-debuginfo",
    ]
    .contains(&name)
}
