//! Runs a process, reads its output as it comes, and ends the process in time.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::room::takes_too_much;

/// Gives unused memory back to the system. A new process begins as a copy of this one, and copying
/// a large one takes longer than many a test.
pub fn give_back_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it may be called at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// By itself, with this exit code.
    Code(i32),
    /// By a signal that testsmith did not send.
    Signal(i32),
    /// It took too long, and was ended.
    Late,
    /// The reader of its output had read enough, and it was ended.
    Enough,
    /// The user cancelled, and it was ended.
    Cancelled,
}

/// A line that is longer than this is handed on in pieces.
const MAX_LINE: usize = 1 << 20;
/// How many milliseconds to wait for output before looking at the clock.
const LOOK_EVERY: u16 = 20;

/// What happens to a process's standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Errors {
    /// It is dropped.
    Dropped,
    /// It is read like standard output, in the order in which it was printed.
    AmongLines,
}

/// How often to look at what a process takes of the machine, which no limit of the kernel's bounds.
const MEASURE_EVERY: Duration = Duration::from_millis(200);
/// The most threads. Those of a user are counted together by the kernel, and those of root not at all.
const MAX_THREADS: usize = 2000;

/// Runs a command and hands on what it prints, line by line, until `go_on` says no. If it takes very many
/// threads, or more room in `room` than foreign code may, it is ended by a signal.
pub fn watched(
    command: &mut Command,
    room: Option<&Path>,
    errors: Errors,
    most: Duration,
    cancel: &AtomicBool,
    go_on: &mut dyn FnMut(&str) -> bool,
) -> io::Result<End> {
    let start = Instant::now();
    let (reader, writer) = io::pipe()?;
    let errors = match errors {
        Errors::Dropped => Stdio::null(),
        Errors::AmongLines => writer.try_clone()?.into(),
    };
    let child = command
        .stdin(Stdio::null())
        .stdout(writer)
        .stderr(errors)
        // In a group of its own, so that testsmith handles Ctrl-C at the terminal.
        .process_group(0)
        .spawn();
    // The command would keep its end of the pipe open, and the end of the output would never be
    // seen.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child?;
    let bounds = Bounds { start, most, room };
    let end = follow(&mut child, reader, &bounds, cancel, go_on);
    if !matches!(end, Ok(End::Code(_) | End::Signal(_))) {
        end_group(&mut child);
        let _ = child.wait();
    }
    end
}

/// Ends a process that leads a group of its own, and everything in that group.
pub fn end_group(child: &mut Child) {
    if let Ok(pid) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
    }
    let _ = child.kill();
}

fn follow(
    child: &mut Child,
    reader: PipeReader,
    bounds: &Bounds<'_>,
    cancel: &AtomicBool,
    go_on: &mut dyn FnMut(&str) -> bool,
) -> io::Result<End> {
    let mut pipe = Some(reader);
    let mut line: Vec<u8> = Vec::new();
    let mut buffer = [0; 8192];
    let mut status = None;
    let mut measured = Instant::now();
    let mut waited = Waited::default();
    loop {
        if bounds.are_over(waited.sum()) {
            return Ok(End::Late);
        }
        if cancel.load(Ordering::Relaxed) {
            return Ok(End::Cancelled);
        }
        if measured.elapsed() > MEASURE_EVERY {
            waited.measure(child);
            if is_greedy(child, bounds.room) {
                end_group(child);
                let _ = child.wait();
                return Ok(End::Signal(libc::SIGKILL));
            }
            measured = Instant::now();
        }
        let Some(open) = &mut pipe else {
            // The process has closed its output, so it is about to end.
            match status.map_or_else(|| child.try_wait(), |it| Ok(Some(it)))? {
                Some(status) => return Ok(ended(status)),
                None => std::thread::sleep(Duration::from_micros(200)),
            }
            continue;
        };
        let mut fds = [PollFd::new(open.as_fd(), PollFlags::POLLIN)];
        let wait = if status.is_some() { 0 } else { LOOK_EVERY };
        if poll(&mut fds, PollTimeout::from(wait))? == 0 {
            // A child of the process may keep the pipe open. What the process itself printed has
            // been read by now.
            if let Some(status) = status {
                return Ok(ended(status));
            }
            status = child.try_wait()?;
            continue;
        }
        let n = open.read(&mut buffer)?;
        if n == 0 {
            pipe = None;
            if !line.is_empty() && !go_on(&String::from_utf8_lossy(&line)) {
                return Ok(End::Enough);
            }
            continue;
        }
        for byte in &buffer[..n] {
            if *byte != b'\n' {
                line.push(*byte);
                if line.len() < MAX_LINE {
                    continue;
                }
            }
            if !go_on(&String::from_utf8_lossy(&line)) {
                return Ok(End::Enough);
            }
            line.clear();
        }
    }
}

/// What a process may take.
struct Bounds<'b> {
    start: Instant,
    most: Duration,
    /// The directory that it may write to.
    room: Option<&'b Path>,
}

/// On a busy machine a process may take as many times its time.
const MOST_PATIENCE: u32 = 10;

impl Bounds<'_> {
    /// Has it had its time, not counting that in which it only waited for a processor? How busy the machine is
    /// says nothing of what the process does.
    fn are_over(&self, waited: Duration) -> bool {
        let longest = self.most.saturating_mul(MOST_PATIENCE);
        self.start.elapsed() > (self.most + waited).min(longest)
    }
}

/// How long the threads of a process had work and no processor, each as far as anybody saw.
#[derive(Default)]
struct Waited(BTreeMap<OsString, Duration>);

impl Waited {
    fn measure(&mut self, child: &Child) {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id()));
        for task in tasks.into_iter().flatten().flatten() {
            // Time on a processor, time of waiting for one in nanoseconds, and how often it ran.
            let said = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let waited = said.split(' ').nth(1).and_then(|it| it.parse().ok());
            if let Some(waited) = waited {
                self.0
                    .insert(task.file_name(), Duration::from_nanos(waited));
            }
        }
    }

    fn sum(&self) -> Duration {
        self.0.values().sum()
    }
}

/// Does the process take more of the machine than it may?
fn is_greedy(child: &Child, room: Option<&Path>) -> bool {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let threads = status.lines().find_map(|it| it.strip_prefix("Threads:"));
    let n_threads: usize = threads.and_then(|it| it.trim().parse().ok()).unwrap_or(0);
    n_threads > MAX_THREADS || room.is_some_and(takes_too_much)
}

fn ended(status: std::process::ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Code(code),
        (None, signal) => End::Signal(signal.unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, most: u64, until: &str) -> (End, Vec<String>) {
        run_with(script, Errors::Dropped, most, until)
    }

    fn run_with(script: &str, errors: Errors, most: u64, until: &str) -> (End, Vec<String>) {
        let mut lines = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let go_on = &mut |line: &str| {
            lines.push(line.to_owned());
            line != until
        };
        let most = Duration::from_millis(most);
        let end = watched(
            &mut command,
            None,
            errors,
            most,
            &AtomicBool::new(false),
            go_on,
        );
        (end.expect("sh runs"), lines)
    }

    #[test]
    fn ends_are_told_apart() {
        let (end, lines) = run("echo a; echo b; exit 3", 5000, "");
        assert_eq!((end, lines), (End::Code(3), vec!["a".into(), "b".into()]));
        assert_eq!(run("kill -9 $$", 5000, "").0, End::Signal(9));
        assert_eq!(run("exec sleep 60", 50, "").0, End::Late);
        assert_eq!(run("echo a; exec sleep 60", 5000, "a").0, End::Enough);
        assert_eq!(run("exec >&-; exit 4", 5000, "").0, End::Code(4));
        assert_eq!(run("sleep 60 & exit 5", 5000, "").0, End::Code(5));
    }

    #[test]
    fn what_waits_for_a_processor_has_longer() {
        let bounds = Bounds {
            start: Instant::now() - Duration::from_secs(4),
            most: Duration::from_secs(1),
            room: None,
        };
        assert!(bounds.are_over(Duration::ZERO) && bounds.are_over(Duration::from_secs(2)));
        assert!(!bounds.are_over(Duration::from_secs(5)));
        // A process that sleeps waits for nobody.
        assert_eq!(run("exec sleep 60", 700, "").0, End::Late);
        let long_ago = Instant::now() - Duration::from_secs(11);
        let bounds = Bounds {
            start: long_ago,
            ..bounds
        };
        assert!(bounds.are_over(Duration::from_secs(1000)));
    }

    #[test]
    fn errors_are_read_among_the_other_lines_or_not_at_all() {
        let script = "echo a; echo b >&2; echo c";
        let lines = run_with(script, Errors::AmongLines, 5000, "").1;
        assert_eq!(lines, ["a", "b", "c"]);
        assert_eq!(run(script, 5000, "").1, ["a", "c"]);
    }
}
