//! What a run says at its end: to be read in ten seconds.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use indicatif::HumanCount;
use testsmith_pipeline::{ApiReport, CallableReport, Report};

/// The summary of a run.
pub(crate) fn run(report: &Report) -> String {
    let mut out = String::new();
    let counted: Vec<&CallableReport> = report.callables.iter().filter(|c| c.counted).collect();
    let n_with = |status: &str| counted.iter().filter(|c| c.status == status).count();
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
    let _ = writeln!(
        out,
        "  reached   {} of {} public functions and methods ({} never returned, {} skipped)",
        n_with("reached"),
        counted.len(),
        n_with("modelled"),
        n_with("skipped"),
    );
    let of_kind = |kind: &str| report.tests.iter().filter(|t| t.kind == kind).count();
    let n_assertions: u32 = report.tests.iter().map(|t| t.n_assertions).sum();
    let _ = writeln!(
        out,
        "  written   {} regression tests with {n_assertions} assertions, {} failing tests (ignored)",
        of_kind("regression"),
        of_kind("failure"),
    );
    for file in &report.files {
        let _ = writeln!(out, "            {} ({})", file.path, file.status);
    }
    let worrying: Vec<_> = report
        .failures
        .iter()
        .filter(|f| f.verdict == "suspicious")
        .collect();
    if !worrying.is_empty() {
        let _ = writeln!(out, "  suspicious failures ({}):", worrying.len());
        for failure in worrying.iter().take(5) {
            let place = match failure.file.is_empty() {
                true => failure.kind.to_owned(),
                false => format!("{}:{}", failure.file, failure.line),
            };
            let message = failure.message.lines().next().unwrap_or_default();
            let _ = writeln!(
                out,
                "            {} at {place}: {message}",
                failure.operation
            );
        }
        if worrying.len() > 5 {
            let _ = writeln!(out, "            and {} more", worrying.len() - 5);
        }
    }
    reasons(&mut out, &counted);
    let lost: u64 = report
        .dropped
        .iter()
        .filter(|d| d.what == "test" && d.reason.starts_with("does not") || d.what == "assertion")
        .map(|d| d.count)
        .sum();
    if lost > 0 {
        let _ = writeln!(
            out,
            "  dropped   {lost} tests or assertions that did not compile or hold in every run"
        );
    }
    let next = match of_kind("failure") {
        0 => "cargo test",
        _ => "cargo test, then cargo test --test testsmith_failures -- --ignored",
    };
    let _ = writeln!(out, "  next      {next}");
    out
}

/// The most frequent reasons for what was not reached.
fn reasons(out: &mut String, counted: &[&CallableReport]) {
    let mut by_reason: BTreeMap<&str, usize> = BTreeMap::new();
    for callable in counted {
        if let Some(reason) = &callable.reason {
            *by_reason.entry(reason).or_default() += 1;
        }
    }
    let mut ranked: Vec<_> = by_reason.into_iter().collect();
    ranked.sort_by_key(|(reason, n)| (std::cmp::Reverse(*n), *reason));
    for (i, (reason, n)) in ranked.iter().take(3).enumerate() {
        let head = if i == 0 { "not reached" } else { "" };
        let reason: String = reason.chars().take(110).collect();
        let _ = writeln!(out, "  {head:<11} {n} × {reason}");
    }
}

/// The listing of `cargo testsmith api`.
pub(crate) fn api(report: &ApiReport) -> String {
    let mut out = String::new();
    for callable in &report.callables {
        let _ = writeln!(out, "{}", callable.path);
        for instance in &callable.instances {
            if **instance != callable.path {
                let _ = writeln!(out, "    {instance}");
            }
        }
        if let Some(reason) = &callable.reason {
            let _ = writeln!(out, "    left out: {reason}");
        }
    }
    let counted = || report.callables.iter().filter(|c| c.counted);
    let n_modelled = counted().filter(|c| c.status != "skipped").count();
    let _ = writeln!(
        out,
        "\n{} {}: {} public functions and methods, {n_modelled} with an instance{}; {} other items",
        report.package,
        report.version,
        counted().count(),
        if report.checked {
            " that rustc accepts"
        } else {
            ""
        },
        report.callables.len() - counted().count(),
    );
    out
}
