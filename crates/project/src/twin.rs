//! A copy of the user's workspace that may be edited, for tests of the package's own.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cargo::cargo;
use crate::child::CargoCommand;
use crate::package::Dependant;
use crate::scratch::{Scratch, ScratchError};

/// The directory of the copied workspace within the twin's.
const SOURCE: &str = "source";

/// A copy of the user's workspace, below the target directory.
#[derive(Debug)]
pub struct Twin {
    /// The directory of the twin; the workspace is in it.
    pub dir: PathBuf,
    /// The directory of the package's manifest in the copy.
    pub package: PathBuf,
    scratch: Scratch,
}

impl Twin {
    /// Copies the workspace of the package, without build output.
    pub fn create(scratch: &Scratch) -> Result<Twin, ScratchError> {
        let package = scratch.package();
        // The directory is not within the scratch workspace, because cargo would take it for a
        // member.
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

    /// A cargo command on the package. What it builds goes to the directory `built`.
    pub fn cargo(&self, subcommand: &str, built: &str) -> CargoCommand {
        let mut command = self.cargo_of(subcommand, built, &self.scratch.package().name);
        command.args(self.scratch.feature_flags());
        command
    }

    /// The same command on another package of the workspace, with its default features.
    pub fn cargo_of(&self, subcommand: &str, built: &str, package: &str) -> CargoCommand {
        let mut command = cargo(&self.package);
        command
            .args(subcommand.split(' '))
            .args(["--package", package])
            .arg("--target-dir")
            .arg(self.dir.join(built))
            // Linking is most of the work, and these binaries are never debugged.
            .env("CARGO_PROFILE_DEV_DEBUG", "false");
        CargoCommand::new(command, self.scratch.cancel.clone())
    }

    /// The names of dependencies that only tests, benchmarks and examples of the package have.
    pub fn dev_dependencies(&self) -> Result<BTreeSet<String>, ScratchError> {
        let mut names = BTreeSet::new();
        for_dev_dependencies(&mut self.manifest()?, &mut |table| {
            names.extend(table.keys().cloned());
        });
        Ok(names)
    }

    /// Rewrites the manifest so that only these of those dependencies are left.
    pub fn keep_dev_dependencies(&self, kept: &BTreeSet<String>) -> Result<(), ScratchError> {
        let mut manifest = self.manifest()?;
        for_dev_dependencies(&mut manifest, &mut |table| {
            table.retain(|name, _| kept.contains(name));
        });
        let text = toml::to_string(&manifest).unwrap_or_default();
        self.write(Path::new("Cargo.toml"), &text)
    }

    /// The manifest in the user's tree.
    fn manifest(&self) -> Result<toml::Table, ScratchError> {
        let path = &self.scratch.package().manifest_path;
        let text = fs::read_to_string(path).map_err(|source| ScratchError::Write {
            path: path.clone(),
            source,
        })?;
        Ok(text.parse().unwrap_or_default())
    }

    /// The directory of another package of the workspace.
    pub fn dir_of(&self, package: &Dependant) -> PathBuf {
        self.root().join(&package.dir)
    }

    /// The root of the copied workspace. rustdoc names files from there.
    pub fn root(&self) -> PathBuf {
        self.dir.join(SOURCE)
    }

    /// Is cargo building into this directory at the moment, as far as its lock shows?
    pub fn is_busy(&self, built: &str) -> bool {
        let lock = self.dir.join(built).join("debug/.cargo-lock");
        let lock = fs::File::open(lock).map(|it| it.try_lock_shared());
        matches!(lock, Ok(Err(fs::TryLockError::WouldBlock)))
    }

    /// Writes a file of the package, but only if that changes it, because cargo may be reading it.
    pub fn write(&self, file: &Path, text: &str) -> Result<(), ScratchError> {
        // An absolute path stays as it is.
        let path = self.package.join(file);
        if fs::read_to_string(&path).is_ok_and(|it| it == text) {
            return Ok(());
        }
        fs::write(&path, text).map_err(|source| ScratchError::Write { path, source })
    }
}

/// Goes through all tables of dependencies that only tests, benchmarks and examples have.
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

/// Copies a directory without build output, and without the directory `built`.
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
        // The target of a link is copied, so that no edit reaches a file of the user's.
        match fs::metadata(&path)? {
            it if it.is_dir() => copy_all(&path, &copy, built)?,
            // The copy has the present time: build output may be of a text that the twin had since.
            it if it.is_file() => drop(fs::copy(&path, &copy)?),
            // Whoever opens a pipe waits for somebody at its other end.
            _ => {}
        }
    }
    Ok(())
}

/// Is the path a link to a directory that contains it, or to nothing?
fn leads_up(path: &Path) -> bool {
    let there = fs::canonicalize(path);
    let here = path.parent().and_then(|it| fs::canonicalize(it).ok());
    path.is_symlink() && there.map_or(true, |it| here.is_some_and(|here| here.starts_with(it)))
}

/// Is it a directory that cargo builds in?
fn is_built(path: &Path) -> bool {
    path.join("CACHEDIR.TAG").is_file()
}
