//! What becomes of a mutant.

use serde::{Deserialize, Serialize};

/// What became of a mutant.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A test fails with it.
    Killed,
    /// Tests go through its code, and none fails.
    Survived,
    /// No test goes through its code.
    Unreached,
    /// rustc refuses it.
    Unviable,
    /// It compiles to the same code.
    Equivalent,
    /// Somebody said that it is not wanted.
    Suppressed,
    /// Nobody has asked yet.
    #[default]
    Pending,
}

impl Status {
    /// Did tests have a say?
    pub fn is_judged(self) -> bool {
        use Status::{Equivalent, Killed, Survived, Unreached};
        matches!(self, Killed | Survived | Unreached | Equivalent)
    }

    /// As in the record.
    pub fn name(self) -> &'static str {
        match self {
            Status::Killed => "killed",
            Status::Survived => "survived",
            Status::Unreached => "unreached",
            Status::Unviable => "unviable",
            Status::Equivalent => "equivalent",
            Status::Suppressed => "suppressed",
            Status::Pending => "pending",
        }
    }
}
