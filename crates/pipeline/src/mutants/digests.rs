//! Digests of source: what a verdict rests on, to see whether it has changed.

use std::collections::{BTreeMap, BTreeSet};
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

/// Those of these crates that examples in the documentation may name.
pub(crate) fn named_in_documentation(
    package: &Path,
    crates: &BTreeSet<String>,
) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    each_file(package, Path::new(""), &mut |path| {
        let name = path.to_string_lossy();
        let is_elsewhere = ["benches", "examples"]
            .iter()
            .any(|it| path.starts_with(package.join(it)));
        if is_elsewhere || !name.ends_with(".rs") && !name.ends_with(".md") {
            return;
        }
        let text = fs::read_to_string(path).unwrap_or_default();
        let is_meant = |line: &&str| {
            let line = line.trim_start();
            name.ends_with(".md")
                || line.starts_with("///")
                || line.starts_with("//!")
                || line.starts_with('*')
        };
        let lines: Vec<&str> = text.lines().filter(is_meant).collect();
        for krate in crates {
            let name = krate.replace('-', "_");
            let is_word = |line: &&str| {
                let mut words = line.split(|it: char| !it.is_alphanumeric() && it != '_');
                words.any(|word| word == name)
            };
            if lines.iter().any(is_word) {
                named.insert(krate.clone());
            }
        }
    });
    named
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
    each_file(dir, built, &mut |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_meant(&name) {
            let bytes = fs::read(path).unwrap_or_default();
            if bytes.starts_with(RECORD) {
                return;
            }
            files.push((path.display().to_string(), digest(&bytes)));
        }
    });
}

/// How a record of ours begins: it changes with every run.
const RECORD: &[u8] = b"{\n  \"schema\": ";

/// Goes through the files below a directory, what was built and what is hidden left out.
fn each_file(dir: &Path, built: &Path, look: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if path == built || is_hidden || path.join("CACHEDIR.TAG").exists() {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => each_file(&path, built, look),
            Ok(kind) if kind.is_file() => look(&path),
            _ => {}
        }
    }
}
