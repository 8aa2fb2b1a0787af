//! What a strategy asks for.

use testsmith_sequence::{Sequence, SlotIdx};

/// A sequence to run, and what to observe of it.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The sequence.
    pub sequence: Sequence,
    /// The first new slot: the slots before it were observed in an earlier run.
    pub watch_from: SlotIdx,
    /// Slots that are described after the last step.
    pub watch_end: Vec<SlotIdx>,
    /// The slot whose call is traced.
    pub traced: Option<SlotIdx>,
    /// Are the steps after that call traced with it?
    pub traced_on: bool,
    /// Are values wanted, not only fingerprints?
    pub values: bool,
    /// Are the values noted that the crate compares?
    pub watched: bool,
}
