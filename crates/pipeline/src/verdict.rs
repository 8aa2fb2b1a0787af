//! Whose fault a failure seems to be, and why we think so.
//!
//! What the documentation announces is behaviour. What a caller could have known is a precondition:
//! a check of arguments, an index that was given, arithmetic that overflows as the standard
//! library's does. Everything else no caller should ever see.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use testsmith_api::{
    CLOSURE_PANIC, Callable, CallableKind, Docs, Fields, Form, LAW_BROKEN, Law, OperationId,
    Origin, STAND_INS, Ty, last_segment,
};
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

/// What takes a step or a byte for each pair of so many takes long, or much memory.
const MUCH: u128 = 1 << 12;

/// Items of an array of which a few do not fit onto the stack of a test.
const LARGE_ARRAY: u64 = 1 << 17;

/// Laws from this rank on are broken by values that nobody should have made, too.
const SOFT: u8 = 4;

/// A verdict with its reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    /// In a sentence without its end.
    pub(crate) reason: String,
    /// The lower, the surer we are.
    pub(crate) rank: u8,
}

/// The lines that panics were raised at.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    dir: PathBuf,
    files: RefCell<BTreeMap<String, Vec<String>>>,
}

impl Sources {
    /// Of the package in this directory.
    pub(crate) fn of(dir: &Path) -> Sources {
        Sources {
            dir: dir.to_path_buf(),
            files: RefCell::default(),
        }
    }

    /// The text of a line, as the compiler names its file. `None` for what is not of the package.
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let mut files = self.files.borrow_mut();
        let lines = files.entry(file.to_owned()).or_insert_with(|| {
            let places = [Some(file.to_owned()), relative(file)]
                .into_iter()
                .flatten();
            let mut texts = places.filter_map(|it| fs::read_to_string(self.dir.join(it)).ok());
            let text = texts.next().unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        });
        lines.get(line.checked_sub(1)? as usize).cloned()
    }
}

/// What verdicts go by.
#[derive(Clone, Copy)]
pub(crate) struct Court<'a> {
    pub(crate) world: &'a World,
    pub(crate) rules: &'a Rules,
    pub(crate) sources: &'a Sources,
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
    Expect,
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

/// Judges by what the user says, if anything.
pub(crate) fn judge(court: Court<'_>, failure: &Failure) -> Judged {
    let judged = judge_by_itself(court, failure);
    let Some(callable) = callable(court.world, failure.operation) else {
        return judged;
    };
    let mut rules = court.rules.verdicts.iter().rev();
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
fn judge_by_itself(court: Court<'_>, failure: &Failure) -> Judged {
    let world = court.world;
    let judged = |verdict, reason: &str, rank| Judged {
        verdict,
        reason: reason.to_owned(),
        rank,
    };
    let Cause::Panic { file, line } = &failure.cause else {
        let takes_all = match failure.cause {
            Cause::Death(Death::StackOverflow) => false,
            Cause::Death(Death::TimedOut | Death::OutOfFuel | Death::OutOfMemory) => true,
            _ => {
                let (reason, rank) = death(&failure.cause);
                return judged(Verdict::Suspicious, reason, rank);
            }
        };
        if has_large_array(world, failure) {
            let reason = "it was asked for an array that is as large as a stack";
            return judged(Verdict::Precondition, reason, 8);
        }
        if takes_all && all_given(&failure.sequence).iter().any(|n| *n > MUCH) {
            return judged(Verdict::Precondition, "it was asked for so much", 8);
        }
        let (reason, rank) = death(&failure.cause);
        return judged(Verdict::Suspicious, reason, rank);
    };
    if let Some(law) = broken(world, failure) {
        if law.rank >= SOFT && is_filled_by_hand(world, &failure.sequence) {
            let reason = format!(
                "{}, but its fields are public, and whoever fills them answers for them",
                law.says
            );
            return judged(Verdict::Precondition, &reason, 8);
        }
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
    if let Some(said) = announced(world, failure.operation) {
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
    let called = callable(world, failure.operation);
    if let Some((verdict, reason, rank)) = contract(&failure.message, called) {
        return judged(verdict, reason, rank);
    }
    let mut nature = Nature::of(&failure.message);
    let text = court.sources.line(file, *line);
    let is_expected = text.as_ref().is_some_and(|text| text.contains(".expect("));
    if nature == Nature::Explicit && is_expected {
        nature = Nature::Expect;
    }
    let may_refuse = called.is_some_and(may_refuse);
    let is_check = matches!(
        nature,
        Nature::Explicit | Nature::Assertion | Nature::Expect
    );
    if may_refuse && (is_check || matches!(nature, Nature::Index | Nature::Slice)) {
        return judged(
            Verdict::Suspicious,
            "it could have said no, and panics instead",
            3,
        );
    }
    if let Some(reason) = excuse(world, failure, nature) {
        return judged(Verdict::Precondition, reason, 8);
    }
    // What is raised in our own code is so by `#[track_caller]`.
    if relative(file).is_none() {
        return judged(Verdict::Precondition, "the function blames its caller", 8);
    }
    let stands_there = docs.is_some_and(|docs| stands_in(docs, file, *line));
    let is_inside = stands_there
        && matches!(nature, Nature::Assertion | Nature::Expect)
        && called.zip(text).is_some_and(|(called, text)| {
            let said = format!("{} {text}", failure.message);
            is_about_the_inside(world, called, &said)
        });
    if is_inside {
        return judged(
            Verdict::Suspicious,
            "an assertion about what only the crate can see does not hold",
            4,
        );
    }
    if is_check && stands_there {
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

fn callable(world: &World, op: OperationId) -> Option<&Callable> {
    match world.catalogue.operation(op).origin {
        Origin::Callable(id) => Some(world.catalogue.api.callable(id)),
        Origin::Beside(_) | Origin::Recipe | Origin::Law => None,
    }
}

fn docs(world: &World, op: OperationId) -> Option<&Docs> {
    callable(world, op).map(|callable| &callable.docs)
}

/// What the documentation says of panics: that of the callable, or of the trait's method that it is.
fn announced(world: &World, op: OperationId) -> Option<&str> {
    let callable = callable(world, op)?;
    let own = callable.docs.panics.as_deref();
    own.or_else(|| match &callable.kind {
        CallableKind::Trait { trait_, name, .. } => {
            let trait_ = world.catalogue.api.traits.get(&trait_.path)?;
            let method = trait_.methods.iter().find(|it| it.name == *name)?;
            method.docs.panics.as_deref()
        }
        _ => None,
    })
}

/// What a contract of the `contracts` crate says, by the words of its panic.
fn contract(message: &str, called: Option<&Callable>) -> Option<(Verdict, &'static str, u8)> {
    let (kind, rest) = message.split_once(" of ")?;
    let (name, _) = rest.split_once(" violated")?;
    let is_own = called.is_some_and(|it| last_segment(&it.key) == name);
    Some(match kind {
        "Pre-condition" if is_own => (Verdict::Precondition, "its precondition does not hold", 8),
        "Pre-condition" => (
            Verdict::Suspicious,
            "it breaks the precondition of what it calls",
            4,
        ),
        "Post-condition" => (Verdict::Suspicious, "its postcondition does not hold", 1),
        _ if kind.starts_with("Invariant") => {
            (Verdict::Suspicious, "the invariant does not hold", 1)
        }
        _ => return None,
    })
}

/// Can it say that it won't, by its name and by what it gives?
fn may_refuse(callable: &Callable) -> bool {
    let gives_none = matches!(&callable.output, Ty::Adt { path, .. }
        if matches!(&**path, "std::option::Option" | "std::result::Result"));
    let name = last_segment(&callable.key);
    let is_for_that = ["try_", "checked_", "parse", "get"];
    let is_named_so = is_for_that.iter().any(|start| name.starts_with(start));
    gives_none && (is_named_so || name == "from_str")
}

/// Does an assertion speak of what is private, and of none of the arguments?
fn is_about_the_inside(world: &World, called: &Callable, said: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words: Vec<&str> = said.split(|c| !is_word(c)).collect();
    let mut parameters = called.inputs.iter().filter(|it| &*it.name != "self");
    if parameters.any(|it| words.contains(&&*it.name)) {
        return false;
    }
    let is_public = |name: &str| {
        let mut callables = world.catalogue.api.callables.iter();
        callables.any(|it| {
            it.key.ends_with(&format!("::{name}")) || it.key.ends_with(&format!(".{name}"))
        })
    };
    let members = said.split("self.").skip(1);
    let mut members = members.map(|rest| rest.split(|c| !is_word(c)).next().unwrap_or_default());
    members.any(|name| !name.is_empty() && !is_public(name))
}

/// Were fields of the crate's own types filled without a function of theirs?
fn is_filled_by_hand(world: &World, sequence: &Sequence) -> bool {
    sequence.steps().iter().any(|step| match step {
        Step::Call { op, .. } => {
            let form = &world.catalogue.operation(*op).form;
            matches!(form, Form::StructLiteral { fields, .. } if *fields != Fields::Unit)
        }
        Step::Drop(_) => false,
    })
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
    (is_ours && failure.message.contains(LAW_BROKEN)).then_some(law)
}

/// Does the call give or take an array that hardly fits onto a stack, or copies of it don't?
fn has_large_array(world: &World, failure: &Failure) -> bool {
    let signature = world.signature(failure.operation);
    let inputs = signature.inputs.iter().map(|input| input.ty.ty);
    let mut types = inputs.chain([signature.output.ty]);
    types.any(|ty| {
        let is_large = |n: &str| n.parse::<u64>().is_ok_and(|n| n >= LARGE_ARRAY);
        let ty = &world.catalogue.types.get(ty).ty;
        ty.any(&mut |part| matches!(part, Ty::Array(_, n) if is_large(n)))
    })
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
    let given = given(world, failure);
    match nature {
        Nature::Index | Nature::Slice | Nature::CharBoundary
            if names_one_of(&failure.message, &given) =>
        {
            Some("the index that is out of bounds is the one that was given")
        }
        Nature::Index | Nature::Slice if names_extreme(&failure.message) => {
            Some("the index that is out of bounds is at the end of its type")
        }
        Nature::Index | Nature::Slice | Nature::Unwrap | Nature::Expect
            if is_indexing(world, failure.operation) =>
        {
            Some("indexing, and that of the standard library does the same")
        }
        Nature::Overflow if given.iter().any(|n| is_extreme(*n)) => {
            Some("it was given a number at the end of its type")
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

/// The integers that the last call was given, in place or in slots of their own. What its receiver was
/// made with is a state of it.
fn given(world: &World, failure: &Failure) -> Vec<u128> {
    let sequence = &failure.sequence;
    let Some(Step::Call { op, args, .. }) = sequence.steps().last() else {
        return Vec::new();
    };
    let has_receiver = callable(world, *op).is_some_and(|it| match it.kind {
        CallableKind::Inherent { has_self, .. } | CallableKind::Trait { has_self, .. } => has_self,
        _ => false,
    });
    let mut found = Vec::new();
    for (n, arg) in args.iter().enumerate() {
        if n == 0 && has_receiver {
            continue;
        }
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

/// The integers of all calls.
fn all_given(sequence: &Sequence) -> Vec<u128> {
    let mut found = Vec::new();
    for step in sequence.steps() {
        if let Step::Call { args, .. } = step {
            for arg in args {
                if let Arg::Literal(value) = arg {
                    numbers(value, &mut found);
                }
            }
        }
    }
    found
}

fn numbers(value: &Value, found: &mut Vec<u128>) {
    match value {
        Value::UInt(number) => found.push(*number),
        Value::Int(number) => found.push(number.unsigned_abs()),
        Value::F64(bits) => found.extend(whole(f64::from_bits(*bits))),
        Value::F32(bits) => found.extend(whole(f32::from_bits(*bits).into())),
        Value::Tuple(parts) | Value::List(parts) => {
            parts.iter().for_each(|part| numbers(part, found));
        }
        Value::Named { fields, .. } => fields.iter().for_each(|(_, part)| numbers(part, found)),
        _ => {}
    }
}

/// A float without its fraction; none of what is no number, or endless.
fn whole(number: f64) -> Option<u128> {
    number.is_finite().then_some(number.abs() as u128)
}

/// Does the message have a number at the end of its type?
fn names_extreme(message: &str) -> bool {
    let words = message.split(|c: char| !c.is_ascii_digit());
    let mut numbers = words.filter_map(|word| word.parse::<u128>().ok());
    numbers.any(|n| n > 1 << 30 && is_extreme(n))
}

/// Does the message have one of these numbers, or the one behind it (the end of a range)?
fn names_one_of(message: &str, given: &[u128]) -> bool {
    let words = message.split(|c: char| !c.is_ascii_digit());
    let mut numbers = words.filter_map(|word| word.parse::<u128>().ok());
    // The length comes first in std's message about indexes.
    let skipped = usize::from(message.starts_with("index out of bounds: the len"));
    let last = numbers.nth(skipped);
    let is_end = message.starts_with("range end");
    let is_near = |n: u128| given.contains(&n) || is_end && n > 0 && given.contains(&(n - 1));
    // How far one of them is behind another.
    let is_between = |n: u128| n > 1 && given.iter().any(|it| given.contains(&it.wrapping_add(n)));
    last.is_some_and(|n| is_near(n) || is_between(n))
}

/// Is it the last number of an integer type, or next to it?
fn is_extreme(number: u128) -> bool {
    let ends = [7, 8, 15, 16, 31, 32, 63, 64, 127].map(|bits| (1u128 << bits) - 1);
    let is_near = |end: u128| number.abs_diff(end) <= 1;
    number > 1 << 62 || number > 100 && ends.into_iter().any(is_near)
}

/// Is it `a[i]`?
fn is_indexing(world: &World, op: OperationId) -> bool {
    matches!(&world.catalogue.operation(op).form, Form::Trait { trait_, .. }
        if matches!(&*trait_.path, "std::ops::Index" | "std::ops::IndexMut"))
}

/// Is it `+`, `*=`, `pow` or their like?
fn is_operator(world: &World, op: OperationId) -> bool {
    match &world.catalogue.operation(op).form {
        Form::Trait { trait_, .. } => {
            let path = &*trait_.path;
            let is_sum = matches!(path, "std::iter::Sum" | "std::iter::Product");
            let is_of_numbers =
                path.starts_with("num_traits::pow::") || path.starts_with("num_traits::sign::");
            let is_of_std = path.starts_with("std::ops::") && !path.ends_with("Index");
            is_sum || is_of_std || is_of_numbers
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
