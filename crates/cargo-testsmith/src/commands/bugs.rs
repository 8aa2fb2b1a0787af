//! `cargo testsmith bugs`: looks for failures and writes failing tests, nothing else.

use testsmith_record::{CallableStatus, Report, TestKind};

use super::reach::Reach;
use super::run;
use crate::exit::{self, Failure};
use crate::job::Job;
use crate::row::Row;

/// Looks for bugs in one package.
pub(crate) fn bugs(job: &mut Job<'_>) -> Result<Row, Failure> {
    let config = job.config()?;
    let report = job.watch(|watch| testsmith_commands::bugs(&config, watch))?;
    // The page of the last run is about its suite, so this record is not kept in that one's place.
    job.tell(
        &run::of_failures(&report, &run::Context::of(job, &config)),
        &report,
    )?;
    Ok(row(&report, job.is_cancelled()))
}

/// The line of the command in the table of several packages.
fn row(report: &Report, is_interrupted: bool) -> Row {
    let reach = Reach::of(&report.callables);
    let text = format!(
        "{} of {} reached, {} failing tests",
        reach.n_with(CallableStatus::Reached),
        reach.counted.len(),
        run::n_of_kind(report, TestKind::Failure),
    );
    let code = match is_interrupted {
        true => exit::INTERRUPTED,
        false => 0,
    };
    Row::ended(&report.package, code, text)
}
