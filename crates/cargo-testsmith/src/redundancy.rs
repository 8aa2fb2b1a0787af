//! What `cargo testsmith redundancy` prints.

use std::fmt::Write as _;

use testsmith_pipeline::{AugmentReport, Quality, Reached, RedundancyReport, SuiteReport};

use crate::exit;
use crate::summary::Row;

/// A table for each kind of suite, and what was left out.
pub(crate) fn text(report: &RedundancyReport) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "\n{} {}: redundant tests and calls by each notion of equal states",
        report.package, report.version
    );
    for ty in &report.types {
        for suite in &ty.suites {
            let _ = writeln!(
                out,
                "\n{}, {}: {} tests, {} calls; {}",
                ty.path,
                suite.suite,
                suite.tests,
                suite.executions,
                worth(suite.quality)
            );
            for notion in &suite.notions {
                let kept = match notion.lost.is_empty() {
                    true => "nothing lost".to_owned(),
                    false => format!("only {}", worth(notion.quality)),
                };
                let _ = writeln!(
                    out,
                    "  {:<14} {:>5.1} % of tests {:>5.1} % of calls {:>7.2} s  {kept}",
                    notion.state_by,
                    share(notion.redundant_tests, suite.tests),
                    share(notion.redundant_executions, suite.executions),
                    notion.seconds
                );
                for lost in &notion.lost {
                    let _ = writeln!(out, "    lost         {lost}");
                }
            }
            for augmented in &suite.augmented {
                augmentation(augmented, &mut out);
            }
            left_out(suite, &mut out);
        }
    }
    out
}

/// What each round adds.
fn augmentation(augmented: &AugmentReport, out: &mut String) {
    let list = |count: &dyn Fn(&Reached) -> u64| {
        let counts = augmented.rounds.iter().map(|it| count(it).to_string());
        counts.collect::<Vec<_>>().join(", ")
    };
    let cut = match augmented.rounds.iter().any(|it| it.cut) {
        true => "; there is more to do than was waited for",
        false => "",
    };
    let _ = writeln!(
        out,
        "  augmented      by {}, as it is and after each round: {} states, {} sides of branches, {} failures; {} tests added{cut}",
        augmented.state_by,
        list(&|it| it.states),
        list(&|it| it.branches),
        list(&|it| it.failures),
        list(&|it| it.added),
    );
}

fn worth(quality: Quality) -> String {
    format!(
        "{} sides of branches, {} failures, {} mutants killed",
        quality.branches, quality.failures, quality.mutants
    )
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn left_out(suite: &SuiteReport, out: &mut String) {
    if suite.cut > 0 {
        let _ = writeln!(
            out,
            "  cut            {} × fail before their last call, and end there",
            suite.cut
        );
    }
    let counts = [
        (suite.unfit, "reach for the world outside"),
        (suite.rejected, "calls that the borrow check rejects"),
        (suite.beyond, "tests beyond the limit"),
        (suite.uncompared, "values that were not compared"),
    ];
    for (n, what) in counts.into_iter().filter(|(n, _)| *n > 0) {
        let _ = writeln!(out, "  left out       {n} × {what}");
    }
    for operation in &suite.without_arguments {
        let _ = writeln!(out, "  left out       {operation}: no arguments for it");
    }
    for (ty, n) in &suite.not_whole {
        let _ = writeln!(
            out,
            "  not whole      {ty}, in {n} calls: told by the calls that made it"
        );
    }
}

/// A line of the table of several packages.
pub(crate) fn row(report: &RedundancyReport) -> Row {
    let (package, text) = (&report.package, format!("{} types", report.types.len()));
    if report.interrupted {
        return Row::failed(package, exit::INTERRUPTED, &text);
    }
    match report.losses().first() {
        None => Row::done(package, text),
        Some((ty, suite, notion)) => Row::failed(
            package,
            exit::INTERNAL,
            &format!(
                "{}, {}: less is left by {}",
                ty.path, suite.suite, notion.state_by
            ),
        ),
    }
}
