//! Values of a copied crate are written out with their private state, and built again.

use std::fs;
use std::process::Command;

use crate::run::{copy_fixture, record, scratch, stderr, stdout, testsmith};

/// Tests of the fixture's copy.
const STATES: &str = include_str!("snapshots/states.rs");

#[test]
fn a_copy_shows_its_private_state() {
    let dir = scratch("inside");
    copy_fixture("inside", &dir);
    let output = testsmith(&dir, &["--json", "record.json", "mutants"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    let copy = record["copy"].as_str().expect("it says where the copy is");
    assert_eq!(record["opaque"], serde_json::json!({}), "all are accepted");

    fs::create_dir_all(dir.join("tests")).expect("writable");
    fs::write(dir.join("tests/states.rs"), STATES).expect("writable");
    let output = Command::new("cargo")
        .args(["test", "--test", "states", "--target-dir", "copied"])
        .current_dir(&dir)
        .env("RUSTC_WRAPPER", env!("CARGO_BIN_EXE_cargo-testsmith"))
        .env("TESTSMITH_INSTRUMENT", "inside")
        .env("TESTSMITH_COPY", copy)
        .output()
        .expect("cargo runs");
    let said = stdout(&output) + &stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("random_values_are_restored ... ok"), "{said}");
}
