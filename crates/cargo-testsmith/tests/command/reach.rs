//! What can be called: small crates that each show one hard thing about Rust APIs.

use std::fs;

use crate::run::{
    copy_fixture, copy_subject, expect_refusal, expect_tests_pass, expect_tests_pass_with,
    expect_texts, of_callable, package, record, scratch, stderr, stdout, tests_of, testsmith,
};

#[test]
fn closures_are_passed_and_called() {
    let dir = scratch("closures");
    copy_subject("../fixtures/closures", &dir);
    let output = testsmith(
        &dir,
        &["--calls", "30000", "--seed", "2", "--json", "record.json"],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    let callables = record["callables"].as_array().expect("a list");
    for callable in callables.iter().filter(|it| it["counted"] == true) {
        assert_eq!(callable["status"], "reached", "{callable}");
    }
    let tests = tests_of(&dir);
    for text in [
        ".count(|a| ",
        ".each(|a| ",
        ".map(|a| ",
        ".first_or_else(|| ",
        ".sort_by(|a, b| ",
        "Button::new(Box::new(|a| ",
        "twice(&",
        "call_all(&mut |_| {}",
        "apply(|a| a",
        "longest(",
        "adder(",
        "= counter(",
        "= shout(",
        ".backwards(",
        ".split(\"",
        "calls.borrow_mut().push(",
        "assert_eq!(*calls.borrow(), [",
    ] {
        assert!(tests.contains(text), "{text} is missing:\n{tests}");
    }
    // That a closure's panic reaches the caller is no matter of the crate.
    assert!(!tests.contains("should_panic(expected = \"from the closure\")"));
    expect_tests_pass(&dir);
    // What is not in order after a closure's panic shows when it is dropped.
    let failures = record["failures"].as_array().expect("a list");
    let dies = |it: &&serde_json::Value| it["kind"] != "panic";
    let dying: Vec<_> = failures.iter().filter(dies).collect();
    assert!(!dying.is_empty(), "{failures:?}");
    for failure in dying {
        let operation = failure["operation"].as_str().expect("text");
        assert!(operation.contains("::replace_first"), "{failure}");
    }
}

#[test]
fn traits_without_implementors_get_one_and_futures_are_driven() {
    let dir = scratch("traits");
    copy_subject("../fixtures/traits", &dir);
    let output = testsmith(
        &dir,
        &["--calls", "30000", "--seed", "1", "--json", "record.json"],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    let callables = record["callables"].as_array().expect("a list");
    let unreachable = [
        ("traits::strike", "its method `forge` gives `traits::Sword`"),
        (
            "traits::unreachable",
            "it asks for `traits::private::Sealed`, which nobody outside can name",
        ),
    ];
    for callable in callables.iter().filter(|it| it["counted"] == true) {
        match unreachable
            .iter()
            .find(|(path, _)| callable["path"] == *path)
        {
            Some((_, why)) => {
                let reason = callable["reason"].as_str().unwrap_or_default();
                assert!(reason.contains(why), "{callable}");
            }
            None => assert_eq!(callable["status"], "reached", "{callable}"),
        }
    }
    // What a trait provides is the crate's own code.
    let provided = "<stand_ins::SamplePlan as traits::Plan>::is_long";
    assert_eq!(of_callable(&record, provided, "status"), "reached");
    // Once it was ready, a future may panic.
    for failure in record["failures"].as_array().expect("a list") {
        assert_eq!(failure["verdict"], "documented", "{failure}");
    }
    let tests = tests_of(&dir);
    for text in [
        "\nstruct SamplePlan {\n    steps: u8,\n",
        "\nimpl Plan for SamplePlan {\n    fn steps(&self) -> u8 {\n        self.steps\n    }\n\n",
        "\nstruct SampleShape {\n",
        "\nstruct SampleSound {\n",
        "\nfn block_on<F: Future>(future: F) -> Option<F::Output> {\n",
    ] {
        assert_eq!(tests.matches(text).count(), 1, "{text}:\n{tests}");
    }
    for text in [
        "Machine::new(SamplePlan {",
        "surface(&SampleShape {",
        "is_loud(&SampleSound {",
        "echo_twice(Box::new(SampleSound {",
        "shared(",
        "as &dyn Sound)",
        "assert_eq!(block_on(double(",
        "assert_eq!(block_on(wait_once(",
        "assert_eq!(block_on(wait_for_ever()), None)",
        "block_on(longest(",
        "assert_eq!(block_on(doubled(std::future::ready(",
        "assert_eq!(block_on(up), Some(Ok(",
        "block_on(delegate",
        "assert_eq!(block_on(Countdown {",
        "), Poll::Pending)",
        "), Poll::Ready(",
    ] {
        assert!(tests.contains(text), "{text} is missing:\n{tests}");
    }
    expect_tests_pass(&dir);
}

#[test]
fn what_nobody_makes_or_names_is_called_all_the_same() {
    let dir = scratch("unnamed");
    copy_subject("../fixtures/unnamed", &dir);
    let output = testsmith(
        &dir,
        &["--calls", "20000", "--seed", "2", "--json", "record.json"],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    let callables = record["callables"].as_array().expect("a list");
    for callable in callables.iter().filter(|it| it["counted"] == true) {
        let is_refused = callable["path"] == "unnamed::Words::fmt_all";
        let status = if is_refused { "skipped" } else { "reached" };
        assert_eq!(callable["status"], status, "{callable}");
    }
    let tests = tests_of(&dir);
    for text in [
        "std::fmt::from_fn(|f| words.fmt_with(f, \"",
        "assert_eq!(std::fmt::from_fn(|f| fmt_roman(f, ",
        "fmt_each(f, |",
        ".iter()",
        ".lengths().collect::<Vec<_>>()",
        "\"Summary { is_short: ",
        "    let _ = words.take_last();\n",
        ".try_take(1).is_some())",
        ".as_ref(), \"",
        ".sorted().into_iter().collect::<Vec<_>>()",
    ] {
        assert!(tests.contains(text), "{text} is missing:\n{tests}");
    }
    expect_tests_pass(&dir);
}

#[test]
fn what_is_serialized_is_asserted_and_read_again() {
    let dir = scratch("serialized");
    copy_fixture("serialized", &dir);
    let output = testsmith(
        &dir,
        &["--calls", "30000", "--seed", "1", "--json", "record.json"],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    let callables = record["callables"].as_array().expect("a list");
    for callable in callables.iter().filter(|it| it["counted"] == true) {
        assert_eq!(callable["status"], "reached", "{callable}");
    }
    for (ty, trait_, name) in [
        ("Track", "ser::Serialize", "serialize"),
        ("Command", "de::Deserialize", "deserialize"),
    ] {
        let path = format!("<serialized::{ty} as serde::{trait_}>::{name}");
        assert_eq!(of_callable(&record, &path, "status"), "reached");
    }
    let tests = tests_of(&dir);
    for text in [
        "\nstruct ToText;\n",
        "\nimpl Serializer for ToText {\n",
        "\nstruct FromText(String);\n",
        "\nimpl<'de> Deserializer<'de> for FromText {\n",
        "\nstruct Refusal(String);\n",
        "\nfn written<T: Serialize + ?Sized>(value: &T) -> FromText {\n",
    ] {
        assert_eq!(tests.matches(text).count(), 1, "{text}:\n{tests}");
    }
    for text in [
        "Ok(r##\"\"#0",
        ".serialize(ToText).as_deref(),\n        Ok(r#\"",
        "Ok(r#\"{\"seek\":",
        "Ok(r#\"{\"title\":\"",
        "Colour::deserialize(FromText(",
        "Command::deserialize(",
        "Track::deserialize(written(&Track {",
        "Ok(Track {",
        "\"expected `#` and six hexadecimal digits\"",
    ] {
        assert!(tests.contains(text), "{text} is missing:\n{tests}");
    }
    // Serde was built for the suite where that was checked, and need not be built again.
    let built = ["--target-dir", "target/testsmith/serialized/target"];
    expect_tests_pass_with(&dir, &built);
}

/// What needs leave, what needs a dependency, and what needs to be told which arguments make sense.
const PARTICULAR: &str = r#"
/// The byte at a place.
///
/// # Safety
///
/// `i` is below 4.
pub unsafe fn at(i: u8) -> u8 { [3, 1, 4, 1].get(i as usize).copied().unwrap_or(9) }

pub struct Square(u32);
impl Square {
    pub fn new(side: u32) -> Square { Square(side.min(1000)) }
    pub fn side(&self) -> other::Side { other::Side(self.0) }
}
impl other::Area for Square { fn area(&self) -> u32 { self.0 * self.0 } }
pub fn is_heavy(stone: &other::Stone) -> bool { stone.weight() > 9 }

pub fn digit(i: u8) -> u8 { [3, 1, 4, 1][usize::from(i)] }
pub fn greet(name: &str) -> String { name.strip_prefix("Dr. ").unwrap().to_owned() }
pub fn third(x: f64) -> f64 { assert!(x == 0.25 || x == 4.0); x / 2.0 }
pub fn free(i: u8) -> u8 { i / 2 }
"#;

const INNER: &str = "
mod hidden {
    pub trait Area { fn area(&self) -> u32; }
    #[derive(Clone, Debug, PartialEq)]
    pub struct Side(pub u32);
}
pub use hidden::{Area, Side};
pub struct Stone { weight: u32 }
impl Stone {
    pub fn quarried(weight: u32) -> Option<Stone> { (weight > 0).then_some(Stone { weight }) }
    pub fn weight(&self) -> u32 { self.weight }
}
";

/// Values that make no sense, and why.
const SENSELESS: [(&str, &str); 5] = [
    (
        "'digit.i' = { range = '4..0' }",
        "the range `4..0` is empty",
    ),
    (
        "'digit.i' = {}",
        "say one of `range`, `values` and `pattern`",
    ),
    ("'digit.j' = { range = '0..4' }", "has a parameter `j`"),
    (
        "'digits.i' = { range = '0..4' }",
        "nothing matches `digits`",
    ),
    ("'digit.i' = { pattern = 'x' }", "no such value fits"),
];

#[test]
fn unsafe_functions_items_of_dependencies_and_chosen_parameters_are_called_as_people_would() {
    let dir = scratch("particular");
    let inner = dir.join("inner");
    fs::create_dir_all(inner.join("src")).expect("writable");
    let manifest = "[package]\nname = \"inner-crate\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    fs::write(inner.join("Cargo.toml"), manifest).expect("writable");
    fs::write(inner.join("src/lib.rs"), INNER).expect("writable");
    let manifest = "[dependencies]\nother = { package = \"inner-crate\", path = \"inner\" }\n";
    package(&dir, manifest, Some(PARTICULAR));

    let settings = |text: &str| {
        fs::write(dir.join("testsmith.toml"), format!("[values]\n{text}")).expect("writable");
    };
    for (text, why) in SENSELESS {
        settings(text);
        expect_refusal(&testsmith(&dir, &["api"]), 2, &[why]);
    }
    settings(
        "'digit.i' = { range = '0..4' }\n\
         'greet.name' = { pattern = 'Dr\\. [A-Z][a-z]{2,6}' }\n\
         'third.x' = { values = [0.25, 4] }\n",
    );
    let listing = stdout(&testsmith(&dir, &["api"]));
    for words in [
        "unsafe function; --unsafe calls it",
        "# Safety: `i` is below 4.",
    ] {
        assert!(listing.contains(words), "{words} is not in: {listing}");
    }

    let args = ["--calls", "5000", "--unsafe", "--json", "record.json"];
    let output = testsmith(&dir, &args);
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("1 unsafe function is called"), "{said}");
    let record = record(&dir);
    // Nobody tried what the settings do not allow.
    assert_eq!(record["failures"], serde_json::json!([]));
    for callable in record["callables"].as_array().expect("a list") {
        assert_eq!(callable["status"], "reached", "{callable}");
    }
    let tests = tests_of(&dir);
    expect_texts(
        &tests,
        &[
            "assert_eq!(unsafe { at(",
            // As the package names its dependency, and not by the module that is private.
            "use other::{Area, Stone};",
            ".area()",
            "Stone::quarried(",
            "digit(number)",
            "greet(\"Dr. ",
            "third(0.25)",
            "free(",
        ],
    );
    expect_tests_pass(&dir);
}
