//! Names that are keywords, by edition, and how they are written all the same.
//!
//! The model has names without `r#`, as rustdoc writes them. Whoever prints code asks here.

use std::borrow::Cow;

/// The edition with the most keywords. Its raw names can be read in every other.
pub const NEWEST_EDITION: u16 = 2024;

const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "become", "box", "break", "const", "continue", "crate", "do", "else",
    "enum", "extern", "false", "final", "fn", "for", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];
const SINCE_2018: &[&str] = &["async", "await", "dyn", "try"];
const SINCE_2024: &[&str] = &["gen"];

/// Is the name a keyword in this edition, or reserved to become one?
pub fn is_keyword(name: &str, edition: u16) -> bool {
    KEYWORDS.contains(&name)
        || edition >= 2018 && SINCE_2018.contains(&name)
        || edition >= 2024 && SINCE_2024.contains(&name)
}

/// An item's name as code of this edition must write it.
pub fn identifier(name: &str, edition: u16) -> Cow<'_, str> {
    let has_raw_form = !matches!(name, "self" | "Self" | "super" | "crate");
    match has_raw_form && is_keyword(name, edition) {
        true => format!("r#{name}").into(),
        false => name.into(),
    }
}

/// A path as code of this edition must write it.
pub fn written_path(path: &str, edition: u16) -> String {
    let segments = path.split("::").map(|segment| identifier(segment, edition));
    segments.collect::<Vec<_>>().join("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_raw_where_it_is_a_keyword() {
        let written = |path| [2015, 2018, 2021, 2024].map(|edition| written_path(path, edition));
        assert_eq!(written("a::fn"), ["a::r#fn"; 4]);
        assert_eq!(
            written("try::gen"),
            ["try::gen", "r#try::gen", "r#try::gen", "r#try::r#gen"]
        );
        assert_eq!(written("self::union"), ["self::union"; 4]);
    }
}
