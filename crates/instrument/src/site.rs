//! A place in the source where the copy has something of its own, and what that is.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;

use crate::ids::RegionId;
use crate::region::Probe;

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
    /// The innermost region around: where it is not entered, the mutant is not reached.
    pub region: Option<RegionId>,
    /// The family of its operator.
    pub operator: &'static str,
    /// What stands in the source.
    pub original: String,
    /// What stands there instead.
    pub replacement: String,
    /// Is its function `const`?
    pub is_freed: bool,
    /// By what somebody said that it is not wanted, if somebody did.
    pub suppressed: Option<&'static str>,
    /// The bytes of the file that are replaced if it is edited in.
    pub range: Range<usize>,
    /// What they are replaced by then.
    pub edit: String,
}

impl Mutant {
    /// What its function is known by in the whole crate.
    pub fn function_key(&self) -> String {
        format!("{} {}", self.file.display(), self.function)
    }
}

/// A part of the text that replaces a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// Ours.
    Text(String),
    /// The original's, with the mutants inside it.
    Live(Range<usize>),
}

/// Somewhere in a file where the copy has something of its own.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// What is replaced; empty where something is inserted.
    pub(crate) range: Range<usize>,
    pub(crate) what: What,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// Mutants.
    Decision(Decision),
    /// The word `const` of a function that ends there; it goes, if asked for, where a mutant stays.
    Const { end: usize },
    /// It is counted that a region is entered.
    Probe(Probe),
    /// What a function returns, by its position among those of the file that can note it.
    Returned(usize),
}

/// A function that can note what it returns.
#[derive(Clone, Debug)]
pub(crate) struct Returning {
    /// With the modules and impls around it.
    pub(crate) name: String,
    /// What it returns.
    pub(crate) ty: String,
    /// Its region, by its position in the file's.
    pub(crate) region: usize,
}

/// A place with mutants for it.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    pub(crate) line: usize,
    pub(crate) function: String,
    /// The innermost region around, by its position in the file's.
    pub(crate) region: Option<usize>,
    pub(crate) original: String,
    /// What is evaluated in any case, up to where it is decided.
    pub(crate) before: Vec<Piece>,
    /// Are `__l` and `__r` compared?
    pub(crate) is_comparison: bool,
    /// What the original does then.
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

/// What a mutant does instead.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) operator: &'static str,
    /// What stands in the place of the original.
    pub(crate) text: String,
    /// The code of its arm.
    pub(crate) code: String,
}

/// Something that comes into the text whole, outside of all places.
#[derive(Clone, Debug)]
pub(crate) struct Splice<'s> {
    /// What it replaces; empty where it is inserted.
    pub(crate) range: Range<usize>,
    pub(crate) text: Cow<'s, str>,
}
