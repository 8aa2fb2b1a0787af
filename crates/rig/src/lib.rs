//! Builds, lists and runs a package's own tests behind walls, on a copy that was rewritten or on a
//! twin of the workspace, and observes what each test does.
//!
//! A [`Rig`] has the place where all that happens. What a test does with no mutant active is its
//! [`Profile`]; with one active it has a [`Reaction`]; on a copy that writes calls down there is a
//! [`Recording`]. What is concluded from that is for others: nothing here knows what a verdict is.

mod asking;
mod assertions;
mod build;
mod cell;
mod digest;
mod error;
mod examples;
mod left;
mod libtest;
mod look;
mod nextest;
mod on_copy;
mod own;
mod patience;
mod process;
mod profile;
mod recording;
mod rig;
mod source;
mod sources;
mod targets;
mod walled;
mod whole;

pub use asking::Reaction;
pub use assertions::Assertions;
pub use cell::{Cell, each_of_all};
pub use digest::{Digest, digest};
pub use error::RigError;
pub use on_copy::{CopiedQuestion, CopiedTest, entered, noticing};
pub use own::{COMPILED_ONLY, Own, OwnTest, Selection, Wanted, key};
pub use patience::{LONGEST, with_mutant};
pub use process::{TestRun, run_tests, run_tests_elsewhere};
pub use profile::{Looking, Profile, Unfit};
pub use recording::{AllCalls, Call, Fuel, Recording};
pub use rig::{Rig, built, run};
pub use source::{SourceTest, SourceTests, tests};
pub use sources::{
    DocumentationLines, all_documentation, each_file, everything, surroundings, tests_and_names,
};
pub use targets::{Listed, Target};
pub use walled::{RUN_WALLED, run_walled};
pub use whole::{Ended, contradict};
