//! Reads the crate's source and documentation for literals, examples and tests.

#![expect(
    clippy::disallowed_methods,
    reason = "literals are found in the package's source"
)]

use std::path::Path;

use testsmith_api::{Api, CallableId};
use testsmith_explore::{Literals, Sources};

use crate::values::Limited;

/// Collects literals of every Rust file under the package's `src`, `tests` and `examples`, and of
/// the documentation. Parameters that the user limits take only the values that the user allows.
pub fn mine(dir: &Path, api: &Api, limited: &Limited) -> Literals {
    let mut literals = Literals::default();
    for ((callable, input), allowed) in limited {
        literals.allow(*callable, *input, allowed.clone());
    }
    mine_dir(&dir.join("src"), &mut |source| literals.mine(source));
    for part in ["tests", "examples"] {
        mine_dir(&dir.join(part), &mut |source| literals.mine_aside(source));
    }
    for (i, callable) in api.callables.iter().enumerate() {
        for example in &callable.docs.examples {
            literals.mine_example(CallableId(i as u32), example);
        }
    }
    literals.settle();
    literals
}

/// Collects the code that shows how the crate is used: examples of the documentation, and the tests
/// under `src` and `tests`.
pub fn sources(dir: &Path, api: &Api) -> Sources {
    let mut tests = Vec::new();
    for part in ["src", "tests"] {
        mine_dir(&dir.join(part), &mut |source| {
            // Most files have no tests, and parsing all files of a large crate takes a while.
            if source.contains("test]") || part == "tests" {
                tests.push(source.to_owned());
            }
        });
    }
    Sources {
        examples: api.examples.iter().map(|it| it.to_string()).collect(),
        tests,
        aliases: api
            .aliases
            .iter()
            .map(|(name, head)| (name.to_string(), head.to_string()))
            .collect(),
    }
}

fn mine_dir(dir: &Path, mine: &mut dyn FnMut(&str)) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Tests that testsmith wrote teach nothing new, and would make one run depend on the one
        // before.
        if name.starts_with("testsmith_") {
            continue;
        }
        if path.is_dir() {
            mine_dir(&path, mine);
        } else if path.extension().is_some_and(|e| e == "rs")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            mine(&text);
        }
    }
}
