//! Mutation analysis: which mutants a package has, and which of them its own tests notice.
//!
//! All mutants stand in one copy of the source. Own tests are built on it once, and run once to learn
//! which of them reaches which mutant at what cost (`own`); then only those are asked, the cheapest
//! first, each time in a fresh process (`ask`). What was found out is kept for the next time (`kept`).

mod ask;
mod constants;
mod digests;
mod equivalents;
mod kept;
mod learning;
mod merge;
mod nextest;
mod own;
mod select;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::Arc;

use testsmith_equip::{Clock, Equipping, Event, Machinery, Outcome, Stage, Watch, open};
use testsmith_harness::{Changed, Copied, Instrument, MutantId, Purpose, Texts};
use testsmith_project::{Package, Scratch};
use testsmith_record::{MutantReport, MutantsReport, OwnTestReport, SCHEMA, Status};

use crate::judged::{self, Places};
use crate::verify::{Verification, verify};
use crate::{Config, PipelineError};
use ask::{Answer, Question};
use kept::{Holds, Kept};
use learning::Ahead;
use own::{Bench, End, Own, Selection, Wanted};

pub use equivalents::EQUIVALENTS;
pub use merge::{MergeError, merge};
pub use select::{ChangedLines, Choice, changed_lines};

/// What is asked of a mutation analysis.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Analysis {
    /// Which mutants.
    pub choice: Choice,
    /// Only list them.
    pub list: bool,
    /// Are tests of the documentation left out?
    pub no_docs: bool,
    /// Are tests of packages of the workspace asked that depend on this one?
    pub dependants: bool,
    /// Are the tests those that nextest lists?
    pub nextest: bool,
    /// Are verdicts of earlier runs forgotten?
    pub fresh: bool,
    /// How many builds, about, it may take to find survivors that compile to the same code.
    pub equivalents: usize,
    /// How many are really edited in.
    pub verification: Verification,
}

/// A package with a rewritten copy.
pub(crate) struct Prepared {
    pub(crate) package: Package,
    pub(crate) scratch: Scratch,
    pub(crate) instrument: Instrument,
    pub(crate) copied: Copied,
}

/// Finds the package, and makes the copy.
pub(crate) fn prepare(
    equipping: &Equipping,
    purpose: Purpose,
    watch: &mut Watch<'_>,
) -> Result<Prepared, PipelineError> {
    let (package, scratch) = open(equipping, watch)?;
    let instrument = instrument(&equipping.machinery, &package)?;
    watch.enter(Stage::Copy);
    let progress = &mut |n, n_mutants| watch.tell(Event::Copying { n, n_mutants });
    let copied = testsmith_harness::copy(&scratch, &package.name, &instrument, purpose, progress)?;
    Ok(Prepared {
        package,
        scratch,
        instrument,
        copied,
    })
}

fn instrument(machinery: &Machinery, package: &Package) -> Result<Instrument, PipelineError> {
    testsmith_equip::instrument(machinery, package).ok_or(PipelineError::NoWrapper)
}

/// Finds the mutants of a package, lets rustc judge them, all in one copy of its source, and lets the
/// package's own tests say which of them they notice.
pub fn mutants(
    config: &Config,
    asked: &Analysis,
    watch: &mut Watch<'_>,
) -> Result<Outcome<MutantsReport>, PipelineError> {
    let report = analysed(config, asked, watch);
    watch.outcome(report)
}

fn analysed(
    config: &Config,
    asked: &Analysis,
    watch: &mut Watch<'_>,
) -> Result<MutantsReport, PipelineError> {
    let mut clock = Clock::default();
    let equipping = &config.equipping;
    let machinery = &equipping.machinery;
    let (package, scratch) = open(equipping, watch)?;
    let instrument = instrument(machinery, &package)?;
    let asked = &Analysis {
        choice: Choice {
            suppressed: config.skip_mutants.clone(),
            ..asked.choice.clone()
        },
        ..asked.clone()
    };
    let path = kept::path(&package.target_dir, &package.name);
    let mut kept = match asked.fresh {
        true => Kept::default(),
        false => Kept::read(&path),
    };
    let with = built_with(equipping, asked, &package);
    let asked_for = (&with, asked.equivalents);
    let everything = digests::everything(&package.workspace_root, &package.target_dir, &asked_for);
    if let Some(report) = known(&kept, everything, asked) {
        return Ok(report);
    }
    let surroundings = digests::surroundings(&package.workspace_root, &package.target_dir);
    let at = Prepare {
        package: &package,
        scratch: &scratch,
        instrument: &instrument,
        asked,
        jobs: machinery.jobs,
        ground: digests::digest(&(with, surroundings)),
    };
    if asked.list {
        return at.list(&mut kept, clock, watch);
    }
    let cancel = Arc::clone(watch.cancel());
    let how = (machinery.jobs, machinery.sandbox);
    let bench = Bench::new(&scratch, &instrument, how, &cancel)?;
    let wanted = Wanted {
        dependants: match asked.dependants {
            true => testsmith_project::dependants(&package)?,
            false => Vec::new(),
        },
        nextest: asked.nextest,
    };
    let (copied, own) = at.copy_and_build(&bench, &wanted, &mut kept, &mut clock, watch)?;
    note_survivors(asked, &kept, watch);
    let analyst = at.analyst(&copied, &bench, &kept);
    let mut report = begin(&package, &copied, asked, &analyst.chosen);
    report.jobs = machinery.jobs;
    let own = analyst.learn(own, &kept, &mut clock, watch)?;
    analyst.ask(&own, &mut kept, &mut report, &mut clock, watch)?;
    // What tests say is known from here on.
    watch.has_something();
    report.rest = analyst.rest(&own, &kept);
    report.interrupted = bench.is_cancelled();
    describe(&mut report, &copied, &own);
    report.count();
    kept.settle(&copied, analyst.functions, &own, &bench.twin);
    kept.copy = Some(copied.known());
    let is_whole = report.not_asked == 0 && report.n(Status::Pending) == 0;
    if is_whole {
        kept.everything = everything;
        kept.report = Some(report.clone());
    }
    if let Err(error) = kept.write(&path) {
        let path = path.display();
        watch.note(format!(
            "verdicts are not kept for the next time: {path}: {error}"
        ));
    }
    if asked.verification != Verification::default() && !report.interrupted {
        at.verify(config, &copied, &mut report, watch)?;
        clock.stage_over("verify");
    }
    report.seconds = seconds(clock);
    Ok(report)
}

fn seconds(clock: Clock) -> BTreeMap<String, f64> {
    let seconds = clock.seconds().into_iter();
    seconds.map(|(stage, n)| (stage.to_owned(), n)).collect()
}

/// What verdicts depend on beside the source.
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

/// The answer, if nothing has changed since all was asked.
fn known(kept: &Kept, everything: u64, asked: &Analysis) -> Option<MutantsReport> {
    if kept.everything != everything || asked.list || asked.verification != Verification::default()
    {
        return None;
    }
    let mut report = kept.report.clone()?;
    asked.choice.cut(&mut report);
    for mutant in &mut report.mutants {
        mutant.reused = mutant.status.is_judged();
    }
    report.seconds.clear();
    report.count();
    Some(report)
}

/// Says so if survivors are meant, and none are known.
fn note_survivors(asked: &Analysis, kept: &Kept, watch: &mut Watch<'_>) {
    if asked.choice.survivors && kept.survivors().is_empty() {
        let why = "no survivors are known: run it without --survivors first, on the same features";
        watch.note(why);
    }
}

/// What a copy is made of.
struct Prepare<'p> {
    package: &'p Package,
    scratch: &'p Scratch,
    instrument: &'p Instrument,
    asked: &'p Analysis,
    jobs: usize,
    /// Of what verdicts rest on outside of the source.
    ground: u64,
}

impl<'p> Prepare<'p> {
    /// The mutants that are meant, and nobody asked about them.
    fn list(
        &self,
        kept: &mut Kept,
        mut clock: Clock,
        watch: &mut Watch<'_>,
    ) -> Result<MutantsReport, PipelineError> {
        let copied = self.copy(kept, watch)?;
        clock.stage_over("copy");
        note_survivors(self.asked, kept, watch);
        let chosen = self.asked.choice.apply(&copied, &kept.survivors());
        let mut report = begin(self.package, &copied, self.asked, &chosen);
        report.seconds = seconds(clock);
        report.count();
        Ok(report)
    }

    /// Edits some mutants in, to see that the copy is right. What tests say is known all the same if
    /// the user has no time for it.
    fn verify(
        &self,
        config: &Config,
        copied: &Copied,
        report: &mut MutantsReport,
        watch: &mut Watch<'_>,
    ) -> Result<(), PipelineError> {
        watch.enter(Stage::Verify);
        let how = (config.exploring.seed, config.equipping.machinery.sandbox);
        let verdict = |id: MutantId| report.mutants.iter().find(|it| it.id == id.0).cloned();
        let verified = verify(
            self.scratch,
            self.instrument,
            copied,
            (self.asked.verification, &verdict),
            how,
            watch,
        );
        match verified {
            Ok(verified) => report.verification = verified,
            Err(_) if watch.is_cancelled() => report.interrupted = true,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Who asks tests about the mutants that are meant.
    fn analyst<'a>(&self, copied: &'a Copied, bench: &'a Bench<'a>, kept: &Kept) -> Analyst<'a>
    where
        'p: 'a,
    {
        Analyst {
            asked: self.asked,
            copied,
            functions: kept::functions(&copied.texts),
            chosen: self.asked.choice.apply(copied, &kept.survivors()),
            bench,
            package: self.package,
            scratch: self.scratch,
            instrument: self.instrument,
            jobs: self.jobs,
        }
    }

    /// A copy, and the package's tests on it, but for those of the documentation. If little has changed,
    /// rustc is not asked about the copy first: it very likely compiles, and if not, no test does.
    fn copy_and_build(
        &self,
        bench: &Bench<'_>,
        wanted: &Wanted,
        kept: &mut Kept,
        clock: &mut Clock,
        watch: &mut Watch<'_>,
    ) -> Result<(Copied, (Own, Option<Ahead>)), PipelineError> {
        if let Some(copied) = self.copy_unchecked(kept) {
            clock.stage_over("copy");
            watch.enter(Stage::Build);
            bench.prepare(|dir, twin| copied.again(dir, twin))?;
            let analyst = self.analyst(&copied, bench, kept);
            let changed = kept.changed(&analyst.functions);
            let selection = kept.selection(&bench.twin.package, &changed);
            let needed = kept.needed.as_ref();
            let build = || bench.build(&copied, wanted, needed, &selection);
            let (own, ahead) = match analyst.plan(kept) {
                Some(plan) => {
                    bench.keep_dependencies(needed)?;
                    plan.beside(bench, build)
                }
                None => (build(), None),
            };
            clock.stage_over("build");
            match own {
                Err(PipelineError::OwnTests { .. }) => {}
                own => return Ok((copied, (own?, ahead))),
            }
        }
        let copied = self.copy(kept, watch)?;
        clock.stage_over("copy");
        watch.enter(Stage::Build);
        bench.prepare(|dir, twin| copied.again(dir, twin))?;
        let own = bench.build(&copied, wanted, None, &Selection::default())?;
        clock.stage_over("build");
        Ok((copied, (own, None)))
    }

    /// Makes the copy; what rustc said of an earlier one it need not say again.
    fn copy(&self, kept: &mut Kept, watch: &mut Watch<'_>) -> Result<Copied, PipelineError> {
        let progress = &mut |n, n_mutants| watch.tell(Event::Copying { n, n_mutants });
        let (scratch, instrument) = (self.scratch, self.instrument);
        let name = &self.package.name;
        let copied = match &kept.copy {
            None => testsmith_harness::copy(scratch, name, instrument, Purpose::Mutants, progress),
            Some(known) => {
                let changed = |texts: &Texts| kept.changed(&kept::functions(texts));
                let known = (known, &changed as Changed<'_>);
                testsmith_harness::copy_again(scratch, name, instrument, known, progress)
            }
        }?;
        kept.stand_on(self.ground_with(&copied));
        Ok(copied)
    }

    /// A copy that rustc has not seen, if nothing outside of functions has changed since the last.
    fn copy_unchecked(&self, kept: &mut Kept) -> Option<Copied> {
        let known = kept.copy.as_ref()?;
        let changed = |texts: &Texts| kept.changed(&kept::functions(texts));
        let copied = testsmith_harness::copy_unchecked(
            self.scratch,
            &self.package.name,
            self.instrument,
            (known, &changed),
        );
        let copied = copied.ok()?;
        let ground = self.ground_with(&copied);
        if ground != kept.ground {
            return None;
        }
        kept.stand_on(ground);
        Some(copied)
    }

    fn ground_with(&self, copied: &Copied) -> u64 {
        digests::digest(&(self.ground, &copied.texts.rest))
    }
}

/// The report before anybody was asked.
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
        kind: "mutants".to_owned(),
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

/// A mutant before anybody was asked.
fn described(
    copied: &Copied,
    id: MutantId,
    places: &BTreeMap<&str, Places<'_>>,
    asked: &Analysis,
) -> MutantReport {
    let known = judged::described(copied, id, places);
    match asked.choice.suppressed_by(copied.mutant(id)) {
        Some(by) if known.status == Status::Pending => MutantReport {
            status: Status::Suppressed,
            reason: Some(by),
            ..known
        },
        _ => known,
    }
}

/// A mutant, the tests that reach it, the cheapest first, and what is left of its verdict.
struct Reached {
    mutant: MutantId,
    tests: Vec<usize>,
    holds: Holds,
}

impl Reached {
    /// The tests that have to be asked.
    fn asked(&self) -> &[usize] {
        match &self.holds {
            Holds::Whole => &[],
            Holds::But(new) => new,
            Holds::Not => &self.tests,
        }
    }
}

/// Asks own tests about mutants.
struct Analyst<'a> {
    asked: &'a Analysis,
    copied: &'a Copied,
    /// Digests of functions.
    functions: BTreeMap<String, u64>,
    chosen: Vec<MutantId>,
    bench: &'a Bench<'a>,
    package: &'a Package,
    scratch: &'a Scratch,
    instrument: &'a Instrument,
    jobs: usize,
}

impl Analyst<'_> {
    /// The mutants that tests can say something about, with those that reach them.
    fn reached(&self, kept: &Kept, own: &Own) -> Vec<Reached> {
        let reached = |mutant: MutantId| self.reached_one(kept, own, mutant);
        self.open().map(reached).collect()
    }

    fn reached_one(&self, kept: &Kept, own: &Own, mutant: MutantId) -> Reached {
        let tests = own.reaching(self.copied, mutant);
        let holds = kept.holds(self.copied, mutant, &self.functions, own, &tests);
        Reached {
            mutant,
            tests,
            holds,
        }
    }

    /// The mutants that nobody asked for now, with what is known of them.
    fn rest(&self, own: &Own, kept: &Kept) -> Vec<MutantReport> {
        let chosen: BTreeSet<MutantId> = self.chosen.iter().copied().collect();
        let all = (1..=self.copied.mutants.len() as u32).map(MutantId);
        let sources = judged::sources(&self.package.dir, self.copied);
        let places = Places::all(&sources);
        let keys = own.names_by_key();
        let known = |id: MutantId| {
            let mut mutant = described(self.copied, id, &places, self.asked);
            if mutant.status != Status::Pending {
                return mutant;
            }
            let reached = self.reached_one(kept, own, id);
            let names = reached.tests.iter().map(|i| own.tests[*i].name.clone());
            mutant.reached_by = names.collect();
            match reached.tests.is_empty() {
                true => mutant.status = Status::Unreached,
                false if reached.holds == Holds::Whole => kept.tell(&mut mutant, &keys),
                false => {}
            }
            mutant
        };
        all.filter(|id| !chosen.contains(id)).map(known).collect()
    }

    /// Mutants that tests can say something about.
    fn open(&self) -> impl Iterator<Item = MutantId> {
        self.chosen.iter().copied().filter(|id| {
            let mutant = self.copied.mutant(*id);
            !self.copied.dropped.contains_key(id)
                && self.asked.choice.suppressed_by(mutant).is_none()
        })
    }

    /// Asks about every mutant whose verdict is not known.
    fn ask(
        &self,
        own: &Own,
        kept: &mut Kept,
        report: &mut MutantsReport,
        clock: &mut Clock,
        watch: &mut Watch<'_>,
    ) -> Result<(), PipelineError> {
        watch.enter(Stage::Mutants);
        let keys = own.names_by_key();
        let positions: BTreeMap<u32, usize> = report
            .mutants
            .iter()
            .enumerate()
            .map(|(i, it)| (it.id, i))
            .collect();
        let mut questions = Vec::new();
        let mut reaching: BTreeMap<MutantId, Vec<usize>> = BTreeMap::new();
        for reached in self.reached(kept, own) {
            let mutant = &mut report.mutants[positions[&reached.mutant.0]];
            let names = reached.tests.iter().map(|i| own.tests[*i].name.clone());
            mutant.reached_by = names.collect();
            if reached.tests.is_empty() {
                mutant.status = Status::Unreached;
                continue;
            }
            match reached.asked() {
                [] => kept.tell(mutant, &keys),
                tests => questions.push(Question {
                    mutant: reached.mutant,
                    tests: tests.to_vec(),
                }),
            }
            reaching.insert(reached.mutant, reached.tests);
        }
        let of = questions.len();
        let alone = self.asked.nextest;
        let progress = &mut |n| watch.tell(Event::Asking { n, of });
        let answers = self.bench.each(&questions, progress, |cell, question| {
            own.ask(self.bench, cell, question, alone)
        })?;
        for (question, answer) in questions.iter().zip(&answers) {
            let mutant = &mut report.mutants[positions[&question.mutant.0]];
            match answer {
                None | Some(None) => {}
                Some(Some(Answer::Survived)) => mutant.status = Status::Survived,
                Some(Some(Answer::Killed(test, end))) => {
                    mutant.status = Status::Killed;
                    mutant.killed_by = vec![own.tests[*test].name.clone()];
                    mutant.how = Some(how(*end).to_owned());
                }
            }
        }
        constants::take_back(report, kept, self.bench, self.copied)?;
        clock.stage_over("mutants");
        let is_survivor = |id: &MutantId| {
            let mutant = &report.mutants[positions[&id.0]];
            mutant.status == Status::Survived && mutant.impact.is_none()
        };
        let survivors = reaching.iter().filter(|(id, _)| is_survivor(id));
        let survivors: Vec<Question> = survivors
            .map(|(id, tests)| Question {
                mutant: *id,
                tests: tests.clone(),
            })
            .collect();
        watch.enter(Stage::Impact);
        let seen = own.seen(self.bench, &survivors)?;
        let impacts = self.bench.each(&survivors, &mut |_| {}, |cell, question| {
            own.impact(self.bench, cell, (self.copied, &seen), question)
        })?;
        for (question, impact) in survivors.iter().zip(impacts) {
            report.mutants[positions[&question.mutant.0]].impact = impact;
        }
        clock.stage_over("impact");
        self.find_equivalents(kept, report, watch);
        clock.stage_over("equivalents");
        for id in self.open() {
            let mutant = &report.mutants[positions[&id.0]];
            if !matches!(mutant.status, Status::Pending | Status::Unviable) {
                let tests = reaching.get(&id).map_or(&[][..], Vec::as_slice);
                kept.learn(mutant, &self.functions, own, tests);
            }
        }
        Ok(())
    }
}

/// How a test noticed a mutant.
fn how(end: End) -> &'static str {
    match end {
        End::Passed | End::Failed => "failed",
        End::Died => "died",
        End::Exhausted => "exhausted",
        End::Late => "timeout",
    }
}

/// Adds what is known of tests and branches.
fn describe(report: &mut MutantsReport, copied: &Copied, own: &Own) {
    let tests = own.tests.iter().zip(&own.learnt);
    report.tests = tests
        .map(|(test, learnt)| OwnTestReport {
            name: test.name.clone(),
            target: test.target.clone(),
            seconds: learnt.seconds,
            status: learnt.unfit.map_or("passed", own::Unfit::status).to_owned(),
            reason: learnt.unfit.map(|it| it.reason().to_owned()),
            kills: 0,
        })
        .collect();
    for (why, n) in &own.left_out {
        *report.left_out.entry(why.clone()).or_default() += n;
    }
    let fit = own.learnt.iter().filter(|it| it.unfit.is_none());
    let entered: BTreeSet<u32> = fit.flat_map(|it| it.reached.iter().copied()).collect();
    report.coverage = Some(crate::coverage::lines(copied, &entered));
    report.branches = judged::branches(copied, &entered);
}
