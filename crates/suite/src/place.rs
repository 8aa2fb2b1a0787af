//! Where the files of a suite are: their directory, their names, and whether cargo sees them.

use std::path::{Path, PathBuf};

use testsmith_equip::Target;
use testsmith_project::{Package, check_within, check_writable};

use crate::error::SuiteError;
use crate::settings::{Aim, Writing};

/// The names of the test files: one for tests that pass, one for tests that fail.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    pub(crate) regression: &'static str,
    pub(crate) failures: &'static str,
    /// What the tests of the first file are about.
    pub(crate) about: &'static str,
}

impl Names {
    pub(crate) fn of(writing: &Writing) -> Names {
        match writing.aim {
            Aim::Suite => Names {
                regression: "testsmith_regression",
                failures: "testsmith_failures",
                about: "Regression tests",
            },
            // Tests that add to a suite go to another file, so that they do not replace the suite.
            Aim::Combinations => Names {
                regression: "testsmith_augmented",
                failures: "testsmith_augmented_failures",
                about: "Tests that the suite lacks: its states with its arguments in new combinations,",
            },
            Aim::Mutants => Names {
                regression: "testsmith_mutants",
                failures: "testsmith_mutants_failures",
                about: "Tests that notice changes of the code which no other test noticed,",
            },
        }
    }
}

/// The directory of the test files.
pub(crate) struct Destination {
    pub(crate) dir: PathBuf,
    /// Is it the package's `tests`, where cargo looks?
    pub(crate) is_tests: bool,
    /// What no link may lead out of: the package, or else the directory itself.
    pub(crate) root: PathBuf,
}

impl Destination {
    pub(crate) fn of(writing: &Writing, package: &Package) -> Destination {
        let tests = package.dir.join("tests");
        let Some(out) = &writing.out else {
            return Destination {
                dir: tests,
                is_tests: true,
                root: package.dir.clone(),
            };
        };
        let dir = std::path::absolute(out).unwrap_or_else(|_| out.clone());
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let is_tests = real(&dir) == real(&tests);
        let root = match dir.starts_with(&package.dir) {
            true => package.dir.clone(),
            false => dir.clone(),
        };
        Destination {
            dir,
            is_tests,
            root,
        }
    }
}

/// The path relative to the package, if it is inside.
pub(crate) fn relative(package: &Package, path: &Path) -> String {
    let path = path.strip_prefix(&package.dir).unwrap_or(path);
    path.display().to_string()
}

/// Can the files be written? This is asked before exploring, which takes long.
pub fn check_place(writing: &Writing, target: &Target) -> Result<(), SuiteError> {
    if writing.dry_run {
        return Ok(());
    }
    let place = Destination::of(writing, &target.package);
    let names = Names::of(writing);
    let files = [names.regression, names.failures].map(|it| place.dir.join(format!("{it}.rs")));
    let checked = files
        .into_iter()
        .try_for_each(|path| check_within(&path, &place.root))
        .and_then(|()| check_writable(&place.dir));
    checked.map_err(|source| SuiteError::Write {
        path: place.dir,
        source,
    })
}

/// The directory of the suite.
pub fn directory(writing: &Writing, package: &Package) -> PathBuf {
    Destination::of(writing, package).dir
}
