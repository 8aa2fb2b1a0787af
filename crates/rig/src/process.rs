//! Runs a test binary behind walls, and reads what it prints.

#![expect(
    clippy::disallowed_methods,
    reason = "it is the room that runs test binaries"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use testsmith_project::{End, Errors, Inmate, watched};

use crate::cell::Cell;
use crate::error::RigError;
use crate::libtest::{Line, is_summary, printed_by};

/// How many bytes of what a process prints are kept.
const MAX_TEXT: usize = 16 << 20;
/// The exit code of libtest if a test fails.
pub(crate) const FAILED_CODE: i32 = 101;

/// The flag for processes that nobody can cancel.
pub(crate) static NEVER: AtomicBool = AtomicBool::new(false);

/// How a test binary is run.
#[derive(Clone, Copy)]
pub(crate) struct Process<'p> {
    /// The cell that it runs in.
    pub(crate) cell: &'p Cell,
    /// Which walls it gets.
    pub(crate) inmate: Inmate,
    /// How long it may take at most.
    pub(crate) most: Duration,
    /// The flag that ends it at once.
    pub(crate) cancel: &'p AtomicBool,
}

impl Process<'_> {
    /// Runs the command and hands on what it prints to standard output, line by line, until `go_on`
    /// says no. What it prints to standard error is dropped.
    pub(crate) fn follow(
        &self,
        mut command: Command,
        go_on: &mut dyn FnMut(&str) -> bool,
    ) -> Result<End, RigError> {
        self.cell.confine(&mut command, self.inmate);
        let end = watched(
            &mut command,
            Some(&self.cell.dir),
            Errors::Dropped,
            self.most,
            self.cancel,
            go_on,
        );
        end.map_err(RigError::Run)
    }

    /// Runs the command to its end, and keeps all that it prints.
    pub(crate) fn run(&self, mut command: Command) -> Result<TestRun, RigError> {
        self.cell.confine(&mut command, self.inmate);
        let mut said = Said::default();
        let end = watched(
            &mut command,
            Some(&self.cell.dir),
            Errors::AmongLines,
            self.most,
            self.cancel,
            &mut |line| {
                said.hear(line);
                true
            },
        );
        Ok(said.run(end.map_err(RigError::Run)?))
    }
}

/// Variables as somebody else may have them, for tests that are to hold everywhere.
const ELSEWHERE: [(&str, &str); 17] = [
    ("CI", "1"),
    ("COLUMNS", "40"),
    ("DEBUG", "1"),
    ("DISPLAY", ":9"),
    ("EDITOR", "elsewhere"),
    ("HOME", "/elsewhere"),
    ("HOSTNAME", "elsewhere"),
    ("LANG", "elsewhere"),
    ("LOGNAME", "elsewhere"),
    ("NO_COLOR", "1"),
    ("PWD", "/elsewhere"),
    ("RUST_LOG", "elsewhere"),
    ("SHELL", "/elsewhere"),
    ("TERM", "elsewhere"),
    ("TZ", "Etc/GMT+9"),
    ("USER", "elsewhere"),
    ("VISUAL", "elsewhere"),
];

/// What names of variables begin with that decide whether a program starts at all, or that testsmith sets.
const KEPT: [&str; 7] = [
    "PATH",
    "LD_",
    "LC_",
    "RUST",
    "CARGO",
    "TESTSMITH_",
    "TMPDIR",
];

/// The variables that the user has beside those: what depends on them is to differ, and nobody else may have
/// any of them.
fn users_own(names: impl Iterator<Item = String>) -> Vec<String> {
    let is_kept = |name: &str| KEPT.iter().any(|it| name.starts_with(it));
    let is_known = |name: &str| ELSEWHERE.iter().any(|(it, _)| *it == name);
    names.filter(|it| !is_kept(it) && !is_known(it)).collect()
}

/// Runs some tests of a binary as somebody else would.
pub fn run_tests_elsewhere(
    cell: &Cell,
    binary: &Path,
    args: &[&str],
    inmate: Inmate,
    max_seconds: u64,
) -> Result<TestRun, RigError> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let own = users_own(names);
    let own = own.iter().map(|name| (&**name, "elsewhere"));
    let variables: Vec<(&str, &str)> = ELSEWHERE.into_iter().chain(own).collect();
    run_with(cell, binary, args, &variables, inmate, max_seconds)
}

/// Runs some tests of a binary in a cell's directory, for `max_seconds` at most. Nobody can cancel
/// it.
pub fn run_tests(
    cell: &Cell,
    binary: &Path,
    args: &[&str],
    inmate: Inmate,
    max_seconds: u64,
) -> Result<TestRun, RigError> {
    run_with(cell, binary, args, &[], inmate, max_seconds)
}

/// Runs some tests of a binary with these variables.
pub(crate) fn run_with(
    cell: &Cell,
    binary: &Path,
    args: &[&str],
    variables: &[(&str, &str)],
    inmate: Inmate,
    max_seconds: u64,
) -> Result<TestRun, RigError> {
    let process = Process {
        cell,
        inmate,
        most: Duration::from_secs(max_seconds),
        cancel: &NEVER,
    };
    let mut command = Command::new(binary);
    let variables = variables.iter().copied();
    command.args(args).current_dir(&cell.dir).envs(variables);
    process.run(command)
}

/// What a process has printed so far.
#[derive(Default)]
struct Said {
    failed: Vec<String>,
    passed: BTreeSet<String>,
    has_summary: bool,
    text: String,
}

impl Said {
    fn hear(&mut self, line: &str) {
        match Line::of(line) {
            Line::Failed(name) => self.failed.push(name.to_owned()),
            Line::Passed(name) => drop(self.passed.insert(name.to_owned())),
            _ => self.has_summary |= is_summary(line),
        }
        if self.text.len() + line.len() < MAX_TEXT {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn run(self, end: End) -> TestRun {
        let failed = self.failed.into_iter().map(|name| {
            let printed = printed_by(&name, &self.text).to_owned();
            (name, printed)
        });
        TestRun {
            complete: matches!(end, End::Code(0 | FAILED_CODE)) && self.has_summary,
            end,
            failed: failed.collect(),
            passed: self.passed,
            text: self.text,
        }
    }
}

/// How a run of tests ended.
pub struct TestRun {
    /// Did the process end by itself, with a summary?
    pub complete: bool,
    /// How the process ended.
    pub end: End,
    /// Tests that failed, and what they printed.
    pub failed: BTreeMap<String, String>,
    /// Tests that passed.
    pub passed: BTreeSet<String>,
    /// All that the process printed.
    pub text: String,
}

impl TestRun {
    /// Did the process die, or take too long?
    pub fn is_cut(&self) -> bool {
        !self.complete && self.end != End::Code(0)
    }
}

impl fmt::Display for TestRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.end {
            End::Code(code) => write!(f, "exits the process with code {code}"),
            End::Signal(signal) => write!(f, "ends the process with signal {signal}"),
            End::Late | End::Enough | End::Cancelled => write!(f, "does not end in time"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str) -> TestRun {
        let cell = Cell::open(&std::env::temp_dir().join("testsmith-process"));
        run_tests(
            &cell,
            Path::new("sh"),
            &["-c", script],
            Inmate::TestBinary,
            20,
        )
        .expect("sh runs")
    }

    #[test]
    fn variables_of_the_users_own_are_others_and_what_starts_programs_stays() {
        let names = [
            "AWS_SECRET",
            "PATH",
            "CARGO_HOME",
            "EDITOR",
            "LD_PRELOAD",
            "A",
        ];
        let own = users_own(names.into_iter().map(str::to_owned));
        assert_eq!(own, ["AWS_SECRET", "A"]);
    }

    #[test]
    fn foreign_bytes_of_test_runs_are_read_as_lines() {
        let run = "running 3 tests\ntest a::b ... ok\ntest c - should panic ... FAILED\ntest d ... ignored, x\n\
                   test src/lib.rs - f (line 3) ... ok\na: test\nb: benchmark\n\nfailures:\n\n\
                   ---- c stdout ----\n\nthread 'c' panicked at src/lib.rs:3:5:\nno\n\nfailures:\n    c\n\n\
                   test result: FAILED. 1 passed; 1 failed; 1 ignored\n2 tests, 1 benchmark\n";
        testsmith_noise::throw("test-runs", &[run.as_bytes().to_vec()], |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let mut said = Said::default();
            let lines = || text.split('\n');
            lines().for_each(|line| said.hear(line));
            let examples = lines().filter_map(crate::libtest::example).count();
            let lists = lines().filter(|it| crate::libtest::ends_list(it)).count();
            let run = said.run(End::Code(FAILED_CODE));
            let (failed, passed) = (run.failed.len(), run.passed.len());
            format!("{} {failed} {passed} {examples} {lists}", run.complete)
        });
    }

    #[test]
    fn what_failed_is_known_with_what_it_printed() {
        let run = run(
            "echo 'test a ... ok'; echo 'test b ... FAILED'; echo '---- b stdout ----';
                       echo 'at b.rs:7:1' >&2; echo 'test result: FAILED.'; exit 101",
        );
        assert!(run.complete && !run.is_cut());
        assert_eq!(run.passed, BTreeSet::from(["a".to_owned()]));
        assert!(run.failed["b"].contains("b.rs:7:1"), "{:?}", run.failed);
    }

    #[test]
    fn a_process_that_ends_before_its_summary_is_cut() {
        let run = run("echo 'test a ... ok'; kill -9 $$");
        assert!(run.is_cut());
        assert_eq!(run.to_string(), "ends the process with signal 9");
        assert_eq!(run.passed, BTreeSet::from(["a".to_owned()]));
    }
}
