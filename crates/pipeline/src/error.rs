//! Why a command ends without a result.

use std::path::PathBuf;

use testsmith_equip::EquipError;

use crate::vet::VetError;

/// Why a command ended without a result.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// There is nothing that runs.
    #[error(transparent)]
    Equip(#[from] EquipError),
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
}

// What is a reason for having nothing that runs is one wherever it is met.
macro_rules! from_equip {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for PipelineError {
            fn from(error: $error) -> PipelineError {
                PipelineError::Equip(error.into())
            }
        })*
    };
}

from_equip!(
    testsmith_project::LocateError,
    testsmith_project::ScratchError,
    testsmith_api::rustdoc::ReadError,
    testsmith_harness::BuildError,
    testsmith_harness::GuestError,
);
