//! Two versions of a package against each other.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::run::{cargo, expect_refusal, package, record, scratch, stderr, stdout, testsmith};

/// Seven functions and a type: what becomes of them in [`NEW`] is in their names.
const OLD: &str = r#"
pub fn stays(n: u8) -> u8 { n / 2 }

pub fn rounds_otherwise(n: u32) -> u32 { n / 10 }

pub fn goes(n: u8) -> u8 { n ^ 1 }

pub fn takes_otherwise(n: u8) -> u16 { u16::from(n) + 1 }

/// # Panics
///
/// If `n` is zero.
pub fn panics_no_more(n: u8) -> u8 { assert!(n > 0, "zero"); n }

pub fn fails_no_more(text: &str) -> usize { text.find('a').map_or(0, |at| [1, 2][at.min(2)]) }

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word { text: String }

impl Word {
    pub fn new(text: &str) -> Word { Word { text: text.to_owned() } }
    pub fn shown(&self) -> String { self.text.clone() }
    pub fn n_letters(&self) -> usize { self.text.len() }
}
"#;

const NEW: &str = r#"
pub fn stays<>(m: u8) -> u8 { m >> 1 }

pub fn rounds_otherwise(n: u32) -> u32 { n / 10 + u32::from(n % 10 >= 5) }

pub fn takes_otherwise(n: u16) -> u16 { n + 1 }

pub fn comes(n: u8) -> u8 { n }

/// # Panics
///
/// Never any more.
pub fn panics_no_more(n: u8) -> u8 { n }

pub fn fails_no_more(text: &str) -> usize { text.find('a').map_or(0, |at| [1, 2][at.min(1)]) }

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word { text: String }

impl Word {
    pub fn new(text: &str) -> Word { Word { text: text.to_owned() } }
    pub fn shown(&self) -> String { format!("<{}>", self.text) }
    pub fn n_letters(&self) -> usize { self.text.len() }
}
"#;

const ARGS: &[&str] = &["--calls", "8000", "--json", "record.json"];

fn diff(dir: &Path, old: &str, new: &str) -> std::process::Output {
    let words = ["diff", old, new];
    testsmith(dir, &[&words, ARGS].concat())
}

fn paths<'r>(record: &'r Value, list: &str, field: &str) -> Vec<&'r str> {
    let list = record[list].as_array().expect("a list").iter();
    list.map(|it| it[field].as_str().expect("a text")).collect()
}

/// `cargo test` on the package with this file of tests: how many passed, and how many failed.
fn tested(dir: &Path, tests: &Path) -> (usize, usize) {
    fs::create_dir_all(dir.join("tests")).expect("writable");
    fs::copy(tests, dir.join("tests/testsmith_diff.rs")).expect("it was written");
    let args = ["test", "--quiet", "--test", "testsmith_diff"];
    let output = cargo(dir, &args).output().expect("cargo starts");
    let text = stdout(&output);
    let line = text.lines().find(|line| line.starts_with("test result:"));
    let line = line.unwrap_or_else(|| panic!("{text}{}", stderr(&output)));
    let count = |word: &str| {
        let (before, _) = line.split_once(word).expect("it is counted");
        let number = before.trim_end().rsplit(' ').next().expect("a number");
        number.parse().expect("a number")
    };
    (count(" passed"), count(" failed"))
}

#[test]
fn what_changed_is_told_by_what_is_to_blame_and_nothing_else_is() {
    let dir = scratch("diff");
    package(&dir, "", Some(OLD));
    let git = |args: &[&str]| {
        let status = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b.c"])
            .args(args)
            .current_dir(&dir)
            .status();
        assert!(status.expect("git starts").success(), "git {args:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "src", "Cargo.toml"]);
    git(&["commit", "--quiet", "--message", "one"]);
    git(&["tag", "first"]);

    // A version and itself are the same.
    let output = diff(&dir, "first", ".");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let same = record(&dir);
    assert!(same["compared"].as_u64() > Some(10), "{same}");
    assert_eq!(same["compared"], same["same"]);
    for list in [
        "changed",
        "fixed",
        "gone",
        "added",
        "signatures",
        "uncompared",
    ] {
        assert_eq!(
            same[list].as_array().map(Vec::len),
            Some(0),
            "{list}: {same}"
        );
    }
    assert_eq!(same["file"], Value::Null);

    // What is not committed yet, against what is.
    fs::write(dir.join("src/lib.rs"), NEW).expect("writable");
    let output = diff(&dir, "HEAD", ".");
    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
    assert!(!dir.join("tests").exists(), "the user's tree is as it was");
    let record = record(&dir);
    let mut changed = paths(&record, "changed", "callable");
    changed.sort_unstable();
    assert_eq!(
        changed,
        [
            "small::Word::shown",
            "small::panics_no_more",
            "small::rounds_otherwise"
        ],
        "{}",
        stdout(&output)
    );
    assert_eq!(
        paths(&record, "fixed", "callable"),
        ["small::fails_no_more"]
    );
    assert_eq!(paths(&record, "gone", "path"), ["small::goes"]);
    assert_eq!(paths(&record, "added", "path"), ["small::comes"]);
    assert_eq!(
        paths(&record, "signatures", "path"),
        ["small::takes_otherwise"]
    );
    let reasons = paths(&record, "uncompared", "reason");
    assert!(reasons.contains(&"`small::goes` is gone"), "{reasons:?}");
    let said = stdout(&output);
    for words in ["small::goes", "OLD  fn(u8) -> u16", "NEW  fn(u16) -> u16"] {
        assert!(said.contains(words), "{words} is not in: {said}");
    }

    // The tests are what they say they are, where people would put them.
    let changed = record["changed"].as_array().expect("a list").iter();
    let n_tests: usize = changed
        .map(|it| it["tests"].as_array().map_or(0, Vec::len))
        .sum();
    let file = dir.join(record["file"]["path"].as_str().expect("a file"));
    assert_eq!(tested(&dir, &file), (0, n_tests));
    fs::write(dir.join("src/lib.rs"), OLD).expect("writable");
    assert_eq!(tested(&dir, &file), (n_tests, 0));
    expect_versions(&dir);
}

/// What is no version is told so; a directory is one.
fn expect_versions(dir: &Path) {
    fs::create_dir_all(dir.join("empty")).expect("writable");
    let refused = |old: &str, new: &str, words: &[&str]| {
        expect_refusal(&testsmith(dir, &["diff", old, new]), 2, words);
    };
    refused("no-such-thing", ".", &["`no-such-thing`", "git rev-parse"]);
    refused(
        "empty",
        ".",
        &["has no Cargo.toml", "help: name a directory"],
    );
    let other = scratch("diff_other");
    package(&other, "", Some(OLD));
    let text = fs::read_to_string(dir.join("Cargo.toml")).expect("it is there");
    fs::write(other.join("Cargo.toml"), text.replace("small", "large")).expect("writable");
    let other = other.display().to_string();
    refused(
        ".",
        &other,
        &["`small`", "`large`", "versions of one package"],
    );
}
