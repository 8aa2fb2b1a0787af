//! A package has more than its library: other targets may have its name, and may be broken.

use std::fs;

use crate::run::{expect_tests_pass, package, record, scratch, stderr, stdout, testsmith};

const LIBRARY: &str = "pub fn half(x: u8) -> u8 { if x > 100 { 7 } else { x / 2 } }";
const BINARY: &str = "fn main() { println!(\"{}\", small::half(8)); }
#[test]
fn halves() {
    assert_eq!(small::half(8), 4);
}
";
const TEST: &str = "#[test]
fn halves() {
    assert_eq!(small::half(10), 5);
}
";

#[test]
fn binaries_and_tests_are_not_taken_for_the_library_nor_in_its_way() {
    let dir = scratch("same-name");
    package(&dir, "", Some(LIBRARY));
    fs::write(dir.join("src/main.rs"), BINARY).expect("writable");
    fs::create_dir_all(dir.join("tests")).expect("writable");
    fs::write(dir.join("tests/small.rs"), TEST).expect("writable");
    // The second time there is what the first has built, and only the binary is other.
    for _ in 0..2 {
        let args = ["mutants", "--fresh", "--json", "record.json"];
        let output = testsmith(&dir, &args);
        assert!(output.status.success(), "{}", stderr(&output));
        let said = stdout(&output);
        assert!(said.contains("2 tests were asked"), "{said}");
        let record = record(&dir);
        let mutants = record["mutants"].as_array().expect("a list");
        assert!(!mutants.is_empty());
        assert!(mutants.iter().all(|it| it["file"] == "src/lib.rs"));
        fs::write(dir.join("src/main.rs"), format!("{BINARY}// Other.\n")).expect("writable");
    }
    let output = testsmith(&dir, &["--calls", "2000"]);
    assert!(output.status.success(), "{}", stderr(&output));
    expect_tests_pass(&dir);

    // One that does not build is in nobody's way.
    let written = dir.join("tests/testsmith_regression.rs");
    fs::remove_file(&written).expect("it was written");
    let broken = "extern crate not_there; fn main() { small::missing(); }";
    fs::write(dir.join("src/main.rs"), broken).expect("writable");
    let output = testsmith(&dir, &["--calls", "2000"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(written.exists());
}
