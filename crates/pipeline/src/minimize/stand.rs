//! Own tests of a package, built in a twin of its workspace and run one by one behind the walls: what
//! each calls, what it enters, and which mutants make it fail.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use testsmith_equip::EquipError;
use testsmith_harness::{Copied, Instrument};
use testsmith_project::{Inmate, Run, Scratch, ScratchError, Twin};

use super::judge::Execution;
use crate::PipelineError;
use crate::recording::{FULL, read_one};
use crate::verify::{built, run};
use crate::vet::{Cell, TestRun, confined, each_in};

/// Where tests are built and run.
pub(crate) struct Stand<'s> {
    pub(crate) twin: Twin,
    instrument: &'s Instrument,
    cells: Vec<Cell>,
    copy: PathBuf,
    cancel: &'s AtomicBool,
}

/// The test binaries of the package.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The kind and the name.
    pub(crate) name: String,
    pub(crate) binary: PathBuf,
    /// Its root file, relative to the package.
    pub(crate) root: PathBuf,
}

impl Target {
    pub(crate) fn is_library(&self) -> bool {
        !self.name.starts_with("test ")
    }
}

/// A test by the position of its target, and its name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct TestId {
    pub(crate) target: usize,
    pub(crate) name: String,
    /// It is not run unless somebody asks for it.
    pub(crate) is_ignored: bool,
}

/// What a test did in a process of its own.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) executions: BTreeSet<Execution>,
    pub(crate) last: Option<Execution>,
    pub(crate) regions: BTreeSet<u32>,
    /// Functions that it calls with arguments that cannot be seen whole, by their regions.
    pub(crate) opaque: BTreeSet<u32>,
    pub(crate) is_full: bool,
    /// Why it is not as it should be.
    pub(crate) failed: Option<&'static str>,
}

/// A test that takes longer to record is not judged.
const RECORDING: Duration = Duration::from_secs(60);
/// A plain run of a whole binary may take this long.
const PLAIN: Duration = Duration::from_secs(600);
/// With a mutant, tests may take so much longer, and so much more.
const PATIENCE: f64 = 5.0;
const AND_THEN: f64 = 5.0;

/// How a test is run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Limit {
    /// As long as it likes.
    None,
    /// As with a mutant: what a mutant makes endless should end soon.
    Little,
    /// As with a mutant, for tests that need much.
    Much,
}

impl Limit {
    /// Calls and turns of loops that a thread may make.
    fn fuel(self) -> Option<&'static str> {
        match self {
            Limit::None => None,
            Limit::Little => Some("2000000"),
            Limit::Much => Some("50000000"),
        }
    }
}

/// A test that is to be run with a mutant.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// Its position.
    pub(crate) test: usize,
    pub(crate) id: &'a TestId,
    /// How long it takes without.
    pub(crate) seconds: f64,
    pub(crate) limit: Limit,
}

impl<'s> Stand<'s> {
    pub(crate) fn new(
        scratch: &Scratch,
        instrument: &'s Instrument,
        sandbox: bool,
        cancel: &'s AtomicBool,
    ) -> Result<Stand<'s>, PipelineError> {
        let twin = Twin::create(scratch)?;
        Ok(Stand {
            cells: Cell::several(scratch, sandbox)?,
            copy: twin.dir.join("copy"),
            twin,
            instrument,
            cancel,
        })
    }

    /// Builds the tests on a copy of what the twin has now.
    pub(crate) fn build(&self, copied: &Copied) -> Result<Vec<Target>, PipelineError> {
        copied
            .again(&self.copy, &self.twin.package)
            .map_err(|source| ScratchError::Write {
                path: self.copy.clone(),
                source,
            })?;
        let mut command = self.twin.cargo("test", "copied");
        command.args(["--no-run", "--tests"]);
        self.instrument.apply_copy(&mut command, &self.copy);
        Ok(self.targets(built(run(&mut command)?)?))
    }

    /// Builds the tests on what the twin has now, as the user would.
    pub(crate) fn build_plain(&self) -> Result<Run, PipelineError> {
        let mut command = self.twin.cargo("test", "plain");
        command.args(["--no-run", "--tests"]);
        run(&mut command)
    }

    pub(crate) fn targets(&self, run: Run) -> Vec<Target> {
        let root = |name: &str| {
            let root = run.roots.get(name).cloned().unwrap_or_default();
            let below = root.strip_prefix(&self.twin.package).map(Path::to_owned);
            below.unwrap_or(root)
        };
        let tests = run.tests.iter();
        tests
            .map(|(name, binary)| Target {
                name: name.clone(),
                binary: binary.clone(),
                root: root(name),
            })
            .collect()
    }

    fn command(&self, binary: &Path) -> Command {
        let mut command = Command::new(binary);
        command
            .current_dir(&self.twin.package)
            .env("CARGO_MANIFEST_DIR", &self.twin.package)
            .env("TESTSMITH_MUTANT", "0");
        command
    }

    /// The tests of every target; a target without a list has a harness of its own.
    pub(crate) fn list(
        &self,
        targets: &[Target],
    ) -> Result<(Vec<TestId>, BTreeSet<usize>), PipelineError> {
        let (mut tests, mut unlisted) = (Vec::new(), BTreeSet::new());
        for (i, target) in targets.iter().enumerate() {
            let names = |more: &[&str]| -> Result<Option<Vec<String>>, PipelineError> {
                let mut command = self.command(&target.binary);
                command.arg("--list").args(more);
                let run = confined(&self.cells[0], command, Inmate::TestBinary, RECORDING)?;
                let names = run.text.lines().filter_map(|it| it.strip_suffix(": test"));
                let names = names.map(str::to_owned).collect();
                // A harness of somebody's own does not end its list so.
                let is_list = run.text.trim_end().ends_with("benchmarks")
                    || run.text.trim_end().ends_with("1 benchmark");
                Ok((!run.is_cut() && is_list).then_some(names))
            };
            let (Some(all), Some(ignored)) = (names(&[])?, names(&["--ignored"])?) else {
                unlisted.insert(i);
                continue;
            };
            tests.extend(all.into_iter().map(|name| TestId {
                target: i,
                is_ignored: ignored.contains(&name),
                name,
            }));
        }
        Ok((tests, unlisted))
    }

    /// What each of these tests does, in order.
    pub(crate) fn record(
        &self,
        targets: &[Target],
        tests: &[&TestId],
        limit: Limit,
    ) -> Result<Vec<Recorded>, PipelineError> {
        self.each(tests, &mut |_| {}, |cell, test| {
            self.record_one(cell, &targets[test.target], test, limit)
        })
    }

    /// How long each of these tests takes if nothing is written down.
    pub(crate) fn time(
        &self,
        targets: &[Target],
        tests: &[&TestId],
    ) -> Result<Vec<f64>, PipelineError> {
        self.each(tests, &mut |_| {}, |cell, test| {
            let mut command = self.command(&targets[test.target].binary);
            command.args(["--exact", &test.name]);
            let start = Instant::now();
            confined(cell, command, Inmate::TestBinary, RECORDING)?;
            Ok(start.elapsed().as_secs_f64())
        })
    }

    fn record_one(
        &self,
        cell: &Cell,
        target: &Target,
        test: &TestId,
        limit: Limit,
    ) -> Result<Recorded, PipelineError> {
        let dir = cell.dir.join("calls");
        let fail = |source| ScratchError::Write {
            path: dir.clone(),
            source,
        };
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).map_err(fail)?;
        let mut command = self.command(&target.binary);
        command
            .args(["--exact", &test.name])
            .env("TESTSMITH_RECORD", &dir)
            .env("TESTSMITH_RECORD_ONCE", "1");
        if let Some(fuel) = limit.fuel() {
            command.env("TESTSMITH_FUEL", fuel);
        }
        let run = confined(cell, command, Inmate::TestBinary, RECORDING)?;
        let failed = match (run.is_cut(), run.failed.is_empty()) {
            (true, _) => Some("dies, or takes too long, on the copy"),
            (false, false) => Some("fails on the copy, or behind the walls"),
            (false, true) if !has_passed(&run) => Some("has no result on the copy"),
            (false, true) => None,
        };
        let mut recorded = Recorded {
            failed,
            ..Recorded::default()
        };
        for entry in fs::read_dir(&dir).map_err(fail)? {
            let bytes = fs::read(entry.map_err(fail)?.path()).map_err(fail)?;
            let (calls, entered) = read_one(&bytes);
            for call in calls {
                recorded.is_full |= call.region == FULL;
                match call.is_whole {
                    true => {
                        recorded.executions.insert(call.state);
                        recorded.last = Some(call.state);
                    }
                    false if call.region == FULL => {}
                    false => drop(recorded.opaque.insert(call.region)),
                }
            }
            recorded.regions.extend(entered.unwrap_or_default());
        }
        Ok(recorded)
    }

    /// Which of these tests fail with the mutant. Unless it is asked for all of them, one is enough.
    pub(crate) fn killers(
        &self,
        cell: &Cell,
        targets: &[Target],
        tests: &[Asked<'_>],
        mutant: u32,
        is_all: bool,
    ) -> Result<BTreeSet<usize>, PipelineError> {
        let mut killers = BTreeSet::new();
        let mut by_target: BTreeMap<(Limit, usize), Vec<&Asked<'_>>> = BTreeMap::new();
        for test in tests {
            let key = (test.limit, test.id.target);
            by_target.entry(key).or_default().push(test);
        }
        for ((limit, target), tests) in by_target {
            if !is_all && !killers.is_empty() {
                break;
            }
            let run = |tests: &[&Asked<'_>]| {
                let mut command = self.command(&targets[target].binary);
                command
                    .args(["--exact", "--test-threads=1"])
                    .args(tests.iter().map(|it| &it.id.name))
                    .env("TESTSMITH_MUTANT", mutant.to_string())
                    .env("TESTSMITH_FUEL", limit.fuel().unwrap_or_default());
                let seconds: f64 = tests.iter().map(|it| it.seconds).sum();
                let most = Duration::from_secs_f64(seconds * PATIENCE + AND_THEN);
                confined(cell, command, Inmate::TestBinary, most)
            };
            let together = run(&tests)?;
            let index = |name: &str| tests.iter().find(|it| it.id.name == name).map(|it| it.test);
            killers.extend(together.failed.keys().filter_map(|name| index(name)));
            if !together.is_cut() {
                continue;
            }
            if !is_all || tests.len() == 1 {
                killers.extend(tests.iter().map(|it| it.test));
                continue;
            }
            // One of them ended all: each alone says which.
            let passed = passed(&together);
            for test in tests {
                let name = test.id.name.as_str();
                if !passed.contains(name) && !together.failed.contains_key(name) {
                    let alone = run(&[test])?;
                    if alone.is_cut() || !alone.failed.is_empty() {
                        killers.insert(test.test);
                    }
                }
            }
        }
        Ok(killers)
    }

    /// Runs whole binaries as the user would: the tests that fail, and how long all of it takes.
    pub(crate) fn run_plain(
        &self,
        targets: &[Target],
    ) -> Result<(BTreeSet<String>, f64), PipelineError> {
        let mut failed = BTreeSet::new();
        let start = Instant::now();
        for target in targets {
            self.go_on()?;
            let command = self.command(&target.binary);
            let run = confined(&self.cells[0], command, Inmate::TestBinary, PLAIN)?;
            if run.is_cut() {
                failed.insert(format!("{} (died, or took too long)", target.name));
            }
            let names = run.failed.into_keys();
            failed.extend(names.map(|name| format!("{} {name}", target.name)));
        }
        Ok((failed, start.elapsed().as_secs_f64()))
    }

    /// An error once the user has cancelled.
    pub(crate) fn go_on(&self) -> Result<(), PipelineError> {
        match self.cancel.load(Ordering::Relaxed) {
            true => Err(EquipError::Interrupted.into()),
            false => Ok(()),
        }
    }

    /// Does something with each of these, as many at once as there are cells; answers are in order.
    pub(crate) fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        progress: &mut dyn FnMut(usize),
        work: impl Fn(&Cell, &T) -> Result<R, PipelineError> + Sync,
    ) -> Result<Vec<R>, PipelineError> {
        let answers = each_in(&self.cells, self.cancel, items, progress, work)?;
        self.go_on()?;
        Ok(answers.into_iter().flatten().collect())
    }
}

fn has_passed(run: &TestRun) -> bool {
    run.text.contains("test result: ok. 1 passed")
}

/// The tests that passed before the process came to its end.
fn passed(run: &TestRun) -> BTreeSet<&str> {
    let lines = run.text.lines();
    let names = lines.filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... ok"));
    names
        .map(|name| name.trim_end_matches(" - should panic"))
        .collect()
}
