//! The last lines of a written file: digests of what testsmith wrote, so that it is known which tests
//! somebody edited since. White space and commas do not count: whoever runs rustfmt edits nothing.
//!
//! **A digest a test, not one a file.** With one digest, a comment of the user's made the whole file
//! theirs, and the next suite stood beside it in a second file. Digests that fit nothing any more do
//! no harm, so tests can be taken out of a file without touching its seal.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::write::is_untouched;

/// The beginning of a line of the seal.
const MARK: &str = "// testsmith: wrote ";
/// Digests in a line.
const PER_LINE: usize = 9;

/// What testsmith wrote in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Seal {
    /// Was all of the file written at once, and is it as it was written? Files of earlier versions
    /// say no more than that.
    is_whole: bool,
    digests: BTreeSet<u32>,
}

impl Seal {
    /// Reads the seal at the end of a file. A file without one was written by a person.
    pub(crate) fn of(text: &str) -> Seal {
        let words = text.lines().filter_map(|line| line.strip_prefix(MARK));
        let digests = words.flat_map(str::split_whitespace);
        Seal {
            is_whole: is_untouched(text),
            digests: digests
                .filter_map(|word| u32::from_str_radix(word, 16).ok())
                .collect(),
        }
    }

    /// Was this piece of the file written by testsmith, and not edited since?
    pub(crate) fn has(&self, piece: &str) -> bool {
        self.is_whole || self.digests.contains(&digest(piece))
    }

    /// Adds a piece that testsmith writes.
    pub(crate) fn add(&mut self, piece: &str) {
        self.digests.insert(digest(piece));
    }

    /// The lines of the seal for a file with these pieces. Of what the seal knew before, only that is
    /// kept which is still in the file.
    pub(crate) fn lines<'p>(&self, pieces: impl Iterator<Item = &'p str>) -> String {
        let kept = pieces.filter(|piece| self.has(piece)).map(digest);
        let kept: BTreeSet<u32> = kept.collect();
        let words: Vec<String> = kept.iter().map(|it| format!("{it:08x}")).collect();
        let lines = words.chunks(PER_LINE).map(|words| words.join(" "));
        lines.map(|words| format!("{MARK}{words}\n")).collect()
    }
}

/// The bytes of the seal at the end of a text, with the empty lines before it.
pub(crate) fn place(text: &str) -> Range<usize> {
    let is_seal = |line: &str| {
        line.trim().is_empty() || line.starts_with(MARK) || line.starts_with(crate::write::MARK)
    };
    let mut start = text.len();
    for line in text.split_inclusive('\n').rev() {
        if !is_seal(line) {
            break;
        }
        start -= line.len();
    }
    start..text.len()
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
        let mut seal = Seal::default();
        seal.add("fn a() {\n    f(1, 2);\n}");
        let text = format!("{}\n", seal.lines(["fn a() { f(1, 2); }"].into_iter()));
        let read = Seal::of(&text);
        assert!(read.has("fn a() {\n    f(\n        1,\n        2,\n    );\n}"));
        assert!(!read.has("fn a() { f(1, 3); }"));
    }

    #[test]
    fn a_seal_forgets_what_is_not_there_any_more() {
        let mut seal = Seal::default();
        seal.add("fn a() {}");
        seal.add("fn b() {}");
        let read = Seal::of(&seal.lines(["fn b() {}"].into_iter()));
        assert!(!read.has("fn a() {}"));
        assert!(read.has("fn b() {}"));
    }

    #[test]
    fn a_seal_ends_the_file() {
        let text = "fn a() {}\n\n// testsmith: wrote 00000001\n// testsmith: wrote 00000002\n";
        assert_eq!(&text[..place(text).start], "fn a() {}\n");
        assert_eq!(place("fn a() {}"), 9..9);
    }
}
