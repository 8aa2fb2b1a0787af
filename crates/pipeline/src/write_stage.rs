//! From chosen cases to checked files in the user's tree.

use std::path::{Path, PathBuf};

use testsmith_emit::{EmitOptions, TestCase, TestFile, TestKind, Worth, emit};
use testsmith_explore::Cause;
use testsmith_project::{Package, check_writable, rustfmt};
use testsmith_sequence::World;

use crate::failing::{self, Finding};
use crate::learn::Learnt;
use crate::report::{Drops, FailureReport, FileReport, TestReport};
use crate::verdict::{Verdict, broken};
use crate::vet::{self, Cell, Draft, VetError};
use crate::write::{is_ours, is_registered, register, write as write_file};
use crate::{Config, Event, Events, PipelineError};

const REGRESSION: &str = "testsmith_regression";
const FAILURES: &str = "testsmith_failures";

/// The vetted suite.
pub(crate) struct Suite {
    regression: TestFile,
    regression_cases: Vec<TestCase>,
    failures: TestFile,
    failure_cases: Vec<TestCase>,
    unconfirmed: Vec<TestCase>,
}

/// A file that was written.
pub(crate) struct WrittenFile {
    /// Which of ours.
    name: &'static str,
    /// For the record.
    pub(crate) report: FileReport,
}

/// Prints, compiles and runs the tests until they are clean.
pub(crate) fn vet(
    learnt: &Learnt,
    world: &World,
    failures: &[Finding],
    regressions: Vec<TestCase>,
    config: &Config,
    drops: &mut Drops,
) -> Result<Suite, VetError> {
    let package = &learnt.package;
    let dir = Place::of(config, package).dir;
    let module = learnt.scratch.makers().map(|makers| {
        let file = seen_from(&dir, &makers.file);
        (makers.name.clone(), file)
    });
    let module = &module;
    let format = |text: &str| rustfmt(text, &package.edition, &package.dir);
    let header = |what: &str| {
        vec![
            format!("{what} of {} {}.", package.name, package.version),
            String::new(),
            format!("Written by testsmith {}.", env!("CARGO_PKG_VERSION")),
        ]
    };
    let print = |what: &'static str| {
        let header = header(what);
        let format = &format;
        move |cases: &[TestCase]| {
            let options = EmitOptions {
                header: header.clone(),
                condition: learnt.scratch.condition(),
                edition: package.edition.parse().unwrap_or(2021),
                module: module.clone(),
                format: Some(format),
            };
            emit(world, cases, &options)
        }
    };
    let mut regressions = regressions;
    let mut failing_cases = Vec::new();
    let mut deaths = Vec::new();
    for finding in failures {
        // What the caller could have known is no failure to look at; the record has it.
        if finding.judged.verdict == Verdict::Precondition {
            continue;
        }
        let case = failing::case(world, finding);
        match case.kind {
            TestKind::Failure { .. } => {
                failing_cases.push(case);
                deaths.push(match finding.failure.cause {
                    Cause::Panic { .. } => None,
                    Cause::Death(death) => Some(death),
                });
            }
            _ => regressions.push(case),
        }
    }
    let print_regression = print("Regression tests");
    let print_failures = print("Failures found");
    let mut drafts = [
        Draft {
            name: REGRESSION,
            cases: regressions,
            print: &print_regression,
            failures: None,
            unconfirmed: Vec::new(),
        },
        Draft {
            name: FAILURES,
            cases: failing_cases,
            print: &print_failures,
            failures: Some(deaths),
            unconfirmed: Vec::new(),
        },
    ];
    let cells = Cell::several(&learnt.scratch, config.sandbox)?;
    let files = vet::vet(
        &learnt.scratch,
        &cells,
        &package.edition,
        module.as_ref().map(|(_, file)| &**file),
        &mut drafts,
        drops,
    )?;
    let [regression_draft, failure_draft] = drafts;
    let mut files = files.into_iter();
    let (Some(regression), Some(failures)) = (files.next(), files.next()) else {
        unreachable!("vetting gives one file a draft");
    };
    for (file, cases) in [
        (&regression, &regression_draft.cases),
        (&failures, &failure_draft.cases),
    ] {
        let n_lost = cases.len() - file.tests.len();
        drops.add("test", "it has no text in Rust", n_lost as u64);
    }
    Ok(Suite {
        regression_cases: regression_draft.cases,
        failure_cases: failure_draft.cases,
        unconfirmed: failure_draft.unconfirmed,
        regression,
        failures,
    })
}

/// Where the test files go.
struct Place {
    dir: PathBuf,
    /// Is it the one directory that cargo looks into?
    is_tests: bool,
}

impl Place {
    fn of(config: &Config, package: &Package) -> Place {
        let tests = package.dir.join("tests");
        let Some(out) = &config.out else {
            return Place {
                dir: tests,
                is_tests: true,
            };
        };
        let dir = std::path::absolute(out).unwrap_or_else(|_| out.clone());
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let is_tests = real(&dir) == real(&tests);
        Place { dir, is_tests }
    }
}

/// The path of a file as a file in this directory writes it.
pub(crate) fn seen_from(dir: &Path, file: &Path) -> String {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    let common = dir
        .components()
        .zip(file.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = dir.components().skip(common).map(|_| "..".into());
    let down = file
        .components()
        .skip(common)
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = up.chain(down).collect();
    parts.join("/")
}

/// As people say it: relative to the package, if it is inside.
fn relative(package: &Package, path: &Path) -> String {
    let path = path.strip_prefix(&package.dir).unwrap_or(path);
    path.display().to_string()
}

/// Can the files be written? Asked early, for exploring takes long.
pub(crate) fn check(config: &Config, learnt: &Learnt) -> Result<(), PipelineError> {
    if config.dry_run {
        return Ok(());
    }
    let path = Place::of(config, &learnt.package).dir;
    check_writable(&path).map_err(|source| PipelineError::Write { path, source })
}

/// Writes the files into the user's tree. A partial run removes no file: it has not seen enough to
/// say that there is nothing for it.
pub(crate) fn write(
    config: &Config,
    learnt: &Learnt,
    suite: &Suite,
    is_partial: bool,
    events: Events<'_>,
) -> Result<Vec<WrittenFile>, PipelineError> {
    let package = &learnt.package;
    let place = Place::of(config, package);
    let mut files = Vec::new();
    for (name, file) in [(REGRESSION, &suite.regression), (FAILURES, &suite.failures)] {
        let path = place.dir.join(format!("{name}.rs"));
        let failed = |source| PipelineError::Write {
            path: path.clone(),
            source,
        };
        if file.tests.is_empty() {
            if is_ours(&path) && !is_partial {
                let removed = match config.dry_run {
                    true => "would remove",
                    false => "removed",
                };
                if !config.dry_run {
                    std::fs::remove_file(&path).map_err(failed)?;
                }
                events(Event::Note(format!(
                    "{removed} {}: this run has nothing for it",
                    relative(package, &path)
                )));
            }
            continue;
        }
        if config.dry_run {
            let checked = learnt.scratch.dir.join(format!("suite/tests/{name}.rs"));
            files.push(WrittenFile {
                name,
                report: FileReport {
                    path: relative(package, &checked),
                    status: "dry-run",
                    seen: false,
                },
            });
            continue;
        }
        let written = write_file(&place.dir, name, &file.text).map_err(failed)?;
        let shown = relative(package, &written.path);
        if let Some(kept) = &written.kept {
            events(Event::Note(format!(
                "{} was edited since testsmith wrote it and is kept; the new tests are in {shown}",
                relative(package, kept),
            )));
        }
        let stem = written.path.file_stem().unwrap_or_default();
        let stem = stem.to_string_lossy().into_owned();
        let mut is_seen =
            package.autotests && place.is_tests || is_registered(&package.manifest_path, &stem);
        if !is_seen && config.register {
            register(&package.manifest_path, &stem, &shown).map_err(failed)?;
            is_seen = true;
            events(Event::Note(format!("added [[test]] {stem} to Cargo.toml")));
        }
        if !is_seen {
            let why = match place.is_tests {
                true => "the package has `autotests = false`",
                false => "it is not in the package's `tests` directory",
            };
            events(Event::Note(format!(
                "cargo does not see {shown}, because {why}; --register adds it to Cargo.toml"
            )));
        }
        files.push(WrittenFile {
            name,
            report: FileReport {
                path: shown,
                status: written.status,
                seen: is_seen,
            },
        });
    }
    Ok(files)
}

impl Suite {
    /// The cases that have a regression test.
    pub(crate) fn regressions(&self) -> impl Iterator<Item = &TestCase> {
        let written = self.regression.tests.iter();
        written.map(|test| &self.regression_cases[test.case])
    }

    /// The cases that have a failing test.
    pub(crate) fn failing(&self) -> impl Iterator<Item = &TestCase> {
        let written = self.failures.tests.iter();
        written.map(|test| &self.failure_cases[test.case])
    }

    /// What the regression tests are good for, one by one.
    pub(crate) fn worth(&self) -> impl Iterator<Item = &Worth> {
        let written = self.regression.tests.iter();
        written.map(|test| &self.regression_cases[test.case].worth)
    }

    /// The tests as the record lists them.
    /// The regression tests by name.
    pub(crate) fn named_regressions(&self) -> impl Iterator<Item = (&str, &TestCase)> {
        let tests = self.regression.tests.iter();
        tests.map(|test| (&*test.name, &self.regression_cases[test.case]))
    }

    pub(crate) fn test_reports(&self, files: &[WrittenFile]) -> Vec<TestReport> {
        let mut reports = Vec::new();
        for (name, file, cases, kind) in [
            (
                REGRESSION,
                &self.regression,
                &self.regression_cases,
                "regression",
            ),
            (FAILURES, &self.failures, &self.failure_cases, "failure"),
        ] {
            let Some(written) = files.iter().find(|f| f.name == name) else {
                continue;
            };
            for test in &file.tests {
                let panics = !matches!(cases[test.case].kind, TestKind::Regression);
                reports.push(TestReport {
                    name: test.name.clone(),
                    file: written.report.path.clone(),
                    kind,
                    n_calls: test.n_calls,
                    n_assertions: test.n_assertions.max(u32::from(panics)),
                    kills: cases[test.case].worth.kills.len(),
                });
            }
        }
        reports
    }

    /// The failures as the record lists them.
    pub(crate) fn failure_reports(
        &self,
        world: &World,
        findings: &[Finding],
    ) -> Vec<FailureReport> {
        let shown_by = |sequence: &testsmith_sequence::Sequence, verdict: Verdict| {
            let (file, cases) = match verdict {
                Verdict::Documented => (&self.regression, &self.regression_cases),
                _ => (&self.failures, &self.failure_cases),
            };
            let test = file
                .tests
                .iter()
                .find(|test| cases[test.case].sequence == *sequence)?;
            Some(test.name.clone())
        };
        // What does not happen again in plain Rust is not the crate's failure.
        let is_confirmed = |finding: &&Finding| {
            let mut unconfirmed = self.unconfirmed.iter();
            !unconfirmed.any(|case| case.sequence == finding.failure.sequence)
        };
        findings
            .iter()
            .filter(is_confirmed)
            .map(|finding| {
                let Finding {
                    failure,
                    judged,
                    name,
                    others,
                } = finding;
                let place = match &failure.cause {
                    Cause::Panic { file, line } => failing::relative(file).map(|f| (f, *line)),
                    Cause::Death(_) => None,
                };
                let (file, line) = place.unwrap_or_default();
                FailureReport {
                    name: name.clone(),
                    kind: match broken(world, failure) {
                        Some(_) => "contract",
                        None => failing::kind(&failure.cause),
                    },
                    operation: world.catalogue.operation(failure.operation).key.to_string(),
                    message: failure.message.clone(),
                    file,
                    line,
                    verdict: judged.verdict.name(),
                    reason: judged.reason.clone(),
                    dropping: failure.dropping,
                    others: others.clone(),
                    test: shown_by(&failure.sequence, judged.verdict),
                    program: testsmith_sequence::text(world, &failure.sequence),
                }
            })
            .collect()
    }
}
