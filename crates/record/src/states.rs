//! The record of `cargo testsmith states`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{RecordKind, Timed, lenient};

/// What `cargo testsmith states` tells.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StatesReport {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// [`RecordKind::States`].
    pub kind: RecordKind,
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The type that is drawn, with its arguments.
    #[serde(rename = "type")]
    pub ty: String,
    /// Other instances of it that could be drawn.
    pub other_instances: Vec<String>,
    /// Where the randomness starts.
    pub seed: u64,
    /// What makes the states, in the order of choice.
    pub predicates: Vec<String>,
    /// How states are told apart where observers do not, in words.
    pub note: Option<String>,
    /// Observers that make no states, and why.
    pub left_out: Vec<LeftOut>,
    /// Other things that were left out, and how often.
    pub dropped: BTreeMap<String, usize>,
    /// Methods after which there is no value any more: they are not drawn.
    pub ends: Vec<String>,
    /// Methods that take `&mut self` and never changed a value: they are not drawn.
    pub idle: Vec<String>,
    /// The states; the first is where constructors lead.
    pub states: Vec<StateReport>,
    /// What leads from one to another.
    pub transitions: Vec<TransitionReport>,
    /// Different values that were met.
    pub values: usize,
    /// Calls on them.
    pub calls: usize,
    /// The drawing, as SVG.
    pub drawing: String,
    /// Its file.
    pub svg: PathBuf,
    /// The graph.
    pub dot: PathBuf,
    /// By stage.
    #[serde(deserialize_with = "lenient::seconds")]
    pub seconds: BTreeMap<Timed, f64>,
    /// Ended early, on request: the picture shows what was found by then.
    pub interrupted: bool,
}

/// An observer that makes no states.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LeftOut {
    /// Its name.
    pub observer: String,
    /// Why.
    pub reason: String,
}
/// A state of the machine: values that the predicates do not tell apart.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StateReport {
    /// What tells it from the others.
    pub is: Vec<String>,
    /// What else holds of all values that were seen in it.
    pub also: Vec<String>,
    /// Values that were seen in it.
    pub values: usize,
    /// Methods that always panic here, and elsewhere do not.
    pub panics: Vec<String>,
    /// Methods that panicked here with some arguments.
    pub may_panic: Vec<String>,
}

/// What leads from one state to another.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TransitionReport {
    /// Index of the state; none where constructors begin.
    pub from: Option<usize>,
    /// Index of the state.
    pub to: usize,
    /// Methods, with what they gave where that differs; those seen most often first.
    pub calls: Vec<String>,
}
