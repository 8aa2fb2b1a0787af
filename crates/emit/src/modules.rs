//! A test binary of several files: one for each module of tests, and a root that declares them.
//!
//! The root has no tests and no `use` lines, so no import can clash with the name of a module.
//! Modules reach what only the root can declare through `crate::`.

use std::collections::BTreeSet;

use testsmith_sequence::World;

use crate::case::TestCase;
use crate::file::{ModuleFile, Taken, TestFile, print_file};
use crate::head::{declarations, header};
use crate::options::EmitOptions;

/// A module of tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Its name, which is neither a keyword nor that of a crate.
    pub name: String,
    /// One line of documentation.
    pub about: String,
    /// The indices of its cases.
    pub cases: Vec<usize>,
}

/// Prints the cases as one file for each module, in a directory of this name beside the root.
pub fn emit_modules(
    world: &World,
    cases: &[TestCase],
    modules: &[Module],
    dir: &str,
    options: &EmitOptions<'_>,
) -> TestFile {
    let mut whole = TestFile::default();
    for module in modules {
        let own: Vec<&TestCase> = module.cases.iter().map(|i| &cases[*i]).collect();
        let options = EmitOptions {
            header: vec![module.about.clone()],
            condition: None,
            ..options.clone()
        };
        let file = print_file(world, &own, &Taken::default(), &options, true);
        if file.tests.is_empty() {
            continue;
        }
        for mut test in file.tests {
            test.name = format!("{}::{}", module.name, test.name);
            test.module = Some(whole.modules.len());
            test.case = module.cases[test.case];
            whole.tests.push(test);
        }
        whole.modules.push(ModuleFile {
            name: module.name.clone(),
            text: file.text,
        });
    }
    whole.text = root(world, &whole.modules, dir, options);
    whole
}

/// The root of a test binary that has these modules, whose files are in a directory of this name
/// beside it.
pub fn root(world: &World, modules: &[ModuleFile], dir: &str, options: &EmitOptions<'_>) -> String {
    let is_named = |krate: &str| {
        let path = format!("{krate}::");
        modules.iter().any(|module| module.text.contains(&path))
    };
    // The root has no tests, and so nothing that is left out with one.
    let mut text = header(options, &BTreeSet::new());
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&declarations(world, options, &is_named));
    let mut names: Vec<&str> = modules.iter().map(|module| &*module.name).collect();
    names.sort_unstable();
    for name in names {
        // Without a path, the root of a test binary would look for the module's file beside itself.
        text.push_str(&format!("#[path = \"{dir}/{name}.rs\"]\nmod {name};\n"));
    }
    options.formatted(text)
}
