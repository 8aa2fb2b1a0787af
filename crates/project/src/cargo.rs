//! Runs cargo, and reads what it says.

use std::io::Write as _;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::child::{CargoCommand, CargoError};

/// An error or warning of the compiler.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Its code, like `E0277`; empty if it has none.
    pub code: String,
    /// First line of the message.
    pub message: String,
    /// The whole message as rustc would print it.
    pub rendered: String,
    /// The package whose code it is about.
    pub package: String,
    /// The places it points at, in order: primary spans, then others, then those of notes; call
    /// sites of macros are among them.
    pub spans: Vec<Span>,
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The file, as rustc names it.
    pub file: String,
    /// First line.
    pub line: u32,
    /// The bytes of the place in the file.
    pub bytes: std::ops::Range<usize>,
    /// Does the diagnostic point at this place, rather than explain something by it?
    pub primary: bool,
}

/// What one cargo run gave.
#[derive(Clone, Debug)]
pub struct Run {
    /// Did it succeed?
    pub success: bool,
    /// The errors, without warnings.
    pub errors: Vec<Diagnostic>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// The executables that were made, each with the name of its target.
    pub executables: Vec<(String, std::path::PathBuf)>,
    /// The test executables, by the kind and name of their targets.
    pub tests: std::collections::BTreeMap<String, std::path::PathBuf>,
    /// The root files of the targets of these tests.
    pub roots: std::collections::BTreeMap<String, std::path::PathBuf>,
    /// What cargo printed on standard error.
    pub stderr: String,
}

/// A cargo command in a directory. Inside a cargo subcommand the same cargo is used again.
pub fn cargo(dir: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(dir).stdin(Stdio::null());
    // Variables that `cargo testsmith` itself was run with must not leak into what it builds.
    for name in [
        "CARGO_MANIFEST_DIR",
        "CARGO_PKG_NAME",
        "RUSTC_BOOTSTRAP",
        "RUSTC_WORKSPACE_WRAPPER",
        "CARGO_TARGET_DIR",
        "CARGO_BUILD_TARGET_DIR",
    ] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn succeed(command: &mut CargoCommand, what: &str) -> Result<(), CargoError> {
    let output = command.output(what)?;
    if output.status.success() {
        return Ok(());
    }
    Err(CargoError::Failed {
        what: what.to_owned(),
        output: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

impl Run {
    /// Runs cargo with machine-readable messages; failing to compile is not an error here.
    pub fn of(command: &mut CargoCommand) -> Result<Run, CargoError> {
        command.arg("--message-format=json");
        let output = command.output("cargo")?;
        let mut run = Run {
            success: output.status.success(),
            errors: Vec::new(),
            warnings: Vec::new(),
            executables: Vec::new(),
            tests: Default::default(),
            roots: Default::default(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        for line in output.stdout.split(|byte| *byte == b'\n') {
            let Ok(message) = serde_json::from_slice::<Value>(line) else {
                continue;
            };
            match message["reason"].as_str() {
                Some("compiler-message") => run.add(&message),
                Some("compiler-artifact") => {
                    if let Some(path) = message["executable"].as_str() {
                        let name = message["target"]["name"].as_str().unwrap_or_default();
                        run.executables.push((name.to_owned(), path.into()));
                        if message["profile"]["test"] == true {
                            let kind = message["target"]["kind"][0].as_str();
                            let key = format!("{} {name}", kind.unwrap_or_default());
                            if let Some(root) = message["target"]["src_path"].as_str() {
                                run.roots.insert(key.clone(), root.into());
                            }
                            run.tests.insert(key, path.into());
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(run)
    }

    fn add(&mut self, message: &Value) {
        let inner = &message["message"];
        let mut spans = Vec::new();
        collect_spans(inner, &mut spans, true);
        spans.sort_by_key(|span| !span.primary);
        let diagnostic = Diagnostic {
            code: inner["code"]["code"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            message: inner["message"].as_str().unwrap_or_default().to_owned(),
            rendered: inner["rendered"].as_str().unwrap_or_default().to_owned(),
            package: message["package_id"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            spans,
        };
        match inner["level"].as_str() {
            Some("error") => self.errors.push(diagnostic),
            Some("warning") => self.warnings.push(diagnostic),
            _ => {}
        }
    }
}

fn collect_spans(message: &Value, out: &mut Vec<Span>, own: bool) {
    for span in message["spans"].as_array().into_iter().flatten() {
        let primary = own && span["is_primary"].as_bool().unwrap_or(false);
        let mut at = span;
        // A span inside a macro's expansion also points at its call site.
        while at.is_object() {
            out.push(Span {
                file: at["file_name"].as_str().unwrap_or_default().to_owned(),
                line: at["line_start"].as_u64().unwrap_or(0) as u32,
                bytes: offset(at, "byte_start")..offset(at, "byte_end"),
                primary,
            });
            at = &at["expansion"]["span"];
        }
    }
    for child in message["children"].as_array().into_iter().flatten() {
        collect_spans(child, out, false);
    }
}

fn offset(span: &Value, name: &str) -> usize {
    span[name].as_u64().unwrap_or(0) as usize
}

/// The text formatted by the toolchain's rustfmt, with the configuration found from `dir`. `None`
/// if there is no rustfmt or it refuses the text.
pub fn rustfmt(text: &str, edition: &str, dir: &Path) -> Option<String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", edition, "--emit", "stdout", "--quiet"])
        .current_dir(dir)
        // In a group of its own, so that Ctrl-C while tests are written does not leave them
        // unformatted.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let text = text.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8(output.stdout).ok())?
}
