//! Takes tests out of their files: comments them out where people wrote them, and removes them
//! where testsmith did.

use std::ops::Range;

/// Why a test cannot be taken out of its file.
pub(crate) const SHARES_LINE: &str = "something else stands on its lines";

/// Do these lines hold nothing but the item in `range`?
pub(crate) fn has_lines_of_its_own(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].rsplit('\n').next().unwrap_or_default();
    let after = text[range.end..].split('\n').next().unwrap_or_default();
    before.trim().is_empty() && after.trim().is_empty()
}

/// The text with these parts commented out, each below a line that says why. Everything else stays
/// as it is, byte for byte.
pub(crate) fn commented_out(text: &str, parts: &[(Range<usize>, String)]) -> String {
    let mut parts: Vec<&(Range<usize>, String)> = parts.iter().collect();
    parts.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut out = text.to_owned();
    for (range, why) in parts {
        let start = text[..range.start].rfind('\n').map_or(0, |i| i + 1);
        let indent = &text[start..range.start];
        let end_of_line = match text[start..].split('\n').next() {
            Some(line) if line.ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let mut commented = format!("{indent}// {why}{end_of_line}");
        let lines = text[start..range.end].split('\n');
        let lines = lines.map(|line| {
            let (indent, rest) = match line.strip_prefix(indent) {
                Some(rest) => (indent, rest),
                None => ("", line),
            };
            match rest.trim().is_empty() {
                true => format!("{indent}//{rest}"),
                false => format!("{indent}// {rest}"),
            }
        });
        commented.push_str(&lines.collect::<Vec<_>>().join("\n"));
        out.replace_range(start..range.end, &commented);
    }
    out
}

/// The text without these parts and the empty lines after them.
pub(crate) fn removed(text: &str, parts: &[Range<usize>]) -> String {
    let mut parts: Vec<&Range<usize>> = parts.iter().collect();
    parts.sort_by_key(|range| std::cmp::Reverse(range.start));
    let mut out = text.to_owned();
    for range in parts {
        let start = out[..range.start].rfind('\n').map_or(0, |i| i + 1);
        let rest = &out[range.end..];
        let n_blank = rest.len() - rest.trim_start_matches(['\n', '\r', ' ']).len();
        // The indentation of the text that follows stays.
        let end = match rest[..n_blank].rfind('\n') {
            Some(i) => range.end + i + 1,
            None => range.end,
        };
        out.replace_range(start..end, "");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "use a::b;\n\nmod tests {\n    /// Doc.\n    #[test]\n    fn t() {\n        let s = \"\nx\";\n\n        f(s);\n    }\n\n    #[test]\n    fn u() {}\n}\n";

    fn range(of: &str, text: &str) -> Range<usize> {
        let start = text.find(of).expect("it is there");
        let end = start + text[start..].find("\n    }").expect("its end") + 6;
        start..end
    }

    #[test]
    fn every_line_is_commented_out_and_nothing_else_changes() {
        let part = range("/// Doc.", TEXT);
        assert!(has_lines_of_its_own(TEXT, &part));
        let text = commented_out(TEXT, &[(part, "testsmith: redundant".to_owned())]);
        assert_eq!(
            text,
            "use a::b;\n\nmod tests {\n    // testsmith: redundant\n    // /// Doc.\n    // #[test]\n    // fn t() {\n    //     let s = \"\n// x\";\n//\n    //     f(s);\n    // }\n\n    #[test]\n    fn u() {}\n}\n"
        );
        assert!(syn::parse_file(&text).is_ok());
    }

    #[test]
    fn line_ends_stay_as_they_are() {
        let text = TEXT.replace('\n', "\r\n");
        let start = text.find("#[test]\r\n    fn u").expect("it is there");
        let end = text.find("fn u() {}").expect("it is there") + 9;
        let text = commented_out(&text, &[(start..end, "why".to_owned())]);
        assert!(text.contains("    // why\r\n    // #[test]\r\n    // fn u() {}\r\n}"));
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    }

    #[test]
    fn what_is_ours_goes_with_the_empty_line_behind_it() {
        let text = removed(TEXT, &[range("/// Doc.", TEXT)]);
        assert_eq!(
            text,
            "use a::b;\n\nmod tests {\n    #[test]\n    fn u() {}\n}\n"
        );
    }

    #[test]
    fn what_shares_its_lines_is_seen() {
        let text = "mod m { #[test] fn t() {} }";
        assert!(!has_lines_of_its_own(text, &(8..25)));
    }
}
