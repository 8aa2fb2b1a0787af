//! From a package to a catalogue, and from a catalogue to a harness.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use testsmith_api::rustdoc::{self, Externs};
use testsmith_api::{Api, Catalogue, Origin, Reason, TypeAlias};
use testsmith_harness::{BuildError, Built, Copied, Foreign, Instrument, Purpose};
use testsmith_project::{Dependency, Package, Scratch, locate};
use testsmith_record::{ApiReport, CallableReport, ReasonReport, SCHEMA};

use crate::capped::{instantiate_at_most, tests_per_subject};
use crate::filter::{Filter, matches};
use crate::values::{Limited, limited};
use crate::{Config, Event, Events, PipelineError, stand_ins};

/// A package, its scratch workspace and its catalogue.
pub(crate) struct Learnt {
    pub(crate) package: Package,
    pub(crate) scratch: Scratch,
    pub(crate) catalogue: Catalogue,
    pub(crate) filter: Filter,
    pub(crate) limited: Limited,
}

/// More operations than this take a compiler too long.
const MAX_OPERATIONS: usize = 20_000;
/// Optimising more operations than this takes longer than it saves.
const MAX_OPTIMISED: usize = 1_200;
/// More tests than this take a compiler too long, and nobody reads them.
const MAX_SUITE: usize = 5_000;

/// Finds the package, and makes a scratch workspace for it.
pub(crate) fn open(
    config: &Config,
    events: Events<'_>,
    cancel: &Arc<AtomicBool>,
) -> Result<(Package, Scratch), PipelineError> {
    events(Event::Stage("learn"));
    let mut package = locate(config.manifest_path.as_deref(), config.package.as_deref())?;
    if let Some(dir) = &config.target_dir {
        package.target_dir = dir.clone();
    }
    events(Event::Package {
        name: package.name.clone(),
        version: package.version.clone(),
    });
    let mut scratch = Scratch::create(&package, &config.features)?;
    scratch.cancel = Some(Arc::clone(cancel));
    scratch.cap_lints = config.cap_lints;
    Ok((package, scratch))
}

pub(crate) fn learn(
    config: &Config,
    events: Events<'_>,
    cancel: &Arc<AtomicBool>,
) -> Result<Learnt, PipelineError> {
    let (package, mut scratch) = open(config, events, cancel)?;
    let (mut api, mut externs) = read(config, &package, &mut scratch)?;
    let n_callables = api.callables.len();
    if config.allow_unsafe {
        let n_unsafe = api.admit_unsafe();
        let functions = match n_unsafe {
            1 => "1 unsafe function is".to_owned(),
            n => format!("{n} unsafe functions are"),
        };
        events(Event::Note(format!(
            "{functions} called with arguments that may break what is asked for: what fails may be our \
             call and not their code (`cargo testsmith api --unsafe` lists the `# Safety` sections)"
        )));
    }
    let mut filter = Filter::apply(&mut api, &config.only, &config.skip);
    if n_callables > 0 && !filter.wants_anything() {
        return Err(PipelineError::NoneChosen {
            package: package.name,
            patterns: config.only.clone(),
        });
    }
    for (pattern, _) in &config.rules.verdicts {
        if !api.callables.iter().any(|it| matches(pattern, it)) {
            filter.unmatched.push(("verdicts", pattern.clone()));
        }
    }
    for (flag, pattern) in &filter.unmatched {
        events(Event::Note(format!(
            "{flag} {pattern} matches nothing in {}",
            package.name
        )));
    }
    // Others name the package's own items by their public paths.
    externs
        .names
        .insert(api.krate.to_string(), api.krate.clone());
    externs.public.extend(api.definitions.clone());
    api.contracts = config
        .contracts
        .iter()
        .map(|it| it.as_str().into())
        .collect();
    if let Some(file) = &config.makers {
        add_makers(config, file, &package, &mut scratch, &externs, &mut api)?;
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
            config, &package, &scratch, &externs, &lacking, &mut api, events,
        )?;
        if !api.beside.is_empty() {
            (catalogue, cut) = instantiate_at_most(api, &filter, MAX_OPERATIONS);
        }
    }
    let (catalogue, cut) = stand_ins::with_stand_ins(
        &package,
        &mut scratch,
        instrument(config.rustc_wrapper.as_deref(), &package).as_ref(),
        catalogue,
        cut,
        &mut filter,
        MAX_OPERATIONS,
    )?;
    if let Some(cut) = cut {
        events(Event::Note(format!(
            "the API is too large to be tried as a whole: every callable has one instance, and {} \
             callables are left out (`cargo testsmith api` lists them); choose with --only and --skip",
            cut.n_callables
        )));
    }
    let callables = catalogue.api.callables.iter();
    let public = callables.filter(|it| it.skip != Some(Reason::Hidden));
    scratch.optimise_harness = catalogue.operations.len() <= MAX_OPTIMISED;
    events(Event::Api {
        n_callables: public.count(),
        n_operations: catalogue.operations.len(),
    });
    let limited = limited(&catalogue, &config.values)?;
    Ok(Learnt {
        limited,
        package,
        scratch,
        catalogue,
        filter,
    })
}

/// The package's API, items of its dependencies under names that anybody can use.
pub(crate) fn read(
    config: &Config,
    package: &Package,
    scratch: &mut Scratch,
) -> Result<(Api, Externs), PipelineError> {
    let instrument = instrument(config.rustc_wrapper.as_deref(), package);
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

/// What the type aliases of dependencies stand for, that the package's signatures mention. Those of
/// a dependency that cannot be read stay names.
fn aliases_of_dependencies(
    api: &Api,
    package: &Package,
    scratch: &Scratch,
    instrument: Option<&Instrument>,
    externs: &Externs,
) -> Result<BTreeMap<Arc<str>, TypeAlias>, PipelineError> {
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

/// What other crates have and this one does not re-export, with where to look for it.
fn foreign(api: &Api, externs: &Externs, scratch: &Scratch) -> Result<Vec<Foreign>, PipelineError> {
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

/// Reads the user's own functions that make values.
fn add_makers(
    config: &Config,
    file: &Path,
    package: &Package,
    scratch: &mut Scratch,
    externs: &Externs,
    api: &mut Api,
) -> Result<(), PipelineError> {
    scratch.add_makers(file)?;
    let instrument = instrument(config.rustc_wrapper.as_deref(), package);
    let profile = testsmith_harness::profile(instrument.as_ref());
    let json = scratch.rustdoc_json_of_makers(profile);
    let json = json.map_err(|source| PipelineError::Makers {
        path: file.to_path_buf(),
        source,
    })?;
    let module = rustdoc::read(&json, externs)?;
    if module.callables.is_empty() {
        return Err(PipelineError::NoMakers {
            path: file.to_path_buf(),
        });
    }
    api.join_module(module);
    Ok(())
}

/// Types and traits of dependencies without which something cannot be called.
fn lacking(catalogue: &Catalogue) -> BTreeSet<Arc<str>> {
    let reasons = catalogue.skipped.iter();
    let paths = reasons.flat_map(|(_, reason)| reason.lacking());
    let is_of = |path: &Arc<str>, krate: &Arc<str>| path.split("::").next() == Some(krate);
    let dependencies = &catalogue.api.dependencies;
    paths
        .filter(|path| dependencies.iter().any(|krate| is_of(path, krate)))
        .collect()
}

/// Reads what dependencies have to make the types and implement the traits that are lacking.
fn ask_dependencies(
    config: &Config,
    package: &Package,
    scratch: &Scratch,
    externs: &Externs,
    lacking: &BTreeSet<Arc<str>>,
    api: &mut Api,
    events: Events<'_>,
) -> Result<(), PipelineError> {
    let instrument = instrument(config.rustc_wrapper.as_deref(), package);
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
            // The crate can be tested without.
            Err(error) => events(Event::Note(format!(
                "it is not known how `{}` makes its types: {error}",
                dependency.package
            ))),
        }
    }
    Ok(())
}

/// Does another crate define what this one is known to have?
fn is_reexport(api: &Api, dependency: &Dependency, path: &Arc<str>) -> bool {
    let mut foreign = api.foreign.iter();
    let found = foreign.find(|(_, named)| named.as_ref() == Some(path));
    found.is_some_and(|(definition, _)| definition.split("::").next() != Some(&dependency.krate))
}

fn instrument(wrapper: Option<&Path>, package: &Package) -> Option<Instrument> {
    wrapper.map(|wrapper| Instrument {
        wrapper: wrapper.to_path_buf(),
        krate: package.krate.clone(),
        copy: None,
    })
}

/// As many as the user allows, unless the API is so large that all together would be too many.
pub(crate) fn max_tests_per_type(config: &Config, learnt: &Learnt, events: Events<'_>) -> usize {
    let asked = config.max_tests_per_type;
    let max = tests_per_subject(&learnt.catalogue, &learnt.filter, asked, MAX_SUITE);
    if max < asked {
        events(Event::Note(format!(
            "the API is huge: at most {max} tests for each type or function, so that the suite can \
             be compiled; choose with --only and --skip to get more of each"
        )));
    }
    max
}

/// Makes the rewritten copy that the harness is built on. A crate that cannot be copied is
/// instrumented by rustc alone.
pub(crate) fn copy(
    learnt: &Learnt,
    wrapper: Option<&Path>,
    events: Events<'_>,
) -> Result<Option<Copied>, PipelineError> {
    let is_wanted = |operation: &testsmith_api::Operation| match operation.origin {
        Origin::Callable(callable) => learnt.filter.wants(callable.0 as usize),
        Origin::Beside(_) | Origin::Recipe | Origin::Law => false,
    };
    if !learnt.catalogue.operations.iter().any(is_wanted) {
        return Err(nothing_to_call(learnt, &learnt.catalogue));
    }
    let Some(instrument) = instrument(wrapper, &learnt.package) else {
        return Ok(None);
    };
    let progress = &mut |n, n_mutants| events(Event::Copying { n, n_mutants });
    let spec = &learnt.package.name;
    match testsmith_harness::copy(&learnt.scratch, spec, &instrument, Purpose::Guest, progress) {
        Ok(copied) => Ok(Some(copied)),
        Err(BuildError::Unexplained(why)) => {
            let why = why.lines().next().unwrap_or_default().to_owned();
            events(Event::Note(format!(
                "no rewritten copy of the crate, so its mutants and branches are not known: {why}"
            )));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Builds the harness, on the copy if there is one; takes the catalogue out of `learnt`.
pub(crate) fn build(
    learnt: &mut Learnt,
    wrapper: Option<&Path>,
    copied: Option<&Copied>,
    events: Events<'_>,
) -> Result<Built, PipelineError> {
    let catalogue = std::mem::take(&mut learnt.catalogue);
    let instrument = instrument(wrapper, &learnt.package).map(|instrument| Instrument {
        copy: copied.map(|copied| copied.dir.clone()),
        ..instrument
    });
    let built = testsmith_harness::build(
        &learnt.scratch,
        catalogue,
        instrument.as_ref(),
        &mut |n, n_operations| events(Event::Round { n, n_operations }),
    )?;
    Ok(built)
}

/// Says what stands in the way.
fn nothing_to_call(learnt: &Learnt, catalogue: &Catalogue) -> PipelineError {
    let package = learnt.package.name.clone();
    if catalogue.api.callables.is_empty() {
        return PipelineError::NoApi { package };
    }
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut unmade: Vec<String> = Vec::new();
    for (callable, reason) in &catalogue.skipped {
        if !learnt.filter.wants(callable.0 as usize) {
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
    PipelineError::Empty {
        package,
        n_callables,
        reason: most.map(|(reason, _)| reason).unwrap_or_default(),
        unmade,
    }
}

/// Lists every public callable with its instances, or the reason there is none. With `check`,
/// rustc judges the instances: rounds of `cargo check`, without the build that a run needs. That
/// nothing can be called is an answer here, not an error.
pub fn api(
    config: &Config,
    check: bool,
    events: Events<'_>,
    cancel: &Arc<AtomicBool>,
) -> Result<ApiReport, PipelineError> {
    // Nothing is run, so nothing is instrumented.
    let config = &Config {
        rustc_wrapper: None,
        ..config.clone()
    };
    let mut learnt =
        learn(config, events, cancel).map_err(|e| e.or_interrupted("learning", cancel))?;
    let mut catalogue = std::mem::take(&mut learnt.catalogue);
    if check {
        events(Event::Stage("build"));
        let progress = &mut |n, n_operations| events(Event::Round { n, n_operations });
        let accepted = testsmith_harness::check(&learnt.scratch, catalogue, progress);
        catalogue = accepted
            .map_err(|e| PipelineError::from(e).or_interrupted("checking the instances", cancel))?;
    }
    let mut callables = callable_reports(&catalogue);
    leave_out(&mut callables, &learnt.filter);
    let counted = || callables.iter().filter(|c| c.counted && !c.is_left_out());
    let without_instance = || counted().filter(|c| c.instances.is_empty());
    Ok(ApiReport {
        schema: SCHEMA,
        kind: "api",
        package: learnt.package.name,
        version: learnt.package.version,
        checked: check,
        counted: counted().count(),
        with_instance: counted().count() - without_instance().count(),
        reasons: ReasonReport::ranked(without_instance()),
        callables,
    })
}

/// One report a callable, as far as the catalogue knows.
pub(crate) fn callable_reports(catalogue: &Catalogue) -> Vec<CallableReport> {
    let mut reports: Vec<CallableReport> = catalogue
        .api
        .callables
        .iter()
        .map(|callable| CallableReport {
            path: callable.key.to_string(),
            status: "skipped",
            calls: 0,
            reason: None,
            counted: callable.counted,
            safety: callable
                .docs
                .safety
                .as_ref()
                .filter(|_| callable.is_unsafe)
                .map(|text| text.to_string()),
            instances: Vec::new(),
            touches: Default::default(),
        })
        .collect();
    for (callable, reason) in &catalogue.skipped {
        reports[callable.0 as usize].reason = Some(reason.to_string());
    }
    for operation in &catalogue.operations {
        if let Origin::Callable(callable) = operation.origin {
            let report = &mut reports[callable.0 as usize];
            report.status = "modelled";
            report.reason = None;
            report.instances.push(operation.key.to_string());
        }
    }
    reports
}

/// Says of what was not asked for that it was left out.
pub(crate) fn leave_out(reports: &mut [CallableReport], filter: &Filter) {
    for (i, report) in reports.iter_mut().enumerate() {
        if !filter.wants(i) {
            report.status = "skipped";
            report.reason = Some(Reason::Filtered.to_string());
        }
    }
}
