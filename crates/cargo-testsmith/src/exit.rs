//! Exit codes, and what to do about each failure. The README documents both.

use testsmith_harness::BuildError;
use testsmith_pipeline::PipelineError;
use testsmith_project::{LocateError, ScratchError};

/// A bug of ours, or something nobody foresaw.
pub(crate) const INTERNAL: u8 = 1;
/// There is no package, or it has no library.
pub(crate) const NO_LIBRARY: u8 = 3;
/// The package does not build.
pub(crate) const NO_BUILD: u8 = 4;
/// There is nothing that can be called.
pub(crate) const NOTHING: u8 = 5;
/// A file could not be written.
pub(crate) const WRITE: u8 = 6;
/// Ctrl-C; what was found by then is written.
pub(crate) const INTERRUPTED: u8 = 130;

/// A message, what to do, and the exit code.
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) advice: Option<String>,
    pub(crate) code: u8,
}

impl From<PipelineError> for Failure {
    fn from(error: PipelineError) -> Failure {
        let (code, advice) = match &error {
            PipelineError::Locate(LocateError::Ambiguous { .. }) => {
                (NO_LIBRARY, "name one with -p")
            }
            PipelineError::Locate(LocateError::NoLibrary { .. } | LocateError::Unknown { .. }) => (
                NO_LIBRARY,
                "choose a package with a library, with -p or --manifest-path",
            ),
            PipelineError::Locate(_) => (
                NO_LIBRARY,
                "run it in a cargo package, or name one with --manifest-path",
            ),
            PipelineError::Scratch(ScratchError::Write { .. }) | PipelineError::Write { .. } => (
                WRITE,
                "make the directory writable and see that the disk has room",
            ),
            PipelineError::Scratch(_) | PipelineError::Build(BuildError::Subject(_)) => (
                NO_BUILD,
                "make `cargo build` and `cargo doc` work first; --features and \
                 --no-default-features choose what is built",
            ),
            PipelineError::Read(_) => (
                NO_BUILD,
                "use the Rust version that this testsmith was made for, or a newer testsmith",
            ),
            PipelineError::Empty { .. } => (
                NOTHING,
                "`cargo testsmith api` lists the reason for every item",
            ),
            PipelineError::Build(BuildError::NothingLeft { .. }) => (
                NOTHING,
                "`cargo testsmith api --check` lists the reason for every item",
            ),
            _ => (
                INTERNAL,
                "nothing in your tree was changed; please report this",
            ),
        };
        Failure {
            message: error.to_string(),
            advice: Some(advice.to_owned()),
            code,
        }
    }
}
