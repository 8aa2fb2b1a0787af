//! From what exploration kept to checked files of tests in the user's tree.
//!
//! Few of the kept executions become regression tests ([`choose`]). Failures are cut down to what they
//! need ([`simplify`]), told apart by their causes ([`findings`]) and judged ([`Court`]). Both are
//! printed, compiled and run until they are clean, and only then a file changes ([`Writer`]).

mod alike;
mod begin;
mod blame;
mod bonds;
mod budget;
mod choose;
mod error;
mod export;
mod failing;
mod mark;
mod path;
mod place;
mod printer;
mod program;
mod released;
mod review;
mod settings;
mod sights;
mod simpler;
mod simplify;
mod split;
mod stage;
mod standing;
mod subject;
mod told;
mod verdict;
mod vet;
mod write;
mod written;

pub use begin::{Begun, begin};
pub use blame::{Spectrum, blame};
pub use budget::{Budget, Tell};
pub use choose::{Far, Farthest, Judgement, Room, Wanted, as_run, choose, looks, n_killed};
pub use error::SuiteError;
pub use export::{check_export, export, ways_to_check};
pub use failing::{Finding, findings, is_question};
pub use path::relative;
pub use place::{check_place, directory};
pub use printer::Printer;
pub use review::{Answer, Offered, What, check_edited};
pub use settings::{Aim, Course, Writing};
pub use sights::{Sights, Test, Trials, is_own, plain, prefix, run};
pub use simplify::{Makers, simplify};
pub use stage::{Sorted, Suite, Writer};
pub use standing::{NoRust, StandingError};
pub use verdict::{Court, Rules, Sources, Verdict};
pub use vet::{Draft, MAX_SECONDS, SUSPECT_SECONDS, VetError, Vetting, compile, in_scratch};
pub use write::{is_ours, resealed, write};
