//! Digests of the source that a verdict rests on, to see whether it has changed.

#![expect(
    clippy::disallowed_methods,
    reason = "it reads the source that tests stand in"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use testsmith_harness::tokens;

use crate::digest::{Digest, digest};
use crate::source;

/// Digests of the tests of a target.
pub(crate) struct Sources {
    tests: BTreeMap<String, u64>,
    /// A digest of the text that all tests share: everything else that exists for tests.
    shared: u64,
}

impl Sources {
    /// Reads the target with this root file. `helpers` is the text that tests within a library
    /// share.
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

    /// The digest of a test. A test that a macro makes has no text of its own, so only the shared
    /// text counts for it.
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

/// Is it a Rust file in which all documentation stands in one-line comments?
fn is_plain(text: &str, file: &Path) -> bool {
    file.extension().is_some_and(|it| it == "rs")
        && !["/**", "/*!", "doc ="].iter().any(|it| text.contains(it))
}

/// The lines of a file that examples may stand in, with their numbers from 1. If documentation
/// stands in other comments too, these are all lines.
fn documentation_lines<'t>(text: &'t str, file: &Path) -> Vec<(usize, &'t str)> {
    let is_plain = is_plain(text, file);
    let is_documentation = |line: &str| {
        let line = line.trim_start();
        line.starts_with("///") || line.starts_with("//!") || line.contains("doc")
    };
    let lines = (1..).zip(text.lines());
    lines
        .filter(|(_, line)| !is_plain || is_documentation(line))
        .collect()
}

/// A digest of the examples in a file, which is named as rustdoc names it: from the root of the
/// workspace. A file that includes other files may have any of them as its documentation, so then
/// all documentation counts.
pub(crate) fn examples_in(root: &Path, file: &Path) -> u64 {
    let text = fs::read_to_string(root.join(file)).unwrap_or_default();
    let own = documentation(root, file);
    match text.contains("include_str!") {
        true => digest(&(own, all_documentation(root))),
        false => own,
    }
}

/// A digest of the documentation in a file.
fn documentation(root: &Path, file: &Path) -> u64 {
    let text = fs::read_to_string(root.join(file)).unwrap_or_default();
    let lines = documentation_lines(&text, file).into_iter();
    digest(&lines.map(|(_, line)| line.trim_start()).collect::<Vec<_>>())
}

/// A digest of all documentation in a workspace.
pub fn all_documentation(root: &Path) -> u64 {
    let mut files = Vec::new();
    each_file(root, Path::new(""), &mut |path| {
        let file = path.strip_prefix(root).unwrap_or(path);
        if file.extension().is_some_and(|it| it == "rs" || it == "md") {
            files.push((file.to_owned(), documentation(root, file)));
        }
    });
    files.sort();
    digest(&files)
}

/// A digest of all source in `tests`, and of the names of all other source files. It changes if
/// there may be other tests outside of the library than before.
pub fn tests_and_names(package: &Path) -> u64 {
    let mut files = Vec::new();
    each_file(package, Path::new(""), &mut |path| {
        if path.extension().is_some_and(|it| it == "rs") {
            let file = path.strip_prefix(package).unwrap_or(path).to_owned();
            let text = file.starts_with("tests").then(|| fs::read(path).ok());
            files.push((file, text));
        }
    });
    files.sort();
    digest(&files)
}

/// Numbers the lines of documentation in a file, so that an example keeps its number if only code
/// around it changes.
pub struct DocumentationLines {
    /// The root of the workspace.
    root: PathBuf,
    /// The lines that examples may stand in, by file. `None` if any line may be one; then there may
    /// also be numbers beyond the end of the file, because rustdoc counts the lines of included
    /// documentation on from there.
    files: BTreeMap<PathBuf, Option<Vec<usize>>>,
}

impl DocumentationLines {
    /// For a workspace with this root.
    pub fn of(root: PathBuf) -> DocumentationLines {
        DocumentationLines {
            root,
            files: BTreeMap::new(),
        }
    }

    fn lines(&mut self, file: &Path) -> Option<&[usize]> {
        let root = &self.root;
        let lines = self.files.entry(file.to_owned()).or_insert_with(|| {
            let text = fs::read_to_string(root.join(file)).unwrap_or_default();
            let lines = documentation_lines(&text, file).into_iter();
            is_plain(&text, file).then(|| lines.map(|(n, _)| n).collect())
        });
        lines.as_deref()
    }

    /// The number of a line among the lines of documentation.
    pub fn number(&mut self, file: &Path, line: usize) -> Option<usize> {
        match self.lines(file) {
            Some(lines) => lines.iter().position(|it| *it == line),
            None => Some(line),
        }
    }

    /// The line that has this number among the lines of documentation.
    pub fn line(&mut self, file: &Path, number: usize) -> Option<usize> {
        match self.lines(file) {
            Some(lines) => lines.get(number).copied(),
            None => Some(number),
        }
    }
}

/// Those of these crates that tests and examples of the documentation may name.
pub(crate) fn named(package: &Path, crates: &BTreeSet<String>) -> BTreeSet<String> {
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
        // A test file that mentions features may be left out of the build, so a name in it is no
        // sign of need. If it is built after all, the compiler's error names the crate.
        let is_test = path.starts_with(package.join("tests")) && !text.contains("feature");
        let is_meant = |line: &&str| {
            let line = line.trim_start();
            is_test
                || name.ends_with(".md")
                || ["///", "//!", "*"].iter().any(|it| line.starts_with(it))
        };
        let lines = text.lines().filter(is_meant);
        let words = lines.flat_map(|it| it.split(|it: char| !it.is_alphanumeric() && it != '_'));
        let words: BTreeSet<&str> = words.collect();
        let is_named = |krate: &&String| words.contains(krate.replace('-', "_").as_str());
        named.extend(crates.iter().filter(is_named).cloned());
    });
    named
}

/// A digest of all files of a workspace, and of the settings in `with`. Build output and hidden
/// files are left out.
pub fn everything(root: &Path, built: &Path, with: &impl Digest) -> u64 {
    let mut files = Vec::new();
    collect(root, built, &|_| true, &mut files);
    files.sort();
    digest(&(digest(with), files))
}

/// A digest of the files that are neither Rust source nor Markdown, since any test may read them.
pub fn surroundings(root: &Path, built: &Path) -> u64 {
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

/// The first bytes of a record of testsmith. Records are left out, because they change with every
/// run.
const RECORD: &[u8] = b"{\n  \"schema\": ";

/// Goes through the files below a directory. Build output and hidden files are left out.
pub fn each_file(dir: &Path, built: &Path, look: &mut dyn FnMut(&Path)) {
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
