//! The command: arguments, exit codes, live progress. The only crate that prints.

mod arguments;
mod bug;
mod comparison;
mod diff;
mod exit;
mod kept;
mod minimize;
mod mutants;
mod packages;
mod progress;
mod recording;
mod redundancy;
mod report;
mod settings;
mod shells;
mod states;
mod summary;

use std::backtrace::Backtrace;
use std::io::{ErrorKind, Write};
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use testsmith_commands::{self as commands, CommandError, Config};
use testsmith_equip::{Outcome, Watch};
use testsmith_project::Package;

use crate::arguments::{Arguments, Command, MutantsCommand};
use crate::exit::Failure;
use crate::packages::Packages;
use crate::progress::Progress;
use crate::summary::{Context, Row};

fn main() -> ExitCode {
    // Rustdoc calls us to run tests of the documentation.
    let words: Vec<_> = std::env::args_os().skip(1).take(3).collect();
    if let [word, dir, executable] = words.as_slice()
        && word == testsmith_harness::KEEP_DOCTEST
    {
        let code = testsmith_harness::keep_doctest(Path::new(executable), Path::new(dir));
        return ExitCode::from(code);
    }
    // Cargo calls us in rustc's place while the harness is built.
    if let Ok(krates) = std::env::var(testsmith_harness::WRAPPER_VARIABLE) {
        let arguments: Vec<_> = std::env::args_os().skip(1).collect();
        let code = testsmith_harness::wrap(&arguments, &krates);
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    let arguments = Arguments::from_command_line();
    ExitCode::from(bug::watch(AssertUnwindSafe(|| asked(&arguments))))
}

/// Does what was asked for. Returns the exit code.
fn asked(arguments: &Arguments) -> u8 {
    let cancel = Arc::new(AtomicBool::new(false));
    handle_ctrl_c(&cancel);
    match &arguments.command {
        Some(Command::Diff(choice)) => return diff::diff(arguments, choice, &cancel),
        Some(Command::Report(choice)) => return report::report(arguments, choice),
        Some(Command::Completions { shell }) => {
            say(&shells::completions(*shell));
            return 0;
        }
        Some(Command::Man { of }) => {
            return match shells::man(of.as_deref()) {
                Ok(page) => {
                    say(&page);
                    0
                }
                Err(failure) => complain(&failure),
            };
        }
        _ => {}
    }
    if let Some(Command::Mutants(choice)) = &arguments.command
        && let Some(MutantsCommand::Merge { records }) = &choice.command
    {
        let code = mutants::merge(arguments, records, choice.fail_under);
        return code.unwrap_or_else(|failure| complain(&failure));
    }
    match Packages::of(arguments) {
        Ok(packages) => each(arguments, &packages, &cancel),
        // Cargo was asked about the package, and Ctrl-C was for it too.
        Err(_) if cancel.load(Ordering::Relaxed) => exit::INTERRUPTED,
        Err(failure) => complain(&failure),
    }
}

/// The first Ctrl-C asks the command to come to an end; the second means it.
fn handle_ctrl_c(cancel: &Arc<AtomicBool>) {
    let cancel = Arc::clone(cancel);
    let handler = move || {
        if cancel.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(exit::INTERRUPTED));
        }
        eprintln!(
            "\nInterrupted: coming to an end; Ctrl-C again ends it at once, with nothing kept"
        );
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        eprintln!("warning: Ctrl-C will end the run at once, nothing kept: {error}");
    }
}

/// One package after another; one that fails does not stop the others. Returns the worst code.
fn each(arguments: &Arguments, packages: &Packages, cancel: &Arc<AtomicBool>) -> u8 {
    let mut worst = 0;
    let mut rows = Vec::new();
    for package in &packages.list {
        if cancel.load(Ordering::Relaxed) {
            worst = exit::worse(worst, exit::INTERRUPTED);
            rows.push(Row::failed(&package.name, exit::INTERRUPTED, "not begun"));
            continue;
        }
        bug::about(package);
        let mut progress = Progress::new(arguments.quiet);
        let result = command(&mut Job {
            arguments,
            packages,
            package,
            progress: &mut progress,
            cancel,
        });
        progress.finish();
        let row = result.unwrap_or_else(|failure| {
            complain(&failure);
            Row::failed(&package.name, failure.code, &failure.message)
        });
        worst = exit::worse(worst, row.code);
        rows.push(row);
    }
    if packages.several {
        say(&summary::table(&rows, &packages.without_library));
    }
    worst
}

/// Prints what the user asked for. Whoever closes the pipe early has read enough.
fn say(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let result = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    if let Err(error) = result
        && error.kind() != ErrorKind::BrokenPipe
    {
        eprintln!("warning: cannot print the summary: {error}");
    }
}

fn complain(failure: &Failure) -> u8 {
    eprintln!("error: {}", failure.message);
    if let Some(advice) = &failure.advice {
        eprintln!("\nhelp: {advice}");
    }
    if failure.code == exit::INTERNAL {
        eprintln!(
            "{}",
            bug::leave(&failure.message, &Backtrace::force_capture())
        );
    }
    failure.code
}

/// What was asked for, on one package.
struct Job<'j> {
    arguments: &'j Arguments,
    packages: &'j Packages,
    package: &'j Package,
    progress: &'j mut Progress,
    cancel: &'j Arc<AtomicBool>,
}

impl Job<'_> {
    /// Does the work, and says what came of it: to the user in words, and in a record if there is to
    /// be one.
    fn done<R: serde::Serialize>(
        &mut self,
        work: impl FnOnce(&Config, &mut Watch<'_>) -> Result<Outcome<R>, CommandError>,
        text: impl FnOnce(&Job<'_>, &Config, &R) -> String,
    ) -> Result<R, Failure> {
        let json = self.packages.json(self.arguments, self.package);
        check_json(json.as_deref())?;
        let config = self.packages.config(self.arguments, self.package)?;
        #[cfg(debug_assertions)]
        if bug::provoked().as_deref() == Some("error") {
            return Err(CommandError::from(testsmith_harness::GuestError::Gone).into());
        }
        let mut events = |event| self.progress.show(event);
        let report = match work(&config, &mut Watch::new(&mut events, self.cancel))? {
            Outcome::Done(report) => report,
            Outcome::Interrupted(stage) => return Err(Failure::interrupted(stage)),
        };
        self.progress.finish();
        let mut text = text(self, &config, &report);
        let space = match self.arguments.command {
            Some(Command::States(_)) => "         ",
            _ => "    ",
        };
        match kept::keep(self.package, self.arguments.command.as_ref(), &report) {
            Some(Ok(page)) => text.push_str(&format!("  report{space}{}\n", kept::shown(&page))),
            // It can be made again; what was asked for was done.
            Some(Err(failure)) => eprintln!("warning: no report: {}", failure.message),
            None => {}
        }
        say(&text);
        write_json(json.as_deref(), &report)?;
        Ok(report)
    }
}

fn command(job: &mut Job<'_>) -> Result<Row, Failure> {
    let is_verbose = job.arguments.verbose;
    Ok(match &job.arguments.command {
        None => {
            let report = job.done(commands::run, |job, config, report| {
                let context = Context {
                    verbose: is_verbose,
                    dry_run: config.writing.dry_run,
                    cargo_test: cargo_test(job, config),
                };
                summary::run(report, &context)
            })?;
            // Whoever pressed Ctrl-C after the exploring got a whole suite, but did ask for an end.
            Row::of(&report, job.cancel.load(Ordering::Relaxed))
        }
        Some(Command::Api { check }) => Row::of_api(&job.done(
            |config, watch| commands::api(&config.equipping, *check, watch),
            |_, _, report| summary::api(report, is_verbose),
        )?),
        Some(Command::Mutants(choice)) => {
            let analysis = choice.analysis(mutants::diff(choice.diff())?);
            let report = job.done(
                |config, watch| commands::mutants(config, &analysis, watch),
                |_, _, report| {
                    let telling = mutants::Telling {
                        is_list: analysis.list,
                        verbose: is_verbose,
                        survivors: analysis.choice.survivors,
                    };
                    mutants::text(report, telling)
                },
            )?;
            if !job.packages.several {
                mutants::check_files(&analysis.choice, &report)?;
            }
            mutants::row(&report, choice.fail_under)
        }
        Some(Command::Record) => recording::row(&job.done(
            |config, watch| commands::record(&config.equipping, watch),
            |_, _, report| recording::text(report),
        )?),
        Some(Command::Minimize(choice)) => minimize::row(&job.done(
            |config, watch| commands::minimize(config, choice.minimizing(), watch),
            |_, _, report| minimize::text(report, is_verbose),
        )?),
        Some(Command::Compare(choice)) => Row::of_comparison(&job.done(
            |config, watch| commands::compare(config, &choice.comparison(), watch),
            |_, _, report| comparison::table(report),
        )?),
        Some(Command::Redundancy) => {
            redundancy::row(&job.done(commands::redundancy, |_, _, report| {
                redundancy::text(report)
            })?)
        }
        Some(Command::States(choice)) => {
            let picture = choice.picture();
            for path in [&picture.svg, &picture.dot].into_iter().flatten() {
                check_place(path).map_err(|problem| write_failure("picture", path, problem))?;
            }
            states::row(&job.done(
                |config, watch| commands::states(config, &picture, watch),
                |_, _, report| states::text(report, is_verbose),
            )?)
        }
        Some(Command::Augment(_)) => {
            let report = job.done(commands::augment, |job, config, report| {
                let context = Context {
                    verbose: is_verbose,
                    dry_run: config.writing.dry_run,
                    cargo_test: cargo_test(job, config),
                };
                format!(
                    "{}{}",
                    summary::run(&report.report, &context),
                    summary::augmented(report)
                )
            })?;
            Row::of(&report.report, job.cancel.load(Ordering::Relaxed))
        }
        Some(
            Command::Diff(_)
            | Command::Report(_)
            | Command::Completions { .. }
            | Command::Man { .. },
        ) => unreachable!("they are not about building packages, and done by now"),
    })
}

/// The command that runs the tests of this package from where we are.
fn cargo_test(job: &Job<'_>, config: &Config) -> String {
    let Job {
        arguments,
        packages,
        package,
        ..
    } = job;
    let mut command = "cargo test".to_owned();
    if let Some(path) = &arguments.manifest_path {
        command.push_str(&format!(" --manifest-path {}", path.display()));
    }
    if packages.several || !arguments.package.is_empty() {
        command.push_str(&format!(" -p {}", package.name));
    }
    for flag in config.equipping.package.features.flags() {
        command.push_str(&format!(" {flag}"));
    }
    command
}

/// A record that cannot be written should be known before a minute of exploring.
fn check_json(path: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = path else {
        return Ok(());
    };
    check_place(path).map_err(|problem| json_failure(path, problem))
}

/// Can a file stand there?
fn check_place(path: &Path) -> Result<(), &'static str> {
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    match (path.is_dir(), dir.is_dir()) {
        (true, _) => Err("it is a directory"),
        (false, false) => Err("its directory does not exist"),
        (false, true) => Ok(()),
    }
}

fn write_json(path: Option<&Path>, record: &impl serde::Serialize) -> Result<(), Failure> {
    let Some(path) = path else {
        return Ok(());
    };
    let text = serde_json::to_string_pretty(record).expect("a record of plain fields is JSON");
    std::fs::write(path, text + "\n").map_err(|error| json_failure(path, &error.to_string()))
}

fn json_failure(path: &Path, problem: &str) -> Failure {
    write_failure("record", path, problem)
}

fn write_failure(what: &str, path: &Path, problem: &str) -> Failure {
    Failure {
        message: format!("cannot write the {what} to {}: {problem}", path.display()),
        advice: Some("name a file in a directory that exists, is writable and has room".to_owned()),
        code: exit::WRITE,
    }
}
