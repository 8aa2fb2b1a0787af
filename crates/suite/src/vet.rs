//! Compiles the suite and runs it several times, in fresh processes and in several orders, before
//! anything is written. Tests that do not compile or do not pass every time are weakened or
//! dropped.
//!
//! A suite that is clean in debug builds runs once more as `cargo test --release` would run it:
//! there, sums wrap and debug assertions are silent. A panic that only a checked build has is
//! guarded by `cfg(debug_assertions)`; what else differs is left out. That build comes last, and
//! again only if it changed something. It is made as if the package were somewhere else and somebody
//! else's (`harness/elsewhere.rs`), and its tests run with other variables: so what depends on that
//! differs, too, and is left out.

#![expect(clippy::disallowed_methods, reason = "a suite is compiled from files")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use testsmith_emit::{EmittedTest, ModuleFile, TestCase, TestFile, TestKind};
use testsmith_harness::{Others, apply_elsewhere, without_values};
use testsmith_project::{CargoError, Diagnostic, End, Inmate, Run, Scratch, ScratchError};
use testsmith_protocol::Death;
use testsmith_record::Drops;
use testsmith_rig::{Cell, RigError, TestRun, each_of_all, run_tests, run_tests_elsewhere};
use testsmith_sequence::Sequence;

use crate::released::{Released, outcome};

/// Why vetting failed.
#[derive(Debug, thiserror::Error)]
pub enum VetError {
    /// Tests could not be built or run.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The suite does not compile, and no test explains it.
    #[error("the suite does not compile, and no test explains it (a bug of testsmith):\n{0}")]
    Unexplained(String),
    /// The suite that is there does not compile, and no test of it explains it.
    #[error("the suite that is there does not compile:\n{0}")]
    Standing(String),
    /// The package itself does not compile: in the suite it is built with the lints that it denies.
    #[error("the package itself does not compile, and so no test of it does:\n{0}")]
    Package(String),
}

impl From<ScratchError> for VetError {
    fn from(error: ScratchError) -> VetError {
        VetError::Rig(error.into())
    }
}

impl From<CargoError> for VetError {
    fn from(error: CargoError) -> VetError {
        VetError::Rig(error.into())
    }
}

/// After more rounds than this, dropping tests is not going to make the suite clean.
const MAX_ROUNDS: usize = 12;
/// How many whole runs of the suite in a row must be clean.
const CLEAN_RUNS: usize = 3;
/// How often a suite may change because of what a release build shows.
const MAX_RELEASES: usize = 4;
/// A test binary that takes more seconds than this is stopped.
pub const MAX_SECONDS: u64 = 120;
/// A test that is known to fail gets this many seconds.
pub const SUSPECT_SECONDS: u64 = 3;

/// How some tests of a binary are run in a cell: the binary, arguments, walls, and seconds.
type RunTests = fn(&Cell, &Path, &[&str], Inmate, u64) -> Result<TestRun, RigError>;

/// A file of the suite while it is vetted.
pub struct Draft<'a> {
    /// The name of its target, which is the file's name without `.rs`.
    pub name: &'static str,
    /// The cases that are still in; vetting removes some.
    pub cases: Vec<TestCase>,
    /// Prints the cases.
    pub print: &'a dyn Fn(&[TestCase]) -> TestFile,
    /// If the file holds failures: the death with which each case must end, or `None` for a panic.
    /// Such tests are ignored by default, and run here one by one.
    pub failures: Option<Vec<Option<Death>>>,
    /// If its tests are only to show what they do in a release build: what each did there. They need not fail
    /// in debug builds, and nothing is repaired.
    pub released: Option<Vec<(Sequence, Released)>>,
    /// Failures that did not happen again.
    pub unconfirmed: Vec<TestCase>,
    /// Cases that rustc refused, with its message.
    pub refused: Vec<(TestCase, String)>,
}

impl<'a> Draft<'a> {
    /// Of tests that pass.
    pub fn of(
        name: &'static str,
        cases: Vec<TestCase>,
        print: &'a dyn Fn(&[TestCase]) -> TestFile,
    ) -> Draft<'a> {
        Draft {
            name,
            cases,
            print,
            failures: None,
            released: None,
            unconfirmed: Vec::new(),
            refused: Vec::new(),
        }
    }
}

/// Where and how drafts are vetted.
#[derive(Clone, Copy)]
pub struct Vetting<'v> {
    /// The workspace where they are compiled.
    pub scratch: &'v Scratch,
    /// The cells where they are run.
    pub cells: &'v [Cell],
    /// The edition that they are written in.
    pub edition: &'v str,
    /// The path to the file of makers, as the drafts write it.
    pub module: Option<&'v str>,
    /// Must the tests hold in release builds, too?
    pub in_release: bool,
}

/// How a suite is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Build {
    /// As `cargo test` does.
    Debug,
    /// As `cargo test --release` does.
    Release,
}

impl Vetting<'_> {
    /// Vets the drafts together, and gives the final text of each.
    pub fn vet(
        &self,
        drafts: &mut [Draft<'_>],
        drops: &mut Drops,
    ) -> Result<Vec<TestFile>, VetError> {
        let names: Vec<&str> = drafts.iter().map(|it| it.name).collect();
        self.prepare(&names)?;
        // The full text and output of every test that was repaired, for somebody who asks why.
        let mut log = String::new();
        let vetted = self.vet_in_both(drafts, drops, &mut log);
        let log = without_values(&log, self.scratch, "debug");
        self.scratch.write("vet.log", &log)?;
        vetted
    }

    /// Vets the drafts in debug builds, and then in release builds, until both are clean.
    fn vet_in_both(
        &self,
        drafts: &mut [Draft<'_>],
        drops: &mut Drops,
        log: &mut String,
    ) -> Result<Vec<TestFile>, VetError> {
        for _ in 0..MAX_RELEASES {
            let files = self.vet_in_debug(drafts, drops, log)?;
            let n_bad = match self.in_release {
                true => self.mend_in_release(drafts, &files, drops, log)?,
                false => 0,
            };
            if n_bad == 0 {
                return Ok(files);
            }
        }
        Err(VetError::Unexplained(
            "tests keep failing in release builds after every repair".to_owned(),
        ))
    }

    /// Compiles, runs and repairs the drafts until they are clean in debug builds.
    fn vet_in_debug(
        &self,
        drafts: &mut [Draft<'_>],
        drops: &mut Drops,
        log: &mut String,
    ) -> Result<Vec<TestFile>, VetError> {
        let mut n_clean = 0;
        let mut last_texts: Vec<(String, Vec<ModuleFile>)> = Vec::new();
        let mut binaries = BTreeMap::new();
        for round in 0.. {
            let files: Vec<TestFile> = drafts.iter().map(|d| (d.print)(&d.cases)).collect();
            let texts = files.iter().map(|f| (f.text.clone(), f.modules.clone()));
            let texts: Vec<_> = texts.collect();
            if texts != last_texts {
                let run = self.compile(drafts, &files)?;
                let n_changed = mend_uncompilable(drafts, &files, &run, drops);
                if n_changed > 0 && round < MAX_ROUNDS {
                    continue;
                }
                if !run.success || n_changed > 0 {
                    return Err(unexplained(run));
                }
                binaries = run.executables.into_iter().collect();
                last_texts = texts;
                n_clean = 0;
            }
            let mut n_bad = 0;
            for (draft, file) in drafts.iter_mut().zip(&files) {
                if let Some(binary) = binaries.get(draft.name) {
                    n_bad += self.try_once(binary, draft, file, n_clean, drops, log)?;
                }
            }
            if n_bad == 0 {
                n_clean += 1;
            }
            if n_clean == CLEAN_RUNS {
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

    /// Builds and runs the files once as `cargo test --release` would, and gives how many tests had
    /// to be repaired. Failures are built, but not run: they are ignored by default, and say of
    /// themselves what fails where.
    fn mend_in_release(
        &self,
        drafts: &mut [Draft<'_>],
        files: &[TestFile],
        drops: &mut Drops,
        log: &mut String,
    ) -> Result<usize, VetError> {
        if files.iter().all(|file| file.tests.is_empty()) {
            return Ok(0);
        }
        let flags = self.scratch.feature_flags();
        let mut run = compile_elsewhere(self.scratch, &flags, Others::Unset)?;
        if !run.success {
            // A test that does not compile then depends on them, be it by the length of an array.
            let n_changed = mend_uncompilable(drafts, files, &run, drops);
            if n_changed > 0 {
                return Ok(n_changed);
            }
            // Whoever asks for a variable by `env!` must have one.
            run = compile_elsewhere(self.scratch, &flags, Others::Changed)?;
        }
        if !run.success {
            // Some crates cannot be built with other variables, which says nothing of their tests.
            run = compile_for(self.scratch, Build::Release, &flags)?;
            if run.success {
                let reason = "it does not compile with other variables than those set here: tests may \
                              assert what depends on them";
                drops.add("release build", reason, 1);
            }
        }
        if !run.success {
            let n_changed = mend_uncompilable(drafts, files, &run, drops);
            if n_changed == 0 {
                let reason =
                    "the package does not compile in release: tests ran in debug builds only";
                drops.add("release build", reason, 1);
            }
            return Ok(n_changed);
        }
        let binaries: BTreeMap<_, _> = run.executables.into_iter().collect();
        let mut n_bad = 0;
        for (draft, file) in drafts.iter_mut().zip(files) {
            let binary = binaries.get(draft.name);
            if draft.released.is_some() {
                draft.released = Some(match binary {
                    Some(binary) => self.released(binary, draft, file)?,
                    None => Vec::new(),
                });
            } else if let Some(binary) = binary.filter(|_| draft.failures.is_none()) {
                let failed = self.failing(binary, file, CLEAN_RUNS - 2, run_tests_elsewhere)?;
                n_bad += repair(draft, file, &failed, Build::Release, drops, log);
            }
        }
        Ok(n_bad)
    }

    /// Writes the manifest of the suite whose files have these names. Other files in it are removed.
    pub(crate) fn prepare(&self, names: &[&str]) -> Result<(), VetError> {
        let scratch = self.scratch;
        let features = scratch.features_table();
        let manifest = scratch.manifest("suite", "", &features).replace(
            "edition = \"2024\"",
            // The suite is compiled in the edition of the user's package, as it will be there.
            &format!("edition = \"{}\"", self.edition),
        );
        scratch.write("suite/Cargo.toml", &manifest)?;
        scratch.write("suite/src/lib.rs", "")?;
        // Files of other drafts that an earlier run left are removed, because cargo would compile
        // them too.
        let tests = scratch.dir.join("suite/tests");
        for entry in std::fs::read_dir(&tests).into_iter().flatten().flatten() {
            let stem = entry.path().file_stem().map(ToOwned::to_owned);
            let is_ours = names
                .iter()
                .any(|it| stem.as_ref().is_some_and(|stem| stem == it));
            if !is_ours {
                let _ = std::fs::remove_file(entry.path());
            }
        }
        scratch.members(&["docs", "protocol", "runtime", "harness", "suite"])?;
        Ok(())
    }

    /// Writes the files and compiles them.
    fn compile(&self, drafts: &[Draft<'_>], files: &[TestFile]) -> Result<Run, VetError> {
        for (draft, file) in drafts.iter().zip(files) {
            self.write(draft.name, file)?;
        }
        compile(self.scratch, &self.scratch.feature_flags())
    }

    /// Writes a file and those of its modules. Module files that it no longer has are removed.
    fn write(&self, name: &str, file: &TestFile) -> Result<(), VetError> {
        let scratch = self.scratch;
        let text = in_scratch(scratch, self.module, &file.text);
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

    /// Runs the tests of a draft, and gives how many had to be repaired. `n_clean` runs before it
    /// were clean.
    fn try_once(
        &self,
        binary: &Path,
        draft: &mut Draft<'_>,
        file: &TestFile,
        n_clean: usize,
        drops: &mut Drops,
        log: &mut String,
    ) -> Result<usize, VetError> {
        if draft.released.is_some() {
            return Ok(0);
        }
        match &draft.failures {
            None => {
                let failed = self.failing(binary, file, n_clean, run_tests)?;
                Ok(repair(draft, file, &failed, Build::Debug, drops, log))
            }
            // One run of failures is enough, because the user does not run them by default.
            Some(_) if n_clean > 0 => Ok(0),
            Some(deaths) => {
                let mut guilty = BTreeSet::new();
                // What depends on the seeds of hashers happens in some runs and not in others.
                for _ in 0..CONFIRMATIONS {
                    guilty.append(&mut unconfirmed(self.cells, binary, file, deaths, &guilty)?);
                }
                drops.add(
                    "failure",
                    "did not happen again in a test of the untouched crate",
                    guilty.len() as u64,
                );
                let lost = guilty.iter().map(|case| draft.cases[*case].clone());
                draft.unconfirmed.extend(lost);
                remove(draft, &guilty);
                Ok(guilty.len())
            }
        }
    }

    /// What each test of a file does in a release build.
    fn released(
        &self,
        binary: &Path,
        draft: &Draft<'_>,
        file: &TestFile,
    ) -> Result<Vec<(Sequence, Released)>, VetError> {
        let tests: Vec<&EmittedTest> = file.tests.iter().collect();
        let runs = each_of_all(self.cells, &tests, |cell, test| {
            let args = ["--ignored", "--exact", &test.name];
            run_tests_elsewhere(cell, binary, &args, Inmate::Suspect, SUSPECT_SECONDS)
        })?;
        let found = tests.iter().zip(&runs).filter_map(|(test, run)| {
            let sequence = draft.cases[test.case].sequence.clone();
            Some((sequence, outcome(run, &test.name)?))
        });
        Ok(found.collect())
    }

    /// Runs the tests of one file as `run` does, and gives the output of those that fail. Threads and
    /// order change with the number of clean runs before.
    fn failing(
        &self,
        binary: &Path,
        file: &TestFile,
        n_clean: usize,
        run: RunTests,
    ) -> Result<BTreeMap<String, String>, VetError> {
        if n_clean + 1 >= CLEAN_RUNS {
            return alone(self.cells, binary, file, run);
        }
        let threads = if n_clean == 0 { "1" } else { "2" };
        let args = ["--test-threads", threads];
        let cell = &self.cells[0];
        let output = run(cell, binary, &args, Inmate::TestBinary, MAX_SECONDS)?;
        let mut failed = output.failed;
        // A test that crashes or hangs ends the whole process, so each test runs again alone.
        if !output.complete {
            failed.extend(alone(self.cells, binary, file, run)?);
        }
        Ok(failed)
    }
}

/// The error for a suite that does not compile when no test can be blamed.
pub(crate) fn unexplained(run: Run) -> VetError {
    let text = run.errors.iter().take(3).map(|e| e.rendered.as_str());
    let text: String = text.collect();
    let mut spans = run.errors.iter().flat_map(|error| &error.spans);
    let is_ours = |file: &str| file.contains("suite/tests/");
    if text.is_empty() {
        return VetError::Unexplained(run.stderr);
    }
    match spans.any(|it| it.primary && is_ours(&it.file)) {
        true => VetError::Unexplained(text),
        false => VetError::Package(text),
    }
}

/// The path of the file with this test, from the directory of tests.
fn file_of(name: &str, file: &TestFile, test: &EmittedTest) -> String {
    match file.module(test) {
        Some(module) => format!("{name}/{}.rs", module.name),
        None => format!("{name}.rs"),
    }
}

/// The text with the path to the file of makers replaced by one that holds in the scratch
/// workspace.
pub fn in_scratch(scratch: &Scratch, module: Option<&str>, text: &str) -> String {
    let (Some(written), Some(makers)) = (module, scratch.makers()) else {
        return text.to_owned();
    };
    let found = makers.file.display().to_string();
    let attribute = |path: &str| format!("#[path = {path:?}]");
    text.replacen(&attribute(written), &attribute(&found), 1)
}

/// Builds the suite's tests with these feature flags.
pub fn compile(scratch: &Scratch, features: &[String]) -> Result<Run, VetError> {
    compile_for(scratch, Build::Debug, features)
}

fn compile_for(scratch: &Scratch, build: Build, features: &[String]) -> Result<Run, VetError> {
    let mut command = match build {
        Build::Debug => scratch.cargo_test("suite"),
        Build::Release => scratch.cargo_test_released("suite"),
    };
    command.args(features);
    Ok(Run::of(&mut command)?)
}

/// Builds the suite's tests as for a release, and the package as if it were somewhere else.
fn compile_elsewhere(
    scratch: &Scratch,
    features: &[String],
    others: Others,
) -> Result<Run, VetError> {
    let mut command = scratch.cargo_test_released("suite");
    command.args(features);
    if let Some(wrapper) = &scratch.wrapper {
        apply_elsewhere(&mut command, scratch, wrapper, "debug", others);
    }
    Ok(Run::of(&mut command)?)
}

/// Tests that cannot stay as they are, by their cases.
#[derive(Default)]
struct Blamed {
    /// Cases whose tests are dropped, with rustc's messages.
    guilty: BTreeMap<usize, String>,
    /// Cases that use something deprecated.
    deprecated: BTreeSet<usize>,
}

impl Blamed {
    /// Blames the test that a diagnostic points at. In `places`, each test stands with the end of
    /// its file's path.
    fn add(
        &mut self,
        diagnostic: &Diagnostic,
        places: &[(String, &EmittedTest)],
        cases: &[TestCase],
    ) {
        for span in diagnostic.spans.iter().filter(|it| it.primary) {
            let is_inside = |(suffix, test): &&(String, &EmittedTest)| {
                (test.first_line..=test.last_line).contains(&span.line)
                    && span.file.ends_with(suffix)
            };
            let Some((_, test)) = places.iter().find(is_inside) else {
                continue;
            };
            if diagnostic.code == "deprecated" && !cases[test.case].deprecated {
                self.deprecated.insert(test.case);
                continue;
            }
            let message = format!("{} {}", diagnostic.code, diagnostic.message);
            self.guilty.entry(test.case).or_insert(message);
        }
    }
}

/// Drops the tests that rustc's errors and warnings point at, and gives how many tests changed. A
/// test that only uses something deprecated is marked and stays, because deprecated items are still
/// public.
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
        let mut blamed = Blamed::default();
        for diagnostic in run.errors.iter().chain(&run.warnings) {
            blamed.add(diagnostic, &places, &draft.cases);
        }
        let Blamed { guilty, deprecated } = blamed;
        let alone = |it: &(&usize, &String)| draft.cases[*it.0].parts.is_empty();
        let is_counted = draft.released.is_none();
        for (_, reason) in guilty.iter().filter(alone).filter(|_| is_counted) {
            let line = reason.lines().next().unwrap_or_default();
            drops.add("test", format!("does not compile cleanly: {line}"), 1);
        }
        let refused = guilty.iter();
        let refused = refused.map(|(case, why)| (draft.cases[*case].clone(), why.clone()));
        draft.refused.extend(refused);
        for case in &deprecated {
            draft.cases[*case].deprecated = true;
        }
        n_changed += guilty.len() + deprecated.len();
        remove(draft, &guilty.keys().copied().collect());
    }
    n_changed
}

/// Removes cases. Of one that was joined of several its parts stay, since not all of them need be at
/// fault; those that are are removed in the next round.
fn remove(draft: &mut Draft<'_>, guilty: &BTreeSet<usize>) {
    let cases = std::mem::take(&mut draft.cases).into_iter().enumerate();
    draft.cases = cases
        .flat_map(|(i, case)| match guilty.contains(&i) {
            true => case.parts,
            false => vec![case],
        })
        .collect();
    if let Some(deaths) = &mut draft.failures {
        let mut i = 0;
        deaths.retain(|_| {
            i += 1;
            !guilty.contains(&(i - 1))
        });
    }
}

/// How many times a failure must happen again.
const CONFIRMATIONS: usize = 3;

/// The failures, but those that are `known`, that do not happen again, when each test runs in a process of its own.
fn unconfirmed(
    cells: &[Cell],
    binary: &Path,
    file: &TestFile,
    deaths: &[Option<Death>],
    known: &BTreeSet<usize>,
) -> Result<BTreeSet<usize>, VetError> {
    let tests = file.tests.iter().filter(|it| !known.contains(&it.case));
    let tests: Vec<&EmittedTest> = tests.collect();
    let runs = each_of_all(cells, &tests, |cell, test| {
        let args = ["--ignored", "--exact", &test.name];
        run_tests(cell, binary, &args, Inmate::Suspect, SUSPECT_SECONDS)
    })?;
    let mut guilty = BTreeSet::new();
    for (test, run) in tests.iter().zip(&runs) {
        let failed = run.failed.contains_key(&test.name);
        let happened = match (deaths[test.case], &run.end) {
            (None, _) => run.complete && failed,
            (Some(Death::TimedOut | Death::OutOfFuel), end) => *end == End::Late,
            (Some(Death::Exit(code)), end) => *end == End::Code(code) && !run.complete,
            (Some(Death::Abort), end) => *end == End::Signal(SIGABRT),
            (Some(Death::Signal(signal)), end) => *end == End::Signal(signal),
            // The standard library's handler prints a message and aborts.
            (Some(Death::StackOverflow), end) => {
                matches!(end, End::Signal(SIGABRT | SIGSEGV))
            }
            (Some(Death::OutOfMemory), end) => matches!(end, End::Signal(_) | End::Late) || failed,
        };
        if !happened {
            guilty.insert(test.case);
        }
    }
    Ok(guilty)
}

const SIGABRT: i32 = 6;
const SIGSEGV: i32 = 11;

/// Weakens, guards or drops the tests that failed, and gives how many there were.
fn repair(
    draft: &mut Draft<'_>,
    file: &TestFile,
    failed: &BTreeMap<String, String>,
    build: Build,
    drops: &mut Drops,
    log: &mut String,
) -> usize {
    let (of_assertion, of_test) = match build {
        Build::Debug => ("does not hold in every run", "does not pass in every run"),
        Build::Release => (
            "does not hold in release builds, or elsewhere",
            "does not pass in release builds, or elsewhere",
        ),
    };
    let mut dropped = BTreeSet::new();
    let mut n_bad = 0;
    let mut weakened: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for test in &file.tests {
        let Some(output) = failed.get(&test.name) else {
            continue;
        };
        n_bad += 1;
        let _ = writeln!(log, "{}\n{output}\n", file.lines_of(test));
        if let (Build::Release, TestKind::ShouldPanic { only_checked, .. }) =
            (build, &mut draft.cases[test.case].kind)
            && !*only_checked
        {
            *only_checked = true;
            continue;
        }
        let check = failing_check(output, &file_of(draft.name, file, test), file, test);
        let n_left = draft.cases[test.case].checks.len();
        match check {
            // The rows of a table have the same assertions, so it is taken apart.
            Some(check) if n_left > 1 && draft.cases[test.case].acts.len() < 2 => {
                weakened.entry(test.case).or_default().insert(check);
                drops.add("assertion", of_assertion, 1);
            }
            _ => {
                dropped.insert(test.case);
                // Its parts are tried again, each by itself.
                if draft.cases[test.case].parts.is_empty() {
                    drops.add("test", of_test, 1);
                }
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
    n_bad
}

/// The check whose assertion failed, if the output says so. A panic after an assertion's end is none
/// of that assertion's.
fn failing_check(output: &str, path: &str, file: &TestFile, test: &EmittedTest) -> Option<usize> {
    let line = failing_line(output, path)?;
    let mut before = test.assertion_lines.iter().rev();
    let (at, check) = before.find(|(first, _)| *first <= line)?;
    let mut between = file.text_of(test).lines().skip(*at as usize - 1);
    let n_before = (line - at) as usize;
    let ended = between.by_ref().take(n_before).any(|it| it.ends_with(';'));
    (!ended).then_some(*check)
}

/// Runs every test in a process of its own, the last test first, and gives the output of those that
/// fail.
fn alone(
    cells: &[Cell],
    binary: &Path,
    file: &TestFile,
    run: RunTests,
) -> Result<BTreeMap<String, String>, VetError> {
    let tests: Vec<&EmittedTest> = file.tests.iter().rev().collect();
    let runs = each_of_all(cells, &tests, |cell, test| {
        let args = ["--exact", &test.name];
        run(cell, binary, &args, Inmate::TestBinary, MAX_SECONDS)
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

/// The line of the test file at which the test panicked.
fn failing_line(output: &str, file: &str) -> Option<u32> {
    let marker = format!("{file}:");
    let at = output.find(&marker)? + marker.len();
    let digits: String = output[at..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}
