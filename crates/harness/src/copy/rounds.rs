//! Rounds of `cargo check` until a copy compiles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use testsmith_instrument::{
    Contents, DefinitionId, DerivedId, FunctionId, Generated, MonitorId, Mutant, MutantId,
    Rewriter, Texts,
};
use testsmith_project::{Run, Scratch, ScratchError};

use super::blame::{blamed, is_ours, refused, silenced};
use super::{
    About, CFG, Copied, DERIVED, DROPPED, FREED, Known, OPAQUE, PACKAGE, RECORDS, RETURNS, ROOT,
    Refusal, SILENT, STABLE, UNMONITORED, WITHIN, put_ahead, read, texts,
};
use crate::build::BuildError;
use crate::instrument::Instrument;

/// After more rounds than this, dropping the mutants that rustc's errors point at is not going to
/// help.
const MAX_ROUNDS: u32 = 40;

/// After this many rounds, whole functions are blamed, so that it is over soon.
const MANY_ROUNDS: u32 = 2;

/// After this many rounds without a success, the crate itself may not compile.
const DOUBTFUL_ROUNDS: u32 = 8;

/// How many rounds are spent on functions that are to note what they return.
const MAX_NOTED: u32 = 4;

/// How many rounds are spent on mutants that may have been dropped for errors of others.
const MAX_TRIALS: u32 = 12;

/// What a copy is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Mutation analysis: all mutants that compile. That takes more rounds, because some are
    /// dropped for errors of others.
    Mutants,
    /// The guest, which need not have every mutant that compiles.
    Guest,
    /// Recording: calls from outside are written down.
    Recording,
    /// Judging tests: all mutants that compile, and calls from outside are written down.
    Judging,
}

impl Purpose {
    fn is_thorough(self) -> bool {
        matches!(self, Purpose::Mutants | Purpose::Judging)
    }

    fn returns(self) -> bool {
        matches!(self, Purpose::Mutants)
    }

    fn records(self) -> bool {
        matches!(self, Purpose::Recording | Purpose::Judging)
    }
}

/// Makes a copy with mutants that compile. `spec` names the package in the scratch workspace.
pub fn copy(
    scratch: &Scratch,
    spec: &str,
    instrument: &Instrument,
    purpose: Purpose,
    progress: &mut dyn FnMut(u32, usize),
) -> Result<Copied, BuildError> {
    let mut rounds = Rounds::new(scratch, spec, instrument, purpose, progress);
    rounds.whole().map_err(|error| rounds.blame_crate(error))?;
    rounds.copied()
}

/// What a copy of an earlier state of the source was like.
#[derive(Clone, Copy)]
pub struct Earlier<'e> {
    /// What rustc said of it.
    pub known: &'e Known,
    /// What has changed since.
    pub changed: Changed<'e>,
}

/// Gives the functions of a source that have changed, by [`Mutant::function_key`].
pub type Changed<'c> = &'c dyn Fn(&Texts) -> BTreeSet<String>;

/// Makes a copy from what is known of an earlier one, as [`copy_again`] does if rustc has no
/// objection. rustc is not asked here; the caller finds out when it builds the copy. The copy is
/// useless if more than the bodies of functions has changed.
pub fn copy_unchecked(
    scratch: &Scratch,
    spec: &str,
    instrument: &Instrument,
    earlier: Earlier<'_>,
) -> Result<Copied, BuildError> {
    let Earlier { known, changed } = earlier;
    let progress = &mut |_, _| {};
    let mut rounds = Rounds::new(scratch, spec, instrument, Purpose::Mutants, progress);
    rounds.begin_with(known, changed, true)?;
    rounds.write()?;
    rounds.copied()
}

/// Makes a copy from what is known of an earlier one: mutants that were dropped then are dropped at
/// once, except those of functions that have changed.
pub fn copy_again(
    scratch: &Scratch,
    spec: &str,
    instrument: &Instrument,
    earlier: Earlier<'_>,
    progress: &mut dyn FnMut(u32, usize),
) -> Result<Copied, BuildError> {
    let Earlier { known, changed } = earlier;
    let mut rounds = Rounds::new(scratch, spec, instrument, Purpose::Mutants, progress);
    let result = rounds.begin_with(known, changed, false).and_then(|()| {
        let known: BTreeSet<MutantId> = rounds.dropped.keys().copied().collect();
        if rounds.check()?.success {
            return Ok(());
        }
        // Changed functions note nothing yet, so that every error is about a mutant.
        rounds.silence(changed)?;
        rounds.settle()?;
        if rounds.dropped.len() > known.len() && rounds.readmit(&known)? {
            rounds.settle()?;
        }
        Ok(())
    });
    if result.is_err() {
        // The source may differ too much from the earlier one.
        rounds = Rounds::new(scratch, spec, instrument, Purpose::Mutants, progress);
        rounds.whole().map_err(|error| rounds.blame_crate(error))?;
    }
    rounds.copied()
}

struct Rounds<'r> {
    scratch: &'r Scratch,
    spec: &'r str,
    instrument: &'r Instrument,
    purpose: Purpose,
    progress: &'r mut dyn FnMut(u32, usize),
    dir: PathBuf,
    /// The rewriter, once the first round is over.
    rewriter: Option<Rewriter>,
    dropped: BTreeMap<MutantId, Refusal>,
    opaque: BTreeMap<DefinitionId, String>,
    derived: BTreeMap<DerivedId, String>,
    unmonitored: BTreeMap<MonitorId, String>,
    /// Do functions note what they return?
    returns: bool,
    silent: BTreeMap<FunctionId, String>,
    unstable: bool,
    constants: bool,
    n: u32,
    /// Did rustc accept the copy in any round?
    is_accepted: bool,
}

impl<'r> Rounds<'r> {
    fn new(
        scratch: &'r Scratch,
        spec: &'r str,
        instrument: &'r Instrument,
        purpose: Purpose,
        progress: &'r mut dyn FnMut(u32, usize),
    ) -> Rounds<'r> {
        let dir = scratch.dir.join("copy");
        // A copy that an earlier run left may be of another source.
        let _ = fs::remove_dir_all(&dir);
        Rounds {
            scratch,
            spec,
            instrument,
            purpose,
            progress,
            dir,
            rewriter: None,
            dropped: BTreeMap::new(),
            opaque: BTreeMap::new(),
            derived: BTreeMap::new(),
            unmonitored: BTreeMap::new(),
            returns: false,
            silent: BTreeMap::new(),
            unstable: true,
            constants: false,
            n: 0,
            is_accepted: false,
        }
    }

    /// Does all rounds, from the beginning.
    fn whole(&mut self) -> Result<(), BuildError> {
        if self.purpose.is_thorough() {
            // Functions that stay `const` come later, so that errors show which constants are
            // computed with them.
            self.settle()?;
        }
        self.constants = self.unstable;
        self.settle()?;
        let is_other = self.purpose.is_thorough() && self.readmit(&BTreeSet::new())?;
        if !self.can_note_returns()? {
            return match is_other {
                true => self.settle(),
                false => Ok(()),
            };
        }
        // Most often the copy compiles with notes of returned values at once.
        self.returns = true;
        if self.check()?.success {
            return Ok(());
        }
        self.returns = false;
        if is_other {
            self.settle()?;
        }
        self.note_returns()
    }

    fn can_note_returns(&self) -> Result<bool, BuildError> {
        let any = !self.rewriter()?.returning().is_empty();
        Ok(self.purpose.returns() && self.unstable && any)
    }

    /// Lets functions note what they return, in a copy that rustc accepts without. So every error
    /// now is about these notes.
    fn note_returns(&mut self) -> Result<(), BuildError> {
        self.returns = true;
        for _ in 0..MAX_NOTED {
            let run = self.check()?;
            if run.success {
                return Ok(());
            }
            let files = self.rewriter()?.render(&self.kept());
            match silenced(&files, &run.errors) {
                Some(found) if !found.is_empty() => self.silent.extend(found),
                _ => break,
            }
        }
        self.returns = false;
        self.write()
    }

    /// Keeps changed functions from noting what they return.
    fn silence(&mut self, changed: Changed<'_>) -> Result<(), BuildError> {
        let rewriter = self.rewriter()?;
        let changed = changed(&rewriter.texts());
        let all = rewriter.returning().iter().zip(0..);
        let changed = all.filter(|(name, _)| changed.contains(name.as_str()));
        let why = "rustc refused it after a change, with mutants that are left out now";
        let silent: Vec<(FunctionId, String)> = changed
            .map(|(_, id)| (FunctionId(id), why.to_owned()))
            .collect();
        self.silent.extend(silent);
        Ok(())
    }

    /// Drops the mutants that were dropped before. If signatures have not changed, what rustc said
    /// of mutants that depend on nothing else holds in other functions too.
    fn begin_with(
        &mut self,
        known: &Known,
        changed: Changed<'_>,
        same_signatures: bool,
    ) -> Result<(), BuildError> {
        let package = self.scratch.package().dir.display().to_string();
        self.scratch.write(&format!("copy/{PACKAGE}"), &package)?;
        self.note_place()?;
        self.scratch.write(&format!("copy/{CFG}"), &known.cfg)?;
        let rewriter = read(&self.dir).map_err(BuildError::Unexplained)?;
        let changed = changed(&rewriter.texts());
        let is_changed = |it: &Mutant| changed.contains(&it.function_key());
        for (mutant, id) in rewriter.mutants().iter().zip(1..) {
            let Some(why) = known.dropped.get(&mutant.name) else {
                continue;
            };
            let is_by_signature = mutant.operator == "return" && why.about == About::Itself;
            if !is_changed(mutant) || same_signatures && is_by_signature {
                self.dropped.insert(MutantId(id), why.clone());
            }
        }
        let find = |names: &[String], known: &BTreeMap<String, String>| {
            let names = names.iter().zip(0..);
            let known = names.filter_map(|(name, id)| Some((id, known.get(name)?.clone())));
            known.collect::<Vec<(u32, String)>>()
        };
        let opaque = find(rewriter.definitions(), &known.opaque).into_iter();
        self.opaque = opaque.map(|(id, why)| (DefinitionId(id), why)).collect();
        let derived = find(rewriter.derived(), &known.derived).into_iter();
        self.derived = derived.map(|(id, why)| (DerivedId(id), why)).collect();
        let unmonitored = find(rewriter.monitored(), &known.unmonitored).into_iter();
        self.unmonitored = unmonitored.map(|(id, why)| (MonitorId(id), why)).collect();
        let silent = find(rewriter.returning(), &known.silent).into_iter();
        self.silent = silent.map(|(id, why)| (FunctionId(id), why)).collect();
        self.returns = known.unstable && self.silent.len() < rewriter.returning().len();
        self.unstable = known.unstable;
        self.constants = known.unstable;
        self.rewriter = Some(rewriter);
        Ok(())
    }

    /// Drops mutants until rustc accepts the copy.
    fn settle(&mut self) -> Result<(), BuildError> {
        while self.n < MAX_ROUNDS {
            let run = self.check()?;
            if run.success {
                return Ok(());
            }
            if self.n == DOUBTFUL_ROUNDS
                && !self.is_accepted
                && let Some(said) = self.check_crate()?
            {
                return Err(BuildError::Subject(said));
            }
            let files = self.rewriter()?.render(&self.kept());
            if self.unstable && is_ours(&files, &run.errors) {
                self.unstable = false;
                self.constants = false;
                continue;
            }
            let refused = refused(&files, &run.errors);
            let mut guilty = blamed(self.rewriter()?, &self.kept(), &run.errors);
            if !self.purpose.is_thorough() && self.n >= MANY_ROUNDS {
                self.blame_functions(&mut guilty)?;
            }
            if guilty.is_empty() && refused.is_empty() && !self.derive_all(&run)? {
                return Err(BuildError::Unexplained(said(&run)));
            }
            self.refuse(refused);
            self.dropped.extend(guilty);
        }
        Err(BuildError::Unexplained(format!(
            "the copy does not compile after {MAX_ROUNDS} rounds"
        )))
    }

    /// rustc's message about the crate as it is, if it does not compile.
    fn check_crate(&self) -> Result<Option<String>, BuildError> {
        let mut command = self.scratch.cargo("check");
        command.args(["--package", self.spec, "--profile", "copied"]);
        let run = Run::of(&mut command)?;
        Ok((!run.success).then(|| said(&run)))
    }

    /// Blames the crate if it does not compile as it is, because then no copy of it can.
    fn blame_crate(&self, error: BuildError) -> BuildError {
        match error {
            BuildError::Unexplained(_) => match self.check_crate() {
                Ok(Some(said)) => BuildError::Subject(said),
                _ => error,
            },
            error => error,
        }
    }

    /// Leaves out generated code for types.
    fn refuse(&mut self, refused: BTreeMap<Generated, String>) {
        for (generated, why) in refused {
            match generated {
                Generated::State(id) => drop(self.opaque.insert(id, why)),
                Generated::Equality(id) => drop(self.derived.insert(id, why)),
                Generated::Monitor(id) => drop(self.unmonitored.insert(id, why)),
            }
        }
    }

    /// Lets the compiler derive all equalities if no other generated code is to blame for an error,
    /// because other code may need them to be derived. Says whether any were written out before.
    fn derive_all(&mut self, run: &Run) -> Result<bool, BuildError> {
        let n = self.rewriter()?.derived().len();
        let is_new = self.kept().writes_out() && self.derived.len() < n;
        let why = run.errors.first().map_or("", |error| &error.message);
        for id in (0..n as u32).map(DerivedId) {
            self.derived.entry(id).or_insert_with(|| why.to_owned());
        }
        Ok(is_new)
    }

    /// Why equalities are left to the compiler.
    fn derived(&self, rewriter: &Rewriter) -> BTreeMap<String, String> {
        let why = |id: DerivedId| match self.derived.get(&id) {
            _ if !self.unstable => Some("only stable features can be used".to_owned()),
            _ if !self.kept().writes_out() => Some("calls from outside are recorded".to_owned()),
            why => why.cloned(),
        };
        let all = rewriter.derived().iter().zip(0..);
        all.filter_map(|(name, id)| Some((name.clone(), why(DerivedId(id))?)))
            .collect()
    }

    /// Why functions do not note what they read.
    fn unmonitored(&self, rewriter: &Rewriter) -> BTreeMap<String, String> {
        let monitoring = rewriter.monitoring(&self.kept());
        let why = |id: MonitorId| match self.unmonitored.get(&id) {
            _ if monitoring.contains(&id) => None,
            _ if !self.unstable => Some("only stable features can be used".to_owned()),
            _ if !self.kept().writes_out() => Some("calls from outside are recorded".to_owned()),
            None => Some("something that it calls is not monitored".to_owned()),
            why => why.cloned(),
        };
        let all = rewriter.monitored().iter().zip(0..);
        all.filter_map(|(name, id)| Some((name.clone(), why(MonitorId(id))?)))
            .collect()
    }

    /// Why functions do not note what they return.
    fn silent(&self, rewriter: &Rewriter) -> BTreeMap<String, String> {
        let why = |id: FunctionId| match self.silent.get(&id) {
            _ if !self.unstable => Some("only stable features can be used".to_owned()),
            None if !self.returns => Some("rustc refuses what would note it".to_owned()),
            why => why.cloned(),
        };
        let all = rewriter.returning().iter().zip(0..);
        all.filter_map(|(name, id)| Some((name.clone(), why(FunctionId(id))?)))
            .collect()
    }

    /// Blames all mutants of a function in which one is to blame, so that fewer rounds are needed.
    fn blame_functions(&self, guilty: &mut BTreeMap<MutantId, Refusal>) -> Result<(), BuildError> {
        let rewriter = self.rewriter()?;
        let said: BTreeMap<Function, Refusal> = guilty
            .iter()
            .map(|(id, refusal)| (function(rewriter, *id), refusal.clone()))
            .collect();
        for id in (1..=rewriter.mutants().len() as u32).map(MutantId) {
            if let Some(refusal) = said.get(&function(rewriter, id))
                && !self.dropped.contains_key(&id)
            {
                guilty.entry(id).or_insert_with(|| Refusal {
                    about: About::Around,
                    ..refusal.clone()
                });
            }
        }
        Ok(())
    }

    /// Does one round.
    fn check(&mut self) -> Result<Run, BuildError> {
        self.n += 1;
        let n_left = self
            .rewriter
            .as_ref()
            .map_or(0, |it| it.mutants().len() - self.dropped.len());
        (self.progress)(self.n, n_left);
        self.write()?;
        let mut run = self.compile()?;
        if self.rewriter.is_none() && !self.dir.join(CFG).exists() {
            // Cargo takes the copy for built, as a run left it that was killed, or reads what was cut off.
            self.forget_builds();
            run = self.compile()?;
        }
        self.is_accepted |= run.success;
        if self.rewriter.is_none() {
            let said = |why| BuildError::Unexplained(format!("{why}\n{}", run.stderr.trim_end()));
            self.rewriter = Some(read(&self.dir).map_err(said)?);
        }
        Ok(run)
    }

    /// Has rustc check the copy as it is written.
    fn compile(&self) -> Result<Run, BuildError> {
        let mut command = self.scratch.cargo("check");
        // Binaries are not part of the copy, and need not compile.
        command.args(["--package", self.spec, "--lib", "--profile", "copied"]);
        self.instrument.apply_copy(&mut command, &self.dir);
        Ok(Run::of(&mut command)?)
    }

    /// Takes away what cargo knows of earlier builds of the crate.
    fn forget_builds(&self) {
        let known = self.scratch.target_dir().join("copied/.fingerprint");
        let ours = format!("{}-", self.scratch.package().name);
        for entry in fs::read_dir(known).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&ours) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Tries mutants again that were dropped for an error around them, except those in `known`: in
    /// each function one group at a time, and then the halves of a group that rustc refuses. Says
    /// whether any was tried.
    fn readmit(&mut self, known: &BTreeSet<MutantId>) -> Result<bool, BuildError> {
        let dropped = self.dropped.iter().filter(|(id, _)| !known.contains(id));
        let mut trials = Trials::of(self.rewriter()?, dropped);
        let any = !trials.waiting.is_empty();
        for _ in 0..MAX_TRIALS {
            let tried = trials.next();
            if tried.is_empty() {
                break;
            }
            let before = self.dropped.clone();
            self.dropped.retain(|id, _| !tried.contains(id));
            let run = self.check()?;
            let guilty = blamed(self.rewriter()?, &self.kept(), &run.errors);
            let is_explained = run.success || !guilty.is_empty();
            let refused = trials.judge(self.rewriter()?, &guilty, is_explained);
            for id in refused {
                let refusal = guilty.get(&id).or(before.get(&id));
                self.dropped.extend(refusal.map(|it| (id, it.clone())));
            }
        }
        Ok(any)
    }

    fn copied(self) -> Result<Copied, BuildError> {
        let rewriter = self.rewriter()?;
        let rendered = rewriter.render(&self.kept());
        let name = |id: &DefinitionId| rewriter.definitions()[id.0 as usize].clone();
        let opaque = self.opaque.iter().map(|(id, why)| (name(id), why.clone()));
        let derived = self.derived(rewriter);
        let unmonitored = self.unmonitored(rewriter);
        let silent = self.silent(rewriter);
        Ok(Copied {
            mutants: rewriter.mutants().to_vec(),
            regions: rewriter.regions().to_vec(),
            counted: rendered.iter().flat_map(|it| it.regions.clone()).collect(),
            files: rendered.into_iter().map(|it| (it.path, it.text)).collect(),
            n_types: rewriter.definitions().len() - self.opaque.len(),
            opaque: opaque.collect(),
            n_written_out: rewriter.derived().len() - derived.len(),
            derived,
            n_monitored: rewriter.monitoring(&self.kept()).len(),
            unmonitored,
            n_returning: rewriter.returning().len() - silent.len(),
            silent,
            unstable: self.unstable,
            left_out: rewriter.left_out.clone(),
            texts: rewriter.texts(),
            dropped: self.dropped.clone(),
            n_rounds: self.n,
            dir: self.dir.clone(),
        })
    }

    fn rewriter(&self) -> Result<&Rewriter, BuildError> {
        let unknown = || BuildError::Unexplained("the copy was never made".to_owned());
        self.rewriter.as_ref().ok_or_else(unknown)
    }

    fn kept(&self) -> Contents {
        Contents {
            dropped: self.dropped.keys().copied().collect(),
            opaque: self.opaque.keys().copied().collect(),
            derived: self.derived.keys().copied().collect(),
            unmonitored: self.unmonitored.keys().copied().collect(),
            unstable: self.unstable,
            constants: self.constants,
            records: self.purpose.records(),
            returns: self.returns,
            silent: self.silent.keys().copied().collect(),
        }
    }

    /// Writes down the path of the package in its workspace.
    fn note_place(&self) -> Result<(), BuildError> {
        let package = self.scratch.package();
        let within = package.dir.strip_prefix(&package.workspace_root);
        let within = within.unwrap_or(Path::new("")).display().to_string();
        let root = package.root.strip_prefix(&package.dir);
        let root = root.unwrap_or(&package.root).display().to_string();
        self.scratch.write(&format!("copy/{ROOT}"), &root)?;
        Ok(self.scratch.write(&format!("copy/{WITHIN}"), &within)?)
    }

    /// Writes down what the copy has, and its source as far as it is known.
    fn write(&self) -> Result<(), BuildError> {
        let package = self.scratch.package().dir.display().to_string();
        self.scratch.write(&format!("copy/{PACKAGE}"), &package)?;
        self.note_place()?;
        let name = |id: &MutantId| Some(self.rewriter.as_ref()?.mutant(*id).name.clone() + "\n");
        let names: String = self.dropped.keys().filter_map(name).collect();
        self.scratch.write(&format!("copy/{DROPPED}"), &names)?;
        let types = self
            .rewriter
            .as_ref()
            .map_or(&[][..], Rewriter::definitions);
        let opaque = self.opaque.keys().map(|id| id.0);
        self.scratch
            .write(&format!("copy/{OPAQUE}"), &listed(types, opaque))?;
        let types = self.rewriter.as_ref().map_or(&[][..], Rewriter::derived);
        let derived = self.derived.keys().map(|id| id.0);
        self.scratch
            .write(&format!("copy/{DERIVED}"), &listed(types, derived))?;
        let readers = self.rewriter.as_ref().map_or(&[][..], Rewriter::monitored);
        let unmonitored = self.unmonitored.keys().map(|id| id.0);
        self.scratch.write(
            &format!("copy/{UNMONITORED}"),
            &listed(readers, unmonitored),
        )?;
        let functions = self.rewriter.as_ref().map_or(&[][..], Rewriter::returning);
        let silent = self.silent.keys().map(|id| id.0);
        self.scratch
            .write(&format!("copy/{SILENT}"), &listed(functions, silent))?;
        let files = [
            (FREED, !self.constants),
            (STABLE, !self.unstable),
            (RECORDS, self.purpose.records()),
            (RETURNS, self.returns),
        ];
        for (file, is_there) in files {
            match is_there {
                true => self.scratch.write(&format!("copy/{file}"), "")?,
                false => drop(fs::remove_file(self.dir.join(file))),
            }
        }
        if let Some(rewriter) = &self.rewriter {
            let files = rewriter.render(&self.kept());
            let package = &self.scratch.package().dir;
            let put = put_ahead(&self.dir, package, &texts(&files));
            put.map_err(|source| ScratchError::Write {
                path: self.dir.clone(),
                source,
            })?;
        }
        Ok(())
    }
}

/// The names at these positions, one a line.
fn listed(names: &[String], positions: impl Iterator<Item = u32>) -> String {
    let names = positions.filter_map(|i| names.get(i as usize));
    names.map(|name| format!("{name}\n")).collect()
}

fn said(run: &Run) -> String {
    match run.errors.first() {
        Some(error) => error.rendered.clone(),
        None => run.stderr.clone(),
    }
}

/// Groups of mutants that wait to be tried again, by file and function.
struct Trials {
    waiting: BTreeMap<Function, Vec<Vec<MutantId>>>,
    /// The groups that are tried now.
    tried: BTreeMap<Function, Vec<MutantId>>,
}

type Function = (PathBuf, String);

fn function(rewriter: &Rewriter, id: MutantId) -> Function {
    let mutant = rewriter.mutant(id);
    (mutant.file.clone(), mutant.function.clone())
}

impl Trials {
    fn of<'d>(
        rewriter: &Rewriter,
        dropped: impl Iterator<Item = (&'d MutantId, &'d Refusal)>,
    ) -> Trials {
        let mut waiting: BTreeMap<Function, Vec<Vec<MutantId>>> = BTreeMap::new();
        for (id, refusal) in dropped {
            if refusal.about == About::Around {
                let groups = waiting.entry(function(rewriter, *id)).or_default();
                match groups.first_mut() {
                    Some(group) => group.push(*id),
                    None => groups.push(vec![*id]),
                }
            }
        }
        Trials {
            waiting,
            tried: BTreeMap::new(),
        }
    }

    /// Takes one group of each function.
    fn next(&mut self) -> BTreeSet<MutantId> {
        let next = |(function, groups): (&Function, &mut Vec<Vec<MutantId>>)| {
            Some((function.clone(), groups.pop()?))
        };
        self.tried = self.waiting.iter_mut().filter_map(next).collect();
        self.tried.values().flatten().copied().collect()
    }

    /// The mutants that are refused or have to wait: every group that was tried in a function with
    /// an error, or all groups if no function is to blame.
    fn judge(
        &mut self,
        rewriter: &Rewriter,
        guilty: &BTreeMap<MutantId, Refusal>,
        is_explained: bool,
    ) -> Vec<MutantId> {
        let bad: BTreeSet<Function> = guilty.keys().map(|id| function(rewriter, *id)).collect();
        let tried = std::mem::take(&mut self.tried);
        let failed = tried
            .into_iter()
            .filter(|(function, _)| !is_explained || bad.contains(function));
        let mut refused = Vec::new();
        for (function, group) in failed {
            refused.extend(&group);
            let is_itself =
                |id: &&MutantId| guilty.get(id).is_some_and(|it| it.about == About::Itself);
            let left: Vec<MutantId> = group.iter().filter(|id| !is_itself(id)).copied().collect();
            let groups = self.waiting.entry(function).or_default();
            match left.len() {
                0 => {}
                1 if group.len() == 1 => {}
                n if n < group.len() => groups.push(left),
                n => groups.extend([left[..n / 2].to_vec(), left[n / 2..].to_vec()]),
            }
        }
        refused
    }
}
