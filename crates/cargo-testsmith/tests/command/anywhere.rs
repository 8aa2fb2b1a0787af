//! Suites that hold in release builds, and on machines unlike this one.

use crate::run::{cargo, package, record, scratch, stderr, tests_of, testsmith};

#[test]
fn a_suite_holds_in_release_builds_and_says_where_else_it_would_not() {
    let dir = scratch("anywhere");
    package(
        &dir,
        "",
        Some(
            "/// # Panics\n/// If `n` is odd, in debug builds.\n\
         pub fn half(n: u32) -> u32 { debug_assert!(n % 2 == 0, \"{n} is odd, says half\"); n / 2 }\n\
         /// # Panics\n/// If the sum overflows.\n\
         pub fn next(n: u8) -> u8 { n + 1 }\n\
         /// # Panics\n/// If there is nothing before.\n\
         pub fn before(n: u32) -> u32 { n.checked_sub(1).expect(\"nothing is before zero\") }\n\
         pub fn is_checked() -> bool { cfg!(debug_assertions) }\n\
         pub fn far(n: u8) -> usize { usize::from(n) + 5_000_000_000 }\n",
        ),
    );
    let args = ["--calls", "3000", "--seed", "1", "--json", "record.json"];
    let output = testsmith(&dir, &args);
    assert!(output.status.success(), "{}", stderr(&output));
    let tests = tests_of(&dir);
    for text in [
        "#[cfg(debug_assertions)]\n#[test]\n#[should_panic(expected = \"is odd, says half\")]",
        "#[should_panic(expected = \"nothing is before zero\")]",
        "#[cfg(target_pointer_width = \"64\")]\n#[test]\nfn test_far",
    ] {
        assert!(tests.contains(text), "{text} is missing:\n{tests}");
    }
    assert!(!tests.contains("is_checked"), "{tests}");
    let record = record(&dir);
    let dropped = record["dropped"].to_string();
    for reason in [
        "its documented panic is arithmetic that overflows",
        "does not pass in release builds, or elsewhere",
        "not sure to hold but with `target_pointer_width",
    ] {
        assert!(dropped.contains(reason), "{reason}: {dropped}");
    }
    let conditions = record["tests"].as_array().expect("a list").iter();
    let is_guarded = |it: &&serde_json::Value| it["condition"] == "debug_assertions";
    assert_eq!(conditions.filter(is_guarded).count(), 1);
    for profile in ["dev", "release"] {
        let args = [
            "test",
            "--profile",
            profile,
            "--test",
            "testsmith_regression",
        ];
        let output = cargo(&dir, &args).output().expect("cargo starts");
        assert!(output.status.success(), "{profile}: {}", stderr(&output));
        let said = stderr(&output);
        assert!(!said.contains("warning"), "{profile}: {said}");
    }
}
