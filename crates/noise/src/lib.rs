//! Seeded noise for tests of what reads foreign bytes: real samples, changed at random, and what was read
//! tells which of them to change further. Only tests use it.
//!
//! Each test throws some hundred inputs whenever tests are run, the same ones each time. For longer, and
//! others:
//!
//! ```sh
//! TESTSMITH_NOISE_SECONDS=3600 TESTSMITH_NOISE_SEED=1 cargo test --workspace foreign_bytes
//! ```
//!
//! Nothing is instrumented, for that takes another compiler. In its place a reader answers what it made of
//! an input, in a few words; an input with an answer that nobody gave yet is a sample from then on.
//! The number of the input under way stands in a file (`target/noise/NAME`), so that one which ends the
//! process can be made again: [`throw`] says how if it finds the file of a run that did not end.

#![expect(
    clippy::disallowed_methods,
    reason = "it notes which input is under way, and asks the clock how long to go on"
)]

mod change;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use change::{Random, changed};

/// How many inputs are thrown if nobody says for how long.
const INPUTS: u64 = 400;
/// An input that takes a processor for longer keeps a user waiting.
const MAX_TIME: Duration = Duration::from_secs(60);
/// The stack that the command has, too.
const STACK_BYTES: usize = 1 << 30;
/// Samples that are kept beside the real ones. The oldest of them go.
const MAX_KEPT: usize = 512;
/// Larger inputs are not kept: they would grow for ever.
const MAX_KEPT_BYTES: usize = 1 << 16;

/// Throws changed samples at a reader. It answers what it made of the input, in words that do not differ
/// from one input to the next without need; it must not panic, and must end.
///
/// # Panics
/// If the reader does, or if it takes very long.
pub fn throw(name: &str, samples: &[Vec<u8>], read: impl FnMut(&[u8]) -> String + Send) {
    // What reads Rust is recursive, and the command does its work on a stack of this size.
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    std::thread::scope(|scope| {
        let thrown = thread.spawn_scoped(scope, || throw_here(name, samples, read));
        if let Err(panic) = thrown.expect("a thread starts").join() {
            resume_unwind(panic);
        }
    });
}

fn throw_here(name: &str, samples: &[Vec<u8>], mut read: impl FnMut(&[u8]) -> String) {
    let number = |name: &str| Some(std::env::var(name).ok()?.parse().expect("a number"));
    let seed: u64 = number("TESTSMITH_NOISE_SEED").unwrap_or(0);
    let time = number("TESTSMITH_NOISE_SECONDS").map(Duration::from_secs);
    // To make a single input again.
    let only: Option<u64> = number("TESTSMITH_NOISE_ONLY");
    let start = Instant::now();
    let mut notes = Notes::open(name);
    let mut known = BTreeSet::new();
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let mut n = 0;
    let is_over = |n: u64| match time {
        Some(time) => start.elapsed() > time,
        None => n == INPUTS,
    };
    while !is_over(n) {
        let mut random = Random::new(seed ^ n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let input = changed(&mut random, samples, &kept);
        notes.begin(seed, n);
        if only == Some(n) {
            notes.keep(&input);
        }
        let begun = time_on_processor();
        let read = catch_unwind(AssertUnwindSafe(|| read(&input)));
        let answer = match read {
            Ok(answer) if time_on_processor() - begun < MAX_TIME => answer,
            Ok(_) => {
                notes.keep(&input);
                panic!(
                    "{name}: input {n} of seed {seed} took {:?}",
                    time_on_processor() - begun
                );
            }
            Err(panic) => {
                notes.keep(&input);
                eprintln!(
                    "{name}: input {n} of seed {seed}, kept in {}",
                    notes.input.display()
                );
                resume_unwind(panic);
            }
        };
        if known.insert(digest(answer.as_bytes())) && input.len() <= MAX_KEPT_BYTES {
            if kept.len() == MAX_KEPT {
                kept.remove(0);
            }
            kept.push(input);
        }
        n += 1;
    }
    notes.end();
    if time.is_some() {
        println!(
            "{name}: {n} inputs of seed {seed}, {} different answers",
            known.len()
        );
    }
}

/// How long this thread has had a processor: how busy the machine is says nothing of an input.
fn time_on_processor() -> Duration {
    let said = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = said.split(' ').next().and_then(|it| it.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Words of an answer as far as they do not differ with every input: numbers and what is quoted are left out.
pub fn plain(answer: &str) -> String {
    let mut is_quoted = false;
    let plain = answer.chars().filter(|c| {
        is_quoted ^= matches!(c, '`' | '"');
        !is_quoted && !c.is_ascii_digit()
    });
    plain.take(60).collect()
}

/// Files of the repository, as samples.
///
/// # Panics
/// If there are none.
pub fn files(dir: &Path, ending: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|it| it.path())
        .filter(|it| it.to_string_lossy().ends_with(ending))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no {ending} in {}", dir.display());
    let read = |path: &PathBuf| fs::read(path).expect("it can be read");
    paths.iter().map(read).collect()
}

/// Which input is under way, outside of this process.
struct Notes {
    file: File,
    path: PathBuf,
    input: PathBuf,
}

impl Notes {
    fn open(name: &str) -> Notes {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/noise");
        fs::create_dir_all(&dir).expect("the target directory is writable");
        let path = dir.join(name);
        if let Ok(text) = fs::read_to_string(&path) {
            let (seed, n) = text.trim().split_once(' ').unwrap_or_default();
            println!(
                "{name}: an earlier run ended in input {n} of seed {seed}; with TESTSMITH_NOISE_SEED={seed} \
                 TESTSMITH_NOISE_ONLY={n} it is written beside that file"
            );
        }
        Notes {
            file: File::create(&path).expect("the target directory is writable"),
            input: dir.join(format!("{name}.input")),
            path,
        }
    }

    fn begin(&mut self, seed: u64, n: u64) {
        let text = format!("{seed:20} {n:20}\n");
        let _ = self.file.write_all_at(text.as_bytes(), 0);
    }

    fn keep(&self, input: &[u8]) {
        let _ = fs::write(&self.input, input);
    }

    fn end(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
