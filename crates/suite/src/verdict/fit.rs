//! Says whether what documentation announces of panics is what happened.
//!
//! A sentence fits if its condition is true of the call, if it has words for the kind of panic that
//! was raised, or words of the panic's own message. "Panics when the two indices are equal" is no
//! word about a slice that is split beyond its end.

use testsmith_api::{Polarity, polarity, sentences};

use super::condition::{Facts, holds};
use super::nature::Nature;

/// How what is announced fits what happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fit {
    /// This sentence announces it.
    Yes(String),
    /// This one may mean it.
    Unclear(String),
    /// This one announces something else.
    No(String),
}

/// What happened.
pub(super) struct Happened<'a> {
    pub(super) nature: Nature,
    pub(super) message: &'a str,
    pub(super) facts: &'a Facts<'a>,
}

/// The best fit of any of the sentences; `None` if they announce nothing.
pub(super) fn fit(said: &str, happened: &Happened<'_>) -> Option<Fit> {
    let text = in_paragraphs(said);
    let announce = sentences(&text).filter(|it| {
        let is_heading = it.ends_with(':') && it.split_whitespace().count() < 4;
        !is_heading && polarity(it) != Some(Polarity::DoesNot)
    });
    let fits = announce.map(|sentence| fit_of(sentence, happened));
    fits.min_by_key(|fit| match fit {
        Fit::Yes(_) => 0,
        Fit::Unclear(_) => 1,
        Fit::No(_) => 2,
    })
}

/// Lines joined, and each point of a list a paragraph of its own.
fn in_paragraphs(said: &str) -> String {
    let mut text = String::new();
    for line in said.lines().map(str::trim) {
        let point = line.strip_prefix("- ").or(line.strip_prefix("* "));
        if line.is_empty() || point.is_some() {
            text.push_str("\n\n");
        }
        text.push_str(point.unwrap_or(line));
        text.push(' ');
    }
    text
}

fn fit_of(sentence: &str, happened: &Happened<'_>) -> Fit {
    let said = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    match holds(sentence, happened.facts) {
        Some(true) => return Fit::Yes(said),
        Some(false) => return Fit::No(said),
        None => {}
    }
    let lower = said.to_lowercase();
    if shares_words(&lower, happened) {
        return Fit::Yes(said);
    }
    match words_for(happened.nature) {
        None => Fit::Unclear(said),
        Some(words) if words.iter().any(|word| lower.contains(word)) => Fit::Yes(said),
        // A sentence that names no case may mean any.
        Some(_)
            if !["if", "when", "unless", "on", "for", "is", "are"]
                .iter()
                .any(|it| has(&lower, it)) =>
        {
            Fit::Unclear(said)
        }
        Some(_) => Fit::No(said),
    }
}

fn has(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|it| it == word)
}

/// What an index, a range or a length may be called that does not fit.
const BOUNDS: &[&str] = &[
    "bound",
    "range",
    "beyond",
    "past",
    "exceed",
    "greater",
    "larger",
    "bigger",
    "longer",
    "less than",
    "fewer",
    "too ",
    "not exist",
    "n't exist",
    "invalid",
    "valid",
    ">",
    "<",
    "empty",
    "contain",
    "not in",
    "present",
    "found",
    "enough",
    "overflow",
    "capacity",
    "missing",
    "length",
    "full",
    "mismatch",
    "size",
    "end",
    "remaining",
    "insufficient",
];
/// What a division by zero may be called.
const ZERO: &[&str] = &["zero", "0", "divi", "empty"];
/// What a number may be called that does not fit its type.
const OVERFLOW: &[&str] = &[
    "overflow",
    "too ",
    "exceed",
    "range",
    "capacity",
    "represent",
    "fit",
    "greater",
    "larger",
    "less than",
    "bound",
    "max",
    "limit",
    "memory",
    "invalid",
    "negative",
    "wrap",
    "small",
    "supported",
];
/// What may be said of what is not there.
const ABSENT: &[&str] = &[
    "none",
    "present",
    "found",
    "missing",
    "invalid",
    "valid",
    "exist",
    "absent",
    "fail",
    "error",
    "empty",
    "out of",
    "contain",
    "not in",
    "n't in",
    "unknown",
    "unable",
    "cannot",
    "can't",
    "could not",
    "unset",
    "initial",
    "`err`",
    "not set",
    "been",
    "no such",
    "no ",
    "range",
    "overflow",
    "different",
    "exhaust",
    "unwrap",
    "not ",
    "n't ",
];
/// What may be said of memory that is not there.
const MEMORY: &[&str] = &[
    "capacity", "memory", "alloc", "overflow", "too ", "exceed", "size", "large", "isize",
];

/// What a panic of this kind may be called before it happens. `None` for panics that have words of
/// their own.
fn words_for(nature: Nature) -> Option<&'static [&'static str]> {
    Some(match nature {
        Nature::Index | Nature::Slice | Nature::Refused => BOUNDS,
        Nature::CharBoundary => &["boundar", "utf", "character", "char"],
        Nature::Division => ZERO,
        Nature::Overflow => OVERFLOW,
        Nature::Unwrap => ABSENT,
        Nature::Capacity => MEMORY,
        Nature::Borrowed => &["borrow", "reentran", "re-entran", "while"],
        Nature::Unreachable => &["unreachable"],
        Nature::Unfinished => &["implement", "support"],
        Nature::Explicit | Nature::Assertion | Nature::Expect => return None,
    })
}

/// Words that say nothing of what a sentence is about.
const COMMON: [&str; 24] = [
    "panic",
    "this",
    "that",
    "than",
    "then",
    "with",
    "when",
    "will",
    "must",
    "should",
    "function",
    "method",
    "called",
    "call",
    "calls",
    "have",
    "does",
    "from",
    "failed",
    "assertion",
    "left",
    "right",
    "value",
    "attempt",
];

/// Are there words of the crate's own in the message that the sentence has, too? What the standard
/// library says does not count: it says it everywhere.
fn shares_words(sentence: &str, happened: &Happened<'_>) -> bool {
    let is_own = matches!(
        happened.nature,
        Nature::Explicit | Nature::Assertion | Nature::Expect | Nature::Unreachable
    );
    if !is_own {
        return false;
    }
    let first = happened.message.lines().next().unwrap_or_default();
    let stems = |text: &str| -> Vec<String> {
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .map(str::to_lowercase);
        let words = words.filter(|word| word.chars().count() >= 3);
        let telling = words.filter(|word| !COMMON.iter().any(|it| word.starts_with(it)));
        telling.map(|word| stem(&word)).collect()
    };
    let said = stems(sentence);
    stems(first).iter().any(|word| said.contains(word))
}

/// The beginning of a word, so that `indices` and `index`, `identical` and `identity` are alike.
fn stem(word: &str) -> String {
    match word {
        "indices" | "indexes" => "index".to_owned(),
        _ => word.chars().take(5).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(said: &str, nature: Nature, message: &str, expected: &str) {
        let happened = Happened {
            nature,
            message,
            facts: &Facts::default(),
        };
        let found = match fit(said, &happened) {
            Some(Fit::Yes(_)) => "yes",
            Some(Fit::Unclear(_)) => "unclear",
            Some(Fit::No(_)) => "no",
            None => "nothing",
        };
        assert_eq!(found, expected, "{said:?} {nature:?} {message:?}");
    }

    #[test]
    fn two_equal_indices_are_no_slice_that_is_split_beyond_its_end() {
        let said = "This function panics when the two indices are equal (having the same\nslot number and generation).";
        check(said, Nature::Slice, "mid > len", "no");
        let own = "Arena::get2_mut is called with two identical indices";
        check(said, Nature::Explicit, own, "yes");
    }

    #[test]
    fn a_section_announces_any_of_its_cases() {
        let said = "Panics:\n- if `at` is out of bounds\n- if the name is not known";
        check(said, Nature::Index, "index out of bounds", "yes");
        check(said, Nature::Explicit, "no such name", "yes");
        check(said, Nature::Division, "attempt to divide by zero", "no");
        check(
            "Panics on overflow.",
            Nature::Overflow,
            "attempt to add with overflow",
            "yes",
        );
        check(
            "Panics on overflow.",
            Nature::Unwrap,
            "called `Option::unwrap()`",
            "yes",
        );
        check(
            "May panic.",
            Nature::Index,
            "index out of bounds",
            "unclear",
        );
    }

    #[test]
    fn what_denies_a_panic_announces_none() {
        let said = "Returns an error rather than raising a panic.";
        check(said, Nature::Unwrap, "called `Result::unwrap()`", "nothing");
    }
}
