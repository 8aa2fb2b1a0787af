//! The one orchestrator: stage order, budgets, cancellation, and the stream of events.
//!
//! Nothing here prints; whoever runs a pipeline gets [`Event`]s while it works and a [`Report`]
//! when it is over.

mod augment;
mod capped;
mod compare;
mod containers;
mod coverage;
mod diff;
mod error;
mod event;
mod executor;
mod explore_stage;
mod export;
mod failing;
mod filter;
mod judged;
mod learn;
mod machine;
mod mine;
mod minimize;
mod mutants;
mod needed;
mod printer;
mod recording;
mod redundancy;
mod simpler;
mod simplify;
mod split;
mod stand_ins;
mod subject;
mod suite;
mod told;
mod values;
mod verdict;
mod verify;
mod vet;
mod write;
mod write_stage;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use testsmith_api::{KeyNames, Origin};
use testsmith_explore::{Exhaustive, Failure, Kept, Ledger, Options, Strategy};
use testsmith_project::{Features, Sandbox, Scratch};
use testsmith_protocol::Limits;
use testsmith_record::{CallableReport, Drops, LawsReport, Report, SCHEMA};
use testsmith_sequence::{Sequence, Step, World};

pub use augment::augment;
pub use compare::{Comparison, Contestant, compare};
pub use diff::diff;
pub use error::PipelineError;
pub use event::{Event, Events};
pub use learn::api;
pub use machine::{Picture, states};
pub use minimize::{Minimizing, minimize};
pub use mutants::{
    Analysis, ChangedLines, Choice, EQUIVALENTS, MergeError, changed_lines, merge, mutants,
};
pub use recording::record;
pub use redundancy::redundancy;
pub use testsmith_explore::StrategyName;
pub use testsmith_states::StateBy;
pub use values::ParameterValues;
pub use verdict::{Rules, Verdict};
pub use verify::Verification;
pub use vet::VetError;

use crate::executor::Executor;
use crate::verdict::{Court, Sources};

/// What a run is asked to do.
#[derive(Clone, Debug)]
pub struct Config {
    /// `--manifest-path`
    pub manifest_path: Option<PathBuf>,
    /// `-p`
    pub package: Option<String>,
    /// Where to build, instead of the package's own target directory.
    pub target_dir: Option<PathBuf>,
    /// How long to explore; building and checking not counted.
    pub time: Duration,
    /// Explore so many calls instead.
    pub calls: Option<u64>,
    /// Where the randomness starts.
    pub seed: u64,
    /// How to choose what to try.
    pub strategy: StrategyName,
    /// Which values are taken for the same; without a choice, those that look alike from outside.
    pub state_by: Option<StateBy>,
    /// Rounds of the exhaustive strategy.
    pub rounds: Option<u32>,
    /// Features of the package.
    pub features: Features,
    /// Patterns of what to test; everything if there are none. The rest is still called to make
    /// what these need.
    pub only: Vec<String>,
    /// Patterns of what must not be called.
    pub skip: Vec<String>,
    /// A file of functions that make values.
    pub makers: Option<PathBuf>,
    /// What parameters may be, by `Type::function.parameter`.
    pub values: Vec<(String, ParameterValues)>,
    /// Names of methods that say whether a value is valid, beside those that are known.
    pub contracts: Vec<String>,
    /// Names or patterns of mutants that nobody wants to hear of.
    pub skip_mutants: Vec<String>,
    /// What is known about failures.
    pub rules: Rules,
    /// Are unsafe functions called, too?
    pub allow_unsafe: bool,
    /// Guests that work at once.
    pub jobs: usize,
    /// Do guests run in a sandbox?
    pub sandbox: bool,
    /// Is it asked whether laws and contracts hold?
    pub laws: bool,
    /// Tests for one type at most.
    pub max_tests_per_type: usize,
    /// Are warnings that the package denies let pass? A version of the past was written for the
    /// compilers of its time.
    pub cap_lints: bool,
    /// Has every case a test of its own?
    pub apart: bool,
    /// Are these tests that add to a suite, and go to files of their own?
    pub augments: bool,
    /// Where the test files go instead of the package's `tests/`.
    pub out: Option<PathBuf>,
    /// Where kept sequences go as programs, if anywhere.
    pub export: Option<PathBuf>,
    /// Write nothing into the user's tree.
    pub dry_run: bool,
    /// Amend a manifest whose tests cargo does not find by itself.
    pub register: bool,
    /// An executable that instruments the crate under test (see [`testsmith_harness::wrap`]);
    /// without one, exploration does not see which code it goes through.
    pub rustc_wrapper: Option<PathBuf>,
}

/// What every program may use.
const LIMITS: Limits = Limits {
    heap_bytes: 32 << 20,
    time_ms: 100,
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

/// What a run leaves behind.
pub(crate) struct Whole {
    pub(crate) report: Report,
    pub(crate) learnt: learn::Learnt,
    pub(crate) world: World,
    pub(crate) suite: write_stage::Suite,
    pub(crate) augmented: Option<augment::Told>,
}

/// The whole way: from a package to checked tests in its tree. `cancel` ends learning and building
/// at once, and exploration early; what was found by then is still written.
pub fn run(
    config: &Config,
    events: Events<'_>,
    cancel: &Arc<AtomicBool>,
) -> Result<Report, PipelineError> {
    run_whole(config, None, events, cancel).map(|whole| whole.report)
}

/// As [`run`]; what the report was made of is kept. If a suite was recorded, it is what this one adds
/// to.
pub(crate) fn run_whole(
    config: &Config,
    recorded: Option<&augment::Recorded>,
    events: Events<'_>,
    cancel: &Arc<AtomicBool>,
) -> Result<Whole, PipelineError> {
    let mut clock = Clock::new();
    let mut drops = Drops::default();
    let learnt = learn::learn(config, events, cancel);
    let mut learnt = learnt.map_err(|e| e.or_interrupted("learning", cancel))?;
    write_stage::check(config, &learnt)?;
    if let Some(dir) = &config.export {
        export::check(dir)?;
    }
    let max_tests_per_type = learn::max_tests_per_type(config, &learnt, events);
    clock.stage_over("learn");

    events(Event::Stage("copy"));
    let wrapper = config.rustc_wrapper.as_deref();
    let copied = learn::copy(&learnt, wrapper, events);
    let copied = copied.map_err(|e| e.or_interrupted("copying", cancel))?;
    clock.stage_over("copy");

    events(Event::Stage("build"));
    let built = learn::build(&mut learnt, wrapper, copied.as_ref(), events);
    let built = built.map_err(|e| e.or_interrupted("building", cancel))?;
    if cancel.load(Ordering::Relaxed) {
        return Err(PipelineError::Interrupted { stage: "building" });
    }
    // From here on there is something to lose: cargo runs to its end.
    learnt.scratch.cancel = None;
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
    let mut executor = start_executor(config, &learnt.scratch, built.binary)?;
    if !config.sandbox {
        events(Event::Note(
            "no sandbox: the crate's code may use files, network and processes as you may, and \
             calls that do are not noticed"
                .to_owned(),
        ));
    }
    for missing in executor.missing_walls() {
        events(Event::Note(format!(
            "the sandbox has a gap here: {missing}"
        )));
    }
    let world = World {
        caps: executor.hello().types.clone(),
        catalogue: built.catalogue,
    };
    let literals = mine::mine(&learnt.package.dir, &world.catalogue.api, &learnt.limited);
    let options = Options {
        seed: config.seed,
        laws: config.laws,
        state_by: config.state_by,
        rounds: config.rounds,
        ..Options::default()
    };
    let sources = mine::sources(&learnt.package.dir, &world.catalogue.api);
    let seeds = testsmith_explore::lift(&world, &sources);
    let needs_states = !matches!(config.state_by, None | Some(StateBy::WholeSeq));
    if needs_states && copied.is_none() {
        events(Event::Note(
            "there is no rewritten copy of the crate, so states cannot be seen: values are the \
             same that look alike"
                .to_owned(),
        ));
    }
    let known = recorded.zip(copied.as_ref());
    let known = known.map(|(recorded, copied)| augment::Known::of(&world, copied, recorded));
    let mut started: Box<dyn Strategy + '_> = match &known {
        None => config
            .strategy
            .start(&world, literals, &seeds.sequences, options),
        Some(known) => {
            let start = known.start(&seeds.sequences);
            Box::new(Exhaustive::starting(&world, literals, start, options))
        }
    };
    let strategy = &mut *started;
    let interrupted =
        explore_stage::explore(config, &world, strategy, &mut executor, events, cancel)?;
    let ledger = strategy.ledger();
    clock.stage_over("explore");

    events(Event::Stage("choose"));
    let is_wanted = |operation| {
        let operation = world.catalogue.operation(operation);
        learnt.filter.wants_operation(&world.catalogue, operation)
    };
    let kept = ledger.record().executions().iter();
    let is_shown = |k: &&Kept| is_wanted(k.operation) && !counts(&world, &k.sequence);
    let kept: Vec<_> = kept.filter(is_shown).cloned().collect();
    let mut progress = |n, of| events(Event::Judging { n, of });
    let judgement = copied.as_ref().map(|copied| suite::Judgement {
        copied,
        cancel,
        progress: &mut progress,
    });
    let sequences = ledger.record().executions().iter().map(|it| &it.sequence);
    let makers = simplify::Makers::of(&world, sequences);
    let regressions = suite::choose(
        &world,
        &mut executor,
        &kept,
        (&makers, &learnt.limited),
        judgement,
        suite::Room {
            max_per_type: max_tests_per_type,
            apart: config.apart,
        },
        &mut drops,
    )?;
    let regressions = match &known {
        None => regressions,
        Some(known) => {
            let lacks = known.lacks(&world, &mut executor, &regressions)?;
            let n_before = regressions.len();
            let both = regressions.into_iter().zip(lacks);
            let regressions: Vec<_> = both.filter_map(|(test, is)| is.then_some(test)).collect();
            drops.add(
                "test",
                "the suite, or a test before it, makes all of its calls",
                (n_before - regressions.len()) as u64,
            );
            regressions
        }
    };
    let failures = ledger.record().failures();
    let failures = failures.filter(|f| is_wanted(f.operation)).cloned();
    let is_question = |f: &Failure| failing::is_question(&world, f, ledger.n_returned(f.operation));
    let (questions, failures): (Vec<_>, Vec<_>) = failures.partition(is_question);
    drops.add(
        "failure",
        "of what looks like a law (a name, text that is read again) and often does not hold",
        questions.len() as u64,
    );
    let failures = failures.into_iter();
    let court = Court {
        world: &world,
        rules: &config.rules,
        sources: &Sources::of(&learnt.package.dir),
    };
    let failures = simplify::simplify(court, &mut executor, failures, &makers, &learnt.limited)?;
    let failures = failing::findings(court, failures, &mut drops);
    // Who does not wait for the mutants does not know which are killed.
    let is_judged = !cancel.load(Ordering::Relaxed);
    let containers = containers::containers(&world, &mut executor, ledger)?;
    clock.stage_over("choose");

    events(Event::Stage("check"));
    let suite = write_stage::vet(
        config,
        &learnt,
        &world,
        &failures,
        regressions,
        interrupted,
        &mut drops,
    )?;
    clock.stage_over("check");

    events(Event::Stage("write"));
    let files = write_stage::write(config, &learnt, &world, &suite, interrupted, events)?;
    if let Some(dir) = &config.export {
        let n_programs = export::export(dir, &learnt, &world, suite.named_regressions(&files))?;
        events(Event::Note(format!(
            "{n_programs} programs are in {}; `cargo run -- --list` there names them",
            dir.display()
        )));
    }
    clock.stage_over("write");

    let sources = copied
        .as_ref()
        .map(|it| judged::sources(&learnt.package.dir, it));
    let sources = sources.unwrap_or_default();
    let worth: Vec<_> = suite
        .named_regressions(&files)
        .map(|(name, case)| (name, &case.worth))
        .collect();
    let worth = is_judged.then_some(&worth[..]);
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
    drops.add("component", "too much work to build upon", stats.n_costly);
    drops.add(
        "state",
        "there were too many to exhaust",
        stats.n_states_left_out,
    );
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
        "its call did not end in time, filled the memory or took too much work before",
        stats.n_quarantined,
    );
    let told = [
        (&stats.n_unseen, "cannot be seen whole: told by looks"),
        (
            &stats.n_unequalled,
            "has no `==` of the crate's: told by its state",
        ),
    ];
    for (types, how) in told {
        for (ty, n) in types {
            let ty = world.catalogue.types.get(*ty).ty.render(&KeyNames);
            drops.add("value", format!("{ty} {how}"), *n);
        }
    }
    for (realm, n) in &stats.n_touched {
        let reason = format!("reached for the world outside ({})", realm.name());
        drops.add("sequence", reason, *n);
    }
    for (why, n) in &seeds.left {
        drops.add("statement of an example or test", why.to_string(), *n);
    }
    drops.add(
        "example or test file",
        "it could not be read as Rust",
        seeds.n_unread,
    );
    drops.add(
        "seed",
        "it is too long, or there are too many",
        seeds.n_long,
    );
    drops.add("guest", "had to be replaced", executor.n_lost);
    drops.add(
        "batch",
        "run again: a program ran out of time, and ended when it had more",
        executor.n_hurried,
    );
    let report = Report {
        schema: SCHEMA,
        kind: "run",
        package: learnt.package.name.clone(),
        version: learnt.package.version.clone(),
        seed: config.seed,
        jobs: executor.n_jobs() as u32,
        calls: stats.n_calls,
        new_calls: stats.n_new_calls,
        laws: LawsReport {
            known: n_laws(&world),
            asked: stats.n_laws,
        },
        sequences: stats.n_sequences,
        states: ledger.n_states() as u64,
        rounds: stats.rounds.iter().map(told::round).collect(),
        seconds: clock.seconds,
        operations: world.catalogue.operations.len() as u64,
        seeds: told::seeds(&seeds),
        callables: callables(&world, ledger, &learnt.filter),
        containers,
        coverage: copied
            .as_ref()
            .filter(|_| is_judged)
            .map(|copied| coverage::coverage(copied, suite.worth())),
        branches: match copied.as_ref().filter(|_| is_judged) {
            Some(copied) => judged::branches(copied, &judged::entered(suite.worth())),
            None => Vec::new(),
        },
        mutants: match &copied {
            Some(copied) => judged::mutants(copied, &sources, worth),
            None => Vec::new(),
        },
        sources,
        tests: suite.test_reports(&files),
        failures: suite.failure_reports(&world, &failures, &files),
        dropped: drops.into_list(),
        files: files.into_iter().map(|file| file.report).collect(),
        interrupted,
    };
    let augmented = known.map(|known| augment::Told {
        private: known.n_private,
        states: known.states.len(),
        remade: stats.rounds.first().map_or(0, |round| round.states) as usize,
    });
    drop(started);
    Ok(Whole {
        augmented,
        report,
        learnt,
        world,
        suite,
    })
}

/// Guests, behind walls.
fn start_executor(
    config: &Config,
    scratch: &Scratch,
    binary: PathBuf,
) -> Result<Executor, PipelineError> {
    let dir = scratch.dir.join("guest");
    // The walls are built around what exists.
    std::fs::create_dir_all(&dir).map_err(|source| PipelineError::Write {
        path: dir.clone(),
        source,
    })?;
    let sandbox = match config.sandbox {
        true => Sandbox::new(&dir),
        false => Sandbox::off(),
    };
    let executor = Executor::start(binary, dir, sandbox, LIMITS, config.jobs)?;
    Ok(executor)
}

fn callables(world: &World, ledger: &Ledger, filter: &filter::Filter) -> Vec<CallableReport> {
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
    for (operation, realms) in ledger.touches() {
        if let Origin::Callable(callable) = world.catalogue.operation(*operation).origin {
            let touches = realms.iter().map(|realm| realm.name());
            reports[callable.0 as usize].touches.extend(touches);
        }
    }
    for report in &mut reports {
        if report.status == "modelled" {
            report.reason = Some("no call of it returned".to_owned());
        }
    }
    learn::leave_out(&mut reports, filter);
    reports
}

/// Does it count values? Others show the same with values that say something.
fn counts(world: &World, sequence: &Sequence) -> bool {
    let counter = world.catalogue.api.counted.as_ref().map(|it| &it.0);
    let types = &world.catalogue.types;
    let is_counter = |step: &Step| match step {
        Step::Call { op, .. } => Some(&types.get(world.signature(*op).output.ty).ty) == counter,
        Step::Drop(_) => false,
    };
    sequence.steps().iter().any(is_counter)
}

/// The laws that the harness can ask for.
fn n_laws(world: &World) -> u64 {
    let operations = world.catalogue.operations.iter();
    operations.filter(|it| it.origin == Origin::Law).count() as u64
}
