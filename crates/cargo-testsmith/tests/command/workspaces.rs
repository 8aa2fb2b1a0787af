//! Several packages in one go: each gets its turn, whatever becomes of the others.

use std::fs;
use std::path::Path;

use crate::run::{expect_refusal, scratch, stderr, stdout, testsmith};

fn member(root: &Path, name: &str, file: &str, source: &str) {
    let dir = root.join(name);
    fs::create_dir_all(dir.join("src")).expect("writable");
    let manifest =
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    fs::write(dir.join("Cargo.toml"), manifest).expect("writable");
    fs::write(dir.join("src").join(file), source).expect("writable");
}

/// Two good libraries, one that does not build, and a binary.
fn workspace(name: &str) -> std::path::PathBuf {
    let dir = scratch(name);
    let manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"*a\", \"tool\"]\n\
                    [workspace.metadata.testsmith]\ncalls = 2000\n";
    fs::write(dir.join("Cargo.toml"), manifest).expect("writable");
    member(
        &dir,
        "alpha",
        "lib.rs",
        "pub fn half(x: u8) -> u8 { x / 2 }",
    );
    member(&dir, "beta", "lib.rs", "pub fn broken() -> u8 { missing }");
    member(
        &dir,
        "gamma",
        "lib.rs",
        "pub fn twice(x: u8) -> u16 { u16::from(x) * 2 }",
    );
    member(&dir, "tool", "main.rs", "fn main() {}");
    dir
}

#[test]
fn packages_are_named_or_all_taken_and_one_that_fails_does_not_stop_the_others() {
    let dir = workspace("workspace");
    let output = testsmith(&dir, &[]);
    expect_refusal(&output, 3, &["alpha, beta, gamma", "-p", "--workspace"]);
    let output = testsmith(&dir, &["-p", "delta"]);
    expect_refusal(&output, 3, &["`delta`", "alpha, beta, gamma, tool"]);
    let output = testsmith(&dir, &["--workspace", "--features", "fast"]);
    expect_refusal(&output, 2, &["`fast`"]);

    let output = testsmith(&dir, &["--workspace", "--json", "record.json"]);
    expect_refusal(&output, 4, &["missing"]);
    for name in ["alpha", "gamma"] {
        let tests = dir.join(name).join("tests/testsmith_regression.rs");
        assert!(tests.exists(), "{name} has tests");
        assert!(dir.join(format!("record-{name}.json")).exists());
    }
    let said = stdout(&output);
    assert!(said.contains("next      cargo test -p gamma"), "{said}");
    assert!(said.contains("alpha     0  1 of 1 reached"), "{said}");
    assert!(said.contains("beta      4  "), "{said}");
    assert!(said.contains("passed over: package `tool`"), "{said}");

    let output = testsmith(&dir, &["-p", "alpha", "-p", "gamma", "--out", "made"]);
    assert!(output.status.success(), "{}", stderr(&output));
    for name in ["alpha", "gamma"] {
        let file = dir.join("made").join(name).join("testsmith_regression.rs");
        assert!(file.exists(), "{name} has a directory of its own");
    }
    expect_member_of_its_directory(&dir);
}

/// In the directory of a member, that one is meant.
fn expect_member_of_its_directory(dir: &Path) {
    let expect = |at: &str, args: &[&str], callable: &str| {
        let args = [&["api", "-v"], args].concat();
        let output = testsmith(&dir.join(at), &args);
        assert!(output.status.success(), "{}", stderr(&output));
        let said = stdout(&output);
        assert!(said.contains(callable), "{said}");
    };
    expect("gamma/src", &[], "gamma::twice");
    expect(
        "gamma",
        &["--manifest-path", "../alpha/Cargo.toml"],
        "alpha::half",
    );
    // The command is about the library, wherever it is run.
    let output = testsmith(&dir.join("tool"), &["api"]);
    expect_refusal(&output, 3, &["`tool` has no library"]);
    let manifest = dir.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).expect("it was written");
    let text = text.replace("members = ", "default-members = [\"alpha\"]\nmembers = ");
    fs::write(manifest, text).expect("writable");
    expect("", &[], "alpha::half");
}
