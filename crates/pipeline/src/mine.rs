//! Reads the crate's source and documentation for literals.

use std::path::Path;

use testsmith_api::{Api, CallableId};
use testsmith_explore::Literals;

/// Literals of every Rust file under the package's `src`, `tests` and `examples`, and of the
/// documentation.
pub(crate) fn mine(dir: &Path, api: &Api) -> Literals {
    let mut literals = Literals::default();
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

fn mine_dir(dir: &Path, mine: &mut dyn FnMut(&str)) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            mine_dir(&path, mine);
        // What we wrote ourselves teaches nothing new, and would make runs depend on each other.
        } else if path.extension().is_some_and(|e| e == "rs")
            && !name.starts_with("testsmith_")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            mine(&text);
        }
    }
}
