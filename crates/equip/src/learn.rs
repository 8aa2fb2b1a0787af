//! Learns from a package what can be called: gives a catalogue of operations.
//!
//! **A large harness is not optimised.** Beyond 1,200 operations LLVM takes longer than faster
//! calls save. With and without, on a busy machine: petgraph 80 s and 69,000 calls/s, 40 s and
//! 34,000; indexmap 35 s and 155,000, 8 s and 138,000. The crate itself, its dependencies and small
//! harnesses are optimised.
//!
//! **Makers stand beside the crate.** Functions of the user's that make values, and of dependencies
//! whose types are lacking, are callables (`Api::beside`, `Origin::Beside`) that are called and
//! never tested. Each is read from rustdoc's JSON as the crate itself is, a dependency's only if
//! something of it is lacking. The harness has the user's file as a crate, tests as a module, under
//! the same name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use testsmith_api::rustdoc::{self, Externs};
use testsmith_api::{Api, Catalogue, Reason, TypeAlias};
use testsmith_harness::{Foreign, Instrument};
use testsmith_project::{
    Dependency, Hold, Left, Package, Scratch, ScratchError, finish_together, hold, locate,
};

use crate::capped::instantiate_at_most;
use crate::error::EquipError;
use crate::event::{Event, Stage, Watch};
use crate::filter::Filter;
use crate::settings::{Equipping, Machinery};
use crate::stand_ins;
use crate::values::{Limited, limited};

/// The package under test.
pub struct Target {
    /// The package.
    pub package: Package,
    /// The workspace where everything is built for it.
    pub scratch: Scratch,
    /// Which callables of its API the user wants.
    pub filter: Filter,
    /// The values that the user allows its parameters.
    pub limited: Limited,
}

/// A package, and the catalogue of all that can be called in it.
pub struct Learnt {
    /// The package.
    pub target: Target,
    /// The operations that can be called.
    pub catalogue: Catalogue,
}

/// A harness with more operations than this takes the compiler too long.
const MAX_OPERATIONS: usize = 20_000;
/// A harness with more operations than this takes longer to optimise than optimised code saves.
const MAX_OPTIMISED: usize = 1_200;

/// Finds the package, and makes a scratch workspace for it.
pub fn open(settings: &Equipping, watch: &mut Watch<'_>) -> Result<(Package, Scratch), EquipError> {
    watch.enter(Stage::Learn);
    let choice = &settings.package;
    let mut package = locate(choice.manifest_path.as_deref(), choice.name.as_deref())?;
    if let Some(dir) = &choice.target_dir {
        package.target_dir = dir.clone();
    }
    watch.tell(Event::Package {
        name: package.name.clone(),
        version: package.version.clone(),
    });
    let hold = alone(&package, watch)?;
    if let Some(left) = finish_together(&package) {
        watch.note(told(&left, &package));
    }
    let mut scratch = Scratch::create(&package, &choice.features)?;
    scratch.hold = Some(hold);
    scratch
        .wrapper
        .clone_from(&settings.machinery.rustc_wrapper);
    scratch.cancel = Some(Arc::clone(watch.cancel()));
    scratch.cap_lints = choice.cap_lints;
    Ok((package, scratch))
}

/// What became of files that a killed run was about to change.
fn told(left: &Left, package: &Package) -> String {
    let (paths, what) = match left {
        Left::Finished(paths) => (paths, "this one has written the files that were left"),
        Left::Given(paths) => (
            paths,
            "somebody has changed a file since, so these stay as they are",
        ),
    };
    let shown = paths
        .iter()
        .map(|it| it.strip_prefix(&package.dir).unwrap_or(it))
        .map(|it| it.display().to_string());
    let shown: Vec<String> = shown.collect();
    format!(
        "a run was ended while it changed several files; {what}: {}",
        shown.join(", ")
    )
}

/// Waits until no other run works on the package.
fn alone(package: &Package, watch: &mut Watch<'_>) -> Result<Hold, EquipError> {
    let mut is_told = false;
    let held = hold(package, &mut |process| {
        if !std::mem::replace(&mut is_told, true) {
            let process = process.map_or(String::new(), |it| format!(" (process {it})"));
            watch.note(format!(
                "another testsmith{process} works on `{}` in {}: this one waits until it has ended",
                package.name,
                package.target_dir.display()
            ));
        }
        !watch.is_cancelled()
    });
    let held = held.map_err(|source| ScratchError::Write {
        path: package.target_dir.join("testsmith"),
        source,
    })?;
    held.ok_or(EquipError::Interrupted)
}

/// Reads the package's API and makes a catalogue of everything that can be called.
pub fn learn(settings: &Equipping, watch: &mut Watch<'_>) -> Result<Learnt, EquipError> {
    let (package, mut scratch) = open(settings, watch)?;
    let (mut api, mut externs) = read(settings, &package, &mut scratch)?;
    if let Some(format) = api.unknown_format {
        watch.note(format!(
            "this rustdoc writes format {format}, which is newer than what is known ({} to {}): \
             what it says in new ways is not understood",
            rustdoc::KNOWN_FORMATS.start(),
            rustdoc::KNOWN_FORMATS.end()
        ));
    }
    let mut filter = filtered(settings, &package, &mut api, watch)?;
    // Makers and dependencies name the package's own items by their public paths.
    externs
        .names
        .insert(api.krate.to_string(), api.krate.clone());
    externs.public.extend(api.definitions.clone());
    let contracts = settings.api.contracts.iter();
    api.contracts = contracts.map(|it| it.as_str().into()).collect();
    if let Some(file) = &settings.api.makers {
        add_makers(settings, file, &package, &mut scratch, &externs, &mut api)?;
    }
    if stand_ins::is_free(&package) {
        api.add_executor();
        api.add_data_format();
        api.add_counter();
    }
    let (mut catalogue, mut cut) = instantiate_at_most(api, &filter, MAX_OPERATIONS);
    let lacking: BTreeSet<Arc<str>> = lacking(&catalogue);
    if cut.is_none() && !lacking.is_empty() {
        let mut api = catalogue.api.clone();
        ask_dependencies(
            settings, &package, &scratch, &externs, &lacking, &mut api, watch,
        )?;
        if !api.beside.is_empty() {
            (catalogue, cut) = instantiate_at_most(api, &filter, MAX_OPERATIONS);
        }
    }
    let (catalogue, cut) = stand_ins::with_stand_ins(
        &package,
        &mut scratch,
        instrument(&settings.machinery, &package).as_ref(),
        catalogue,
        cut,
        &mut filter,
        MAX_OPERATIONS,
    )?;
    if let Some(cut) = cut {
        watch.note(format!(
            "the API is too large to be tried as a whole: every callable has one instance, and {} \
             callables are left out (`cargo testsmith api` lists them); choose with --only and --skip",
            cut.n_callables
        ));
    }
    let callables = catalogue.api.callables.iter();
    let public = callables.filter(|it| it.skip != Some(Reason::Hidden));
    scratch.optimise_harness = catalogue.operations.len() <= MAX_OPTIMISED;
    watch.tell(Event::Api {
        n_callables: public.count(),
        n_operations: catalogue.operations.len(),
    });
    let limited = limited(&catalogue, &settings.api.values)?;
    let target = Target {
        package,
        scratch,
        filter,
        limited,
    };
    Ok(Learnt { target, catalogue })
}

/// Finds out which callables the user wants. Unsafe functions are admitted before, if they are to
/// be called.
fn filtered(
    settings: &Equipping,
    package: &Package,
    api: &mut Api,
    watch: &mut Watch<'_>,
) -> Result<Filter, EquipError> {
    let n_callables = api.callables.len();
    if settings.api.allow_unsafe {
        let n_unsafe = api.admit_unsafe();
        let functions = match n_unsafe {
            1 => "1 unsafe function is".to_owned(),
            n => format!("{n} unsafe functions are"),
        };
        watch.note(format!(
            "{functions} called with arguments that may break what is asked for: what fails may be our \
             call and not their code (`cargo testsmith api --unsafe` lists the `# Safety` sections)"
        ));
    }
    let filter = Filter::apply(api, &settings.api.only, &settings.api.skip);
    if n_callables > 0 && !filter.wants_anything() {
        return Err(EquipError::NoneChosen {
            package: package.name.clone(),
            patterns: settings.api.only.clone(),
        });
    }
    for (flag, pattern) in &filter.unmatched {
        watch.note(format!(
            "{flag} {pattern} matches nothing in {}",
            package.name
        ));
    }
    Ok(filter)
}

/// Reads the package's API. Items of its dependencies stand in it under names that a crate which
/// depends on the package can write.
pub fn read(
    settings: &Equipping,
    package: &Package,
    scratch: &mut Scratch,
) -> Result<(Api, Externs), EquipError> {
    let instrument = instrument(&settings.machinery, package);
    let instrument = instrument.as_ref();
    let json = scratch.rustdoc_json(testsmith_harness::profile(instrument))?;
    let dependencies = package.dependencies.iter();
    let names = dependencies.map(|it| (it.krate.clone(), it.name_in_code.as_str().into()));
    let mut externs = Externs {
        names: names.collect(),
        ..Externs::default()
    };
    let api = rustdoc::read(&json, &externs)?;
    let foreign = foreign(&api, &externs, scratch)?;
    if foreign.is_empty() {
        return Ok((api, externs));
    }
    let named: Vec<Arc<str>> = foreign
        .iter()
        .flat_map(|it| &it.through)
        .map(|name| name.as_str().into())
        .collect();
    scratch.name_dependencies(&named);
    externs.public = testsmith_harness::public_names(scratch, &foreign, instrument)?;
    let mut api = rustdoc::read(&json, &externs)?;
    scratch.name_dependencies(&api.dependencies);
    if !api.unknown_aliases.is_empty() {
        externs.aliases = aliases_of_dependencies(&api, package, scratch, instrument, &externs)?;
        api = rustdoc::read(&json, &externs)?;
        scratch.name_dependencies(&api.dependencies);
    }
    Ok((api, externs))
}

/// The type aliases of dependencies that the package's signatures mention, with what they stand
/// for. An alias of a dependency that cannot be read stays a name.
fn aliases_of_dependencies(
    api: &Api,
    package: &Package,
    scratch: &Scratch,
    instrument: Option<&Instrument>,
    externs: &Externs,
) -> Result<BTreeMap<Arc<str>, TypeAlias>, EquipError> {
    let mut aliases = BTreeMap::new();
    for dependency in &package.dependencies {
        let is_of = |path: &Arc<str>| path.split("::").next() == Some(&dependency.name_in_code);
        if !api.unknown_aliases.iter().any(is_of) {
            continue;
        }
        let profile = testsmith_harness::profile(instrument);
        if let Ok(json) = scratch.rustdoc_json_of(dependency, profile) {
            aliases.extend(rustdoc::read(&json, externs)?.type_aliases);
        }
    }
    aliases.retain(|path, _| api.unknown_aliases.contains(path));
    Ok(aliases)
}

/// Items of other crates that the API mentions and the package does not re-export, each with the
/// dependencies through which it can be named.
fn foreign(api: &Api, externs: &Externs, scratch: &Scratch) -> Result<Vec<Foreign>, EquipError> {
    let krate_of = |path: &str| path.split("::").next().unwrap_or_default().to_owned();
    let is_reexported = |named: &Option<Arc<str>>| {
        let named = named.as_ref();
        named.is_some_and(|path| krate_of(path) == *api.krate)
    };
    let foreign = api.foreign.iter().filter(|(_, it)| !is_reexported(it));
    let definitions: Vec<&Arc<str>> = foreign.map(|(definition, _)| definition).collect();
    let krates = definitions.iter().map(|it| krate_of(it));
    let indirect = krates.filter(|krate| !externs.names.contains_key(krate));
    let standing = scratch.standing_on(&indirect.collect())?;
    let items = definitions.into_iter().map(|definition| {
        let krate = krate_of(definition);
        let own = externs.names.get(&krate).map(|it| vec![it.to_string()]);
        let through = own.or_else(|| standing.get(&krate).cloned());
        Foreign {
            definition: definition.clone(),
            through: through.unwrap_or_default(),
        }
    });
    Ok(items.filter(|it| !it.through.is_empty()).collect())
}

/// Adds the user's own functions that make values to the API.
fn add_makers(
    settings: &Equipping,
    file: &Path,
    package: &Package,
    scratch: &mut Scratch,
    externs: &Externs,
    api: &mut Api,
) -> Result<(), EquipError> {
    scratch.add_makers(file)?;
    let instrument = instrument(&settings.machinery, package);
    let profile = testsmith_harness::profile(instrument.as_ref());
    let json = scratch.rustdoc_json_of_makers(profile);
    let json = json.map_err(|source| EquipError::Makers {
        path: file.to_path_buf(),
        source,
    })?;
    let module = rustdoc::read(&json, externs)?;
    if module.callables.is_empty() {
        return Err(EquipError::NoMakers {
            path: file.to_path_buf(),
        });
    }
    api.join_module(module);
    Ok(())
}

/// Types and traits of dependencies that some callable lacks.
fn lacking(catalogue: &Catalogue) -> BTreeSet<Arc<str>> {
    let reasons = catalogue.skipped.iter();
    let paths = reasons.flat_map(|(_, reason)| reason.lacking());
    let is_of = |path: &Arc<str>, krate: &Arc<str>| path.split("::").next() == Some(krate);
    let dependencies = &catalogue.api.dependencies;
    paths
        .filter(|path| dependencies.iter().any(|krate| is_of(path, krate)))
        .collect()
}

/// Adds to the API what dependencies have to make the lacking types and to implement the lacking
/// traits.
fn ask_dependencies(
    settings: &Equipping,
    package: &Package,
    scratch: &Scratch,
    externs: &Externs,
    lacking: &BTreeSet<Arc<str>>,
    api: &mut Api,
    watch: &mut Watch<'_>,
) -> Result<(), EquipError> {
    let instrument = instrument(&settings.machinery, package);
    let profile = testsmith_harness::profile(instrument.as_ref());
    for dependency in &package.dependencies {
        let is_of = |path: &&Arc<str>| {
            let is_named = path.split("::").next() == Some(&dependency.name_in_code);
            is_named && !is_reexport(api, dependency, path)
        };
        let of_it: BTreeSet<Arc<str>> = lacking.iter().filter(is_of).cloned().collect();
        if of_it.is_empty() {
            continue;
        }
        match scratch.rustdoc_json_of(dependency, profile) {
            Ok(json) => api.join_dependency(rustdoc::read(&json, externs)?, &of_it),
            // A dependency that cannot be read is no reason to give up: the crate can be tested
            // without.
            Err(error) => watch.note(format!(
                "it is not known how `{}` makes its types: {error}",
                dependency.package
            )),
        }
    }
    Ok(())
}

/// Is the path only a re-export by this dependency of something that another crate defines?
fn is_reexport(api: &Api, dependency: &Dependency, path: &Arc<str>) -> bool {
    let mut foreign = api.foreign.iter();
    let found = foreign.find(|(_, named)| named.as_ref() == Some(path));
    found.is_some_and(|(definition, _)| definition.split("::").next() != Some(&dependency.krate))
}

/// How the crate under test is instrumented, if it is.
pub(crate) fn instrument(machinery: &Machinery, package: &Package) -> Option<Instrument> {
    let wrapper = machinery.rustc_wrapper.as_ref();
    wrapper.map(|wrapper| Instrument {
        wrapper: wrapper.clone(),
        krate: package.krate.clone(),
        copy: None,
    })
}
