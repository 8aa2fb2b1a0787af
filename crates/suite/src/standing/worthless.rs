//! Finds tests that became worthless: this run would not choose them again, and others enter all code
//! that they enter, kill all mutants that they kill, and call all that they call. They are proposed for
//! removal, and stay until somebody removes them.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::CallableId;
use testsmith_protocol::{MutantId, RegionId};

use super::At;
use super::weigh::Weight;

/// What a test shows, as one thing of many.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Region(RegionId),
    Kill(MutantId),
    Callable(CallableId),
}

fn shown(weight: &Weight) -> BTreeSet<Shown> {
    let regions = weight.worth.regions.iter().map(|it| Shown::Region(*it));
    let kills = weight.worth.kills.iter().map(|it| Shown::Kill(*it));
    let callables = weight.callables.iter().map(|it| Shown::Callable(*it));
    regions.chain(kills).chain(callables).collect()
}

/// Which of these candidates the others make worthless, all of them together. Candidates are among
/// `standing`; what tests show that are new is in `added`.
pub(crate) fn worthless(
    standing: &BTreeMap<At, &Weight>,
    candidates: &BTreeSet<At>,
    added: &[Weight],
) -> BTreeSet<At> {
    let mut n_showing: BTreeMap<Shown, usize> = BTreeMap::new();
    for weight in standing.values().copied().chain(added) {
        for it in shown(weight) {
            *n_showing.entry(it).or_default() += 1;
        }
    }
    let of = |at: &At| standing.get(at).copied();
    let mut order: Vec<&At> = candidates.iter().collect();
    order.sort_by_key(|at| of(at).map_or(0, |it| it.worth.kills.len()));
    let mut gone = BTreeSet::new();
    for at in order {
        // What shows nothing that is known may show something that is not.
        let Some(weight) = of(at).filter(|it| !it.worth.regions.is_empty() && it.is_whole) else {
            continue;
        };
        let own = shown(weight);
        if own.iter().all(|it| n_showing[it] > 1) {
            for it in own {
                n_showing.entry(it).and_modify(|n| *n -= 1);
            }
            gone.insert(*at);
        }
    }
    gone
}

#[cfg(test)]
mod tests {
    use testsmith_emit::Worth;

    use super::*;

    fn weight(regions: &[u32]) -> Weight {
        Weight {
            worth: Worth {
                regions: regions.iter().map(|it| RegionId(*it)).collect(),
                ..Worth::default()
            },
            is_whole: true,
            ..Weight::default()
        }
    }

    #[test]
    fn of_tests_that_show_the_same_one_stays() {
        let weights = [weight(&[1, 2]), weight(&[1, 2]), weight(&[1]), weight(&[3])];
        let at = |test| At { file: 0, test };
        let standing: BTreeMap<At, &Weight> = weights
            .iter()
            .enumerate()
            .map(|(i, it)| (at(i), it))
            .collect();
        let all: BTreeSet<At> = standing.keys().copied().collect();
        let gone = worthless(&standing, &all, &[]);
        assert_eq!(gone, [at(0), at(2)].into());
        let gone = worthless(&standing, &all, &[weight(&[1, 2, 3])]);
        assert_eq!(gone, all);
        assert!(worthless(&standing, &BTreeSet::new(), &[]).is_empty());
    }
}
