//! Writes, builds and supervises the guest: the only process in which foreign code runs.
//!
//! [`build`] turns a catalogue into a crate with one small function an operation, lets rustc
//! judge every one of them, and drops those it refuses: one bad operation never costs more than
//! itself. [`check`] does the judging alone. [`Guest`] runs the result. [`encode`] turns sequences
//! into what a guest understands.

mod build;
mod copy;
mod doctests;
mod elsewhere;
mod embedded;
mod encode;
mod equivalent;
mod generate;
mod guest;
mod identifier;
mod instance;
mod instrument;
mod names;
mod observers;
mod stand_ins;
mod wrapper;

pub use build::{BuildError, Built, build, check, profile};
pub use copy::{
    About, Changed, Copied, Earlier, Known, Purpose, Refusal, copy, copy_again, copy_unchecked,
};
pub use doctests::{Doctest, KEEP_DOCTEST, doctest_place, keep_doctest, kept_doctests};
pub use elsewhere::{Others, apply_elsewhere, without_values};
pub use encode::encode;
pub use equivalent::{Asking, Equivalents, Evidence, equivalent};
pub use guest::{Guest, GuestError, NotBegun, end_soon, is_ending};
pub use instrument::{COPY_VARIABLE, Instrument, WRAPPER_VARIABLE};
pub use names::{Foreign, public_names};
pub use stand_ins::write_stand_ins;
pub use testsmith_instrument::{
    Mutant, MutantId, OPERATORS, Region, RegionId, RegionKind, Texts, tokens,
};
pub use wrapper::wrap;
