//! The suite is compiled and run, several times, in fresh processes, in several orders, before
//! anybody sees it. What does not compile or does not pass every time is weakened or dropped.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use testsmith_emit::{EmittedTest, ModuleFile, TestCase, TestFile};
use testsmith_project::{CargoError, Inmate, Run, Sandbox, Scratch, ScratchError};
use testsmith_protocol::Death;
use testsmith_record::Drops;

/// What can go wrong while vetting.
#[derive(Debug, thiserror::Error)]
pub enum VetError {
    /// A file could not be written, or cargo not run.
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    /// Cargo could not be run.
    #[error(transparent)]
    Cargo(#[from] CargoError),
    /// The suite does not compile, and no test explains it.
    #[error("the suite does not compile, and no test explains it (a bug of testsmith):\n{0}")]
    Unexplained(String),
    /// The package does not compile where its lints are not capped.
    #[error("the package itself does not compile, and so no test of it does:\n{0}")]
    Package(String),
    /// A test binary could not be run.
    #[error("cannot run the tests: {0}")]
    Run(#[source] std::io::Error),
}

/// More rounds than this mean that dropping does not converge.
const MAX_ROUNDS: usize = 12;
/// Whole runs of the suite that must be clean.
const CLEAN_RUNS: usize = 3;
/// A test binary that takes longer is stopped.
pub(crate) const MAX_SECONDS: u64 = 120;
/// Tests that are run at once, each in a process of its own.
const MAX_CELLS: usize = 8;
/// A test that is known to fail gets this long.
pub(crate) const SUSPECT_SECONDS: u64 = 3;

/// A file of the suite in the making.
pub(crate) struct Draft<'a> {
    /// The target's name, which is the file's name without `.rs`.
    pub(crate) name: &'static str,
    /// What it holds; shrinks while vetting.
    pub(crate) cases: Vec<TestCase>,
    /// Prints the cases.
    pub(crate) print: &'a dyn Fn(&[TestCase]) -> TestFile,
    /// How each case must end, if the file holds failures: a panic, or a death. They are ignored
    /// by default, and run here one by one.
    pub(crate) failures: Option<Vec<Option<Death>>>,
    /// Failures that did not happen again.
    pub(crate) unconfirmed: Vec<TestCase>,
}

/// Where test binaries run: behind the same walls as the guest.
pub(crate) struct Cell {
    /// They may fill it.
    pub(crate) dir: PathBuf,
    sandbox: Sandbox,
}

impl Cell {
    /// Puts its walls around a process that is about to be started.
    pub(crate) fn confine(&self, command: &mut Command) {
        command.env("RUST_BACKTRACE", "0").env("TMPDIR", &self.dir);
        self.sandbox.confine(command, Inmate::TestBinary);
    }

    /// As many as can be in use at once, each with a directory in the scratch workspace.
    pub(crate) fn several(scratch: &Scratch, sandboxed: bool) -> Result<Vec<Cell>, VetError> {
        let n_cells = std::thread::available_parallelism().map_or(1, usize::from);
        Cell::numbered(scratch, sandboxed, n_cells.min(MAX_CELLS))
    }

    /// So many.
    pub(crate) fn numbered(
        scratch: &Scratch,
        sandboxed: bool,
        n_cells: usize,
    ) -> Result<Vec<Cell>, VetError> {
        let cell = |i: usize| {
            let dir = scratch.dir.join(format!("run-{i}"));
            std::fs::create_dir_all(&dir).map_err(VetError::Run)?;
            let sandbox = match sandboxed {
                true => Sandbox::new(&dir),
                false => Sandbox::off(),
            };
            Ok(Cell { dir, sandbox })
        };
        (0..n_cells).map(cell).collect()
    }
}

/// Vets the drafts together; returns the final text of each. `module` is the file of makers as
/// the drafts name it.
pub(crate) fn vet(
    scratch: &Scratch,
    cells: &[Cell],
    edition: &str,
    module: Option<&str>,
    drafts: &mut [Draft<'_>],
    drops: &mut Drops,
) -> Result<Vec<TestFile>, VetError> {
    prepare(scratch, edition, drafts)?;
    let mut n_clean = 0;
    let mut last_texts: Vec<(String, Vec<ModuleFile>)> = Vec::new();
    let mut binaries = BTreeMap::new();
    // What was dropped and why in full, for whoever wonders.
    let mut log = String::new();
    for round in 0.. {
        let files: Vec<TestFile> = drafts.iter().map(|d| (d.print)(&d.cases)).collect();
        let texts = files.iter().map(|f| (f.text.clone(), f.modules.clone()));
        let texts: Vec<_> = texts.collect();
        if texts != last_texts {
            for (draft, file) in drafts.iter().zip(&files) {
                write_draft(scratch, module, draft.name, file)?;
            }
            let run = compile(scratch, &scratch.feature_flags())?;
            let n_changed = mend_uncompilable(drafts, &files, &run, drops);
            if n_changed > 0 && round < MAX_ROUNDS {
                continue;
            }
            if !run.success || n_changed > 0 {
                let text = run.errors.iter().take(3).map(|e| e.rendered.as_str());
                let text: String = text.collect();
                let mut spans = run.errors.iter().flat_map(|error| &error.spans);
                let is_ours = |file: &str| file.contains("suite/tests/");
                if !text.is_empty() && !spans.any(|it| it.primary && is_ours(&it.file)) {
                    return Err(VetError::Package(text));
                }
                return Err(VetError::Unexplained(if text.is_empty() {
                    run.stderr
                } else {
                    text
                }));
            }
            binaries = run.executables.into_iter().collect();
            last_texts = texts;
            n_clean = 0;
        }
        let mut n_bad = 0;
        for (draft, file) in drafts.iter_mut().zip(&files) {
            let Some(binary) = binaries.get(draft.name) else {
                continue;
            };
            n_bad += match &draft.failures {
                None => run_once(cells, binary, draft, file, n_clean, drops, &mut log)?,
                // Once is enough: they are ignored by default.
                Some(_) if n_clean > 0 => 0,
                Some(deaths) => {
                    let guilty = unconfirmed(cells, binary, file, deaths)?;
                    drops.add(
                        "failure",
                        "did not happen again in a test of the untouched crate",
                        guilty.len() as u64,
                    );
                    let lost = guilty.iter().map(|case| draft.cases[*case].clone());
                    draft.unconfirmed.extend(lost);
                    remove(draft, &guilty);
                    guilty.len()
                }
            };
        }
        if n_bad == 0 {
            n_clean += 1;
        }
        if n_clean == CLEAN_RUNS {
            scratch.write("vet.log", &log)?;
            return Ok(files);
        }
        if round > MAX_ROUNDS + CLEAN_RUNS {
            return Err(VetError::Unexplained(
                "tests keep failing after every repair".to_owned(),
            ));
        }
    }
    unreachable!("the loop ends by returning")
}

/// Writes a file and those of its modules; what an earlier one had otherwise goes.
fn write_draft(
    scratch: &Scratch,
    module: Option<&str>,
    name: &str,
    file: &TestFile,
) -> Result<(), VetError> {
    let text = in_scratch(scratch, module, &file.text);
    scratch.write(&format!("suite/tests/{name}.rs"), &text)?;
    let dir = format!("suite/tests/{name}");
    let entries = std::fs::read_dir(scratch.dir.join(&dir));
    for entry in entries.into_iter().flatten().flatten() {
        let stem = entry.path().file_stem().map(ToOwned::to_owned);
        let is_left = |it: &ModuleFile| stem.as_ref().is_some_and(|stem| **stem == *it.name);
        if !file.modules.iter().any(is_left) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    for module in &file.modules {
        scratch.write(&format!("{dir}/{}.rs", module.name), &module.text)?;
    }
    Ok(())
}

/// The file that a test of a draft stands in, seen from the directory of tests.
fn file_of(name: &str, file: &TestFile, test: &EmittedTest) -> String {
    match file.module(test) {
        Some(module) => format!("{name}/{}.rs", module.name),
        None => format!("{name}.rs"),
    }
}

/// The text with the file of makers as it is found from the scratch workspace.
pub(crate) fn in_scratch(scratch: &Scratch, module: Option<&str>, text: &str) -> String {
    let (Some(written), Some(makers)) = (module, scratch.makers()) else {
        return text.to_owned();
    };
    let found = makers.file.display().to_string();
    let attribute = |path: &str| format!("#[path = {path:?}]");
    text.replacen(&attribute(written), &attribute(&found), 1)
}

fn prepare(scratch: &Scratch, edition: &str, drafts: &[Draft<'_>]) -> Result<(), VetError> {
    let features = scratch.features_table();
    let manifest = scratch.manifest("suite", "", &features).replace(
        "edition = \"2024\"",
        // As the user's package would compile them.
        &format!("edition = \"{edition}\""),
    );
    scratch.write("suite/Cargo.toml", &manifest)?;
    scratch.write("suite/src/lib.rs", "")?;
    // What an earlier run left is not ours to judge.
    let tests = scratch.dir.join("suite/tests");
    for entry in std::fs::read_dir(&tests).into_iter().flatten().flatten() {
        let is_ours = drafts
            .iter()
            .any(|d| entry.path().file_stem().is_some_and(|s| s == d.name));
        if !is_ours {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    scratch.members(&["docs", "protocol", "runtime", "harness", "suite"])?;
    Ok(())
}

/// Builds the tests of the suite with these flags for its features.
pub(crate) fn compile(scratch: &Scratch, features: &[String]) -> Result<Run, VetError> {
    let mut command = scratch.cargo_test("suite");
    command.args(features);
    Ok(Run::of(&mut command)?)
}

/// Drops the tests that rustc's errors and warnings point at; returns how many changed. One that
/// uses something deprecated may do so: it is published all the same.
fn mend_uncompilable(
    drafts: &mut [Draft<'_>],
    files: &[TestFile],
    run: &Run,
    drops: &mut Drops,
) -> usize {
    let mut n_changed = 0;
    for (draft, file) in drafts.iter_mut().zip(files) {
        let places = file.tests.iter().map(|test| {
            let suffix = format!("tests/{}", file_of(draft.name, file, test));
            (suffix, test)
        });
        let places: Vec<(String, &EmittedTest)> = places.collect();
        let mut guilty: BTreeMap<usize, String> = BTreeMap::new();
        let mut deprecated = BTreeSet::new();
        for diagnostic in run.errors.iter().chain(&run.warnings) {
            for span in &diagnostic.spans {
                let is_inside = |(suffix, test): &&(String, &EmittedTest)| {
                    (test.first_line..=test.last_line).contains(&span.line)
                        && span.file.ends_with(suffix)
                };
                if span.primary
                    && let Some((_, test)) = places.iter().find(is_inside)
                {
                    if diagnostic.code == "deprecated" && !draft.cases[test.case].deprecated {
                        deprecated.insert(test.case);
                        continue;
                    }
                    let message = format!("{} {}", diagnostic.code, diagnostic.message);
                    guilty.entry(test.case).or_insert(message);
                }
            }
        }
        for reason in guilty.values() {
            let line = reason.lines().next().unwrap_or_default();
            drops.add("test", format!("does not compile cleanly: {line}"), 1);
        }
        for case in &deprecated {
            draft.cases[*case].deprecated = true;
        }
        n_changed += guilty.len() + deprecated.len();
        remove(draft, &guilty.keys().copied().collect());
    }
    n_changed
}

fn remove(draft: &mut Draft<'_>, guilty: &BTreeSet<usize>) {
    let mut i = 0;
    draft.cases.retain(|_| {
        i += 1;
        !guilty.contains(&(i - 1))
    });
    if let Some(deaths) = &mut draft.failures {
        let mut i = 0;
        deaths.retain(|_| {
            i += 1;
            !guilty.contains(&(i - 1))
        });
    }
}

/// The failures that do not happen in a test, each in a process of its own.
fn unconfirmed(
    cells: &[Cell],
    binary: &Path,
    file: &TestFile,
    deaths: &[Option<Death>],
) -> Result<BTreeSet<usize>, VetError> {
    let tests: Vec<&EmittedTest> = file.tests.iter().collect();
    let runs = each_alone(cells, &tests, |cell, test| {
        let args = ["--ignored", "--exact", &test.name];
        test_run(cell, binary, &args, Inmate::Suspect, SUSPECT_SECONDS)
    })?;
    let mut guilty = BTreeSet::new();
    for (test, run) in tests.iter().zip(&runs) {
        let failed = run.failed.contains_key(&test.name);
        let happened = match (deaths[test.case], &run.end) {
            (None, _) => run.complete && failed,
            (Some(Death::TimedOut | Death::OutOfFuel), end) => *end == End::Stopped,
            (Some(Death::Exit(code)), end) => *end == End::Code(code) && !run.complete,
            (Some(Death::Abort), end) => *end == End::Signal(SIGABRT),
            (Some(Death::Signal(signal)), end) => *end == End::Signal(signal),
            // The standard library says what it was and aborts.
            (Some(Death::StackOverflow), end) => {
                matches!(end, End::Signal(SIGABRT | SIGSEGV))
            }
            (Some(Death::OutOfMemory), end) => {
                matches!(end, End::Signal(_) | End::Stopped) || failed
            }
        };
        if !happened {
            guilty.insert(test.case);
        }
    }
    Ok(guilty)
}

const SIGABRT: i32 = 6;
const SIGSEGV: i32 = 11;

/// Runs one file's tests; returns how many had to be repaired. The order depends on the run.
fn run_once(
    cells: &[Cell],
    binary: &Path,
    draft: &mut Draft<'_>,
    file: &TestFile,
    n_clean: usize,
    drops: &mut Drops,
    log: &mut String,
) -> Result<usize, VetError> {
    let mut failed: BTreeMap<String, String> = BTreeMap::new();
    if n_clean + 1 < CLEAN_RUNS {
        let threads = if n_clean == 0 { "1" } else { "2" };
        let args = ["--test-threads", threads];
        let output = test_run(&cells[0], binary, &args, Inmate::TestBinary, MAX_SECONDS)?;
        failed.extend(output.failed.clone());
        // A crash or a hang takes the others with it: ask each test alone.
        if !output.complete {
            failed.extend(alone(cells, binary, file)?);
        }
    } else {
        failed.extend(alone(cells, binary, file)?);
    }
    let mut dropped = BTreeSet::new();
    let mut n_bad = 0;
    let mut weakened: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for test in &file.tests {
        let Some(output) = failed.get(&test.name) else {
            continue;
        };
        n_bad += 1;
        let text = file.text_of(test).lines();
        let source = text
            .skip(test.first_line as usize - 1)
            .take((test.last_line - test.first_line) as usize + 1);
        let source: Vec<&str> = source.collect();
        let _ = writeln!(log, "{}\n{output}\n", source.join("\n"));
        let line = failing_line(output, &file_of(draft.name, file, test));
        let check = line.and_then(|line| {
            let at = test
                .assertion_lines
                .iter()
                .rev()
                .find(|(l, _)| *l <= line)?;
            (line - at.0 < 40).then_some(at.1)
        });
        let n_left = draft.cases[test.case].checks.len();
        match check {
            Some(check) if n_left > 1 => {
                weakened.entry(test.case).or_default().insert(check);
                drops.add("assertion", "does not hold in every run", 1);
            }
            _ => {
                dropped.insert(test.case);
                drops.add("test", "does not pass in every run", 1);
            }
        }
    }
    for (case, checks) in weakened {
        let mut i = 0;
        draft.cases[case].checks.retain(|_| {
            i += 1;
            !checks.contains(&(i - 1))
        });
    }
    remove(draft, &dropped);
    Ok(n_bad)
}

/// Every test in a process of its own, the last first.
fn alone(
    cells: &[Cell],
    binary: &Path,
    file: &TestFile,
) -> Result<BTreeMap<String, String>, VetError> {
    let tests: Vec<&EmittedTest> = file.tests.iter().rev().collect();
    let runs = each_alone(cells, &tests, |cell, test| {
        let args = ["--exact", &test.name];
        test_run(cell, binary, &args, Inmate::TestBinary, MAX_SECONDS)
    })?;
    let mut failed = BTreeMap::new();
    for (test, output) in tests.iter().zip(runs) {
        if !output.complete {
            failed.insert(test.name.clone(), output.text);
        } else {
            failed.extend(output.failed);
        }
    }
    Ok(failed)
}

/// Runs every test, as many at once as there are cells; the results in the order of the tests.
pub(crate) fn each_alone<T: Sync>(
    cells: &[Cell],
    tests: &[T],
    run: impl Fn(&Cell, &T) -> Result<TestRun, VetError> + Sync,
) -> Result<Vec<TestRun>, VetError> {
    let next = AtomicUsize::new(0);
    let work = |cell: &Cell| -> Result<Vec<(usize, TestRun)>, VetError> {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(test) = tests.get(i) else {
                return Ok(done);
            };
            done.push((i, run(cell, test)?));
        }
    };
    let done = std::thread::scope(|scope| {
        let workers = cells.iter().map(|cell| scope.spawn(|| work(cell)));
        let workers: Vec<_> = workers.collect();
        let results = workers.into_iter().map(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        results.collect::<Result<Vec<_>, VetError>>()
    })?;
    let by_test: BTreeMap<usize, TestRun> = done.into_iter().flatten().collect();
    Ok(by_test.into_values().collect())
}

/// Does something with each of these, as many at once as there are cells; answers are in order, and there
/// are none for what was not begun when the user cancelled.
pub(crate) fn each_in<T: Sync, R: Send, E: Send>(
    cells: &[Cell],
    cancel: &AtomicBool,
    items: &[T],
    progress: &mut dyn FnMut(usize),
    work: impl Fn(&Cell, &T) -> Result<R, E> + Sync,
) -> Result<Vec<Option<R>>, E> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut answers: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let mut result = Ok(());
    std::thread::scope(|scope| {
        for cell in cells {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    if cancel.load(Ordering::Relaxed) {
                        break;
                    }
                    let answer = work(cell, item);
                    if answer.is_err() {
                        // The others need not go on.
                        next.store(items.len(), Ordering::Relaxed);
                    }
                    let _ = sender.send((i, answer));
                }
            });
        }
        drop(sender);
        for (n, (i, answer)) in receiver.into_iter().enumerate() {
            progress(n + 1);
            match answer {
                Ok(answer) => answers[i] = Some(answer),
                Err(error) => result = Err(error),
            }
        }
    });
    result.map(|()| answers)
}

pub(crate) struct TestRun {
    /// Did it end by itself, with a summary?
    pub(crate) complete: bool,
    end: End,
    /// Tests that failed, and what they printed.
    pub(crate) failed: BTreeMap<String, String>,
    /// All that it printed.
    pub(crate) text: String,
}

impl TestRun {
    /// Did it die, or take too long?
    pub(crate) fn is_cut(&self) -> bool {
        !self.complete && self.end != End::Code(0)
    }
}

impl std::fmt::Display for TestRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.end {
            End::Code(code) => write!(f, "exits the process with code {code}"),
            End::Signal(signal) => write!(f, "ends the process with signal {signal}"),
            End::Stopped => write!(f, "does not end in time"),
        }
    }
}

/// How a test binary ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Code(i32),
    Signal(i32),
    /// It took too long.
    Stopped,
}

pub(crate) fn test_run(
    cell: &Cell,
    binary: &Path,
    args: &[&str],
    inmate: Inmate,
    max_seconds: u64,
) -> Result<TestRun, VetError> {
    let mut command = Command::new(binary);
    command.args(args).current_dir(&cell.dir);
    confined(cell, command, inmate, Duration::from_secs(max_seconds))
}

/// Runs a test binary behind the walls of a cell, so long at most.
pub(crate) fn confined(
    cell: &Cell,
    mut command: Command,
    inmate: Inmate,
    most: Duration,
) -> Result<TestRun, VetError> {
    // Beside the cell, or the tests could change it.
    let out = cell.dir.with_extension("txt");
    let log = std::fs::File::create(&out).map_err(VetError::Run)?;
    let errors = log.try_clone().map_err(VetError::Run)?;
    command
        .env("RUST_BACKTRACE", "0")
        .env("TMPDIR", &cell.dir)
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(errors)
        // Ctrl-C at the terminal is for us to handle.
        .process_group(0);
    cell.sandbox.confine(&mut command, inmate);
    let mut child = command.spawn().map_err(VetError::Run)?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(VetError::Run)? {
            break Some(status);
        }
        if start.elapsed() > most {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = String::from_utf8_lossy(&std::fs::read(&out).map_err(VetError::Run)?).into_owned();
    let _ = std::fs::remove_file(&out);
    let end = match status {
        None => End::Stopped,
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => End::Code(code),
            (None, signal) => End::Signal(signal.unwrap_or(0)),
        },
    };
    let complete = matches!(end, End::Code(0 | 101)) && text.contains("test result:");
    let mut failed = BTreeMap::new();
    for line in text.lines() {
        if let Some(name) = line
            .strip_prefix("test ")
            .and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            let name = name.trim_end_matches(" - should panic");
            let marker = format!("---- {name} stdout ----");
            let section = text.split(&marker).nth(1).unwrap_or_default();
            let section = section.split("\n---- ").next().unwrap_or_default();
            failed.insert(name.to_owned(), section.to_owned());
        }
    }
    Ok(TestRun {
        complete,
        end,
        failed,
        text,
    })
}

/// The line of our file at which the test panicked.
fn failing_line(output: &str, file: &str) -> Option<u32> {
    let marker = format!("{file}:");
    let at = output.find(&marker)? + marker.len();
    let digits: String = output[at..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}
