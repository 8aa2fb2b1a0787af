//! A bug of ours leaves a file that can be sent: what was asked for, where we were, what happened.
//!
//! Nothing of the environment's variables is in it, and nothing of the package's source.

#![expect(clippy::disallowed_methods, reason = "a bug of ours leaves a file")]

use std::backtrace::Backtrace;
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::{PanicHookInfo, UnwindSafe};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use testsmith_equip::Stage;
use testsmith_project::Package;

use crate::exit;
use crate::terminal::tell;

/// Where we are, as far as it is known.
#[derive(Clone, Debug)]
struct Whereabouts {
    /// It is none before the first stage.
    stage: Option<Stage>,
    package: Option<String>,
    target_dir: Option<PathBuf>,
}

impl Whereabouts {
    fn stage(&self) -> &'static str {
        self.stage.map_or("begin", Stage::name)
    }
}

static WHEREABOUTS: Mutex<Whereabouts> = Mutex::new(Whereabouts {
    stage: None,
    package: None,
    target_dir: None,
});

fn whereabouts() -> MutexGuard<'static, Whereabouts> {
    WHEREABOUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes that what follows is about this package.
pub(crate) fn about(package: &Package) {
    *whereabouts() = Whereabouts {
        stage: None,
        package: Some(format!("{} {}", package.name, package.version)),
        target_dir: Some(package.target_dir.clone()),
    };
}

/// Notes that a stage begins.
pub(crate) fn enter(stage: Stage) {
    whereabouts().stage = Some(stage);
    #[cfg(debug_assertions)]
    if provoked().as_deref() == Some(stage.name()) {
        panic!("a bug was asked for in stage `{}`", stage.name());
    }
}

/// The stage that is to have a bug, or `error` for one that is no panic: so that what follows can be
/// tested. There is no such thing in a release.
#[cfg(debug_assertions)]
pub(crate) fn provoked() -> Option<String> {
    std::env::var("TESTSMITH_PROVOKE_BUG").ok()
}

/// Does the work and returns its exit code. A panic of any thread leaves a file; one that ends the work
/// gives the exit code of a bug.
pub(crate) fn watch(work: impl FnOnce() -> u8 + UnwindSafe) -> u8 {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        usual(info);
        let (message, place) = (payload(info), info.location().map(ToString::to_string));
        let place = place.map_or(String::new(), |it| format!("\nat {it}"));
        tell(&leave(
            &format!("panic: {message}{place}"),
            &Backtrace::force_capture(),
        ));
    }));
    std::panic::catch_unwind(work).unwrap_or(exit::INTERNAL)
}

fn payload(info: &PanicHookInfo<'_>) -> String {
    let text = info.payload_as_str();
    text.unwrap_or("(of a kind that has no text)").to_owned()
}

/// Writes all that is known, and returns what to say about it.
pub(crate) fn leave(message: &str, backtrace: &Backtrace) -> String {
    let at = whereabouts().clone();
    let text = Found {
        at: &at,
        message,
        backtrace: &backtrace.to_string(),
        arguments: &std::env::args_os()
            .map(|it| it.to_string_lossy().into_owned())
            .collect::<Vec<_>>(),
        toolchain: &toolchain(),
    }
    .text();
    let below = at.target_dir.map(|it| it.join("testsmith"));
    let temporary = std::env::temp_dir();
    let written = below.into_iter().chain([temporary]);
    let written = written.filter_map(|dir| write(&dir, &text).ok()).next();
    said(written.as_deref(), &text)
}

/// What the terminal says: where the file is or, if none could be written, all that it would say.
fn said(file: Option<&Path>, text: &str) -> String {
    let head = "note: this is a bug of testsmith, not of your package";
    match file {
        Some(file) => format!(
            "{head}; what is known of it is in\n      {}\n      \
             Please report it and send that file, with the package if you may. It has the command line \
             and paths,\n      but no environment variables and no source.",
            file.display()
        ),
        None => {
            format!("{head}; please report it with this, for no file can be written:\n\n{text}")
        }
    }
}

/// What is known of a bug.
struct Found<'f> {
    at: &'f Whereabouts,
    message: &'f str,
    backtrace: &'f str,
    arguments: &'f [String],
    toolchain: &'f str,
}

impl Found<'_> {
    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: &str| {
            let _ = writeln!(
                text,
                "{name:<10} {}",
                value.trim_end().replace('\n', "\n           ")
            );
        };
        line("testsmith", env!("CARGO_PKG_VERSION"));
        line("toolchain", self.toolchain);
        line("arguments", &format!("{:?}", self.arguments));
        line(
            "package",
            self.at.package.as_deref().unwrap_or("not known yet"),
        );
        line("stage", self.at.stage());
        line("message", self.message);
        let _ = writeln!(text, "\nbacktrace\n{}", self.backtrace.trim_end());
        text
    }
}

/// Writes the text to a file in this directory. Bugs of the same second share a file, so that none is
/// lost.
fn write(dir: &Path, text: &str) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(dir)?;
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let path = dir.join(format!("bug-{}.txt", now.replace(':', "-")));
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)?;
    writeln!(file, "{text}")?;
    Ok(path)
}

/// What `rustc -vV` says.
pub(crate) fn toolchain() -> String {
    let output = Command::new("rustc").arg("-vV").output();
    match output {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(error) => format!("rustc cannot be started: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_says_where_we_were_and_what_happened() {
        let at = Whereabouts {
            stage: Some(Stage::Explore),
            package: Some("small 0.1.0".to_owned()),
            target_dir: None,
        };
        let found = Found {
            at: &at,
            message: "panic: index out of bounds\nat src/x.rs:1:2",
            backtrace: "   0: somewhere\n",
            arguments: &["cargo-testsmith".to_owned(), "testsmith".to_owned()],
            toolchain: "rustc 1.95.0\nhost: here\n",
        };
        let expected = format!(
            "testsmith  {}\n\
             toolchain  rustc 1.95.0\n           host: here\n\
             arguments  [\"cargo-testsmith\", \"testsmith\"]\n\
             package    small 0.1.0\n\
             stage      explore\n\
             message    panic: index out of bounds\n           at src/x.rs:1:2\n\
             \nbacktrace\n   0: somewhere\n",
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(found.text(), expected);
    }

    #[test]
    fn without_a_file_the_terminal_has_it_all() {
        let said_with = said(Some(Path::new("target/testsmith/bug-1.txt")), "stage");
        assert!(said_with.contains("bug-1.txt") && !said_with.contains("stage"));
        assert!(said(None, "stage      explore").ends_with("stage      explore"));
    }
}
