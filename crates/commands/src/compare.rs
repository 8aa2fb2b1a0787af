//! Compares strategies on the same harness, with the same number of calls and many seeds.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use testsmith_api::{OperationId, Origin};
use testsmith_equip::{
    Clock, Equipped, Event, Exploring, Outcome, Stage, Target, Watch, explore, learn, mine,
};
use testsmith_explore::{Cause, Failure, Ledger, Literals, Options, StrategyName};
use testsmith_harness::Copied;
use testsmith_protocol::Death;
use testsmith_record::{CompareReport, Duel, RecordKind, RunReport, SCHEMA, Versus};
use testsmith_sequence::World;
use testsmith_states::StateBy;
use testsmith_suite::{Farthest, Judgement, n_killed};

use crate::config::Config;
use crate::error::CommandError;

/// A strategy, and the notion by which it takes values for the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contestant {
    /// The strategy.
    pub strategy: StrategyName,
    /// The notion, if it is not the strategy's own.
    pub state_by: Option<StateBy>,
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.state_by {
            None => write!(f, "{}", self.strategy),
            Some(by) => write!(f, "{}@{by}", self.strategy),
        }
    }
}

impl FromStr for Contestant {
    type Err = String;

    fn from_str(text: &str) -> Result<Contestant, String> {
        let (strategy, state_by) = match text.split_once('@') {
            None => (text, None),
            Some((strategy, by)) => (strategy, Some(by.parse()?)),
        };
        Ok(Contestant {
            strategy: strategy.parse()?,
            state_by,
        })
    }
}

/// What is compared, and how.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The strategies. The first is measured against each of the others.
    pub strategies: Vec<Contestant>,
    /// The first seed.
    pub first_seed: u64,
    /// How many seeds there are, the first among them.
    pub n_seeds: u64,
    /// How many calls each run makes.
    pub calls: u64,
    /// Are the mutants counted that kept executions kill?
    pub mutants: bool,
    /// If given, only panics count whose message contains this text, and each message counts once.
    pub fault: Option<String>,
}

/// Builds the harness once, and explores with every strategy and seed. An interruption ends it; a
/// seed that not all strategies have had is left out.
pub fn compare(
    config: &Config,
    comparison: &Comparison,
    watch: &mut Watch<'_>,
) -> Result<Outcome<CompareReport>, CommandError> {
    let report = compared(config, comparison, watch);
    watch.outcome(report)
}

fn compared(
    config: &Config,
    comparison: &Comparison,
    watch: &mut Watch<'_>,
) -> Result<CompareReport, CommandError> {
    let learnt = learn(&config.equipping, watch)?;
    let machinery = &config.equipping.machinery;
    let equipped = learnt.equip(machinery, watch, &mut Clock::default())?;
    watch.enter(Stage::Explore);
    let Target {
        package, limited, ..
    } = &equipped.target;
    let ring = Ring {
        literals: mine(&package.dir, &equipped.world.catalogue.api, limited),
        equipped: &equipped,
        exploring: &config.exploring,
        comparison,
    };
    let mut runs = Vec::new();
    'seeds: for seed in (0..comparison.n_seeds).map(|n| comparison.first_seed.wrapping_add(n)) {
        let mut of_seed = Vec::new();
        for contestant in &comparison.strategies {
            if watch.is_cancelled() {
                break 'seeds;
            }
            of_seed.push(ring.run(contestant, seed, watch)?);
        }
        runs.extend(of_seed);
    }
    let mut names = comparison.strategies.iter().map(Contestant::to_string);
    let strategy = names.next().unwrap_or_default();
    Ok(CompareReport {
        schema: SCHEMA,
        kind: RecordKind::Compare,
        package: package.name.clone(),
        version: package.version.clone(),
        calls: comparison.calls,
        against: names.map(|other| versus(&strategy, other, &runs)).collect(),
        strategy,
        runs,
        interrupted: watch.is_cancelled(),
    })
}

/// What all runs share.
struct Ring<'r> {
    equipped: &'r Equipped,
    literals: Literals,
    exploring: &'r Exploring,
    comparison: &'r Comparison,
}

impl Ring<'_> {
    /// Runs one strategy with one seed.
    fn run(
        &self,
        contestant: &Contestant,
        seed: u64,
        watch: &mut Watch<'_>,
    ) -> Result<RunReport, CommandError> {
        let Equipped { world, copied, .. } = self.equipped;
        let copied = copied.as_ref();
        let exploring = Exploring {
            seed,
            calls: Some(self.comparison.calls),
            strategy: contestant.strategy,
            state_by: contestant.state_by,
            ..self.exploring.clone()
        };
        let options = Options {
            seed,
            laws: false,
            state_by: contestant.state_by,
            rounds: exploring.rounds,
            ..Options::default()
        };
        // No seeds from examples or tests, so that strategies differ only in what they make of
        // feedback.
        let literals = self.literals.clone();
        let mut strategy = contestant.strategy.start(world, literals, &[], options);
        let mut executor = self.equipped.guests.start()?;
        let began = Instant::now();
        explore(&exploring, world, &mut *strategy, &mut executor, watch)?;
        let seconds = began.elapsed().as_secs_f64();
        let ledger = strategy.ledger();
        let mutants = match copied.filter(|_| self.comparison.mutants) {
            None => None,
            Some(copied) => {
                let cancel = Arc::clone(watch.cancel());
                let judgement = Judgement {
                    copied,
                    cancel: &cancel,
                    progress: &mut |n, of| watch.tell(Event::Judging { n, of }),
                    farthest: &mut Farthest::default(),
                    only: None,
                };
                let kept = ledger.record().executions();
                Some(n_killed(world, &mut executor, kept, judgement)?)
            }
        };
        Ok(RunReport {
            strategy: contestant.to_string(),
            seed,
            seconds,
            mutants,
            ..report(world, ledger, copied, self.comparison.fault.as_deref())
        })
    }
}

fn report(
    world: &World,
    ledger: &Ledger,
    copied: Option<&Copied>,
    fault: Option<&str>,
) -> RunReport {
    let mut reached = BTreeSet::new();
    for (i, operation) in world.catalogue.operations.iter().enumerate() {
        if let Origin::Callable(callable) = operation.origin
            && world.catalogue.api.callables[callable.0 as usize].counted
            && ledger.n_returned(OperationId(i as u32)) > 0
        {
            reached.insert(callable);
        }
    }
    // Time-outs are not counted, because they depend on the machine.
    let is_slow = |failure: &&Failure| failure.cause == Cause::Death(Death::TimedOut);
    let failures = ledger.record().failures().filter(|it| !is_slow(it));
    let failures: BTreeSet<String> = failures
        .filter_map(|failure| match fault {
            None => Some(describe(world, failure)),
            Some(fault) => {
                let is_it = failure.message.contains(fault);
                is_it.then(|| failure.message.clone())
            }
        })
        .collect();
    let stats = ledger.stats();
    RunReport {
        strategy: String::new(),
        seed: 0,
        seconds: 0.0,
        mutants: None,
        branches: copied.map_or(0, |copied| {
            ledger.regions().filter(|id| copied.is_branch(*id)).count() as u64
        }),
        calls: stats.n_calls,
        sequences: stats.n_sequences,
        states: ledger.n_states() as u64,
        reached: reached.len() as u64,
        regions: ledger.n_regions() as u64,
        kept: ledger.record().executions().len() as u64,
        failures: failures.into_iter().collect(),
    }
}

/// A failure by its callable and cause, the same for all instances of the callable.
fn describe(world: &World, failure: &Failure) -> String {
    let operation = world.catalogue.operation(failure.operation);
    let what = match operation.origin {
        Origin::Callable(callable) => &world.catalogue.api.callables[callable.0 as usize].key,
        Origin::Beside(_) | Origin::Recipe | Origin::Law => &operation.key,
    };
    match &failure.cause {
        Cause::Panic { file, line, .. } => format!("{what}: panic at {file}:{line}"),
        Cause::Death(death) => format!("{what}: {death:?}"),
    }
}

fn versus(strategy: &str, other: String, runs: &[RunReport]) -> Versus {
    let duel = |count: &dyn Fn(&RunReport) -> Option<usize>| {
        let counted = |name: &str| -> Option<Vec<usize>> {
            let runs = runs.iter().filter(|run| run.strategy == name);
            runs.map(count).collect()
        };
        Some(duel(&counted(strategy)?, &counted(&other)?))
    };
    let failures = |run: &RunReport| Some(run.failures.len());
    let branches = |run: &RunReport| Some(run.branches as usize);
    let mutants = |run: &RunReport| run.mutants.map(|n| n as usize);
    let (failures, branches) = (duel(&failures), duel(&branches));
    let mutants = duel(&mutants);
    Versus {
        strategy: other,
        failures: failures.expect("failures are always counted"),
        branches: branches.expect("branches are always counted"),
        mutants,
    }
}

fn duel(ours: &[usize], theirs: &[usize]) -> Duel {
    let n_with = |ordering| {
        let pairs = ours.iter().zip(theirs);
        pairs.filter(|(a, b)| a.cmp(b) == ordering).count() as u64
    };
    Duel {
        a12: a12(ours, theirs),
        won: n_with(std::cmp::Ordering::Greater),
        tied: n_with(std::cmp::Ordering::Equal),
        lost: n_with(std::cmp::Ordering::Less),
    }
}

/// The effect size of Vargha and Delaney (2000): the probability that a value of the first sample
/// is greater than one of the second, ties counting half. 0.5 if there is nothing to compare.
fn a12(first: &[usize], second: &[usize]) -> f64 {
    let n_pairs = first.len() * second.len();
    if n_pairs == 0 {
        return 0.5;
    }
    let score = |a: &usize| -> f64 {
        let scores = second.iter().map(|b| match a.cmp(b) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        });
        scores.sum()
    };
    first.iter().map(score).sum::<f64>() / n_pairs as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a12_is_the_chance_to_be_greater_with_ties_counting_half() {
        assert_eq!(a12(&[2, 3], &[0, 1]), 1.0);
        assert_eq!(a12(&[0, 1], &[2, 3]), 0.0);
        assert_eq!(a12(&[1, 2, 3], &[1, 2, 3]), 0.5);
        // Pairs: 1>0, 1=1, 4>0, 4>1.
        assert_eq!(a12(&[1, 4], &[0, 1]), 0.875);
        assert_eq!(a12(&[], &[1]), 0.5);
    }
}
