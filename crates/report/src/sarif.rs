//! SARIF 2.1.0: what code-scanning services read.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use testsmith_record::{FailureReport, FailureVerdict, MutantReport, Status, shown_within};

use crate::diff::diff;
use crate::rank::{with_status, words};
use crate::records::{Judged, Records};

/// Suspicious failures are errors, mutants that survive are warnings, those that no test reaches are
/// notes. `root` leads from the repository to the package.
pub fn sarif(records: &Records, root: &str) -> String {
    let mut rules: BTreeMap<String, String> = BTreeMap::new();
    let mut results = Vec::new();
    let failures = records.run.iter().flat_map(|run| &run.failures);
    for it in failures.filter(|it| it.verdict == FailureVerdict::Suspicious) {
        let rule = format!("failure/{}", it.kind);
        let about = format!("A call of the public API ends in: {}", it.kind);
        results.push(failure(it, &rule, root));
        rules.insert(rule, about);
    }
    if let Some(judged) = records.judged() {
        for (status, level) in [(Status::Survived, "warning"), (Status::Unreached, "note")] {
            for it in with_status(judged.mutants, status) {
                let rule = format!("mutant/{}", it.operator);
                let about = format!("No test notices a change of the code: {}", it.operator);
                results.push(mutant(&judged, it, &rule, level, root));
                rules.insert(rule, about);
            }
        }
    }
    let rules: Vec<Value> = rules
        .iter()
        .map(|(id, about)| json!({ "id": id, "shortDescription": { "text": about } }))
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Testsmith",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&shown_within(log)).expect("plain values are JSON") + "\n"
}

fn failure(failure: &FailureReport, rule: &str, root: &str) -> Value {
    let mut text = format!("{}: {}", failure.operation, failure.kind);
    for more in [&failure.message, &failure.reason] {
        if !more.is_empty() {
            text.push_str(&format!("\n{more}"));
        }
    }
    if let Some(test) = &failure.test {
        text.push_str(&format!("\nshown by {test}"));
    }
    let mut result = json!({
        "ruleId": rule,
        "level": "error",
        "message": { "text": text },
        "partialFingerprints": { "testsmithName/v1": failure.name },
    });
    if !failure.file.is_empty() {
        let region = json!({ "startLine": failure.line.max(1) });
        result["locations"] = json!([location(root, &failure.file, &region)]);
    }
    result
}

fn mutant(
    judged: &Judged<'_>,
    mutant: &MutantReport,
    rule: &str,
    level: &str,
    root: &str,
) -> Value {
    let region = match mutant.column {
        0 => json!({ "startLine": mutant.line.max(1) }),
        column => json!({
            "startLine": mutant.line,
            "startColumn": column,
            "endLine": mutant.end_line,
            "endColumn": mutant.end_column,
        }),
    };
    let what = match level {
        "note" => "no test reaches this mutant",
        _ => "this mutant survives",
    };
    let mut text = format!("{what}: {}", words(mutant));
    let source = judged.source(&mutant.file);
    if let Some(diff) = source.and_then(|source| diff(source, mutant)) {
        text.push_str(&format!("\n\n{}", diff.text()));
    }
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": text },
        "locations": [location(root, &mutant.file, &region)],
        "partialFingerprints": { "testsmithName/v1": mutant.name },
    })
}

fn location(root: &str, file: &str, region: &Value) -> Value {
    let uri = encoded(&format!("{root}{file}").replace('\\', "/"));
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri }, "region": region } })
}

/// As a URI has it.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte as char);
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
