//! The user's package: where it is, what it is called, and a scratch workspace that depends on it.
//!
//! Everything that testsmith builds is built in the scratch workspace under the target directory,
//! so the user's tree stays as it is; the scratch keeps the package's context (lock file, patches,
//! features), so what is built is what the user would build. Cargo is run here and nowhere else.

#![expect(
    clippy::disallowed_methods,
    reason = "packages are files, and cargo is a process"
)]

mod arrived;
mod cargo;
mod child;
mod features;
mod lock;
mod package;
mod profiles;
mod room;
mod runner;
mod sandbox;
mod scratch;
mod together;
mod tree;
mod twin;
mod version;
mod watched;
mod whole;
mod within;
mod writable;

pub use arrived::make_ours;
pub use cargo::{Diagnostic, Run, Span, cargo, rustfmt};
pub use child::{CargoCommand, CargoError};
pub use features::Features;
pub use lock::{Hold, clean, hold};
pub use package::{
    Dependant, Dependency, LocateError, Package, Selection, dependants, locate, select,
};
pub use room::{MOST_ROOM, forget_written, takes_too_much};
pub use runner::{set_runner, set_runner_of_tests};
pub use sandbox::{Allowed, Given, Inmate, Sandbox};
pub use scratch::{Scratch, ScratchError};
pub use together::{Change, Left, NotWritten, finish_together, write_together};
pub use twin::Twin;
pub use version::{Version, VersionError, find_version};
pub use watched::{End, Errors, end_group, give_back_memory, watched};
pub use whole::{ignore_file_size_signal, write_whole};
pub use within::check_within;
pub use writable::check_writable;
