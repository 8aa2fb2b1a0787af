//! The report of the mutation-testing-elements project, schema 2: what Stryker's viewer, dashboard and
//! others read.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use testsmith_record::{MutantReport, Noticed, Status};

use crate::records::{Judged, Records, Test};

/// The report; without mutants, one of no files.
pub fn elements(records: &Records) -> String {
    let judged = records.judged();
    let (files, test_files) = match judged {
        Some(judged) => (files(&judged), test_files(&judged)),
        None => Default::default(),
    };
    let report = json!({
        "$schema": "https://git.io/mutation-testing-report-schema",
        "schemaVersion": "2",
        "thresholds": { "high": 80, "low": 60 },
        "framework": { "name": "Testsmith", "version": env!("CARGO_PKG_VERSION") },
        "files": files,
        "testFiles": test_files,
    });
    serde_json::to_string_pretty(&report).expect("plain values are JSON") + "\n"
}

fn files(judged: &Judged<'_>) -> Map<String, Value> {
    let mut by_file: BTreeMap<&str, Vec<&MutantReport>> = BTreeMap::new();
    for mutant in judged.mutants {
        by_file.entry(&mutant.file).or_default().push(mutant);
    }
    let files = by_file.into_iter().map(|(path, mutants)| {
        let source = judged.source(path).unwrap_or_default();
        let mutants: Vec<Value> = mutants.iter().map(|it| one(it, source)).collect();
        let file = json!({ "language": "rust", "source": source, "mutants": mutants });
        (path.to_owned(), file)
    });
    files.collect()
}

fn one(mutant: &MutantReport, source: &str) -> Value {
    let line = mutant.line.max(1);
    let whole_line = || {
        let text = source.lines().nth(line - 1).unwrap_or_default();
        (1, line, text.chars().count() + 1)
    };
    let (column, end_line, end_column) = match mutant.column {
        0 => whole_line(),
        column => (column, mutant.end_line, mutant.end_column),
    };
    let mut value = json!({
        "id": mutant.id.to_string(),
        "mutatorName": mutant.operator,
        "description": mutant.name,
        "replacement": match mutant.column {
            0 => &mutant.replacement,
            _ => &mutant.edit,
        },
        "location": {
            "start": { "line": line, "column": column },
            "end": { "line": end_line, "column": end_column },
        },
        "status": status(mutant),
        "coveredBy": mutant.reached_by,
        "killedBy": mutant.killed_by,
    });
    let how = mutant.how.map(Noticed::name);
    if let Some(reason) = mutant.reason.as_deref().or(how) {
        value["statusReason"] = json!(reason);
    }
    value
}

fn status(mutant: &MutantReport) -> &'static str {
    match mutant.status {
        Status::Killed => match mutant.how {
            Some(Noticed::Timeout | Noticed::Exhausted) => "Timeout",
            _ => "Killed",
        },
        Status::Survived => "Survived",
        Status::Unreached => "NoCoverage",
        Status::Unviable => "CompileError",
        Status::Equivalent | Status::Suppressed => "Ignored",
        Status::Pending => "Pending",
    }
}

/// The tests by where they are; those that only mutants name stand apart.
fn test_files(judged: &Judged<'_>) -> Map<String, Value> {
    let place = |test: &Test<'_>| {
        let place = test.file.or(test.target);
        place.unwrap_or("tests").to_owned()
    };
    let mut by_file: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for test in &judged.tests {
        let mut value = json!({ "id": test.name, "name": test.name });
        if let Some(line) = test.line {
            value["location"] = json!({ "start": { "line": line, "column": 1 } });
        }
        by_file.entry(place(test)).or_default().push(value);
    }
    let known: BTreeSet<&str> = judged.tests.iter().map(|it| it.name).collect();
    let mutants = judged.mutants.iter();
    let named: BTreeSet<&str> = mutants
        .flat_map(|it| it.killed_by.iter().chain(&it.reached_by))
        .map(|name| &**name)
        .collect();
    for name in named.difference(&known) {
        let tests = by_file.entry("tests".to_owned()).or_default();
        tests.push(json!({ "id": name, "name": name }));
    }
    let files = by_file.into_iter();
    files
        .map(|(path, tests)| (path, json!({ "tests": tests })))
        .collect()
}
