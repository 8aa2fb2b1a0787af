//! Where test binaries run: behind the same walls as the guest, as many at once as there are cells.

#![expect(clippy::disallowed_methods, reason = "a cell is a directory")]

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use testsmith_project::{Inmate, Sandbox, Scratch};

use crate::error::RigError;

/// More tests than this are not run at once if nobody says how many.
const MAX_CELLS: usize = 8;

/// A directory with walls around it.
pub struct Cell {
    /// They may fill it.
    pub dir: PathBuf,
    sandbox: Sandbox,
}

impl Cell {
    /// As many as can be in use at once, each with a directory in the scratch workspace.
    pub fn several(scratch: &Scratch, is_sandboxed: bool) -> Result<Vec<Cell>, RigError> {
        let n_cells = std::thread::available_parallelism().map_or(1, usize::from);
        Cell::numbered(scratch, is_sandboxed, n_cells.min(MAX_CELLS))
    }

    /// So many.
    pub fn numbered(
        scratch: &Scratch,
        is_sandboxed: bool,
        n_cells: usize,
    ) -> Result<Vec<Cell>, RigError> {
        let cell = |i: usize| Cell::new(scratch.dir.join(format!("run-{i}")), is_sandboxed);
        (0..n_cells).map(cell).collect()
    }

    /// One in this directory, which is made.
    fn new(dir: PathBuf, is_sandboxed: bool) -> Result<Cell, RigError> {
        std::fs::create_dir_all(&dir).map_err(RigError::Run)?;
        let sandbox = match is_sandboxed {
            true => Sandbox::new(&dir),
            false => Sandbox::off(),
        };
        Ok(Cell { dir, sandbox })
    }

    /// One without walls, for tests of ours.
    #[cfg(test)]
    pub(crate) fn open(dir: &std::path::Path) -> Cell {
        Cell::new(dir.to_owned(), false).expect("the directory can be made")
    }

    /// Puts its walls around a process that is about to be started.
    pub(crate) fn confine(&self, command: &mut Command, inmate: Inmate) {
        command.env("RUST_BACKTRACE", "0").env("TMPDIR", &self.dir);
        self.sandbox.confine(command, inmate);
    }

    /// A directory in it that is empty.
    pub(crate) fn emptied(&self, name: &str) -> std::io::Result<PathBuf> {
        let dir = self.dir.join(name);
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir)?;
        Ok(dir)
    }
}

/// Does something with each of these, as many at once as there are cells; answers are in order, and there
/// are none for what was not begun when the user cancelled.
pub(crate) fn each_in<T: Sync, R: Send, E: Send>(
    cells: &[Cell],
    cancel: &AtomicBool,
    items: &[T],
    progress: &mut dyn FnMut(usize),
    work: impl Fn(&Cell, &T) -> Result<R, E> + Sync,
) -> Result<Vec<Option<R>>, E> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut answers: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let mut result = Ok(());
    std::thread::scope(|scope| {
        for cell in cells {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    if cancel.load(Ordering::Relaxed) {
                        break;
                    }
                    let answer = work(cell, item);
                    if answer.is_err() {
                        // The others need not go on.
                        next.store(items.len(), Ordering::Relaxed);
                    }
                    let _ = sender.send((i, answer));
                }
            });
        }
        drop(sender);
        for (n, (i, answer)) in receiver.into_iter().enumerate() {
            progress(n + 1);
            match answer {
                Ok(answer) => answers[i] = Some(answer),
                Err(error) => result = Err(error),
            }
        }
    });
    result.map(|()| answers)
}

/// Does something with each of these, which nobody can cancel; answers are in order.
pub fn each_of_all<T: Sync, R: Send, E: Send>(
    cells: &[Cell],
    items: &[T],
    work: impl Fn(&Cell, &T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let never = AtomicBool::new(false);
    let answers = each_in(cells, &never, items, &mut |_| {}, work)?;
    Ok(answers.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells() -> Vec<Cell> {
        let dir = std::env::temp_dir();
        let dirs = ["testsmith-cell-0", "testsmith-cell-1"];
        dirs.iter().map(|it| Cell::open(&dir.join(it))).collect()
    }

    #[test]
    fn answers_are_in_the_order_of_what_was_asked() {
        let numbers: Vec<usize> = (0..100).collect();
        let mut told = 0;
        let answers = each_in(
            &cells(),
            &AtomicBool::new(false),
            &numbers,
            &mut |n| told = n,
            |_, n| Ok::<_, ()>(n * 2),
        );
        let expected = numbers.iter().map(|n| Some(n * 2)).collect();
        assert_eq!(answers, Ok(expected));
        assert_eq!(told, 100);
    }

    #[test]
    fn nothing_is_begun_once_the_user_has_cancelled() {
        let cancelled = AtomicBool::new(true);
        let answers = each_in(&cells(), &cancelled, &[1, 2], &mut |_| {}, |_, n| {
            Ok::<i32, ()>(*n)
        });
        assert_eq!(answers, Ok(vec![None, None]));
    }

    #[test]
    fn an_error_is_what_comes_of_all() {
        let never = AtomicBool::new(false);
        let answers = each_in(&cells(), &never, &[1, 2, 3], &mut |_| {}, |_, n| match n {
            2 => Err("two"),
            n => Ok(*n),
        });
        assert_eq!(answers, Err("two"));
    }
}
