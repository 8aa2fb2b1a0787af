//! The last line of a file that was written at once: a digest of all of it, so that edits can be noticed.
//! Files of suites have a digest for each test instead ([`crate::standing`]).

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// The beginning of the last line of a written file. A digest of the text follows, so that edits
/// can be noticed.
pub(crate) const MARK: &str = "// testsmith: generated, digest ";

/// The digest of what stands above the mark.
pub(crate) fn digest(body: &str) -> u64 {
    let mut hasher = FxHasher::default();
    body.hash(&mut hasher);
    hasher.finish()
}

/// Is the text still as testsmith wrote it?
pub(crate) fn is_untouched(text: &str) -> bool {
    let Some((body, mark)) = text.rsplit_once(MARK) else {
        return false;
    };
    let claimed = u64::from_str_radix(mark.trim(), 16);
    claimed == Ok(digest(body.trim_end()))
}
