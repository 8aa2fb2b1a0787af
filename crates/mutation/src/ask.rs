//! Tests are asked about a mutant, the cheapest first, until one fails.

use testsmith_harness::{Copied, MutantId};
use testsmith_rig::{Own, Reaction};

use crate::error::MutationError;
use crate::panel::Panel;

/// A mutant, and the tests that are to be asked about it.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) mutant: MutantId,
    /// The positions of the tests, the cheapest test first.
    pub(crate) tests: Vec<usize>,
    /// Has each test a process of its own?
    pub(crate) is_apart: bool,
}

/// What tests say about a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// The test at this position noticed the mutant, in this way.
    Killed(usize, Reaction),
    /// No test noticed it.
    Survived,
    /// The user cancelled before all tests had been asked.
    Cancelled,
}

/// Which test of a group noticed a mutant.
enum Culprit {
    Test(usize),
    /// None of them fails alone.
    None,
    /// The user cancelled.
    Cancelled,
}

/// The first wave has tests that together take less than this many seconds, and each further wave
/// takes twice as much.
const FIRST_WAVE: f64 = 0.02;

/// The fit tests that go through the code of a mutant, the cheapest first. All fit tests if entries
/// of that code are not counted.
pub(crate) fn reaching(own: &Own, copied: &Copied, mutant: MutantId) -> Vec<usize> {
    let region = copied.mutant(mutant).region;
    let region = region.filter(|it| copied.counted.contains(it));
    let reaches = |i: &usize| match region {
        Some(region) => own.profiles[*i].reached.contains(&region),
        None => true,
    };
    let mut tests: Vec<usize> = (0..own.tests.len())
        .filter(|i| own.profiles[*i].unfit.is_none())
        .filter(reaches)
        .collect();
    tests.sort_by(|a, b| {
        let cost = |test: &usize| own.profiles[*test].cost();
        cost(a).total_cmp(&cost(b))
    });
    tests
}

/// The processes to start, in order, each with tests that can share it.
fn waves(panel: &impl Panel, question: &Question) -> Vec<Vec<usize>> {
    if question.is_apart {
        return question.tests.iter().map(|test| vec![*test]).collect();
    }
    let mut waves: Vec<Vec<usize>> = Vec::new();
    let (mut limit, mut spent) = (FIRST_WAVE, 0.0);
    let mut wave: Vec<Vec<usize>> = Vec::new();
    // A process with many tests is more likely to notice than one with few, and takes as long to
    // start.
    let finish = |wave: &mut Vec<Vec<usize>>| wave.sort_by_key(|it| std::cmp::Reverse(it.len()));
    for test in &question.tests {
        spent += panel.profile(*test).cost();
        if spent > limit {
            finish(&mut wave);
            waves.append(&mut wave);
            (limit, spent) = (limit * 2.0, 0.0);
        }
        let is_with = |group: &&mut Vec<usize>| panel.share_process(group[0], *test);
        match wave.iter_mut().find(is_with) {
            Some(group) => group.push(*test),
            None => wave.push(vec![*test]),
        }
    }
    finish(&mut wave);
    waves.append(&mut wave);
    waves
}

/// Asks tests about a mutant until one notices it.
pub(crate) fn ask<P: Panel>(
    panel: &P,
    cell: &P::Cell,
    question: &Question,
) -> Result<Answer, MutationError> {
    for group in waves(panel, question) {
        let Some((reaction, named)) = panel.ask(cell, &group, question.mutant)? else {
            return Ok(Answer::Cancelled);
        };
        if reaction == Reaction::Passed {
            continue;
        }
        let named = named.and_then(|name| panel.called(&group, &name));
        let killer = match (named, group.as_slice()) {
            (Some(test), _) | (None, &[test]) => test,
            // The process ended without naming a test, so each test runs alone to find the one that
            // ended it.
            _ => match culprit(panel, cell, &group, question.mutant)? {
                Culprit::Test(test) => test,
                Culprit::None => group[0],
                Culprit::Cancelled => return Ok(Answer::Cancelled),
            },
        };
        return Ok(Answer::Killed(killer, reaction));
    }
    Ok(Answer::Survived)
}

/// The first test of a group that fails alone.
fn culprit<P: Panel>(
    panel: &P,
    cell: &P::Cell,
    group: &[usize],
    mutant: MutantId,
) -> Result<Culprit, MutationError> {
    for test in group {
        match panel.ask(cell, &[*test], mutant)? {
            None => return Ok(Culprit::Cancelled),
            Some((Reaction::Passed, _)) => {}
            Some(_) => return Ok(Culprit::Test(*test)),
        }
    }
    Ok(Culprit::None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fake, Fate};

    fn question(tests: &[usize], is_apart: bool) -> Question {
        Question {
            mutant: MutantId(1),
            tests: tests.to_vec(),
            is_apart,
        }
    }

    fn answer(fake: &Fake, tests: &[usize]) -> Answer {
        ask(fake, &(), &question(tests, false)).expect("a fake fails only on purpose")
    }

    #[test]
    fn the_first_test_that_fails_is_the_killer_and_nobody_is_asked_after_it() {
        let mut fake = Fake::with_costs(&[0.015, 0.015, 0.1]);
        fake.fates.insert((MutantId(1), 1), Fate::Fails);
        assert_eq!(
            answer(&fake, &[0, 1, 2]),
            Answer::Killed(1, Reaction::Failed)
        );
        assert_eq!(fake.asked(), [vec![0], vec![1]]);
    }

    #[test]
    fn cheap_tests_of_one_binary_share_a_process() {
        let fake = Fake::with_costs(&[0.001, 0.001, 0.001, 0.5]);
        assert_eq!(answer(&fake, &[0, 1, 2, 3]), Answer::Survived);
        assert_eq!(fake.asked(), [vec![0, 1, 2], vec![3]]);
    }

    #[test]
    fn tests_of_other_binaries_have_processes_of_their_own_the_fullest_first() {
        let mut fake = Fake::with_costs(&[0.001, 0.001, 0.001]);
        fake.binaries = vec![0, 1, 1];
        assert_eq!(answer(&fake, &[0, 1, 2]), Answer::Survived);
        assert_eq!(fake.asked(), [vec![1, 2], vec![0]]);
    }

    #[test]
    fn with_processes_of_their_own_tests_are_asked_one_by_one() {
        let fake = Fake::with_costs(&[0.001, 0.001]);
        let answer = ask(&fake, &(), &question(&[0, 1], true)).expect("nothing fails");
        assert_eq!(answer, Answer::Survived);
        assert_eq!(fake.asked(), [vec![0], vec![1]]);
    }

    #[test]
    fn a_process_that_dies_nameless_is_asked_test_by_test() {
        let mut fake = Fake::with_costs(&[0.001, 0.001, 0.001]);
        fake.fates.insert((MutantId(1), 1), Fate::Dies);
        assert_eq!(answer(&fake, &[0, 1, 2]), Answer::Killed(1, Reaction::Died));
        assert_eq!(fake.asked(), [vec![0, 1, 2], vec![0], vec![1]]);
    }

    #[test]
    fn what_dies_only_together_is_told_of_the_first() {
        let mut fake = Fake::with_costs(&[0.001, 0.001]);
        fake.fates.insert((MutantId(1), 1), Fate::DiesInCompany);
        assert_eq!(answer(&fake, &[0, 1]), Answer::Killed(0, Reaction::Died));
    }

    #[test]
    fn cancelled_is_no_verdict() {
        let mut fake = Fake::with_costs(&[0.001]);
        fake.fates.insert((MutantId(1), 0), Fate::Cancels);
        assert_eq!(answer(&fake, &[0]), Answer::Cancelled);
    }
}
