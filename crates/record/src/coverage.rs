//! What tests go through, and how many mutants they kill.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What the regression tests are good for, as far as the rewritten copy of the crate shows it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CoverageReport {
    /// What they go through.
    #[serde(flatten)]
    pub through: LinesReport,
    /// Mutants that compile and are another program, as far as is known for certain.
    pub mutants: usize,
    /// Those that compile and are the same program for certain.
    pub equivalent: usize,
    /// Those that a test kills.
    pub killed: usize,
    /// By family of operators: mutants, and those killed.
    pub by_operator: BTreeMap<String, (usize, usize)>,
    /// The names of mutants that no test kills.
    pub survivors: Vec<String>,
}

/// What tests go through.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LinesReport {
    /// Sides of branches in the crate's code.
    pub branches: usize,
    /// Those that a test takes.
    pub branches_taken: usize,
    /// Lines of code.
    pub lines: usize,
    /// Those that a test goes through.
    pub lines_covered: usize,
    /// By file, the lines that a test goes through.
    pub covered: BTreeMap<String, Vec<usize>>,
    /// By file, the lines that no test goes through.
    pub uncovered: BTreeMap<String, Vec<usize>>,
}
