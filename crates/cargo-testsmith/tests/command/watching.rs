//! What a run sees inside the crate: the values that are compared, and private states.

use std::fs;

use crate::run::{expect_tests_pass, package, record, scratch, stderr, testsmith};

/// No literal opens it, and no value of it can be looked at.
const CRATE: &str = r#"
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

    pub fn turn(&mut self, number: u64) -> bool {
        let is_right = number == self.secret;
        self.opened |= u8::from(is_right);
        is_right
    }

    pub fn is_called(&self, name: &str) -> bool {
        name == self.name
    }
}
"#;

#[test]
fn secrets_that_literals_are_compared_with_are_found() {
    let dir = scratch("watching");
    package(&dir, "", Some(CRATE));
    let output = testsmith(&dir, &["--calls", "30000", "--seed", "1"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let tests =
        fs::read_to_string(dir.join("tests/testsmith_regression.rs")).expect("they are written");
    let shown = |call: &str| {
        let lines = tests.lines().filter(|line| line.contains(call));
        lines.map(str::trim).collect::<Vec<_>>()
    };
    let is_opened = |lines: &[&str]| lines.iter().any(|line| line.starts_with("assert!("));
    assert!(is_opened(&shown(".is_called(")), "{tests}");
    assert!(is_opened(&shown(".turn(")), "{tests}");
    expect_tests_pass(&dir);
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
"#;

#[test]
fn mutants_do_not_leak_into_one_another() {
    let dir = scratch("leaking");
    package(&dir, "", Some(CACHING));
    let output = testsmith(&dir, &["--calls", "3000", "--json", "record.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let coverage = &record(&dir)["coverage"];
    let survivors = coverage["survivors"].as_array().expect("a list");
    let survivors: Vec<&str> = survivors.iter().filter_map(|it| it.as_str()).collect();
    let in_cell = |name: &&&str| name.contains("6 * 7");
    assert_eq!(survivors.iter().find(in_cell), None, "{survivors:?}");
    let relational = "src/lib.rs idle: relational `n > 3` -> `n <= 3`";
    assert!(survivors.contains(&relational), "{survivors:?}");
}
