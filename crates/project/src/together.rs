//! Several files that are written together: all of them or none, whenever the power goes or the disk is full.
//!
//! All texts are written beside their places and brought to the disk first: what can go wrong goes wrong then,
//! and nothing has changed. A journal then says what is to be moved to where. Whoever is killed while moving
//! leaves it, and the next run moves the rest. No file system moves several files at once, so that until then
//! some are new and some are old, each of them whole.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::{Path, PathBuf};

use crate::package::Package;
use crate::whole::{beside, sync_directory, target, write_whole};
use crate::within::check_within;

/// A file that is there, and the text that it is to have.
pub struct Change<'t> {
    /// Where it is.
    pub path: PathBuf,
    /// The text.
    pub text: &'t str,
}

/// Which file could not be written, and why.
#[derive(Debug)]
pub struct NotWritten {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// What became of changes that a killed run left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Left {
    /// These files have their new texts now; the others had them before.
    Finished(Vec<PathBuf>),
    /// Somebody has changed one of these since, so they stay as they are.
    Given(Vec<PathBuf>),
}

/// Where the journal of a package stands while files of it are moved.
fn journal_of(package: &Package) -> PathBuf {
    let name = format!("unfinished-{}", package.name);
    package.target_dir.join("testsmith").join(name)
}

/// Writes files of the package, all or none.
pub fn write_together(package: &Package, changes: &[Change<'_>]) -> Result<(), NotWritten> {
    write_by(&journal_of(package), &package.dir, changes)
}

fn write_by(journal: &Path, root: &Path, changes: &[Change<'_>]) -> Result<(), NotWritten> {
    let fail = |path: &Path, source| NotWritten {
        path: path.to_owned(),
        source,
    };
    let mut moves: Vec<Move> = Vec::new();
    let mut written = changes.iter().try_for_each(|change| {
        moves.push(half(change, root).map_err(|source| fail(&change.path, source))?);
        Ok(())
    });
    if written.is_ok() {
        let lines: String = moves.iter().map(Move::line).collect();
        written = write_whole(journal, lines).map_err(|source| fail(journal, source));
    }
    if written.is_err() {
        moves.iter().for_each(|it| drop(fs::remove_file(&it.half)));
        return written;
    }
    for it in &moves {
        fs::rename(&it.half, &it.path).map_err(|source| fail(&it.path, source))?;
        sync_directory(&it.path);
    }
    let _ = fs::remove_file(journal);
    Ok(())
}

/// Finishes what a run on the package had begun that was killed. `None` if there is nothing to finish.
pub fn finish_together(package: &Package) -> Option<Left> {
    finish_by(&journal_of(package), &package.dir)
}

fn finish_by(journal: &Path, root: &Path) -> Option<Left> {
    let text = fs::read_to_string(journal).ok()?;
    // A package may bring a journal of its own, which must lead nowhere else.
    let is_left = |it: &Move| {
        let is_within = [&it.half, &it.path].map(|path| check_within(path, root).is_ok());
        is_within == [true; 2] && it.half.parent() == it.path.parent() && is_file(&it.half)
    };
    let moves = text.lines().filter_map(Move::of);
    let left: Vec<Move> = moves.filter(is_left).collect();
    let is_as_it_was = |it: &Move| facts(&it.path).is_ok_and(|now| now == it.facts);
    let is_fine = left.iter().all(is_as_it_was);
    for it in &left {
        let _ = match is_fine {
            true => fs::rename(&it.half, &it.path),
            false => fs::remove_file(&it.half),
        };
        sync_directory(&it.path);
    }
    let _ = fs::remove_file(journal);
    let paths: Vec<PathBuf> = left.into_iter().map(|it| it.path).collect();
    match (paths.is_empty(), is_fine) {
        (true, _) => None,
        (false, true) => Some(Left::Finished(paths)),
        (false, false) => Some(Left::Given(paths)),
    }
}

/// Writes a text beside its place, as whole as it would be there.
fn half(change: &Change<'_>, root: &Path) -> io::Result<Move> {
    check_within(&change.path, root)?;
    let path = target(&change.path)?;
    let old = fs::metadata(&path)?;
    if old.permissions().readonly() {
        let kind = io::ErrorKind::PermissionDenied;
        return Err(io::Error::new(kind, "it is read-only"));
    }
    let half = beside(&path)?;
    let written = File::create_new(&half).and_then(|mut file| {
        // Only root may give a file back to the user that it belongs to.
        let _ = fchown(&file, Some(old.uid()), Some(old.gid()));
        file.set_permissions(old.permissions())?;
        file.write_all(change.text.as_bytes())?;
        file.sync_all()
    });
    if let Err(error) = written {
        let _ = fs::remove_file(&half);
        return Err(error);
    }
    Ok(Move {
        facts: facts(&path)?,
        half,
        path,
    })
}

/// A line of a journal: a file that is to be moved, to where, and what the file there is known by.
struct Move {
    facts: String,
    half: PathBuf,
    path: PathBuf,
}

impl Move {
    fn line(&self) -> String {
        let (half, path) = (self.half.display(), self.path.display());
        format!("{}\t{half}\t{path}\n", self.facts)
    }

    fn of(line: &str) -> Option<Move> {
        let mut words = line.splitn(3, '\t');
        Some(Move {
            facts: words.next()?.to_owned(),
            half: words.next()?.into(),
            path: words.next()?.into(),
        })
    }
}

/// What tells whether somebody has changed a file.
fn facts(path: &Path) -> io::Result<String> {
    let it = fs::metadata(path)?;
    let (ino, n_bytes) = (it.ino(), it.len());
    Ok(format!(
        "{ino} {n_bytes} {}.{}",
        it.mtime(),
        it.mtime_nsec()
    ))
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with two files in it.
    fn package(name: &str) -> PathBuf {
        let name = format!("testsmith-together-{name}-{}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("tests")).expect("writable");
        for file in ["a", "b"] {
            fs::write(dir.join("tests").join(file), format!("old {file}")).expect("writable");
        }
        dir
    }

    fn changes(dir: &Path) -> [Change<'static>; 2] {
        [("a", "new a"), ("b", "new b")].map(|(file, text)| Change {
            path: dir.join("tests").join(file),
            text,
        })
    }

    fn texts(dir: &Path) -> [String; 2] {
        ["a", "b"].map(|it| fs::read_to_string(dir.join("tests").join(it)).expect("it is there"))
    }

    fn n_files(dir: &Path) -> usize {
        fs::read_dir(dir.join("tests"))
            .expect("it is there")
            .count()
    }

    /// As a run leaves it that is killed when it has moved `n_moved` files.
    fn killed(dir: &Path, n_moved: usize) -> PathBuf {
        let journal = dir.join("journal");
        let moves = changes(dir).map(|it| half(&it, dir).expect("writable"));
        let lines: String = moves.iter().map(Move::line).collect();
        fs::write(&journal, lines).expect("writable");
        for it in moves.iter().take(n_moved) {
            fs::rename(&it.half, &it.path).expect("writable");
        }
        journal
    }

    #[test]
    fn all_files_are_written_and_nothing_is_left_beside_them() {
        let dir = package("all");
        let journal = dir.join("journal");
        write_by(&journal, &dir, &changes(&dir)).expect("writable");
        assert_eq!(texts(&dir), ["new a", "new b"]);
        assert_eq!(n_files(&dir), 2);
        assert_eq!(finish_by(&journal, &dir), None);
        fs::remove_dir_all(&dir).expect("cleanup");
    }

    #[test]
    fn if_one_cannot_be_written_none_is() {
        let dir = package("none");
        let mut changes = changes(&dir);
        let elsewhere = package("elsewhere");
        std::os::unix::fs::symlink(elsewhere.join("tests/a"), dir.join("tests/link"))
            .expect("writable");
        changes[1].path = dir.join("tests/link");
        let error = write_by(&dir.join("journal"), &dir, &changes).expect_err("a link out");
        assert_eq!(error.path, dir.join("tests/link"));
        assert_eq!(texts(&dir), ["old a", "old b"]);
        assert_eq!(n_files(&dir), 3);
        for dir in [dir, elsewhere] {
            fs::remove_dir_all(&dir).expect("cleanup");
        }
    }

    #[test]
    fn what_a_killed_run_had_begun_is_finished() {
        for n_moved in 0..=2 {
            let dir = package("killed");
            let journal = killed(&dir, n_moved);
            let left = ["a", "b"].map(|it| dir.join("tests").join(it));
            let left = left[n_moved..].to_vec();
            let expected = (!left.is_empty()).then_some(Left::Finished(left));
            assert_eq!(finish_by(&journal, &dir), expected);
            assert_eq!(texts(&dir), ["new a", "new b"]);
            assert_eq!((n_files(&dir), journal.exists()), (2, false));
            fs::remove_dir_all(&dir).expect("cleanup");
        }
    }

    #[test]
    fn what_somebody_has_changed_since_is_not_written_over() {
        let dir = package("edited");
        let journal = killed(&dir, 1);
        fs::write(dir.join("tests/b"), "mine").expect("writable");
        let given = Left::Given(vec![dir.join("tests/b")]);
        assert_eq!(finish_by(&journal, &dir), Some(given));
        assert_eq!(texts(&dir), ["new a", "mine"]);
        assert_eq!(n_files(&dir), 2);
        fs::remove_dir_all(&dir).expect("cleanup");
    }

    #[test]
    fn a_journal_that_leads_elsewhere_moves_nothing() {
        let (dir, elsewhere) = (package("forged"), package("victim"));
        let journal = killed(&dir, 0);
        let text = fs::read_to_string(&journal).expect("it is there");
        let there = elsewhere.join("tests/a").display().to_string();
        let here = dir.join("tests/a").display().to_string();
        let text = text.replace(&format!("\t{here}\n"), &format!("\t{there}\n"));
        fs::write(&journal, text).expect("writable");
        finish_by(&journal, &dir);
        assert_eq!(texts(&elsewhere), ["old a", "old b"]);
        for dir in [dir, elsewhere] {
            fs::remove_dir_all(&dir).expect("cleanup");
        }
    }
}
