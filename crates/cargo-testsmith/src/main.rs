//! The command: arguments, exit codes, live progress. The only crate that prints.

mod arguments;
mod comparison;
mod exit;
mod progress;
mod summary;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use testsmith_pipeline as pipeline;

use crate::arguments::{Arguments, Command};
use crate::progress::Progress;

fn main() -> ExitCode {
    // Cargo calls us in rustc's place while the harness is built.
    if let Ok(krates) = std::env::var(testsmith_harness::WRAPPER_VARIABLE) {
        let arguments: Vec<_> = std::env::args_os().skip(1).collect();
        let code = testsmith_harness::wrap(&arguments, &krates);
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    let arguments = Arguments::from_command_line();
    let mut progress = Progress::new(arguments.quiet);
    let result = match &arguments.command {
        Some(Command::Api { check }) => api(&arguments, *check, &mut progress),
        Some(Command::Compare {
            seeds,
            calls,
            strategies,
            fault,
        }) => {
            let comparison = pipeline::Comparison {
                strategies: strategies.clone(),
                n_seeds: *seeds,
                calls: *calls,
                fault: fault.clone(),
            };
            compare(&arguments, &comparison, &mut progress)
        }
        None => run(&arguments, &mut progress),
    };
    progress.finish();
    result.unwrap_or_else(|failure| {
        eprintln!("error: {}", failure.message);
        if let Some(advice) = failure.advice {
            eprintln!("\nhelp: {advice}");
        }
        ExitCode::from(failure.code)
    })
}

/// Set by the first Ctrl-C; the second means it.
fn cancel_on_interrupt() -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    let signal = Arc::clone(&cancel);
    let handler = move || {
        if signal.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(exit::INTERRUPTED));
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        eprintln!("warning: Ctrl-C will end the run at once, nothing kept: {error}");
    }
    cancel
}

fn run(arguments: &Arguments, progress: &mut Progress) -> Result<ExitCode, exit::Failure> {
    let cancel = cancel_on_interrupt();
    let report = pipeline::run(
        &arguments.config(),
        &mut |event| progress.show(event),
        &cancel,
    )?;
    progress.finish();
    write_json(arguments, &report)?;
    print!("{}", summary::run(&report));
    Ok(match report.interrupted {
        true => ExitCode::from(exit::INTERRUPTED),
        false => ExitCode::SUCCESS,
    })
}

fn api(
    arguments: &Arguments,
    check: bool,
    progress: &mut Progress,
) -> Result<ExitCode, exit::Failure> {
    let report = pipeline::api(&arguments.config(), check, &mut |event| {
        progress.show(event);
    })?;
    progress.finish();
    write_json(arguments, &report)?;
    print!("{}", summary::api(&report));
    Ok(ExitCode::SUCCESS)
}

fn compare(
    arguments: &Arguments,
    comparison: &pipeline::Comparison,
    progress: &mut Progress,
) -> Result<ExitCode, exit::Failure> {
    let cancel = cancel_on_interrupt();
    let show = &mut |event| progress.show(event);
    let report = pipeline::compare(&arguments.config(), comparison, show, &cancel)?;
    progress.finish();
    write_json(arguments, &report)?;
    print!("{}", comparison::table(&report));
    Ok(match report.interrupted {
        true => ExitCode::from(exit::INTERRUPTED),
        false => ExitCode::SUCCESS,
    })
}

fn write_json(arguments: &Arguments, record: &impl serde::Serialize) -> Result<(), exit::Failure> {
    let Some(path) = &arguments.json else {
        return Ok(());
    };
    let text = serde_json::to_string_pretty(record).expect("a record of plain fields is JSON");
    std::fs::write(path, text + "\n").map_err(|error| exit::Failure {
        message: format!("cannot write {}: {error}", path.display()),
        advice: Some("name a file in a directory that exists and is writable".to_owned()),
        code: exit::WRITE,
    })
}
