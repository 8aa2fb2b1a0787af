//! What a command is asked to do, split by the code that reads it.

use testsmith_equip::{Equipping, Exploring};
use testsmith_suite::{Rules, Writing};

/// What a command is asked to do.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// How a package becomes something that runs.
    pub equipping: Equipping,
    /// How to explore, and for how long.
    pub exploring: Exploring,
    /// What is written, and where.
    pub writing: Writing,
    /// What the settings say about failures.
    pub rules: Rules,
    /// Names or patterns of mutants that are not judged.
    pub skip_mutants: Vec<String>,
}
