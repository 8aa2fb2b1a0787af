//! The record of `cargo testsmith compare`.

use serde::{Deserialize, Serialize};

use crate::RecordKind;

/// What `cargo testsmith compare` tells.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CompareReport {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// [`RecordKind::Compare`].
    pub kind: RecordKind,
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Calls of each run.
    pub calls: u64,
    /// The strategy that was measured against the others.
    pub strategy: String,
    /// How it fared against each of them.
    pub against: Vec<Versus>,
    /// Every run.
    pub runs: Vec<RunReport>,
    /// Ended early, on request.
    pub interrupted: bool,
}

/// One run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunReport {
    /// The strategy's name.
    pub strategy: String,
    /// Where its randomness started.
    pub seed: u64,
    /// Calls executed.
    pub calls: u64,
    /// Sequences executed.
    pub sequences: u64,
    /// Distinct values seen.
    pub states: u64,
    /// Callables of which a call returned.
    pub reached: u64,
    /// Regions of the crate's code (functions, sides of branches) that traced calls went through.
    pub regions: u64,
    /// Sides of branches among them.
    pub branches: u64,
    /// Mutants that kept executions kill, if that was asked for: a few are tried on each.
    pub mutants: Option<u64>,
    /// How long exploring took.
    pub seconds: f64,
    /// Executions found worth a test.
    pub kept: u64,
    /// Distinct failures found, in order.
    pub failures: Vec<String>,
}

/// How the measured strategy fared against another.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Versus {
    /// The other's name.
    pub strategy: String,
    /// In failures.
    #[serde(flatten)]
    pub failures: Duel,
    /// In sides of branches.
    pub branches: Duel,
    /// In mutants, if they were counted.
    pub mutants: Option<Duel>,
}

/// How the measured strategy fared against another in one respect.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Duel {
    /// Effect size of Vargha and Delaney: how likely a run of the measured strategy finds more than
    /// one of the other, ties counting half.
    pub a12: f64,
    /// Seeds with which it found more.
    pub won: u64,
    /// Seeds with which both found as many.
    pub tied: u64,
    /// Seeds with which it found less.
    pub lost: u64,
}

impl CompareReport {
    /// The runs of one strategy, in order of seeds.
    pub fn runs_of<'a>(&'a self, strategy: &'a str) -> impl Iterator<Item = &'a RunReport> {
        self.runs.iter().filter(move |run| run.strategy == strategy)
    }
}
