//! Compiles and runs the suite that is there, in the scratch workspace.
//!
//! A test that does not compile any more is taken out, and the others are tried without it. A test
//! that fails is run again by itself: what passes then does not show a change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use testsmith_project::{Diagnostic, Inmate, Run};
use testsmith_rig::{TestRun, each_of_all, run_tests};

use super::changed::{Broke, broke};
use super::text::{StandingFile, Usual};
use super::{At, Standing};
use crate::vet::{MAX_SECONDS, SUSPECT_SECONDS, VetError, Vetting, compile, in_scratch};

/// Rounds of taking out what does not compile.
const MAX_ROUNDS: usize = 20;

/// What became of a test that is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It still passes; or it shows a failure and still fails.
    Holds,
    /// It fails now, or does not compile any more.
    Broken(Broke),
    /// It shows a failure, and passes now.
    Fixed,
    /// It fails in some runs only.
    Flickers,
}

/// What became of the suite that is there.
#[derive(Clone, Debug, Default)]
pub struct Fates {
    fates: BTreeMap<At, Fate>,
    /// The texts of the files that compile, in the order of the files.
    pub(crate) compiling: Vec<String>,
}

impl Fates {
    /// What became of a test.
    pub fn of(&self, at: At) -> &Fate {
        self.fates.get(&at).unwrap_or(&Fate::Holds)
    }

    /// The tests that ended like this.
    pub(crate) fn which(&self, is_it: impl Fn(&Fate) -> bool) -> BTreeSet<At> {
        let which = self.fates.iter().filter(|(_, fate)| is_it(fate));
        which.map(|(at, _)| *at).collect()
    }

    /// Tests that fail now, or do not compile any more.
    pub fn broken(&self) -> BTreeSet<At> {
        self.which(|fate| matches!(fate, Fate::Broken(_)))
    }
}

/// Tries the suite that is there.
pub(crate) fn fates(vetting: &Vetting<'_>, standing: &Standing) -> Result<Fates, VetError> {
    let mut fates = Fates::default();
    let Some(binary) = compiled(vetting, standing, &mut fates)? else {
        return Ok(fates);
    };
    let all = |usual: Usual| {
        let tests = standing.tests().filter(move |(_, test)| test.usual == usual);
        let tests = tests.filter(|(at, _)| !fates.fates.contains_key(at));
        tests.map(|(at, _)| (at, standing.full_name(at))).collect::<Vec<_>>()
    };
    let (passing, ignored) = (all(Usual::Passes), all(Usual::Ignored));
    let failed = match passing.is_empty() {
        true => Vec::new(),
        false => failing(vetting, &binary, &passing)?,
    };
    for (at, run) in failed {
        let name = standing.full_name(at);
        let again = alone(vetting, &binary, &[(at, name.clone())], &[])?;
        let fate = match again.first().is_some_and(|(_, run)| is_failed(run, &name)) {
            true => Fate::Broken(broke(standing, at, &run, &name)),
            false => Fate::Flickers,
        };
        fates.fates.insert(at, fate);
    }
    for (at, run) in alone(vetting, &binary, &ignored, &["--ignored"])? {
        if run.complete && !is_failed(&run, &standing.full_name(at)) {
            fates.fates.insert(at, Fate::Fixed);
        }
    }
    Ok(fates)
}

/// Tests that fail, with the run that showed it.
fn failing(
    vetting: &Vetting<'_>,
    binary: &Path,
    tests: &[(At, String)],
) -> Result<Vec<(At, TestRun)>, VetError> {
    let args = ["--test-threads", "2"];
    let cell = &vetting.cells[0];
    let whole = run_tests(cell, binary, &args, Inmate::TestBinary, MAX_SECONDS)?;
    // A test that ends the process leaves nothing to know of the others.
    let suspects: Vec<(At, String)> = tests
        .iter()
        .filter(|(_, name)| !whole.complete || whole.failed.contains_key(name))
        .cloned()
        .collect();
    let runs = alone(vetting, binary, &suspects, &[])?.into_iter();
    let named = suspects.iter().map(|(_, name)| name);
    let failed = runs.zip(named).filter(|((_, run), name)| {
        is_failed(run, name) || whole.complete && whole.failed.contains_key(*name)
    });
    Ok(failed.map(|(run, _)| run).collect())
}

/// Runs each test in a process of its own.
fn alone(
    vetting: &Vetting<'_>,
    binary: &Path,
    tests: &[(At, String)],
    more: &[&str],
) -> Result<Vec<(At, TestRun)>, VetError> {
    let seconds = match more.is_empty() {
        true => MAX_SECONDS,
        false => SUSPECT_SECONDS,
    };
    let tests: Vec<&(At, String)> = tests.iter().collect();
    let runs = each_of_all(vetting.cells, &tests, |cell, (_, name)| {
        let args = [&["--exact", name], more].concat();
        run_tests(cell, binary, &args, Inmate::Suspect, seconds)
    })?;
    Ok(tests.into_iter().map(|(at, _)| *at).zip(runs).collect())
}

fn is_failed(run: &TestRun, name: &str) -> bool {
    !run.complete || run.failed.contains_key(name)
}

/// Compiles the suite, without tests that do not compile. None if nothing is left.
fn compiled(
    vetting: &Vetting<'_>,
    standing: &Standing,
    fates: &mut Fates,
) -> Result<Option<std::path::PathBuf>, VetError> {
    vetting.prepare(&[standing.name])?;
    fates.compiling = standing.files.iter().map(|it| it.text.clone()).collect();
    for _ in 0..MAX_ROUNDS {
        for (file, text) in standing.files.iter().zip(&fates.compiling) {
            let text = in_scratch(vetting.scratch, vetting.module, text);
            vetting.scratch.write(&place(standing, file), &text)?;
        }
        let run = compile(vetting.scratch, &vetting.scratch.feature_flags())?;
        if run.success {
            let mut binaries = run.executables.into_iter();
            return Ok(binaries.find(|(name, _)| name == standing.name).map(|it| it.1));
        }
        if !take_out(standing, &run, fates) {
            return Err(crate::vet::unexplained(run));
        }
    }
    Err(VetError::Unexplained(
        "the suite that is there does not compile, whatever is left out".to_owned(),
    ))
}

/// The path of a file in the scratch workspace.
fn place(standing: &Standing, file: &StandingFile) -> String {
    let path = file.path.strip_prefix(&standing.dir).unwrap_or(&file.path);
    format!("suite/tests/{}", path.display())
}

/// Takes out what the errors point at, and says whether that is anything.
fn take_out(standing: &Standing, run: &Run, fates: &mut Fates) -> bool {
    let n_before = fates.fates.len();
    let texts = fates.compiling.clone();
    for error in &run.errors {
        for span in error.spans.iter().filter(|it| it.primary) {
            let mut files = standing.files.iter();
            let Some(i) = files.position(|it| span.file.ends_with(&place(standing, it))) else {
                continue;
            };
            let line = span.line as usize - 1;
            let file = &standing.files[i];
            let inside = file.tests.iter().position(|it| it.lines.contains(&line));
            match inside {
                Some(test) => refuse(fates, At { file: i, test }, error),
                None => refuse_import(fates, file, i, &texts[i], span.bytes.clone(), error),
            }
        }
    }
    for (i, file) in standing.files.iter().enumerate() {
        let is_out = |test: usize| fates.fates.contains_key(&At { file: i, test });
        let mut lines: Vec<String> = fates.compiling[i].lines().map(str::to_owned).collect();
        for (_, test) in file.tests.iter().enumerate().filter(|(j, _)| is_out(*j)) {
            lines[test.lines.clone()].fill(String::new());
        }
        fates.compiling[i] = lines.join("\n") + "\n";
    }
    fates.fates.len() > n_before || fates.compiling != texts
}

fn refuse(fates: &mut Fates, at: At, error: &Diagnostic) {
    let message = match &*error.code {
        "" => error.message.clone(),
        code => format!("{} ({code})", error.message),
    };
    let fate = Fate::Broken(Broke::Compiling { message });
    fates.fates.entry(at).or_insert(fate);
}

/// Refuses all tests that mention what cannot be imported, and takes it out of the imports.
fn refuse_import(
    fates: &mut Fates,
    file: &StandingFile,
    i: usize,
    text: &str,
    bytes: std::ops::Range<usize>,
    error: &Diagnostic,
) {
    let Some(name) = text.get(bytes.clone()).filter(|it| !it.contains('\n')) else {
        return;
    };
    let last = name.rsplit("::").next().unwrap_or(name);
    let is_word = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == last)
    };
    for (test, _) in file.tests.iter().enumerate().filter(|(_, it)| is_word(&it.text)) {
        refuse(fates, At { file: i, test }, error);
    }
    let line_start = text[..bytes.start].rfind('\n').map_or(0, |it| it + 1);
    let line = &text[line_start..];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    let without = match line.contains('{') {
        true => {
            let (head, tail) = (&text[line_start..bytes.start], &text[bytes.end..]);
            let tail = &tail[..tail.find('\n').unwrap_or(tail.len())];
            format!("{head}{}", tail.strip_prefix(", ").unwrap_or(tail)).replace(", }", "}")
        }
        false => String::new(),
    };
    let compiling = &mut fates.compiling[i];
    *compiling = compiling.replacen(line, &without, 1);
}
