//! What was found out about mutants that were really edited in.

use serde::{Deserialize, Serialize};

use crate::Status;

/// What was found out about some mutants.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VerificationReport {
    /// Of those in the copy: how own tests end.
    pub verified: Vec<Verified>,
    /// Of those that rustc refused for themselves or what is around them: what it says of each alone.
    pub alone: Vec<Alone>,
}

/// A mutant of the copy.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Verified {
    /// Its number.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Do own tests end alike?
    pub agrees: bool,
    /// What they do when it is edited in.
    pub edited: String,
    /// What they do in the copy.
    pub copied: String,
    /// What was said of it before.
    pub status: Status,
}

/// A mutant that is not in the copy.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Alone {
    /// Its name.
    pub name: String,
    /// Does it compile when it is edited in?
    pub compiles: bool,
}
