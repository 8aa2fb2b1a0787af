//! Values of a copied crate are written out with their private state, and built again.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::run::{command, copy_fixture, record, scratch, stderr, stdout};

/// Tests of the fixture's copy.
const STATES: &str = concat!(
    include_str!("snapshots/states.rs"),
    include_str!("snapshots/networks.rs")
);
/// The same if the compiler allows stable features only.
const PLAIN: &str = concat!(
    include_str!("snapshots/plain.rs"),
    include_str!("snapshots/networks.rs")
);

/// Copies the fixture and runs tests on the copy.
fn expect_states(dir: &Path, states: &str, wrapper: &Path) -> serde_json::Value {
    copy_fixture("inside", dir);
    let mut mutants = command(dir, &["--json", "record.json", "mutants", "--list"]);
    mutants.env("TESTSMITH_INNER_WRAPPER", wrapper);
    let output = mutants.output().expect("the command starts");
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(dir);
    let opaque = record["opaque"].as_object().expect("types with reasons");
    assert!(opaque.keys().eq(["Patchy"]), "{opaque:?}");
    assert_eq!(record["types"], 14);

    fs::create_dir_all(dir.join("tests")).expect("writable");
    fs::write(dir.join("tests/states.rs"), states).expect("writable");
    let copy = record["copy"].as_str().expect("it says where the copy is");
    let output = Command::new("cargo")
        .args(["test", "--test", "states", "--target-dir", "copied"])
        .current_dir(dir)
        .env("RUSTC_WRAPPER", env!("CARGO_BIN_EXE_cargo-testsmith"))
        .env("TESTSMITH_INNER_WRAPPER", wrapper)
        .env("TESTSMITH_INSTRUMENT", "inside")
        .env("TESTSMITH_COPY", copy)
        .output()
        .expect("cargo runs");
    let said = stdout(&output) + &stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("private_state_is_seen_and_restored ... ok"));
    assert!(said.contains("networks_look_alike_if_they_are_isomorphic ... ok"));
    record
}

#[test]
fn a_copy_shows_its_private_state() {
    let dir = scratch("inside");
    let record = expect_states(&dir, STATES, Path::new(""));
    assert_eq!(record["sees_through"], true);
    assert_eq!(record["written_out"], 1);
    let derived = record["derived"].as_object().expect("types with reasons");
    assert!(derived.keys().eq(["Patchy"]), "{derived:?}");
}

#[test]
fn a_copy_shows_its_private_state_with_stable_features() {
    let dir = scratch("inside-plain");
    let wrapper = dir.join("stable");
    fs::write(&wrapper, "#!/bin/sh\nunset RUSTC_BOOTSTRAP\nexec \"$@\"\n").expect("writable");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let record = expect_states(&dir, PLAIN, &wrapper);
    assert_eq!(record["sees_through"], false);
    assert_eq!(record["written_out"], 0);
    let derived = record["derived"].as_object().expect("types with reasons");
    assert!(derived.keys().eq(["Handle", "Patchy"]), "{derived:?}");
}
