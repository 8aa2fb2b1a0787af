//! What arrived with a package below `target/testsmith` is not trusted: a link there would lead what we write,
//! and the walls around tests, to wherever it points; a pipe would make a reader wait for ever.
//!
//! The directory is ours if it says its own number in the file system, which no archive, repository or copy can know. In
//! any other, links and everything else that is neither a file nor a directory are taken away first. We make links
//! ourselves, in copies of packages, and make them again; so those that were copied are no loss.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::whole::write_whole;

/// The file by which a directory is known.
const MARK: &str = ".ours";

/// Makes `testsmith` in the target directory if it is not there, and takes away what could lead out of it if it
/// arrived from elsewhere.
pub fn make_ours(target_dir: &Path) -> io::Result<()> {
    let dir = target_dir.join("testsmith");
    if fs::symlink_metadata(&dir).is_ok_and(|it| !it.is_dir()) {
        fs::remove_file(&dir)?;
    }
    fs::create_dir_all(&dir)?;
    let known = fs::symlink_metadata(&dir)?;
    let number = format!("{} {}\n", known.dev(), known.ino());
    let mark = dir.join(MARK);
    let is_file = fs::symlink_metadata(&mark).is_ok_and(|it| it.is_file() && it.len() < 100);
    if is_file && fs::read_to_string(&mark)? == number {
        return Ok(());
    }
    sweep(&dir)?;
    write_whole(&mark, number.as_bytes())
}

/// Takes away everything below a directory but files and directories. Follows nothing.
fn sweep(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            sweep(&entry.path())?;
        } else if !kind.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_that_arrived_are_taken_away_and_ours_stay() {
        let target = std::env::temp_dir().join(format!("testsmith-arrived-{}", std::process::id()));
        let elsewhere = target.join("elsewhere");
        let dir = target.join("testsmith/small/suite");
        fs::create_dir_all(&dir).expect("writable");
        fs::create_dir_all(&elsewhere).expect("writable");
        fs::write(elsewhere.join("precious"), "kept").expect("writable");
        fs::write(dir.join("lib.rs"), "kept").expect("writable");
        symlink(&elsewhere, dir.join("out")).expect("writable");
        symlink(
            elsewhere.join("precious"),
            target.join("testsmith").join(MARK),
        )
        .expect("writable");

        make_ours(&target).expect("writable");
        assert!(!dir.join("out").exists(), "the link is gone");
        assert!(dir.join("lib.rs").exists(), "a file is not");
        let precious = fs::read_to_string(elsewhere.join("precious"));
        assert_eq!(precious.expect("it is there"), "kept");

        symlink(&elsewhere, dir.join("of ours")).expect("writable");
        make_ours(&target).expect("writable");
        assert!(dir.join("of ours").exists(), "the directory is known now");

        fs::rename(target.join("testsmith"), target.join("other")).expect("writable");
        symlink(target.join("other"), target.join("testsmith")).expect("writable");
        make_ours(&target).expect("writable");
        let made = fs::symlink_metadata(target.join("testsmith")).expect("it was made");
        assert!(made.is_dir(), "a link in its place is not followed");
        fs::remove_dir_all(&target).expect("cleanup");
    }
}
