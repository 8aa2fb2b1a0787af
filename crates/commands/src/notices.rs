//! Comments that say which mutants a test is there for.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use testsmith_emit::TestCase;
use testsmith_harness::{Copied, Mutant, MutantId};
use testsmith_record::shown;

/// The most changes that a comment names.
const MAX_NAMED: usize = 4;

/// Lets the comment of each test say which of these mutants it notices: each mutant is told once, where the
/// test has no other.
pub(crate) fn tell_mutants(cases: &mut [TestCase], only: &FxHashSet<MutantId>, copied: &Copied) {
    let kills = cases.iter().map(|it| &it.worth.kills);
    let kills: Vec<BTreeSet<MutantId>> = kills
        .map(|it| it.iter().copied().filter(|it| only.contains(it)).collect())
        .collect();
    for (case, told) in cases.iter_mut().zip(shared_out(&kills)) {
        let mut lines: Vec<String> = Vec::new();
        for mutant in told {
            let line = notice(copied.mutant(mutant));
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        let n_more = lines.len().saturating_sub(MAX_NAMED);
        lines.truncate(MAX_NAMED);
        if n_more > 0 {
            lines.push(format!("And {n_more} more."));
        }
        case.worth.told = lines;
    }
}

/// Shares the mutants out among the tests that kill them: what only one test kills is that test's, and the
/// others go to the test that has fewest.
fn shared_out(kills: &[BTreeSet<MutantId>]) -> Vec<Vec<MutantId>> {
    let mut killers: BTreeMap<MutantId, Vec<usize>> = BTreeMap::new();
    for (i, mutants) in kills.iter().enumerate() {
        for mutant in mutants {
            killers.entry(*mutant).or_default().push(i);
        }
    }
    let mut shared: Vec<Vec<MutantId>> = vec![Vec::new(); kills.len()];
    let mut order: Vec<(MutantId, Vec<usize>)> = killers.into_iter().collect();
    order.sort_by_key(|(mutant, killers)| (killers.len(), *mutant));
    for (mutant, killers) in order {
        if let Some(least) = killers.into_iter().min_by_key(|i| (shared[*i].len(), *i)) {
            shared[least].push(mutant);
        }
    }
    shared.iter_mut().for_each(|it| it.sort_unstable());
    shared
}

/// What a test notices, in one line.
fn notice(mutant: &Mutant) -> String {
    let Mutant {
        original,
        replacement,
        function,
        ..
    } = mutant;
    let line = match (mutant.operator, &**replacement) {
        ("return", _) => format!("Notices `{replacement}` in place of the body of `{function}`."),
        (_, "(deleted)") => format!("Notices if `{original}` is missing in `{function}`."),
        _ => format!("Notices `{replacement}` in place of `{original}` in `{function}`."),
    };
    shown(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: &[u32]) -> BTreeSet<MutantId> {
        numbers.iter().copied().map(MutantId).collect()
    }

    #[test]
    fn each_mutant_is_told_once_and_first_where_nothing_else_is() {
        let kills = [of(&[1, 2, 3]), of(&[2]), of(&[3, 4])];
        let shared = shared_out(&kills);
        let numbers = |of: &[MutantId]| of.iter().map(|it| it.0).collect::<Vec<_>>();
        let shared: Vec<Vec<u32>> = shared.iter().map(|it| numbers(it)).collect();
        assert_eq!(shared, [vec![1, 3], vec![2], vec![4]]);
    }
}
