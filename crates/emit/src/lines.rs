//! Finds where tests and assertions stand in the text after formatting.
//!
//! Every string literal is printed on one line, so lines can be read without a parser.

/// The first and last line of a test, and the lines of its assertions; all 1-based.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lines {
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) assertions: Vec<u32>,
}

/// Find each test by its function's name.
pub(crate) fn locate<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Vec<Lines> {
    let lines: Vec<&str> = text.lines().collect();
    let mut from = 0;
    names
        .map(|name| {
            let head = format!("fn {name}()");
            let at = (from..lines.len())
                .find(|idx| lines[*idx].starts_with(&head))
                .unwrap_or(from);
            let first = (0..at)
                .rev()
                .take_while(|idx| lines[*idx].starts_with("#[") || lines[*idx].starts_with("//"))
                .last()
                .unwrap_or(at);
            let last = (at..lines.len())
                .find(|idx| lines[*idx].trim_end() == "}")
                .unwrap_or(lines.len().saturating_sub(1));
            let assertions = (at..=last.min(lines.len().saturating_sub(1)))
                .filter(|idx| is_assertion(lines[*idx]))
                .map(|idx| idx as u32 + 1)
                .collect();
            from = last;
            Lines {
                first: first as u32 + 1,
                last: last as u32 + 1,
                assertions,
            }
        })
        .collect()
}

fn is_assertion(line: &str) -> bool {
    let line = line.trim_start();
    ["assert!(", "assert_eq!(", "assert_ne!("]
        .iter()
        .any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_with_their_attributes_and_assertions() {
        let text = "use a::b;\n\n#[test]\nfn one() {\n    let x = b();\n    assert_eq!(\n        x,\n        5\n    );\n}\n\n// why\n#[test]\n#[ignore]\nfn two() {\n    assert!(b());\n}\n";
        let found = locate(text, ["one", "two"].into_iter());
        assert_eq!(
            found,
            [
                Lines {
                    first: 3,
                    last: 10,
                    assertions: vec![6]
                },
                Lines {
                    first: 12,
                    last: 17,
                    assertions: vec![16]
                }
            ]
        );
    }
}
