//! Equivalent mutants: those that compile to the same optimised code as the original.
//!
//! rustc is run directly, as cargo would run it. A build has one mutant in each of many functions, and
//! what rustc makes of each function is compared with what it makes of the original: its optimised MIR,
//! which says something of generic functions, too, or else its machine code as LLVM writes it. A build
//! says that its mutants are equivalent only if all of them are: then none hides what another one does.
//! Otherwise, the mutants whose code differs are not equivalent, and the others are built again without
//! them. When in doubt, a mutant is not equivalent.
//!
//! **Equivalent mutants compile to the same code.** rustc is run as cargo would run it (our wrapper
//! writes that down), with one mutant really edited into each of many functions, and what becomes
//! of each function is compared with the original's (`harness/equivalent/`): its optimised MIR, or
//! what LLVM makes of it. MIR alone is asked of generic functions and of those that return
//! something without a name, since others compile those. A function with mutants gets a symbol that
//! everybody sees, so that no caller changes its code, is never inlined, and has a constant that
//! shows that it is compiled at all; its code includes what only this module sees and what is made
//! for its closures. A build counts only if it tells none of its mutants from the original: two
//! that hide each other would both be told apart alone. What is left is UB: a mutant that reaches
//! it may be anything, the same code as well.

#![expect(
    clippy::disallowed_methods,
    reason = "what rustc writes is compared, and files are how it writes"
)]

mod capture;
mod llvm;
mod mir;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use testsmith_instrument::{Mutant, MutantId};
use testsmith_project::{Scratch, ScratchError};

use crate::build::BuildError;
use crate::copy::{Copied, below, reflect, reflect_above};
use crate::instrument::Instrument;
use capture::Captured;
use llvm::Module;
use mir::Mir;
use source::{FunctionId, Source, WITNESS};

pub(crate) use capture::captured;

/// How much may be asked.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    /// How many compilers run at a time.
    pub jobs: usize,
    /// How many builds there may be until each mutant was in one; at least as many are needed as
    /// there are mutants in one function. Builds of the original, and of mutants that are asked
    /// about again, are not counted.
    pub max_builds: usize,
}

/// What was found out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Equivalents {
    /// Mutants that do what the original does, with the evidence.
    pub same: BTreeMap<MutantId, Evidence>,
    /// Mutants that were not compared, with the reason.
    pub not_asked: BTreeMap<MutantId, String>,
    /// How often the crate was compiled.
    pub n_builds: usize,
}

/// What two compilations have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Evidence {
    /// The function in the compiler's own optimised form.
    Mir,
    /// The function's machine code, as LLVM writes it.
    Llvm,
}

/// The mutants of one build, each with its function.
type Batch = Vec<(FunctionId, MutantId)>;

/// Finds which of these mutants are equivalent. All of them must be in the copy. `spec` names the
/// package in the scratch workspace; `progress` is told how many builds are done, and how many are
/// known to be needed.
pub fn equivalent(
    scratch: &Scratch,
    spec: &str,
    instrument: &Instrument,
    copied: &Copied,
    candidates: &[MutantId],
    asking: Asking,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Equivalents, BuildError> {
    let mut found = Equivalents::default();
    if candidates.is_empty() {
        return Ok(found);
    }
    let dir = scratch.dir.join("equivalent");
    let _ = fs::remove_dir_all(&dir);
    let failed = |source| ScratchError::Write {
        path: dir.clone(),
        source,
    };
    fs::create_dir_all(&dir).map_err(failed)?;
    let package = &scratch.package().dir;
    let candidates = candidates.iter().map(|id| (*id, copied.mutant(*id)));
    let (inside, outside): (Vec<_>, Vec<_>) =
        candidates.partition(|(_, mutant)| is_inside(&mutant.file));
    let source = Source::read(package, inside.into_iter()).map_err(failed)?;
    found.not_asked.clone_from(&source.refused);
    let why = "its file is outside of the package";
    let outside = outside.into_iter().map(|(id, _)| (id, why.to_owned()));
    found.not_asked.extend(outside);
    if source.functions.is_empty() {
        return Ok(found);
    }
    let captured = Captured::ask(scratch, spec, instrument, copied, &dir.join("captured"))?;
    let mut comparer = Comparer {
        scratch,
        copied,
        captured,
        source,
        dir: dir.clone(),
        names: true,
        originals: BTreeMap::new(),
        calls: BTreeMap::new(),
        n_jobs: asking.jobs.max(1),
    };
    let early = match asking {
        Asking {
            jobs: 2..,
            max_builds: 1,
        } => comparer.build_beside()?,
        _ => None,
    };
    found.n_builds += match early {
        Some(_) => 2,
        None => comparer.build_originals()?,
    };
    progress(found.n_builds, found.n_builds);
    comparer.ask(&mut found, early, asking.max_builds, progress)?;
    fs::remove_dir_all(&dir).map_err(failed)?;
    Ok(found)
}

fn is_inside(file: &Path) -> bool {
    let mut parts = file.components();
    parts.all(|it| matches!(it, Component::Normal(_) | Component::CurDir))
}

/// What rustc makes of a function.
#[derive(Debug)]
struct Made {
    mir: BTreeMap<String, Vec<String>>,
    llvm: Option<String>,
}

impl Made {
    fn evidence(&self, original: &Made) -> Option<Evidence> {
        if self.mir == original.mir && !self.mir.is_empty() {
            return Some(Evidence::Mir);
        }
        (self.llvm.is_some() && self.llvm == original.llvm).then_some(Evidence::Llvm)
    }
}

/// A batch that was built at the same time as the original, and what rustc made of its functions.
type Early = (Batch, BTreeMap<FunctionId, Made>);

/// What rustc made of the functions in a build, or its message if the build failed.
type Built = Result<BTreeMap<FunctionId, Made>, String>;

struct Comparer<'b> {
    scratch: &'b Scratch,
    copied: &'b Copied,
    captured: Captured,
    source: Source,
    dir: PathBuf,
    /// Do functions get symbols of their own? Without them, machine code cannot be compared.
    names: bool,
    originals: BTreeMap<FunctionId, Made>,
    /// The functions that each function calls, directly or through functions without mutants. A
    /// change in one of them may show in its code.
    calls: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
    n_jobs: usize,
}

impl Comparer<'_> {
    fn all(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.source.functions.len()).map(FunctionId)
    }

    /// Builds the original, and returns how many builds that took.
    fn build_originals(&mut self) -> Result<usize, BuildError> {
        let all: Vec<FunctionId> = self.all().collect();
        let mut said = String::new();
        for n in 1..=2 {
            match self.build(&self.worker(0)?, &[], &all)? {
                Ok(originals) => {
                    self.originals = originals;
                    self.calls = self.find_calls();
                    return Ok(n);
                }
                Err(why) => said = why,
            }
            // A macro may have made two functions of one, and they cannot have the same symbol.
            self.names = false;
        }
        Err(BuildError::Unexplained(said))
    }

    /// Builds the original and at the same time the only batch, if there is only one: then it does
    /// not matter which functions call each other. `None` if one of the two does not compile.
    fn build_beside(&mut self) -> Result<Option<Early>, BuildError> {
        let marked = self.source.functions.iter().zip(0..);
        let open = marked.flat_map(|(marked, i)| {
            let mutants = marked.mutants.iter();
            mutants.map(move |id| (FunctionId(i), *id))
        });
        let (batches, _) = self.pack(&open.collect(), 1, false);
        let builds: Vec<Batch> = std::iter::once(Batch::new()).chain(batches).collect();
        let built = self.build_all(&builds, &mut |_| {})?;
        let built: Result<Vec<_>, String> = built.into_iter().collect();
        let (Ok(built), [_, batch]) = (built, &builds[..]) else {
            return Ok(None);
        };
        let [originals, built] = built.try_into().expect("as many as were asked for");
        self.originals = originals;
        Ok(Some((batch.clone(), built)))
    }

    /// The functions that each function calls, as far as machine code shows it.
    fn find_calls(&self) -> BTreeMap<FunctionId, BTreeSet<FunctionId>> {
        let mut calls: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
        let words: Vec<String> = self.all().map(|id| self.word(id)).collect();
        for (id, made) in &self.originals {
            let Some(code) = &made.llvm else { continue };
            let called = self
                .all()
                .filter(|it| it != id && code.contains(&words[it.0]));
            calls.insert(*id, called.collect());
        }
        loop {
            let further = |called: &BTreeSet<FunctionId>| {
                let next = called.iter().filter_map(|it| calls.get(it));
                let next: BTreeSet<FunctionId> = next.flatten().copied().collect();
                called.union(&next).copied().collect::<BTreeSet<_>>()
            };
            let next: BTreeMap<_, _> = calls.iter().map(|(id, it)| (*id, further(it))).collect();
            if next == calls {
                return calls;
            }
            calls = next;
        }
    }

    /// The text in the machine code of a function's callers.
    fn word(&self, id: FunctionId) -> String {
        let function = &self.source.functions[id.0].function;
        match self.names && function.is_compiled_once {
            true => format!("@{}(", id.symbol()),
            // The name as it stands in the symbols of instances.
            false => format!("{}{}", function.name.len(), function.name),
        }
    }

    /// Builds batches until every mutant is known to be equivalent or not.
    fn ask(
        &self,
        found: &mut Equivalents,
        early: Option<Early>,
        max_builds: usize,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(), BuildError> {
        let mut open = BTreeSet::new();
        for (i, marked) in self.source.functions.iter().enumerate() {
            let id = FunctionId(i);
            let is_compiled = self.originals.contains_key(&id);
            for mutant in &marked.mutants {
                match is_compiled {
                    true => drop(open.insert((id, *mutant))),
                    false => {
                        let why = "its function is not compiled".to_owned();
                        found.not_asked.insert(*mutant, why);
                    }
                }
            }
        }
        let (early, built_early) = early.unzip();
        let mut built_early = built_early.map(|it| vec![Ok(it)]);
        let (mut batches, left) = match early {
            Some(batch) => {
                let (batch, left) = open.iter().partition(|it| batch.contains(it));
                (vec![batch], left)
            }
            None => self.pack(&open, max_builds, true),
        };
        let why = || format!("more than {max_builds} builds would be needed");
        found
            .not_asked
            .extend(left.into_iter().map(|(_, id)| (id, why())));
        while !batches.is_empty() {
            let built = match built_early.take() {
                Some(built) => built,
                None => {
                    let n_before = found.n_builds;
                    let n = n_before + batches.len();
                    found.n_builds = n;
                    self.build_all(&batches, &mut |done| progress(n_before + done, n))?
                }
            };
            let mut again = BTreeSet::new();
            let mut halves = Vec::new();
            for (batch, built) in batches.into_iter().zip(built) {
                match (built, &*batch) {
                    (Ok(built), _) => {
                        let same = self.same(&batch, &built);
                        match same.len() == batch.len() {
                            true => found
                                .same
                                .extend(same.into_iter().map(|((_, id), it)| (id, it))),
                            false => again.extend(same.into_keys()),
                        }
                    }
                    (Err(said), [(_, id)]) => {
                        let why = format!("rustc refuses it alone: {said}");
                        found.not_asked.insert(*id, why);
                    }
                    (Err(_), _) => {
                        let (one, other) = batch.split_at(batch.len() / 2);
                        halves.extend([one.to_vec(), other.to_vec()]);
                    }
                }
            }
            // None of these mutants seems to change any code, so none hides the effect of another.
            (batches, _) = self.pack(&again, usize::MAX, false);
            batches.extend(halves);
        }
        Ok(())
    }

    /// The mutants of a batch that cannot be told from the original.
    fn same(
        &self,
        batch: &Batch,
        built: &BTreeMap<FunctionId, Made>,
    ) -> BTreeMap<(FunctionId, MutantId), Evidence> {
        let evidence = |function: FunctionId| {
            let original = self.originals.get(&function)?;
            built.get(&function)?.evidence(original)
        };
        let same = batch
            .iter()
            .filter_map(|(function, id)| Some(((*function, *id), evidence(*function)?)));
        same.collect()
    }

    /// Divides mutants into as few batches as possible, all about as large, with at most one mutant
    /// of each function; also gives those that do not fit into `most` batches. With `apart`, a
    /// function and its callers are in different batches, as far as that is possible.
    fn pack(
        &self,
        open: &BTreeSet<(FunctionId, MutantId)>,
        most: usize,
        apart: bool,
    ) -> (Vec<Batch>, Batch) {
        let mut by_function: BTreeMap<FunctionId, Vec<MutantId>> = BTreeMap::new();
        for (function, id) in open {
            by_function.entry(*function).or_default().push(*id);
        }
        let mut functions: Vec<(FunctionId, Vec<MutantId>)> = by_function.into_iter().collect();
        functions.sort_by_key(|(_, mutants)| std::cmp::Reverse(mutants.len()));
        let mut batches: Vec<Batch> = Vec::new();
        let mut left = Vec::new();
        for (function, id) in functions
            .into_iter()
            .flat_map(|(function, ids)| ids.into_iter().map(move |id| (function, id)))
        {
            let is_free = |batch: &Batch| {
                let mut others = batch.iter();
                others.all(|(other, it)| *other != function && !self.overlap(id, *it))
            };
            let is_apart =
                |batch: &Batch| !batch.iter().any(|(other, _)| self.meet(function, *other));
            let free = (0..batches.len()).filter(|i| is_free(&batches[*i]));
            let free: Vec<usize> = free.collect();
            let wanted = free.iter().filter(|i| !apart || is_apart(&batches[**i]));
            let smallest = |it: &&usize| batches[**it].len();
            let wanted = wanted.min_by_key(smallest);
            match wanted.or_else(|| free.iter().min_by_key(smallest)).copied() {
                _ if wanted.is_none() && batches.len() < most => {
                    batches.push(vec![(function, id)]);
                }
                Some(i) => batches[i].push((function, id)),
                None => left.push((function, id)),
            }
        }
        (batches, left)
    }

    /// Does one of the functions call the other?
    fn meet(&self, one: FunctionId, other: FunctionId) -> bool {
        let calls = |from, to| self.calls.get(&from).is_some_and(|it| it.contains(&to));
        calls(one, other) || calls(other, one)
    }

    /// Does the edit of one mutant replace text of the other?
    fn overlap(&self, one: MutantId, other: MutantId) -> bool {
        let (one, other) = (self.copied.mutant(one), self.copied.mutant(other));
        one.file == other.file
            && one.range.start <= other.range.end
            && other.range.start <= one.range.end
    }

    /// Builds all batches, several at a time. A batch without mutants is the original.
    fn build_all(
        &self,
        batches: &[Batch],
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Built>, BuildError> {
        let next = AtomicUsize::new(0);
        let mut all: Vec<Option<Built>> = batches.iter().map(|_| None).collect();
        let n_workers = self.n_jobs.min(batches.len());
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for i in 0..n_workers {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    let worker = self.worker(i);
                    while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let at = batches.iter().position(|it| std::ptr::eq(it, batch));
                        let functions: Vec<FunctionId> = match batch.is_empty() {
                            true => self.all().collect(),
                            false => batch.iter().map(|it| it.0).collect(),
                        };
                        let mutants: Vec<&Mutant> =
                            batch.iter().map(|it| self.copied.mutant(it.1)).collect();
                        let built = match &worker {
                            Ok(worker) => self.build(worker, &mutants, &functions),
                            Err(error) => Err(BuildError::Unexplained(error.to_string())),
                        };
                        let is_over = built.is_err();
                        // The receiver is gone if another worker failed.
                        if sender.send((at, built)).is_err() || is_over {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            for (n, (at, built)) in receiver.iter().enumerate() {
                if let Some(place) = at.and_then(|at| all.get_mut(at)) {
                    *place = Some(built?);
                }
                progress(n + 1);
            }
            Ok::<(), BuildError>(())
        })?;
        let lost = || BuildError::Unexplained("a build has no end".to_owned());
        all.into_iter().map(|it| it.ok_or_else(lost)).collect()
    }

    /// A directory for one build at a time, with links to files that are not edited.
    fn worker(&self, i: usize) -> Result<PathBuf, ScratchError> {
        let path = self.dir.join(i.to_string());
        let files: BTreeSet<&Path> = self.source.files.keys().map(PathBuf::as_path).collect();
        let package = &self.scratch.package().dir;
        let mirror = path.join("source");
        let made = reflect_above(package, &mirror, self.within()).and_then(|()| {
            reflect(
                package,
                &below(&mirror, self.within()),
                Path::new(""),
                &files,
            )
        });
        made.map_err(|source| ScratchError::Write {
            path: path.clone(),
            source,
        })?;
        Ok(path)
    }

    /// The path of the package in its workspace.
    fn within(&self) -> &Path {
        let package = self.scratch.package();
        let within = package.dir.strip_prefix(&package.workspace_root);
        within.unwrap_or(Path::new(""))
    }

    /// Builds the source with these mutants, and reads what rustc made of these functions.
    fn build(
        &self,
        worker: &Path,
        mutants: &[&Mutant],
        functions: &[FunctionId],
    ) -> Result<Built, BuildError> {
        let failed = |source| ScratchError::Write {
            path: worker.to_owned(),
            source,
        };
        let source = below(&worker.join("source"), self.within());
        for (path, text) in self.source.edited(mutants, self.names) {
            fs::write(source.join(path), text).map_err(failed)?;
        }
        let out = worker.join("out");
        let _ = fs::remove_dir_all(&out);
        fs::create_dir_all(&out).map_err(failed)?;
        let mut command = self.captured.command(self.scratch, &source, &out);
        let output = command.output("rustc")?;
        if !output.status.success() {
            return Ok(Err(first_error(&String::from_utf8_lossy(&output.stderr))));
        }
        let mir = read(&out, "mir").map_err(failed)?;
        let llvm = read(&out, "ll").map_err(failed)?;
        let (mir, module) = (Mir::parse(&mir, WITNESS), Module::parse(&llvm));
        let made = functions
            .iter()
            .filter_map(|id| Some((*id, self.made(*id, &mir, &module)?)));
        Ok(Ok(made.collect()))
    }

    /// What rustc made of a function; `None` if that is not certain.
    fn made(&self, id: FunctionId, mir: &Mir, module: &Module<'_>) -> Option<Made> {
        let function = &self.source.functions[id.0].function;
        let name = mir.function(&id.witness())?;
        let bare = function.name.trim_start_matches("r#");
        let last = name.rsplit("::").next()?.trim_start_matches("r#");
        if last != bare {
            return None;
        }
        let parts = mir.code_of(name).into_iter();
        let llvm = match self.names && function.is_compiled_once {
            true => module.code_of(&id.symbol(), bare),
            false => None,
        };
        Some(Made {
            mir: parts
                .map(|(name, it)| (name.to_owned(), it.to_vec()))
                .collect(),
            llvm,
        })
    }
}

/// The text of the file with this extension.
fn read(dir: &Path, extension: &str) -> io::Result<String> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == extension) {
            return fs::read_to_string(path);
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

fn first_error(said: &str) -> String {
    let mut lines = said.lines();
    let error = lines.find(|line| line.starts_with("error"));
    error.unwrap_or(said.trim()).to_owned()
}
