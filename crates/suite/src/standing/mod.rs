//! The suite that is there: what earlier runs wrote and people kept or edited.
//!
//! **A suite lives.** A run begins with the tests that are there and runs them ([`trial`]). What still
//! holds stays, byte for byte. What fails is behaviour that changed: it is shown, and rewritten only
//! if the user accepts it ([`accept`]). What is new is put beside what it is like ([`merge`]). It used
//! to be that a run wrote its suite over the last one: then a regression was asserted as what the
//! crate does, and one new method changed more than a thousand lines.

pub(crate) mod accept;
pub(crate) mod changed;
pub(crate) mod merge;
pub(crate) mod news;
pub(crate) mod seal;
pub(crate) mod text;
pub(crate) mod trial;
pub(crate) mod weigh;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use self::changed::{Change, Likely};
pub use self::text::{Author, NoRust, StandingFile, StandingTest, Usual};
pub use self::trial::{Fate, Fates};
pub use self::weigh::Weighed;

/// Which test of which file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct At {
    /// The index of its file.
    pub file: usize,
    /// Its index in the file.
    pub test: usize,
}

/// The suite that is there.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// The directory of the root.
    pub(crate) dir: PathBuf,
    /// The name of the root without `.rs`.
    pub(crate) name: &'static str,
    /// The root, and the files of the modules that it declares; none if there is no suite.
    pub files: Vec<StandingFile>,
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
    /// Reads the suite with a root of this name.
    pub fn read(dir: &Path, name: &'static str) -> Result<Standing, StandingError> {
        let mut standing = Standing {
            dir: dir.to_owned(),
            name,
            files: Vec::new(),
        };
        let Some(root) = file(&dir.join(format!("{name}.rs")), None)? else {
            return Ok(standing);
        };
        let modules = root.modules.clone();
        standing.files.push(root);
        for (module, path) in modules {
            // The user's makers are a module, too, and no part of the suite.
            let is_below = path.parent() == Some(&*dir.join(name));
            if is_below && let Some(file) = file(&path, Some(&module))? {
                standing.files.push(file);
            }
        }
        Ok(standing)
    }

    /// Is there no suite yet?
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Its tests.
    pub fn tests(&self) -> impl Iterator<Item = (At, &StandingTest)> {
        self.files.iter().enumerate().flat_map(|(i, file)| {
            let tests = file.tests.iter().enumerate();
            tests.map(move |(j, test)| (At { file: i, test: j }, test))
        })
    }

    /// A test of it.
    pub fn test(&self, at: At) -> &StandingTest {
        &self.files[at.file].tests[at.test]
    }

    /// The name of a test as `cargo test -- --exact` takes it.
    pub fn full_name(&self, at: At) -> String {
        self.files[at.file].full_name(self.test(at))
    }

    /// The suite as it is without some tests. A file in which nothing of a person's is left is gone.
    pub(crate) fn without(&self, out: &BTreeSet<At>) -> Standing {
        let files = self.files.iter().enumerate().filter_map(|(i, file)| {
            let is_out = |j: usize| out.contains(&At { file: i, test: j });
            if !(0..file.tests.len()).any(is_out) {
                return Some(file.clone());
            }
            let is_bare = (0..file.tests.len()).all(is_out) && file.has_items_of_ours_alone();
            let text = file.without(is_out);
            let left = || StandingFile::parse(&file.path, file.module.as_deref(), text);
            let left = (!is_bare).then(left)?;
            Some(left.expect("without some of its functions a file is still Rust"))
        });
        Standing {
            files: files.collect(),
            ..self.clone()
        }
    }
}

fn file(path: &Path, module: Option<&str>) -> Result<Option<StandingFile>, StandingError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            let path = path.to_owned();
            return Err(StandingError::Read { path, source });
        }
    };
    match StandingFile::parse(path, module, text) {
        Ok(file) => Ok(Some(file)),
        Err(no_rust) => Err(StandingError::NoRust {
            path: path.to_owned(),
            no_rust,
        }),
    }
}
