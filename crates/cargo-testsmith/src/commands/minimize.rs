//! `cargo testsmith minimize`: the package's tests without those that are redundant.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroUsize;

use testsmith_commands::Minimizing;
use testsmith_record::{DifferingReport, MinimizeReport, RedundantReport, WorthReport};

use crate::exit::{self, Failure};
use crate::job::Job;
use crate::row::Row;

/// How to make the suite smaller.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Change the files: tests that somebody wrote are commented out, those that testsmith wrote go
    #[arg(long)]
    apply: bool,

    /// Ask at most so many mutants, chosen by chance [default: all]
    #[arg(long, value_name = "N")]
    mutants: Option<NonZeroUsize>,
}

impl Args {
    fn minimizing(&self) -> Minimizing {
        Minimizing {
            apply: self.apply,
            max_mutants: self.mutants.map(NonZeroUsize::get),
        }
    }
}

/// How many things a short text lists that only one test asserts, kills or enters.
const FEW: usize = 3;

/// Looks for redundant tests of one package, and takes them out on request.
pub(crate) fn minimize(args: &Args, job: &mut Job<'_>) -> Result<Row, Failure> {
    let config = job.config()?;
    let report =
        job.watch(|watch| testsmith_commands::minimize(&config, args.minimizing(), watch))?;
    job.tell(&text(&report, job.flags.verbose), &report)?;
    Ok(row(&report))
}

fn row(report: &MinimizeReport) -> Row {
    let code = match report.refused {
        Some(_) => exit::MISSED,
        None => 0,
    };
    let n = report.before.tests - report.after.tests;
    let text = match &report.refused {
        Some(_) => "refused: something would be missed".to_owned(),
        None => format!(
            "{n} of {} tests redundant, {} with the same calls and other assertions, {} not judged",
            report.before.tests,
            report.differing.len(),
            report.unjudged.len()
        ),
    };
    Row::ended(&report.package, code, text)
}

/// What is redundant and by what, what only looks so, and what the suite is worth with it and without.
fn text(report: &MinimizeReport, verbose: bool) -> String {
    let mut out = String::new();
    let most = if verbose { usize::MAX } else { FEW };
    redundant(report, &mut out);
    differing(&report.differing, most, &mut out);
    unjudged(report, verbose, &mut out);
    let _ = writeln!(out, "\n{} {}", report.package, report.version);
    let _ = writeln!(out, "            {:>16}  {:>16}", "before", "after");
    type Cell = fn(&WorthReport) -> Option<String>;
    let rows: [(&str, Cell); 4] = [
        ("tests", |it| Some(it.tests.to_string())),
        ("branches", |it| {
            Some(format!("{} of {}", it.branches_taken, it.branches))
        }),
        ("mutants", |it| {
            Some(format!("{} of {}", it.killed, it.mutants))
        }),
        ("seconds", |it| it.seconds.map(|it| format!("{it:.2}"))),
    ];
    for (name, cell) in rows {
        if let (Some(before), Some(after)) = (cell(&report.before), cell(&report.after)) {
            let _ = writeln!(out, "  {name:<10}{before:>16}  {after:>16}");
        }
    }
    notes(report, &mut out);
    out
}

fn redundant(report: &MinimizeReport, out: &mut String) {
    let (left_alone, gone): (Vec<_>, Vec<_>) = report
        .redundant
        .iter()
        .partition(|it| it.left_alone.is_some());
    let place = |it: &RedundantReport| format!("{} ({}:{})", it.test, it.file, it.line);
    if !gone.is_empty() {
        let _ = writeln!(
            out,
            "Redundant: they make no call, on no state, that these tests do not make, and assert nothing \
             that these do not"
        );
    }
    for it in gone {
        let _ = writeln!(out, "  {}\n      as {}", place(it), it.by.join(", "));
    }
    if !left_alone.is_empty() {
        let _ = writeln!(out, "Redundant by that, and left alone");
    }
    for it in left_alone {
        let why = it.left_alone.as_deref().unwrap_or_default();
        let _ = writeln!(out, "  {}: {why}", place(it));
    }
}

fn differing(tests: &[DifferingReport], most: usize, out: &mut String) {
    if !tests.is_empty() {
        let _ = writeln!(
            out,
            "The same calls, other assertions: they make no call that others do not make, and stay"
        );
    }
    for it in tests {
        let _ = writeln!(out, "  {}\n      as {}", it.test, it.by.join(", "));
        if let Some(unknown) = &it.unknown {
            let _ = writeln!(out, "      perhaps asserts something else: {unknown}");
        }
        list("asserts", &it.assertions, most, out);
        list("alone kills", &it.mutants, most, out);
        list("alone enters", &it.entered, most, out);
    }
}

fn list(verb: &str, items: &[String], most: usize, out: &mut String) {
    for item in items.iter().take(most) {
        let _ = writeln!(out, "      {verb} {item}");
    }
    if items.len() > most {
        let _ = writeln!(out, "      {verb} {} more (-v)", items.len() - most);
    }
}

fn unjudged(report: &MinimizeReport, verbose: bool, out: &mut String) {
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for it in &report.unjudged {
        let shown = match it.opaque.is_empty() {
            true => it.test.clone(),
            false => format!("{}: {}", it.test, it.opaque.join(", ")),
        };
        by_reason.entry(&it.reason).or_default().push(shown);
    }
    if !by_reason.is_empty() || !report.unlisted.is_empty() {
        let _ = writeln!(out, "Not judged, and so not redundant");
    }
    for (reason, tests) in by_reason {
        let _ = writeln!(out, "  {:>4} × {reason}", tests.len());
        if verbose {
            for test in tests {
                let _ = writeln!(out, "         {test}");
            }
        }
    }
    for target in &report.unlisted {
        let _ = writeln!(out, "  all of {target}: it does not list its tests");
    }
}

/// What was run, what to do, and what to know.
fn notes(report: &MinimizeReport, out: &mut String) {
    let n = report.before.tests - report.after.tests;
    let mut note = |name: &str, text: &str| {
        let _ = writeln!(out, "  {name:<10}{text}");
    };
    if n > 0 {
        note(
            "checked",
            &format!(
                "a copy of the workspace without them compiles and passes; {} mutants that they kill were run \
                 again, the others are killed by tests that stay",
                report.rerun
            ),
        );
    }
    if let Some(n) = report.sampled {
        note(
            "sample",
            &format!("{n} mutants, chosen by chance, were asked"),
        );
    }
    for warning in &report.warnings {
        note("warning", &format!("rustc, without them: {warning}"));
    }
    note("left out", "tests in documentation: they are documentation");
    match (&report.refused, report.applied, n) {
        (Some(why), ..) => {
            note("refused", why);
            note(
                "help",
                "nothing was changed; something in the suite depends on chance, or on the tests that would \
                 go: make it steady, and run this again",
            );
        }
        (None, _, 0) => note("result", "no test is redundant"),
        (None, true, n) => note(
            "changed",
            &format!("{} without {n} tests", report.files.join(", ")),
        ),
        (None, false, n) => note(
            "next",
            &format!(
                "`cargo testsmith minimize --apply` takes {n} tests out of {}: what somebody wrote is commented out, \
                 what testsmith wrote goes",
                report.files.join(", ")
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use testsmith_record::{RecordKind, UnjudgedReport};

    use super::*;

    fn worth(tests: usize, seconds: Option<f64>) -> WorthReport {
        WorthReport {
            tests,
            branches: 4,
            branches_taken: 3,
            mutants: 10,
            killed: 8,
            seconds,
        }
    }

    fn redundant(test: &str, left_alone: Option<&str>) -> RedundantReport {
        RedundantReport {
            test: test.to_owned(),
            file: "src/lib.rs".to_owned(),
            line: 7,
            ours: false,
            by: vec!["lib stays".to_owned()],
            calls: 1,
            left_alone: left_alone.map(str::to_owned),
        }
    }

    fn report() -> MinimizeReport {
        MinimizeReport {
            schema: 1,
            kind: RecordKind::Minimize,
            package: "small".to_owned(),
            version: "0.1.0".to_owned(),
            redundant: vec![
                redundant("lib again", None),
                redundant("lib in_macro", Some("a macro writes it")),
            ],
            differing: vec![DifferingReport {
                test: "lib other".to_owned(),
                by: vec!["lib stays".to_owned()],
                assertions: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
                mutants: vec!["m".to_owned()],
                entered: Vec::new(),
                unknown: None,
            }],
            unjudged: vec![UnjudgedReport {
                test: "lib dark".to_owned(),
                reason: "it calls nothing".to_owned(),
                opaque: vec!["f".to_owned()],
            }],
            unlisted: Vec::new(),
            before: worth(5, Some(0.25)),
            after: worth(4, None),
            rerun: 2,
            sampled: None,
            warnings: Vec::new(),
            files: vec!["src/lib.rs".to_owned()],
            applied: false,
            refused: None,
            seconds: BTreeMap::new(),
        }
    }

    #[test]
    fn what_is_redundant_comes_first_and_what_to_do_last() {
        let expected = "\
Redundant: they make no call, on no state, that these tests do not make, and assert nothing that these do not
  lib again (src/lib.rs:7)
      as lib stays
Redundant by that, and left alone
  lib in_macro (src/lib.rs:7): a macro writes it
The same calls, other assertions: they make no call that others do not make, and stay
  lib other
      as lib stays
      asserts a
      asserts b
      asserts c
      asserts 1 more (-v)
      alone kills m
Not judged, and so not redundant
     1 × it calls nothing

small 0.1.0
                      before             after
  tests                    5                 4
  branches            3 of 4            3 of 4
  mutants            8 of 10           8 of 10
  checked   a copy of the workspace without them compiles and passes; 2 mutants that they kill were run again, the others are killed by tests that stay
  left out  tests in documentation: they are documentation
  next      `cargo testsmith minimize --apply` takes 1 tests out of src/lib.rs: what somebody wrote is commented out, what testsmith wrote goes
";
        assert_eq!(text(&report(), false), expected);
    }

    #[test]
    fn a_suite_that_would_lose_something_is_refused() {
        let mut report = report();
        assert_eq!(row(&report).code, 0);
        report.refused = Some("a mutant would survive".to_owned());
        assert_eq!(row(&report).code, exit::MISSED);
        assert!(text(&report, false).contains("  refused   a mutant would survive\n  help"));
    }
}
