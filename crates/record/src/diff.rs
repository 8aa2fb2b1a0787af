//! The record of `cargo testsmith diff`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{ApiKind, ChangeKind, Dropped, FileReport, RecordKind, Timed, lenient};

/// What two versions have done otherwise.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DiffReport {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// [`RecordKind::Diff`].
    pub kind: RecordKind,
    /// The package's name.
    pub package: String,
    /// The version that was learnt from.
    pub old: SideReport,
    /// The version that was compared with it.
    pub new: SideReport,
    /// Where the randomness started.
    pub seed: u64,
    /// Calls executed on OLD.
    pub calls: u64,
    /// Cases that were compared: they compile on both.
    pub compared: usize,
    /// Those that end on NEW as they do on OLD.
    pub same: usize,
    /// Behaviour that changed, by the callable that is to blame.
    pub changed: Vec<Change>,
    /// Failures of OLD that do not happen on NEW.
    pub fixed: Vec<Fixed>,
    /// API of OLD that NEW does not have.
    pub gone: Vec<GoneReport>,
    /// API of NEW that OLD does not have.
    pub added: Vec<GoneReport>,
    /// API of both with another signature.
    pub signatures: Vec<SignatureReport>,
    /// Cases that could not be compared, and why.
    pub uncompared: Vec<Uncompared>,
    /// The tests that show what changed.
    pub file: Option<FileReport>,
    /// What was left out of the run on OLD, and of the file.
    pub dropped: Vec<Dropped>,
    /// Seconds by stage; those of OLD's run are one.
    #[serde(deserialize_with = "lenient::seconds")]
    pub seconds: BTreeMap<Timed, f64>,
    /// Exploration ended before its time, on request.
    pub interrupted: bool,
}

/// One of the two.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SideReport {
    /// Its version.
    pub version: String,
    /// Where it came from, in words.
    pub origin: String,
}

/// Behaviour that changed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Change {
    /// The callable that is to blame: failing tests have it in common, passing ones do not.
    pub callable: String,
    /// Has it another signature, too?
    pub resigned: bool,
    /// What shows it, the shortest first.
    pub tests: Vec<ChangedTest>,
}

/// A case that ends otherwise.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChangedTest {
    /// Its test in the file; none if it did not pass on OLD and fail on NEW once more.
    pub name: Option<String>,
    /// How it ends on NEW.
    pub kind: ChangeKind,
    /// The test up to the line that shows it.
    pub code: String,
    /// What OLD gave.
    pub old: String,
    /// What NEW gives.
    pub new: String,
}

/// A failure that does not happen any more.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Fixed {
    /// The callable that failed.
    pub callable: String,
    /// The calls.
    pub code: String,
    /// What happened on OLD.
    pub old: String,
}

/// Cases that are not comparable.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Uncompared {
    /// Why.
    pub reason: String,
    /// How many.
    pub count: usize,
}

impl DiffReport {
    /// Does anything that both can do end otherwise?
    pub fn is_changed(&self) -> bool {
        !self.changed.is_empty() || !self.fixed.is_empty()
    }
}
/// API that only one of the versions has.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GoneReport {
    /// Its stable key.
    pub path: String,
    /// What it is.
    pub kind: ApiKind,
    /// As it is declared; empty for types.
    pub signature: String,
}

/// A callable that both versions have, with another signature.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SignatureReport {
    /// Its stable key.
    pub path: String,
    /// As OLD declares it.
    pub old: String,
    /// As NEW does.
    pub new: String,
}
