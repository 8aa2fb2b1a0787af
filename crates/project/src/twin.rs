//! A copy of the user's workspace that may be edited, for tests of the package's own.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cargo::cargo;
use crate::child::CargoCommand;
use crate::package::Dependant;
use crate::scratch::{Scratch, ScratchError};

/// Where the workspace is in the directory of ours.
const SOURCE: &str = "source";

/// The user's workspace once more, below the target directory.
#[derive(Debug)]
pub struct Twin {
    /// A directory of ours; the workspace is below it.
    pub dir: PathBuf,
    /// The directory of the package's manifest.
    pub package: PathBuf,
    scratch: Scratch,
}

impl Twin {
    /// Copies the workspace of the scratch workspace's package, without what was built.
    pub fn create(scratch: &Scratch) -> Result<Twin, ScratchError> {
        let package = scratch.package();
        // Not within the scratch workspace: cargo would take it for a member.
        let dir = package.target_dir.join("testsmith/.twin");
        let dir = dir.join(&package.name);
        let root = dir.join(SOURCE);
        let fail = |source| ScratchError::Write {
            path: root.clone(),
            source,
        };
        match fs::remove_dir_all(&root) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fail(error)),
            _ => copy_all(&package.workspace_root, &root, &package.target_dir).map_err(fail)?,
        }
        let below = package.dir.strip_prefix(&package.workspace_root);
        Ok(Twin {
            package: root.join(below.unwrap_or(Path::new(""))),
            dir,
            scratch: scratch.clone(),
        })
    }

    /// A cargo command on the package; what it builds is kept under this name.
    pub fn cargo(&self, subcommand: &str, built: &str) -> CargoCommand {
        let mut command = self.cargo_of(subcommand, built, &self.scratch.package().name);
        command.args(self.scratch.feature_flags());
        command
    }

    /// The same on another package of the workspace, with its default features.
    pub fn cargo_of(&self, subcommand: &str, built: &str, package: &str) -> CargoCommand {
        let mut command = cargo(&self.package);
        command
            .args(subcommand.split(' '))
            .args(["--package", package])
            .arg("--target-dir")
            .arg(self.dir.join(built))
            // Linking is most of the work, and nobody looks at this in a debugger.
            .env("CARGO_PROFILE_DEV_DEBUG", "false");
        CargoCommand::new(command, self.scratch.cancel.clone())
    }

    /// The names under which the package has what only its tests, benchmarks and examples need.
    pub fn dev_dependencies(&self) -> Result<BTreeSet<String>, ScratchError> {
        let mut names = BTreeSet::new();
        for_dev_dependencies(&mut self.manifest()?, &mut |table| {
            names.extend(table.keys().cloned());
        });
        Ok(names)
    }

    /// Rewrites the manifest so that only these of them are there.
    pub fn keep_dev_dependencies(&self, kept: &BTreeSet<String>) -> Result<(), ScratchError> {
        let mut manifest = self.manifest()?;
        for_dev_dependencies(&mut manifest, &mut |table| {
            table.retain(|name, _| kept.contains(name));
        });
        let text = toml::to_string(&manifest).unwrap_or_default();
        self.write(Path::new("Cargo.toml"), &text)
    }

    /// The user's manifest.
    fn manifest(&self) -> Result<toml::Table, ScratchError> {
        let path = &self.scratch.package().manifest_path;
        let text = fs::read_to_string(path).map_err(|source| ScratchError::Write {
            path: path.clone(),
            source,
        })?;
        Ok(text.parse().unwrap_or_default())
    }

    /// Where another package of the workspace is.
    pub fn dir_of(&self, package: &Dependant) -> PathBuf {
        self.root().join(&package.dir)
    }

    /// The root of the workspace, which rustdoc names files from.
    pub fn root(&self) -> PathBuf {
        self.dir.join(SOURCE)
    }

    /// Is cargo at work on what is built under this name? As far as can be seen.
    pub fn is_busy(&self, built: &str) -> bool {
        let lock = self.dir.join(built).join("debug/.cargo-lock");
        let lock = fs::File::open(lock).map(|it| it.try_lock_shared());
        matches!(lock, Ok(Err(fs::TryLockError::WouldBlock)))
    }

    /// Writes a file of the package, if that changes it: cargo may be reading it.
    pub fn write(&self, file: &Path, text: &str) -> Result<(), ScratchError> {
        // What is absolute stays so.
        let path = self.package.join(file);
        if fs::read_to_string(&path).is_ok_and(|it| it == text) {
            return Ok(());
        }
        fs::write(&path, text).map_err(|source| ScratchError::Write { path, source })
    }
}

/// Goes through all tables of dependencies that are not the library's own.
fn for_dev_dependencies(manifest: &mut toml::Table, look: &mut dyn FnMut(&mut toml::Table)) {
    for name in ["dev-dependencies", "dev_dependencies"] {
        if let Some(table) = manifest.get_mut(name).and_then(|it| it.as_table_mut()) {
            look(table);
        }
    }
    let targets = manifest.get_mut("target").and_then(|it| it.as_table_mut());
    for (_, target) in targets.into_iter().flatten() {
        if let Some(target) = target.as_table_mut() {
            for_dev_dependencies(target, look);
        }
    }
}

/// Copies a directory without what was built; not what `built` is, either.
pub(crate) fn copy_all(from: &Path, to: &Path, built: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let path = entry.path();
        let copy = to.join(entry.file_name());
        let is_ours = path == built || is_built(&path) || entry.file_name() == ".git";
        if is_ours || leads_up(&path) {
            continue;
        }
        // What a link leads to is copied, too: nothing that is edited may be the user's.
        match path.is_dir() {
            true => copy_all(&path, &copy, built)?,
            // With a time of its own: what was built may be of a file that was edited since.
            false => drop(fs::copy(&path, &copy)?),
        }
    }
    Ok(())
}

/// Is it a link to a directory that it is in, or to nothing?
fn leads_up(path: &Path) -> bool {
    let there = fs::canonicalize(path);
    let here = path.parent().and_then(|it| fs::canonicalize(it).ok());
    path.is_symlink() && there.map_or(true, |it| here.is_some_and(|here| here.starts_with(it)))
}

/// Is it a directory that cargo builds in?
fn is_built(path: &Path) -> bool {
    path.join("CACHEDIR.TAG").is_file()
}
