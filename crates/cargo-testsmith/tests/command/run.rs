//! Small packages, and the command run on them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A directory of this test's own under the target directory.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("the target directory is writable");
    dir
}

pub(crate) fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-testsmith"));
    command
        .arg("testsmith")
        .args(args)
        .current_dir(dir)
        .env_remove("CARGO_TARGET_DIR");
    command
}

pub(crate) fn testsmith(dir: &Path, args: &[&str]) -> Output {
    command(dir, args).output().expect("the command starts")
}

pub(crate) fn copy_subject(name: &str, to: &Path) {
    let from = root().join("subjects").join(name);
    fs::create_dir_all(to.join("src")).expect("writable");
    fs::copy(from.join("Cargo.toml"), to.join("Cargo.toml")).expect("the subject has a manifest");
    for entry in fs::read_dir(from.join("src")).expect("it has sources") {
        let path = entry.expect("readable").path();
        if path.is_file() {
            let name = path.file_name().expect("a file has a name");
            fs::copy(&path, to.join("src").join(name)).expect("writable");
        }
    }
}

pub(crate) fn package(dir: &Path, manifest: &str, source: Option<&str>) {
    fs::create_dir_all(dir.join("src")).expect("writable");
    let head = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let text = format!("{head}{manifest}\n[workspace]\n");
    fs::write(dir.join("Cargo.toml"), text).expect("writable");
    if let Some(source) = source {
        fs::write(dir.join("src/lib.rs"), source).expect("writable");
    }
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The tests that cargo sees in our files.
pub(crate) fn listed(dir: &Path) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["test", "--tests", "--", "--list", "--format", "terse"])
        .current_dir(dir)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| line.strip_suffix(": test"))
        .map(str::to_owned)
        .collect()
}

/// `cargo test`, which must pass without a warning.
pub(crate) fn expect_tests_pass(dir: &Path) {
    let output = Command::new(env!("CARGO"))
        .args(["test", "--quiet"])
        .current_dir(dir)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!stderr(&output).contains("warning"), "{}", stderr(&output));
}

/// What `--json record.json` wrote.
pub(crate) fn record(dir: &Path) -> serde_json::Value {
    let text = fs::read_to_string(dir.join("record.json")).expect("the record is written");
    serde_json::from_str(&text).expect("it is JSON")
}

/// A callable's field in the record.
pub(crate) fn of_callable(record: &serde_json::Value, path: &str, field: &str) -> String {
    let callables = record["callables"].as_array();
    let mut callables = callables.expect("callables are listed").iter();
    let callable = callables.find(|c| c["path"] == path);
    let callable = callable.unwrap_or_else(|| panic!("{path} is not in the record"));
    callable[field].as_str().unwrap_or_default().to_owned()
}

/// Fails with what the command said unless it ended with this code and said these words.
pub(crate) fn expect_refusal(output: &Output, code: i32, words: &[&str]) {
    let said = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    for word in words {
        assert!(said.contains(word), "{word:?} is not in: {said}");
    }
}
