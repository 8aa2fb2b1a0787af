//! What the user does not want to be offered again: tests, and removals of tests. It stands in a small
//! file beside the suite, so that it is known wherever the suite is.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::news::canonical;

/// The file's name.
const NAME: &str = "testsmith_refused.txt";
/// What the file says of itself.
const HEAD: &str =
    "# What `cargo testsmith review` is not to offer again. Remove a line to be asked again.\n";

/// What is not offered again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refused {
    pub(crate) path: PathBuf,
    /// The file as it is, if it is there.
    text: Option<String>,
    known: BTreeSet<u64>,
    added: Vec<String>,
}

/// What can be refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Offer {
    /// That a test is in the suite.
    Test,
    /// That a test is taken out.
    Removal,
}

impl Offer {
    fn word(self) -> &'static str {
        match self {
            Offer::Test => "test",
            Offer::Removal => "removal",
        }
    }

    fn digest(self, text: &str) -> u64 {
        let text = format!("{} {}", self.word(), canonical(text));
        testsmith_protocol::digest(text.as_bytes())
    }
}

impl Refused {
    /// Reads the file in the directory of a suite.
    pub(crate) fn read(dir: &Path) -> io::Result<Refused> {
        let path = dir.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let lines = text.iter().flat_map(|it| it.lines());
        let words = lines.filter_map(|line| line.split_whitespace().next());
        let known = words.filter_map(|word| u64::from_str_radix(word, 16).ok());
        Ok(Refused {
            known: known.collect(),
            added: Vec::new(),
            text,
            path,
        })
    }

    /// Was this refused?
    pub(crate) fn has(&self, offer: Offer, text: &str) -> bool {
        self.known.contains(&offer.digest(text))
    }

    /// Refuses something about a test with this name and text.
    pub(crate) fn add(&mut self, offer: Offer, name: &str, text: &str) {
        let digest = offer.digest(text);
        if self.known.insert(digest) {
            self.added
                .push(format!("{digest:016x} {} {name}\n", offer.word()));
        }
    }

    /// The file's new text, if something was added.
    pub(crate) fn new_text(&self) -> Option<String> {
        let old = self.text.as_deref().unwrap_or(HEAD);
        (!self.added.is_empty()).then(|| format!("{old}{}", self.added.concat()))
    }

    /// The file's text when it was read.
    pub(crate) fn old_text(&self) -> Option<&str> {
        self.text.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_known_by_its_contents() {
        let mut refused = Refused::default();
        refused.add(Offer::Test, "a", "#[test]\nfn a() {\n    f(1);\n}");
        assert!(refused.has(Offer::Test, "#[test]\nfn b() { f(1); }"));
        assert!(!refused.has(Offer::Removal, "#[test]\nfn a() { f(1); }"));
        let text = refused.new_text().expect("something was added");
        assert!(
            text.starts_with(HEAD) && text.ends_with(" test a\n"),
            "{text}"
        );
    }
}
