//! Names of the model as the harness writes them: it is of the newest edition, whatever the crate is of.

use std::borrow::Cow;

use testsmith_api::{NEWEST_EDITION, identifier};

/// A name as the harness writes it.
pub(crate) fn raw(name: &str) -> Cow<'_, str> {
    identifier(name, NEWEST_EDITION)
}
