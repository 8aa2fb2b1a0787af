//! Brings JSON of older formats into the shape that the reader knows.
//!
//! Formats from 37 (Rust 1.85) to 57 differ in a handful of places, so one reader and these few changes do
//! where each format would otherwise need a reader of its own. Newer formats up to the newest that is known
//! have only gained fields, which the reader passes over.

use serde_json::{Map, Value, json};

/// Precise captures became objects that tell lifetimes from parameters in this format.
const TAGGED_CAPTURES: u32 = 41;
/// Crates know their target from this format on.
const WITH_TARGET: u32 = 44;
/// Arguments that are not written are null from this format on; they were empty lists before.
const NULL_ARGS: u32 = 51;
/// Attributes are objects and words from this format on; they were text before.
const STRUCTURED_ATTRIBUTES: u32 = 54;
/// `extern crate` knows the file that it was read from.
const EXTERN_PATH: u32 = 57;
/// What names a type is `path` from this format on, and was `name` before.
const PATH_FOR_NAME: u32 = 39;

/// Changes what a rustdoc of the given format wrote into what one of format 57 would have written.
pub(super) fn upgrade(krate: &mut Value, format: u32) {
    if format < WITH_TARGET
        && let Some(krate) = krate.as_object_mut()
    {
        krate.insert(
            "target".to_owned(),
            json!({"triple": "", "target_features": []}),
        );
    }
    if format < EXTERN_PATH
        && let Some(crates) = krate.get_mut("external_crates")
    {
        for of in members(crates) {
            of.insert("path".to_owned(), json!(""));
        }
    }
    if let Some(index) = krate.get_mut("index") {
        for item in members(index) {
            if format < STRUCTURED_ATTRIBUTES {
                structure(item);
            }
            if let Some(inner) = item.get_mut("inner") {
                upgrade_types(inner, format);
            }
        }
    }
}

/// The values of an object that are objects.
fn members(of: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let values = of.as_object_mut().into_iter().flat_map(Map::values_mut);
    values.filter_map(Value::as_object_mut)
}

/// Attributes as text become what later formats have. Of those that are told apart only the ones
/// that the reader looks for.
fn structure(item: &mut Map<String, Value>) {
    let Some(Value::Array(attributes)) = item.get_mut("attrs") else {
        return;
    };
    for attribute in attributes {
        let Some(text) = attribute.as_str() else {
            continue;
        };
        // Some versions print the compiler's own notion: `#[attr = MustUse { .. }]`.
        let word = text.trim_start_matches("#[").trim_start_matches("attr");
        let word = word.trim_start_matches([' ', '=', '"']);
        let is = |names: [&str; 2]| names.iter().any(|name| word.starts_with(name));
        *attribute = if is(["automatically_derived", "AutomaticallyDerived"]) {
            json!("automatically_derived")
        } else if is(["non_exhaustive", "NonExhaustive"]) {
            json!("non_exhaustive")
        } else if is(["must_use", "MustUse"]) {
            json!({"must_use": {"reason": null}})
        } else {
            json!({"other": text})
        };
    }
}

/// Changes all types, paths and bounds below a value.
fn upgrade_types(value: &mut Value, format: u32) {
    match value {
        Value::Array(values) => {
            for value in values {
                upgrade_types(value, format);
            }
        }
        Value::Object(fields) => {
            if format < PATH_FOR_NAME && is_path(fields) {
                let name = fields.remove("name").unwrap_or_default();
                fields.insert("path".to_owned(), name);
            }
            if format < TAGGED_CAPTURES
                && let Some(Value::Array(captures)) = fields.get_mut("use")
            {
                captures.iter_mut().for_each(tag);
            }
            if format < NULL_ARGS
                && let Some(args) = fields.get_mut("args")
                && is_nothing(args)
            {
                *args = Value::Null;
            }
            for value in fields.values_mut() {
                upgrade_types(value, format);
            }
        }
        _ => {}
    }
}

/// Does it name a type or a trait? Other objects with a name have other fields beside it.
fn is_path(fields: &Map<String, Value>) -> bool {
    fields.len() == 3
        && ["name", "id", "args"]
            .iter()
            .all(|it| fields.contains_key(*it))
}

/// A capture that was text.
fn tag(capture: &mut Value) {
    if let Some(name) = capture.as_str() {
        *capture = match name.starts_with('\'') {
            true => json!({"lifetime": name}),
            false => json!({"param": name}),
        };
    }
}

/// Empty angle brackets, which nobody wrote.
fn is_nothing(args: &Value) -> bool {
    let parts = args.get("angle_bracketed").and_then(Value::as_object);
    parts.is_some_and(|parts| {
        let is_empty = |part: &Value| part.as_array().is_some_and(Vec::is_empty);
        parts.values().all(is_empty)
    })
}
