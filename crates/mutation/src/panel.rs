//! The tests that are asked about mutants, by their positions.
//!
//! They stand behind a trait, so that conclusions from their answers can be tested without building
//! anything.

use testsmith_harness::MutantId;
use testsmith_rig::{Cell, Looking, Own, OwnTest, Profile, Reaction, Rig};

use crate::error::MutationError;

/// How a process reacted to a mutant, and the name of the test that failed in it or ended it. `None` if
/// the user cancelled.
pub(crate) type Reacted = Option<(Reaction, Option<String>)>;

/// Tests that can be asked about mutants.
pub(crate) trait Panel: Sync {
    /// The place that a test runs in.
    type Cell: Sync;

    /// What a test does with no mutant active.
    fn profile(&self, test: usize) -> &Profile;

    /// Can it be run?
    fn is_built(&self, test: usize) -> bool;

    /// Can these two run in one process?
    fn share_process(&self, one: usize, other: usize) -> bool;

    /// Which of these tests does the binary call by this name?
    fn called(&self, tests: &[usize], name: &str) -> Option<usize>;

    /// Applies `work` to each item, as many at once as there are cells. Answers are in the order of
    /// the items; an item that was not begun when the user cancelled has none.
    fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        progress: &mut dyn FnMut(usize),
        work: impl Fn(&Self::Cell, &T) -> Result<R, MutationError> + Sync,
    ) -> Result<Vec<Option<R>>, MutationError>;

    /// Runs tests in one process with a mutant until one fails.
    fn ask(
        &self,
        cell: &Self::Cell,
        tests: &[usize],
        mutant: MutantId,
    ) -> Result<Reacted, MutationError>;

    /// What a test does alone with a mutant active. `known` is its profile without one.
    fn look(
        &self,
        cell: &Self::Cell,
        test: usize,
        looking: Looking,
        mutant: MutantId,
        known: &Profile,
    ) -> Result<Profile, MutationError>;

    /// What a test does with no mutant active, as far as it is the same each time, with the values
    /// that functions return.
    fn look_unmutated(&self, cell: &Self::Cell, test: usize) -> Result<Profile, MutationError>;
}

/// The package's own tests, really run.
#[derive(Clone, Copy)]
pub(crate) struct OwnPanel<'p> {
    pub(crate) rig: &'p Rig,
    pub(crate) own: &'p Own,
}

impl Panel for OwnPanel<'_> {
    type Cell = Cell;

    fn profile(&self, test: usize) -> &Profile {
        &self.own.profiles[test]
    }

    fn is_built(&self, test: usize) -> bool {
        self.own.tests[test].is_built()
    }

    fn share_process(&self, one: usize, other: usize) -> bool {
        self.own.tests[one].shares_process(&self.own.tests[other])
    }

    fn called(&self, tests: &[usize], name: &str) -> Option<usize> {
        let mut tests = tests.iter().copied();
        tests.find(|i| self.own.tests[*i].is_called(name))
    }

    fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        progress: &mut dyn FnMut(usize),
        work: impl Fn(&Cell, &T) -> Result<R, MutationError> + Sync,
    ) -> Result<Vec<Option<R>>, MutationError> {
        self.rig.each(items, progress, work)
    }

    fn ask(
        &self,
        cell: &Cell,
        tests: &[usize],
        mutant: MutantId,
    ) -> Result<Reacted, MutationError> {
        let profiles = tests.iter().map(|i| self.profile(*i));
        let tests: Vec<&OwnTest> = tests.iter().map(|i| &self.own.tests[*i]).collect();
        Ok(self.rig.ask(cell, &tests, Some(mutant), profiles)?)
    }

    fn look(
        &self,
        cell: &Cell,
        test: usize,
        looking: Looking,
        mutant: MutantId,
        known: &Profile,
    ) -> Result<Profile, MutationError> {
        let test = &self.own.tests[test];
        Ok(self
            .rig
            .observe(cell, test, looking, Some(mutant), Some(known))?)
    }

    fn look_unmutated(&self, cell: &Cell, test: usize) -> Result<Profile, MutationError> {
        let test = &self.own.tests[test];
        Ok(self.rig.twice(cell, test, Looking::Returns)?)
    }
}
