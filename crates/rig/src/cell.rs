//! Where test binaries run: behind the same walls as the guest, as many at once as there are cells.

#![expect(clippy::disallowed_methods, reason = "a cell is a directory")]

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use testsmith_project::{Inmate, Sandbox, Scratch, forget_written};

use crate::error::RigError;

/// The most tests that run at once if the user does not say how many.
const MAX_CELLS: usize = 8;

/// A directory with walls around it.
pub struct Cell {
    /// The only directory that the tests may write to.
    pub dir: PathBuf,
    sandbox: Sandbox,
}

impl Cell {
    /// Makes as many cells as processors can use, each with a directory in the scratch workspace.
    pub fn several(scratch: &Scratch, is_sandboxed: bool) -> Result<Vec<Cell>, RigError> {
        let n_cells = std::thread::available_parallelism().map_or(1, usize::from);
        Cell::numbered(scratch, is_sandboxed, n_cells.min(MAX_CELLS))
    }

    /// Makes this number of cells.
    pub fn numbered(
        scratch: &Scratch,
        is_sandboxed: bool,
        n_cells: usize,
    ) -> Result<Vec<Cell>, RigError> {
        let cell = |i: usize| Cell::new(scratch.dir.join(format!("run-{i}")), is_sandboxed);
        (0..n_cells).map(cell).collect()
    }

    /// Makes a cell in this directory, which is created.
    fn new(dir: PathBuf, is_sandboxed: bool) -> Result<Cell, RigError> {
        std::fs::create_dir_all(&dir).map_err(RigError::Run)?;
        let sandbox = match is_sandboxed {
            true => Sandbox::new(&dir),
            false => Sandbox::off(),
        };
        Ok(Cell { dir, sandbox })
    }

    /// A cell without walls, for testsmith's own tests.
    #[cfg(test)]
    pub(crate) fn open(dir: &std::path::Path) -> Cell {
        Cell::new(dir.to_owned(), false).expect("the directory can be made")
    }

    /// Puts the walls of the cell around a process that is about to be started.
    pub(crate) fn confine(&self, command: &mut Command, inmate: Inmate) {
        command.env("RUST_BACKTRACE", "0").env("TMPDIR", &self.dir);
        self.sandbox.confine(command, inmate);
    }

    /// Are there walls around it?
    pub(crate) fn is_walled(&self) -> bool {
        self.sandbox.is_on()
    }

    /// An empty directory in the cell; what it held before is removed.
    pub(crate) fn emptied(&self, name: &str) -> std::io::Result<PathBuf> {
        let dir = self.dir.join(name);
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir)?;
        Ok(dir)
    }
}

impl Drop for Cell {
    /// What tests wrote is read by now, and may be large, or nobody's business.
    fn drop(&mut self) {
        if self.sandbox.is_on() {
            forget_written(&self.dir);
        }
    }
}

/// Applies `work` to each item, as many at once as there are cells. Answers are in the order of the
/// items; an item that was not begun when the user cancelled has none.
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
                        // One error is enough to fail, so the other threads stop early.
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

/// Applies `work` to each item. The user cannot cancel it. Answers are in the order of the items.
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
