//! Judges whose mistake a failure seems to be, and says why.
//!
//! [`site`] finds the expression that raised a panic in the [`sources`], [`nature`] tells kinds of
//! panics by it, [`said`] reads what documentation announces and asks, [`given`] finds the numbers
//! that calls were given, [`words`] what a message has of the crate's own.
//!
//! What the documentation announces is behaviour. What a caller could have known is a precondition:
//! a check of arguments, an index that was given, arithmetic that overflows as the standard
//! library's does. Everything else no caller should ever see.

mod given;
mod nature;
mod said;
mod site;
mod sources;
mod words;

use serde::Deserialize;
use testsmith_api::{
    CLOSURE_PANIC, Callable, Docs, Fields, Form, LAW_BROKEN, Law, OperationId, Origin, STAND_INS,
    Ty, last_segment,
};
use testsmith_explore::{Cause, Failure};
use testsmith_protocol::Death;
use testsmith_record::FailureVerdict;
use testsmith_sequence::{Sequence, Step, World};

use crate::path::relative;
use testsmith_equip::matches;

use self::given::{
    all_given, given, given_to_maker, has_endless_range, has_extreme_float, has_foreign_place,
    has_number_of_another, has_receiver, is_extreme, is_last, names_extreme, names_one_of,
};
use self::nature::Nature;
pub use self::sources::Sources;

use self::said::{announced, demanded, forewarned, is_helper};

/// Whose mistake a failure seems to be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The crate's: no caller should ever see it.
    Suspicious,
    /// The caller's: it looks like a check of an argument.
    Precondition,
    /// Nobody's: the documentation announces it.
    Documented,
}

impl Verdict {
    /// As records have it.
    pub fn recorded(self) -> FailureVerdict {
        match self {
            Verdict::Documented => FailureVerdict::Documented,
            Verdict::Suspicious => FailureVerdict::Suspicious,
            Verdict::Precondition => FailureVerdict::Precondition,
        }
    }
}

/// What the settings say about failures.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Verdicts on panics of callables, by patterns of names; the last pattern that matches
    /// decides.
    pub verdicts: Vec<(String, Verdict)>,
    /// Names of failures that are known and accepted, so that they are not reported.
    pub accepted: Vec<String>,
}

/// A number above this may be to blame for time or memory: with a step or a byte for each pair of
/// so many items, a call takes too much of them.
const MUCH: u128 = 1 << 12;

/// An array with this many items may not fit onto the stack of a test.
const LARGE_ARRAY: u64 = 1 << 17;

/// Laws of this rank or a weaker one may also be broken because the test filled in public fields as
/// no function would.
const SOFT: u8 = 4;

/// A verdict with its reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    pub verdict: Verdict,
    /// A phrase or sentence without a full stop.
    pub reason: String,
    /// How sure the verdict is: the lower, the surer.
    pub rank: u8,
}

impl Judged {
    fn new(verdict: Verdict, reason: impl Into<String>, rank: u8) -> Judged {
        Judged {
            verdict,
            reason: reason.into(),
            rank,
        }
    }

    fn suspicious(reason: impl Into<String>, rank: u8) -> Judged {
        Judged::new(Verdict::Suspicious, reason, rank)
    }

    fn precondition(reason: impl Into<String>) -> Judged {
        Judged::new(Verdict::Precondition, reason, 8)
    }

    fn documented(reason: impl Into<String>) -> Judged {
        Judged::new(Verdict::Documented, reason, 9)
    }
}

/// What verdicts are based on.
#[derive(Clone, Copy)]
pub struct Court<'a> {
    /// The operations and their types.
    pub world: &'a World,
    /// What the settings say.
    pub rules: &'a Rules,
    /// The package's source.
    pub sources: &'a Sources<'a>,
}

/// Judges a failure. If the settings have a verdict on panics of its callable, that one counts.
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

/// Judges a failure first by the documentation, then by its message and the arguments.
fn judge_by_itself(court: Court<'_>, failure: &Failure) -> Judged {
    let world = court.world;
    let Cause::Panic { file, line, column } = &failure.cause else {
        return judge_death(world, failure);
    };
    if let Some(law) = broken(world, failure) {
        return judge_broken(world, failure, law);
    }
    if let Some(judged) = judge_by_what_is_said(world, failure) {
        return judged;
    }
    let called = callable(world, failure.operation);
    if let Some((verdict, reason, rank)) = contract(&failure.message, called) {
        return Judged::new(verdict, reason, rank);
    }
    let text = court.sources.line(file, *line);
    let sites = court.sources.at(file, *line, *column);
    let nature = Nature::at(&sites, &failure.message);
    let is_check = nature.is_check();
    let may_refuse = called.is_some_and(may_refuse);
    if may_refuse && (is_check || matches!(nature, Nature::Index | Nature::Slice)) {
        return Judged::suspicious("it could have said no, and panics instead", 3);
    }
    if let Some(reason) = demanded(world, failure) {
        return Judged::precondition(reason);
    }
    if nature == Nature::Overflow && called.is_some_and(|called| is_helper(world, called)) {
        return Judged::precondition("nobody says what it is for, as is said of nearly all others");
    }
    if let Some(reason) = excuse(world, failure, nature) {
        return Judged::precondition(reason);
    }
    // A panic that is raised in the harness is passed on by `#[track_caller]`.
    if relative(file).is_none() {
        return Judged::precondition("the function blames its caller");
    }
    let docs = docs(world, failure.operation);
    let stands_there = docs.is_some_and(|docs| stands_in(docs, file, *line));
    let is_inside = stands_there
        && matches!(nature, Nature::Assertion | Nature::Expect)
        && called.zip(text).is_some_and(|(called, text)| {
            let said = format!("{} {text}", failure.message);
            is_about_the_inside(world, called, &said)
        });
    if is_inside {
        let reason = "an assertion about what only the crate can see does not hold";
        return Judged::suspicious(reason, 4);
    }
    if is_check && stands_there {
        return Judged::precondition("the function itself checks for it");
    }
    if nature == Nature::Explicit {
        return Judged::precondition("it panics on purpose, with a message");
    }
    let (reason, rank) = nature.suspicion();
    Judged::suspicious(reason, rank)
}

/// Judges a failure that ended the process or did not end.
fn judge_death(world: &World, failure: &Failure) -> Judged {
    let suspicious = || {
        let (reason, rank) = death(&failure.cause);
        Judged::suspicious(reason, rank)
    };
    let takes_all = match failure.cause {
        Cause::Death(Death::StackOverflow) => false,
        Cause::Death(Death::TimedOut | Death::OutOfFuel | Death::OutOfMemory) => true,
        _ => return suspicious(),
    };
    if has_large_array(world, failure) {
        return Judged::precondition("it was asked for an array that is as large as a stack");
    }
    if !takes_all {
        return suspicious();
    }
    let asks_for_much = all_given(&failure.sequence).iter().any(|n| *n > MUCH)
        || has_number_of_another(world, failure)
        || has_endless_range(world, failure);
    if asks_for_much {
        return Judged::precondition("it was asked for so much");
    }
    if is_operator(world, failure.operation) {
        return Judged::precondition("an operator, and what it makes of numbers may be large");
    }
    if has_foreign_place(world, failure) {
        return Judged::precondition("it was given a place in something else");
    }
    if has_extreme_float(&failure.sequence) {
        return Judged::precondition("it was given a float at the end of its type");
    }
    suspicious()
}

/// Judges a law that does not hold.
fn judge_broken(world: &World, failure: &Failure, law: &Law) -> Judged {
    if law.rank >= SOFT && is_filled_by_hand(world, &failure.sequence) {
        return Judged::precondition(format!(
            "{}, but its fields are public, and whoever fills them answers for them",
            law.says
        ));
    }
    Judged::suspicious(&*law.says, law.rank)
}

/// Judges by the documentation, and by what the test itself asked for. `None` if neither says
/// anything.
fn judge_by_what_is_said(world: &World, failure: &Failure) -> Option<Judged> {
    if is_asked_for(failure) {
        return Some(Judged::documented("the closure that it was given panics"));
    }
    if let Some(said) = announced(world, failure.operation) {
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let reason = format!("its documentation announces it: {said}");
        return Some(Judged::documented(reason));
    }
    if is_polled_again(world, failure) {
        let reason = "a future that was ready may panic when it is polled again";
        return Some(Judged::documented(reason));
    }
    if failure.dropping {
        return Some(Judged::suspicious("it panics while it is dropped", 1));
    }
    forewarned(world, failure).map(Judged::precondition)
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

/// What the panic of a contract means that was written with the `contracts` crate, by the words of
/// its message.
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

/// Can the function refuse by returning a value? Its name and its result say so.
fn may_refuse(callable: &Callable) -> bool {
    let name = last_segment(&callable.key);
    let is_for_that = ["try_", "checked_", "parse", "get"];
    let is_named_so = is_for_that.iter().any(|start| name.starts_with(start));
    gives_maybe(callable) && (is_named_so || name == "from_str")
}

/// Is it a method that may answer that its receiver has no such thing?
fn is_asked_whether(world: &World, op: OperationId) -> bool {
    has_receiver(world, op) && callable(world, op).is_some_and(gives_maybe)
}

fn gives_maybe(callable: &Callable) -> bool {
    matches!(&callable.output, Ty::Adt { path, .. }
        if matches!(&**path, "std::option::Option" | "std::result::Result"))
}

/// Does an assertion mention a private member, and none of the arguments?
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

/// Did the test fill fields of the crate's own types without one of their functions?
fn is_filled_by_hand(world: &World, sequence: &Sequence) -> bool {
    sequence.steps().iter().any(|step| match step {
        Step::Call { op, .. } => {
            let form = &world.catalogue.operation(*op).form;
            matches!(form, Form::StructLiteral { fields, .. } if *fields != Fields::Unit)
        }
        Step::Drop(_) => false,
    })
}

/// Why a call should not end the process in this way, and how sure that is.
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

/// The law that the last call was to check, if it is broken.
pub(crate) fn broken<'w>(world: &'w World, failure: &Failure) -> Option<&'w Law> {
    let Form::Law(law) = &world.catalogue.operation(failure.operation).form else {
        return None;
    };
    let is_ours = matches!(&failure.cause, Cause::Panic { file, .. } if relative(file).is_none());
    (is_ours && failure.message.contains(LAW_BROKEN)).then_some(law)
}

/// Does the call give or take an array that may not fit onto a stack?
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

/// What a test of a documented panic may expect of the message: the crate's own words, or those of
/// the closure that the test passed in. `None` if they are the standard library's.
pub(crate) fn words(court: Court<'_>, failure: &Failure) -> Option<String> {
    if is_asked_for(failure) {
        return Some(CLOSURE_PANIC.into());
    }
    let Cause::Panic { file, line, column } = &failure.cause else {
        return None;
    };
    let nature = Nature::at(&court.sources.at(file, *line, *column), &failure.message);
    let (file, line) = match relative(file) {
        Some(_) => (&**file, *line),
        // A function with `#[track_caller]` blames the test, and the words are in the function.
        None => {
            let docs = docs(court.world, failure.operation)?;
            (docs.file.as_deref()?, docs.line)
        }
    };
    words::own_words(&court.sources.lines(file), line, &failure.message, nature)
}

/// Is the panic arithmetic that overflows? Builds without overflow checks go on with a wrong number.
/// Divisions are not meant: they are checked in every build.
pub(crate) fn is_unchecked_in_release(failure: &Failure) -> bool {
    let is_panic = matches!(failure.cause, Cause::Panic { .. });
    let divides = ["attempt to divide", "attempt to calculate the remainder"];
    let mut divides = divides.iter();
    is_panic
        && Nature::of(&failure.message) == Nature::Overflow
        && !divides.any(|start| failure.message.starts_with(start))
}

/// Is it the panic of a closure that the test passed in?
fn is_asked_for(failure: &Failure) -> bool {
    failure.message == CLOSURE_PANIC
}

/// Is it a future that was polled before? `Future::poll` says that a future may panic once it was
/// ready.
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

/// Was the panic raised in the function itself?
fn stands_in(docs: &Docs, file: &str, line: u32) -> bool {
    let same_file = docs.file.as_deref().and_then(relative) == relative(file);
    same_file && (docs.line..=docs.end).contains(&line)
}

/// Why the caller could have known that the call fails, if so.
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
        Nature::Overflow
            if given.iter().any(|n| is_extreme(*n))
                || given_to_maker(world, failure).into_iter().any(is_extreme) =>
        {
            Some("it was given a number at the end of its type")
        }
        Nature::Unwrap | Nature::Expect if given.iter().any(|n| is_last(*n)) => {
            Some("it was given a number at the end of its type")
        }
        Nature::Unwrap | Nature::Expect | Nature::Overflow
            if has_extreme_float(&failure.sequence) =>
        {
            Some("it was given a float at the end of its type")
        }
        Nature::Index
        | Nature::Slice
        | Nature::Unwrap
        | Nature::Expect
        | Nature::Assertion
        | Nature::Overflow
            if !is_asked_whether(world, failure.operation) && has_foreign_place(world, failure) =>
        {
            Some("it was given a place in something else")
        }
        Nature::Overflow | Nature::Division if is_operator(world, failure.operation) => {
            Some("an operator, and those of the standard library's numbers do the same")
        }
        Nature::Division if given.contains(&0) => Some("it was given the zero to divide by"),
        Nature::Capacity
            if given.iter().any(|n| *n > 1 << 32) || has_number_of_another(world, failure) =>
        {
            Some("it was asked for so much memory")
        }
        _ => None,
    }
}

/// Is it an operation like `a[i]`?
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
        Form::Inherent { name, .. } => &**name == "pow",
        _ => false,
    }
}
