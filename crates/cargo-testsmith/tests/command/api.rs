//! What can be called, and why the rest cannot: asked of the model, or of rustc.

use crate::run::{of_callable, package, record, scratch, stderr, stdout, testsmith};

/// Five methods that lack a value to call them on.
const SEALED: &str = "
pub struct Sealed { x: u8 }
impl Sealed {
    pub fn a(&self) -> u8 { self.x }
    pub fn b(&self) -> u8 { self.x }
    pub fn c(&self) -> u8 { self.x }
    pub fn d(&self) -> u8 { self.x }
    pub fn e(&mut self) { self.x = 0; }
}
";

/// Its bound is on something made of the parameter, and holds for nothing that others can name.
const UNMET: &str = "
pub trait Odd {}
struct Hidden;
impl Odd for [Hidden; 3] {}
pub fn unmet<T>(x: T) -> bool where [T; 3]: Odd { drop(x); true }
";

const CALLED: &str = "pub fn add(a: u8, b: u8) -> u8 { a.wrapping_add(b) }
pub unsafe fn risky() -> u8 { 0 }
";

#[test]
fn a_check_counts_what_rustc_accepts_if_only_nothing_and_ranks_the_reasons_for_the_rest() {
    let dir = scratch("api-check");
    package(&dir, "", Some(&format!("{SEALED}{UNMET}{CALLED}")));
    let output = testsmith(&dir, &["api", "--json", "record.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!stdout(&output).contains("accepted"), "nobody asked rustc");
    let unchecked = record(&dir);
    assert_eq!(unchecked["with_instance"], 2, "the model thinks so");

    let output = testsmith(&dir, &["api", "--check", "--json", "record.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stdout(&output);
    let verdict = "\naccepted 1 of 8 counted callables (12.5 %)\njudged by `cargo check`";
    let reasons = "
    5 × nothing makes a value of `small::Sealed`
          small::Sealed::a
          small::Sealed::b
          small::Sealed::c
          and 2 more; -v shows them all
    1 × ";
    for words in [verdict, reasons, "1 × unsafe function", "rustc refused it"] {
        assert!(said.contains(words), "{words:?} is not in: {said}");
    }
    let record = record(&dir);
    assert_eq!(record["checked"], true);
    assert_eq!(record["counted"], 8);
    assert_eq!(record["with_instance"], 1);
    assert_eq!(record["reasons"][0]["count"], 5);
    assert_eq!(
        record["reasons"][0]["callables"][4], "small::Sealed::e",
        "the record has them all"
    );
    assert_eq!(of_callable(&record, "small::unmet", "status"), "skipped");
    assert_eq!(of_callable(&record, "small::add", "status"), "modelled");

    let said = stdout(&testsmith(&dir, &["api", "--check", "-v"]));
    assert!(said.contains("          small::Sealed::e\n"), "{said}");
    assert!(!said.contains("more; -v"), "{said}");

    // That nothing is accepted is an answer, too.
    for (source, n_counted) in [(SEALED, 5), (UNMET, 1)] {
        package(&dir, "", Some(source));
        let output = testsmith(&dir, &["api", "--check"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let said = stdout(&output);
        let verdict = format!("accepted 0 of {n_counted} counted callables (0.0 %)");
        assert!(said.contains(&verdict), "{said}");
        assert!(said.contains(&format!("{n_counted} × ")), "{said}");
    }
}
