//! `cargo testsmith --check`: runs the suite that is there, and says what changed. It explores nothing,
//! reads no API and writes nothing, so that it can stand before every merge.

use std::sync::Arc;

use testsmith_equip::{Clock, Outcome, Watch, open};
use testsmith_record::{CheckReport, RecordKind, SCHEMA, Timed};
use testsmith_suite::{begin, directory};

use crate::config::Config;
use crate::error::CommandError;

/// Runs the suite that is there.
pub fn check(config: &Config, watch: &mut Watch<'_>) -> Result<Outcome<CheckReport>, CommandError> {
    let report = checked(config, watch);
    watch.outcome(report)
}

fn checked(config: &Config, watch: &mut Watch<'_>) -> Result<CheckReport, CommandError> {
    let mut clock = Clock::default();
    let equipping = &config.equipping;
    let (package, mut scratch) = open(equipping, watch)?;
    // Nobody looks which of them tests name.
    let dependencies = package.dependencies.iter();
    let names: Vec<Arc<str>> = dependencies
        .map(|it| it.name_in_code.as_str().into())
        .collect();
    scratch.name_dependencies(&names);
    if let Some(file) = &equipping.api.makers {
        scratch.add_makers(file)?;
    }
    clock.stage_over(Timed::Learn);
    let sandbox = equipping.machinery.sandbox;
    let begun = begin(&config.writing, &package, &scratch, sandbox, watch)?;
    clock.stage_over(Timed::Standing);
    let standing = begun.report(None, &package);
    if standing.tests == 0 || begun.is_untried() {
        return Err(CommandError::NoSuite {
            dir: directory(&config.writing, &package),
        });
    }
    Ok(CheckReport {
        schema: SCHEMA,
        kind: RecordKind::Check,
        package: package.name,
        version: package.version,
        standing,
        seconds: clock.seconds(),
    })
}
