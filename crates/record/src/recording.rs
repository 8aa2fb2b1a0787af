//! The record of `cargo testsmith record`.

use serde::{Deserialize, Serialize};

use crate::RecordKind;

/// What `cargo testsmith record` tells.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordingReport {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// [`RecordKind::Record`].
    pub kind: RecordKind,
    /// The package's name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Calls from outside the crate.
    pub calls: usize,
    /// Were there more calls in some process than there was room for?
    pub cut: bool,
    /// Functions that were called.
    pub functions: Vec<FunctionReport>,
    /// Tests that called them.
    pub tests: Vec<RecordedTest>,
    /// Tests that failed on the copy, with their target.
    pub failed: Vec<String>,
}

/// What was seen of a function.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FunctionReport {
    /// Its path, with the modules and impls around it.
    pub function: String,
    /// The file, relative to the package.
    pub file: String,
    /// Where it begins.
    pub line: usize,
    /// How often it was called.
    pub calls: usize,
    /// Calls that no other is equal to in the state of all arguments, one of each kind.
    pub distinct: usize,
    /// Calls with an argument that cannot be seen whole: of these nobody knows.
    pub opaque: usize,
}

/// What was seen of a test.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedTest {
    /// Its target and its name; calls on threads of its own are nobody's.
    pub test: String,
    /// Calls that it makes.
    pub calls: usize,
    /// Those that differ in the function or the state of all arguments.
    pub distinct: usize,
    /// Those of which no other test makes one like it.
    pub own: usize,
    /// Calls with an argument that cannot be seen whole: of these nobody knows.
    pub opaque: usize,
}
