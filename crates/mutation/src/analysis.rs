//! The whole analysis: the copy, the own tests on it, which tests reach which mutants, and which
//! tests notice them.

#![expect(
    clippy::disallowed_methods,
    reason = "a verdict holds for one compiler, which is asked for its version"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use testsmith_equip::{Clock, Equipping, Event, Outcome, Stage, Watch, open, wanted_instrument};
use testsmith_harness::{Copied, Earlier, Instrument, MutantId, Purpose, RegionId, Texts};
use testsmith_project::{Package, Scratch};
use testsmith_record::{
    MutantsReport, OwnTestReport, OwnTestStatus, RecordKind, SCHEMA, Status, Timed,
};
use testsmith_rig::{
    Own, Rig, RigError, Selection, Unfit, Wanted, digest, everything, surroundings,
};

use crate::analyst::{Analysis, Analyst, described};
use crate::coverage;
use crate::error::MutationError;
use crate::judged::{self, Places};
use crate::learning::Ahead;
use crate::memory::{self, Memory};
use crate::verify::{Verification, verify};

/// Finds the mutants of a package, lets rustc judge them, all in one copy of its source, and finds
/// out which of them the package's own tests notice.
pub fn mutants(
    equipping: &Equipping,
    asked: &Analysis,
    watch: &mut Watch<'_>,
) -> Result<Outcome<MutantsReport>, MutationError> {
    let report = analysed(equipping, asked, watch);
    watch.outcome(report)
}

fn analysed(
    equipping: &Equipping,
    asked: &Analysis,
    watch: &mut Watch<'_>,
) -> Result<MutantsReport, MutationError> {
    let mut clock = Clock::default();
    let machinery = &equipping.machinery;
    let (package, scratch) = open(equipping, watch)?;
    let instrument = wanted_instrument(machinery, &package)?;
    let path = memory::path(&package.target_dir, &package.name);
    let mut memory = match asked.fresh {
        true => Memory::default(),
        false => Memory::read(&path),
    };
    let with = built_with(equipping, asked, &package);
    let asked_for = (&with, asked.equivalents);
    let everything = everything(&package.workspace_root, &package.target_dir, &asked_for);
    if let Some(report) = known(&memory, everything, asked) {
        return Ok(report);
    }
    let surroundings = surroundings(&package.workspace_root, &package.target_dir);
    let at = Prepare {
        package: &package,
        scratch: &scratch,
        instrument: &instrument,
        asked,
        jobs: machinery.jobs,
        ground: digest(&(with, surroundings)),
    };
    if asked.list {
        return at.list(&mut memory, clock, watch);
    }
    let rig = Rig::new(&scratch, &instrument, machinery.sandbox, watch.cancel())?;
    let rig = rig.with_cells(&scratch, machinery.sandbox, machinery.jobs)?;
    let wanted = Wanted {
        dependants: match asked.dependants {
            true => testsmith_project::dependants(&package)?,
            false => Vec::new(),
        },
        nextest: asked.nextest,
    };
    let (copied, own) = at.copy_and_build(&rig, &wanted, &mut memory, &mut clock, watch)?;
    note_survivors(asked, &memory, watch);
    let analyst = at.analyst(&copied, &rig, &memory);
    let mut report = begin(&package, &copied, asked, &analyst.chosen);
    report.jobs = machinery.jobs;
    let own = analyst.learn(own, &memory, &mut clock, watch)?;
    analyst.ask(&own, &mut memory, &mut report, &mut clock, watch)?;
    // From here on there are verdicts to lose.
    watch.has_something();
    report.rest = analyst.rest(&own, &memory);
    report.interrupted = rig.is_cancelled();
    describe(&mut report, &copied, &own);
    report.count();
    memory.settle(&copied, analyst.functions, &own, &rig.twin);
    memory.copy = Some(copied.known());
    let is_whole = report.not_asked == 0 && report.n(Status::Pending) == 0;
    if is_whole {
        memory.everything = everything;
        memory.report = Some(report.clone());
    }
    if let Err(error) = memory.write(&path) {
        let path = path.display();
        watch.note(format!(
            "verdicts are not kept for the next time: {path}: {error}"
        ));
    }
    if asked.verification != Verification::default() && !report.interrupted {
        at.verify(&rig, &copied, asked.seed, &mut report, watch)?;
        clock.stage_over(Timed::Verify);
    }
    report.seconds = clock.seconds();
    Ok(report)
}

/// What verdicts depend on besides the files: versions, flags and the choice of tests.
fn built_with(equipping: &Equipping, asked: &Analysis, package: &Package) -> String {
    let rustc = Command::new("rustc")
        .arg("-vV")
        .current_dir(&package.dir)
        .output();
    let rustc = rustc.map(|it| it.stdout).unwrap_or_default();
    let tests = (asked.no_docs, asked.dependants, asked.nextest);
    let flags = (
        equipping.package.features.flags(),
        equipping.machinery.sandbox,
        &asked.choice.suppressed,
    );
    let rustc = String::from_utf8_lossy(&rustc).into_owned();
    format!("{} {rustc} {tests:?} {flags:?}", env!("CARGO_PKG_VERSION"))
}

/// The report of an earlier run, if nothing has changed since and no question was left open then.
fn known(memory: &Memory, everything: u64, asked: &Analysis) -> Option<MutantsReport> {
    if memory.everything != everything
        || asked.list
        || asked.verification != Verification::default()
    {
        return None;
    }
    let mut report = memory.report.clone()?;
    asked.choice.cut(&mut report);
    for mutant in &mut report.mutants {
        mutant.reused = mutant.status.is_judged();
    }
    report.seconds.clear();
    report.count();
    Some(report)
}

/// Tells the user if only survivors are asked for and none are known.
fn note_survivors(asked: &Analysis, memory: &Memory, watch: &mut Watch<'_>) {
    if asked.choice.survivors && memory.survivors().is_empty() {
        let why = "no survivors are known: run it without --survivors first, on the same features";
        watch.note(why);
    }
}

/// What it takes to make the copy and to build tests on it.
struct Prepare<'p> {
    package: &'p Package,
    scratch: &'p Scratch,
    instrument: &'p Instrument,
    asked: &'p Analysis,
    jobs: usize,
    /// A digest of what every verdict depends on outside of the source.
    ground: u64,
}

impl<'p> Prepare<'p> {
    /// Lists the chosen mutants without asking tests about them.
    fn list(
        &self,
        memory: &mut Memory,
        mut clock: Clock,
        watch: &mut Watch<'_>,
    ) -> Result<MutantsReport, MutationError> {
        let copied = self.copy(memory, watch)?;
        clock.stage_over(Timed::Copy);
        note_survivors(self.asked, memory, watch);
        let chosen = self.asked.choice.apply(&copied, &memory.survivors());
        let mut report = begin(self.package, &copied, self.asked, &chosen);
        report.seconds = clock.seconds();
        report.count();
        Ok(report)
    }

    /// Edits some mutants in, to see that the copy is right. If the user interrupts, the verdicts
    /// are still reported.
    fn verify(
        &self,
        rig: &Rig,
        copied: &Copied,
        seed: u64,
        report: &mut MutantsReport,
        watch: &mut Watch<'_>,
    ) -> Result<(), MutationError> {
        watch.enter(Stage::Verify);
        let asked = self.asked.verification;
        match verify(rig, copied, asked, seed, &report.mutants, watch) {
            Ok(verified) => report.verification = verified,
            Err(_) if watch.is_cancelled() => report.interrupted = true,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// The analyst that asks tests about the chosen mutants.
    fn analyst<'a>(&self, copied: &'a Copied, rig: &'a Rig, memory: &Memory) -> Analyst<'a>
    where
        'p: 'a,
    {
        Analyst {
            asked: self.asked,
            copied,
            functions: memory::functions(&copied.texts),
            chosen: self.asked.choice.apply(copied, &memory.survivors()),
            rig,
            package: self.package,
            scratch: self.scratch,
            instrument: self.instrument,
            jobs: self.jobs,
        }
    }

    /// Makes a copy, and builds the package's tests on it except for examples of the documentation.
    /// If little has changed, rustc does not judge the copy first: it very likely compiles, and if
    /// not, building the tests fails.
    fn copy_and_build(
        &self,
        rig: &Rig,
        wanted: &Wanted,
        memory: &mut Memory,
        clock: &mut Clock,
        watch: &mut Watch<'_>,
    ) -> Result<(Copied, (Own, Option<Ahead>)), MutationError> {
        if let Some(copied) = self.copy_unchecked(memory) {
            clock.stage_over(Timed::Copy);
            watch.enter(Stage::Build);
            rig.write_copy(|dir, twin| copied.again(dir, twin))?;
            let analyst = self.analyst(&copied, rig, memory);
            let changed = memory.changed(&analyst.functions);
            let selection = memory.selection(&rig.twin.package, &changed);
            let needed = memory.needed.as_ref();
            let build = || rig.build(&copied, wanted, needed, &selection);
            let (own, ahead) = match analyst.foresee(memory) {
                Some(foresight) => {
                    rig.keep_dependencies(needed)?;
                    foresight.beside(rig, build)
                }
                None => (build(), None),
            };
            clock.stage_over(Timed::Build);
            match own {
                Err(RigError::OwnTests { .. }) => {}
                own => return Ok((copied, (own?, ahead))),
            }
        }
        let copied = self.copy(memory, watch)?;
        clock.stage_over(Timed::Copy);
        watch.enter(Stage::Build);
        rig.write_copy(|dir, twin| copied.again(dir, twin))?;
        let own = rig.build(&copied, wanted, None, &Selection::default())?;
        clock.stage_over(Timed::Build);
        Ok((copied, (own, None)))
    }

    /// Makes the copy. What rustc said of the mutants in an earlier copy is used again where it
    /// still holds.
    fn copy(&self, memory: &mut Memory, watch: &mut Watch<'_>) -> Result<Copied, MutationError> {
        let progress = &mut |n, n_mutants| watch.tell(Event::Copying { n, n_mutants });
        let (scratch, instrument) = (self.scratch, self.instrument);
        let name = &self.package.name;
        let copied = match &memory.copy {
            None => testsmith_harness::copy(scratch, name, instrument, Purpose::Mutants, progress),
            Some(known) => {
                let changed = |texts: &Texts| memory.changed(&memory::functions(texts));
                let changed = &changed;
                let earlier = Earlier { known, changed };
                testsmith_harness::copy_again(scratch, name, instrument, earlier, progress)
            }
        }?;
        memory.stand_on(self.ground_with(&copied));
        Ok(copied)
    }

    /// Makes a copy that rustc does not judge, if nothing outside of functions has changed since
    /// the last.
    fn copy_unchecked(&self, memory: &mut Memory) -> Option<Copied> {
        let known = memory.copy.as_ref()?;
        let changed = |texts: &Texts| memory.changed(&memory::functions(texts));
        let copied = testsmith_harness::copy_unchecked(
            self.scratch,
            &self.package.name,
            self.instrument,
            Earlier {
                known,
                changed: &changed,
            },
        );
        let copied = copied.ok()?;
        let ground = self.ground_with(&copied);
        if ground != memory.ground {
            return None;
        }
        memory.stand_on(ground);
        Some(copied)
    }

    fn ground_with(&self, copied: &Copied) -> u64 {
        digest(&(self.ground, &copied.texts.rest))
    }
}

/// The report before any test has been asked.
fn begin(
    package: &Package,
    copied: &Copied,
    asked: &Analysis,
    chosen: &[MutantId],
) -> MutantsReport {
    let sources = judged::sources(&package.dir, copied);
    let places = Places::all(&sources);
    let mutants = chosen
        .iter()
        .map(|id| described(copied, *id, &places, asked));
    let mutants = mutants.collect();
    let left_out = copied.left_out.iter();
    let mut left_out: BTreeMap<String, usize> =
        left_out.map(|(why, n)| ((*why).to_owned(), *n)).collect();
    if !copied.silent.is_empty() {
        let why = "a function of which it cannot be noted what it returns";
        left_out.insert(why.to_owned(), copied.silent.len());
    }
    MutantsReport {
        schema: SCHEMA,
        kind: RecordKind::Mutants,
        package: package.name.clone(),
        version: package.version.clone(),
        mutants,
        total: copied.mutants.len(),
        not_asked: copied.mutants.len() - chosen.len(),
        sources,
        types: copied.n_types,
        opaque: copied.opaque.clone(),
        written_out: copied.n_written_out,
        derived: copied.derived.clone(),
        sees_through: copied.unstable,
        left_out,
        rounds: copied.n_rounds,
        copy: copied.dir.display().to_string(),
        ..MutantsReport::default()
    }
}

/// Adds to the report what is known of tests, lines and branches.
fn describe(report: &mut MutantsReport, copied: &Copied, own: &Own) {
    let tests = own.tests.iter().zip(&own.profiles);
    report.tests = tests
        .map(|(test, learnt)| OwnTestReport {
            name: test.name.clone(),
            target: test.target.clone(),
            seconds: learnt.seconds,
            status: learnt.unfit.map_or(OwnTestStatus::Passed, Unfit::status),
            reason: learnt.unfit.map(|it| it.reason().to_owned()),
            kills: 0,
        })
        .collect();
    for (why, n) in &own.left_out {
        *report.left_out.entry(why.clone()).or_default() += n;
    }
    let fit = own.profiles.iter().filter(|it| it.unfit.is_none());
    let entered: BTreeSet<RegionId> = fit.flat_map(|it| it.reached.iter().copied()).collect();
    report.coverage = Some(coverage::lines(copied, &entered));
    report.branches = judged::branches(copied, &entered, &[], &BTreeSet::new());
}
