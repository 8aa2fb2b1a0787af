//! Finds what survivors change in the tests that go through them, though no test fails.
//!
//! **Impact is what tests did not check.** With a survivor active, its cheapest tests are run once
//! more, and two things are compared with runs without it: how often each region is entered, and a
//! digest of all that each function returned. The copy wraps the tail and each `return` of a
//! function in an identity for that (`instrument/support/returned.rs`), which looks only if it is
//! asked to: specialisation finds a `Hash`, and what is behind references, options and lists. It
//! comes in last, when rustc accepts the copy without, so that whatever it says then is about
//! these. What differs between two runs alike says nothing.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_harness::RegionId;
use testsmith_rig::{Looking, Profile};

use crate::ask::Question;
use crate::error::MutationError;
use crate::panel::Panel;

/// The most tests that are observed for one survivor.
const MAX_WITNESSES: usize = 5;
/// Only tests that take less than this many seconds are observed.
const DEAR: f64 = 0.05;

/// What a survivor changes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Changed {
    /// Regions that are entered more or less often than without it.
    pub(crate) regions: BTreeSet<RegionId>,
    /// Regions of functions that return something else than without it.
    pub(crate) values: BTreeSet<RegionId>,
}

/// The tests that are observed to see what a survivor changes.
fn witnesses(panel: &impl Panel, question: &Question) -> Vec<usize> {
    let is_cheap = |i: &usize| panel.profile(*i).seconds < DEAR && panel.is_built(*i);
    let tests = question.tests.iter().copied();
    tests.filter(is_cheap).take(MAX_WITNESSES).collect()
}

/// What each survivor changes. `None` for those that were not observed when the user cancelled.
pub(crate) fn changed<P: Panel>(
    panel: &P,
    survivors: &[Question],
) -> Result<Vec<Option<Changed>>, MutationError> {
    let unmutated = unmutated(panel, survivors)?;
    panel.each(survivors, &mut |_| {}, |cell, question| {
        changed_by(panel, cell, &unmutated, question)
    })
}

/// What the observed tests do with no mutant active. Tests that fail while return values are noted
/// are left out.
fn unmutated(
    panel: &impl Panel,
    survivors: &[Question],
) -> Result<BTreeMap<usize, Profile>, MutationError> {
    let all = survivors.iter().flat_map(|it| witnesses(panel, it));
    let all: Vec<usize> = all.collect::<BTreeSet<_>>().into_iter().collect();
    let profiles = panel.each(&all, &mut |_| {}, |cell, test| {
        panel.look_unmutated(cell, *test)
    })?;
    let profiles = all.into_iter().zip(profiles);
    let profiles = profiles.filter_map(|(test, it)| Some((test, it?)));
    Ok(profiles.filter(|(_, it)| it.unfit.is_none()).collect())
}

fn changed_by<P: Panel>(
    panel: &P,
    cell: &P::Cell,
    unmutated: &BTreeMap<usize, Profile>,
    question: &Question,
) -> Result<Changed, MutationError> {
    let mut changed = Changed::default();
    for test in witnesses(panel, question) {
        let (looking, known) = match unmutated.get(&test) {
            Some(profile) => (Looking::Returns, profile),
            None => (Looking::Entries, panel.profile(test)),
        };
        let mutated = panel.look(cell, test, looking, question.mutant, known)?;
        let is_unsteady =
            |it: &RegionId| known.reached.contains(it) && !known.counts.contains_key(it);
        let entered = differing(&known.counts, &mutated.counts);
        changed
            .regions
            .extend(entered.filter(|it| !is_unsteady(it)));
        // A function that was entered without its values being noted returns something else each
        // time, so a difference says nothing.
        let is_noted =
            |it: &RegionId| known.returned.contains_key(it) || !known.reached.contains(it);
        let returned = differing(&known.returned, &mutated.returned);
        changed.values.extend(returned.filter(is_noted));
    }
    Ok(changed)
}

/// The regions whose numbers differ.
fn differing(
    one: &BTreeMap<RegionId, u64>,
    other: &BTreeMap<RegionId, u64>,
) -> impl Iterator<Item = RegionId> {
    let all: BTreeSet<RegionId> = one.keys().chain(other.keys()).copied().collect();
    all.into_iter().filter(|it| one.get(it) != other.get(it))
}

#[cfg(test)]
mod tests {
    use testsmith_harness::MutantId;

    use super::*;
    use crate::testing::Fake;

    const MUTANT: MutantId = MutantId(1);

    fn profile(counts: &[(u32, u64)], returned: &[(u32, u64)]) -> Profile {
        let numbers = |of: &[(u32, u64)]| -> BTreeMap<RegionId, u64> {
            of.iter().map(|(id, n)| (RegionId(*id), *n)).collect()
        };
        let counts = numbers(counts);
        Profile {
            reached: counts.keys().copied().collect(),
            counts,
            returned: numbers(returned),
            ..Profile::default()
        }
    }

    fn seen(fake: &Fake) -> Changed {
        let question = Question {
            mutant: MUTANT,
            tests: vec![0],
            is_apart: false,
        };
        let mut all = changed(fake, &[question]).expect("a fake does not fail");
        all.remove(0).expect("nobody cancels")
    }

    #[test]
    fn another_way_and_another_value_are_told_apart() {
        let mut fake = Fake::with_profiles(vec![profile(&[(1, 1), (2, 5)], &[(1, 7)])]);
        let mutated = profile(&[(1, 1), (2, 6), (3, 1)], &[(1, 8)]);
        fake.mutated.insert((MUTANT, 0), mutated);
        let expected = Changed {
            regions: BTreeSet::from([RegionId(2), RegionId(3)]),
            values: BTreeSet::from([RegionId(1)]),
        };
        assert_eq!(seen(&fake), expected);
    }

    #[test]
    fn what_differs_without_a_mutant_says_nothing() {
        // Region 2 is not entered equally often each time, and region 1 returns something random.
        let mut known = profile(&[(1, 1)], &[]);
        known.reached.insert(RegionId(2));
        let mut fake = Fake::with_profiles(vec![known]);
        let mutated = profile(&[(1, 1), (2, 9)], &[(1, 8)]);
        fake.mutated.insert((MUTANT, 0), mutated);
        assert_eq!(seen(&fake), Changed::default());
    }

    #[test]
    fn tests_that_take_long_are_not_asked() {
        let mut slow = profile(&[(1, 1)], &[]);
        slow.seconds = 2.0 * DEAR;
        let mut fake = Fake::with_profiles(vec![slow]);
        fake.mutated.insert((MUTANT, 0), profile(&[(1, 2)], &[]));
        assert_eq!(seen(&fake), Changed::default());
    }
}
