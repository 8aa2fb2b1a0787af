//! The record of a mutation analysis: documented in `docs/record.md`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    BranchKind, LinesReport, Noticed, OwnTestStatus, RecordKind, RefusedFor, Status, Stop, Timed,
    VerificationReport, lenient,
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
    /// What was found out about some of them.
    #[serde(flatten)]
    pub verification: VerificationReport,
}

/// One mutant.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MutantReport {
    /// Its number in the copy.
    pub id: u32,
    /// Stays the same when other lines change.
    pub name: String,
    /// Relative to the package.
    pub file: String,
    /// Where it begins, from 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// Where what it replaces ends.
    pub end_line: usize,
    /// The first character behind it.
    pub end_column: usize,
    /// The function it is in.
    pub function: String,
    /// The family of its operator.
    pub operator: String,
    /// What stands in the source.
    pub original: String,
    /// What stands there instead.
    pub replacement: String,
    /// What is written there to have the mutant alone.
    pub edit: String,
    /// What became of it.
    pub status: Status,
    /// The test that noticed it first.
    pub killed_by: Vec<String>,
    /// How.
    pub how: Option<Noticed>,
    /// The tests that go through its code.
    pub reached_by: Vec<String>,
    /// Why it is unviable, equivalent or suppressed.
    pub reason: Option<String>,
    /// What that is about, if rustc refused it.
    pub refused_for: Option<RefusedFor>,
    /// Was it compared with the original, optimised?
    pub compared: bool,
    /// Is the verdict one of an earlier run?
    pub reused: bool,
    /// What it changed without being noticed.
    pub impact: Option<Impact>,
    /// Where it stops, if a run wrote tests and none of them notices it.
    pub stop: Option<Stop>,
}

/// How much a mutant changed in tests that did not notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Impact {
    /// Functions that some test went through otherwise.
    pub functions: usize,
    /// Parts of functions that some test entered more or less often.
    pub regions: usize,
    /// Functions that returned something else to some test.
    pub values: usize,
}

impl Impact {
    /// The more, the likelier it is that a test could notice.
    pub fn weight(self) -> (usize, usize) {
        (self.functions + self.values, self.regions)
    }
}

/// A test of the package's own.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnTestReport {
    /// Its target and its name.
    pub name: String,
    /// The kind and the name of its target; `doc` for examples of the documentation.
    pub target: String,
    /// How long it takes in a process of its own.
    #[serde(deserialize_with = "lenient::number")]
    pub seconds: f64,
    /// How it ends: only those that pass say anything about mutants.
    pub status: OwnTestStatus,
    /// Why it does not.
    pub reason: Option<String>,
    /// Mutants that it noticed first.
    pub kills: usize,
}

/// A file of the crate.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceReport {
    /// Relative to the package.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// One side of a branch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BranchReport {
    /// Relative to the package.
    pub file: String,
    /// Where it begins, from 1.
    pub line: usize,
    /// What decides.
    pub kind: BranchKind,
    /// The function it is in.
    pub function: String,
    /// Does a test take it?
    pub taken: bool,
    /// Did a call of exploration that returned take it? Own tests are not explored.
    pub explored: bool,
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
