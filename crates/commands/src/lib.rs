//! What the subcommands do. Each entry is here, and reads like a table of contents.
//!
//! Nothing here prints: the caller of a command gets [`Event`](testsmith_equip::Event)s while it
//! works and a record when it is over.

mod api;
mod augment;
mod callables;
mod check;
mod compare;
mod config;
mod containers;
mod defaults;
mod diff;
mod error;
mod machine;
mod minimize;
mod mutants;
mod notices;
mod recorded;
mod recording;
mod redundancy;
mod review;
mod run;
mod stops;
mod told;

pub use api::api;
pub use augment::augment;
pub use check::check;
pub use compare::{Comparison, Contestant, compare};
pub use config::Config;
pub use diff::{Side, diff};
pub use error::CommandError;
pub use machine::{Picture, states};
pub use minimize::{Minimizing, minimize};
pub use mutants::mutants;
pub use recording::record;
pub use redundancy::redundancy;
pub use review::{Review, review};
pub use run::{bugs, run};
