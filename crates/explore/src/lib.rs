//! Strategies: propose sequences, learn from what running them showed.
//!
//! Pure functions of what they were told and a seed: no clock, no process, no file. [`Directed`]
//! is feedback-directed random testing as in Pacheco's thesis (figure 5-4, sections 7.3 to 7.5):
//! new sequences are built from components that were found useful, illegal and redundant ones are
//! discarded, and values are marked as reusable only when they are new.

mod classes;
mod components;
mod directed;
mod literals;
mod record;
mod rng;

pub use classes::{argument_class, class, coarse, digest};
pub use components::Components;
pub use directed::{Ask, Directed, Options, Stats};
pub use literals::Literals;
pub use record::{Cause, Code, Failure, Kept, Record};
pub use rng::Rng;
