//! Writes files into the user's tree in one step each, and whole ones only over files that are unchanged
//! since testsmith wrote them.

#![expect(
    clippy::disallowed_methods,
    reason = "it is the room that changes files in the user's tree"
)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use testsmith_project::{check_within, write_whole};
use testsmith_record::FileStatus;

use crate::mark::{MARK, digest, is_untouched};

/// What happened to a file.
#[derive(Clone, Debug)]
pub struct Written {
    pub path: PathBuf,
    pub status: FileStatus,
    /// The last file of a similar name that the user edited and that was therefore left alone.
    pub kept: Option<PathBuf>,
}

/// The text with the mark and digest as its last line.
fn sealed(text: &str) -> String {
    let body = text.trim_end();
    format!("{body}\n\n{MARK}{:016x}\n", digest(body))
}

/// Writes `NAME.rs` in a directory. If that exists and was edited, it is kept, and the text goes to
/// the next free name.
pub fn write(dir: &Path, name: &str, text: &str) -> io::Result<Written> {
    let text = sealed(text);
    let mut kept = None;
    let numbered = (2..).map(|n| format!("{name}_{n}"));
    for stem in std::iter::once(name.to_owned()).chain(numbered) {
        let path = dir.join(format!("{stem}.rs"));
        let old = match fs::read_to_string(&path) {
            Ok(old) if !is_untouched(&old) => {
                kept = Some(path);
                continue;
            }
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let status = match old.as_ref() == Some(&text) {
            true => FileStatus::Unchanged,
            false => {
                put(&path, dir, &text)?;
                FileStatus::Written
            }
        };
        return Ok(Written { path, status, kept });
    }
    unreachable!("there is always another number")
}

/// A written text with a change, and with a digest that fits it. Where each test has a digest of its
/// own, these go on to fit.
pub fn resealed(text: &str, change: impl FnOnce(&str) -> String) -> String {
    match text.rsplit_once(MARK) {
        Some((body, _)) => sealed(&change(body)),
        None => change(text),
    }
}

/// Writes a file within `root` in one step, so that at any moment either the old text or the new one is
/// there. Directories above it are made; a file that must not be written is not replaced.
pub(crate) fn put(path: &Path, root: &Path, text: &str) -> io::Result<()> {
    check_within(path, root)?;
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    write_whole(path, text)
}

/// Is it a file that testsmith wrote and nobody edited?
pub fn is_ours(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    is_untouched(&text) || crate::standing::is_ours_alone(path, text)
}

/// Does the manifest name the test?
pub(crate) fn is_registered(manifest: &Path, name: &str) -> bool {
    fs::read_to_string(manifest).is_ok_and(|text| text.contains(&entry(name)))
}

/// Adds to the manifest a test file that cargo does not find by itself.
pub(crate) fn register(manifest: &Path, name: &str, path: &str) -> io::Result<()> {
    let text = fs::read_to_string(manifest)?;
    let body = text.trim_end();
    write_whole(
        manifest,
        format!("{body}\n\n{}path = {path:?}\n", entry(name)),
    )
}

fn entry(name: &str) -> String {
    format!("[[test]]\nname = {name:?}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A new directory.
    fn scratch(name: &str) -> PathBuf {
        let dir =
            std::env::temp_dir().join(format!("testsmith-write-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).expect("the temporary directory is writable");
        dir
    }

    #[test]
    fn an_untouched_file_is_overwritten() {
        let dir = scratch("untouched");
        write(&dir, "t", "fn a() {}").expect("first write");
        let second = write(&dir, "t", "fn b() {}").expect("second write");
        assert_eq!(second.status, FileStatus::Written);
        assert!(second.kept.is_none());
        let text = fs::read_to_string(dir.join("t.rs")).expect("it was written");
        assert!(text.starts_with("fn b() {}"));
        fs::remove_dir_all(&dir).expect("cleanup");
    }

    #[test]
    fn an_edited_file_is_kept_and_ours_gets_another_name() {
        let dir = scratch("edited");
        write(&dir, "t", "fn a() {}").expect("first write");
        let path = dir.join("t.rs");
        let edited = fs::read_to_string(&path)
            .expect("it was written")
            .replace("fn a", "fn mine");
        fs::write(&path, &edited).expect("the user edits it");
        let second = write(&dir, "t", "fn b() {}").expect("second write");
        assert_eq!(second.kept, Some(path.clone()));
        assert_eq!(second.path, dir.join("t_2.rs"));
        assert_eq!(fs::read_to_string(&path).expect("still there"), edited);
        fs::remove_dir_all(&dir).expect("cleanup");
    }
}
