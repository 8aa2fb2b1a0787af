//! Why a command ends without a result.

use std::path::PathBuf;

use testsmith_equip::EquipError;
use testsmith_mutation::MutationError;
use testsmith_rig::RigError;
use testsmith_suite::{SuiteError, VetError};

/// Why a command ended without a result.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// There is nothing that runs.
    #[error(transparent)]
    Equip(#[from] EquipError),
    /// Tests could not be built or run.
    #[error(transparent)]
    Rig(RigError),
    /// No suite.
    #[error(transparent)]
    Suite(SuiteError),
    /// No analysis.
    #[error(transparent)]
    Mutation(MutationError),
    /// A file could not be written.
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
        $(impl From<$error> for CommandError {
            fn from(error: $error) -> CommandError {
                CommandError::Equip(error.into())
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

// Errors of other rooms that are among ours are ours.

impl From<RigError> for CommandError {
    fn from(error: RigError) -> CommandError {
        match error {
            RigError::Scratch(error) => error.into(),
            RigError::Interrupted => CommandError::Equip(EquipError::Interrupted),
            error => CommandError::Rig(error),
        }
    }
}

impl From<MutationError> for CommandError {
    fn from(error: MutationError) -> CommandError {
        match error {
            MutationError::Equip(error) => error.into(),
            MutationError::Rig(error) => error.into(),
            error => CommandError::Mutation(error),
        }
    }
}

impl From<SuiteError> for CommandError {
    fn from(error: SuiteError) -> CommandError {
        match error {
            SuiteError::Guest(error) => error.into(),
            SuiteError::Write { path, source } => CommandError::Write { path, source },
            error => CommandError::Suite(error),
        }
    }
}

impl From<VetError> for CommandError {
    fn from(error: VetError) -> CommandError {
        SuiteError::from(error).into()
    }
}
