//! Tests are asked about a mutant, the cheapest first, until one fails.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_harness::{Copied, MutantId, RegionId};
use testsmith_record::Impact;

use super::own::{Bench, End, Learnt, Looking, Own};
use crate::PipelineError;
use crate::vet::Cell;

/// A mutant, and the tests that are to be asked.
pub(crate) struct Question {
    pub(crate) mutant: MutantId,
    /// By position, the cheapest first.
    pub(crate) tests: Vec<usize>,
}

/// What tests say of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// This test noticed, so.
    Killed(usize, End),
    /// None did.
    Survived,
}

/// Tests that together take less than this go first, and twice as much each time.
const FIRST_WAVE: f64 = 0.02;
/// Of a survivor, so many tests at most tell what it changed.
const MAX_WITNESSES: usize = 5;
/// And only those that take less.
const DEAR: f64 = 0.05;

impl Own {
    /// The tests that pass and go through the code of a mutant; all of them if that is not known.
    pub(crate) fn reaching(&self, copied: &Copied, mutant: MutantId) -> Vec<usize> {
        let region = copied.mutant(mutant).region;
        let region = region.filter(|it| copied.counted.contains(it));
        let reaches = |i: &usize| match region {
            Some(RegionId(region)) => self.learnt[*i].reached.contains(&region),
            None => true,
        };
        let mut tests: Vec<usize> = (0..self.tests.len())
            .filter(|i| self.learnt[*i].unfit.is_none())
            .filter(reaches)
            .collect();
        tests.sort_by(|a, b| self.learnt[*a].cost().total_cmp(&self.learnt[*b].cost()));
        tests
    }

    /// Processes, in order, each with tests of one binary.
    fn waves(&self, tests: &[usize], alone: bool) -> Vec<Vec<usize>> {
        if alone {
            return tests.iter().map(|test| vec![*test]).collect();
        }
        let mut waves: Vec<Vec<usize>> = Vec::new();
        let (mut limit, mut spent) = (FIRST_WAVE, 0.0);
        let mut wave: Vec<Vec<usize>> = Vec::new();
        // A process of many tests is likelier to notice than one of few, and takes as long to start.
        let finish =
            |wave: &mut Vec<Vec<usize>>| wave.sort_by_key(|it| std::cmp::Reverse(it.len()));
        for test in tests {
            let own = &self.tests[*test];
            spent += self.learnt[*test].cost();
            if spent > limit {
                finish(&mut wave);
                waves.append(&mut wave);
                (limit, spent) = (limit * 2.0, 0.0);
            }
            let is_with = |group: &&mut Vec<usize>| self.tests[group[0]].shares_process(own);
            match wave.iter_mut().find(is_with) {
                Some(group) => group.push(*test),
                None => wave.push(vec![*test]),
            }
        }
        finish(&mut wave);
        waves.append(&mut wave);
        waves
    }

    /// Asks tests about a mutant until one fails. `None` if the user cancelled.
    pub(crate) fn ask(
        &self,
        bench: &Bench<'_>,
        cell: &Cell,
        question: &Question,
        alone: bool,
    ) -> Result<Option<Answer>, PipelineError> {
        for group in self.waves(&question.tests, alone) {
            let tests: Vec<_> = group.iter().map(|i| &self.tests[*i]).collect();
            let learnt = group.iter().map(|i| &self.learnt[*i]);
            let Some((end, failed)) = bench.ask(cell, &tests, question.mutant.0, learnt)? else {
                return Ok(None);
            };
            if end == End::Passed {
                continue;
            }
            let named = failed.and_then(|name| {
                let is_it = |i: &&usize| self.tests[**i].is_called(&name);
                group.iter().find(is_it).copied()
            });
            let killer = match (named, group.as_slice()) {
                (Some(test), _) | (None, &[test]) => test,
                // The process ended: each alone says which test did that.
                _ => match self.culprit(bench, cell, &group, question.mutant)? {
                    Some(Some(test)) => test,
                    Some(None) => group[0],
                    None => return Ok(None),
                },
            };
            return Ok(Some(Answer::Killed(killer, end)));
        }
        Ok(Some(Answer::Survived))
    }

    /// The first of the tests that fails alone.
    #[expect(clippy::option_option, reason = "cancelled, none, or one")]
    fn culprit(
        &self,
        bench: &Bench<'_>,
        cell: &Cell,
        group: &[usize],
        mutant: MutantId,
    ) -> Result<Option<Option<usize>>, PipelineError> {
        for test in group {
            let learnt = std::iter::once(&self.learnt[*test]);
            match bench.ask(cell, &[&self.tests[*test]], mutant.0, learnt)? {
                None => return Ok(None),
                Some((End::Passed, _)) => {}
                Some(_) => return Ok(Some(Some(*test))),
            }
        }
        Ok(Some(None))
    }

    /// The tests that tell what a survivor changed.
    fn witnesses(&self, question: &Question) -> impl Iterator<Item = usize> {
        let is_cheap = |i: &usize| self.learnt[*i].seconds < DEAR && self.tests[*i].is_built();
        let tests = question.tests.iter().copied();
        tests.filter(is_cheap).take(MAX_WITNESSES)
    }

    /// What tests do that tell what survivors changed, with no mutant active; but for those that cannot
    /// stand to be looked at.
    pub(crate) fn seen(
        &self,
        bench: &Bench<'_>,
        survivors: &[Question],
    ) -> Result<BTreeMap<usize, Learnt>, PipelineError> {
        let witnesses = survivors.iter().flat_map(|it| self.witnesses(it));
        let witnesses: BTreeSet<usize> = witnesses.collect();
        let witnesses: Vec<usize> = witnesses.into_iter().collect();
        let seen = bench.each(&witnesses, &mut |_| {}, |cell, test| {
            bench.twice(cell, &self.tests[*test], Looking::Returns)
        })?;
        let seen = witnesses.into_iter().zip(seen);
        let seen = seen.filter_map(|(test, seen)| Some((test, seen?)));
        Ok(seen.filter(|(_, it)| it.unfit.is_none()).collect())
    }

    /// What a survivor changed in tests that go through it.
    pub(crate) fn impact(
        &self,
        bench: &Bench<'_>,
        cell: &Cell,
        (copied, seen): (&Copied, &BTreeMap<usize, Learnt>),
        question: &Question,
    ) -> Result<Impact, PipelineError> {
        let mut regions: BTreeSet<u32> = BTreeSet::new();
        let mut values: BTreeSet<u32> = BTreeSet::new();
        for test in self.witnesses(question) {
            let own = &self.tests[test];
            let (looking, known) = match seen.get(&test) {
                Some(seen) => (Looking::Returns, seen),
                None => (Looking::Entries, &self.learnt[test]),
            };
            let mutated = bench.observe(cell, own, looking, question.mutant.0, Some(known))?;
            let is_unsteady =
                |it: &u32| known.reached.contains(it) && !known.counts.contains_key(it);
            let entered = differing(&known.counts, &mutated.counts);
            regions.extend(entered.filter(|it| !is_unsteady(it)));
            // Of a function that was entered and is not noted, it is not the same each time.
            let is_noted =
                |it: &u32| known.returned.contains_key(it) || !known.reached.contains(it);
            let returned = differing(&known.returned, &mutated.returned);
            values.extend(returned.filter(is_noted));
        }
        let of = |region: &u32| copied.regions[*region as usize].function.as_str();
        let functions: BTreeSet<&str> = regions.iter().map(of).collect();
        Ok(Impact {
            functions: functions.len(),
            regions: regions.len(),
            values: values.len(),
        })
    }
}

/// Where numbers differ.
fn differing(one: &BTreeMap<u32, u64>, other: &BTreeMap<u32, u64>) -> impl Iterator<Item = u32> {
    let all: BTreeSet<u32> = one.keys().chain(other.keys()).copied().collect();
    all.into_iter().filter(|it| one.get(it) != other.get(it))
}
