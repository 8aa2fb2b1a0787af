//! Parts of the program that are entered or not, as a branch decides.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::ids::RegionId;

/// A part of the program that is entered at its beginning only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// Relative to the package.
    pub file: PathBuf,
    /// Where it begins, from 1.
    pub line: usize,
    /// The function it is in, with the modules and impls around it.
    pub function: String,
    /// What decides whether it is entered.
    pub kind: RegionKind,
    /// Lines of code in it that are in no region within it.
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
    /// A condition that does not hold, be there an `else` or not.
    Else,
    /// A pattern among others.
    Arm,
    /// The head of a loop.
    Loop,
    /// A pattern that does not match, in `let .. else`.
    LetElse,
    /// A `?` that goes on.
    Question,
    /// A statement that may leave the block.
    Rest,
    /// A call of a function that the compiler derives: the crate's source has none of it.
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
    /// A function of the crate begins.
    Call,
    /// A loop begins a turn.
    Turn,
    /// Anything else.
    Pass,
}

impl Count {
    /// The code that counts the region, in a `const fn` or not.
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

/// Text around, or behind, what a region consists of.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    /// The region by its position in the file's.
    pub(crate) region: usize,
    pub(crate) count: Count,
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    /// Does it stand behind the text of the site, and not before it?
    pub(crate) is_behind: bool,
    /// Is it in a `const fn`?
    pub(crate) is_constant: bool,
    /// The arguments of a function, and whether each is a formatter: calls of it from outside can be
    /// written down.
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
                // Nobody knows when it is over, so what it calls is written down, too.
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

    /// Before the text of a site; the region is yet to be numbered.
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
