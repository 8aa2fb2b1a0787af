//! What a strategy asks for.

use testsmith_sequence::{Sequence, SlotIdx};

/// A sequence to be run, and what to look at.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The sequence.
    pub sequence: Sequence,
    /// The first slot that is new: everything before it was run before.
    pub watch_from: SlotIdx,
    /// Slots to describe when all is done.
    pub watch_end: Vec<SlotIdx>,
    /// The slot whose making is traced.
    pub traced: Option<SlotIdx>,
    /// Are all steps after that traced with it?
    pub traced_on: bool,
    /// Are values wanted, not only fingerprints?
    pub values: bool,
    /// Is it to be noted what the crate compares?
    pub watched: bool,
}
