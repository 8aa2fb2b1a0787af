//! How much of a suite is redundant, by each notion of equal states.

use serde_json::Value;

use crate::run::{copy_fixture, package, record, scratch, stderr, stdout, testsmith};

const CRATE: &str = r#"
/// Its past is private, and `==` does not look at it.
pub struct Switch { is_on: bool, n_turns: u8 }

impl Switch {
    pub fn new() -> Switch { Switch { is_on: false, n_turns: 0 } }
    pub fn turn(&mut self) { self.is_on = !self.is_on; self.n_turns += 1; }
    pub fn is_on(&self) -> bool { self.is_on }
}

impl PartialEq for Switch {
    fn eq(&self, other: &Switch) -> bool { self.is_on == other.is_on }
}

/// Nobody knows what is behind it.
pub struct Handle { to: *const u8 }

impl Handle {
    pub fn new() -> Handle { Handle { to: std::ptr::null() } }
    pub fn is_null(&self) -> bool { self.to.is_null() }
}
"#;

/// Tests, and those redundant by each notion.
fn judged(suite: &Value) -> (u64, Vec<(&str, u64)>) {
    let notions = suite["notions"].as_array().expect("a list");
    let redundant = notions.iter().map(|it| {
        let name = it["state_by"].as_str().expect("a name");
        assert_eq!(it["quality"], suite["quality"], "{name}");
        (name, it["redundant_tests"].as_u64().expect("a number"))
    });
    let n_tests = suite["tests"].as_u64().expect("a number");
    (n_tests, redundant.collect())
}

#[test]
fn each_notion_finds_the_tests_redundant_that_start_from_its_states() {
    let dir = scratch("redundancy");
    package(&dir, "", Some(CRATE));
    let output = testsmith(&dir, &["--json", "record.json", "redundancy"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    let types = record["types"].as_array().expect("a list");
    let paths = types.iter().map(|it| it["path"].as_str().expect("a path"));
    assert!(paths.eq(["small::Handle", "small::Switch"]), "{types:?}");

    // turn, is_on and eq, up to three of them.
    let switch = &types[1]["suites"];
    let expected = [
        ("whole-seq", 0),
        // Never turned, once, twice: three calls on each.
        ("modifying-seq", 39 - 9),
        ("whole-state", 39 - 9),
        // Off and on; but `==` itself, which does not look at turns, is called on all three.
        ("monitor-eq", 39 - 7),
        ("pairwise-eq", 39 - 7),
    ];
    assert_eq!(judged(&switch[0]), (39, expected.to_vec()));
    let quality = &switch[0]["quality"];
    assert!(quality["mutants"].as_u64() > Some(3), "{quality}");
    let (n_tests, redundant) = judged(&switch[2]);
    assert_eq!(n_tests, 4);
    assert!(redundant.iter().all(|(_, n)| *n == 0), "{redundant:?}");
    assert_eq!(switch[0]["not_whole"], serde_json::json!({}));

    // What cannot be seen is told by what was done with it.
    let handle = &types[0]["suites"][0];
    let (n_tests, redundant) = judged(handle);
    assert_eq!(n_tests, 3);
    assert!(redundant.iter().all(|(_, n)| *n == 0), "{redundant:?}");
    assert_eq!(
        handle["not_whole"],
        serde_json::json!({ "small::Handle": 6 })
    );
    assert!(stdout(&output).contains("told by the calls that made it"));
}

/// What is said of how values of a type were seen, in the suite with two values for a parameter.
fn seen(record: &Value, ty: &str) -> Value {
    let types = record["types"].as_array().expect("a list");
    let of_type = types.iter().find(|it| it["path"] == ty);
    of_type.expect("it has suites")["suites"][1]["seen"][ty].clone()
}

#[test]
fn values_are_the_same_by_what_their_equality_reads() {
    let dir = scratch("monitored");
    copy_fixture("monitored", &dir);
    let output = testsmith(&dir, &["--json", "record.json", "redundancy"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    assert_eq!(record["unmonitored"], serde_json::json!({}));
    // Four equalities, and a method that one of them calls; a fifth is derived.
    assert_eq!(record["monitored"], 5);
    for ty in ["Stack", "Cached<u8>", "Pair", "Light"] {
        let seen = seen(&record, &format!("monitored::{ty}"));
        assert_eq!(seen["less"], seen["looks"], "{ty}: {seen}");
        assert!(seen["pairs"].as_u64() > Some(3), "{ty}: {seen}");
        assert_eq!(
            (&seen["finer"], &seen["coarser"]),
            (&0.into(), &0.into()),
            "{ty}: {seen}"
        );
    }
    let set = seen(&record, "monitored::Set");
    assert_eq!(
        (&set["finer"], &set["coarser"]),
        (&1.into(), &0.into()),
        "{set}"
    );
    assert_eq!(set["finer_example"].as_array().map(Vec::len), Some(2));
    assert!(stdout(&output).contains("equal by `==`, which reads different things"));
}
