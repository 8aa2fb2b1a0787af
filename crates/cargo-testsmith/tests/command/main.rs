//! The command as a user runs it: on real packages, and on input that makes no sense.

#![expect(
    clippy::disallowed_methods,
    reason = "the command is run on packages in directories of their own"
)]

mod analysis;
mod api;
mod augment;
mod binaries;
mod bugs;
mod choices;
mod derived;
mod diff;
mod equivalent;
mod hostile;
mod huge;
mod interruption;
mod laws;
mod minimize;
mod modules;
mod mutants;
mod publishing;
mod reach;
mod recording;
mod redundancy;
mod refusals;
mod report;
mod run;
mod seeds;
mod snapshots;
mod states;
mod watching;
mod workspaces;

use std::collections::BTreeSet;
use std::fs;

use crate::run::{
    copy_subject, expect_tests_pass, listed, package, record, root, scratch, stderr, testsmith,
};

#[test]
fn a_subject_gets_tests_that_cargo_lists_and_that_pass() {
    let dir = scratch("rostra");
    copy_subject("rostra", &dir);
    let run = || {
        testsmith(
            &dir,
            &["--calls", "60000", "--seed", "7", "--json", "record.json"],
        )
    };
    let output = run();
    assert!(output.status.success(), "{}", stderr(&output));

    let record = record(&dir);
    assert_eq!(record["schema"], 1);
    assert_eq!(record["seed"], 7);
    let tests = record["tests"].as_array().expect("tests are listed");
    let names: BTreeSet<String> = tests
        .iter()
        .map(|test| test["name"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(names.len(), tests.len(), "names are unique");
    assert!(names.len() > 50, "only {} tests", names.len());
    assert!(
        tests
            .iter()
            .all(|test| test["n_assertions"].as_u64() > Some(0))
    );
    assert_eq!(listed(&dir), names);
    let callables = record["callables"]
        .as_array()
        .expect("callables are listed");
    let reached = callables
        .iter()
        .filter(|c| c["status"] == "reached")
        .count();
    assert_eq!(reached, callables.len(), "everything in it can be reached");

    expect_tests_pass(&dir);

    // The same seed and number of calls give the same files; an edited one is kept.
    let path = dir.join("tests/testsmith_regression.rs");
    let first = fs::read_to_string(&path).expect("it was written");
    let edited = format!("// mine\n{first}");
    fs::write(&path, &edited).expect("writable");
    let output = run();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("is kept"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(&path).expect("still there"), edited);
    let second = fs::read_to_string(dir.join("tests/testsmith_regression_2.rs"));
    let second = second.expect("ours stands beside it");
    let without_mark = |text: &str| text.split("// testsmith:").next().map(str::to_owned);
    assert_eq!(
        without_mark(&second.replace("testsmith_regression_2/", "testsmith_regression/")),
        without_mark(&first)
    );
    let module = |root: &str| fs::read_to_string(dir.join(root).join("int_stack.rs"));
    let first = module("tests/testsmith_regression").expect("it was written");
    let second = module("tests/testsmith_regression_2").expect("it has its own");
    assert_eq!(first, second);
}

#[test]
fn a_manifest_without_automatic_tests_is_amended_only_on_request() {
    let dir = scratch("autotests");
    package(
        &dir,
        "autotests = false\n",
        Some("/// Adds.\npub fn add(a: u8, b: u8) -> u8 { a.wrapping_add(b) }"),
    );
    let before = fs::read_to_string(dir.join("Cargo.toml")).expect("it is there");
    let output = testsmith(&dir, &["--calls", "2000"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("--register"),
        "{}",
        stderr(&output)
    );
    let after = fs::read_to_string(dir.join("Cargo.toml")).expect("it is there");
    assert_eq!(before, after);
    let output = testsmith(&dir, &["--calls", "2000", "--register"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!listed(&dir).is_empty(), "cargo sees the tests now");
}

#[test]
fn every_death_has_its_name_and_costs_nobody_else() {
    let dir = scratch("deaths");
    let from = root().join("fixtures/deaths");
    fs::create_dir_all(dir.join("src")).expect("writable");
    for file in ["Cargo.toml", "src/lib.rs"] {
        fs::copy(from.join(file), dir.join(file)).expect("the fixture is there");
    }
    let output = testsmith(&dir, &["--calls", "3000", "--json", "record.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    let failures = record["failures"].as_array().expect("failures are listed");
    let found: BTreeSet<(&str, &str)> = failures
        .iter()
        .filter_map(|f| Some((f["operation"].as_str()?, f["kind"].as_str()?)))
        .collect();
    for expected in [
        ("deaths::picky", "panic"),
        ("deaths::divide", "panic"),
        ("deaths::aborts", "abort"),
        ("deaths::exits", "exit"),
        ("deaths::recurses", "stack-overflow"),
        ("deaths::spins", "timeout"),
        ("deaths::hoards", "out-of-memory"),
        ("deaths::faults", "signal"),
    ] {
        assert!(
            found.contains(&expected),
            "{expected:?} is not in {found:?}"
        );
    }
    let status = |path: &str| {
        let callables = record["callables"]
            .as_array()
            .expect("callables are listed");
        let callable = callables.iter().find(|c| c["path"] == path);
        callable.map(|c| c["status"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(status("deaths::double").as_deref(), Some("reached"));
    assert_eq!(status("deaths::picky").as_deref(), Some("reached"));
    let verdict = |operation: &str| {
        let failure = failures.iter().find(|f| f["operation"] == operation);
        failure.map(|f| f["verdict"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(verdict("deaths::divide").as_deref(), Some("documented"));
    assert_eq!(verdict("deaths::picky").as_deref(), Some("precondition"));
    let is_bomb = |f: &&serde_json::Value| f["message"] == "bang" && f["dropping"] == true;
    let bombs = failures.iter().filter(is_bomb);
    let bombs: BTreeSet<&str> = bombs.filter_map(|f| f["operation"].as_str()).collect();
    assert!(bombs.contains("deaths::Bomb::new"), "{bombs:?}");
}
