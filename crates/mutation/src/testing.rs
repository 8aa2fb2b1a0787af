//! Tests that only exist as tables: what each does with each mutant is given.

use std::collections::BTreeMap;
use std::sync::Mutex;

use testsmith_harness::MutantId;
use testsmith_rig::{Looking, Profile, Reaction};

use crate::error::MutationError;
use crate::panel::{Panel, Reacted};

/// What a test does with a mutant, if it does not pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It fails, and its binary names it.
    Fails,
    /// It ends its process without being named.
    Dies,
    /// It ends its process, but only if other tests run in it too.
    DiesInCompany,
    /// The user cancels while it runs.
    Cancels,
}

/// Tests that do what the tables say.
#[derive(Default)]
pub(crate) struct Fake {
    profiles: Vec<Profile>,
    /// The binary that each test is in.
    pub(crate) binaries: Vec<usize>,
    pub(crate) fates: BTreeMap<(MutantId, usize), Fate>,
    /// What a test does with a mutant, where that differs from what it does without one.
    pub(crate) mutated: BTreeMap<(MutantId, usize), Profile>,
    asked: Mutex<Vec<Vec<usize>>>,
}

impl Fake {
    /// Tests of one binary that take these seconds.
    pub(crate) fn with_costs(seconds: &[f64]) -> Fake {
        let profile = |seconds: &f64| Profile {
            seconds: *seconds,
            // The cost of a short test is taken from its turns.
            turns: (*seconds / 5e-8) as u64,
            ..Profile::default()
        };
        Fake::with_profiles(seconds.iter().map(profile).collect())
    }

    /// Tests of one binary that have these profiles with no mutant active.
    pub(crate) fn with_profiles(profiles: Vec<Profile>) -> Fake {
        Fake {
            binaries: vec![0; profiles.len()],
            profiles,
            ..Fake::default()
        }
    }

    /// The groups of tests that were asked, in order.
    pub(crate) fn asked(&self) -> Vec<Vec<usize>> {
        self.asked.lock().expect("no test panics in it").clone()
    }
}

impl Panel for Fake {
    type Cell = ();

    fn profile(&self, test: usize) -> &Profile {
        &self.profiles[test]
    }

    fn is_built(&self, _test: usize) -> bool {
        true
    }

    fn share_process(&self, one: usize, other: usize) -> bool {
        self.binaries[one] == self.binaries[other]
    }

    fn called(&self, tests: &[usize], name: &str) -> Option<usize> {
        let mut tests = tests.iter().copied();
        tests.find(|test| test.to_string() == name)
    }

    fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        progress: &mut dyn FnMut(usize),
        work: impl Fn(&(), &T) -> Result<R, MutationError> + Sync,
    ) -> Result<Vec<Option<R>>, MutationError> {
        let done = items.iter().zip(1..).map(|(item, n)| {
            progress(n);
            work(&(), item).map(Some)
        });
        done.collect()
    }

    fn ask(&self, _cell: &(), tests: &[usize], mutant: MutantId) -> Result<Reacted, MutationError> {
        let mut asked = self.asked.lock().expect("no test panics in it");
        asked.push(tests.to_vec());
        for test in tests {
            match self.fates.get(&(mutant, *test)) {
                Some(Fate::Fails) => return Ok(Some((Reaction::Failed, Some(test.to_string())))),
                Some(Fate::Dies) => return Ok(Some((Reaction::Died, None))),
                Some(Fate::DiesInCompany) if tests.len() > 1 => {
                    return Ok(Some((Reaction::Died, None)));
                }
                Some(Fate::Cancels) => return Ok(None),
                Some(Fate::DiesInCompany) | None => {}
            }
        }
        Ok(Some((Reaction::Passed, None)))
    }

    fn look(
        &self,
        _cell: &(),
        test: usize,
        _looking: Looking,
        mutant: MutantId,
        known: &Profile,
    ) -> Result<Profile, MutationError> {
        let mutated = self.mutated.get(&(mutant, test));
        Ok(mutated.unwrap_or(known).clone())
    }

    fn look_unmutated(&self, _cell: &(), test: usize) -> Result<Profile, MutationError> {
        Ok(self.profiles[test].clone())
    }
}
