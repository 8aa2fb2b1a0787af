//! The one orchestrator: stage order, budgets, cancellation, and the stream of events.
//!
//! Nothing here prints; whoever runs a pipeline gets [`Event`]s while it works and a [`Report`]
//! when it is over.

mod compare;
mod executor;
mod explore_stage;
mod failing;
mod learn;
mod mine;
mod report;
mod simplify;
mod suite;
mod vet;
mod write;
mod write_stage;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use testsmith_api::Origin;
use testsmith_explore::{Ledger, Options};
use testsmith_project::Features;
use testsmith_protocol::Limits;
use testsmith_sequence::World;

pub use compare::{CompareReport, Comparison, RunReport, Versus, compare};
pub use learn::{ApiReport, api};
pub use report::{CallableReport, Dropped, FailureReport, FileReport, Report, SCHEMA, TestReport};
pub use testsmith_explore::StrategyName;

use crate::executor::Executor;
use crate::report::Drops;

/// What a run is asked to do.
#[derive(Clone, Debug)]
pub struct Config {
    /// `--manifest-path`
    pub manifest_path: Option<PathBuf>,
    /// `-p`
    pub package: Option<String>,
    /// How long to explore; building and checking not counted.
    pub time: Duration,
    /// Explore so many calls instead.
    pub calls: Option<u64>,
    /// Where the randomness starts.
    pub seed: u64,
    /// How to choose what to try.
    pub strategy: StrategyName,
    /// Features of the package.
    pub features: Features,
    /// Tests for one type at most.
    pub max_tests_per_type: usize,
    /// Amend a manifest that has `autotests = false`.
    pub register: bool,
    /// An executable that instruments the crate under test (see [`testsmith_harness::wrap`]);
    /// without one, exploration does not see which code it goes through.
    pub rustc_wrapper: Option<PathBuf>,
}

/// What happens while a pipeline runs.
#[derive(Clone, Debug)]
pub enum Event {
    /// A stage begins.
    Stage(&'static str),
    /// The package was found.
    Package {
        /// Its name.
        name: String,
        /// Its version.
        version: String,
    },
    /// The API is known.
    Api {
        /// Callables in it.
        n_callables: usize,
        /// Operations made from them.
        n_operations: usize,
    },
    /// A round of the harness build begins.
    Round {
        /// Its number.
        n: u32,
        /// Operations still in.
        n_operations: usize,
    },
    /// Exploration goes on.
    Exploring {
        /// Calls so far.
        n_calls: u64,
        /// Sequences so far.
        n_sequences: u64,
        /// Distinct values so far.
        n_states: u64,
        /// Seconds so far.
        seconds: f64,
        /// Between 0 and 1.
        done: f64,
    },
    /// Something the user should know.
    Note(String),
}

/// Why a run ended without a result.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// No package.
    #[error(transparent)]
    Locate(#[from] testsmith_project::LocateError),
    /// The scratch workspace, or rustdoc.
    #[error(transparent)]
    Scratch(#[from] testsmith_project::ScratchError),
    /// rustdoc's JSON could not be read.
    #[error(transparent)]
    Read(#[from] testsmith_api::rustdoc::ReadError),
    /// No harness.
    #[error(transparent)]
    Build(#[from] testsmith_harness::BuildError),
    /// No guest.
    #[error(transparent)]
    Guest(#[from] testsmith_harness::GuestError),
    /// The suite could not be checked.
    #[error(transparent)]
    Vet(#[from] vet::VetError),
    /// A test file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is nothing to call.
    #[error(
        "package `{package}` has no public function that testsmith can call ({n_callables} public callables, {reason})"
    )]
    Empty {
        /// The package.
        package: String,
        /// How many callables it has.
        n_callables: usize,
        /// What stands in the way most often.
        reason: String,
    },
}

/// Where events go.
pub type Events<'a> = &'a mut dyn FnMut(Event);

/// What every program may use.
const LIMITS: Limits = Limits {
    heap_bytes: 32 << 20,
    wall_ms: 300,
};

/// Measures how long stages take.
struct Clock {
    start: Instant,
    seconds: std::collections::BTreeMap<&'static str, f64>,
}

impl Clock {
    fn new() -> Clock {
        Clock {
            start: Instant::now(),
            seconds: Default::default(),
        }
    }

    /// The time since the last stage ended belongs to this one.
    fn stage_over(&mut self, stage: &'static str) {
        *self.seconds.entry(stage).or_default() += self.start.elapsed().as_secs_f64();
        self.start = Instant::now();
    }
}

/// The whole way: from a package to checked tests in its tree. `cancel` ends exploration early;
/// what was found by then is still written.
pub fn run(
    config: &Config,
    events: Events<'_>,
    cancel: &AtomicBool,
) -> Result<Report, PipelineError> {
    let mut clock = Clock::new();
    let mut drops = Drops::default();
    let mut learnt = learn::learn(config, events)?;
    clock.stage_over("learn");

    events(Event::Stage("build"));
    let built = learn::build(&mut learnt, config.rustc_wrapper.as_deref(), events)?;
    clock.stage_over("build");
    for (_, reason) in &built.refused {
        drops.add("operation", reason.to_string(), 1);
    }
    drops.add(
        "observer",
        "rustc refused the structural one; described by Debug text",
        built.plain_types.len() as u64,
    );

    events(Event::Stage("explore"));
    let dir = learnt.scratch.dir.join("guest");
    let mut executor = Executor::start(built.binary, dir, LIMITS)?;
    let world = World {
        caps: executor.hello().types.clone(),
        catalogue: built.catalogue,
    };
    let literals = mine::mine(&learnt.package.dir, &world.catalogue.api);
    let options = Options {
        seed: config.seed,
        ..Options::default()
    };
    let mut strategy = config.strategy.start(&world, literals, options);
    let strategy = &mut *strategy;
    let interrupted =
        explore_stage::explore(config, &world, strategy, &mut executor, events, cancel)?;
    let ledger = strategy.ledger();
    clock.stage_over("explore");

    events(Event::Stage("choose"));
    let regressions = suite::choose(
        &world,
        &mut executor,
        ledger.record().executions(),
        config.max_tests_per_type,
        &mut drops,
    )?;
    let failures = ledger.record().failures().cloned();
    let failures = simplify::simplify(&world, &mut executor, failures)?;
    clock.stage_over("choose");

    events(Event::Stage("check"));
    let suite = write_stage::vet(&learnt, &world, &failures, regressions, &mut drops)?;
    clock.stage_over("check");

    events(Event::Stage("write"));
    let files = write_stage::write(config, &learnt, &suite, events)?;
    clock.stage_over("write");

    let stats = ledger.stats();
    drops.add("sequence", "ended in a panic or worse", stats.n_failed);
    drops.add("sequence", "an unwrap met the other side", stats.n_refused);
    drops.add("proposal", "was built before", stats.n_duplicates);
    drops.add("proposal", "the borrow check rejected it", stats.n_rejected);
    drops.add(
        "sequence",
        "failed in a part that had passed before",
        stats.n_unsteady,
    );
    drops.add(
        "sequence",
        "not understood by the guest (a bug of testsmith)",
        stats.n_malformed,
    );
    drops.add("component", "the type has too many", stats.n_evicted);
    drops.add(
        "finding",
        "there were too many to remember",
        ledger.record().n_left_out(),
    );
    drops.add(
        "sequence",
        "forgotten, might be tried again",
        stats.n_forgotten,
    );
    drops.add(
        "proposal",
        "its call did not end in time before",
        stats.n_quarantined,
    );
    for (realm, n) in &stats.n_touched {
        let reason = format!("reached for the world outside ({})", realm.name());
        drops.add("sequence", reason, *n);
    }
    drops.add("guest", "had to be replaced", executor.n_lost);
    Ok(Report {
        schema: SCHEMA,
        package: learnt.package.name.clone(),
        version: learnt.package.version.clone(),
        seed: config.seed,
        jobs: 1,
        calls: stats.n_calls,
        new_calls: stats.n_new_calls,
        sequences: stats.n_sequences,
        states: ledger.n_states() as u64,
        seconds: clock.seconds,
        operations: world.catalogue.operations.len() as u64,
        callables: callables(&world, ledger),
        tests: suite.test_reports(&files),
        failures: suite.failure_reports(&world, &failures),
        dropped: drops.into_list(),
        files: files.into_iter().map(|file| file.report).collect(),
        interrupted,
    })
}

fn callables(world: &World, ledger: &Ledger) -> Vec<CallableReport> {
    let mut reports = learn::callable_reports(&world.catalogue);
    for (i, operation) in world.catalogue.operations.iter().enumerate() {
        if let Origin::Callable(callable) = operation.origin {
            let report = &mut reports[callable.0 as usize];
            report.calls += ledger.n_returned(testsmith_api::OperationId(i as u32));
            if report.calls > 0 {
                report.status = "reached";
                report.reason = None;
            }
        }
    }
    for report in &mut reports {
        if report.status == "modelled" {
            report.reason = Some("no call of it returned".to_owned());
        }
    }
    reports
}
