//! Finds the paths by which items of other crates can be named. rustc decides.
//!
//! rustdoc says where an item is defined. If that is in a private module, it is re-exported
//! somewhere above, as a rule under the same name. If that is in a crate which the package does not
//! depend on itself, it is re-exported by one that it depends on, as a rule in the same module.
//!
//! **Direct dependencies can be named.** Integration tests see what the package itself depends on,
//! under the same names. So does the harness (`Scratch::name_dependencies`): same requirement, no
//! features of its own, so that cargo picks the same version. rustdoc says where an item is
//! defined, which may be a private module: `harness/names.rs` tries the paths with fewer modules,
//! all in one `cargo check`. What a crate behind a direct dependency defines is looked for in those
//! that depend on it (`serde::de::Deserialize` for `serde_core`'s), as `cargo tree` knows them: the
//! lock file also lists what features that are off would ask for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use testsmith_api::{FullNames, Names as _};
use testsmith_project::{Run, Scratch};

use crate::build::{BuildError, apply_profile};
use crate::instrument::Instrument;

/// How many modules of a path are tried with and without.
const MAX_MODULES: usize = 4;

/// An item of another crate.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// The path where it is defined.
    pub definition: Arc<str>,
    /// The names in code of crates through which it may be named: its own, or crates that depend on
    /// its own.
    pub through: Vec<String>,
}

/// For each definition, a path by which the item can be named, if any was found.
pub fn public_names(
    scratch: &Scratch,
    items: &[Foreign],
    instrument: Option<&Instrument>,
) -> Result<BTreeMap<Arc<str>, Arc<str>>, BuildError> {
    let mut candidates = Vec::new();
    for item in items {
        let paths = paths(item).into_iter();
        candidates.extend(paths.map(|path| (&item.definition, path)));
    }
    let mut text = String::from("#![allow(warnings)]\n");
    for (i, (_, candidate)) in candidates.iter().enumerate() {
        let _ = writeln!(text, "use {} as _{i};", FullNames.path(candidate));
    }
    scratch.write("names/Cargo.toml", &scratch.manifest("names", "", ""))?;
    scratch.write("names/src/lib.rs", &text)?;
    scratch.members(&["docs", "names"])?;
    let mut command = scratch.cargo("check");
    command.args(["--package", "testsmith-names"]);
    apply_profile(&mut command, instrument);
    let run = Run::of(&mut command)?;
    // If other code does not build, building the harness reports it.
    let is_ours = |package: &str| package.contains("testsmith-names");
    if !run.success && !run.errors.iter().any(|error| is_ours(&error.package)) {
        return Ok(BTreeMap::new());
    }
    let refused: BTreeSet<u32> = run
        .errors
        .iter()
        .flat_map(|error| &error.spans)
        .filter(|span| span.primary && span.file.ends_with("names/src/lib.rs"))
        .map(|span| span.line)
        .collect();
    let mut found: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
    for (i, (definition, candidate)) in candidates.iter().enumerate() {
        // One line stands before the candidates.
        if !refused.contains(&(i as u32 + 2)) {
            let definition = Arc::clone(definition);
            let path = || candidate.as_str().into();
            found.entry(definition).or_insert_with(path);
        }
    }
    Ok(found)
}

/// The paths that the item may have, the likeliest first.
fn paths(item: &Foreign) -> Vec<String> {
    let Some((krate, rest)) = item.definition.split_once("::") else {
        return Vec::new();
    };
    let of_crate = |name: &String| shorter(&format!("{name}::{rest}"));
    let mut paths: Vec<String> = item.through.iter().flat_map(of_crate).collect();
    // A crate may have `pub use other_crate;`.
    let whole = item.through.iter().filter(|name| **name != krate);
    let whole = whole.map(|name| format!("{name}::{krate}::{rest}"));
    paths.extend(whole);
    paths
}

/// The path itself, and then with fewer and fewer of its modules: a path close to the definition is
/// least likely to lead to something else of the same name.
fn shorter(path: &str) -> Vec<String> {
    let segments: Vec<&str> = path.split("::").collect();
    let [krate, modules @ .., name] = segments.as_slice() else {
        return vec![path.to_owned()];
    };
    let n_modules = modules.len().min(MAX_MODULES);
    let mut choices: Vec<u32> = (0..1 << n_modules).collect();
    choices.sort_by_key(|left_out| left_out.count_ones());
    let choose = |left_out: u32| {
        let kept = modules.iter().enumerate();
        let kept = kept.filter(|(i, _)| *i >= n_modules || left_out & (1 << i) == 0);
        let mut parts = vec![*krate];
        parts.extend(kept.map(|(_, module)| *module));
        parts.push(name);
        parts.join("::")
    };
    choices.into_iter().map(choose).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_tried_with_fewer_and_fewer_modules() {
        assert_eq!(shorter("a::B"), ["a::B"]);
        assert_eq!(
            shorter("a::b::c::D"),
            ["a::b::c::D", "a::c::D", "a::b::D", "a::D"]
        );
    }

    #[test]
    fn an_item_of_an_indirect_dependency_is_looked_for_in_direct_ones() {
        let item = Foreign {
            definition: "a_core::b::C".into(),
            through: vec!["a".to_owned()],
        };
        assert_eq!(paths(&item), ["a::b::C", "a::C", "a::a_core::b::C"]);
    }
}
