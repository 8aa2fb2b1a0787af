//! The record of `cargo testsmith augment`.

use serde::{Deserialize, Serialize};

use crate::Report;

/// What `cargo testsmith augment` tells.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AugmentedReport {
    /// Calls of the suite that differ in the function or the state of an argument.
    pub executions: usize,
    /// Those with an argument that cannot be seen whole, or that others refer to.
    pub opaque: usize,
    /// Those whose arguments are too large to be looked at.
    pub large: usize,
    /// Those of functions that nobody outside the crate can call by name.
    pub private: usize,
    /// Values in different states that it calls something on.
    pub suite_states: usize,
    /// Those that public calls made again.
    pub remade: usize,
    /// Was there more to write down than there is room for?
    pub cut: bool,
    /// Tests of the suite that fail on the copy: what they did before that is known.
    pub failed: Vec<String>,
    /// The run.
    #[serde(flatten)]
    pub report: Report,
}
