//! When two calls start from the same states.
//!
//! A *method execution* is a callable of the crate under test and the states of its arguments when it
//! begins. What a state is, is a matter of choice ([`StateBy`]): what was done to make it, what of that
//! changed something, all that is inside, what `==` reads of that, or what `==` says. Calls that are alike
//! in this sense show the same behaviour, and a test whose calls are all known shows nothing new.
//!
//! Deliberately absent: running anything. The caller has run the sequence and
//! says what was seen ([`Sight`]).

mod equality;
mod executions;
mod histories;
mod notion;
#[cfg(test)]
mod tests;

pub use equality::equalities;
pub use executions::{Known, Look, Seen, Sight, executions, executions_and_looks};
pub use histories::{Change, Histories};
pub use notion::StateBy;
