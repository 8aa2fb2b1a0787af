//! What a test does with no mutant active: how long it takes, and what it reaches.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_protocol::RegionId;
use testsmith_record::OwnTestStatus;

/// Whatever takes less takes most of it to start.
const LITTLE: f64 = 0.02;
/// What entering a region takes, about, with what is done there.
const SECONDS_PER_TURN: f64 = 5e-8;

/// What a test does with no mutant active.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Profile {
    /// How long it takes, with its process.
    pub seconds: f64,
    /// How often it enters any region, at most.
    pub turns: u64,
    /// How often it enters regions, as far as that is the same each time.
    pub counts: BTreeMap<RegionId, u64>,
    /// Regions that it enters, perhaps.
    pub reached: BTreeSet<RegionId>,
    /// A digest of what each function returns, by its region, as far as that is the same each time.
    pub returned: BTreeMap<RegionId, u64>,
    /// Why it cannot say anything about mutants.
    pub unfit: Option<Unfit>,
}

impl Profile {
    /// What it costs beside a process: by its work where that is little, for a clock is too coarse then.
    pub fn cost(&self) -> f64 {
        match self.seconds < LITTLE {
            true => self.turns as f64 * SECONDS_PER_TURN,
            false => self.seconds,
        }
    }
}

/// What is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Looking {
    /// Which regions are entered, and how often.
    Entries,
    /// That, and what functions return: values may have to be hashed for it, by code of the crate.
    Returns,
}

/// Why a test is not asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// Nobody asks for it.
    Ignored,
    /// It fails.
    Failed,
    /// It fails now and then.
    Unsteady,
    /// It takes too long.
    Late,
}

impl Unfit {
    /// As the record has it.
    pub fn status(self) -> OwnTestStatus {
        match self {
            Unfit::Ignored => OwnTestStatus::Ignored,
            Unfit::Failed | Unfit::Late => OwnTestStatus::Failed,
            Unfit::Unsteady => OwnTestStatus::Unsteady,
        }
    }

    /// In words.
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
