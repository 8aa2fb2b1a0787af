//! Turns failures into findings, one for each cause, and findings into test cases.

use std::collections::BTreeMap;

use testsmith_api::{Form, Origin, Ty};
use testsmith_emit::{TestCase, TestKind};
use testsmith_explore::{Cause, Failure};
use testsmith_protocol::Death;
use testsmith_record::{Drops, FailureKind, shown};
use testsmith_sequence::World;

use crate::alike;
use crate::bonds::{self, called, told};
use crate::path::relative;
use crate::verdict::{self, Court, Judged, Verdict};

/// The kind of a cause, as the record names it.
pub(crate) fn kind(cause: &Cause) -> FailureKind {
    match cause {
        Cause::Panic { .. } => FailureKind::Panic,
        Cause::Death(Death::Abort) => FailureKind::Abort,
        Cause::Death(Death::Signal(_)) => FailureKind::Signal,
        Cause::Death(Death::Exit(_)) => FailureKind::Exit,
        Cause::Death(Death::StackOverflow) => FailureKind::StackOverflow,
        Cause::Death(Death::TimedOut | Death::OutOfFuel) => FailureKind::Timeout,
        Cause::Death(Death::OutOfMemory) => FailureKind::OutOfMemory,
    }
}

/// A cause of failure, with its verdict.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The failure that is shown for it.
    pub failure: Failure,
    /// The verdict on that failure.
    pub judged: Judged,
    /// The name by which the next run knows the finding, even if lines have moved.
    pub name: String,
    /// Other callables that fail for the same cause.
    pub others: Vec<String>,
    /// What a test may expect of the panic's message.
    pub words: Option<String>,
}

/// The key that failures with the same cause share. A panic in the crate is one cause, whichever
/// callable it is reached through. A panic elsewhere, or a death, is one cause only for the
/// instances of one callable. Broken laws have their causes in `suite/alike.rs`.
fn cause(world: &World, failure: &Failure) -> (Cause, Option<String>) {
    let origin = match verdict::broken(world, failure) {
        Some(law) => alike::cause(world, failure, law),
        None => called(world, failure),
    };
    match &failure.cause {
        Cause::Panic { file, .. } if relative(file).is_some() => (failure.cause.clone(), None),
        Cause::Panic { .. } => {
            let nowhere = Cause::Panic {
                file: String::new(),
                line: 0,
                column: 0,
            };
            (nowhere, Some(origin))
        }
        Cause::Death(Death::Exit(_)) => (Cause::Death(Death::Exit(0)), Some(origin)),
        Cause::Death(_) => (failure.cause.clone(), Some(of_any_trait(world, failure))),
    }
}

/// One finding for each cause, the surest verdicts first. The failure that is shown is the one with
/// the surest verdict, and among those the shortest.
pub fn findings(court: Court<'_>, failures: Vec<Failure>, drops: &mut Drops) -> Vec<Finding> {
    let Court { world, rules, .. } = court;
    let is_beside = |failure: &Failure| {
        let origin = world.catalogue.operation(failure.operation).origin;
        matches!(origin, Origin::Beside(_))
    };
    let (beside, own): (Vec<_>, Vec<_>) = failures.into_iter().partition(is_beside);
    drops.add(
        "failure",
        "of a function that makes values and is not under test",
        beside.len() as u64,
    );
    // A panic while a law is asked for comes from the calls themselves, so it is found without the
    // law as well.
    let is_moot = |failure: &Failure| {
        let is_law = world.catalogue.operation(failure.operation).origin == Origin::Law;
        is_law && verdict::broken(world, failure).is_none()
    };
    let (moot, own): (Vec<_>, Vec<_>) = own.into_iter().partition(is_moot);
    drops.add(
        "failure",
        "while a law was asked for: found without it as well",
        moot.len() as u64,
    );
    let mut by_cause: BTreeMap<_, Vec<(Failure, Judged)>> = BTreeMap::new();
    for failure in own {
        let judged = verdict::judge(court, &failure);
        let (cause, of) = cause(world, &failure);
        // A documented panic is behaviour of each callable that announces it, so callables do not
        // share it.
        let announced = judged.verdict == Verdict::Documented;
        let key = (cause, of.or(announced.then(|| called(world, &failure))));
        by_cause.entry(key).or_default().push((failure, judged));
    }
    // Which failure of a cause is shown may change, so the name of any of them in the settings is
    // enough.
    let n_before = by_cause.len();
    let is_accepted = |(failure, _): &(Failure, Judged)| {
        let name = name(world, failure);
        rules.accepted.contains(&name)
    };
    by_cause.retain(|_, alike| !alike.iter().any(is_accepted));
    let n_accepted = n_before - by_cause.len();
    drops.add("failure", "accepted in the settings", n_accepted as u64);
    let mut findings: Vec<Finding> = bonds::joined(court, by_cause.into_values().collect())
        .into_iter()
        .filter_map(|alike| finding(court, alike, drops))
        .collect();
    sort(&mut findings);
    findings
}

/// The surest verdicts first.
pub(crate) fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|it| {
        let n_steps = it.failure.sequence.steps().len();
        (it.judged.level, it.judged.rank, n_steps)
    });
}

/// Is the broken law only a guess that fails too often to be believed? `n_asked` is how often it
/// was asked for.
pub fn is_question(world: &World, failure: &Failure, n_asked: u64) -> bool {
    let law = verdict::broken(world, failure);
    let doubted_above = law.and_then(|law| law.doubted_above);
    doubted_above.is_some_and(|percent| failure.n_met * 100 > n_asked * u64::from(percent))
}

/// The key of the callable that fails, but with one name for all instances of a trait that a type has:
/// `Distribution<u64>`, `Distribution<f64>`.
fn of_any_trait(world: &World, failure: &Failure) -> String {
    match &world.catalogue.operation(failure.operation).form {
        Form::Trait {
            self_ty: Ty::Adt { path, .. },
            trait_,
            name,
            ..
        } => format!("<{path} as {}>::{name}", trait_.path),
        _ => called(world, failure),
    }
}

fn finding(court: Court<'_>, alike: Vec<(Failure, Judged)>, drops: &mut Drops) -> Option<Finding> {
    let world = court.world;
    let n_alike = alike.len() as u64 - 1;
    drops.add("failure", "another one has the same cause", n_alike);
    let key = |failure: &Failure| called(world, failure);
    let mut alike = alike;
    alike.sort_by_key(|(failure, judged)| {
        let n_steps = failure.sequence.steps().len();
        let law = verdict::broken(world, failure);
        let is_victim = law.is_some_and(alike::is_victim);
        (judged.level, judged.rank, is_victim, n_steps, key(failure))
    });
    let mut alike = alike.into_iter();
    let (failure, judged) = alike.next()?;
    let shown = key(&failure);
    let mut others: Vec<String> = alike.map(|(failure, _)| key(&failure)).collect();
    others.sort();
    others.dedup();
    others.retain(|other| *other != shown);
    Some(Finding {
        name: name(world, &failure),
        words: verdict::words(court, &failure),
        failure,
        judged,
        others,
    })
}

/// The name of a finding: what fails and where, without numbers that change from run to run.
fn name(world: &World, failure: &Failure) -> String {
    let called = called(world, failure);
    if verdict::broken(world, failure).is_some() {
        return format!("{called} is broken");
    }
    let Cause::Panic { file, .. } = &failure.cause else {
        return format!("{called} {}", kind(&failure.cause));
    };
    let message = told(&failure.message);
    match relative(file) {
        Some(file) => format!("{called} panics in {file}: {message}"),
        None => format!("{called} panics: {message}"),
    }
}

/// A test case for the finding. A documented panic is behaviour to keep, and its test passes, unless it
/// is to fail, too. Anything else becomes a failing test that is not run by default.
pub(crate) fn case(world: &World, finding: &Finding, also_documented: bool) -> TestCase {
    let Finding {
        failure, judged, ..
    } = finding;
    let broken = verdict::broken(world, failure);
    let kind = match (&failure.cause, judged.verdict) {
        (Cause::Panic { .. }, Verdict::Documented) if !also_documented => TestKind::ShouldPanic {
            expected: finding.words.clone(),
            only_checked: false,
        },
        (Cause::Panic { .. }, _) if broken.is_some() => TestKind::Failure {
            reason: format!("{}{}", judged.reason, sides(&failure.message)),
        },
        (Cause::Panic { file, line, .. }, _) => {
            let message = failure.message.lines().next().unwrap_or_default();
            let message: String = message.chars().take(120).collect();
            let when = if failure.dropping {
                " when dropped"
            } else {
                ""
            };
            let what = match relative(file) {
                Some(file) => format!("panics{when} at {file}:{line}: {message}"),
                None => format!("panics{when}: {message}"),
            };
            TestKind::Failure {
                reason: format!("{what} ({})", judged.reason),
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
    // It becomes a comment, and says what the crate says.
    let kind = match kind {
        TestKind::Failure { reason } => TestKind::Failure {
            reason: shown(&reason).into_owned(),
        },
        other => other,
    };
    TestCase {
        sequence: failure.sequence.clone(),
        checks: Vec::new(),
        kind,
        deprecated: false,
        acts: Vec::new(),
        worth: Default::default(),
        parts: Vec::new(),
    }
}

/// The values of the two sides in the message of an assertion.
fn sides(message: &str) -> String {
    let lines = message.lines().map(str::trim);
    let mut sides = lines.filter(|line| line.starts_with("left:") || line.starts_with("right:"));
    match (sides.next(), sides.next()) {
        (Some(left), Some(right)) => format!(" ({left}, {right})"),
        _ => String::new(),
    }
}
