//! `cargo testsmith` without the name of a command: it writes tests. Its arguments are the
//! [flags](crate::flags) alone.

mod failures;
mod standing;
mod text;

use std::fmt::Write as _;
use std::path::Path;

use testsmith_commands::Config;
use testsmith_record::{CallableStatus, Report, TestKind};

pub(crate) use self::text::{of_failures, text};
use super::reach::Reach;
use crate::exit::{self, Failure};
use crate::job::Job;
use crate::kept;
use crate::row::Row;

/// Writes tests for one package.
pub(crate) fn run(job: &mut Job<'_>) -> Result<Row, Failure> {
    let config = job.config()?;
    if job.flags.check {
        return check(job, &config);
    }
    let report = job.watch(|watch| testsmith_commands::run(&config, watch))?;
    kept::keep_failures(job.package, &report);
    let mut text = text(&report, &Context::of(job, &config));
    if let Some(page) = job.keep("run", &report) {
        let _ = writeln!(text, "  report    {page}");
    }
    job.tell(&text, &report)?;
    // Whoever pressed Ctrl-C after the exploring got a whole suite, but did ask for an end.
    Ok(row(&report, job.is_cancelled()))
}

/// Runs the tests that are there, of one package.
fn check(job: &mut Job<'_>, config: &Config) -> Result<Row, Failure> {
    let report = job.watch(|watch| testsmith_commands::check(config, watch))?;
    job.tell(&standing::checked(&report, job.flags.verbose), &report)?;
    let standing = &report.standing;
    let code = match standing.n_open() {
        0 => 0,
        _ => exit::OTHERWISE,
    };
    let text = format!("{} of {} tests hold", standing.held, standing.tests);
    Ok(Row::ended(&report.package, code, text))
}

/// What the text depends on besides the report.
pub(crate) struct Context {
    /// Is everything said?
    verbose: bool,
    /// Was nothing to be written?
    dry_run: bool,
    /// The command that runs the package's tests from where the user is.
    cargo_test: String,
}

impl Context {
    pub(crate) fn of(job: &Job<'_>, config: &Config) -> Context {
        let flags = job.flags;
        let must_be_named = job.packages.several || !flags.package.is_empty();
        Context {
            verbose: flags.verbose,
            dry_run: config.writing.dry_run,
            cargo_test: cargo_test(
                flags.manifest_path.as_deref(),
                must_be_named.then_some(&*job.package.name),
                &config.equipping.package.features.flags(),
            ),
        }
    }
}

/// The command that runs the tests of a package; `package` is its name, if it must be given.
fn cargo_test(manifest_path: Option<&Path>, package: Option<&str>, features: &[String]) -> String {
    let mut command = "cargo test".to_owned();
    if let Some(path) = manifest_path {
        let _ = write!(command, " --manifest-path {}", path.display());
    }
    if let Some(name) = package {
        let _ = write!(command, " -p {name}");
    }
    for flag in features {
        let _ = write!(command, " {flag}");
    }
    command
}

/// The line of a run in the table of several packages.
pub(crate) fn row(report: &Report, is_interrupted: bool) -> Row {
    let reach = Reach::of(&report.callables);
    let text = format!(
        "{} of {} reached, {} regression tests, {} failing tests",
        reach.n_with(CallableStatus::Reached),
        reach.counted.len(),
        n_of_kind(report, TestKind::Regression),
        n_of_kind(report, TestKind::Failure),
    );
    let code = match (is_interrupted, report.standing.n_open()) {
        (true, _) => exit::INTERRUPTED,
        (false, 0) => 0,
        (false, _) => exit::OTHERWISE,
    };
    Row::ended(&report.package, code, text)
}

/// How many tests of this kind were written.
pub(crate) fn n_of_kind(report: &Report, kind: TestKind) -> usize {
    report.tests.iter().filter(|t| t.kind == kind).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_run_as_the_user_named_the_package() {
        assert_eq!(cargo_test(None, None, &[]), "cargo test");
        let manifest = Some(Path::new("a/Cargo.toml"));
        assert_eq!(
            cargo_test(manifest, Some("a"), &["--all-features".to_owned()]),
            "cargo test --manifest-path a/Cargo.toml -p a --all-features"
        );
    }
}
