//! What a documentation comment says that matters for testing: sections and examples.
//!
//! Only as much Markdown as rustdoc's conventions need: ATX headings and fenced code.

use std::sync::Arc;

use crate::callable::Docs;

/// Read the text of a documentation comment; the other fields of [`Docs`] stay empty.
pub(super) fn parse(text: &str) -> Docs {
    let mut docs = Docs::default();
    let mut section: Option<(Section, Vec<&str>)> = None;
    let mut fence: Option<Fence> = None;
    let mut examples = Vec::new();
    let mut warning = None;
    for line in text.lines() {
        if let Some(open) = &mut fence {
            if open.is_closed_by(line) {
                let Fence { lines, runs, .. } = fence.take().expect("just matched");
                if runs {
                    examples.push(Arc::from(lines.join("\n")));
                }
            } else {
                open.lines.push(shown_as_run(line));
            }
            continue;
        }
        if let Some(open) = Fence::open(line) {
            fence = Some(open);
            continue;
        }
        if let Some(heading) = heading(line) {
            close(&mut docs, section.take());
            section = Section::of(heading).map(|kind| (kind, Vec::new()));
        } else if let Some((_, lines)) = &mut section {
            lines.push(line);
        }
        if warning.is_none() && announces_panic(line) {
            warning = Some(line.trim());
        }
    }
    close(&mut docs, section);
    if docs.panics.is_none() {
        docs.panics = warning.map(Arc::from);
    }
    docs.examples = examples;
    docs
}

enum Section {
    Panics,
    Safety,
}

impl Section {
    fn of(heading: &str) -> Option<Section> {
        match heading.trim_end_matches(':').to_ascii_lowercase().as_str() {
            "panics" | "panic" => Some(Section::Panics),
            "safety" => Some(Section::Safety),
            _ => None,
        }
    }
}

fn close(docs: &mut Docs, section: Option<(Section, Vec<&str>)>) {
    let Some((kind, lines)) = section else { return };
    let text = Some(Arc::from(lines.join("\n").trim()));
    match kind {
        Section::Panics => docs.panics = text,
        Section::Safety => docs.safety = text,
    }
}

/// Does the line say that something panics? Not if it says that something does not.
fn announces_panic(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let denials = [
        "not panic",
        "n't panic",
        "never panic",
        "no panic",
        "without panic",
        "avoid panic",
        "instead of panic",
        "rather than panic",
        "non-panicking",
        "not cause a panic",
    ];
    line.contains("panic") && !denials.iter().any(|denial| line.contains(denial))
}

fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    let text = line.trim_start_matches('#');
    (text.len() < line.len() && (text.is_empty() || text.starts_with(' ')))
        .then(|| text.trim_end_matches('#').trim())
}

/// rustdoc hides lines that begin with `# ` and compiles them without it.
fn shown_as_run(line: &str) -> String {
    let code = line.trim_start();
    let indent = &line[..line.len() - code.len()];
    match code.strip_prefix("# ") {
        Some(rest) => format!("{indent}{rest}"),
        None if code == "#" => String::new(),
        None if code.starts_with("##") => format!("{indent}{}", &code[1..]),
        None => line.to_owned(),
    }
}

struct Fence {
    mark: char,
    len: usize,
    runs: bool,
    lines: Vec<String>,
}

impl Fence {
    fn open(line: &str) -> Option<Fence> {
        let line = line.trim_start();
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = line.trim_start_matches(mark);
        let len = line.len() - info.len();
        (len >= 3 && !info.contains('`')).then(|| Fence {
            mark,
            len,
            runs: is_run(info),
            lines: Vec::new(),
        })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.len && line.chars().all(|c| c == self.mark)
    }
}

/// Does rustdoc run a block with this info string?
fn is_run(info: &str) -> bool {
    info.split([',', ' ', '\t', '{', '}'])
        .filter(|word| !word.is_empty())
        .all(|word| {
            matches!(
                word,
                "rust" | "should_panic" | "test_harness" | "standalone_crate"
            ) || word.starts_with("edition")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_end_at_the_next_heading_and_only_run_blocks_count() {
        let docs = parse(
            "Adds.\n\n# Panics\n\nOn *overflow*.\n\n# Examples\n\n```\n# use a::b;\nb();\n```\n\
             ```text\nno\n```\n```rust,ignore\nno\n```\n```should_panic\npanic!()\n```\n## Safety\nNone.",
        );
        assert_eq!(docs.panics.as_deref(), Some("On *overflow*."));
        assert_eq!(docs.safety.as_deref(), Some("None."));
        assert_eq!(
            docs.examples,
            ["use a::b;\nb();".into(), "panic!()".into()] as [Arc<str>; 2]
        );
    }
}
