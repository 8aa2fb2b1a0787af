//! A file with all that the copy may have of its own in it, numbered through the whole crate.

use std::ops::Range;

use crate::derived::Derived;
use crate::files::SourceFile;
use crate::ids::DerivedId;
use crate::monitor::Monitored;
use crate::site::{Returning, Site};
use crate::snapshots::Definition;

/// A file with what stands in it.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) source: SourceFile,
    pub(crate) sites: Vec<Site>,
    /// The bodies of its functions.
    pub(crate) functions: Vec<(String, Range<usize>)>,
    /// The first mutant of each site.
    pub(crate) first: Vec<u32>,
    pub(crate) first_region: u32,
    pub(crate) definitions: Vec<Definition>,
    /// The first definition.
    pub(crate) first_definition: u32,
    pub(crate) derived: Vec<Derived>,
    /// The first derived equality.
    pub(crate) first_derived: u32,
    pub(crate) monitored: Vec<Monitored>,
    /// The first function that notes what it reads.
    pub(crate) first_monitored: u32,
    pub(crate) returning: Vec<Returning>,
    /// The first function that can note what it returns.
    pub(crate) first_returning: u32,
}

impl File {
    pub(crate) fn derived_ids(&self) -> impl Iterator<Item = DerivedId> {
        let end = self.first_derived + self.derived.len() as u32;
        (self.first_derived..end).map(DerivedId)
    }
}
