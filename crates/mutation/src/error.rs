//! Why an analysis fails.

use testsmith_equip::EquipError;
use testsmith_harness::BuildError;
use testsmith_project::{LocateError, ScratchError};
use testsmith_rig::RigError;

/// Why an analysis fails.
#[derive(Debug, thiserror::Error)]
pub enum MutationError {
    /// The copy could not be made.
    #[error(transparent)]
    Equip(#[from] EquipError),
    /// Tests could not be built or run.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The package's own tests do not end on the copy as they do on the original.
    #[error("with no mutant active, own tests of the original: {original}; of the copy: {copy}")]
    Inactive {
        /// How the tests end on the original.
        original: String,
        /// How they end on the copy.
        copy: String,
    },
}

// These errors arise here as well as in `equip`, and are told to the user in the same way.
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
