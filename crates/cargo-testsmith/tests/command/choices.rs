//! What is tested, how, and where it goes, is the user's choice: by flag or by file.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::run::{
    expect_refusal, listed, of_callable, package, record, scratch, stderr, stdout, testsmith,
};

/// A maker, a type it makes, and a function that stands alone.
const SHOP: &str = "
#[derive(Debug, PartialEq)]
pub struct Shop { n: u32 }
pub fn open(n: u32) -> Shop { Shop { n: n % 7 } }
impl Shop {
    pub fn sell(&mut self) -> bool { if self.n > 0 { self.n -= 1; true } else { false } }
    pub fn left(&self) -> u32 { self.n }
}
pub fn alone(x: u8) -> u8 { x / 2 }
";

const ARGS: [&str; 4] = ["--calls", "2000", "--json", "record.json"];

fn run(dir: &Path, args: &[&str]) -> serde_json::Value {
    let output = testsmith(dir, &[&ARGS[..], args].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    record(dir)
}

fn names(record: &serde_json::Value) -> BTreeSet<String> {
    let tests = record["tests"].as_array().expect("tests are listed");
    let name = |test: &serde_json::Value| test["name"].as_str().map(str::to_owned);
    tests.iter().filter_map(name).collect()
}

/// What never returns, what must not be called, and what nobody can construct.
const DIFFICULT: &str = "
pub fn picky(x: u8) -> u8 { assert!(x > 255u8.wrapping_add(0), \"never\"); x }
pub fn danger() { std::process::abort() }
pub struct Sealed { x: u8 }
impl Sealed {
    pub fn get(&self) -> u8 { self.x }
    pub fn set(&mut self, x: u8) { self.x = x; }
}
";

#[test]
fn only_restricts_what_is_tested_and_what_is_skipped_is_never_called() {
    let dir = scratch("only");
    package(&dir, "", Some(&format!("{SHOP}{DIFFICULT}")));

    // What makes values is called, whatever is asked for.
    let only = ["--only", "Shop::sell", "--only", "nowhere"];
    let args = [&ARGS[..], &only, &["-q"]].concat();
    let output = testsmith(&dir, &args);
    assert!(output.status.success(), "{}", stderr(&output));
    let note = "Note --only nowhere matches nothing in small";
    assert_eq!(stderr(&output).trim(), note, "nothing else is worth it");
    assert!(stdout(&output).contains("next      cargo test"));
    let first = record(&dir);
    let names = names(&first);
    assert!(!names.is_empty(), "a shop was opened to sell from");
    assert!(names.iter().all(|name| name.contains("sell")), "{names:?}");
    let of = |path: &str, field: &str| of_callable(&first, path, field);
    assert_eq!(of("small::Shop::sell", "status"), "reached");
    for path in ["small::open", "small::alone"] {
        assert_eq!(of(path, "status"), "skipped");
        assert_eq!(of(path, "reason"), "left out on request");
    }
    let calls = |path: &str| {
        let callables = first["callables"].as_array();
        let callable = callables.and_then(|all| all.iter().find(|c| c["path"] == path));
        callable.and_then(|c| c["calls"].as_u64())
    };
    assert!(
        calls("small::open") > Some(0),
        "there is no other way to a shop"
    );
    assert_eq!(calls("small::alone"), Some(0), "no time is spent on it");

    // A verbose summary names what was not reached, why, and where time went.
    let output = testsmith(&dir, &[&ARGS[..], &["--skip", "danger,op*", "-v"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let second = record(&dir);
    assert_eq!(failures(&second).len(), 1, "of `picky`: {second}");
    let reason = |path: &str| of_callable(&second, path, "reason");
    assert_eq!(reason("small::danger"), "left out on request");
    assert_eq!(reason("small::open"), "left out on request");
    assert_eq!(
        reason("small::Shop::sell"),
        "nothing makes a value of `small::Shop`: `small::open` would, but cannot be called either"
    );
    let said = stdout(&output);
    for words in [
        "small::picky: no call of it returned",
        "[caller's] small::picky at src/lib.rs:11: never",
        "2 × nothing makes a value of `small::Sealed`",
        "time      learn",
    ] {
        assert!(said.contains(words), "{words:?} is not in: {said}");
    }

    // Patterns that match nothing are named.
    let output = testsmith(&dir, &["--only", "Shopp"]);
    expect_refusal(&output, 2, &["--only Shopp", "cargo testsmith api"]);
    let output = testsmith(&dir, &["api", "--only", "Shop,Shopp", "--skip", "left"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("--only Shopp matches nothing"));
    let listing = stdout(&output);
    assert!(listing.contains("small::Shop::sell"), "{listing}");
    assert!(!listing.contains("small::Shop::left"), "{listing}");
    assert!(!listing.contains("small::alone"), "{listing}");
}

#[test]
fn files_go_where_they_are_wanted_and_cargo_sees_them_once_they_are_registered() {
    let dir = scratch("out");
    package(&dir, "", Some(SHOP));
    let run = |args: &[&str]| testsmith(&dir, &[&["--calls", "2000"], args].concat());

    // What cannot be written is known before exploring.
    let tests = dir.join("tests");
    fs::write(&tests, "a file").expect("writable");
    let output = testsmith(&dir, &["--time", "600s"]);
    expect_refusal(&output, 6, &["tests", "--out", "--dry-run"]);
    let output = testsmith(&dir, &["--time", "600s", "--json", "missing/record.json"]);
    expect_refusal(&output, 6, &["missing/record.json", "does not exist"]);

    // There is a way around it.
    let out = ["--out", "checks/made"];
    let output = run(&out);
    assert!(output.status.success(), "{}", stderr(&output));
    let made = dir.join("checks/made/testsmith_regression.rs");
    assert!(made.exists());
    assert!(
        stderr(&output).contains("cargo does not see"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read_to_string(&tests).expect("kept"), "a file");
    fs::remove_file(&tests).expect("it is there");
    assert!(listed(&dir).is_empty());
    let output = run(&[&out[..], &["--register"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!listed(&dir).is_empty(), "cargo sees them now");
    let output = run(&out);
    assert!(
        stdout(&output).contains("next      cargo test"),
        "and goes on seeing them"
    );

    // A dry run writes nothing beside the sources.
    let output = run(&["--dry-run"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!tests.exists());
    let said = stdout(&output);
    let path = "target/testsmith/small/suite/tests/testsmith_regression.rs";
    assert!(said.contains("would write"), "{said}");
    assert!(said.contains(path), "{said}");
    assert!(dir.join(path).exists(), "they can be looked at");

    // A full disk costs the record and not the tests, and a manifest is amended only on request.
    package(&dir, "autotests = false\n", Some(SHOP));
    let before = fs::read_to_string(dir.join("Cargo.toml")).expect("it is there");
    let output = run(&["--json", "/dev/full"]);
    expect_refusal(&output, 6, &["No space left", "has room", "--register"]);
    assert!(tests.join("testsmith_regression.rs").exists());
    assert!(stdout(&output).contains("next"), "{}", stdout(&output));
    let after = fs::read_to_string(dir.join("Cargo.toml")).expect("it is there");
    assert_eq!(before, after);
    assert!(listed(&dir).is_empty(), "cargo does not look for tests");
    let output = run(&["--register"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!listed(&dir).is_empty(), "cargo sees the tests now");
}

#[test]
fn features_choose_what_is_there_and_an_unknown_one_is_named() {
    let dir = scratch("features");
    let source = "pub fn always(x: u8) -> u8 { x }
        #[cfg(feature = \"more\")] pub fn more(x: u8) -> u8 { x }
        #[cfg(feature = \"plain\")] pub fn plain(x: u8) -> u8 { x }";
    let manifest = "[features]\ndefault = [\"plain\"]\nplain = []\nmore = []\n";
    package(&dir, manifest, Some(source));
    let api = |args: &[&str]| stdout(&testsmith(&dir, &[&["api", "-q"][..], args].concat()));
    let has = |listing: &str| ["small::more", "small::plain"].map(|path| listing.contains(path));
    assert_eq!(has(&api(&[])), [false, true]);
    assert_eq!(has(&api(&["--features", "more"])), [true, true]);
    assert_eq!(has(&api(&["--no-default-features"])), [false, false]);
    let all = ["--all-features", "--no-default-features"];
    assert_eq!(has(&api(&all)), [true, true]);
    let output = testsmith(&dir, &["--features", "mroe"]);
    expect_refusal(&output, 2, &["`mroe`", "more, plain"]);
}

#[test]
fn a_settings_file_speaks_unless_the_command_line_does() {
    let dir = scratch("settings");
    let metadata = "[package.metadata.testsmith]\nseed = 1\njobs = 1\nonly = [\"alone\"]\n";
    package(&dir, metadata, Some(SHOP));
    fs::write(dir.join("testsmith.toml"), "seed = 2\ntime = \"600s\"\n").expect("writable");
    let record = run(&dir, &[]);
    assert_eq!(
        record["seed"], 2,
        "testsmith.toml comes before the manifest"
    );
    assert_eq!(
        record["jobs"], 1,
        "the manifest speaks where nobody else does"
    );
    assert!(names(&record).iter().all(|name| name.contains("alone")));
    let record = run(&dir, &["--seed", "3", "--only", "Shop"]);
    assert_eq!(record["seed"], 3, "the command line comes first");
    assert_eq!(
        of_callable(&record, "small::Shop::left", "status"),
        "reached"
    );
}

#[test]
fn flags_and_settings_that_make_no_sense_are_named() {
    let dir = scratch("senseless");
    package(&dir, "", Some(SHOP));
    for args in [
        &["--time", "5 parsecs"][..],
        &["--time", "0s"],
        &["--calls", "0"],
        &["--jobs", "0"],
        &["--max-tests", "0"],
        &["--time", "5s", "--calls", "10"],
        &["-q", "-v"],
        &["--workspace", "-p", "small"],
        &["--unheard-of"],
    ] {
        expect_refusal(&testsmith(&dir, args), 2, &[args[0]]);
    }

    let file = dir.join("testsmith.toml");
    for (text, words) in [
        ("max-test = 5", &["`max-test`", "`max-tests`"][..]),
        ("jobs = \"many\"", &["jobs = \"many\"", "invalid type"]),
        ("time = \"5 parsecs\"", &["time = \"5 parsecs\"", "parsecs"]),
        ("time = \"5s\"\ncalls = 5", &["`time`", "`calls`"]),
    ] {
        fs::write(&file, text).expect("writable");
        let output = testsmith(&dir, &[]);
        expect_refusal(&output, 2, &["testsmith.toml"]);
        expect_refusal(&output, 2, words);
    }
    fs::remove_file(&file).expect("it is there");
    package(&dir, "[package.metadata.testsmith]\nsped = 1\n", Some(SHOP));
    expect_refusal(
        &testsmith(&dir, &[]),
        2,
        &["Cargo.toml", "`sped`", "`seed`"],
    );
}

/// One cause that two functions share, one that a caller could have known, and a check.
const FAILING: &str = "
pub struct Words(Vec<String>);
impl Words {
    pub fn new(text: &str) -> Words { Words(text.split(' ').map(str::to_owned).collect()) }
    pub fn third(&self) -> &str { self.at(2) }
    pub fn fourth(&self) -> &str { self.at(3) }
    pub fn nth(&self, n: usize) -> &str { &self.0[n] }
    pub fn few(&self, n: usize) -> usize { assert!(n < 9, \"only a few\"); n }
    pub fn half(&self) -> &str { &self.0[(self.0.len() + 3) / 2] }
    fn at(&self, n: usize) -> &str { &self.0[n] }
}
";

/// By verdict, operation, and how many others have the same cause.
fn failures(record: &serde_json::Value) -> Vec<(String, String, usize)> {
    let failures = record["failures"].as_array().expect("they are listed");
    let text = |it: &serde_json::Value, field: &str| it[field].as_str().unwrap_or("").to_owned();
    let one = |it: &serde_json::Value| {
        let n_others = it["others"].as_array().map_or(0, Vec::len);
        (text(it, "verdict"), text(it, "operation"), n_others)
    };
    failures.iter().map(one).collect()
}

#[test]
fn failures_are_judged_once_for_each_cause_and_settings_overrule() {
    let dir = scratch("judged");
    package(&dir, "", Some(FAILING));
    let first = run(&dir, &[]);
    let found = failures(&first);
    let of = |verdict: &str, operation: &str| {
        let is_it = |it: &&(String, String, usize)| it.0 == verdict && it.1.contains(operation);
        found.iter().find(is_it).map(|it| it.2)
    };
    assert_eq!(found.len(), 4, "{found:?}");
    let inside = of("suspicious", "third").or(of("suspicious", "fourth"));
    assert_eq!(inside, Some(1), "{found:?}");
    assert_eq!(of("suspicious", "half"), Some(0), "{found:?}");
    assert_eq!(of("precondition", "nth"), Some(0), "{found:?}");
    assert_eq!(of("precondition", "few"), Some(0), "{found:?}");

    let known = first["failures"][0]["name"]
        .as_str()
        .expect("it has a name");
    let settings = format!("accept = [{known:?}]\n[verdicts]\n'Words::few' = 'documented'\n");
    fs::write(dir.join("testsmith.toml"), settings).expect("it can be written");
    // Whoever looks for bugs only gets the same failures, and the suite of the first run stays.
    let suite = dir.join("tests/testsmith_regression.rs");
    let before = fs::read(&suite).expect("the first run wrote it");
    let second = run(&dir, &["bugs"]);
    let found = failures(&second);
    let verdicts: Vec<&str> = found.iter().map(|it| &*it.0).collect();
    let expected = ["suspicious", "precondition", "documented"];
    assert_eq!(verdicts, expected, "{found:?}");
    let files = second["files"].as_array().map(|files| {
        let path = |file: &serde_json::Value| file["path"].as_str().map(str::to_owned);
        Vec::from_iter(files.iter().filter_map(path))
    });
    let expected = vec!["tests/testsmith_failures.rs".to_owned()];
    assert_eq!(files, Some(expected), "{second}");
    // The test of the failure that is accepted now was there, so it stays.
    assert_eq!(names(&second).len(), 2, "{second}");
    assert!(fs::read(&suite).is_ok_and(|after| after == before));
}
