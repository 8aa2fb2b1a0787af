//! Makes the record of `cargo testsmith minimize`.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_harness::{Copied, MutantId, RegionId};
use testsmith_project::Package;
use testsmith_record::{
    DifferingReport, MinimizeReport, RecordKind, RedundantReport, SCHEMA, UnjudgedReport,
    WorthReport,
};

use super::judge::{Difference, Verdict, made_by};
use super::trial::Trial;
use super::{Suite, Test};

/// What the record is made from.
struct Teller<'t> {
    copied: &'t Copied,
    suite: &'t Suite,
    trial: &'t Trial,
}

impl Teller<'_> {
    fn name(&self, test: usize) -> String {
        self.suite.tests[test].shown.clone()
    }

    /// The tests that make the calls of this one.
    fn by(&self, test: usize) -> Vec<String> {
        let gone = &self.trial.verdict.redundant;
        let by = made_by(&self.suite.observed, test, gone);
        by.into_iter().map(|i| self.name(i)).collect()
    }

    fn redundant(&self, i: usize, left_alone: Option<String>) -> RedundantReport {
        let test: &Test = &self.suite.tests[i];
        let source = test.source.as_ref();
        RedundantReport {
            test: self.name(i),
            file: source.map_or(String::new(), |it| it.file.display().to_string()),
            line: source.map_or(0, |it| it.line),
            ours: test.is_ours,
            by: self.by(i),
            calls: self.suite.observed[i].executions.len(),
            left_alone,
        }
    }

    /// The tests that are taken out, then those that are redundant but must stay.
    fn all_redundant(&self) -> Vec<RedundantReport> {
        let Verdict {
            redundant, kept, ..
        } = &self.trial.verdict;
        let gone = redundant.iter().map(|i| self.redundant(*i, None));
        let kept = kept.iter();
        let kept = kept.map(|i| self.redundant(*i, self.trial.kept.get(i).cloned()));
        gone.chain(kept).collect()
    }

    fn differing(&self, test: usize, it: &Difference) -> DifferingReport {
        let mutant = |id: &MutantId| self.copied.mutant(*id).name.clone();
        let place = |id: &RegionId| {
            let region = self.copied.region(*id)?;
            Some(format!("{}:{}", region.file.display(), region.line))
        };
        DifferingReport {
            test: self.name(test),
            by: self.by(test),
            assertions: it.assertions.clone(),
            mutants: it.mutants.iter().map(mutant).collect(),
            entered: it.regions.iter().filter_map(place).collect(),
            unknown: it.unknown.clone(),
        }
    }

    fn unjudged(&self) -> Vec<UnjudgedReport> {
        let function = |id: &RegionId| Some(self.copied.region(*id)?.function.clone());
        let tests = self.suite.tests.iter().zip(&self.suite.observed);
        let unjudged = tests.filter_map(|(test, observed)| {
            Some(UnjudgedReport {
                test: test.shown.clone(),
                reason: observed.unjudged.clone()?,
                opaque: test.opaque.iter().filter_map(function).collect(),
            })
        });
        unjudged.collect()
    }

    /// What the suite is worth with `n_gone` tests fewer, if it enters these regions and kills this
    /// many mutants.
    fn worth(&self, n_gone: usize, regions: &BTreeSet<RegionId>, killed: usize) -> WorthReport {
        let is_branch = |id: &&RegionId| self.copied.is_branch(**id);
        let branches: Vec<&RegionId> = self.copied.counted.iter().filter(is_branch).collect();
        WorthReport {
            tests: self.suite.tests.len() - n_gone,
            branches: branches.len(),
            branches_taken: branches.iter().filter(|it| regions.contains(*it)).count(),
            mutants: self.suite.mutants.len(),
            killed,
            seconds: None,
        }
    }
}

/// The record of a trial.
pub(super) fn report(
    package: &Package,
    copied: &Copied,
    suite: &Suite,
    trial: &Trial,
) -> MinimizeReport {
    let teller = Teller {
        copied,
        suite,
        trial,
    };
    let differing = trial.verdict.differing.iter();
    let files = trial.edits.keys();
    MinimizeReport {
        schema: SCHEMA,
        kind: RecordKind::Minimize,
        package: package.name.clone(),
        version: package.version.clone(),
        redundant: teller.all_redundant(),
        differing: differing.map(|(i, it)| teller.differing(*i, it)).collect(),
        unjudged: teller.unjudged(),
        unlisted: suite.unlisted.clone(),
        before: WorthReport {
            seconds: trial.seconds.map(|it| it.0),
            ..teller.worth(0, &suite.regions(), suite.killed.len())
        },
        after: WorthReport {
            seconds: trial.seconds.map(|it| it.1),
            ..teller.worth(
                trial.verdict.redundant.len(),
                &trial.regions,
                trial.killed.len(),
            )
        },
        rerun: trial.n_rerun,
        sampled: None,
        warnings: trial.warnings.clone(),
        files: files.map(|it| it.display().to_string()).collect(),
        applied: false,
        refused: trial.refused.clone(),
        seconds: BTreeMap::new(),
    }
}
