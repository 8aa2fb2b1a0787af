//! Digests of source: what a verdict rests on, to see whether it has changed.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::Path;

use rustc_hash::FxHasher;
use testsmith_harness::tokens;

use crate::minimize::source;

/// A digest that is the same in every process.
pub(crate) fn digest(what: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    what.hash(&mut hasher);
    hasher.finish()
}

/// The texts of the tests of a target.
pub(crate) struct Sources {
    tests: BTreeMap<String, u64>,
    /// What they share: all else that is there for them.
    shared: u64,
}

impl Sources {
    /// Of the target with this root. `helpers` are what tests within a library share.
    pub(crate) fn of(package: &Path, root: &Path, helpers: Option<&str>) -> Sources {
        let (files, tests) = source::texts(package, root, helpers.is_some());
        let text = |file: &Path| files.iter().find(|it| it.0 == file).map(|it| &*it.1);
        let mut digests = BTreeMap::new();
        let mut cut: BTreeMap<&Path, Vec<std::ops::Range<usize>>> = BTreeMap::new();
        for (name, test) in &tests {
            let Some(test) = test else { continue };
            if let Some(text) = text(&test.file) {
                let own = tokens(&text[test.range.clone()]);
                digests.insert(name.clone(), digest(&own));
                cut.entry(&test.file).or_default().push(test.range.clone());
            }
        }
        let shared = match helpers {
            Some(helpers) => digest(helpers),
            None => {
                let rest = files.iter().map(|(path, text)| {
                    let mut cut = cut.get(path.as_path()).cloned().unwrap_or_default();
                    cut.sort_by_key(|it| it.start);
                    digest(&tokens(&without(text, &cut)))
                });
                digest(&rest.collect::<Vec<u64>>())
            }
        };
        Sources {
            tests: digests,
            shared,
        }
    }

    /// Of a test; where a macro makes it, what all share says all.
    pub(crate) fn digest(&self, test: Option<&str>) -> u64 {
        let own = test.and_then(|name| self.tests.get(name));
        digest(&(own, self.shared))
    }
}

fn without(text: &str, cut: &[std::ops::Range<usize>]) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for range in cut {
        if range.start >= at {
            out.push_str(&text[at..range.start]);
            at = range.end;
        }
    }
    out.push_str(&text[at..]);
    out
}

/// Of the documentation in a file; of all of it, if it is no source of Rust.
pub(crate) fn documentation(package: &Path, file: &str) -> u64 {
    let text = fs::read_to_string(package.join(file)).unwrap_or_default();
    if !file.ends_with(".rs") {
        return digest(&text);
    }
    let lines = text.lines().map(str::trim_start);
    let is_documentation = |line: &&str| {
        line.starts_with("///")
            || line.starts_with("//!")
            || line.starts_with('*')
            || line.contains("doc")
    };
    let lines: Vec<&str> = lines.filter(is_documentation).collect();
    digest(&lines)
}

/// Of all files of a workspace, what was built and what is hidden left out, and of what they are built
/// with.
pub(crate) fn everything(root: &Path, built: &Path, with: &impl Hash) -> u64 {
    let mut files = Vec::new();
    collect(root, built, &|_| true, &mut files);
    files.sort();
    digest(&(digest(with), files))
}

/// Of the files that are no source of Rust and no text for people: what may matter to any test.
pub(crate) fn surroundings(root: &Path, built: &Path) -> u64 {
    let mut files = Vec::new();
    let is_meant = |name: &str| !name.ends_with(".rs") && !name.ends_with(".md");
    collect(root, built, &is_meant, &mut files);
    files.sort();
    digest(&files)
}

fn collect(
    dir: &Path,
    built: &Path,
    is_meant: &dyn Fn(&str) -> bool,
    files: &mut Vec<(String, u64)>,
) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path == built || name.starts_with('.') || path.join("CACHEDIR.TAG").exists() {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&path, built, is_meant, files),
            Ok(kind) if kind.is_file() && is_meant(&name) => {
                let bytes = fs::read(&path).unwrap_or_default();
                files.push((path.display().to_string(), digest(&bytes)));
            }
            _ => {}
        }
    }
}
