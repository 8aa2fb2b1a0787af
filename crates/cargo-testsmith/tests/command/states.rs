//! Pictures of the states of a type.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::run::{expect_refusal, package, record, root, scratch, stderr, testsmith};

/// The subject's stack, and what has one state only.
const SOURCE: &str = "
mod ub_stack;
pub use ub_stack::UBStack;
/// Never changes.
pub struct Fixed { n: u8 }
impl Fixed {
    pub fn new(n: u8) -> Fixed { Fixed { n } }
    pub fn n(&self) -> u8 { self.n }
}
";

/// From, to and the calls of every transition.
fn transitions(record: &Value) -> Vec<(Value, Value, Vec<String>)> {
    let list = record["transitions"].as_array().expect("a list");
    let transition = |it: &Value| {
        let calls = it["calls"].as_array().expect("a list").iter();
        let mut calls: Vec<String> = calls
            .map(|it| it.as_str().expect("text").to_owned())
            .collect();
        calls.sort();
        (it["from"].clone(), it["to"].clone(), calls)
    };
    list.iter().map(transition).collect()
}

#[test]
fn a_bounded_stack_is_empty_or_full_or_neither_and_what_never_changes_is_not_drawn() {
    let dir = scratch("states");
    package(&dir, "", Some(SOURCE));
    let stack = root().join("subjects/rostra/src/ub_stack.rs");
    fs::copy(stack, dir.join("src/ub_stack.rs")).expect("the subject is there");
    let run = |calls: &str| {
        let args = [
            "--json",
            "record.json",
            "states",
            "UBStack",
            "--calls",
            calls,
        ];
        testsmith(
            &dir,
            &[&args[..], &["--svg", "a.svg", "--dot", "a.dot"]].concat(),
        )
    };
    let output = run("5000");
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    assert_eq!(record["type"], "small::UBStack");
    let states = record["states"].as_array().expect("a list");
    let said: Vec<&Value> = states.iter().map(|it| &it["is"]).collect();
    let expected = [
        json!(["is_empty()"]),
        json!(["!is_empty()", "!is_full()"]),
        json!(["is_full()"]),
    ];
    assert!(said.iter().copied().eq(&expected), "{said:?}");
    assert_eq!(states[0]["panics"], json!(["pop"]));
    let calls = |names: &[&str]| names.iter().map(|it| it.to_string()).collect::<Vec<_>>();
    let expected = [
        (Value::Null, json!(0), calls(&["default", "new"])),
        (json!(0), json!(1), calls(&["push"])),
        (json!(1), json!(0), calls(&["pop"])),
        (json!(1), json!(1), calls(&["pop", "push"])),
        (json!(1), json!(2), calls(&["push"])),
        (json!(2), json!(1), calls(&["pop"])),
        (json!(2), json!(2), calls(&["push"])),
    ];
    assert_eq!(transitions(&record), expected);

    let dot = fs::read_to_string(dir.join("a.dot")).expect("it was written");
    for line in [
        "n0 [label=\"is_empty()\\n",
        "n1 [label=\"!is_empty()\\n!is_full()\\n",
        "start -> n0 [label=\"default\\nnew\"",
        "n0 -> n1 [label=\"push\"",
        "n2 -> n1 [label=\"pop\"",
    ] {
        assert!(dot.contains(line), "{line} is not in {dot}");
    }
    let svg = fs::read_to_string(dir.join("a.svg")).expect("it was written");
    assert!(svg.contains(">is_full()</text>"), "{svg}");
    // The same seed and number of calls give the same picture.
    assert!(run("5000").status.success());
    assert_eq!(
        fs::read_to_string(dir.join("a.svg")).expect("still there"),
        svg
    );
    expect_explained(&dir);
}

/// What cannot be drawn is explained.
fn expect_explained(dir: &Path) {
    let output = testsmith(dir, &["states", "Fixd"]);
    expect_refusal(&output, 2, &["`small::Fixed`"]);
    let output = testsmith(dir, &["states", "Fixed", "--calls", "500"]);
    expect_refusal(&output, 5, &["never change"]);
    let output = testsmith(dir, &["states", "Fixed", "--svg", "no/such/dir.svg"]);
    assert_eq!(output.status.code(), Some(6));
}
