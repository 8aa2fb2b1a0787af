//! Mutation analysis by the package's own tests.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::run::{expect_refusal, package, record, scratch, stderr, stdout, testsmith};

/// Every way in which a mutant can end.
const CRATE: &str = r#"
//! A crate.

/// Twice as much.
///
/// ```
/// assert_eq!(small::double(4), 8);
/// ```
pub fn double(n: u32) -> u32 { n * 2 }

/// Panics for 0.
///
/// ```should_panic
/// small::nonzero(0);
/// ```
pub fn nonzero(n: u32) -> u32 { if n == 0 { panic!("it is 0") } n }

/// The sum of all numbers below.
pub fn sum(n: u32) -> u32 {
    let (mut i, mut sum) = (0, 0);
    while i < n { sum += i; i += 1; }
    sum
}

/// No test goes here.
pub fn lonely(n: u32) -> u32 { n + 1 }

/// Somebody goes here, and does not look.
pub fn ignored(n: u32) -> u32 { helper(n) }

fn helper(n: u32) -> u32 { n + 3 }

pub fn unwanted(n: u32) -> u32 {
    n + 4 // testsmith: skip arithmetic -- it does not matter
}

#[cfg_attr(any(), testsmith::skip)]
pub fn hidden(n: u32) -> u32 { n - 1 }

pub fn named(n: u32) -> u32 { n ^ 5 }

#[cfg(test)]
mod tests {
    #[test]
    fn adds() { assert_eq!(super::sum(4), 6); }

    #[test]
    fn looks_away() { super::ignored(9); }

    #[test]
    #[should_panic(expected = "it is 0")]
    fn panics() { super::nonzero(0); }

    #[test]
    fn does_not() { assert_eq!(super::nonzero(3), 3); }

    #[test]
    #[ignore]
    fn later() { assert_eq!(super::lonely(1), 2); }
}
"#;

fn mutants(record: &Value) -> &Vec<Value> {
    record["mutants"].as_array().expect("they are listed")
}

fn of<'r>(record: &'r Value, function: &str) -> Vec<&'r Value> {
    let mutants = mutants(record).iter();
    mutants.filter(|it| it["function"] == function).collect()
}

fn run(dir: &Path, more: &[&str]) -> Value {
    let output = testsmith(dir, &[&["--json", "record.json", "mutants"], more].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    record(dir)
}

#[test]
fn own_tests_judge_mutants_and_verdicts_are_kept() {
    let dir = scratch("analysis");
    let harness = "[[test]]\nname = \"own\"\nharness = false\n";
    package(&dir, harness, Some(CRATE));
    fs::create_dir_all(dir.join("tests")).expect("writable");
    // A harness of its own.
    let own = "fn main() { assert_eq!(small::named(1), 4); }\n";
    fs::write(dir.join("tests/own.rs"), own).expect("writable");
    let apart = "#[test]\nfn adds() { assert_eq!(small::sum(99), 4851); }\n";
    fs::write(dir.join("tests/apart.rs"), apart).expect("writable");
    let settings = "skip-mutants = [\"*named*literal*\"]\n";
    fs::write(dir.join("testsmith.toml"), settings).expect("writable");

    let first = run(&dir, &["--equivalents", "0"]);
    let is = |record: &Value, function: &str, status: &str, by: &str| {
        let mutants = of(record, function);
        assert!(!mutants.is_empty(), "{function}");
        for mutant in mutants {
            assert_eq!(mutant["status"], status, "{mutant}");
            if !by.is_empty() {
                assert_eq!(mutant["killed_by"][0], by, "{mutant}");
            }
        }
    };
    is(
        &first,
        "double",
        "killed",
        "doc src/lib.rs - double (line 6)",
    );
    is(&first, "lonely", "unreached", "");
    is(&first, "helper", "survived", "");
    is(&first, "hidden", "suppressed", "");
    for mutant in of(&first, "unwanted") {
        let is_arithmetic = mutant["operator"] == "arithmetic";
        let status = if is_arithmetic {
            "suppressed"
        } else {
            "unreached"
        };
        assert_eq!(mutant["status"], status, "{mutant}");
    }
    for mutant in of(&first, "named") {
        let is_literal = mutant["operator"] == "literal";
        let status = if is_literal { "suppressed" } else { "killed" };
        assert_eq!(mutant["status"], status, "{mutant}");
    }
    // One that goes on for ever, and one that an example notices for it should panic.
    let sum = of(&first, "sum");
    assert!(sum.iter().any(|it| it["how"] == "exhausted"));
    let nonzero = of(&first, "nonzero");
    let by_example = |it: &&Value| {
        let by = it["killed_by"][0].as_str().unwrap_or_default();
        it["status"] == "killed" && !by.is_empty()
    };
    assert!(nonzero.iter().all(by_example));
    let reached = &of(&first, "helper")[0]["reached_by"];
    assert_eq!(reached, &serde_json::json!(["lib small tests::looks_away"]));
    // Nobody looked, but others were returned.
    let values = of(&first, "helper")[0]["impact"]["values"].as_u64();
    assert_eq!(values, Some(2), "{}", of(&first, "helper")[0]);
    let tests = first["tests"].as_array().expect("they are listed");
    let status = |name: &str| {
        let test = tests.iter().find(|it| it["name"] == name);
        test.map(|it| it["status"].clone())
    };
    assert_eq!(status("lib small tests::later"), Some("ignored".into()));
    assert_eq!(status("test own"), Some("passed".into()));
    assert_eq!(
        status("doc src/lib.rs - nonzero (line 13)"),
        Some("passed".into())
    );

    // The same again is known; where a function changes, only its mutants are asked.
    let again = run(&dir, &["--equivalents", "0"]);
    assert_eq!(again["counts"], first["counts"]);
    assert_eq!(again["score"], first["score"]);
    assert!(again["seconds"].as_object().is_some_and(|it| it.is_empty()));
    let text = CRATE.replace("{ n + 3 }", "{\n    n + 7\n}");
    fs::write(dir.join("src/lib.rs"), text).expect("writable");
    let changed = run(&dir, &["--equivalents", "0"]);
    let is_fresh = |it: &&Value| {
        let status = it["status"].as_str().unwrap_or_default();
        matches!(status, "killed" | "survived") && it["reused"] == false
    };
    let fresh: Vec<&Value> = mutants(&changed).iter().filter(is_fresh).collect();
    assert!(!fresh.is_empty());
    let others = fresh.iter().filter(|it| it["function"] != "helper");
    assert_eq!(
        others.map(|it| &it["name"]).collect::<Vec<_>>(),
        [&Value::Null; 0]
    );
    assert_eq!(changed["counts"]["killed"], first["counts"]["killed"]);
    // What goes elsewhere was not even built, and is there nevertheless.
    let names = |record: &Value| -> Vec<String> {
        let tests = record["tests"].as_array().expect("they are listed").iter();
        let mut names: Vec<String> = tests.map(|it| it["name"].to_string()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&changed), names(&first));
    let reaching = |record: &Value| {
        let by = of(record, "sum")[0]["reached_by"].clone();
        let mut names: Vec<String> = serde_json::from_value(by).expect("names");
        names.sort();
        names
    };
    let both = ["lib small tests::adds", "test apart adds"];
    assert_eq!(reaching(&changed), both);

    // A test is written, and only survivors are asked again.
    let text = CRATE.replace("super::ignored(9);", "assert_eq!(super::ignored(9), 12);");
    fs::write(dir.join("src/lib.rs"), text).expect("writable");
    let survivors = run(&dir, &["--equivalents", "0", "--survivors"]);
    is(
        &survivors,
        "helper",
        "killed",
        "lib small tests::looks_away",
    );
    assert!(of(&survivors, "double").is_empty());
    // What was not asked for is known, and stays in the report.
    let rest = survivors["rest"].as_array().expect("there are others");
    let double = rest.iter().find(|it| it["function"] == "double");
    assert_eq!(double.expect("it is there")["status"], "killed");
    assert_eq!(survivors["not_asked"], rest.len());
    let page = fs::read_to_string(dir.join("target/testsmith/report/small.html"));
    let page = page.expect("it is made");
    assert!(page.contains("double: arithmetic `n * 2` -> `n + 2`"));

    chosen(&dir);
    shards(&dir);
    // Who killed a mutant is another now, so that all that reach it are needed, built before or not.
    let text = CRATE.replace("super::sum(4), 6", "super::sum(1), 0");
    fs::write(dir.join("src/lib.rs"), text).expect("writable");
    let flags = ["--equivalents", "0", "--fail-under", "99.5"];
    let output = testsmith(
        &dir,
        &[&["--json", "record.json", "mutants"], &flags[..]].concat(),
    );
    assert_eq!(output.status.code(), Some(9), "{}", stdout(&output));
    let record = record(&dir);
    assert_eq!(reaching(&record), both);
    let sum = of(&record, "sum");
    let by_other = |it: &&Value| it["killed_by"][0] == "test apart adds" && it["reused"] == false;
    assert!(sum.iter().any(by_other), "{sum:?}");
}

/// By file, family and diff; and what makes no sense.
fn chosen(dir: &Path) {
    let listed = run(
        dir,
        &["--list", "--operator", "literal", "--file", "src/lib.rs"],
    );
    assert!(!mutants(&listed).is_empty());
    assert!(
        mutants(&listed)
            .iter()
            .all(|it| it["operator"] == "literal")
    );
    let diff = "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -9,1 +9,1 @@\n-old\n+new\n";
    fs::write(dir.join("one.diff"), diff).expect("writable");
    let listed = run(dir, &["--list", "--in-diff", "one.diff"]);
    assert!(!mutants(&listed).is_empty());
    assert!(mutants(&listed).iter().all(|it| it["function"] == "double"));
    for (words, said) in [
        (["--in-diff", "src/lib.rs"], "no unified diff"),
        (["--in-diff", "nowhere.diff"], "cannot use the diff"),
        (["--shard", "3/2"], "1/4"),
        (["--file", "src/other.rs"], "these have code: src/lib.rs"),
        (["--operator", "literals"], "literal"),
        (["--fail-under", "101"], "from 0 to 100"),
    ] {
        let output = testsmith(dir, &[&["mutants"], &words[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}

/// Two halves make a whole.
fn shards(dir: &Path) {
    for (shard, file) in [("1/2", "one.json"), ("2/2", "two.json")] {
        let words = [
            "--json",
            file,
            "mutants",
            "--equivalents",
            "0",
            "--shard",
            shard,
        ];
        assert!(testsmith(dir, &words).status.success());
    }
    let merge = [
        "--json",
        "record.json",
        "mutants",
        "merge",
        "one.json",
        "two.json",
    ];
    let output = testsmith(dir, &merge);
    assert!(output.status.success(), "{}", stderr(&output));
    let merged = record(dir);
    assert_eq!(merged["not_asked"], 0);
    let whole = run(dir, &["--equivalents", "0"]);
    assert_eq!(merged["counts"], whole["counts"]);
    let output = testsmith(dir, &["mutants", "merge", "Cargo.toml"]);
    assert_eq!(output.status.code(), Some(2));
}

/// Of who goes where after a change of one line, one that nobody had built has to be asked.
#[test]
fn who_is_needed_after_a_change_is_built_and_asked() {
    // Examples have executables of their own, or are all in one.
    for edition in ["2021", "2024"] {
        who_is_needed(edition);
    }
}

fn who_is_needed(edition: &str) {
    let dir = scratch(&format!("analysis-needed-{edition}"));
    let source = "
/// ```
/// assert_eq!([3, 4, 5, 6].map(small::twice), [6, 8, 10, 12]);
/// ```
pub fn twice(n: u8) -> u8 { n * 2 }

/// ```
/// assert_eq!(small::thrice(2), 6);
/// ```
pub fn thrice(n: u8) -> u8 { n * 3 }

pub fn six() -> u8 { twice(3) }

#[test]
fn is_six() { assert_eq!(six(), 6); }
";
    package(&dir, "", Some(source));
    let manifest = fs::read_to_string(dir.join("Cargo.toml")).expect("readable");
    let manifest = manifest.replace("\"2024\"", &format!("{edition:?}"));
    fs::write(dir.join("Cargo.toml"), manifest).expect("writable");
    let first = run(&dir, &["--equivalents", "0"]);
    let killers = |record: &Value, function: &str| -> Vec<String> {
        let mutants = of(record, function);
        assert!(!mutants.is_empty());
        let mut by: Vec<String> = mutants
            .iter()
            .map(|it| it["killed_by"][0].to_string())
            .collect();
        by.dedup();
        by
    };
    assert_eq!(killers(&first, "twice"), ["\"lib small is_six\""]);
    let thrice = ["\"doc src/lib.rs - thrice (line 7)\""];
    assert_eq!(killers(&first, "thrice"), thrice);

    let changed = source
        .replace("twice(3) }", "2 + 4 }")
        .replace("n * 3", "3 * n");
    fs::write(dir.join("src/lib.rs"), changed).expect("writable");
    let second = run(&dir, &["--equivalents", "0"]);
    assert_eq!(
        killers(&second, "twice"),
        ["\"doc src/lib.rs - twice (line 2)\""]
    );
    assert_eq!(killers(&second, "thrice"), thrice);
    assert_eq!(second["tests"].as_array().map(Vec::len), Some(3));
}

/// A constant is computed by the compiler, where no mutant is active: nobody can say then that no test
/// noticed.
#[test]
fn constants_of_tests_are_no_verdicts_and_broken_crates_are_told_so() {
    let dir = scratch("analysis-constants");
    let source = "pub const fn add(n: u8) -> u8 { n + 1 }\npub const fn less(n: u8) -> u8 { n - 1 }\n\
        mod made;\n#[test]\nfn adds() { const TWO: u8 = add(1); assert_eq!(TWO, 2); less(2); }\n";
    package(&dir, "", Some(source));
    // Some of the source is not there before the build.
    let script =
        r#"fn main() { std::fs::write("src/made.rs", "pub fn zero() -> u8 { 0 }").unwrap() }"#;
    fs::write(dir.join("build.rs"), script).expect("writable");
    let record = run(&dir, &[]);
    assert!(!of(&record, "made::zero").is_empty());
    assert!(!of(&record, "add").is_empty());
    for mutant in of(&record, "add") {
        assert_eq!(mutant["status"], "unviable", "{mutant}");
        assert_eq!(mutant["refused_for"], "constant", "{mutant}");
    }
    let less = of(&record, "less");
    assert!(less.iter().any(|it| it["status"] == "survived"));

    fs::write(dir.join("src/lib.rs"), source.replace("n + 1", "m + 1")).expect("writable");
    let output = testsmith(&dir, &["mutants"]);
    expect_refusal(&output, 4, &["does not build", "cannot find value `m`"]);
}

/// A package that nobody tests but those who use it.
#[test]
fn tests_of_dependants_are_asked_on_request() {
    let dir = scratch("analysis-dependants");
    let manifest = "[workspace]\nmembers = [\"used\", \"user\"]\nresolver = \"3\"\n";
    fs::create_dir_all(dir.join("used/src")).expect("writable");
    fs::create_dir_all(dir.join("user/src")).expect("writable");
    fs::write(dir.join("Cargo.toml"), manifest).expect("writable");
    let head = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
    };
    fs::write(dir.join("used/Cargo.toml"), head("used")).expect("writable");
    let user = head("user") + "[dependencies]\nused = { path = \"../used\" }\n";
    fs::write(dir.join("user/Cargo.toml"), user).expect("writable");
    fs::write(dir.join("README.md"), "A workspace.\n").expect("writable");
    let used = "#![doc = include_str!(\"../../README.md\")]\n\
                pub fn three_more(n: u32) -> u32 { n + 3 }\n\
                /// ```should_panic\n/// used::one_less(0);\n/// ```\n\
                pub fn one_less(n: u32) -> u32 { n.checked_sub(1).unwrap() }\n";
    fs::write(dir.join("used/src/lib.rs"), used).expect("writable");
    let user = "#[test]\nfn asks() { assert_eq!(used::three_more(5), 8); }\n";
    fs::write(dir.join("user/src/lib.rs"), user).expect("writable");

    let alone = run(&dir, &["--package", "used"]);
    assert!(
        of(&alone, "three_more")
            .iter()
            .all(|it| it["status"] == "unreached")
    );
    // rustdoc names files from the root of the workspace.
    let example = &alone["tests"][0];
    assert_eq!(example["name"], "doc used/src/lib.rs - one_less (line 3)");
    assert_eq!(example["status"], "passed", "{example}");

    let both = run(&dir, &["--package", "used", "--dependants"]);
    for mutant in of(&both, "three_more") {
        assert_eq!(mutant["status"], "killed", "{mutant}");
        assert_eq!(mutant["killed_by"][0], "user lib user asks", "{mutant}");
    }
}
