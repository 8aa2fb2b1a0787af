//! `docs/record.schema.json` and the types say the same: the same fields, and the same words.

mod filled;

use std::collections::BTreeSet;

use serde_json::Value;
use testsmith_record::{
    ApiKind, BranchKind, CallableStatus, ChangeKind, FailureKind, FailureLevel, FailureVerdict,
    FileStatus, HuntEnd, Noticed, Notion, OwnTestStatus, RecordKind, RefusedFor, Status, Stop,
    SuiteKind, TestKind, Timed, Touched,
};

const TEXT: &str = include_str!("record.schema.json");

/// The schema, and which of its fields were met.
struct Check {
    schema: Value,
    met: BTreeSet<String>,
}

impl Check {
    fn new() -> Check {
        Check {
            schema: serde_json::from_str(TEXT).expect("the schema is JSON"),
            met: BTreeSet::new(),
        }
    }

    fn rules(&self, place: &str) -> &Value {
        let rules = self.schema.pointer(place);
        rules.unwrap_or_else(|| panic!("the schema has no {place}"))
    }

    /// Where the rules really stand.
    fn resolved(&self, place: String) -> String {
        let rules = self.rules(&place);
        match rules["$ref"].as_str() {
            Some(name) => name.trim_start_matches('#').to_owned(),
            None if rules["anyOf"].is_array() => self.resolved(format!("{place}/anyOf/0")),
            None => place,
        }
    }

    /// The value is what the rules in this place say, has no field that they have not, and nothing in it
    /// is empty.
    fn agree(&mut self, place: String, value: &Value) {
        let place = self.resolved(place);
        let rules = self.rules(&place);
        if let Some(only) = rules.get("const") {
            assert_eq!(value, only, "{place}");
            return;
        }
        let kind = match value {
            Value::Null => panic!("{place} is not filled"),
            Value::Bool(_) => "boolean",
            Value::Number(it) if it.is_u64() => "integer",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let is_meant = match &rules["type"] {
            Value::Array(kinds) => kinds.iter().any(|it| it == kind),
            one => one == kind,
        };
        assert!(is_meant, "{place} is {kind}");
        if let Some(words) = rules["enum"].as_array() {
            assert!(words.contains(value), "{place}: {value}");
        }
        match value {
            Value::Array(items) => {
                assert!(!items.is_empty(), "{place} is not filled");
                for item in items {
                    self.agree(format!("{place}/items"), item);
                }
            }
            Value::Object(entries) => {
                assert!(!entries.is_empty(), "{place} is not filled");
                for (name, field) in entries {
                    self.field(&place, name, field);
                }
            }
            _ => {}
        }
    }

    fn field(&mut self, place: &str, name: &str, value: &Value) {
        let of_all = format!("{place}/additionalProperties");
        let own = format!("{place}/properties/{name}");
        let is_any = self.schema.pointer(&of_all).is_some();
        self.agree(if is_any { of_all } else { own.clone() }, value);
        self.met.insert(own);
    }
}

/// The places of all fields below one.
fn fields(rules: &Value, place: &str, found: &mut Vec<String>) {
    for (name, inner) in rules.as_object().into_iter().flatten() {
        let place = format!("{place}/{name}");
        if name == "properties" {
            let names = inner.as_object().into_iter().flatten();
            found.extend(names.map(|(name, _)| format!("{place}/{name}")));
        }
        fields(inner, &place, found);
    }
}

#[test]
fn the_schema_has_the_fields_of_the_records_and_no_others() {
    let mut check = Check::new();
    for (kind, record) in filled::all() {
        check.agree(format!("/$defs/{kind}"), &record);
    }
    let mut known = Vec::new();
    fields(&check.schema, "", &mut known);
    for place in known {
        assert!(check.met.contains(&place), "no record has {place}");
    }
}

/// All lists of words below some rules.
fn lists<'s>(rules: &'s Value, found: &mut BTreeSet<BTreeSet<&'s str>>) {
    match rules {
        Value::Object(entries) => {
            if let Some(words) = rules["enum"].as_array() {
                found.insert(words.iter().filter_map(Value::as_str).collect());
            }
            entries.values().for_each(|it| lists(it, found));
        }
        Value::Array(items) => items.iter().for_each(|it| lists(it, found)),
        _ => {}
    }
}

#[test]
fn the_schema_has_the_words_of_the_records_and_no_others() {
    macro_rules! words {
        ($($name:ident)*) => {
            [$( $name::ALL.iter().map(|it| it.name()).collect(), )*]
        };
    }
    let mut of_types: [BTreeSet<&str>; 19] = words![
        ApiKind BranchKind CallableStatus ChangeKind FailureKind FailureLevel FailureVerdict FileStatus HuntEnd Noticed
        Notion OwnTestStatus RefusedFor Status Stop SuiteKind TestKind Timed Touched
    ];
    for words in &mut of_types {
        // Only what is read can say that nobody knows.
        words.remove("unknown");
    }
    let check = Check::new();
    let mut of_schema = BTreeSet::new();
    lists(&check.schema, &mut of_schema);
    assert_eq!(of_schema, BTreeSet::from(of_types));
    for kind in RecordKind::ALL {
        if *kind != RecordKind::Unknown {
            let place = format!("/$defs/{kind}/properties/kind");
            assert_eq!(check.rules(&place)["const"], kind.name());
        }
    }
}
