//! Tries the suite without its redundant tests in a twin of the workspace: it must compile, pass,
//! enter what the whole suite enters and kill what it kills. Tests that turn out to be needed are
//! put back.
//!
//! The user's files are written only after that, and only if none of them has changed since they
//! were read.

#![expect(
    clippy::disallowed_methods,
    reason = "it edits the files that tests stand in"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use testsmith_harness::{Copied, MutantId, RegionId};
use testsmith_project::{Change, NotWritten, Package, Run, ScratchError, write_together};
use testsmith_rig::{Fuel, LONGEST, Rig, Target, built};
use testsmith_suite::resealed;

use super::asking::{Asked, TestId, killers, list, record};
use super::edit::{SHARES_LINE, commented_out, has_lines_of_its_own, removed};
use super::judge::{Verdict, made_by};
use super::{Suite, Test};
use crate::error::CommandError;

/// The suite without its redundant tests, and what was found out about it.
pub(crate) struct Trial {
    pub(crate) verdict: Verdict,
    /// Tests that are redundant but stay, because they cannot be taken out or were put back, with
    /// the reason.
    pub(crate) kept: BTreeMap<usize, String>,
    /// For each file, by its path in the package, its present text and the new one.
    pub(crate) edits: BTreeMap<PathBuf, (String, String)>,
    /// The regions that the remaining tests enter.
    pub(crate) regions: BTreeSet<RegionId>,
    /// How many mutants were asked about again, because a test that is taken out killed them.
    pub(crate) n_rerun: usize,
    /// The mutants that the remaining tests kill.
    pub(crate) killed: BTreeSet<MutantId>,
    /// How many seconds the suite takes as the user runs it, before and after.
    pub(crate) seconds: Option<(f64, f64)>,
    /// Compiler warnings that were not there before.
    pub(crate) warnings: Vec<String>,
    /// Why no file is to be changed, if that is so.
    pub(crate) refused: Option<String>,
}

/// How many times tests may be put back.
const MAX_ROUNDS: usize = 5;

/// Judges the tests, edits the twin, builds it and runs it, again and again until nothing is lost.
pub(crate) fn trial(rig: &Rig, copied: &Copied, suite: &Suite) -> Result<Trial, CommandError> {
    let originals = originals(rig, &suite.tests)?;
    let mut kept = unremovable(&suite.tests, &originals);
    let mut plain: Option<Plain> = None;
    let mut refused = None;
    for _ in 0..MAX_ROUNDS {
        let verdict = suite.judge(&kept.keys().copied().collect());
        let mut trial = Trial {
            edits: edits(suite, &verdict, &originals),
            kept: kept.clone(),
            regions: suite.regions(),
            n_rerun: 0,
            killed: suite.killed.clone(),
            seconds: None,
            warnings: Vec::new(),
            refused: None,
            verdict,
        };
        if trial.edits.is_empty() {
            return Ok(trial);
        }
        let before = match plain.take() {
            Some(before) => before,
            None => Plain::of(rig, built(rig.build_plain()?)?)?,
        };
        for (file, (_, text)) in &trial.edits {
            rig.twin.write(file, text)?;
        }
        let back = attempt(rig, copied, suite, &before, &mut trial);
        // The next round begins with the user's present text.
        for (file, (text, _)) in &trial.edits {
            rig.twin.write(file, text)?;
        }
        let back = back?;
        if back.is_empty() {
            return Ok(trial);
        }
        plain = Some(before);
        let reasons: BTreeSet<&String> = back.values().collect();
        let reasons: Vec<&str> = reasons.into_iter().map(String::as_str).collect();
        refused = Some(reasons.join("; "));
        kept.extend(back);
    }
    let all = suite.judge(&BTreeSet::new()).redundant;
    let why = refused.unwrap_or_default();
    kept.extend(all.into_iter().map(|i| (i, why.clone())));
    Ok(Trial {
        verdict: suite.judge(&kept.keys().copied().collect()),
        kept,
        edits: BTreeMap::new(),
        regions: suite.regions(),
        n_rerun: 0,
        killed: suite.killed.clone(),
        seconds: None,
        warnings: Vec::new(),
        refused: Some(why),
    })
}

/// Builds and runs the edited twin, and says which tests must be put back and why.
fn attempt(
    rig: &Rig,
    copied: &Copied,
    suite: &Suite,
    before: &Plain,
    trial: &mut Trial,
) -> Result<BTreeMap<usize, String>, CommandError> {
    let gone = trial.verdict.redundant.clone();
    let all = |why: String| Ok(gone.iter().map(|i| (*i, why.clone())).collect());
    let run = rig.build_plain()?;
    if !run.success {
        return Ok(blamed(suite, &gone, &run));
    }
    let known: BTreeSet<&String> = before.warnings.iter().collect();
    let warnings = run.warnings.iter().map(|it| it.message.clone());
    trial.warnings = warnings.filter(|it| !known.contains(it)).collect();
    trial.warnings.retain(|it| !is_summary(it));
    let after = Plain::of(rig, run)?;
    if let Some(test) = after.failed.difference(&before.failed).next() {
        return all(format!("{test} fails without it"));
    }
    trial.seconds = Some((before.seconds, after.seconds));

    let targets = rig.targets(&rig.build_on_copy(copied)?, &rig.twin.package);
    let staying: Vec<usize> = (0..suite.tests.len())
        .filter(|i| suite.observed[*i].passes && !gone.contains(i))
        .collect();
    let Some(ids) = found_again(rig, suite, &targets, &staying)? else {
        return all("other tests are gone without it, too".to_owned());
    };
    let recorded = record(
        rig,
        &targets,
        &ids.iter().collect::<Vec<_>>(),
        Fuel::Endless,
    )?;
    trial.regions = recorded.iter().flat_map(|it| it.regions.clone()).collect();
    let mut back = BTreeMap::new();
    for region in suite.regions().difference(&trial.regions) {
        let Some(at) = copied.region(*region) else {
            continue;
        };
        let (file, line) = (at.file.display(), at.line);
        let why = format!("{file}:{line} is not entered without it");
        let entering = gone.iter();
        let entering = entering.filter(|i| suite.observed[**i].regions.contains(region));
        back.extend(entering.map(|i| (*i, why.clone())));
    }

    let rerun: BTreeSet<MutantId> = gone
        .iter()
        .flat_map(|i| suite.observed[*i].kills.iter().copied())
        .collect();
    let rerun: Vec<MutantId> = rerun.into_iter().collect();
    trial.n_rerun = rerun.len();
    let by_index: BTreeMap<usize, &TestId> = staying.iter().copied().zip(&ids).collect();
    let killers = rig.each_of_all(&rerun, &mut |_| {}, |cell, mutant| {
        let meeting = suite.meeting(copied, *mutant).into_iter();
        let tests: Vec<Asked<'_>> = meeting
            .filter_map(|i| Some(suite.asked(i, by_index.get(&i)?)))
            .collect();
        killers(rig, cell, &targets, &tests, *mutant, false)
    })?;
    for (mutant, killers) in rerun.iter().zip(killers) {
        if killers.is_empty() {
            trial.killed.remove(mutant);
            let name = &copied.mutant(*mutant).name;
            let why = format!("no other kills {name}");
            let killing = gone.iter();
            let killing = killing.filter(|i| suite.observed[**i].kills.contains(mutant));
            back.extend(killing.map(|i| (*i, why.clone())));
        }
    }
    Ok(back)
}

/// The remaining tests as the edited suite lists them; `None` if some of them are missing.
fn found_again(
    rig: &Rig,
    suite: &Suite,
    targets: &[Target],
    staying: &[usize],
) -> Result<Option<Vec<TestId>>, CommandError> {
    let listed = list(rig, targets)?.tests;
    let find = |i: &usize| {
        let id = &suite.tests[*i].id;
        let target = &suite.targets[id.target].name;
        let found = listed
            .iter()
            .find(|it| it.name == id.name && targets[it.target].name == *target);
        found.cloned()
    };
    Ok(staying.iter().map(find).collect())
}

/// How the suite does when it is run as the user runs it.
struct Plain {
    failed: BTreeSet<String>,
    seconds: f64,
    warnings: Vec<String>,
}

impl Plain {
    fn of(rig: &Rig, run: Run) -> Result<Plain, CommandError> {
        let warnings = run.warnings.iter().map(|it| it.message.clone()).collect();
        let targets = rig.targets(&run, &rig.twin.package);
        // The first run is not timed, because it reads the binaries from the disk.
        let mut failed = rig.run_whole(&targets, None, LONGEST)?.said();
        let start = Instant::now();
        failed.extend(rig.run_whole(&targets, None, LONGEST)?.said());
        Ok(Plain {
            failed,
            seconds: start.elapsed().as_secs_f64(),
            warnings,
        })
    }
}

/// Is it a summary like `3 warnings emitted`?
fn is_summary(message: &str) -> bool {
    message.ends_with(" emitted")
}

/// The tests that errors are blamed on: those in the files with errors, or all of them if no such
/// file has one.
fn blamed(suite: &Suite, gone: &BTreeSet<usize>, run: &Run) -> BTreeMap<usize, String> {
    let said = run.errors.first().map_or("", |it| it.message.as_str());
    let why = format!("without it the tests do not compile: {said}");
    let spans = || run.errors.iter().flat_map(|it| &it.spans);
    let is_guilty = |i: &&usize| {
        let file = suite.tests[**i].source.as_ref().map(|it| &it.file);
        file.is_some_and(|file| spans().any(|it| Path::new(&it.file).ends_with(file)))
    };
    let mut guilty: Vec<&usize> = gone.iter().filter(is_guilty).collect();
    if guilty.is_empty() {
        guilty = gone.iter().collect();
    }
    guilty.into_iter().map(|i| (*i, why.clone())).collect()
}

/// The texts of all files with tests.
fn originals(rig: &Rig, tests: &[Test]) -> Result<BTreeMap<PathBuf, String>, CommandError> {
    let mut originals = BTreeMap::new();
    for source in tests.iter().filter_map(|it| it.source.as_ref()) {
        if !originals.contains_key(&source.file) {
            let path = rig.twin.package.join(&source.file);
            let text =
                fs::read_to_string(&path).map_err(|source| ScratchError::Write { path, source })?;
            originals.insert(source.file.clone(), text);
        }
    }
    Ok(originals)
}

/// Tests that cannot be taken out, because they share lines with other code.
fn unremovable(tests: &[Test], originals: &BTreeMap<PathBuf, String>) -> BTreeMap<usize, String> {
    let is_shared = |test: &Test| {
        let source = test.source.as_ref()?;
        let text = originals.get(&source.file)?;
        (!has_lines_of_its_own(text, &source.range)).then_some(())
    };
    let tests = tests.iter().enumerate();
    tests
        .filter(|(_, test)| is_shared(test).is_some())
        .map(|(i, _)| (i, SHARES_LINE.to_owned()))
        .collect()
}

/// The present and the new text of each file that has tests to take out.
fn edits(
    suite: &Suite,
    verdict: &Verdict,
    originals: &BTreeMap<PathBuf, String>,
) -> BTreeMap<PathBuf, (String, String)> {
    let mut by_file: BTreeMap<&PathBuf, Vec<usize>> = BTreeMap::new();
    for i in &verdict.redundant {
        if let Some(source) = &suite.tests[*i].source {
            by_file.entry(&source.file).or_default().push(*i);
        }
    }
    let edit = |(file, tests): (&PathBuf, Vec<usize>)| {
        let text = originals.get(file)?;
        let range = |i: &usize| suite.tests[*i].source.as_ref().map(|it| it.range.clone());
        let new = match suite.tests[*tests.first()?].is_ours {
            true => {
                let ranges: Vec<_> = tests.iter().filter_map(range).collect();
                resealed(text, |text| removed(text, &ranges))
            }
            false => {
                let part = |i: &usize| Some((range(i)?, why(suite, verdict, *i)));
                let parts: Vec<_> = tests.iter().filter_map(part).collect();
                commented_out(text, &parts)
            }
        };
        Some((file.clone(), (text.clone(), new)))
    };
    by_file.into_iter().filter_map(edit).collect()
}

/// The line that is put above a test that is commented out.
fn why(suite: &Suite, verdict: &Verdict, test: usize) -> String {
    let by = made_by(&suite.observed, test, &verdict.redundant);
    let target = suite.tests[test].id.target;
    let name = |i: usize| match suite.tests[i].id.target == target {
        true => suite.tests[i].id.name.clone(),
        false => suite.tests[i].shown.clone(),
    };
    let by: Vec<String> = by.into_iter().map(name).collect();
    format!(
        "testsmith: redundant, makes no call that these do not make: {}",
        by.join(", ")
    )
}

/// Writes the user's files, each in one step; none of them if one has changed since it was read.
pub(crate) fn write(package: &Package, trial: &Trial) -> Result<(), CommandError> {
    for (file, (old, _)) in &trial.edits {
        let path = package.dir.join(file);
        let is_same = fs::read_to_string(&path).is_ok_and(|text| text == *old);
        if !is_same {
            return Err(CommandError::Changed { path });
        }
    }
    let changes = trial.edits.iter().map(|(file, (_, text))| Change {
        path: package.dir.join(file),
        text,
    });
    let changes: Vec<Change<'_>> = changes.collect();
    write_together(package, &changes)
        .map_err(|NotWritten { path, source }| CommandError::Write { path, source })
}
