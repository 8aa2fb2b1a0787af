//! Reads the source at which panics were raised: lines of the package as it is, and expressions of
//! what was compiled, which may be the rewritten copy.
//!
//! The copy has every line where the original has it, but more text in it, so that a column counts
//! there and nowhere else.

#![expect(
    clippy::disallowed_methods,
    reason = "a verdict looks at the expression that panicked"
)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use testsmith_harness::Copied;

use super::around::Around;
use super::site::{Site, Sites};
use crate::path::relative;

/// The source of a package, and of what it was compiled from.
#[derive(Debug, Default)]
pub struct Sources<'c> {
    dir: PathBuf,
    copied: Option<&'c Copied>,
    files: RefCell<BTreeMap<String, Rc<[String]>>>,
    sites: RefCell<BTreeMap<String, Rc<Sites>>>,
    around: RefCell<BTreeMap<String, Rc<Around>>>,
}

impl<'c> Sources<'c> {
    /// For the package in this directory, of which this copy was compiled.
    pub fn of(dir: &Path, copied: Option<&'c Copied>) -> Sources<'c> {
        Sources {
            dir: dir.to_path_buf(),
            copied,
            ..Sources::default()
        }
    }

    /// The text of a line. `file` is named as the compiler does; `None` if the file is not there.
    pub(crate) fn line(&self, file: &str, line: u32) -> Option<String> {
        let lines = self.lines(file);
        lines.get(line.checked_sub(1)? as usize).cloned()
    }

    /// The lines of a file of the package; none if it is no file of it.
    pub(super) fn lines(&self, file: &str) -> Rc<[String]> {
        let mut files = self.files.borrow_mut();
        let lines = files.entry(file.to_owned()).or_insert_with(|| {
            let text = self.text(file).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        });
        Rc::clone(lines)
    }

    /// The expressions that begin at this place of what was compiled; none if there is no source,
    /// or if it is our own.
    pub(super) fn at(&self, file: &str, line: u32, column: u32) -> Vec<Site> {
        if relative(file).is_none() {
            return Vec::new();
        }
        let mut sites = self.sites.borrow_mut();
        let sites = sites.entry(file.to_owned()).or_insert_with(|| {
            let text = self.rewritten(file).map(str::to_owned);
            let text = text.or_else(|| self.text(file)).unwrap_or_default();
            Rc::new(Sites::of(&text))
        });
        sites.at(line, column).to_vec()
    }

    /// What is unwrapped at this place of what was compiled.
    pub(super) fn unwrapped(&self, file: &str, line: u32, column: u32) -> Option<String> {
        // It reads the file.
        self.at(file, line, column);
        let sites = self.sites.borrow();
        sites.get(file)?.unwrapped(line, column).map(str::to_owned)
    }

    /// The functions of a file of the package.
    pub(super) fn around(&self, file: &str) -> Rc<Around> {
        let mut around = self.around.borrow_mut();
        let around = around.entry(file.to_owned()).or_insert_with(|| {
            let text = relative(file).and_then(|_| self.text(file));
            Rc::new(Around::of(&text.unwrap_or_default()))
        });
        Rc::clone(around)
    }

    /// The function with this line: its name, and where it begins.
    pub(super) fn function(&self, file: &str, line: u32) -> Option<String> {
        let short = relative(file)?;
        let (name, first) = self.around(file).named(line)?;
        Some(format!("{name} at {short}:{first}"))
    }

    /// The text of the copy's file.
    fn rewritten(&self, file: &str) -> Option<&'c str> {
        let copied = self.copied?;
        let path = Path::new(file);
        let own = path.strip_prefix(&self.dir).unwrap_or(path);
        let short = relative(file);
        let short = short.as_deref().map(Path::new).into_iter();
        let mut places = std::iter::once(own).chain(short);
        places.find_map(|it| copied.text(it))
    }

    /// The text of the file as the package has it.
    fn text(&self, file: &str) -> Option<String> {
        let places = [Some(file.to_owned()), relative(file)].into_iter();
        let mut texts = places
            .flatten()
            .filter_map(|it| fs::read_to_string(self.dir.join(it)).ok());
        texts.next()
    }
}
