//! Reads what test binaries left in a directory of a cell: plain files, and nothing else. Whoever opens a
//! pipe there would wait for ever, and a link could lead anywhere.

#![expect(clippy::disallowed_methods, reason = "what is left are files")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The plain files in a directory, in order of their names. A directory that is gone has none.
pub(crate) fn left_in(dir: &Path) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let is_plain = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|it| it.is_file());
    if !fs::symlink_metadata(dir).is_ok_and(|it| it.is_dir()) {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(dir)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.retain(is_plain);
    paths.sort();
    let files = paths.into_iter().map(|path| {
        let bytes = fs::read(&path)?;
        Ok((path, bytes))
    });
    files.collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn pipes_and_links_are_passed_over() {
        let dir = std::env::temp_dir().join(format!("testsmith-left-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("writable");
        fs::write(dir.join("b"), "2").expect("writable");
        fs::write(dir.join("a"), "1").expect("writable");
        std::os::unix::fs::symlink("/dev/zero", dir.join("link")).expect("writable");
        let made = Command::new("mkfifo").arg(dir.join("pipe")).status();
        assert!(made.expect("it starts").success());
        let left = left_in(&dir).expect("readable");
        let names: Vec<_> = left
            .iter()
            .filter_map(|(path, _)| path.file_name())
            .collect();
        assert_eq!(names, ["a", "b"]);
        fs::remove_dir_all(&dir).expect("cleanup");
        assert!(left_in(&dir).expect("it is gone").is_empty());
    }
}
