//! Reports from records, and what shells and `man` are told.

use std::fs;
use std::path::PathBuf;

use crate::run::{package, root, scratch, stderr, stdout, testsmith};

/// A record that stands in the repository.
fn sample(name: &str) -> String {
    let path: PathBuf = root().join("crates/report/src/tests").join(name);
    path.display().to_string()
}

#[test]
fn named_records_become_a_page() {
    let dir = scratch("report-named");
    let [mutants, run, states] = ["mutants.json", "run.json", "states.json"].map(sample);
    let output = testsmith(&dir, &["report", &mutants, &run, &states]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output), "testsmith-counter.html\n");
    let page = fs::read_to_string(dir.join("testsmith-counter.html")).expect("it was written");
    assert!(page.starts_with("<!doctype html>"));
    assert!(page.contains("<title>counter 0.1.0 · Testsmith</title>"));

    let output = testsmith(
        &dir,
        &[
            "report",
            "--out",
            "deep/er/page.html",
            &mutants,
            &run,
            &states,
        ],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let other = fs::read_to_string(dir.join("deep/er/page.html")).expect("it was written");
    assert_eq!(page, other);
}

#[test]
fn records_become_what_other_programs_read() {
    let dir = scratch("report-formats");
    let mutants = sample("mutants.json");
    let output = testsmith(&dir, &["report", "--format", "github", &mutants]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output).matches("::warning file=").count(), 3);
    for (format, field) in [("sarif", "runs"), ("elements", "files")] {
        let output = testsmith(
            &dir,
            &["report", "--format", format, "--out", "-", &mutants],
        );
        assert!(output.status.success(), "{}", stderr(&output));
        let value: serde_json::Value =
            serde_json::from_slice(&output.stdout).expect("it prints JSON");
        assert!(value.get(field).is_some(), "{format} has no {field}");
    }
}

#[test]
fn without_a_record_there_is_advice() {
    let dir = scratch("report-none");
    package(&dir, "", Some("pub fn f() {}"));
    let output = testsmith(&dir, &["report"]);
    assert_eq!(output.status.code(), Some(5));
    let said = stderr(&output);
    assert!(said.contains("no record of package `small`"), "{said}");
    assert!(said.contains("cargo testsmith mutants"), "{said}");

    fs::write(dir.join("notes.json"), "[1, 2]").expect("writable");
    for (name, problem) in [
        ("notes.json", "not a record"),
        ("gone.json", "No such file"),
    ] {
        let output = testsmith(&dir, &["report", name]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(problem), "{}", stderr(&output));
    }
}

#[test]
fn a_run_keeps_its_record_and_the_page_is_made_again_from_it() {
    let dir = scratch("report-kept");
    let source =
        "/// Adds.\npub fn add(a: u8, b: u8) -> u8 { if a > 9 { b } else { a.wrapping_add(b) } }";
    package(&dir, "", Some(source));
    let output = testsmith(&dir, &["--calls", "2000", "--json", "record.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let path = "target/testsmith/report/small.html";
    assert!(stdout(&output).contains(path), "{}", stdout(&output));
    let page = fs::read_to_string(dir.join(path)).expect("it was written");

    let record = fs::read_to_string(dir.join("record.json")).expect("it was written");
    let record: serde_json::Value = serde_json::from_str(&record).expect("it is JSON");
    assert_eq!(record["kind"], "run");
    assert_eq!(record["sources"][0]["text"], source);
    let mutants = record["mutants"].as_array().expect("mutants are listed");
    let killed: Vec<_> = mutants
        .iter()
        .filter(|it| it["status"] == "killed")
        .collect();
    let tests = record["tests"].as_array().expect("tests are listed");
    let names: Vec<_> = tests.iter().map(|it| &it["name"]).collect();
    assert_eq!(record["coverage"]["killed"], killed.len());
    for mutant in killed {
        let by = mutant["killed_by"].as_array().expect("a list");
        assert!(!by.is_empty(), "{mutant}");
        assert!(by.iter().all(|name| names.contains(&name)), "{mutant}");
    }
    for test in tests {
        let text = test["text"].as_str().expect("a text");
        assert!(text.contains("#[test]"), "{text}");
    }
    let branches = record["branches"].as_array().expect("branches are listed");
    assert_eq!(branches.len(), 2);

    fs::remove_file(dir.join(path)).expect("it is there");
    fs::remove_dir_all(dir.join("target/testsmith/small")).expect("it was built");
    let output = testsmith(&dir, &["report"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output), format!("{path}\n"));
    let again = fs::read_to_string(dir.join(path)).expect("it was written");
    assert!(page == again, "the page is another one");
    assert!(
        !dir.join("target/testsmith/small").exists(),
        "it built something"
    );
}

#[test]
fn shells_and_man_know_every_command() {
    let dir = scratch("report-shells");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = testsmith(&dir, &["completions", shell]);
        assert!(output.status.success(), "{}", stderr(&output));
        let script = stdout(&output);
        for word in ["mutants", "report", "completions"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
    // Every command that is recognised has its own completions.
    let script = stdout(&testsmith(&dir, &["completions", "bash"]));
    let recognised = script
        .lines()
        .filter_map(|line| line.trim().strip_prefix("cmd=\""));
    for name in recognised
        .filter_map(|it| it.strip_suffix('"'))
        .filter(|it| !it.is_empty())
    {
        assert!(script.contains(&format!("        {name})\n")), "{name}");
    }
    let output = testsmith(&dir, &["man"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains(".TH cargo-testsmith 1"));
    let output = testsmith(&dir, &["man", "report"]);
    assert!(stdout(&output).contains(".TH cargo-testsmith-report 1"));
    let output = testsmith(&dir, &["man", "nothing"]);
    assert_eq!(output.status.code(), Some(2));
}
