//! Finds redundant tests of an existing suite, whoever wrote it: which there are, which tests make
//! each redundant, and the suite without them, which must be worth as much.
//!
//! Every test runs in a process of its own, so that all calls of the process are the test's, on
//! whatever thread. `judge` decides what is redundant; `trial` builds and runs what is left before
//! anything is written.

mod asking;
mod edit;
mod judge;
mod report;
mod trial;

use std::collections::{BTreeMap, BTreeSet};

use testsmith_equip::{Clock, Event, Outcome, Rewritten, Stage, Watch, rewrite};
use testsmith_harness::{Copied, MutantId, Purpose, RegionId};
use testsmith_record::{MinimizeReport, Timed};
use testsmith_rig::{Fuel, Recording, Rig, SourceTest, SourceTests, Target, tests};
use testsmith_suite::is_ours;

use crate::config::Config;
use crate::error::CommandError;
use asking::{Asked, List, TestId, killers, list, record, time};
use judge::{Observed, judge};

/// What the user asks of `minimize`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Minimizing {
    /// Are the redundant tests taken out of their files?
    pub apply: bool,
    /// The most mutants to ask about, chosen by chance.
    pub max_mutants: Option<usize>,
}

/// A test with everything that is known of it except for what the judgement needs.
pub(crate) struct Test {
    pub(crate) id: TestId,
    /// The name of its target, and its own.
    pub(crate) shown: String,
    pub(crate) source: Option<SourceTest>,
    /// Is it in a file that testsmith wrote and nobody edited?
    pub(crate) is_ours: bool,
    pub(crate) seconds: f64,
    /// How much fuel it gets with a mutant.
    pub(crate) fuel: Fuel,
    /// The regions of functions that it calls with arguments that cannot be seen whole.
    pub(crate) opaque: BTreeSet<RegionId>,
    /// The regions that it enters in at least one run.
    pub(crate) entered: BTreeSet<RegionId>,
}

/// The suite as it is, with all that was observed.
pub(crate) struct Suite {
    pub(crate) targets: Vec<Target>,
    pub(crate) tests: Vec<Test>,
    pub(crate) observed: Vec<Observed>,
    /// Targets that do not list their tests.
    pub(crate) unlisted: Vec<String>,
    /// The mutants that tests were asked about.
    pub(crate) mutants: Vec<MutantId>,
    /// The mutants that some test kills.
    pub(crate) killed: BTreeSet<MutantId>,
}

/// Says which tests are redundant, and takes them out of their files if the user asks for that.
pub fn minimize(
    config: &Config,
    asked: Minimizing,
    watch: &mut Watch<'_>,
) -> Result<Outcome<MinimizeReport>, CommandError> {
    let report = minimized(config, asked, watch);
    watch.outcome(report)
}

fn minimized(
    config: &Config,
    asked: Minimizing,
    watch: &mut Watch<'_>,
) -> Result<MinimizeReport, CommandError> {
    let mut clock = Clock::default();
    let rewritten = rewrite(&config.equipping, Purpose::Judging, watch)?;
    clock.stage_over(Timed::Copy);
    let Rewritten {
        package,
        scratch,
        instrument,
        copied,
    } = &rewritten;
    let sandbox = config.equipping.machinery.sandbox;
    let rig = Rig::new(scratch, instrument, sandbox, watch.cancel())?;
    watch.enter(Stage::Record);
    let mut suite = observe(&rig, copied)?;
    clock.stage_over(Timed::Record);
    watch.enter(Stage::Mutants);
    let most = asked.max_mutants.unwrap_or(usize::MAX);
    let sample = sample(copied, config.exploring.seed, most);
    ask_mutants(&rig, copied, &mut suite, sample, watch)?;
    clock.stage_over(Timed::Mutants);
    watch.enter(Stage::Minimize);
    let trial = trial::trial(&rig, copied, &suite)?;
    clock.stage_over(Timed::Check);
    let mut report = report::report(package, copied, &suite, &trial);
    rig.go_on()?;
    if asked.apply && report.refused.is_none() && !trial.edits.is_empty() {
        trial::write(package, &trial)?;
        report.applied = true;
    }
    let n_mutants = copied.mutants.len() - copied.dropped.len();
    report.sampled = Some(suite.mutants.len()).filter(|it| *it < n_mutants);
    report.seconds = clock.seconds();
    Ok(report)
}

/// A sample of the mutants that compile, in their order.
fn sample(copied: &Copied, seed: u64, most: usize) -> Vec<MutantId> {
    let is_accepted = |id: &MutantId| !copied.dropped.contains_key(id);
    let mut ids = testsmith_mutation::sample(copied, seed, most, is_accepted);
    ids.sort_unstable();
    ids
}

/// Lists the tests and runs each twice. Only what a test does both times counts.
fn observe(rig: &Rig, copied: &Copied) -> Result<Suite, CommandError> {
    let package = &rig.twin.package;
    let targets = rig.targets(&rig.build_on_copy(copied)?, package);
    let List {
        tests: ids,
        unlisted,
    } = list(rig, &targets)?;
    let sources: Vec<SourceTests> = targets
        .iter()
        .map(|it| tests(package, &it.root, it.is_library()))
        .collect();
    let mut ours: BTreeMap<std::path::PathBuf, bool> = BTreeMap::new();
    let mut tests: Vec<Test> = Vec::new();
    for id in ids {
        let source = sources[id.target].get(&id.name).cloned().flatten();
        let is_of_ours = source.as_ref().is_some_and(|it| {
            let path = package.join(&it.file);
            *ours.entry(path.clone()).or_insert_with(|| is_ours(&path))
        });
        tests.push(Test {
            shown: format!("{} {}", targets[id.target].name, id.name),
            id,
            source,
            is_ours: is_of_ours,
            seconds: 0.0,
            fuel: Fuel::Little,
            opaque: BTreeSet::new(),
            entered: BTreeSet::new(),
        });
    }
    // Of two alike tests, one that a person wrote stays rather than one of testsmith's, and then
    // the first.
    tests.sort_by_cached_key(|it| {
        let place = it.source.as_ref().map(|it| (it.file.clone(), it.line));
        (it.is_ours, it.id.target, place.is_none(), place)
    });
    let running: Vec<usize> = (0..tests.len())
        .filter(|i| !tests[*i].id.is_ignored)
        .collect();
    let ids: Vec<&TestId> = running.iter().map(|i| &tests[*i].id).collect();
    let first = record(rig, &targets, &ids, Fuel::Endless)?;
    let second = record(rig, &targets, &ids, Fuel::Little)?;
    let seconds = time(rig, &targets, &ids)?;
    let is_heavy = |i: &usize| first[*i].failed.is_none() && second[*i].failed.is_some();
    let heavy: Vec<usize> = (0..ids.len()).filter(is_heavy).collect();
    let again: Vec<&TestId> = heavy.iter().map(|i| ids[*i]).collect();
    let again = record(rig, &targets, &again, Fuel::Much)?;
    let mut second: Vec<(Recording, Fuel)> =
        second.into_iter().map(|it| (it, Fuel::Little)).collect();
    for (i, recorded) in heavy.into_iter().zip(again) {
        second[i] = (recorded, Fuel::Much);
    }
    let mut observed: Vec<Observed> = tests.iter().map(ignored).collect();
    let both_runs = first.into_iter().zip(second).zip(seconds);
    for (i, ((first, (second, fuel)), seconds)) in running.into_iter().zip(both_runs) {
        tests[i].seconds = seconds;
        tests[i].fuel = fuel;
        tests[i].entered = &first.regions | &second.regions;
        tests[i].opaque = first.opaque.clone();
        observed[i] = Observed {
            assertions: observed[i].assertions.take(),
            is_ours: tests[i].is_ours,
            ..both(&first, &second)
        };
    }
    Ok(Suite {
        unlisted: unlisted
            .into_iter()
            .map(|i| targets[i].name.clone())
            .collect(),
        targets,
        tests,
        observed,
        mutants: Vec::new(),
        killed: BTreeSet::new(),
    })
}

fn ignored(test: &Test) -> Observed {
    Observed {
        assertions: test.source.as_ref().map(|it| it.assertions.clone()),
        is_ours: test.is_ours,
        unjudged: Some("is ignored, so it is not run".to_owned()),
        ..Observed::default()
    }
}

/// What two runs of a test agree on.
fn both(first: &Recording, second: &Recording) -> Observed {
    let unjudged = if let Some(why) = first.failed {
        Some(why.to_owned())
    } else if second.failed.is_some() {
        Some("takes too many turns, or fails now and then".to_owned())
    } else if first.is_full || second.is_full {
        Some("makes more calls than there is room for".to_owned())
    } else if !first.opaque.is_empty() {
        Some("has calls with arguments that cannot be seen whole".to_owned())
    } else if first.executions != second.executions {
        Some("makes other calls each time".to_owned())
    } else if first.executions.is_empty() {
        Some("makes no call of the crate that is seen".to_owned())
    } else {
        None
    };
    Observed {
        executions: &first.executions & &second.executions,
        last: first.last,
        regions: &first.regions & &second.regions,
        passes: first.failed.is_none() && second.failed.is_none(),
        unjudged,
        ..Observed::default()
    }
}

/// Runs the tests with every mutant that one of them meets. If a candidate meets it, all tests are
/// asked whether they fail; else one that fails is enough.
fn ask_mutants(
    rig: &Rig,
    copied: &Copied,
    suite: &mut Suite,
    mutants: Vec<MutantId>,
    watch: &mut Watch<'_>,
) -> Result<(), CommandError> {
    suite.mutants = mutants;
    let candidates = judge::candidates(&suite.observed);
    let questions: Vec<Question> = suite
        .mutants
        .iter()
        .map(|id| Question {
            mutant: *id,
            tests: suite.meeting(copied, *id),
        })
        .filter(|it| !it.tests.is_empty())
        .collect();
    let of = questions.len();
    let mut progress = |n| watch.tell(Event::Asking { n, of });
    let shared: &Suite = suite;
    let killers = rig.each_of_all(&questions, &mut progress, |cell, question| {
        let is_all = question.tests.iter().any(|it| candidates.contains(it));
        let tests = question.tests.iter();
        let tests = tests.map(|i| shared.asked(*i, &shared.tests[*i].id));
        let tests: Vec<Asked<'_>> = tests.collect();
        killers(rig, cell, &shared.targets, &tests, question.mutant, is_all)
    })?;
    for (question, killers) in questions.iter().zip(killers) {
        if !killers.is_empty() {
            suite.killed.insert(question.mutant);
        }
        for test in killers {
            suite.observed[test].kills.insert(question.mutant);
        }
    }
    Ok(())
}

/// A mutant, and the tests that meet it.
struct Question {
    mutant: MutantId,
    tests: Vec<usize>,
}

impl Suite {
    /// The passing tests that go through the code of a mutant; all of them if entries of that code
    /// are not counted.
    pub(crate) fn meeting(&self, copied: &Copied, mutant: MutantId) -> Vec<usize> {
        let region = copied.mutant(mutant).region;
        let region = region.filter(|it| copied.counted.contains(it));
        let meets = |i: &usize| match region {
            Some(region) => self.tests[*i].entered.contains(&region),
            None => !self.tests[*i].entered.is_empty(),
        };
        let tests = 0..self.tests.len();
        tests
            .filter(|i| self.observed[*i].passes)
            .filter(meets)
            .collect()
    }

    pub(crate) fn asked<'a>(&self, test: usize, id: &'a TestId) -> Asked<'a> {
        Asked {
            test,
            id,
            seconds: self.tests[test].seconds,
            fuel: self.tests[test].fuel,
        }
    }

    /// The judgement if the tests in `kept` must stay.
    pub(crate) fn judge(&self, kept: &BTreeSet<usize>) -> judge::Verdict {
        judge(&self.observed, kept)
    }

    /// The regions that passing tests enter each time.
    pub(crate) fn regions(&self) -> BTreeSet<RegionId> {
        let passing = self.observed.iter().filter(|it| it.passes);
        passing.flat_map(|it| it.regions.iter().copied()).collect()
    }
}
