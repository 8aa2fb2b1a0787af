//! What can be called: small crates that each show one hard thing about Rust APIs.

use std::fs;

use crate::run::{copy_subject, expect_tests_pass, record, scratch, stderr, testsmith};

#[test]
fn closures_are_passed_and_called() {
    let dir = scratch("closures");
    copy_subject("../fixtures/closures", &dir);
    let output = testsmith(&dir, &["--calls", "60000", "--json", "record.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    for callable in record["callables"].as_array().expect("a list") {
        assert_eq!(callable["status"], "reached", "{callable}");
    }
    let path = dir.join("tests/testsmith_regression.rs");
    let tests = fs::read_to_string(&path).expect("tests were written");
    for text in [
        ".count(|a| ",
        ".each(|a| ",
        ".map(|a| ",
        ".first_or_else(|| ",
        ".sort_by(|a, b| a.cmp(b))",
        "Button::new(Box::new(|a| ",
        "twice(&|a| ",
        "call_all(&mut |_| {}",
        "apply(|a| a",
        "longest(",
        "= adder(",
        "= counter(",
        "= shout(",
        ".backwards(",
    ] {
        assert!(tests.contains(text), "{text} is missing:\n{tests}");
    }
    expect_tests_pass(&dir);
}
