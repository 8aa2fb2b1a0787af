//! Turns chosen cases into checked files in the user's tree.

use std::io;
use std::path::{Path, PathBuf};

use testsmith_emit::{EmittedTest, TestCase, TestFile, TestKind, Worth};
use testsmith_equip::{Target, Watch};
use testsmith_explore::Cause;
use testsmith_project::{Package, check_writable};
use testsmith_protocol::Death;
use testsmith_record::{
    Drops, FailureKind, FailureReport, FileReport, FileStatus, ModuleReport, TestReport,
};
use testsmith_rig::Cell;
use testsmith_sequence::World;

use crate::error::SuiteError;
use crate::failing::{self, Finding};
use crate::path;
use crate::printer::Printer;
use crate::settings::Writing;
use crate::split;
use crate::verdict::{Verdict, broken, is_unchecked_in_release};
use crate::vet::{Draft, VetError, Vetting};
use crate::write::modules::Layout;
use crate::write::{is_registered, register};

/// The names of the test files: one for tests that pass, one for tests that fail.
#[derive(Clone, Copy)]
struct Names {
    regression: &'static str,
    failures: &'static str,
    /// What the tests of the first file are about.
    about: &'static str,
}

impl Names {
    fn of(writing: &Writing) -> Names {
        match writing.augments {
            false => Names {
                regression: "testsmith_regression",
                failures: "testsmith_failures",
                about: "Regression tests",
            },
            // Tests that add to a suite go to another file, so that they do not replace the suite.
            true => Names {
                regression: "testsmith_augmented",
                failures: "testsmith_augmented_failures",
                about: "Tests that the suite lacks: its states with its arguments in new combinations,",
            },
        }
    }
}

/// The vetted suite.
pub struct Suite {
    names: Names,
    regression: TestFile,
    regression_cases: Vec<TestCase>,
    failures: TestFile,
    failure_cases: Vec<TestCase>,
    unconfirmed: Vec<TestCase>,
}

/// A file that was written.
pub struct WrittenFile {
    /// Its name, without directory or ending.
    name: &'static str,
    /// The file as the record has it. Its modules are those of the printed file, in order, and then
    /// modules of earlier runs that stay.
    pub report: FileReport,
}

impl WrittenFile {
    /// The full name of a test as it was written, and the path of its file.
    fn place(&self, test: &EmittedTest) -> (String, &str) {
        match test.module.map(|i| &self.report.modules[i]) {
            Some(module) => {
                let (_, own) = test.name.split_once("::").unwrap_or(("", &test.name));
                (format!("{}::{own}", module.name), &module.path)
            }
            None => (test.name.clone(), &self.report.path),
        }
    }
}

/// Failures as test cases.
#[derive(Default)]
struct Failing {
    cases: Vec<TestCase>,
    /// How each case ends its process, if it does.
    deaths: Vec<Option<Death>>,
    /// Cases that panic as documented, and so pass.
    passing: Vec<TestCase>,
}

impl Failing {
    fn of(world: &World, findings: &[Finding], drops: &mut Drops) -> Failing {
        let mut failing = Failing::default();
        for finding in findings {
            // If the caller broke a precondition, there is no failure to look at. The record has it
            // all the same.
            if finding.judged.verdict == Verdict::Precondition {
                continue;
            }
            let is_documented = finding.judged.verdict == Verdict::Documented;
            if is_documented && is_unchecked_in_release(&finding.failure) {
                let reason = "its documented panic is arithmetic that overflows: builds without \
                              overflow checks go on with a wrong number";
                drops.add("test", reason, 1);
                continue;
            }
            let case = failing::case(world, finding);
            match case.kind {
                TestKind::Failure { .. } => {
                    failing.cases.push(case);
                    failing.deaths.push(match finding.failure.cause {
                        Cause::Panic { .. } => None,
                        Cause::Death(death) => Some(death),
                    });
                }
                _ => failing.passing.push(case),
            }
        }
        failing
    }
}

/// Checks and writes the suite of a package.
pub struct Writer<'w> {
    /// What is written, and where.
    pub writing: &'w Writing,
    /// The package.
    pub target: &'w Target,
    /// The operations that its tests call.
    pub world: &'w World,
    /// Are tests run behind walls?
    pub is_sandboxed: bool,
    /// Did exploration end early? Then the run adds to modules of earlier runs and removes no file,
    /// because it has not seen enough to know that a file is no longer needed.
    pub is_partial: bool,
}

impl<'w> Writer<'w> {
    /// A printer for the file with this name.
    fn printer(&self, name: &str) -> Printer<'w> {
        let package = &self.target.package;
        let names = Names::of(self.writing);
        let what = match name == names.failures {
            true => "Failures found",
            false => names.about,
        };
        let about = format!("{what} of {} {}.", package.name, package.version);
        let dir = Destination::of(self.writing, package).dir;
        Printer::new(self.target, self.world, &dir, about)
    }

    /// Prints, compiles and runs the tests until they are clean.
    pub fn vet(
        &self,
        failures: &[Finding],
        mut regressions: Vec<TestCase>,
        drops: &mut Drops,
    ) -> Result<Suite, VetError> {
        let Writer { target, world, .. } = *self;
        let dir = Destination::of(self.writing, &target.package).dir;
        let names = Names::of(self.writing);
        let of_regression = self.printer(names.regression);
        let of_failures = self.printer(names.failures);
        // If module files of earlier runs stay, the root must declare modules, so this run's tests
        // must be in modules too.
        let must_split = Layout::new(&dir, names.regression, &[], self.is_partial)
            .is_ok_and(|layout| !layout.staying.is_empty());
        let makers = target.scratch.makers().map(|it| &*it.name);
        let print_regression =
            |cases: &[TestCase]| match split::modules(world, cases, makers, must_split) {
                Some(modules) => of_regression.print_modules(cases, &modules, names.regression),
                None => of_regression.print(cases),
            };
        let print_failures = |cases: &[TestCase]| of_failures.print(cases);
        let failing = Failing::of(world, failures, drops);
        regressions.extend(failing.passing);
        let n_wide: usize = regressions
            .iter_mut()
            .map(|it| of_regression.narrow(it))
            .sum();
        let reason = "only 64 bits give its number, and the test shows more";
        drops.add("assertion", reason, n_wide as u64);
        let mut drafts = [
            Draft {
                name: names.regression,
                cases: regressions,
                print: &print_regression,
                failures: None,
                unconfirmed: Vec::new(),
            },
            Draft {
                name: names.failures,
                cases: failing.cases,
                print: &print_failures,
                failures: Some(failing.deaths),
                unconfirmed: Vec::new(),
            },
        ];
        let vetting = Vetting {
            scratch: &target.scratch,
            cells: &Cell::several(&target.scratch, self.is_sandboxed)?,
            edition: &target.package.edition,
            module: of_regression.makers(),
            in_release: true,
        };
        let files = vetting.vet(&mut drafts, drops)?;
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
            for condition in file.tests.iter().filter_map(|it| it.condition.as_ref()) {
                let reason = format!("not sure to hold but with `{condition}`: left out elsewhere");
                drops.add("test elsewhere", reason, 1);
            }
        }
        Ok(Suite {
            names,
            regression_cases: regression_draft.cases,
            failure_cases: failure_draft.cases,
            unconfirmed: failure_draft.unconfirmed,
            regression,
            failures,
        })
    }
}

/// The directory of the test files.
struct Destination {
    dir: PathBuf,
    /// Is it the package's `tests`, where cargo looks?
    is_tests: bool,
}

impl Destination {
    fn of(writing: &Writing, package: &Package) -> Destination {
        let tests = package.dir.join("tests");
        let Some(out) = &writing.out else {
            return Destination {
                dir: tests,
                is_tests: true,
            };
        };
        let dir = std::path::absolute(out).unwrap_or_else(|_| out.clone());
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let is_tests = real(&dir) == real(&tests);
        Destination { dir, is_tests }
    }
}

/// The path relative to the package, if it is inside.
fn relative(package: &Package, path: &Path) -> String {
    let path = path.strip_prefix(&package.dir).unwrap_or(path);
    path.display().to_string()
}

/// Can the files be written? This is asked before exploring, which takes long.
pub fn check_place(writing: &Writing, target: &Target) -> Result<(), SuiteError> {
    if writing.dry_run {
        return Ok(());
    }
    let path = Destination::of(writing, &target.package).dir;
    check_writable(&path).map_err(|source| SuiteError::Write { path, source })
}

impl Writer<'_> {
    /// Writes the files into the user's tree.
    pub fn write(
        &self,
        suite: &Suite,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<WrittenFile>, SuiteError> {
        let mut files = Vec::new();
        let names = suite.names;
        for (name, file) in [
            (names.regression, &suite.regression),
            (names.failures, &suite.failures),
        ] {
            let dir = Destination::of(self.writing, &self.target.package).dir;
            let failed = |source| SuiteError::Write {
                path: dir.join(format!("{name}.rs")),
                source,
            };
            let layout = Layout::new(&dir, name, &file.modules, self.is_partial).map_err(failed)?;
            let is_empty = file.tests.is_empty();
            // A partial run does not remove the files of earlier runs.
            if is_empty && self.is_partial {
                continue;
            }
            self.say_what_goes(&layout, is_empty, watch);
            let report = match (self.writing.dry_run, is_empty && layout.staying.is_empty()) {
                (true, true) => continue,
                (false, true) => {
                    layout.remove().map_err(failed)?;
                    continue;
                }
                (true, false) => in_scratch(self.target, name, file),
                (false, false) => self.put(name, file, &layout, watch).map_err(failed)?,
            };
            files.push(WrittenFile { name, report });
        }
        Ok(files)
    }

    /// Tells the user which files of earlier runs are removed.
    fn say_what_goes(&self, layout: &Layout, is_empty: bool, watch: &mut Watch<'_>) {
        let package = &self.target.package;
        let removed = match self.writing.dry_run {
            true => "would remove",
            false => "removed",
        };
        let root = (is_empty && layout.staying.is_empty() && layout.has_root())
            .then(|| relative(package, &layout.root.path));
        let stale = match &layout.stale[..] {
            [] => None,
            [path] => Some(relative(package, path)),
            [path, ..] => {
                let dir = path.parent().unwrap_or(path);
                let names = layout.stale.iter().filter_map(|path| path.file_name());
                let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
                Some(format!(
                    "{} in {}",
                    names.join(", "),
                    relative(package, dir)
                ))
            }
        };
        for what in root.into_iter().chain(stale) {
            watch.note(format!("{removed} {what}: this run has nothing for it"));
        }
    }

    /// Writes a file and those of its modules, and finds out whether cargo sees it.
    fn put(
        &self,
        name: &str,
        file: &TestFile,
        layout: &Layout,
        watch: &mut Watch<'_>,
    ) -> io::Result<FileReport> {
        let package = &self.target.package;
        // Modules may get other names than those that were checked, if files of these names stay.
        let is_whole = file.tests.iter().any(|test| test.module.is_none());
        let root = match is_whole {
            true => file.text.clone(),
            false => {
                let declarations = layout.declarations(&file.modules);
                self.printer(name).root(&declarations, &layout.root.stem)
            }
        };
        let (status, statuses) = layout.carry_out(&root, &file.modules)?;
        self.say_what_is_kept(layout, watch);
        let seen = self.is_seen(layout, watch)?;
        let own = layout.modules.iter().zip(statuses);
        let own = own.map(|(spot, status)| (&spot.stem, &spot.path, status));
        let staying = layout.staying.iter();
        let staying = staying.map(|it| (&it.file.name, &it.path, FileStatus::Kept));
        let modules = own.chain(staying).map(|(name, path, status)| ModuleReport {
            name: name.clone(),
            path: relative(package, path),
            status,
        });
        Ok(FileReport {
            path: relative(package, &layout.root.path),
            status,
            seen,
            modules: modules.collect(),
        })
    }

    /// Tells the user which edited files are kept, and which files have the new tests instead.
    fn say_what_is_kept(&self, layout: &Layout, watch: &mut Watch<'_>) {
        let package = &self.target.package;
        for spot in std::iter::once(&layout.root).chain(&layout.modules) {
            if let Some(kept) = &spot.kept {
                watch.note(format!(
                    "{} was edited since testsmith wrote it and is kept; the new tests are in {}",
                    relative(package, kept),
                    relative(package, &spot.path),
                ));
            }
        }
        let is_replaced = |path: &PathBuf| {
            let mut spots = layout.modules.iter();
            spots.any(|spot| spot.kept.as_ref() == Some(path))
        };
        for staying in layout.staying.iter().filter(|it| it.edited) {
            if !is_replaced(&staying.path) {
                watch.note(format!(
                    "{} was edited since testsmith wrote it and is kept",
                    relative(package, &staying.path),
                ));
            }
        }
    }

    /// Does cargo find the file? If it does not, the manifest is amended where the user allows it.
    fn is_seen(&self, layout: &Layout, watch: &mut Watch<'_>) -> io::Result<bool> {
        let package = &self.target.package;
        let stem = &layout.root.stem;
        let shown = relative(package, &layout.root.path);
        let is_in_tests = Destination::of(self.writing, package).is_tests;
        if package.autotests && is_in_tests || is_registered(&package.manifest_path, stem) {
            return Ok(true);
        }
        if self.writing.register {
            register(&package.manifest_path, stem, &shown)?;
            watch.note(format!("added [[test]] {stem} to Cargo.toml"));
            return Ok(true);
        }
        let why = match is_in_tests {
            true => "the package has `autotests = false`",
            false => "it is not in the package's `tests` directory",
        };
        watch.note(format!(
            "cargo does not see {shown}, because {why}; --register adds it to Cargo.toml"
        ));
        Ok(false)
    }
}

/// The report of a file that was checked and is not written.
fn in_scratch(target: &Target, name: &str, file: &TestFile) -> FileReport {
    let path = |file: &str| {
        let checked = target.scratch.dir.join("suite/tests").join(file);
        relative(&target.package, &checked)
    };
    let modules = file.modules.iter().map(|module| ModuleReport {
        name: module.name.clone(),
        path: path(&format!("{name}/{}.rs", module.name)),
        status: FileStatus::DryRun,
    });
    FileReport {
        path: path(&format!("{name}.rs")),
        status: FileStatus::DryRun,
        seen: false,
        modules: modules.collect(),
    }
}

impl Suite {
    /// The cases that have a regression test.
    pub fn regressions(&self) -> impl Iterator<Item = &TestCase> {
        let written = self.regression.tests.iter();
        written.map(|test| &self.regression_cases[test.case])
    }

    /// The cases that have a failing test.
    pub fn failing(&self) -> impl Iterator<Item = &TestCase> {
        let written = self.failures.tests.iter();
        written.map(|test| &self.failure_cases[test.case])
    }

    /// What each regression test enters and kills.
    pub fn worth(&self) -> impl Iterator<Item = &Worth> {
        let written = self.regression.tests.iter();
        written.map(|test| &self.regression_cases[test.case].worth)
    }

    /// The regression tests that were written, by name.
    pub fn named_regressions<'s>(
        &'s self,
        files: &'s [WrittenFile],
    ) -> impl Iterator<Item = (String, &'s TestCase)> {
        let written = files
            .iter()
            .filter(|file| file.name == self.names.regression);
        written.flat_map(|file| {
            let tests = self.regression.tests.iter();
            tests.map(|test| (file.place(test).0, &self.regression_cases[test.case]))
        })
    }

    /// The tests as the record lists them.
    pub fn test_reports(&self, files: &[WrittenFile]) -> Vec<TestReport> {
        let mut reports = Vec::new();
        for (name, file, cases, kind) in [
            (
                self.names.regression,
                &self.regression,
                &self.regression_cases,
                testsmith_record::TestKind::Regression,
            ),
            (
                self.names.failures,
                &self.failures,
                &self.failure_cases,
                testsmith_record::TestKind::Failure,
            ),
        ] {
            let Some(written) = files.iter().find(|f| f.name == name) else {
                continue;
            };
            for test in &file.tests {
                let panics = !matches!(cases[test.case].kind, TestKind::Regression);
                let (name, path) = written.place(test);
                reports.push(TestReport {
                    name,
                    file: path.to_owned(),
                    kind,
                    n_calls: test.n_calls,
                    n_assertions: test.n_assertions.max(u32::from(panics)),
                    kills: cases[test.case].worth.kills.len(),
                    line: test.first_line,
                    condition: test.condition.clone(),
                    text: file.lines_of(test),
                });
            }
        }
        reports
    }

    /// The failures as the record lists them.
    pub fn failure_reports(
        &self,
        world: &World,
        findings: &[Finding],
        files: &[WrittenFile],
    ) -> Vec<FailureReport> {
        let shown_by = |sequence: &testsmith_sequence::Sequence, verdict: Verdict| {
            let (name, file, cases) = match verdict {
                Verdict::Documented => (
                    self.names.regression,
                    &self.regression,
                    &self.regression_cases,
                ),
                _ => (self.names.failures, &self.failures, &self.failure_cases),
            };
            let test = file
                .tests
                .iter()
                .find(|test| cases[test.case].sequence == *sequence)?;
            let written = files.iter().find(|it| it.name == name)?;
            Some((written.place(test).0, file.lines_of(test)))
        };
        // A failure that does not happen again in a plain test is not the crate's.
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
                    words: _,
                } = finding;
                let place = match &failure.cause {
                    Cause::Panic { file, line } => path::relative(file).map(|f| (f, *line)),
                    Cause::Death(_) => None,
                };
                let (file, line) = place.unwrap_or_default();
                let (test, text) = shown_by(&failure.sequence, judged.verdict).unzip();
                FailureReport {
                    name: name.clone(),
                    kind: match broken(world, failure) {
                        Some(_) => FailureKind::Contract,
                        None => failing::kind(&failure.cause),
                    },
                    operation: world.catalogue.operation(failure.operation).key.to_string(),
                    message: failure.message.clone(),
                    file,
                    line,
                    verdict: judged.verdict.recorded(),
                    reason: judged.reason.clone(),
                    dropping: failure.dropping,
                    others: others.clone(),
                    test,
                    text,
                    program: testsmith_sequence::text(world, &failure.sequence),
                }
            })
            .collect()
    }
}
