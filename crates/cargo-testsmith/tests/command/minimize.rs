//! Redundant tests of an existing suite.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::run::{
    copy_fixture, expect_tests_pass, listed, package, record, root, scratch, stderr, stdout,
    testsmith,
};

fn fixture(name: &str) -> std::path::PathBuf {
    let dir = scratch(name);
    copy_fixture("redundant", &dir);
    fs::create_dir_all(dir.join("tests")).expect("writable");
    let own = root().join("fixtures/redundant/tests/own.rs");
    fs::copy(own, dir.join("tests/own.rs")).expect("the fixture has tests");
    dir
}

fn names(list: &serde_json::Value) -> BTreeSet<&str> {
    let list = list.as_array().expect("a list").iter();
    list.filter_map(|it| it["test"].as_str()).collect()
}

const REDUNDANT: [&str; 3] = [
    "lib redundant tests::two_is_still_four",
    "test own an_empty_one_still_has_no_top",
    "test own pushes_again",
];

#[test]
fn what_is_redundant_is_told_from_what_asserts_something_else() {
    let dir = fixture("minimize");
    let before = fs::read_to_string(dir.join("tests/own.rs")).expect("it is there");
    let output = testsmith(&dir, &["minimize", "--json", "record.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    assert_eq!(names(&record["redundant"]), REDUNDANT.into());
    assert_eq!(
        record["redundant"][0]["by"][0],
        "lib redundant tests::two_is_four"
    );
    let differing = [
        "test own asserts_something_else",
        "test own made_by_a_macro",
        "test own pushes",
    ];
    assert_eq!(names(&record["differing"]), differing.into());
    let differing = |test: &str| {
        let list = record["differing"].as_array().expect("a list");
        list.iter().find(|it| it["test"] == test).expect("listed")
    };
    let asserted = differing("test own asserts_something_else");
    assert_eq!(asserted["assertions"][0], "assert!(stack.len() < 3)");
    assert!(differing("test own made_by_a_macro")["unknown"].is_string());
    let reason = |test: &str| {
        let unjudged = record["unjudged"].as_array().expect("a list");
        let it = unjudged.iter().find(|it| it["test"] == test);
        it.and_then(|it| it["reason"].as_str()).unwrap_or("judged")
    };
    assert!(reason("test own ignored").contains("ignored"));
    assert!(reason("test own opaque").contains("cannot be seen"));
    assert!(reason("test own calls_nothing").contains("no call"));
    assert_eq!(reason("test own on_threads"), "judged");
    for field in ["branches_taken", "killed"] {
        assert_eq!(record["before"][field], record["after"][field], "{field}");
    }
    assert_eq!(record["before"]["tests"], 13);
    assert_eq!(record["after"]["tests"], 10);
    assert!(record["before"]["killed"].as_u64() > Some(10), "{record}");
    // Nothing was touched, and it is said what to do.
    assert_eq!(
        fs::read_to_string(dir.join("tests/own.rs")).ok(),
        Some(before)
    );
    assert!(stdout(&output).contains("--apply"), "{}", stdout(&output));

    let output = testsmith(&dir, &["minimize", "--apply", "--mutants", "20"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stdout(&output);
    assert!(said.contains("20 mutants, chosen by chance"), "{said}");
    expect_commented_out(&dir);
    expect_tests_pass(&dir);
    let output = testsmith(&dir, &["minimize", "--mutants", "1", "-q"]);
    let said = stdout(&output);
    assert!(said.contains("no test is redundant"), "{said}");
}

fn expect_commented_out(dir: &Path) {
    let own = fs::read_to_string(dir.join("tests/own.rs")).expect("it is there");
    let expected = "\
// testsmith: redundant, makes no call that these do not make: pushes
// #[test]
// fn pushes_again() {
//     let mut other = Stack::new();
//     other.push(1);
//     other.push(2);
//     assert_eq!(2, other.pop());
// }

#[test]
fn asserts_something_else() {";
    assert!(own.contains(expected), "{own}");
    let source = fs::read_to_string(dir.join("src/lib.rs")).expect("it is there");
    let expected = "
    // A comment that is nobody's.

    // testsmith: redundant, makes no call that these do not make: tests::two_is_four
    // /// The same with another name.
    // #[test]
    // fn two_is_still_four() {
    //     let doubled = twice(2);
    //     assert_eq!(doubled, 4, \"so it was\");
    // }

    #[test]
    fn three_is_six() {";
    assert!(source.contains(expected), "{source}");
}

#[test]
fn what_testsmith_wrote_goes_and_what_another_test_needs_is_put_back() {
    let dir = scratch("minimize-ours");
    package(
        &dir,
        "",
        Some("/// Adds.\npub fn add(a: u8, b: u8) -> u8 { a.wrapping_add(b) }"),
    );
    expect_put_back(&dir);
    fs::remove_file(dir.join("tests/own.rs")).expect("it is there");

    let output = testsmith(&dir, &["--calls", "2000", "-q"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let path = dir.join("tests/testsmith_regression.rs");
    let ours = fs::read_to_string(&path).expect("it was written");
    // Somebody has the same tests, and more.
    let theirs = ours.split("// testsmith: ").next().expect("a text");
    let theirs = format!("{theirs}\n#[test]\nfn more() {{ assert_eq!(small::add(77, 1), 78); }}\n");
    fs::write(dir.join("tests/theirs.rs"), theirs).expect("writable");
    let n_before = listed_in(&dir);
    let output = testsmith(&dir, &["minimize", "--apply", "--json", "record.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    let redundant = record["redundant"].as_array().expect("a list");
    assert!(!redundant.is_empty(), "{record}");
    assert!(redundant.iter().all(|it| it["ours"] == true), "{record}");
    let after = fs::read_to_string(&path).expect("it is there");
    assert!(!after.contains("redundant"), "{after}");
    assert_eq!(listed_in(&dir), n_before - redundant.len());
    // It still counts as ours: the next run adds to it.
    let output = testsmith(&dir, &["--calls", "2000", "-q"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!dir.join("tests/testsmith_regression_2.rs").exists());
}

/// Tests of all files: names may be the same in two of them.
fn listed_in(dir: &Path) -> usize {
    let files = ["tests/testsmith_regression.rs", "tests/theirs.rs"];
    let texts = files.map(|it| fs::read_to_string(dir.join(it)).expect("readable"));
    assert!(!listed(dir).is_empty());
    texts.iter().map(|it| it.matches("#[test]").count()).sum()
}

/// A test that another cannot do without is put back.
fn expect_put_back(dir: &Path) {
    let own = "\
#[test]
fn adds() {
    assert_eq!(small::add(1, 2), 3);
}

#[test]
fn adds_again() {
    assert_eq!(small::add(1, 2), 3);
}

#[test]
fn reads_itself() {
    let lines = include_str!(\"own.rs\").lines();
    assert_eq!(lines.filter(|it| it.starts_with(\"fn \")).count(), 3);
}
";
    fs::create_dir_all(dir.join("tests")).expect("writable");
    fs::write(dir.join("tests/own.rs"), own).expect("writable");
    let output = testsmith(dir, &["minimize", "--apply", "--json", "record.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(dir);
    // Either could go, were it not for the third.
    let either = ["test own adds", "test own adds_again"];
    assert_eq!(names(&record["redundant"]), either.into());
    for it in record["redundant"].as_array().expect("a list") {
        assert_eq!(it["left_alone"], "test own reads_itself fails without it");
    }
    assert_eq!(record["applied"], false);
    assert_eq!(
        fs::read_to_string(dir.join("tests/own.rs")).ok(),
        Some(own.to_owned())
    );
}
