//! Prints the definitions of the stand-ins that a file's tests name. They stand at the file's end.

use std::collections::BTreeSet;

use crate::cx::Cx;
use crate::recipe::shorten;

/// The definitions, each with its documentation. They may name further stand-ins, and may need
/// further imports. `tests` is the text that uses them: methods that nothing calls are left out.
pub(crate) fn definitions(cx: Cx<'_>, tests: &str) -> String {
    let mut written: BTreeSet<String> = BTreeSet::new();
    let mut text = String::new();
    loop {
        let named = cx.imports.stand_ins();
        let Some(name) = named.into_iter().find(|name| !written.contains(name)) else {
            return without_unused(&text, tests);
        };
        let all = &cx.world.catalogue.api.stand_ins;
        if let Some(stand_in) = all.iter().find(|it| *it.name == *name) {
            text.push_str(&format!("\n/// {}", stand_in.about));
            for item in &stand_in.items {
                // The definition is private to the file, so it needs no `pub`.
                let item = item.replace("pub ", "");
                text.push_str(&format!("\n{}\n", shorten(cx, &item)));
            }
        }
        written.insert(name);
    }
}

/// The definitions without the functions of inherent impls that neither they nor the tests call.
/// Whoever wrote the impl does not know which tests there will be.
fn without_unused(definitions: &str, tests: &str) -> String {
    let mut out = String::new();
    let mut inherent: Option<Vec<String>> = None;
    for line in definitions.lines() {
        match &mut inherent {
            None if is_inherent(line) => inherent = Some(vec![format!("{line}\n")]),
            None => out.push_str(&format!("{line}\n")),
            Some(parts) if line == "}" => {
                let used = parts.iter().skip(1).filter(|part| {
                    let name = function(part);
                    name.is_none_or(|name| is_called(name, &[tests, definitions]))
                });
                let used: Vec<&str> = used.map(|part| part.trim_matches('\n')).collect();
                if !used.is_empty() {
                    out.push_str(&format!("{}{}\n}}\n", parts[0], used.join("\n\n")));
                }
                inherent = None;
            }
            Some(parts) => {
                // A blank line within an impl stands between two functions.
                let is_new = line.is_empty() || parts.len() == 1;
                match parts.last_mut().filter(|_| !is_new) {
                    Some(part) => part.push_str(&format!("{line}\n")),
                    None => parts.push(format!("{line}\n")),
                }
            }
        }
    }
    out
}

fn is_inherent(line: &str) -> bool {
    line.starts_with("impl") && line.ends_with('{') && !line.contains(" for ")
}

/// The name of the function that a part of an impl defines.
fn function(part: &str) -> Option<&str> {
    let (_, rest) = part.split_once("fn ")?;
    rest.split(['(', '<']).next()
}

fn is_called(name: &str, texts: &[&str]) -> bool {
    let calls = [".", "::"].map(|sign| format!("{sign}{name}"));
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    texts.iter().any(|text| {
        calls.iter().any(|call| {
            let mut places = text.match_indices(&**call);
            places.any(|(at, _)| !text[at + call.len()..].starts_with(is_part))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_nothing_calls_are_left_out() {
        let definitions = "\n/// Counts.\nstruct Counter(u8);\n\nimpl Counter {\n    fn new() -> Counter {\n        Counter(0)\n    }\n\n    fn alive(&self) -> u8 {\n        self.0\n    }\n}\n\nimpl Drop for Counter {\n    fn drop(&mut self) {}\n}\n";
        let left = without_unused(definitions, "let x = Counter::new(); x.alive_not();");
        assert!(left.contains("fn new()") && !left.contains("fn alive"));
        assert!(left.contains("fn drop"));
        assert_eq!(
            without_unused(definitions, "Counter::new().alive()"),
            definitions
        );
        assert!(!without_unused(definitions, "").contains("impl Counter {"));
    }
}
