//! The mutants of a package: which there are, and which of them compile.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use testsmith_harness::{Copied, Instrument, Purpose};
use testsmith_project::{Package, Scratch};

use crate::learn::open;
use crate::report::SCHEMA;
use crate::verify::{Verification, VerificationReport, verify};
use crate::{Config, Event, Events, PipelineError};

/// What `cargo testsmith mutants` tells.
#[derive(Clone, Debug, Serialize)]
pub struct MutantsReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Every mutant that was proposed.
    pub mutants: Vec<MutantReport>,
    /// Types of the crate whose values can be written out, and built again.
    pub types: usize,
    /// Those whose values cannot, and what rustc says.
    pub opaque: BTreeMap<String, String>,
    /// Types whose derived equality is written out in the copy: it is seen when it runs.
    pub written_out: usize,
    /// Those whose equality is derived there, too, and why.
    pub derived: BTreeMap<String, String>,
    /// Is it looked into what generic parameters stand for?
    pub sees_through: bool,
    /// What was left out on purpose, and how often it was met.
    pub left_out: BTreeMap<&'static str, usize>,
    /// Rounds of `cargo check` until the copy with all the others compiled.
    pub rounds: u32,
    /// Where the copy was made.
    pub copy: String,
    /// What was found out about some of them.
    #[serde(flatten)]
    pub verification: VerificationReport,
}

/// One mutant.
#[derive(Clone, Debug, Serialize)]
pub struct MutantReport {
    /// Its number in the copy.
    pub id: u32,
    /// Stays the same when other lines change.
    pub name: String,
    /// Relative to the package.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// The function it is in.
    pub function: String,
    /// The family of its operator.
    pub operator: &'static str,
    /// What stands in the source.
    pub original: String,
    /// What stands there instead.
    pub replacement: String,
    /// What rustc says against it, if it does.
    pub refused: Option<String>,
    /// What that is about: `itself`, `around` it, or a `constant` that is computed with its function.
    pub refused_for: Option<&'static str>,
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
    config: &Config,
    purpose: Purpose,
    events: Events<'_>,
    cancel: &Arc<AtomicBool>,
) -> Result<Prepared, PipelineError> {
    let (package, scratch) = open(config, events, cancel)?;
    let Some(wrapper) = config.rustc_wrapper.clone() else {
        return Err(PipelineError::NoWrapper);
    };
    let instrument = Instrument {
        wrapper,
        krate: package.krate.clone(),
        copy: None,
    };
    let progress = &mut |n, n_mutants| events(Event::Copying { n, n_mutants });
    let copied = testsmith_harness::copy(&scratch, &package.name, &instrument, purpose, progress)
        .map_err(|error| PipelineError::from(error).or_interrupted("copying", cancel))?;
    Ok(Prepared {
        package,
        scratch,
        instrument,
        copied,
    })
}

/// Finds the mutants of a package, and lets rustc judge them: all in one copy of its source. Some
/// are verified, if that is asked for.
pub fn mutants(
    config: &Config,
    asked: Verification,
    events: Events<'_>,
    cancel: &Arc<AtomicBool>,
) -> Result<MutantsReport, PipelineError> {
    let prepared = prepare(config, Purpose::Mutants, events, cancel)?;
    let Prepared {
        package,
        scratch,
        instrument,
        copied,
    } = prepared;
    let verification = match asked == Verification::default() {
        true => VerificationReport::default(),
        false => {
            let how = (config.seed, config.sandbox);
            verify(&scratch, &instrument, &copied, asked, how, events)
                .map_err(|error| error.or_interrupted("verifying", cancel))?
        }
    };
    let mutants = copied.mutants.into_iter().zip(1..).map(|(mutant, id)| {
        let refused = copied.dropped.get(&testsmith_harness::MutantId(id));
        MutantReport {
            id,
            name: mutant.name,
            file: mutant.file.display().to_string(),
            line: mutant.line,
            function: mutant.function,
            operator: mutant.operator,
            original: mutant.original,
            replacement: mutant.replacement,
            refused: refused.map(|it| it.said.clone()),
            refused_for: refused.map(|it| it.about.name()),
        }
    });
    Ok(MutantsReport {
        schema: SCHEMA,
        package: package.name,
        version: package.version,
        mutants: mutants.collect(),
        types: copied.n_types,
        opaque: copied.opaque,
        written_out: copied.n_written_out,
        derived: copied.derived,
        sees_through: copied.unstable,
        left_out: copied.left_out,
        rounds: copied.n_rounds,
        copy: copied.dir.display().to_string(),
        verification,
    })
}
