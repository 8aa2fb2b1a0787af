//! Chosen cases under more seeds, clocks and histories: what varies is not asserted.

use testsmith_explore::Ask;
use testsmith_harness::GuestError;
use testsmith_protocol::{Effect, Fingerprint};
use testsmith_sequence::{Sequence, SlotIdx, World};

use super::Candidate;
use crate::executor::{Executor, Setting};
use crate::report::Drops;

/// Where something was seen: a slot, and whether at its birth or in the end.
pub(super) type Place = (u16, bool);

/// How a candidate was observed, to do it again.
#[derive(Clone)]
pub(super) struct Trial {
    pub(super) observed: Sequence,
    pub(super) out: SlotIdx,
    pub(super) watch_end: Vec<SlotIdx>,
    pub(super) prints: Vec<(Place, Fingerprint)>,
}

impl Trial {
    /// What was seen, by its digest.
    pub(super) fn prints(effects: &[Effect]) -> Vec<(Place, Fingerprint)> {
        let place = |effect: &Effect| (effect.slot, effect.at_end);
        effects.iter().map(|e| (place(e), e.fingerprint)).collect()
    }

    fn ask(&self) -> Ask {
        Ask {
            sequence: self.observed.clone(),
            watch_from: SlotIdx(0),
            watch_end: self.watch_end.clone(),
            traced: Some(self.out),
            values: false,
        }
    }
}

/// Takes out the checks of what looks otherwise another time, and candidates without any left.
pub(super) fn settle(
    world: &World,
    executor: &mut Executor,
    chosen: &mut Vec<Candidate>,
    drops: &mut Drops,
) -> Result<(), GuestError> {
    for (n, setting) in Setting::MORE.into_iter().enumerate() {
        // Once, each twice in a row: what a process remembers shows the second time.
        let n_times = if n == 0 { 2 } else { 1 };
        let asks = chosen.iter().map(|candidate| candidate.trial.ask());
        let asks = asks.flat_map(|ask| std::iter::repeat_n(ask, n_times));
        let runs = executor.run(world, setting, asks.collect())?;
        for (i, (_, execution)) in runs.into_iter().enumerate() {
            let candidate = &mut chosen[i / n_times];
            let seen = Trial::prints(&execution.effects);
            let prints = &candidate.trial.prints;
            let is_steady = |place: &Place| {
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
    }
    let n_before = chosen.len();
    chosen.retain(|candidate| !candidate.case.checks.is_empty());
    let n_empty = n_before - chosen.len();
    drops.add("execution", "everything about it varies", n_empty as u64);
    Ok(())
}
