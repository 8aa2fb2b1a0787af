//! The package's own tests, and what is known of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use testsmith_project::Dependant;

use crate::profile::Profile;
use crate::sources::Sources;

/// A test of the package's own.
#[derive(Clone, Debug)]
pub struct OwnTest {
    /// The name of its target, and the test's name there.
    pub name: String,
    /// The kind of its target, and the target's name.
    pub target: String,
    /// The directory that it runs in.
    pub dir: PathBuf,
    /// The binary that it is in. `None` if the test was not built, because nothing that it reaches
    /// has changed.
    pub(crate) binary: Option<PathBuf>,
    /// The name that the binary gives it; `None` if the whole binary is one test.
    pub(crate) exact: Option<String>,
    /// Is it run only if somebody asks for it?
    pub is_ignored: bool,
    /// Is it an example that must panic?
    pub(crate) panics: bool,
    /// Its number among the examples in its binary.
    pub(crate) number: Option<usize>,
    /// The name by which another run knows the test. Line numbers, which change easily, are not in
    /// it.
    pub key: String,
    /// A digest of its text, and of the text that it shares with other tests.
    pub digest: u64,
}

impl OwnTest {
    /// A test that was not built. `digest` is that of its text and of the text that it shares with
    /// other tests.
    pub fn unbuilt(target: &str, name: &str, digest: u64) -> OwnTest {
        OwnTest {
            name: format!("{target} {name}"),
            key: key(target, name),
            target: target.to_owned(),
            dir: PathBuf::new(),
            binary: None,
            exact: Some(name.to_owned()),
            is_ignored: false,
            panics: false,
            number: None,
            digest,
        }
    }

    /// A test that a binary lists, or listed in an earlier run.
    pub(crate) fn listed(
        target: &str,
        binary: Option<&Path>,
        dir: &Path,
        name: &str,
        sources: &Sources,
    ) -> OwnTest {
        OwnTest {
            dir: dir.to_owned(),
            binary: binary.map(Path::to_owned),
            ..OwnTest::unbuilt(target, name, sources.digest(Some(name)))
        }
    }

    /// Can both tests run in one process?
    pub fn shares_process(&self, other: &OwnTest) -> bool {
        self.binary == other.binary && self.exact.is_some() && other.exact.is_some()
    }

    /// Does its binary call it by this name?
    pub fn is_called(&self, name: &str) -> bool {
        self.exact.as_deref() == Some(name)
    }

    /// Is it an example of the documentation?
    pub fn is_example(&self) -> bool {
        self.target == "doc"
    }

    /// The name that its binary gives it.
    pub fn exact(&self) -> Option<&str> {
        self.exact.as_deref()
    }

    /// Can it be run?
    pub fn is_built(&self) -> bool {
        self.binary.is_some()
    }

    /// Is it in a target that was not built, because no test of the target reaches anything that
    /// changed?
    pub fn is_idle(&self) -> bool {
        !self.is_built() && !self.is_example()
    }
}

/// Own tests, and what each of them does.
#[derive(Default)]
pub struct Own {
    /// The tests.
    pub tests: Vec<OwnTest>,
    /// What each test does with no mutant active, in the order of the tests.
    pub profiles: Vec<Profile>,
    /// The dependencies for tests, benchmarks and examples that were needed to build the tests.
    pub needed: Option<BTreeSet<String>>,
    /// Targets of the package that have tests, with their root files.
    pub targets: BTreeMap<String, PathBuf>,
    /// How many tests or dependencies were left out, by reason.
    pub left_out: BTreeMap<String, usize>,
}

impl Own {
    /// The present names of tests, by the keys that other runs know them by.
    pub fn names_by_key(&self) -> BTreeMap<&str, &str> {
        let tests = self.tests.iter();
        tests
            .map(|it| (it.key.as_str(), it.name.as_str()))
            .collect()
    }
}

/// Which tests are run.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Packages of the workspace whose tests are run as well.
    pub dependants: Vec<Dependant>,
    /// Are the tests those that nextest lists, each run in a process of its own?
    pub nextest: bool,
}

/// Which targets with tests are built. With none idle, all are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    /// Targets that are built.
    pub built: Vec<String>,
    /// Targets that are not built, with their root files and the names of their tests.
    pub idle: BTreeMap<String, (PathBuf, Vec<String>)>,
}

impl Selection {
    /// The selection as flags of cargo.
    pub(crate) fn flags(&self) -> Vec<&str> {
        if self.idle.is_empty() {
            return vec!["--tests"];
        }
        let mut flags = Vec::new();
        for target in &self.built {
            match target.split_once(' ') {
                Some(("bin", name)) => flags.extend(["--bin", name]),
                Some(("test", name)) => flags.extend(["--test", name]),
                Some(("example", name)) => flags.extend(["--example", name]),
                Some(("bench", name)) => flags.extend(["--bench", name]),
                _ => flags.push("--lib"),
            }
        }
        flags
    }
}

/// The key by which another run knows a test.
pub fn key(target: &str, name: &str) -> String {
    format!("{target} {name}")
}

/// Why all examples are no tests: cargo would start them itself, without walls.
pub(crate) const STARTED_AT_ONCE: &str = "an example of the documentation, which this toolchain starts before anybody can wall it in (Rust 1.89 can wait)";

/// Why some examples are no tests.
pub const COMPILED_ONLY: &str =
    "an example of the documentation that is compiled only, or not at all";
