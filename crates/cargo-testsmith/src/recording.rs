//! What `cargo testsmith record` prints.

use std::fmt::Write as _;

use testsmith_record::RecordingReport;

use crate::summary::Row;

/// The functions that were called, those called most first.
pub(crate) fn text(report: &RecordingReport) -> String {
    let mut out = String::new();
    if !report.functions.is_empty() {
        let _ = writeln!(out, "   calls  distinct  opaque");
    }
    for it in &report.functions {
        let _ = writeln!(
            out,
            "{:>8}  {:>8}  {:>6}  {} ({}:{})",
            it.calls, it.distinct, it.opaque, it.function, it.file, it.line
        );
    }
    let n_distinct: usize = report.functions.iter().map(|it| it.distinct).sum();
    let n_opaque: usize = report.functions.iter().map(|it| it.opaque).sum();
    let _ = writeln!(
        out,
        "\n{} {}: own tests make {} calls of {} functions; {n_distinct} differ in the state of their arguments, \
         {n_opaque} have arguments that cannot be seen whole",
        report.package,
        report.version,
        report.calls,
        report.functions.len(),
    );
    let n_own = report.tests.iter().filter(|it| it.own > 0).count();
    let _ = writeln!(
        out,
        "  tests     {} make such calls; {n_own} make one that no other does",
        report.tests.len()
    );
    if report.cut {
        let _ = writeln!(
            out,
            "  cut       some process made more calls than there was room for"
        );
    }
    for test in &report.failed {
        let _ = writeln!(out, "  failed    {test}");
    }
    out
}

/// A line of the table of several packages.
pub(crate) fn row(report: &RecordingReport) -> Row {
    Row::done(&report.package, format!("{} calls", report.calls))
}
