//! What a command on one package has at hand: the flags, the package, somebody who is told how it
//! goes on, and where the record goes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use testsmith_commands::{CommandError, Config};
use testsmith_equip::{Outcome, Watch};
use testsmith_project::Package;

use crate::exit::Failure;
use crate::flags::Flags;
use crate::packages::Packages;
use crate::progress::Progress;
use crate::terminal;
use crate::{kept, output};

/// One package, and what was asked for.
///
/// A command calls [`Job::config`], [`Job::watch`] and [`Job::tell`], in this order; one whose record is
/// part of the page about the package calls [`Job::keep`] before it tells, so that it can tell of the page.
pub(crate) struct Job<'j> {
    pub(crate) flags: &'j Flags,
    pub(crate) packages: &'j Packages,
    pub(crate) package: &'j Package,
    pub(crate) progress: &'j mut Progress,
    pub(crate) cancel: &'j Arc<AtomicBool>,
}

impl Job<'_> {
    /// What the work is to be, from the command line and from files. What would make it useless in
    /// the end is found out before it begins.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        output::check_json(self.json().as_deref())?;
        let config = self.packages.config(self.flags, self.package)?;
        #[cfg(debug_assertions)]
        if crate::bug::provoked().as_deref() == Some("error") {
            let error = std::io::Error::other("somebody asked for a bug");
            return Err(CommandError::from(testsmith_harness::GuestError::Start(error)).into());
        }
        Ok(config)
    }

    /// Does the work, with its progress shown, until it is done or the user ends it.
    pub(crate) fn watch<R>(
        &mut self,
        work: impl FnOnce(&mut Watch<'_>) -> Result<Outcome<R>, CommandError>,
    ) -> Result<R, Failure> {
        let report = watch(self.progress, self.cancel, work)?;
        self.progress.finish();
        Ok(report)
    }

    /// Keeps the record for the page about the package, under this name. Returns where the page is,
    /// to be shown; none if it could not be made.
    pub(crate) fn keep(&self, name: &str, record: &impl serde::Serialize) -> Option<String> {
        match kept::keep(self.package, name, record) {
            Ok(page) => Some(kept::shown(&page)),
            // It can be made again, and what was asked for was done.
            Err(failure) => {
                terminal::tell(&format!("warning: no report: {}", failure.message));
                None
            }
        }
    }

    /// Says what came of it: to the user in words, and in a record if there is to be one.
    pub(crate) fn tell(&self, text: &str, record: &impl serde::Serialize) -> Result<(), Failure> {
        terminal::say(text);
        output::write_json(self.json().as_deref(), record)
    }

    /// Did the user ask for an end?
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    fn json(&self) -> Option<PathBuf> {
        self.packages.json(self.flags, self.package)
    }
}

/// Does work that may be about no package or about several, with its progress shown.
pub(crate) fn watch<R>(
    progress: &mut Progress,
    cancel: &Arc<AtomicBool>,
    work: impl FnOnce(&mut Watch<'_>) -> Result<Outcome<R>, CommandError>,
) -> Result<R, Failure> {
    let mut events = |event| progress.show(event);
    match work(&mut Watch::new(&mut events, cancel))? {
        Outcome::Done(report) => Ok(report),
        Outcome::Interrupted(stage) => Err(Failure::interrupted(stage)),
    }
}
