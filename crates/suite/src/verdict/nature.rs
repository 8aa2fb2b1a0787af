//! Tells kinds of panics by what stands in the source, and by their messages where nothing does.

use super::site::Site;

/// A kind of panic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Nature {
    Unreachable,
    Borrowed,
    CharBoundary,
    Index,
    Slice,
    Division,
    Unwrap,
    Expect,
    Unfinished,
    Assertion,
    Overflow,
    Capacity,
    /// The standard library, or whatever else was called, refuses what it was given.
    Refused,
    Explicit,
}

/// Methods of the standard library that blame their caller for an index beyond the end.
const TAKES_INDEX: [&str; 8] = [
    "insert",
    "insert_str",
    "remove",
    "select_nth_unstable",
    "split_off",
    "swap",
    "swap_remove",
    "swap_remove_back",
];
/// Those that blame their caller for a range or a length that does not fit.
const TAKES_RANGE: [&str; 16] = [
    "clone_from_slice",
    "copy_from_slice",
    "copy_within",
    "drain",
    "extend_from_within",
    "range",
    "range_mut",
    "replace_range",
    "rotate_left",
    "rotate_right",
    "splice",
    "split_at",
    "split_at_mut",
    "swap_with_slice",
    "truncate",
    "split_to",
];
/// Those that blame their caller for the length zero.
const TAKES_LENGTH: [&str; 8] = [
    "array_chunks",
    "chunks",
    "chunks_exact",
    "chunks_exact_mut",
    "chunks_mut",
    "rchunks",
    "step_by",
    "windows",
];
/// Those that ask for memory.
const TAKES_CAPACITY: [&str; 5] = [
    "repeat",
    "reserve",
    "reserve_exact",
    "resize",
    "with_capacity",
];

impl Nature {
    /// The kind of a panic that was raised by one of these expressions, which begin in one place,
    /// with this message. Only if the source has none of them, or none that says, the words decide.
    pub(super) fn at(sites: &[Site], message: &str) -> Nature {
        let said = Nature::of(message);
        let is_arithmetic = |it: &&Site| matches!(it, Site::Division | Site::Arithmetic);
        // The compiler's own words about arithmetic are old, and it says nothing else in this way.
        let computes = sites.iter().any(|it| is_arithmetic(&it));
        let others: Vec<&Site> = sites.iter().filter(|it| !is_arithmetic(it)).collect();
        if computes && (others.is_empty() || message.starts_with("attempt to ")) {
            return match (said, &sites) {
                (Nature::Division | Nature::Overflow, _) => said,
                (_, [Site::Division]) => Nature::Division,
                _ => Nature::Overflow,
            };
        }
        let natures: Vec<Nature> = others.iter().filter_map(|it| it.nature(said)).collect();
        match natures.contains(&said) {
            true => said,
            false => natures.first().copied().unwrap_or(said),
        }
    }

    /// The kind of a panic with this message.
    pub(super) fn of(message: &str) -> Nature {
        let says = |parts: &[&str]| parts.iter().any(|part| message.contains(part));
        if says(&["entered unreachable code"]) {
            Nature::Unreachable
        } else if says(&[
            "already borrowed",
            "already mutably borrowed",
            "RefCell already",
        ]) {
            Nature::Borrowed
        } else if says(&["char boundary", "is_char_boundary("]) {
            Nature::CharBoundary
        } else if says(&[
            "index out of bounds",
            "removal index (is",
            "insertion index (is",
            "swap_remove index (is",
            "split index (is",
        ]) {
            Nature::Index
        } else if says(&[
            "out of range for slice",
            "out of range for str",
            "slice index starts at",
            "out of bounds of `",
            "range end out of bounds",
            "when slicing `",
            "mid > len",
        ]) {
            Nature::Slice
        } else if says(&["attempt to divide by zero", "with a divisor of zero"]) {
            Nature::Division
        } else if message.starts_with("attempt to ") {
            Nature::Overflow
        } else if says(&["called `Option::unwrap()`", "called `Result::unwrap"]) {
            Nature::Unwrap
        } else if says(&["not implemented", "not yet implemented"]) {
            Nature::Unfinished
        } else if message == "capacity overflow" {
            Nature::Capacity
        } else if message.starts_with("assertion failed") || message.starts_with("assertion `") {
            Nature::Assertion
        } else {
            Nature::Explicit
        }
    }

    /// Did somebody write down that it shall panic here?
    pub(super) fn is_check(self) -> bool {
        matches!(self, Nature::Explicit | Nature::Assertion | Nature::Expect)
    }

    /// Why no caller should see such a panic, and how sure that is.
    pub(super) fn suspicion(self) -> (&'static str, u8) {
        match self {
            Nature::Unreachable => ("the code itself says that it cannot be reached", 2),
            Nature::Borrowed => ("a `RefCell` inside is borrowed twice", 2),
            Nature::CharBoundary => ("text is cut inside a character", 2),
            Nature::Index => ("an index inside is out of bounds", 3),
            Nature::Slice => ("a slice is taken beyond its end", 3),
            Nature::Division => ("it divides by zero", 3),
            Nature::Unwrap => ("it unwraps what is not there", 3),
            Nature::Expect => ("it expects what is not there", 4),
            Nature::Unfinished => ("it is not finished", 3),
            Nature::Assertion => ("an assertion inside the crate does not hold", 4),
            Nature::Overflow => (
                "arithmetic overflows: without checks it gives a wrong number",
                5,
            ),
            Nature::Capacity => ("it asks for more memory than can be addressed", 5),
            Nature::Refused => ("what it calls refuses what it is given", 4),
            Nature::Explicit => ("it panics deep inside", 6),
        }
    }
}

impl Site {
    /// The kind of panic that this expression raises; `None` if it does not say. `said` is the kind
    /// by the words, which tell some kinds apart that look alike.
    fn nature(&self, said: Nature) -> Option<Nature> {
        Some(match self {
            Site::Macro(name) => match &**name {
                "panic" => Nature::Explicit,
                "unreachable" => Nature::Unreachable,
                "todo" | "unimplemented" => Nature::Unfinished,
                "vec" if said == Nature::Capacity => Nature::Capacity,
                "assert"
                | "assert_eq"
                | "assert_ne"
                | "assert_matches"
                | "debug_assert"
                | "debug_assert_eq"
                | "debug_assert_ne"
                | "debug_assert_matches" => Nature::Assertion,
                _ => return None,
            },
            Site::Method(name) => method(name, said)?,
            Site::Call(of, name) => match (of.as_deref(), &**name) {
                (Some("Option" | "Result"), name) => method(name, said)?,
                (_, "panic_any" | "resume_unwind") => Nature::Explicit,
                (_, "with_capacity") => Nature::Capacity,
                _ => return None,
            },
            Site::Slice if said == Nature::CharBoundary => said,
            Site::Slice => Nature::Slice,
            Site::Index => Nature::Index,
            Site::Division => Nature::Division,
            Site::Arithmetic => Nature::Overflow,
        })
    }
}

/// What it means that a method of this name panics. The method may be anybody's, so that words that
/// say something have the last one; but `unwrap` and `expect` say what their caller wrote.
fn method(name: &str, said: Nature) -> Option<Nature> {
    let by_name = match name {
        "unwrap" | "unwrap_err" => return Some(Nature::Unwrap),
        "expect" | "expect_err" => return Some(Nature::Expect),
        "borrow" | "borrow_mut" | "replace" | "replace_with" | "take" => Nature::Borrowed,
        _ if TAKES_INDEX.contains(&name) => Nature::Index,
        _ if TAKES_RANGE.contains(&name) => Nature::Slice,
        _ if TAKES_LENGTH.contains(&name) => Nature::Refused,
        _ if TAKES_CAPACITY.contains(&name) => Nature::Capacity,
        _ => return None,
    };
    Some(match said {
        Nature::Explicit => by_name,
        _ => said,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_standard_library_have_a_nature() {
        let natures = [
            "index out of bounds: the len is 3 but the index is 7",
            "range end index 9 out of range for slice of length 2",
            "byte index 1 is not a char boundary; it is inside 'é'",
            "attempt to subtract with overflow",
            "attempt to calculate the remainder with a divisor of zero",
            "called `Option::unwrap()` on a `None` value",
            "assertion `left == right` failed: no",
            "the width must not be zero",
        ]
        .map(Nature::of);
        let expected = [
            Nature::Index,
            Nature::Slice,
            Nature::CharBoundary,
            Nature::Overflow,
            Nature::Division,
            Nature::Unwrap,
            Nature::Assertion,
            Nature::Explicit,
        ];
        assert_eq!(natures, expected);
    }

    #[test]
    fn words_decide_only_between_expressions_that_begin_in_one_place() {
        let sites = [Site::Arithmetic, Site::Index];
        let overflows = "attempt to add with overflow";
        assert_eq!(Nature::at(&sites, overflows), Nature::Overflow);
        assert_eq!(Nature::at(&sites, "whatever"), Nature::Index);
        let slice = [Site::Slice];
        assert_eq!(
            Nature::at(&slice, "begin > end (2 > 1) when slicing"),
            Nature::Slice
        );
        assert_eq!(
            Nature::at(&slice, "5 is not a char boundary"),
            Nature::CharBoundary
        );
        let split = [Site::Method("split_at_mut".to_owned())];
        assert_eq!(Nature::at(&split, "whatever"), Nature::Slice);
        // A message may quote another one.
        let panics = [Site::Macro("panic".to_owned())];
        assert_eq!(Nature::at(&panics, overflows), Nature::Explicit);
        assert_eq!(Nature::at(&[], overflows), Nature::Overflow);
    }
}
