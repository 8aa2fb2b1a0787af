//! The schema of records says what the samples are.

use serde_json::Value;

const SCHEMA: &str = include_str!("record.schema.json");

/// As much of JSON Schema as ours uses.
fn check(schema: &Value, rules: &Value, value: &Value, place: &str) {
    if let Some(name) = rules["$ref"].as_str() {
        let name = name.trim_start_matches("#/$defs/");
        return check(schema, &schema["$defs"][name], value, place);
    }
    if let Some(only) = rules.get("const") {
        assert_eq!(value, only, "{place}");
    }
    if let Some(allowed) = rules["enum"].as_array() {
        assert!(allowed.contains(value), "{place}: {value}");
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(it) if it.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_meant = |it: &Value| it == kind || it == "number" && kind == "integer";
    assert!(
        match &rules["type"] {
            Value::Null => true,
            Value::Array(kinds) => kinds.iter().any(is_meant),
            one => is_meant(one),
        },
        "{place} is of type {kind}"
    );
    if let Some(least) = rules["minimum"].as_f64() {
        assert!(value.as_f64().is_none_or(|it| it >= least), "{place}");
    }
    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
        check(schema, &rules["items"], item, &format!("{place}/{i}"));
    }
    let Some(fields) = value.as_object() else {
        return;
    };
    for name in rules["required"].as_array().into_iter().flatten() {
        let name = name.as_str().expect("a name");
        assert!(fields.contains_key(name), "{place} has no {name}");
    }
    for (name, field) in fields {
        let place = format!("{place}/{name}");
        let rules = match rules["properties"].get(name) {
            Some(rules) => rules,
            None => &rules["additionalProperties"],
        };
        check(schema, rules, field, &place);
    }
}

#[test]
fn samples_are_what_the_schema_says() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("it is JSON");
    for text in [super::MUTANTS, super::RUN, super::STATES] {
        let record: Value = serde_json::from_str(text).expect("it is JSON");
        let kind = record["kind"].as_str().expect("it says what it is");
        check(&schema, &schema["$defs"][kind], &record, kind);
    }
}
