//! Whose fault a failure seems to be, and why we think so.
//!
//! What the documentation announces is behaviour. What a caller could have known is a precondition:
//! a check of arguments, an index that was given, arithmetic that overflows as the standard
//! library's does. Everything else no caller should ever see.

use serde::Deserialize;
use testsmith_api::{CLOSURE_PANIC, Docs, Form, Law, OperationId, Origin, STAND_INS};
use testsmith_explore::{Cause, Failure};
use testsmith_protocol::{Death, Value};
use testsmith_sequence::{Arg, Sequence, Step, World};

use crate::failing::relative;
use crate::filter::matches;

/// Whose fault it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No caller should ever see it.
    Suspicious,
    /// It looks like a check of an argument.
    Precondition,
    /// The documentation announces it.
    Documented,
}

impl Verdict {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Verdict::Documented => "documented",
            Verdict::Suspicious => "suspicious",
            Verdict::Precondition => "precondition",
        }
    }
}

/// What the user says about failures.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Whose fault panics of callables are, by a pattern of their names; the last that matches decides.
    pub verdicts: Vec<(String, Verdict)>,
    /// Names of failures that are known, and not to be told of.
    pub accepted: Vec<String>,
}

/// A verdict with its reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    /// In a sentence without its end.
    pub(crate) reason: String,
    /// The lower, the surer we are.
    pub(crate) rank: u8,
}

/// What kind of panic a message tells of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Nature {
    Unreachable,
    Borrowed,
    CharBoundary,
    Index,
    Slice,
    Division,
    Unwrap,
    Unfinished,
    Assertion,
    Overflow,
    Capacity,
    Explicit,
}

impl Nature {
    fn of(message: &str) -> Nature {
        let says = |parts: &[&str]| parts.iter().any(|part| message.contains(part));
        if says(&["entered unreachable code"]) {
            Nature::Unreachable
        } else if says(&["already borrowed", "already mutably borrowed"]) {
            Nature::Borrowed
        } else if says(&["not a char boundary"]) {
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

    /// Why no caller should see it, and how sure that is.
    fn suspicion(self) -> (&'static str, u8) {
        match self {
            Nature::Unreachable => ("the code itself says that it cannot be reached", 2),
            Nature::Borrowed => ("a `RefCell` inside is borrowed twice", 2),
            Nature::CharBoundary => ("text is cut inside a character", 2),
            Nature::Index => ("an index inside is out of bounds", 3),
            Nature::Slice => ("a slice is taken beyond its end", 3),
            Nature::Division => ("it divides by zero", 3),
            Nature::Unwrap => ("it unwraps what is not there", 3),
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

/// Judges by what the user says, if anything.
pub(crate) fn judge(world: &World, failure: &Failure, rules: &Rules) -> Judged {
    let judged = judge_by_itself(world, failure);
    let Origin::Callable(id) = world.catalogue.operation(failure.operation).origin else {
        return judged;
    };
    let callable = world.catalogue.api.callable(id);
    let mut rules = rules.verdicts.iter().rev();
    let is_panic = matches!(failure.cause, Cause::Panic { .. });
    match rules.find(|(pattern, _)| is_panic && matches(pattern, callable)) {
        Some((pattern, verdict)) => Judged {
            verdict: *verdict,
            reason: format!("the settings say so for `{pattern}`"),
            ..judged
        },
        None => judged,
    }
}

/// Judges by the documentation first, then by what the message says and by what was given.
fn judge_by_itself(world: &World, failure: &Failure) -> Judged {
    let judged = |verdict, reason: &str, rank| Judged {
        verdict,
        reason: reason.to_owned(),
        rank,
    };
    let Cause::Panic { file, line } = &failure.cause else {
        let (reason, rank) = death(&failure.cause);
        return judged(Verdict::Suspicious, reason, rank);
    };
    if let Some(law) = broken(world, failure) {
        return judged(Verdict::Suspicious, &law.says, law.rank);
    }
    let docs = docs(world, failure.operation);
    if is_asked_for(failure) {
        return judged(
            Verdict::Documented,
            "the closure that it was given panics",
            9,
        );
    }
    if let Some(said) = docs.and_then(|docs| docs.panics.as_deref()) {
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let reason = format!("its documentation announces it: {said}");
        return judged(Verdict::Documented, &reason, 9);
    }
    if is_polled_again(world, failure) {
        return judged(
            Verdict::Documented,
            "a future that was ready may panic when it is polled again",
            9,
        );
    }
    if failure.dropping {
        return judged(Verdict::Suspicious, "it panics while it is dropped", 1);
    }
    let nature = Nature::of(&failure.message);
    if let Some(reason) = excuse(world, failure, nature) {
        return judged(Verdict::Precondition, reason, 8);
    }
    let is_check = matches!(nature, Nature::Explicit | Nature::Assertion);
    if is_check && docs.is_some_and(|docs| stands_in(docs, file, *line)) {
        return judged(
            Verdict::Precondition,
            "the function itself checks for it",
            8,
        );
    }
    if nature == Nature::Explicit {
        return judged(
            Verdict::Precondition,
            "it panics on purpose, with a message",
            8,
        );
    }
    let (reason, rank) = nature.suspicion();
    judged(Verdict::Suspicious, reason, rank)
}

fn docs(world: &World, op: OperationId) -> Option<&Docs> {
    match world.catalogue.operation(op).origin {
        Origin::Callable(callable) => {
            Some(&world.catalogue.api.callables[callable.0 as usize].docs)
        }
        Origin::Beside(_) | Origin::Recipe | Origin::Law => None,
    }
}

/// Why no call may end the process.
fn death(cause: &Cause) -> (&'static str, u8) {
    match cause {
        Cause::Death(Death::Signal(_)) => ("safe code must not crash", 0),
        Cause::Death(Death::Abort) => ("no test survives it, and nobody can catch it", 0),
        Cause::Death(Death::Exit(_)) => ("a library has no business to end the process", 1),
        Cause::Death(Death::StackOverflow) => ("nobody can catch it", 2),
        Cause::Death(Death::TimedOut | Death::OutOfFuel) => {
            ("it takes longer than everything else together", 6)
        }
        _ => ("it takes memory out of proportion to what it was given", 6),
    }
}

/// The law that the values of the last call break.
pub(crate) fn broken<'w>(world: &'w World, failure: &Failure) -> Option<&'w Law> {
    let Form::Law(law) = &world.catalogue.operation(failure.operation).form else {
        return None;
    };
    let is_ours = matches!(&failure.cause, Cause::Panic { file, .. } if relative(file).is_none());
    (is_ours && failure.message.starts_with("assertion")).then_some(law)
}

/// Is it the panic of a closure of ours, passed on?
pub(crate) fn is_asked_for(failure: &Failure) -> bool {
    failure.message == CLOSURE_PANIC
}

/// Is it a future that was polled before? Once it is ready, it may panic: `Future::poll` says so.
fn is_polled_again(world: &World, failure: &Failure) -> bool {
    let form = |op: OperationId| &world.catalogue.operation(op).form;
    let is_poll = |op: OperationId| {
        matches!(form(op), Form::Trait { trait_, name, .. }
            if &*trait_.path == "std::future::Future" && &**name == "poll")
    };
    let drives = |op: OperationId| matches!(form(op), Form::Recipe { template } if template.starts_with(STAND_INS));
    let steps = failure.sequence.steps().iter();
    let polls = steps.filter(|step| matches!(step, Step::Call { op, .. } if is_poll(*op)));
    match is_poll(failure.operation) {
        true => polls.count() > 1,
        false => drives(failure.operation) && polls.count() > 0,
    }
}

/// Was it raised in the function itself?
fn stands_in(docs: &Docs, file: &str, line: u32) -> bool {
    let same_file = docs.file.as_deref().and_then(relative) == relative(file);
    same_file && (docs.line..=docs.end).contains(&line)
}

/// What the caller could have known.
fn excuse(world: &World, failure: &Failure, nature: Nature) -> Option<&'static str> {
    let given = given(&failure.sequence);
    match nature {
        Nature::Index | Nature::Slice if names_one_of(&failure.message, &given) => {
            Some("the index that is out of bounds is the one that was given")
        }
        Nature::Overflow | Nature::Division if is_operator(world, failure.operation) => {
            Some("an operator, and those of the standard library's numbers do the same")
        }
        Nature::Division if given.contains(&0) => Some("it was given the zero to divide by"),
        Nature::Capacity if given.iter().any(|n| *n > 1 << 32) => {
            Some("it was asked for so much memory")
        }
        _ => None,
    }
}

/// The integers that the last call was given, in place or in slots of their own.
fn given(sequence: &Sequence) -> Vec<u128> {
    let Some(Step::Call { args, .. }) = sequence.steps().last() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for arg in args {
        match arg {
            Arg::Literal(value) => numbers(value, &mut found),
            Arg::Slot(slot, _) => {
                for arg in sequence.maker(*slot).1 {
                    if let Arg::Literal(value) = arg {
                        numbers(value, &mut found);
                    }
                }
            }
        }
    }
    found
}

fn numbers(value: &Value, found: &mut Vec<u128>) {
    match value {
        Value::UInt(number) => found.push(*number),
        Value::Int(number) => found.extend(u128::try_from(*number)),
        Value::Tuple(parts) | Value::List(parts) => {
            parts.iter().for_each(|part| numbers(part, found));
        }
        Value::Named { fields, .. } => fields.iter().for_each(|(_, part)| numbers(part, found)),
        _ => {}
    }
}

/// Does the message have one of these numbers, or the one behind it (the end of a range)?
fn names_one_of(message: &str, given: &[u128]) -> bool {
    let words = message.split(|c: char| !c.is_ascii_digit());
    let mut numbers = words.filter_map(|word| word.parse::<u128>().ok());
    // The length comes first in std's message about indexes.
    let skipped = usize::from(message.starts_with("index out of bounds: the len"));
    let last = numbers.nth(skipped);
    last.is_some_and(|n| given.contains(&n) || n > 0 && given.contains(&(n - 1)))
}

/// Is it `+`, `*=` or their like?
fn is_operator(world: &World, op: OperationId) -> bool {
    match &world.catalogue.operation(op).form {
        Form::Trait { trait_, .. } => {
            let path = &*trait_.path;
            let is_sum = matches!(path, "std::iter::Sum" | "std::iter::Product");
            is_sum || path.starts_with("std::ops::") && !path.ends_with("Index")
        }
        _ => false,
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

    #[test]
    fn an_index_that_was_given_is_found_in_the_message() {
        let message = "index out of bounds: the len is 3 but the index is 7";
        assert!(names_one_of(message, &[1, 7]));
        assert!(!names_one_of(message, &[3]));
        assert!(names_one_of(
            "range end index 9 out of range for slice of length 2",
            &[8]
        ));
        assert!(!names_one_of(
            "range end index 9 out of range for slice of length 2",
            &[2]
        ));
    }
}
