//! Prints a file of the copy: the source, with what is kept at its sites.

use std::fmt::Write as _;
use std::ops::Range;

use crate::contents::Contents;
use crate::ids::RegionId;
use crate::ids::{FunctionId, MutantId};
use crate::numbered::File;
use crate::region::Probe;
use crate::rewritten::Place;
use crate::site::{Decision, Draft, Piece, Returning, Site, Splice, What};

/// A file of the copy as it is printed.
pub(crate) struct Printed {
    pub(crate) text: String,
    /// The places of mutants.
    pub(crate) places: Vec<Place>,
    /// The regions that are counted.
    pub(crate) regions: Vec<RegionId>,
    /// The places of the splices.
    pub(crate) spliced: Vec<Range<usize>>,
    /// The places where functions note what they return.
    pub(crate) returned: Vec<(Range<usize>, FunctionId)>,
}

/// Prints a file with the mutants that are not dropped.
pub(crate) fn print(file: &File, kept: &Contents, splices: &[Splice<'_>]) -> Printed {
    let text = &file.source.text;
    let mut printer = Printer {
        text,
        sites: &file.sites,
        first: &file.first,
        first_region: file.first_region,
        kept,
        next: 0,
        constant_until: 0,
        out: String::with_capacity(2 * text.len()),
        places: Vec::new(),
        regions: Vec::new(),
        splices,
        spliced: Vec::new(),
        returning: &file.returning,
        first_returning: file.first_returning,
        returned: Vec::new(),
    };
    printer.live(0..text.len());
    Printed {
        text: printer.out,
        places: printer.places,
        regions: printer.regions,
        spliced: printer.spliced,
        returned: printer.returned,
    }
}

/// Prints a file. Sites are in the order of their beginnings, outer sites before inner ones, so one
/// cursor is enough.
struct Printer<'p> {
    text: &'p str,
    sites: &'p [Site],
    first: &'p [u32],
    first_region: u32,
    kept: &'p Contents,
    next: usize,
    /// The end of the innermost function that stays `const`, if the cursor is in one.
    constant_until: usize,
    out: String,
    places: Vec<Place>,
    regions: Vec<RegionId>,
    /// The splices, in the order of their places.
    splices: &'p [Splice<'p>],
    /// The places of the splices that were printed.
    spliced: Vec<Range<usize>>,
    /// The functions that can note what they return.
    returning: &'p [Returning],
    /// The number of the first of these functions.
    first_returning: u32,
    returned: Vec<(Range<usize>, FunctionId)>,
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
            self.plain(at..start);
            let index = self.next;
            self.next += 1;
            self.site(index);
            at = end;
        }
        self.plain(at..range.end);
    }

    /// Prints text outside of all sites, with its splices.
    fn plain(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while let Some(splice) = self.splices.get(self.spliced.len())
            && splice.range.end <= range.end
        {
            self.out.push_str(&self.text[at..splice.range.start]);
            at = splice.range.end;
            let begin = self.out.len();
            self.out.push_str(&splice.text);
            self.spliced.push(begin..self.out.len());
        }
        self.out.push_str(&self.text[at..range.end]);
    }

    /// Prints the pieces of a site. `at` is how far they have come in the source.
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

    /// Prints the line breaks of source that is replaced, so that lines keep their numbers.
    fn line_breaks(&mut self, range: Range<usize>) {
        let n = self.text[range].matches('\n').count();
        self.out.extend(std::iter::repeat_n('\n', n));
    }

    /// Is a mutant kept in the sites before this offset?
    fn has_mutant_before(&self, end: usize) -> bool {
        let sites = self.sites.iter().zip(self.first).skip(self.next);
        let mut within = sites.take_while(|(site, _)| site.range.start < end);
        within.any(|(site, first)| {
            let mut ids = (0..site.mutants().len() as u32).map(|i| MutantId(first + i));
            ids.any(|id| !self.kept.dropped.contains(&id))
        })
    }

    fn site(&mut self, index: usize) {
        let site = &self.sites[index];
        match &site.what {
            What::Decision(decision) => self.decision(index, &site.range, decision),
            What::Const { end } => {
                let word = &self.text[site.range.clone()];
                match !self.kept.constants && self.has_mutant_before(*end) {
                    true => self.out.extend(std::iter::repeat_n(' ', word.len())),
                    false => {
                        self.constant_until = *end;
                        self.out.push_str(word);
                    }
                }
            }
            // The compiler can evaluate counting code only with unstable features.
            What::Probe(_) if site.range.start < self.constant_until && !self.kept.unstable => {
                self.live(site.range.clone());
            }
            What::Probe(probe) => self.probe(&site.range, probe),
            What::Returned(function) => self.noted(&site.range, *function),
            What::Asking(asking) => {
                self.out.push_str(asking.before);
                self.live(site.range.clone());
                self.out.push_str(asking.after);
            }
        }
    }

    /// Prints the value that a function returns, with a note of it if that is wanted.
    fn noted(&mut self, range: &Range<usize>, function: usize) {
        let id = FunctionId(self.first_returning + function as u32);
        let is_noted = self.kept.returns && self.kept.unstable && !self.kept.silent.contains(&id);
        if !is_noted {
            return self.live(range.clone());
        }
        let Returning { ty, region, .. } = &self.returning[function];
        let region = self.first_region + *region as u32;
        let begin = self.out.len();
        let _ = write!(self.out, "crate::__testsmith::returned::<{ty}>({region}, ");
        self.live(range.clone());
        self.out.push(')');
        self.returned.push((begin..self.out.len(), id));
    }

    fn probe(&mut self, range: &Range<usize>, probe: &Probe) {
        let id = RegionId(self.first_region + probe.region as u32);
        let counted = probe.code(id, self.kept.records);
        match probe.is_behind {
            false => {
                self.out.push_str(&counted);
                self.live(range.clone());
            }
            true => {
                self.live(range.clone());
                self.out.push_str(&counted);
            }
        }
        self.out.push_str(probe.close);
        self.regions.push(id);
    }

    fn decision(&mut self, index: usize, range: &Range<usize>, site: &Decision) {
        let ids = (0..site.mutants.len() as u32).map(|i| MutantId(self.first[index] + i));
        let kept: Vec<(MutantId, &Draft)> = ids
            .zip(&site.mutants)
            .filter(|(id, _)| !self.kept.dropped.contains(id))
            .collect();
        if kept.is_empty() {
            self.live(range.clone());
            return;
        }
        let begin = self.out.len();
        let mut at = range.start;
        self.pieces(&site.before, &mut at);
        let first = self.first[index];
        let n = site.mutants.len();
        let _ = match site.is_comparison && !site.is_freed {
            true => write!(
                self.out,
                "match crate::__testsmith::compare({first}, {n}, __l, __r) {{ 0 => "
            ),
            false => {
                let constant = if site.is_freed { "const_" } else { "" };
                write!(
                    self.out,
                    "match crate::__testsmith::{constant}at({first}, {n}) {{ 0 => "
                )
            }
        };
        self.pieces(&site.as_it_was, &mut at);
        self.line_breaks(at..range.end);
        for (i, (id, draft)) in kept.iter().enumerate() {
            // The last arm stands for all numbers, because a `match` must be exhaustive.
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
