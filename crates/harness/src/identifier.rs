//! Writes names of the model for the harness, which is of the newest edition, whatever edition the
//! crate has.

use std::borrow::Cow;

use testsmith_api::{NEWEST_EDITION, identifier};

/// A name as the harness writes it.
pub(crate) fn raw(name: &str) -> Cow<'_, str> {
    identifier(name, NEWEST_EDITION)
}
