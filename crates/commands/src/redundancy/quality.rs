//! Measures what suites are good for: the sides of branches that they take, the failures that they
//! show, the mutants that they kill.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use testsmith_equip::{Executor, Setting};
use testsmith_explore::Ask;
use testsmith_harness::{Copied, GuestError, MutantId, RegionId};
use testsmith_protocol::{Execution, Fingerprint, Outcome};
use testsmith_record::Quality;
use testsmith_sequence::{SlotIdx, World};
use testsmith_suite::{Test, plain, prefix};

/// How many tests are tried on a mutant in one process.
const CHUNK: usize = 64;
/// A test may use this many times its usual fuel with a mutant.
const MORE_FUEL: u64 = 10;
/// It may use this much fuel in addition.
const SOME_FUEL: u64 = 10_000;

/// A set of suites, one bit for each.
pub(super) type Suites = u8;

/// Reports progress, and may end the judging.
pub(super) struct Judging<'j> {
    pub(super) cancel: &'j AtomicBool,
    pub(super) progress: &'j mut dyn FnMut(usize, usize),
}

/// The quality of each suite, and the names of what it lacks. `suites` says for each test which
/// suites have it; the first suite is the whole one.
pub(super) fn qualities(
    world: &World,
    executor: &mut Executor,
    copied: &Copied,
    tests: &[Test],
    suites: &[Suites],
    judging: Judging<'_>,
) -> Result<Vec<(Quality, Vec<String>)>, GuestError> {
    let mut branches: BTreeMap<RegionId, Suites> = BTreeMap::new();
    let mut failures: BTreeMap<&str, Suites> = BTreeMap::new();
    for (test, suites) in tests.iter().zip(suites) {
        for region in &test.entered {
            if copied.is_branch(*region) {
                *branches.entry(*region).or_default() |= suites;
            }
        }
        if let Some(failure) = &test.failure {
            *failures.entry(failure).or_default() |= suites;
        }
    }
    let mutants = kills(world, executor, copied, tests, suites, judging)?;
    let of_branch = |id: RegionId| {
        let region = copied.region(id)?;
        let (file, line) = (region.file.display(), region.line);
        Some(format!(
            "{:?} at {file}:{line} in {}",
            region.kind, region.function
        ))
    };
    let quality = |suite: u32| {
        let has = |it: &Suites| it >> suite & 1 == 1;
        let quality = Quality {
            branches: branches.values().filter(|it| has(it)).count(),
            failures: failures.values().filter(|it| has(it)).count(),
            mutants: mutants.values().filter(|it| has(it)).count(),
        };
        let lacks = |it: &Suites| *it != 0 && !has(it);
        let branches = branches.iter().filter(|(_, it)| lacks(it));
        let failures = failures.iter().filter(|(_, it)| lacks(it));
        let mutants = mutants.iter().filter(|(_, it)| lacks(it));
        let branches = branches.filter_map(|(id, _)| of_branch(*id));
        let failures = failures.map(|(failure, _)| (*failure).to_owned());
        let mutants = mutants.map(|(id, _)| copied.mutant(*id).name.clone());
        (quality, branches.chain(failures).chain(mutants).collect())
    };
    let all = suites.iter().fold(0, |all, it| all | it);
    let n_suites = Suites::BITS - all.leading_zeros();
    Ok((0..n_suites).map(quality).collect())
}

/// A mutant that some suite may still kill.
struct Candidate {
    id: MutantId,
    killed_by: Suites,
}

/// The tests that enter a region, and the mutants in it.
#[derive(Default)]
struct Open {
    entering: Vec<usize>,
    mutants: Vec<Candidate>,
}

/// For each region, the tests that enter it, those first that most suites have, and the mutants in
/// it.
fn open_regions(copied: &Copied, tests: &[Test], suites: &[Suites]) -> BTreeMap<RegionId, Open> {
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by_key(|test| std::cmp::Reverse(suites[*test].count_ones()));
    let mut open: BTreeMap<RegionId, Open> = BTreeMap::new();
    for (id, mutant) in copied.numbered() {
        if let Some(region) = mutant.region
            && !copied.dropped.contains_key(&id)
        {
            let mutants = &mut open.entry(region).or_default().mutants;
            mutants.push(Candidate { id, killed_by: 0 });
        }
    }
    for test in order {
        for region in &tests[test].entered {
            if let Some(open) = open.get_mut(region) {
                open.entering.push(test);
            }
        }
    }
    open.retain(|_, it| !it.entering.is_empty());
    open
}

/// The tests, and how they are run with mutants.
struct Asking<'a> {
    world: &'a World,
    tests: &'a [Test],
    suites: &'a [Suites],
    asks: Vec<Ask>,
}

impl Asking<'_> {
    /// Runs the next chunk of each region's tests with each of its mutants, and notes which suites
    /// kill it.
    fn round(
        &self,
        executor: &mut Executor,
        open: &mut BTreeMap<RegionId, Open>,
        round: usize,
    ) -> Result<(), GuestError> {
        // The run without a mutant has the same tests, seeds and history as those with one, so that
        // a difference is the mutant's.
        let mut jobs: Vec<(&[usize], Option<&mut Candidate>)> = Vec::new();
        for Open { entering, mutants } in open.values_mut() {
            let group = entering.chunks(CHUNK).nth(round);
            let group = group.expect("what is over is done");
            jobs.push((group, None));
            jobs.extend(mutants.iter_mut().map(|mutant| (group, Some(mutant))));
        }
        let batches = jobs.iter().map(|(group, mutant)| {
            let setting = Setting {
                mutant: mutant.as_ref().map(|it| it.id),
                ..Setting::USUAL
            };
            (setting, *group)
        });
        let batches: Vec<_> = batches.collect();
        let batches = batches.into_iter().map(|(setting, group)| {
            let asks = group.iter().map(|test| {
                let fuel = self.tests[*test].fuel * MORE_FUEL + SOME_FUEL;
                (self.asks[*test].clone(), fuel)
            });
            (setting, asks.collect())
        });
        let mut jobs = jobs.into_iter();
        let mut before: Vec<Execution> = Vec::new();
        let never = |_| false;
        executor.run_each(self.world, batches, never, |runs| {
            let (group, mutant) = jobs.next().expect("every batch is a job");
            let runs = runs.into_iter().map(|(_, execution)| execution);
            let Some(mutant) = mutant else {
                before = runs.collect();
                return;
            };
            for ((test, before), after) in group.iter().zip(&before).zip(runs) {
                if shown(before) != shown(&after) {
                    mutant.killed_by |= self.suites[*test];
                }
            }
        })
    }
}

/// The mutants, and the suites that kill each. Tests that most suites have are tried first, and no
/// more are tried once every suite has a test that kills.
fn kills(
    world: &World,
    executor: &mut Executor,
    copied: &Copied,
    tests: &[Test],
    suites: &[Suites],
    judging: Judging<'_>,
) -> Result<BTreeMap<MutantId, Suites>, GuestError> {
    let mut open = open_regions(copied, tests, suites);
    let asking = Asking {
        world,
        tests,
        suites,
        asks: tests.iter().map(|test| ask(world, test)).collect(),
    };
    let all = suites.iter().fold(0, |all, it| all | it);
    let mut done: BTreeMap<MutantId, Suites> = BTreeMap::new();
    let n_mutants = open.values().map(|it| it.mutants.len()).sum();
    for round in 0.. {
        // A mutant is done if every suite kills it, or if no test is left to try.
        for Open { entering, mutants } in open.values_mut() {
            let is_over = round * CHUNK >= entering.len();
            mutants.retain(|it| {
                let is_done = is_over || it.killed_by == all;
                if is_done {
                    done.insert(it.id, it.killed_by);
                }
                !is_done
            });
        }
        open.retain(|_, it| !it.mutants.is_empty());
        (judging.progress)(done.len(), n_mutants);
        if open.is_empty() || judging.cancel.load(Ordering::Relaxed) {
            break;
        }
        asking.round(executor, &mut open, round)?;
    }
    Ok(done)
}

/// Observes every value when it is made, and those that are left at the end.
fn ask(world: &World, test: &Test) -> Ask {
    let (_, watch_end) = prefix(world, &test.sequence, test.sequence.steps().len());
    Ask {
        watch_from: SlotIdx(0),
        watch_end,
        ..plain(&test.sequence)
    }
}

/// Everything about an execution that a test could assert.
fn shown(execution: &Execution) -> (&Outcome, BTreeSet<(u16, bool, Fingerprint)>) {
    let effects = execution.effects.iter();
    let effects = effects.map(|it| (it.slot, it.at_end, it.fingerprint));
    (&execution.outcome, effects.collect())
}
