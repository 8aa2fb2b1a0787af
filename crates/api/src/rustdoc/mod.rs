//! Reads rustdoc's JSON, whichever rustdoc wrote it.
//!
//! Each rustdoc writes one format only. There is one reader, for the shape that the formats have from 57 on;
//! what an older rustdoc wrote is changed into that shape before (`upgrade.rs`). A newer format than we know is
//! tried, since most of them only add fields, and whoever asks is told so.

mod docs;
mod reader;
mod std_paths;
#[cfg(test)]
mod tests;
mod upgrade;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::Deserialize;

use crate::api::Api;
use crate::callable::TypeAlias;

/// The formats that [`read`] knows: those of Rust 1.85 and of the newest rustdoc when this was written.
pub const KNOWN_FORMATS: RangeInclusive<u32> = 37..=61;
/// From this format on the reader takes what is there.
const READ_AS_IT_IS: u32 = 57;

/// Why a rustdoc file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not JSON, or not rustdoc's.
    #[error("this is not rustdoc's JSON")]
    Json(#[from] serde_json::Error),
    /// Written by another rustdoc than those we know.
    #[error(
        "rustdoc wrote format {found}, and formats {} to {} can be read",
        KNOWN_FORMATS.start(),
        KNOWN_FORMATS.end()
    )]
    Format {
        /// The file's format version.
        found: u32,
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
    if format_version < *KNOWN_FORMATS.start() {
        return Err(ReadError::Format {
            found: format_version,
        });
    }
    let is_unknown = !KNOWN_FORMATS.contains(&format_version);
    let krate = if format_version < READ_AS_IT_IS {
        let mut older = serde_json::from_str(json)?;
        upgrade::upgrade(&mut older, format_version);
        serde_json::from_value(older)
    } else {
        serde_json::from_str(json)
    };
    let krate = krate.map_err(|error| match is_unknown {
        true => ReadError::Format {
            found: format_version,
        },
        false => ReadError::Json(error),
    })?;
    let mut api = reader::read(&krate, externs);
    api.unknown_format = is_unknown.then_some(format_version);
    Ok(api)
}
