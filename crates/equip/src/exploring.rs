//! Explores until the time or the number of calls is used up; host and guest work at the same time.

use std::time::{Duration, Instant};

use testsmith_explore::{Ask, Strategy, StrategyName};
use testsmith_harness::GuestError;
use testsmith_protocol::Execution;
use testsmith_sequence::World;
use testsmith_states::StateBy;

use crate::event::{Event, Watch};
use crate::executor::{Executor, IN_FLIGHT, Setting};
use crate::settings::Exploring;

/// Programs in a batch: enough to make up for the cost of a fork, few enough to learn from soon.
const BATCH: usize = 128;

/// Explores until the budget is used up, and says whether the user interrupted.
pub fn explore(
    settings: &Exploring,
    world: &World,
    strategy: &mut dyn Strategy,
    executor: &mut Executor,
    watch: &mut Watch<'_>,
) -> Result<bool, GuestError> {
    let start = Instant::now();
    let mut told = Instant::now();
    let mut is_dry = false;
    let mut seed = settings.seed;
    let usual = Setting {
        states: wants_states(settings),
        reads: settings.state_by == Some(StateBy::MonitorEq),
        ..Setting::USUAL
    };
    loop {
        let n_calls = strategy.ledger().stats().n_calls;
        let seconds = start.elapsed().as_secs_f64();
        let done = match settings.calls {
            Some(calls) => n_calls as f64 / calls.max(1) as f64,
            None => seconds / settings.time.as_secs_f64().max(0.001),
        };
        let cancelled = watch.is_cancelled();
        let is_over = done >= 1.0 || cancelled || is_dry;
        if told.elapsed() > Duration::from_millis(200) || is_over {
            told = Instant::now();
            watch.tell(Event::Exploring {
                n_calls,
                n_sequences: strategy.ledger().stats().n_sequences,
                n_states: strategy.ledger().n_states() as u64,
                seconds,
                done: done.min(1.0),
            });
        }
        if is_over {
            while executor.n_waiting() > 0 {
                learn(settings, strategy, executor.collect()?);
            }
            if is_dry && !cancelled && done < 1.0 {
                let rounds = strategy.ledger().stats().rounds.len();
                watch.note(match settings.rounds {
                    Some(asked) if rounds as u64 >= u64::from(asked) => {
                        format!("the rounds that were asked for are over after {n_calls} calls")
                    }
                    _ => format!("exploration found nothing new to try after {n_calls} calls"),
                });
            }
            return Ok(cancelled && done < 1.0);
        }
        while executor.n_waiting() < IN_FLIGHT {
            // The strategy knows little at first, and small batches let it learn sooner.
            let size = BATCH.min(16 + strategy.ledger().stats().n_sequences as usize / 4);
            let mut asks = Vec::with_capacity(size);
            while asks.len() < size {
                match strategy.propose() {
                    Some(ask) => asks.push(ask),
                    None => break,
                }
            }
            if asks.is_empty() {
                // Executions that are still under way may give the strategy new ideas, so it is dry
                // only if there are none.
                is_dry = executor.n_waiting() == 0;
                break;
            }
            seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            let setting = Setting { seed, ..usual };
            executor.submit(world, setting, asks);
        }
        learn(settings, strategy, executor.collect()?);
    }
}

/// Does the strategy tell values apart by their private state?
fn wants_states(settings: &Exploring) -> bool {
    let is_exhaustive = settings.strategy == StrategyName::StateExhaustive;
    match settings.state_by {
        None => is_exhaustive,
        Some(by) => by.needs_states(),
    }
}

/// Learns from a batch. Executions beyond the allowed number of calls are thrown away, so that runs
/// with the same number can be compared.
fn learn(settings: &Exploring, strategy: &mut dyn Strategy, executions: Vec<(Ask, Execution)>) {
    for (ask, execution) in executions {
        let n_calls = strategy.ledger().stats().n_calls;
        if settings.calls.is_none_or(|calls| n_calls < calls) {
            strategy.learn(&ask, &execution);
        }
    }
}
