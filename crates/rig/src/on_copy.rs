//! Test binaries that were built on a copy: what their tests enter, and which mutants they notice.
//!
//! The binary is somebody else's; nothing is built or listed here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use testsmith_project::{Inmate, ScratchError};
use testsmith_protocol::{
    EXHAUSTED_VARIABLE, FUEL_VARIABLE, MUTANT_VARIABLE, MutantId, REACH_VARIABLE, RegionId,
};

use crate::cell::{Cell, each_of_all};
use crate::error::RigError;
use crate::look::numbers_left;
use crate::patience;
use crate::process::{TestRun, run_with};

/// A process that takes more seconds than this with a mutant has noticed it.
const MAX_SECONDS: u64 = 10;

/// A test of a binary that was built on a copy.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CopiedTest {
    /// The binary.
    pub binary: PathBuf,
    /// The name that the binary gives it.
    pub name: String,
}

/// Tests of one binary that are asked about a mutant together.
pub struct CopiedQuestion<'q> {
    /// The binary.
    pub binary: &'q Path,
    /// Their names.
    pub names: Vec<&'q str>,
    /// The mutant.
    pub mutant: MutantId,
    /// How often they enter regions without it, in all.
    pub turns: u64,
}

/// How often a test enters each region with no mutant active, in a process of its own. A test that
/// does not pass there has no answer.
pub fn entered(
    cells: &[Cell],
    tests: &[CopiedTest],
) -> Result<Vec<Option<BTreeMap<RegionId, u64>>>, RigError> {
    each_of_all(cells, tests, |cell, test| {
        let dir = cell
            .emptied("reach")
            .map_err(|source| unwritable(cell, source))?;
        let shown = dir.display().to_string();
        let variables = [(MUTANT_VARIABLE, "0"), (REACH_VARIABLE, &*shown)];
        let args = ["--exact", "--test-threads=1", &*test.name];
        let (binary, inmate) = (&*test.binary, Inmate::TestBinary);
        let run = run_with(cell, binary, &args, &variables, inmate, MAX_SECONDS)?;
        if !run.complete || !run.passed.contains(&test.name) {
            return Ok(None);
        }
        let (counts, _) = numbers_left(&dir)?;
        Ok(Some(counts))
    })
}

/// The tests of each question that notice its mutant, as far as one process shows: a test that ends
/// it leaves nothing to know of those after it.
pub fn noticing(
    cells: &[Cell],
    questions: &[CopiedQuestion<'_>],
) -> Result<Vec<BTreeSet<String>>, RigError> {
    each_of_all(cells, questions, |cell, question| {
        let mutant = MutantId::number(Some(question.mutant)).to_string();
        let fuel = patience::fuel(question.turns).to_string();
        let variables = [
            (MUTANT_VARIABLE, &*mutant),
            (FUEL_VARIABLE, &*fuel),
            (EXHAUSTED_VARIABLE, "1"),
        ];
        let args = [&["--exact", "--test-threads=1"], &*question.names].concat();
        let (binary, inmate) = (question.binary, Inmate::TestBinary);
        let run = run_with(cell, binary, &args, &variables, inmate, MAX_SECONDS)?;
        Ok(noticed_by(&run, &question.names))
    })
}

/// Which of these tests failed, or ended the process. A binary runs its tests in order of their names.
fn noticed_by(run: &TestRun, names: &[&str]) -> BTreeSet<String> {
    let mut noticed: BTreeSet<String> = run.failed.keys().cloned().collect();
    if !run.complete {
        let mut order = names.to_vec();
        order.sort_unstable();
        let is_open = |it: &&str| !run.passed.contains(*it) && !run.failed.contains_key(*it);
        noticed.extend(order.into_iter().find(is_open).map(str::to_owned));
    }
    noticed
}

fn unwritable(cell: &Cell, source: std::io::Error) -> RigError {
    let path = cell.dir.clone();
    ScratchError::Write { path, source }.into()
}

#[cfg(test)]
mod tests {
    use testsmith_project::End;

    use super::*;

    fn run(complete: bool, passed: &[&str], failed: &[&str]) -> TestRun {
        TestRun {
            complete,
            end: End::Code(101),
            failed: failed
                .iter()
                .map(|it| ((*it).to_owned(), String::new()))
                .collect(),
            passed: passed.iter().map(|it| (*it).to_owned()).collect(),
            text: String::new(),
        }
    }

    #[test]
    fn the_test_that_ends_the_process_is_the_first_that_says_nothing() {
        let names = ["c", "a", "b"];
        let of = |run: &TestRun| Vec::from_iter(noticed_by(run, &names));
        assert_eq!(of(&run(true, &["a", "b"], &["c"])), ["c"]);
        assert_eq!(of(&run(false, &["a"], &[])), ["b"]);
        assert!(of(&run(true, &["a", "b", "c"], &[])).is_empty());
    }
}
