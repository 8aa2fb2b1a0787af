//! Which package is meant, and what its manifest says.

use std::path::{Path, PathBuf};

use cargo_metadata::{MetadataCommand, TargetKind};

/// The package under test.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its name in the manifest.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The library's name in code.
    pub krate: String,
    /// Where its manifest is.
    pub manifest_path: PathBuf,
    /// The manifest's directory.
    pub dir: PathBuf,
    /// The root of its workspace.
    pub workspace_root: PathBuf,
    /// Where cargo builds.
    pub target_dir: PathBuf,
    /// Its edition.
    pub edition: String,
    /// Does cargo find files in `tests/` by itself?
    pub autotests: bool,
}

/// Why no package was found.
#[derive(Debug, thiserror::Error)]
pub enum LocateError {
    /// Cargo could not read the manifest.
    #[error("cargo cannot read the package: {0}")]
    Metadata(#[source] cargo_metadata::Error),
    /// The workspace has several packages and none was named.
    #[error("the workspace has several packages with a library: {}", candidates.join(", "))]
    Ambiguous {
        /// Their names.
        candidates: Vec<String>,
    },
    /// No package of that name.
    #[error("there is no package `{name}` in this workspace; it has: {}", candidates.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What is there.
        candidates: Vec<String>,
    },
    /// No library to test.
    #[error("package `{name}` has no library target that other code can call{detail}")]
    NoLibrary {
        /// The package.
        name: String,
        /// What it has instead.
        detail: &'static str,
    },
    /// The manifest is not valid TOML.
    #[error("cannot read {}: {source}", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        source: std::io::Error,
    },
}

/// Finds the package that the user means.
pub fn locate(manifest_path: Option<&Path>, name: Option<&str>) -> Result<Package, LocateError> {
    let mut command = MetadataCommand::new();
    command.no_deps();
    if let Some(path) = manifest_path {
        command.manifest_path(path);
    }
    let metadata = command.exec().map_err(LocateError::Metadata)?;
    let members = metadata.workspace_packages();
    let names = || members.iter().map(|p| p.name.to_string()).collect();
    let has_library = |p: &&cargo_metadata::Package| library(p).is_some();
    let package = match name {
        Some(name) => members
            .iter()
            .find(|p| p.name.as_str() == name)
            .ok_or_else(|| LocateError::Unknown {
                name: name.to_owned(),
                candidates: names(),
            })?,
        None => {
            let root = metadata.root_package().map(|p| &p.id);
            let with_library: Vec<_> = members.iter().filter(|p| has_library(p)).collect();
            match (
                members.iter().find(|p| Some(&p.id) == root),
                &with_library[..],
            ) {
                (Some(root), _) => root,
                (None, [only]) => only,
                (None, []) if members.len() == 1 => &members[0],
                (None, _) => {
                    return Err(LocateError::Ambiguous {
                        candidates: with_library.iter().map(|p| p.name.to_string()).collect(),
                    });
                }
            }
        }
    };
    let Some(library) = library(package) else {
        let is_macro = package
            .targets
            .iter()
            .any(|t| t.kind.contains(&TargetKind::ProcMacro));
        return Err(LocateError::NoLibrary {
            name: package.name.to_string(),
            detail: if is_macro {
                ": it is a procedural macro, which only the compiler can call"
            } else {
                ": move what should be tested to a `src/lib.rs`"
            },
        });
    };
    let manifest = PathBuf::from(&package.manifest_path);
    let text = std::fs::read_to_string(&manifest).map_err(|source| LocateError::Manifest {
        path: manifest.clone(),
        source,
    })?;
    let autotests = text
        .parse::<toml::Table>()
        .ok()
        .and_then(|t| t.get("package")?.get("autotests")?.as_bool())
        .unwrap_or(true);
    Ok(Package {
        name: package.name.to_string(),
        version: package.version.to_string(),
        krate: library.name.replace('-', "_"),
        dir: manifest.parent().unwrap_or(Path::new("/")).to_path_buf(),
        manifest_path: manifest,
        workspace_root: metadata.workspace_root.clone().into(),
        target_dir: metadata.target_directory.clone().into(),
        edition: package.edition.to_string(),
        autotests,
    })
}

fn library(package: &cargo_metadata::Package) -> Option<&cargo_metadata::Target> {
    package.targets.iter().find(|target| {
        target
            .kind
            .iter()
            .any(|kind| matches!(kind, TargetKind::Lib | TargetKind::RLib | TargetKind::DyLib))
    })
}
