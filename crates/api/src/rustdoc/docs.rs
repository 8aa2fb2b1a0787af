//! What a documentation comment says that matters for testing: sections, examples, and what is asked
//! of callers.
//!
//! Only as much Markdown as rustdoc's conventions need: ATX headings and fenced code.

use std::sync::Arc;

use crate::callable::Docs;
use crate::polarity::{Polarity, polarity, sentences};

/// Read the text of a documentation comment; the other fields of [`Docs`] stay empty.
pub(super) fn parse(text: &str) -> Docs {
    let mut docs = Docs {
        is_there: !text.trim().is_empty(),
        ..Docs::default()
    };
    let mut section: Option<(Section, Vec<&str>)> = None;
    let mut fence: Option<Fence> = None;
    let mut examples = Vec::new();
    let mut prose = String::new();
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
            prose.push_str(PARAGRAPH);
            continue;
        }
        if let Some((_, lines)) = &mut section {
            lines.push(line);
        }
        let line = line.trim();
        if line.is_empty() || line.starts_with(['-', '*', '|']) {
            prose.push_str(PARAGRAPH);
        }
        prose.push_str(line);
        prose.push(' ');
    }
    let mut warning = None;
    for sentence in sentences(&prose) {
        match polarity(sentence) {
            Some(Polarity::Panics) => {
                if docs.warns.is_none() && has_word(sentence, &OTHERS) {
                    docs.warns = Some(sentence.into());
                }
                warning = warning.or(Some(sentence));
            }
            Some(Polarity::DoesNot) if docs.denies.is_none() => {
                docs.denies = Some(sentence.into());
            }
            _ => {}
        }
        if has_word(sentence, &DUTIES) {
            docs.asks.push(sentence.into());
        }
        let is_same = has_word(sentence, &["same"]) && has_word(sentence, &["instance"]);
        if docs.trusts.is_none() && (is_same || has_word(sentence, &TRUST)) {
            docs.trusts = Some(sentence.into());
        }
    }
    close(&mut docs, section);
    if docs.panics.is_none() {
        docs.panics = warning.map(Arc::from);
    }
    docs.examples = examples;
    docs
}

/// What stands between paragraphs.
const PARAGRAPH: &str = "\n\n";
/// Words of what must be.
const DUTIES: [&str; 12] = [
    "must",
    "should",
    "shall",
    "has to",
    "have to",
    "needs to",
    "need to",
    "expected to",
    "assumes",
    // What is got somewhere else is no number that anybody makes up.
    "can be obtained",
    "obtained by",
    "obtained from",
];
/// Words of who relies on callers, whatever they were told.
const TRUST: [&str; 11] = [
    "only call this",
    "only be called",
    "only use this",
    "only be used",
    "came from",
    "internal-only",
    "internal use",
    "internal usage",
    "not part of the public",
    "not part of the stable",
    "without checking",
];
/// Whoever is called later.
const OTHERS: [&str; 4] = ["methods", "functions", "operations", "operators"];

/// Is one of these among its words?
fn has_word(sentence: &str, words: &[&str]) -> bool {
    let sentence = sentence.to_ascii_lowercase();
    let is_in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    words.iter().any(|word| {
        sentence.match_indices(word).any(|(at, _)| {
            let after = sentence[at + word.len()..].chars().next();
            !is_in_word(sentence[..at].chars().next_back()) && !is_in_word(after)
        })
    })
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

    #[test]
    fn who_says_that_it_does_not_panic_announces_nothing() {
        let docs = parse(
            "Makes one. If there are too many, this returns `Err` rather than\nraising a panic.\n\n\
             Unlike `new`, it never panics.",
        );
        assert_eq!((docs.panics, docs.warns), (None, None));
        assert!(
            docs.denies
                .is_some_and(|it| it.ends_with("raising a panic."))
        );
        let docs = parse("Cuts. It returns\n`None`, but panics if `at`\nis 0. Never else.");
        let said = "It returns `None`, but panics if `at` is 0.";
        assert_eq!(docs.panics.as_deref(), Some(said));
    }

    #[test]
    fn what_is_asked_of_callers_is_told_by_the_sentence() {
        let docs = parse(
            "Cuts. The `offset` must be\non a boundary. It mustard.\n\n- Several methods will panic if it is 0.\n\
             ```\nlet must = 1;\n```",
        );
        assert_eq!(
            docs.asks,
            ["The `offset` must be on a boundary.".into()] as [Arc<str>; 1]
        );
        assert_eq!(
            docs.warns.as_deref(),
            Some("- Several methods will panic if it is 0.")
        );
    }

    #[test]
    fn who_trusts_its_callers_says_so() {
        let trusts = |text: &str| parse(text).trusts.is_some();
        assert!(trusts("Creates one without checking it. Fast."));
        assert!(trusts("Only call this if the text is known to be valid."));
        assert!(trusts("The \"max\" component is internal-only."));
        assert!(trusts(
            "To be used with positions from the same `Parser` instance."
        ));
        assert!(!trusts("Checks that it is the same, and only that."));
    }
}
