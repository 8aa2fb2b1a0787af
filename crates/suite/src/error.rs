//! Why no suite was written.

use std::path::PathBuf;

use testsmith_harness::GuestError;
use testsmith_rig::RigError;

use crate::standing::StandingError;
use crate::vet::VetError;

/// Why no suite was written.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// A guest failed.
    #[error(transparent)]
    Guest(#[from] GuestError),
    /// The suite could not be checked.
    #[error(transparent)]
    Vet(#[from] VetError),
    /// The directory for programs has something else in it.
    #[error("{} has something else in it than programs of testsmith's", .0.display())]
    Export(PathBuf),
    /// The suite that is there cannot be read.
    #[error(transparent)]
    Standing(#[from] StandingError),
    /// A file changed since it was read.
    #[error("{} was changed in the meantime; nothing was written", .0.display())]
    Changed(PathBuf),
    /// A test file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why it could not be written.
        source: std::io::Error,
    },
}

impl From<RigError> for SuiteError {
    fn from(error: RigError) -> SuiteError {
        SuiteError::Vet(error.into())
    }
}
