//! What a package's own tests do with it: every call from outside the crate, with the state of its
//! arguments, as a rewritten copy of the crate writes it down.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::rc::Rc;

use testsmith_equip::{Equipping, Outcome, Stage, Watch};
use testsmith_harness::{Copied, Purpose};
use testsmith_project::ScratchError;
use testsmith_record::{FunctionReport, RecordedTest, RecordingReport, SCHEMA};

use crate::PipelineError;
use crate::mutants::prepare;
use crate::verify::Bench;

/// Stands where there was no more room.
pub(crate) const FULL: u32 = u32::MAX;
/// Stands where the name of a thread follows: that of the test it runs.
const NAME: u32 = u32::MAX - 1;
/// Stands where the regions follow that were entered.
const ENTERED: u32 = u32::MAX - 2;

/// Snapshots that are not whole say so in their first byte.
const NOT_WHOLE: u8 = 3;

/// Runs the package's own tests on a copy that writes their calls down.
pub fn record(
    equipping: &Equipping,
    watch: &mut Watch<'_>,
) -> Result<Outcome<RecordingReport>, PipelineError> {
    let report = recorded(equipping, watch);
    watch.outcome(report)
}

fn recorded(
    equipping: &Equipping,
    watch: &mut Watch<'_>,
) -> Result<RecordingReport, PipelineError> {
    let prepared = prepare(equipping, Purpose::Recording, watch)?;
    watch.enter(Stage::Record);
    let sandbox = equipping.machinery.sandbox;
    let bench = Bench::new(&prepared.scratch, &prepared.instrument, sandbox)?;
    let (dir, failed) = bench.record(&prepared.copied)?;
    let (calls, is_cut) = calls(&dir)?;
    let functions = functions(&prepared.copied, &calls);
    let tests = tests(&calls);
    Ok(RecordingReport {
        schema: SCHEMA,
        package: prepared.package.name,
        version: prepared.package.version,
        calls: functions.iter().map(|it| it.calls).sum(),
        cut: is_cut,
        functions,
        tests,
        failed: failed.into_iter().collect(),
    })
}

/// A call as the copy wrote it down.
pub(crate) struct Call {
    pub(crate) region: u32,
    thread: u64,
    pub(crate) is_whole: bool,
    pub(crate) state: u64,
    /// The arguments, where they are written down: with the first call of each kind.
    pub(crate) arguments: Vec<u8>,
    /// The test that makes it, if that is known.
    test: Option<Rc<str>>,
}

/// All calls that were written down, and whether there was no room for more.
pub(crate) fn calls(dir: &Path) -> Result<(Vec<Call>, bool), PipelineError> {
    let calls = read(dir).map_err(|source| ScratchError::Write {
        path: dir.to_path_buf(),
        source,
    })?;
    let is_cut = calls.iter().any(|call| call.region == FULL);
    Ok((calls, is_cut))
}

/// All calls of all processes: a directory for each target, a file for each process.
fn read(dir: &Path) -> std::io::Result<Vec<Call>> {
    let mut calls = Vec::new();
    for target in fs::read_dir(dir)? {
        let target = target?;
        for entry in fs::read_dir(target.path())? {
            let bytes = fs::read(entry?.path())?;
            read_process(&target.file_name().to_string_lossy(), &bytes, &mut calls);
        }
    }
    Ok(calls)
}

/// What one process wrote: its calls, and the regions that it entered, if it lived to say so.
pub(crate) fn read_one(bytes: &[u8]) -> (Vec<Call>, Option<BTreeSet<u32>>) {
    let (mut rest, mut calls, mut entered) = (bytes, Vec::new(), None);
    while let Some((call, text, after)) = next(rest) {
        rest = after;
        match call.region {
            NAME => {}
            ENTERED => {
                let (regions, _) = text.as_chunks::<4>();
                entered = Some(regions.iter().map(|it| u32::from_le_bytes(*it)).collect());
            }
            _ => calls.push(call),
        }
    }
    (calls, entered)
}

fn read_process(target: &str, bytes: &[u8], calls: &mut Vec<Call>) {
    let mut rest = bytes;
    let mut tests: BTreeMap<u64, Rc<str>> = BTreeMap::new();
    // What a process that died did not write whole is left out.
    while let Some((mut call, text, after)) = next(rest) {
        rest = after;
        if call.region == ENTERED {
            continue;
        }
        if call.region == NAME {
            let name = String::from_utf8_lossy(text);
            // Threads that a test starts have no name, and the first is nobody's.
            if !name.is_empty() && name != "main" {
                tests.insert(call.thread, format!("{target} {name}").into());
            }
            continue;
        }
        call.test = tests.get(&call.thread).cloned();
        call.arguments = text.to_vec();
        calls.push(call);
    }
}

/// The first call: the region, the thread, flags, a digest of the state, and the state itself where
/// it is new. What is left comes last.
fn next(bytes: &[u8]) -> Option<(Call, &[u8], &[u8])> {
    let (region, rest) = bytes.split_first_chunk::<4>()?;
    let (thread, rest) = rest.split_first_chunk::<8>()?;
    let (flags, rest) = rest.split_first()?;
    let (state, rest) = rest.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let call = Call {
        region: u32::from_le_bytes(*region),
        thread: u64::from_le_bytes(*thread),
        is_whole: flags & NOT_WHOLE == 0,
        state: u64::from_le_bytes(*state),
        arguments: Vec::new(),
        test: None,
    };
    Some((call, text, rest))
}

fn functions(copied: &Copied, calls: &[Call]) -> Vec<FunctionReport> {
    let mut by_region: BTreeMap<u32, FunctionReport> = BTreeMap::new();
    let mut states: BTreeSet<(u32, u64)> = BTreeSet::new();
    for call in calls {
        let Some(region) = copied.regions.get(call.region as usize) else {
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
    let mut makers: BTreeMap<(u32, u64), BTreeSet<&str>> = BTreeMap::new();
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
