//! Settings of what is written, and where.

use std::path::PathBuf;

/// What becomes of the suite that is there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Course {
    /// What changed is shown, and what is new is added.
    #[default]
    Usual,
    /// What changed is accepted, too: what tests of these names show, or all if there are none.
    Accept(Vec<String>),
    /// The suite is written as if there were none. Tests of persons stay.
    Fresh,
    /// Each change is shown to the user, who decides.
    Review,
}

/// What the tests are for. Those of each kind go to files of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Aim {
    /// To show what the crate does.
    #[default]
    Suite,
    /// To do what the package's own tests do not: states of theirs with arguments of theirs.
    Combinations,
    /// To notice mutants that the package's own tests do not notice.
    Mutants,
}

/// Settings of what is written, and where.
#[derive(Clone, Debug)]
pub struct Writing {
    /// What becomes of the suite that is there.
    pub course: Course,
    /// What the run is known by: another one that is known by the same has the same seed and explores
    /// as long.
    pub run: String,
    /// The most tests for one type.
    pub max_tests_per_type: usize,
    /// May a type with many operations have more?
    pub max_grows: bool,
    /// Has every case a test of its own?
    pub apart: bool,
    /// What the tests are for.
    pub aim: Aim,
    /// Are new executions made for mutants that survive?
    pub hunts: bool,
    /// Is a case kept that nobody would write, if only it shows something?
    pub keeps_all: bool,
    /// Are failing tests all that is wanted? Then no suite is chosen, and the file of one is left alone.
    pub only_failures: bool,
    /// Have failures a failing test that may be the caller's mistake, too?
    pub all_failures: bool,
    /// The directory for test files, if not the package's `tests/`.
    pub out: Option<PathBuf>,
    /// The directory for kept sequences as programs, if they are wanted.
    pub export: Option<PathBuf>,
    /// Is nothing written into the user's tree?
    pub dry_run: bool,
    /// May the manifest be amended if cargo does not find the tests by itself?
    pub register: bool,
}

impl Default for Writing {
    fn default() -> Writing {
        Writing {
            course: Course::Usual,
            run: String::new(),
            max_tests_per_type: 25,
            max_grows: true,
            apart: false,
            aim: Aim::Suite,
            hunts: true,
            keeps_all: false,
            only_failures: false,
            all_failures: false,
            out: None,
            export: None,
            dry_run: false,
            register: false,
        }
    }
}
