//! Builds the crate under test as if it were somewhere else and somebody else's: in a directory with another
//! name, and with other variables wherever its code asks for one while it is compiled.
//!
//! What differs then is no property of the crate, and a test that asserts it fails at the next person's. The
//! package is not copied: the other name leads to the same directory.

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
    let built = scratch.target_dir().join(profile).join("deps");
    let asked = asked_for(&built, &package.krate);
    Instrument {
        wrapper: wrapper.to_owned(),
        krate: package.krate.clone(),
        copy: None,
    }
    .apply_elsewhere(command);
    if others == Others::Unset {
        command.env(UNSET_VARIABLE, "1");
    }
    command
        .env(ELSEWHERE_VARIABLE, other)
        .env(ASKED_VARIABLE, Vec::from_iter(asked).join("\n"));
}

/// Another path of a directory.
fn other_name(dir: &Path) -> Option<PathBuf> {
    Some(dir.join("..").join(dir.file_name()?))
}

/// The variables that a crate asked for in builds of this directory, by what the compiler notes for cargo.
fn asked_for(built: &Path, krate: &str) -> BTreeSet<String> {
    let beginning = format!("{krate}-");
    let entries = fs::read_dir(built).into_iter().flatten().flatten();
    let paths = entries.map(|it| it.path()).filter(|path| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        name.starts_with(&beginning) && name.ends_with(".d")
    });
    let texts = paths.filter_map(|path| fs::read_to_string(path).ok());
    let here = |name: &str| std::env::var_os(name);
    texts.flat_map(|text| variables(&text, here)).collect()
}

/// The variables of the compiler's notes that may be other ones elsewhere. `here` are ours.
fn variables(notes: &str, here: impl Fn(&str) -> Option<OsString>) -> Vec<String> {
    let lines = notes.lines();
    let asked = lines.filter_map(|line| line.strip_prefix("# env-dep:"));
    let asked = asked.map(|it| match it.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (it, None),
    });
    let is_free = |(name, value): &(&str, Option<&str>)| {
        // What the manifest says is the crate's own, and the output of its build script is where it is.
        let is_own =
            name.starts_with("CARGO_PKG_") || matches!(*name, "CARGO_CRATE_NAME" | "OUT_DIR");
        // A value that nobody set before cargo ran is what the build script says.
        let is_said = value.is_some() && !name.starts_with("CARGO_") && here(name).is_none();
        !is_own && !is_said
    };
    asked
        .filter(is_free)
        .map(|(name, _)| name.to_owned())
        .collect()
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
    let asked = std::env::var(ASKED_VARIABLE).unwrap_or_default();
    let are_unset = std::env::var_os(UNSET_VARIABLE).is_some();
    let variables = asked.lines().map(|name| {
        let value = match (name, std::env::var_os(name)) {
            ("CARGO_MANIFEST_DIR", _) => Some(other.clone().into()),
            ("CARGO_MANIFEST_PATH", _) => Some(other.join("Cargo.toml").into()),
            // Cargo sets its own wherever that is.
            (name, Some(_)) if are_unset && !name.starts_with("CARGO_") => None,
            (_, value) => Some(changed(value)),
        };
        (name.to_owned(), value)
    });
    Some(Moved {
        arguments,
        variables: variables.collect(),
    })
}

/// Another value of the same kind.
fn changed(value: Option<OsString>) -> OsString {
    let number = value
        .as_ref()
        .and_then(|it| it.to_str()?.parse::<u64>().ok());
    match (number, value) {
        (Some(number), _) => number.wrapping_add(1).to_string().into(),
        (None, None) => OTHER.into(),
        (None, Some(mut value)) => {
            value.push(OTHER);
            value
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_crate_asks_for_is_read_from_the_compilers_notes() {
        let notes = "a.rmeta: src/lib.rs\n\n# env-dep:CI\n# env-dep:USER=me\n\
                     # env-dep:CARGO_PKG_VERSION=1.0.0\n# env-dep:CARGO_MANIFEST_DIR=/a=b\n\
                     # env-dep:SAID_BY_BUILD_SCRIPT=1\n";
        let here = |name: &str| (name == "USER").then(|| OsString::from("me"));
        assert_eq!(variables(notes, here), ["CI", "USER", "CARGO_MANIFEST_DIR"]);
    }

    #[test]
    fn another_value_is_of_the_same_kind() {
        assert_eq!(changed(None), "elsewhere");
        assert_eq!(changed(Some("12".into())), "13");
        assert_eq!(changed(Some("me".into())), "meelsewhere");
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
