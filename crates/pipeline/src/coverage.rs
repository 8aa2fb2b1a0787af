//! What the tests that were written go through, and which mutants they kill.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use testsmith_emit::Worth;
use testsmith_harness::{Copied, MutantId, RegionId};

/// What the regression tests are good for, as far as the rewritten copy of the crate shows it.
#[derive(Clone, Debug, Serialize)]
pub struct CoverageReport {
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
        let mut report = CoverageReport::of_regions(copied, &entered);
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

    /// Of what was entered; nothing is said of mutants.
    pub(crate) fn of_regions(copied: &Copied, entered: &BTreeSet<u32>) -> Self {
        let mut report = CoverageReport {
            branches: 0,
            branches_taken: 0,
            lines: 0,
            lines_covered: 0,
            covered: BTreeMap::new(),
            uncovered: BTreeMap::new(),
            mutants: 0,
            killed: 0,
            by_operator: BTreeMap::new(),
            survivors: Vec::new(),
        };
        report.count_regions(copied, entered);
        report
    }

    /// A line is covered if one of the regions it belongs to is entered.
    fn count_regions(&mut self, copied: &Copied, entered: &BTreeSet<u32>) {
        let mut lines: BTreeMap<(&std::path::Path, usize), bool> = BTreeMap::new();
        for RegionId(id) in &copied.counted {
            let region = &copied.regions[*id as usize];
            let is_entered = entered.contains(id);
            if region.kind.is_branch() {
                self.branches += 1;
                self.branches_taken += usize::from(is_entered);
            }
            for line in &region.lines {
                *lines.entry((&region.file, *line)).or_default() |= is_entered;
            }
        }
        self.lines = lines.len();
        self.lines_covered = lines.values().filter(|is_covered| **is_covered).count();
        for ((file, line), is_covered) in lines {
            let files = match is_covered {
                true => &mut self.covered,
                false => &mut self.uncovered,
            };
            let file = file.display().to_string();
            files.entry(file).or_default().push(line);
        }
    }
}
