//! A file with everything that its copy may contain, numbered across the whole crate.

use std::ops::Range;

use crate::derived::Derived;
use crate::files::SourceFile;
use crate::ids::DerivedId;
use crate::monitor::Monitored;
use crate::site::{Returning, Site};
use crate::snapshots::Definition;

/// A file with everything that its copy may contain.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) source: SourceFile,
    pub(crate) sites: Vec<Site>,
    /// The bodies of its functions.
    pub(crate) functions: Vec<(String, Range<usize>)>,
    /// The number of each site's first mutant.
    pub(crate) first: Vec<u32>,
    pub(crate) first_region: u32,
    pub(crate) definitions: Vec<Definition>,
    /// The number of the first definition.
    pub(crate) first_definition: u32,
    pub(crate) derived: Vec<Derived>,
    /// The number of the first derived equality.
    pub(crate) first_derived: u32,
    pub(crate) monitored: Vec<Monitored>,
    /// The number of the first function that notes what it reads.
    pub(crate) first_monitored: u32,
    pub(crate) returning: Vec<Returning>,
    /// The number of the first function that can note what it returns.
    pub(crate) first_returning: u32,
}

impl File {
    pub(crate) fn derived_ids(&self) -> impl Iterator<Item = DerivedId> {
        let end = self.first_derived + self.derived.len() as u32;
        (self.first_derived..end).map(DerivedId)
    }
}
