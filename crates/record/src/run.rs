//! The record of a run: versioned, documented in `docs/record.md`, written by `--json`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    BranchReport, CallableStatus, CoverageReport, FailureKind, FailureLevel, FailureVerdict,
    FileStatus, HuntEnd, MutantReport, RecordKind, SourceReport, StandingReport, TestKind, Timed,
    Touched, lenient,
};

/// Everything a run knows when it is over.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// [`RecordKind::Run`].
    pub kind: RecordKind,
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Where the randomness started.
    pub seed: u64,
    /// Guests that worked at once.
    pub jobs: u32,
    /// Calls executed.
    pub calls: u64,
    /// Calls executed that no earlier sequence had.
    pub new_calls: u64,
    /// Distinct sequences executed.
    pub sequences: u64,
    /// Distinct values seen.
    pub states: u64,
    /// Rounds through all states, of the exhaustive strategy.
    pub rounds: Vec<RoundReport>,
    /// Laws of traits and of the user's, and how often it was asked whether one holds.
    pub laws: LawsReport,
    /// Seconds by stage.
    #[serde(deserialize_with = "lenient::seconds")]
    pub seconds: BTreeMap<Timed, f64>,
    /// Operations in the harness.
    pub operations: u64,
    /// What exploration began with.
    pub seeds: SeedsReport,
    /// Every public callable.
    pub callables: Vec<CallableReport>,
    /// Every container of the crate.
    pub containers: Vec<ContainerReport>,
    /// What the regression tests are good for; none if there is no rewritten copy of the crate.
    pub coverage: Option<CoverageReport>,
    /// What the hunt for mutants that lived came to; none if there was none.
    pub hunt: Option<HuntReport>,
    /// Every side of a branch, and whether the regression tests take it.
    pub branches: Vec<BranchReport>,
    /// Every mutant, and what the regression tests make of it.
    pub mutants: Vec<MutantReport>,
    /// The crate's files, as they were.
    pub sources: Vec<SourceReport>,
    /// What became of the suite that was there.
    pub standing: StandingReport,
    /// Every test of the suite: those that were there, and new ones.
    pub tests: Vec<TestReport>,
    /// Every cause of failure.
    pub failures: Vec<FailureReport>,
    /// What was left out, and why.
    pub dropped: Vec<Dropped>,
    /// Files written or kept.
    pub files: Vec<FileReport>,
    /// Ended before its time, on request.
    pub interrupted: bool,
}

/// A round through all states that were new when it began.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RoundReport {
    /// States that it begins with.
    pub states: u64,
    /// States that it has been through; fewer than that if exploration ended in it.
    pub done: u64,
    /// Pairs of such a state and a list of arguments for a call on it.
    pub combinations: u64,
    /// Those that shared the calls that make their state, and showed nothing new.
    pub shared: u64,
    /// Those that the borrow check rejects, that were made before or that must not be run.
    pub refused: u64,
}

/// What was asked of laws.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LawsReport {
    /// Laws of values of some type.
    pub known: u64,
    /// How often it was asked whether one of them holds.
    pub asked: u64,
}

/// What the hunt for mutants came to that nothing which exploration found kills.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HuntReport {
    /// How many of these there were.
    pub left: usize,
    /// How many of them it killed.
    pub killed: usize,
    /// How many of those by a look at more values, without a new execution.
    pub closer: usize,
    /// How many of those that it killed only private `Debug` text tells.
    pub by_text: usize,
    /// Rounds of new executions.
    pub rounds: usize,
    /// New executions that were tried.
    pub tried: usize,
    /// Why it ended.
    pub ended: HuntEnd,
}

/// How far a type with a `len` or an `iter` was driven.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ContainerReport {
    /// The type's path.
    pub path: String,
    /// Distinct values of it that were seen, of all its instances.
    pub states: u64,
    /// The greatest length that was found; none if it has no `len`, or nothing could be asked.
    #[serde(deserialize_with = "lenient::great")]
    pub largest: Option<u128>,
}

/// What was lifted from examples and tests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SeedsReport {
    /// Sequences that exploration began with.
    pub sequences: u64,
    /// Examples of the documentation.
    pub examples: YieldReport,
    /// Test functions of the package.
    pub tests: YieldReport,
}

/// What one kind of source gave.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct YieldReport {
    /// Programs found.
    pub found: u64,
    /// Programs with a call that was lifted.
    pub lifted: u64,
    /// Statements with a call in them.
    pub statements: u64,
    /// Those that were lifted.
    pub lifted_statements: u64,
}

/// The reason of a callable that the user asked to leave out.
pub const LEFT_OUT: &str = "left out on request";
/// The reason of a callable that is not for people.
pub const HIDDEN: &str = "hidden from the documentation";

/// One callable.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CallableReport {
    /// Its stable key.
    pub path: String,
    /// How far it came.
    pub status: CallableStatus,
    /// Calls that returned normally.
    pub calls: u64,
    /// Why it was skipped or not reached.
    pub reason: Option<String>,
    /// Is it one of the functions and methods that reach is measured on?
    pub counted: bool,
    /// What an unsafe function's documentation asks of its callers.
    pub safety: Option<String>,
    /// Its operations.
    pub instances: Vec<String>,
    /// What of the world outside its calls reached for.
    pub touches: BTreeSet<Touched>,
    /// Regression tests that call it, in a step or in an assertion.
    pub tests: u64,
}

impl CallableReport {
    /// Did the user ask for it to be left out, by `--skip` or by `--only` something else?
    pub fn is_left_out(&self) -> bool {
        self.reason.as_deref() == Some(LEFT_OUT)
    }

    /// Is it `#[doc(hidden)]`, or nowhere but in something that is?
    pub fn is_hidden(&self) -> bool {
        self.reason.as_deref() == Some(HIDDEN)
    }
}

/// A reason, and the callables that it holds for.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReasonReport {
    /// In words.
    pub reason: String,
    /// How many callables.
    pub count: usize,
    /// Their stable keys.
    pub callables: Vec<String>,
}

impl ReasonReport {
    /// The reasons that these callables have, the most frequent first.
    pub fn ranked<'r>(
        callables: impl IntoIterator<Item = &'r CallableReport>,
    ) -> Vec<ReasonReport> {
        let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for callable in callables {
            if let Some(reason) = &callable.reason {
                let keys = by_reason.entry(reason).or_default();
                keys.push(callable.path.clone());
            }
        }
        let mut ranked: Vec<ReasonReport> = by_reason
            .into_iter()
            .map(|(reason, callables)| ReasonReport {
                reason: reason.to_owned(),
                count: callables.len(),
                callables,
            })
            .collect();
        // Stable: reasons with equal counts stay in the order of their words.
        ranked.sort_by_key(|reason| std::cmp::Reverse(reason.count));
        ranked
    }
}

/// One test.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TestReport {
    /// The function's name, after that of its module if it is in one: `cargo test -- --exact`
    /// takes it.
    pub name: String,
    /// The file it is in, relative to the package.
    pub file: String,
    /// What it is for.
    pub kind: TestKind,
    /// Calls of the crate under test.
    pub n_calls: u32,
    /// Assertions; a test that expects a panic has one.
    pub n_assertions: u32,
    /// Mutants that it kills.
    pub kills: usize,
    /// Its line in the file, attributes and comment included.
    pub line: u32,
    /// The `cfg` predicate on which it is compiled, if it is not sure to hold everywhere.
    pub condition: Option<String>,
    /// Its text, as it stands there.
    pub text: String,
}

/// One cause of failure.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FailureReport {
    /// What it is known by: the settings can accept it.
    pub name: String,
    /// How it failed.
    pub kind: FailureKind,
    /// The operation that failed.
    pub operation: String,
    /// The panic's message.
    pub message: String,
    /// Where it was raised.
    pub file: String,
    /// Where it was raised.
    pub line: u32,
    /// The calls that lead to it, as we write them for ourselves.
    pub program: String,
    /// Whose fault it is.
    pub verdict: FailureVerdict,
    /// How much it looks like a bug.
    pub level: FailureLevel,
    /// What decided.
    pub reason: String,
    /// All that speaks for a bug.
    pub says_bug: Vec<String>,
    /// All that speaks against one.
    pub says_none: Vec<String>,
    /// What its documentation says of panics, if it says anything.
    pub documentation: Option<String>,
    /// A whole program that shows it: a `main`, if it can be written in Rust.
    pub main: Option<String>,
    /// Does it fail when what the operation made is dropped?
    pub dropping: bool,
    /// Other callables that fail for the same cause.
    pub others: Vec<String>,
    /// The test that shows it, if one was written.
    pub test: Option<String>,
    /// The text of that test.
    pub text: Option<String>,
    /// Why no test shows it, if none does.
    pub untested: Option<String>,
}

/// Something left out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Dropped {
    /// What.
    pub what: String,
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
}

/// A file in the user's tree.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FileReport {
    /// Relative to the package, if it is inside.
    pub path: String,
    /// What became of it.
    pub status: FileStatus,
    /// Does cargo run it: is it in `tests/`, or named in the manifest?
    pub seen: bool,
    /// The files of the modules that it declares, if the tests are in such.
    pub modules: Vec<ModuleReport>,
}

/// A file of tests that another one declares as a module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModuleReport {
    /// The module's name.
    pub name: String,
    /// Relative to the package, if it is inside.
    pub path: String,
    /// As that of a [`FileReport`], or [`FileStatus::Kept`].
    pub status: FileStatus,
}

/// Counts things left out.
#[derive(Clone, Debug, Default)]
pub struct Drops(BTreeMap<(String, String), u64>);

impl Drops {
    /// Adds so many of something that was left out.
    pub fn add(&mut self, what: impl Into<String>, reason: impl Into<String>, count: u64) {
        if count > 0 {
            *self.0.entry((what.into(), reason.into())).or_default() += count;
        }
    }

    /// What was left out, in order.
    pub fn into_list(self) -> Vec<Dropped> {
        self.0
            .into_iter()
            .map(|((what, reason), count)| Dropped {
                what,
                reason,
                count,
            })
            .collect()
    }
}
