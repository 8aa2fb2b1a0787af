//! Finds out whether a path stays within a directory once links are followed, so that a package
//! cannot have files written elsewhere by links that it comes with.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Says why a file at `path`, which need not exist yet, would not be within `root`.
pub fn check_within(path: &Path, root: &Path) -> io::Result<()> {
    let refused = |why: String| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    let root = real(root)?;
    let mut ancestors = path.ancestors();
    let there = ancestors.find(|it| fs::symlink_metadata(it).is_ok());
    let there = there.filter(|it| !it.as_os_str().is_empty());
    let there = there.unwrap_or(Path::new("."));
    let rest = path.strip_prefix(there).unwrap_or(path);
    if rest.components().any(|it| it == Component::ParentDir) {
        return refused(format!("{} has `..` in it", path.display()));
    }
    match fs::canonicalize(there) {
        Ok(real) if real.join(rest).starts_with(&root) => Ok(()),
        Ok(real) => refused(format!(
            "a link leads to {}, which is not in {}",
            real.display(),
            root.display()
        )),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            refused(format!("{} is a link to nowhere", there.display()))
        }
        Err(error) => Err(error),
    }
}

/// The directory without links; one that does not exist yet is as real as the one that it will be in.
fn real(dir: &Path) -> io::Result<PathBuf> {
    match (fs::canonicalize(dir), dir.parent(), dir.file_name()) {
        (Err(error), Some(parent), Some(name)) if error.kind() == io::ErrorKind::NotFound => {
            match parent.as_os_str().is_empty() {
                true => Ok(fs::canonicalize(".")?.join(name)),
                false => Ok(real(parent)?.join(name)),
            }
        }
        (real, ..) => real,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_and_must_stay_within() {
        let name = format!("testsmith-within-{}", std::process::id());
        let outer = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&outer);
        let root = outer.join("package");
        fs::create_dir_all(root.join("tests")).expect("writable");
        fs::create_dir_all(outer.join("elsewhere")).expect("writable");
        symlink("../elsewhere", root.join("out")).expect("writable");
        symlink("tests", root.join("same")).expect("writable");
        symlink("missing", root.join("tests/nowhere.rs")).expect("writable");
        symlink("../../elsewhere/x", root.join("tests/far.rs")).expect("writable");
        let check = |path: &str| check_within(&root.join(path), &root);
        for path in ["tests/a.rs", "same/a.rs", "new/deep/a.rs", "tests"] {
            check(path).expect(path);
        }
        for path in [
            "out/a.rs",
            "out",
            "tests/nowhere.rs",
            "tests/far.rs",
            "new/../../elsewhere/a.rs",
            "../elsewhere/a.rs",
        ] {
            check(path).expect_err(path);
        }
        let new = outer.join("not/yet");
        check_within(&new.join("a.rs"), &new).expect("it will be there");
        fs::remove_dir_all(&outer).expect("cleanup");
    }
}
