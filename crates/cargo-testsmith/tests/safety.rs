//! Unsafe code that the compiler sees in copies and tests only says, too, which invariant it relies on.
//! Everywhere else `clippy::undocumented_unsafe_blocks` asks for it.

#![expect(clippy::disallowed_methods, reason = "it reads the source")]

use std::fs;
use std::path::{Path, PathBuf};

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("the directory is there") {
        let path = entry.expect("readable").path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

/// The lines with an unsafe block or impl, from 1, above which no comment begins with `SAFETY:`.
fn undocumented(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_comment = |line: &&&str| line.starts_with("//");
    let is_unsafe = |line: &str| line.contains("unsafe {") || line.contains("unsafe impl");
    let is_documented = |at: usize| {
        let mut above = lines[..at].iter().rev().take_while(is_comment);
        above.any(|line| line.starts_with("// SAFETY:"))
    };
    let numbered = lines.iter().enumerate();
    let found = numbered
        .filter(|(at, line)| !line.starts_with("//") && is_unsafe(line) && !is_documented(*at));
    found.map(|(at, _)| at + 1).collect()
}

#[test]
fn unsafe_code_in_texts_says_why_it_is_sound() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for dir in ["instrument/src/support", "api/src/stand_ins"] {
        files(&crates.join(dir), &mut found);
    }
    let mut n_unsafe = 0;
    for file in found {
        let text = fs::read_to_string(&file).expect("it is text");
        n_unsafe += text.matches("unsafe {").count();
        let missing = undocumented(&text);
        assert!(missing.is_empty(), "{}: lines {missing:?}", file.display());
    }
    assert!(n_unsafe > 0, "the texts are elsewhere");
}

#[test]
fn a_comment_counts_directly_above_only() {
    let text = "// SAFETY: it is\n// so.\nlet a = unsafe { b };\nunsafe { c };\n// why\nunsafe { d };\n// unsafe {";
    assert_eq!(undocumented(text), [4, 6]);
}
