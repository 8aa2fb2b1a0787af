//! A running guest: batches go in, executions come back in order.

#![expect(
    clippy::disallowed_methods,
    reason = "the guest is a process with a directory of its own"
)]

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use testsmith_project::{Inmate, Sandbox, end_group, forget_written, takes_too_much};
use testsmith_protocol::{Batch, Execution, Hello, Reader, VERSION, WireError};

/// Why a guest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GuestError {
    /// It could not be started.
    #[error("cannot start the guest: {0}")]
    Start(#[source] std::io::Error),
    /// It never came to the point where it waits for batches. What runs before that is code of the crate's.
    #[error("the process that is to call the crate's code did not begin: {0}")]
    NotBegun(NotBegun),
    /// The guest ended.
    #[error("the process that calls the crate's code is gone")]
    Gone,
    /// It did not answer in time.
    #[error("the process that calls the crate's code did not answer within {0:?}")]
    Silent(Duration),
    /// The guest's answer makes no sense.
    #[error("what the process that calls the crate's code says makes no sense: {0}")]
    Garbled(WireError),
}

/// What a guest did instead of greeting.
#[derive(Debug, thiserror::Error)]
pub enum NotBegun {
    /// It was over.
    #[error("it ended ({0})")]
    Ended(ExitStatus),
    /// It closed its pipes, or was ended from outside.
    #[error("it was ended from outside, or closed what it speaks through")]
    Killed,
    /// It said nothing for so long.
    #[error("it said nothing within {0:?}")]
    Silent(Duration),
    /// It said something else.
    #[error("what it said makes no sense ({0})")]
    Garbled(WireError),
    /// It knows other functions than those that it was built with.
    #[error("it did not greet for what it was built of")]
    Another,
    /// It greeted as another version of the guest would. All guests are of this one.
    #[error("it spoke protocol {found}, and not {ours}")]
    Version {
        /// Its version.
        found: u32,
        /// Ours.
        ours: u32,
    },
}

type Answer = Result<Vec<Execution>, GuestError>;

/// One guest process, with a thread that talks to it so that host and guest overlap.
pub struct Guest {
    child: Child,
    to_guest: Option<Sender<Arc<Batch>>>,
    from_guest: Receiver<Answer>,
    talker: Option<JoinHandle<()>>,
    /// Where its programs may write, and when anybody last saw how much that is.
    dir: PathBuf,
    measured: Instant,
    is_confined: bool,
    /// The guest's first message.
    pub hello: Hello,
}

impl Guest {
    /// Starts a guest behind walls, in a directory that it may write to.
    pub fn start(binary: &Path, dir: &Path, sandbox: &Sandbox) -> Result<Guest, GuestError> {
        std::fs::create_dir_all(dir).map_err(GuestError::Start)?;
        let mut command = command(binary, dir, sandbox);
        let mut child = command.spawn().map_err(GuestError::Start)?;
        let (Some(mut stdin), Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(GuestError::Gone);
        };
        let (to_guest, batches) = channel::<Arc<Batch>>();
        let (greetings, greeting) = channel();
        let (answers, from_guest) = channel();
        let talker = std::thread::spawn(move || {
            let bytes = receive(&mut stdout, MAX_GREETING);
            let hello = bytes.and_then(|it| Hello::decode(&it).map_err(GuestError::Garbled));
            if greetings.send(hello).is_err() {
                return;
            }
            for batch in batches {
                let answer = talk(&mut stdin, &mut stdout, &batch);
                let is_over = answer.is_err();
                if answers.send(answer).is_err() || is_over {
                    return;
                }
            }
        });
        // The crate may have code that runs before anything of ours does, and never ends.
        let start = Instant::now();
        let greeted = loop {
            match greeting.recv_timeout(MEASURE_EVERY) {
                Err(RecvTimeoutError::Timeout) if is_worth_waiting(start, PATIENCE) => {}
                greeted => break greeted,
            }
        };
        let not_begun = match greeted {
            Ok(Ok(hello)) if hello.version == VERSION => {
                return Ok(Guest {
                    child,
                    to_guest: Some(to_guest),
                    from_guest,
                    talker: Some(talker),
                    dir: dir.to_owned(),
                    measured: Instant::now(),
                    is_confined: sandbox.is_on(),
                    hello,
                });
            }
            Ok(Ok(hello)) => Some(NotBegun::Version {
                found: hello.version,
                ours: VERSION,
            }),
            Ok(Err(GuestError::Garbled(error))) => Some(NotBegun::Garbled(error)),
            Err(RecvTimeoutError::Timeout) => Some(NotBegun::Silent(start.elapsed())),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => None,
        };
        drop(to_guest);
        end_group(&mut child);
        let status = child.wait();
        let _ = talker.join();
        Err(match (not_begun, status) {
            (Some(not_begun), _) => GuestError::NotBegun(not_begun),
            // Its pipes close a moment before it has ended, and an end is not undone by another.
            (None, Ok(status)) if status.signal() != Some(KILLED) => {
                GuestError::NotBegun(NotBegun::Ended(status))
            }
            (None, _) => GuestError::NotBegun(NotBegun::Killed),
        })
    }

    /// Hands over a batch and returns at once.
    pub fn submit(&mut self, batch: Arc<Batch>) {
        if let Some(to_guest) = &self.to_guest {
            // A guest that is gone shows when its answer is collected.
            let _ = to_guest.send(batch);
        }
    }

    /// Waits for the oldest batch that was submitted and not collected. A guest that writes more files than it
    /// may is ended, like one that says nothing.
    pub fn collect(&mut self, patience: Duration) -> Answer {
        let start = Instant::now();
        loop {
            let answer = self.from_guest.recv_timeout(MEASURE_EVERY.min(patience));
            if self.measured.elapsed() > MEASURE_EVERY {
                self.measured = Instant::now();
                if takes_too_much(&self.dir) {
                    end_group(&mut self.child);
                    forget_written(&self.dir);
                    return Err(GuestError::Silent(start.elapsed()));
                }
            }
            match answer {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) if is_worth_waiting(start, patience) => {}
                Err(RecvTimeoutError::Timeout) => return Err(GuestError::Silent(patience)),
                Err(RecvTimeoutError::Disconnected) => return Err(GuestError::Gone),
            }
        }
    }
}

/// How a guest is started.
fn command(binary: &Path, dir: &Path, sandbox: &Sandbox) -> Command {
    let flag = |is_set: bool| if is_set { "1" } else { "0" };
    let mut command = Command::new(binary);
    command
        .current_dir(dir)
        .env_clear()
        // Instrumented code would leave a profile behind when it ends.
        .env("LLVM_PROFILE_FILE", "/dev/null")
        .env("TMPDIR", dir)
        .env("TESTSMITH_WATCHED", flag(sandbox.is_on()))
        .env("TESTSMITH_GUARDED", flag(sandbox.guards_files()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    // In a group of its own, so that testsmith handles Ctrl-C at the terminal.
    command.process_group(0);
    sandbox.confine(&mut command, Inmate::Guest);
    command
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.to_guest = None;
        // The guest asks its kernel to end its children with it. What got out of that is in its group still,
        // which nothing behind walls can leave.
        end_group(&mut self.child);
        let _ = self.child.wait();
        if self.is_confined {
            forget_written(&self.dir);
        }
        if let Some(talker) = self.talker.take() {
            let _ = talker.join();
        }
    }
}

fn talk(stdin: &mut ChildStdin, stdout: &mut ChildStdout, batch: &Batch) -> Answer {
    let message = batch.encode();
    stdin
        .write_all(&(message.len() as u32).to_le_bytes())
        .and_then(|()| stdin.write_all(&message))
        .map_err(|_| GuestError::Gone)?;
    let answer = receive(stdout, MAX_ANSWER)?;
    let mut reader = Reader::new(&answer);
    let mut executions = Vec::with_capacity(batch.programs.len());
    while !reader.is_empty() {
        let bytes = reader.bytes().map_err(GuestError::Garbled)?;
        executions.push(Execution::decode(bytes).map_err(GuestError::Garbled)?);
    }
    let n_programs = batch.programs.len();
    let is_whole = executions.len() == n_programs;
    let may_stop = batch.stops && (1..n_programs).contains(&executions.len());
    if !is_whole && !may_stop {
        return Err(GuestError::Garbled(WireError::Short));
    }
    Ok(executions)
}

/// The most bytes of an answer. A program says at most what fits into the page that it shares with its guest,
/// and few say more than some thousand bytes.
const MAX_ANSWER: usize = 256 << 20;

static IS_ENDING: AtomicBool = AtomicBool::new(false);
/// How long to wait for a guest then.
const SOON: Duration = Duration::from_secs(10);

/// From here on nobody waits long for a guest.
pub fn end_soon() {
    IS_ENDING.store(true, Ordering::Relaxed);
}

/// Is the user waiting for an end?
pub fn is_ending() -> bool {
    IS_ENDING.load(Ordering::Relaxed)
}

fn is_worth_waiting(start: Instant, patience: Duration) -> bool {
    let patience = match is_ending() {
        true => patience.min(SOON),
        false => patience,
    };
    start.elapsed() < patience
}

/// The signal that we end guests with.
const KILLED: i32 = 9;
/// How often to see how much a guest has written.
const MEASURE_EVERY: Duration = Duration::from_secs(1);
/// The most bytes of a greeting: some for each type.
const MAX_GREETING: usize = 16 << 20;
/// How long a guest may take to greet. It only has to begin, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(180);

fn receive(stdout: &mut ChildStdout, most: usize) -> Result<Vec<u8>, GuestError> {
    let mut length = [0; 4];
    stdout
        .read_exact(&mut length)
        .map_err(|_| GuestError::Gone)?;
    let n_bytes = u32::from_le_bytes(length) as usize;
    if n_bytes > most {
        return Err(GuestError::Garbled(WireError::Long));
    }
    let mut message = vec![0; n_bytes];
    stdout
        .read_exact(&mut message)
        .map_err(|_| GuestError::Gone)?;
    Ok(message)
}
