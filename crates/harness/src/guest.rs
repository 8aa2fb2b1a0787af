//! A running guest: batches go in, executions come back in order.

#![expect(
    clippy::disallowed_methods,
    reason = "the guest is a process with a directory of its own"
)]

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
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
    /// The guest said nothing, or ended.
    #[error("the guest is gone")]
    Gone,
    /// It did not answer in time.
    #[error("the guest did not answer within {0:?}")]
    Silent(Duration),
    /// The guest speaks another version of the protocol.
    #[error("the guest speaks protocol {found}, we speak {ours}")]
    Version {
        /// Its version.
        found: u32,
        /// Ours.
        ours: u32,
    },
    /// The guest's answer makes no sense.
    #[error("the guest's answer makes no sense: {0}")]
    Garbled(WireError),
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
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        sandbox.confine(&mut command, Inmate::Guest);
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
        let hello = match greeted {
            Ok(Ok(hello)) if hello.version == VERSION => Ok(hello),
            Ok(Ok(hello)) => Err(GuestError::Version {
                found: hello.version,
                ours: VERSION,
            }),
            Ok(Err(error)) => Err(error),
            Err(RecvTimeoutError::Timeout) => Err(GuestError::Silent(PATIENCE)),
            Err(RecvTimeoutError::Disconnected) => Err(GuestError::Gone),
        };
        let hello = match hello {
            Ok(hello) => hello,
            Err(error) => {
                drop(to_guest);
                end_group(&mut child);
                let _ = child.wait();
                let _ = talker.join();
                return Err(error);
            }
        };
        Ok(Guest {
            child,
            to_guest: Some(to_guest),
            from_guest,
            talker: Some(talker),
            dir: dir.to_owned(),
            measured: Instant::now(),
            is_confined: sandbox.is_on(),
            hello,
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

/// Is the user waiting for an end?
static IS_ENDING: AtomicBool = AtomicBool::new(false);
/// How long to wait for a guest then.
const SOON: Duration = Duration::from_secs(10);

/// From here on nobody waits long for a guest.
pub fn end_soon() {
    IS_ENDING.store(true, Ordering::Relaxed);
}

fn is_worth_waiting(start: Instant, patience: Duration) -> bool {
    let patience = match IS_ENDING.load(Ordering::Relaxed) {
        true => patience.min(SOON),
        false => patience,
    };
    start.elapsed() < patience
}

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
