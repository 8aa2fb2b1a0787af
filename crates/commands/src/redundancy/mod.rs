//! Measures how much of a suite is redundant by several notions of equal states: the experiment of
//! Xie, Marinov and Notkin (*Rostra*, 2004, section 5.2), on the types of a crate.
//!
//! For each type, suites are made as two tools for Java made them ([`suites`], with the arguments
//! of [`defaults`](crate::defaults)), run, and observed while they run ([`Sights`]). Every notion
//! then says which tests make no call that an earlier test did not make. The tests that remain must
//! be as good as the whole suite ([`quality`]).

mod augment;
mod quality;
mod suites;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use testsmith_api::{KeyNames, OperationId};
use testsmith_harness::Copied;
use testsmith_record::{
    Notion, NotionReport, Quality, RecordKind, RedundancyReport, SCHEMA, SuiteKind, SuiteReport,
    Timed, TypeReport,
};
use testsmith_sequence::World;
use testsmith_states::{Known, StateBy, executions};
use testsmith_suite::{Sights, run};

use self::quality::{Judging, Suites, qualities};

use self::suites::{KINDS, Suite, subjects, suite};
use crate::config::Config;
use crate::error::CommandError;
use testsmith_equip::{Clock, EquipError, Equipped, Event, Executor, Outcome, Stage, Watch, learn};

/// Makes suites for every type of a package, and judges them by every notion. An interruption ends
/// it after the type at hand.
pub fn redundancy(
    config: &Config,
    watch: &mut Watch<'_>,
) -> Result<Outcome<RedundancyReport>, CommandError> {
    let report = judged(config, watch);
    watch.outcome(report)
}

fn judged(config: &Config, watch: &mut Watch<'_>) -> Result<RedundancyReport, CommandError> {
    if config.equipping.machinery.rustc_wrapper.is_none() {
        return Err(EquipError::NoWrapper.into());
    }
    let exploring = &config.exploring;
    let mut clock = Clock::default();
    let learnt = learn(&config.equipping, watch)?;
    clock.stage_over(Timed::Learn);
    let Equipped {
        target,
        world,
        copied,
        mut executor,
        ..
    } = learnt.equip(&config.equipping.machinery, watch, &mut clock)?;
    watch.enter(Stage::Redundancy);
    let is_wanted = |id| {
        let operation = world.catalogue.operation(id);
        target.filter.wants_operation(&world.catalogue, operation)
    };
    let mut types: Vec<TypeReport> = Vec::new();
    for (ty, subject) in subjects(&world, is_wanted) {
        let copied = copied.as_ref();
        let mut suites = Vec::new();
        for kind in KINDS {
            let suite = suite(&world, &subject, kind);
            let report = judge(&world, &mut executor, copied, &suite, watch)?;
            let begun = augment::Begun {
                ty,
                subject: &subject,
                tests: &suite.tests,
            };
            let cancel = watch.cancel();
            let augmented =
                augment::augment(exploring, &world, &mut executor, copied, begun, cancel)?;
            suites.push(SuiteReport {
                suite: kind.kind,
                augmented,
                ..report
            });
        }
        if watch.is_cancelled() {
            break;
        }
        let keys = |operations: &[_]| names(&world, operations);
        types.push(TypeReport {
            path: world.catalogue.types.get(ty).ty.render(&KeyNames),
            constructors: keys(&subject.constructors),
            methods: keys(&subject.methods),
            suites,
        });
    }
    types.sort_by(|one, other| one.path.cmp(&other.path));
    clock.stage_over(Timed::Judge);
    let copied = copied.as_ref();
    Ok(RedundancyReport {
        schema: SCHEMA,
        kind: RecordKind::Redundancy,
        package: target.package.name,
        version: target.package.version,
        monitored: copied.map_or(0, |it| it.n_monitored),
        unmonitored: copied.map_or_else(BTreeMap::new, |it| it.unmonitored.clone()),
        types,
        seconds: clock.seconds(),
        interrupted: watch.is_cancelled(),
    })
}

fn names(world: &World, operations: &[OperationId]) -> Vec<String> {
    let key = |id| world.catalogue.operation(id).key.to_string();
    operations.iter().copied().map(key).collect()
}

/// A notion as records have it.
fn notion(by: StateBy) -> Notion {
    match by {
        StateBy::WholeSeq => Notion::WholeSeq,
        StateBy::ModifyingSeq => Notion::ModifyingSeq,
        StateBy::WholeState => Notion::WholeState,
        StateBy::MonitorEq => Notion::MonitorEq,
        StateBy::PairwiseEq => Notion::PairwiseEq,
    }
}

/// What takes time before a suite can be judged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// The tests are run.
    Run,
    /// Their values are looked at.
    Look,
    /// It is noted what `==` reads of them.
    Monitor,
    /// They are compared by `==`.
    Compare,
}

/// Runs a suite, and judges it by every notion.
fn judge(
    world: &World,
    executor: &mut Executor,
    copied: Option<&Copied>,
    suite: &Suite,
    watch: &mut Watch<'_>,
) -> Result<SuiteReport, CommandError> {
    let mut clock = Clock::default();
    let trials = run(world, executor, &suite.tests)?;
    clock.stage_over(Part::Run);
    let tests = &trials.tests;
    let mut sights = Sights::of(world, executor, tests)?;
    clock.stage_over(Part::Look);
    sights.monitor(world, executor)?;
    clock.stage_over(Part::Monitor);
    sights.compare(world, executor)?;
    clock.stage_over(Part::Compare);
    let mut notions = Vec::new();
    // Bit 0 stands for the whole suite, and each further bit for the tests that one notion leaves.
    let mut suites: Vec<Suites> = vec![1; tests.len()];
    let mut n_executions = 0;
    for (n, by) in StateBy::ALL.into_iter().enumerate() {
        let start = Instant::now();
        let mut known = Known::default();
        n_executions = 0;
        for (at, test) in tests.iter().enumerate() {
            let made = executions(world, &test.sequence, by, &sights.view(at));
            n_executions += made.len();
            if known.learn(&made) > 0 {
                suites[at] |= 2 << n;
            }
        }
        let needed: &[Part] = match by {
            StateBy::WholeSeq => &[Part::Run],
            StateBy::ModifyingSeq | StateBy::WholeState => &[Part::Look],
            StateBy::MonitorEq => &[Part::Look, Part::Monitor],
            StateBy::PairwiseEq => &[Part::Look, Part::Compare],
        };
        let before: f64 = needed.iter().map(|it| clock.of(it)).sum();
        let redundant = suites.iter().filter(|it| **it & (2 << n) == 0);
        notions.push(NotionReport {
            state_by: notion(by),
            redundant_tests: redundant.count(),
            redundant_executions: n_executions - known.len(),
            seconds: before + start.elapsed().as_secs_f64(),
            quality: Quality::default(),
            lost: Vec::new(),
        });
    }
    let mut quality = Quality::default();
    if let Some(copied) = copied {
        let cancel = Arc::clone(watch.cancel());
        let judging = Judging {
            cancel: &cancel,
            progress: &mut |n, of| watch.tell(Event::Judging { n, of }),
        };
        let found = qualities(world, executor, copied, tests, &suites, judging)?;
        let mut found = found.into_iter();
        (quality, _) = found.next().unwrap_or_default();
        for (notion, of_notion) in notions.iter_mut().zip(found) {
            (notion.quality, notion.lost) = of_notion;
        }
    }
    Ok(SuiteReport {
        suite: SuiteKind::Unknown,
        tests: tests.len(),
        executions: n_executions,
        quality,
        notions,
        augmented: Vec::new(),
        cut: trials.n_cut,
        unfit: trials.n_unfit,
        rejected: suite.n_rejected,
        beyond: suite.n_beyond,
        without_arguments: names(world, &suite.without_arguments),
        not_whole: sights.not_whole(world, tests),
        uncompared: sights.n_uncompared,
        seen: sights.seen(world),
    })
}
