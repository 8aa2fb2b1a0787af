//! The scratch workspace: packages of testsmith's that depend on the package under test.
//!
//! **rustdoc in a scratch workspace.** `cargo rustdoc -p` on a package that depends on the user's
//! does not create a lock file in the user's tree and needs no dev-dependencies. `RUSTC_BOOTSTRAP`
//! is set to the crate's name, so that build scripts probing for nightly don't see it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::cargo::cargo;
use crate::child::CargoCommand;
use crate::child::CargoError;
use crate::features::Features;
use crate::lock::Hold;
use crate::package::{Dependency, Package};
use crate::profiles::profiles;
use crate::tree::Tree;

/// A workspace of testsmith's under the user's target directory.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// Its root.
    pub dir: PathBuf,
    /// The flag that ends cargo early, as long as it is here.
    pub cancel: Option<Arc<AtomicBool>>,
    /// An executable that stands in rustc's place for the crate under test, where builds need one.
    pub wrapper: Option<PathBuf>,
    /// Keeps other runs from the workspace, as long as it is here.
    pub hold: Option<Hold>,
    /// Are lints that the package denies only warnings when its tests are built? Code for an older
    /// compiler may break some.
    pub cap_lints: bool,
    /// Is the crate's generic code optimised where the harness instantiates it?
    pub optimise_harness: bool,
    package: Package,
    features: Features,
    /// Dependencies of the package that generated code names.
    named: Vec<Dependency>,
    /// The user's module of functions that make values.
    makers: Option<Makers>,
    /// The name in code of the crate of stand-ins.
    stand_ins: Option<String>,
}

/// The profile in which a suite is checked as `cargo test --release` would run it: the package and
/// its dependencies are optimised and unchecked as they are there. The tests themselves are not
/// optimised, because that takes a compiler four times as long as a debug build of the same tests
/// (283 tests of rangemap: 16.3 s, debug 4.4 s; with neither tests nor package optimised 3.2 s) and
/// finds nothing about the package.
const RELEASED: &str = "released";

/// A file of functions that make values. The harness uses it as a crate, tests as a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Makers {
    /// The name of the module.
    pub name: String,
    /// The file.
    pub file: PathBuf,
}

/// Why something about the scratch workspace failed.
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why it could not be written.
        source: io::Error,
    },
    /// The package has no feature of this name.
    #[error("package `{package}` has no feature `{name}`; it has {}", list(known))]
    UnknownFeature {
        /// The name that was asked for.
        name: String,
        /// The package.
        package: String,
        /// The features that it has.
        known: Vec<String>,
    },
    /// The file of makers cannot be a module.
    #[error("{} cannot be a module of tests: {why}", path.display())]
    Makers {
        /// The file.
        path: PathBuf,
        /// Why it cannot.
        why: String,
    },
    /// Cargo failed.
    #[error(transparent)]
    Cargo(#[from] CargoError),
    /// rustdoc left no JSON where it should have.
    #[error("rustdoc left no JSON at {}: {source}", path.display())]
    NoJson {
        /// The path where it should be.
        path: PathBuf,
        /// Why it could not be read.
        source: io::Error,
    },
}

/// How many direct dependencies are tried when an item of an indirect one has to be named.
const MAX_STANDING: usize = 3;

const DOCS: &str = "docs";
const MAKERS: &str = "makers";
const STAND_INS: &str = "stand-ins";

/// The name of the module in a file: `makers` for `tests/support/makers.rs`, and `support` for
/// `tests/support/mod.rs`.
fn module_name(file: &Path) -> String {
    let stem = |path: &Path| {
        let stem = path.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    };
    match (stem(file).as_str(), file.parent()) {
        ("mod", Some(parent)) => stem(parent),
        (name, _) => name.to_owned(),
    }
}

/// The manifest with this edition in place of 2024.
fn of_edition(manifest: &str, edition: &str) -> String {
    manifest.replace("edition = \"2024\"", &format!("edition = {edition:?}"))
}

fn list(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.join(", "),
    }
}

impl Scratch {
    /// Prepares the workspace: its root manifest, patches, and the user's lock file.
    pub fn create(package: &Package, features: &Features) -> Result<Scratch, ScratchError> {
        // Cargo would report this too, but in terms of the scratch manifest.
        if let Some(name) = features
            .named
            .iter()
            .find(|name| !package.has_feature(name))
        {
            return Err(ScratchError::UnknownFeature {
                name: name.clone(),
                package: package.name.clone(),
                known: package.features.clone(),
            });
        }
        let scratch = Scratch {
            dir: package.target_dir.join("testsmith").join(&package.name),
            cancel: None,
            wrapper: None,
            hold: None,
            cap_lints: false,
            optimise_harness: true,
            package: package.clone(),
            features: features.clone(),
            named: Vec::new(),
            makers: None,
            stand_ins: None,
        };
        scratch.write("docs/src/lib.rs", "")?;
        scratch.forget_other_members()?;
        scratch.write("docs/Cargo.toml", &scratch.manifest(DOCS, "", ""))?;
        scratch.members(&[DOCS])?;
        let lock = package.workspace_root.join("Cargo.lock");
        if let Ok(text) = fs::read_to_string(&lock) {
            scratch.write("Cargo.lock", &text)?;
        }
        Ok(scratch)
    }

    /// Removes members that an earlier run wrote for another place of the package or other features: a
    /// target directory may have been copied together with its package, and cargo refuses a workspace in
    /// which two packages of one name and version meet.
    fn forget_other_members(&self) -> Result<(), ScratchError> {
        let docs = fs::read_to_string(self.dir.join("docs/Cargo.toml"));
        if docs.is_ok_and(|old| old == self.manifest(DOCS, "", "")) {
            return Ok(());
        }
        for member in ["names", "harness", "suite", MAKERS, STAND_INS] {
            let path = self.dir.join(member);
            match fs::remove_dir_all(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(ScratchError::Write { path, source });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Lets generated code name items of these dependencies of the package. They are given by their
    /// names in code.
    pub fn name_dependencies(&mut self, names: &[Arc<str>]) {
        let dependencies = self.package.dependencies.iter();
        let is_named = |dependency: &&Dependency| {
            let mut names = names.iter();
            names.any(|name| **name == *dependency.name_in_code)
        };
        let is_named = |it: &&Dependency| self.makers.is_some() || is_named(it);
        self.named = dependencies.filter(is_named).cloned().collect();
    }

    /// Makes a file of functions that make values a crate of the workspace, with the name of its
    /// module.
    pub fn add_makers(&mut self, file: &Path) -> Result<(), ScratchError> {
        let refuse = |why: String| ScratchError::Makers {
            path: file.to_path_buf(),
            why,
        };
        let file = fs::canonicalize(file).map_err(|error| refuse(error.to_string()))?;
        let name = module_name(&file);
        let is_name = name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
            && name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
        if !is_name {
            return Err(refuse(format!("`{name}` is not a name in Rust")));
        }
        let dependencies = self.package.dependencies.iter();
        let names = dependencies.map(|it| it.name_in_code.as_str());
        let mut taken = names.chain([&*self.package.krate, "std", "core", "alloc"]);
        if taken.any(|it| it == name) {
            return Err(refuse(format!("a crate is called `{name}` as well")));
        }
        self.named = self.package.dependencies.clone();
        let lib = format!("\n[lib]\nname = {name:?}\n");
        let manifest = of_edition(&self.manifest(MAKERS, "", &lib), &self.package.edition);
        self.write("makers/Cargo.toml", &manifest)?;
        let path = file.display().to_string();
        let text = format!("#[path = {path:?}]\nmod module;\npub use module::*;\n");
        self.write("makers/src/lib.rs", &text)?;
        self.makers = Some(Makers { name, file });
        self.members(&[DOCS])
    }

    /// The package that the workspace depends on.
    pub fn package(&self) -> &Package {
        &self.package
    }

    /// The module of makers, if there is one.
    pub fn makers(&self) -> Option<&Makers> {
        self.makers.as_ref()
    }

    /// Writes the crate of stand-ins, one item a line. Its name in code is `name`.
    pub fn add_stand_ins(&mut self, name: &str, items: &[String]) -> Result<(), ScratchError> {
        let lib = format!("\n[lib]\nname = {name:?}\n");
        let edition = match &*self.package.edition {
            // In 2015, crates are not in scope by themselves. Generated code is the same in both
            // otherwise.
            "2015" => "2018",
            edition => edition,
        };
        let manifest = of_edition(&self.manifest(STAND_INS, "", &lib), edition);
        self.write(&format!("{STAND_INS}/Cargo.toml"), &manifest)?;
        // Stand-ins name each other by the same paths as code outside of their crate.
        let text = format!(
            "#![allow(warnings)] extern crate self as {name};\n{}\n",
            items.join("\n")
        );
        self.write(&format!("{STAND_INS}/src/lib.rs"), &text)?;
        self.stand_ins = Some(name.to_owned());
        self.members(&[DOCS])
    }

    /// The lines of a manifest that ask for the crates of makers and of stand-ins.
    pub fn requirements(&self) -> String {
        let line = |name: &str, member: &str| {
            format!("{name} = {{ path = \"../{member}\", package = \"testsmith-{member}\" }}\n")
        };
        let makers = self.makers.as_ref().map(|it| line(&it.name, MAKERS));
        let stand_ins = self.stand_ins.as_ref().map(|it| line(it, STAND_INS));
        makers.into_iter().chain(stand_ins).collect()
    }

    /// Sets the workspace's members. One that is not written yet is none.
    pub fn members(&self, members: &[&str]) -> Result<(), ScratchError> {
        let makers = self.makers.as_ref().map(|_| MAKERS);
        let stand_ins = self.stand_ins.as_ref().map(|_| STAND_INS);
        let members = members.iter().copied().chain(makers).chain(stand_ins);
        let written = members.filter(|it| self.dir.join(it).join("Cargo.toml").is_file());
        let list: Vec<String> = written.map(|m| format!("{m:?}")).collect();
        let mut text = format!(
            "[workspace]\nresolver = \"2\"\nmembers = [{}]\n\n\
             [profile.guest]\ninherits = \"dev\"\nopt-level = 1\ndebug = false\n\
             debug-assertions = true\noverflow-checks = true\nlto = \"off\"\n\n\
             [profile.traced]\ninherits = \"guest\"\n[profile.copied]\ninherits = \"guest\"\n\n\
             [profile.{RELEASED}]\ninherits = \"release\"\n",
            list.join(", ")
        );
        if list.iter().any(|member| member == "\"suite\"") {
            let _ = writeln!(
                text,
                "[profile.{RELEASED}.package.testsmith-suite]\nopt-level = 0"
            );
        }
        if !self.optimise_harness {
            for profile in ["guest", "traced", "copied"] {
                let _ = writeln!(
                    text,
                    "\n[profile.{profile}.package.testsmith-harness]\nopt-level = 0"
                );
            }
        }
        text.push_str(&self.inherited());
        self.write("Cargo.toml", &text)
    }

    /// What the user's workspace says of profiles and, with absolute paths, of patches.
    fn inherited(&self) -> String {
        let root = self.package.workspace_root.join("Cargo.toml");
        let text = fs::read_to_string(&root).unwrap_or_default();
        let mut manifest = text.parse::<toml::Table>().unwrap_or_default();
        let mut inherited = toml::Table::new();
        if let Some(profiles) = profiles(&manifest) {
            inherited.insert("profile".to_owned(), profiles.into());
        }
        if let Some(mut patch) = manifest.remove("patch") {
            self.make_absolute(&mut patch);
            inherited.insert("patch".to_owned(), patch);
        }
        format!("\n{inherited}")
    }

    /// Lets the paths of patches begin at the root.
    fn make_absolute(&self, patch: &mut toml::Value) {
        let sources = patch.as_table_mut().into_iter().flatten();
        let crates = sources.flat_map(|(_, it)| it.as_table_mut().into_iter().flatten());
        for (_, entry) in crates {
            if let Some(path) = entry.get_mut("path")
                && let Some(relative) = path.as_str()
            {
                let absolute = self.package.workspace_root.join(relative);
                *path = toml::Value::String(absolute.display().to_string());
            }
        }
    }

    /// A manifest of a member that depends on the package under test.
    pub fn manifest(&self, name: &str, dependencies: &str, rest: &str) -> String {
        let mut text = format!(
            "[package]\nname = \"testsmith-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
             [dependencies.{:?}]\npath = {:?}\n",
            self.package.name,
            self.package.dir.display().to_string(),
        );
        if !self.features.default {
            text.push_str("default-features = false\n");
        }
        let features = self.features.chosen(&self.package);
        let _ = writeln!(text, "features = {features:?}");
        text.push_str("\n[dependencies]\n");
        for dependency in &self.named {
            let _ = writeln!(text, "{}", dependency.requirement);
        }
        text.push_str(dependencies);
        text.push('\n');
        text.push_str(rest);
        text
    }

    /// The `cfg` predicate of code that was made for the chosen features; `None` if these are the
    /// default ones.
    pub fn condition(&self) -> Option<String> {
        self.features.condition(&self.package)
    }

    /// A `[features]` table that gives a member the package's features, so that the predicate holds
    /// in it.
    pub fn features_table(&self) -> String {
        let mut text = "[features]\n".to_owned();
        let default = self.package.has_default.then_some("default");
        let names = self.package.features.iter().map(String::as_str);
        for name in names.chain(default) {
            let _ = writeln!(text, "{name:?} = []");
        }
        text
    }

    /// The flags that choose the same features in such a member.
    pub fn feature_flags(&self) -> Vec<String> {
        self.features.flags()
    }

    /// Writes a file unless it already has this text, because cargo rebuilds what was written.
    pub fn write(&self, relative: &str, text: &str) -> Result<(), ScratchError> {
        let path = self.dir.join(relative);
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        let write = || -> io::Result<()> {
            fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            fs::write(&path, text)
        };
        write().map_err(|source| ScratchError::Write {
            path: path.clone(),
            source,
        })
    }

    /// The scratch workspace's own target directory.
    pub fn target_dir(&self) -> PathBuf {
        self.dir.join("target")
    }

    /// A cargo command on this workspace. It runs in the user's workspace root, so that cargo
    /// finds the user's configuration.
    pub fn cargo(&self, subcommand: &str) -> CargoCommand {
        let mut command = cargo(&self.package.workspace_root);
        command
            .arg(subcommand)
            .arg("--manifest-path")
            .arg(self.dir.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(self.target_dir());
        CargoCommand::new(command, self.cancel.clone())
    }

    /// A command that runs another program that builds, in this directory. It ends when cargo
    /// would.
    pub fn command(&self, program: &OsStr, dir: &Path) -> CargoCommand {
        let mut command = Command::new(program);
        command.current_dir(dir).stdin(Stdio::null());
        CargoCommand::new(command, self.cancel.clone())
    }

    /// The command that builds the tests of a member without running them, as `cargo test --release`
    /// would.
    pub fn cargo_test_released(&self, member: &str) -> CargoCommand {
        let mut command = self.cargo_test(member);
        command.args(["--profile", RELEASED]);
        command
    }

    /// The command that builds the tests of a member without running them.
    pub fn cargo_test(&self, member: &str) -> CargoCommand {
        const CAP: &str = "--cap-lints=warn";
        let mut command = self.cargo("test");
        let package = format!("testsmith-{member}");
        command.args(["--no-run", "--tests", "--package", &package]);
        let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
        match (self.cap_lints, flags.is_empty()) {
            (false, _) => {}
            // Cargo adds the flag to those of the user's configuration.
            (true, true) => {
                command.args(["--config", &format!("build.rustflags=[{CAP:?}]")]);
            }
            // With this variable set, cargo would not look at its configuration.
            (true, false) => {
                command.env("RUSTFLAGS", format!("{flags} {CAP}"));
            }
        }
        command
    }

    /// The package's API as rustdoc's JSON. Its dependencies are checked under this profile, so
    /// that a later build with the profile finds them.
    pub fn rustdoc_json(&self, profile: &str) -> Result<String, ScratchError> {
        let spec = format!("{}@{}", self.package.name, self.package.version);
        self.json_of(&spec, &self.package.krate, profile)
    }

    /// For each of these crates, the direct dependencies in this build that depend on it, by their
    /// names in code, the closest first.
    pub fn standing_on(
        &self,
        krates: &BTreeSet<String>,
    ) -> Result<BTreeMap<String, Vec<String>>, ScratchError> {
        if krates.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut command =
            CargoCommand::new(cargo(&self.package.workspace_root), self.cancel.clone());
        command
            .args(["tree", "--quiet", "--package", "testsmith-docs"])
            .args(["--edges", "normal", "--prefix", "depth", "--format", "{p}"])
            .arg("--manifest-path")
            .arg(self.dir.join("Cargo.toml"));
        let output = command.output("cargo tree")?;
        let tree = Tree::parse(&String::from_utf8_lossy(&output.stdout));
        let package = &self.package;
        let name_in_code = |name: &str| {
            let mut dependencies = package.dependencies.iter();
            let found = dependencies.find(|it| it.package == name)?;
            Some(found.name_in_code.clone())
        };
        let names = |krate: &String| {
            let standing = tree.standing_on(&package.name, &package.version, krate);
            let names = standing.into_iter().filter_map(name_in_code);
            (krate.clone(), names.take(MAX_STANDING).collect())
        };
        Ok(krates.iter().map(names).collect())
    }

    /// Does the same as [`Scratch::rustdoc_json`] for a direct dependency that was named before.
    pub fn rustdoc_json_of(
        &self,
        dependency: &Dependency,
        profile: &str,
    ) -> Result<String, ScratchError> {
        let version = self.locked_version(&dependency.package);
        let spec = match version {
            Some(version) => format!("{}@{version}", dependency.package),
            None => dependency.package.clone(),
        };
        self.json_of(&spec, &dependency.krate, profile)
    }

    /// Does the same as [`Scratch::rustdoc_json`] for the module of makers.
    pub fn rustdoc_json_of_makers(&self, profile: &str) -> Result<String, ScratchError> {
        let name = self.makers.as_ref().map_or("", |it| &it.name);
        self.json_of(&format!("testsmith-{MAKERS}"), name, profile)
    }

    fn json_of(&self, spec: &str, krate: &str, profile: &str) -> Result<String, ScratchError> {
        let mut command = self.cargo("rustdoc");
        command
            .args(["--quiet", "--lib", "--profile", profile, "--package", spec])
            .args(["--", "-Zunstable-options", "--output-format", "json"])
            .args(["--document-hidden-items", "--cap-lints=allow"])
            // The variable is limited to the crate's name, so that build scripts which probe for
            // nightly don't see it.
            .env("RUSTC_BOOTSTRAP", krate);
        crate::cargo::succeed(&mut command, "rustdoc")?;
        let path = self.target_dir().join("doc").join(format!("{krate}.json"));
        fs::read_to_string(&path).map_err(|source| ScratchError::NoJson { path, source })
    }

    /// The version of a dependency that the package has, if the lock file has several.
    fn locked_version(&self, dependency: &str) -> Option<String> {
        let lock = fs::read_to_string(self.dir.join("Cargo.lock")).ok()?;
        let lock = lock.parse::<toml::Table>().ok()?;
        let packages = lock.get("package")?.as_array()?;
        let is_own = |it: &&toml::Value| {
            let text = |key: &str| it.get(key).and_then(toml::Value::as_str);
            text("name") == Some(&self.package.name)
                && text("version") == Some(&self.package.version)
        };
        let own = packages.iter().find(is_own)?;
        let listed = own.get("dependencies")?.as_array()?.iter();
        // An entry is `name`, or `name version`, or `name version (source)`.
        let mut listed = listed
            .filter_map(toml::Value::as_str)
            .map(|it| it.split(' '));
        listed.find_map(|mut it| {
            (it.next() == Some(dependency))
                .then(|| it.next())?
                .map(str::to_owned)
        })
    }
}
