//! A bug of ours, provoked: something is left to send, and the terminal says what to do with it.

use std::fs;
use std::path::Path;

use crate::run::{command, expect_refusal, package, scratch, stderr};

/// Runs the command with a bug in it; the file that it leaves.
fn provoked(dir: &Path, bug: &str) -> String {
    package(dir, "", Some("pub fn half(x: u8) -> u8 { x / 2 }"));
    let output = command(dir, &["--calls", "100"])
        .env("TESTSMITH_PROVOKE_BUG", bug)
        .env("SECRET_OF_THE_SHELL", "5ecret")
        .output()
        .expect("the command starts");
    expect_refusal(&output, 1, &["a bug of testsmith", "target/testsmith/bug-"]);
    let said = stderr(&output);
    let named = said.lines().map(str::trim);
    let mut named = named.filter(|it| it.ends_with(".txt"));
    let file = named
        .next()
        .expect("the file is named in a line of its own");
    let text = fs::read_to_string(file).expect("it is there");
    assert!(!text.contains("5ecret"), "{text}");
    for part in ["testsmith  0.", "rustc 1.", "--calls", "small 0.1.0"] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    text
}

#[test]
fn a_panic_and_an_error_that_nobody_foresaw_leave_a_file_to_send() {
    let dir = scratch("bug");
    let text = provoked(&dir, "learn");
    for part in [
        "stage      learn",
        "panic: a bug was asked for in stage `learn`",
        "src/bug.rs:",
        "backtrace\n   0: ",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    let text = provoked(&dir, "error");
    assert!(
        text.contains("message    cannot start the guest: somebody asked for a bug"),
        "{text}"
    );
    assert!(text.contains("stage      begin"), "{text}");
}
