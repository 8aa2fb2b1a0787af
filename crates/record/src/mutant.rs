//! What records say of one mutant, and of what it stands in: sources, branches, tests.

use serde::{Deserialize, Serialize};

use crate::{BranchKind, Noticed, OwnTestStatus, RefusedFor, Status, Stop, lenient};

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
    /// Did it make no difference to anything in many runs that go through its code?
    pub likely_equivalent: bool,
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
    /// The written tests that take it, by name. Who takes it of own tests is not told.
    pub taken_by: Vec<String>,
    /// Did a call of exploration that returned take it? Own tests are not explored.
    pub explored: bool,
}
