//! The package's own tests on the copy: which there are, what each costs, and what it reaches.

mod examples;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use testsmith_equip::EquipError;
use testsmith_harness::{Copied, Instrument};
use testsmith_project::{
    Dependant, End as Exit, Run, Scratch, ScratchError, Twin, give_back_memory, watched,
};

use super::digests::Sources;
use crate::PipelineError;
use crate::verify::{built, run};
use crate::vet::{Cell, VetError, each_in};

/// Where own tests are built and run.
pub(crate) struct Bench<'b> {
    pub(crate) twin: Twin,
    instrument: &'b Instrument,
    cells: Vec<Cell>,
    copy: PathBuf,
    cancel: &'b AtomicBool,
    /// Are all examples of the documentation built as one, however many are asked for? So it is from some
    /// edition on.
    pub(crate) builds_examples_as_one: bool,
}

/// A test of the package's own.
#[derive(Clone, Debug)]
pub(crate) struct OwnTest {
    /// Its target and its name.
    pub(crate) name: String,
    pub(crate) target: String,
    /// Where it runs.
    pub(crate) dir: PathBuf,
    /// Without one it was not built, for nothing that it reaches has changed.
    binary: Option<PathBuf>,
    /// What the binary calls it; `None` if it is all that the binary does.
    exact: Option<String>,
    pub(crate) is_ignored: bool,
    /// Is it an example that panics?
    panics: bool,
    /// Its number among the examples in its binary.
    number: Option<usize>,
    /// What it is known by in another run, where lines may be others.
    pub(crate) key: String,
    /// Of its text, and of what it shares with other tests.
    pub(crate) digest: u64,
}

impl OwnTest {
    /// Can they run in one process?
    pub(crate) fn shares_process(&self, other: &OwnTest) -> bool {
        self.binary == other.binary && self.exact.is_some() && other.exact.is_some()
    }

    /// Does its binary call it so?
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.exact.as_deref() == Some(name)
    }

    /// Is it a test of the documentation?
    pub(crate) fn is_example(&self) -> bool {
        self.target == "doc"
    }

    /// What its binary calls it.
    pub(crate) fn exact(&self) -> Option<&str> {
        self.exact.as_deref()
    }

    /// Can it be run?
    pub(crate) fn is_built(&self) -> bool {
        self.binary.is_some()
    }

    /// Is it one of a target that was not built, for none of its tests goes where something has changed?
    pub(crate) fn is_idle(&self) -> bool {
        !self.is_built() && !self.is_example()
    }
}

/// What a test does with no mutant active.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Learnt {
    pub(crate) seconds: f64,
    /// How often it enters any region, at most.
    pub(crate) turns: u64,
    /// How often it enters regions, as far as that is the same each time.
    pub(crate) counts: BTreeMap<u32, u64>,
    /// Regions that it enters, perhaps.
    pub(crate) reached: BTreeSet<u32>,
    /// A digest of what each function returns, by its region, as far as that is the same each time.
    pub(crate) returned: BTreeMap<u32, u64>,
    /// Why it cannot say anything about mutants.
    pub(crate) unfit: Option<Unfit>,
}

impl Learnt {
    /// What it costs beside a process: by its work where that is little, for a clock is too coarse then.
    pub(crate) fn cost(&self) -> f64 {
        match self.seconds < LITTLE {
            true => self.turns as f64 * SECONDS_PER_TURN,
            false => self.seconds,
        }
    }
}

/// What is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Looking {
    /// Which regions are entered, and how often.
    Entries,
    /// That, and what functions return: values may have to be hashed for it, by code of the crate.
    Returns,
}

/// Why a test is not asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unfit {
    Ignored,
    Failed,
    Unsteady,
    Late,
}

impl Unfit {
    pub(crate) fn status(self) -> &'static str {
        match self {
            Unfit::Ignored => "ignored",
            Unfit::Failed | Unfit::Late => "failed",
            Unfit::Unsteady => "unsteady",
        }
    }

    pub(crate) fn reason(self) -> &'static str {
        match self {
            Unfit::Ignored => "is ignored, so it is not run",
            Unfit::Failed => {
                "fails on the copy with no mutant active, or behind the walls: `cargo test` says whether it always does"
            }
            Unfit::Unsteady => "does not pass each time with no mutant active",
            Unfit::Late => "takes longer than ten minutes",
        }
    }
}

/// How a run of tests ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Passed,
    Failed,
    Died,
    Exhausted,
    Late,
}

/// Own tests with all that was learnt of them.
#[derive(Default)]
pub(crate) struct Own {
    pub(crate) tests: Vec<OwnTest>,
    pub(crate) learnt: Vec<Learnt>,
    /// What they were built with of the dependencies that only tests, benchmarks and examples have.
    pub(crate) needed: Option<BTreeSet<String>>,
    /// Targets of the package with tests, and their root files.
    pub(crate) targets: BTreeMap<String, PathBuf>,
    /// What of the tests could not be had, and why.
    pub(crate) left_out: BTreeMap<String, usize>,
}

impl Own {
    /// What tests are called now, by what they are known by.
    pub(crate) fn names_by_key(&self) -> BTreeMap<&str, &str> {
        let tests = self.tests.iter();
        tests
            .map(|it| (it.key.as_str(), it.name.as_str()))
            .collect()
    }
}

/// Which tests are asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Packages of the workspace whose tests are asked, too.
    pub(crate) dependants: Vec<Dependant>,
    /// Are they those that nextest lists, each in a process of its own?
    pub(crate) nextest: bool,
}

/// Targets with tests. Without any, all are built.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Selection {
    pub(crate) built: Vec<String>,
    /// Those that are not, with their root files and the names of their tests.
    pub(crate) idle: BTreeMap<String, (PathBuf, Vec<String>)>,
}

impl Selection {
    /// As cargo is told.
    fn flags(&self) -> Vec<&str> {
        if self.idle.is_empty() {
            return vec!["--tests"];
        }
        let mut flags = Vec::new();
        for target in &self.built {
            match target.split_once(' ') {
                Some(("bin", name)) => flags.extend(["--bin", name]),
                Some(("test", name)) => flags.extend(["--test", name]),
                Some(("example", name)) => flags.extend(["--example", name]),
                Some(("bench", name)) => flags.extend(["--bench", name]),
                _ => flags.push("--lib"),
            }
        }
        flags
    }
}

/// What a test is known by in another run.
pub(crate) fn key(target: &str, name: &str) -> String {
    format!("{target} {name}")
}

/// Why some examples are no tests.
pub(crate) const COMPILED_ONLY: &str =
    "an example of the documentation that is compiled only, or not at all";
/// The name under which everything that is built here is kept.
const BUILT: &str = "copied";
/// A whole test may take this long.
const AT_MOST: Duration = Duration::from_secs(600);
/// Whatever takes less takes most of it to start.
const LITTLE: f64 = 0.02;
/// What entering a region takes, about, with what is done there.
const SECONDS_PER_TURN: f64 = 5e-8;
/// A test that takes longer is not run again to see whether it is steady.
const DEAR: f64 = 2.0;
/// How often tests are built with some of their dependencies before all are there.
const MAX_TRIALS: usize = 4;
/// With a mutant, tests may take so much longer, and so much more.
const PATIENCE: f64 = 10.0;
const AND_THEN: f64 = 5.0;
/// The same for calls and turns of loops.
const FUEL_FACTOR: u64 = 5;
const MORE_FUEL: u64 = 300_000;
/// How a process ends whose fuel is used up.
const EXHAUSTED_CODE: i32 = 86;
/// What libtest exits with if a test fails.
const FAILED_CODE: i32 = 101;

impl<'b> Bench<'b> {
    pub(crate) fn new(
        scratch: &Scratch,
        instrument: &'b Instrument,
        (jobs, sandbox): (usize, bool),
        cancel: &'b AtomicBool,
    ) -> Result<Bench<'b>, PipelineError> {
        let twin = Twin::create(scratch)?;
        Ok(Bench {
            cells: Cell::numbered(scratch, sandbox, jobs)?,
            copy: twin.dir.join("copy"),
            twin,
            instrument,
            cancel,
            builds_examples_as_one: scratch.package().edition.as_str() >= "2024",
        })
    }

    /// Builds the tests on a copy that is prepared, but for those of the documentation, and for those that
    /// need not be. `needed` are the dependencies that an earlier run did with.
    pub(crate) fn build(
        &self,
        copied: &Copied,
        wanted: &Wanted,
        needed: Option<&BTreeSet<String>>,
        selection: &Selection,
    ) -> Result<Own, PipelineError> {
        let mut own = Own::default();
        if wanted.nextest {
            super::nextest::list(self, &copied.texts.helpers, &mut own)?;
            return Ok(own);
        }
        let here = self.build_here(needed, selection, &mut own)?;
        let mut found = vec![(here, self.twin.package.clone(), String::new())];
        for dependant in &wanted.dependants {
            let mut command = self.twin.cargo_of("test", BUILT, &dependant.name);
            self.instrument.apply_copy(&mut command, &self.copy);
            command.args(["--no-run", "--tests"]);
            let dir = self.twin.dir_of(dependant);
            let prefix = format!("{} ", dependant.name);
            found.push((built(run(&mut command)?)?, dir, prefix));
        }
        for (run, dir, prefix) in found {
            for (target, binary) in &run.tests {
                let root = run.roots.get(target).cloned().unwrap_or_default();
                let root = root.strip_prefix(&dir).unwrap_or(&root).to_owned();
                if prefix.is_empty() {
                    own.targets.insert(target.clone(), root.clone());
                }
                let target = (
                    format!("{prefix}{target}"),
                    binary.as_path(),
                    root.as_path(),
                );
                let is_own = prefix.is_empty() && !target.0.starts_with("test ");
                let helpers = is_own.then_some(copied.texts.helpers.as_str());
                self.list(target, &dir, helpers, &mut own)?;
            }
        }
        for (target, (root, names)) in &selection.idle {
            let dir = &self.twin.package;
            let sources = Sources::of(dir, root, None);
            own.targets.insert(target.clone(), root.clone());
            for name in names {
                let test = self.listed(target, None, dir, name, false, &sources);
                own.tests.push(test);
            }
        }
        Ok(own)
    }

    /// Builds the tests that were not, for after all they are needed.
    pub(crate) fn build_idle(&self, own: &mut Own) -> Result<(), PipelineError> {
        let mut command = self.cargo("test");
        command.args(["--no-run", "--tests"]);
        let run = built(run(&mut command)?)?;
        let idle = own.tests.iter_mut().filter(|it| it.is_idle());
        for test in idle {
            test.binary = run.tests.get(&test.target).cloned();
        }
        Ok(())
    }

    /// Has the copy of the twin prepared.
    pub(crate) fn prepare(
        &self,
        write: impl FnOnce(&Path, &Path) -> std::io::Result<()>,
    ) -> Result<(), PipelineError> {
        let path = self.copy.clone();
        let result = write(&path, &self.twin.package);
        Ok(result.map_err(|source| ScratchError::Write { path, source })?)
    }

    /// Has the package no other dependencies for tests than these, or all.
    pub(crate) fn keep_dependencies(
        &self,
        needed: Option<&BTreeSet<String>>,
    ) -> Result<(), PipelineError> {
        let kept = match needed {
            Some(needed) => needed,
            None => &self.twin.dev_dependencies()?,
        };
        Ok(self.twin.keep_dev_dependencies(kept)?)
    }

    /// Builds the package's own tests with no more dependencies than they need: what only benchmarks
    /// need often takes longest.
    fn build_here(
        &self,
        needed: Option<&BTreeSet<String>>,
        selection: &Selection,
        own: &mut Own,
    ) -> Result<Run, PipelineError> {
        let all = self.twin.dev_dependencies()?;
        let mut kept = match needed {
            Some(needed) => needed.clone(),
            None => super::digests::named(&self.twin.package, &all),
        };
        for _ in 0..MAX_TRIALS {
            if kept.len() == all.len() {
                break;
            }
            self.twin.keep_dev_dependencies(&kept)?;
            let mut command = self.cargo("test");
            command.arg("--no-run").args(selection.flags());
            let trial = run(&mut command)?;
            if trial.success {
                let why = "a dependency that no test needs, and so was not built".to_owned();
                own.left_out.insert(why, all.len() - kept.len());
                own.needed = Some(kept);
                return Ok(trial);
            }
            let is_missed = |name: &&String| {
                let quoted = format!("`{}", name.replace('-', "_"));
                trial.errors.iter().any(|it| it.rendered.contains(&quoted))
            };
            let missed: Vec<String> = all.difference(&kept).filter(is_missed).cloned().collect();
            if missed.is_empty() && needed.is_some() {
                // They were enough before, so it is not for want of them.
                return built(trial);
            }
            if missed.is_empty() {
                break;
            }
            kept.extend(missed);
        }
        self.twin.keep_dev_dependencies(&all)?;
        own.needed = Some(all);
        let mut command = self.cargo("test");
        command.arg("--no-run").args(selection.flags());
        built(run(&mut command)?)
    }

    /// Is cargo at work, building tests?
    pub(crate) fn is_building(&self) -> bool {
        self.twin.is_busy(BUILT)
    }

    /// The command that builds tests on the copy.
    pub(crate) fn cargo(&self, subcommand: &str) -> testsmith_project::CargoCommand {
        let mut command = self.twin.cargo(subcommand, BUILT);
        self.instrument.apply_copy(&mut command, &self.copy);
        command
    }

    /// Adds the tests of a binary; one that does not list any is a test as a whole.
    fn list(
        &self,
        (target, binary, root): (String, &Path, &Path),
        dir: &Path,
        helpers: Option<&str>,
        own: &mut Own,
    ) -> Result<(), PipelineError> {
        let sources = Sources::of(dir, root, helpers);
        let (all, ignored) = (
            self.names(binary, dir, &[])?,
            self.names(binary, dir, &["--ignored"])?,
        );
        let (Some(all), Some(ignored)) = (all, ignored) else {
            own.tests.push(OwnTest {
                name: target.clone(),
                key: target.clone(),
                exact: None,
                ..self.listed(&target, Some(binary), dir, "", false, &sources)
            });
            return Ok(());
        };
        for name in all {
            let is_ignored = ignored.contains(&name);
            own.tests
                .push(self.listed(&target, Some(binary), dir, &name, is_ignored, &sources));
        }
        Ok(())
    }

    /// A test that a binary lists, or did.
    pub(crate) fn listed(
        &self,
        target: &str,
        binary: Option<&Path>,
        dir: &Path,
        name: &str,
        is_ignored: bool,
        sources: &Sources,
    ) -> OwnTest {
        OwnTest {
            name: format!("{target} {name}"),
            key: key(target, name),
            target: target.to_owned(),
            dir: dir.to_owned(),
            binary: binary.map(Path::to_owned),
            exact: Some(name.to_owned()),
            is_ignored,
            panics: false,
            number: None,
            digest: sources.digest(Some(name)),
        }
    }

    fn names(
        &self,
        binary: &Path,
        dir: &Path,
        more: &[&str],
    ) -> Result<Option<Vec<String>>, PipelineError> {
        let mut command = self.command(&self.cells[0], binary, dir);
        command.arg("--list").args(more);
        let mut names = Vec::new();
        let mut last = String::new();
        let most = Duration::from_secs(20);
        let end = watched(&mut command, most, self.cancel, &mut |line| {
            names.extend(line.strip_suffix(": test").map(str::to_owned));
            if !line.trim().is_empty() {
                line.trim().clone_into(&mut last);
            }
            true
        });
        let end = end.map_err(VetError::Run)?;
        // A harness of somebody's own does not end its list so.
        let is_list = last.ends_with("benchmarks") || last.ends_with("1 benchmark");
        Ok((end == Exit::Code(0) && is_list).then_some(names))
    }

    fn command(&self, cell: &Cell, binary: &Path, dir: &Path) -> Command {
        let mut command = Command::new(binary);
        command
            .current_dir(dir)
            .env("CARGO_MANIFEST_DIR", dir)
            .env("TESTSMITH_MUTANT", "0");
        cell.confine(&mut command);
        command
    }

    /// Runs each test alone with no mutant active, twice if it does not take long; but for those of which
    /// it is known what they do, and once where it is known what is not the same each time.
    pub(crate) fn learn(
        &self,
        tests: &[OwnTest],
        mut known: BTreeMap<usize, Learnt>,
        unsteady: &BTreeMap<usize, BTreeSet<u32>>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Learnt>, PipelineError> {
        let unknown = tests.iter().enumerate();
        let unknown = unknown.filter(|(i, _)| !known.contains_key(i));
        let unknown: Vec<(usize, &OwnTest)> = unknown.collect();
        let n = unknown.len();
        let learnt = self.each(&unknown, &mut |i| progress(i, n), |cell, (i, test)| {
            if test.is_ignored || test.binary.is_none() {
                return Ok(Learnt {
                    unfit: test.is_ignored.then_some(Unfit::Ignored),
                    ..Learnt::default()
                });
            }
            let Some(unsteady) = unsteady.get(i) else {
                return self.twice(cell, test, Looking::Entries);
            };
            let mut learnt = self.observe(cell, test, Looking::Entries, 0, None)?;
            learnt.counts.retain(|region, _| !unsteady.contains(region));
            Ok(learnt)
        })?;
        if self.is_cancelled() {
            return Err(EquipError::Interrupted.into());
        }
        let positions = unknown.iter().map(|(i, _)| *i);
        known.extend(positions.zip(learnt.into_iter().flatten()));
        Ok(known.into_values().collect())
    }

    /// Looks what a test does, twice if it does not take long: what differs between two runs alike says
    /// nothing of a mutant.
    pub(crate) fn twice(
        &self,
        cell: &Cell,
        test: &OwnTest,
        looking: Looking,
    ) -> Result<Learnt, PipelineError> {
        let mut first = self.observe(cell, test, looking, 0, None)?;
        if first.unfit.is_some() || first.seconds > DEAR {
            return Ok(first);
        }
        let second = self.observe(cell, test, looking, 0, None)?;
        first.seconds = first.seconds.min(second.seconds);
        first.turns = first.turns.max(second.turns);
        first.reached.extend(second.reached);
        first
            .counts
            .retain(|region, n| second.counts.get(region) == Some(n));
        first
            .returned
            .retain(|region, digest| second.returned.get(region) == Some(digest));
        if second.unfit.is_some() {
            first.unfit = Some(Unfit::Unsteady);
        }
        Ok(first)
    }

    /// Runs a test alone, and looks what it does.
    pub(crate) fn observe(
        &self,
        cell: &Cell,
        test: &OwnTest,
        looking: Looking,
        mutant: u32,
        known: Option<&Learnt>,
    ) -> Result<Learnt, PipelineError> {
        let dir = cell.dir.join("reach");
        let fail = |source| ScratchError::Write {
            path: dir.clone(),
            source,
        };
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).map_err(fail)?;
        let start = Instant::now();
        let known = known.into_iter();
        let end = self.process(cell, &[test], mutant, known, Some((&dir, looking)))?;
        let mut learnt = Learnt {
            seconds: start.elapsed().as_secs_f64(),
            unfit: match end {
                Some((End::Passed, _)) => None,
                Some((End::Late, _)) => Some(Unfit::Late),
                _ => Some(Unfit::Failed),
            },
            ..Learnt::default()
        };
        for entry in fs::read_dir(&dir).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            let bytes = fs::read(&path).map_err(fail)?;
            let is_returned = path.extension().is_some_and(|it| it == "returned");
            for chunk in bytes.as_chunks::<12>().0 {
                let [a, b, c, d, number @ ..] = *chunk;
                let region = u32::from_le_bytes([a, b, c, d]);
                let number = u64::from_le_bytes(number);
                let numbers = match is_returned {
                    true => &mut learnt.returned,
                    false => &mut learnt.counts,
                };
                let sum = numbers.entry(region).or_default();
                *sum = sum.wrapping_add(number);
            }
        }
        learnt.reached = learnt.counts.keys().copied().collect();
        learnt.turns = learnt.counts.values().sum();
        Ok(learnt)
    }

    /// Runs tests of one binary with a mutant until one fails. `None` if the user cancelled.
    pub(crate) fn ask<'t>(
        &self,
        cell: &Cell,
        tests: &[&OwnTest],
        mutant: u32,
        learnt: impl Iterator<Item = &'t Learnt>,
    ) -> Result<Option<(End, Option<String>)>, PipelineError> {
        self.process(cell, tests, mutant, learnt, None)
    }

    /// How a process ends, and which test it was that failed or ended it, as its binary calls it. What it
    /// enters is written to a directory, if there is one.
    fn process<'t>(
        &self,
        cell: &Cell,
        tests: &[&OwnTest],
        mutant: u32,
        learnt: impl Iterator<Item = &'t Learnt>,
        reached: Option<(&Path, Looking)>,
    ) -> Result<Option<(End, Option<String>)>, PipelineError> {
        let first = tests[0];
        let mut failed = None;
        let binary = first.binary.as_ref().expect("who is asked is built");
        let mut command = self.command(cell, binary, &first.dir);
        let names: Vec<&str> = tests.iter().filter_map(|it| it.exact.as_deref()).collect();
        if !names.is_empty() {
            command.args(["--exact", "--test-threads=1"]).args(&names);
        }
        if let Some(number) = first.number {
            // What rustdoc itself says to have one of them run.
            command.env("RUSTDOC_DOCTEST_RUN_NB_TEST", number.to_string());
        }
        command.env("TESTSMITH_MUTANT", mutant.to_string());
        if let Some((dir, looking)) = reached {
            command.env("TESTSMITH_REACH", dir);
            if looking == Looking::Returns {
                command.env("TESTSMITH_RETURNS", "1");
            }
        }
        let mut most = AT_MOST;
        if mutant != 0 {
            let (mut seconds, mut n_turns) = (0.0, 0);
            for it in learnt {
                seconds += it.seconds;
                n_turns += it.turns;
            }
            most = Duration::from_secs_f64(seconds * PATIENCE + AND_THEN).min(AT_MOST);
            let fuel = n_turns
                .saturating_mul(FUEL_FACTOR)
                .saturating_add(MORE_FUEL);
            command
                .env("TESTSMITH_FUEL", fuel.to_string())
                .env("TESTSMITH_EXHAUSTED_ENDS", "1");
        }
        let panics = names.is_empty() && first.panics;
        let mut n_passed = 0;
        let exit = watched(&mut command, most, self.cancel, &mut |line| {
            let Some(rest) = line.strip_prefix("test ") else {
                return true;
            };
            if rest.ends_with("... ok") {
                n_passed += 1;
            }
            // Its name is printed before it runs: so the last line is that of one that ends all.
            if let Some(name) = rest.strip_suffix(" ... ") {
                failed = Some(name.trim_end_matches(" - should panic").to_owned());
            }
            let Some(name) = rest.strip_suffix(" ... FAILED") else {
                return true;
            };
            let name = name.trim_end_matches(" - should panic");
            let is_asked = names.contains(&name);
            if is_asked {
                failed = Some(name.to_owned());
            }
            !is_asked
        });
        let end = match exit.map_err(VetError::Run)? {
            Exit::Cancelled => return Ok(None),
            Exit::Enough => End::Failed,
            Exit::Code(0) if panics => End::Failed,
            Exit::Code(FAILED_CODE) if panics => End::Passed,
            Exit::Code(0) if names.is_empty() => End::Passed,
            // One that ends the process before its time has not passed.
            Exit::Code(0) if n_passed >= names.len() => End::Passed,
            Exit::Code(0) => End::Died,
            Exit::Code(FAILED_CODE) => End::Failed,
            Exit::Code(EXHAUSTED_CODE) => End::Exhausted,
            Exit::Code(_) if names.is_empty() => End::Failed,
            Exit::Code(_) | Exit::Signal(_) => End::Died,
            Exit::Late => End::Late,
        };
        Ok(Some((end, failed)))
    }

    /// Does something with each of these, as many at once as there are cells; answers are in order,
    /// and there are none for what was not begun when the user cancelled.
    pub(crate) fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        progress: &mut dyn FnMut(usize),
        work: impl Fn(&Cell, &T) -> Result<R, PipelineError> + Sync,
    ) -> Result<Vec<Option<R>>, PipelineError> {
        give_back_memory();
        each_in(&self.cells, self.cancel, items, progress, work)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}
