//! Lists the examples of the documentation, and builds executables of them.

#![expect(
    clippy::disallowed_methods,
    reason = "examples are built from files and found in files"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use testsmith_harness::{KEEP_DOCTEST, doctest_place, kept_doctests};
use testsmith_project::{ScratchError, set_runner};

use crate::error::RigError;
use crate::libtest::{Line, example};
use crate::own::{COMPILED_ONLY, Own, OwnTest, STARTED_AT_ONCE};
use crate::patience::LONGEST;
use crate::profile::Unfit;
use crate::rig::Rig;
use crate::sources::examples_in;

/// rustc takes all examples in one file for one unit, which a single thread compiles, unless it is
/// told otherwise.
const SEVERAL_UNITS: &str = "build.rustdocflags = ['-Ccodegen-units=4']";

impl Rig {
    /// Lists the examples of the documentation without building them.
    pub fn list_docs(&self) -> Result<Vec<OwnTest>, RigError> {
        let mut command = self.cargo("test");
        command.args(["--doc", "--", "--list"]);
        let listed = command.text().map_err(ScratchError::from)?;
        let names = listed.lines().filter_map(|line| match Line::of(line) {
            Line::Listed(name) => Some(name),
            _ => None,
        });
        Ok(self.docs(names))
    }

    /// Tests for the examples with these names, not built.
    pub fn docs<'n>(&self, names: impl Iterator<Item = &'n str>) -> Vec<OwnTest> {
        let mut n_alike: BTreeMap<String, u32> = BTreeMap::new();
        let mut digests: BTreeMap<String, u64> = BTreeMap::new();
        let mut names: Vec<&str> = names.collect();
        names.sort_by_key(|name| {
            let (item, line) = name.rsplit_once(" (line ").unwrap_or((name, ""));
            (item, line.len(), line)
        });
        let mut tests = Vec::new();
        let root = self.twin.root();
        for name in names {
            let (file, _) = name.split_once(" - ").unwrap_or((name, ""));
            let digest = *digests
                .entry(file.to_owned())
                .or_insert_with(|| examples_in(&root, Path::new(file)));
            let item = name.rsplit_once(" (line").map_or(name, |it| it.0);
            let n = n_alike.entry(item.to_owned()).or_default();
            *n += 1;
            tests.push(OwnTest {
                key: format!("doc {item} {n}"),
                dir: self.twin.package.clone(),
                exact: None,
                panics: says_should_panic(&root, name),
                ..OwnTest::unbuilt("doc", name, digest)
            });
        }
        tests
    }

    /// Builds examples of the documentation: the needed ones, or all. Examples that are only
    /// compiled are no tests.
    pub fn build_docs(
        &self,
        needed: Option<(Vec<OwnTest>, &[OwnTest])>,
        left_out: &mut BTreeMap<String, usize>,
    ) -> Result<Vec<OwnTest>, RigError> {
        let dir = self.twin.dir.join("doctests");
        let _ = fs::remove_dir_all(&dir);
        let fail = |source| ScratchError::Write {
            path: dir.clone(),
            source,
        };
        fs::create_dir_all(&dir).map_err(fail)?;
        let mut command = self.cargo("test");
        let [wrapper, place] = [&self.instrument.wrapper, &dir].map(|it| it.display().to_string());
        let runner = [wrapper, KEEP_DOCTEST.to_owned(), place];
        if !set_runner(&mut command, &self.twin.package, &runner) {
            let n = self.list_docs()?.len();
            *left_out.entry(STARTED_AT_ONCE.to_owned()).or_default() += n;
            return Ok(Vec::new());
        }
        command
            .args(["--config", SEVERAL_UNITS])
            .args(["--doc", "--"]);
        let mut hushed = Hushed::default();
        match &needed {
            Some((needed, all)) if self.builds_examples_as_one => {
                hushed = self.hush(needed, all)?
            }
            Some((needed, _)) => {
                // rustdoc takes a name with spaces for several words, so it is given only the line.
                // A few more examples may be built than these.
                let lines = needed.iter().filter_map(|it| it.name.rsplit_once(' '));
                command.args(lines.map(|(_, line)| line));
            }
            None => {}
        }
        let said = command.text().map_err(ScratchError::from);
        self.restore(hushed)?;
        let said = said?;
        let is_chosen = needed.is_some();
        let mut tests = match needed {
            Some((needed, _)) => needed,
            None => self.docs(said.lines().filter_map(example)),
        };
        for doctest in kept_doctests(&dir).map_err(fail)? {
            if let Some(place) = doctest.place {
                let is_it = |it: &&mut OwnTest| {
                    let name = it.name.strip_prefix("doc ").unwrap_or_default();
                    it.binary.is_none() && doctest_place(name).as_ref() == Some(&place)
                };
                if let Some(test) = tests.iter_mut().find(is_it) {
                    test.binary = Some(doctest.executable);
                }
                continue;
            }
            // One executable may hold many examples. They are numbered in the order of their names,
            // which only the executable knows.
            let examples = self.examples(&doctest.executable)?;
            if !is_chosen {
                let found = self.docs(examples.iter().map(|it| it.0.as_str()));
                tests.retain(|it| !found.iter().any(|other| other.name == it.name));
                tests.extend(found);
            }
            for (number, (name, is_run)) in examples.iter().enumerate() {
                let is_it = |it: &&mut OwnTest| it.name.strip_prefix("doc ") == Some(name);
                if let Some(test) = tests.iter_mut().find(is_it) {
                    test.number = Some(number);
                    test.binary = is_run.then(|| doctest.executable.clone());
                }
            }
        }
        let n_all = tests.len();
        tests.retain(OwnTest::is_built);
        if tests.len() < n_all {
            *left_out.entry(COMPILED_ONLY.to_owned()).or_default() += n_all - tests.len();
        }
        Ok(tests)
    }

    /// Marks all other examples as ignored, where rustdoc builds all of a package's examples as one
    /// executable whatever it is asked for.
    fn hush(&self, needed: &[OwnTest], all: &[OwnTest]) -> Result<Hushed, RigError> {
        let needed: BTreeSet<&str> = needed.iter().map(|it| it.name.as_str()).collect();
        let mut lines: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for test in all.iter().filter(|it| !needed.contains(it.name.as_str())) {
            let name = test.name.strip_prefix("doc ").unwrap_or_default();
            let (file, line) = place(name);
            lines.entry(file).or_default().insert(line);
        }
        let mut hushed = Hushed::default();
        for (file, lines) in lines {
            let file = self.twin.root().join(file);
            let Ok(text) = fs::read_to_string(&file) else {
                continue;
            };
            let mut quiet = String::with_capacity(text.len());
            for (line, n) in text.split_inclusive('\n').zip(1..) {
                match ignored(line).filter(|_| lines.contains(&n)) {
                    Some(ignored) => quiet.extend([ignored.as_str(), "\n"]),
                    None => quiet.push_str(line),
                }
            }
            self.twin.write(&file, &quiet)?;
            hushed.0.push((file, text));
        }
        Ok(hushed)
    }

    fn restore(&self, Hushed(files): Hushed) -> Result<(), RigError> {
        for (file, text) in files {
            self.twin.write(&file, &text)?;
        }
        Ok(())
    }

    /// The names of the examples in an executable, and whether it runs them.
    fn examples(&self, binary: &Path) -> Result<Vec<(String, bool)>, RigError> {
        let mut command = self.command(binary, &self.twin.package, None);
        // The executable runs each example through the program in this variable. With `true`
        // nothing happens but that the names are printed.
        command.env("RUSTDOC_DOCTEST_BIN_PATH", "true");
        let mut names = Vec::new();
        let process = self.process(&self.cells[0], LONGEST);
        process.follow(command, &mut |line| {
            let is_run = !line.contains(" ... ignored") && !line.contains(" - compile");
            names.extend(example(line).map(|name| (name.to_owned(), is_run)));
            true
        })?;
        names.sort();
        Ok(names)
    }

    /// Builds all examples. An example that cannot be built any more is marked unfit.
    pub fn build_examples(&self, own: &mut Own) -> Result<(), RigError> {
        let mut left_out = BTreeMap::new();
        let examples = self.build_docs(None, &mut left_out)?;
        // This build replaces the executables of the last one, so every example gets a new path.
        let tests = own.tests.iter_mut().zip(&mut own.profiles);
        for (test, profile) in tests.filter(|it| it.0.is_example()) {
            match examples.iter().find(|it| it.name == test.name) {
                Some(example) => {
                    test.binary.clone_from(&example.binary);
                    test.number = example.number;
                }
                None => profile.unfit = Some(Unfit::Failed),
            }
        }
        Ok(())
    }
}

/// Files in which some examples are marked as ignored, with their original texts.
#[derive(Default)]
struct Hushed(Vec<(PathBuf, String)>);

/// The first line of an example, changed so that the example is ignored; `None` if the line is not
/// a plain beginning of one.
fn ignored(line: &str) -> Option<String> {
    let at = line.find("```")?;
    let (before, fence) = line.split_at(at);
    let is_comment = matches!(before.trim(), "///" | "//!");
    let n = fence.len() - fence.trim_start_matches('`').len();
    let is_whole = !fence[n..].contains('`');
    (is_comment && is_whole).then(|| format!("{before}{}ignore", &fence[..n]))
}

/// Does the first line of an example say that it panics?
fn says_should_panic(root: &Path, name: &str) -> bool {
    let (file, line) = place(name);
    let text = fs::read_to_string(root.join(file)).unwrap_or_default();
    let line = text.lines().nth(line.saturating_sub(1));
    line.is_some_and(|it| it.contains("should_panic"))
}

/// The file of an example, and its first line there, counted from 1.
fn place(name: &str) -> (&str, usize) {
    let file = name.split_once(" - ").map_or("", |it| it.0);
    let line = name.rsplit_once("(line ").map_or("", |it| it.1);
    (file, line.trim_end_matches(')').parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_beginnings_of_examples_are_hushed() {
        let hushed = |line: &str| ignored(line).unwrap_or_default();
        assert_eq!(hushed("/// ```"), "/// ```ignore");
        assert_eq!(hushed("/// ```\n"), "/// ```ignore");
        assert_eq!(hushed("    //! ````rust,no_run\r\n"), "    //! ````ignore");
        for line in ["/// a ```", "/// ```a```", "// ```", "#[doc = \"```\"]", ""] {
            assert_eq!(ignored(line), None, "{line}");
        }
    }
}
