//! The package's own tests: which there are, and what is known of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use testsmith_project::Dependant;

use crate::profile::Profile;
use crate::sources::Sources;

/// A test of the package's own.
#[derive(Clone, Debug)]
pub struct OwnTest {
    /// Its target and its name.
    pub name: String,
    /// The kind of its target, and that one's name.
    pub target: String,
    /// Where it runs.
    pub dir: PathBuf,
    /// Without one it was not built, for nothing that it reaches has changed.
    pub(crate) binary: Option<PathBuf>,
    /// What the binary calls it; `None` if it is all that the binary does.
    pub(crate) exact: Option<String>,
    /// It is not run unless somebody asks for it.
    pub is_ignored: bool,
    /// Is it an example that panics?
    pub(crate) panics: bool,
    /// Its number among the examples in its binary.
    pub(crate) number: Option<usize>,
    /// What it is known by in another run, where lines may be others.
    pub key: String,
    /// Of its text, and of what it shares with other tests.
    pub digest: u64,
}

impl OwnTest {
    /// A test that was not built, by its target and its name, with a digest of its text and of what it
    /// shares with others.
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

    /// A test that a binary lists, or did.
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

    /// Can they run in one process?
    pub fn shares_process(&self, other: &OwnTest) -> bool {
        self.binary == other.binary && self.exact.is_some() && other.exact.is_some()
    }

    /// Does its binary call it so?
    pub fn is_called(&self, name: &str) -> bool {
        self.exact.as_deref() == Some(name)
    }

    /// Is it a test of the documentation?
    pub fn is_example(&self) -> bool {
        self.target == "doc"
    }

    /// What its binary calls it.
    pub fn exact(&self) -> Option<&str> {
        self.exact.as_deref()
    }

    /// Can it be run?
    pub fn is_built(&self) -> bool {
        self.binary.is_some()
    }

    /// Is it one of a target that was not built, for none of its tests goes where something has changed?
    pub fn is_idle(&self) -> bool {
        !self.is_built() && !self.is_example()
    }
}

/// Own tests with what each of them does.
#[derive(Default)]
pub struct Own {
    /// The tests.
    pub tests: Vec<OwnTest>,
    /// What each does with no mutant active, in the same order.
    pub profiles: Vec<Profile>,
    /// What they were built with of the dependencies that only tests, benchmarks and examples have.
    pub needed: Option<BTreeSet<String>>,
    /// Targets of the package with tests, and their root files.
    pub targets: BTreeMap<String, PathBuf>,
    /// What of the tests could not be had, and why.
    pub left_out: BTreeMap<String, usize>,
}

impl Own {
    /// What tests are called now, by what they are known by.
    pub fn names_by_key(&self) -> BTreeMap<&str, &str> {
        let tests = self.tests.iter();
        tests
            .map(|it| (it.key.as_str(), it.name.as_str()))
            .collect()
    }
}

/// Which tests are asked.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Packages of the workspace whose tests are asked, too.
    pub dependants: Vec<Dependant>,
    /// Are they those that nextest lists, each in a process of its own?
    pub nextest: bool,
}

/// Targets with tests. Without any, all are built.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    /// Those that are built.
    pub built: Vec<String>,
    /// Those that are not, with their root files and the names of their tests.
    pub idle: BTreeMap<String, (PathBuf, Vec<String>)>,
}

impl Selection {
    /// As cargo is told.
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

/// What a test is known by in another run.
pub fn key(target: &str, name: &str) -> String {
    format!("{target} {name}")
}

/// Why some examples are no tests.
pub const COMPILED_ONLY: &str =
    "an example of the documentation that is compiled only, or not at all";
