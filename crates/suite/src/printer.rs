//! Prints the test files of a package, with what they all have in common.

#![expect(
    clippy::disallowed_methods,
    reason = "what tests pin depends on what the crate's source says"
)]

use std::path::Path;

use testsmith_emit::{
    EmitOptions, Module, ModuleFile, Taken, TestCase, TestFile, emit, emit_into, emit_modules,
    narrow, root,
};
use testsmith_equip::Target;
use testsmith_project::{Scratch, rustfmt};
use testsmith_sequence::World;

/// Prints files of one kind.
pub struct Printer<'p> {
    world: &'p World,
    target: &'p Target,
    /// The first line of each file.
    about: String,
    /// Does the crate's own code depend on how wide a pointer is?
    depends_on_width: bool,
    /// The module of makers, and the path to its file from the directory of the tests.
    makers: Option<(String, String)>,
}

impl<'p> Printer<'p> {
    /// A printer of files for this directory, with `about` as their first line.
    pub fn new(target: &'p Target, world: &'p World, dir: &Path, about: String) -> Printer<'p> {
        Printer {
            world,
            target,
            about,
            depends_on_width: depends_on_width(&target.package.dir.join("src")),
            makers: makers_seen_from(&target.scratch, dir),
        }
    }

    /// The path to the file of makers, as the tests write it.
    pub fn makers(&self) -> Option<&str> {
        self.makers.as_ref().map(|(_, file)| &**file)
    }

    /// Leaves out checks that only 64 bits give, where the case shows more, and says how many.
    pub fn narrow(&self, case: &mut TestCase) -> usize {
        narrow(self.world, case, self.depends_on_width)
    }

    /// One file with these cases.
    pub fn print(&self, cases: &[TestCase]) -> TestFile {
        self.with_options(|options| emit(self.world, cases, options))
    }

    /// Prints a file for each of these modules, in a directory of this name, and the root that
    /// declares them.
    pub fn print_modules(&self, cases: &[TestCase], modules: &[Module], dir: &str) -> TestFile {
        self.with_options(|options| emit_modules(self.world, cases, modules, dir, options))
    }

    /// Prints cases as they are to stand in a file that has something already. Modules of a test
    /// binary have a first line of their own.
    pub(crate) fn print_into(
        &self,
        cases: &[&TestCase],
        taken: &Taken,
        module: Option<&str>,
    ) -> TestFile {
        self.with_options(|options| {
            let options = match module {
                Some(about) => EmitOptions {
                    header: vec![about.to_owned()],
                    condition: None,
                    ..options.clone()
                },
                None => options.clone(),
            };
            emit_into(self.world, cases, taken, &options, module.is_some())
        })
    }

    /// Prints the root of modules whose files are in a directory of this name.
    pub fn root(&self, modules: &[ModuleFile], dir: &str) -> String {
        self.with_options(|options| root(self.world, modules, dir, options))
    }

    fn with_options<T>(&self, print: impl FnOnce(&EmitOptions<'_>) -> T) -> T {
        let package = &self.target.package;
        let format = |text: &str| rustfmt(text, &package.edition, &package.dir);
        print(&EmitOptions {
            header: vec![
                self.about.clone(),
                String::new(),
                format!("Written by testsmith {}.", env!("CARGO_PKG_VERSION")),
            ],
            condition: self.target.scratch.condition(),
            edition: package.edition.parse().unwrap_or(2021),
            module: self.makers.clone(),
            depends_on_width: self.depends_on_width,
            format: Some(&format),
        })
    }
}

/// What code says that depends on how wide a pointer is.
const OF_WIDTH: [&str; 5] = [
    "usize::BITS",
    "isize::BITS",
    "target_pointer_width",
    "size_of::<usize>",
    "size_of::<isize>",
];

/// Does a source file in this directory depend on how wide a pointer is?
fn depends_on_width(dir: &Path) -> bool {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths.any(|path| match path.extension() {
        Some(ending) if ending == "rs" => std::fs::read_to_string(&path)
            .is_ok_and(|text| OF_WIDTH.iter().any(|word| text.contains(word))),
        _ => path.is_dir() && depends_on_width(&path),
    })
}

/// The name of the module of makers, and the path to its file as a file in this directory writes it.
pub(crate) fn makers_seen_from(scratch: &Scratch, dir: &Path) -> Option<(String, String)> {
    let makers = scratch.makers();
    makers.map(|it| (it.name.clone(), seen_from(dir, &it.file)))
}

/// The path to a file, as a file in this directory writes it.
fn seen_from(dir: &Path, file: &Path) -> String {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    let common = dir
        .components()
        .zip(file.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = dir.components().skip(common).map(|_| "..".into());
    let down = file
        .components()
        .skip(common)
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = up.chain(down).collect();
    parts.join("/")
}
