//! Runs tests to see what they do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use testsmith_project::ScratchError;
use testsmith_protocol::{MutantId, Numbers, RETURNED_ENDING, RegionId};

use crate::asking::Reaction;
use crate::cell::Cell;
use crate::error::RigError;
use crate::left::left_in;
use crate::own::OwnTest;
use crate::profile::{Looking, Profile, Unfit};
use crate::rig::Rig;

/// A test that takes more seconds than this is not run a second time to see whether it is steady.
const DEAR: f64 = 2.0;

impl Rig {
    /// Runs each test alone with no mutant active. Tests with a known profile are not run. A test
    /// runs twice if it does not take long, but once if an earlier run has found which of its
    /// regions are unsteady.
    pub fn profile(
        &self,
        tests: &[OwnTest],
        mut known: BTreeMap<usize, Profile>,
        unsteady: &BTreeMap<usize, BTreeSet<RegionId>>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Profile>, RigError> {
        let unknown = tests.iter().enumerate();
        let unknown = unknown.filter(|(i, _)| !known.contains_key(i));
        let unknown: Vec<(usize, &OwnTest)> = unknown.collect();
        let n = unknown.len();
        let found = self.each(&unknown, &mut |i| progress(i, n), |cell, (i, test)| {
            if test.is_ignored || test.binary.is_none() {
                return Ok(Profile {
                    unfit: test.is_ignored.then_some(Unfit::Ignored),
                    ..Profile::default()
                });
            }
            let Some(unsteady) = unsteady.get(i) else {
                return self.twice(cell, test, Looking::Entries);
            };
            let mut profile = self.observe(cell, test, Looking::Entries, None, None)?;
            profile
                .counts
                .retain(|region, _| !unsteady.contains(region));
            Ok(profile)
        })?;
        self.go_on()?;
        let positions = unknown.iter().map(|(i, _)| *i);
        known.extend(positions.zip(found.into_iter().flatten()));
        Ok(known.into_values().collect())
    }

    /// Observes a test, twice if it does not take long. Counts that differ between the two runs are
    /// dropped, because a difference under a mutant would say nothing.
    pub fn twice(
        &self,
        cell: &Cell,
        test: &OwnTest,
        looking: Looking,
    ) -> Result<Profile, RigError> {
        let mut first = self.observe(cell, test, looking, None, None)?;
        if first.unfit.is_some() || first.seconds > DEAR {
            return Ok(first);
        }
        let second = self.observe(cell, test, looking, None, None)?;
        first.seconds = first.seconds.min(second.seconds);
        first.turns = first.turns.max(second.turns);
        first.reached.extend(second.reached);
        first
            .counts
            .retain(|region, n| second.counts.get(region) == Some(n));
        first
            .returned
            .retain(|region, digest| second.returned.get(region) == Some(digest));
        if second.unfit.is_some() {
            first.unfit = Some(Unfit::Unsteady);
        }
        Ok(first)
    }

    /// Runs a test alone, and observes what it does.
    pub fn observe(
        &self,
        cell: &Cell,
        test: &OwnTest,
        looking: Looking,
        mutant: Option<MutantId>,
        known: Option<&Profile>,
    ) -> Result<Profile, RigError> {
        let dir = cell.dir.join("reach");
        let fail = |source| ScratchError::Write {
            path: dir.clone(),
            source,
        };
        cell.emptied("reach").map_err(fail)?;
        let start = Instant::now();
        let known = known.into_iter();
        let reaction = self.ask_and_look(cell, test, mutant, known, (&dir, looking))?;
        let mut profile = Profile {
            seconds: start.elapsed().as_secs_f64(),
            unfit: match reaction {
                Some(Reaction::Passed) => None,
                Some(Reaction::Late) => Some(Unfit::Late),
                _ => Some(Unfit::Failed),
            },
            ..Profile::default()
        };
        (profile.counts, profile.returned) = numbers_left(&dir)?;
        profile.reached = profile.counts.keys().copied().collect();
        profile.turns = profile.counts.values().sum();
        Ok(profile)
    }
}

/// Numbers of regions.
pub(crate) type ByRegion = BTreeMap<RegionId, u64>;

/// What processes left in a directory: how often they entered each region, and digests of what
/// functions returned.
pub(crate) fn numbers_left(dir: &Path) -> Result<(ByRegion, ByRegion), RigError> {
    let (mut counts, mut returned) = (ByRegion::new(), ByRegion::new());
    let left = left_in(dir).map_err(|source| ScratchError::Write {
        path: dir.to_owned(),
        source,
    })?;
    for (path, bytes) in left {
        let is_returned = path.extension().is_some_and(|it| it == RETURNED_ENDING);
        let numbers = match is_returned {
            true => &mut returned,
            false => &mut counts,
        };
        for (region, number) in Numbers::of(&bytes).map_err(|_| RigError::OtherVersion)? {
            let sum = numbers.entry(region).or_default();
            *sum = sum.wrapping_add(number);
        }
    }
    Ok((counts, returned))
}
