//! Says what tests go through, and which mutants they kill.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_harness::{Copied, MutantId, RegionId};
use testsmith_record::{CoverageReport, LinesReport};

/// The coverage of tests that enter these regions and kill these mutants.
pub fn coverage(
    copied: &Copied,
    entered: &BTreeSet<RegionId>,
    killed: &BTreeSet<MutantId>,
) -> CoverageReport {
    let mut report = CoverageReport {
        through: lines(copied, entered),
        mutants: 0,
        equivalent: 0,
        killed: 0,
        by_operator: BTreeMap::new(),
        survivors: Vec::new(),
    };
    for (id, mutant) in copied.numbered() {
        if copied.dropped.contains_key(&id) {
            continue;
        }
        let is_killed = killed.contains(&id);
        if !is_killed && mutant.sameness.is_some() {
            report.equivalent += 1;
            continue;
        }
        let of_operator = report
            .by_operator
            .entry(mutant.operator.to_owned())
            .or_default();
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

/// The lines and branches that are covered. A line is covered if a region that it belongs to is
/// entered.
pub fn lines(copied: &Copied, entered: &BTreeSet<RegionId>) -> LinesReport {
    let mut report = LinesReport::default();
    let mut lines: BTreeMap<(&std::path::Path, usize), bool> = BTreeMap::new();
    for id in &copied.counted {
        let Some(region) = copied.region(*id) else {
            continue;
        };
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
