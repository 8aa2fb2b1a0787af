//! Tests that an existing suite lacks: its own states, each with its own arguments, in combinations
//! that it never executes.
//!
//! The suite is run on a copy that writes its calls down ([`known`], [`snapshot`]). Exploration then makes
//! those states again by public calls, and every state meets every list of arguments. A test is written
//! only if it makes a call that neither the suite nor a test before it makes.

mod known;
mod snapshot;

use testsmith_harness::Purpose;
use testsmith_record::AugmentedReport;

pub(crate) use self::known::{Known, Recorded};
use crate::mutants::prepare;
use crate::run::run_whole;
use crate::verify::Bench;
use crate::{Config, PipelineError, Writing, recording};
use testsmith_equip::{Exploring, Outcome, Stage, Watch};
use testsmith_explore::StrategyName;
use testsmith_states::StateBy;

/// Records the package's own tests, and writes tests for what they lack.
pub fn augment(
    config: &Config,
    watch: &mut Watch<'_>,
) -> Result<Outcome<AugmentedReport>, PipelineError> {
    let report = augmented(config, watch);
    watch.outcome(report)
}

fn augmented(config: &Config, watch: &mut Watch<'_>) -> Result<AugmentedReport, PipelineError> {
    let config = &Config {
        exploring: Exploring {
            strategy: StrategyName::StateExhaustive,
            // States are recorded whole.
            state_by: Some(StateBy::WholeState),
            rounds: config.exploring.rounds.or(Some(1)),
            laws: false,
            ..config.exploring.clone()
        },
        writing: Writing {
            augments: true,
            ..config.writing.clone()
        },
        ..config.clone()
    };
    let prepared = prepare(&config.equipping, Purpose::Recording, watch)?;
    watch.enter(Stage::Record);
    let sandbox = config.equipping.machinery.sandbox;
    let bench = Bench::new(&prepared.scratch, &prepared.instrument, sandbox)?;
    let (dir, failed) = bench.record(&prepared.copied)?;
    let (calls, is_cut) = recording::calls(&dir)?;
    let recorded = Recorded::of(&prepared.copied, &calls, is_cut);
    drop(bench);
    drop(prepared);
    let whole = run_whole(config, Some(&recorded), watch)?;
    let told = whole.augmented.unwrap_or_default();
    Ok(AugmentedReport {
        executions: recorded.n_distinct,
        opaque: recorded.n_opaque,
        large: recorded.n_large,
        private: told.private,
        suite_states: told.states,
        remade: told.remade,
        cut: recorded.is_cut,
        failed: failed.into_iter().collect(),
        report: whole.report,
    })
}

/// What a run with a recorded suite found out about it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    pub(crate) private: usize,
    pub(crate) states: usize,
    pub(crate) remade: usize,
}
