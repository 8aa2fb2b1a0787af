//! From a package to a catalogue, and from a catalogue to a harness.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use testsmith_api::{Catalogue, InstantiateOptions, Origin, instantiate, rustdoc};
use testsmith_harness::{Built, Instrument};
use testsmith_project::{Package, Scratch, locate};

use crate::report::{CallableReport, SCHEMA};
use crate::{Config, Event, Events, PipelineError};

/// A package, its scratch workspace and its catalogue.
pub(crate) struct Learnt {
    pub(crate) package: Package,
    pub(crate) scratch: Scratch,
    pub(crate) catalogue: Catalogue,
}

pub(crate) fn learn(config: &Config, events: Events<'_>) -> Result<Learnt, PipelineError> {
    events(Event::Stage("learn"));
    let package = locate(config.manifest_path.as_deref(), config.package.as_deref())?;
    events(Event::Package {
        name: package.name.clone(),
        version: package.version.clone(),
    });
    let scratch = Scratch::create(&package, &config.features)?;
    let api = rustdoc::read(&scratch.rustdoc_json()?)?;
    let n_callables = api.callables.len();
    let catalogue = instantiate(api, &InstantiateOptions::default());
    events(Event::Api {
        n_callables,
        n_operations: catalogue.operations.len(),
    });
    Ok(Learnt {
        package,
        scratch,
        catalogue,
    })
}

/// Builds the harness; takes the catalogue out of `learnt`.
pub(crate) fn build(
    learnt: &mut Learnt,
    wrapper: Option<&Path>,
    events: Events<'_>,
) -> Result<Built, PipelineError> {
    let catalogue = std::mem::take(&mut learnt.catalogue);
    let callable =
        |operation: &testsmith_api::Operation| matches!(operation.origin, Origin::Callable(_));
    if !catalogue.operations.iter().any(callable) {
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for (_, reason) in &catalogue.skipped {
            *reasons.entry(reason.to_string()).or_default() += 1;
        }
        let most = reasons.into_iter().max_by_key(|(_, n)| *n);
        return Err(PipelineError::Empty {
            package: learnt.package.name.clone(),
            n_callables: catalogue.api.callables.len(),
            reason: most.map_or("none of them public".to_owned(), |(reason, _)| {
                format!("mostly: {reason}")
            }),
        });
    }
    let instrument = wrapper.map(|wrapper| Instrument {
        wrapper: wrapper.to_path_buf(),
        krate: learnt.package.krate.clone(),
    });
    let built = testsmith_harness::build(
        &learnt.scratch,
        catalogue,
        instrument.as_ref(),
        &mut |n, n_operations| events(Event::Round { n, n_operations }),
    )?;
    Ok(built)
}

/// What `cargo testsmith api` tells.
#[derive(Clone, Debug, Serialize)]
pub struct ApiReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Every public callable.
    pub callables: Vec<CallableReport>,
    /// Did rustc judge the instances?
    pub checked: bool,
}

/// Lists every public callable with its instances, or the reason there is none. With `check`,
/// rustc judges the instances.
pub fn api(config: &Config, check: bool, events: Events<'_>) -> Result<ApiReport, PipelineError> {
    let mut learnt = learn(config, events)?;
    let catalogue = if check {
        events(Event::Stage("build"));
        build(&mut learnt, None, events)?.catalogue
    } else {
        learnt.catalogue
    };
    Ok(ApiReport {
        schema: SCHEMA,
        package: learnt.package.name,
        version: learnt.package.version,
        callables: callable_reports(&catalogue),
        checked: check,
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
            instances: Vec::new(),
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
