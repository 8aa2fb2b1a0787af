//! Why a run ends without a result.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::vet::VetError;

/// Why a run ended without a result.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// No package.
    #[error(transparent)]
    Locate(#[from] testsmith_project::LocateError),
    /// The scratch workspace, or rustdoc.
    #[error(transparent)]
    Scratch(#[from] testsmith_project::ScratchError),
    /// The user's file of makers does not compile.
    #[error("cannot use the makers in {}: {source}", path.display())]
    Makers {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: testsmith_project::ScratchError,
    },
    /// Mutants were asked for, and the build must not be instrumented.
    #[error("mutants are built by an instrumented compiler, and --no-instrument turns that off")]
    NoWrapper,
    /// The package's own tests do not build.
    #[error("the package's own tests do not build:\n{said}")]
    OwnTests {
        /// What cargo says.
        said: String,
    },
    /// The package's own tests do not end on the copy as they do on the original.
    #[error("with no mutant active, own tests of the original: {original}; of the copy: {copy}")]
    Inactive {
        /// How those of the original end.
        original: String,
        /// How those of the copy do.
        copy: String,
    },
    /// Programs were to go where something else is.
    #[error("{} has something else in it than programs of testsmith's", .0.display())]
    Export(PathBuf),
    /// The user's file of makers makes nothing.
    #[error("nothing in {} is public", path.display())]
    NoMakers {
        /// The file.
        path: PathBuf,
    },
    /// What a parameter may be makes no sense.
    #[error("cannot use the values for `{name}`: {why}")]
    Values {
        /// As the settings name it.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// rustdoc's JSON could not be read.
    #[error(transparent)]
    Read(#[from] testsmith_api::rustdoc::ReadError),
    /// No harness.
    #[error(transparent)]
    Build(#[from] testsmith_harness::BuildError),
    /// No guest.
    #[error(transparent)]
    Guest(#[from] testsmith_harness::GuestError),
    /// The suite could not be checked.
    #[error(transparent)]
    Vet(#[from] VetError),
    /// A test file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file was changed while we looked at it.
    #[error("{} was changed in the meantime; nothing was written", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The user cancelled before anything was found.
    #[error("interrupted while {stage}; nothing was written")]
    Interrupted {
        /// What we were at.
        stage: &'static str,
    },
    /// There is no type of this name, or there are several.
    #[error("package `{package}` has {} `{wanted}`", if *several { "several types" } else { "no public type" })]
    NoType {
        /// The package.
        package: String,
        /// What was asked for.
        wanted: String,
        /// Types with names like it, or those with this name.
        near: Vec<String>,
        /// Are there several?
        several: bool,
    },
    /// The type is not used at these arguments.
    #[error("there is no instance `{wanted}` to draw")]
    NoInstance {
        /// What was asked for.
        wanted: String,
        /// Those that there are.
        instances: Vec<String>,
    },
    /// The type has no states that could be drawn.
    #[error("`{ty}` has no state machine to draw: {why}")]
    NoMachine {
        /// The type.
        ty: String,
        /// Why not.
        why: String,
    },
    /// The patterns match nothing.
    #[error("nothing in package `{package}` matches --only {}", patterns.join(", "))]
    NoneChosen {
        /// The package.
        package: String,
        /// What was asked for.
        patterns: Vec<String>,
    },
    /// There is nothing public.
    #[error("package `{package}` has a library, but nothing in it is public")]
    NoApi {
        /// The package.
        package: String,
    },
    /// There is nothing to call.
    #[error(
        "testsmith cannot call any of the {n_callables} public callables of package `{package}`, mostly because: {reason}"
    )]
    Empty {
        /// The package.
        package: String,
        /// How many callables it has.
        n_callables: usize,
        /// What stands in the way most often.
        reason: String,
        /// Types that nobody can construct.
        unmade: Vec<String>,
    },
}

impl PipelineError {
    /// Whatever went wrong while we were being interrupted went wrong for that.
    pub(crate) fn or_interrupted(self, stage: &'static str, cancel: &AtomicBool) -> PipelineError {
        match cancel.load(Ordering::Relaxed) {
            true => PipelineError::Interrupted { stage },
            false => self,
        }
    }
}
