//! Runs cargo as a child process in a group of its own, so that testsmith handles Ctrl-C at the
//! terminal.

use std::io::Read;
use std::ops::{Deref, DerefMut};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// How often to look whether the child has ended or the user has cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A child process that failed, or could not be started.
#[derive(Debug, thiserror::Error)]
pub enum CargoError {
    /// The process could not be started.
    #[error("cannot start {what}: {source}")]
    Start {
        /// The program.
        what: String,
        /// Why it could not be started.
        source: std::io::Error,
    },
    /// The process ended with an error.
    #[error("{what} failed:\n{output}")]
    Failed {
        /// The program.
        what: String,
        /// What it printed.
        output: String,
    },
    /// The process was ended from outside, or there was too little memory, each time that it was tried.
    #[error("{what} was ended several times, and not by the code that it builds: {why}")]
    Ended {
        /// The program.
        what: String,
        /// What ended it.
        why: String,
    },
    /// The user cancelled while the process ran.
    #[error("{what} was interrupted")]
    Interrupted {
        /// The program.
        what: String,
    },
}

/// A cargo command that ends early when the user cancels.
#[derive(Debug)]
pub struct CargoCommand {
    command: Command,
    cancel: Option<Arc<AtomicBool>>,
}

impl CargoCommand {
    /// With `cancel`, the command is ended as soon as the flag is set; without, it runs to its end.
    pub(crate) fn new(mut command: Command, cancel: Option<Arc<AtomicBool>>) -> CargoCommand {
        command.process_group(0);
        CargoCommand { command, cancel }
    }

    /// Runs the command and gives what it printed as text, however it ended.
    pub fn text(&mut self) -> Result<String, CargoError> {
        let output = self.output("cargo")?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs the command and gives what it printed as text, if it succeeded.
    pub fn checked_text(&mut self) -> Result<String, CargoError> {
        let output = self.output("cargo")?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(CargoError::Failed {
                what: "cargo".to_owned(),
                output: String::from_utf8_lossy(&output.stderr).into_owned(),
            }),
        }
    }

    /// Runs the command and gives what it printed. One that is ended from outside says nothing of the code
    /// that it builds: it is tried again, later and with fewer processes.
    pub fn output(&mut self, what: &str) -> Result<Output, CargoError> {
        for pause in PAUSES {
            let output = self.output_once(what)?;
            if accident(&output).is_none() {
                return Ok(output);
            }
            self.rest(pause, what)?;
            self.command.env("CARGO_BUILD_JOBS", "1");
        }
        let output = self.output_once(what)?;
        match accident(&output) {
            None => Ok(output),
            Some(why) => Err(CargoError::Ended {
                what: what.to_owned(),
                why,
            }),
        }
    }

    /// Waits, unless the user cancels.
    fn rest(&self, pause: Duration, what: &str) -> Result<(), CargoError> {
        let end = Instant::now() + pause;
        while Instant::now() < end {
            self.go_on(what)?;
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }

    /// Fails if the user has cancelled.
    fn go_on(&self, what: &str) -> Result<(), CargoError> {
        let is_cancelled = |cancel: &Arc<AtomicBool>| cancel.load(Ordering::Relaxed);
        match self.cancel.as_ref().is_some_and(is_cancelled) {
            true => Err(CargoError::Interrupted {
                what: what.to_owned(),
            }),
            false => Ok(()),
        }
    }

    fn output_once(&mut self, what: &str) -> Result<Output, CargoError> {
        let failed = |source| CargoError::Start {
            what: what.to_owned(),
            source,
        };
        let mut child = self
            .command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let stdout = read_all(child.stdout.take());
        let stderr = read_all(child.stderr.take());
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                break status;
            }
            if let Err(interrupted) = self.go_on(what) {
                end_group(&mut child);
                return Err(interrupted);
            }
            std::thread::sleep(LOOK_EVERY);
        };
        Ok(Output {
            status,
            stdout: stdout.join().unwrap_or_default(),
            stderr: stderr.join().unwrap_or_default(),
        })
    }
}

impl Deref for CargoCommand {
    type Target = Command;

    fn deref(&self) -> &Command {
        &self.command
    }
}

impl DerefMut for CargoCommand {
    fn deref_mut(&mut self) -> &mut Command {
        &mut self.command
    }
}

/// Reads a pipe in a thread of its own, because a pipe that is full would stop the child.
fn read_all(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read until an error is still worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// How long to wait before a command that was ended is tried again.
#[cfg(not(test))]
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
#[cfg(test)]
const PAUSES: [Duration; 2] = [Duration::from_millis(10); 2];

/// What cargo, rustc, linkers and allocators say if a process is ended from outside, or if the machine has no
/// memory or no processes left. A compiler that aborts by a bug of its own or of a macro is none of these.
const ACCIDENTS: [&str; 9] = [
    "(signal: 9, SIGKILL",
    "(signal: 15, SIGTERM",
    "terminated with signal 9",
    "LLVM ERROR: out of memory",
    "memory allocation of ",
    "Cannot allocate memory (os error 12)",
    "Resource temporarily unavailable (os error 11)",
    "failed to spawn helper thread",
    "Too many open files",
];

/// What ended a command that failed, if it was not the code that it builds.
fn accident(output: &Output) -> Option<String> {
    if output.status.success() {
        return None;
    }
    if let Some(signal) = output.status.signal() {
        return Some(format!("signal {signal}"));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    // Messages of the compiler are JSON on standard output, so code cannot say these words here unless it
    // runs while it is built.
    let mut lines = said.lines();
    let line = lines.find(|line| ACCIDENTS.iter().any(|it| line.contains(it)))?;
    Some(line.trim().chars().take(300).collect())
}

/// Ends cargo and the compilers it started.
fn end_group(child: &mut Child) {
    if let Ok(pid) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(pid), Signal::SIGINT);
    }
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a script that counts its runs in a file, and gives what came of it and how often it ran.
    fn run(name: &str, script: &str) -> (Result<Output, CargoError>, usize) {
        let count = std::env::temp_dir().join(format!("testsmith-{name}-{}", std::process::id()));
        let mut command = Command::new("sh");
        let counted = format!("echo >> \"$0\"; n=$(wc -l < \"$0\"); {script}");
        command.args(["-c", &counted]).arg(&count);
        let output = CargoCommand::new(command, None).output("sh");
        let n_runs = std::fs::read_to_string(&count)
            .expect("it was counted")
            .lines()
            .count();
        std::fs::remove_file(&count).expect("cleanup");
        (output, n_runs)
    }

    #[test]
    fn who_is_ended_from_outside_is_tried_again_and_who_fails_is_not() {
        let (output, n_runs) = run("child-once", "[ $n = 2 ] || kill -9 $$");
        assert!(output.expect("it came to an end").status.success());
        assert_eq!(n_runs, 2);
        let said = "echo 'error: could not compile (exit status: 1)' >&2; exit 101";
        let (output, n_runs) = run("child-fails", said);
        assert_eq!(output.expect("it came to an end").status.code(), Some(101));
        assert_eq!(n_runs, 1);
    }

    #[test]
    fn who_is_ended_each_time_is_no_failure_of_the_code() {
        let said = "echo 'process did not exit (signal: 9, SIGKILL: kill)' >&2; exit 101";
        let (output, n_runs) = run("child-ended", said);
        let error = output.expect_err("it never came to an end").to_string();
        assert!(error.contains("SIGKILL"), "{error}");
        assert_eq!(n_runs, 3);
    }
}
