//! What tests do with the crate: every call from outside, with the state of its arguments, as a
//! rewritten copy writes it down.

#![expect(clippy::disallowed_methods, reason = "it reads what tests wrote down")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use testsmith_project::ScratchError;

use crate::cell::Cell;
use crate::error::RigError;
use crate::patience;
use crate::process::TestRun;
use crate::rig::Rig;
use crate::targets::Target;

/// Stands where there was no more room.
const FULL: u32 = u32::MAX;
/// Stands where the name of a thread follows: that of the test it runs.
const NAME: u32 = u32::MAX - 1;
/// Stands where the regions follow that were entered.
const ENTERED: u32 = u32::MAX - 2;

/// Snapshots that are not whole say so in their first byte.
const NOT_WHOLE: u8 = 3;

/// A test that takes longer to record is not judged.
const RECORDING: Duration = Duration::from_secs(60);

/// How much a test may do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fuel {
    /// What it likes.
    Endless,
    /// As much as with a mutant: what a mutant makes endless should end soon.
    Little,
    /// As much as with a mutant, for tests that need much.
    Much,
}

impl Fuel {
    /// Calls and turns of loops that a thread may make.
    fn turns(self) -> Option<&'static str> {
        match self {
            Fuel::Endless => None,
            Fuel::Little => Some("2000000"),
            Fuel::Much => Some("50000000"),
        }
    }
}

/// What a test did in a process of its own.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Recording {
    /// Digests of calls that are seen whole.
    pub executions: BTreeSet<u64>,
    /// The last of them.
    pub last: Option<u64>,
    /// What it entered.
    pub regions: BTreeSet<u32>,
    /// Functions that it calls with arguments that cannot be seen whole, by their regions.
    pub opaque: BTreeSet<u32>,
    /// Was there no room for more?
    pub is_full: bool,
    /// Why it is not as it should be.
    pub failed: Option<&'static str>,
}

impl Rig {
    /// What a test does, alone, on a copy that writes calls down.
    pub fn record(
        &self,
        cell: &Cell,
        target: &Target,
        test: &str,
        fuel: Fuel,
    ) -> Result<Recording, RigError> {
        let dir = cell.dir.join("calls");
        let fail = |source| ScratchError::Write {
            path: dir.clone(),
            source,
        };
        cell.emptied("calls").map_err(fail)?;
        let mut command = self.command(&target.binary, &target.dir, 0);
        command
            .args(["--exact", test])
            .env("TESTSMITH_RECORD", &dir)
            .env("TESTSMITH_RECORD_ONCE", "1");
        if let Some(turns) = fuel.turns() {
            command.env("TESTSMITH_FUEL", turns);
        }
        let run = self.process(cell, RECORDING).run(command)?;
        let mut recording = Recording {
            failed: match (run.is_cut(), run.failed.is_empty()) {
                (true, _) => Some("dies, or takes too long, on the copy"),
                (false, false) => Some("fails on the copy, or behind the walls"),
                (false, true) if !run.text.contains("test result: ok. 1 passed") => {
                    Some("has no result on the copy")
                }
                (false, true) => None,
            },
            ..Recording::default()
        };
        for entry in fs::read_dir(&dir).map_err(fail)? {
            recording.add(&fs::read(entry.map_err(fail)?.path()).map_err(fail)?);
        }
        Ok(recording)
    }

    /// How long a test takes alone if nothing is written down.
    pub fn time(&self, cell: &Cell, target: &Target, test: &str) -> Result<f64, RigError> {
        let mut command = self.command(&target.binary, &target.dir, 0);
        command.args(["--exact", test]);
        let start = Instant::now();
        self.process(cell, RECORDING).run(command)?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// Runs tests of one binary with a mutant, all of them to their ends. They take so long without.
    pub fn run_some(
        &self,
        cell: &Cell,
        target: &Target,
        tests: &[&str],
        mutant: u32,
        fuel: Fuel,
        usual: Duration,
    ) -> Result<TestRun, RigError> {
        let mut command = self.command(&target.binary, &target.dir, mutant);
        command
            .args(["--exact", "--test-threads=1"])
            .args(tests)
            .env("TESTSMITH_FUEL", fuel.turns().unwrap_or_default());
        let most = patience::with_mutant(usual);
        self.process(cell, most).run(command)
    }
}

impl Recording {
    /// Adds what a process wrote.
    fn add(&mut self, bytes: &[u8]) {
        let (calls, entered) = read_one(bytes);
        for call in calls {
            self.is_full |= call.region == FULL;
            match call.is_whole {
                true => {
                    self.executions.insert(call.state);
                    self.last = Some(call.state);
                }
                false if call.region == FULL => {}
                false => drop(self.opaque.insert(call.region)),
            }
        }
        self.regions.extend(entered.unwrap_or_default());
    }
}

/// A call as the copy wrote it down.
pub struct Call {
    /// Of the function.
    pub region: u32,
    thread: u64,
    /// Can its arguments be seen whole?
    pub is_whole: bool,
    /// A digest of the function with its types and arguments.
    pub state: u64,
    /// The arguments, where they are written down: with the first call of each kind.
    pub arguments: Vec<u8>,
    /// The test that makes it, if that is known.
    pub test: Option<Rc<str>>,
}

/// All calls that were written down, and whether there was no room for more.
pub fn calls(dir: &Path) -> Result<(Vec<Call>, bool), RigError> {
    let calls = read(dir).map_err(|source| ScratchError::Write {
        path: dir.to_path_buf(),
        source,
    })?;
    let is_cut = calls.iter().any(|call| call.region == FULL);
    Ok((calls, is_cut))
}

/// All calls of all processes: a directory for each target, a file for each process.
fn read(dir: &Path) -> std::io::Result<Vec<Call>> {
    let mut calls = Vec::new();
    for target in fs::read_dir(dir)? {
        let target = target?;
        for entry in fs::read_dir(target.path())? {
            let bytes = fs::read(entry?.path())?;
            read_process(&target.file_name().to_string_lossy(), &bytes, &mut calls);
        }
    }
    Ok(calls)
}

/// What one process wrote: its calls, and the regions that it entered, if it lived to say so.
fn read_one(bytes: &[u8]) -> (Vec<Call>, Option<BTreeSet<u32>>) {
    let (mut rest, mut calls, mut entered) = (bytes, Vec::new(), None);
    while let Some((call, text, after)) = next(rest) {
        rest = after;
        match call.region {
            NAME => {}
            ENTERED => {
                let (regions, _) = text.as_chunks::<4>();
                entered = Some(regions.iter().map(|it| u32::from_le_bytes(*it)).collect());
            }
            _ => calls.push(call),
        }
    }
    (calls, entered)
}

fn read_process(target: &str, bytes: &[u8], calls: &mut Vec<Call>) {
    let mut rest = bytes;
    let mut tests: BTreeMap<u64, Rc<str>> = BTreeMap::new();
    // What a process that died did not write whole is left out.
    while let Some((mut call, text, after)) = next(rest) {
        rest = after;
        if call.region == ENTERED {
            continue;
        }
        if call.region == NAME {
            let name = String::from_utf8_lossy(text);
            // Threads that a test starts have no name, and the first is nobody's.
            if !name.is_empty() && name != "main" {
                tests.insert(call.thread, format!("{target} {name}").into());
            }
            continue;
        }
        call.test = tests.get(&call.thread).cloned();
        call.arguments = text.to_vec();
        calls.push(call);
    }
}

/// The first call: the region, the thread, flags, a digest of the state, and the state itself where
/// it is new. What is left comes last.
fn next(bytes: &[u8]) -> Option<(Call, &[u8], &[u8])> {
    let (region, rest) = bytes.split_first_chunk::<4>()?;
    let (thread, rest) = rest.split_first_chunk::<8>()?;
    let (flags, rest) = rest.split_first()?;
    let (state, rest) = rest.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let call = Call {
        region: u32::from_le_bytes(*region),
        thread: u64::from_le_bytes(*thread),
        is_whole: flags & NOT_WHOLE == 0,
        state: u64::from_le_bytes(*state),
        arguments: Vec::new(),
        test: None,
    };
    Some((call, text, rest))
}
