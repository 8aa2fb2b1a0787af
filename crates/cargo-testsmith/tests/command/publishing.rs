//! What published crates are made of: other editions, macros, build scripts, features, items that
//! are hidden or deprecated.

use std::path::Path;

use crate::run::{
    copy_fixture, expect_all_reached, expect_tests_pass, expect_tests_pass_with, expect_texts,
    listed, listed_with, of_callable, record, record_at, scratch, stderr, stdout, tests_of,
    testsmith,
};

/// Runs the command with a record; what it said, and the record.
fn run(dir: &Path, args: &[&str]) -> (String, serde_json::Value) {
    let output = testsmith(dir, &[&["--json", "record.json"][..], args].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    (stdout(&output), record(dir))
}

fn has(record: &serde_json::Value, path: &str) -> bool {
    let callables = record["callables"].as_array().expect("a list");
    callables.iter().any(|it| it["path"] == path)
}

#[test]
fn macros_cfgs_hidden_and_deprecated_items_are_treated_as_people_would() {
    let dir = scratch("published");
    copy_fixture("published", &dir);
    let (said, record) = run(&dir, &["--calls", "10000"]);
    expect_all_reached(&record);
    let tests = tests_of(&dir);
    expect_tests_pass(&dir);

    // Macros: types, operators and functions, under the paths that re-exports give them.
    expect_texts(
        &tests,
        &[
            "use published::{Count, Feet, Metres, clamp_count, count_from_parts};",
            "Metres::new(",
            " + ",
        ],
    );

    // Hidden items are not called, and the record says so.
    let hidden = [
        "published::hidden::__secret",
        "published::hidden::Lamp::__break",
        "published::hidden::Lamp.__wear",
        "published::hidden::Colour::__Nonexhaustive",
        "published::hidden::__private::token",
        "published::hidden::__private::Token::worth",
        "<published::hidden::Lamp as published::hidden::Sealed>::__id",
    ];
    for path in hidden {
        let of = |field| of_callable(&record, path, field);
        assert_eq!(of("status"), "skipped", "{path}");
        assert_eq!(of("reason"), "hidden from the documentation", "{path}");
    }
    let counted = format!("{} hidden from the documentation", hidden.len());
    assert!(said.contains(&counted), "{said}");
    for name in ["__secret", "__break", "__private", "__id"] {
        assert!(!tests.contains(name), "{name} is used:\n{tests}");
    }
    // A type of a hidden module is passed on without its name, and published if it has another.
    assert!(tests.contains("worth_of(&token"), "{tests}");
    let ticket = of_callable(&record, "published::hidden::Ticket::number", "status");
    assert_eq!(ticket, "reached");

    // Deprecated items are tested; a `use` of them would warn.
    expect_texts(
        &tests,
        &[
            "#[allow(deprecated)]",
            "published::old::double(",
            "published::old::Handle::new(",
            "published::old::Describe::describe(&",
            "published::old::attic::rummage(",
            ".flip()",
            ".width()",
            ".ordinate",
            "Speed::Warp",
        ],
    );

    // What this machine and the default features have is there, and what others have is not.
    let of = |name: &str| format!("published::conditional::{name}");
    for name in ["on_linux", "in_development", "half", "sum"] {
        assert_eq!(of_callable(&record, &of(name), "status"), "reached");
    }
    for name in ["on_windows", "in_unit_tests", "in_release", "extra"] {
        assert!(!has(&record, &of(name)), "{name}");
    }
    assert!(said.contains("next      cargo test\n"), "{said}");
    assert!(!tests.contains("#![cfg"), "{tests}");
    expect_features_tested(&dir);
}

/// With the feature there is another signature, another type, one function and one derive more.
fn expect_features_tested(dir: &Path) {
    let flags = ["--features", "wide"];
    let (said, record) = run(
        dir,
        &[
            &["--fresh", "--only", "conditional", "--calls", "5000"],
            &flags[..],
        ]
        .concat(),
    );
    for path in [
        "published::conditional::half",
        "published::conditional::sum",
        "published::conditional::extra",
        "<published::conditional::Label as std::default::Default>::default",
    ] {
        assert_eq!(of_callable(&record, path, "status"), "reached");
    }
    let next = "next      cargo test --features wide\n";
    assert!(said.contains(next), "{said}");
    expect_texts(
        &tests_of(dir),
        &["#![cfg(feature = \"wide\")]", "high: ", ", true)", "extra("],
    );
    expect_tests_pass_with(dir, &flags);
    assert!(!listed_with(dir, &flags).is_empty());
    assert!(listed(dir).is_empty(), "they would not compile");
}

#[test]
fn a_crate_without_std_is_called_with_it() {
    let dir = scratch("bare");
    copy_fixture("bare", &dir);
    let (_, record) = run(&dir, &["--calls", "5000"]);
    expect_all_reached(&record);
    for name in ["spell", "trimmed", "tally", "share"] {
        let path = format!("bare::{name}");
        assert_eq!(of_callable(&record, &path, "status"), "reached");
    }
    let tests = tests_of(&dir);
    expect_texts(&tests, &["use std::collections::", ".to_vec()", "fold(&"]);
    assert!(
        !tests.contains("alloc::") && !tests.contains("core::"),
        "{tests}"
    );
    expect_tests_pass(&dir);

    let flags = ["--no-default-features"];
    let (_, record) = run(
        &dir,
        &["--fresh", "--calls", "5000", "--no-default-features"],
    );
    expect_all_reached(&record);
    assert!(!has(&record, "bare::spell"), "it needs an allocator");
    expect_texts(
        &tests_of(&dir),
        &[
            "#![cfg(not(feature = \"default\"))]",
            "Full(",
            "Duration::",
            ".parse::<Full>()",
        ],
    );
    expect_tests_pass_with(&dir, &flags);
    assert!(!listed_with(&dir, &flags).is_empty());
}

#[test]
fn what_a_build_script_and_procedural_macros_write_is_tested() {
    let dir = scratch("generated");
    copy_fixture("generated", &dir);
    let (_, record) = run(&dir, &["--calls", "5000"]);
    expect_all_reached(&record);
    for (path, is_there) in [
        ("generated::Triangle::around", true),
        ("generated::square", true),
        ("generated::oracle", false),
        ("generated::Order::builder", true),
        ("generated::OrderBuilder::build", true),
        ("generated::weigh_all", true),
    ] {
        assert_eq!(has(&record, path), is_there, "{path}");
    }
    expect_texts(
        &tests_of(&dir),
        &[
            "Square::new(",
            "greeting(), \"hello from the build\"",
            "Order::builder()",
            ".build()",
            "weigh_all(&[",
        ],
    );
    expect_tests_pass(&dir);
}

#[test]
fn tests_are_written_in_the_edition_of_their_package() {
    let dir = scratch("editions");
    copy_fixture("editions", &dir);
    let args = ["--workspace", "--calls", "5000", "--json", "record.json"];
    let output = testsmith(&dir, &args);
    assert!(output.status.success(), "{}", stderr(&output));
    for (name, texts) in [
        (
            "e2015",
            &[
                "extern crate e2015;",
                "use e2015::try::{longer, twice, Kind};",
                "= async(",
                "Task {",
                " async: ",
                ".await(",
                ".try()",
                ".dyn",
                "Kind::Timed { await: ",
                "gen(",
            ][..],
        ),
        (
            "e2018",
            &[
                "use std::convert::TryFrom;",
                "use e2018::gen::gen;",
                ".gen()",
                ".r#try()",
                "r#async: ",
                "Bed::gen { r#dyn: ",
            ],
        ),
        (
            "e2024",
            &[
                "use e2024::r#struct::{Item, Pick, r#try};",
                "use e2024::{r#enum, r#gen};",
                "r#gen(",
                "r#type: ",
                ".r#where()",
                "Item::r#loop(",
                "r#enum::r#do { r#as: ",
                "r#enum::r#yield",
            ],
        ),
    ] {
        expect_all_reached(&record_at(&dir.join(format!("record-{name}.json"))));
        // Where rustfmt breaks a line depends on the numbers in it.
        let tests = tests_of(&dir.join(name));
        let words: Vec<&str> = tests.split_whitespace().collect();
        expect_texts(&words.join(" "), texts);
    }
    expect_tests_pass(&dir);
}
