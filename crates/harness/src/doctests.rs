//! Keeps the tests in a package's documentation as executables: cargo lets a runner start each of
//! them, and this runner keeps it instead.

#![expect(clippy::disallowed_methods, reason = "examples are kept as files")]

use std::fs;
use std::path::{Path, PathBuf};

/// The argument that makes testsmith behave as the runner; a directory and an executable follow.
pub const KEEP_DOCTEST: &str = "--keep-doctest";

/// The function of a test with an executable of its own begins with this, by rustdoc's naming.
const MAIN: &[u8] = b"_doctest_main_";

/// Behaves as a runner: keeps the executable, and reports success. Returns the exit code.
pub fn keep_doctest(executable: &Path, dir: &Path) -> u8 {
    let name = std::process::id().to_string();
    match fs::copy(executable, dir.join(name)) {
        Ok(_) => 0,
        Err(error) => {
            eprintln!("cannot keep {}: {error}", executable.display());
            1
        }
    }
}

/// An executable that was kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Doctest {
    /// The path of the executable.
    pub executable: PathBuf,
    /// The file of the test, with everything but letters and digits replaced, and the line. `None`
    /// if the executable holds several tests and lists them as any test binary does.
    pub place: Option<String>,
}

/// All executables that were kept in a directory.
pub fn kept_doctests(dir: &Path) -> std::io::Result<Vec<Doctest>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let executable = entry?.path();
        let place = place(&fs::read(&executable)?);
        found.push(Doctest { executable, place });
    }
    found.sort_by(|a, b| a.place.cmp(&b.place));
    Ok(found)
}

/// The place in an executable that belongs to a test's name, like `src/lib.rs - add (line 5)`.
pub fn doctest_place(name: &str) -> Option<String> {
    let (file, rest) = name.split_once(" - ")?;
    let line = rest.rsplit_once("(line ")?.1.trim_end_matches(')');
    let file: String = file
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() { it } else { '_' })
        .collect();
    Some(format!("{file}_{line}"))
}

fn place(bytes: &[u8]) -> Option<String> {
    let mut windows = bytes.windows(MAIN.len()).enumerate();
    windows.find_map(|(at, it)| (it == MAIN).then(|| place_at(bytes, at)).flatten())
}

/// Reads the symbol at a position. Its length stands before it.
fn place_at(bytes: &[u8], at: usize) -> Option<String> {
    let mut begin = at;
    let is_digit = |i: usize| i > 0 && bytes[i - 1].is_ascii_digit();
    if begin > 0 && !is_digit(begin) && bytes[begin - 1] == b'_' {
        begin -= 1;
    }
    let end = begin;
    while is_digit(begin) {
        begin -= 1;
    }
    let length: usize = std::str::from_utf8(&bytes[begin..end]).ok()?.parse().ok()?;
    let symbol = std::str::from_utf8(bytes.get(at..at + length)?).ok()?;
    let place = symbol.strip_prefix("_doctest_main_")?;
    // A number at the end tells apart tests that begin at one line.
    Some(place.rsplit_once('_')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_symbols_meet() {
        let symbol = b"..\0_ZN8rust_out4main29_doctest_main_src_lib_rs_15_017hd11dE\0";
        assert_eq!(place(symbol).as_deref(), Some("src_lib_rs_15"));
        let newer = b"_RNvNvCs1_8rust_out4main29__doctest_main_src_lib_rs_15_0";
        assert_eq!(place(newer).as_deref(), Some("src_lib_rs_15"));
        let name = "src/lib.rs - Version<T>::add (line 15)";
        assert_eq!(doctest_place(name).as_deref(), Some("src_lib_rs_15"));
        assert_eq!(place(b"nothing"), None);
    }
}
