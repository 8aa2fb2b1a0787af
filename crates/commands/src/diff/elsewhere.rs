//! Compiles and runs cases that were made for one version on another, behind the same walls.
//!
//! Every case is in a module of its own, with its own imports. So a case that does not compile
//! costs itself only, and the lines of rustc's errors tell which one it is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use testsmith_emit::{EmitOptions, TestCase, TestFile, TestKind, emit};
use testsmith_project::{Inmate, Scratch};
use testsmith_record::ChangeKind;
use testsmith_rig::{Cell, TestRun, each_of_all, run_tests};
use testsmith_sequence::World;
use testsmith_suite::{MAX_SECONDS, SUSPECT_SECONDS, VetError, compile, relative};

/// The name of the file with all cases.
const NAME: &str = "testsmith_cases";
/// After more rounds than this, leaving cases out is not going to make the file compile.
const MAX_ROUNDS: usize = 40;
/// How many runs must agree before a difference is believed.
const N_RUNS: usize = 3;

/// What happens to a case on the other version.
#[derive(Clone, Debug)]
pub(super) enum Fate {
    /// It ends as it did on the old version.
    Same,
    /// It ends differently, every time.
    Different(Difference),
    /// It does not end alike every time.
    Unsteady,
    /// rustc refuses it, with this message.
    Refused(String),
    /// It cannot be written as a test of its own.
    Unwritten,
}

/// How the other version behaves differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Difference {
    /// `value`, `panics`, `returns` (instead of panicking) or `dies`.
    pub(super) kind: ChangeKind,
    /// The index of the check that does not hold.
    pub(super) check: Option<usize>,
    /// The body of the test up to the line that shows the difference.
    pub(super) code: String,
    /// What the old version gives.
    pub(super) old: String,
    /// What the new version gives.
    pub(super) new: String,
}

/// A case, and what is known of it on the new version.
struct Trial {
    case: TestCase,
    /// The indices of its checks in the original case, since checks may be removed.
    checks: Vec<usize>,
    file: TestFile,
    /// The line at which its module begins in the file of all cases.
    offset: u32,
    fate: Option<Fate>,
}

impl Trial {
    fn print(&mut self, world: &World, options: &EmitOptions<'_>) {
        self.file = emit(world, std::slice::from_ref(&self.case), options);
        if self.file.tests.is_empty() {
            self.fate = Some(Fate::Unwritten);
        }
    }

    /// The line in the case's own text, if this line of the whole file is in its module.
    fn line(&self, line: u32) -> Option<u32> {
        let n_lines = self.file.text.lines().count() as u32;
        let own = line.checked_sub(self.offset)?;
        (self.fate.is_none() && (1..=n_lines).contains(&own)).then_some(own)
    }

    /// The check that is asserted at this line. All checks stand after the last step.
    fn check_at(&self, line: u32) -> Option<usize> {
        let test = self.file.tests.first()?;
        let mut assertions = test.assertion_lines.iter().rev();
        let (_, check) = assertions.find(|(first, _)| *first <= line)?;
        (line <= test.last_line).then_some(*check)
    }

    /// Notes that rustc refuses this line. If it is a check and not the only one, only that check
    /// is removed.
    fn refuse(&mut self, line: u32, message: String) {
        match self.check_at(line) {
            Some(check) if self.case.checks.len() > 1 => {
                self.case.checks.remove(check);
                self.checks.remove(check);
            }
            _ => self.fate = Some(Fate::Refused(message)),
        }
    }

    /// The body of the test up to this line. Assertions that hold are kept, because they may make
    /// calls.
    fn code(&self, line: u32) -> String {
        let Some(test) = self.file.tests.first() else {
            return String::new();
        };
        let lines = self.file.text.lines().zip(1..);
        let head = format!("fn {}()", test.name);
        let body = lines.skip_while(|(text, _)| !text.starts_with(&head));
        let body = body.skip(1).take_while(|(_, n)| *n <= line);
        let body: Vec<&str> = body.map(|(text, _)| text.trim()).collect();
        body.join("\n")
    }
}

/// The version that the cases were made for.
pub(super) struct Old<'l> {
    pub(super) world: &'l World,
    pub(super) scratch: &'l Scratch,
}

/// What happens to all cases, and how many of their checks could not be compiled.
pub(super) struct Fates {
    pub(super) list: Vec<Fate>,
    /// For each case, the indices of the checks that rustc accepts.
    pub(super) checks: Vec<Vec<usize>>,
    pub(super) n_checks_lost: u64,
}

impl Fates {
    /// Cases that end alike on both versions.
    pub(super) fn n_same(&self) -> usize {
        let is_same = |fate: &&Fate| matches!(fate, Fate::Same);
        self.list.iter().filter(is_same).count()
    }

    /// Cases that could be run on the other version.
    pub(super) fn n_compared(&self) -> usize {
        let is_compared = |fate: &&Fate| matches!(fate, Fate::Same | Fate::Different(_));
        self.list.iter().filter(is_compared).count()
    }
}

/// Compiles and runs the cases on the version of the other scratch workspace.
pub(super) fn run_elsewhere(
    old: &Old<'_>,
    new: &Scratch,
    cells: &[Cell],
    cases: Vec<TestCase>,
) -> Result<Fates, VetError> {
    // In edition 2015, paths in modules do not work as they do at the root of a crate.
    let edition = match old.scratch.package().edition.parse().unwrap_or(2021) {
        2015 => 2018,
        edition => edition,
    };
    let makers = new.makers();
    let options = EmitOptions {
        edition,
        module: makers.map(|it| (it.name.clone(), it.file.display().to_string())),
        ..EmitOptions::default()
    };
    let mut trials: Vec<Trial> = cases
        .into_iter()
        .map(|case| Trial {
            checks: (0..case.checks.len()).collect(),
            case,
            file: TestFile::default(),
            offset: 0,
            fate: None,
        })
        .collect();
    for trial in &mut trials {
        trial.print(old.world, &options);
    }
    let n_checks = |trials: &[Trial]| -> usize {
        let open = trials.iter().filter(|it| it.fate.is_none());
        open.map(|it| it.checks.len()).sum()
    };
    let all_checks: Vec<usize> = trials.iter().map(|it| it.checks.len()).collect();
    let binary = compile_all(old, new, edition, &options, &mut trials)?;
    let n_before: usize = trials
        .iter()
        .zip(all_checks)
        .filter(|(trial, _)| trial.fate.is_none())
        .map(|(_, n)| n)
        .sum();
    let n_checks_lost = (n_before - n_checks(&trials)) as u64;
    if let Some(binary) = &binary {
        run_all(cells, binary, &mut trials)?;
    }
    let checks = trials.iter().map(|trial| trial.checks.clone()).collect();
    let list = trials.into_iter().map(|trial| {
        let fate = trial.fate.unwrap_or(Fate::Same);
        match fate {
            Fate::Different(difference) => Fate::Different(Difference {
                check: difference.check.and_then(|i| trial.checks.get(i).copied()),
                ..difference
            }),
            fate => fate,
        }
    });
    Ok(Fates {
        list: list.collect(),
        checks,
        n_checks_lost,
    })
}

/// Compiles the cases, and leaves out those that rustc refuses, round by round. `None` if no case
/// is left.
fn compile_all(
    old: &Old<'_>,
    new: &Scratch,
    edition: u16,
    options: &EmitOptions<'_>,
    trials: &mut [Trial],
) -> Result<Option<PathBuf>, VetError> {
    suite_package(old.scratch, new, edition)?;
    let tests = new.dir.join("suite/tests");
    for entry in std::fs::read_dir(&tests).into_iter().flatten().flatten() {
        let _ = std::fs::remove_file(entry.path());
    }
    let suffix = format!("tests/{NAME}.rs");
    for _ in 0..MAX_ROUNDS {
        if trials.iter().all(|it| it.fate.is_some()) {
            return Ok(None);
        }
        new.write(&format!("suite/{suffix}"), &together(trials))?;
        let mut run = compile(new, &old.scratch.feature_flags())?;
        if run.success {
            let at = run.executables.iter().position(|(name, _)| name == NAME);
            return Ok(at.map(|at| run.executables.swap_remove(at).1));
        }
        // The last line comes first, because removing a check shifts the indices of those after it.
        let mut guilty: BTreeMap<(usize, std::cmp::Reverse<u32>), String> = BTreeMap::new();
        for error in &run.errors {
            let spans = error.spans.iter();
            let spans = spans.filter(|span| span.primary && span.file.ends_with(&suffix));
            for span in spans {
                let hit = trials.iter().enumerate();
                let mut hit = hit.filter_map(|(i, trial)| Some((i, trial.line(span.line)?)));
                if let Some((i, line)) = hit.next() {
                    let message = error.message.lines().next().unwrap_or_default();
                    guilty
                        .entry((i, std::cmp::Reverse(line)))
                        .or_insert_with(|| message.to_owned());
                }
            }
        }
        if guilty.is_empty() {
            let text = run.errors.iter().take(3).map(|e| e.rendered.as_str());
            let text: String = text.collect();
            return Err(VetError::Unexplained(match text.is_empty() {
                true => run.stderr,
                false => text,
            }));
        }
        let mut touched = BTreeSet::new();
        for ((i, std::cmp::Reverse(line)), message) in guilty {
            if trials[i].fate.is_none() {
                trials[i].refuse(line, message);
            }
            touched.insert(i);
        }
        for i in touched {
            if trials[i].fate.is_none() {
                trials[i].print(old.world, options);
            }
        }
    }
    Err(VetError::Unexplained(
        "rustc refuses more after every repair".to_owned(),
    ))
}

/// Writes the package whose tests are compiled on the new version. It has the old version's
/// features, because the tests were made for these.
pub(super) fn suite_package(old: &Scratch, new: &Scratch, edition: u16) -> Result<(), VetError> {
    let manifest = new.manifest("suite", "", &old.features_table());
    let manifest = manifest.replace("edition = \"2024\"", &format!("edition = \"{edition}\""));
    new.write("suite/Cargo.toml", &manifest)?;
    new.write("suite/src/lib.rs", "")?;
    Ok(new.members(&["docs", "suite"])?)
}

/// One file with all open cases. Notes at which line each begins.
fn together(trials: &mut [Trial]) -> String {
    let mut text = "#![allow(warnings)]\n".to_owned();
    let mut n_lines = 1;
    for (i, trial) in trials.iter_mut().enumerate() {
        if trial.fate.is_some() {
            continue;
        }
        trial.offset = n_lines + 1;
        let body = trial.file.text.trim_end();
        text.push_str(&format!("mod c{i} {{\n{body}\n}}\n"));
        n_lines += body.lines().count() as u32 + 2;
    }
    text
}

/// Runs all cases together, and then alone and several times those that did not pass.
fn run_all(cells: &[Cell], binary: &Path, trials: &mut [Trial]) -> Result<(), VetError> {
    let open: Vec<usize> = (0..trials.len())
        .filter(|i| trials[*i].fate.is_none())
        .collect();
    let is_failure = |i: &usize| matches!(trials[*i].case.kind, TestKind::Failure { .. });
    let (failures, plain): (Vec<usize>, Vec<usize>) = open.into_iter().partition(is_failure);
    let args = ["--test-threads", "1"];
    let whole = run_tests(&cells[0], binary, &args, Inmate::TestBinary, MAX_SECONDS)?;
    // A case that crashes or hangs ends the whole process, so each one runs alone then.
    let suspects: Vec<usize> = match whole.complete {
        false => plain,
        true => {
            let failed = |i: &usize| whole.failed.contains_key(&name(trials, *i));
            plain.into_iter().filter(failed).collect()
        }
    };
    let mut fates: BTreeMap<usize, Fate> = BTreeMap::new();
    for i in failures.iter().chain(&suspects) {
        fates.insert(*i, Fate::Same);
    }
    let mut open: Vec<(usize, bool)> = suspects.into_iter().map(|i| (i, false)).collect();
    open.extend(failures.into_iter().map(|i| (i, true)));
    for n in 0..N_RUNS {
        let runs = each_of_all(cells, &open, |cell, (i, is_failure)| {
            let name = name(trials, *i);
            // A failure may be a time-out on the old version, so it is not waited for as long.
            let (inmate, seconds) = match is_failure {
                true => (Inmate::Suspect, SUSPECT_SECONDS),
                false => (Inmate::TestBinary, SUSPECT_SECONDS * 10),
            };
            let ignored = is_failure.then_some("--ignored");
            let args: Vec<&str> = ignored.into_iter().chain(["--exact", &name]).collect();
            run_tests(cell, binary, &args, inmate, seconds)
        })?;
        let mut still = Vec::new();
        for ((i, is_failure), run) in open.into_iter().zip(runs) {
            let seen = difference(&trials[i], &name(trials, i), &run, is_failure);
            let fate = fates.entry(i).or_insert(Fate::Same);
            match (seen, &*fate) {
                (Some(seen), _) if n == 0 => *fate = Fate::Different(seen),
                (None, _) if n == 0 => {
                    // The case failed among others but passes alone, so on the new version it
                    // depends on what ran before.
                    if whole.complete && !is_failure {
                        *fate = Fate::Unsteady;
                    }
                    continue;
                }
                (Some(seen), Fate::Different(first)) if seen.kind == first.kind => {}
                _ => {
                    *fate = Fate::Unsteady;
                    continue;
                }
            }
            still.push((i, is_failure));
        }
        open = still;
    }
    for (i, fate) in fates {
        if !matches!(fate, Fate::Same) {
            trials[i].fate = Some(fate);
        }
    }
    Ok(())
}

/// The test's name in the binary.
fn name(trials: &[Trial], i: usize) -> String {
    let name = trials[i].file.tests.first().map(|test| &*test.name);
    format!("c{i}::{}", name.unwrap_or_default())
}

/// How the run differs from the old version, where a failure fails and every other case passes.
fn difference(trial: &Trial, name: &str, run: &TestRun, is_failure: bool) -> Option<Difference> {
    let output = run.failed.get(name);
    let passed = run.complete && output.is_none();
    let plain = |kind, old: &str, new: String| Difference {
        kind,
        check: None,
        code: whole(trial),
        old: old.to_owned(),
        new,
    };
    if is_failure {
        let TestKind::Failure { reason } = &trial.case.kind else {
            return None;
        };
        return passed.then(|| plain(ChangeKind::Returns, reason, "returns".to_owned()));
    }
    if passed {
        return None;
    }
    let Some(output) = output else {
        return Some(plain(ChangeKind::Dies, "returns", run.to_string()));
    };
    if matches!(trial.case.kind, TestKind::ShouldPanic { .. }) {
        let (kind, new) = match panic(output) {
            Some(panic) => (
                ChangeKind::Panics,
                format!("panics otherwise: {}", panic.message),
            ),
            None => (ChangeKind::Returns, "returns".to_owned()),
        };
        return Some(plain(kind, "panics, as documented", new));
    }
    let Some(panic) = panic(output) else {
        return Some(plain(ChangeKind::Dies, "returns", run.to_string()));
    };
    let is_ours = panic.file.ends_with(&format!("{NAME}.rs"));
    let Some(line) = is_ours.then(|| trial.line(panic.line)).flatten() else {
        let place = relative(&panic.file).map(|file| format!(" at {file}:{}", panic.line));
        let new = format!("panics{}: {}", place.unwrap_or_default(), panic.message);
        return Some(plain(ChangeKind::Panics, "returns", new));
    };
    let check = trial.check_at(line);
    let code = trial.code(line);
    let (kind, old, new) = match panic.sides() {
        Some((left, right)) => (ChangeKind::Value, right, left),
        None if panic.message.starts_with("assertion") => (
            ChangeKind::Value,
            "it holds".to_owned(),
            "it does not".to_owned(),
        ),
        None if panic.message.starts_with("called `") => (
            ChangeKind::Value,
            "there is something to unwrap".to_owned(),
            panic.message,
        ),
        // A function with `#[track_caller]` blames its caller.
        None => (
            ChangeKind::Panics,
            "returns".to_owned(),
            format!("panics: {}", panic.message),
        ),
    };
    Some(Difference {
        kind,
        check,
        code,
        old,
        new,
    })
}

/// The whole body of the test, for a difference that no check shows.
fn whole(trial: &Trial) -> String {
    let test = trial.file.tests.first();
    trial.code(test.map_or(0, |test| test.last_line.saturating_sub(1)))
}

struct Panic {
    file: String,
    line: u32,
    message: String,
}

impl Panic {
    /// Both values of a failed assertion of equality.
    fn sides(&self) -> Option<(String, String)> {
        let rest = self
            .message
            .strip_prefix("assertion `left == right` failed")?;
        let (_, rest) = rest.split_once("left: ")?;
        let (left, right) = rest.split_once("\n right: ")?;
        Some((left.to_owned(), right.to_owned()))
    }
}

/// The first panic in a test's output.
fn panic(output: &str) -> Option<Panic> {
    let (_, rest) = output.split_once(" panicked at ")?;
    let (place, rest) = rest.split_once(":\n")?;
    let mut parts = place.rsplitn(3, ':');
    let (_column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    let end = rest.find("\nnote: ").unwrap_or(rest.len());
    Some(Panic {
        file: file.to_owned(),
        line: line.parse().ok()?,
        message: rest[..end].trim_end().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_read_with_both_sides() {
        let output = "\nthread 'c1::a' (77) panicked at suite/tests/testsmith_cases.rs:12:5:\n\
                      assertion `left == right` failed\n  left: \"a\\nb\"\n right: \"a\"\n\
                      note: run with `RUST_BACKTRACE=1` environment variable\n";
        let panic = panic(output).expect("it panicked");
        assert_eq!(
            (&*panic.file, panic.line),
            ("suite/tests/testsmith_cases.rs", 12)
        );
        let sides = panic.sides().expect("it has two");
        assert_eq!(sides, ("\"a\\nb\"".to_owned(), "\"a\"".to_owned()));
    }

    #[test]
    fn a_test_that_did_not_panic_has_none() {
        assert!(panic("note: test did not panic as expected at a.rs:1:4").is_none());
    }
}
