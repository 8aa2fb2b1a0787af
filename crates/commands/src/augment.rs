//! `cargo testsmith augment`: writes tests that an existing suite lacks. They combine the states
//! that the suite reaches with the arguments that it uses, in ways that it never executes.
//!
//! The suite is run on a copy that writes its calls down ([`recorded`](crate::recorded)).
//! Exploration then makes those states again by public calls, and calls the methods of every state
//! with every list of arguments. A test is written only if it makes a call that neither the suite
//! nor a test before it makes.

use testsmith_equip::{Exploring, Outcome, Rewritten, Stage, Watch, rewrite};
use testsmith_explore::StrategyName;
use testsmith_harness::Purpose;
use testsmith_record::AugmentedReport;
use testsmith_rig::Rig;
use testsmith_states::StateBy;
use testsmith_suite::{Aim, Writing};

use crate::config::Config;
use crate::error::CommandError;
use crate::recorded::Recorded;
use crate::recording::recorded_calls;
use crate::run::{Goal, run_whole};

/// Records the package's own tests, and writes tests that they lack.
pub fn augment(
    config: &Config,
    watch: &mut Watch<'_>,
) -> Result<Outcome<AugmentedReport>, CommandError> {
    let report = augmented(config, watch);
    watch.outcome(report)
}

fn augmented(config: &Config, watch: &mut Watch<'_>) -> Result<AugmentedReport, CommandError> {
    let config = &Config {
        exploring: Exploring {
            strategy: StrategyName::StateExhaustive,
            // The recorded states are whole, so exploration must compare whole states.
            state_by: Some(StateBy::WholeState),
            rounds: config.exploring.rounds.or(Some(1)),
            laws: false,
            ..config.exploring.clone()
        },
        writing: Writing {
            aim: Aim::Combinations,
            ..config.writing.clone()
        },
        ..config.clone()
    };
    let Rewritten {
        scratch,
        instrument,
        copied,
        ..
    } = rewrite(&config.equipping, Purpose::Recording, watch)?;
    watch.enter(Stage::Record);
    let sandbox = config.equipping.machinery.sandbox;
    let rig = Rig::new(&scratch, &instrument, sandbox, watch.cancel())?;
    let called = recorded_calls(&rig, &copied)?;
    let recorded = Recorded::of(&copied, &called.calls, called.is_cut);
    drop(rig);
    let whole = run_whole(config, Goal::Lacking(&recorded), watch)?;
    let told = whole.augmented.unwrap_or_default();
    Ok(AugmentedReport {
        executions: recorded.n_distinct,
        opaque: recorded.n_opaque,
        large: recorded.n_large,
        private: told.private,
        suite_states: told.states,
        remade: told.remade,
        cut: recorded.is_cut,
        failed: called.failed.into_iter().collect(),
        report: whole.report,
    })
}
