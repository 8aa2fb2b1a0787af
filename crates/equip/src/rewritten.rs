//! Makes the rewritten copy of a package for commands that need no guests.

use testsmith_harness::{Copied, Instrument, Purpose};
use testsmith_project::{Package, Scratch};

use crate::error::EquipError;
use crate::event::{Event, Stage, Watch};
use crate::learn::{instrument, open};
use crate::settings::{Equipping, Machinery};

/// A package with a rewritten copy.
pub struct Rewritten {
    /// The package.
    pub package: Package,
    /// The workspace where everything is built for it.
    pub scratch: Scratch,
    /// How the copy is made and compiled.
    pub instrument: Instrument,
    /// The copy.
    pub copied: Copied,
}

/// Finds the package, and makes its copy.
pub fn rewrite(
    settings: &Equipping,
    purpose: Purpose,
    watch: &mut Watch<'_>,
) -> Result<Rewritten, EquipError> {
    let (package, scratch) = open(settings, watch)?;
    let instrument = wanted_instrument(&settings.machinery, &package)?;
    watch.enter(Stage::Copy);
    let progress = &mut |n, n_mutants| watch.tell(Event::Copying { n, n_mutants });
    let copied = testsmith_harness::copy(&scratch, &package.name, &instrument, purpose, progress)?;
    Ok(Rewritten {
        package,
        scratch,
        instrument,
        copied,
    })
}

/// How the crate under test is instrumented; an error if it must not be.
pub fn wanted_instrument(
    machinery: &Machinery,
    package: &Package,
) -> Result<Instrument, EquipError> {
    instrument(machinery, package).ok_or(EquipError::NoWrapper)
}
