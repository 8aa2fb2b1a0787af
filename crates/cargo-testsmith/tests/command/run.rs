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

/// What makes cargo compile small packages sooner. Their few calls take less time than optimising
/// them would, and what an incremental build writes down is hardly ever read again.
const SOONER: [(&str, &str); 3] = [
    ("CARGO_PROFILE_GUEST_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_RELEASED_OPT_LEVEL", "0"),
    ("CARGO_INCREMENTAL", "0"),
];

pub(crate) fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = command_as_shipped(dir, args);
    command.envs(SOONER);
    command
}

/// The command with harnesses built as users have them.
fn command_as_shipped(dir: &Path, args: &[&str]) -> Command {
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

/// The same with harnesses built as users have them.
pub(crate) fn testsmith_as_shipped(dir: &Path, args: &[&str]) -> Output {
    let mut command = command_as_shipped(dir, args);
    command.output().expect("the command starts")
}

/// Cargo on what was written there.
pub(crate) fn cargo(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(args)
        .current_dir(dir)
        .envs(SOONER)
        .env_remove("CARGO_TARGET_DIR");
    command
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

/// A fixture with everything below it, but for what is built or written there.
pub(crate) fn copy_fixture(name: &str, to: &Path) {
    copy_all(&root().join("fixtures").join(name), to);
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("writable");
    for entry in fs::read_dir(from).expect("the fixture is there") {
        let path = entry.expect("readable").path();
        let name = path.file_name().expect("an entry has a name");
        match (path.is_dir(), name.to_str()) {
            (_, Some("target" | "tests" | "Cargo.lock")) => {}
            (true, _) => copy_all(&path, &to.join(name)),
            (false, _) => drop(fs::copy(&path, to.join(name)).expect("writable")),
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
    listed_with(dir, &[])
}

/// The tests that cargo sees in our files if it is given these flags.
pub(crate) fn listed_with(dir: &Path, flags: &[&str]) -> BTreeSet<String> {
    let output = cargo(dir, &["test", "--tests"])
        .args(flags)
        .args(["--", "--list", "--format", "terse"])
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
    expect_tests_pass_with(dir, &[]);
}

/// `cargo test` with these flags, which must pass without a warning.
pub(crate) fn expect_tests_pass_with(dir: &Path, flags: &[&str]) {
    let output = cargo(dir, &["test", "--quiet"])
        .args(flags)
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!stderr(&output).contains("warning"), "{}", stderr(&output));
}

/// What `--json record.json` wrote.
pub(crate) fn record(dir: &Path) -> serde_json::Value {
    record_at(&dir.join("record.json"))
}

/// What `--json` wrote there.
pub(crate) fn record_at(path: &Path) -> serde_json::Value {
    let text = fs::read_to_string(path).expect("the record is written");
    serde_json::from_str(&text).expect("it is JSON")
}

/// Fails unless all that reach is measured on was reached, and no test lost to the compiler.
pub(crate) fn expect_all_reached(record: &serde_json::Value) {
    let callables = record["callables"].as_array().expect("a list");
    let mut counted = callables.iter().filter(|it| it["counted"] == true);
    assert!(counted.clone().count() > 0, "{record}");
    let missed = counted.find(|it| it["status"] != "reached");
    assert!(missed.is_none(), "{missed:?}");
    expect_clean(record);
}

/// Fails if tests were dropped because rustc refused them, or warned.
pub(crate) fn expect_clean(record: &serde_json::Value) {
    let dropped = record["dropped"].as_array().expect("a list");
    let is_refused = |it: &&serde_json::Value| {
        let reason = it["reason"].as_str().unwrap_or_default();
        reason.starts_with("does not compile") || reason.starts_with("rustc refused")
    };
    let refused = dropped.iter().find(is_refused);
    assert!(refused.is_none(), "{refused:?}");
}

/// The text of the regression tests, of all their files.
pub(crate) fn tests_of(dir: &Path) -> String {
    let root = dir.join("tests/testsmith_regression.rs");
    let modules = fs::read_dir(dir.join("tests/testsmith_regression"));
    let modules = modules.into_iter().flatten();
    let mut paths: Vec<PathBuf> = modules.map(|it| it.expect("readable").path()).collect();
    paths.sort();
    paths.insert(0, root);
    let texts = paths.iter().map(fs::read_to_string);
    let texts: Vec<String> = texts.map(|it| it.expect("tests were written")).collect();
    texts.join("\n")
}

/// Fails unless all of these are in the tests.
pub(crate) fn expect_texts(tests: &str, texts: &[&str]) {
    for text in texts {
        assert!(tests.contains(text), "{text} is missing:\n{tests}");
    }
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
