//! One run at a time works on a package in a target directory: two would write the same files, and each
//! would take what the other left for the package's fault.
//!
//! The lock is one of the system's, so that it ends with whoever holds it, however that ends. Within a
//! process it is shared: a run may open a package several times.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use crate::arrived::make_ours;
use crate::package::Package;
use crate::room::bytes_below;

/// How often to look whether the other run has ended.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What this process holds.
static HELD: Mutex<BTreeMap<PathBuf, Weak<File>>> = Mutex::new(BTreeMap::new());

/// The right to work on a package, as long as it is kept.
#[derive(Clone, Debug)]
pub struct Hold {
    _file: Option<Arc<File>>,
}

/// Waits until nobody else works on the package. As long as somebody does, `wait` is told which process
/// that is, if it says so, and says whether to go on waiting; `None` if it does not.
pub fn hold(
    package: &Package,
    wait: &mut dyn FnMut(Option<u32>) -> bool,
) -> io::Result<Option<Hold>> {
    make_ours(&package.target_dir)?;
    let dir = package.target_dir.join("testsmith").join(LOCKS);
    fs::create_dir_all(&dir)?;
    hold_file(&dir.join(&package.name), wait)
}

/// Takes away everything that testsmith built and kept in a target directory, once nobody works there.
/// Waits as [`hold`] does. Gives the number of bytes, or `None` if it was not to wait longer.
pub fn clean(
    target_dir: &Path,
    wait: &mut dyn FnMut(Option<u32>) -> bool,
) -> io::Result<Option<u64>> {
    let dir = target_dir.join("testsmith");
    let locks = dir.join(LOCKS);
    if !dir.is_dir() {
        return Ok(Some(0));
    }
    let mut holds = Vec::new();
    for lock in entries(&locks)? {
        match hold_file(&lock, wait)? {
            Some(hold) => holds.push(hold),
            None => return Ok(None),
        }
    }
    let mut n_bytes = 0;
    for path in entries(&dir)?.into_iter().filter(|it| *it != locks) {
        n_bytes += bytes_below(&path);
        match fs::symlink_metadata(&path)?.is_dir() {
            true => fs::remove_dir_all(&path)?,
            false => fs::remove_file(&path)?,
        }
    }
    Ok(Some(n_bytes))
}

/// The name of the directory with the locks.
const LOCKS: &str = ".locks";

fn entries(dir: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(dir) {
        Ok(entries) => entries.map(|it| Ok(it?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn hold_file(path: &Path, wait: &mut dyn FnMut(Option<u32>) -> bool) -> io::Result<Option<Hold>> {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(file) = held.get(path).and_then(Weak::upgrade) {
        return Ok(Some(Hold { _file: Some(file) }));
    }
    let mut options = File::options();
    let options = options.read(true).write(true).create(true).truncate(false);
    let mut file = options.open(path)?;
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.rewind();
                let _ = (&file).take(20).read_to_string(&mut text);
                if !wait(text.trim().parse().ok()) {
                    return Ok(None);
                }
                std::thread::sleep(LOOK_EVERY);
            }
            // Some file systems have no locks. Then two runs are the user's to keep apart.
            Err(TryLockError::Error(_)) => return Ok(Some(Hold { _file: None })),
        }
    }
    // Who holds it is only told to others, so it does not matter if it cannot be written.
    let _ = file.set_len(0);
    let _ = file.rewind();
    let _ = writeln!(file, "{}", std::process::id());
    let file = Arc::new(file);
    held.insert(path.to_owned(), Arc::downgrade(&file));
    Ok(Some(Hold { _file: Some(file) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_process_waits_and_is_told_for_whom_and_the_same_one_does_not() {
        let dir = std::env::temp_dir().join(format!("testsmith-lock-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("writable");
        let path = dir.join("small");
        let never = &mut |_| -> bool { unreachable!("nobody holds it") };
        let first = hold_file(&path, never).expect("writable");
        let again = hold_file(&path, never).expect("writable");
        drop(first);
        // A handle of its own counts as another process.
        let other = File::options().read(true).open(&path).expect("it is there");
        assert!(other.try_lock().is_err(), "the second hold still stands");
        drop(again);
        other.try_lock().expect("nobody holds it any more");
        let mut told = Vec::new();
        let wait = &mut |process| {
            told.push(process);
            told.len() < 3
        };
        assert!(hold_file(&path, wait).expect("writable").is_none());
        assert_eq!(told, [Some(std::process::id()); 3]);
        drop(other);
        assert!(hold_file(&path, never).expect("writable").is_some());
        fs::remove_dir_all(&dir).expect("cleanup");
    }
}
