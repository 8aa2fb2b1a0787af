//! How much room a directory takes on the disk.

#![expect(
    clippy::disallowed_methods,
    reason = "it looks at files, and removes them"
)]

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The most that foreign code may write in its directory. Each file has a limit of its own, and the kernel
/// knows none for all of them together.
pub const MOST_ROOM: u64 = 1 << 30;

/// If this variable is set, what foreign code wrote is left where it is, for whoever looks into walls.
const KEEP: &str = "TESTSMITH_KEEP_WRITTEN";

/// Empties a directory that foreign code wrote to.
pub fn forget_written(dir: &Path) {
    if std::env::var_os(KEEP).is_none() {
        empty(dir);
    }
}

/// The bytes of all files below a path. Links are not followed, and what cannot be read takes nothing.
pub(crate) fn bytes_below(path: &Path) -> u64 {
    let Ok(at) = fs::symlink_metadata(path) else {
        return 0;
    };
    // A file with a hole in it has not as many bytes as it says.
    let own = at.blocks() * 512;
    if !at.is_dir() {
        return own;
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    own + entries.map(|it| bytes_below(&it.path())).sum::<u64>()
}

/// Has foreign code written more in its directory than it may?
pub fn takes_too_much(dir: &Path) -> bool {
    bytes_below(dir) > MOST_ROOM
}

/// Empties a directory. What cannot be removed stays: the next one who needs the room says so.
fn empty(dir: &Path) {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    for entry in entries {
        let path = entry.path();
        let _ = match entry.file_type().is_ok_and(|it| it.is_dir()) {
            true => fs::remove_dir_all(&path),
            false => fs::remove_file(&path),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_and_links_take_no_room() {
        let dir = std::env::temp_dir().join(format!("testsmith-room-{}", std::process::id()));
        fs::create_dir_all(dir.join("below")).expect("writable");
        let before = bytes_below(&dir);
        fs::write(dir.join("below/a"), [1; 100_000]).expect("writable");
        let hole = fs::File::create(dir.join("hole")).expect("writable");
        hole.set_len(1 << 40).expect("a hole");
        std::os::unix::fs::symlink("/", dir.join("link")).expect("writable");
        let bytes = bytes_below(&dir) - before;
        assert!((100_000..300_000).contains(&bytes), "{bytes}");
        empty(&dir);
        assert_eq!(fs::read_dir(&dir).expect("it is there").count(), 0);
        fs::remove_dir_all(&dir).expect("cleanup");
    }
}
