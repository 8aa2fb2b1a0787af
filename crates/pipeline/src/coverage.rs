//! What the tests that were written go through, and which mutants they kill.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use testsmith_emit::Worth;
use testsmith_harness::{Copied, MutantId, RegionId};

/// What the regression tests are good for, as far as the rewritten copy of the crate shows it.
#[derive(Clone, Debug, Serialize)]
pub struct CoverageReport {
    /// What they go through.
    #[serde(flatten)]
    pub through: LinesReport,
    /// Mutants that compile.
    pub mutants: usize,
    /// Those that a test kills.
    pub killed: usize,
    /// By family of operators: mutants, and those killed.
    pub by_operator: BTreeMap<&'static str, (usize, usize)>,
    /// The names of mutants that no test kills.
    pub survivors: Vec<String>,
}

impl CoverageReport {
    /// Of the tests with this worth.
    pub(crate) fn of<'w>(copied: &Copied, tests: impl Iterator<Item = &'w Worth>) -> Self {
        let (mut entered, mut killed): (BTreeSet<u32>, BTreeSet<u32>) = Default::default();
        for worth in tests {
            entered.extend(&worth.regions);
            killed.extend(&worth.kills);
        }
        let mut report = CoverageReport {
            through: LinesReport::of(copied, &entered),
            mutants: 0,
            killed: 0,
            by_operator: BTreeMap::new(),
            survivors: Vec::new(),
        };
        for (mutant, id) in copied.mutants.iter().zip(1..) {
            if copied.dropped.contains_key(&MutantId(id)) {
                continue;
            }
            let is_killed = killed.contains(&id);
            let of_operator = report.by_operator.entry(mutant.operator).or_default();
            of_operator.0 += 1;
            of_operator.1 += usize::from(is_killed);
            report.mutants += 1;
            report.killed += usize::from(is_killed);
            if !is_killed {
                report.survivors.push(mutant.name.clone());
            }
        }
        report
    }
}

/// What tests go through.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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

impl LinesReport {
    /// A line is covered if one of the regions it belongs to is entered.
    pub(crate) fn of(copied: &Copied, entered: &BTreeSet<u32>) -> LinesReport {
        let mut report = LinesReport::default();
        let mut lines: BTreeMap<(&std::path::Path, usize), bool> = BTreeMap::new();
        for RegionId(id) in &copied.counted {
            let region = &copied.regions[*id as usize];
            let is_entered = entered.contains(id);
            if region.kind.is_branch() {
                report.branches += 1;
                report.branches_taken += usize::from(is_entered);
            }
            for line in &region.lines {
                *lines.entry((&region.file, *line)).or_default() |= is_entered;
            }
        }
        report.lines = lines.len();
        report.lines_covered = lines.values().filter(|is_covered| **is_covered).count();
        for ((file, line), is_covered) in lines {
            let files = match is_covered {
                true => &mut report.covered,
                false => &mut report.uncovered,
            };
            let file = file.display().to_string();
            files.entry(file).or_default().push(line);
        }
        report
    }
}
