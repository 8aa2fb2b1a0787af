//! The command: arguments, exit codes, live progress. The only crate that prints.

mod arguments;
mod comparison;
mod exit;
mod mutants;
mod packages;
mod progress;
mod recording;
mod settings;
mod summary;

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use testsmith_pipeline as pipeline;
use testsmith_project::Package;

use crate::arguments::{Arguments, Command};
use crate::exit::Failure;
use crate::packages::Packages;
use crate::progress::Progress;
use crate::summary::{Context, Row};

fn main() -> ExitCode {
    // Cargo calls us in rustc's place while the harness is built.
    if let Ok(krates) = std::env::var(testsmith_harness::WRAPPER_VARIABLE) {
        let arguments: Vec<_> = std::env::args_os().skip(1).collect();
        let code = testsmith_harness::wrap(&arguments, &krates);
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    let arguments = Arguments::from_command_line();
    let cancel = Arc::new(AtomicBool::new(false));
    handle_ctrl_c(&cancel);
    let code = match Packages::of(&arguments) {
        Ok(packages) => each(&arguments, &packages, &cancel),
        // Cargo was asked about the package, and Ctrl-C was for it too.
        Err(_) if cancel.load(Ordering::Relaxed) => exit::INTERRUPTED,
        Err(failure) => complain(&failure),
    };
    ExitCode::from(code)
}

/// The first Ctrl-C asks the pipeline to come to an end; the second means it.
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
        let mut progress = Progress::new(arguments.quiet);
        let result = match &arguments.command {
            Some(Command::Api { check }) => {
                api(arguments, packages, package, *check, &mut progress, cancel)
            }
            Some(Command::Mutants(choice)) => {
                let asked = choice.verification();
                mutants(arguments, packages, package, asked, &mut progress, cancel)
            }
            Some(Command::Record) => record(arguments, packages, package, &mut progress, cancel),
            Some(Command::Compare(choice)) => {
                let comparison = &choice.comparison();
                compare(
                    arguments,
                    packages,
                    package,
                    comparison,
                    &mut progress,
                    cancel,
                )
            }
            None => run(arguments, packages, package, &mut progress, cancel),
        };
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
    failure.code
}

fn run(
    arguments: &Arguments,
    packages: &Packages,
    package: &Package,
    progress: &mut Progress,
    cancel: &Arc<AtomicBool>,
) -> Result<Row, Failure> {
    let json = packages.json(arguments, package);
    check_json(json.as_deref())?;
    let config = packages.config(arguments, package)?;
    let report = pipeline::run(&config, &mut |event| progress.show(event), cancel)?;
    progress.finish();
    let context = Context {
        verbose: arguments.verbose,
        dry_run: config.dry_run,
        cargo_test: cargo_test(arguments, packages, package, &config),
    };
    say(&summary::run(&report, &context));
    write_json(json.as_deref(), &report)?;
    // Whoever pressed Ctrl-C after the exploring got a whole suite, but did ask for an end.
    Ok(Row::of(&report, cancel.load(Ordering::Relaxed)))
}

fn api(
    arguments: &Arguments,
    packages: &Packages,
    package: &Package,
    check: bool,
    progress: &mut Progress,
    cancel: &Arc<AtomicBool>,
) -> Result<Row, Failure> {
    let json = packages.json(arguments, package);
    check_json(json.as_deref())?;
    let config = packages.config(arguments, package)?;
    let report = pipeline::api(&config, check, &mut |event| progress.show(event), cancel)?;
    progress.finish();
    say(&summary::api(&report, arguments.verbose));
    write_json(json.as_deref(), &report)?;
    Ok(Row::of_api(&report))
}

fn mutants(
    arguments: &Arguments,
    packages: &Packages,
    package: &Package,
    asked: pipeline::Verification,
    progress: &mut Progress,
    cancel: &Arc<AtomicBool>,
) -> Result<Row, Failure> {
    let json = packages.json(arguments, package);
    check_json(json.as_deref())?;
    let config = packages.config(arguments, package)?;
    let show = &mut |event| progress.show(event);
    let report = pipeline::mutants(&config, asked, show, cancel)?;
    progress.finish();
    say(&mutants::text(&report, arguments.verbose));
    write_json(json.as_deref(), &report)?;
    Ok(mutants::row(&report))
}

fn record(
    arguments: &Arguments,
    packages: &Packages,
    package: &Package,
    progress: &mut Progress,
    cancel: &Arc<AtomicBool>,
) -> Result<Row, Failure> {
    let json = packages.json(arguments, package);
    check_json(json.as_deref())?;
    let config = packages.config(arguments, package)?;
    let report = pipeline::record(&config, &mut |event| progress.show(event), cancel)?;
    progress.finish();
    say(&recording::text(&report));
    write_json(json.as_deref(), &report)?;
    Ok(recording::row(&report))
}

fn compare(
    arguments: &Arguments,
    packages: &Packages,
    package: &Package,
    comparison: &pipeline::Comparison,
    progress: &mut Progress,
    cancel: &Arc<AtomicBool>,
) -> Result<Row, Failure> {
    let json = packages.json(arguments, package);
    check_json(json.as_deref())?;
    let config = packages.config(arguments, package)?;
    let show = &mut |event| progress.show(event);
    let report = pipeline::compare(&config, comparison, show, cancel)?;
    progress.finish();
    say(&comparison::table(&report));
    write_json(json.as_deref(), &report)?;
    Ok(Row::of_comparison(&report))
}

/// The command that runs the tests of this package from where we are.
fn cargo_test(
    arguments: &Arguments,
    packages: &Packages,
    package: &Package,
    config: &pipeline::Config,
) -> String {
    let mut command = "cargo test".to_owned();
    if let Some(path) = &arguments.manifest_path {
        command.push_str(&format!(" --manifest-path {}", path.display()));
    }
    if packages.several || !arguments.package.is_empty() {
        command.push_str(&format!(" -p {}", package.name));
    }
    for flag in config.features.flags() {
        command.push_str(&format!(" {flag}"));
    }
    command
}

/// A record that cannot be written should be known before a minute of exploring.
fn check_json(path: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = path else {
        return Ok(());
    };
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let problem = match (path.is_dir(), dir.is_dir()) {
        (true, _) => "it is a directory",
        (false, false) => "its directory does not exist",
        (false, true) => return Ok(()),
    };
    Err(json_failure(path, problem))
}

fn write_json(path: Option<&Path>, record: &impl serde::Serialize) -> Result<(), Failure> {
    let Some(path) = path else {
        return Ok(());
    };
    let text = serde_json::to_string_pretty(record).expect("a record of plain fields is JSON");
    std::fs::write(path, text + "\n").map_err(|error| json_failure(path, &error.to_string()))
}

fn json_failure(path: &Path, problem: &str) -> Failure {
    Failure {
        message: format!("cannot write the record to {}: {problem}", path.display()),
        advice: Some("name a file in a directory that exists, is writable and has room".to_owned()),
        code: exit::WRITE,
    }
}
