//! From what exploration kept to the few tests that are worth writing.
//!
//! Every kept execution is reduced to the steps that matter ([`reduce`]) and run once more with
//! observers appended ([`observe`]): methods that take `&self`, and public fields. What they answer
//! becomes checks ([`check`]); what a check shows, coarsely, is a fact; tests are chosen greedily by
//! the facts they add and the code they go through ([`cover`]), run under more seeds and clocks
//! ([`steady`]), and a few cases of one operation stand together in one test ([`join`]).

mod check;
mod cover;
mod join;
mod observe;
mod reduce;
mod steady;
mod twins;

use testsmith_api::OperationId;
use testsmith_emit::TestCase;
use testsmith_explore::Kept;
use testsmith_harness::GuestError;
use testsmith_sequence::World;

use crate::executor::Executor;
use crate::report::Drops;

/// Cases in one test.
const CASES_PER_TEST: usize = 4;

/// A test that could be written.
struct Candidate {
    case: TestCase,
    /// By check: what it shows.
    facts: Vec<u64>,
    /// Facts that need no check: which operation met which kind of argument.
    inputs: Vec<u64>,
    /// Regions of the crate's code that the call went through.
    regions: Vec<u32>,
    /// A digest of the way it took through them.
    way: u64,
    /// It goes through code that no case chosen before it does.
    essential: bool,
    subject: String,
    operation: OperationId,
    n_steps: usize,
    /// By check: where it was seen.
    places: Vec<steady::Place>,
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
    }
}

/// Chooses regression tests, at most `max_per_type` for each type of the crate.
pub(crate) fn choose(
    world: &World,
    executor: &mut Executor,
    kept: &[Kept],
    max_per_type: usize,
    drops: &mut Drops,
) -> Result<Vec<TestCase>, GuestError> {
    let candidates = observe::observe(world, executor, kept, drops)?;
    let mut chosen = cover::cover(candidates, max_per_type, drops);
    steady::settle(world, executor, &mut chosen, drops)?;
    Ok(cover::tests(world, chosen, max_per_type, drops))
}
