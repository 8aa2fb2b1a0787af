//! What became of the suite that was there when a command began, and the record of
//! `cargo testsmith --check`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{RecordKind, Timed, lenient};

/// What became of the suite that was there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StandingReport {
    /// Tests that were there.
    pub tests: usize,
    /// Those of them that a person wrote or edited.
    pub persons: usize,
    /// Those that end as they did: they pass, or fail if that is what they are there for.
    pub held: usize,
    /// Behaviour that changed, by the call that is likely to have changed.
    pub changed: Vec<ChangedReport>,
    /// Tests that expect what there is now, because the user accepted it.
    pub rewritten: Vec<String>,
    /// Tests whose change was accepted, and that could not be rewritten.
    pub taken_out: Vec<String>,
    /// Tests that show a failure which is gone.
    pub fixed: Vec<String>,
    /// Tests that fail in some runs only.
    pub flickering: Vec<String>,
    /// Tests that were not run.
    pub untried: Vec<ReasonedReport>,
    /// Tests that are new.
    pub added: Vec<String>,
    /// How many new tests wait until behaviour that changed is accepted.
    pub waiting: usize,
    /// Tests that could go.
    pub proposed: Vec<ReasonedReport>,
    /// Tests of which not all calls could be read, so that not all is known that they are good for.
    pub unread: usize,
    /// Did the run start over?
    pub fresh: bool,
}

impl StandingReport {
    /// Tests that show a change which nobody has accepted.
    pub fn n_open(&self) -> usize {
        let tests = self.changed.iter().flat_map(|it| &it.tests);
        tests.filter(|it| !it.accepted).count()
    }
}

/// Behaviour that changed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChangedReport {
    /// The call that is likely to have changed, as tests write it: failing tests have it in common,
    /// passing ones do not.
    pub call: String,
    /// The tests that show it.
    pub tests: Vec<ShowingReport>,
}

/// A test that shows a change.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ShowingReport {
    /// Its name, as `cargo test -- --exact` takes it.
    pub name: String,
    /// Its file, relative to the package if it is inside.
    pub file: String,
    /// The line that shows it, or the first of the test.
    pub line: usize,
    /// Did a person write or edit it?
    pub person: bool,
    /// What it expects; none if no two values were compared.
    pub old: Option<String>,
    /// What there is now; none if no two values were compared.
    pub new: Option<String>,
    /// How it fails, in words.
    pub how: String,
    /// Did the user accept it?
    pub accepted: bool,
}

/// A test, and why something is said of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReasonedReport {
    /// Its name.
    pub name: String,
    /// Its file, relative to the package if it is inside.
    pub file: String,
    /// Why.
    pub reason: String,
}

/// What `cargo testsmith --check` found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckReport {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// [`RecordKind::Check`].
    pub kind: RecordKind,
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// What became of the suite.
    pub standing: StandingReport,
    /// Seconds by stage.
    #[serde(deserialize_with = "lenient::seconds")]
    pub seconds: BTreeMap<Timed, f64>,
}
