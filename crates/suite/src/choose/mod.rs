//! Chooses, from what exploration kept, the few tests that are worth writing.
//!
//! Kept executions, and such as somebody would write by hand ([`showcase`]), are reduced to the steps that
//! matter ([`reduce`]) and run once more with
//! observers appended ([`observe`]): methods that take `&self`, and public fields. Their answers
//! become checks ([`check`]). What a check shows, coarsely, is a fact. Candidates are chosen
//! greedily by the facts they add, the code they go through and the mutants they kill ([`kill`],
//! [`cover`]), and run under more seeds and clocks ([`steady`]). Once all facts and kills of the
//! chosen ones are known, few of them are kept that together do all of it ([`prune`]). Literals of the
//! rest become plain as far as the case shows the same ([`plain`]). A case is a test; those that differ
//! in literals only are rows of one ([`join`]), and those that ask about one state are one ([`story`]).

mod back;
mod check;
mod cover;
mod duty;
mod far;
mod hunt;
mod instead;
mod join;
mod kill;
mod near;
mod observe;
mod people;
mod plain;
mod prune;
mod reduce;
mod redundant;
mod scene;
mod showcase;
mod steady;
mod story;
mod telling;
mod touch;
mod twins;
mod unmoved;
mod usual;
mod weak;

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use testsmith_api::OperationId;
use testsmith_emit::TestCase;
use testsmith_equip::{Executor, Limited};
use testsmith_explore::{Kept, Variations};
use testsmith_harness::GuestError;
use testsmith_protocol::{MutantId, Passage, RegionId};
use testsmith_record::{Drops, HuntReport};
use testsmith_sequence::{Sequence, SlotIdx, World};

use self::hunt::Hunt;
use crate::budget::{Budget, Doing};
use crate::simplify::Makers;

pub(crate) use back::worth;
pub use far::{Far, Farthest};
pub use kill::Judgement;
pub use redundant::{as_run, looks};

/// How many tests there may be.
#[derive(Clone, Copy)]
pub struct Room {
    /// The most tests for each type of the crate.
    pub max_per_type: usize,
    /// May a type with many operations have more?
    pub grows: bool,
    /// Has every case a test of its own? Such tests are compared with another version and not read,
    /// so there may be more cases.
    pub apart: bool,
    /// Is a case kept that nobody would write, if only it shows something?
    pub keeps_all: bool,
}

/// How many cases are looked at for each test that there may be. Once it is known what each kills,
/// most are not needed.
const CASES_PER_TEST: usize = 4;
/// How many times as many cases there may be if each has a test of its own.
const TIMES_APART: usize = 4;
/// Tests that a type may have for each of its operations, if that is more than what all types may
/// have: a type with many methods needs many tests.
const TESTS_PER_OPERATION: usize = 2;

impl Room {
    /// The most cases for a type with this many operations. Beyond it, only cases are chosen that
    /// enter code or kill mutants which no other case does.
    fn max_cases(self, n_operations: usize) -> usize {
        self.most(n_operations) * CASES_PER_TEST * self.times()
    }

    /// The most tests for a type with this many operations.
    fn max_tests(self, n_operations: usize) -> usize {
        match self.apart {
            true => self.max_cases(n_operations),
            false => self.most(n_operations),
        }
    }

    fn most(self, n_operations: usize) -> usize {
        match self.grows {
            true => self.max_per_type.max(n_operations * TESTS_PER_OPERATION),
            false => self.max_per_type,
        }
    }

    fn times(self) -> usize {
        match self.apart {
            true => TIMES_APART,
            false => 1,
        }
    }
}

/// A test that could be written.
#[derive(Clone)]
struct Candidate {
    case: TestCase,
    /// For each check, a digest of the fact that it shows.
    facts: Vec<u64>,
    /// Facts that need no check: which operation met which kind of argument.
    inputs: Vec<u64>,
    /// Regions of the crate's code that the tested call goes through.
    regions: Vec<Passage>,
    /// A digest of which regions these are, however often each is entered.
    way: u64,
    /// Regions of the rewritten copy that any call of the case enters, without those that only
    /// observers enter: few of them are asked in the end.
    entered: Vec<RegionId>,
    /// Regions that the case and all of its observers enter.
    reached: Vec<RegionId>,
    /// How many calls and turns of loops it makes.
    fuel: u64,
    /// Mutants that it is known to kill.
    kills: Vec<kill::Kill>,
    /// Values that it looks at only because a mutant might show there: neither given nor changed by its
    /// last call.
    beside: Vec<SlotIdx>,
    /// For each check, whether it asks a getter that answers the same before the call. Empty until that is known.
    unmoved: Vec<bool>,
    /// What the suite relies on it for, once cases were pruned.
    duties: Vec<duty::Duty>,
    /// Was it made to show a call, and not explored?
    shown: bool,
    /// Does it go through code, or kill a mutant, that no case chosen before does?
    essential: bool,
    subject: String,
    operation: OperationId,
    /// The reduced execution that it was made of.
    source: reduce::Reduced,
    n_steps: usize,
    /// For each check, the place where its value was seen.
    places: Vec<steady::SeenAt>,
    /// How it was run, so that it can be run again.
    trial: steady::Trial,
}

impl Candidate {
    /// Keeps only these checks, and the kills that they still notice.
    fn retain_checks(&mut self, keep: &[bool]) {
        fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
            let mut keep = keep.iter();
            list.retain(|_| keep.next().copied().unwrap_or(false));
        }
        retain(&mut self.case.checks, keep);
        retain(&mut self.facts, keep);
        retain(&mut self.places, keep);
        retain(&mut self.unmoved, keep);
        for kill in &mut self.kills {
            let kept = keep.iter().enumerate().filter(|(_, keep)| **keep);
            let checks = kept
                .enumerate()
                .filter(|(_, (old, _))| kill.checks & kill::bit(*old) != 0);
            let checks = checks.fold(0, |all, (new, _)| all | kill::bit(new));
            if kill.checks != u64::MAX {
                kill.checks = checks;
            }
        }
        self.kills.retain(|kill| kill.checks != 0);
    }
}

/// How many mutants the kept executions kill, with a few of them tried on each mutant.
pub fn n_killed(
    world: &World,
    executor: &mut Executor,
    kept: &[Kept],
    mut judgement: Judgement<'_>,
) -> Result<u64, GuestError> {
    let budget = Budget::unbounded();
    let drops = &mut Drops::default();
    let (mut candidates, _) = observe::observe(world, executor, kept, &budget, drops)?;
    kill::find_regions(world, executor, &mut candidates)?;
    kill::sample(
        world,
        executor,
        &mut judgement,
        &mut candidates,
        &budget,
        drops,
    )?;
    let kills = candidates.iter().flat_map(|it| &it.kills);
    let killed: FxHashSet<MutantId> = kills.map(|kill| kill.mutant).collect();
    Ok(killed.len() as u64)
}

/// What tests are made from, and how many there may be.
pub struct Wanted<'w> {
    /// The operations and their types.
    pub world: &'w World,
    /// Shorter ways to make values.
    pub makers: &'w Makers,
    /// The values that the user allows parameters.
    pub limited: &'w Limited,
    /// Texts that stand in the crate's source, documentation and tests.
    pub known: &'w BTreeSet<String>,
    /// Calls that stand in examples of the documentation and in tests.
    pub people: &'w [Sequence],
    /// How many tests there may be.
    pub room: Room,
    /// How much work choosing may be.
    pub budget: &'w Budget<'w>,
    /// What makes new executions for mutants that survive, if they are hunted.
    pub variations: Option<&'w mut Variations<'w>>,
    /// Is told what the hunt came to.
    pub hunt: &'w mut Option<HuntReport>,
}

/// The tests that could be written: of kept executions, and of such as somebody would write by hand.
fn candidates(
    wanted: &Wanted<'_>,
    executor: &mut Executor,
    kept: &[Kept],
    drops: &mut Drops,
) -> Result<(Vec<Candidate>, observe::Observatory), GuestError> {
    let Wanted { world, budget, .. } = *wanted;
    let shown = match wanted.room.apart {
        true => Vec::new(),
        false => showcase::showcases(wanted, kept),
    };
    let sequences = shown.iter().map(|it| reduce::sliced(world, it));
    let sequences: FxHashSet<Sequence> = sequences.collect();
    let kept: Vec<Kept> = shown.into_iter().chain(kept.iter().cloned()).collect();
    let (mut candidates, observatory) = observe::observe(world, executor, &kept, budget, drops)?;
    for candidate in &mut candidates {
        candidate.shown = sequences.contains(&candidate.source.sequence);
    }
    Ok((candidates, observatory))
}

/// Finds what candidates kill: a few are tried on every mutant, then others on those that survive.
fn find_kills(
    world: &World,
    executor: &mut Executor,
    judgement: &mut Judgement<'_>,
    candidates: &mut [Candidate],
    budget: &Budget<'_>,
    drops: &mut Drops,
) -> Result<(), GuestError> {
    budget.enter(Doing::Sampling);
    kill::find_regions(world, executor, candidates)?;
    kill::sample(world, executor, judgement, candidates, budget, drops)?;
    budget.enter(Doing::Harvesting);
    kill::harvest(world, executor, judgement, candidates, budget, drops)
}

/// Finds what the chosen cases kill: of the mutants that survive, and, where people read them, each of what the others
/// kill.
fn complete(
    wanted: &Wanted<'_>,
    executor: &mut Executor,
    judgement: &mut Judgement<'_>,
    chosen: &mut [Candidate],
    drops: &mut Drops,
) -> Result<(), GuestError> {
    let Wanted { world, known, .. } = *wanted;
    let Wanted { room, budget, .. } = *wanted;
    budget.enter(Doing::Completing);
    kill::complete(world, executor, judgement, chosen, budget, drops)?;
    if room.apart {
        return Ok(());
    }
    unmoved::find(world, executor, chosen)?;
    let order = prune::readable_first(world, known, chosen);
    kill::compare(world, executor, judgement, chosen, &order, budget, drops)
}

/// Chooses regression tests, as many as there is room for. Without a judgement it is not known
/// which mutants they kill.
pub fn choose(
    mut wanted: Wanted<'_>,
    executor: &mut Executor,
    kept: &[Kept],
    mut judgement: Option<Judgement<'_>>,
    drops: &mut Drops,
) -> Result<Vec<TestCase>, GuestError> {
    let (mut candidates, mut observatory) = candidates(&wanted, executor, kept, drops)?;
    let Wanted { world, known, .. } = wanted;
    let Wanted { room, budget, .. } = wanted;
    if let Some(judgement) = &mut judgement {
        find_kills(world, executor, judgement, &mut candidates, budget, drops)?;
        let hunt = wanted.variations.take().map(|variations| Hunt {
            world,
            observatory: &mut observatory,
            variations,
            budget,
        });
        if let Some(hunt) = hunt {
            *wanted.hunt = Some(hunt.run(executor, judgement, &mut candidates, drops)?);
        }
    }
    let (mut chosen, spare) = cover::cover(world, candidates, room, drops);
    budget.enter(Doing::Settling);
    if let Some(judgement) = judgement.as_mut().filter(|_| !room.apart) {
        instead::plain_instead(
            world,
            executor,
            judgement,
            known,
            &mut chosen,
            spare,
            budget,
        )?;
    }
    steady::settle(world, executor, &mut chosen, budget, drops)?;
    if let Some(judgement) = &mut judgement {
        complete(&wanted, executor, judgement, &mut chosen, drops)?;
    }
    budget.enter(Doing::Simplifying);
    // Where each case has a test of its own, versions are compared, and people read only the cases
    // that differ. So nothing is made plain or pruned there.
    if !room.apart {
        if let Some(judgement) = &judgement {
            let pruning = prune::Pruning {
                world,
                known,
                only_kills: judgement.only.is_some(),
                keeps_all: room.keeps_all,
            };
            pruning.prune(&mut chosen, drops);
        }
        let plain = plain::Plain {
            world,
            makers: wanted.makers,
            limited: wanted.limited,
            known,
            budget,
        };
        let judgement = judgement.as_mut();
        plain.make(executor, &mut observatory, judgement, &mut chosen, drops)?;
    }
    if judgement.is_some() {
        kill::enter_with_checks(world, executor, &mut chosen)?;
    }
    let tests = cover::tests(world, chosen, room, drops);
    budget.enter(Doing::Comparing);
    // Where it is known what each case is relied on for, no test is redundant.
    if room.apart || judgement.is_some() {
        return Ok(tests);
    }
    redundant::leave_out(world, executor, tests, budget, drops)
}
