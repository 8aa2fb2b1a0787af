//! Lists tests by their targets, records what each does, and finds which mutants make them fail.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use testsmith_harness::MutantId;
use testsmith_rig::{Cell, Fuel, Recording, Rig, RigError, Target};

/// A test: the position of its target, and its name there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct TestId {
    pub(crate) target: usize,
    pub(crate) name: String,
    /// Is it run only if somebody asks for it?
    pub(crate) is_ignored: bool,
}

/// A test that is to be run with a mutant.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The position of the test.
    pub(crate) test: usize,
    pub(crate) id: &'a TestId,
    /// How long it takes without a mutant.
    pub(crate) seconds: f64,
    pub(crate) fuel: Fuel,
}

/// The tests of targets.
#[derive(Default)]
pub(crate) struct List {
    pub(crate) tests: Vec<TestId>,
    /// Targets without a list, because they have a harness of their own.
    pub(crate) unlisted: BTreeSet<usize>,
}

/// The tests of every target.
pub(crate) fn list(rig: &Rig, targets: &[Target]) -> Result<List, RigError> {
    let mut list = List::default();
    for (i, target) in targets.iter().enumerate() {
        let Some(listed) = rig.list(target)? else {
            list.unlisted.insert(i);
            continue;
        };
        list.tests.extend(listed.into_iter().map(|it| TestId {
            target: i,
            name: it.name,
            is_ignored: it.is_ignored,
        }));
    }
    Ok(list)
}

/// Records what each of these tests does, in their order.
pub(crate) fn record(
    rig: &Rig,
    targets: &[Target],
    tests: &[&TestId],
    fuel: Fuel,
) -> Result<Vec<Recording>, RigError> {
    rig.each_of_all(tests, &mut |_| {}, |cell, test| {
        rig.record(cell, &targets[test.target], &test.name, fuel)
    })
}

/// How long each of these tests takes if nothing is written down.
pub(crate) fn time(rig: &Rig, targets: &[Target], tests: &[&TestId]) -> Result<Vec<f64>, RigError> {
    rig.each_of_all(tests, &mut |_| {}, |cell, test| {
        rig.time(cell, &targets[test.target], &test.name)
    })
}

/// The tests that fail with the mutant. Unless `is_all`, one of them is enough.
pub(crate) fn killers(
    rig: &Rig,
    cell: &Cell,
    targets: &[Target],
    tests: &[Asked<'_>],
    mutant: MutantId,
    is_all: bool,
) -> Result<BTreeSet<usize>, RigError> {
    let mut killers = BTreeSet::new();
    let mut by_target: BTreeMap<(Fuel, usize), Vec<&Asked<'_>>> = BTreeMap::new();
    for test in tests {
        let key = (test.fuel, test.id.target);
        by_target.entry(key).or_default().push(test);
    }
    for ((fuel, target), tests) in by_target {
        if !is_all && !killers.is_empty() {
            break;
        }
        let run = |tests: &[&Asked<'_>]| {
            let names: Vec<&str> = tests.iter().map(|it| it.id.name.as_str()).collect();
            let usual = Duration::from_secs_f64(tests.iter().map(|it| it.seconds).sum());
            rig.run_some(cell, &targets[target], &names, Some(mutant), fuel, usual)
        };
        let together = run(&tests)?;
        let index = |name: &str| tests.iter().find(|it| it.id.name == name).map(|it| it.test);
        killers.extend(together.failed.keys().filter_map(|name| index(name)));
        if !together.is_cut() {
            continue;
        }
        if !is_all || tests.len() == 1 {
            killers.extend(tests.iter().map(|it| it.test));
            continue;
        }
        // One of the tests ended the process, so each that has no result runs alone.
        for test in tests {
            let name = test.id.name.as_str();
            if !together.passed.contains(name) && !together.failed.contains_key(name) {
                let alone = run(&[test])?;
                if alone.is_cut() || !alone.failed.is_empty() {
                    killers.insert(test.test);
                }
            }
        }
    }
    Ok(killers)
}
