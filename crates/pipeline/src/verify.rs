//! Is a mutant in the copy what it says it is? Some are really edited into the source, and the
//! package's own tests must notice them there as they do in the copy.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use testsmith_harness::{About, Copied, Instrument, Mutant, MutantId};
use testsmith_project::{CargoCommand, Inmate, Run, Scratch, ScratchError, Twin};
use testsmith_record::{Alone, MutantReport, Status, VerificationReport, Verified};

use crate::PipelineError;
use crate::vet::{Cell, confined};
use testsmith_equip::{Event, Watch};

/// How many mutants to look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Verification {
    /// Of those in the copy.
    pub n_accepted: usize,
    /// Of those that rustc refused.
    pub n_refused: usize,
}

/// Unmutated tests may take this much longer when they are mutated.
const PATIENCE: u32 = 5;
const AND_THEN: Duration = Duration::from_secs(20);
/// And the unmutated ones this long.
const AT_MOST: Duration = Duration::from_secs(600);

/// Tests that draw lots may notice a mutant now and then: so often they are run if they end otherwise.
const MAX_RUNS: usize = 5;

/// What rustc says of a constant that panics.
const CONSTANT: &str = "E0080";

/// Edits mutants in, one after another, and compares.
pub(crate) fn verify(
    scratch: &Scratch,
    instrument: &Instrument,
    copied: &Copied,
    (asked, verdict): (Verification, &dyn Fn(MutantId) -> Option<MutantReport>),
    (seed, sandbox): (u64, bool),
    watch: &mut Watch<'_>,
) -> Result<VerificationReport, PipelineError> {
    let bench = Bench::new(scratch, instrument, sandbox)?;
    let accepted = |id: &MutantId| {
        let is_judged = verdict(*id).is_some_and(|it| it.status.is_judged());
        !copied.dropped.contains_key(id) && is_judged
    };
    let refused = |id: &MutantId| {
        let refusal = copied.dropped.get(id);
        refusal.is_some_and(|it| it.about != About::Constant)
    };
    let accepted = sample(copied, seed, asked.n_accepted, accepted);
    let refused = sample(copied, seed, asked.n_refused, refused);
    let n = accepted.len() + refused.len();
    let mut report = VerificationReport::default();
    if !accepted.is_empty() {
        let own = OwnTests::build(&bench, copied)?;
        for (i, id) in accepted.into_iter().enumerate() {
            watch.tell(Event::Verifying { i, n });
            let mut verified = own.verify(&bench, id, copied.mutant(id))?;
            if let Some(verdict) = verdict(id) {
                verified.agrees &= is_said(&verified.edited, &verdict);
                verified.status = verdict.status;
            }
            report.verified.push(verified);
        }
    }
    for id in refused {
        let i = report.verified.len() + report.alone.len();
        watch.tell(Event::Verifying { i, n });
        let mutant = copied.mutant(id);
        report.alone.push(Alone {
            name: mutant.name.clone(),
            compiles: bench.edited(mutant, |bench| bench.check())?,
        });
    }
    Ok(report)
}

/// What tests say that meet nothing else than usual.
const NOT_NOTICED: &str = "not noticed";

/// Is a verdict what tests say of the mutant when it is edited in? Those of the documentation are not
/// run here.
fn is_said(edited: &str, verdict: &MutantReport) -> bool {
    let is_noticed = edited != NOT_NOTICED;
    let by_docs = verdict.killed_by.iter().any(|it| it.starts_with("doc "));
    match verdict.status {
        Status::Killed => is_noticed || by_docs,
        Status::Survived | Status::Unreached | Status::Equivalent => !is_noticed,
        Status::Unviable | Status::Suppressed | Status::Pending => true,
    }
}

/// So many of those mutants, by chance.
pub(crate) fn sample(
    copied: &Copied,
    seed: u64,
    n: usize,
    is_meant: impl Fn(&MutantId) -> bool,
) -> Vec<MutantId> {
    let ids = (1..=copied.mutants.len() as u32).map(MutantId);
    let mut ids: Vec<MutantId> = ids.filter(is_meant).collect();
    ids.sort_by_cached_key(|id| {
        let mut hasher = DefaultHasher::new();
        (seed, &copied.mutant(*id).name).hash(&mut hasher);
        hasher.finish()
    });
    ids.truncate(n);
    ids
}

/// Where mutants are edited in, built and run.
pub(crate) struct Bench<'b> {
    twin: Twin,
    instrument: &'b Instrument,
    cell: Cell,
    /// The copy of the twin.
    copy: PathBuf,
}

impl<'b> Bench<'b> {
    pub(crate) fn new(
        scratch: &Scratch,
        instrument: &'b Instrument,
        sandbox: bool,
    ) -> Result<Bench<'b>, PipelineError> {
        let twin = Twin::create(scratch)?;
        Ok(Bench {
            cell: Cell::several(scratch, sandbox)?.swap_remove(0),
            copy: twin.dir.join("copy"),
            twin,
            instrument,
        })
    }

    /// Runs own tests on a copy that writes calls down: where to, and which tests failed.
    pub(crate) fn record(
        &self,
        copied: &Copied,
    ) -> Result<(PathBuf, BTreeSet<String>), PipelineError> {
        let binaries = self.copied_tests(copied)?;
        let dir = self.cell.dir.join("calls");
        let _ = fs::remove_dir_all(&dir);
        let mut failed = BTreeSet::new();
        for (target, binary) in &binaries {
            let path = dir.join(target);
            fs::create_dir_all(&path).map_err(|source| ScratchError::Write {
                path: path.clone(),
                source,
            })?;
            let mut command = self.command(binary, 0);
            command.env("TESTSMITH_RECORD", &path);
            let run = confined(&self.cell, command, Inmate::TestBinary, AT_MOST)?;
            if run.is_cut() {
                failed.insert(format!("{target} (died, or took too long)"));
            }
            let names = run.failed.into_keys();
            failed.extend(names.map(|name| format!("{target} {name}")));
        }
        Ok((dir, failed))
    }

    /// Test binaries on the copy.
    fn copied_tests(&self, copied: &Copied) -> Result<Binaries, PipelineError> {
        let path = self.copy.clone();
        copied
            .again(&path, &self.twin.package)
            .map_err(|source| ScratchError::Write { path, source })?;
        Ok(built(self.tests(true)?)?.tests)
    }

    fn command(&self, binary: &Path, active: u32) -> Command {
        let mut command = Command::new(binary);
        command
            .current_dir(&self.twin.package)
            .env("CARGO_MANIFEST_DIR", &self.twin.package)
            .env("TESTSMITH_MUTANT", active.to_string());
        command
    }

    /// Does something while the mutant is edited in.
    fn edited<T>(
        &self,
        mutant: &Mutant,
        then: impl FnOnce(&Self) -> Result<T, PipelineError>,
    ) -> Result<T, PipelineError> {
        let path = self.twin.package.join(&mutant.file);
        let original =
            fs::read_to_string(&path).map_err(|source| ScratchError::Write { path, source })?;
        let mut text = original.clone();
        text.replace_range(mutant.range.clone(), &mutant.edit);
        self.twin.write(&mutant.file, &text)?;
        let result = then(self);
        self.twin.write(&mutant.file, &original)?;
        result
    }

    /// Does the source compile as it is?
    fn check(&self) -> Result<bool, PipelineError> {
        let mut command = self.twin.cargo("check", "checked");
        self.instrument.apply_lenient(&mut command);
        command.arg("--lib");
        Ok(run(&mut command)?.success)
    }

    /// The package's own tests, those in its documentation left out.
    fn tests(&self, of_copy: bool) -> Result<Run, PipelineError> {
        let built = if of_copy { "copied" } else { "edited" };
        let mut command = self.twin.cargo("test", built);
        command.args(["--no-run", "--tests"]);
        match of_copy {
            true => self.instrument.apply_copy(&mut command, &self.copy),
            false => self.instrument.apply_lenient(&mut command),
        }
        run(&mut command)
    }

    /// Each of the binaries has its own time: how long another one takes to die says nothing of it.
    fn run(
        &self,
        binaries: &Binaries,
        active: u32,
        most: Duration,
    ) -> Result<Outcome, PipelineError> {
        let mut outcome = Outcome::default();
        for (target, binary) in binaries {
            let command = self.command(binary, active);
            let run = confined(&self.cell, command, Inmate::TestBinary, most)?;
            if run.is_cut() {
                outcome.cut.insert(target.clone());
                continue;
            }
            let failed = run.failed.into_keys();
            let failed = failed.map(|name| format!("{target} {name}"));
            outcome.failed.extend(failed);
        }
        Ok(outcome)
    }
}

pub(crate) fn run(command: &mut CargoCommand) -> Result<Run, PipelineError> {
    Ok(Run::of(command).map_err(ScratchError::from)?)
}

/// Test binaries by their targets.
type Binaries = BTreeMap<String, PathBuf>;

/// How own tests ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Outcome {
    /// Tests that failed, with their target.
    failed: BTreeSet<String>,
    /// Targets that died or took too long. Which of their tests failed before is up to chance.
    cut: BTreeSet<String>,
}

impl Outcome {
    /// In words, beside what happens anyway.
    fn said(&self, before: &Outcome) -> String {
        let new = |of: &BTreeSet<String>, known: &BTreeSet<String>| {
            let new: Vec<&str> = of.difference(known).map(String::as_str).collect();
            new.join(", ")
        };
        let (failed, cut) = (
            new(&self.failed, &before.failed),
            new(&self.cut, &before.cut),
        );
        match (failed.is_empty(), cut.is_empty()) {
            (true, true) if self == before => NOT_NOTICED.to_owned(),
            (true, true) => "noticed by tests that failed and pass now".to_owned(),
            (false, true) => format!("noticed by {failed}"),
            (true, false) => format!("dies or takes too long: {cut}"),
            (false, false) => format!("noticed by {failed}; dies or takes too long: {cut}"),
        }
    }
}

/// Is there a test, or a target, that fails each time here and never there? Where a target dies on one side,
/// as it may if memory is not what it should be, a test that fails in it on the other has noticed, too.
fn contradict(here: &[Outcome], there: &[Outcome]) -> bool {
    let cut: BTreeSet<String> = here
        .iter()
        .chain(there)
        .flat_map(|it| it.cut.clone())
        .collect();
    let (here, there) = (&*within(here, &cut), &*within(there, &cut));
    let is_apart = |of: fn(&Outcome) -> &BTreeSet<String>| {
        let names: BTreeSet<&String> = here.iter().chain(there).flat_map(of).collect();
        let n_times =
            |runs: &[Outcome], name| runs.iter().filter(|it| of(it).contains(name)).count();
        names.into_iter().any(|name| {
            let (n_here, n_there) = (n_times(here, name), n_times(there, name));
            (n_here, n_there) == (here.len(), 0) || (n_here, n_there) == (0, there.len())
        })
    };
    is_apart(|it| &it.failed) || is_apart(|it| &it.cut)
}

/// Outcomes in which tests of these targets are not told apart.
fn within(outcomes: &[Outcome], targets: &BTreeSet<String>) -> Vec<Outcome> {
    let of = |test: &String| {
        let is_of = |target: &&String| {
            test.strip_prefix(*target)
                .is_some_and(|it| it.starts_with(' '))
        };
        targets.iter().find(is_of).cloned()
    };
    let one = |outcome: &Outcome| {
        let (mut failed, mut cut) = (BTreeSet::new(), outcome.cut.clone());
        for test in &outcome.failed {
            match of(test) {
                Some(target) => cut.insert(target),
                None => failed.insert(test.clone()),
            };
        }
        Outcome { failed, cut }
    };
    outcomes.iter().map(one).collect()
}

/// Own tests of the copy, and how they end with nothing active.
struct OwnTests {
    of_copy: Binaries,
    unmutated: Outcome,
    most: Duration,
}

impl OwnTests {
    fn build(bench: &Bench<'_>, copied: &Copied) -> Result<OwnTests, PipelineError> {
        let of_copy = bench.copied_tests(copied)?;
        let original = built(bench.tests(false)?)?.tests;
        let start = Instant::now();
        let unmutated = bench.run(&original, 0, AT_MOST)?;
        let most = start.elapsed() * PATIENCE + AND_THEN;
        let inactive = bench.run(&of_copy, 0, most)?;
        if inactive != unmutated {
            return Err(PipelineError::Inactive {
                original: unmutated.said(&Outcome::default()),
                copy: inactive.said(&Outcome::default()),
            });
        }
        Ok(OwnTests {
            of_copy,
            unmutated,
            most,
        })
    }

    fn verify(
        &self,
        bench: &Bench<'_>,
        id: MutantId,
        mutant: &Mutant,
    ) -> Result<Verified, PipelineError> {
        let verified = |agrees, edited, copied| Verified {
            id: id.0,
            name: mutant.name.clone(),
            agrees,
            edited,
            copied,
            status: Status::Pending,
        };
        let run = bench.edited(mutant, |bench| bench.tests(false))?;
        if !run.success {
            let said = run.errors.first().map_or("", |it| &it.message);
            let copied = bench.run(&self.of_copy, id.0, self.most)?;
            // A constant that cannot be computed is noticed by whoever compiles it.
            let is_noticed = run.errors.iter().any(|it| it.code == CONSTANT);
            let agrees = mutant.is_freed && is_noticed && copied != self.unmutated;
            let edited = format!("does not compile: {said}");
            return Ok(verified(agrees, edited, copied.said(&self.unmutated)));
        }
        let (mut edited, mut copied) = (Vec::new(), Vec::new());
        for _ in 0..MAX_RUNS {
            edited.push(bench.run(&run.tests, 0, self.most)?);
            copied.push(bench.run(&self.of_copy, id.0, self.most)?);
            if edited.last() == copied.last() {
                break;
            }
        }
        let said = |outcomes: &[Outcome]| {
            let last = outcomes.last().map(|it| it.said(&self.unmutated));
            last.unwrap_or_default()
        };
        // Where tests compute constants, only what they call otherwise shows in the copy.
        let notices = |outcomes: &[Outcome]| outcomes.iter().all(|it| *it != self.unmutated);
        let agrees = edited.last() == copied.last()
            || !contradict(&edited, &copied)
            || mutant.is_freed && notices(&edited) && notices(&copied);
        Ok(verified(agrees, said(&edited), said(&copied)))
    }
}

/// What cargo made, if all tests were built.
pub(crate) fn built(run: Run) -> Result<Run, PipelineError> {
    match run.success {
        true => Ok(run),
        false => Err(PipelineError::OwnTests {
            said: run
                .errors
                .first()
                .map_or(run.stderr, |it| it.rendered.clone()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(names: &[&str]) -> Outcome {
        Outcome {
            failed: names.iter().map(|name| (*name).to_owned()).collect(),
            cut: BTreeSet::new(),
        }
    }

    #[test]
    fn a_test_that_draws_lots_contradicts_nothing() {
        let now_and_then = [failing(&["a", "b"]), failing(&["a"])];
        let never = [failing(&["a"]), failing(&["a"])];
        let always = [failing(&["a", "b"]), failing(&["a", "b"])];
        assert!(!contradict(&now_and_then, &never));
        assert!(!contradict(&now_and_then, &always));
        assert!(contradict(&never, &always));
        assert!(contradict(&always, &never));
    }

    #[test]
    fn a_target_that_dies_has_noticed_what_its_tests_notice() {
        let died = [Outcome {
            failed: BTreeSet::new(),
            cut: BTreeSet::from(["lib a".to_owned()]),
        }];
        assert!(!contradict(&died, &[failing(&["lib a one"])]));
        assert!(contradict(&died, &[failing(&["lib ab one"])]));
        assert!(contradict(&died, &[failing(&[])]));
    }
}
