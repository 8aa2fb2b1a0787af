//! Judges whose mistake a failure seems to be, how sure that is, and says why.
//!
//! [`site`] finds the expression that raised a panic in the [`sources`], [`around`] the function that it is in, [`nature`] tells kinds of
//! panics by it, [`said`] reads what documentation announces and asks, [`fit`] and [`condition`]
//! whether that is what happened, [`given`] finds the numbers that calls were given, [`excuse`] what a
//! caller could have known, [`words`] what a message has of the crate's own. [`panicked`] weighs it.
//!
//! What the documentation announces is behaviour. A function that can say no must say no: whatever it
//! was given, it does not panic. What a caller of another one could have known is the caller's: a
//! check of arguments, an index that was given, arithmetic that overflows as the standard library's
//! does. Everything else no caller should ever see.

mod around;
mod condition;
mod excuse;
mod fit;
pub(crate) mod given;
mod judged;
mod nature;
mod panicked;
mod said;
mod site;
mod sources;
mod words;

use testsmith_api::{
    CLOSURE_PANIC, Callable, Docs, Fields, Form, LAW_BROKEN, Law, OperationId, Origin, Ty,
};
use testsmith_equip::matches;
use testsmith_explore::{Cause, Failure};
use testsmith_protocol::Death;
use testsmith_sequence::{Arg, Sequence, Step, World};

use crate::path::relative;

use self::excuse::is_operator;
use self::given::{
    all_given, has_endless_range, has_extreme_float, has_foreign_place, has_number_of_another,
};
use self::judged::Evidence;
pub use self::judged::Verdict;
pub(crate) use self::judged::{Judged, Level};
use self::nature::Nature;
pub use self::sources::Sources;

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
        Some((pattern, verdict)) => {
            let reason = format!("the settings say so for `{pattern}`");
            Judged::ruled(*verdict, reason).with(judged.evidence)
        }
        None => judged,
    }
}

fn judge_by_itself(court: Court<'_>, failure: &Failure) -> Judged {
    let world = court.world;
    let judged = match (&failure.cause, broken(world, failure)) {
        (Cause::Death(_), _) => judge_death(world, failure),
        (Cause::Panic { .. }, Some(law)) => judge_broken(world, failure, law),
        (Cause::Panic { file, line, column }, None) => {
            return panicked::judge(court, failure, file, *line, *column);
        }
    };
    judged.with(Evidence::default())
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
        return Judged::callers("it was asked for an array that is as large as a stack");
    }
    if !takes_all {
        return suspicious();
    }
    if let Form::Recipe { template } = &world.catalogue.operation(failure.operation).form
        && template.contains(".collect::<")
    {
        return Judged::arguable("an iterator may go on for as long as it likes");
    }
    let asks_for_much = all_given(&failure.sequence).iter().any(|n| *n > MUCH)
        || has_number_of_another(world, failure)
        || has_endless_range(world, failure);
    if asks_for_much {
        return Judged::callers("it was asked for so much");
    }
    if is_operator(world, failure.operation) {
        return Judged::callers("an operator, and what it makes of numbers may be large");
    }
    if has_foreign_place(world, failure) {
        return Judged::callers("it was given a place in something else");
    }
    if has_extreme_float(&failure.sequence) {
        return Judged::callers("it was given a float at the end of its type");
    }
    suspicious()
}

/// Judges a law that does not hold.
fn judge_broken(world: &World, failure: &Failure, law: &Law) -> Judged {
    if let Some(said) = said::trusted(world, &failure.sequence) {
        return Judged::arguable(format!("{}, but {said}", law.says));
    }
    if law.name.starts_with("from-str") && is_default(world, &failure.sequence) {
        return Judged::arguable(format!("{}, but a default need not have a text", law.says));
    }
    // Lists that a caller puts together beside each other need not fit, whatever is sure of others.
    let is_soft = law.rank >= SOFT || &*law.name == "empty";
    if is_soft && is_filled_by_hand(world, &failure.sequence) {
        return Judged::arguable(format!(
            "{}, but its fields are public, and whoever fills them answers for them",
            law.says
        ));
    }
    Judged::suspicious(&*law.says, law.rank)
}

fn callable(world: &World, op: OperationId) -> Option<&Callable> {
    match world.catalogue.operation(op).origin {
        Origin::Callable(id) => Some(world.catalogue.api.callable(id)),
        Origin::Beside(_) | Origin::Recipe | Origin::Law => None,
    }
}

/// Was the receiver of the last call made by filling in its fields?
fn is_receiver_filled(world: &World, failure: &Failure) -> bool {
    let sequence = &failure.sequence;
    let receiver = match sequence.steps().last() {
        Some(Step::Call { args, .. }) => args.first(),
        _ => None,
    };
    let Some(Arg::Slot(slot, _)) = receiver else {
        return false;
    };
    let form = &world.catalogue.operation(sequence.maker(*slot).0).form;
    matches!(form, Form::StructLiteral { fields, .. } | Form::Variant { fields, .. }
        if *fields != Fields::Unit)
}

fn docs(world: &World, op: OperationId) -> Option<&Docs> {
    callable(world, op).map(|callable| &callable.docs)
}

/// Did the test fill fields of the crate's own types without one of their functions?
fn is_filled_by_hand(world: &World, sequence: &Sequence) -> bool {
    sequence.steps().iter().any(|step| match step {
        Step::Call { op, .. } => {
            let form = &world.catalogue.operation(*op).form;
            matches!(form, Form::StructLiteral { fields, .. } | Form::Variant { fields, .. }
                if *fields != Fields::Unit)
        }
        Step::Drop(_) => false,
    })
}

/// Is any value the default of its type?
fn is_default(world: &World, sequence: &Sequence) -> bool {
    sequence.steps().iter().any(|step| match step {
        Step::Call { op, .. } => {
            matches!(&world.catalogue.operation(*op).form, Form::Trait { trait_, .. }
                if &*trait_.path == "std::default::Default")
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

/// Is any call `unsafe`? Whoever makes it answers for what comes.
pub(crate) fn uses_unsafe(world: &World, sequence: &Sequence) -> bool {
    sequence.steps().iter().any(|step| match step {
        Step::Call { op, .. } => callable(world, *op).is_some_and(|it| it.is_unsafe),
        Step::Drop(_) => false,
    })
}

/// Does the operation check nothing, and trust its callers?
pub(crate) fn trusts(world: &World, op: OperationId) -> bool {
    callable(world, op).is_some_and(|it| said::trusts(it).is_some())
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

/// The kind of a panic and the function that raised it, as one text; `None` if it is none of the package.
pub(crate) fn kind_and_function(court: Court<'_>, failure: &Failure) -> Option<String> {
    let Cause::Panic { file, line, column } = &failure.cause else {
        return None;
    };
    let nature = Nature::at(&court.sources.at(file, *line, *column), &failure.message);
    let function = court.sources.function(file, *line)?;
    Some(format!("{nature:?} in {function}"))
}

/// What is unwrapped where a panic was raised, if something is: the last call before it.
pub(crate) fn unwrapped(court: Court<'_>, failure: &Failure) -> Option<String> {
    let Cause::Panic { file, line, column } = &failure.cause else {
        return None;
    };
    court.sources.unwrapped(file, *line, *column)
}

/// Was it given a float that is larger than any amount?
pub(crate) fn has_great_float(failure: &Failure) -> bool {
    given::has_great_float(&failure.sequence)
}

/// The kind of a panic and the statement that raised it, as one text; `None` if it is none of the package.
pub(crate) fn kind_and_statement(court: Court<'_>, failure: &Failure) -> Option<String> {
    let Cause::Panic { file, line, column } = &failure.cause else {
        return None;
    };
    let nature = Nature::at(&court.sources.at(file, *line, *column), &failure.message);
    let short = relative(file)?;
    let first = court.sources.around(file).statement(*line)?;
    Some(format!("{nature:?} in the statement at {short}:{first}"))
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
pub(crate) fn is_asked_for(failure: &Failure) -> bool {
    failure.message == CLOSURE_PANIC
}
