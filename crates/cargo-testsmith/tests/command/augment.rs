//! What a suite lacks: its states with its arguments, in combinations that it never executes.

use std::fs;
use std::process::Command;

use crate::run::{package, record, scratch, stderr, stdout, testsmith};

const CRATE: &str = r#"
/// Its state is private.
#[derive(Default)]
pub struct Lift { floor: u8, is_open: bool }

impl Lift {
    pub fn new() -> Lift { Lift::default() }
    /// Goes to a floor, unless its door is open.
    pub fn go(&mut self, floor: u8) -> bool {
        if self.is_open || floor > 9 { return false; }
        self.floor = floor;
        true
    }
    pub fn open(&mut self) { self.is_open = true; }
    pub fn floor(&self) -> u8 { self.floor }
}
"#;

/// Nobody goes anywhere while the door is open.
const TESTS: &str = r#"
use small::Lift;

#[test]
fn it_goes() {
    let mut lift = Lift::new();
    assert!(lift.go(3));
    assert_eq!(lift.floor(), 3);
}

#[test]
fn it_opens() {
    let mut lift = Lift::new();
    lift.open();
    assert_eq!(lift.floor(), 0);
}
"#;

#[test]
fn states_of_a_suite_meet_its_arguments() {
    let dir = scratch("augment");
    package(&dir, "", Some(CRATE));
    fs::create_dir_all(dir.join("tests")).expect("writable");
    fs::write(dir.join("tests/own.rs"), TESTS).expect("writable");
    let args = ["--json", "record.json", "augment", "--time", "3s"];
    let output = testsmith(&dir, &args);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    // A new one, one on the third floor, an open one.
    assert_eq!(record["suite_states"], 3);
    assert_eq!(record["remade"], 3);
    let file = dir.join("tests/testsmith_augmented.rs");
    let text = fs::read_to_string(&file).expect("it was written");
    // Asked to go while it is open: no test of the suite does that.
    let is_refused = |line: &str| line.trim().starts_with("assert!(!") && line.contains(".go(3)");
    assert!(text.lines().any(is_refused), "{text}");
    assert!(text.contains(".open();"), "{text}");
    // Its own arguments, and no others.
    for line in text.lines().filter(|line| line.contains(".go(")) {
        assert!(line.contains(".go(3)"), "{line}");
    }

    let output = Command::new("cargo")
        .arg("test")
        .current_dir(&dir)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", stdout(&output));
    // What was added belongs to the suite now: nothing is left to add.
    let output = testsmith(&dir, &[&args[2..], &["--dry-run"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stdout(&output);
    assert!(said.contains("would write 0 new tests"), "{said}");
}
