//! Why there is nothing that runs.

use std::path::PathBuf;

/// Why a package did not become something that runs.
#[derive(Debug, thiserror::Error)]
pub enum EquipError {
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
    /// The guests' directory could not be made.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The user cancelled before there was anything to lose. It ends the stage at hand; whoever began
    /// the command tells of it as an [`Outcome`](crate::Outcome).
    #[error("interrupted")]
    Interrupted,
    /// Mutants were asked for, and the build must not be instrumented.
    #[error("mutants are built by an instrumented compiler, and --no-instrument turns that off")]
    NoWrapper,
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
