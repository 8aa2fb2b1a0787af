//! `cargo testsmith bugs`: looks for failures and writes failing tests, nothing else. With `--issue`, it
//! looks for nothing, and prints what the last run found as a report for those who maintain the crate.

use clap::Args as Arguments;
use testsmith_record::{CallableStatus, Report, TestKind};

use super::reach::Reach;
use super::{issue, run};
use crate::exit::{self, Failure};
use crate::flags::{Flags, Writing};
use crate::job::Job;
use crate::row::Row;
use crate::{bug, kept, terminal};

/// What `bugs` is told.
#[derive(Arguments, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    writing: Writing,

    /// Print failure N of the last run as an issue for the crate's tracker; look for nothing
    #[arg(long, value_name = "N")]
    issue: Option<usize>,
}

impl Args {
    /// These flags, and those of `before` where these say nothing.
    pub(crate) fn over(&self, before: &Flags) -> Flags {
        self.writing.over(before)
    }
}

/// Looks for bugs in one package, or tells of one that was found.
pub(crate) fn bugs(args: &Args, job: &mut Job<'_>) -> Result<Row, Failure> {
    if let Some(number) = args.issue {
        return tell(number, job);
    }
    let config = job.config()?;
    let report = job.watch(|watch| testsmith_commands::bugs(&config, watch))?;
    // The page of the last run is about its suite, so this record is not kept in that one's place.
    kept::keep_failures(job.package, &report);
    job.tell(
        &run::of_failures(&report, &run::Context::of(job, &config)),
        &report,
    )?;
    Ok(row(&report, job.is_cancelled()))
}

/// Prints a failure of the last run as an issue.
fn tell(number: usize, job: &Job<'_>) -> Result<Row, Failure> {
    let report = kept::failures(job.package)?;
    let at = number.checked_sub(1);
    let Some(failure) = at.and_then(|at| report.failures.get(at)) else {
        let n = report.failures.len();
        return Err(Failure {
            message: format!("there is no failure {number}: the last run found {n}"),
            advice: Some("`cargo testsmith bugs -v` numbers them".to_owned()),
            code: exit::USAGE,
        });
    };
    let line = kept::line(job.package, &failure.file, failure.line);
    let toolchain = bug::toolchain();
    terminal::say(&issue::issue(&report, failure, line.as_deref(), &toolchain));
    Ok(Row::ended(&report.package, 0, failure.name.clone()))
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
