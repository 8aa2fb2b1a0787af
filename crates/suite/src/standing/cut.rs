//! Files of ours that end in the middle: the machine stopped, or the disk was full, while an earlier
//! version wrote them in place, or the file system lost their end.
//!
//! Such a file has no digests any more, for these stand at its end. Nobody can tell who wrote its
//! tests, and it would be taken for a person's, or for no Rust. So it is recognised by its head, the
//! missing seal and the missing end, and the suite is written as if its tests were not there. What
//! was left of it is kept elsewhere, for it may have tests that a person edited.

use std::path::{Path, PathBuf};

use super::text::{Edit, StandingFile, edited};
use crate::mark::is_untouched;

/// How many beginnings of a file that is cut off are tried.
const MAX_TRIES: usize = 32;
/// What lines of seals begin with.
const SEAL: &str = "// testsmith: ";
/// The line in the head of a root that says whose it is.
const OURS: &str = "//! Written by testsmith ";

/// A file that ends in the middle.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    pub(crate) path: PathBuf,
    /// What is left of it.
    pub(crate) text: String,
}

/// The text of a file that may end in the middle of a character. `None` if it is no text at all.
pub(crate) fn text_of(bytes: Vec<u8>) -> Option<String> {
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let whole = error.utf8_error();
            let end = whole.error_len().is_none().then(|| whole.valid_up_to())?;
            let mut bytes = error.into_bytes();
            bytes.truncate(end);
            String::from_utf8(bytes).ok()
        }
    }
}

/// Is it a file of ours that ends in the middle? Modules of a suite do not say whose they are: their
/// place does.
pub(crate) fn is_cut(text: &str, is_module: bool) -> bool {
    // A file system that lost the text but not the length gives zeros.
    // So does a file of documentation alone say nothing.
    let said = text.trim_matches(['\0', ' ', '\r', '\n']);
    let is_empty = said.lines().all(|line| line.starts_with("//!"));
    let mut head = text.lines().take_while(|line| line.starts_with("//!"));
    let is_ours = match is_module {
        true => head.next().is_some(),
        false => head.any(|line| line.starts_with(OURS)),
    };
    let is_sealed = is_untouched(text) || text.lines().any(|line| line.starts_with(SEAL));
    let ends = text.ends_with('\n') && syn::parse_file(text).is_ok();
    is_empty || is_ours && !is_sealed && !ends
}

/// The modules that a root still declares: without them their files would be nobody's.
pub(crate) fn declarations(root: &'static str, path: &Path, text: &str) -> Option<StandingFile> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    // Whoever reads it all anew for each line of a long file does not come to an end. An item ends with one of
    // these lines, and what was written before the one that is cut off is whole.
    let is_end = |end: &usize| match end.checked_sub(1).map(|it| lines[it].trim_end()) {
        None | Some("" | "}") => true,
        Some(line) => line.ends_with(';') && !line.starts_with(char::is_whitespace),
    };
    let mut ends = (0..=lines.len()).rev().filter(is_end).take(MAX_TRIES);
    let file = ends.find_map(|end| {
        let text = lines[..end].concat();
        let file = StandingFile::parse(root, path, None, text).ok()?;
        Some(file)
    })?;
    if file.declared.is_empty() {
        return None;
    }
    let tests = file.tests.iter().map(|it| &it.lines);
    let items = file.items.values().flatten().map(|it| &it.lines);
    let edits = tests.chain(items).map(|lines| Edit {
        lines: lines.clone(),
        with: Vec::new(),
    });
    let text = edited(&file.text, edits.collect());
    file.again(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "//! Regression tests of `a`.\n//!\n//! Written by testsmith 0.1.0.\n\n";

    #[test]
    fn a_file_without_its_end_is_told_from_one_that_a_person_wrote_on() {
        let whole = format!("{HEAD}#[test]\nfn a() {{\n    f();\n}}\n\n{SEAL}wrote 00000001\n");
        let cut = |n: usize| is_cut(&whole[..n], false);
        let seal = whole.find(SEAL).expect("it has one");
        let test = whole.find("#[test]").expect("it has one");
        assert!(cut(0) && cut(test + 12) && cut(seal - 3));
        assert!(!cut(whole.len()) && !cut(seal + SEAL.len() + 2));
        // Whoever takes the seal out has a file that ends as files do.
        assert!(!cut(seal));
        assert!(!is_cut("//! Mine.\n#[test]\nfn a() {", false));
        assert!(is_cut(
            "//! Regression tests of `a::b`.\n#[test]\nfn a() {",
            true
        ));
        assert!(is_cut(&"\0".repeat(100), false));
        assert!(cut(20) && cut(HEAD.len()));
    }

    #[test]
    fn a_text_may_end_in_the_middle_of_a_character_but_not_have_other_bytes_in_it() {
        let text = "// \u{e9}".as_bytes();
        assert_eq!(text_of(text[..4].to_vec()).as_deref(), Some("// "));
        assert_eq!(text_of(text.to_vec()).as_deref(), Some("// \u{e9}"));
        assert_eq!(text_of(b"// \xff x".to_vec()), None);
    }

    #[test]
    fn what_a_cut_root_declares_is_still_known() {
        let text = format!(
            "{HEAD}#[path = \"t/a.rs\"]\nmod a;\n#[path = \"t/b.rs\"]\nmod b;\n\n#[test]\nfn x() {{}}\n\nfn y("
        );
        let file = declarations("t", Path::new("tests/t.rs"), &text).expect("two modules");
        assert_eq!(file.declared.len(), 2);
        assert!(file.tests.is_empty() && !file.text.contains("fn x"));
        assert!(declarations("t", Path::new("tests/t.rs"), HEAD).is_none());
    }
}
