//! A file of the copy: its text, and what stands where in it.

use std::ops::Range;
use std::path::PathBuf;

use crate::ids::RegionId;
use crate::ids::{DefinitionId, DerivedId, FunctionId, MonitorId, MutantId};

/// A file of the copy.
#[derive(Clone, Debug)]
pub struct RewrittenFile {
    /// Its path, relative to the package.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The places of mutants in the text.
    pub places: Vec<Place>,
    /// The regions that are counted.
    pub regions: Vec<RegionId>,
    /// The places of generated code for the crate's types.
    pub generated: Vec<(Range<usize>, Generated)>,
    /// The places where functions note what they return.
    pub returned: Vec<(Range<usize>, FunctionId)>,
    /// Where the crate's own text ends. Only the module of the rewriter may follow.
    pub own: usize,
}

/// What generated code for a type does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Generated {
    /// It writes out values of the type, and builds them again.
    State(DefinitionId),
    /// It compares values as derived code would.
    Equality(DerivedId),
    /// It notes what an equality reads of values.
    Monitor(MonitorId),
}

/// The place of mutants' code in a file of the copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The bytes of the text.
    pub range: Range<usize>,
    /// The mutant, if this is one mutant's own code; otherwise all mutants of the place, and the
    /// range is the code around theirs.
    pub mutants: Vec<MutantId>,
    /// Is it one mutant's own code?
    pub is_own: bool,
}

impl RewrittenFile {
    /// The mutants whose places are in this part of the text.
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

    /// The generated code that contains this place of the text.
    pub fn generated_at(&self, at: &Range<usize>) -> Option<Generated> {
        let around = |range: &Range<usize>| range.start <= at.start && at.end <= range.end;
        let mut generated = self.generated.iter();
        let (_, it) = generated.find(|(range, _)| around(range))?;
        Some(*it)
    }

    /// The function whose note of its returned value is around this place of the text.
    pub fn returned_at(&self, at: &Range<usize>) -> Option<FunctionId> {
        let meets = |(range, _): &&(Range<usize>, FunctionId)| {
            range.start < at.end.max(at.start + 1) && at.start < range.end
        };
        let met = self.returned.iter().filter(meets);
        met.min_by_key(|(range, _)| range.len()).map(|(_, id)| *id)
    }

    /// What an error at this place is about: the innermost mutant's own code around it, or all
    /// mutants of the innermost place around it.
    pub fn guilty(&self, at: &Range<usize>) -> Option<&Place> {
        let around = self
            .places
            .iter()
            .filter(|place| place.range.start <= at.start && at.end <= place.range.end);
        around.min_by_key(|place| (place.range.len(), place.mutants.len()))
    }
}
