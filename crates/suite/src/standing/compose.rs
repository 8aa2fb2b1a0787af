//! The files of a root with new tests in them: beside those that are there, or all new.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use testsmith_api::STAND_INS;
use testsmith_emit::{EmittedTest, Module, ModuleFile, Taken, TestCase, TestFile};
use testsmith_sequence::World;

use super::merge::{declarations, merge};
use super::seal::sealed;
use super::{Standing, StandingFile, edited};
use crate::printer::Printer;
use crate::split;

/// Puts tests into the files of one root.
pub(crate) struct Composer<'c, 'p> {
    pub(crate) world: &'c World,
    pub(crate) printer: &'c Printer<'p>,
    pub(crate) standing: &'c Standing,
    /// The same with what does not compile or hold. Its tests keep their names.
    pub(crate) whole: &'c Standing,
    pub(crate) dir: &'c Path,
    pub(crate) root: &'static str,
    /// The name of the module of makers.
    pub(crate) makers: Option<&'c str>,
    /// May a large suite have a file for each module?
    pub(crate) may_split: bool,
}

/// The files of a root, with all tests that it has now.
#[derive(Clone, Default)]
pub(crate) struct Composed {
    /// The root first, unless there is none.
    pub(crate) files: Vec<StandingFile>,
    /// The new tests, each with its case. Modules are indices of `files`, less one.
    pub(crate) tests: Vec<EmittedTest>,
}

impl Composer<'_, '_> {
    /// What a test that is put into a file finds there.
    fn taken(&self, file: &StandingFile) -> Taken {
        let whole = self.whole.files.iter().find(|it| it.path == file.path);
        let imports = file
            .imports
            .iter()
            .filter(|(name, _)| !name.ends_with(" as _"));
        let imports = imports.map(|(name, path)| (name.clone(), path.clone()));
        let items = file.items.iter().map(|(name, pieces)| {
            let is_ours = pieces.iter().all(|it| file.seal.has(&it.text));
            let path = match is_ours {
                true => format!("{STAND_INS}::{name}"),
                false => name.clone(),
            };
            (name.clone(), path)
        });
        Taken {
            imports: imports.chain(items).collect(),
            names: whole.unwrap_or(file).names(),
        }
    }

    /// The files with tests of these cases in them, none of which has a new seal yet.
    pub(crate) fn compose(&self, cases: &[TestCase]) -> Composed {
        let own: Vec<&StandingFile> = self.standing.of_root(self.root).collect();
        match &own[..] {
            [] => self.new_files(cases),
            [root] => self.one_file(root, cases),
            [root, modules @ ..] => self.modules(root, modules, cases),
        }
    }

    fn path(&self, module: Option<&str>) -> PathBuf {
        match module {
            None => self.dir.join(format!("{}.rs", self.root)),
            Some(module) => self.dir.join(self.root).join(format!("{module}.rs")),
        }
    }

    fn parsed(&self, module: Option<&str>, text: String) -> StandingFile {
        StandingFile::parse(self.root, &self.path(module), module, text)
            .expect("what is printed is Rust")
    }

    fn new_files(&self, cases: &[TestCase]) -> Composed {
        let modules = match self.may_split {
            true => split::modules(self.world, cases, self.makers, false),
            false => None,
        };
        let file = match modules {
            Some(modules) => self.printer.print_modules(cases, &modules, self.root),
            None => self.printer.print(cases),
        };
        if file.tests.is_empty() {
            return Composed::default();
        }
        let modules = file.modules.iter();
        let modules = modules.map(|it| self.parsed(Some(&it.name), it.text.clone()));
        Composed {
            files: std::iter::once(self.parsed(None, file.text.clone()))
                .chain(modules)
                .collect(),
            tests: file.tests,
        }
    }

    fn one_file(&self, root: &StandingFile, cases: &[TestCase]) -> Composed {
        if cases.is_empty() {
            return Composed {
                files: vec![root.clone()],
                tests: Vec::new(),
            };
        }
        let cases: Vec<&TestCase> = cases.iter().collect();
        let printed = self.printer.print_into(&cases, &self.taken(root), None);
        let (file, tests) = self.merged(root, &printed);
        Composed {
            files: vec![file],
            tests,
        }
    }

    /// The file with the tests of a printed one in it, and where these are.
    fn merged(&self, file: &StandingFile, printed: &TestFile) -> (StandingFile, Vec<EmittedTest>) {
        if printed.tests.is_empty() {
            return (file.clone(), Vec::new());
        }
        let of = self.parsed(file.module.as_deref(), printed.text.clone());
        let merged = file.again(merge(file, &of));
        let merged = merged.expect("whole items were put between others");
        let tests = printed.tests.iter().filter_map(|test| {
            let own = merged.tests.iter().find(|it| it.name == test.name)?;
            Some(moved(test, own.lines.start as u32 + 1))
        });
        let tests = tests.collect();
        (merged, tests)
    }

    fn modules(
        &self,
        root: &StandingFile,
        modules: &[&StandingFile],
        cases: &[TestCase],
    ) -> Composed {
        let mut files: Vec<StandingFile> = modules.iter().map(|it| (*it).clone()).collect();
        let groups = match cases {
            [] => Vec::new(),
            _ => split::modules(self.world, cases, self.makers, true).unwrap_or_default(),
        };
        let mut by_file: BTreeMap<usize, Vec<EmittedTest>> = BTreeMap::new();
        for Module {
            name,
            about,
            cases: own,
        } in groups
        {
            let of: Vec<&TestCase> = own.iter().map(|i| &cases[*i]).collect();
            let known = files
                .iter()
                .position(|it| it.module.as_deref() == Some(&*name));
            let taken = known.map(|i| self.taken(&files[i])).unwrap_or_default();
            let printed = self.printer.print_into(&of, &taken, Some(&about));
            if printed.tests.is_empty() {
                continue;
            }
            let (i, tests) = match known {
                Some(i) => {
                    let (file, tests) = self.merged(&files[i], &printed);
                    files[i] = file;
                    (i, tests)
                }
                None => {
                    files.push(self.parsed(Some(&name), printed.text.clone()));
                    (files.len() - 1, printed.tests)
                }
            };
            by_file.insert(
                i,
                tests
                    .into_iter()
                    .map(|it| in_module(it, &name, i, &own))
                    .collect(),
            );
        }
        let declared: Vec<ModuleFile> = files.iter().map(module_file).collect();
        let printed = self.parsed(None, self.printer.root(&declared, self.root));
        let edits = declarations(root, &printed.declared);
        let root = match edits.is_empty() {
            true => root.clone(),
            false => {
                let text = edited(&root.text, edits);
                root.again(text)
                    .expect("a declaration was put between others")
            }
        };
        Composed {
            files: std::iter::once(root).chain(files).collect(),
            tests: by_file.into_values().flatten().collect(),
        }
    }
}

fn module_file(file: &StandingFile) -> ModuleFile {
    ModuleFile {
        name: file.module.clone().unwrap_or_default(),
        text: file.text.clone(),
    }
}

/// The test as one of a module, whose file has this index. `cases` are those of the module.
fn in_module(test: EmittedTest, module: &str, i: usize, cases: &[usize]) -> EmittedTest {
    EmittedTest {
        name: format!("{module}::{}", test.name),
        module: Some(i),
        case: cases[test.case],
        ..test
    }
}

/// The test with its lines as they are if it begins on this one.
fn moved(test: &EmittedTest, first: u32) -> EmittedTest {
    let by = |line: u32| line - test.first_line + first;
    let assertions = test.assertion_lines.iter();
    EmittedTest {
        first_line: first,
        last_line: by(test.last_line),
        assertion_lines: assertions
            .map(|(line, check)| (by(*line), *check))
            .collect(),
        ..test.clone()
    }
}

impl Composed {
    /// The files as they are compiled.
    pub(crate) fn to_vet(&self) -> TestFile {
        let Some((root, modules)) = self.files.split_first() else {
            return TestFile::default();
        };
        TestFile {
            text: root.text.clone(),
            modules: modules.iter().map(module_file).collect(),
            tests: self.tests.clone(),
        }
    }

    /// The texts of the new tests, by the indices of their cases.
    pub(crate) fn texts(&self) -> BTreeMap<usize, String> {
        let text = |test: &EmittedTest| {
            let file = &self.files[test.module.map_or(0, |i| i + 1)];
            let own = file.tests.iter().find(|it| file.full_name(it) == test.name);
            own.map(|it| (test.case, it.text.clone()))
        };
        self.tests.iter().filter_map(text).collect()
    }

    /// The files with seals for what was added. `before` is the suite that it was added to.
    pub(crate) fn sealed(self, before: &Standing, run: Option<&str>) -> Vec<StandingFile> {
        let new: BTreeSet<&str> = self.tests.iter().map(|it| &*it.name).collect();
        let files = self.files.iter().map(|file| {
            let old = before.files.iter().find(|it| it.path == file.path);
            let mut pieces: Vec<&str> = old.map(StandingFile::own_pieces).unwrap_or_default();
            let tests = file
                .tests
                .iter()
                .filter(|it| new.contains(&*file.full_name(it)));
            pieces.extend(tests.map(|it| &*it.text));
            let is_new = |name: &String| old.is_none_or(|it| !it.items.contains_key(name));
            let items = file.items.iter().filter(|(name, _)| is_new(name));
            pieces.extend(items.flat_map(|(_, pieces)| pieces).map(|it| &*it.text));
            // Runs that add tests are noted in the root.
            let run = run.filter(|it| file.module.is_none() && !file.seal.runs.contains(*it));
            let run = run.filter(|_| !new.is_empty());
            if run.is_none() && old.is_some_and(|it| it.text == file.text) {
                return file.clone();
            }
            let text = sealed(&file.text, &pieces, run);
            file.again(text).expect("only comments were added")
        });
        files.collect()
    }
}
