//! From what exploration kept to the few tests that are worth writing.
//!
//! Every kept execution is reduced to the steps that matter ([`reduce`]) and run once more with
//! observers appended ([`observe`]): methods that take `&self`, and public fields. What they answer
//! becomes checks ([`check`]); what a check shows, coarsely, is a fact; tests are chosen greedily by
//! the facts they add, the code they go through and the mutants they kill ([`kill`], [`cover`]), run under more seeds and clocks
//! ([`steady`]). What the others show too goes again, once that is known for certain ([`prune`]), what is left is made of plain
//! literals as far as it shows the same ([`plain`]), and a few cases of one operation stand together in one test ([`join`]).

mod check;
mod cover;
mod join;
mod kill;
mod observe;
mod plain;
mod prune;
mod reduce;
mod redundant;
mod steady;
mod touch;
mod twins;

use rustc_hash::FxHashSet;
use testsmith_api::OperationId;
use testsmith_emit::TestCase;
use testsmith_equip::{Executor, Limited};
use testsmith_explore::Kept;
use testsmith_harness::GuestError;
use testsmith_protocol::{MutantId, Passage, RegionId};
use testsmith_record::Drops;
use testsmith_sequence::World;

use crate::simplify::Makers;

pub use kill::Judgement;
pub use redundant::{as_run, looks};

/// Cases in one test.
const CASES_PER_TEST: usize = 4;

/// How many tests there may be.
#[derive(Clone, Copy)]
pub struct Room {
    /// For each type of the crate; a test has several cases.
    pub max_per_type: usize,
    /// Has every case a test of its own? Then they are compared with, not read, and there are more.
    pub apart: bool,
}

/// How many times as many cases there are if they are apart.
const TIMES_APART: usize = 4;

impl Room {
    /// Cases for each type.
    fn max_cases(self) -> usize {
        self.max_per_type * CASES_PER_TEST * self.times()
    }

    /// Tests for each type.
    fn max_tests(self) -> usize {
        match self.apart {
            true => self.max_cases(),
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
    /// By check: what it shows.
    facts: Vec<u64>,
    /// Facts that need no check: which operation met which kind of argument.
    inputs: Vec<u64>,
    /// Regions of the crate's code that the call went through.
    regions: Vec<Passage>,
    /// A digest of the way it took through them.
    way: u64,
    /// Regions of the rewritten copy that the whole of it goes through.
    entered: Vec<RegionId>,
    /// The calls and turns of loops that it takes.
    fuel: u64,
    /// Mutants that it is known to kill.
    kills: Vec<kill::Kill>,
    /// It goes through code that no case chosen before it does.
    essential: bool,
    subject: String,
    operation: OperationId,
    /// What was looked at.
    source: reduce::Reduced,
    n_steps: usize,
    /// By check: where it was seen.
    places: Vec<steady::SeenAt>,
    /// How it was seen.
    trial: steady::Trial,
}

impl Candidate {
    /// Only these of its checks.
    fn retain_checks(&mut self, keep: &[bool]) {
        fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
            let mut keep = keep.iter();
            list.retain(|_| keep.next().copied().unwrap_or(false));
        }
        retain(&mut self.case.checks, keep);
        retain(&mut self.facts, keep);
        retain(&mut self.places, keep);
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

/// How many mutants kept executions kill, of which a few are tried on each mutant.
pub fn n_killed(
    world: &World,
    executor: &mut Executor,
    kept: &[Kept],
    mut judgement: Judgement<'_>,
) -> Result<u64, GuestError> {
    let (mut candidates, _) = observe::observe(world, executor, kept, &mut Drops::default())?;
    kill::find_regions(world, executor, &mut candidates)?;
    kill::sample(world, executor, &mut judgement, &mut candidates)?;
    let kills = candidates.iter().flat_map(|it| &it.kills);
    let killed: FxHashSet<MutantId> = kills.map(|kill| kill.mutant).collect();
    Ok(killed.len() as u64)
}

/// What tests are made of, and how many there may be.
#[derive(Clone, Copy)]
pub struct Wanted<'w> {
    /// What can be called.
    pub world: &'w World,
    /// Shorter ways to values.
    pub makers: &'w Makers,
    /// What parameters may be.
    pub limited: &'w Limited,
    /// How many tests there may be.
    pub room: Room,
}

/// Chooses regression tests, as many as there is room for. Without a judgement
/// it is not known which mutants they kill.
pub fn choose(
    wanted: Wanted<'_>,
    executor: &mut Executor,
    kept: &[Kept],
    mut judgement: Option<Judgement<'_>>,
    drops: &mut Drops,
) -> Result<Vec<TestCase>, GuestError> {
    let Wanted {
        world,
        makers,
        limited,
        room,
    } = wanted;
    let (mut candidates, mut observatory) = observe::observe(world, executor, kept, drops)?;
    if let Some(judgement) = &mut judgement {
        kill::find_regions(world, executor, &mut candidates)?;
        kill::sample(world, executor, judgement, &mut candidates)?;
    }
    let mut chosen = cover::cover(candidates, room, drops);
    steady::settle(world, executor, &mut chosen, drops)?;
    if let Some(judgement) = &mut judgement {
        kill::complete(world, executor, judgement, &mut chosen)?;
    }
    // Whoever has each case apart compares with it, and reads those that differ alone.
    if !room.apart {
        if judgement.is_some() {
            prune::prune(world, &mut chosen, drops);
        }
        let plain = plain::Plain {
            world,
            makers,
            limited,
        };
        plain.make(executor, &mut observatory, judgement.as_mut(), &mut chosen)?;
    }
    let tests = cover::tests(world, chosen, room, drops);
    match room.apart {
        true => Ok(tests),
        false => redundant::leave_out(world, executor, tests, drops),
    }
}
