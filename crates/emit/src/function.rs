//! One test as the text of one function: its attributes, its name, and the statements of its case or of
//! its table.

use std::collections::BTreeSet;

use crate::case::{TestCase, TestKind};
use crate::cx::Cx;
use crate::literal::string;
use crate::print::body_of;
use crate::table::table;

/// The most characters of a reason above a test. The attribute has the whole reason.
const MAX_COMMENT: usize = 140;

/// A printed test.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) text: String,
    pub(crate) n_calls: u32,
    /// The indices of the printed checks, in order of printing.
    pub(crate) checks: Vec<usize>,
}

/// Prints a test. `None` if a literal in it cannot be written, or if nothing would be left.
pub(crate) fn print(
    cx: Cx<'_>,
    case: &TestCase,
    printed: &[bool],
    name: &str,
    reserved: &BTreeSet<String>,
) -> Option<Printed> {
    let body = match case.acts.len() > 1 {
        true => table(cx, case, printed, reserved),
        false => None,
    };
    let body = match body {
        Some(body) => body,
        None => body_of(cx, case, printed, reserved)?,
    };
    if body.lines.is_empty() {
        return None;
    }
    let mut text = String::new();
    match &case.kind {
        TestKind::Regression => text.push_str(&format!("{}#[test]\n", told(case))),
        TestKind::ShouldPanic { expected, .. } => {
            text.push_str(&format!("{}#[test]\n#[should_panic", told(case)));
            if let Some(expected) = expected {
                text.push_str(&format!("(expected = {})", string(expected)));
            }
            text.push_str("]\n");
        }
        TestKind::Failure { reason } => {
            let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
            text.push_str(&format!(
                "// {}\n#[test]\n#[ignore = {}]\n",
                one_line(&reason),
                string(&reason)
            ));
        }
    }
    if case.deprecated || body.is_deprecated {
        text.push_str("#[allow(deprecated)]\n");
    }
    for lint in &body.allowed {
        text.push_str(&format!("#[allow({lint})]\n"));
    }
    text.push_str(&format!("fn {name}() {{\n"));
    for line in &body.lines {
        text.push_str(&format!("    {line}\n"));
    }
    text.push_str("}\n");
    Some(Printed {
        text,
        n_calls: body.n_calls,
        checks: body.checks,
    })
}

/// The comment above a test.
fn told(case: &TestCase) -> String {
    let lines = case.worth.told.iter();
    let lines = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines
        .map(|line| format!("// {}\n", one_line(&line)))
        .collect()
}

/// A comment that fits a line, cut at a word.
fn one_line(reason: &str) -> String {
    if reason.chars().count() <= MAX_COMMENT {
        return reason.to_owned();
    }
    let line: String = reason.chars().take(MAX_COMMENT).collect();
    let line = line.rsplit_once(' ').map_or(&*line, |(line, _)| line);
    format!("{line} ..")
}
