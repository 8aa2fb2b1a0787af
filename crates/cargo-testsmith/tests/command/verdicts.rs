//! Whose mistake a panic is: by the expression that raised it, by a signature that can say no, and by
//! what its documentation says of the case at hand.

use crate::run::{expect_refusal, package, record, scratch, stderr, stdout, testsmith};

/// Each function does what one of a published crate did before it was fixed.
const CRATE: &str = r#"
//! Things that panic.

/// Cuts the marks off a tag.
pub fn tag(text: &str) -> Result<String, String> {
    if !text.starts_with("{#") || !text.ends_with('}') {
        return Err("no tag".to_owned());
    }
    Ok(text[2..text.len() - 2].to_owned())
}

/// A day of a month. Its fallible constructors return `None` rather than
/// raising a panic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Day(u32);
impl Day {
    /// The day with this number from 1.
    pub fn of(n: u32) -> Option<Day> { (1..=31).contains(&n).then_some(Day(n)) }
    /// The day with this number from 0.
    pub fn of0(n: u32) -> Option<Day> { Day::of(n + 1) }
    /// So many days.
    pub fn try_many(n: usize) -> Result<usize, String> {
        if n < 40 { return Ok(n); }
        Ok(u8::try_from(n.saturating_mul(8)).unwrap().into())
    }
    /// Never panics.
    pub fn weeks(self, by: u32) -> u32 { self.0 / by }
    /// The days from one to the other.
    ///
    /// # Panics
    ///
    /// Panics if `by` is zero.
    pub fn steps(self, by: u32) -> u32 {
        assert!(by != 0, "no step is zero");
        [1, 2, 3][(self.0 % 4) as usize]
    }
}

/// Slots.
#[derive(Clone, Debug, Default)]
pub struct Slots(Vec<u8>);
impl Slots {
    /// Without any.
    pub fn new() -> Slots { Slots(Vec::new()) }
    /// Adds one.
    pub fn push(&mut self, it: u8) { self.0.push(it) }
    /// Two at once.
    ///
    /// # Panics
    ///
    /// This function panics when the two indices are equal.
    pub fn get2_mut(&mut self, one: usize, two: usize) -> (Option<&mut u8>, Option<&mut u8>) {
        if one == two {
            panic!("called with two identical indices");
        }
        if one > two {
            let (less, more) = self.0.split_at_mut(one);
            (more.first_mut(), less.get_mut(two))
        } else {
            let (less, more) = self.0.split_at_mut(two);
            (less.get_mut(one), more.first_mut())
        }
    }
}
"#;

#[test]
fn a_signature_that_can_say_no_must_say_no() {
    let dir = scratch("verdicts");
    package(&dir, "", Some(CRATE));
    let args = ["bugs", "--calls", "40000", "--json", "record.json"];
    let output = testsmith(&dir, &args);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    let failures = record["failures"].as_array().expect("they are listed");
    let text = |it: &serde_json::Value, field: &str| it[field].as_str().unwrap_or("").to_owned();
    let mut found: Vec<String> = failures
        .iter()
        .map(|it| {
            let operation = text(it, "operation");
            let name = operation.rsplit("::").next().unwrap_or_default();
            let message = text(it, "message");
            let message = message.split([':', '(']).next().unwrap_or_default().trim();
            format!("{} {name}: {message}", text(it, "level"))
        })
        .collect();
    found.sort();
    found.dedup();
    let expected = [
        "bug get2_mut: mid > len",
        "bug of0: attempt to add with overflow",
        "bug tag: begin > end",
        "bug try_many: called `Result",
        "caller's get2_mut: called with two identical indices",
        "caller's steps: no step is zero",
        "likely steps: index out of bounds",
        "likely weeks: attempt to divide by zero",
    ];
    assert_eq!(found, expected, "{failures:#?}");

    // Those that look like bugs have failing tests, and with `all` the others, too.
    let n_tests = |record: &serde_json::Value| record["tests"].as_array().map(Vec::len);
    assert_eq!(n_tests(&record), Some(6));
    let output = testsmith(&dir, &[&args[..], &["--failures", "all"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("  failures  4 bugs, 2 likely, 2 the caller's"));
    assert_eq!(n_tests(&crate::run::record(&dir)), Some(8));

    let output = testsmith(&dir, &["bugs", "--issue", "1"]);
    let issue = stdout(&output);
    for part in [
        "` panics: ",
        "**Versions:** small 0.1.0, rustc 1.",
        "fn main() {",
        "src/lib.rs:",
    ] {
        assert!(issue.contains(part), "{part} is not in:\n{issue}");
    }
    let output = testsmith(&dir, &["bugs", "--issue", "77"]);
    expect_refusal(&output, 2, &["there is no failure 77"]);
}
