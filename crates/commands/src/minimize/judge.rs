//! Decides which tests of a suite are redundant, by pure functions of what was recorded.
//!
//! A method execution is a function at the types it is called at, and the states of all its
//! arguments ("Rostra", section 2). A test is redundant if tests that stay make every execution
//! that it makes (section 4.1), and assert what it asserts. The paper's tests assert nothing of
//! their own. Where tests do, two conditions must hold: every mutant that makes the test fail makes
//! a staying test fail too, and the text of every assertion stands in a staying test that shares
//! executions with it.
//!
//! **Assertions are compared twice.** The notion of redundancy is about calls; tests of people
//! assert things. Mutants say what a test would notice, but there are only so many of them, and
//! none in macros; text says what it asserts, but not whether that matters. A test goes only if
//! neither has anything against it (`minimize/judge.rs`).

use std::collections::{BTreeMap, BTreeSet};

use testsmith_harness::{MutantId, RegionId};
use testsmith_rig::Assertions;

/// The digest of a function with its types and the states of its arguments.
pub(crate) type Execution = u64;

/// What is known of a test.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observed {
    /// The executions that it makes each time, as far as they can be seen whole.
    pub(crate) executions: BTreeSet<Execution>,
    /// The last execution.
    pub(crate) last: Option<Execution>,
    /// The regions that it enters each time.
    pub(crate) regions: BTreeSet<RegionId>,
    /// The mutants that make it fail, of those that were asked about.
    pub(crate) kills: BTreeSet<MutantId>,
    /// What its text asserts, if the text was found.
    pub(crate) assertions: Option<Assertions>,
    /// Did testsmith write it? Such tests are rewritten by the next run, so they cannot make a test
    /// redundant that people wrote.
    pub(crate) is_ours: bool,
    /// Does it run and pass? A test that does not says nothing about others.
    pub(crate) passes: bool,
    /// Why it is not judged, if it is not.
    pub(crate) unjudged: Option<String>,
}

/// What keeps a test from being redundant, although other tests make all of its calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Difference {
    /// Assertions that no other test has.
    pub(crate) assertions: Vec<String>,
    /// Mutants that no other test kills.
    pub(crate) mutants: BTreeSet<MutantId>,
    /// Regions that no other test enters. Other tests make the same calls from outside, so it must
    /// be by chance.
    pub(crate) regions: BTreeSet<RegionId>,
    /// Why its text does not say all that it asserts.
    pub(crate) unknown: Option<String>,
}

/// The judgement on a suite.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Verdict {
    /// Tests that can be taken out, all of them together.
    pub(crate) redundant: BTreeSet<usize>,
    /// Tests that stay although other staying tests make all of their calls.
    pub(crate) differing: BTreeMap<usize, Difference>,
    /// Tests that are redundant, but must stay.
    pub(crate) kept: BTreeSet<usize>,
}

/// Tests whose every execution other tests make too. Only these can be redundant.
pub(crate) fn candidates(tests: &[Observed]) -> BTreeSet<usize> {
    let makers = makers(tests, |_| true);
    let is_candidate = |test: &Observed| {
        test.unjudged.is_none()
            && !test.executions.is_empty()
            && test.executions.iter().all(|it| makers[it].len() > 1)
    };
    let tests = tests.iter().enumerate();
    tests
        .filter(|(_, test)| is_candidate(test))
        .map(|(i, _)| i)
        .collect()
}

/// Judges the candidates from the last to the first, so that of two alike tests the first stays. A
/// test that must stay while many others do must stay when fewer do, so one pass is enough. Tests
/// in `kept` stay anyway.
pub(crate) fn judge(tests: &[Observed], kept: &BTreeSet<usize>) -> Verdict {
    let mut verdict = Verdict::default();
    for candidate in candidates(tests).into_iter().rev() {
        let test = &tests[candidate];
        let stays = |i: usize| {
            i != candidate && is_judge(&tests[i], test) && !verdict.redundant.contains(&i)
        };
        let makers = makers(tests, stays);
        if !test.executions.iter().all(|it| makers.contains_key(it)) {
            continue;
        }
        let difference = difference(tests, test, &makers, stays);
        if difference != Difference::default() {
            verdict.differing.insert(candidate, difference);
        } else if kept.contains(&candidate) {
            verdict.kept.insert(candidate);
        } else {
            verdict.redundant.insert(candidate);
        }
    }
    // Some differing tests were compared with tests that were taken out later. If those that stay
    // do not make all of their calls, there is nothing to report about them.
    let by = |i: usize, of: &Observed| {
        let stays = |it: usize| is_judge(&tests[it], of) && !verdict.redundant.contains(&it);
        let makers = makers(tests, |it| it != i && stays(it));
        of.executions.iter().all(|it| makers.contains_key(it))
    };
    let differing = std::mem::take(&mut verdict.differing);
    let differing = differing.into_iter();
    verdict.differing = differing.filter(|(i, _)| by(*i, &tests[*i])).collect();
    verdict
}

/// A few staying tests that together make all the executions of one. Those that share most
/// executions and assertions with it come first.
pub(crate) fn made_by(tests: &[Observed], test: usize, redundant: &BTreeSet<usize>) -> Vec<usize> {
    let mut left = tests[test].executions.clone();
    let stays =
        |i: &usize| *i != test && is_judge(&tests[*i], &tests[test]) && !redundant.contains(i);
    let mut by = Vec::new();
    while !left.is_empty() {
        let n_made = |i: &usize| tests[*i].executions.intersection(&left).count();
        let n_asserted = |i: &usize| {
            let (Some(own), Some(other)) = (&tests[test].assertions, &tests[*i].assertions) else {
                return 0;
            };
            let shared = own.items.keys().filter(|it| other.items.contains_key(*it));
            shared.count()
        };
        let others = (0..tests.len()).filter(stays).rev();
        let most = others.max_by_key(|i| (n_made(i), n_asserted(i)));
        let Some(most) = most.filter(|it| n_made(it) > 0) else {
            break;
        };
        left.retain(|it| !tests[most].executions.contains(it));
        by.push(most);
    }
    by
}

/// Can one test make another redundant?
fn is_judge(one: &Observed, other: &Observed) -> bool {
    one.passes && one.is_ours <= other.is_ours
}

/// The tests that make each execution.
fn makers(
    tests: &[Observed],
    is_meant: impl Fn(usize) -> bool,
) -> BTreeMap<Execution, BTreeSet<usize>> {
    let mut makers: BTreeMap<Execution, BTreeSet<usize>> = BTreeMap::new();
    for (i, test) in tests.iter().enumerate() {
        if test.passes && is_meant(i) {
            for execution in &test.executions {
                makers.entry(*execution).or_default().insert(i);
            }
        }
    }
    makers
}

/// The elements of a test that none of the others has.
fn left<T: Ord + Clone>(
    test: &Observed,
    others: &[&Observed],
    of: fn(&Observed) -> &BTreeSet<T>,
) -> BTreeSet<T> {
    let mut left = of(test).clone();
    for other in others {
        left.retain(|it| !of(other).contains(it));
    }
    left
}

/// What a test shows that the staying tests do not.
fn difference(
    tests: &[Observed],
    test: &Observed,
    makers: &BTreeMap<Execution, BTreeSet<usize>>,
    stays: impl Fn(usize) -> bool,
) -> Difference {
    let staying: Vec<&Observed> = (0..tests.len())
        .filter(|i| stays(*i))
        .map(|i| &tests[i])
        .collect();
    let mut difference = Difference {
        mutants: left(test, &staying, |it| &it.kills),
        regions: left(test, &staying, |it| &it.regions),
        ..Difference::default()
    };
    let Some(assertions) = &test.assertions else {
        difference.unknown = Some("its text is not found: a macro makes it, perhaps".to_owned());
        return difference;
    };
    difference.unknown.clone_from(&assertions.problem);
    let sharing: BTreeSet<usize> = test
        .executions
        .iter()
        .flat_map(|it| makers[it].iter().copied())
        .collect();
    let texts = |meant: &BTreeSet<usize>| {
        let texts = meant.iter().filter_map(|i| tests[*i].assertions.as_ref());
        texts.cloned().collect::<Vec<Assertions>>()
    };
    let others = texts(&sharing);
    for (canonical, shown) in &assertions.items {
        if !others.iter().any(|it| it.items.contains_key(canonical)) {
            difference.assertions.push(shown.clone());
        }
    }
    if let Some(panics) = &assertions.panics {
        // The last call is the one that panics, so it must be the same.
        let is_alike = |i: &usize| tests[*i].last == test.last;
        let others = texts(&sharing.iter().copied().filter(is_alike).collect());
        if !others.iter().any(|it| it.panics.as_ref() == Some(panics)) {
            difference.assertions.push(panics.clone());
        }
    }
    for name in &assertions.names {
        if !others.iter().any(|it| it.names.contains(name)) {
            difference.assertions.push(format!("only it uses `{name}`"));
        }
    }
    difference
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(executions: &[u64], asserts: &[&str]) -> Observed {
        Observed {
            executions: executions.iter().copied().collect(),
            last: executions.last().copied(),
            assertions: Some(Assertions {
                items: asserts
                    .iter()
                    .map(|it| ((*it).to_owned(), (*it).to_owned()))
                    .collect(),
                ..Assertions::default()
            }),
            passes: true,
            ..Observed::default()
        }
    }

    fn redundant(tests: &[Observed]) -> Vec<usize> {
        judge(tests, &BTreeSet::new())
            .redundant
            .into_iter()
            .collect()
    }

    #[test]
    fn what_testsmith_wrote_makes_no_test_of_somebody_redundant() {
        let ours = Observed {
            is_ours: true,
            ..seen(&[1, 2, 3], &["a", "b"])
        };
        assert!(redundant(&[seen(&[1, 2], &["a"]), ours.clone()]).is_empty());
        let one = Observed {
            is_ours: true,
            ..seen(&[1, 2], &["a"])
        };
        assert_eq!(redundant(&[one.clone(), ours]), [0]);
        assert_eq!(redundant(&[seen(&[1, 2, 3], &["a", "b"]), one]), [1]);
    }

    #[test]
    fn of_two_alike_the_first_stays() {
        let tests = [seen(&[1, 2], &["a"]), seen(&[1, 2], &["a"])];
        assert_eq!(redundant(&tests), [1]);
    }

    #[test]
    fn a_test_that_later_ones_contain_goes_too() {
        let tests = [seen(&[1], &["a"]), seen(&[1, 2], &["a", "b"])];
        assert_eq!(redundant(&tests), [0]);
        // Together, the other two make what the first makes.
        let tests = [
            seen(&[1, 2], &["a"]),
            seen(&[1, 3], &["a"]),
            seen(&[2, 4], &["b"]),
        ];
        assert_eq!(redundant(&tests), [0]);
        assert_eq!(made_by(&tests, 0, &[0].into()), [1, 2]);
    }

    #[test]
    fn what_goes_is_no_reason_for_others_to_go() {
        let tests = [
            seen(&[1, 2], &["a"]),
            seen(&[2, 3], &["a"]),
            seen(&[3, 1], &["a"]),
        ];
        assert_eq!(redundant(&tests), [2]);
    }

    #[test]
    fn another_assertion_keeps_a_test() {
        let tests = [seen(&[1], &["a"]), seen(&[1], &["b"])];
        let verdict = judge(&tests, &BTreeSet::new());
        assert!(verdict.redundant.is_empty());
        assert_eq!(verdict.differing[&1].assertions, ["b"]);
        // An assertion with the same text about other calls does not count.
        let tests = [seen(&[1], &["a"]), seen(&[1], &["b"]), seen(&[2], &["b"])];
        assert!(redundant(&tests).is_empty());
    }

    #[test]
    fn a_mutant_that_it_alone_kills_keeps_a_test() {
        let mut tests = [seen(&[1], &["a"]), seen(&[1], &["a"])];
        tests[1].kills = [MutantId(7)].into();
        // The first is redundant then, because the second does all that it does.
        assert_eq!(redundant(&tests), [0]);
        tests[0].kills = [MutantId(8)].into();
        assert!(redundant(&tests).is_empty());
        assert_eq!(
            judge(&tests, &BTreeSet::new()).differing[&1].mutants,
            [MutantId(7)].into()
        );
    }

    #[test]
    fn what_is_not_judged_stays_and_what_fails_shows_nothing() {
        let mut tests = [seen(&[1], &["a"]), seen(&[1], &["a"])];
        tests[1].unjudged = Some("opaque".to_owned());
        assert_eq!(redundant(&tests), [0]);
        tests[1].passes = false;
        assert!(redundant(&tests).is_empty());
    }

    #[test]
    fn a_test_without_calls_or_without_text_stays() {
        let mut tests = [
            seen(&[], &[]),
            seen(&[], &[]),
            seen(&[1], &[]),
            seen(&[1], &[]),
        ];
        tests[2].assertions = None;
        tests[3].assertions = None;
        let verdict = judge(&tests, &BTreeSet::new());
        assert!(verdict.redundant.is_empty());
        assert_eq!(verdict.differing.len(), 2);
    }

    #[test]
    fn a_panic_must_be_expected_of_the_same_call() {
        let mut tests = [seen(&[1, 2], &[]), seen(&[1, 2], &[]), seen(&[1], &[])];
        let expect = |it: &mut Observed| {
            let assertions = it.assertions.as_mut().expect("a text");
            assertions.panics = Some("should_panic".to_owned());
        };
        expect(&mut tests[1]);
        expect(&mut tests[2]);
        assert_eq!(redundant(&tests), [0]);
        expect(&mut tests[0]);
        assert_eq!(redundant(&tests), [1]);
    }
}
