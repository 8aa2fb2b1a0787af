//! A suite of one file for each module of the crate, with makers of the user's.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::run::{
    expect_clean, expect_refusal, expect_tests_pass, expect_texts, listed, of_callable, package,
    record, scratch, stderr, stdout, tests_of, testsmith,
};

/// Where tests go does not depend on the code that they go through.
const ARGS: &[&str] = &[
    "--calls",
    "6000",
    "--seed",
    "5",
    "--no-instrument",
    "--json",
    "record.json",
];

/// Modules with names that are difficult, one that is not public, and what is in the crate's root.
fn source() -> String {
    let functions = |from: u8| {
        let mut text = String::new();
        for n in from..from + 12 {
            let _ = writeln!(
                text,
                "pub fn add_{n}(x: u8) -> u8 {{ x.wrapping_add({n}) }}"
            );
        }
        text
    };
    format!(
        "pub mod shapes {{
            pub trait Plan {{ fn steps(&self) -> u8; }}
            pub struct Machine {{ n_steps: u8 }}
            impl Machine {{
                pub fn new<P: Plan>(plan: P) -> Machine {{ Machine {{ n_steps: plan.steps() }} }}
                pub fn run(&self, n: u8) -> bool {{ n >= self.n_steps }}
            }}
            {}
        }}
        pub mod r#type {{ {} pub mod deep {{ pub fn deeper(x: u8) -> u8 {{ x / 2 }} }} }}
        pub mod std {{ {} }}
        pub mod small {{ {} }}
        mod inner {{ {} }}
        pub use inner::*;
        {}",
        functions(1),
        functions(13),
        functions(25),
        functions(37),
        functions(49),
        functions(61),
    )
}

const MAKERS: &str = "use small::shapes::{Machine, Plan};
struct Steps(u8);
impl Plan for Steps { fn steps(&self) -> u8 { self.0 } }
/// A machine with so many steps.
pub fn a_machine(n_steps: u8) -> Machine { Machine::new(Steps(n_steps)) }
pub fn unused() -> u8 { 1 }
";

fn files(dir: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(dir).expect("it is there");
    let names = entries.map(|it| it.expect("readable").file_name());
    names.map(|it| it.to_string_lossy().into_owned()).collect()
}

/// The tests that the record names, which must be those that cargo sees.
fn expect_named(dir: &Path) -> Vec<(String, String)> {
    let record = record(dir);
    let tests = record["tests"].as_array().expect("tests are listed");
    let text = |it: &serde_json::Value| it.as_str().unwrap_or_default().to_owned();
    let named = tests
        .iter()
        .map(|it| (text(&it["file"]), text(&it["name"])));
    let named: Vec<(String, String)> = named.collect();
    let names: BTreeSet<String> = named.iter().map(|(_, name)| name.clone()).collect();
    let listed = listed(dir);
    let lost: Vec<_> = names.difference(&listed).collect();
    assert!(lost.is_empty(), "{lost:?}");
    named
}

#[test]
fn a_large_suite_has_a_file_for_each_module_and_declares_the_users_makers_once() {
    let dir = scratch("modules");
    package(&dir, "", Some(&source()));
    let makers = "tests/support/makers.rs";
    expect_refusal(&testsmith(&dir, &["--makers", makers]), 2, &[makers]);
    fs::create_dir_all(dir.join("tests/support")).expect("writable");
    fs::write(dir.join(makers), MAKERS).expect("writable");
    let settings = "makers = 'tests/support/makers.rs'\n";
    fs::write(dir.join("testsmith.toml"), settings).expect("writable");

    let output = testsmith(&dir, ARGS);
    assert!(output.status.success(), "{}", stderr(&output));
    // What makers make is used, and they are not under test.
    let first = record(&dir);
    expect_clean(&first);
    let run = "small::shapes::Machine::run";
    assert_eq!(of_callable(&first, run, "status"), "reached");
    assert!(!first["callables"].to_string().contains("a_machine"));
    let said = stdout(&output);
    let line = "tests/testsmith_regression.rs (written), 6 files of modules in \
                tests/testsmith_regression (6 written)\n";
    assert!(said.contains(line), "{said}");
    let root_path = dir.join("tests/testsmith_regression.rs");
    let below = dir.join("tests/testsmith_regression");
    let names = [
        "crate_root",
        "inner",
        "shapes",
        "small_tests",
        "std_tests",
        "type_tests",
    ];
    let expected = names.map(|name| format!("{name}.rs"));
    assert_eq!(files(&below), BTreeSet::from(expected));
    let root = fs::read_to_string(&root_path).expect("it was written");
    let mods = root.lines().filter_map(|line| line.strip_prefix("mod "));
    let mods: Vec<&str> = mods.map(|it| it.trim_end_matches(';')).collect();
    assert_eq!(mods[0], "makers");
    assert_eq!(mods[1..], names, "in order of their names");
    assert!(root.contains("#[path = \"support/makers.rs\"]\nmod makers;\n"));
    let text = |name: &str| fs::read_to_string(below.join(name)).expect("it was written");
    let shapes = text("shapes.rs");
    expect_texts(&shapes, &["use crate::makers::a_machine;", " = a_machine("]);
    assert!(text("type_tests.rs").starts_with("//! Regression tests of `small::type`.\n"));
    assert!(text("type_tests.rs").contains("deeper("));
    for (file, name) in expect_named(&dir) {
        let (module, _) = name.split_once("::").expect("it is in a module");
        assert_eq!(file, format!("tests/testsmith_regression/{module}.rs"));
    }
    expect_tests_pass(&dir);

    // What testsmith wrote is not what it learns from.
    let output = testsmith(&dir, ARGS);
    let line = "tests/testsmith_regression.rs (unchanged), 6 files of modules in \
                tests/testsmith_regression (6 unchanged)\n";
    assert!(stdout(&output).contains(line), "{}", stdout(&output));

    // What a person added stays where it is, and its tests still run.
    let mine = "\n#[test]\nfn mine() {}\n";
    let edited = format!("{}{mine}", text("shapes.rs"));
    fs::write(below.join("shapes.rs"), &edited).expect("writable");
    let output = testsmith(&dir, ARGS);
    assert!(stdout(&output).contains(line), "{}", stdout(&output));
    assert_eq!(text("shapes.rs"), edited);
    assert!(listed(&dir).contains("shapes::mine"));

    // What starts over keeps it, and a root that declares it.
    let args = [ARGS, &["--fresh", "--only", "add_50,add_51,add_52"]].concat();
    let output = testsmith(&dir, &args);
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(
        said.contains("removed tests/testsmith_regression/crate_root.rs"),
        "{said}"
    );
    assert_eq!(
        files(&below),
        BTreeSet::from(["inner.rs", "shapes.rs"].map(str::to_owned))
    );
    assert!(text("shapes.rs").contains(mine), "{}", text("shapes.rs"));
    assert!(listed(&dir).contains("shapes::mine"));
    expect_tests_pass(&dir);

    // Without it, few tests are one file again, which declares the makers itself.
    fs::remove_file(below.join("shapes.rs")).expect("writable");
    let output = testsmith(
        &dir,
        &[ARGS, &["--fresh", "--only", "add_50,Machine"]].concat(),
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(
        said.contains("shapes.rs was removed, so it is not declared any more"),
        "{said}"
    );
    assert!(!below.exists(), "{said}");
    let makers = "#[path = \"support/makers.rs\"]\nmod makers;\n";
    expect_texts(
        &tests_of(&dir),
        &[makers, "use makers::a_machine;", " = a_machine("],
    );
    expect_tests_pass(&dir);
}
