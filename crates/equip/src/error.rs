//! Why a package did not become something that runs.

use std::path::PathBuf;

/// Why a package did not become something that runs.
#[derive(Debug, thiserror::Error)]
pub enum EquipError {
    /// The package was not found.
    #[error(transparent)]
    Locate(#[from] testsmith_project::LocateError),
    /// The scratch workspace could not be made, or rustdoc failed.
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
    /// The user's file of makers has no public function.
    #[error("nothing in {} is public", path.display())]
    NoMakers {
        /// The file.
        path: PathBuf,
    },
    /// The values that the user allows a parameter make no sense.
    #[error("cannot use the values for `{name}`: {why}")]
    Values {
        /// The parameter, as the settings name it.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// Nothing beside the package can depend on it.
    #[error("package `{package}` cannot be built into a test of its own: {why}")]
    Name {
        /// The package.
        package: String,
        /// Why not.
        why: &'static str,
    },
    /// rustdoc's JSON could not be read.
    #[error(transparent)]
    Read(#[from] testsmith_api::rustdoc::ReadError),
    /// The harness could not be built.
    #[error(transparent)]
    Build(#[from] testsmith_harness::BuildError),
    /// A guest could not be started, or failed.
    #[error(transparent)]
    Guest(#[from] testsmith_harness::GuestError),
    /// The guests' directory could not be made.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The directory.
        path: PathBuf,
        /// Why it could not be written.
        source: std::io::Error,
    },
    /// The user cancelled before there was anything to lose. The error ends the stage; the command
    /// turns it into an [`Outcome`](crate::Outcome).
    #[error("interrupted")]
    Interrupted,
    /// The command needs mutants, but the build must not be instrumented.
    #[error("mutants are built by an instrumented compiler, and --no-instrument turns that off")]
    NoWrapper,
    /// No callable matches the patterns of `--only`.
    #[error("nothing in package `{package}` matches --only {}", patterns.join(", "))]
    NoneChosen {
        /// The package.
        package: String,
        /// The patterns.
        patterns: Vec<String>,
    },
    /// The package has a library without public items.
    #[error("package `{package}` has a library, but nothing in it is public")]
    NoApi {
        /// The package.
        package: String,
    },
    /// The package has public callables, but none of them can be called.
    #[error(
        "testsmith cannot call any of the {n_callables} public callables of package `{package}`, mostly because: {reason}"
    )]
    Empty {
        /// The package.
        package: String,
        /// How many callables the user asked for.
        n_callables: usize,
        /// The most frequent reason why they cannot be called.
        reason: String,
        /// Types that no operation makes.
        unmade: Vec<String>,
    },
}
