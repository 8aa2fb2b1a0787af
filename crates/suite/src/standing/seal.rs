//! The last lines of a written file: digests of what testsmith wrote, so that it is known which tests
//! somebody edited since. White space and commas do not count: whoever runs rustfmt edits nothing.
//!
//! **A digest a test, not one a file.** With one digest, a comment of the user's made the whole file
//! theirs, and the next suite stood beside it in a second file. Digests that fit nothing any more do
//! no harm, so tests can be taken out of a file without touching its seal.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::mark::is_untouched;

/// The beginning of a line with digests.
const WROTE: &str = "// testsmith: wrote ";
/// The beginning of a line that says which run added tests.
const RUN: &str = "// testsmith: run with ";
/// Digests in a line.
const PER_LINE: usize = 9;

/// What testsmith wrote in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Seal {
    /// Was all of the file written at once, and is it as it was written? Files of earlier versions
    /// say no more than that.
    pub(crate) is_whole: bool,
    digests: BTreeSet<u32>,
    /// The runs that added tests, as [`sealed`] was told.
    pub(crate) runs: BTreeSet<String>,
}

impl Seal {
    /// Reads the seal at the end of a file. A file without one was written by a person.
    pub(crate) fn of(text: &str) -> Seal {
        let lines = || text.lines().map(str::trim_end);
        let words = lines().filter_map(|line| line.strip_prefix(WROTE));
        let digests = words.flat_map(str::split_whitespace);
        let runs = lines().filter_map(|line| line.strip_prefix(RUN));
        Seal {
            is_whole: is_untouched(text),
            digests: digests
                .filter_map(|word| u32::from_str_radix(word, 16).ok())
                .collect(),
            runs: runs.map(str::to_owned).collect(),
        }
    }

    /// Was this piece of the file written by testsmith, and not edited since?
    pub(crate) fn has(&self, piece: &str) -> bool {
        self.is_whole || self.digests.contains(&digest(piece))
    }
}

/// The text with the digests of these pieces at its end, behind those that are there already: lines
/// that stay as they are need no second look in a review. `run` is named if it is not yet.
pub(crate) fn sealed(text: &str, pieces: &[&str], run: Option<&str>) -> String {
    let known = Seal::of(text);
    let digests: BTreeSet<u32> = pieces.iter().map(|piece| digest(piece)).collect();
    let words = digests.difference(&known.digests);
    let words: Vec<String> = words.map(|it| format!("{it:08x}")).collect();
    let mut lines: String = words
        .chunks(PER_LINE)
        .map(|words| format!("{WROTE}{}\n", words.join(" ")))
        .collect();
    if let Some(run) = run.filter(|it| !known.runs.contains(*it)) {
        lines.push_str(&format!("{RUN}{run}\n"));
    }
    if lines.is_empty() {
        return text.to_owned();
    }
    // The digest of a whole file does not fit the file any more.
    let own = text.split_inclusive('\n').rev();
    let n_marks = own.take_while(|line| is_mark(line)).count();
    let kept: Vec<&str> = text.split_inclusive('\n').collect();
    let (body, marks) = kept.split_at(kept.len() - n_marks);
    let mut sealed = body.concat().trim_end().to_owned();
    let has_crlf = text.contains("\r\n");
    let eol = if has_crlf { "\r\n" } else { "\n" };
    sealed.push_str(&eol.repeat(2));
    let staying = marks
        .iter()
        .filter(|line| line.starts_with("// testsmith: "));
    let staying = staying.filter(|line| !line.starts_with(crate::mark::MARK));
    sealed.extend(staying.copied());
    sealed.push_str(&lines.replace('\n', eol));
    sealed
}

/// The bytes of the seal at the end of a text, with the empty lines before it.
pub(crate) fn place(text: &str) -> Range<usize> {
    let lines = text.split_inclusive('\n').rev();
    let marks = lines.take_while(|line| is_mark(line));
    let n_bytes: usize = marks.map(str::len).sum();
    text.len() - n_bytes..text.len()
}

/// Is it a line of the seal, or an empty one?
fn is_mark(line: &str) -> bool {
    let marks = [WROTE, RUN, crate::mark::MARK];
    line.trim().is_empty() || marks.iter().any(|mark| line.starts_with(mark))
}

fn digest(piece: &str) -> u32 {
    let letters = piece.chars().filter(|it| !it.is_whitespace() && *it != ',');
    testsmith_protocol::digest(letters.collect::<String>().as_bytes()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rustfmt_changes_is_no_edit() {
        let text = sealed(
            "fn a() { f(1, 2); }\n",
            &["fn a() {\n    f(1, 2);\n}"],
            None,
        );
        let read = Seal::of(&text);
        assert!(read.has("fn a() {\n    f(\n        1,\n        2,\n    );\n}"));
        assert!(!read.has("fn a() { f(1, 3); }"));
    }

    #[test]
    fn a_seal_grows_by_lines_and_the_others_stay() {
        let one = sealed("fn a() {}\n", &["fn a() {}"], Some("seed 0"));
        let two = sealed(&one, &["fn a() {}", "fn b() {}"], Some("seed 0"));
        assert!(two.starts_with(&one), "{two}");
        assert_eq!(two.lines().count(), one.lines().count() + 1);
        assert_eq!(sealed(&two, &["fn b() {}"], None), two);
    }

    #[test]
    fn a_seal_of_an_earlier_version_is_replaced() {
        let old = format!("fn a() {{}}\r\n\r\n{}0\r\n", crate::mark::MARK);
        let new = sealed(&old, &["fn a() {}"], None);
        assert!(!new.contains("digest"), "{new}");
        assert_eq!(new.matches('\n').count(), new.matches("\r\n").count());
        assert!(Seal::of(&new).has("fn a() {}"));
    }

    #[test]
    fn a_seal_ends_the_file() {
        let text = "fn a() {}\n\n// testsmith: wrote 00000001\n// testsmith: wrote 00000002\n";
        assert_eq!(&text[..place(text).start], "fn a() {}\n");
        assert_eq!(place("fn a() {}"), 9..9);
    }
}
