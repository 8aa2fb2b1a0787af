//! `mutants --fix`: tests for what the package's own tests do not notice.

use std::fs;

use crate::run::{expect_tests_pass, package, record, scratch, stderr, stdout, testsmith};

const CRATE: &str = r#"
/// A tank that holds ten litres.
#[derive(Default)]
pub struct Tank { litres: u8 }

impl Tank {
    pub fn new() -> Tank { Tank::default() }
    /// Pours in; what does not fit is given back.
    pub fn pour(&mut self, litres: u8) -> u8 {
        let room = 10 - self.litres;
        if litres > room {
            self.litres = 10;
            litres - room
        } else {
            self.litres += litres;
            0
        }
    }
    pub fn litres(&self) -> u8 { self.litres }
    /// Nobody can tell what it does.
    pub fn shake(&mut self) { let mut n = self.litres; n += 1; let _ = n; }
}
"#;

/// It goes everywhere and looks at little.
const TESTS: &str = r#"
use small::Tank;

#[test]
fn it_pours() {
    let mut tank = Tank::new();
    tank.pour(3);
    tank.pour(9);
    tank.shake();
    assert!(tank.litres() > 0);
}
"#;

#[test]
fn survivors_get_tests_that_really_notice_them() {
    let dir = scratch("fix");
    package(&dir, "", Some(CRATE));
    fs::create_dir_all(dir.join("tests")).expect("writable");
    fs::write(dir.join("tests/own.rs"), TESTS).expect("writable");
    let fix = [
        "mutants",
        "--fix",
        "--calls",
        "4000",
        "--json",
        "record.json",
    ];
    let output = testsmith(&dir, &fix);
    assert!(output.status.success(), "{}", stderr(&output));
    let first = record(&dir);
    let said = stdout(&output);
    let killed = first["fix"]["killed"].as_array().expect("they are listed");
    let asked = first["fix"]["asked"].as_u64().expect("it is a number");
    assert!(killed.len() > 10, "{said}");
    assert!(
        (killed.len() as u64) < asked,
        "nobody can tell that it is shaken: {said}"
    );
    assert!(
        said.contains(&format!("fixed       {} of {asked}", killed.len())),
        "{said}"
    );
    // What is told of the mutants is what the tests notice, the new ones among them.
    let mutants = first["mutants"].as_array().expect("they are listed");
    let of_pour = |it: &&serde_json::Value| it["function"] == "Tank::pour";
    for mutant in mutants.iter().filter(of_pour) {
        let status = mutant["status"].as_str().expect("it has one");
        let is_told = killed.contains(&mutant["name"]);
        assert!(!is_told || status == "killed", "{mutant}");
    }
    let file = dir.join("tests/testsmith_mutants.rs");
    let text = fs::read_to_string(&file).expect("it was written");
    assert!(
        text.contains("// Notices `11` in place of `10` in `Tank::pour`."),
        "{text}"
    );
    expect_tests_pass(&dir);
    // Nothing that could be noticed is left, so a second run adds nothing.
    let output = testsmith(&dir, &fix);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(record(&dir)["fix"]["killed"], serde_json::json!([]));
    assert_eq!(fs::read_to_string(&file).expect("it is there"), text);
}
