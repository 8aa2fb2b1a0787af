//! A file of the copy: its text, and what stands where in it.

use std::ops::Range;
use std::path::PathBuf;

use crate::ids::RegionId;
use crate::ids::{DefinitionId, DerivedId, FunctionId, MonitorId, MutantId};

/// A file of the copy.
#[derive(Clone, Debug)]
pub struct RewrittenFile {
    /// Relative to the package.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Where mutants stand in the text.
    pub places: Vec<Place>,
    /// Regions that are counted.
    pub regions: Vec<RegionId>,
    /// Where code for the types that the crate defines stands in the text.
    pub generated: Vec<(Range<usize>, Generated)>,
    /// Where it is noted what functions return.
    pub returned: Vec<(Range<usize>, FunctionId)>,
    /// Where the crate's own text ends, and at most a module of ours follows.
    pub own: usize,
}

/// What code that is generated for a type does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Generated {
    /// It writes out values, and builds them again.
    State(DefinitionId),
    /// It compares them as what the compiler derives would.
    Equality(DerivedId),
    /// It notes what an equality reads of them.
    Monitor(MonitorId),
}

/// Where code of mutants stands in a file of the copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// One mutant, if this is its own code; otherwise all mutants of the place, and this is the code
    /// around theirs.
    pub mutants: Vec<MutantId>,
    /// Is it one mutant's own code?
    pub is_own: bool,
}

impl RewrittenFile {
    /// The mutants inside a part of the text.
    pub fn within(&self, range: &Range<usize>) -> Vec<MutantId> {
        let inside = self
            .places
            .iter()
            .filter(|place| range.start <= place.range.start && place.range.end <= range.end);
        let mut mutants: Vec<MutantId> = inside.flat_map(|place| place.mutants.clone()).collect();
        mutants.sort();
        mutants.dedup();
        mutants
    }

    /// The code for a type at this place of the text.
    pub fn generated_at(&self, at: &Range<usize>) -> Option<Generated> {
        let around = |range: &Range<usize>| range.start <= at.start && at.end <= range.end;
        let mut generated = self.generated.iter();
        let (_, it) = generated.find(|(range, _)| around(range))?;
        Some(*it)
    }

    /// The function that notes what it returns around this place of the text.
    pub fn returned_at(&self, at: &Range<usize>) -> Option<FunctionId> {
        let meets = |(range, _): &&(Range<usize>, FunctionId)| {
            range.start < at.end.max(at.start + 1) && at.start < range.end
        };
        let met = self.returned.iter().filter(meets);
        met.min_by_key(|(range, _)| range.len()).map(|(_, id)| *id)
    }

    /// What an error at this place of the text is about: the innermost mutant's code it is in, or
    /// all mutants whose place it is.
    pub fn guilty(&self, at: &Range<usize>) -> Option<&Place> {
        let around = self
            .places
            .iter()
            .filter(|place| place.range.start <= at.start && at.end <= place.range.end);
        around.min_by_key(|place| (place.range.len(), place.mutants.len()))
    }
}
