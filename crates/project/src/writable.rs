//! Finds out whether files can be made in a directory. It is asked before an hour of work depends
//! on it.

use std::io;
use std::path::Path;

use nix::unistd::{AccessFlags, access};

/// Says why no file could be made in `dir`, which need not exist yet. Changes nothing; what it finds
/// to be writable can still refuse later.
pub fn check_writable(dir: &Path) -> io::Result<()> {
    let nearest = dir.ancestors().find(|path| path.symlink_metadata().is_ok());
    let nearest = match nearest {
        Some(path) => path,
        None => Path::new("."),
    };
    if !nearest.is_dir() {
        return Err(io::Error::from(io::ErrorKind::NotADirectory));
    }
    access(nearest, AccessFlags::W_OK | AccessFlags::X_OK).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_the_way_is_not_a_directory() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        for dir in [manifest.clone(), manifest.join("tests")] {
            let error = check_writable(&dir).expect_err("a file holds no files");
            assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
        }
    }

    #[test]
    fn a_directory_yet_to_be_made_is_writable_if_its_parent_is() {
        let dir = std::env::temp_dir().join("testsmith-not-there/nor-this");
        check_writable(&dir).expect("the temporary directory is writable");
    }
}
