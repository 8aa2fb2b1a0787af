//! What a command is asked to do, split by who reads it.

use testsmith_equip::{Equipping, Exploring};
use testsmith_suite::{Rules, Writing};

/// What a command is asked to do.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// From a package to something that runs.
    pub equipping: Equipping,
    /// How to explore, and for how long.
    pub exploring: Exploring,
    /// What is written, and where.
    pub writing: Writing,
    /// What is known about failures.
    pub rules: Rules,
    /// Names or patterns of mutants that nobody wants to hear of.
    pub skip_mutants: Vec<String>,
}
