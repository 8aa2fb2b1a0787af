//! What became of each mutant and each branch of the crate by the tests that were written, with the
//! sources they stand in: so that a page can be made of the record alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Serialize;
use testsmith_emit::Worth;
use testsmith_harness::{Copied, Mutant, MutantId, RegionId};

/// A mutant, and what the written tests make of it.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedMutant {
    /// Its number in the copy.
    pub id: u32,
    /// Stays the same when other lines change.
    pub name: String,
    /// Relative to the package.
    pub file: String,
    /// Where the text that is replaced begins, from 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// Where that text ends.
    pub end_line: usize,
    /// The character after the last one.
    pub end_column: usize,
    /// The function it is in.
    pub function: String,
    /// The family of its operator.
    pub operator: &'static str,
    /// What stands in the source.
    pub original: String,
    /// What stands there instead.
    pub replacement: String,
    /// The text for that place if it is edited in.
    pub edit: String,
    /// `killed`, `survived`, `unreached`, `unviable`, or `pending` if nobody asked.
    pub status: &'static str,
    /// Tests that fail with it.
    pub killed_by: Vec<String>,
    /// Tests that enter the code it stands in.
    pub reached_by: Vec<String>,
    /// What rustc says against it.
    pub reason: Option<String>,
}

/// A side of a branch.
#[derive(Clone, Debug, Serialize)]
pub struct BranchReport {
    /// Relative to the package.
    pub file: String,
    /// Where it begins.
    pub line: usize,
    /// What decides whether it is taken.
    pub kind: &'static str,
    /// The function it is in.
    pub function: String,
    /// Does a test take it?
    pub taken: bool,
}

/// A file of the crate.
#[derive(Clone, Debug, Serialize)]
pub struct SourceReport {
    /// Relative to the package.
    pub path: String,
    /// All of it.
    pub text: String,
}

/// The files that mutants and regions stand in.
pub(crate) fn sources(package_dir: &Path, copied: &Copied) -> Vec<SourceReport> {
    let of_regions = copied.regions.iter().map(|it| &it.file);
    let of_mutants = copied.mutants.iter().map(|it| &it.file);
    let files: BTreeSet<_> = of_regions.chain(of_mutants).collect();
    let read = files.into_iter().filter_map(|file| {
        Some(SourceReport {
            path: file.display().to_string(),
            text: fs::read_to_string(package_dir.join(file)).ok()?,
        })
    });
    read.collect()
}

/// Every side of a branch that is counted.
pub(crate) fn branches<'w>(
    copied: &Copied,
    tests: impl Iterator<Item = &'w Worth>,
) -> Vec<BranchReport> {
    let entered: BTreeSet<u32> = tests.flat_map(|worth| &worth.regions).copied().collect();
    let counted = copied.counted.iter();
    let regions = counted.map(|RegionId(id)| (*id, &copied.regions[*id as usize]));
    let sides = regions.filter(|(_, region)| region.kind.is_branch());
    let reports = sides.map(|(id, region)| BranchReport {
        file: region.file.display().to_string(),
        line: region.line,
        kind: region.kind.name(),
        function: region.function.clone(),
        taken: entered.contains(&id),
    });
    reports.collect()
}

/// Every mutant that was proposed, by the tests of these names; without them, nobody asked.
pub(crate) fn mutants(
    copied: &Copied,
    sources: &[SourceReport],
    tests: Option<&[(String, &Worth)]>,
) -> Vec<JudgedMutant> {
    let places: BTreeMap<&str, Places<'_>> = sources
        .iter()
        .map(|source| (&*source.path, Places::of(&source.text)))
        .collect();
    let numbered = copied.mutants.iter().zip(1..);
    let judged = numbered.map(|(mutant, id)| {
        let refusal = copied.dropped.get(&MutantId(id));
        let named = |is_meant: &dyn Fn(&Worth) -> bool| -> Vec<String> {
            let meant = tests.unwrap_or_default().iter();
            let meant = meant.filter(|(_, worth)| is_meant(worth));
            meant.map(|(name, _)| name.clone()).collect()
        };
        let killed_by = named(&|worth| worth.kills.contains(&id));
        let reached_by = named(&|worth| is_entered(mutant, worth) || worth.kills.contains(&id));
        let is_counted = mutant.region.is_some_and(|it| copied.counted.contains(&it));
        let status = match (refusal, tests) {
            (Some(_), _) => "unviable",
            (None, None) => "pending",
            _ if !killed_by.is_empty() => "killed",
            _ if is_counted && reached_by.is_empty() => "unreached",
            _ => "survived",
        };
        let file = mutant.file.display().to_string();
        let place = |byte| match places.get(&*file) {
            Some(places) => places.at(byte),
            None => (mutant.line, 1),
        };
        let (line, column) = place(mutant.range.start);
        let (end_line, end_column) = place(mutant.range.end);
        JudgedMutant {
            id,
            name: mutant.name.clone(),
            file,
            line,
            column,
            end_line,
            end_column,
            function: mutant.function.clone(),
            operator: mutant.operator,
            original: mutant.original.clone(),
            replacement: mutant.replacement.clone(),
            edit: mutant.edit.clone(),
            status,
            killed_by,
            reached_by,
            reason: refusal.map(|it| it.said.clone()),
        }
    });
    judged.collect()
}

fn is_entered(mutant: &Mutant, worth: &Worth) -> bool {
    mutant
        .region
        .is_some_and(|RegionId(id)| worth.regions.contains(&id))
}

/// Where the lines of a text begin.
struct Places<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl Places<'_> {
    fn of(text: &str) -> Places<'_> {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Places { text, starts }
    }

    /// Line and column of a byte, both from 1, the column in characters.
    fn at(&self, byte: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= byte);
        let before = self.text.get(self.starts[line - 1]..byte);
        (line, before.map_or(0, |it| it.chars().count()) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_characters() {
        let places = Places::of("let ä = 1;\nlet b = 2;");
        assert_eq!(places.at(0), (1, 1));
        assert_eq!(places.at("let ä = ".len()), (1, 9));
        assert_eq!(places.at("let ä = 1;\n".len()), (2, 1));
        assert_eq!(places.at("let ä = 1;\nlet b = 2;".len()), (2, 11));
    }
}
