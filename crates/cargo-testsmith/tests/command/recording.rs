//! What own tests call, with the state of the arguments.

use std::fs;

use crate::run::{package, record, scratch, stderr, testsmith};

const CRATE: &str = r#"
/// Its state is private.
pub struct Counter { n: u8 }

impl Counter {
    pub fn new() -> Counter { Counter { n: start() } }
    pub fn add(&mut self, n: u8) -> u8 { self.n += n; self.get() }
    pub fn get(&self) -> u8 { self.n }
}

pub fn start() -> u8 { 0 }
"#;

const TESTS: &str = r#"
use subject::Counter;

#[test]
fn counts() {
    let mut one = Counter::new();
    one.add(1);
    one.add(1);
    let mut other = Counter::new();
    other.add(1);
}

#[test]
fn counts_alike() {
    Counter::new().add(1);
    std::thread::spawn(|| Counter::new().add(2)).join().unwrap();
}
"#;

#[test]
fn calls_from_outside_are_recorded_with_the_state_of_their_arguments() {
    let dir = scratch("record");
    package(&dir, "", Some(CRATE));
    let name = fs::read_to_string(dir.join("Cargo.toml")).expect("it has a manifest");
    let name = name.split('"').nth(1).expect("it has a name");
    fs::create_dir_all(dir.join("tests")).expect("a directory");
    let tests = TESTS.replace("subject", &name.replace('-', "_"));
    fs::write(dir.join("tests/own.rs"), tests).expect("a file");
    let output = testsmith(&dir, &["--json", "record.json", "record"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    assert_eq!(record["calls"], 9);
    let functions = record["functions"].as_array().expect("a list");
    let seen = functions.iter().map(|it| {
        let n = |field: &str| it[field].as_u64().expect("a number");
        let function = it["function"].as_str().expect("a name").to_owned();
        (function, n("calls"), n("distinct"), n("opaque"))
    });
    // `get` and `start` are called by the crate itself only.
    let expected = [("Counter::add", 5, 3, 0), ("Counter::new", 4, 1, 0)];
    let expected = expected.map(|(name, a, b, c)| (name.to_owned(), a, b, c));
    assert_eq!(seen.collect::<Vec<_>>(), expected);

    let tests = record["tests"].as_array().expect("a list");
    let seen = tests.iter().map(|it| {
        let n = |field: &str| it[field].as_u64().expect("a number");
        let test = it["test"].as_str().expect("a name").to_owned();
        (test, n("calls"), n("distinct"), n("own"))
    });
    let expected = [
        ("test own counts", 5, 3, 1),
        ("test own counts_alike", 2, 2, 0),
    ];
    let expected = expected.map(|(name, a, b, c)| (name.to_owned(), a, b, c));
    assert_eq!(seen.collect::<Vec<_>>(), expected);
}
