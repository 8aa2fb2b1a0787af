//! From causes of failure to reproducers and verdicts.

use std::collections::BTreeSet;

use testsmith_api::{CLOSURE_PANIC, Docs, Form, OperationId, Origin, STAND_INS};
use testsmith_emit::{TestCase, TestKind};
use testsmith_explore::{Cause, Failure};
use testsmith_protocol::Death;
use testsmith_sequence::{Step, World};

use crate::report::Drops;

/// Whose fault a failure seems to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The documentation announces it.
    Documented,
    /// No caller should ever see it.
    Suspicious,
    /// It looks like a check of an argument.
    Precondition,
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

fn docs(world: &World, op: OperationId) -> Option<&Docs> {
    match world.catalogue.operation(op).origin {
        Origin::Callable(callable) => {
            Some(&world.catalogue.api.callables[callable.0 as usize].docs)
        }
        Origin::Beside(_) | Origin::Recipe => None,
    }
}

/// Judges by the documentation first, then by what the message says.
pub(crate) fn judge(world: &World, failure: &Failure) -> Verdict {
    let is_documented = docs(world, failure.operation).is_some_and(|docs| docs.panics.is_some());
    let suspicious = [
        "attempt to ",
        "index out of bounds",
        "out of range for slice",
        "slice index starts at",
        "is not a char boundary",
        "called `Option::unwrap()`",
        "called `Result::unwrap()`",
        "already borrowed",
        "already mutably borrowed",
        "internal error: entered unreachable code",
        "not implemented",
        "capacity overflow",
    ];
    match &failure.cause {
        Cause::Panic { .. } if is_documented || is_asked_for(failure) => Verdict::Documented,
        Cause::Panic { .. } if suspicious.iter().any(|s| failure.message.contains(s)) => {
            Verdict::Suspicious
        }
        Cause::Panic { .. } if is_polled_again(world, failure) => Verdict::Documented,
        Cause::Panic { .. } => Verdict::Precondition,
        Cause::Death(_) => Verdict::Suspicious,
    }
}

/// Is it the panic of a closure of ours, passed on?
fn is_asked_for(failure: &Failure) -> bool {
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

/// The kind as the record names it.
pub(crate) fn kind(cause: &Cause) -> &'static str {
    match cause {
        Cause::Panic { .. } => "panic",
        Cause::Death(Death::Abort) => "abort",
        Cause::Death(Death::Signal(_)) => "signal",
        Cause::Death(Death::Exit(_)) => "exit",
        Cause::Death(Death::StackOverflow) => "stack-overflow",
        Cause::Death(Death::TimedOut | Death::OutOfFuel) => "timeout",
        Cause::Death(Death::OutOfMemory) => "out-of-memory",
    }
}

/// Where and how it fails, the same for all instances of a callable.
fn site(cause: &Cause) -> Cause {
    match cause {
        Cause::Panic { file, .. } if relative(file).is_none() => Cause::Panic {
            file: String::new(),
            line: 0,
        },
        Cause::Death(Death::Exit(_)) => Cause::Death(Death::Exit(0)),
        other => other.clone(),
    }
}

/// Two instances of one callable that fail alike are one failure, and so are two exits with
/// different codes.
pub(crate) fn distinct(world: &World, failures: Vec<Failure>, drops: &mut Drops) -> Vec<Failure> {
    let mut known = BTreeSet::new();
    let mut distinct = failures;
    let n_all = distinct.len();
    let origin = |failure: &Failure| world.catalogue.operation(failure.operation).origin;
    distinct.retain(|failure| !matches!(origin(failure), Origin::Beside(_)));
    let n_before = distinct.len();
    drops.add(
        "failure",
        "of a function that makes values and is not under test",
        (n_all - n_before) as u64,
    );
    distinct.retain(|failure| match origin(failure) {
        Origin::Callable(callable) => known.insert((callable, site(&failure.cause))),
        Origin::Beside(_) | Origin::Recipe => true,
    });
    let n_alike = n_before - distinct.len();
    drops.add(
        "failure",
        "another instance of the callable fails alike",
        n_alike as u64,
    );
    distinct
}

/// A test for the failure: a documented panic is behaviour to keep, anything else is shown as a
/// failing test that nobody runs by default.
pub(crate) fn case(failure: &Failure, verdict: Verdict) -> TestCase {
    let kind = match (&failure.cause, verdict) {
        (Cause::Panic { .. }, Verdict::Documented) => TestKind::ShouldPanic {
            expected: is_asked_for(failure).then(|| CLOSURE_PANIC.into()),
        },
        (Cause::Panic { file, line }, _) => {
            let message = failure.message.lines().next().unwrap_or_default();
            let message: String = message.chars().take(120).collect();
            TestKind::Failure {
                reason: match relative(file) {
                    Some(file) => format!("panics at {file}:{line}: {message}"),
                    None => format!("panics: {message}"),
                },
            }
        }
        (cause, _) => TestKind::Failure {
            reason: match cause {
                Cause::Death(Death::Abort) => "aborts the process".to_owned(),
                Cause::Death(Death::Signal(signal)) => {
                    format!("ends the process with signal {signal}")
                }
                Cause::Death(Death::Exit(code)) => format!("exits the process with code {code}"),
                Cause::Death(Death::StackOverflow) => "overflows the stack".to_owned(),
                Cause::Death(Death::TimedOut) => "does not end in time".to_owned(),
                _ => "asks for more memory than a test may have".to_owned(),
            },
        },
    };
    TestCase {
        sequence: failure.sequence.clone(),
        checks: Vec::new(),
        kind,
        deprecated: false,
        acts: Vec::new(),
        worth: Default::default(),
    }
}

/// A source file without the directories of this machine. `None` for our own harness: a function
/// with `#[track_caller]` blames its caller, and that is us.
pub(crate) fn relative(file: &str) -> Option<String> {
    if file.ends_with(".rs") && file.contains("harness/src/operations_") {
        return None;
    }
    let parts: Vec<&str> = file.split('/').collect();
    Some(relative_parts(&parts, file))
}

fn relative_parts(parts: &[&str], file: &str) -> String {
    if let Some(at) = parts.iter().rposition(|part| *part == "library") {
        return parts[at..].join("/");
    }
    match parts.iter().rposition(|part| *part == "src") {
        Some(at) => {
            parts[at.saturating_sub(usize::from(at > 0 && file.contains(".cargo")))..].join("/")
        }
        None => parts.last().copied().unwrap_or_default().to_owned(),
    }
}
