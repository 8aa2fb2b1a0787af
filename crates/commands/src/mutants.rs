//! `cargo testsmith mutants`: finds out which mutants the package's own tests notice.

use testsmith_equip::{Outcome, Watch};
use testsmith_mutation::Analysis;
use testsmith_record::MutantsReport;

use crate::config::Config;
use crate::error::CommandError;

/// Asks the package's own tests about its mutants.
pub fn mutants(
    config: &Config,
    asked: &Analysis,
    watch: &mut Watch<'_>,
) -> Result<Outcome<MutantsReport>, CommandError> {
    let mut asked = asked.clone();
    asked.choice.suppressed.clone_from(&config.skip_mutants);
    asked.seed = config.exploring.seed;
    Ok(testsmith_mutation::mutants(
        &config.equipping,
        &asked,
        watch,
    )?)
}
