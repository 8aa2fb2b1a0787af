//! Where exploration gets what it could not guess: from examples and tests that people wrote, and from
//! what the crate compares its arguments with.

use std::fs;

use crate::run::{
    expect_tests_pass, package, record, scratch, stderr, stdout, tests_of, testsmith,
};

/// A lock that opens after ten numbers in the right order, and one that does not say so anywhere but
/// in its tests.
const LOCKS: &str = r#"
//! A lock.
//!
//! ```
//! # use small::Lock;
//! let mut lock = Lock::new();
//! lock.turn(71)?;
//! lock.turn(18)?;
//! lock.turn(28)?;
//! lock.turn(182)?;
//! lock.turn(84)?;
//! lock.turn(59)?;
//! lock.turn(45)?;
//! lock.turn(90)?;
//! lock.turn(235)?;
//! lock.turn(36)?;
//! assert_eq!(lock.treasure(), Some("gold"));
//! # Ok::<(), small::Stuck>(())
//! ```

/// It does not turn.
#[derive(Debug, PartialEq)]
pub struct Stuck;

/// Opens after the right numbers.
#[derive(Debug)]
pub struct Lock { at: usize }

const NUMBERS: [u8; 10] = [71, 18, 28, 182, 84, 59, 45, 90, 235, 36];

impl Lock {
    /// Shut.
    pub fn new() -> Lock { Lock { at: 0 } }

    /// Turns to a number. A wrong one shuts it again.
    pub fn turn(&mut self, number: u8) -> Result<(), Stuck> {
        match NUMBERS.get(self.at) {
            None => Err(Stuck),
            Some(right) if *right == number => { self.at += 1; Ok(()) }
            Some(_) => { self.at = 0; Ok(()) }
        }
    }

    /// What is inside, once it is open.
    pub fn treasure(&self) -> Option<&'static str> {
        (self.at == NUMBERS.len()).then_some("gold")
    }
}

/// Opens after the right words.
#[derive(Debug, Default)]
pub struct Door { said: Vec<String> }

impl Door {
    /// Says something to it.
    pub fn say(&mut self, word: &str) { self.said.push(word.to_owned()); }

    /// Does it open?
    pub fn opens(&self) -> Option<u32> {
        (self.said == ["so", "many", "words", "to", "say", "here"]).then_some(77)
    }
}

/// No literal opens it, and no value of it can be looked at.
pub struct Safe {
    secret: u64,
    name: String,
    opened: u8,
}

impl Safe {
    pub fn new(owner: &str) -> Safe {
        let secret = owner.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        Safe { secret, name: owner.to_owned() + &secret.to_string()[..6], opened: 0 }
    }

    pub fn dial(&mut self, number: u64) -> bool {
        let is_right = number == self.secret;
        self.opened |= u8::from(is_right);
        is_right
    }

    pub fn is_called(&self, name: &str) -> bool {
        name == self.name
    }
}
"#;

const TESTS: &str = r#"
use small::Door as Gate;

fn asked(gate: &Gate) { assert_eq!(gate.opens(), Some(77)); }

#[test]
fn the_right_words_open_it() {
    let mut gate = Gate::default();
    for word in ["so", "many", "words"] {
        gate.say(word);
    }
    gate.say("to");
    gate.say("say");
    gate.say("here");
    asked(&gate);
}
"#;

#[test]
fn states_that_examples_tests_and_comparisons_lead_to_are_tested() {
    let dir = scratch("seeds");
    package(&dir, "", Some(LOCKS));
    fs::create_dir_all(dir.join("tests")).expect("writable");
    fs::write(dir.join("tests/doors.rs"), TESTS).expect("writable");
    let run = |strategy: &str| {
        let args = [
            "--calls",
            "20000",
            "--seed",
            "3",
            "-v",
            "--json",
            "record.json",
        ];
        let output = testsmith(&dir, &[&args[..], &["--strategy", strategy]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        (output, tests_of(&dir))
    };
    let (_, tests) = run("bottom-up");
    let is_open = tests.contains("Some(\"gold\")") || tests.contains("Some(77)");
    assert!(!is_open, "{tests}");
    let (output, tests) = run("directed");
    for open in ["Some(\"gold\")", "Some(77)", "Err(Stuck)"] {
        assert!(tests.contains(open), "{open} is missing:\n{tests}");
    }
    // A secret that arguments are compared with is seen while they are.
    let is_asserted = |call: &str| {
        let mut lines = tests.lines().filter(|line| line.contains(call));
        lines.any(|line| {
            let line = line.trim();
            let is_true = line.starts_with("assert!(") && !line.starts_with("assert!(!");
            is_true || line.contains(", expected") && tests.contains(", true)")
        })
    };
    for call in [".is_called(", ".dial("] {
        assert!(is_asserted(call), "{call} is never right:\n{tests}");
    }
    expect_tests_pass(&dir);

    let record = record(&dir);
    let seeds = &record["seeds"];
    assert!(seeds["sequences"].as_u64() >= Some(19), "{seeds}");
    let expected = serde_json::json!(
        {"found": 1, "lifted": 1, "statements": 12, "lifted_statements": 12});
    assert_eq!(seeds["examples"], expected);
    let expected = serde_json::json!(
        {"found": 1, "lifted": 1, "statements": 8, "lifted_statements": 8});
    assert_eq!(seeds["tests"], expected);
    let summary = stdout(&output);
    assert!(
        summary.contains("1 of 1 examples, 12 of 12 statements"),
        "{summary}"
    );
}
