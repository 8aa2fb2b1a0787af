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
    /// The path of its manifest.
    pub manifest_path: PathBuf,
    /// The manifest's directory.
    pub dir: PathBuf,
    /// The library's root file. It tells the library apart from other targets of the same name.
    pub root: PathBuf,
    /// The root of its workspace.
    pub workspace_root: PathBuf,
    /// Where cargo builds.
    pub target_dir: PathBuf,
    /// Its edition.
    pub edition: String,
    /// Does cargo find files in `tests/` by itself?
    pub autotests: bool,
    /// Does it have a build script?
    pub has_build_script: bool,
    /// Its features, `default` left out.
    pub features: Vec<String>,
    /// Does it have a feature that is called `default`?
    pub has_default: bool,
    /// Its direct dependencies, which its code and tests can name.
    pub dependencies: Vec<Dependency>,
}

/// A direct dependency.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependency {
    /// The package's name.
    pub package: String,
    /// The name that the dependency has in its own code, as rustdoc says it.
    pub krate: String,
    /// The name that it has in the code of the package.
    pub name_in_code: String,
    /// The line of a manifest that asks for it, without any features.
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
    /// Those with a library, in the order asked for, or else in that of the workspace.
    pub packages: Vec<Package>,
    /// Why the others have none. Only `--workspace` puts up with them, because it names no package.
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
        /// The packages that could be meant.
        candidates: Vec<String>,
    },
    /// None of the packages has a library to test.
    #[error(
        "no package of the workspace has a library target that other code can call{}",
        of(members)
    )]
    NoLibraries {
        /// The packages that were looked at.
        members: Vec<String>,
    },
    /// No package has this name.
    #[error("there is no package `{name}` in this workspace; it has: {}", candidates.join(", "))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The packages that there are.
        candidates: Vec<String>,
    },
    /// The package has no library to test.
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

fn of(names: &[String]) -> String {
    match names {
        [] => ": it has no member".to_owned(),
        names => format!("; looked at: {}", names.join(", ")),
    }
}

/// Finds the package that the user means, as cargo does: the one of that name; without a name, the
/// one with this manifest, or with the nearest manifest at or above the current directory. If that
/// manifest has no package, the default members of its workspace must leave only one to choose.
pub fn locate(manifest_path: Option<&Path>, name: Option<&str>) -> Result<Package, LocateError> {
    let metadata = metadata(manifest_path)?;
    let members = metadata.workspace_packages();
    if let Some(name) = name {
        return package(&metadata, named(&members, name)?);
    }
    let manifest = match manifest_path {
        Some(path) => Some(path.to_owned()),
        None => std::env::current_dir().ok().and_then(|it| above(&it)),
    };
    let own = manifest.and_then(|manifest| of_manifest(&members, &manifest));
    match own {
        Some(own) => package(&metadata, own),
        None => package(&metadata, chosen(&metadata, &members)?),
    }
}

/// The manifest that cargo takes in a directory: the nearest one at or above it.
fn above(dir: &Path) -> Option<PathBuf> {
    let mut manifests = dir.ancestors().map(|it| it.join("Cargo.toml"));
    manifests.find(|it| it.exists())
}

/// The member of the workspace that has this manifest.
fn of_manifest<'m>(
    members: &[&'m cargo_metadata::Package],
    manifest: &Path,
) -> Option<&'m cargo_metadata::Package> {
    // Several paths may lead to one manifest.
    let manifest = manifest.canonicalize().ok()?;
    let is_it = |it: &&&cargo_metadata::Package| {
        let path = it.manifest_path.as_std_path().canonicalize();
        path.is_ok_and(|path| path == manifest)
    };
    members.iter().find(is_it).copied()
}

/// The only default member with a library.
fn chosen<'m>(
    metadata: &Metadata,
    members: &[&'m cargo_metadata::Package],
) -> Result<&'m cargo_metadata::Package, LocateError> {
    let default = &metadata.workspace_default_members;
    let is_default =
        |it: &&&cargo_metadata::Package| default.is_missing() || default.contains(&it.id);
    let defaults: Vec<_> = members.iter().filter(is_default).copied().collect();
    let with_library = defaults.iter().filter(|it| library(it).is_some());
    let with_library: Vec<_> = with_library.copied().collect();
    match (&with_library[..], &defaults[..]) {
        ([only], _) | ([], [only]) => Ok(only),
        ([], _) => Err(LocateError::NoLibraries {
            members: defaults.iter().map(|it| it.name.to_string()).collect(),
        }),
        (several, _) => Err(LocateError::Ambiguous {
            candidates: several.iter().map(|it| it.name.to_string()).collect(),
        }),
    }
}

/// Finds the packages with these names, or every member of the workspace if there are no names.
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
        root: library.src_path.clone().into(),
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

/// A dependency that every build of the package has. `None` for dependencies of tests, of build
/// scripts and of some platforms only.
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
    /// Its directory, relative to the root of the workspace.
    pub dir: PathBuf,
}

/// Members of the workspace that depend on a package, through other members or only for their tests
/// as well.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A workspace of two libraries and a binary, below a root with this manifest.
    struct Workspace(PathBuf);

    impl Workspace {
        fn new(name: &str, root: &str) -> Workspace {
            let dir = format!("testsmith-package-{name}-{}", std::process::id());
            let dir = std::env::temp_dir().join(dir);
            let workspace = Workspace(dir);
            for (member, file) in [("alpha", "lib"), ("beta", "lib"), ("tool", "main")] {
                workspace.write(
                    &format!("{member}/Cargo.toml"),
                    &format!("[package]\nname = \"{member}\"\nedition = \"2024\"\n"),
                );
                workspace.write(&format!("{member}/src/{file}.rs"), "fn main() {}");
            }
            workspace.write("src/lib.rs", "");
            let members =
                "[workspace]\nresolver = \"3\"\nmembers = [\"alpha\", \"beta\", \"tool\"]";
            workspace.write("Cargo.toml", &format!("{members}\n{root}\n"));
            workspace
        }

        fn write(&self, file: &str, text: &str) {
            let path = self.0.join(file);
            std::fs::create_dir_all(path.parent().expect("it has one")).expect("writable");
            std::fs::write(path, text).expect("writable");
        }

        /// The name of the package that is found, or the error.
        fn locate(&self, manifest: &str, name: Option<&str>) -> Result<String, String> {
            let found = locate(Some(&self.0.join(manifest)), name);
            found.map(|it| it.name).map_err(|it| it.to_string())
        }
    }

    impl Drop for Workspace {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_manifest_with_a_package_names_it() {
        let virtual_root = Workspace::new("member", "");
        let found = |manifest: &str, name| virtual_root.locate(manifest, name);
        assert_eq!(found("beta/Cargo.toml", None).as_deref(), Ok("beta"));
        assert_eq!(
            found("beta/../alpha/Cargo.toml", None).as_deref(),
            Ok("alpha")
        );
        let alpha = found("beta/Cargo.toml", Some("alpha"));
        assert_eq!(alpha.as_deref(), Ok("alpha"));
        let refusal = found("tool/Cargo.toml", None).expect_err("it is a binary");
        assert!(refusal.contains("`tool` has no library"), "{refusal}");

        let package = "[package]\nname = \"root\"\nedition = \"2024\"";
        let root = Workspace::new("root", package);
        assert_eq!(root.locate("Cargo.toml", None).as_deref(), Ok("root"));
        let beta = root.locate("beta/Cargo.toml", None);
        assert_eq!(beta.as_deref(), Ok("beta"), "not the root");
    }

    #[test]
    fn a_virtual_manifest_asks_for_a_choice_among_its_default_members() {
        let found = |name, default: &str| {
            let workspace = Workspace::new(name, default);
            workspace.locate("Cargo.toml", None)
        };
        let several = found("all", "").expect_err("two libraries");
        assert!(several.ends_with("library: alpha, beta"), "{several}");
        let one = found("one", "default-members = [\"tool\", \"beta\"]");
        assert_eq!(one.as_deref(), Ok("beta"));
        let none = found("none", "default-members = [\"tool\"]").expect_err("a binary");
        assert!(none.contains("`tool` has no library"), "{none}");
    }

    #[test]
    fn a_directory_belongs_to_the_next_manifest_above_it() {
        let workspace = Workspace::new("above", "");
        let dir = &workspace.0;
        let found = |below: &str| above(&dir.join(below));
        assert_eq!(found("beta/src"), Some(dir.join("beta/Cargo.toml")));
        assert_eq!(found("docs"), Some(dir.join("Cargo.toml")));
    }
}
