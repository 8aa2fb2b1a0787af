//! The record of `cargo testsmith minimize`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{RecordKind, Timed, lenient};

/// What `cargo testsmith minimize` tells.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MinimizeReport {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// [`RecordKind::Minimize`].
    pub kind: RecordKind,
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
    #[serde(deserialize_with = "lenient::seconds")]
    pub seconds: BTreeMap<Timed, f64>,
}

/// A test that can go.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UnjudgedReport {
    /// Its target and its name.
    pub test: String,
    /// Why not.
    pub reason: String,
    /// Functions that it calls with arguments that cannot be seen whole.
    pub opaque: Vec<String>,
}

/// What a suite is worth.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
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
