//! Tells kinds of panics by their messages.

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
    Explicit,
}

impl Nature {
    pub(super) fn of(message: &str) -> Nature {
        let says = |parts: &[&str]| parts.iter().any(|part| message.contains(part));
        if says(&["entered unreachable code"]) {
            Nature::Unreachable
        } else if says(&["already borrowed", "already mutably borrowed"]) {
            Nature::Borrowed
        } else if says(&["not a char boundary", "is_char_boundary("]) {
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
            "slice index starts at",
            "out of bounds of `",
            "range end out of bounds",
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
            Nature::Explicit => ("it panics deep inside", 6),
        }
    }
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
}
