//! `cargo testsmith augment`: tests for what the package's own lack. Rounds are 1 by default: states
//! that come of a round are the suite's own no more.

use std::fmt::Write as _;

use indicatif::HumanCount;
use testsmith_record::AugmentedReport;

use super::run;
use crate::exit::Failure;
use crate::job::Job;
use crate::row::Row;

/// Writes tests that the suite of one package lacks.
pub(crate) fn augment(job: &mut Job<'_>) -> Result<Row, Failure> {
    let config = job.config()?;
    let report = job.watch(|watch| testsmith_commands::augment(&config, watch))?;
    let mut text = run::text(&report.report, &run::Context::of(job, &config));
    text.push_str(&of_suite(&report));
    job.tell(&text, &report)?;
    Ok(run::row(&report.report, job.is_cancelled()))
}

/// What is known of the suite that was added to.
fn of_suite(report: &AugmentedReport) -> String {
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

#[cfg(test)]
mod tests {
    use testsmith_record::Report;

    use super::*;

    #[test]
    fn the_suite_is_described_with_what_could_not_be_seen_of_it() {
        let report = AugmentedReport {
            executions: 1200,
            opaque: 3,
            large: 4,
            private: 5,
            suite_states: 60,
            remade: 50,
            cut: true,
            failed: vec!["lib tests::clock".to_owned()],
            report: Report::default(),
        };
        let expected = "  \
  suite     1,200 calls that differ, 7 of them not seen whole, 5 of functions that tests cannot name
            60 states, of which public calls made 50 again
            it makes more calls than there is room for: some of these tests may not be new
  failed    lib tests::clock, on the copy that is recorded
";
        assert_eq!(of_suite(&report), expected);
    }
}
