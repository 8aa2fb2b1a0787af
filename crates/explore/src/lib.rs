//! Strategies: propose sequences, learn from what running them showed.
//!
//! Pure functions of what they were told and a seed: no clock, no process, no file. All of them
//! implement [`Strategy`] and differ in what they learn from. [`Directed`] is feedback-directed random testing as in Pacheco's thesis (figure 5-4, sections 7.3 to 7.5):
//! new sequences are built from components that were found useful, illegal and redundant ones are
//! discarded, and values are marked as reusable only when they are new.

mod allowed;
mod ask;
mod bottom_up;
mod classes;
mod components;
mod digests;
mod directed;
mod exhaustive;
mod fair;
mod hints;
mod laws;
mod ledger;
mod literals;
mod lively;
mod mined;
mod newness;
mod numbers;
mod options;
mod other;
mod pairs;
mod quarantine;
mod random_walk;
mod record;
mod rng;
mod seeds;
mod strategy;
mod strategy_name;
mod strings;
mod traffic;
mod transplant;
mod variations;
mod weights;
mod workshop;
mod worth;

pub use allowed::Allowed;
pub use ask::Ask;
pub use bottom_up::BottomUp;
pub use classes::{argument_class, class, coarse, digest};
pub use directed::Directed;
pub use exhaustive::{Exhaustive, Start};
pub use fair::is_fairly_asked;
pub use hints::nearness;
pub use ledger::{Ledger, Round, Stats};
pub use literals::Literals;
pub use options::Options;
pub use quarantine::Quarantine;
pub use random_walk::RandomWalk;
pub use record::{Cause, Code, Failure, Kept, Record};
pub use rng::Rng;
pub use seeds::{ReadBack, Seeds, Sources, Why, Yield, lift, read_back};
pub use strategy::Strategy;
pub use strategy_name::StrategyName;
pub use variations::{Purpose, Variations};
