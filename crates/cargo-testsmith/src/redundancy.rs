//! What `cargo testsmith redundancy` prints.

use std::fmt::Write as _;

use testsmith_record::{
    AugmentReport, Quality, Reached, RedundancyReport, SeenReport, SuiteReport,
};

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
            for (ty, seen) in &suite.seen {
                let _ = writeln!(out, "  seen           {ty}: {}", way(seen));
                disagreements(seen, &mut out);
            }
            for augmented in &suite.augmented {
                augmentation(augmented, &mut out);
            }
            left_out(suite, &mut out);
        }
    }
    for (function, why) in &report.unmonitored {
        let _ = writeln!(
            out,
            "\nnot monitored    {function}, so all counts as read: {why}"
        );
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

/// By what monitor-eq tells values of a type apart.
fn way(seen: &SeenReport) -> String {
    if !seen.equality {
        return "no `==`: the whole state".to_owned();
    }
    let SeenReport {
        looks, read, less, ..
    } = seen;
    match read {
        0 => "what `==` reads cannot be seen".to_owned(),
        _ if read < looks => format!("what `==` reads, in {read} of {looks} looks"),
        _ if *less > 0 => {
            format!("what `==` reads, less than the whole in {less} of {looks} looks")
        }
        _ => "what `==` reads, which is the whole state".to_owned(),
    }
}

/// Pairs of values on which monitor-eq and pairwise-eq disagree.
fn disagreements(seen: &SeenReport, out: &mut String) {
    let kinds = [
        (
            seen.finer,
            "equal by `==`, which reads different things",
            &seen.finer_example,
        ),
        (
            seen.coarser,
            "not equal by `==`, which reads the same",
            &seen.coarser_example,
        ),
    ];
    for (n, what, example) in kinds.into_iter().filter(|(n, ..)| *n > 0) {
        let _ = writeln!(out, "    {n} of {} pairs are {what}", seen.pairs);
        for made in example.iter().flatten() {
            let _ = writeln!(out, "      {made}");
        }
    }
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
