//! What was learnt on one version of a package, run on another: behaviour that changed although it
//! can still be called as before, the behavioural side of semantic versioning.
//!
//! OLD gets a whole run, every case a test of its own. Its tests are compiled and run on NEW
//! ([`elsewhere`]); what rustc refuses there is explained by what the versions publish ([`surface`]);
//! what fails there, every time, has changed, and is told by the callable to [`blame`]. The tests that
//! show it are written as a file, which was seen to pass on OLD and to fail on NEW.

mod blame;
mod elsewhere;
mod surface;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use testsmith_api::{CallableKind, OperationId, Origin};
use testsmith_emit::{Subject, TestCase, TestFile, TestKind};
use testsmith_project::{Features, Inmate, Package, Scratch};
use testsmith_record::{
    Change, ChangedTest, DiffReport, Drops, FileReport, Fixed, GoneReport, SCHEMA, SideReport,
    SignatureReport, Uncompared,
};
use testsmith_sequence::{Step, World};

use crate::filter::Filter;
use crate::printer::Printer;
use crate::vet::{self, Cell, Draft, SUSPECT_SECONDS, VetError, each_alone, test_run};
use crate::write::{is_ours, write as write_file};
use crate::{Clock, Config, Event, Events, PipelineError, Whole, learn, run_whole};
use blame::{Spectrum, blame};
use elsewhere::{Difference, Fate, run_elsewhere, suite_package};
use surface::Surface;

/// The file of tests that pass on OLD and fail on NEW, without `.rs`.
const NAME: &str = "testsmith_diff";
/// Tests may have to be left out of the file so many times.
const MAX_ROUNDS: usize = 5;

/// The other version: what it publishes, and a workspace to run tests on it.
struct Other {
    package: Package,
    scratch: Scratch,
    surface: Surface,
}

/// Compares two versions of a package. The configurations name them; `origins` says in words where
/// they come from. `cancel` ends learning and building at once, and exploration early.
pub fn diff(
    old: &Config,
    new: &Config,
    origins: [&str; 2],
    events: Events<'_>,
    cancel: &Arc<AtomicBool>,
) -> Result<DiffReport, PipelineError> {
    let mut clock = Clock::new();
    // First, for it is quick, and may say that there is nothing to compare with.
    let other = other(new, events, cancel);
    let mut other = other.map_err(|e| e.or_interrupted("learning", cancel))?;
    if cancel.load(Ordering::Relaxed) {
        return Err(PipelineError::Interrupted { stage: "learning" });
    }
    clock.stage_over("learn new");
    let whole = run_whole(old, None, events, cancel)?;
    clock.stage_over("run old");

    events(Event::Stage("compare"));
    let Whole {
        report,
        learnt,
        world,
        suite,
        augmented: _,
    } = &whole;
    let api = &world.catalogue.api;
    let surface = Surface::of(api, &learnt.filter, old.only.is_empty());
    let gone = surface.without(&other.surface);
    let added = other.surface.without(&surface);
    let signatures = surface.changed(&other.surface);
    other.scratch.name_dependencies(&api.dependencies);
    let cases: Vec<TestCase> = suite
        .regressions()
        .chain(suite.failing())
        .cloned()
        .collect();
    let cells = Cell::several(&other.scratch, new.sandbox)?;
    let from = elsewhere::Learnt {
        world,
        scratch: &learnt.scratch,
    };
    let fates = run_elsewhere(&from, &other.scratch, &cells, cases.clone())?;
    clock.stage_over("compare");

    let uncompared = uncompared(world, &cases, &fates, &gone, &signatures);
    let is_compared = |fate: &&Fate| matches!(fate, Fate::Same | Fate::Different(_));
    let compared = fates.list.iter().filter(is_compared).count();
    let same = |fate: &&Fate| matches!(fate, Fate::Same);
    let same = fates.list.iter().filter(same).count();
    let is_failure = |case: &TestCase| matches!(case.kind, TestKind::Failure { .. });
    let mut fixed = Vec::new();
    let mut tried: Vec<(&TestCase, &Fate)> = Vec::new();
    for (case, fate) in cases.iter().zip(&fates.list) {
        match fate {
            Fate::Different(difference) if is_failure(case) => fixed.push(Fixed {
                callable: spectrum(world, case, fate).remove(0),
                code: difference.code.clone(),
                old: difference.old.clone(),
            }),
            Fate::Same | Fate::Different(_) if !is_failure(case) => tried.push((case, fate)),
            _ => {}
        }
    }
    let spectra = tried.iter().map(|(case, fate)| Spectrum {
        callables: spectrum(world, case, fate),
        failed: matches!(fate, Fate::Different(_)),
    });
    let blamed = blame(&spectra.collect::<Vec<_>>());
    let mut drops = Drops::default();
    let mut shown: Vec<(&TestCase, &Difference)> = Vec::new();
    let mut changed: Vec<Change> = Vec::new();
    for (callable, tests) in blamed {
        let mut tests: Vec<(&TestCase, &Difference)> = tests
            .into_iter()
            .filter_map(|i| match tried[i] {
                (case, Fate::Different(difference)) => Some((case, difference)),
                _ => None,
            })
            .collect();
        tests.sort_by_key(|(_, it)| (it.code.len() + it.old.len() + it.new.len(), &it.code));
        changed.push(Change {
            resigned: signatures.iter().any(|it| it.path == callable),
            callable,
            tests: tests.iter().map(|(_, it)| changed_test(it)).collect(),
        });
        shown.extend(tests);
    }
    // What NEW cannot be asked is not in the file either.
    let showing = shown.iter().map(|(case, _)| {
        let at = cases.iter().position(|it| std::ptr::eq(it, *case));
        let accepted = at.map(|at| &fates.checks[at]);
        let checks = case.checks.iter().enumerate();
        let checks = checks.filter(|(i, _)| accepted.is_none_or(|it| it.contains(i)));
        TestCase {
            checks: checks.map(|(_, check)| check.clone()).collect(),
            ..(*case).clone()
        }
    });
    let showing = showing.collect();
    let sides = Sides {
        old,
        whole: &whole,
        other: &other,
        cells: &cells,
    };
    let (file, names) = sides.write(showing, events, &mut drops)?;
    let tests = changed.iter_mut().flat_map(|it| &mut it.tests);
    for (test, name) in tests.zip(names) {
        test.name = name;
    }
    clock.stage_over("write");
    let mut dropped = report.dropped.clone();
    dropped.extend(drops.into_list());
    Ok(DiffReport {
        schema: SCHEMA,
        package: report.package.clone(),
        old: SideReport {
            version: report.version.clone(),
            origin: origins[0].to_owned(),
        },
        new: SideReport {
            version: other.package.version.clone(),
            origin: origins[1].to_owned(),
        },
        seed: report.seed,
        calls: report.calls,
        compared,
        same,
        changed,
        fixed,
        gone,
        added,
        signatures,
        uncompared,
        file,
        dropped,
        seconds: clock.seconds,
        interrupted: report.interrupted,
    })
}

/// Learns what NEW publishes.
fn other(
    config: &Config,
    events: Events<'_>,
    cancel: &Arc<AtomicBool>,
) -> Result<Other, PipelineError> {
    // A feature that is gone is no reason to compare nothing.
    let package =
        testsmith_project::locate(config.manifest_path.as_deref(), config.package.as_deref())?;
    let (named, lost): (Vec<String>, Vec<String>) = config
        .features
        .named
        .iter()
        .cloned()
        .partition(|name| package.has_feature(name));
    for name in lost {
        events(Event::Note(format!(
            "{} {} has no feature `{name}`",
            package.name, package.version
        )));
    }
    let config = &Config {
        features: Features {
            named,
            ..config.features.clone()
        },
        // Nothing of it is explored.
        rustc_wrapper: None,
        ..config.clone()
    };
    let (package, mut scratch) = learn::open(config, events, cancel)?;
    let (mut api, _) = learn::read(config, &package, &mut scratch)?;
    let filter = Filter::apply(&mut api, &config.only, &config.skip);
    if let Some(file) = &config.makers {
        scratch.add_makers(file)?;
    }
    // From here on there is something to lose: cargo runs to its end.
    scratch.cancel = None;
    Ok(Other {
        surface: Surface::of(&api, &filter, config.only.is_empty()),
        package,
        scratch,
    })
}

fn changed_test(difference: &Difference) -> ChangedTest {
    ChangedTest {
        name: None,
        kind: difference.kind,
        code: difference.code.clone(),
        old: difference.old.clone(),
        new: difference.new.clone(),
    }
}

/// What an operation is called in reports: its callable, or what it does to something of the crate's.
fn label(world: &World, op: OperationId) -> Option<String> {
    let operation = world.catalogue.operation(op);
    let krate = format!("{}::", world.catalogue.api.krate);
    match operation.origin {
        Origin::Callable(id) => Some(world.catalogue.api.callable(id).key.to_string()),
        Origin::Recipe => operation
            .key
            .contains(&krate)
            .then(|| operation.key.to_string()),
        Origin::Law => Some(operation.key.to_string()),
        Origin::Beside(_) => None,
    }
}

/// What a case goes through, what it is about first; never empty. Of the checks of one that failed
/// only the one that did counts.
fn spectrum(world: &World, case: &TestCase, fate: &Fate) -> Vec<String> {
    let is_field = |op: &OperationId| match world.catalogue.operation(*op).origin {
        Origin::Callable(id) => {
            let kind = &world.catalogue.api.callable(id).kind;
            matches!(kind, CallableKind::Field { .. })
        }
        _ => false,
    };
    let steps = case.sequence.steps().iter().rev();
    let mut called: Vec<OperationId> = steps
        .filter_map(|step| match step {
            Step::Call { op, .. } => Some(*op),
            Step::Drop(_) => None,
        })
        .collect();
    // Stable: fields and recipes come last.
    called.sort_by_key(|op| {
        let origin = world.catalogue.operation(*op).origin;
        (!matches!(origin, Origin::Callable(_)), is_field(op))
    });
    let failed = match fate {
        Fate::Different(difference) => Some(difference.check),
        _ => None,
    };
    let checks = case.checks.iter().enumerate();
    let checks = checks.filter(|(i, _)| failed.is_none_or(|check| check == Some(*i)));
    let asked = checks.filter_map(|(_, check)| match &check.subject {
        Subject::Slot(_) => None,
        Subject::Observer { op, .. } | Subject::Equals { op, .. } => Some(*op),
    });
    let ops = called.into_iter().chain(asked);
    let mut labels: Vec<String> = ops.filter_map(|op| label(world, op)).collect();
    if labels.is_empty() {
        labels.push(world.catalogue.api.krate.to_string());
    }
    labels
}

/// Why cases were not compared, the most frequent reason first.
fn uncompared(
    world: &World,
    cases: &[TestCase],
    fates: &elsewhere::Fates,
    gone: &[GoneReport],
    signatures: &[SignatureReport],
) -> Vec<Uncompared> {
    let gone: BTreeSet<&str> = gone.iter().map(|it| &*it.path).collect();
    let resigned: BTreeSet<&str> = signatures.iter().map(|it| &*it.path).collect();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for (case, fate) in cases.iter().zip(&fates.list) {
        let reason = match fate {
            Fate::Same | Fate::Different(_) => continue,
            Fate::Unsteady => "does not end alike every time on NEW".to_owned(),
            Fate::Unwritten => "cannot be written as a test of its own".to_owned(),
            Fate::Refused(message) => {
                let used = spectrum(world, case, fate);
                let is_gone = |it: &&String| gone.contains(it.as_str());
                let is_resigned = |it: &&String| resigned.contains(it.as_str());
                match (used.iter().find(is_gone), used.iter().find(is_resigned)) {
                    (Some(callable), _) => format!("`{callable}` is gone"),
                    (None, Some(callable)) => format!("`{callable}` has another signature"),
                    (None, None) => format!("rustc refuses it on NEW: {message}"),
                }
            }
        };
        *reasons.entry(reason).or_default() += 1;
    }
    if fates.n_checks_lost > 0 {
        let reason = "an assertion that rustc refuses on NEW; the rest of its case was compared";
        reasons.insert(reason.to_owned(), fates.n_checks_lost as usize);
    }
    let mut list: Vec<Uncompared> = reasons
        .into_iter()
        .map(|(reason, count)| Uncompared { reason, count })
        .collect();
    // Stable: reasons with equal counts stay in the order of their words.
    list.sort_by_key(|it| std::cmp::Reverse(it.count));
    list
}

/// Both versions, and where their tests run.
struct Sides<'s> {
    old: &'s Config,
    whole: &'s Whole,
    other: &'s Other,
    cells: &'s [Cell],
}

impl Sides<'_> {
    /// Writes these cases as tests that were seen to pass on OLD and to fail on NEW; by case, the
    /// name of its test. Without any, an earlier file of ours goes.
    fn write(
        &self,
        cases: Vec<TestCase>,
        events: Events<'_>,
        drops: &mut Drops,
    ) -> Result<(Option<FileReport>, Vec<Option<String>>), PipelineError> {
        let dir = self.old.out.clone().unwrap_or_else(|| {
            let target = &self.whole.learnt.package.target_dir;
            target.join("testsmith/diff")
        });
        let path = dir.join(format!("{NAME}.rs"));
        let failed = |source| PipelineError::Write {
            path: path.clone(),
            source,
        };
        let (file, kept) = self.judged(&dir, &cases, drops)?;
        let mut names = vec![None; cases.len()];
        for test in &file.tests {
            names[kept[test.case]] = Some(test.name.clone());
        }
        if file.tests.is_empty() {
            if is_ours(&path) {
                std::fs::remove_file(&path).map_err(failed)?;
            }
            return Ok((None, names));
        }
        let written = write_file(&dir, NAME, &file.text).map_err(failed)?;
        if let Some(kept) = &written.kept {
            events(Event::Note(format!(
                "{} was edited since testsmith wrote it and is kept",
                kept.display()
            )));
        }
        let report = FileReport {
            path: written.path.display().to_string(),
            status: written.status,
            seen: false,
            modules: Vec::new(),
        };
        Ok((Some(report), names))
    }

    /// The file as it passes on OLD and fails on NEW, and which of the cases its own are.
    fn judged(
        &self,
        dir: &std::path::Path,
        cases: &[TestCase],
        drops: &mut Drops,
    ) -> Result<(TestFile, Vec<usize>), VetError> {
        let Whole { learnt, world, .. } = self.whole;
        let package = &learnt.package;
        let about = format!(
            "What {} {} does and {} does not: tests that pass on the one and fail on the other.",
            package.name, package.version, self.other.package.version
        );
        let printer = Printer::new(learnt, world, dir, about);
        let print = |cases: &[TestCase]| printer.print(cases);
        let module = printer.makers();
        let edition = package.edition.parse().unwrap_or(2021);
        let own_cells = Cell::several(&learnt.scratch, self.old.sandbox)?;
        let mut kept: Vec<usize> = (0..cases.len()).collect();
        for _ in 0..MAX_ROUNDS {
            if kept.is_empty() {
                break;
            }
            let mut drafts = [Draft {
                name: NAME,
                cases: kept.iter().map(|i| cases[*i].clone()).collect(),
                print: &print,
                failures: None,
                unconfirmed: Vec::new(),
            }];
            let edition_text = &package.edition;
            let mut files = vet::vet(
                &learnt.scratch,
                &own_cells,
                edition_text,
                module,
                &mut drafts,
                drops,
            )?;
            let Some(file) = files.pop() else {
                break;
            };
            // Vetting may have left some out.
            let [draft] = drafts;
            let mut left = draft.cases.iter().peekable();
            kept.retain(|i| {
                let same = |it: &&TestCase| it.sequence == cases[*i].sequence;
                left.next_if(same).is_some()
            });
            suite_package(&learnt.scratch, &self.other.scratch, edition)?;
            let innocent = self.innocent(&file, module)?;
            if innocent.is_empty() {
                return Ok((file, kept));
            }
            let n = innocent.len() as u64;
            drops.add("test", "fails on NEW among all cases, not in the file", n);
            let mut i = 0;
            kept.retain(|_| {
                i += 1;
                !innocent.contains(&(i - 1))
            });
        }
        Ok((TestFile::default(), Vec::new()))
    }

    /// The cases whose tests do not fail on NEW.
    fn innocent(&self, file: &TestFile, module: Option<&str>) -> Result<BTreeSet<usize>, VetError> {
        let scratch = &self.other.scratch;
        let tests = scratch.dir.join("suite/tests");
        for entry in std::fs::read_dir(&tests).into_iter().flatten().flatten() {
            let _ = std::fs::remove_file(entry.path());
        }
        let text = vet::in_scratch(scratch, module, &file.text);
        scratch.write(&format!("suite/tests/{NAME}.rs"), &text)?;
        let run = vet::compile(scratch, &self.whole.learnt.scratch.feature_flags())?;
        let mut executables = run.executables.iter();
        let Some((_, binary)) = executables.find(|(name, _)| name == NAME) else {
            let text = run.errors.iter().take(3).map(|e| e.rendered.as_str());
            return Err(VetError::Unexplained(text.collect()));
        };
        let runs = each_alone(self.cells, &file.tests, |cell, test| {
            let args = ["--exact", &test.name];
            test_run(
                cell,
                binary,
                &args,
                Inmate::TestBinary,
                SUSPECT_SECONDS * 10,
            )
        })?;
        let tests = file.tests.iter().zip(runs);
        let innocent = tests.filter(|(test, run)| {
            let failed = run.failed.contains_key(&test.name);
            run.complete && !failed
        });
        Ok(innocent.map(|(test, _)| test.case).collect())
    }
}
