//! Decides when a suite has a file for each module of the crate, and how these files are named.
//!
//! **Files by module, one binary.** A large suite has a file for each module of the crate
//! (`split.rs`): the first on the public path to what a test is about; what the root or a prelude
//! re-exports goes with the module that defines it. Cargo would link every file in `tests/` by
//! itself, so the files are modules of one root, which has nothing else in it: an import beside
//! `mod graph;` could clash with it, and whoever edits a test edits the file of a module, not the
//! root. A module is never called as a crate or a keyword is; its tests are found by the names that
//! libtest gives them.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{NEWEST_EDITION, is_keyword};
use testsmith_emit::{Module, TestCase};
use testsmith_sequence::World;

use crate::subject;

/// The most tests in one file. Few people read more, and a change of one module should show in the
/// file of that module.
const MAX_IN_ONE_FILE: usize = 60;

/// The module of tests for items in the crate's root.
const CRATE_ROOT: &str = "crate_root";

/// Crates that every test binary has or could have.
const STANDARD: &[&str] = &["std", "core", "alloc", "proc_macro", "test"];

/// The modules of a suite, in order of their names. `None` if all of the suite should be one file;
/// `must` splits even a small suite.
pub(crate) fn modules(
    world: &World,
    cases: &[TestCase],
    makers: Option<&str>,
    must: bool,
) -> Option<Vec<Module>> {
    if cases.len() <= MAX_IN_ONE_FILE && !must {
        return None;
    }
    let mut by_module: BTreeMap<Option<String>, Vec<usize>> = BTreeMap::new();
    for (i, case) in cases.iter().enumerate() {
        let module = subject::module(world, case);
        by_module.entry(module).or_default().push(i);
    }
    if by_module.len() < 2 && !must {
        return None;
    }
    let api = &world.catalogue.api;
    let mut names = Names::new(
        STANDARD
            .iter()
            .copied()
            .chain(api.dependencies.iter().map(|it| &**it))
            .chain([&*api.krate])
            .chain(makers),
    );
    let module = |(module, cases): (Option<String>, Vec<usize>)| Module {
        name: names.declare(module.as_deref().unwrap_or(CRATE_ROOT)),
        about: match &module {
            Some(module) => format!("Regression tests of `{}::{module}`.", api.krate),
            None => format!(
                "Regression tests of what is in the root of `{}`.",
                api.krate
            ),
        },
        cases,
    };
    let mut modules: Vec<Module> = by_module.into_iter().map(module).collect();
    modules.sort_by(|a, b| a.name.cmp(&b.name));
    Some(modules)
}

/// Names of modules of tests. A module must not have the name of a crate, because then imports
/// would no longer find the crate; nor a keyword, because editions write those differently.
struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    fn new<'n>(taken: impl Iterator<Item = &'n str>) -> Names {
        Names {
            taken: taken.map(str::to_owned).collect(),
        }
    }

    /// A name for the tests of a module: the module's own name if it is free.
    fn declare(&mut self, module: &str) -> String {
        // rustc would warn about a name that is not in snake case, even if the crate under test has
        // silenced that warning for itself.
        let words = module.split('_').filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(str::to_lowercase).collect();
        let own = words.join("_");
        let numbered = (2..).map(|n| format!("{own}_tests_{n}"));
        let mut names = [own.clone(), format!("{own}_tests")]
            .into_iter()
            .chain(numbered);
        let is_free =
            |name: &String| !is_keyword(name, NEWEST_EDITION) && self.taken.insert(name.clone());
        names.find(is_free).expect("there is always another number")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_neither_a_keyword_nor_a_crates_nor_taken() {
        let mut names = Names::new(["std", "petgraph", "makers"].into_iter());
        let mut declare = |module| names.declare(module);
        assert_eq!(declare("graphmap"), "graphmap");
        assert_eq!(declare("type"), "type_tests");
        assert_eq!(declare("gen"), "gen_tests");
        assert_eq!(declare("std"), "std_tests");
        assert_eq!(declare("petgraph"), "petgraph_tests");
        assert_eq!(declare("makers"), "makers_tests");
        assert_eq!(declare("makers_tests"), "makers_tests_tests");
        assert_eq!(declare("__Private"), "private");
        assert_eq!(declare("private"), "private_tests");
        assert_eq!(declare("Private"), "private_tests_2");
    }
}
