//! Finds where the tests of a target stand in its files, by the names that its binary gives them.
//!
//! Modules are followed as rustc does, as far as that can be known without rustc. Tests that a
//! macro makes are not found, and a name that is found twice stands for no test.

#![expect(
    clippy::disallowed_methods,
    reason = "it reads the source that tests stand in"
)]

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use syn::spanned::Spanned;
use syn::{Attribute, Item};

use crate::assertions::{Assertions, Helpers, assertions};

/// A test, as it stands in the source.
#[derive(Clone, Debug)]
pub struct SourceTest {
    /// The file, relative to the package.
    pub file: PathBuf,
    /// The first line, counted from 1.
    pub line: usize,
    /// The bytes of the whole item, with its attributes and documentation.
    pub range: Range<usize>,
    /// What the test asserts.
    pub assertions: Assertions,
}

/// Tests by name; `None` if several tests have the name.
pub type SourceTests = BTreeMap<String, Option<SourceTest>>;

/// All tests of the target with this root file.
pub fn tests(package: &Path, root: &Path, is_library: bool) -> SourceTests {
    texts(package, root, is_library).1
}

/// The texts of a target's files, and its tests.
pub(crate) fn texts(
    package: &Path,
    root: &Path,
    is_library: bool,
) -> (Vec<(PathBuf, Rc<str>)>, SourceTests) {
    let mut walk = Walk {
        package,
        files: Vec::new(),
        helpers: Helpers::default(),
    };
    let dir = root.parent().unwrap_or(Path::new("")).to_owned();
    walk.file(root, &dir, "", !is_library);
    let mut tests = SourceTests::new();
    for file in &walk.files {
        let mut found = Vec::new();
        found_in(&file.items, &file.prefix, &mut found);
        for (name, item) in found {
            let range = item.span().byte_range();
            let test = SourceTest {
                file: file.path.clone(),
                line: file.text[..range.start].matches('\n').count() + 1,
                range,
                assertions: assertions(item, &file.text, &walk.helpers),
            };
            tests
                .entry(name)
                .and_modify(|it| *it = None)
                .or_insert(Some(test));
        }
    }
    let files = walk.files.into_iter().map(|it| (it.path, it.text));
    (files.collect(), tests)
}

struct File {
    path: PathBuf,
    text: Rc<str>,
    prefix: String,
    items: Vec<Item>,
}

struct Walk<'w> {
    package: &'w Path,
    files: Vec<File>,
    helpers: Helpers,
}

impl Walk<'_> {
    /// Reads a file whose modules are below `dir`. `is_test` says whether all of it exists for
    /// tests alone.
    fn file(&mut self, path: &Path, dir: &Path, prefix: &str, is_test: bool) {
        let Ok(text) = fs::read_to_string(self.package.join(path)) else {
            // The file may be missing, because conditional compilation leaves its module out.
            return;
        };
        // Byte ranges of syntax nodes must be those of the text, but `syn` cuts off a byte order
        // mark and a `#!` line. Files with one of them are left out.
        let Ok(file) = syn::parse_file(&text) else {
            return;
        };
        let is_cut =
            text.starts_with('\u{feff}') || text.starts_with("#!") && !text.starts_with("#![");
        if is_cut || self.files.iter().any(|it| it.path == path) {
            return;
        }
        self.modules(&file.items, (path, dir), prefix, is_test);
        self.files.push(File {
            path: path.to_owned(),
            text: text.into(),
            prefix: prefix.to_owned(),
            items: file.items,
        });
    }

    fn modules(&mut self, items: &[Item], at: (&Path, &Path), prefix: &str, is_test: bool) {
        for item in items {
            if is_test || is_for_tests(attributes(item)) {
                self.helpers.add(item);
            }
            let Item::Mod(module) = item else { continue };
            let (file, dir) = at;
            let name = module.ident.to_string();
            let name = name.trim_start_matches("r#");
            let prefix = format!("{prefix}{name}::");
            let is_test = is_test || is_for_tests(&module.attrs);
            match (&module.content, path_of(&module.attrs)) {
                (Some((_, items)), _) => {
                    self.modules(items, (file, &dir.join(name)), &prefix, is_test);
                }
                (None, Some(path)) => {
                    let beside = file.parent().unwrap_or(Path::new("")).join(path);
                    let dir = beside.parent().unwrap_or(Path::new("")).to_owned();
                    self.file(&beside, &dir, &prefix, is_test);
                }
                (None, None) => {
                    let below = dir.join(name);
                    self.file(&dir.join(format!("{name}.rs")), &below, &prefix, is_test);
                    self.file(&below.join("mod.rs"), &below, &prefix, is_test);
                }
            }
        }
    }
}

/// Collects the functions that have an attribute for tests, with their paths.
fn found_in<'i>(items: &'i [Item], prefix: &str, found: &mut Vec<(String, &'i syn::ItemFn)>) {
    for item in items {
        match item {
            Item::Fn(it) if it.attrs.iter().any(is_test) => {
                let name = it.sig.ident.to_string();
                found.push((format!("{prefix}{}", name.trim_start_matches("r#")), it));
            }
            Item::Mod(it) => {
                if let Some((_, items)) = &it.content {
                    let name = it.ident.to_string();
                    let prefix = format!("{prefix}{}::", name.trim_start_matches("r#"));
                    found_in(items, &prefix, found);
                }
            }
            _ => {}
        }
    }
}

/// Is it `#[test]`, or an attribute of another crate whose path ends in `test`, or `#[rstest]`?
fn is_test(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|it| it.ident == "test" || it.ident == "rstest")
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|it| {
        let condition = it
            .path()
            .is_ident("cfg")
            .then(|| it.parse_args::<syn::Meta>());
        matches!(condition, Some(Ok(condition)) if condition.path().is_ident("test"))
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(it) => &it.attrs,
        Item::Impl(it) => &it.attrs,
        Item::Macro(it) => &it.attrs,
        _ => &[],
    }
}

/// The path in `#[path = ".."]`.
fn path_of(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|it| match &it.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(it) => match &it.lit {
                syn::Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_bytes_of_own_tests_are_found_or_not() {
        let dir = std::env::temp_dir().join(format!("testsmith-noise-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("writable");
        let samples = [include_str!("assertions.rs"), include_str!("libtest.rs")];
        let samples = samples.map(|it| it.as_bytes().to_vec());
        testsmith_noise::throw("own-tests", &samples, |bytes| {
            fs::write(dir.join("lib.rs"), bytes).expect("writable");
            let found = tests(&dir, Path::new("lib.rs"), true);
            format!("{} {}", found.len(), found.values().flatten().count())
        });
        fs::remove_dir_all(&dir).expect("cleanup");
    }

    #[test]
    fn tests_are_found_in_modules_and_their_files() {
        let dir = std::env::temp_dir().join(format!("testsmith-source-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("src/inner")).expect("writable");
        let write = |file: &str, text: &str| fs::write(dir.join(file), text).expect("writable");
        write(
            "src/lib.rs",
            "mod inner;\n#[cfg(test)] mod tests { #[test] fn a() {} }\n",
        );
        write(
            "src/inner.rs",
            "mod deep; #[path = \"odd.rs\"] mod odd;\n\n/// Doc.\n#[test]\nfn b() {}",
        );
        write("src/inner/deep.rs", "#[test] fn c() {}\n#[test] fn c() {}");
        write(
            "src/odd.rs",
            "macro_rules! m { () => { #[test] fn d() {} } } m!(); fn no() {}",
        );
        let found = tests(&dir, Path::new("src/lib.rs"), true);
        let shown: Vec<String> = found
            .iter()
            .map(|(name, it)| match it {
                Some(it) => format!("{name} {}:{}", it.file.display(), it.line),
                None => format!("{name} twice"),
            })
            .collect();
        assert_eq!(
            shown,
            [
                "inner::b src/inner.rs:3",
                "inner::deep::c twice",
                "tests::a src/lib.rs:2"
            ]
        );
        fs::remove_dir_all(&dir).expect("cleanup");
    }
}
