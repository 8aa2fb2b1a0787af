//! What the tests that are there are good for, as far as their calls can be read.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{CallableId, Origin};
use testsmith_emit::{TestCase, Worth};
use testsmith_equip::Executor;
use testsmith_explore::{ReadBack, read_back};
use testsmith_harness::GuestError;
use testsmith_protocol::{MutantId, RegionId};
use testsmith_sequence::{Sequence, Step, World};

use super::{At, Standing};
use crate::choose::{Judgement, worth};

/// What the tests that are there are good for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weighed {
    by_test: BTreeMap<At, Weight>,
}

/// What one test is good for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weight {
    pub(crate) worth: Worth,
    /// Callables that it calls.
    pub(crate) callables: BTreeSet<CallableId>,
    /// Could all of its calls be read?
    pub(crate) is_whole: bool,
    /// Are the regions those that the test entered when it ran?
    pub(crate) is_measured: bool,
    /// How many calls of the crate it makes.
    pub(crate) n_calls: u32,
}

impl Weight {
    /// What is known of a case that was chosen.
    pub(crate) fn of_case(world: &World, case: &TestCase) -> Weight {
        Weight {
            worth: case.worth.clone(),
            is_whole: true,
            ..of_calls(world, &case.sequence)
        }
    }
}

impl Weighed {
    /// What a test is good for.
    pub(crate) fn of(&self, at: At) -> Option<&Weight> {
        self.by_test.get(&at)
    }

    /// A test turned out to be one that was chosen again, of which everything is known.
    pub(crate) fn know(&mut self, at: At, weight: Weight) {
        self.by_test.insert(at, weight);
    }

    /// A test entered these regions when it ran.
    pub(crate) fn entered(&mut self, at: At, regions: BTreeSet<RegionId>) {
        let weight = self.by_test.entry(at).or_default();
        weight.worth.regions = regions;
        weight.is_measured = true;
    }

    /// A test noticed these mutants when it ran.
    pub(crate) fn kills(&mut self, at: At, mutants: BTreeSet<MutantId>) {
        let weight = self.by_test.entry(at).or_default();
        weight.worth.kills.extend(mutants);
    }

    /// How many tests could not be read as a whole, so that what they are good for is not known.
    pub(crate) fn n_unread(&self) -> usize {
        self.by_test.values().filter(|it| !it.is_whole).count()
    }
}

/// Reads these tests, runs them and tries mutants on them.
pub(crate) fn weigh(
    world: &World,
    executor: &mut Executor,
    standing: &Standing,
    which: &BTreeSet<At>,
    judgement: Option<&mut Judgement<'_>>,
    weighed: &mut Weighed,
) -> Result<(), GuestError> {
    if which.is_empty() {
        return Ok(());
    }
    let aliases = world.catalogue.api.aliases.iter();
    let aliases = aliases.map(|(name, head)| (name.to_string(), head.to_string()));
    let texts: Vec<&str> = standing.files.iter().map(|it| &*it.text).collect();
    let read = read_back(world, &aliases.collect(), &texts);
    let mut found: Vec<(At, &ReadBack)> = Vec::new();
    for at in which {
        let name = standing
            .test(*at)
            .name
            .rsplit("::")
            .next()
            .unwrap_or_default();
        let mut of_file = read[at.file].iter();
        found.extend(of_file.find(|it| it.name == name).map(|it| (*at, it)));
    }
    let tests: Vec<&ReadBack> = found.iter().map(|(_, read)| *read).collect();
    let worth = worth(world, executor, &tests, judgement)?;
    for ((at, read), worth) in found.into_iter().zip(worth) {
        let weight = Weight {
            worth,
            is_whole: read.is_whole,
            ..of_calls(world, &read.sequence)
        };
        weighed.know(at, weight);
    }
    Ok(())
}

fn of_calls(world: &World, sequence: &Sequence) -> Weight {
    let called = sequence.steps().iter().filter_map(|step| match step {
        Step::Call { op, .. } => match world.catalogue.operation(*op).origin {
            Origin::Callable(callable) => Some(callable),
            _ => None,
        },
        Step::Drop(_) => None,
    });
    let called: Vec<CallableId> = called.collect();
    Weight {
        n_calls: called.len() as u32,
        callables: called.into_iter().collect(),
        ..Weight::default()
    }
}
