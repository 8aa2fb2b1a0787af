//! A place in the source where mutants stand, and how its text is put together.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::PathBuf;

use crate::Place;

/// The number of a mutant; 0 is none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MutantId(pub u32);

/// A small change to the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// Stays the same when other lines change.
    pub name: String,
    /// Relative to the package.
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
    /// The function it is in, with the modules and impls around it.
    pub function: String,
    /// The family of its operator.
    pub operator: &'static str,
    /// What stands in the source.
    pub original: String,
    /// What stands there instead.
    pub replacement: String,
    /// Is its function `const`?
    pub is_freed: bool,
    /// The bytes of the file that are replaced if it is edited in.
    pub range: Range<usize>,
    /// What they are replaced by then.
    pub edit: String,
}

/// What a copy has of what it could have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Kept {
    /// Mutants that are not in it.
    pub dropped: BTreeSet<MutantId>,
    /// Is every `const fn` one? Else those with mutants are none, and rustc says who needs them to be.
    pub constants: bool,
}

/// A part of the text that replaces a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// Ours.
    Text(String),
    /// The original's, with the mutants inside it.
    Live(Range<usize>),
}

/// Somewhere in a file with mutants for it.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// What is replaced; empty where something is inserted.
    pub(crate) range: Range<usize>,
    pub(crate) line: usize,
    pub(crate) function: String,
    pub(crate) original: String,
    /// What is evaluated in any case, up to where it is decided.
    pub(crate) before: Vec<Piece>,
    /// What the original does then.
    pub(crate) as_it_was: Vec<Piece>,
    pub(crate) mutants: Vec<Draft>,
    pub(crate) after: &'static str,
    /// Is it in a function that is `const` in the original?
    pub(crate) is_freed: bool,
    /// The end of a function whose word `const` this is; it goes, if asked for, where a mutant stays.
    pub(crate) frees: Option<usize>,
}

/// What a mutant does instead.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) operator: &'static str,
    /// What stands in the place of the original.
    pub(crate) text: String,
    /// The code of its arm.
    pub(crate) code: String,
}

/// The text of a file with the mutants that are not dropped, and where they stand.
pub(crate) fn render(
    text: &str,
    sites: &[Site],
    first: &[u32],
    kept: &Kept,
) -> (String, Vec<Place>) {
    let mut printer = Printer {
        text,
        sites,
        first,
        kept,
        next: 0,
        out: String::with_capacity(2 * text.len()),
        places: Vec::new(),
    };
    printer.live(0..text.len());
    (printer.out, printer.places)
}

/// Sites are in order of their beginnings, outer ones before inner ones, so one cursor will do.
struct Printer<'p> {
    text: &'p str,
    sites: &'p [Site],
    first: &'p [u32],
    kept: &'p Kept,
    next: usize,
    out: String,
    places: Vec<Place>,
}

impl Printer<'_> {
    fn live(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while let Some(site) = self.sites.get(self.next)
            && site.range.start
                < range
                    .end
                    .max(site.range.start + usize::from(site.range.is_empty()))
            && site.range.end <= range.end
        {
            let start = site.range.start;
            let end = site.range.end;
            debug_assert!(start >= at, "sites are in order");
            self.out.push_str(&self.text[at..start]);
            let index = self.next;
            self.next += 1;
            self.site(index);
            at = end;
        }
        self.out.push_str(&self.text[at..range.end]);
    }

    /// Prints the pieces of a site; `at` is how far in the source they have come.
    fn pieces(&mut self, pieces: &[Piece], at: &mut usize) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Live(range) => {
                    self.line_breaks(*at..range.start);
                    self.live(range.clone());
                    *at = range.end;
                }
            }
        }
    }

    /// Line breaks that the source has where we have something else: lines stay where they are.
    fn line_breaks(&mut self, range: Range<usize>) {
        let n = self.text[range].matches('\n').count();
        self.out.extend(std::iter::repeat_n('\n', n));
    }

    /// Does a mutant stay in what comes before this offset?
    fn has_mutant_before(&self, end: usize) -> bool {
        let sites = self.sites.iter().zip(self.first).skip(self.next);
        let mut within = sites.take_while(|(site, _)| site.range.start < end);
        within.any(|(site, first)| {
            let mut ids = (0..site.mutants.len() as u32).map(|i| MutantId(first + i));
            ids.any(|id| !self.kept.dropped.contains(&id))
        })
    }

    fn site(&mut self, index: usize) {
        let site = &self.sites[index];
        if let Some(end) = site.frees {
            let word = &self.text[site.range.clone()];
            match !self.kept.constants && self.has_mutant_before(end) {
                true => self.out.extend(std::iter::repeat_n(' ', word.len())),
                false => self.out.push_str(word),
            }
            return;
        }
        let ids = (0..site.mutants.len() as u32).map(|i| MutantId(self.first[index] + i));
        let kept: Vec<(MutantId, &Draft)> = ids
            .zip(&site.mutants)
            .filter(|(id, _)| !self.kept.dropped.contains(id))
            .collect();
        if kept.is_empty() {
            self.live(site.range.clone());
            return;
        }
        let begin = self.out.len();
        let mut at = site.range.start;
        self.pieces(&site.before, &mut at);
        let first = self.first[index];
        let n = site.mutants.len();
        let _ = write!(
            self.out,
            "match crate::__testsmith::at({first}, {n}) {{ 0 => "
        );
        self.pieces(&site.as_it_was, &mut at);
        self.line_breaks(at..site.range.end);
        for (i, (id, draft)) in kept.iter().enumerate() {
            // The last stands for every number, since a `match` must be exhaustive.
            let number = id.0 - first + 1;
            let _ = match i + 1 == kept.len() {
                true => write!(self.out, ", _ => "),
                false => write!(self.out, ", {number} => "),
            };
            let start = self.out.len();
            self.out.push_str(&draft.code);
            self.places.push(Place {
                range: start..self.out.len(),
                mutants: vec![*id],
                is_own: true,
            });
        }
        self.out.push_str(" }");
        self.out.push_str(site.after);
        self.places.push(Place {
            range: begin..self.out.len(),
            mutants: kept.iter().map(|(id, _)| *id).collect(),
            is_own: false,
        });
    }
}
