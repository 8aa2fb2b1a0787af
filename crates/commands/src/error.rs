//! Why a command ends without a result.

use std::path::PathBuf;

use testsmith_equip::EquipError;
use testsmith_mutation::MutationError;
use testsmith_rig::RigError;
use testsmith_suite::{SuiteError, VetError};

/// Why a command ends without a result.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The package could not be made ready to run.
    #[error(transparent)]
    Equip(#[from] EquipError),
    /// Tests could not be built or run.
    #[error(transparent)]
    Rig(RigError),
    /// No suite could be made.
    #[error(transparent)]
    Suite(SuiteError),
    /// Mutation analysis failed.
    #[error(transparent)]
    Mutation(MutationError),
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why it could not be written.
        source: std::io::Error,
    },
    /// A file changed while testsmith was reading it.
    #[error("{} was changed in the meantime; nothing was written", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// There is no suite to check.
    #[error("there is no suite of testsmith's in {} that could be run", dir.display())]
    NoSuite {
        /// Where it would be.
        dir: PathBuf,
    },
    /// No public type has this name, or several have.
    #[error("package `{package}` has {} `{wanted}`", if *several { "several types" } else { "no public type" })]
    NoType {
        /// The package.
        package: String,
        /// The name that was asked for.
        wanted: String,
        /// Types with similar names, or all types with this name.
        near: Vec<String>,
        /// Do several types have the name?
        several: bool,
    },
    /// The type has no instance with these arguments.
    #[error("there is no instance `{wanted}` to draw")]
    NoInstance {
        /// The instance that was asked for.
        wanted: String,
        /// The instances that there are.
        instances: Vec<String>,
    },
    /// The type has no states that could be drawn.
    #[error("`{ty}` has no state machine to draw: {why}")]
    NoMachine {
        /// The type.
        ty: String,
        /// Why it has none.
        why: String,
    },
}

// These errors arise here as well as in `equip`, and are told to the user in the same way.
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

// Errors of other crates that are also variants here become these variants, so that the user is
// told the same wherever they arise.

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
            SuiteError::Changed(path) => CommandError::Changed { path },
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
