//! Compares the behaviour of two versions of a package: finds behaviour that changed although it
//! can still be called as before, the behavioural side of semantic versioning.
//!
//! The old version gets a whole run, with a test for every case. Its tests are compiled and run on
//! the new one ([`elsewhere`]). If rustc refuses one there, the difference between what the
//! versions publish explains why ([`surface`]). If one fails there every time, behaviour has
//! changed, and the callable to [`blame`](testsmith_suite::blame()) is reported. The tests that show changes are written to a
//! file, once they were seen to pass on the old version and to fail on the new one.
//!
//! **Two versions, one suite.** `cargo testsmith diff` (`commands/diff/`) is a whole run on OLD
//! whose cases stay apart, and its cases compiled and run on NEW. Sequences cannot be run there by
//! a harness: operations, types and regions are OLD's, and rustc alone knows which of them still
//! mean the same. So the cases are text, each in a module with imports of its own; what rustc
//! refuses costs itself only, and first the assertion, then the case. A case that fails on NEW must
//! do so three times alone. One change makes many cases fail; Ochiai's measure says which callable
//! failing cases have in common and passing ones have not. The tests in the file are checked once
//! more as they stand there: on OLD they are vetted like any suite, on NEW each must fail. Both
//! versions are built in directories of their own below one target directory.

#![expect(
    clippy::disallowed_methods,
    reason = "the suite of one version is files in the workspace of the other"
)]

mod elsewhere;
mod surface;

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{CallableKind, OperationId, Origin};
use testsmith_emit::{Subject, TestCase, TestFile, TestKind};
use testsmith_equip::{
    ApiChoice, Clock, EquipError, Equipping, Filter, Outcome, Stage, Watch, open, read,
};
use testsmith_project::{Inmate, Package, Scratch, locate};
use testsmith_record::{
    Change, ChangedTest, DiffReport, Drops, FileReport, Fixed, GoneReport, RecordKind, SCHEMA,
    SideReport, SignatureReport, Timed, Uncompared,
};
use testsmith_rig::{Cell, each_of_all, run_tests};
use testsmith_sequence::{Step, World};
use testsmith_suite::{
    Draft, Printer, SUSPECT_SECONDS, Spectrum, VetError, Vetting, blame, compile, in_scratch,
    is_ours, write as write_file,
};

use crate::config::Config;
use crate::error::CommandError;
use crate::run::{Goal, Whole, run_whole};
use elsewhere::{Difference, Fate, run_elsewhere, suite_package};
use surface::Surface;

/// The file of tests that pass on OLD and fail on NEW, without `.rs`.
const NAME: &str = "testsmith_diff";
/// How many times tests may have to be left out of the file.
const MAX_ROUNDS: usize = 5;

/// The other version: what it publishes, and a workspace to run tests on it.
struct Other {
    package: Package,
    scratch: Scratch,
    surface: Surface,
}

/// One of the two versions.
#[derive(Clone, Debug)]
pub struct Side {
    /// How it is built and tested.
    pub config: Config,
    /// Where it comes from, in words for the user.
    pub origin: String,
}

/// Compares two versions of a package. An interruption ends learning and building at once, and ends
/// exploration early.
pub fn diff(
    old: &Side,
    new: &Side,
    watch: &mut Watch<'_>,
) -> Result<Outcome<DiffReport>, CommandError> {
    let report = compared(old, new, watch);
    watch.outcome(report)
}

fn compared(old: &Side, new: &Side, watch: &mut Watch<'_>) -> Result<DiffReport, CommandError> {
    let mut clock = Clock::default();
    // The other version comes first: reading it is quick, and may show that there is nothing to
    // compare with.
    let mut other = Other::learn(&new.config.equipping, watch)?;
    clock.stage_over(Timed::LearnNew);
    let whole = run_whole(&old.config, Goal::Suite, watch)?;
    clock.stage_over(Timed::RunOld);

    watch.enter(Stage::Compare);
    let Whole {
        report,
        target,
        world,
        suite,
        begun: _,
        augmented: _,
    } = &whole;
    let api = &world.catalogue.api;
    let is_whole = old.config.equipping.api.only.is_empty();
    let surface = Surface::of(api, &target.filter, is_whole);
    let gone = surface.without(&other.surface);
    let signatures = surface.changed(&other.surface);
    other.scratch.name_dependencies(&api.dependencies);
    let cases = suite.regressions().chain(suite.failing());
    let cases: Vec<TestCase> = cases.cloned().collect();
    let cells = Cell::several(&other.scratch, new.config.equipping.machinery.sandbox)?;
    let from = elsewhere::Old {
        world,
        scratch: &target.scratch,
    };
    let fates = run_elsewhere(&from, &other.scratch, &cells, cases.clone())?;
    clock.stage_over(Timed::Compare);

    let changes = Changes::of(world, &cases, &fates, &signatures);
    let showing = changes.showing(&cases, &fates);
    let sides = Sides {
        old: &old.config,
        whole: &whole,
        other: &other,
        cells: &cells,
    };
    let mut drops = Drops::default();
    let (file, names) = sides.write(showing, watch, &mut drops)?;
    let mut changed = changes.changed;
    let tests = changed.iter_mut().flat_map(|it| &mut it.tests);
    for (test, name) in tests.zip(names) {
        test.name = name;
    }
    clock.stage_over(Timed::Write);
    let mut dropped = report.dropped.clone();
    dropped.extend(drops.into_list());
    Ok(DiffReport {
        schema: SCHEMA,
        kind: RecordKind::Diff,
        package: report.package.clone(),
        old: SideReport {
            version: report.version.clone(),
            origin: old.origin.clone(),
        },
        new: SideReport {
            version: other.package.version.clone(),
            origin: new.origin.clone(),
        },
        seed: report.seed,
        calls: report.calls,
        compared: fates.n_compared(),
        same: fates.n_same(),
        changed,
        fixed: changes.fixed,
        added: other.surface.without(&surface),
        uncompared: uncompared(world, &cases, &fates, &gone, &signatures),
        gone,
        signatures,
        file,
        dropped,
        seconds: clock.seconds(),
        interrupted: report.interrupted,
    })
}

/// What behaves differently on the new version.
struct Changes {
    changed: Vec<Change>,
    /// Failures of the old version that the new one does not have.
    fixed: Vec<Fixed>,
    /// The cases of the tests in `changed`, in their order.
    shown: Vec<usize>,
}

impl Changes {
    fn of(
        world: &World,
        cases: &[TestCase],
        fates: &elsewhere::Fates,
        signatures: &[SignatureReport],
    ) -> Changes {
        let mut fixed = Vec::new();
        let mut tried: Vec<usize> = Vec::new();
        for (i, (case, fate)) in cases.iter().zip(&fates.list).enumerate() {
            match (fate, matches!(case.kind, TestKind::Failure { .. })) {
                (Fate::Different(difference), true) => fixed.push(Fixed {
                    callable: spectrum(world, case, fate).remove(0),
                    code: difference.code.clone(),
                    old: difference.old.clone(),
                }),
                (Fate::Same | Fate::Different(_), false) => tried.push(i),
                _ => {}
            }
        }
        let spectra = tried.iter().map(|i| Spectrum {
            callables: spectrum(world, &cases[*i], &fates.list[*i]),
            failed: matches!(fates.list[*i], Fate::Different(_)),
        });
        let mut shown = Vec::new();
        let mut changed: Vec<Change> = Vec::new();
        for (callable, tests) in blame(&spectra.collect::<Vec<_>>()) {
            let mut tests: Vec<(usize, &Difference)> = tests
                .into_iter()
                .filter_map(|i| match &fates.list[tried[i]] {
                    Fate::Different(difference) => Some((tried[i], difference)),
                    _ => None,
                })
                .collect();
            tests.sort_by_key(|(_, it)| (it.code.len() + it.old.len() + it.new.len(), &it.code));
            changed.push(Change {
                resigned: signatures.iter().any(|it| it.path == callable),
                callable,
                tests: tests.iter().map(|(_, it)| changed_test(it)).collect(),
            });
            shown.extend(tests.into_iter().map(|(i, _)| i));
        }
        Changes {
            changed,
            fixed,
            shown,
        }
    }

    /// The cases that show changes, without the checks that rustc refuses on the new version.
    fn showing(&self, cases: &[TestCase], fates: &elsewhere::Fates) -> Vec<TestCase> {
        let asked = |i: &usize| {
            let checks = cases[*i].checks.iter().enumerate();
            let checks = checks.filter(|(check, _)| fates.checks[*i].contains(check));
            TestCase {
                checks: checks.map(|(_, check)| check.clone()).collect(),
                ..cases[*i].clone()
            }
        };
        self.shown.iter().map(asked).collect()
    }
}

impl Other {
    /// Reads what the new version publishes.
    fn learn(equipping: &Equipping, watch: &mut Watch<'_>) -> Result<Other, CommandError> {
        let mut equipping = equipping.clone();
        // The new version is not explored, so it is not instrumented.
        equipping.machinery.rustc_wrapper = None;
        let choice = &mut equipping.package;
        let package = locate(choice.manifest_path.as_deref(), choice.name.as_deref())?;
        // A feature that was removed is no reason to compare nothing.
        let named = std::mem::take(&mut choice.features.named).into_iter();
        let (named, lost): (_, Vec<String>) = named.partition(|name| package.has_feature(name));
        choice.features.named = named;
        for name in lost {
            watch.note(format!(
                "{} {} has no feature `{name}`",
                package.name, package.version
            ));
        }
        let (package, mut scratch) = open(&equipping, watch)?;
        let (mut api, _) = read(&equipping, &package, &mut scratch)?;
        let ApiChoice {
            only, skip, makers, ..
        } = &equipping.api;
        let filter = Filter::apply(&mut api, only, skip);
        if let Some(file) = makers {
            scratch.add_makers(file)?;
        }
        if watch.is_cancelled() {
            return Err(EquipError::Interrupted.into());
        }
        // From here on an interruption keeps what was found, and cargo must still build tests, so
        // it is no longer cancelled.
        scratch.cancel = None;
        Ok(Other {
            surface: Surface::of(&api, &filter, only.is_empty()),
            package,
            scratch,
        })
    }
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

/// The name of an operation in reports: its callable's key, or the operation's own if it is a
/// recipe for a type of the crate. `None` for operations that are not the crate's.
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

/// The callables that a case uses, with the one first that it is about; never empty. Of a case that
/// behaves differently, only the check that shows it counts.
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
    // The sort is stable, so recipes and fields come after all other callables in their order.
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

/// Both versions, and the cells where tests run on the new one.
struct Sides<'s> {
    old: &'s Config,
    whole: &'s Whole,
    other: &'s Other,
    cells: &'s [Cell],
}

impl Sides<'_> {
    /// Writes the cases as tests that were seen to pass on the old version and to fail on the new
    /// one, and gives for each case the name of its test. Without any test, the file of an earlier
    /// run is removed.
    fn write(
        &self,
        cases: Vec<TestCase>,
        watch: &mut Watch<'_>,
        drops: &mut Drops,
    ) -> Result<(Option<FileReport>, Vec<Option<String>>), CommandError> {
        let dir = self.old.writing.out.clone().unwrap_or_else(|| {
            let target = &self.whole.target.package.target_dir;
            target.join("testsmith/diff")
        });
        let path = dir.join(format!("{NAME}.rs"));
        let failed = |source| CommandError::Write {
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
            watch.note(format!(
                "{} was edited since testsmith wrote it and is kept",
                kept.display()
            ));
        }
        let report = FileReport {
            path: written.path.display().to_string(),
            status: written.status,
            seen: false,
            modules: Vec::new(),
        };
        Ok((Some(report), names))
    }

    /// The file of tests that pass on the old version and fail on the new one, and the indices of
    /// the cases that are in it.
    fn judged(
        &self,
        dir: &std::path::Path,
        cases: &[TestCase],
        drops: &mut Drops,
    ) -> Result<(TestFile, Vec<usize>), VetError> {
        let Whole { target, world, .. } = self.whole;
        let package = &target.package;
        let about = format!(
            "What {} {} does and {} does not: tests that pass on the one and fail on the other.",
            package.name, package.version, self.other.package.version
        );
        let printer = Printer::new(target, world, dir, about);
        let print = |cases: &[TestCase]| printer.print(cases);
        let module = printer.makers();
        let edition = package.edition.parse().unwrap_or(2021);
        let own_cells = Cell::several(&target.scratch, self.old.equipping.machinery.sandbox)?;
        let mut kept: Vec<usize> = (0..cases.len()).collect();
        for _ in 0..MAX_ROUNDS {
            if kept.is_empty() {
                break;
            }
            let left = kept.iter().map(|i| cases[*i].clone()).collect();
            let mut drafts = [Draft::of(NAME, left, &print)];
            let vetting = Vetting {
                scratch: &target.scratch,
                cells: &own_cells,
                edition: &package.edition,
                module,
                // What the versions do differently was seen in debug builds, on both.
                in_release: false,
            };
            let mut files = vetting.vet(&mut drafts, drops)?;
            let Some(file) = files.pop() else {
                break;
            };
            // Vetting may have dropped cases.
            let [draft] = drafts;
            let mut left = draft.cases.iter().peekable();
            kept.retain(|i| {
                let same = |it: &&TestCase| it.sequence == cases[*i].sequence;
                left.next_if(same).is_some()
            });
            suite_package(&target.scratch, &self.other.scratch, edition)?;
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

    /// The cases whose tests pass on the new version.
    fn innocent(&self, file: &TestFile, module: Option<&str>) -> Result<BTreeSet<usize>, VetError> {
        let scratch = &self.other.scratch;
        let tests = scratch.dir.join("suite/tests");
        for entry in std::fs::read_dir(&tests).into_iter().flatten().flatten() {
            let _ = std::fs::remove_file(entry.path());
        }
        let text = in_scratch(scratch, module, &file.text);
        scratch.write(&format!("suite/tests/{NAME}.rs"), &text)?;
        let run = compile(scratch, &self.whole.target.scratch.feature_flags())?;
        let mut executables = run.executables.iter();
        let Some((_, binary)) = executables.find(|(name, _)| name == NAME) else {
            let text = run.errors.iter().take(3).map(|e| e.rendered.as_str());
            return Err(VetError::Unexplained(text.collect()));
        };
        let runs = each_of_all(self.cells, &file.tests, |cell, test| {
            let args = ["--exact", &test.name];
            run_tests(
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
