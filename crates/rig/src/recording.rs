//! Records what tests do with the crate: every call from outside, with the state of its arguments,
//! as a rewritten copy writes it down.
//!
//! **A test is a process.** Whose call it is cannot be told by the thread: tests start threads. So
//! `minimize` runs every test in a process of its own, on a copy with all mutants that also writes
//! calls down, and the process says at its end which regions it entered. Mutants are asked of all
//! tests that enter their region in one process, one after another; fuel ends loops that a mutant
//! makes endless, as a panic, so that the others still run. Functions that the compiler may
//! evaluate and `async` ones do not say when they are over, so what they call counts as called from
//! outside, too: that adds calls that follow from others, and takes none away.

#![expect(clippy::disallowed_methods, reason = "it reads what tests wrote down")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use testsmith_project::ScratchError;
use testsmith_protocol::{
    Calls, FUEL_VARIABLE, MutantId, OtherVersion, Piece, RECORD_ONCE_VARIABLE, RECORD_VARIABLE,
    RegionId,
};

use crate::cell::Cell;
use crate::error::RigError;
use crate::left::left_in;
use crate::patience;
use crate::process::TestRun;
use crate::rig::Rig;
use crate::targets::Target;

/// A test that takes longer than this to record is not judged.
const RECORDING: Duration = Duration::from_secs(60);

/// How many calls and turns of loops a test may make.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fuel {
    /// Any number.
    Endless,
    /// As many as with a mutant, because a test that a mutant makes endless should end soon.
    Little,
    /// As many as with a mutant, for tests that need many.
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
    /// Digests of the calls whose arguments are seen whole.
    pub executions: BTreeSet<u64>,
    /// The last of these calls.
    pub last: Option<u64>,
    /// The regions that it entered.
    pub regions: BTreeSet<RegionId>,
    /// The regions of functions that it calls with arguments that cannot be seen whole.
    pub opaque: BTreeSet<RegionId>,
    /// Did the record of calls run out of room?
    pub is_full: bool,
    /// Why the recording is not valid, if it is not.
    pub failed: Option<&'static str>,
}

impl Rig {
    /// Runs a test alone on a copy that writes calls down, and reads them.
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
        let mut command = self.command(&target.binary, &target.dir, None);
        command
            .args(["--exact", test])
            .env(RECORD_VARIABLE, &dir)
            .env(RECORD_ONCE_VARIABLE, "1");
        if let Some(turns) = fuel.turns() {
            command.env(FUEL_VARIABLE, turns);
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
        for (_, bytes) in left_in(&dir).map_err(fail)? {
            recording.add(&bytes).map_err(|_| RigError::OtherVersion)?;
        }
        Ok(recording)
    }

    /// How many seconds a test takes alone if nothing is written down.
    pub fn time(&self, cell: &Cell, target: &Target, test: &str) -> Result<f64, RigError> {
        let mut command = self.command(&target.binary, &target.dir, None);
        command.args(["--exact", test]);
        let start = Instant::now();
        self.process(cell, RECORDING).run(command)?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// Runs tests of one binary with a mutant, and does not stop at the first that fails. `usual`
    /// is the time that they take without a mutant.
    pub fn run_some(
        &self,
        cell: &Cell,
        target: &Target,
        tests: &[&str],
        mutant: Option<MutantId>,
        fuel: Fuel,
        usual: Duration,
    ) -> Result<TestRun, RigError> {
        let mut command = self.command(&target.binary, &target.dir, mutant);
        command
            .args(["--exact", "--test-threads=1"])
            .args(tests)
            .env(FUEL_VARIABLE, fuel.turns().unwrap_or_default());
        let most = patience::with_mutant(usual);
        self.process(cell, most).run(command)
    }
}

impl Recording {
    /// Adds the file that a process wrote.
    fn add(&mut self, bytes: &[u8]) -> Result<(), OtherVersion> {
        for piece in Calls::of(bytes)? {
            match piece {
                Piece::NoRoom => self.is_full = true,
                Piece::Name { .. } => {}
                Piece::Entered(regions) => self.regions.extend(regions),
                Piece::Call {
                    is_whole: true,
                    state,
                    ..
                } => {
                    self.executions.insert(state);
                    self.last = Some(state);
                }
                Piece::Call { region, .. } => drop(self.opaque.insert(region)),
            }
        }
        Ok(())
    }
}

/// A call as the copy wrote it down.
pub struct Call {
    /// The region of the called function.
    pub region: RegionId,
    /// Can its arguments be seen whole?
    pub is_whole: bool,
    /// A digest of the function with its types and arguments.
    pub state: u64,
    /// The arguments. They are written down only with the first call of each kind.
    pub arguments: Vec<u8>,
    /// The test that makes it, if that is known.
    pub test: Option<Rc<str>>,
}

/// All calls that all processes made.
#[derive(Default)]
pub struct AllCalls {
    /// Calls by target, and within a target in the order in which each process made them.
    pub calls: Vec<Call>,
    /// Did the record of calls run out of room?
    pub is_cut: bool,
}

impl AllCalls {
    /// Reads a directory that has a subdirectory for each target, with a file for each process.
    pub fn read(dir: &Path) -> Result<AllCalls, RigError> {
        let fail = |source| ScratchError::Write {
            path: dir.to_path_buf(),
            source,
        };
        let mut all = AllCalls::default();
        for target in fs::read_dir(dir).map_err(fail)? {
            let target = target.map_err(fail)?;
            let name = target.file_name();
            for (_, bytes) in left_in(&target.path()).map_err(fail)? {
                all.add(&name.to_string_lossy(), &bytes)
                    .map_err(|_| RigError::OtherVersion)?;
            }
        }
        Ok(all)
    }

    /// Adds the file that a process of a target wrote.
    fn add(&mut self, target: &str, bytes: &[u8]) -> Result<(), OtherVersion> {
        let mut tests: BTreeMap<u64, Rc<str>> = BTreeMap::new();
        for piece in Calls::of(bytes)? {
            match piece {
                Piece::NoRoom => self.is_cut = true,
                Piece::Entered(_) => {}
                Piece::Name { thread, name } => {
                    let name = String::from_utf8_lossy(name);
                    // A test's name is that of its thread. Threads that a test starts have no name,
                    // and the main thread runs no test.
                    if !name.is_empty() && name != "main" {
                        tests.insert(thread, format!("{target} {name}").into());
                    }
                }
                Piece::Call {
                    region,
                    thread,
                    is_whole,
                    state,
                    arguments,
                } => self.calls.push(Call {
                    region,
                    is_whole,
                    state,
                    arguments: arguments.to_vec(),
                    test: tests.get(&thread).cloned(),
                }),
            }
        }
        Ok(())
    }
}
