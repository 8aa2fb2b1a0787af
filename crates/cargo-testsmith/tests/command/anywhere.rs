//! Suites that hold in release builds, and on machines unlike this one.

use crate::run::{cargo, command, package, record, scratch, stderr, tests_of, testsmith};

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

/// Compilers that `TESTSMITH_RUSTCS` names, each with its rustdoc beside it.
fn other_compilers() -> Vec<std::path::PathBuf> {
    let named = std::env::var_os("TESTSMITH_RUSTCS").unwrap_or_default();
    let has_rustdoc =
        |it: &std::path::PathBuf| it.is_file() && it.with_file_name("rustdoc").is_file();
    std::env::split_paths(&named).filter(has_rustdoc).collect()
}

#[test]
fn other_toolchains_write_suites_that_pass_there() {
    let compilers = other_compilers();
    if compilers.is_empty() {
        eprintln!("skipped: TESTSMITH_RUSTCS names no other compilers");
    }
    for (n, rustc) in compilers.iter().enumerate() {
        let dir = scratch(&format!("toolchain-{n}"));
        package(
            &dir,
            "",
            Some(
                "#[derive(Clone, Debug, PartialEq)]\npub struct Pile { items: Vec<u8> }\n\
                 impl Pile {\n pub fn new() -> Pile { Pile { items: Vec::new() } }\n\
                 pub fn push(&mut self, item: u8) { self.items.push(item); }\n\
                 pub fn top(&self) -> Option<&u8> { self.items.last() }\n\
                 pub fn len(&self) -> usize { self.items.len() }\n}\n",
            ),
        );
        let here = |command: &mut std::process::Command| {
            command.env("RUSTC", rustc);
            command.env("RUSTDOC", rustc.with_file_name("rustdoc"));
            command.output().expect("it starts")
        };
        let run = ["--calls", "3000", "--seed", "1", "--json", "record.json"];
        let output = here(&mut command(&dir, &run));
        assert!(output.status.success(), "{rustc:?}: {}", stderr(&output));
        let record = record(&dir);
        let callables = record["callables"].as_array().expect("a list");
        let missed = callables.iter().find(|it| it["status"] != "reached");
        assert_eq!(missed, None, "{rustc:?}");
        let output = here(&mut cargo(
            &dir,
            &["test", "--test", "testsmith_regression"],
        ));
        assert!(output.status.success(), "{rustc:?}: {}", stderr(&output));
        let output = here(&mut command(&dir, &["mutants", "--fail-under", "50"]));
        assert!(output.status.success(), "{rustc:?}: {}", stderr(&output));
    }
}
