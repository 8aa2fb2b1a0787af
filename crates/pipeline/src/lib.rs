//! What commands do: each entry is here, and the way that it goes reads like a table of contents.
//!
//! Nothing here prints; whoever runs a command gets [`Event`]s while it works and a record when it is
//! over.

mod api;
mod augment;
mod callables;
mod compare;
mod containers;
mod coverage;
mod diff;
mod error;
mod export;
mod failing;
mod judged;
mod machine;
mod minimize;
mod mutants;
mod printer;
mod recording;
mod redundancy;
mod run;
mod settings;
mod simpler;
mod simplify;
mod split;
mod subject;
mod suite;
mod told;
mod verdict;
mod verify;
mod vet;
mod write;
mod write_stage;

pub use api::api;
pub use augment::augment;
pub use compare::{Comparison, Contestant, compare};
pub use diff::{Side, diff};
pub use error::PipelineError;
pub use machine::{Picture, states};
pub use minimize::{Minimizing, minimize};
pub use mutants::{
    Analysis, ChangedLines, Choice, EQUIVALENTS, MergeError, changed_lines, merge, mutants,
};
pub use recording::record;
pub use redundancy::redundancy;
pub use run::run;
pub use settings::{Config, Writing};
pub use testsmith_equip::{
    ApiChoice, EquipError, Equipping, Event, Exploring, Machinery, Outcome, PackageChoice,
    ParameterValues, Stage, Watch,
};
pub use testsmith_explore::StrategyName;
pub use testsmith_states::StateBy;
pub use verdict::{Rules, Verdict};
pub use verify::Verification;
pub use vet::VetError;
