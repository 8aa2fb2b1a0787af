//! `cargo testsmith record`: records what a package's own tests do with it, every call from outside
//! the crate.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_equip::{Equipping, Outcome, Rewritten, Stage, Watch, rewrite};
use testsmith_harness::{Copied, Purpose, RegionId};
use testsmith_record::{FunctionReport, RecordKind, RecordedTest, RecordingReport, SCHEMA};
use testsmith_rig::{AllCalls, Call, LONGEST, Rig};

use crate::error::CommandError;

/// Runs the package's own tests on a copy that writes their calls down.
pub fn record(
    equipping: &Equipping,
    watch: &mut Watch<'_>,
) -> Result<Outcome<RecordingReport>, CommandError> {
    let report = recorded(equipping, watch);
    watch.outcome(report)
}

fn recorded(equipping: &Equipping, watch: &mut Watch<'_>) -> Result<RecordingReport, CommandError> {
    let Rewritten {
        package,
        scratch,
        instrument,
        copied,
    } = rewrite(equipping, Purpose::Recording, watch)?;
    watch.enter(Stage::Record);
    let rig = Rig::new(
        &scratch,
        &instrument,
        equipping.machinery.sandbox,
        watch.cancel(),
    )?;
    let recorded = recorded_calls(&rig, &copied)?;
    let functions = functions(&copied, &recorded.calls);
    Ok(RecordingReport {
        schema: SCHEMA,
        kind: RecordKind::Record,
        package: package.name,
        version: package.version,
        calls: functions.iter().map(|it| it.calls).sum(),
        cut: recorded.is_cut,
        functions,
        tests: tests(&recorded.calls),
        failed: recorded.failed.into_iter().collect(),
    })
}

/// The calls that own tests make.
pub(crate) struct RecordedCalls {
    pub(crate) calls: Vec<Call>,
    /// Did the record of calls run out of room?
    pub(crate) is_cut: bool,
    /// Tests that failed, and targets that did not come to their end.
    pub(crate) failed: BTreeSet<String>,
}

/// Runs the package's own tests on the copy, which writes their calls down.
pub(crate) fn recorded_calls(rig: &Rig, copied: &Copied) -> Result<RecordedCalls, CommandError> {
    let targets = rig.targets(&rig.build_on_copy(copied)?, &rig.twin.package);
    let (dir, ended) = rig.record_whole(&targets, LONGEST)?;
    let AllCalls { calls, is_cut } = AllCalls::read(&dir)?;
    Ok(RecordedCalls {
        calls,
        is_cut,
        failed: ended.said(),
    })
}

fn functions(copied: &Copied, calls: &[Call]) -> Vec<FunctionReport> {
    let mut by_region: BTreeMap<RegionId, FunctionReport> = BTreeMap::new();
    let mut states: BTreeSet<(RegionId, u64)> = BTreeSet::new();
    for call in calls {
        let Some(region) = copied.region(call.region) else {
            continue;
        };
        let report = by_region
            .entry(call.region)
            .or_insert_with(|| FunctionReport {
                function: region.function.clone(),
                file: region.file.display().to_string(),
                line: region.line,
                ..FunctionReport::default()
            });
        report.calls += 1;
        match call.is_whole {
            false => report.opaque += 1,
            true => report.distinct += usize::from(states.insert((call.region, call.state))),
        }
    }
    let mut reports: Vec<FunctionReport> = by_region.into_values().collect();
    reports.sort_by_key(|it| std::cmp::Reverse(it.calls));
    reports
}

fn tests(calls: &[Call]) -> Vec<RecordedTest> {
    let mut by_test: BTreeMap<&str, RecordedTest> = BTreeMap::new();
    let mut makers: BTreeMap<(RegionId, u64), BTreeSet<&str>> = BTreeMap::new();
    for call in calls {
        let Some(test) = call.test.as_deref() else {
            continue;
        };
        let report = by_test.entry(test).or_default();
        report.calls += 1;
        match call.is_whole {
            false => report.opaque += 1,
            true => {
                let makers = makers.entry((call.region, call.state)).or_default();
                report.distinct += usize::from(makers.insert(test));
            }
        }
    }
    for makers in makers.values().filter(|makers| makers.len() == 1) {
        for test in makers {
            by_test.entry(*test).or_default().own += 1;
        }
    }
    by_test
        .into_iter()
        .map(|(test, report)| RecordedTest {
            test: test.to_owned(),
            ..report
        })
        .collect()
}
