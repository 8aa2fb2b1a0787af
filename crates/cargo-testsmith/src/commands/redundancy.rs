//! `cargo testsmith redundancy`: how many tests of generated suites are redundant, by each notion of
//! equal states.

use std::fmt::Write as _;

use testsmith_record::{
    AugmentReport, Quality, Reached, RedundancyReport, SeenReport, SuiteReport,
};

use crate::exit::{self, Failure};
use crate::job::Job;
use crate::row::Row;

/// Judges suites of one package by every notion.
pub(crate) fn redundancy(job: &mut Job<'_>) -> Result<Row, Failure> {
    let config = job.config()?;
    let report = job.watch(|watch| testsmith_commands::redundancy(&config, watch))?;
    job.tell(&text(&report), &report)?;
    Ok(row(&report))
}

fn row(report: &RedundancyReport) -> Row {
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

/// A table for each kind of suite, and what was left out.
fn text(report: &RedundancyReport) -> String {
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
            notions(suite, &mut out);
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

/// How each notion judges a suite, and what would be lost without the tests it calls redundant.
fn notions(suite: &SuiteReport, out: &mut String) {
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
}

/// Says what comes of the suite in each round of augmenting it.
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

/// Says by what monitor-eq tells the values of a type apart, and how often that was seen.
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

/// Lists pairs of values on which monitor-eq and pairwise-eq disagree.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use testsmith_record::{Notion, NotionReport, RecordKind, SuiteKind, TypeReport};

    use super::*;

    const QUALITY: Quality = Quality {
        branches: 4,
        failures: 1,
        mutants: 3,
    };

    fn suite(lost: &[&str]) -> SuiteReport {
        SuiteReport {
            suite: SuiteKind::JtestLike,
            tests: 8,
            executions: 20,
            quality: QUALITY,
            notions: vec![NotionReport {
                state_by: Notion::WholeState,
                redundant_tests: 2,
                redundant_executions: 5,
                seconds: 0.5,
                quality: QUALITY,
                lost: lost.iter().map(|it| (*it).to_owned()).collect(),
            }],
            augmented: Vec::new(),
            cut: 1,
            unfit: 0,
            rejected: 2,
            beyond: 0,
            without_arguments: Vec::new(),
            not_whole: BTreeMap::new(),
            uncompared: 0,
            seen: BTreeMap::new(),
        }
    }

    fn report(lost: &[&str]) -> RedundancyReport {
        RedundancyReport {
            schema: 1,
            kind: RecordKind::Redundancy,
            package: "small".to_owned(),
            version: "0.1.0".to_owned(),
            monitored: 0,
            unmonitored: BTreeMap::new(),
            types: vec![TypeReport {
                path: "small::Stack".to_owned(),
                constructors: Vec::new(),
                methods: Vec::new(),
                suites: vec![suite(lost)],
            }],
            seconds: BTreeMap::new(),
            interrupted: false,
        }
    }

    #[test]
    fn a_notion_has_a_line_in_the_table_of_a_suite() {
        let expected = "
small 0.1.0: redundant tests and calls by each notion of equal states

small::Stack, jtest-like: 8 tests, 20 calls; 4 sides of branches, 1 failures, 3 mutants killed
  whole-state     25.0 % of tests  25.0 % of calls    0.50 s  nothing lost
  cut            1 × fail before their last call, and end there
  left out       2 × calls that the borrow check rejects
";
        assert_eq!(text(&report(&[])), expected);
    }

    #[test]
    fn a_loss_is_named_and_is_no_success() {
        let text = text(&report(&["a mutant"]));
        assert!(text.contains("    lost         a mutant\n"), "{text}");
        assert_eq!(row(&report(&[])).code, 0);
        assert_eq!(row(&report(&["a mutant"])).code, exit::INTERNAL);
        let mut interrupted = report(&["a mutant"]);
        interrupted.interrupted = true;
        assert_eq!(row(&interrupted).code, exit::INTERRUPTED);
    }

    #[test]
    fn the_way_of_seeing_a_value_is_told_from_what_was_read() {
        let seen = |read: usize, less: usize| SeenReport {
            equality: true,
            looks: 5,
            read,
            less,
            ..SeenReport::default()
        };
        assert_eq!(way(&SeenReport::default()), "no `==`: the whole state");
        assert_eq!(way(&seen(0, 0)), "what `==` reads cannot be seen");
        assert_eq!(way(&seen(3, 0)), "what `==` reads, in 3 of 5 looks");
        assert_eq!(
            way(&seen(5, 2)),
            "what `==` reads, less than the whole in 2 of 5 looks"
        );
        assert_eq!(
            way(&seen(5, 0)),
            "what `==` reads, which is the whole state"
        );
    }
}
