//! The test case: steps over typed slots, ownership-valid by construction.
//!
//! A [`Sequence`] can only be made by a [`Builder`], and [`Builder::push`] runs the borrow check:
//! a sequence that exists compiles when it is printed. The check is conservative: it rejects some
//! programs that rustc accepts, never the reverse.

mod builder;
mod regions;
mod slice;
mod step;
#[cfg(test)]
mod testing;
mod text;
mod twins;

pub use builder::{Builder, Rejected, World};
pub use slice::{slice, with_literal, with_maker, with_slot, without};
pub use step::{Arg, Sequence, SlotIdx, Step, StepIdx};
pub use testsmith_protocol::Use;
pub use text::text;
pub use twins::{doubled, twins};
