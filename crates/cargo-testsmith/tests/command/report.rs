//! Reports from records, and what shells and `man` are told.

use std::fs;
use std::path::PathBuf;

use crate::run::{expect_refusal, package, record, root, scratch, stderr, stdout, testsmith};

/// A record that stands in the repository.
fn sample(name: &str) -> String {
    let path: PathBuf = root().join("crates/report/src/tests").join(name);
    path.display().to_string()
}

#[test]
fn named_records_become_a_page_and_what_other_programs_read() {
    let dir = scratch("report-named");
    let [mutants, run, states] = ["mutants.json", "run.json", "states.json"].map(sample);
    let records = [&*mutants, &*run, &*states];
    let output = testsmith(&dir, &[&["report"], &records[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output), "testsmith-counter.html\n");
    let page = fs::read_to_string(dir.join("testsmith-counter.html")).expect("it was written");
    assert!(page.starts_with("<!doctype html>"));
    assert!(page.contains("<title>counter 0.1.0 · Testsmith</title>"));
    let out = ["report", "--out", "deep/er/page.html"];
    let output = testsmith(&dir, &[&out, &records[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let other = fs::read_to_string(dir.join("deep/er/page.html")).expect("it was written");
    assert_eq!(page, other);

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

    // Without a record there is advice.
    package(&dir, "", Some("pub fn f() {}"));
    let output = testsmith(&dir, &["report"]);
    expect_refusal(
        &output,
        5,
        &["no record of package `small`", "cargo testsmith mutants"],
    );
    fs::write(dir.join("notes.json"), "[1, 2]").expect("writable");
    for (name, problem) in [
        ("notes.json", "not a record"),
        ("gone.json", "No such file"),
    ] {
        expect_refusal(&testsmith(&dir, &["report", name]), 2, &[problem]);
    }
}

/// What a mutant leaves in the cell would be there for the next, which changes nothing.
const CACHING: &str = r#"
static CELL: std::sync::OnceLock<u32> = std::sync::OnceLock::new();

pub fn cached() -> u32 {
    *CELL.get_or_init(|| 6 * 7)
}

pub fn idle(n: u32) -> u32 {
    let is_large = n > 3;
    drop(is_large);
    cached()
}

pub fn add(a: u8, b: u8) -> u8 {
    if a > 9 { b } else { a.wrapping_add(b) }
}
"#;

#[test]
fn a_run_keeps_its_record_with_every_mutant_and_the_page_is_made_again_from_it() {
    let dir = scratch("report-kept");
    package(&dir, "", Some(CACHING));
    let output = testsmith(&dir, &["--calls", "2000", "--json", "record.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let path = "target/testsmith/report/small.html";
    assert!(stdout(&output).contains(path), "{}", stdout(&output));
    let page = fs::read_to_string(dir.join(path)).expect("it was written");

    let record = record(&dir);
    assert_eq!(record["kind"], "run");
    assert_eq!(record["sources"][0]["text"], CACHING);
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
    // Mutants do not leak into one another.
    let survivors = record["coverage"]["survivors"].as_array();
    let survivors = survivors.expect("a list").iter();
    let survivors: Vec<&str> = survivors.filter_map(|it| it.as_str()).collect();
    let in_cell = |name: &&&str| name.contains("6 * 7");
    assert_eq!(survivors.iter().find(in_cell), None, "{survivors:?}");
    let relational = "src/lib.rs idle: relational `n > 3` -> `n <= 3`";
    assert!(survivors.contains(&relational), "{survivors:?}");
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
