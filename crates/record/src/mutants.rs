//! The record of a mutation analysis: documented in `docs/record.md`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    BranchReport, Dropped, FileReport, LinesReport, MutantReport, OwnTestReport, RecordKind,
    SourceReport, Status, Stop, TestReport, Timed, VerificationReport, lenient,
};

/// What `cargo testsmith mutants` tells.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MutantsReport {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// [`RecordKind::Mutants`].
    pub kind: RecordKind,
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Every mutant that was asked for, in the order of the source.
    pub mutants: Vec<MutantReport>,
    /// How many there are of each status.
    pub counts: BTreeMap<Status, usize>,
    /// The share of those that are killed among all that are killed, survive or are not reached; none
    /// if there are no such.
    pub score: Option<f64>,
    /// Mutants of the package, whether they were asked for or not.
    pub total: usize,
    /// Those that were not.
    pub not_asked: usize,
    /// These, with what earlier runs know of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rest: Vec<MutantReport>,
    /// The package's own tests.
    pub tests: Vec<OwnTestReport>,
    /// The crate's files.
    pub sources: Vec<SourceReport>,
    /// Sides of branches.
    pub branches: Vec<BranchReport>,
    /// What own tests go through.
    pub coverage: Option<LinesReport>,
    /// Seconds by stage.
    #[serde(deserialize_with = "lenient::seconds")]
    pub seconds: BTreeMap<Timed, f64>,
    /// Tests that ran at once.
    pub jobs: usize,
    /// Verdicts of an earlier run that still hold.
    pub reused: usize,
    /// Was the run ended before all verdicts were known?
    pub interrupted: bool,
    /// Types of the crate whose values can be written out, and built again.
    pub types: usize,
    /// Those whose values cannot, and what rustc says.
    pub opaque: BTreeMap<String, String>,
    /// Types whose derived equality is written out in the copy: it is seen when it runs.
    pub written_out: usize,
    /// Those whose equality is derived there, too, and why.
    pub derived: BTreeMap<String, String>,
    /// Is it looked into what generic parameters stand for?
    pub sees_through: bool,
    /// What was left out on purpose, and how often it was met.
    pub left_out: BTreeMap<String, usize>,
    /// Rounds of `cargo check` until the copy with all the others compiled.
    pub rounds: u32,
    /// Where the copy was made.
    pub copy: String,
    /// Tests that were written for those that no test noticed, if that was asked for.
    pub fix: Option<FixReport>,
    /// What was found out about some of them.
    #[serde(flatten)]
    pub verification: VerificationReport,
}

/// What came of writing tests for mutants that no test of the package's noticed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FixReport {
    /// How many mutants no test noticed before.
    pub asked: usize,
    /// The names of those that the package's tests notice now.
    pub killed: Vec<String>,
    /// How many the written tests were to notice, and do not when they really run.
    pub unconfirmed: usize,
    /// The written tests.
    pub tests: Vec<TestReport>,
    /// Their files.
    pub files: Vec<FileReport>,
    /// How many of the others stop where.
    pub stops: BTreeMap<Stop, usize>,
    /// What was left out on the way.
    pub dropped: Vec<Dropped>,
    /// Seconds by stage.
    #[serde(deserialize_with = "lenient::seconds")]
    pub seconds: BTreeMap<Timed, f64>,
}

impl MutantsReport {
    /// Counts what the mutants have become.
    pub fn count(&mut self) {
        self.counts.clear();
        for mutant in &self.mutants {
            *self.counts.entry(mutant.status).or_default() += 1;
        }
        self.score = score(&self.mutants);
        self.reused = self.mutants.iter().filter(|it| it.reused).count();
        for test in &mut self.tests {
            let kills = self
                .mutants
                .iter()
                .filter(|it| it.killed_by.contains(&test.name));
            test.kills = kills.count();
        }
    }

    /// Takes all that is known as what was asked for, whatever was asked for the last time.
    pub fn take_rest(&mut self) {
        if !self.rest.is_empty() {
            self.mutants.append(&mut self.rest);
            self.mutants.sort_by_key(|it| it.id);
            self.score = score(&self.mutants);
        }
    }

    /// How many mutants have this status.
    pub fn n(&self, status: Status) -> usize {
        self.counts.get(&status).copied().unwrap_or(0)
    }
}

/// The share of mutants that are killed among those that are killed, survive or are not reached.
fn score(mutants: &[MutantReport]) -> Option<f64> {
    let n = |status| mutants.iter().filter(|it| it.status == status).count();
    let n_killed = n(Status::Killed);
    let of = n_killed + n(Status::Survived) + n(Status::Unreached);
    (of > 0).then(|| n_killed as f64 / of as f64)
}
