//! What a run says at its end: to be read in ten seconds.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use indicatif::HumanCount;
use testsmith_record::{
    ApiReport, AugmentedReport, CallableReport, CompareReport, FailureReport, FileReport,
    ReasonReport, Report,
};

use crate::exit;

/// What the summary depends on besides the report.
pub(crate) struct Context {
    /// Say everything.
    pub(crate) verbose: bool,
    /// Nothing was written.
    pub(crate) dry_run: bool,
    /// Runs the package's tests from where the user is.
    pub(crate) cargo_test: String,
}

/// Suspicious failures that a short summary shows.
const MAX_FAILURES: usize = 5;
/// Callables that a short listing shows for a reason.
const MAX_EXAMPLES: usize = 3;

/// What is known of a suite that was added to.
pub(crate) fn augmented(report: &AugmentedReport) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "  suite     {} calls that differ, {} of them not seen whole, {} of functions that tests cannot name",
        HumanCount(report.executions as u64),
        HumanCount((report.opaque + report.large) as u64),
        HumanCount(report.private as u64),
    );
    let _ = writeln!(
        out,
        "            {} states, of which public calls made {} again",
        HumanCount(report.suite_states as u64),
        HumanCount(report.remade as u64),
    );
    if report.cut {
        let _ = writeln!(
            out,
            "            it makes more calls than there is room for: some of these tests may not be new"
        );
    }
    for test in &report.failed {
        let _ = writeln!(out, "  failed    {test}, on the copy that is recorded");
    }
    out
}

/// The summary of a run.
pub(crate) fn run(report: &Report, context: &Context) -> String {
    let mut out = String::new();
    let seconds = report.seconds.get("explore").copied().unwrap_or(0.0);
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
    let reach = Reach::of(&report.callables);
    let _ = writeln!(
        out,
        "  reached   {} of {} public functions and methods ({} never returned, {} skipped{}{})",
        reach.n_with("reached"),
        reach.counted.len(),
        reach.n_with("modelled"),
        reach.n_with("skipped"),
        match reach.n_left_out {
            0 => String::new(),
            n => format!("; {n} more left out on request"),
        },
        hidden(&report.callables),
    );
    let n_assertions: u32 = report.tests.iter().map(|t| t.n_assertions).sum();
    let _ = writeln!(
        out,
        "  {} {} regression tests with {n_assertions} assertions, {} failing tests (ignored)",
        match context.dry_run {
            true => "would write",
            false => "written  ",
        },
        n_of_kind(report, "regression"),
        n_of_kind(report, "failure"),
    );
    for file in &report.files {
        let modules = modules(file);
        let _ = writeln!(out, "            {} ({}){modules}", file.path, file.status);
    }
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
    }
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
    touches(&mut out, &report.callables);
    failures(&mut out, report, context.verbose);
    reasons(&mut out, &reach.counted);
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
    if context.verbose {
        everything(&mut out, report);
    }
    let _ = writeln!(out, "  next      {}", next(report, context));
    out
}

/// How many files of modules a test file has, and what became of them.
fn modules(file: &FileReport) -> String {
    let Some(first) = file.modules.first() else {
        return String::new();
    };
    let dir = Path::new(&first.path).parent().unwrap_or(Path::new(""));
    let n_with = |status: &str| {
        let with = file.modules.iter().filter(|it| it.status == status);
        with.count()
    };
    let counts = ["written", "unchanged", "dry-run", "kept"].map(|it| (n_with(it), it));
    let counts = counts.iter().filter(|(n, _)| *n > 0);
    let counts: Vec<String> = counts.map(|(n, it)| format!("{n} {it}")).collect();
    format!(
        ", {} files of modules in {} ({})",
        file.modules.len(),
        dir.display(),
        counts.join(", ")
    )
}

/// How many there are that nobody is to call.
fn hidden(callables: &[CallableReport]) -> String {
    match callables.iter().filter(|c| c.is_hidden()).count() {
        0 => String::new(),
        n => format!("; {n} hidden from the documentation"),
    }
}

/// What is called but not tested, because it would behave otherwise elsewhere.
fn touches(out: &mut String, callables: &[CallableReport]) {
    let touching = callables.iter().filter(|c| !c.touches.is_empty());
    let realms: BTreeSet<&str> = touching.clone().flat_map(|c| c.touches.clone()).collect();
    let n = touching.count();
    if n > 0 {
        let realms = Vec::from_iter(realms).join(", ");
        let _ = writeln!(
            out,
            "  untested  calls of {n} functions that reached for the world outside ({realms})"
        );
    }
}

fn n_of_kind(report: &Report, kind: &str) -> usize {
    report.tests.iter().filter(|t| t.kind == kind).count()
}

/// The functions and methods that reach is measured on, as far as they were asked for.
struct Reach<'r> {
    counted: Vec<&'r CallableReport>,
    n_left_out: usize,
}

impl Reach<'_> {
    fn of(callables: &[CallableReport]) -> Reach<'_> {
        let counted = callables.iter().filter(|c| c.counted);
        let (left_out, counted): (Vec<_>, Vec<_>) = counted.partition(|c| c.is_left_out());
        Reach {
            counted,
            n_left_out: left_out.len(),
        }
    }

    fn n_with(&self, status: &str) -> usize {
        self.counted.iter().filter(|c| c.status == status).count()
    }
}

/// Failures that look like bugs, with the tests that show them.
fn failures(out: &mut String, report: &Report, verbose: bool) {
    let is_shown = |f: &&FailureReport| f.verdict == "suspicious" || verbose;
    let shown: Vec<_> = report.failures.iter().filter(is_shown).collect();
    if shown.is_empty() {
        return;
    }
    let (what, n_max) = match verbose {
        true => ("failures", usize::MAX),
        false => ("suspicious failures", MAX_FAILURES),
    };
    let _ = writeln!(out, "  {what} ({}):", shown.len());
    for failure in shown.iter().take(n_max) {
        let place = match failure.file.is_empty() {
            true => failure.kind.to_owned(),
            false => format!("{}:{}", failure.file, failure.line),
        };
        let message = failure.message.lines().next().unwrap_or_default();
        let _ = write!(out, "            {} at {place}", failure.operation);
        if !message.is_empty() {
            let _ = write!(out, ": {message}");
        }
        if verbose {
            let _ = write!(out, " [{}]", failure.verdict);
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
    }
    if shown.len() > n_max {
        let n_more = shown.len() - n_max;
        let _ = writeln!(out, "            and {n_more} more; -v shows them all");
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
    for callable in unreached.filter(|c| c.status != "reached") {
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
    let stages = ["learn", "build", "explore", "choose", "check", "write"];
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
    let failing = report.tests.iter().find(|test| test.kind == "failure");
    let file = failing.and_then(|test| Path::new(&test.file).file_stem());
    match file {
        None => cargo_test.clone(),
        Some(file) => format!(
            "{cargo_test}, then {cargo_test} --test {} -- --ignored",
            file.to_string_lossy()
        ),
    }
}

/// The listing of `cargo testsmith api`.
pub(crate) fn api(report: &ApiReport, verbose: bool) -> String {
    let mut out = String::new();
    let (left_out, listed): (Vec<_>, Vec<_>) =
        report.callables.iter().partition(|c| c.is_left_out());
    for callable in &listed {
        let _ = writeln!(out, "{}", callable.path);
        for instance in &callable.instances {
            if **instance != callable.path {
                let _ = writeln!(out, "    {instance}");
            }
        }
        if let Some(reason) = &callable.reason {
            let _ = writeln!(out, "    left out: {reason}");
        }
        if let Some(safety) = &callable.safety {
            let words: Vec<&str> = safety.split_whitespace().collect();
            let _ = writeln!(out, "    # Safety: {}", words.join(" "));
        }
    }
    let _ = writeln!(
        out,
        "\n{} {}: {} public functions and methods, {} with an instance{}; {} other items{}{}",
        report.package,
        report.version,
        report.counted,
        report.with_instance,
        if report.checked {
            " that rustc accepts"
        } else {
            ""
        },
        listed.iter().filter(|c| !c.is_hidden()).count() - report.counted,
        match left_out.len() {
            0 => String::new(),
            n => format!("; {n} left out on request"),
        },
        hidden(&report.callables),
    );
    if report.checked {
        verdict(&mut out, report, verbose);
    }
    out
}

/// What rustc accepts of an API, and what stands in the way of the rest.
fn verdict(out: &mut String, report: &ApiReport, verbose: bool) {
    let ApiReport {
        counted,
        with_instance,
        ..
    } = report;
    let _ = write!(
        out,
        "\naccepted {with_instance} of {counted} counted callables"
    );
    if *counted > 0 {
        let percent = *with_instance as f64 / *counted as f64 * 100.0;
        let _ = write!(out, " ({percent:.1} %)");
    }
    let _ = writeln!(
        out,
        "\njudged by `cargo check`; the few errors that take a build to show are not in this figure"
    );
    let n_max = match verbose {
        true => usize::MAX,
        false => MAX_EXAMPLES,
    };
    for reason in &report.reasons {
        let _ = writeln!(out, "{:>5} × {}", reason.count, reason.reason);
        for callable in reason.callables.iter().take(n_max) {
            let _ = writeln!(out, "          {callable}");
        }
        if reason.count > n_max {
            let n_more = reason.count - n_max;
            let _ = writeln!(out, "          and {n_more} more; -v shows them all");
        }
    }
}

/// One package's line in the table of several.
pub(crate) struct Row {
    name: String,
    pub(crate) code: u8,
    text: String,
}

impl Row {
    pub(crate) fn of(report: &Report, interrupted: bool) -> Row {
        let reach = Reach::of(&report.callables);
        Row {
            name: report.package.clone(),
            code: match interrupted {
                true => exit::INTERRUPTED,
                false => 0,
            },
            text: format!(
                "{} of {} reached, {} regression tests, {} failing tests",
                reach.n_with("reached"),
                reach.counted.len(),
                n_of_kind(report, "regression"),
                n_of_kind(report, "failure"),
            ),
        }
    }

    pub(crate) fn of_api(report: &ApiReport) -> Row {
        let text = format!(
            "{} of {} with an instance",
            report.with_instance, report.counted
        );
        Row::done(&report.package, text)
    }

    /// All went well.
    pub(crate) fn done(package: &str, text: String) -> Row {
        Row {
            name: package.to_owned(),
            code: 0,
            text,
        }
    }

    /// It ended with this code.
    pub(crate) fn ended(package: &str, code: u8, text: String) -> Row {
        Row {
            code,
            ..Row::done(package, text)
        }
    }

    pub(crate) fn of_comparison(report: &CompareReport) -> Row {
        Row {
            name: report.package.clone(),
            code: match report.interrupted {
                true => exit::INTERRUPTED,
                false => 0,
            },
            text: format!("{} runs compared", report.runs.len()),
        }
    }

    pub(crate) fn failed(name: &str, code: u8, message: &str) -> Row {
        Row {
            name: name.to_owned(),
            code,
            text: message.lines().next().unwrap_or_default().to_owned(),
        }
    }
}

/// The table at the end of a command about several packages.
pub(crate) fn table(rows: &[Row], without_library: &[String]) -> String {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut out = format!("\n{:width$}  exit  result\n", "");
    for row in rows {
        let _ = writeln!(out, "{:width$}  {:>4}  {}", row.name, row.code, row.text);
    }
    for message in without_library {
        let _ = writeln!(out, "passed over: {message}");
    }
    out
}
