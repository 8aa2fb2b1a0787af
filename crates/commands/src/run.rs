//! `cargo testsmith`: makes checked tests for a package, and writes them into its tree.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rustc_hash::FxHashSet;
use testsmith_api::{KeyNames, OperationId, Origin, Ty};
use testsmith_emit::TestCase;
use testsmith_equip::{
    Clock, Equipped, Event, Executor, Exploring, Learnt, Outcome, Stage, Target, Watch, explore,
    learn, matches, mine, sources, tests_per_subject,
};
use testsmith_explore::{
    Exhaustive, Failure, Kept, Ledger, Literals, Options, Seeds, Strategy, Variations,
};
use testsmith_harness::{Copied, MutantId, RegionId};
use testsmith_mutation::{Tested, branches, coverage, judged, sources as sources_of};
use testsmith_record::{
    BranchReport, ContainerReport, CoverageReport, Drops, FileReport, HuntReport, LawsReport,
    MutantReport, RecordKind, Report, SCHEMA, SourceReport, Timed,
};
use testsmith_sequence::{Sequence, Step, World};
use testsmith_states::StateBy;
use testsmith_suite::{
    Aim, Begun, Budget, Course, Court, Farthest, Finding, Judgement, Makers, Room, Sorted, Sources,
    Suite, Wanted, Writer, begin, check_export, check_place, choose, export, findings, is_question,
    simplify, ways_to_check,
};

use crate::config::Config;
use crate::error::CommandError;
use crate::notices::tell_mutants;
use crate::recorded::{Known, Recorded, Told};
use crate::stops::stops;
use crate::{callables, containers, told};

/// The part of the time that exploration may take. The rest is for choosing; compiling and running the
/// suite comes on top, as far as that is no more than compiling it twice.
const SHARE_OF_EXPLORING: f64 = 0.6;

/// What the user reads if choosing gave something up.
const TOO_SHORT: &str = "choosing used up its budget: with more time or calls, tests kill more and are plainer; the \
     record says what was given up";

/// A suite with more tests than this takes a compiler too long, and nobody reads it.
const MAX_SUITE: usize = 5_000;

/// What a run is for.
#[derive(Clone, Copy)]
pub(crate) enum Goal<'p> {
    /// A suite.
    Suite,
    /// Tests that do what a recorded suite does not.
    Lacking(&'p Recorded),
    /// Tests that notice these mutants, by name.
    Mutants(&'p BTreeSet<String>),
}

/// What a run leaves behind.
pub(crate) struct Whole {
    pub(crate) report: Report,
    pub(crate) target: Target,
    pub(crate) world: World,
    pub(crate) suite: Suite,
    pub(crate) begun: Begun,
    pub(crate) augmented: Option<Told>,
}

/// Makes checked tests for a package, and writes them into its tree. An interruption ends learning
/// and building at once, and exploration early; what was found by then is still written.
pub fn run(config: &Config, watch: &mut Watch<'_>) -> Result<Outcome<Report>, CommandError> {
    let whole = run_whole(config, Goal::Suite, watch);
    watch.outcome(whole.map(|whole| whole.report))
}

/// Looks for failures in a package and writes failing tests into its tree: [`run`] without a suite.
pub fn bugs(config: &Config, watch: &mut Watch<'_>) -> Result<Outcome<Report>, CommandError> {
    let mut config = config.clone();
    config.writing.only_failures = true;
    run(&config, watch)
}

/// Does the same as [`run`] for any goal, and keeps what the report was made of.
pub(crate) fn run_whole(
    config: &Config,
    goal: Goal<'_>,
    watch: &mut Watch<'_>,
) -> Result<Whole, CommandError> {
    let mut clock = Clock::default();
    let mut drops = Drops::default();
    let learnt = learn(&config.equipping, watch)?;
    let max_tests_per_type = prepare(config, &learnt, watch)?;
    clock.stage_over(Timed::Learn);
    let begun = begin(
        &config.writing,
        &learnt.target.package,
        &learnt.target.scratch,
        config.equipping.machinery.sandbox,
        watch,
    )?;
    clock.stage_over(Timed::Standing);
    let mut equipped = learnt.equip(&config.equipping.machinery, watch, &mut clock)?;
    not_built(&equipped, &mut drops);

    watch.enter(Stage::Explore);
    let Equipped {
        target,
        world,
        copied,
        executor,
        ..
    } = &mut equipped;
    let (world, copied) = (&*world, copied.as_ref());
    if needs_states(&config.exploring) && copied.is_none() {
        watch.note(
            "there is no rewritten copy of the crate, so states cannot be seen: values are the \
             same that look alike",
        );
    }
    let seeds = testsmith_explore::lift(world, &sources(&target.package.dir, &world.catalogue.api));
    let literals = mine(&target.package.dir, &world.catalogue.api, &target.limited);
    let (known, only) = goal.on(world, copied);
    let mut strategy = strategy(&config.exploring, world, &literals, &seeds, known.as_ref());
    let started = Instant::now();
    let exploring = Exploring {
        time: config.exploring.time.mul_f64(SHARE_OF_EXPLORING),
        ..config.exploring.clone()
    };
    let interrupted = explore(&exploring, world, &mut *strategy, executor, watch)?;
    clock.stage_over(Timed::Explore);
    let mut run = Run {
        config,
        started,
        target,
        world,
        copied,
        begun: &begun,
        ledger: strategy.ledger(),
        seeds: &seeds,
        mined: literals,
        only,
        executor,
        interrupted,
        clock,
        drops,
        farthest: Farthest::default(),
        hunt: None,
    };
    watch.enter(Stage::Choose);
    let chosen = run.choose(max_tests_per_type, known.as_ref(), watch)?;
    let written = run.write(chosen, watch)?;
    let augmented = known.map(|known| known.told(run.ledger.stats()));
    let report = run.report(&written);
    drop(strategy);
    Ok(Whole {
        report,
        target: equipped.target,
        world: equipped.world,
        suite: written.suite,
        begun,
        augmented,
    })
}

impl Goal<'_> {
    /// What is known of the recorded suite, and which mutants matter, as this copy numbers them.
    fn on(
        self,
        world: &World,
        copied: Option<&Copied>,
    ) -> (Option<Known>, Option<FxHashSet<MutantId>>) {
        match (self, copied) {
            (Goal::Lacking(recorded), Some(copied)) => {
                (Some(Known::of(world, copied, recorded)), None)
            }
            (Goal::Mutants(names), Some(copied)) => {
                let meant = copied.numbered().filter(|(_, it)| names.contains(&it.name));
                (None, Some(meant.map(|(id, _)| id).collect()))
            }
            _ => (None, None),
        }
    }
}

/// Checks, before anything takes long, that the results can be written, and gives how many tests a
/// type may have.
fn prepare(config: &Config, learnt: &Learnt, watch: &mut Watch<'_>) -> Result<usize, CommandError> {
    let target = &learnt.target;
    for (pattern, _) in &config.rules.verdicts {
        let mut callables = learnt.catalogue.api.callables.iter();
        if !callables.any(|it| matches(pattern, it)) {
            let package = &target.package.name;
            watch.note(format!("verdicts {pattern} matches nothing in {package}"));
        }
    }
    check_place(&config.writing, target)?;
    if let Some(dir) = &config.writing.export {
        check_export(dir)?;
    }
    let asked = config.writing.max_tests_per_type;
    let max = tests_per_subject(&learnt.catalogue, &target.filter, asked, MAX_SUITE);
    if max < asked {
        watch.note(format!(
            "the API is huge: at most {max} tests for each type or function, so that the suite can \
             be compiled; choose with --only and --skip to get more of each"
        ));
    }
    Ok(max)
}

/// The strategy that the user asked for, or one that looks for what a recorded suite lacks.
fn strategy<'w>(
    exploring: &Exploring,
    world: &'w World,
    literals: &Literals,
    seeds: &Seeds,
    known: Option<&Known>,
) -> Box<dyn Strategy + 'w> {
    let options = Options {
        seed: exploring.seed,
        laws: exploring.laws,
        state_by: exploring.state_by,
        rounds: exploring.rounds,
        ..Options::default()
    };
    let literals = literals.clone();
    match known {
        None => exploring
            .strategy
            .start(world, literals, &seeds.sequences, options),
        Some(known) => {
            let start = known.start(&seeds.sequences);
            Box::new(Exhaustive::starting(world, literals, start, options))
        }
    }
}

/// Does the chosen notion compare values by their private state?
fn needs_states(exploring: &Exploring) -> bool {
    exploring.state_by.is_some_and(StateBy::needs_states)
}

/// A run that has explored.
struct Run<'r> {
    config: &'r Config,
    /// When exploration began.
    started: Instant,
    target: &'r Target,
    world: &'r World,
    copied: Option<&'r Copied>,
    begun: &'r Begun,
    ledger: &'r Ledger,
    seeds: &'r Seeds,
    /// What the crate's people wrote.
    mined: Literals,
    /// The mutants that matter, if not all do.
    only: Option<FxHashSet<MutantId>>,
    executor: &'r mut Executor,
    interrupted: bool,
    clock: Clock,
    drops: Drops,
    /// How far mutants came in trials.
    farthest: Farthest,
    /// What the hunt for mutants came to, if there was one.
    hunt: Option<HuntReport>,
}

/// What is to be written.
struct Chosen {
    sorted: Sorted,
    failures: Vec<Finding>,
    containers: Vec<ContainerReport>,
    /// Is it known which mutants the tests kill? It is not without a suite, or if an interruption ends
    /// the judging early.
    is_judged: bool,
}

/// What was written.
struct Written {
    suite: Suite,
    files: Vec<FileReport>,
    failures: Vec<Finding>,
    containers: Vec<ContainerReport>,
    is_judged: bool,
}

impl Run<'_> {
    fn choose(
        &mut self,
        max_tests_per_type: usize,
        known: Option<&Known>,
        watch: &mut Watch<'_>,
    ) -> Result<Chosen, CommandError> {
        let sequences = self.ledger.record().executions().iter();
        let makers = Makers::of(self.world, sequences.map(|it| &it.sequence));
        let only_failures = self.config.writing.only_failures;
        let cancel = Arc::clone(watch.cancel());
        let watch = RefCell::new(watch);
        let tell = |doing, left| watch.borrow_mut().tell(Event::Choosing { doing, left });
        let budget = self.budget().telling(&tell);
        let regressions = match only_failures {
            true => {
                let n_kept = self.ledger.record().executions().len();
                self.drops
                    .add("execution", "only failures were asked for", n_kept as u64);
                Vec::new()
            }
            false => self.regressions(&makers, max_tests_per_type, &budget, &watch)?,
        };
        let mut regressions = match known {
            None => regressions,
            Some(known) => self.lacking(known, regressions)?,
        };
        let mut failures = Vec::new();
        match (&self.only, self.copied) {
            (Some(only), Some(copied)) => tell_mutants(&mut regressions, only, copied),
            _ => failures = self.failures(&makers, &budget)?,
        }
        let sorted = self.sorted(regressions, &failures, &watch)?;
        if budget.was_short() {
            watch.borrow_mut().note(TOO_SHORT);
        }
        let is_judged = !only_failures && !cancel.load(Ordering::Relaxed);
        let containers = containers::containers(self.world, self.executor, self.ledger)?;
        self.clock.stage_over(Timed::Choose);
        Ok(Chosen {
            sorted,
            failures,
            containers,
            is_judged,
        })
    }

    /// How much work choosing may be: what is left of the time, or what so many calls are worth.
    fn budget<'t>(&self) -> Budget<'t> {
        let Exploring { time, calls, .. } = self.config.exploring;
        match calls {
            Some(_) => Budget::for_calls(self.ledger.stats().n_calls, self.executor.work),
            None => Budget::until(self.started + time),
        }
    }

    fn is_wanted(&self, operation: OperationId) -> bool {
        let catalogue = &self.world.catalogue;
        let operation = catalogue.operation(operation);
        self.target.filter.wants_operation(catalogue, operation)
    }

    fn regressions(
        &mut self,
        makers: &Makers,
        max_per_type: usize,
        budget: &Budget<'_>,
        watch: &RefCell<&mut Watch<'_>>,
    ) -> Result<Vec<TestCase>, CommandError> {
        let kept = self.ledger.record().executions().iter();
        let is_shown = |k: &&Kept| self.is_wanted(k.operation) && !counts(self.world, &k.sequence);
        let kept: Vec<_> = kept.filter(is_shown).cloned().collect();
        let texts = self.mined.texts().cloned().collect();
        let seed = self.config.exploring.seed;
        let writing = &self.config.writing;
        // A suite's states are to meet its own arguments, and no others.
        let hunts = writing.hunts && !writing.apart && writing.aim != Aim::Combinations;
        let mut variations =
            hunts.then(|| Variations::new(self.world, self.mined.clone(), seed, &kept));
        let cancel = Arc::clone(watch.borrow().cancel());
        let mut progress = |n, of| watch.borrow_mut().tell(Event::Judging { n, of });
        let judgement = self.copied.map(|copied| Judgement {
            copied,
            cancel: &cancel,
            progress: &mut progress,
            farthest: &mut self.farthest,
            only: self.only.as_ref(),
        });
        let room = Room {
            max_per_type,
            grows: self.config.writing.max_grows
                && max_per_type >= self.config.writing.max_tests_per_type,
            apart: self.config.writing.apart,
            keeps_all: self.config.writing.keeps_all,
        };
        let wanted = Wanted {
            world: self.world,
            makers,
            limited: &self.target.limited,
            known: &texts,
            people: &self.seeds.sequences,
            room,
            budget,
            variations: variations.as_mut(),
            hunt: &mut self.hunt,
        };
        Ok(choose(
            wanted,
            self.executor,
            &kept,
            judgement,
            &mut self.drops,
        )?)
    }

    fn writer(&self) -> Writer<'_> {
        Writer {
            writing: &self.config.writing,
            target: self.target,
            world: self.world,
            is_sandboxed: self.config.equipping.machinery.sandbox,
            is_partial: self.interrupted || self.only.is_some(),
        }
    }

    /// What was chosen, without what the suite shows that is there.
    fn sorted(
        &mut self,
        regressions: Vec<TestCase>,
        failures: &[Finding],
        watch: &RefCell<&mut Watch<'_>>,
    ) -> Result<Sorted, CommandError> {
        let cancel = Arc::clone(watch.borrow().cancel());
        let mut progress = |n, of| watch.borrow_mut().tell(Event::Judging { n, of });
        let mut judgement = self.copied.map(|copied| Judgement {
            copied,
            cancel: &cancel,
            progress: &mut progress,
            farthest: &mut self.farthest,
            only: self.only.as_ref(),
        });
        let writer = Writer {
            writing: &self.config.writing,
            target: self.target,
            world: self.world,
            is_sandboxed: self.config.equipping.machinery.sandbox,
            is_partial: self.interrupted || self.only.is_some(),
        };
        Ok(writer.sort(
            self.begun,
            failures,
            regressions,
            self.executor,
            judgement.as_mut(),
            &mut self.drops,
        )?)
    }

    /// The tests that make calls which the recorded suite does not make.
    fn lacking(
        &mut self,
        known: &Known,
        regressions: Vec<TestCase>,
    ) -> Result<Vec<TestCase>, CommandError> {
        let lacks = known.lacks(self.world, self.executor, &regressions)?;
        let n_before = regressions.len();
        let both = regressions.into_iter().zip(lacks);
        let regressions: Vec<_> = both.filter_map(|(test, is)| is.then_some(test)).collect();
        self.drops.add(
            "test",
            "the suite, or a test before it, makes all of its calls",
            (n_before - regressions.len()) as u64,
        );
        Ok(regressions)
    }

    fn failures(
        &mut self,
        makers: &Makers,
        budget: &Budget<'_>,
    ) -> Result<Vec<Finding>, CommandError> {
        let world = self.world;
        let failures = self.ledger.record().failures();
        let failures = failures.filter(|f| self.is_wanted(f.operation)).cloned();
        let is_question = |failure: &Failure| {
            let n_returned = self.ledger.n_returned(failure.operation);
            is_question(world, failure, n_returned)
        };
        let (questions, failures): (Vec<_>, Vec<_>) = failures.partition(is_question);
        self.drops.add(
            "failure",
            "of what looks like a law (a name, text that is read again) and often does not hold",
            questions.len() as u64,
        );
        let court = Court {
            world,
            rules: &self.config.rules,
            sources: &Sources::of(&self.target.package.dir, self.copied),
        };
        let limited = &self.target.limited;
        let failures = failures.into_iter();
        let drops = &mut self.drops;
        let failures = simplify(
            court,
            self.executor,
            failures,
            makers,
            limited,
            budget,
            drops,
        )?;
        Ok(findings(court, failures, &mut self.drops))
    }

    fn write(
        &mut self,
        mut chosen: Chosen,
        watch: &mut Watch<'_>,
    ) -> Result<Written, CommandError> {
        let Run { target, world, .. } = *self;
        let writing = &self.config.writing;
        watch.enter(Stage::Check);
        let mut drops = std::mem::take(&mut self.drops);
        let writer = self.writer();
        let suite = writer.vet(self.begun, chosen.sorted, &mut chosen.failures, &mut drops)?;
        self.drops = drops;
        self.clock.stage_over(Timed::Check);
        watch.enter(Stage::Write);
        // In a review, nothing is written before the user has seen it.
        let files = match writing.course {
            Course::Review => Vec::new(),
            _ => self.writer().write(self.begun, &suite, watch)?,
        };
        if let Some(dir) = &writing.export {
            let n_programs = export(dir, target, world, suite.named_regressions())?;
            watch.note(format!(
                "{n_programs} programs are in {}; `cargo run -- --list` there names them",
                dir.display()
            ));
            for way in ways_to_check(dir) {
                watch.note(way);
            }
        }
        self.clock.stage_over(Timed::Write);
        Ok(Written {
            suite,
            files,
            failures: chosen.failures,
            containers: chosen.containers,
            is_judged: chosen.is_judged,
        })
    }

    fn report(mut self, written: &Written) -> Report {
        let Run { target, world, .. } = self;
        let Written { suite, files, .. } = written;
        left_out(world, self.ledger, self.seeds, &mut self.drops);
        let executor = self.executor;
        self.drops
            .add("guest", "had to be replaced", executor.n_lost);
        self.drops.add(
            "batch",
            "run again: a program ran out of time, and ended when it had more",
            executor.n_hurried,
        );
        let stats = self.ledger.stats();
        let explored = self.ledger.regions().collect();
        let mut judged = Judged::of(self.copied, target, written, &explored);
        if let Some(copied) = self.copied {
            stops(&mut judged.mutants, copied, &explored, &self.farthest);
        }
        Report {
            schema: SCHEMA,
            kind: RecordKind::Run,
            package: target.package.name.clone(),
            version: target.package.version.clone(),
            seed: self.config.exploring.seed,
            jobs: executor.n_jobs() as u32,
            calls: stats.n_calls,
            new_calls: stats.n_new_calls,
            laws: LawsReport {
                known: n_laws(world),
                asked: stats.n_laws,
            },
            sequences: stats.n_sequences,
            states: self.ledger.n_states() as u64,
            rounds: stats.rounds.iter().map(told::round).collect(),
            seconds: self.clock.seconds(),
            operations: world.catalogue.operations.len() as u64,
            seeds: told::seeds(self.seeds),
            callables: callables::explored(
                world,
                self.ledger,
                &target.filter,
                suite.named_regressions().map(|(_, case)| case),
            ),
            containers: written.containers.clone(),
            coverage: judged.coverage,
            hunt: self.hunt,
            branches: judged.branches,
            mutants: judged.mutants,
            sources: judged.sources,
            standing: self.begun.report(Some(suite), &target.package),
            tests: suite.test_reports(target),
            failures: suite.failure_reports(target, world, &written.failures),
            dropped: self.drops.into_list(),
            files: files.clone(),
            interrupted: self.interrupted,
        }
    }
}

/// What is known of the crate's code, and of the code and mutants that the suite covers. Without a
/// copy, nothing is.
#[derive(Default)]
struct Judged {
    sources: Vec<SourceReport>,
    mutants: Vec<MutantReport>,
    /// Coverage and branches are known only if the suite was judged to the end.
    coverage: Option<CoverageReport>,
    branches: Vec<BranchReport>,
}

impl Judged {
    fn of(
        copied: Option<&Copied>,
        target: &Target,
        written: &Written,
        explored: &BTreeSet<RegionId>,
    ) -> Judged {
        let Some(copied) = copied else {
            return Judged::default();
        };
        let sources = sources_of(&target.package.dir, copied);
        let named = written.suite.worth().map(|(name, worth)| Tested {
            name: name.to_owned(),
            regions: &worth.regions,
            kills: &worth.kills,
        });
        let tests: Vec<Tested<'_>> = named.collect();
        if !written.is_judged {
            return Judged {
                mutants: judged(copied, &sources, None),
                sources,
                ..Judged::default()
            };
        }
        let worth = || written.suite.worth().map(|(_, worth)| worth);
        let entered = worth().flat_map(|it| it.regions.iter().copied()).collect();
        let killed = worth().flat_map(|it| it.kills.iter().copied()).collect();
        Judged {
            mutants: judged(copied, &sources, Some(&tests)),
            sources,
            coverage: Some(coverage(copied, &entered, &killed)),
            branches: branches(copied, &entered, &tests, explored),
        }
    }
}

/// Counts what rustc refused.
fn not_built(equipped: &Equipped, drops: &mut Drops) {
    for reason in &equipped.refused {
        drops.add("operation", reason.to_string(), 1);
    }
    drops.add(
        "observer",
        "rustc refused the structural one; described by Debug text",
        equipped.n_plain_types as u64,
    );
}

/// Counts what exploration left out or could not use.
fn left_out(world: &World, ledger: &Ledger, seeds: &Seeds, drops: &mut Drops) {
    let stats = ledger.stats();
    for (what, why, n) in [
        ("sequence", "ended in a panic or worse", stats.n_failed),
        ("sequence", "an unwrap met the other side", stats.n_refused),
        ("proposal", "was built before", stats.n_duplicates),
        ("proposal", "the borrow check rejected it", stats.n_rejected),
        (
            "sequence",
            "failed in a part that had passed before",
            stats.n_unsteady,
        ),
        (
            "sequence",
            "not understood by the guest (a bug of testsmith)",
            stats.n_malformed,
        ),
        ("component", "the type has too many", stats.n_evicted),
        ("component", "too much work to build upon", stats.n_costly),
        (
            "state",
            "there were too many to exhaust",
            stats.n_states_left_out,
        ),
        (
            "finding",
            "there were too many to remember",
            ledger.record().n_left_out(),
        ),
        (
            "sequence",
            "forgotten, might be tried again",
            stats.n_forgotten,
        ),
        (
            "proposal",
            "its call did not end in time, filled the memory or took too much work before",
            stats.n_quarantined,
        ),
        (
            "example or test file",
            "it could not be read as Rust",
            seeds.n_unread,
        ),
        (
            "seed",
            "it is too long, or there are too many",
            seeds.n_long,
        ),
    ] {
        drops.add(what, why, n);
    }
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
}

/// Does the sequence make a value of testsmith's own counting types, or of one that could hold them?
/// Other sequences show the same with values that say more.
fn counts(world: &World, sequence: &Sequence) -> bool {
    let Some((counter, counted)) = &world.catalogue.api.counted else {
        return false;
    };
    let types = &world.catalogue.types;
    let is_ours = |part: &Ty| part == counter || part == counted;
    let has_counted = |step: &Step| match step {
        Step::Call { op, .. } => {
            let ty = &types.get(world.signature(*op).output.ty).ty;
            ty.any(&mut |part| is_ours(part))
        }
        Step::Drop(_) => false,
    };
    sequence.steps().iter().any(has_counted)
}

/// The number of laws that the harness can ask for.
fn n_laws(world: &World) -> u64 {
    let operations = world.catalogue.operations.iter();
    operations.filter(|it| it.origin == Origin::Law).count() as u64
}
