//! Finds what becomes of a failure in a release build, where sums wrap and debug assertions are silent.
//!
//! A panic there is a wrong answer in silence here, or memory that nobody owns. So all failures that only
//! checked builds have are run once more in the release build that the suite is vetted in, in a file that
//! is not written; what their last call gives is shown by an assertion that no value passes.

use testsmith_emit::{Check, Subject, TestCase, TestKind};
use testsmith_explore::{Cause, Failure};
use testsmith_project::End;
use testsmith_protocol::Value;
use testsmith_rig::TestRun;
use testsmith_sequence::{Sequence, Step, StepIdx, World};

use crate::failing::Finding;
use crate::verdict::{Level, Sources, Verdict, is_unchecked_in_release, uses_unsafe};

/// The name of the file while it is vetted.
pub(crate) const FILE: &str = "testsmith_released";
/// The most failures that are run again.
const MAX_CASES: usize = 64;
/// What no value is shown as.
const NO_VALUE: &str = "shown in a release build";
/// The most letters of a value.
const MAX_SHOWN: usize = 80;

/// What becomes of a failure in a release build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Released {
    /// It returns, and this is what it gives, if that can be shown.
    Returns(Option<String>),
    /// It panics with this message.
    Panics(String),
    /// This signal ends the process.
    Crashes(i32),
    /// It does not end in time.
    GoesOn,
}

/// The failures that a release build may not have, as cases that show what it gives instead.
pub(crate) fn cases(world: &World, sources: &Sources<'_>, findings: &[Finding]) -> Vec<TestCase> {
    let own = findings.iter().filter(|it| {
        let failure = &it.failure;
        let is_meant = it.judged.verdict != Verdict::Documented;
        is_meant && !failure.dropping && is_checked_only(sources, failure)
    });
    let cases = own.filter_map(|it| case(&it.failure.sequence));
    cases
        .filter(|case| !uses_unsafe(world, &case.sequence))
        .take(MAX_CASES)
        .collect()
}

/// Does it panic only where the compiler checks arithmetic and debug assertions?
fn is_checked_only(sources: &Sources<'_>, failure: &Failure) -> bool {
    let asserts = || match &failure.cause {
        Cause::Panic { file, line, .. } => sources
            .line(file, *line)
            .is_some_and(|text| text.contains("debug_assert")),
        Cause::Death(_) => false,
    };
    is_unchecked_in_release(failure) || asserts()
}

fn case(sequence: &Sequence) -> Option<TestCase> {
    let last = sequence.steps().len().checked_sub(1)?;
    let Step::Call { out, .. } = sequence.steps().last()? else {
        return None;
    };
    let check = Check {
        after: StepIdx(last as u16),
        subject: Subject::Slot(*out),
        value: Value::Debug(NO_VALUE.to_owned()),
    };
    Some(TestCase {
        sequence: sequence.clone(),
        checks: vec![check],
        kind: TestKind::Failure {
            reason: NO_VALUE.to_owned(),
        },
        deprecated: false,
        acts: Vec::new(),
        worth: Default::default(),
        parts: Vec::new(),
    })
}

/// What became of the test of this name.
pub(crate) fn outcome(run: &TestRun, name: &str) -> Option<Released> {
    match run.end {
        End::Signal(signal) => return Some(Released::Crashes(signal)),
        End::Late => return Some(Released::GoesOn),
        _ => {}
    }
    if run.passed.contains(name) {
        return Some(Released::Returns(None));
    }
    let text = run.failed.get(name)?;
    let is_shown = text.contains(NO_VALUE);
    let mut lines = text.lines();
    if !is_shown {
        let mut lines = lines.skip_while(|line| !line.contains("panicked at"));
        let message = lines.nth(1).unwrap_or_default().trim();
        return Some(Released::Panics(message.to_owned()));
    }
    let left = lines.find_map(|line| line.trim().strip_prefix("left: "))?;
    let value = plain(left);
    Some(Released::Returns((value != "()").then_some(value)))
}

/// A text that was shown by `Debug`, as it was before, and not too long.
fn plain(shown: &str) -> String {
    let inner = shown.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let inner = inner
        .unwrap_or(shown)
        .replace("\\\"", "\"")
        .replace("\\\\", "\\");
    match inner.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{} ..", &inner[..end]),
        None => inner,
    }
}

impl Released {
    /// What it says of the failure.
    fn says(&self) -> String {
        match self {
            Released::Returns(Some(value)) => {
                format!("a release build goes on in silence, and gives {value}")
            }
            Released::Returns(None) => "a release build goes on in silence".to_owned(),
            Released::Panics(message) => format!("a release build panics, too: {message}"),
            Released::Crashes(signal) => match signal {
                11 => "a release build crashes: memory is used that is not its own (SIGSEGV)"
                    .to_owned(),
                7 => {
                    "a release build crashes: memory is used that is not there (SIGBUS)".to_owned()
                }
                _ => format!("a release build ends with signal {signal}"),
            },
            Released::GoesOn => "a release build does not end in time".to_owned(),
        }
    }

    /// Is it a crash of safe code, whatever it was given?
    pub(crate) fn is_crash(&self) -> bool {
        matches!(self, Released::Crashes(4 | 7 | 11))
    }

    /// Adds to the verdict what is known now. A crash is a bug, and so is a likely one that is silent.
    pub(crate) fn weigh(&self, finding: &mut Finding) {
        let says = self.says();
        let judged = &mut finding.judged;
        let is_silent = matches!(self, Released::Returns(_) | Released::GoesOn);
        if self.is_crash() {
            judged.verdict = Verdict::Suspicious;
            (judged.level, judged.rank) = (Level::Bug, 0);
            judged.reason = says.clone();
        } else if is_silent && judged.level == Level::Likely {
            judged.level = Level::Bug;
        }
        judged.evidence.says_bug.push(says);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn run(end: End, failed: &[(&str, &str)], passed: &[&str]) -> TestRun {
        let failed = failed
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        TestRun {
            complete: true,
            end,
            failed: failed.collect::<BTreeMap<_, _>>(),
            passed: passed
                .iter()
                .map(|it| (*it).to_owned())
                .collect::<BTreeSet<_>>(),
            text: String::new(),
        }
    }

    #[test]
    fn an_assertion_that_no_value_passes_shows_what_a_release_build_gives() {
        let text = format!(
            "thread 't' panicked at tests/a.rs:3:5:\nassertion `left == right` failed\n  left: \"Some(\\\"a\\\")\"\n right: \"{NO_VALUE}\"\n"
        );
        let found = outcome(&run(End::Code(101), &[("t", &text)], &[]), "t");
        assert_eq!(
            found,
            Some(Released::Returns(Some("Some(\"a\")".to_owned())))
        );
        let found = found.expect("it was just seen").says();
        assert_eq!(
            found,
            "a release build goes on in silence, and gives Some(\"a\")"
        );
    }

    #[test]
    fn another_panic_a_crash_and_a_pass_are_told_apart() {
        let text = "thread 't' panicked at src/lib.rs:3:5:\nindex out of bounds\n";
        let found = outcome(&run(End::Code(101), &[("t", text)], &[]), "t");
        assert_eq!(
            found,
            Some(Released::Panics("index out of bounds".to_owned()))
        );
        let crash = outcome(&run(End::Signal(11), &[], &[]), "t");
        assert!(crash.is_some_and(|it| it.is_crash()));
        let found = outcome(&run(End::Code(0), &[], &["t"]), "t");
        assert_eq!(found, Some(Released::Returns(None)));
        assert_eq!(outcome(&run(End::Code(0), &[], &[]), "t"), None);
    }
}
