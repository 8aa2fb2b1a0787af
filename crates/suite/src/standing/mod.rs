//! The suite that is there: what earlier runs wrote and people kept or edited.
//!
//! **A suite lives.** A run begins with the tests that are there and runs them ([`trial`]). What still
//! holds stays, byte for byte. What fails is behaviour that changed: it is shown, and rewritten only
//! if the user accepts it ([`accept`]). What is new is put beside what it is like ([`merge`]). It used
//! to be that a run wrote its suite over the last one: then a regression was asserted as what the
//! crate does, and one new method changed more than a thousand lines.

#![expect(clippy::disallowed_methods, reason = "it reads the files of the suite")]

pub(crate) mod accept;
pub(crate) mod changed;
pub(crate) mod compose;
pub(crate) mod cut;
mod function;
mod idle;
pub(crate) mod measure;
pub(crate) mod memory;
pub(crate) mod merge;
pub(crate) mod news;
pub(crate) mod refused;
pub(crate) mod seal;
pub(crate) mod text;
pub(crate) mod trial;
pub(crate) mod weigh;
pub(crate) mod worthless;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use self::cut::Cut;
pub use self::text::NoRust;
pub(crate) use self::text::{Author, Edit, StandingFile, StandingTest, Usual, edited};

/// Which test of which file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct At {
    /// The index of its file.
    pub(crate) file: usize,
    /// Its index in the file.
    pub(crate) test: usize,
}

/// The suite that is there: the files of all its roots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing {
    /// The directory of the roots.
    pub(crate) dir: PathBuf,
    /// Each root that there is, and the files of the modules that it declares.
    pub(crate) files: Vec<StandingFile>,
    /// Files of ours that end in the middle. Their tests are not among the others.
    pub(crate) cut: Vec<Cut>,
}

/// Why the suite that is there cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StandingError {
    /// A file is not Rust.
    #[error("{}:{}: {}", path.display(), no_rust.line, no_rust.message)]
    NoRust {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        no_rust: NoRust,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl Standing {
    /// Reads the suite with roots of these names.
    pub(crate) fn read(dir: &Path, roots: &[&'static str]) -> Result<Standing, StandingError> {
        let mut standing = Standing {
            dir: dir.to_owned(),
            files: Vec::new(),
            cut: Vec::new(),
        };
        for name in roots {
            let path = dir.join(format!("{name}.rs"));
            let Some(root) = standing.file_at(name, &path, None)? else {
                continue;
            };
            let declared = root.declared.clone();
            standing.files.push(root);
            for module in declared {
                // The user's makers are a module, too, and no part of the suite.
                let path = module
                    .path
                    .filter(|it| it.parent() == Some(&*dir.join(name)));
                if let Some(path) = path
                    && let Some(file) = standing.file_at(name, &path, Some(&module.name))?
                {
                    standing.files.push(file);
                }
            }
        }
        Ok(standing)
    }

    /// Reads one of the files. Of one that ends in the middle, only the declarations of a root are read.
    fn file_at(
        &mut self,
        root: &'static str,
        path: &Path,
        module: Option<&str>,
    ) -> Result<Option<StandingFile>, StandingError> {
        let failed = |source| StandingError::Read {
            path: path.to_owned(),
            source,
        };
        // Whoever opens a pipe waits for somebody at its other end.
        if fs::metadata(path).is_ok_and(|it| !it.is_file()) {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "it is no file");
            return Err(failed(source));
        }
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(failed(source)),
        };
        let n_bytes = bytes.len();
        let no_text = || {
            failed(io::Error::new(
                io::ErrorKind::InvalidData,
                "it is not UTF-8",
            ))
        };
        let text = cut::text_of(bytes).ok_or_else(no_text)?;
        if cut::is_cut(&text, module.is_some()) {
            let path = path.to_owned();
            let file = cut::declarations(root, &path, &text);
            self.cut.push(Cut { path, text });
            return Ok(file.filter(|_| module.is_none()));
        }
        if text.len() < n_bytes {
            return Err(no_text());
        }
        match StandingFile::parse(root, path, module, text) {
            Ok(file) => Ok(Some(file)),
            Err(no_rust) => Err(StandingError::NoRust {
                path: path.to_owned(),
                no_rust,
            }),
        }
    }

    /// Is there no suite yet?
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The names of the roots that there are.
    pub(crate) fn roots(&self) -> Vec<&'static str> {
        let roots = self.files.iter().filter(|it| it.module.is_none());
        roots.map(|it| it.root).collect()
    }

    /// The files of a root.
    pub(crate) fn of_root(&self, root: &str) -> impl Iterator<Item = &StandingFile> {
        self.files.iter().filter(move |it| it.root == root)
    }

    /// Its tests.
    pub(crate) fn tests(&self) -> impl Iterator<Item = (At, &StandingTest)> {
        self.files.iter().enumerate().flat_map(|(i, file)| {
            let tests = file.tests.iter().enumerate();
            tests.map(move |(j, test)| (At { file: i, test: j }, test))
        })
    }

    /// A test of it.
    pub(crate) fn test(&self, at: At) -> &StandingTest {
        &self.files[at.file].tests[at.test]
    }

    /// The file of a test.
    pub(crate) fn file(&self, at: At) -> &StandingFile {
        &self.files[at.file]
    }

    /// The name of a test as `cargo test -- --exact` takes it.
    pub(crate) fn full_name(&self, at: At) -> String {
        self.files[at.file].full_name(self.test(at))
    }

    /// The file's path from the directory of the roots.
    pub(crate) fn below(&self, file: &StandingFile) -> String {
        let path = file.path.strip_prefix(&self.dir).unwrap_or(&file.path);
        path.display().to_string()
    }

    /// The suite as it is with other texts of these files.
    pub(crate) fn with_texts(&self, texts: Vec<String>) -> Standing {
        let files = self.files.iter().zip(texts);
        let files = files.map(|(file, text)| match file.text == text {
            true => file.clone(),
            false => file
                .again(text)
                .expect("only whole items were replaced by others"),
        });
        Standing {
            files: files.collect(),
            ..self.clone()
        }
    }

    /// The suite as it is without some tests. A file in which nothing of a person's is left is gone,
    /// and is not declared any more.
    pub(crate) fn without(&self, out: &BTreeSet<At>) -> Standing {
        let is_out = |file: usize, test: usize| out.contains(&At { file, test });
        let is_gone = |i: usize| {
            let file = &self.files[i];
            !file.tests.is_empty()
                && (0..file.tests.len()).all(|j| is_out(i, j))
                && file.has_nothing_of_a_persons()
        };
        let gone: BTreeSet<usize> = (0..self.files.len()).filter(|i| is_gone(*i)).collect();
        let mut standing = self.with_texts(
            (0..self.files.len())
                .map(|i| self.files[i].without(|j| is_out(i, j)))
                .collect(),
        );
        let lost: BTreeSet<&PathBuf> = gone.iter().map(|i| &self.files[*i].path).collect();
        standing.forget(&|path| lost.contains(&path.to_owned()));
        let mut i = 0;
        standing.files.retain(|_| {
            i += 1;
            !gone.contains(&(i - 1))
        });
        standing.without_empty_roots(self)
    }

    /// Takes out declarations of modules whose files are lost.
    fn forget(&mut self, is_lost: &dyn Fn(&Path) -> bool) {
        for file in self.files.iter_mut().filter(|it| it.module.is_none()) {
            let declared = file.declared.iter();
            let is_lost = |it: &&text::Declared| it.path.as_deref().is_some_and(is_lost);
            let edits = declared.filter(is_lost).map(|it| Edit {
                lines: it.piece.lines.clone(),
                with: Vec::new(),
            });
            let edits: Vec<Edit> = edits.collect();
            if !edits.is_empty() {
                let text = edited(&file.text, edits);
                *file = file
                    .again(text)
                    .expect("without a module a file is still Rust");
            }
        }
    }

    /// Takes out declarations of modules of tests whose files somebody removed, and gives their paths.
    pub(crate) fn forget_removed(&mut self) -> Vec<PathBuf> {
        let below: Vec<PathBuf> = self.roots().iter().map(|it| self.dir.join(it)).collect();
        let declared = self.files.iter().flat_map(|it| &it.declared);
        let paths = declared.filter_map(|it| it.path.clone());
        let is_module = |path: &PathBuf| below.iter().any(|it| path.parent() == Some(it));
        let lost: Vec<PathBuf> = paths.filter(|it| is_module(it) && !it.exists()).collect();
        self.forget(&|path| lost.iter().any(|it| it == path));
        lost
    }

    /// The suite without roots that declared modules and have nothing any more. `before` is what it
    /// was made of.
    fn without_empty_roots(mut self, before: &Standing) -> Standing {
        let is_ours = |it: &StandingFile| {
            let own = before.of_root(it.root).next();
            own.is_some_and(|own| !own.declared.is_empty() && own.tests.is_empty())
        };
        let modules: Vec<&'static str> = self
            .files
            .iter()
            .filter(|it| it.module.is_some())
            .map(|it| it.root)
            .collect();
        self.files.retain(|it| {
            let is_empty =
                it.tests.is_empty() && it.items.is_empty() && !modules.contains(&it.root);
            !(it.module.is_none() && is_empty && is_ours(it))
        });
        self
    }
}

/// Did testsmith write all that is in this file, and nobody edit it since?
pub(crate) fn is_ours_alone(path: &Path, text: String) -> bool {
    let file = StandingFile::parse("", path, None, text);
    file.is_ok_and(|it| {
        let ours = it.tests.iter().all(|test| test.author == Author::Testsmith);
        ours && !it.tests.is_empty() && it.has_nothing_of_a_persons()
    })
}
