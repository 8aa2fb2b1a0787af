//! Reads what test binaries left in a directory of a cell: plain files, and nothing else. Whoever opens a
//! pipe there would wait for ever, a link could lead anywhere, and files with holes may be as long as they
//! like. Nor is everything there from the copy: a test may write what it wants.

#![expect(clippy::disallowed_methods, reason = "what is left are files")]

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use testsmith_project::MOST_ROOM;
use testsmith_protocol::BEGINNING;

/// The most bytes that are read. A file with a hole in it takes no room on the disk, and much in memory.
const MOST_BYTES: u64 = MOST_ROOM;

/// The plain files of a directory that begin as those of copies do, in order of their names, as many as
/// have room. A directory that is gone has none.
pub(crate) fn left_in(dir: &Path) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let is_plain = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|it| it.is_file());
    if !fs::symlink_metadata(dir).is_ok_and(|it| it.is_dir()) {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(dir)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.retain(is_plain);
    paths.sort();
    let mut n_bytes = 0;
    let mut files = Vec::new();
    for path in paths {
        let mut file = File::open(&path)?;
        let mut bytes = Vec::new();
        let room = MOST_BYTES - n_bytes;
        file.by_ref().take(4).read_to_end(&mut bytes)?;
        if bytes != BEGINNING.to_le_bytes() || file.metadata()?.len() > room {
            continue;
        }
        file.take(room.saturating_sub(4)).read_to_end(&mut bytes)?;
        n_bytes += bytes.len() as u64;
        files.push((path, bytes));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn only_plain_files_that_begin_as_those_of_copies_are_read() {
        let dir = std::env::temp_dir().join(format!("testsmith-left-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("writable");
        for name in ["b", "a"] {
            fs::write(dir.join(name), BEGINNING.to_le_bytes()).expect("writable");
        }
        fs::write(dir.join("other"), [7; 4096]).expect("writable");
        fs::write(dir.join("empty"), "").expect("writable");
        let hole = File::create(dir.join("hole")).expect("writable");
        hole.set_len(1 << 40).expect("it takes no room");
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
