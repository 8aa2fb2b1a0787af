//! Which package is meant, and what its manifest says.

use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, TargetKind};

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
    /// Has it a build script?
    pub has_build_script: bool,
    /// Its features, `default` left out.
    pub features: Vec<String>,
    /// Has it one of that name?
    pub has_default: bool,
    /// What its code and its tests can name besides itself.
    pub dependencies: Vec<Dependency>,
}

/// A direct dependency.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependency {
    /// The package's name.
    pub package: String,
    /// Its own name in code, as rustdoc says it.
    pub krate: String,
    /// Its name in the code of the package that depends on it.
    pub name_in_code: String,
    /// The line of a manifest that asks for it, without any feature.
    pub requirement: String,
}

impl Package {
    /// Does it have a feature of this name?
    pub fn has_feature(&self, name: &str) -> bool {
        name == "default" || self.features.iter().any(|feature| feature == name)
    }
}

/// Several packages of a workspace.
#[derive(Debug)]
pub struct Selection {
    /// Those with a library, in the order asked for or else of the workspace.
    pub packages: Vec<Package>,
    /// Those without, and why: found by `--workspace`, which asks for none of them by name.
    pub without_library: Vec<LocateError>,
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
    let metadata = metadata(manifest_path)?;
    let members = metadata.workspace_packages();
    if let Some(name) = name {
        return package(&metadata, named(&members, name)?);
    }
    let root = metadata.root_package().map(|p| &p.id);
    let with_library: Vec<_> = members.iter().filter(|p| library(p).is_some()).collect();
    let meant = match (
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
    };
    package(&metadata, meant)
}

/// Finds the packages of these names, or every member of the workspace if there are none.
pub fn select(manifest_path: Option<&Path>, names: &[String]) -> Result<Selection, LocateError> {
    let metadata = metadata(manifest_path)?;
    let members = metadata.workspace_packages();
    let mut selection = Selection {
        packages: Vec::new(),
        without_library: Vec::new(),
    };
    for name in names {
        let found = package(&metadata, named(&members, name)?)?;
        if !selection.packages.iter().any(|p| p.name == found.name) {
            selection.packages.push(found);
        }
    }
    if names.is_empty() {
        for member in &members {
            match package(&metadata, member) {
                Ok(package) => selection.packages.push(package),
                Err(error @ LocateError::NoLibrary { .. }) => selection.without_library.push(error),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(selection)
}

fn metadata(manifest_path: Option<&Path>) -> Result<Metadata, LocateError> {
    let mut command = MetadataCommand::new();
    command.no_deps();
    if let Some(path) = manifest_path {
        command.manifest_path(path);
    }
    command.exec().map_err(LocateError::Metadata)
}

fn named<'m>(
    members: &[&'m cargo_metadata::Package],
    name: &str,
) -> Result<&'m cargo_metadata::Package, LocateError> {
    let found = members.iter().find(|p| p.name.as_str() == name);
    found.copied().ok_or_else(|| LocateError::Unknown {
        name: name.to_owned(),
        candidates: members.iter().map(|p| p.name.to_string()).collect(),
    })
}

fn package(metadata: &Metadata, package: &cargo_metadata::Package) -> Result<Package, LocateError> {
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
        has_build_script: package.targets.iter().any(|it| it.is_custom_build()),
        features: package
            .features
            .keys()
            .filter(|name| *name != "default")
            .cloned()
            .collect(),
        has_default: package.features.contains_key("default"),
        dependencies: package.dependencies.iter().filter_map(dependency).collect(),
    })
}

/// One that every build of the package has, from a registry or a directory.
fn dependency(dependency: &cargo_metadata::Dependency) -> Option<Dependency> {
    if dependency.kind != DependencyKind::Normal || dependency.target.is_some() {
        return None;
    }
    let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
    let place = match (&dependency.path, &dependency.registry, &dependency.source) {
        (Some(path), ..) => format!("path = {:?}", path.as_str()),
        (None, None, Some(_)) => format!("version = \"{}\"", dependency.req),
        (None, Some(index), Some(_)) => {
            let version = &dependency.req;
            format!("version = \"{version}\", registry-index = {index:?}")
        }
        (None, _, None) => return None,
    };
    let is_git = |source: &cargo_metadata::Source| source.repr.starts_with("git+");
    if dependency.source.as_ref().is_some_and(is_git) {
        return None;
    }
    Some(Dependency {
        package: dependency.name.clone(),
        krate: dependency.name.replace('-', "_"),
        name_in_code: name.replace('-', "_"),
        requirement: format!(
            "{name:?} = {{ package = {:?}, {place}, default-features = false }}",
            dependency.name
        ),
    })
}

/// A package of the workspace that depends on another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependant {
    /// Its name.
    pub name: String,
    /// The manifest's directory, below the root of the workspace.
    pub dir: PathBuf,
}

/// Members of the workspace that depend on a package, be it through others or for their tests alone.
pub fn dependants(package: &Package) -> Result<Vec<Dependant>, LocateError> {
    let metadata = MetadataCommand::new()
        .manifest_path(&package.manifest_path)
        .no_deps()
        .exec()
        .map_err(LocateError::Metadata)?;
    let mut names = vec![package.name.clone()];
    let mut found: Vec<Dependant> = Vec::new();
    loop {
        let is_new = |it: &&&cargo_metadata::Package| {
            let depends = it.dependencies.iter().any(|it| names.contains(&it.name));
            depends && !names.contains(&it.name.to_string())
        };
        let members = metadata.workspace_packages();
        let Some(member) = members.iter().find(is_new) else {
            return Ok(found);
        };
        let dir = member.manifest_path.parent().map(|it| it.as_std_path());
        let dir = dir.unwrap_or(Path::new(""));
        let below = dir.strip_prefix(&package.workspace_root).unwrap_or(dir);
        found.push(Dependant {
            name: member.name.to_string(),
            dir: below.to_owned(),
        });
        names.push(member.name.to_string());
    }
}

fn library(package: &cargo_metadata::Package) -> Option<&cargo_metadata::Target> {
    package.targets.iter().find(|target| {
        target
            .kind
            .iter()
            .any(|kind| matches!(kind, TargetKind::Lib | TargetKind::RLib | TargetKind::DyLib))
    })
}
