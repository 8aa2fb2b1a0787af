//! The record of `cargo testsmith redundancy`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Notion, RecordKind, SuiteKind, Timed, lenient};

/// What `cargo testsmith redundancy` tells.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RedundancyReport {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// [`RecordKind::Redundancy`].
    pub kind: RecordKind,
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Equalities by hand that note what they read of values, with the methods that they call.
    pub monitored: usize,
    /// Those that do not, and why: all of a value counts as read by them.
    pub unmonitored: BTreeMap<String, String>,
    /// Types of the crate with a constructor and a method.
    pub types: Vec<TypeReport>,
    /// By stage.
    #[serde(deserialize_with = "lenient::seconds")]
    pub seconds: BTreeMap<Timed, f64>,
    /// Ended early, on request; the type under way is left out.
    pub interrupted: bool,
}

/// What was found out about a type.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TypeReport {
    /// The type.
    pub path: String,
    /// What makes its values.
    pub constructors: Vec<String>,
    /// What is called on them.
    pub methods: Vec<String>,
    /// Its suites.
    pub suites: Vec<SuiteReport>,
}

/// A suite of a type.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SuiteReport {
    /// Its kind.
    pub suite: SuiteKind,
    /// Tests in it.
    pub tests: usize,
    /// Calls of the crate that they make.
    pub executions: usize,
    /// What the whole is good for.
    pub quality: Quality,
    /// How each notion judges it, the finest first.
    pub notions: Vec<NotionReport>,
    /// What comes of it if it is augmented, by notion.
    pub augmented: Vec<AugmentReport>,
    /// Tests that fail before their last call, and end there.
    pub cut: usize,
    /// What is no test: it reaches for the world outside, or no guest understands it.
    pub unfit: usize,
    /// Calls that the borrow check does not let pass.
    pub rejected: usize,
    /// Tests beyond the limit, and combinations of arguments that have none.
    pub beyond: usize,
    /// Operations for which it is not known how to make an argument.
    pub without_arguments: Vec<String>,
    /// Types of arguments whose states are not seen whole, and in how many calls: they are told by the
    /// calls that made them.
    pub not_whole: BTreeMap<String, usize>,
    /// Values that `==` was not asked about, because there were too many.
    pub uncompared: usize,
    /// How the values of the crate's own types were seen, and where two notions disagree about them.
    pub seen: BTreeMap<String, SeenReport>,
}

/// How a notion judges a suite.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NotionReport {
    /// Its name.
    pub state_by: Notion,
    /// Tests of which every call is known from those before them.
    pub redundant_tests: usize,
    /// Calls that are known from those before them.
    pub redundant_executions: usize,
    /// How long that takes: running the tests, looking at their values, comparing them, judging; each
    /// if the notion needs it.
    pub seconds: f64,
    /// What the other tests are good for.
    pub quality: Quality,
    /// Branches, failures and mutants that the whole suite has and the other tests have not.
    pub lost: Vec<String>,
}
/// What a suite reaches by one notion of equal states, as it is and augmented.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AugmentReport {
    /// The notion's name.
    pub state_by: Notion,
    /// As it is, after one round, after two.
    pub rounds: Vec<Reached>,
}

/// What is reached after some rounds.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reached {
    /// Tests that are added: a state, and a call with a list of arguments.
    pub added: u64,
    /// States of the type that are like no other.
    pub states: u64,
    /// Sides of branches.
    pub branches: u64,
    /// Failures that differ in the operation or in the place.
    pub failures: u64,
    /// How long it takes, from the start.
    pub seconds: f64,
    /// Were there more calls than we wait for?
    pub cut: bool,
}
/// What a suite is good for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Quality {
    /// Sides of branches that a test takes.
    pub branches: usize,
    /// Failures that differ in the operation or in the place.
    pub failures: usize,
    /// Mutants that a test kills.
    pub mutants: usize,
}
/// How the values of a type of the crate were seen.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SeenReport {
    /// Has the type `==`?
    pub equality: bool,
    /// How often a value was looked at.
    pub looks: usize,
    /// Of these, how often all of it was seen.
    pub whole: usize,
    /// How often all was seen that `==` reads when it compares the value with itself.
    pub read: usize,
    /// How often that was less than all of it.
    pub less: usize,
    /// Pairs of different values of which both what `==` reads and what it says is known.
    pub pairs: usize,
    /// Those that are equal, although `==` reads different things: monitor-eq is finer there.
    pub finer: usize,
    /// One of them: how each value is made.
    pub finer_example: Option<[String; 2]>,
    /// Those that are not equal, although `==` reads the same: monitor-eq is coarser there.
    pub coarser: usize,
    /// One of them: how each value is made.
    pub coarser_example: Option<[String; 2]>,
}

impl RedundancyReport {
    /// Suites that are worth less without the tests that a notion calls redundant: the type, the suite,
    /// the notion.
    pub fn losses(&self) -> Vec<(&TypeReport, &SuiteReport, &NotionReport)> {
        let suites = self
            .types
            .iter()
            .flat_map(|it| it.suites.iter().map(move |suite| (it, suite)));
        let notions =
            suites.flat_map(|(ty, suite)| suite.notions.iter().map(move |it| (ty, suite, it)));
        notions
            .filter(|(.., notion)| !notion.lost.is_empty())
            .collect()
    }
}
