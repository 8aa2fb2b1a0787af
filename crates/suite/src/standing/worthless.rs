//! Finds tests that became worthless: this run would not choose them again, and since it adds tests,
//! others enter all code that they enter, kill all mutants that they kill, and call all that they call.
//! They are proposed for removal, and stay until somebody removes them.
//!
//! A test of which all that was so before is not among them: it was chosen for what it asserts, and
//! whoever wants to know whether that is redundant asks `cargo testsmith minimize`.

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

/// How many of these tests show each thing.
fn counted<'w>(weights: impl Iterator<Item = &'w Weight>) -> BTreeMap<Shown, usize> {
    let mut counted = BTreeMap::new();
    for it in weights.flat_map(shown) {
        *counted.entry(it).or_default() += 1;
    }
    counted
}

/// Which of these candidates the others make worthless, all of them together. Candidates are among
/// `standing`; what tests show that are new is in `added`.
pub(crate) fn worthless(
    standing: &BTreeMap<At, &Weight>,
    candidates: &BTreeSet<At>,
    added: &[Weight],
) -> BTreeSet<At> {
    let before = counted(standing.values().copied());
    let mut now = counted(standing.values().copied().chain(added));
    let kills = |at: &At| standing.get(at).map_or(0, |it| it.worth.kills.len());
    let mut order: Vec<&At> = candidates.iter().collect();
    order.sort_by_key(|at| kills(at));
    let mut gone = BTreeSet::new();
    for at in order {
        // What shows nothing that is known may show something that is not.
        let Some(weight) = standing.get(at).filter(|it| it.is_whole) else {
            continue;
        };
        let own = shown(weight);
        let was_needed = own.iter().any(|it| before[it] == 1);
        if was_needed && own.iter().all(|it| now[it] > 1) {
            for it in own {
                now.entry(it).and_modify(|n| *n -= 1);
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
    fn a_test_is_worthless_once_a_new_one_shows_what_it_alone_showed() {
        let weights = [weight(&[1, 2]), weight(&[4]), weight(&[1]), weight(&[3])];
        let at = |test| At { file: 0, test };
        let standing = weights.iter().enumerate();
        let standing: BTreeMap<At, &Weight> = standing.map(|(i, it)| (at(i), it)).collect();
        let all: BTreeSet<At> = standing.keys().copied().collect();
        assert!(worthless(&standing, &all, &[]).is_empty());
        let gone = worthless(&standing, &all, &[weight(&[1, 2, 3])]);
        assert_eq!(gone, [at(0), at(3)].into());
        let none = worthless(&standing, &BTreeSet::new(), &[weight(&[1, 2, 3])]);
        assert!(none.is_empty());
    }
}
