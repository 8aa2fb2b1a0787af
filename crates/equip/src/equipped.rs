//! From a catalogue to guests that run it: the copy, the harness, the walls.

#![expect(clippy::disallowed_methods, reason = "guests have a directory")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use testsmith_api::{Catalogue, Operation, Origin, Reason};
use testsmith_harness::{BuildError, Built, Copied, GuestError, Instrument, NotBegun, Purpose};
use testsmith_project::Sandbox;
use testsmith_protocol::Limits;
use testsmith_record::Timed;
use testsmith_sequence::World;

use crate::clock::Clock;
use crate::error::EquipError;
use crate::event::{Event, Stage, Watch};
use crate::executor::Executor;
use crate::learn::{Learnt, Target, instrument};
use crate::settings::Machinery;

/// Limits that every program runs under.
const LIMITS: Limits = Limits {
    heap_bytes: 32 << 20,
    time_ms: 100,
};

/// A package with everything that is needed to call it.
pub struct Equipped {
    /// The package.
    pub target: Target,
    /// The catalogue of operations, and what the guests measured about its types.
    pub world: World,
    /// The rewritten copy that the guests are built on; without one, neither mutants nor branches
    /// are known.
    pub copied: Option<Copied>,
    /// Guests that wait for programs.
    pub executor: Executor,
    /// How to start more guests.
    pub guests: Guests,
    /// Why rustc refused operations, for each that it refused.
    pub refused: Vec<Reason>,
    /// Types that are described by their `Debug` text, because rustc refused more.
    pub n_plain_types: usize,
}

/// How guests are started.
pub struct Guests {
    binary: PathBuf,
    dir: PathBuf,
    is_sandboxed: bool,
    jobs: usize,
}

impl Guests {
    fn of(machinery: &Machinery, target: &Target, binary: PathBuf) -> Result<Guests, EquipError> {
        let dir = target.scratch.dir.join("guest");
        // The walls can be built only around a directory that exists.
        std::fs::create_dir_all(&dir).map_err(|source| EquipError::Write {
            path: dir.clone(),
            source,
        })?;
        Ok(Guests {
            binary,
            dir,
            is_sandboxed: machinery.sandbox,
            jobs: machinery.jobs,
        })
    }

    /// Starts guests behind walls.
    pub fn start(&self) -> Result<Executor, EquipError> {
        let Guests { binary, dir, .. } = self;
        let sandbox = match self.is_sandboxed {
            true => Sandbox::new(dir),
            false => Sandbox::off(),
        };
        Ok(Executor::start(
            binary.clone(),
            dir.clone(),
            sandbox,
            LIMITS,
            self.jobs,
        )?)
    }
}

/// Fails if the package has a name that is taken wherever it is used.
fn check_name(package: &str, krate: &str) -> Result<(), EquipError> {
    // What the compiler links into every test, and packages of ours beside the package.
    const COMPILERS: [&str; 5] = ["std", "core", "alloc", "proc_macro", "test"];
    const OURS: [&str; 7] = [
        "testsmith-docs",
        "testsmith-harness",
        "testsmith-makers",
        "testsmith-protocol",
        "testsmith-runtime",
        "testsmith-stand-ins",
        "testsmith-suite",
    ];
    let why = match (COMPILERS.contains(&krate), OURS.contains(&package)) {
        (true, _) => "a crate of the compiler's has the same name in every test",
        (_, true) => "testsmith makes a package of this name beside it",
        (false, false) => return Ok(()),
    };
    Err(EquipError::Name {
        package: package.to_owned(),
        why,
    })
}

impl Learnt {
    /// Copies the crate, builds the harness and starts guests.
    pub fn equip(
        self,
        machinery: &Machinery,
        watch: &mut Watch<'_>,
        clock: &mut Clock,
    ) -> Result<Equipped, EquipError> {
        check_name(&self.target.package.name, &self.target.package.krate)?;
        watch.enter(Stage::Copy);
        let copied = self.copy(machinery, watch)?;
        clock.stage_over(Timed::Copy);
        watch.enter(Stage::Build);
        let (mut target, built) = self.build(machinery, copied.as_ref(), watch)?;
        if watch.is_cancelled() {
            return Err(EquipError::Interrupted);
        }
        // From here on an interruption keeps what was found, and cargo must still build the tests,
        // so it is no longer cancelled.
        target.scratch.cancel = None;
        watch.has_something();
        clock.stage_over(Timed::Build);
        if !built.open_variables.is_empty() {
            watch.note(format!(
                "the crate compiles with no other values of {}: what they are here may stand in messages of \
                 failures",
                built.open_variables.join(", ")
            ));
        }
        let guests = Guests::of(machinery, &target, built.binary)?;
        let executor = match guests.start() {
            // Whoever ends a wait has no use for why it took so long.
            Err(_) if watch.is_cancelled() => return Err(EquipError::Interrupted),
            started => started?,
        };
        let (hello, catalogue) = (executor.hello(), &built.catalogue);
        let is_ours = hello.n_operations as usize == catalogue.operations.len()
            && hello.types.len() == catalogue.types.indices().count();
        if !is_ours {
            return Err(GuestError::NotBegun(NotBegun::Another).into());
        }
        if !machinery.sandbox {
            watch.note(
                "no sandbox: the crate's code may use files, network and processes as you may, and \
                 calls that do are not noticed",
            );
        }
        for missing in executor.missing_walls() {
            watch.note(format!("the sandbox has a gap here: {missing}"));
        }
        Ok(Equipped {
            world: World {
                caps: executor.hello().types.clone(),
                catalogue: built.catalogue,
            },
            target,
            copied,
            executor,
            guests,
            refused: built
                .refused
                .into_iter()
                .map(|(_, reason)| reason)
                .collect(),
            n_plain_types: built.plain_types.len(),
        })
    }

    /// Makes the rewritten copy that the harness is built on. A crate that cannot be copied is
    /// instrumented by rustc alone.
    fn copy(
        &self,
        machinery: &Machinery,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Copied>, EquipError> {
        let target = &self.target;
        let is_wanted = |operation: &Operation| match operation.origin {
            Origin::Callable(callable) => target.filter.wants(callable.0 as usize),
            Origin::Beside(_) | Origin::Recipe | Origin::Law => false,
        };
        if !self.catalogue.operations.iter().any(is_wanted) {
            return Err(nothing_to_call(target, &self.catalogue));
        }
        let Some(instrument) = instrument(machinery, &target.package) else {
            return Ok(None);
        };
        let progress = &mut |n, n_mutants| watch.tell(Event::Copying { n, n_mutants });
        let spec = &target.package.name;
        match testsmith_harness::copy(&target.scratch, spec, &instrument, Purpose::Guest, progress)
        {
            Ok(copied) => Ok(Some(copied)),
            Err(BuildError::Unexplained(why)) => {
                let why = why.lines().next().unwrap_or_default();
                watch.note(format!(
                    "no rewritten copy of the crate, so its mutants and branches are not known: {why}"
                ));
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Builds the harness, on the copy if there is one.
    fn build(
        self,
        machinery: &Machinery,
        copied: Option<&Copied>,
        watch: &mut Watch<'_>,
    ) -> Result<(Target, Built), EquipError> {
        let Learnt { target, catalogue } = self;
        let instrument = instrument(machinery, &target.package).map(|instrument| Instrument {
            copy: copied.map(|copied| copied.dir.clone()),
            ..instrument
        });
        let built = testsmith_harness::build(
            &target.scratch,
            catalogue,
            instrument.as_ref(),
            &mut |n, n_operations| watch.tell(Event::Round { n, n_operations }),
        )?;
        Ok((target, built))
    }
}

/// The error that names what most often keeps the package's callables from being called.
fn nothing_to_call(target: &Target, catalogue: &Catalogue) -> EquipError {
    let package = target.package.name.clone();
    if catalogue.api.callables.is_empty() {
        return EquipError::NoApi { package };
    }
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut unmade: Vec<String> = Vec::new();
    for (callable, reason) in &catalogue.skipped {
        if !target.filter.wants(callable.0 as usize) {
            continue;
        }
        *reasons.entry(reason.to_string()).or_default() += 1;
        if let Reason::NoProducer { ty, .. } = reason
            && !unmade.iter().any(|known| **known == **ty)
        {
            unmade.push(ty.to_string());
        }
    }
    let n_callables = reasons.values().sum();
    let most = reasons.into_iter().max_by_key(|(_, n)| *n);
    EquipError::Empty {
        package,
        n_callables,
        reason: most.map(|(reason, _)| reason).unwrap_or_default(),
        unmade,
    }
}
