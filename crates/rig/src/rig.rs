//! The place where own tests are built and run: a twin of the workspace, the copy that it may be
//! built on, and cells.

#![expect(
    clippy::disallowed_methods,
    reason = "it edits the twin, and starts what is built there"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use testsmith_harness::{Copied, Instrument, Mutant};
use testsmith_project::{CargoCommand, Inmate, Run, Scratch, ScratchError, Twin, give_back_memory};
use testsmith_protocol::{MUTANT_VARIABLE, MutantId};

use crate::cell::{Cell, each_in};
use crate::error::RigError;
use crate::process::Process;

/// The build directory of what is built on the copy.
const ON_COPY: &str = "copied";
/// The build directory of what is built on the twin as the user would build it.
const PLAIN: &str = "plain";
/// The build directory of what is built on the twin with lints capped.
const LENIENT: &str = "edited";

/// The place where own tests are built and run.
pub struct Rig {
    /// A copy of the user's workspace that may be edited.
    pub twin: Twin,
    pub(crate) instrument: Instrument,
    pub(crate) cells: Vec<Cell>,
    copy: PathBuf,
    cancel: Arc<AtomicBool>,
    /// Does rustdoc build all examples as one executable, however few it is asked for? It does
    /// since the edition of 2024.
    pub builds_examples_as_one: bool,
}

impl Rig {
    /// Makes a twin, and as many cells as can be in use at once.
    pub fn new(
        scratch: &Scratch,
        instrument: &Instrument,
        is_sandboxed: bool,
        cancel: &Arc<AtomicBool>,
    ) -> Result<Rig, RigError> {
        let twin = Twin::create(scratch)?;
        Ok(Rig {
            cells: Cell::several(scratch, is_sandboxed)?,
            copy: twin.dir.join("copy"),
            twin,
            instrument: instrument.clone(),
            cancel: Arc::clone(cancel),
            builds_examples_as_one: scratch.package().edition.as_str() >= "2024",
        })
    }

    /// The same rig with this number of cells.
    pub fn with_cells(
        mut self,
        scratch: &Scratch,
        is_sandboxed: bool,
        n_cells: usize,
    ) -> Result<Rig, RigError> {
        self.cells = Cell::numbered(scratch, is_sandboxed, n_cells)?;
        Ok(self)
    }

    /// Lets `write` write a copy. It is given the copy's directory and that of the package in the
    /// twin.
    pub fn write_copy(
        &self,
        write: impl FnOnce(&Path, &Path) -> std::io::Result<()>,
    ) -> Result<(), RigError> {
        let path = self.copy.clone();
        let result = write(&path, &self.twin.package);
        Ok(result.map_err(|source| ScratchError::Write { path, source })?)
    }

    /// Writes the copy again as it was, and builds the tests on it, without examples of the
    /// documentation.
    pub fn build_on_copy(&self, copied: &Copied) -> Result<Run, RigError> {
        self.write_copy(|dir, package| copied.again(dir, package))?;
        let mut command = self.cargo("test");
        command.args(["--no-run", "--tests"]);
        built(run(&mut command)?)
    }

    /// Builds the tests on the present text of the twin, as the user would. The build may fail.
    pub fn build_plain(&self) -> Result<Run, RigError> {
        let mut command = self.twin.cargo("test", PLAIN);
        command.args(["--no-run", "--tests"]);
        run(&mut command)
    }

    /// Does the same, but lints of the package do not fail the build.
    pub fn build_leniently(&self) -> Result<Run, RigError> {
        let mut command = self.twin.cargo("test", LENIENT);
        self.instrument.apply_lenient(&mut command);
        command.args(["--no-run", "--tests"]);
        run(&mut command)
    }

    /// Does the library compile with the present text of the twin?
    pub fn compiles(&self) -> Result<bool, RigError> {
        let mut command = self.twin.cargo("check", "checked");
        self.instrument.apply_lenient(&mut command);
        command.arg("--lib");
        Ok(run(&mut command)?.success)
    }

    /// Runs `then` while the mutant is edited into the twin.
    pub fn edited<T>(
        &self,
        mutant: &Mutant,
        then: impl FnOnce(&Rig) -> Result<T, RigError>,
    ) -> Result<T, RigError> {
        let path = self.twin.package.join(&mutant.file);
        let original =
            fs::read_to_string(&path).map_err(|source| ScratchError::Write { path, source })?;
        let mut text = original.clone();
        text.replace_range(mutant.range.clone(), &mutant.edit);
        self.twin.write(&mutant.file, &text)?;
        let result = then(self);
        self.twin.write(&mutant.file, &original)?;
        result
    }

    /// Is cargo building tests on the copy at the moment?
    pub fn is_building(&self) -> bool {
        self.twin.is_busy(ON_COPY)
    }

    /// A cargo command that builds on the copy.
    pub fn cargo(&self, subcommand: &str) -> CargoCommand {
        let mut command = self.twin.cargo(subcommand, ON_COPY);
        self.instrument.apply_copy(&mut command, &self.copy);
        command
    }

    /// The same command for another package of the workspace.
    pub(crate) fn cargo_of(&self, subcommand: &str, package: &str) -> CargoCommand {
        let mut command = self.twin.cargo_of(subcommand, ON_COPY, package);
        self.instrument.apply_copy(&mut command, &self.copy);
        command
    }

    /// A command that runs a test binary as cargo does, with a mutant active or none.
    pub(crate) fn command(&self, binary: &Path, dir: &Path, mutant: Option<MutantId>) -> Command {
        let mut command = Command::new(binary);
        command
            .current_dir(dir)
            .env("CARGO_MANIFEST_DIR", dir)
            .env(MUTANT_VARIABLE, MutantId::number(mutant).to_string());
        command
    }

    /// How test binaries run in this cell.
    pub(crate) fn process<'p>(&'p self, cell: &'p Cell, most: Duration) -> Process<'p> {
        Process {
            cell,
            inmate: Inmate::TestBinary,
            most,
            cancel: &self.cancel,
        }
    }

    /// Applies `work` to each item, as many at once as there are cells. Answers are in the order of
    /// the items; an item that was not begun when the user cancelled has none.
    pub fn each<T: Sync, R: Send, E: Send>(
        &self,
        items: &[T],
        progress: &mut dyn FnMut(usize),
        work: impl Fn(&Cell, &T) -> Result<R, E> + Sync,
    ) -> Result<Vec<Option<R>>, E> {
        give_back_memory();
        each_in(&self.cells, &self.cancel, items, progress, work)
    }

    /// Does the same, but gives an error if the user cancelled.
    pub fn each_of_all<T: Sync, R: Send>(
        &self,
        items: &[T],
        progress: &mut dyn FnMut(usize),
        work: impl Fn(&Cell, &T) -> Result<R, RigError> + Sync,
    ) -> Result<Vec<R>, RigError> {
        let answers = self.each(items, progress, work)?;
        self.go_on()?;
        Ok(answers.into_iter().flatten().collect())
    }

    /// Has the user cancelled?
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Gives an error if the user has cancelled.
    pub fn go_on(&self) -> Result<(), RigError> {
        match self.is_cancelled() {
            true => Err(RigError::Interrupted),
            false => Ok(()),
        }
    }
}

/// Runs cargo, and reads what it built.
pub fn run(command: &mut CargoCommand) -> Result<Run, RigError> {
    Ok(Run::of(command).map_err(ScratchError::from)?)
}

/// Passes a run of cargo on if it succeeded; else the error says what cargo printed.
pub fn built(run: Run) -> Result<Run, RigError> {
    match run.success {
        true => Ok(run),
        false => Err(RigError::OwnTests {
            said: run
                .errors
                .first()
                .map_or(run.stderr, |it| it.rendered.clone()),
        }),
    }
}
