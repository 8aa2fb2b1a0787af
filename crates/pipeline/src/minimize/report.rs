//! What `cargo testsmith minimize` tells.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use testsmith_harness::{Copied, RegionId};
use testsmith_project::Package;

use super::judge::made_by;
use super::trial::Trial;
use super::{Suite, Test};
use crate::report::SCHEMA;

/// What `cargo testsmith minimize` tells.
#[derive(Clone, Debug, Serialize)]
pub struct MinimizeReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Tests that can go, all of them at once.
    pub redundant: Vec<RedundantReport>,
    /// Tests that make no call that others do not make, and assert something else, or perhaps do.
    pub differing: Vec<DifferingReport>,
    /// Tests that are not judged, and why.
    pub unjudged: Vec<UnjudgedReport>,
    /// Targets that do not list their tests.
    pub unlisted: Vec<String>,
    /// The suite as it is.
    pub before: WorthReport,
    /// The suite without what is redundant.
    pub after: WorthReport,
    /// Mutants that were run once more without the tests that go; others are killed by tests that stay.
    pub rerun: usize,
    /// Only so many mutants were asked.
    pub sampled: Option<usize>,
    /// Warnings of the compiler that are new without them.
    pub warnings: Vec<String>,
    /// Files that change.
    pub files: Vec<String>,
    /// Were they changed?
    pub applied: bool,
    /// Why nothing is to be changed, although tests are redundant.
    pub refused: Option<String>,
    /// By stage.
    pub seconds: BTreeMap<&'static str, f64>,
}

/// A test that can go.
#[derive(Clone, Debug, Serialize)]
pub struct RedundantReport {
    /// Its target and its name.
    pub test: String,
    /// Relative to the package.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// Did testsmith write it?
    pub ours: bool,
    /// Tests that stay and make all its calls.
    pub by: Vec<String>,
    /// Calls that it makes, those that are alike counted once.
    pub calls: usize,
    /// Why it stays all the same, if it does.
    pub left_alone: Option<String>,
}

/// A test that makes the calls of others, and asserts something else.
#[derive(Clone, Debug, Serialize)]
pub struct DifferingReport {
    /// Its target and its name.
    pub test: String,
    /// Tests that make all its calls.
    pub by: Vec<String>,
    /// Assertions that none of those that share calls with it has.
    pub assertions: Vec<String>,
    /// Names of mutants that make it fail, and none of those that stay.
    pub mutants: Vec<String>,
    /// Places in the code that only it goes through.
    pub entered: Vec<String>,
    /// Why its text does not say what it asserts.
    pub unknown: Option<String>,
}

/// A test that is not judged.
#[derive(Clone, Debug, Serialize)]
pub struct UnjudgedReport {
    /// Its target and its name.
    pub test: String,
    /// Why not.
    pub reason: String,
    /// Functions that it calls with arguments that cannot be seen whole.
    pub opaque: Vec<String>,
}

/// What a suite is worth.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WorthReport {
    /// Tests in it, ignored ones included.
    pub tests: usize,
    /// Sides of branches in the crate's code.
    pub branches: usize,
    /// Those that a test takes.
    pub branches_taken: usize,
    /// Mutants that were asked.
    pub mutants: usize,
    /// Those that a test kills.
    pub killed: usize,
    /// How long it takes as the user runs it, if that was measured.
    pub seconds: Option<f64>,
}

pub(super) fn report(
    package: &Package,
    copied: &Copied,
    suite: &Suite,
    trial: &Trial,
) -> MinimizeReport {
    let name = |i: &usize| suite.tests[*i].shown.clone();
    let gone = &trial.verdict.redundant;
    let by = |i: usize| made_by(&suite.seen, i, gone).iter().map(name).collect();
    let redundant = |i: usize, left_alone: Option<String>| {
        let test: &Test = &suite.tests[i];
        let source = test.source.as_ref();
        RedundantReport {
            test: test.shown.clone(),
            file: source.map_or(String::new(), |it| it.file.display().to_string()),
            line: source.map_or(0, |it| it.line),
            ours: test.is_ours,
            by: by(i),
            calls: suite.seen[i].executions.len(),
            left_alone,
        }
    };
    let kept = trial.verdict.kept.iter();
    let kept = kept.map(|i| redundant(*i, trial.kept.get(i).cloned()));
    let redundant: Vec<RedundantReport> = gone
        .iter()
        .map(|i| redundant(*i, None))
        .chain(kept)
        .collect();
    let mutant = |id: &u32| copied.mutants[*id as usize - 1].name.clone();
    let place = |region: &u32| {
        let it = &copied.regions[*region as usize];
        format!("{}:{}", it.file.display(), it.line)
    };
    let differing = trial
        .verdict
        .differing
        .iter()
        .map(|(i, it)| DifferingReport {
            test: name(i),
            by: by(*i),
            assertions: it.assertions.clone(),
            mutants: it.mutants.iter().map(mutant).collect(),
            entered: it.regions.iter().map(place).collect(),
            unknown: it.unknown.clone(),
        });
    let function = |region: &u32| {
        let region = copied.regions.get(*region as usize);
        region.map(|it| it.function.clone())
    };
    let unjudged = suite.tests.iter().zip(&suite.seen);
    let unjudged = unjudged.filter_map(|(test, seen)| {
        Some(UnjudgedReport {
            test: test.shown.clone(),
            reason: seen.unjudged.clone()?,
            opaque: test.opaque.iter().filter_map(function).collect(),
        })
    });
    let worth = |n_gone: usize, regions: &BTreeSet<u32>, killed: usize| {
        let is_branch = |id: &&RegionId| copied.regions[id.0 as usize].kind.is_branch();
        let branches: Vec<&RegionId> = copied.counted.iter().filter(is_branch).collect();
        WorthReport {
            tests: suite.tests.len() - n_gone,
            branches: branches.len(),
            branches_taken: branches.iter().filter(|it| regions.contains(&it.0)).count(),
            mutants: suite.mutants.len(),
            killed,
            seconds: None,
        }
    };
    MinimizeReport {
        schema: SCHEMA,
        package: package.name.clone(),
        version: package.version.clone(),
        redundant,
        differing: differing.collect(),
        unjudged: unjudged.collect(),
        unlisted: suite.unlisted.clone(),
        before: WorthReport {
            seconds: trial.seconds.map(|it| it.0),
            ..worth(0, &suite.regions(), suite.killed.len())
        },
        after: WorthReport {
            seconds: trial.seconds.map(|it| it.1),
            ..worth(gone.len(), &trial.regions, trial.killed.len())
        },
        rerun: trial.n_rerun,
        sampled: None,
        warnings: trial.warnings.clone(),
        files: trial
            .edits
            .keys()
            .map(|it| it.display().to_string())
            .collect(),
        applied: false,
        refused: trial.refused.clone(),
        seconds: BTreeMap::new(),
    }
}
