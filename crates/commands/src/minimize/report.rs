//! What `cargo testsmith minimize` tells.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_harness::{Copied, RegionId};
use testsmith_project::Package;
use testsmith_record::{
    DifferingReport, MinimizeReport, RedundantReport, SCHEMA, UnjudgedReport, WorthReport,
};

use super::judge::made_by;
use super::trial::Trial;
use super::{Suite, Test};

pub(super) fn report(
    package: &Package,
    copied: &Copied,
    suite: &Suite,
    trial: &Trial,
) -> MinimizeReport {
    let name = |i: &usize| suite.tests[*i].shown.clone();
    let gone = &trial.verdict.redundant;
    let by = |i: usize| made_by(&suite.observed, i, gone).iter().map(name).collect();
    let redundant = |i: usize, left_alone: Option<String>| {
        let test: &Test = &suite.tests[i];
        let source = test.source.as_ref();
        RedundantReport {
            test: test.shown.clone(),
            file: source.map_or(String::new(), |it| it.file.display().to_string()),
            line: source.map_or(0, |it| it.line),
            ours: test.is_ours,
            by: by(i),
            calls: suite.observed[i].executions.len(),
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
    let unjudged = suite.tests.iter().zip(&suite.observed);
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
