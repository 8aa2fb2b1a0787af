//! The guest's side: the process that calls foreign code and is expendable for it.
//!
//! Its source is embedded in testsmith and written beside the generated harness, so it depends on
//! nothing but the protocol and the standard library. The generated table says what can be called
//! ([`Operation`]) and what slots can hold ([`Type`]); [`run`] executes programs over them.
//!
//! A *zygote* reads batches and forks one child a batch, so that every batch meets the same fresh
//! process state; a child that dies is replaced for the rest of its batch. What the child has
//! found so far stands on shared memory and survives it. Clocks and randomness are ours, and a
//! program that reaches for the world is noticed.

#[cfg(not(target_os = "linux"))]
compile_error!("the testsmith guest needs Linux: it forks, and tells deaths apart by signals");

mod arena;
mod clock;
mod execute;
mod glue;
mod literal;
mod memory;
mod observe;
mod os;
mod probes;
mod random;
mod table;
mod threads;
mod trace;
mod trap;
mod zygote;

pub use glue::{Args, exclusive, put, shared, take};
pub use literal::Literal;
pub use memory::Counting;
pub use observe::{Look, NoDebug, NoHash, Observer};
pub use probes::{Probes, Switches};
pub use table::{Fallback, Operation, Probe, Type};
pub use trace::Counters;
pub use zygote::run;
