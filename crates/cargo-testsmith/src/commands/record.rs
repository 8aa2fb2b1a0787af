//! `cargo testsmith record`: which calls the package's own tests make.

use std::fmt::Write as _;

use testsmith_record::RecordingReport;

use crate::exit::Failure;
use crate::job::Job;
use crate::row::Row;

/// Records what the own tests of one package call.
pub(crate) fn record(job: &mut Job<'_>) -> Result<Row, Failure> {
    let config = job.config()?;
    let report = job.watch(|watch| testsmith_commands::record(&config.equipping, watch))?;
    job.tell(&text(&report), &report)?;
    Ok(Row::done(
        &report.package,
        format!("{} calls", report.calls),
    ))
}

/// The functions that were called, those called most first.
fn text(report: &RecordingReport) -> String {
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

#[cfg(test)]
mod tests {
    use testsmith_record::{FunctionReport, RecordKind, RecordedTest};

    use super::*;

    fn test(name: &str, own: usize) -> RecordedTest {
        RecordedTest {
            test: name.to_owned(),
            own,
            ..RecordedTest::default()
        }
    }

    #[test]
    fn calls_are_counted_by_function_and_by_test() {
        let report = RecordingReport {
            schema: 1,
            kind: RecordKind::Record,
            package: "small".to_owned(),
            version: "0.1.0".to_owned(),
            calls: 12,
            cut: true,
            functions: vec![FunctionReport {
                function: "half".to_owned(),
                file: "src/lib.rs".to_owned(),
                line: 3,
                calls: 12,
                distinct: 5,
                opaque: 1,
            }],
            tests: vec![test("lib a", 2), test("lib b", 0)],
            failed: vec!["lib c".to_owned()],
        };
        let expected = "   \
   calls  distinct  opaque
      12         5       1  half (src/lib.rs:3)

small 0.1.0: own tests make 12 calls of 1 functions; 5 differ in the state of their arguments, 1 have arguments that cannot be seen whole
  tests     2 make such calls; 1 make one that no other does
  cut       some process made more calls than there was room for
  failed    lib c
";
        assert_eq!(text(&report), expected);
    }
}
