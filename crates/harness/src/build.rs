//! Builds the harness in rounds: rustc judges the operations, those it refuses are dropped, the
//! rest is built.
//!
//! **rustc ties regions.** Bounds can relate lifetimes in ways that no signature shows. An
//! operation that is refused for its lifetimes gets a second chance with one region for all that
//! its types mention (`Signature::tie_regions`): stricter than need be, so still sound.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use testsmith_api::{Catalogue, Operation, Origin, Reading, Reason, TypeIdx};
use testsmith_project::{CargoCommand, CargoError, Diagnostic, Run, Scratch, ScratchError};

use crate::elsewhere::{Asked, private};
use crate::embedded;
use crate::generate::{Item, Probed, Source, generate};
use crate::instance::Instance;
use crate::instrument::Instrument;

/// A harness ready to run.
#[derive(Debug)]
pub struct Built {
    /// The guest's executable.
    pub binary: PathBuf,
    /// The operations in the harness, renumbered.
    pub catalogue: Catalogue,
    /// Operations that rustc refused, each by its key and with the reason.
    pub refused: Vec<(String, Reason)>,
    /// Types that are described by their `Debug` text, because rustc refused their structural
    /// observers.
    pub plain_types: Vec<String>,
    /// How many rounds it took, the last build included.
    pub n_rounds: u32,
    /// Variables without whose values the crate does not compile, so that what is explored may say them.
    pub open_variables: Vec<String>,
}

/// Why a harness could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file could not be written, or cargo could not be run.
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    /// Cargo could not be run.
    #[error(transparent)]
    Cargo(#[from] CargoError),
    /// The crate under test, or something it needs, does not build.
    #[error("the crate under test does not build:\n{0}")]
    Subject(String),
    /// rustc refuses the harness for a reason that no item of it explains.
    #[error("the harness does not build, and no operation explains it (a bug of testsmith):\n{0}")]
    Unexplained(String),
    /// rustc refused every operation.
    #[error("rustc refused all {n} operations; the first: {first}")]
    NothingLeft {
        /// How many operations there were.
        n: usize,
        /// The first of the refusals.
        first: String,
    },
}

/// After more rounds than this, dropping what rustc's errors point at is not going to help.
const MAX_ROUNDS: u32 = 16;

/// Lets `cargo check` judge the operations, and keeps those that it accepts. A callable that is
/// left without any is among `skipped`.
///
/// Some errors arise only when rustc makes code, as for a failed assertion in a constant of a
/// generic function. They need a [`build`].
pub fn check(
    scratch: &Scratch,
    catalogue: Catalogue,
    progress: &mut dyn FnMut(u32, usize),
) -> Result<Catalogue, BuildError> {
    let mut rounds = Rounds::new(scratch, catalogue, None)?;
    rounds.until_success("check", progress)?;
    rounds.keep_best_readings();
    let (catalogue, _) = rounds.finish();
    Ok(catalogue)
}

/// Writes and builds the harness in the scratch workspace.
pub fn build(
    scratch: &Scratch,
    catalogue: Catalogue,
    instrument: Option<&Instrument>,
    progress: &mut dyn FnMut(u32, usize),
) -> Result<Built, BuildError> {
    let mut rounds = Rounds::new(scratch, catalogue, instrument)?;
    // A check takes less time than a build, and finds nearly everything that rustc refuses.
    let mut last = rounds.until_success("check", progress)?;
    rounds.keep_best_readings();
    if last.is_some() {
        last = rounds.until_built(progress)?;
    }
    let Some(run) = last else {
        let first = rounds.refusals.values().next();
        return Err(BuildError::NothingLeft {
            n: rounds.keep.len(),
            first: first.map(ToString::to_string).unwrap_or_default(),
        });
    };
    let made = run.executables.into_iter().next_back();
    let (_, binary) =
        made.ok_or_else(|| BuildError::Unexplained("cargo made no executable".to_owned()))?;
    let plain_types = std::mem::take(&mut rounds.plain_types);
    let n_rounds = rounds.n_rounds;
    let open_variables = std::mem::take(&mut rounds.open_variables);
    let (catalogue, refused) = rounds.finish();
    Ok(Built {
        binary,
        catalogue,
        refused,
        plain_types,
        n_rounds,
        open_variables,
    })
}

struct Rounds<'a> {
    scratch: &'a Scratch,
    instrument: Option<&'a Instrument>,
    catalogue: Catalogue,
    n_rounds: u32,
    keep: Vec<bool>,
    plain_types: Vec<String>,
    /// Types that are not described at all, because rustc refused their `Debug` text too.
    blind_types: Vec<String>,
    /// Types that rustc does not accept in a slot.
    dead_types: Vec<TypeIdx>,
    refusals: BTreeMap<usize, Reason>,
    /// Variables that have other values in a build.
    hidden: Option<Asked>,
    open_variables: Vec<String>,
}

/// The profile in which the harness and its dependencies are built.
pub fn profile(instrument: Option<&Instrument>) -> &'static str {
    // Cargo does not know the flags that the wrapper adds, so each set of flags has a profile of
    // its own.
    match instrument {
        Some(instrument) if instrument.copy.is_some() => "copied",
        Some(_) => "traced",
        None => "guest",
    }
}

/// Builds in the harness's profile, and instrumented as the harness is.
pub(crate) fn apply_profile(command: &mut CargoCommand, instrument: Option<&Instrument>) {
    command.args(["--profile", profile(instrument)]);
    if let Some(instrument) = instrument {
        instrument.apply(command);
    }
}

fn unexplained(run: &Run) -> BuildError {
    let ours = run
        .errors
        .iter()
        .any(|error| error.package.contains("testsmith-harness"));
    let mut text: String = run.errors.iter().take(3).map(|e| &*e.rendered).collect();
    if text.is_empty() {
        text.clone_from(&run.stderr);
    }
    match ours {
        true => BuildError::Unexplained(text),
        false => BuildError::Subject(text),
    }
}

/// The items that an error points at, or else those that it mentions.
fn guilty<'s>(source: &'s Source, error: &Diagnostic) -> Vec<&'s Item> {
    let with = |is_primary: bool| {
        let spans = error.spans.iter();
        let spans = spans.filter(|span| span.primary == is_primary);
        spans
            .filter_map(|span| source.item(&span.file, span.line))
            .collect::<Vec<_>>()
    };
    let primary = with(true);
    match primary.is_empty() {
        true => with(false),
        false => primary,
    }
}

impl<'a> Rounds<'a> {
    fn new(
        scratch: &'a Scratch,
        catalogue: Catalogue,
        instrument: Option<&'a Instrument>,
    ) -> Result<Rounds<'a>, BuildError> {
        write_support(scratch)?;
        Ok(Rounds {
            scratch,
            instrument,
            n_rounds: 0,
            keep: vec![true; catalogue.operations.len()],
            catalogue,
            plain_types: Vec::new(),
            blind_types: Vec::new(),
            dead_types: Vec::new(),
            refusals: BTreeMap::new(),
            hidden: None,
            open_variables: Vec::new(),
        })
    }

    fn probed(&self) -> Probed {
        match self.instrument {
            None => Probed::Nothing,
            Some(instrument) if instrument.copy.is_some() => Probed::Copy,
            Some(_) => Probed::Coverage,
        }
    }

    /// Builds, with other values in place of what the user's variables say if the crate can be built so. Which it
    /// asks for is known by now.
    fn until_built(
        &mut self,
        progress: &mut dyn FnMut(u32, usize),
    ) -> Result<Option<Run>, BuildError> {
        let asked = private(self.scratch, profile(self.instrument));
        let names: Vec<String> = asked.names().cloned().collect();
        if !names.is_empty() && self.scratch.wrapper.is_some() {
            self.hidden = Some(asked);
            match self.until_success("build", progress) {
                Err(BuildError::Subject(_)) => self.open_variables = names,
                built => return built,
            }
            self.hidden = None;
        }
        self.until_success("build", progress)
    }

    /// Lets a build see other values than those of the user's variables.
    fn hide(&self, command: &mut CargoCommand) {
        if let (Some(hidden), Some(wrapper)) = (&self.hidden, &self.scratch.wrapper) {
            if self.instrument.is_none() {
                let plain = Instrument {
                    wrapper: wrapper.clone(),
                    krate: self.scratch.package().krate.clone(),
                    copy: None,
                };
                plain.apply_lenient(command);
            }
            hidden.apply(command);
        }
    }

    /// Runs rounds of a cargo command until rustc refuses nothing more. `None` if no operation is
    /// left.
    fn until_success(
        &mut self,
        subcommand: &str,
        progress: &mut dyn FnMut(u32, usize),
    ) -> Result<Option<Run>, BuildError> {
        while self.keep.contains(&true) {
            self.n_rounds += 1;
            let n_kept = self.keep.iter().filter(|keep| **keep).count();
            progress(self.n_rounds, n_kept);
            let source = generate(
                &self.catalogue,
                &self.keep,
                &self.plain_types,
                &self.blind_types,
                &self.dead_types,
                self.probed(),
            );
            for (name, text) in &source.files {
                self.scratch.write(&format!("harness/src/{name}"), text)?;
            }
            let mut command = self.scratch.cargo(subcommand);
            command.args(["--package", "testsmith-harness"]);
            apply_profile(&mut command, self.instrument);
            self.hide(&mut command);
            let run = Run::of(&mut command)?;
            if run.success {
                return Ok(Some(run));
            }
            let n_dropped = self.drop_refused(&source, &run.errors);
            if n_dropped == 0 || self.n_rounds == MAX_ROUNDS {
                return Err(unexplained(&run));
            }
        }
        Ok(None)
    }

    /// Drops the items that the errors are about, and gives how many changed.
    fn drop_refused(&mut self, source: &Source, errors: &[Diagnostic]) -> usize {
        let tied = self.tie_regions(source, errors);
        let mut n_changed = tied.len();
        for error in errors {
            if let Some(instance) = Instance::evaluated(&error.rendered) {
                n_changed += self.drop_instance(&instance, error);
            }
            for item in guilty(source, error) {
                if !matches!(item, Item::Operation(i) if tied.contains(i)) {
                    n_changed += self.drop(item, error);
                }
            }
        }
        n_changed
    }

    /// Drops the operations that mention an instance, or are one of its functions, in which a constant cannot be
    /// computed. Such an error is found only when code is made, and points at the crate.
    fn drop_instance(&mut self, instance: &Instance, error: &Diagnostic) -> usize {
        let types = &self.catalogue.types;
        let is_of_it = |operation: &Operation| {
            let signature = &operation.signature;
            let inputs = signature.inputs.iter().map(|it| it.ty.ty);
            let mut all = inputs.chain([signature.output.ty]);
            all.any(|ty| instance.is_in(&types.get(ty).text)) || instance.has(&operation.key)
        };
        let operations = self.catalogue.operations.iter().enumerate();
        let guilty = operations.filter(|(i, it)| self.keep[*i] && is_of_it(it));
        let guilty: Vec<usize> = guilty.map(|(i, _)| i).collect();
        for i in &guilty {
            self.drop(&Item::Operation(*i), error);
        }
        guilty.len()
    }

    /// Lets operations that failed by their lifetimes try again with one region for all of these.
    fn tie_regions(&mut self, source: &Source, errors: &[Diagnostic]) -> BTreeSet<usize> {
        let is_about_lifetimes = |error: &&Diagnostic| {
            error.code.is_empty()
                && error
                    .message
                    .starts_with("lifetime may not live long enough")
        };
        let guilty = errors
            .iter()
            .filter(is_about_lifetimes)
            .flat_map(|error| guilty(source, error));
        let operations: BTreeSet<usize> = guilty
            .filter_map(|item| match item {
                Item::Operation(i) => Some(*i),
                _ => None,
            })
            .collect();
        let all = &mut self.catalogue.operations;
        operations
            .into_iter()
            .filter(|i| all[*i].signature.tie_regions())
            .collect()
    }

    fn drop(&mut self, item: &Item, error: &Diagnostic) -> usize {
        let reason = || Reason::RustcRefused {
            code: error.code.as_str().into(),
            text: error.message.lines().next().unwrap_or_default().into(),
        };
        match item {
            Item::Operation(i) => {
                self.refusals.entry(*i).or_insert_with(reason);
                usize::from(std::mem::replace(&mut self.keep[*i], false))
            }
            Item::Observer(text) if !self.plain_types.contains(text) => {
                self.plain_types.push(text.clone());
                1
            }
            // The observer describes a part of another type, and its own type cannot be written in
            // code.
            Item::Observer(text) if !self.blind_types.contains(text) => {
                self.blind_types.push(text.clone());
                1 + self.drop_users(text, &reason())
            }
            Item::Observer(text) => self.drop_users(text, &reason()),
            Item::Type(ty) => {
                if self.dead_types.contains(ty) {
                    return 0;
                }
                self.dead_types.push(*ty);
                let text = self.catalogue.types.get(*ty).text.to_string();
                1 + self.drop_users(&text, &reason())
            }
        }
    }

    /// Keeps, of the ways to read a result that has no name, the first that rustc accepted.
    fn keep_best_readings(&mut self) {
        let mut best: BTreeMap<&str, Reading> = BTreeMap::new();
        let operations = self.catalogue.operations.iter().zip(&mut self.keep);
        let mut read: Vec<_> = operations
            .filter(|(_, keep)| **keep)
            .filter_map(|(it, keep)| Some((it.reading?, it.instance(), keep)))
            .collect();
        read.sort_by_key(|(reading, ..)| *reading);
        for (reading, instance, keep) in read {
            *keep = *best.entry(instance).or_insert(reading) == reading;
        }
    }

    /// Drops every operation that mentions a type.
    fn drop_users(&mut self, text: &str, reason: &Reason) -> usize {
        let mut n_dropped = 0;
        for (i, operation) in self.catalogue.operations.iter().enumerate() {
            let signature = &operation.signature;
            let mentions = signature
                .inputs
                .iter()
                .map(|input| input.ty.ty)
                .chain([signature.output.ty])
                .any(|ty| self.catalogue.types.get(ty).text.contains(text));
            if mentions && self.keep[i] {
                self.keep[i] = false;
                self.refusals.insert(i, reason.clone());
                n_dropped += 1;
            }
        }
        n_dropped
    }

    /// The catalogue without the refused operations, and these by key with the reason. The harness
    /// was built in the same order, so an operation's position among those kept is its number
    /// there.
    fn finish(self) -> (Catalogue, Vec<(String, Reason)>) {
        let mut catalogue = self.catalogue;
        let operations = std::mem::take(&mut catalogue.operations);
        let mut refused = Vec::new();
        let mut last_reason = BTreeMap::new();
        for (i, operation) in operations.into_iter().enumerate() {
            if self.keep[i] {
                catalogue.operations.push(operation);
                continue;
            }
            // An operation that is neither kept nor refused has a better reading.
            let Some(reason) = self.refusals.get(&i).cloned() else {
                continue;
            };
            // The reading that asks for nothing says why the call itself is impossible.
            if operation.reading.is_some_and(|it| it != Reading::Dropped) {
                continue;
            }
            if let Origin::Callable(callable) = operation.origin {
                last_reason.insert(callable, reason.clone());
            }
            refused.push((operation.key.to_string(), reason));
        }
        for (callable, reason) in last_reason {
            let has_instance = catalogue
                .operations
                .iter()
                .any(|operation| operation.origin == Origin::Callable(callable));
            if !has_instance {
                catalogue.skipped.push((callable, reason));
            }
        }
        catalogue.skipped.sort_by_key(|(callable, _)| *callable);
        (catalogue, refused)
    }
}

fn write_support(scratch: &Scratch) -> Result<(), BuildError> {
    for (name, text) in embedded::FILES {
        scratch.write(name, text)?;
    }
    let support = |name: &str, dependencies: &str| {
        format!(
            "[package]\nname = \"testsmith-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n{dependencies}"
        )
    };
    scratch.write("protocol/Cargo.toml", &support("protocol", ""))?;
    scratch.write(
        "runtime/Cargo.toml",
        &support(
            "runtime",
            "testsmith-protocol = { path = \"../protocol\" }\n",
        ),
    )?;
    scratch.write(
        "harness/Cargo.toml",
        &scratch.manifest(
            "harness",
            &format!(
                "testsmith-runtime = {{ path = \"../runtime\" }}\n{}",
                scratch.requirements()
            ),
            "",
        ),
    )?;
    // Cargo reads the members at once, so the harness must exist already.
    scratch.write("harness/src/main.rs", "fn main() {}\n")?;
    scratch.members(&["docs", "protocol", "runtime", "harness"])?;
    Ok(())
}
