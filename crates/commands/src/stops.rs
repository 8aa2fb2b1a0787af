//! Where the mutants stop that no written test notices: the furthest that each came in this run.

use std::collections::BTreeSet;

use testsmith_harness::{Copied, MutantId, RegionId};
use testsmith_record::{MutantReport, Status, Stop};
use testsmith_suite::{Far, Farthest};

/// A mutant that made no difference in so many runs is likely the same program.
const MANY_TRIALS: u32 = 24;

/// Notes where each mutant stops that lives. `explored` are the regions that exploration entered.
pub(crate) fn stops(
    mutants: &mut [MutantReport],
    copied: &Copied,
    explored: &BTreeSet<RegionId>,
    farthest: &Farthest,
) {
    let living = mutants
        .iter_mut()
        .filter(|it| matches!(it.status, Status::Survived | Status::Unreached));
    for report in living {
        let id = MutantId(report.id);
        let region = copied.mutant(id).region;
        let is_entered = region.is_none_or(|it| explored.contains(&it));
        report.stop = Some(stop(farthest.of(id), is_entered));
        let makes_none = farthest.of(id) == Some(Far::Entered);
        report.likely_equivalent = makes_none && farthest.n_trials(id) >= MANY_TRIALS;
    }
}

/// Where a mutant stops that came so far. `is_entered` says whether exploration went through its code.
fn stop(far: Option<Far>, is_entered: bool) -> Stop {
    match far {
        None if is_entered => Stop::NotTried,
        None => Stop::NotEntered,
        Some(Far::Entered) => Stop::NotInfected,
        Some(Far::Infected) => Stop::NotSeen,
        Some(Far::Seen) => Stop::NotAsserted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_stops_where_its_furthest_trial_did() {
        assert_eq!(stop(None, false), Stop::NotEntered);
        assert_eq!(stop(None, true), Stop::NotTried);
        assert_eq!(stop(Some(Far::Entered), true), Stop::NotInfected);
        assert_eq!(stop(Some(Far::Infected), true), Stop::NotSeen);
        assert_eq!(stop(Some(Far::Seen), true), Stop::NotAsserted);
    }
}
