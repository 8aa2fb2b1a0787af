//! Reports what the written tests do about each mutant and each branch of the crate, with the
//! sources that these stand in, so that a page can be made of the record alone.

#![expect(
    clippy::disallowed_methods,
    reason = "a record has the source that mutants stand in"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use testsmith_harness::{About, Copied, Mutant, MutantId, RegionId, RegionKind};
use testsmith_record::{BranchKind, BranchReport, MutantReport, RefusedFor, SourceReport, Status};

/// The files that have mutants or regions.
pub fn sources(package_dir: &Path, copied: &Copied) -> Vec<SourceReport> {
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

/// A test, and what it is known to enter and to kill.
#[derive(Clone, Debug)]
pub struct Tested<'t> {
    /// Its name.
    pub name: String,
    /// The regions that it enters.
    pub regions: &'t BTreeSet<RegionId>,
    /// The mutants that it kills.
    pub kills: &'t BTreeSet<MutantId>,
}

/// Every side of a branch whose entries are counted, with those that tests and exploration entered. Of
/// `tests`, it is told which of them enter it.
pub fn branches(
    copied: &Copied,
    entered: &BTreeSet<RegionId>,
    tests: &[Tested<'_>],
    explored: &BTreeSet<RegionId>,
) -> Vec<BranchReport> {
    let counted = copied.counted.iter();
    let regions = counted.filter_map(|id| Some((*id, copied.region(*id)?)));
    let sides = regions.filter(|(_, region)| region.kind.is_branch());
    let reports = sides.map(|(id, region)| BranchReport {
        file: region.file.display().to_string(),
        line: region.line,
        kind: branch_kind(region.kind),
        function: region.function.clone(),
        taken: entered.contains(&id),
        taken_by: tests
            .iter()
            .filter(|it| it.regions.contains(&id))
            .map(|it| it.name.clone())
            .collect(),
        explored: explored.contains(&id),
    });
    reports.collect()
}

/// A side of a branch as records have it; other regions are none.
fn branch_kind(kind: RegionKind) -> BranchKind {
    match kind {
        RegionKind::Then => BranchKind::Then,
        RegionKind::Else => BranchKind::Else,
        RegionKind::Arm => BranchKind::Arm,
        RegionKind::Loop => BranchKind::Loop,
        RegionKind::LetElse => BranchKind::LetElse,
        RegionKind::Question => BranchKind::Question,
        RegionKind::Function | RegionKind::Closure | RegionKind::Rest | RegionKind::Derived => {
            BranchKind::Unknown
        }
    }
}

/// What a refusal is about, as records have it.
fn refused_for(about: About) -> RefusedFor {
    match about {
        About::Itself => RefusedFor::Itself,
        About::Around => RefusedFor::Around,
        About::Constant => RefusedFor::Constant,
    }
}

/// Every proposed mutant, judged by these tests. Without tests, none is judged.
pub fn judged(
    copied: &Copied,
    sources: &[SourceReport],
    tests: Option<&[Tested<'_>]>,
) -> Vec<MutantReport> {
    let places = Places::all(sources);
    let numbered = copied.numbered();
    let judged = numbered.map(|(id, mutant)| {
        let named = |is_meant: &dyn Fn(&Tested<'_>) -> bool| -> Vec<String> {
            let meant = tests.unwrap_or_default().iter();
            let meant = meant.filter(|it| is_meant(it));
            meant.map(|it| it.name.clone()).collect()
        };
        let killed_by = named(&|it| it.kills.contains(&id));
        let reached_by = named(&|it| is_entered(mutant, it) || it.kills.contains(&id));
        let is_counted = mutant.region.is_some_and(|it| copied.counted.contains(&it));
        let known = described(copied, id, &places);
        let same = mutant.sameness.filter(|_| killed_by.is_empty());
        let is_same = same.is_some() && known.status != Status::Unviable;
        MutantReport {
            reason: match is_same {
                true => same.map(str::to_owned),
                false => known.reason.clone(),
            },
            status: match tests {
                _ if known.status == Status::Unviable => Status::Unviable,
                None => Status::Pending,
                Some(_) if is_same => Status::Equivalent,
                Some(_) if !killed_by.is_empty() => Status::Killed,
                Some(_) if is_counted && reached_by.is_empty() => Status::Unreached,
                Some(_) => Status::Survived,
            },
            killed_by,
            reached_by,
            ..known
        }
    });
    judged.collect()
}

/// A mutant as it is reported before any test has been asked.
pub(crate) fn described(
    copied: &Copied,
    id: MutantId,
    places: &BTreeMap<&str, Places<'_>>,
) -> MutantReport {
    let mutant = copied.mutant(id);
    let file = mutant.file.display().to_string();
    let place = |byte| match places.get(&*file) {
        Some(places) => places.at(byte),
        None => (mutant.line, 1),
    };
    let (line, column) = place(mutant.range.start);
    let (end_line, end_column) = place(mutant.range.end);
    let refusal = copied.dropped.get(&id);
    MutantReport {
        id: id.0,
        name: mutant.name.clone(),
        line,
        column,
        end_line,
        end_column,
        function: mutant.function.clone(),
        operator: mutant.operator.to_owned(),
        original: mutant.original.clone(),
        replacement: mutant.replacement.clone(),
        edit: mutant.edit.clone(),
        status: refusal.map_or(Status::Pending, |_| Status::Unviable),
        reason: refusal.map(|it| it.said.clone()),
        refused_for: refusal.map(|it| refused_for(it.about)),
        file,
        ..MutantReport::default()
    }
}

fn is_entered(mutant: &Mutant, test: &Tested<'_>) -> bool {
    mutant.region.is_some_and(|it| test.regions.contains(&it))
}

/// Where the lines of a text begin.
pub(crate) struct Places<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Places<'t> {
    /// The beginnings of lines in each file, by path.
    pub(crate) fn all(sources: &'t [SourceReport]) -> BTreeMap<&'t str, Places<'t>> {
        let sources = sources.iter();
        sources
            .map(|source| (&*source.path, Places::of(&source.text)))
            .collect()
    }

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
