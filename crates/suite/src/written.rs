//! Puts the files of a suite into the user's tree: only what changed, each in one step, and only if
//! nobody changed them since they were read.

#![expect(
    clippy::disallowed_methods,
    reason = "it changes files in the user's tree"
)]

use std::fs;
use std::io;
use std::path::Path;

use testsmith_equip::Watch;
use testsmith_project::check_within;
use testsmith_record::{FileReport, FileStatus, ModuleReport};

use crate::begin::Begun;
use crate::error::SuiteError;
use crate::place::{Destination, relative};
use crate::printer::makers_seen_from;
use crate::settings::Aim;
use crate::stage::{Root, Suite, Writer};
use crate::standing::StandingFile;
use crate::standing::cut::text_of;
use crate::write::{is_registered, put, register};

impl Writer<'_> {
    /// Writes the files into the user's tree.
    pub fn write(
        &self,
        begun: &Begun,
        suite: &Suite,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<FileReport>, SuiteError> {
        if self.is_partial && begun.is_fresh && !begun.found.is_empty() {
            watch.note("interrupted, so the suite that is there stays as it is");
            return Ok(Vec::new());
        }
        let roots = [&suite.regression, &suite.failures];
        // That says more of the run than of the crate: the tests that are there were made by one that saw more.
        let is_empty = roots.iter().all(|it| it.files.is_empty());
        let is_whole = self.writing.aim == Aim::Suite && !self.writing.only_failures;
        if is_empty && is_whole && begun.is_fresh && !begun.found.is_empty() {
            watch.note(
                "there is nothing to test any more, so the suite that is there stays as it is",
            );
            return Ok(Vec::new());
        }
        if !self.writing.dry_run {
            let texts = roots.iter().flat_map(|root| &root.files);
            begun.check_unchanged(texts)?;
        }
        let mut files = Vec::new();
        for root in roots {
            let Some((first, modules)) = root.files.split_first() else {
                continue;
            };
            files.push(match self.writing.dry_run {
                true => self.in_scratch(first, modules)?,
                false => self.put(begun, root, watch)?,
            });
        }
        self.remove(begun, suite, watch)?;
        self.keep_code(begun, suite, watch);
        if !self.writing.dry_run
            && let Some(text) = begun.refused.new_text()
        {
            let path = &begun.refused.path;
            let root = Destination::of(self.writing, &self.target.package).root;
            put(path, &root, &text).map_err(|source| SuiteError::Write {
                path: path.clone(),
                source,
            })?;
        }
        Ok(files)
    }

    /// Remembers what the functions of the crate are like, if all that is new about them was added.
    fn keep_code(&self, begun: &Begun, suite: &Suite, watch: &mut Watch<'_>) {
        let is_all = !self.is_partial && !self.writing.dry_run && self.writing.aim == Aim::Suite;
        if let Some(code) = suite
            .code
            .as_ref()
            .filter(|_| is_all && begun.open().next().is_none())
            && let Err(error) = code.keep(&self.target.package, &self.writing.run)
        {
            watch.note(format!(
                "cannot remember the crate's functions, so the next run may add more tests: {error}"
            ));
        }
    }

    /// Removes files that the suite does not have any more.
    fn remove(
        &self,
        begun: &Begun,
        suite: &Suite,
        watch: &mut Watch<'_>,
    ) -> Result<(), SuiteError> {
        let all = || suite.regression.files.iter().chain(&suite.failures.files);
        let within = Destination::of(self.writing, &self.target.package).root;
        for (path, _) in &begun.found {
            if all().any(|it| it.path == *path) {
                continue;
            }
            let shown = relative(&self.target.package, path);
            if self.writing.dry_run {
                watch.note(format!("would remove {shown}: no test of it is left"));
                continue;
            }
            let dir = path.parent().unwrap_or(path);
            let removed = check_within(dir, &within).and_then(|()| fs::remove_file(path));
            removed.map_err(|source| SuiteError::Write {
                path: path.clone(),
                source,
            })?;
            // The directory of modules is removed only if it is empty: files of the user stay.
            if let Some(dir) = path.parent().filter(|it| **it != *begun.standing.dir) {
                let _ = fs::remove_dir(dir);
            }
            watch.note(format!("removed {shown}: no test of it is left"));
        }
        Ok(())
    }

    /// The report of a file that was checked and is not written. It stands in the scratch workspace.
    fn in_scratch(
        &self,
        root: &StandingFile,
        modules: &[StandingFile],
    ) -> Result<FileReport, SuiteError> {
        let dir = Destination::of(self.writing, &self.target.package).dir;
        let scratch = &self.target.scratch;
        let makers = makers_seen_from(scratch, &dir);
        let makers = makers.as_ref().map(|(_, file)| &**file);
        let put = |file: &StandingFile| {
            let below = file.path.strip_prefix(&dir).unwrap_or(&file.path);
            let place = format!("suite/tests/{}", below.display());
            let text = crate::vet::in_scratch(scratch, makers, &file.text);
            let written = scratch.write(&place, &text);
            written.map_err(crate::vet::VetError::from)?;
            Ok::<_, SuiteError>(relative(&self.target.package, &scratch.dir.join(place)))
        };
        let modules = modules.iter().map(|it| {
            Ok(ModuleReport {
                name: it.module.clone().unwrap_or_default(),
                path: put(it)?,
                status: FileStatus::DryRun,
            })
        });
        Ok(FileReport {
            path: put(root)?,
            status: FileStatus::DryRun,
            seen: false,
            modules: modules.collect::<Result<_, SuiteError>>()?,
        })
    }

    /// Writes a root and its modules, and finds out whether cargo sees it. Modules come first, so no
    /// root ever declares a file that is missing.
    fn put(
        &self,
        begun: &Begun,
        root: &Root,
        watch: &mut Watch<'_>,
    ) -> Result<FileReport, SuiteError> {
        let package = &self.target.package;
        let within = Destination::of(self.writing, package).root;
        let fill = |file: &StandingFile| {
            let mut found = begun.found.iter();
            let old = found.find(|(path, _)| *path == file.path);
            if old.is_some_and(|(_, text)| *text == file.text) {
                return Ok(FileStatus::Unchanged);
            }
            put(&file.path, &within, &file.text).map_err(|source| SuiteError::Write {
                path: file.path.clone(),
                source,
            })?;
            Ok::<_, SuiteError>(FileStatus::Written)
        };
        let (first, modules) = root.files.split_first().expect("a root is the first file");
        let modules = modules.iter().map(|it| {
            Ok(ModuleReport {
                name: it.module.clone().unwrap_or_default(),
                path: relative(package, &it.path),
                status: fill(it)?,
            })
        });
        let modules = modules.collect::<Result<Vec<_>, SuiteError>>()?;
        let status = fill(first)?;
        let seen = self.is_seen(first.root, &first.path, watch);
        Ok(FileReport {
            path: relative(package, &first.path),
            status,
            seen: seen.map_err(|source| SuiteError::Write {
                path: first.path.clone(),
                source,
            })?,
            modules,
        })
    }

    /// Does cargo find the file? If it does not, the manifest is amended where the user allows it.
    fn is_seen(&self, stem: &str, path: &Path, watch: &mut Watch<'_>) -> io::Result<bool> {
        let package = &self.target.package;
        let shown = relative(package, path);
        let is_in_tests = Destination::of(self.writing, package).is_tests;
        if package.autotests && is_in_tests || is_registered(&package.manifest_path, stem) {
            return Ok(true);
        }
        if self.writing.register {
            check_within(&package.manifest_path, &package.dir)?;
            register(&package.manifest_path, stem, &shown)?;
            watch.note(format!("added [[test]] {stem} to Cargo.toml"));
            return Ok(true);
        }
        let why = match is_in_tests {
            true => "the package has `autotests = false`",
            false => "it is not in the package's `tests` directory",
        };
        watch.note(format!(
            "cargo does not see {shown}, because {why}; --register adds it to Cargo.toml"
        ));
        Ok(false)
    }
}

impl Begun {
    /// Gives an error if somebody changed a file since it was read, or made one that is to be new.
    fn check_unchanged<'f>(
        &self,
        files: impl Iterator<Item = &'f StandingFile> + Clone,
    ) -> Result<(), SuiteError> {
        let changed = |path: &Path, text: Option<&str>| {
            let now = fs::read(path).ok();
            let now = now.map(|it| text_of(it).unwrap_or_default());
            (now.as_deref() != text).then(|| SuiteError::Changed(path.to_owned()))
        };
        let found = self
            .found
            .iter()
            .map(|(path, text)| (&**path, Some(&**text)));
        let is_new = |path: &Path| !self.found.iter().any(|(it, _)| it == path);
        let is_unchanged = |file: &StandingFile| {
            let mut found = self.found.iter();
            found.any(|(path, text)| *path == file.path && *text == file.text)
        };
        let new = files
            .clone()
            .filter(|it| is_new(&it.path))
            .map(|it| (&*it.path, None));
        let refused = self.refused.new_text().is_some();
        let refused = refused.then(|| (&*self.refused.path, self.refused.old_text()));
        for file in files.clone().filter(|it| !is_unchanged(it)) {
            let is_readonly = fs::metadata(&file.path).is_ok_and(|it| it.permissions().readonly());
            if is_readonly {
                return Err(SuiteError::Write {
                    path: file.path.clone(),
                    source: io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"),
                });
            }
        }
        let mut changed = found
            .chain(new)
            .chain(refused)
            .filter_map(|(path, text)| changed(path, text));
        changed.next().map_or(Ok(()), Err)
    }
}
