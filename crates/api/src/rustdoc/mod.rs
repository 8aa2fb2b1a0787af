//! Readers of rustdoc's JSON, one per format version.
//!
//! Each rustdoc writes one format only, so the version decides which reader runs. An unknown
//! version is an error that names what we can read, never a guess.

mod docs;
mod std_paths;
#[cfg(test)]
mod tests;
mod v57;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::api::Api;
use crate::callable::TypeAlias;

/// The format versions that [`read`] understands.
pub const SUPPORTED_FORMATS: &[u32] = &[57];

/// Why a rustdoc file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not JSON, or not rustdoc's.
    #[error("this is not rustdoc's JSON")]
    Json(#[from] serde_json::Error),
    /// Written by another rustdoc than those we know.
    #[error("rustdoc wrote format {found}, and formats {supported:?} can be read")]
    Format {
        /// The file's format version.
        found: u32,
        /// What we can read.
        supported: &'static [u32],
    },
}

#[derive(Deserialize)]
struct Peek {
    format_version: u32,
}

/// Crates that code beside this one can name.
#[derive(Clone, Debug, Default)]
pub struct Externs {
    /// By their own names, the names in code.
    pub names: BTreeMap<String, Arc<str>>,
    /// Public paths of items by where they are defined, which may be in a private module.
    pub public: BTreeMap<Arc<str>, Arc<str>>,
    /// Their type aliases, by public path, as far as somebody asked for them.
    pub aliases: BTreeMap<Arc<str>, TypeAlias>,
}

/// Learn a crate's public interface from the JSON that rustdoc wrote for it.
pub fn read(json: &str, externs: &Externs) -> Result<Api, ReadError> {
    let Peek { format_version } = serde_json::from_str(json)?;
    match format_version {
        57 => Ok(v57::read(&serde_json::from_str(json)?, externs)),
        found => Err(ReadError::Format {
            found,
            supported: SUPPORTED_FORMATS,
        }),
    }
}
