//! Text of the crate under test as it may be shown: on a terminal, in a comment, on a page, in an
//! annotation.
//!
//! Messages, names and sources of a crate may say anything. A terminal obeys what follows an escape, a
//! carriage return hides what stands before it, and characters that change the direction of text show
//! another order than the one that is there. All of them are shown as Rust writes them. Records have the
//! text as it is.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

/// The text with everything written out that would do something other than stand there. Line breaks and
/// tabs stay.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        let _ = match c {
            '\0' => write!(out, "\\0"),
            '\r' => write!(out, "\\r"),
            c if acts(c) => write!(out, "\\u{{{:x}}}", u32::from(c)),
            c => write!(out, "{c}"),
        };
    }
    Cow::Owned(out)
}

/// The same for all texts in a value, names of fields included.
pub fn shown_within(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(shown(&text).into_owned()),
        Value::Array(values) => values.into_iter().map(shown_within).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (shown(&name).into_owned(), shown_within(value)))
            .collect(),
        other => other,
    }
}

/// Does the character do something to those around it, or to whoever shows it?
fn acts(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Direction: marks, embeddings, overrides and isolates; then separators of lines and paragraphs.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        '\u{2028}' | '\u{2029}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_act_is_written_out() {
        let text = "a\x1b[2Jb\rc\0d\u{202e}e\u{9b}f\u{2028}g\tz\n\u{e9}\u{5d0}";
        let expected = "a\\u{1b}[2Jb\\rc\\0d\\u{202e}e\\u{9b}f\\u{2028}g\tz\n\u{e9}\u{5d0}";
        assert_eq!(shown(text), expected);
        assert!(matches!(shown("plain\n"), Cow::Borrowed(_)));
        assert_eq!(shown(&shown(text)), expected, "once is enough");
    }

    #[test]
    fn all_texts_of_a_value_are_shown() {
        let value = serde_json::json!({ "a\r": ["\x1b", { "b": "\0" }], "n": 1 });
        let expected = serde_json::json!({ "a\\r": ["\\u{1b}", { "b": "\\0" }], "n": 1 });
        assert_eq!(shown_within(value), expected);
    }
}
