//! What is written, and where.

use std::path::PathBuf;

/// What is written, and where.
#[derive(Clone, Debug)]
pub struct Writing {
    /// Tests for one type at most.
    pub max_tests_per_type: usize,
    /// Has every case a test of its own?
    pub apart: bool,
    /// Are these tests that add to a suite, and go to files of their own?
    pub augments: bool,
    /// Where the test files go instead of the package's `tests/`.
    pub out: Option<PathBuf>,
    /// Where kept sequences go as programs, if anywhere.
    pub export: Option<PathBuf>,
    /// Write nothing into the user's tree.
    pub dry_run: bool,
    /// Amend a manifest whose tests cargo does not find by itself.
    pub register: bool,
}

impl Default for Writing {
    fn default() -> Writing {
        Writing {
            max_tests_per_type: 25,
            apart: false,
            augments: false,
            out: None,
            export: None,
            dry_run: false,
            register: false,
        }
    }
}
