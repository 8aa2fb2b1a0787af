//! What the user asks of an analysis, and the analyst that asks own tests about mutants.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_harness::{Copied, Instrument, MutantId};
use testsmith_project::{Package, Scratch};
use testsmith_record::{MutantReport, Status};
use testsmith_rig::{Own, Rig};

use crate::ask::reaching;
use crate::judged::{self, Places};
use crate::memory::{Holds, Memory};
use crate::select::Choice;
use crate::verify::Verification;

/// What the user asks of a mutation analysis.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Analysis {
    /// Which mutants are meant.
    pub choice: Choice,
    /// Are the mutants only listed?
    pub list: bool,
    /// Are examples of the documentation left out?
    pub no_docs: bool,
    /// Are the tests of workspace packages that depend on this one asked as well?
    pub dependants: bool,
    /// Are the tests those that nextest lists?
    pub nextest: bool,
    /// Are verdicts of earlier runs forgotten?
    pub fresh: bool,
    /// About how many builds it may take to find survivors that compile to the same code.
    pub equivalents: usize,
    /// How many mutants are really edited in, to verify the copy.
    pub verification: Verification,
    /// The seed by which those mutants are chosen.
    pub seed: u64,
}

/// A mutant as it is reported before any test has been asked.
pub(crate) fn described(
    copied: &Copied,
    id: MutantId,
    places: &BTreeMap<&str, Places<'_>>,
    asked: &Analysis,
) -> MutantReport {
    let known = judged::described(copied, id, places);
    match asked.choice.suppressed_by(copied.mutant(id)) {
        Some(by) if known.status == Status::Pending => MutantReport {
            status: Status::Suppressed,
            reason: Some(by),
            ..known
        },
        _ => known,
    }
}

/// A mutant, the tests that reach it, the cheapest first, and how much of its earlier verdict
/// holds.
pub(crate) struct Reached {
    pub(crate) mutant: MutantId,
    pub(crate) tests: Vec<usize>,
    holds: Holds,
}

impl Reached {
    /// The tests that have to be asked.
    pub(crate) fn asked(&self) -> &[usize] {
        match &self.holds {
            Holds::Whole => &[],
            Holds::But(new) => new,
            Holds::Not => &self.tests,
        }
    }
}

/// Asks own tests about mutants.
pub(crate) struct Analyst<'a> {
    pub(crate) asked: &'a Analysis,
    pub(crate) copied: &'a Copied,
    /// Digests of the crate's functions.
    pub(crate) functions: BTreeMap<String, u64>,
    pub(crate) chosen: Vec<MutantId>,
    pub(crate) rig: &'a Rig,
    pub(crate) package: &'a Package,
    pub(crate) scratch: &'a Scratch,
    pub(crate) instrument: &'a Instrument,
    pub(crate) jobs: usize,
}

impl Analyst<'_> {
    /// The open mutants, each with the tests that reach it.
    pub(crate) fn reached(&self, memory: &Memory, own: &Own) -> Vec<Reached> {
        let reached = |mutant: MutantId| self.reached_one(memory, own, mutant);
        self.open().map(reached).collect()
    }

    fn reached_one(&self, memory: &Memory, own: &Own, mutant: MutantId) -> Reached {
        let tests = reaching(own, self.copied, mutant);
        let holds = memory.holds(self.copied, mutant, &self.functions, own, &tests);
        Reached {
            mutant,
            tests,
            holds,
        }
    }

    /// The mutants that this run does not ask about, with what is known of them.
    pub(crate) fn rest(&self, own: &Own, memory: &Memory) -> Vec<MutantReport> {
        let chosen: BTreeSet<MutantId> = self.chosen.iter().copied().collect();
        let all = (1..=self.copied.mutants.len() as u32).map(MutantId);
        let sources = judged::sources(&self.package.dir, self.copied);
        let places = Places::all(&sources);
        let keys = own.names_by_key();
        let known = |id: MutantId| {
            let mut mutant = described(self.copied, id, &places, self.asked);
            if mutant.status != Status::Pending {
                return mutant;
            }
            let reached = self.reached_one(memory, own, id);
            let names = reached.tests.iter().map(|i| own.tests[*i].name.clone());
            mutant.reached_by = names.collect();
            match reached.tests.is_empty() {
                true => mutant.status = Status::Unreached,
                false if reached.holds == Holds::Whole => memory.tell(&mut mutant, &keys),
                false => {}
            }
            mutant
        };
        all.filter(|id| !chosen.contains(id)).map(known).collect()
    }

    /// The chosen mutants that tests can say something about: those that compile and are not
    /// suppressed.
    pub(crate) fn open(&self) -> impl Iterator<Item = MutantId> {
        self.chosen.iter().copied().filter(|id| {
            let mutant = self.copied.mutant(*id);
            !self.copied.dropped.contains_key(id)
                && self.asked.choice.suppressed_by(mutant).is_none()
        })
    }
}
