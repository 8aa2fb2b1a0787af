//! Why tests could not be built or run.

use std::io;

use testsmith_project::{CargoError, ScratchError};

/// Why tests could not be built or run.
#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// A file could not be written, or cargo could not be run.
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    /// Cargo could not be run.
    #[error(transparent)]
    Cargo(#[from] CargoError),
    /// A test binary could not be run.
    #[error("cannot run the tests: {0}")]
    Run(#[source] io::Error),
    /// The package's own tests do not build.
    #[error("the package's own tests do not build:\n{said}")]
    OwnTests {
        /// What cargo printed.
        said: String,
    },
    /// Tests wrote down what they do in another version of the format.
    #[error("tests on the copy were built by another version of testsmith (a bug of this one)")]
    OtherVersion,
    /// The user cancelled.
    #[error("interrupted")]
    Interrupted,
}
