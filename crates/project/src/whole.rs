//! Files that are written whole or not at all, whenever the power goes or the disk is full.
//!
//! A text is written beside its place, brought to the disk, and moved there. Whoever reads the file
//! sees the old text or the new one. What a process that was killed leaves beside the place has that
//! process in its name, and whoever writes the file next takes it away.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;

/// What stands between a file's name and the process that is writing it. It does not end like a
/// program's source, so that cargo never takes what is left of it for a test.
const HALF: &str = ".testsmith-";

/// Writes a file whole or not at all. A file that is there keeps its permissions, and one that is
/// read-only is not replaced. A link is followed to the file that it leads to; what is no file, as a
/// pipe or a terminal, is written to as it is.
pub fn write_whole(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let bytes = bytes.as_ref();
    write_whole_by(path, |file| file.write_all(bytes))
}

/// Lets writes beyond the limit of file sizes fail, here and in the compilers that are started. Otherwise
/// they would end the process.
pub fn ignore_file_size_signal() {
    use nix::sys::signal::{SigHandler, Signal, signal};
    // SAFETY: no handler is installed, so nothing runs when the signal comes.
    let _ = unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) };
}

/// Is there something at this path that is no file and no directory, as a pipe or a terminal?
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir())
}

fn write_whole_by(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    if is_special(path) {
        return write(&mut File::options().write(true).open(path)?);
    }
    let path = &target(path)?;
    let old = match fs::metadata(path) {
        Ok(old) if old.is_dir() => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(old) if old.permissions().readonly() => {
            let kind = io::ErrorKind::PermissionDenied;
            return Err(io::Error::new(kind, "it is read-only"));
        }
        Ok(old) => Some(old),
        Err(_) => None,
    };
    clear(path);
    let half = beside(path)?;
    let written = File::create_new(&half).and_then(|mut file| {
        if let Some(old) = &old {
            // Only root may give a file back to the user that it belongs to.
            let _ = fchown(&file, Some(old.uid()), Some(old.gid()));
            file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o7777))?;
        }
        write(&mut file)?;
        file.sync_all()?;
        fs::rename(&half, path)
    });
    match written {
        Ok(()) => sync_directory(path),
        Err(_) => drop(fs::remove_file(&half)),
    }
    written
}

/// The file that a path leads to. A link that leads nowhere is an error: nobody knows what was meant.
pub(crate) fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(it) if it.is_symlink() => fs::canonicalize(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::new(error.kind(), "it is a link to nowhere"),
            _ => error,
        }),
        _ => Ok(path.to_owned()),
    }
}

/// A name beside the file that nobody else has.
pub(crate) fn beside(path: &Path) -> io::Result<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut name = beginning(path).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    name.push(format!("{}-{number}", std::process::id()));
    Ok(path.with_file_name(name))
}

/// What names of files that are being written begin with.
fn beginning(path: &Path) -> Option<OsString> {
    let mut name = OsString::from(".");
    name.push(path.file_name()?);
    name.push(HALF);
    Some(name)
}

/// Takes away what processes left that were killed while they wrote this file.
fn clear(path: &Path) {
    let (Some(dir), Some(beginning)) = (path.parent(), beginning(path)) else {
        return;
    };
    let dir = match dir.as_os_str().is_empty() {
        true => Path::new("."),
        false => dir,
    };
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let rest = name.as_encoded_bytes();
        let rest = rest.strip_prefix(beginning.as_encoded_bytes());
        let process = rest.and_then(|it| str::from_utf8(it).ok()?.split('-').next()?.parse().ok());
        let is_gone = |id: i32| kill(Pid::from_raw(id), None) == Err(Errno::ESRCH);
        if process.is_some_and(|id| id > 0 && is_gone(id)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Brings the new name to the disk. Some file systems cannot, and the file is whole in any case.
pub(crate) fn sync_directory(path: &Path) {
    let dir = path.parent().filter(|it| !it.as_os_str().is_empty());
    let dir = dir.unwrap_or(Path::new("."));
    if let Ok(dir) = File::open(dir) {
        let _ = dir.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// A new directory.
    fn scratch(name: &str) -> PathBuf {
        let name = format!("testsmith-whole-{name}-{}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).expect("the temporary directory is writable");
        dir
    }

    fn names(dir: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(dir).expect("it is there");
        let mut names: Vec<_> = entries
            .map(|it| it.expect("readable").file_name())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_disk_that_fills_up_leaves_the_old_text_and_nothing_beside_it() {
        let dir = scratch("full");
        let path = dir.join("t.rs");
        write_whole(&path, "old").expect("writable");
        let error = write_whole_by(&path, |file| {
            file.write_all(b"half of the n")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(error.expect_err("full").kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "old");
        assert_eq!(names(&dir), ["t.rs"]);
        fs::remove_dir_all(&dir).expect("cleanup");
    }

    #[test]
    fn what_a_killed_process_left_goes_and_what_a_living_one_writes_stays() {
        let dir = scratch("killed");
        let path = dir.join("t.rs");
        let mut dead = Command::new("true").spawn().expect("it starts");
        dead.wait().expect("it ends");
        let left = format!(".t.rs.testsmith-{}-0", dead.id());
        let living = format!(".t.rs.testsmith-{}-9", std::process::id());
        let others = [".other.rs.testsmith-1-0", ".t.rs.testsmith-mine"];
        for name in [&*left, &*living].iter().chain(&others) {
            fs::write(dir.join(name), "half").expect("writable");
        }
        write_whole(&path, "new").expect("writable");
        let mut stay: Vec<&str> = others.to_vec();
        stay.extend([&*living, "t.rs"]);
        stay.sort_unstable();
        assert_eq!(names(&dir), stay);
        fs::remove_dir_all(&dir).expect("cleanup");
    }

    #[test]
    fn a_process_that_is_killed_while_it_writes_leaves_the_old_text() {
        const PLACE: &str = "TESTSMITH_WHOLE_KILLED";
        if let Some(path) = std::env::var_os(PLACE) {
            let written = write_whole_by(Path::new(&path), |file| {
                file.write_all(b"half of the n")?;
                kill(Pid::this(), nix::sys::signal::SIGKILL).map_err(io::Error::from)
            });
            unreachable!("it was killed: {written:?}");
        }
        let dir = scratch("kill");
        let path = dir.join("t.rs");
        write_whole(&path, "old").expect("writable");
        let this = std::env::current_exe().expect("it has a path");
        let status = Command::new(this)
            .args(["whole::tests::a_process_that_is_killed_while_it_writes_leaves_the_old_text"])
            .arg("--exact")
            .env(PLACE, &path)
            .stdout(std::process::Stdio::null())
            .status()
            .expect("it starts");
        assert!(!status.success());
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "old");
        assert_eq!(names(&dir).len(), 2, "the half is beside it");
        write_whole(&path, "new").expect("writable");
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "new");
        assert_eq!(names(&dir), ["t.rs"]);
        fs::remove_dir_all(&dir).expect("cleanup");
    }

    #[test]
    fn permissions_stay_links_are_followed_and_those_to_nowhere_are_refused() {
        let dir = scratch("links");
        let path = dir.join("t.rs");
        write_whole(&path, "old").expect("writable");
        let private = fs::Permissions::from_mode(0o640);
        fs::set_permissions(&path, private).expect("it is ours");
        let link = dir.join("link.rs");
        std::os::unix::fs::symlink("t.rs", &link).expect("writable");
        write_whole(&link, "new").expect("writable");
        let facts = fs::metadata(&path).expect("it is there");
        assert_eq!(facts.mode() & 0o777, 0o640);
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "new");
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
        assert!(is_link(&link));
        let nowhere = dir.join("nowhere.rs");
        std::os::unix::fs::symlink("missing", &nowhere).expect("writable");
        let error = write_whole(&nowhere, "new").expect_err("nobody knows where");
        assert_eq!(error.to_string(), "it is a link to nowhere");
        assert!(is_link(&nowhere));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).expect("it is ours");
        let error = write_whole(&path, "newer").expect_err("it is read-only");
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        fs::remove_dir_all(&dir).expect("cleanup");
    }
}
