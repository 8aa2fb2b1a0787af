//! Prints the head of a file: its documentation, its condition, and the crates and makers that its
//! tests name.

use std::collections::BTreeSet;
use std::sync::Arc;

use testsmith_api::STAND_INS;
use testsmith_sequence::World;

use crate::guard::{Guard, unused_elsewhere};
use crate::options::EmitOptions;

/// The documentation and the condition. `guards` are those of the file's tests.
pub(crate) fn header(options: &EmitOptions<'_>, guards: &BTreeSet<Guard>) -> String {
    let mut text = String::new();
    for line in &options.header {
        text.push_str(format!("//! {line}").trim_end());
        text.push('\n');
    }
    if let Some(condition) = &options.condition {
        // The condition comes after the documentation, which lints demand of an empty file as well.
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}#![cfg({condition})]\n"));
    }
    let attribute = unused_elsewhere(guards);
    if !attribute.is_empty() && !text.is_empty() && options.condition.is_none() {
        text.push('\n');
    }
    text.push_str(&attribute);
    text
}

/// Declarations that only the root of a test binary can have: crates, where the edition needs that,
/// and makers. `is_named` says whether a path in the code begins with a name.
pub(crate) fn declarations(
    world: &World,
    options: &EmitOptions<'_>,
    is_named: &dyn Fn(&str) -> bool,
) -> String {
    let module = options.module.as_ref().filter(|(name, _)| is_named(name));
    let module = module.map(|(name, file)| {
        // A test file may use only some of the makers, and rustc would warn about the others.
        format!("#[allow(dead_code)]\n#[path = {file:?}]\nmod {name};\n\n")
    });
    let externs = match options.edition {
        // In the oldest edition, crates are not in scope without `extern crate`.
        2015 => {
            let api = &world.catalogue.api;
            let is_crate = |name: &&Arc<str>| {
                let mut modules = options.module.iter();
                !modules.any(|(module, _)| **module == ***name)
                    && ***name != *STAND_INS
                    && is_named(name)
            };
            let others = api.dependencies.iter().filter(is_crate);
            let krates = [&api.krate].into_iter().chain(others);
            let externs = krates.map(|it| format!("extern crate {it};\n"));
            externs.chain(["\n".to_owned()]).collect()
        }
        _ => String::new(),
    };
    format!("{externs}{}", module.unwrap_or_default())
}
