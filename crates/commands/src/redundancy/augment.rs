//! Augments a suite by calling every method on each of its states with each of its lists of
//! arguments, round by round: the second experiment of the paper (section 5.3, figures 13 and 14).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use testsmith_api::TypeIdx;
use testsmith_equip::{Executor, Exploring, Watch, explore};
use testsmith_explore::{Exhaustive, Literals, Options, Start, Strategy as _, StrategyName};
use testsmith_harness::{Copied, GuestError};
use testsmith_record::{AugmentReport, Reached};
use testsmith_sequence::{Sequence, World};
use testsmith_states::StateBy;

use super::suites::Subject;

/// The number of rounds, as in the paper.
const ROUNDS: u32 = 2;
/// The most calls of one round and all before it.
const MAX_CALLS: u64 = 2_000_000;

/// What is augmented.
#[derive(Clone, Copy)]
pub(super) struct Begun<'b> {
    /// The type that the suite is about.
    pub(super) ty: TypeIdx,
    pub(super) subject: &'b Subject,
    /// The suite's tests.
    pub(super) tests: &'b [Sequence],
}

/// Augments a suite by every notion except for the one to which all sequences differ.
pub(super) fn augment(
    exploring: &Exploring,
    world: &World,
    executor: &mut Executor,
    copied: Option<&Copied>,
    begun: Begun<'_>,
    cancel: &Arc<AtomicBool>,
) -> Result<Vec<AugmentReport>, GuestError> {
    let Begun { ty, subject, tests } = begun;
    let mut reports = Vec::new();
    for by in StateBy::ALL
        .into_iter()
        .filter(|by| *by != StateBy::WholeSeq)
    {
        let mut rounds = Vec::new();
        for n_rounds in 0..=ROUNDS {
            let start = Start {
                sequences: tests.to_vec(),
                is_all: true,
                operations: Some(subject.methods.iter().copied().collect()),
                ..Start::default()
            };
            let options = Options {
                state_by: Some(by),
                rounds: Some(n_rounds),
                laws: false,
                ..Options::default()
            };
            let exploring = Exploring {
                calls: Some(MAX_CALLS),
                strategy: StrategyName::StateExhaustive,
                state_by: Some(by),
                ..exploring.clone()
            };
            let began = Instant::now();
            let mut strategy = Exhaustive::starting(world, Literals::default(), start, options);
            // It is no news here that there is nothing more to try, so the user is not told.
            let mut silence = |_| {};
            let mut watch = Watch::new(&mut silence, cancel);
            explore(&exploring, world, &mut strategy, executor, &mut watch)?;
            let ledger = strategy.ledger();
            let branches = ledger
                .regions()
                .filter(|id| copied.is_some_and(|it| it.is_branch(*id)));
            let stats = ledger.stats();
            rounds.push(Reached {
                added: stats.rounds.iter().map(|it| it.combinations).sum(),
                states: strategy.n_states(ty) as u64,
                branches: branches.count() as u64,
                failures: ledger.record().failures().count() as u64,
                seconds: began.elapsed().as_secs_f64(),
                cut: stats.n_calls >= MAX_CALLS,
            });
        }
        reports.push(AugmentReport {
            state_by: super::notion(by),
            rounds,
        });
    }
    Ok(reports)
}
