//! What a run says at its end: to be read in ten seconds.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use indicatif::HumanCount;
use testsmith_record::{
    CallableReport, CallableStatus, FileReport, FileStatus, HuntEnd, ReasonReport, Report, Stop,
    TestKind, Timed, Touched,
};

use super::failures::{crash, failures};
use super::{Context, n_of_kind, standing};
use crate::commands::reach::{Reach, hidden};

/// The summary of a run.
pub(crate) fn text(report: &Report, context: &Context) -> String {
    let mut out = String::new();
    let reach = Reach::of(&report.callables);
    crash(&mut out, report);
    heading(&mut out, report);
    reached(&mut out, report, &reach);
    standing::told(&mut out, &report.standing, context.verbose);
    written(&mut out, report, context.dry_run);
    worth(&mut out, report);
    asked(&mut out, report);
    touches(&mut out, &report.callables);
    failures(&mut out, report, context.verbose);
    reasons(&mut out, &reach.counted);
    lost(&mut out, report);
    if context.verbose {
        everything(&mut out, report);
    }
    let _ = writeln!(out, "  next      {}", next(report, context));
    out
}

/// The summary of a run that looked for failures only.
pub(crate) fn of_failures(report: &Report, context: &Context) -> String {
    let mut out = String::new();
    let reach = Reach::of(&report.callables);
    crash(&mut out, report);
    heading(&mut out, report);
    reached(&mut out, report, &reach);
    let n_failing = n_of_kind(report, TestKind::Failure);
    let verb = verb(context.dry_run);
    let _ = writeln!(out, "  {verb} {n_failing} failing tests (ignored)");
    files(&mut out, report);
    asked(&mut out, report);
    touches(&mut out, &report.callables);
    failures(&mut out, report, context.verbose);
    reasons(&mut out, &reach.counted);
    lost(&mut out, report);
    if context.verbose {
        everything(&mut out, report);
    }
    let next = match n_failing {
        0 => "cargo testsmith, to write regression tests: nothing failed that looks like a bug"
            .into(),
        _ => next(report, context),
    };
    let _ = writeln!(out, "  next      {next}");
    out
}

/// How much was called, and how fast.
fn heading(out: &mut String, report: &Report) {
    let seconds = report.seconds.get(&Timed::Explore).copied().unwrap_or(0.0);
    let total: f64 = report.seconds.values().sum();
    let _ = writeln!(
        out,
        "\n{} {}: {} calls in {seconds:.1} s ({}/s), {} sequences, {} distinct values; {total:.0} s in all",
        report.package,
        report.version,
        HumanCount(report.calls),
        HumanCount((report.calls as f64 / seconds.max(0.001)) as u64),
        HumanCount(report.sequences),
        HumanCount(report.states),
    );
    if report.interrupted {
        let _ = writeln!(out, "  interrupted: this is what was found until then");
    }
}

/// How much of the API a call returned from.
fn reached(out: &mut String, report: &Report, reach: &Reach<'_>) {
    let _ = writeln!(
        out,
        "  reached   {} of {} public functions and methods ({} never returned, {} skipped{}{})",
        reach.n_with(CallableStatus::Reached),
        reach.counted.len(),
        reach.n_with(CallableStatus::Modelled),
        reach.n_with(CallableStatus::Skipped),
        match reach.n_left_out {
            0 => String::new(),
            n => format!("; {n} more left out on request"),
        },
        hidden(&report.callables),
    );
}

/// How many tests there are, and in which files.
fn written(out: &mut String, report: &Report, dry_run: bool) {
    let n_assertions: u32 = report.tests.iter().map(|t| t.n_assertions).sum();
    let verb = verb(dry_run);
    let all = format!(
        "{} regression tests with {n_assertions} assertions, {} failing tests (ignored)",
        n_of_kind(report, TestKind::Regression),
        n_of_kind(report, TestKind::Failure),
    );
    let _ = match (report.standing.tests, report.standing.fresh) {
        (0, _) | (_, true) => writeln!(out, "  {verb} {all}"),
        (_, false) => {
            let n_new = report.standing.added.len();
            writeln!(out, "  {verb} {n_new} new tests; the suite has {all}")
        }
    };
    files(out, report);
}

/// What became of the tests.
fn verb(dry_run: bool) -> &'static str {
    match dry_run {
        true => "would write",
        false => "written  ",
    }
}

/// Which files there are.
fn files(out: &mut String, report: &Report) {
    for file in &report.files {
        let modules = modules(file);
        let _ = writeln!(out, "            {} ({}){modules}", file.path, file.status);
    }
}

/// What the tests are good for.
fn worth(out: &mut String, report: &Report) {
    if let Some(coverage) = &report.coverage {
        let _ = writeln!(
            out,
            "  covered   {} of branches ({} of {}), {} of lines; killed {} of mutants ({} of {})",
            share(coverage.through.branches_taken, coverage.through.branches),
            coverage.through.branches_taken,
            coverage.through.branches,
            share(coverage.through.lines_covered, coverage.through.lines),
            share(coverage.killed, coverage.mutants),
            coverage.killed,
            coverage.mutants,
        );
        hunted(out, report);
        alive(out, report);
    }
}

/// What the hunt for mutants came to.
fn hunted(out: &mut String, report: &Report) {
    let Some(hunt) = report.hunt.filter(|it| it.left > 0) else {
        return;
    };
    let why = match hunt.ended {
        HuntEnd::NoneLeft => "none was left",
        HuntEnd::NothingMoves => "nothing moved any more",
        HuntEnd::Budget => "its share of the time was over",
        HuntEnd::Rounds | HuntEnd::Unknown => "it had all its rounds",
    };
    let _ = writeln!(
        out,
        "  hunted    {} of {} mutants that exploration left ({} by a look at more values, {} by private text only), in \
         {} rounds, until {why}",
        hunt.killed, hunt.left, hunt.closer, hunt.by_text, hunt.rounds
    );
}

/// Where the mutants stop that no test notices: it says what it would take to kill them.
fn alive(out: &mut String, report: &Report) {
    let stops: Vec<Stop> = report.mutants.iter().filter_map(|it| it.stop).collect();
    let told = [
        (Stop::NotEntered, "no call goes to"),
        (Stop::NotTried, "no case was tried with"),
        (Stop::NotInfected, "made no difference"),
        (Stop::NotSeen, "differed inside only"),
        (Stop::NotAsserted, "differed, and nothing asserts it"),
    ];
    let n_of = |stop: Stop| stops.iter().filter(|it| **it == stop).count();
    let told = told.iter().map(|(stop, what)| (n_of(*stop), what));
    let told: Vec<String> = told
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{n} {what}"))
        .collect();
    let n_likely = report.mutants.iter().filter(|it| it.likely_equivalent);
    let n_likely = n_likely.count();
    let n_certain = report.coverage.as_ref().map_or(0, |it| it.equivalent);
    if !told.is_empty() {
        let _ = writeln!(out, "  alive     {}: {}", stops.len(), told.join(", "));
    }
    if n_likely + n_certain > 0 {
        let _ = writeln!(
            out,
            "  the same  {n_certain} more mutants are the same program for certain and count for nothing; of those \
             alive, {n_likely} likely are"
        );
    }
}

/// What was asked of the crate on the way.
fn asked(out: &mut String, report: &Report) {
    for (round, n) in report.rounds.iter().zip(1..) {
        let _ = writeln!(
            out,
            "  round {n:<3} {} of {} states, each with every list of arguments: {} combinations",
            HumanCount(round.done),
            HumanCount(round.states),
            HumanCount(round.combinations)
        );
    }
    if report.laws.known > 0 {
        let _ = writeln!(
            out,
            "  laws      {} that traits or contracts demand, asked for {} times",
            report.laws.known,
            HumanCount(report.laws.asked)
        );
    }
}

/// What did not survive being compiled and run several times.
fn lost(out: &mut String, report: &Report) {
    let lost = report
        .dropped
        .iter()
        .filter(|d| d.what == "test" && d.reason.starts_with("does not") || d.what == "assertion");
    let n_lost: u64 = lost.map(|d| d.count).sum();
    if n_lost > 0 {
        let _ = writeln!(
            out,
            "  dropped   {n_lost} tests or assertions that did not compile or hold in every run"
        );
    }
}

/// How many files of modules a test file has, and what became of them.
fn modules(file: &FileReport) -> String {
    let Some(first) = file.modules.first() else {
        return String::new();
    };
    let dir = Path::new(&first.path).parent().unwrap_or(Path::new(""));
    let n_with = |status: FileStatus| {
        let with = file.modules.iter().filter(|it| it.status == status);
        with.count()
    };
    let counts = [
        FileStatus::Written,
        FileStatus::Unchanged,
        FileStatus::DryRun,
        FileStatus::Kept,
    ];
    let counts = counts.map(|it| (n_with(it), it));
    let counts = counts.iter().filter(|(n, _)| *n > 0);
    let counts: Vec<String> = counts.map(|(n, it)| format!("{n} {it}")).collect();
    format!(
        ", {} files of modules in {} ({})",
        file.modules.len(),
        dir.display(),
        counts.join(", ")
    )
}

/// What is called but not tested, because it would behave otherwise elsewhere.
fn touches(out: &mut String, callables: &[CallableReport]) {
    let touching = callables.iter().filter(|c| !c.touches.is_empty());
    let realms: BTreeSet<Touched> = touching.clone().flat_map(|c| c.touches.clone()).collect();
    let n = touching.count();
    if n > 0 {
        let realms = realms.into_iter().map(Touched::name);
        let realms = Vec::from_iter(realms).join(", ");
        let _ = writeln!(
            out,
            "  untested  calls of {n} functions that reached for the world outside ({realms})"
        );
    }
}

/// A part of a whole in percent.
fn share(part: usize, whole: usize) -> String {
    match whole {
        0 => "none".to_owned(),
        _ => format!("{:.1} %", part as f64 * 100.0 / whole as f64),
    }
}

/// The most frequent reasons for what was not reached.
fn reasons(out: &mut String, counted: &[&CallableReport]) {
    let ranked = ReasonReport::ranked(counted.iter().copied());
    for (i, ReasonReport { reason, count, .. }) in ranked.iter().take(3).enumerate() {
        let head = if i == 0 { "not reached" } else { "" };
        let reason: String = reason.chars().take(110).collect();
        let _ = writeln!(out, "  {head:<11} {count} × {reason}");
    }
}

/// What `-v` adds: every callable not reached, everything left out, where the time went.
fn everything(out: &mut String, report: &Report) {
    let unreached = report.callables.iter().filter(|c| !c.is_left_out());
    for callable in unreached.filter(|c| c.status != CallableStatus::Reached) {
        let reason = callable.reason.as_deref().unwrap_or_default();
        let _ = writeln!(out, "  {:<11} {}: {reason}", callable.status, callable.path);
    }
    for dropped in &report.dropped {
        let _ = writeln!(
            out,
            "  left out    {} × {}: {}",
            HumanCount(dropped.count),
            dropped.what,
            dropped.reason.lines().next().unwrap_or_default()
        );
    }
    let seeds = &report.seeds;
    for (what, it) in [("examples", &seeds.examples), ("tests", &seeds.tests)] {
        let _ = writeln!(
            out,
            "  begun with  {} of {} {what}, {} of {} statements",
            it.lifted, it.found, it.lifted_statements, it.statements
        );
    }
    let stages = [
        Timed::Learn,
        Timed::Build,
        Timed::Explore,
        Timed::Choose,
        Timed::Check,
        Timed::Write,
    ];
    let times: Vec<String> = stages
        .iter()
        .filter_map(|stage| Some(format!("{stage} {:.1} s", report.seconds.get(stage)?)))
        .collect();
    let _ = writeln!(out, "  time      {}", times.join(", "));
}

/// The command to run next.
fn next(report: &Report, context: &Context) -> String {
    let cargo_test = &context.cargo_test;
    if context.dry_run {
        return "the same without --dry-run, to write them".to_owned();
    }
    if report.tests.is_empty() {
        return "cargo testsmith api: every callable, or why it was left out".to_owned();
    }
    if report.files.iter().any(|file| !file.seen) {
        return format!("the same with --register, so that cargo sees them, then {cargo_test}");
    }
    let failing = report
        .tests
        .iter()
        .find(|test| test.kind == TestKind::Failure);
    let file = failing.and_then(|test| Path::new(&test.file).file_stem());
    match file {
        None => cargo_test.clone(),
        Some(file) => format!(
            "{cargo_test}, then {cargo_test} --test {} -- --ignored",
            file.to_string_lossy()
        ),
    }
}

#[cfg(test)]
mod tests {
    use testsmith_record::{
        Dropped, FailureKind, FailureLevel, FailureReport, FailureVerdict, LawsReport,
        ModuleReport, TestReport,
    };

    use super::*;
    use crate::commands::reach::callable;

    fn context() -> Context {
        Context {
            verbose: false,
            dry_run: false,
            cargo_test: "cargo test -p small".to_owned(),
        }
    }

    fn test(name: &str, kind: TestKind) -> TestReport {
        TestReport {
            name: name.to_owned(),
            file: format!("tests/testsmith_{kind}s.rs"),
            kind,
            n_calls: 1,
            n_assertions: 2,
            kills: 0,
            line: 1,
            condition: None,
            text: String::new(),
        }
    }

    fn failure(verdict: FailureVerdict) -> FailureReport {
        FailureReport {
            name: "panic-1".to_owned(),
            kind: FailureKind::Panic,
            operation: "small::half".to_owned(),
            message: "no half\nof that".to_owned(),
            file: "src/lib.rs".to_owned(),
            line: 3,
            program: String::new(),
            verdict,
            level: match verdict {
                FailureVerdict::Suspicious => FailureLevel::Likely,
                _ => FailureLevel::Callers,
            },
            says_bug: Vec::new(),
            says_none: Vec::new(),
            documentation: None,
            main: None,
            reason: "an arithmetic overflow".to_owned(),
            dropping: false,
            others: vec!["small::third".to_owned(), "small::fourth".to_owned()],
            test: Some("half_panics".to_owned()),
            text: None,
            untested: None,
        }
    }

    fn report() -> Report {
        let mut toucher = callable(
            "small::read",
            CallableStatus::Modelled,
            Some("it reads a file"),
        );
        toucher.touches = [Touched::Files].into();
        Report {
            package: "small".to_owned(),
            version: "0.1.0".to_owned(),
            calls: 3000,
            sequences: 1234,
            states: 56,
            laws: LawsReport {
                known: 2,
                asked: 1000,
            },
            seconds: [(Timed::Learn, 1.0), (Timed::Explore, 1.5)].into(),
            callables: vec![
                callable("small::half", CallableStatus::Reached, None),
                toucher,
            ],
            tests: vec![
                test("half_of_4", TestKind::Regression),
                test("half_panics", TestKind::Failure),
            ],
            failures: vec![
                failure(FailureVerdict::Suspicious),
                failure(FailureVerdict::Documented),
            ],
            dropped: vec![Dropped {
                what: "assertion".to_owned(),
                reason: "it flickers".to_owned(),
                count: 7,
            }],
            files: vec![FileReport {
                path: "tests/testsmith_regression.rs".to_owned(),
                status: FileStatus::Written,
                seen: true,
                modules: vec![ModuleReport {
                    name: "small".to_owned(),
                    path: "tests/testsmith_regression/small.rs".to_owned(),
                    status: FileStatus::Unchanged,
                }],
            }],
            ..Report::default()
        }
    }

    #[test]
    fn a_run_is_summed_up_in_a_few_lines() {
        let expected = "
small 0.1.0: 3,000 calls in 1.5 s (2,000/s), 1,234 sequences, 56 distinct values; 2 s in all
  reached   1 of 2 public functions and methods (1 never returned, 0 skipped)
  written   1 regression tests with 4 assertions, 1 failing tests (ignored)
            tests/testsmith_regression.rs (written), 1 files of modules in tests/testsmith_regression (1 unchanged)
  laws      2 that traits or contracts demand, asked for 1,000 times
  untested  calls of 1 functions that reached for the world outside (files)
  failures  1 likely, 1 the caller's
          1 [likely] small::half at src/lib.rs:3: no half (half_panics)
              an arithmetic overflow; so do small::third and 1 more
  not reached 1 × it reads a file
  dropped   7 tests or assertions that did not compile or hold in every run
  next      cargo test -p small, then cargo test -p small --test testsmith_failures -- --ignored
";
        assert_eq!(text(&report(), &context()), expected);
    }

    #[test]
    fn everything_is_said_on_request() {
        let context = Context {
            verbose: true,
            ..context()
        };
        let text = text(&report(), &context);
        for part in [
            "[caller's] small::half at src/lib.rs:3: no half (half_panics)\n              name: panic-1\n",
            "  modelled    small::read: it reads a file\n",
            "  left out    7 × assertion: it flickers\n",
            "  begun with  0 of 0 examples, 0 of 0 statements\n",
            "  time      learn 1.0 s, explore 1.5 s\n",
        ] {
            assert!(text.contains(part), "{part} is not in:\n{text}");
        }
    }

    #[test]
    fn what_to_do_next_depends_on_what_was_written() {
        let dry_run = Context {
            dry_run: true,
            ..context()
        };
        let mut report = report();
        assert!(next(&report, &dry_run).starts_with("the same without --dry-run"));
        report.files[0].seen = false;
        assert!(next(&report, &context()).starts_with("the same with --register"));
        report.tests.pop();
        report.files[0].seen = true;
        assert_eq!(next(&report, &context()), "cargo test -p small");
        report.tests.clear();
        assert!(next(&report, &context()).starts_with("cargo testsmith api"));
    }
}
