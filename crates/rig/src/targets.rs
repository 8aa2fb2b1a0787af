//! Finds the binaries with tests, and lists their tests.

use std::path::{Path, PathBuf};
use std::time::Duration;

use testsmith_project::{End, Run};

use crate::error::RigError;
use crate::libtest::{Line, ends_list};
use crate::rig::Rig;

/// The longest that a binary may take to list its tests.
const LISTING: Duration = Duration::from_secs(20);

/// A binary with tests.
#[derive(Clone, Debug)]
pub struct Target {
    /// The kind and the name of the target, like `test basics`.
    pub name: String,
    /// The executable.
    pub binary: PathBuf,
    /// The root file of the target, relative to the package.
    pub root: PathBuf,
    /// The package's directory, where it runs.
    pub dir: PathBuf,
}

impl Target {
    /// Do its tests stand in the same files as the code that they test?
    pub fn is_library(&self) -> bool {
        !self.name.starts_with("test ")
    }
}

/// A test that a binary lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// The name that the binary gives it.
    pub name: String,
    /// Is it run only if somebody asks for it?
    pub is_ignored: bool,
}

impl Rig {
    /// The targets with tests that cargo built for the package in this directory.
    pub fn targets(&self, run: &Run, dir: &Path) -> Vec<Target> {
        let root = |name: &str| {
            let root = run.roots.get(name).cloned().unwrap_or_default();
            root.strip_prefix(dir).map(Path::to_owned).unwrap_or(root)
        };
        let tests = run.tests.iter();
        tests
            .map(|(name, binary)| Target {
                name: name.clone(),
                binary: binary.clone(),
                root: root(name),
                dir: dir.to_owned(),
            })
            .collect()
    }

    /// The tests of a binary; `None` if the binary has a harness of its own, which lists nothing.
    pub fn list(&self, target: &Target) -> Result<Option<Vec<Listed>>, RigError> {
        let all = self.names(target, &[])?;
        let ignored = self.names(target, &["--ignored"])?;
        let (Some(all), Some(ignored)) = (all, ignored) else {
            return Ok(None);
        };
        let listed = all.into_iter().map(|name| Listed {
            is_ignored: ignored.contains(&name),
            name,
        });
        Ok(Some(listed.collect()))
    }

    fn names(&self, target: &Target, more: &[&str]) -> Result<Option<Vec<String>>, RigError> {
        let mut command = self.command(&target.binary, &target.dir, None);
        command.arg("--list").args(more);
        let mut names = Vec::new();
        let mut last = String::new();
        let process = self.process(&self.cells[0], LISTING);
        let end = process.follow(command, &mut |line| {
            if let Line::Listed(name) = Line::of(line) {
                names.push(name.to_owned());
            }
            if !line.trim().is_empty() {
                line.trim().clone_into(&mut last);
            }
            true
        })?;
        Ok((end == End::Code(0) && ends_list(&last)).then_some(names))
    }
}
