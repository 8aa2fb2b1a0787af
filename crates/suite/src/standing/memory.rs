//! Which functions of the crate the last run saw as they are now. It is known below the target
//! directory only: without it, a run adds a few tests more.
//!
//! Whoever adds a function to a crate wants tests of that function. Exploration goes another way then, and
//! enters by chance code of other functions that it did not enter before. Between two runs with the same
//! seed, such code is no news, unless its function changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use testsmith_harness::{Copied, RegionKind};
use testsmith_project::{Package, write_whole};
use testsmith_protocol::{MutantId, RegionId};

use super::function::bare;

/// The crate's functions as they are, and which of them are as the last run saw them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    functions: BTreeMap<RegionId, u64>,
    /// Functions by the regions that are entered by calling them.
    called: BTreeMap<RegionId, String>,
    /// Digests of callables that no test of the suite calls.
    uncalled: BTreeSet<u64>,
    by_mutant: BTreeMap<MutantId, RegionId>,
    last: BTreeSet<u64>,
}

impl Code {
    /// Looks at the functions, and reads what the last run saw.
    pub(crate) fn of(package: &Package, copied: &Copied, run: &str) -> Code {
        let mut sources: BTreeMap<&Path, Vec<String>> = BTreeMap::new();
        let mut texts: BTreeMap<(&Path, &str), BTreeSet<usize>> = BTreeMap::new();
        for region in &copied.regions {
            sources.entry(&region.file).or_insert_with(|| {
                let text = fs::read_to_string(package.dir.join(&region.file));
                text.unwrap_or_default()
                    .lines()
                    .map(|it| it.trim().to_owned())
                    .collect()
            });
            let lines = texts.entry((&region.file, &region.function)).or_default();
            lines.extend(&region.lines);
        }
        let digests: BTreeMap<(&Path, &str), u64> = texts
            .into_iter()
            .map(|((file, function), lines)| {
                let own = lines
                    .iter()
                    .filter_map(|line| sources[file].get(line.checked_sub(1)?));
                let own: Vec<&str> = own.map(String::as_str).collect();
                let text = format!("{} {function} {}", file.display(), own.join("\n"));
                (
                    (file, function),
                    testsmith_protocol::digest(text.as_bytes()),
                )
            })
            .collect();
        let regions = copied.regions.iter().enumerate();
        let functions = regions.map(|(i, region)| {
            let digest = digests[&(&*region.file, &*region.function)];
            (RegionId(i as u32), digest)
        });
        let begins = copied.regions.iter().enumerate();
        let begins = begins.filter(|(_, it)| it.kind == RegionKind::Function);
        let called = begins.map(|(i, it)| (RegionId(i as u32), bare(&it.function)));
        let mutants = copied.numbered();
        let by_mutant = mutants.filter_map(|(id, mutant)| Some((id, mutant.region?)));
        Code {
            functions: functions.collect(),
            called: called.collect(),
            uncalled: BTreeSet::new(),
            by_mutant: by_mutant.collect(),
            last: read(package, run),
        }
    }

    /// Is it in a function that is as the last run saw it?
    pub(crate) fn is_old(&self, region: RegionId) -> bool {
        let digest = self.functions.get(&region);
        digest.is_some_and(|it| self.last.contains(it))
    }

    /// The function that is called by entering a region, if that is where one begins.
    pub(crate) fn called(&self, region: RegionId) -> Option<&str> {
        self.called.get(&region).map(String::as_str)
    }

    /// No test of the suite calls these callables, by their keys.
    pub(crate) fn leaves_uncalled<'k>(&mut self, callables: impl Iterator<Item = &'k str>) {
        self.uncalled = callables.map(digest).collect();
    }

    /// Did the last run leave this callable without a test, and see its function as it is now?
    pub(crate) fn left_uncalled(&self, callable: &str) -> bool {
        self.last.contains(&digest(callable)) && self.is_as_it_was(callable)
    }

    /// Did the last run see the function of this callable as it is now?
    pub(crate) fn is_as_it_was(&self, callable: &str) -> bool {
        let name = bare(callable);
        let begins = self.called.iter().filter(|(_, it)| **it == name);
        let mut begins = begins.peekable();
        begins.peek().is_some() && begins.all(|(region, _)| self.is_old(*region))
    }

    /// Is it in a function that the last run did not see, if there is one that it saw?
    pub(crate) fn is_new(&self, mutant: MutantId) -> bool {
        let region = self.by_mutant.get(&mutant);
        !self.last.is_empty() && region.is_some_and(|it| !self.is_old(*it))
    }

    /// Writes down what the functions are like, for the next run.
    pub(crate) fn keep(&self, package: &Package, run: &str) -> io::Result<()> {
        let functions = self.functions.values();
        let digests: BTreeSet<&u64> = functions.chain(&self.uncalled).collect();
        let mut text = format!("{run}\n");
        for digest in digests {
            let _ = writeln!(text, "{digest:016x}");
        }
        let path = path(package);
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir)?;
        }
        write_whole(&path, text)
    }
}

/// The digest of a callable that no test calls, by its key.
fn digest(callable: &str) -> u64 {
    testsmith_protocol::digest(format!("uncalled {callable}").as_bytes())
}

fn path(package: &Package) -> PathBuf {
    let dir = package.target_dir.join("testsmith/standing");
    dir.join(format!("{}.txt", package.name))
}

/// What the last run saw, if it was like this one.
fn read(package: &Package, run: &str) -> BTreeSet<u64> {
    let text = fs::read_to_string(path(package)).unwrap_or_default();
    let lines = text.strip_prefix(run).and_then(|it| it.strip_prefix('\n'));
    let digests = lines
        .unwrap_or_default()
        .lines()
        .filter_map(|line| u64::from_str_radix(line, 16).ok());
    digests.collect()
}
