//! Builds the crate under test as if it were somewhere else and somebody else's: in a directory with another
//! name, and with other variables wherever its code asks for one while it is compiled.
//!
//! What differs then is no property of the crate, and a test that asserts it fails at the next person's. The
//! package is not copied: the other name leads to the same directory.
//!
//! What is explored is built with other variables, too, so that their values get into no message, no literal
//! and no record: they may be secret.

#![expect(clippy::disallowed_methods, reason = "the compiler's notes are files")]

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testsmith_project::Scratch;

use crate::instrument::Instrument;

/// The variable with the other name of the package's directory.
pub(crate) const ELSEWHERE_VARIABLE: &str = "TESTSMITH_ELSEWHERE";
/// The variable with the names of those that the crate asks for.
const ASKED_VARIABLE: &str = "TESTSMITH_ASKED";
/// The variable with the names of those of them that a build script has set.
const SAID_VARIABLE: &str = "TESTSMITH_SAID";
/// The variable that is set if variables are to be unset.
const UNSET_VARIABLE: &str = "TESTSMITH_UNSET";
/// What variables are set to that are not set here, or have this added.
const OTHER: &str = "elsewhere";

/// What becomes of variables of the user's that are set here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Others {
    /// They are not set elsewhere: what depends on their value, or on there being one, is another. Code that
    /// cannot do without does not compile.
    Unset,
    /// They have other values.
    Changed,
}

/// Lets the command compile the crate under test somewhere else. A build with this profile's directory was
/// made before, as it is here.
pub fn apply_elsewhere(
    command: &mut Command,
    scratch: &Scratch,
    wrapper: &Path,
    profile: &str,
    others: Others,
) {
    let package = scratch.package();
    let Some(other) = other_name(&package.dir) else {
        return;
    };
    let asked = Asked::of(scratch, profile);
    Instrument {
        wrapper: wrapper.to_owned(),
        krate: package.krate.clone(),
        copy: None,
    }
    .apply_elsewhere(command);
    if others == Others::Unset {
        command.env(UNSET_VARIABLE, "1");
    }
    command.env(ELSEWHERE_VARIABLE, other);
    asked.apply(command);
}

/// Variables that a crate asks for while it is compiled, and that may be other ones elsewhere.
#[derive(Default, PartialEq, Eq, Debug)]
pub(crate) struct Asked {
    /// Those of the user's, and cargo's own that say where the package is.
    theirs: BTreeSet<String>,
    /// Those with which a build script says something of this machine or of who uses it.
    said: BTreeSet<String>,
}

impl Asked {
    /// By what the compiler noted for cargo in builds with this profile's directory.
    fn of(scratch: &Scratch, profile: &str) -> Asked {
        let package = scratch.package();
        let built = scratch.target_dir().join(profile).join("deps");
        let beginning = format!("{}-", package.krate);
        let entries = fs::read_dir(built).into_iter().flatten().flatten();
        let paths = entries.map(|it| it.path()).filter(|path| {
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            name.starts_with(&beginning) && name.ends_with(".d")
        });
        let here = |name: &str| std::env::var_os(name);
        let mut asked = Asked::default();
        for text in paths.filter_map(|path| fs::read_to_string(path).ok()) {
            asked.note(&text, here, |value| tells(value, &package.dir));
        }
        asked
    }

    /// Adds what stands in the compiler's notes. `here` are our variables.
    fn note(
        &mut self,
        notes: &str,
        here: impl Fn(&str) -> Option<OsString>,
        tells: impl Fn(&str) -> bool,
    ) {
        let asked = notes.lines().filter_map(|it| it.strip_prefix("# env-dep:"));
        for it in asked {
            let (name, value) = match it.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (it, None),
            };
            // What the manifest says is the crate's own, and the output of its build script is where it is.
            let is_own =
                name.starts_with("CARGO_PKG_") || matches!(name, "CARGO_CRATE_NAME" | "OUT_DIR");
            // A value that nobody set before cargo ran is what the build script says.
            let is_said = !name.starts_with("CARGO_") && here(name).is_none();
            match value.filter(|_| is_said) {
                _ if is_own => {}
                Some(value) if tells(value) => drop(self.said.insert(name.to_owned())),
                Some(_) => {}
                None => drop(self.theirs.insert(name.to_owned())),
            }
        }
    }

    /// Lets the command compile the crate with others in place of these. It has a wrapper.
    pub(crate) fn apply(&self, command: &mut Command) {
        let lines = |names: &BTreeSet<String>| Vec::from_iter(names.clone()).join("\n");
        command
            .env(ASKED_VARIABLE, lines(&self.theirs))
            .env(SAID_VARIABLE, lines(&self.said));
    }

    /// Those whose values somebody may want to keep for himself.
    fn private(self) -> Asked {
        let is_private = |name: &String| !name.starts_with("CARGO_") && is_set(name);
        Asked {
            theirs: self.theirs.into_iter().filter(is_private).collect(),
            said: self.said,
        }
    }

    /// Their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.theirs.iter().chain(&self.said)
    }
}

/// What foreign code must not see, be it only to say it in a message: the values of the user's variables that
/// the crate asked for when it was checked with this profile.
pub(crate) fn private(scratch: &Scratch, profile: &str) -> Asked {
    Asked::of(scratch, profile).private()
}

/// The text without the values of the user's variables that the crate asked for when it was built with this
/// profile's directory.
pub fn without_values(text: &str, scratch: &Scratch, profile: &str) -> String {
    let asked = private(scratch, profile);
    let values = asked.theirs.iter();
    let values = values.filter_map(|name| Some((name, std::env::var(name).ok()?)));
    values.fold(text.to_owned(), |text, (name, value)| {
        text.replace(&value, &format!("${name}"))
    })
}

fn is_set(name: &String) -> bool {
    std::env::var_os(name).is_some_and(|it| !it.is_empty())
}

/// Shorter values stand in other texts by chance.
const TELLING: usize = 5;

/// Does a value say where the package is, or what a variable of ours is?
fn tells(value: &str, dir: &Path) -> bool {
    let is_in = |it: &str| it.len() >= TELLING && value.contains(it);
    dir.to_str().is_some_and(is_in)
        || std::env::vars_os().any(|(_, it)| it.to_str().is_some_and(is_in))
}

/// Another path of a directory.
fn other_name(dir: &Path) -> Option<PathBuf> {
    Some(dir.join("..").join(dir.file_name()?))
}

/// How the crate is compiled somewhere else.
pub(crate) struct Moved {
    pub(crate) arguments: Vec<OsString>,
    /// Those without a value are unset.
    pub(crate) variables: Vec<(String, Option<OsString>)>,
}

/// Run in rustc's place: how the crate is compiled that is to be somewhere else. `None` if none is.
pub(crate) fn moved(arguments: &[OsString]) -> Option<Moved> {
    let other = PathBuf::from(std::env::var_os(ELSEWHERE_VARIABLE)?);
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    let mut remapped = OsString::from("--remap-path-prefix=");
    remapped.push(&here);
    remapped.push("=");
    remapped.push(&other);
    let arguments = arguments.iter().cloned().chain([remapped]).collect();
    Some(Moved {
        arguments,
        variables: others(Some(&other)),
    })
}

/// Run in rustc's place: the variables that are to be others, of which those without a value are unset.
/// `other` is the package's directory, if that is to be another, too.
pub(crate) fn others(other: Option<&Path>) -> Vec<(String, Option<OsString>)> {
    let names = |of: &str| std::env::var(of).unwrap_or_default();
    let are_unset = std::env::var_os(UNSET_VARIABLE).is_some();
    let (theirs, said) = (names(ASKED_VARIABLE), names(SAID_VARIABLE));
    let theirs = theirs.lines().map(|name| {
        let value = match (name, other, std::env::var_os(name)) {
            ("CARGO_MANIFEST_DIR", Some(other), _) => Some(other.into()),
            ("CARGO_MANIFEST_PATH", Some(other), _) => Some(other.join("Cargo.toml").into()),
            // Cargo sets its own wherever that is.
            (name, _, Some(_)) if are_unset && !name.starts_with("CARGO_") => None,
            (.., value) => Some(changed(value)),
        };
        (name.to_owned(), value)
    });
    // A build script says something wherever it runs.
    let said = said.lines().map(|name| {
        let value = changed(std::env::var_os(name));
        (name.to_owned(), Some(value))
    });
    theirs.chain(said).collect()
}

/// Another value of the same kind, and as long: types may depend on that.
fn changed(value: Option<OsString>) -> OsString {
    let Some(value) = value.filter(|it| !it.is_empty()) else {
        return OTHER.into();
    };
    let text = value.to_string_lossy();
    match text.bytes().all(|it| it.is_ascii_digit()) {
        true => {
            let next = |it| if it == b'9' { '1' } else { char::from(it + 1) };
            text.bytes().map(next).collect::<String>().into()
        }
        false => OTHER
            .chars()
            .cycle()
            .take(text.len())
            .collect::<String>()
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_crate_asks_for_is_read_from_the_compilers_notes() {
        let notes = "a.rmeta: src/lib.rs\n\n# env-dep:CI\n# env-dep:USER=me\n\
                     # env-dep:CARGO_PKG_VERSION=1.0.0\n# env-dep:CARGO_MANIFEST_DIR=/a=b\n\
                     # env-dep:SAID_BY_BUILD_SCRIPT=1\n# env-dep:BUILT_BY=I am me\n";
        let here = |name: &str| (name == "USER").then(|| OsString::from("me"));
        let mut asked = Asked::default();
        asked.note(notes, here, |value| value.contains("me"));
        assert_eq!(
            Vec::from_iter(&asked.theirs),
            ["CARGO_MANIFEST_DIR", "CI", "USER"]
        );
        assert_eq!(Vec::from_iter(&asked.said), ["BUILT_BY"]);
    }

    #[test]
    fn another_value_is_of_the_same_kind_and_as_long() {
        assert_eq!(changed(None), "elsewhere");
        assert_eq!(changed(Some("190".into())), "211");
        assert_eq!(changed(Some("me".into())), "el");
        assert_eq!(changed(Some("hunter2xyz".into())), "elsewheree");
    }

    #[test]
    fn a_value_tells_of_the_package_if_its_directory_is_in_it() {
        let dir = Path::new("/home/somebody/package");
        assert!(tells("built in /home/somebody/package", dir));
        assert!(!tells("1.2.3", dir));
    }

    #[test]
    fn another_name_leads_to_the_same_directory() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let other = other_name(here).expect("it has a name");
        assert_ne!(other.as_os_str(), here.as_os_str());
        let real = |path: &Path| path.canonicalize().expect("it is there");
        assert_eq!(real(&other), real(here));
    }
}
