//! The rewriter: a copy of a crate's source in which every mutant is present, and none is active
//! until it is asked for by its number.
//!
//! Text is spliced at byte ranges that a parser found; nothing is printed anew. What is added stands
//! on the line where it belongs, so that line numbers, comments and macros survive, and the place of
//! an error names the mutant that is to blame. What the original evaluates is evaluated in the
//! scrutinee of a `match`, whose temporaries live as long as they did before, and arms only decide:
//! a copy with nothing active drops everything in the order in which the original does.

mod cfg;
mod files;
mod operators;
mod site;
mod support;
mod walk;

pub use cfg::Cfg;
pub use files::{ReadError, SourceFile, files};
pub use operators::OPERATORS;
pub use site::{Kept, Mutant, MutantId};
pub use support::UNSTABLE;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use site::Site;

/// A crate with all its mutants.
#[derive(Debug)]
pub struct Rewriter {
    files: Vec<File>,
    mutants: Vec<Mutant>,
    /// What is not mutated, and how often it was met.
    pub left_out: BTreeMap<&'static str, usize>,
}

#[derive(Debug)]
struct File {
    source: SourceFile,
    sites: Vec<Site>,
    /// The first mutant of each site.
    first: Vec<u32>,
}

/// A file of the copy.
#[derive(Clone, Debug)]
pub struct RewrittenFile {
    /// Relative to the package.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Where mutants stand in the text.
    pub places: Vec<Place>,
}

/// Where something of ours stands in a file of the copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// One mutant's own code, or all mutants of the place, whose code this is around.
    pub mutants: Vec<MutantId>,
    /// Is it one mutant's own code?
    pub is_own: bool,
}

impl Rewriter {
    /// Finds the mutants in the files of a crate, the root first.
    pub fn new(sources: Vec<SourceFile>, cfg: &Cfg) -> Rewriter {
        let mut rewriter = Rewriter {
            files: Vec::new(),
            mutants: Vec::new(),
            left_out: BTreeMap::new(),
        };
        for source in sources {
            let found = walk::sites(&source, cfg);
            for (why, n) in found.left_out {
                *rewriter.left_out.entry(why).or_default() += n;
            }
            rewriter.add(source, found.sites);
        }
        rewriter
    }

    fn add(&mut self, source: SourceFile, sites: Vec<Site>) {
        let mut first = Vec::new();
        let mut n_alike: BTreeMap<String, u32> = BTreeMap::new();
        for site in &sites {
            // 0 is none.
            first.push(self.mutants.len() as u32 + 1);
            for draft in &site.mutants {
                let what = format!(
                    "{} {}: {} `{}` -> `{}`",
                    source.path.display(),
                    site.function,
                    draft.operator,
                    site.original,
                    draft.text
                );
                let n = n_alike.entry(what.clone()).or_default();
                *n += 1;
                let name = match *n {
                    1 => what,
                    n => format!("{what} ({n})"),
                };
                self.mutants.push(Mutant {
                    name,
                    file: source.path.clone(),
                    line: site.line,
                    function: site.function.clone(),
                    operator: draft.operator,
                    original: site.original.clone(),
                    replacement: draft.text.clone(),
                    is_freed: site.is_freed,
                    range: site.range.clone(),
                    edit: operators::edit(draft),
                });
            }
        }
        self.files.push(File {
            source,
            sites,
            first,
        });
    }

    /// All mutants; the number of the first is 1.
    pub fn mutants(&self) -> &[Mutant] {
        &self.mutants
    }

    /// The mutant of this number.
    pub fn mutant(&self, id: MutantId) -> &Mutant {
        &self.mutants[id.0 as usize - 1]
    }

    /// The copy with what is kept.
    pub fn render(&self, kept: &Kept) -> Vec<RewrittenFile> {
        let mut files = Vec::new();
        for (i, file) in self.files.iter().enumerate() {
            let mut rendered = site::render(&file.source.text, &file.sites, &file.first, kept);
            if i == 0 {
                rendered.0.push_str(&support::support());
            }
            files.push(RewrittenFile {
                path: file.source.path.clone(),
                text: rendered.0,
                places: rendered.1,
            });
        }
        files
    }
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

#[cfg(test)]
mod tests;
