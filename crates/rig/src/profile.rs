//! What a test does with no mutant active: how long it takes, and what it reaches.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_protocol::RegionId;
use testsmith_record::OwnTestStatus;

/// Below this many seconds, starting the process takes most of a test's time.
const LITTLE: f64 = 0.02;
/// About how many seconds it takes to enter a region, with the work that is done there.
const SECONDS_PER_TURN: f64 = 5e-8;

/// What a test does with no mutant active.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Profile {
    /// How many seconds it takes, with the start of its process.
    pub seconds: f64,
    /// How often it enters regions in all, at most.
    pub turns: u64,
    /// How often it enters each region, as far as that is the same in each run.
    pub counts: BTreeMap<RegionId, u64>,
    /// Regions that it enters in at least one run.
    pub reached: BTreeSet<RegionId>,
    /// A digest of what each function returns, by the function's region, as far as that is the same
    /// in each run.
    pub returned: BTreeMap<RegionId, u64>,
    /// Why the test cannot say anything about mutants, if it cannot.
    pub unfit: Option<Unfit>,
}

impl Profile {
    /// What the test costs beside the start of its process. Below `LITTLE` its work is counted
    /// instead of its time, because a clock is too coarse there.
    pub fn cost(&self) -> f64 {
        match self.seconds < LITTLE {
            true => self.turns as f64 * SECONDS_PER_TURN,
            false => self.seconds,
        }
    }
}

/// What is observed while a test runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Looking {
    /// The regions that are entered, and how often.
    Entries,
    /// The regions and what functions return. Values may have to be hashed for that, by code of the
    /// crate.
    Returns,
}

/// Why a test cannot be asked about mutants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// It is marked as ignored.
    Ignored,
    /// It fails.
    Failed,
    /// It fails now and then.
    Unsteady,
    /// It takes too long.
    Late,
}

impl Unfit {
    /// The word for it in the record.
    pub fn status(self) -> OwnTestStatus {
        match self {
            Unfit::Ignored => OwnTestStatus::Ignored,
            Unfit::Failed | Unfit::Late => OwnTestStatus::Failed,
            Unfit::Unsteady => OwnTestStatus::Unsteady,
        }
    }

    /// A phrase that says why, to stand after the name of the test.
    pub fn reason(self) -> &'static str {
        match self {
            Unfit::Ignored => "is ignored, so it is not run",
            Unfit::Failed => {
                "fails on the copy with no mutant active, or behind the walls: `cargo test` says whether it always does"
            }
            Unfit::Unsteady => "does not pass each time with no mutant active",
            Unfit::Late => "takes longer than ten minutes",
        }
    }
}
