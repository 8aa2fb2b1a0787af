//! Regions: parts of the program that are entered or not, as a branch decides.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::ids::{MutantId, RegionId};

/// A part of the program that is entered only at its beginning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// The file, relative to the package.
    pub file: PathBuf,
    /// The line where it begins, counted from 1.
    pub line: usize,
    /// The function it is in, with the modules and impls around it.
    pub function: String,
    /// Why the region is entered.
    pub kind: RegionKind,
    /// The region around it, unless it is entered by a call.
    pub parent: Option<RegionId>,
    /// The comparisons in what decides whether it is entered once `parent` is, by their first mutants.
    pub decided_by: Vec<MutantId>,
    /// The lines of code in it that are in none of its inner regions.
    pub lines: BTreeSet<usize>,
}

/// What decides whether a region is entered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RegionKind {
    /// A call.
    Function,
    /// A call of a closure.
    Closure,
    /// A condition that holds.
    Then,
    /// A condition that does not hold, with an `else` or without.
    Else,
    /// A pattern of a `match`.
    Arm,
    /// The head of a loop.
    Loop,
    /// A pattern that does not match, in `let .. else`.
    LetElse,
    /// A `?` that does not return.
    Question,
    /// A statement before it that may leave the block.
    Rest,
    /// A call of a function that the compiler derives, so that the source has no code of it.
    Derived,
}

impl RegionKind {
    /// Is it one side of a branch?
    pub fn is_branch(self) -> bool {
        !matches!(
            self,
            RegionKind::Function | RegionKind::Closure | RegionKind::Rest | RegionKind::Derived
        )
    }
}

/// How a region is counted in the copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Count {
    /// As the beginning of a function of the crate.
    Call,
    /// As the beginning of a loop's turn.
    Turn,
    /// As anything else.
    Pass,
}

impl Count {
    /// The code that counts the region. Code in a `const fn` differs.
    pub(crate) fn code(self, RegionId(id): RegionId, is_constant: bool) -> String {
        let constant = if is_constant { "const_" } else { "" };
        match self {
            Count::Call => {
                format!(" let __testsmith_call = crate::__testsmith::call({id});")
            }
            Count::Turn => format!(" crate::__testsmith::{constant}turn({id});"),
            Count::Pass => format!(" crate::__testsmith::{constant}pass({id});"),
        }
    }
}

/// The code that is put around or after the text of a region.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    /// The region's position among those of the file.
    pub(crate) region: usize,
    pub(crate) count: Count,
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    /// Does it come after the text of the site, and not before it?
    pub(crate) is_behind: bool,
    /// Is it in a `const fn`?
    pub(crate) is_constant: bool,
    /// The arguments of a function whose calls from outside can be written down; each with whether
    /// it is a formatter.
    pub(crate) recorded: Option<Vec<(String, bool)>>,
}

impl Probe {
    /// The code that counts the region.
    pub(crate) fn code(&self, id: RegionId, records: bool) -> String {
        let mut code = format!("{}{}", self.open, self.count.code(id, self.is_constant));
        if let Some(arguments) = self.recorded.as_ref().filter(|_| records) {
            let (open, close) = match self.count {
                Count::Call => (
                    " if __testsmith_call.is_recorded() { crate::__testsmith::record(",
                    " }); }",
                ),
                // There is no telling when such a function ends, so the calls that it makes are
                // written down, too.
                _ => (" crate::__testsmith::outside(", " });"),
            };
            let _ = write!(code, "{open}{}, |__out| {{", id.0);
            for (name, is_formatter) in arguments {
                let _ = match is_formatter {
                    false => write!(
                        code,
                        " let __v = &{name}; crate::__testsmith_field!(__out, {name:?}, __v);"
                    ),
                    true => write!(
                        code,
                        " {{ use crate::__testsmith::WriteOptions as _; crate::__testsmith::Formatted(&*{name}).write_options(__out); }}"
                    ),
                };
            }
            code.push_str(close);
        }
        code
    }

    /// Code before the text of a site. The region gets its number later.
    pub(crate) fn before(open: &'static str, count: Count, close: &'static str) -> Probe {
        Probe {
            region: 0,
            count,
            open,
            close,
            is_behind: false,
            is_constant: false,
            recorded: None,
        }
    }
}
