//! A small crate's records in, text out.

mod schema;

use expect_test::{Expect, expect};
use serde_json::Value;

use testsmith_record::{MutantReport, ReadError};

use crate::{RecordError, Records, diff, elements, github, html, sarif};

const MUTANTS: &str = include_str!("tests/mutants.json");
const RUN: &str = include_str!("tests/run.json");
const STATES: &str = include_str!("tests/states.json");

fn records(texts: &[&str]) -> Records {
    let mut records = Records::default();
    for text in texts {
        records.add(text).expect("the samples are records");
    }
    records
}

fn all() -> Records {
    records(&[MUTANTS, RUN, STATES])
}

#[test]
fn foreign_bytes_of_records_make_a_page_or_are_refused() {
    let samples = [MUTANTS, RUN, STATES].map(|it| it.as_bytes().to_vec());
    testsmith_noise::throw("records", &samples, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let mut records = Records::default();
        if let Err(error) = records.add(&text) {
            return testsmith_noise::plain(&error.to_string());
        }
        let pages = [
            html(&records),
            sarif(&records, "/root"),
            github(&records, "/root"),
            elements(&records),
        ];
        let mutants = records.judged().map_or(0, |it| {
            let texts = it.mutants.iter().filter_map(|mutant| {
                let source = it.source(&mutant.file)?;
                Some(diff(source, mutant)?.text())
            });
            texts.count()
        });
        let lines = pages.map(|it| (it.lines().count() + 1).ilog2());
        format!("{lines:?} {mutants} {}", records.states.len())
    });
}

fn check_diff(id: u32, expected: Expect) {
    let records = all();
    let judged = records.judged().expect("there are mutants");
    let mutant = judged.mutants.iter().find(|it| it.id == id);
    let mutant = mutant.expect("it is in the sample");
    let source = judged.source("src/lib.rs").expect("it is in the sample");
    let text = diff(source, mutant).map(|it| it.text());
    expected.assert_eq(&text.unwrap_or_default());
}

#[test]
fn a_mutant_is_a_diff_of_whole_lines() {
    check_diff(
        2,
        expect![[r#"
                  pub fn add(&mut self, by: u32) -> bool {
            -         if by > 10 {
            +         if (by >= 10) {
                          return false;
        "#]],
    );
}

#[test]
fn columns_of_a_diff_are_characters() {
    check_diff(
        6,
        expect![[r#"
                  pub fn é(&self) -> &'static str {
            -         let s = "ü"; if self.n == 0 { s } else { "x" }
            +         let s = "ü"; if (self.n != 0) { s } else { "x" }
                  }
        "#]],
    );
}

#[test]
fn a_statement_that_goes_leaves_no_line() {
    check_diff(
        4,
        expect![[r#"
                      self.n += by;
            -         self.note();
                      true
        "#]],
    );
}

#[test]
fn a_mutant_may_change_several_lines() {
    check_diff(
        8,
        expect![[r#"

            -     pub fn add(&mut self, by: u32) -> bool {
            -         if by > 10 {
            +     pub fn add(&mut self, by: u32) -> bool { return false; if by > 10 {
                          return false;
        "#]],
    );
}

#[test]
fn a_place_that_is_not_in_the_source_has_no_diff() {
    let mutant = |line, column, end_line, end_column| MutantReport {
        line,
        column,
        end_line,
        end_column,
        ..MutantReport::default()
    };
    for (line, column, end_line, end_column) in [
        (0, 0, 0, 0),
        (9, 1, 9, 2),
        (1, 9, 1, 10),
        (2, 1, 1, 1),
        (1, 3, 1, 1),
        (1, 1, usize::MAX, 1),
    ] {
        let mutant = mutant(line, column, end_line, end_column);
        assert_eq!(diff("ab\ncd\n", &mutant), None, "{mutant:?}");
    }
}

#[test]
fn annotations_are_escaped_and_those_that_change_most_come_first() {
    let text = github(&all(), "crates/counter/");
    expect![[r#"
        ::error file=crates/counter/src/lib.rs,line=16,title=counter%3A%3ACounter%3A%3Aadd (panic)::attempt to add with overflow, at 100%25: no%0Ait overflows%0Ashown by add_fails
        ::warning file=crates/counter/src/lib.rs,line=17,title=mutant survives%3A statement::`self.note();` -> nothing in Counter::add%0Aone test reaches it and does not notice
        ::warning file=crates/counter/src/lib.rs,line=13,title=mutant survives%3A relational::`by > 10` -> `by >= 10` in Counter::add%0A2 tests reach it and do not notice
        ::warning file=crates/counter/src/lib.rs,line=13,title=mutant survives%3A literal::`10` -> `11` in Counter::add%0A2 tests reach it and do not notice
    "#]]
    .assert_eq(&text);
}

#[test]
fn sarif_has_failures_survivors_and_what_no_test_reaches() {
    let log: Value = serde_json::from_str(&sarif(&all(), "")).expect("it is JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("a list");
    let brief: Vec<String> = results
        .iter()
        .map(|it| {
            let region = &it["locations"][0]["physicalLocation"]["region"];
            format!("{} {} {region}", it["level"], it["ruleId"])
        })
        .collect();
    expect![[r#"
        "error" "failure/panic" {"startLine":16}
        "warning" "mutant/statement" {"endColumn":21,"endLine":17,"startColumn":9,"startLine":17}
        "warning" "mutant/relational" {"endColumn":19,"endLine":13,"startColumn":12,"startLine":13}
        "warning" "mutant/literal" {"endColumn":19,"endLine":13,"startColumn":17,"startLine":13}
        "note" "mutant/relational" {"endColumn":36,"endLine":22,"startColumn":25,"startLine":22}"#]]
    .assert_eq(&brief.join("\n"));
    let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
    for result in results {
        let mut ids = rules.iter().map(|it| &it["id"]);
        assert!(ids.any(|id| *id == result["ruleId"]), "{result}");
    }
}

#[test]
fn elements_knows_a_status_for_each_of_ours() {
    let report: Value = serde_json::from_str(&elements(&all())).expect("it is JSON");
    let file = &report["files"]["src/lib.rs"];
    let mutants = file["mutants"].as_array().expect("a list");
    let statuses: Vec<&str> = mutants
        .iter()
        .filter_map(|it| it["status"].as_str())
        .collect();
    assert_eq!(
        statuses.join(" "),
        "Killed Survived Survived Survived Timeout NoCoverage CompileError Ignored Ignored Pending"
    );
    let tests = report["testFiles"].as_object().expect("an object");
    let ids: Vec<&Value> = tests
        .values()
        .filter_map(|file| file["tests"].as_array())
        .flatten()
        .map(|test| &test["id"])
        .collect();
    for mutant in mutants {
        for list in ["killedBy", "coveredBy"] {
            let named = mutant[list].as_array().expect("a list");
            assert!(named.iter().all(|name| ids.contains(&name)), "{mutant}");
        }
        for (edge, field) in [("start", "line"), ("end", "column")] {
            assert!(
                mutant["location"][edge][field].as_u64() > Some(0),
                "{mutant}"
            );
        }
    }
}

/// What the page contains of data.
fn data(page: &str) -> &str {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .expect("the page has data");
    rest.split_once("</script>").expect("it ends").0
}

#[test]
fn the_page_contains_everything_and_loads_nothing() {
    let page = html(&all());
    assert!(page.contains("<title>counter 0.1.0 · Testsmith</title>"));
    for outside in ["http://", "https://", "src=\"", "url(", "@import"] {
        let without_data = page.replace(data(&page), "");
        assert!(!without_data.contains(outside), "{outside} is in the page");
    }
    let data: Value = serde_json::from_str(data(&page)).expect("it is JSON");
    assert_eq!(
        data["views"][0]["mutants"].as_array().map(Vec::len),
        Some(10)
    );
    assert_eq!(data["run"]["failures"].as_array().map(Vec::len), Some(2));
    assert_eq!(data["states"][0]["type"], "counter::Counter");
}

#[test]
fn what_a_crate_says_never_becomes_html() {
    let evil = "</script><script>alert(1)</script><!--<script>";
    let hostile = |text: &str| {
        let mut value: Value = serde_json::from_str(text).expect("the samples are JSON");
        fill(&mut value, evil);
        value["package"] = Value::from(evil);
        value.to_string()
    };
    let records = records(&[&hostile(MUTANTS), &hostile(RUN), &hostile(STATES)]);
    let page = html(&records);
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<!--"));
    let data: Value = serde_json::from_str(data(&page)).expect("it is JSON");
    assert_eq!(data["package"], evil);
    assert_eq!(data["run"]["failures"][0]["message"], evil);
}

/// Every text but those that say what a record is.
fn fill(value: &mut Value, text: &str) {
    match value {
        Value::String(it) => *it = text.to_owned(),
        Value::Array(list) => list.iter_mut().for_each(|it| fill(it, text)),
        Value::Object(fields) => {
            let rest = fields.iter_mut().filter(|(name, _)| *name != "kind");
            rest.for_each(|(_, it)| fill(it, text));
        }
        _ => {}
    }
}

#[test]
fn keys_of_mutants_do_not_depend_on_their_numbers() {
    let keys = |text: &str| {
        let page = html(&records(&[text]));
        let data: Value = serde_json::from_str(data(&page)).expect("it is JSON");
        let mutants = data["views"][0]["mutants"].as_array().cloned();
        let key = |it: &Value| (it["name"].to_string(), it["key"].to_string());
        let mut keys: Vec<_> = mutants.expect("a list").iter().map(key).collect();
        keys.sort();
        keys
    };
    let renumbered = MUTANTS.replace("\"id\": ", "\"id\": 1");
    assert_eq!(keys(MUTANTS), keys(&renumbered));
}

#[test]
fn records_that_make_no_sense_are_refused() {
    let refused = |text: &str| all().add(text).expect_err("it makes no sense");
    assert!(matches!(
        refused("{"),
        RecordError::Read(ReadError::Syntax(_))
    ));
    assert!(matches!(
        refused(r#"{"schema": 2, "package": "counter"}"#),
        RecordError::Read(ReadError::Schema(2))
    ));
    assert!(matches!(
        refused(r#"{"schema": 1, "package": "counter"}"#),
        RecordError::Kind
    ));
    assert!(matches!(
        refused(r#"{"schema": 1, "package": "other", "kind": "run"}"#),
        RecordError::Package { .. }
    ));
}

#[test]
fn without_mutants_the_other_formats_are_empty_and_valid() {
    let records = records(&[STATES]);
    assert_eq!(github(&records, ""), "");
    let log: Value = serde_json::from_str(&sarif(&records, "")).expect("it is JSON");
    assert_eq!(log["runs"][0]["results"], Value::Array(Vec::new()));
    let report: Value = serde_json::from_str(&elements(&records)).expect("it is JSON");
    assert_eq!(report["files"].as_object().map(|it| it.len()), Some(0));
}

#[test]
fn what_a_crate_says_acts_on_nobody() {
    let hostile = "\\u001b[2J\\rgone\\u0000\\u202edlrow";
    let mut run: Value = serde_json::from_str(RUN).expect("the sample is JSON");
    let message: String = serde_json::from_str(&format!("\"{hostile}\"")).expect("it is JSON");
    for failure in run["failures"].as_array_mut().expect("a list") {
        failure["message"] = message.clone().into();
    }
    let records = records(&[&run.to_string()]);
    let acts = |c: char| c == '\u{202e}' || c.is_control() && c != '\n' && c != '\t';
    for text in [html(&records), sarif(&records, ""), github(&records, "")] {
        assert!(text.contains("gone"));
        assert!(!text.contains(acts));
        // Nor once the JSON is read.
        assert!(!text.contains("\\u001b") && !text.contains("\\u0000"));
    }
}
