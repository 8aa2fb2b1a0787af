//! Why there is no analysis.

use testsmith_equip::EquipError;
use testsmith_harness::BuildError;
use testsmith_project::{LocateError, ScratchError};
use testsmith_rig::RigError;

/// Why there is no analysis.
#[derive(Debug, thiserror::Error)]
pub enum MutationError {
    /// There is no copy.
    #[error(transparent)]
    Equip(#[from] EquipError),
    /// Tests could not be built or run.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The package's own tests do not end on the copy as they do on the original.
    #[error("with no mutant active, own tests of the original: {original}; of the copy: {copy}")]
    Inactive {
        /// How those of the original end.
        original: String,
        /// How those of the copy do.
        copy: String,
    },
}

// What is a reason for having no copy is one wherever it is met.
macro_rules! from_equip {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for MutationError {
            fn from(error: $error) -> MutationError {
                MutationError::Equip(error.into())
            }
        })*
    };
}

from_equip!(LocateError, ScratchError, BuildError);
