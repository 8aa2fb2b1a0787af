//! Sites: places in the source where the copy has something of its own, and what that is.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;

use crate::asking::Asking;
use crate::ids::{MutantId, RegionId};
use crate::region::Probe;

/// A small change to the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// Its name, which stays the same when other lines change.
    pub name: String,
    /// The file, relative to the package.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// The function it is in, with the modules and impls around it.
    pub function: String,
    /// The first mutant of its place: what comparisons are known by.
    pub first: MutantId,
    /// The innermost region around it. If that is not entered, the mutant is not reached.
    pub region: Option<RegionId>,
    /// The family of its operator.
    pub operator: &'static str,
    /// The text in the source.
    pub original: String,
    /// The text that replaces it.
    pub replacement: String,
    /// Is its function `const` in the original?
    pub is_freed: bool,
    /// Why it is the same program for certain, if a rule of its operator says so.
    pub sameness: Option<&'static str>,
    /// What in the source says that the mutant is not wanted, if something does.
    pub suppressed: Option<&'static str>,
    /// The bytes of the file that are replaced if the mutant is edited in.
    pub range: Range<usize>,
    /// The text that replaces them then.
    pub edit: String,
}

impl Mutant {
    /// The key by which its function is known in the whole crate.
    pub fn function_key(&self) -> String {
        format!("{} {}", self.file.display(), self.function)
    }
}

/// A part of the text that replaces a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// Generated text.
    Text(String),
    /// Text of the original, with the mutants inside it.
    Live(Range<usize>),
}

/// A place in a file where the copy has something of its own.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The bytes that are replaced; empty if something is inserted.
    pub(crate) range: Range<usize>,
    pub(crate) what: What,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A choice between the original and mutants.
    Decision(Decision),
    /// The word `const` of a function that ends at `end`. It may be removed if the function has
    /// mutants.
    Const { end: usize },
    /// Code that counts how often a region is entered.
    Probe(Probe),
    /// The value that a function returns. The number is the function's position among those of the
    /// file that can note it.
    Returned(usize),
    /// Code that asks for something which differs from one processor to another.
    Asking(&'static Asking),
}

/// A function that can note what it returns.
#[derive(Clone, Debug)]
pub(crate) struct Returning {
    /// Its name, with the modules and impls around it.
    pub(crate) name: String,
    /// The type that it returns.
    pub(crate) ty: String,
    /// Its region's position among those of the file.
    pub(crate) region: usize,
}

/// A place with its mutants.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    pub(crate) line: usize,
    pub(crate) function: String,
    /// The position of the innermost region around it, among those of the file.
    pub(crate) region: Option<usize>,
    pub(crate) original: String,
    /// Code that is evaluated in any case, before the decision.
    pub(crate) before: Vec<Piece>,
    /// Are `__l` and `__r` compared?
    pub(crate) is_comparison: bool,
    /// What the original does after the decision.
    pub(crate) as_it_was: Vec<Piece>,
    pub(crate) mutants: Vec<Draft>,
    pub(crate) after: &'static str,
    /// Is it in a function that is `const` in the original?
    pub(crate) is_freed: bool,
}

impl Site {
    /// The mutants of the place, if it has any.
    pub(crate) fn mutants(&self) -> &[Draft] {
        match &self.what {
            What::Decision(it) => &it.mutants,
            _ => &[],
        }
    }
}

/// A mutant: what it does instead of the original.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) operator: &'static str,
    /// The text that replaces the original.
    pub(crate) text: String,
    /// The code of its arm.
    pub(crate) code: String,
}

/// Text that is inserted as a whole, outside of all sites.
#[derive(Clone, Debug)]
pub(crate) struct Splice<'s> {
    /// The bytes that it replaces; empty if it is inserted.
    pub(crate) range: Range<usize>,
    pub(crate) text: Cow<'s, str>,
}
