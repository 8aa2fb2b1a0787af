//! Finds a version of a package by what the user calls it: a directory, a revision of the
//! repository that the present package is in, or a published version.
//!
//! Revisions and published versions are copied into a directory of testsmith's. The user's tree,
//! index and list of worktrees stay as they are.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::MetadataCommand;

use crate::package::{LocateError, Package, locate};
use crate::twin::copy_all;

/// A version that was found.
#[derive(Clone, Debug)]
pub struct Version {
    /// The package in that version.
    pub package: Package,
    /// Where the version comes from, in words: `directory ../semver`, `revision v1.0.4
    /// (1f2e3d4c5b6a)`, `published 1.0.4`.
    pub origin: String,
    /// Was it downloaded? Then nobody here wrote its settings.
    pub is_downloaded: bool,
}

/// Why a version cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    /// The word means nothing that testsmith knows.
    #[error(
        "`{word}` is neither a directory with a Cargo.toml, nor a published version like `1.2.3` or \
         `name@1.2.3`, nor a git revision: {why}"
    )]
    Unknown {
        /// The word that the user wrote.
        word: String,
        /// What git says, or why git was not asked.
        why: String,
    },
    /// The word means a version or revision of the present package, but there is none.
    #[error(
        "`{word}` would be a version of the package in this directory, and there is none: {why}"
    )]
    NoPackage {
        /// The word that the user wrote.
        word: String,
        /// Why there is none.
        why: String,
    },
    /// Cargo cannot get the version.
    #[error("cargo cannot get {name} {version}: {source}")]
    NotPublished {
        /// The package.
        name: String,
        /// Its version.
        version: String,
        /// What cargo says.
        source: Box<cargo_metadata::Error>,
    },
    /// The published package has no library.
    #[error("{name} {version} is published without a library")]
    NoLibrary {
        /// The package.
        name: String,
        /// Its version.
        version: String,
    },
    /// The revision has no manifest where the package is now.
    #[error("revision `{word}` has no Cargo.toml where the package is now ({})", place.display())]
    NotThere {
        /// The word that the user wrote.
        word: String,
        /// The directory, from the root of the repository.
        place: PathBuf,
    },
    /// Git could not be run, or failed.
    #[error("git cannot write out revision `{word}`: {why}")]
    Git {
        /// The word that the user wrote.
        word: String,
        /// What went wrong.
        why: String,
    },
    /// The version exists, but its package cannot be used.
    #[error("cannot use `{word}`: {source}")]
    Locate {
        /// The word that the user wrote.
        word: String,
        /// Why not.
        source: LocateError,
    },
    /// A copy could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The path.
        path: PathBuf,
        /// Why it could not be written.
        source: io::Error,
    },
}

/// Finds what `word` means. `here` is the package of the current directory, if there is one; `name`
/// is the package that the user asks for in a workspace; `dir` is a directory of testsmith's for
/// the copy.
pub fn find_version(
    word: &str,
    here: Result<&Package, &LocateError>,
    name: Option<&str>,
    dir: &Path,
) -> Result<Version, VersionError> {
    let path = Path::new(word);
    if path.join("Cargo.toml").is_file() {
        let manifest = path.join("Cargo.toml");
        return version(word, &manifest, name, format!("directory {word}"));
    }
    let source = dir.join("source");
    let own = || {
        here.map_err(|why| VersionError::NoPackage {
            word: word.to_owned(),
            why: why.to_string(),
        })
    };
    match word.split_once('@') {
        Some((name, number)) if is_name(name) && is_version(number) => {
            published(word, name, number, dir, &source)
        }
        None if is_version(word) => published(word, &own()?.name, word, dir, &source),
        _ if path.is_dir() => Err(VersionError::Unknown {
            word: word.to_owned(),
            why: "the directory has no Cargo.toml".to_owned(),
        }),
        _ => revision(word, own()?, dir, &source),
    }
}

fn version(
    word: &str,
    manifest: &Path,
    name: Option<&str>,
    origin: String,
) -> Result<Version, VersionError> {
    let package = locate(Some(manifest), name).map_err(|source| VersionError::Locate {
        word: word.to_owned(),
        source,
    })?;
    Ok(Version {
        package,
        origin,
        is_downloaded: false,
    })
}

fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !text.is_empty() && text.chars().all(is_letter)
}

/// Is the text like `1.2.3`, perhaps with more after it?
fn is_version(text: &str) -> bool {
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let numbers: Vec<&str> = text[..end].split('.').collect();
    let is_number = |it: &&str| !it.is_empty() && it.chars().all(|c| c.is_ascii_digit());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-+".contains(c);
    numbers.len() == 3 && numbers.iter().all(is_number) && text[end..].chars().all(is_plain)
}

/// Makes an empty directory at this path.
fn emptied(path: &Path) -> Result<(), VersionError> {
    let write = || match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::create_dir_all(path),
    };
    write().map_err(|error| failed(path, error))
}

fn failed(path: &Path, source: io::Error) -> VersionError {
    VersionError::Write {
        path: path.to_path_buf(),
        source,
    }
}

/// Lets cargo get the version, as it would for a package that depends on it, and copies its source.
fn published(
    word: &str,
    name: &str,
    number: &str,
    dir: &Path,
    source: &Path,
) -> Result<Version, VersionError> {
    let asking = dir.join("asking");
    let write = |file: &str, text: String| {
        let path = asking.join(file);
        fs::write(&path, text).map_err(|error| failed(&path, error))
    };
    emptied(&asking.join("src"))?;
    write("src/lib.rs", String::new())?;
    write(
        "Cargo.toml",
        format!(
            "[package]\nname = \"testsmith-asking\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
             [dependencies.wanted]\npackage = {name:?}\nversion = \"={number}\"\n\n[workspace]\n"
        ),
    )?;
    // The lock file of an earlier request may hold another version.
    let _ = fs::remove_file(asking.join("Cargo.lock"));
    let metadata = MetadataCommand::new()
        .manifest_path(asking.join("Cargo.toml"))
        .exec()
        .map_err(|source| VersionError::NotPublished {
            name: name.to_owned(),
            version: number.to_owned(),
            source: Box::new(source),
        })?;
    let no_library = || VersionError::NoLibrary {
        name: name.to_owned(),
        version: number.to_owned(),
    };
    // The text of the version does not do for finding it, because build metadata need not be
    // written.
    let resolve = metadata.resolve.as_ref().ok_or_else(no_library)?;
    let root = resolve.root.as_ref();
    let node = resolve.nodes.iter().find(|node| Some(&node.id) == root);
    let wanted = node.and_then(|node| node.dependencies.first());
    let wanted = wanted.ok_or_else(no_library)?;
    let package = &metadata[wanted];
    let from = package.manifest_path.parent().ok_or_else(no_library)?;
    emptied(source)?;
    copy_all(from.as_std_path(), source, source).map_err(|error| failed(source, error))?;
    // Packages that depend on it do not build with its lock file either.
    let _ = fs::remove_file(source.join("Cargo.lock"));
    let manifest = source.join("Cargo.toml");
    stand_alone(&manifest, source)?;
    let origin = format!("published {}", package.version);
    let found = version(word, &manifest, Some(&package.name), origin)?;
    Ok(Version {
        is_downloaded: true,
        ..found
    })
}

/// Lets git write out the revision through an index of testsmith's. So neither the user's index nor
/// the list of worktrees changes, and no attribute leaves files out.
fn revision(
    word: &str,
    here: &Package,
    dir: &Path,
    source: &Path,
) -> Result<Version, VersionError> {
    let fail = |why: String| VersionError::Git {
        word: word.to_owned(),
        why,
    };
    let unknown = |why: String| VersionError::Unknown {
        word: word.to_owned(),
        why,
    };
    let index = dir.join("index");
    let git = |args: &[&str]| -> Result<String, String> {
        let output = Command::new("git")
            .args(args)
            .current_dir(&here.dir)
            .env("GIT_INDEX_FILE", &index)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot start git: {error}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        match output.status.success() {
            true => Ok(text(&output.stdout)),
            false => Err(text(&output.stderr)),
        }
    };
    let root = PathBuf::from(git(&["rev-parse", "--show-toplevel"]).map_err(unknown)?);
    let named = format!("{word}^{{commit}}");
    let commit = git(&["rev-parse", "--verify", "--end-of-options", &named]).map_err(unknown)?;
    emptied(source)?;
    let prefix = format!("--prefix={}/", source.display());
    git(&["read-tree", &commit]).map_err(fail)?;
    // git writes only what is below its directory, so it is run at the root.
    let top = root.display().to_string();
    git(&["-C", &top, "checkout-index", "--all", "--force", &prefix]).map_err(fail)?;
    let _ = fs::remove_file(&index);
    let below = |path: &Path| {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let root = root.canonicalize().unwrap_or_else(|_| root.clone());
        path.strip_prefix(&root).map(Path::to_path_buf)
    };
    // The members of the workspace may have moved, or the package may be older than its workspace.
    let places = [&here.workspace_root, &here.dir].map(|it| below(it).unwrap_or_default());
    let origin = format!("revision {word} ({})", &commit[..commit.len().min(12)]);
    let mut found = Err(VersionError::NotThere {
        word: word.to_owned(),
        place: places[1].clone(),
    });
    for place in &places {
        let manifest = source.join(place).join("Cargo.toml");
        if !manifest.is_file() {
            continue;
        }
        stand_alone(&manifest, source)?;
        found = version(word, &manifest, Some(&here.name), origin.clone());
        if found.is_ok() {
            break;
        }
    }
    found
}

/// Keeps cargo from taking the copy, which is below the user's target directory, for a member of
/// the user's workspace.
fn stand_alone(manifest: &Path, root: &Path) -> Result<(), VersionError> {
    let has_workspace = |dir: &Path| {
        let text = fs::read_to_string(dir.join("Cargo.toml")).ok();
        let table = text.and_then(|text| text.parse::<toml::Table>().ok());
        table.is_some_and(|table| table.contains_key("workspace"))
    };
    let above = manifest.ancestors().skip(1);
    let mut above = above.take_while(|dir| dir.starts_with(root));
    if above.any(has_workspace) {
        return Ok(());
    }
    let write = || {
        let text = fs::read_to_string(manifest)?;
        // The file is made anew, because the original may be read-only.
        fs::remove_file(manifest)?;
        fs::write(manifest, format!("{}\n\n[workspace]\n", text.trim_end()))
    };
    write().map_err(|error| failed(manifest, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_from_revisions() {
        for text in ["1.2.3", "0.10.0-rc.1", "1.0.0+20130313"] {
            assert!(is_version(text), "{text}");
        }
        for text in ["v1.2.3", "1.2", "1.2.3~1", "main", "1..3", "1.2.3-a/b"] {
            assert!(!is_version(text), "{text}");
        }
    }
}
