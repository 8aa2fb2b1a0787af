//! What the page is made of: the records without what it does not show, and with what it would have to
//! compute.

mod rows;

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use testsmith_record::{
    BranchReport, Dropped, Impact, LinesReport, MutantReport, Noticed, Report, StateReport, Status,
    Stop, Timed, TransitionReport,
};

use self::rows::{CallableRow, FailureRow, FileRow};
use crate::diff::diff;
use crate::rank::ranked;
use crate::records::{Judged, Records, Test};

/// A test that reaches a killed mutant is not news: so many of them are named.
const MAX_REACHING: usize = 12;

/// Everything.
#[derive(Serialize)]
pub(crate) struct Page<'r> {
    package: &'r str,
    version: &'r str,
    testsmith: &'static str,
    /// Different texts of sources; views refer to them.
    texts: Vec<&'r str>,
    views: Vec<View<'r>>,
    run: Option<RunPart<'r>>,
    callables: Option<Vec<CallableRow<'r>>>,
    states: Vec<StatesPart<'r>>,
}

/// Mutants and coverage, as one set of tests sees them.
#[derive(Serialize)]
struct View<'r> {
    /// `mutants` or `run`.
    key: &'static str,
    sources: BTreeMap<&'r str, usize>,
    names: Vec<&'r str>,
    mutants: Vec<Row<'r>>,
    tests: Vec<Test<'r>>,
    coverage: Option<&'r LinesReport>,
    branches: &'r [BranchReport],
    score: Option<f64>,
    seconds: &'r BTreeMap<Timed, f64>,
    left_out: Option<&'r BTreeMap<String, usize>>,
    interrupted: bool,
}

/// A mutant.
#[derive(Serialize)]
struct Row<'r> {
    /// Stays the same in another run, as its name does.
    key: String,
    name: &'r str,
    file: &'r str,
    line: usize,
    end_line: usize,
    function: &'r str,
    operator: &'r str,
    original: &'r str,
    replacement: &'r str,
    /// The lines that take the place of `line` to `end_line`; none if nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    added: Option<Vec<String>>,
    status: Status,
    /// Indices of names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    killed_by: Vec<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reached_by: Vec<usize>,
    /// How many tests there are of that kind.
    n_reached_by: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    how: Option<Noticed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<Impact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<Stop>,
}

/// What only a run knows.
#[derive(Serialize)]
struct RunPart<'r> {
    seed: u64,
    calls: u64,
    sequences: u64,
    states: u64,
    seconds: &'r BTreeMap<Timed, f64>,
    failures: Vec<FailureRow<'r>>,
    dropped: &'r [Dropped],
    files: Vec<FileRow<'r>>,
    interrupted: bool,
}

/// A type with its states.
#[derive(Serialize)]
struct StatesPart<'r> {
    #[serde(rename = "type")]
    ty: &'r str,
    note: Option<&'r str>,
    predicates: &'r [String],
    states: &'r [StateReport],
    transitions: &'r [TransitionReport],
    values: usize,
    calls: usize,
    drawing: &'r str,
}

impl<'r> Page<'r> {
    pub(crate) fn of(records: &'r Records) -> Page<'r> {
        let mut texts = Texts::default();
        let mut views = Vec::new();
        if let Some(mutants) = &records.mutants {
            views.push(View {
                coverage: mutants.coverage.as_ref(),
                branches: &mutants.branches,
                score: mutants.score,
                seconds: &mutants.seconds,
                left_out: Some(&mutants.left_out),
                interrupted: mutants.interrupted,
                ..View::of(
                    "mutants",
                    Judged::by_all(mutants),
                    &mutants.seconds,
                    &mut texts,
                )
            });
        }
        if let Some(run) = &records.run {
            views.push(View {
                coverage: run.coverage.as_ref().map(|it| &it.through),
                branches: &run.branches,
                interrupted: run.interrupted,
                ..View::of("run", Judged::by_written(run), &run.seconds, &mut texts)
            });
        }
        let of_run = records.run.as_ref().map(|it| &it.callables[..]);
        let of_api = records.api.as_ref().map(|it| &it.callables[..]);
        let callables = of_run.or(of_api);
        let states = records.states.iter().map(|it| StatesPart {
            ty: &it.ty,
            note: it.note.as_deref(),
            predicates: &it.predicates,
            states: &it.states,
            transitions: &it.transitions,
            values: it.values,
            calls: it.calls,
            drawing: &it.drawing,
        });
        Page {
            package: records.package().unwrap_or_default(),
            version: records.version().unwrap_or_default(),
            testsmith: env!("CARGO_PKG_VERSION"),
            views,
            run: records.run.as_ref().map(RunPart::of),
            callables: callables.map(|it| it.iter().map(CallableRow::of).collect()),
            states: states.collect(),
            texts: texts.list,
        }
    }
}

impl<'r> RunPart<'r> {
    fn of(run: &'r Report) -> RunPart<'r> {
        RunPart {
            seed: run.seed,
            calls: run.calls,
            sequences: run.sequences,
            states: run.states,
            seconds: &run.seconds,
            failures: run.failures.iter().map(FailureRow::of).collect(),
            dropped: &run.dropped,
            files: run.files.iter().map(FileRow::of).collect(),
            interrupted: run.interrupted,
        }
    }
}

impl<'r> View<'r> {
    fn of(
        key: &'static str,
        judged: Judged<'r>,
        seconds: &'r BTreeMap<Timed, f64>,
        texts: &mut Texts<'r>,
    ) -> View<'r> {
        let sources = judged.sources.iter();
        let sources = sources.map(|it| (&*it.path, texts.index(&it.text)));
        let sources = sources.collect();
        let mut names = Texts::default();
        let mut keys: HashMap<u64, usize> = HashMap::new();
        let mut by_path: HashMap<&str, &str> = HashMap::new();
        for source in judged.sources {
            by_path.insert(&source.path, &source.text);
        }
        let mutants = ranked(judged.mutants.iter()).into_iter().map(|mutant| {
            let digest = digest(&mutant.name);
            let n_before = keys.entry(digest).or_default();
            *n_before += 1;
            let key = match *n_before {
                1 => format!("{digest:010x}"),
                n => format!("{digest:010x}-{n}"),
            };
            let source = by_path.get(&*mutant.file).copied();
            let added = source.and_then(|it| diff(it, mutant)).map(|it| it.added);
            Row::of(mutant, key, added, &mut names)
        });
        let mutants = mutants.collect();
        View {
            key,
            sources,
            mutants,
            names: names.list,
            tests: judged.tests,
            coverage: None,
            branches: &[],
            score: None,
            seconds,
            left_out: None,
            interrupted: false,
        }
    }
}

impl<'r> Row<'r> {
    fn of(
        mutant: &'r MutantReport,
        key: String,
        added: Option<Vec<String>>,
        names: &mut Texts<'r>,
    ) -> Row<'r> {
        let n_named = match mutant.status {
            Status::Killed => MAX_REACHING,
            _ => usize::MAX,
        };
        let mut indices = |list: &'r [String], n: usize| -> Vec<usize> {
            let named = list.iter().take(n);
            named.map(|name| names.index(name)).collect()
        };
        Row {
            key,
            name: &mutant.name,
            file: &mutant.file,
            line: mutant.line,
            end_line: mutant.end_line.max(mutant.line),
            function: &mutant.function,
            operator: &mutant.operator,
            original: &mutant.original,
            replacement: &mutant.replacement,
            added,
            status: mutant.status,
            killed_by: indices(&mutant.killed_by, usize::MAX),
            reached_by: indices(&mutant.reached_by, n_named),
            n_reached_by: mutant.reached_by.len(),
            how: mutant.how,
            reason: mutant.reason.as_deref(),
            impact: mutant.impact,
            stop: mutant.stop,
        }
    }
}

/// Different texts, each once.
#[derive(Default)]
struct Texts<'r> {
    list: Vec<&'r str>,
    known: HashMap<&'r str, usize>,
}

impl<'r> Texts<'r> {
    fn index(&mut self, text: &'r str) -> usize {
        let list = &mut self.list;
        *self.known.entry(text).or_insert_with(|| {
            list.push(text);
            list.len() - 1
        })
    }
}

/// Forty bits of FNV-1a: short enough for a link, and the same everywhere.
fn digest(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash >> 24
}
