//! The command: arguments, exit codes, live progress. The only crate that prints.

#![expect(
    clippy::disallowed_methods,
    reason = "the second Ctrl-C ends the process at once"
)]

mod arguments;
mod bug;
mod cli;
mod commands;
mod exit;
mod flags;
mod job;
mod kept;
mod output;
mod packages;
mod progress;
mod row;
mod settings;
mod terminal;

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::arguments::Arguments;

fn main() -> ExitCode {
    if let Some(code) = in_place_of_another() {
        return ExitCode::from(code);
    }
    let arguments = Arguments::from_command_line();
    // A write beyond the limit of file sizes is to fail like one to a full disk, and not to end us.
    testsmith_project::ignore_file_size_signal();
    ExitCode::from(on_large_stack(|| {
        bug::watch(AssertUnwindSafe(|| {
            let cancel = Arc::new(AtomicBool::new(false));
            handle_ctrl_c(&cancel);
            cli::answer(&arguments, &cancel)
        }))
    }))
}

/// Foreign source is parsed recursively, and may be nested as deep as rustc allows it to be, which is without
/// a limit. Memory comes with its first use; where there is no address space for it, the usual stack must do.
const STACK_BYTES: usize = 1 << 30;

/// Does the work on a large stack.
fn on_large_stack(work: impl FnOnce() -> u8 + Send) -> u8 {
    let work = std::sync::Mutex::new(Some(work));
    let run = || {
        let work = work.lock().ok().and_then(|mut it| it.take());
        work.map_or(exit::INTERNAL, |work| work())
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        match thread.name("main".to_owned()).spawn_scoped(scope, run) {
            Ok(thread) => thread.join().unwrap_or(exit::INTERNAL),
            Err(_) => run(),
        }
    })
}

/// Does the work of the program that we are called in place of. Returns its exit code; none if it
/// was a user who called us.
fn in_place_of_another() -> Option<u8> {
    // Nextest calls us to run tests.
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    if let [word, dir, program, arguments @ ..] = words.as_slice()
        && word == testsmith_rig::RUN_WALLED
    {
        return Some(testsmith_rig::run_walled(
            Path::new(dir),
            program,
            arguments,
        ));
    }
    // Rustdoc calls us to run tests of the documentation.
    let words: Vec<_> = std::env::args_os().skip(1).take(3).collect();
    if let [word, dir, executable] = words.as_slice()
        && word == testsmith_harness::KEEP_DOCTEST
    {
        let code = testsmith_harness::keep_doctest(Path::new(executable), Path::new(dir));
        return Some(code);
    }
    // Cargo calls us in rustc's place while the harness is built.
    let krates = std::env::var(testsmith_harness::WRAPPER_VARIABLE).ok()?;
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let code = testsmith_harness::wrap(&arguments, &krates);
    Some(u8::try_from(code).unwrap_or(1))
}

/// The first Ctrl-C asks the command to come to an end; the second ends it.
fn handle_ctrl_c(cancel: &Arc<AtomicBool>) {
    let cancel = Arc::clone(cancel);
    let handler = move || {
        if cancel.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(exit::INTERRUPTED));
        }
        testsmith_harness::end_soon();
        terminal::tell(
            "\nInterrupted: coming to an end; Ctrl-C again ends it at once, with nothing kept",
        );
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        terminal::tell(&format!(
            "warning: Ctrl-C will end the run at once, nothing kept: {error}"
        ));
    }
}
