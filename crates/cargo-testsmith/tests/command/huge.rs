//! An API of thousands of functions is tried whole, and the suite stays one that can be compiled.

use std::fmt::Write as _;
use std::process::Command;

use crate::run::{package, record, scratch, stderr, testsmith};

#[test]
fn three_thousand_functions_get_a_suite_of_bounded_size() {
    let dir = scratch("huge");
    let mut source = String::new();
    for i in 0..3000 {
        let _ = writeln!(
            source,
            "pub fn f{i}(x: u32) -> u32 {{ x.wrapping_mul({i}) }}"
        );
    }
    package(&dir, "", Some(&source));
    // Nobody need read a listing to its end.
    let output = Command::new("sh")
        .args([
            "-c",
            "{ \"$0\" testsmith api -q; echo code $? >&2; } | head -n 1",
        ])
        .arg(env!("CARGO_BIN_EXE_cargo-testsmith"))
        .current_dir(&dir)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("a shell starts");
    assert_eq!(stderr(&output), "code 0\n");

    let args = [
        "--calls",
        "1000",
        "--no-instrument",
        "--json",
        "record.json",
    ];
    let output = testsmith(&dir, &args);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("at most 1 tests for each type or function"),
        "{said}"
    );
    assert!(said.contains("--only"), "{said}");
    let record = record(&dir);
    assert_eq!(record["callables"].as_array().map(Vec::len), Some(3000));
    let n_tests = record["tests"].as_array().map_or(0, Vec::len);
    assert!((1..=3000).contains(&n_tests), "{n_tests} tests");

    // Whoever chooses gets all that was chosen may have, and waits for nothing else.
    let output = testsmith(&dir, &[&args[..], &["--only", "f17"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!stderr(&output).contains("Note"), "{}", stderr(&output));
    assert_eq!(crate::run::record(&dir)["operations"], 1);
}
