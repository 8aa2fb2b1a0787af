//! What a run says of failures: how many there are of each level, those that look like bugs, and, if
//! everything is to be said, all of them with what speaks for and against each and what shows it.
//!
//! A failure has the number of its place in the record: `bugs --issue N` takes it.

use std::fmt::Write as _;

use testsmith_record::{FailureKind, FailureLevel, FailureReport, FailureVerdict, Report};

/// Failures that a short summary shows.
const MAX_FAILURES: usize = 5;

/// The crash of safe code that the run found, if it did: nothing that it says is worse.
pub(super) fn crash(out: &mut String, report: &Report) {
    let is_crash = |it: &&FailureReport| {
        let ends = matches!(it.kind, FailureKind::Signal | FailureKind::Abort);
        ends && it.level == FailureLevel::Bug
    };
    if let Some(it) = report.failures.iter().find(is_crash) {
        let _ = writeln!(
            out,
            "safe code crashes ({}): {}\n  {}",
            it.kind, it.operation, it.reason
        );
    }
}

/// How many failures there are, and those that look like bugs; all if everything is said.
pub(super) fn failures(out: &mut String, report: &Report, verbose: bool) {
    if report.failures.is_empty() {
        return;
    }
    let _ = writeln!(out, "  failures  {}", counts(report));
    let numbered = report.failures.iter().zip(1..);
    let is_shown =
        |it: &(&FailureReport, usize)| it.0.verdict == FailureVerdict::Suspicious || verbose;
    let shown: Vec<(&FailureReport, usize)> = numbered.filter(is_shown).collect();
    let n_max = match verbose {
        true => usize::MAX,
        false => MAX_FAILURES,
    };
    for (failure, number) in shown.iter().take(n_max) {
        self::failure(out, failure, *number, verbose);
    }
    if shown.len() > n_max {
        let n_more = shown.len() - n_max;
        let _ = writeln!(out, "            and {n_more} more; -v shows them all");
    }
}

/// How many there are of each level.
fn counts(report: &Report) -> String {
    let levels = [
        (FailureLevel::Bug, "bug", "bugs"),
        (FailureLevel::Likely, "likely", "likely"),
        (FailureLevel::Arguable, "arguable", "arguable"),
        (FailureLevel::Callers, "the caller's", "the caller's"),
        (
            FailureLevel::Unknown,
            "of unknown level",
            "of unknown level",
        ),
    ];
    let counted = levels.into_iter().filter_map(|(level, one, several)| {
        let n = report
            .failures
            .iter()
            .filter(|it| it.level == level)
            .count();
        match n {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{n} {several}")),
        }
    });
    counted.collect::<Vec<_>>().join(", ")
}

/// What failed, where, and why it looks like a bug or does not.
fn failure(out: &mut String, failure: &FailureReport, number: usize, verbose: bool) {
    let place = match failure.file.is_empty() {
        true => failure.kind.to_string(),
        false => format!("{}:{}", failure.file, failure.line),
    };
    let message = failure.message.lines().next().unwrap_or_default();
    let _ = write!(
        out,
        "        {number:>3} [{}] {} at {place}",
        failure.level, failure.operation
    );
    if !message.is_empty() {
        let _ = write!(out, ": {message}");
    }
    let _ = match &failure.test {
        Some(test) => writeln!(out, " ({test})"),
        None => writeln!(out),
    };
    if verbose {
        let _ = writeln!(out, "              name: {}", failure.name);
    }
    let _ = write!(out, "              {}", failure.reason);
    let _ = match &failure.others[..] {
        [] => writeln!(out),
        [other] => writeln!(out, "; so does {other}"),
        [other, more @ ..] => writeln!(out, "; so do {other} and {} more", more.len()),
    };
    let is_expected = matches!(failure.level, FailureLevel::Bug | FailureLevel::Likely);
    if let Some(why) = failure.untested.as_ref().filter(|_| is_expected) {
        let _ = writeln!(out, "              no test: {why}");
    }
    if !verbose {
        return;
    }
    for (side, all) in [("for", &failure.says_bug), ("against", &failure.says_none)] {
        for said in all.iter().filter(|it| **it != failure.reason) {
            let _ = writeln!(out, "              {side}: {said}");
        }
    }
    let shown = failure.text.as_ref().or(failure.main.as_ref());
    let shown = shown.unwrap_or(&failure.program);
    for line in shown.lines().filter(|line| !line.is_empty()) {
        let _ = writeln!(out, "              | {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let failure = |level: FailureLevel, kind: FailureKind| FailureReport {
            operation: "small::half".to_owned(),
            kind,
            level,
            verdict: match level {
                FailureLevel::Bug => FailureVerdict::Suspicious,
                _ => FailureVerdict::Precondition,
            },
            reason: "why".to_owned(),
            says_bug: vec!["why".to_owned(), "more".to_owned()],
            says_none: vec!["else".to_owned()],
            program: "s0 = small::half()\n\n".to_owned(),
            ..FailureReport::default()
        };
        Report {
            failures: vec![
                failure(FailureLevel::Bug, FailureKind::Signal),
                failure(FailureLevel::Callers, FailureKind::Panic),
                failure(FailureLevel::Callers, FailureKind::Panic),
            ],
            ..Report::default()
        }
    }

    #[test]
    fn all_are_counted_and_those_that_look_like_bugs_are_shown() {
        let mut out = String::new();
        crash(&mut out, &report());
        failures(&mut out, &report(), false);
        let expected = "\
safe code crashes (signal): small::half
  why
  failures  1 bug, 2 the caller's
          1 [bug] small::half at signal
              why
";
        assert_eq!(out, expected);
    }

    #[test]
    fn what_speaks_for_and_against_is_said_on_request() {
        let mut out = String::new();
        failures(&mut out, &report(), true);
        let third = "
          3 [caller's] small::half at panic
              name: \n              why
              for: more
              against: else
              | s0 = small::half()
";
        assert!(out.ends_with(&third[1..]), "{out}");
    }
}
