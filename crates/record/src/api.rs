//! The record of `cargo testsmith api`.

use serde::{Deserialize, Serialize};

use crate::{CallableReport, ReasonReport, RecordKind};

/// What `cargo testsmith api` tells.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ApiReport {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// [`RecordKind::Api`].
    pub kind: RecordKind,
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Every public callable.
    pub callables: Vec<CallableReport>,
    /// Did rustc judge the instances?
    pub checked: bool,
    /// Callables that reach is measured on, less those left out on request.
    pub counted: usize,
    /// Those of them that have an instance; one that rustc accepts, if it was asked.
    pub with_instance: usize,
    /// Why the others have none, the most frequent reason first.
    pub reasons: Vec<ReasonReport>,
}
