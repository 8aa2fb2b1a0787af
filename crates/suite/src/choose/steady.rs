//! Runs chosen cases under more seeds, clocks and histories: what varies is not asserted.

use testsmith_explore::Ask;
use testsmith_harness::GuestError;
use testsmith_protocol::{Effect, Fingerprint};
use testsmith_record::Drops;
use testsmith_sequence::{Sequence, SlotIdx, Step, World};

use super::Candidate;
use crate::budget::Budget;
use testsmith_equip::{Executor, Setting};

/// Where something was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SeenAt {
    pub(super) slot: SlotIdx,
    /// In the end, and not when the value was made?
    pub(super) at_end: bool,
}

/// How a candidate was observed, so that it can be observed again.
#[derive(Clone)]
pub(super) struct Trial {
    pub(super) observed: Sequence,
    pub(super) out: SlotIdx,
    pub(super) watch_end: Vec<SlotIdx>,
    pub(super) prints: Vec<(SeenAt, Fingerprint)>,
}

impl Trial {
    /// Fingerprints of what was seen, with their places.
    pub(super) fn prints(effects: &[Effect]) -> Vec<(SeenAt, Fingerprint)> {
        let place = |effect: &Effect| SeenAt {
            slot: SlotIdx(effect.slot),
            at_end: effect.at_end,
        };
        effects.iter().map(|e| (place(e), e.fingerprint)).collect()
    }

    pub(super) fn ask(&self) -> Ask {
        Ask {
            sequence: self.observed.clone(),
            watch_from: SlotIdx(0),
            watch_end: self.watch_end.clone(),
            traced: Some(self.out),
            values: false,
            watched: false,
            traced_on: false,
        }
    }
}

/// How many seeds are tried for hash tables. Two hashes agree once in 128 times in the bits that a
/// table looks at first, so fewer seeds might not show that the order varies.
const N_HASH_KEYS: u64 = 256;
/// So many are tried even if there is no time: fewer would let tests through that flicker.
const LEAST_HASH_KEYS: u64 = 48;

/// Removes the checks of values that vary, and candidates without any checks left.
pub(super) fn settle(
    world: &World,
    executor: &mut Executor,
    chosen: &mut Vec<Candidate>,
    budget: &Budget<'_>,
    drops: &mut Drops,
) -> Result<(), GuestError> {
    vary(world, executor, chosen, budget, drops)?;
    let n_before = chosen.len();
    chosen.retain(|candidate| !candidate.case.checks.is_empty());
    let n_empty = n_before - chosen.len();
    drops.add("execution", "everything about it varies", n_empty as u64);
    Ok(())
}

/// Removes the checks of values that vary.
pub(super) fn vary(
    world: &World,
    executor: &mut Executor,
    chosen: &mut [Candidate],
    budget: &Budget<'_>,
    drops: &mut Drops,
) -> Result<(), GuestError> {
    let all: Vec<usize> = (0..chosen.len()).collect();
    for (n, setting) in Setting::MORE.into_iter().enumerate() {
        // In the first setting each case runs twice in a row, because what a process remembers
        // shows only the second time.
        let n_times = if n == 0 { 2 } else { 1 };
        try_again(world, executor, chosen, &all, setting, n_times, drops)?;
    }
    let has_keys = |i: &usize| has_random_keys(world, &chosen[*i].trial.observed);
    let hashed: Vec<usize> = all.into_iter().filter(has_keys).collect();
    for n in 0..N_HASH_KEYS {
        if n >= LEAST_HASH_KEYS && budget.is_over(executor.work) {
            let n_left = (N_HASH_KEYS - n) as usize * hashed.len();
            budget.give_up("run", "try more keys of hash tables", n_left, drops);
            break;
        }
        let setting = Setting {
            seed: Setting::OTHER.seed.wrapping_add(n + 1),
            ..Setting::OTHER
        };
        try_again(world, executor, chosen, &hashed, setting, 1, drops)?;
    }
    Ok(())
}

/// Does the sequence make a hash table whose keys are different every time?
fn has_random_keys(world: &World, sequence: &Sequence) -> bool {
    let is_random = |step: &Step| match step {
        Step::Call { op, .. } => {
            let output = world.signature(*op).output.ty;
            let text = &world.catalogue.types.get(output).text;
            let names = ["RandomState", "HashMap<", "HashSet<"];
            names.iter().any(|name| text.contains(name))
        }
        Step::Drop(_) => false,
    };
    sequence.steps().iter().any(is_random)
}

/// Runs some of the candidates in another setting, and removes the checks of values that vary.
fn try_again(
    world: &World,
    executor: &mut Executor,
    chosen: &mut [Candidate],
    which: &[usize],
    setting: Setting,
    n_times: usize,
    drops: &mut Drops,
) -> Result<(), GuestError> {
    let asks = which.iter().map(|i| chosen[*i].trial.ask());
    let asks = asks.flat_map(|ask| std::iter::repeat_n(ask, n_times));
    let runs = executor.run(world, setting, asks.collect())?;
    for (i, (_, execution)) in runs.into_iter().enumerate() {
        let candidate = &mut chosen[which[i / n_times]];
        let seen = Trial::prints(&execution.effects);
        let prints = &candidate.trial.prints;
        let is_steady = |place: &SeenAt| {
            let before = prints.iter().find(|(at, _)| at == place);
            before.is_some() && before == seen.iter().find(|(at, _)| at == place)
        };
        let keep: Vec<bool> = candidate.places.iter().map(is_steady).collect();
        let n_varying = keep.iter().filter(|keep| !**keep).count();
        drops.add(
            "assertion",
            "varies with seed, clock or history",
            n_varying as u64,
        );
        candidate.retain_checks(&keep);
    }
    Ok(())
}
