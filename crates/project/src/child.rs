//! Runs cargo as a child process in a group of its own, so that testsmith handles Ctrl-C at the
//! terminal.

use std::io::Read;
use std::ops::{Deref, DerefMut};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

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

    /// Runs the command and gives what it printed.
    pub fn output(&mut self, what: &str) -> Result<Output, CargoError> {
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
            let is_cancelled = |cancel: &Arc<AtomicBool>| cancel.load(Ordering::Relaxed);
            if self.cancel.as_ref().is_some_and(is_cancelled) {
                end_group(&mut child);
                return Err(CargoError::Interrupted {
                    what: what.to_owned(),
                });
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

/// Ends cargo and the compilers it started.
fn end_group(child: &mut Child) {
    if let Ok(pid) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(pid), Signal::SIGINT);
    }
    let _ = child.wait();
}
