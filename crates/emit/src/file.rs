//! A printed file: tests one after another, below the imports that they need.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{Clause, Form, Law, last_segment};
use testsmith_sequence::{Step, World};

use crate::case::{Subject, TestCase};
use crate::cx::{Cx, deprecated_paths};
use crate::function::print;
use crate::guard::{condition, guards};
use crate::head::{declarations, header};
use crate::imports::Imports;
use crate::lines::locate;
use crate::options::EmitOptions;
use crate::print::printable;
use crate::stand_ins::definitions;
use crate::title::Titles;

/// A printed file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TestFile {
    /// Its text. If the tests are in modules, the text only declares them.
    pub text: String,
    /// The files of its modules, if the tests are in modules.
    pub modules: Vec<ModuleFile>,
    /// Its tests, in the order of the text or of its modules.
    pub tests: Vec<EmittedTest>,
}

impl TestFile {
    /// The module that a test is in.
    pub fn module(&self, test: &EmittedTest) -> Option<&ModuleFile> {
        test.module.map(|i| &self.modules[i])
    }

    /// The text of the file that a test is in.
    pub fn text_of(&self, test: &EmittedTest) -> &str {
        self.module(test).map_or(&self.text, |module| &module.text)
    }

    /// The lines of a test.
    pub fn lines_of(&self, test: &EmittedTest) -> String {
        let (first, last) = (test.first_line as usize, test.last_line as usize);
        let lines = self.text_of(test).lines().skip(first.saturating_sub(1));
        let lines: Vec<&str> = lines.take((last + 1).saturating_sub(first)).collect();
        lines.join("\n")
    }
}

/// The file of a module, named after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModuleFile {
    /// The module's name.
    pub name: String,
    /// The text.
    pub text: String,
}

/// One test of a printed file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmittedTest {
    /// The function's path, module first, as `cargo test -- --exact` takes it.
    pub name: String,
    /// The index of the module that it is in. Its lines are those of the module's file.
    pub module: Option<usize>,
    /// Its first line, counted from 1, attributes and comment included.
    pub first_line: u32,
    /// Its last line, counted from 1.
    pub last_line: u32,
    /// How many calls of the crate under test it makes.
    pub n_calls: u32,
    /// How many assertions it has.
    pub n_assertions: u32,
    /// The line each assertion begins on, and its index in the case's checks.
    pub assertion_lines: Vec<(u32, usize)>,
    /// The index of the case that it was printed from.
    pub case: usize,
    /// The `cfg` predicate on which it is compiled, if it would not hold everywhere.
    pub condition: Option<String>,
}

/// Print the cases as one test file.
pub fn emit(world: &World, cases: &[TestCase], options: &EmitOptions<'_>) -> TestFile {
    print_file(
        world,
        &Vec::from_iter(cases),
        &Taken::default(),
        options,
        false,
    )
}

/// What a file has already that tests are to be put into.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Taken {
    /// What it imports: full paths by the names that they have in it.
    pub imports: BTreeMap<String, String>,
    /// Names of its tests and other items.
    pub names: BTreeSet<String>,
}

/// Prints the cases as they are to stand in a file that has something already: a module of a test
/// binary, or its root.
pub fn emit_into(
    world: &World,
    cases: &[&TestCase],
    taken: &Taken,
    options: &EmitOptions<'_>,
    is_module: bool,
) -> TestFile {
    print_file(world, cases, taken, options, is_module)
}

/// Prints one file: the root of a test binary, or a module of one.
pub(crate) fn print_file(
    world: &World,
    cases: &[&TestCase],
    before: &Taken,
    options: &EmitOptions<'_>,
    is_module: bool,
) -> TestFile {
    let makers = options.module.as_ref().filter(|_| is_module);
    let at_root = makers.map(|(name, _)| name.clone());
    let imports = Imports::new(options.edition, deprecated_paths(world), at_root);
    imports.begin_with(&before.imports);
    let cx = Cx {
        world,
        imports: &imports,
        holes: None,
    };
    let reserved = reserved(world, cases);
    let scratch = Imports::scratch();
    let unprinted = Cx {
        imports: &scratch,
        ..cx
    };
    let mut titles = Titles::new(unprinted, cases, &before.names, &reserved);
    let mut tests = Vec::new();
    let mut body = String::new();
    for (case_idx, case) in cases.iter().enumerate() {
        // Printing is tried first, because a case that cannot be written must leave neither a name
        // nor an import behind.
        let scratch = Imports::scratch();
        let trial = Cx {
            imports: &scratch,
            ..cx
        };
        let printed = printable(trial, case);
        if print(trial, case, &printed, "trial", &reserved).is_none() {
            continue;
        }
        let name = titles.title(trial, case, &printed);
        let test = print(cx, case, &printed, &name, &reserved)
            .expect("what was printed once is printed again");
        let guards = guards(cx, case, &printed, &test.text, options.depends_on_width);
        let condition = condition(&guards).map(|it| format!("#[cfg({it})]\n"));
        body.push_str(&format!("\n{}{}", condition.unwrap_or_default(), test.text));
        tests.push((name, test, guards, case_idx));
    }
    let definitions = definitions(cx, &body);
    body.push_str(&definitions);
    let guards = tests.iter().flat_map(|(_, _, guards, _)| guards).copied();
    let mut text = header(options, &guards.collect());
    let uses = uses(world, options, &imports.lines(), &body, is_module);
    if !text.is_empty() && !uses.is_empty() {
        text.push('\n');
    }
    text.push_str(&uses);
    text.push_str(&body);
    let text = options.formatted(text.trim_start_matches('\n').to_owned());
    let located = locate(&text, tests.iter().map(|(name, ..)| &**name));
    let tests = tests
        .into_iter()
        .zip(located)
        .map(|((name, test, guards, case), lines)| EmittedTest {
            name,
            module: None,
            first_line: lines.first,
            last_line: lines.last,
            n_calls: test.n_calls,
            n_assertions: test.checks.len() as u32,
            assertion_lines: lines.assertions.into_iter().zip(test.checks).collect(),
            case,
            condition: condition(&guards),
        })
        .collect();
    TestFile {
        text,
        modules: Vec::new(),
        tests,
    }
}

/// What a file brings into scope: imports, and declarations of what it names in full.
fn uses(
    world: &World,
    options: &EmitOptions<'_>,
    imports: &str,
    body: &str,
    is_module: bool,
) -> String {
    let is_named = |krate: &str| {
        let path = format!("{krate}::");
        imports.contains(&path) || body.contains(&path)
    };
    let declarations = match is_module {
        true => String::new(),
        false => declarations(world, options, &is_named),
    };
    format!("{declarations}{imports}")
}

/// The variables of a law.
fn declared(law: &Law) -> Vec<String> {
    let names = law.clauses.iter().filter_map(|clause| match clause {
        Clause::Let(name, _) => Some(*name),
        _ => None,
    });
    let words = names.flat_map(|name| name.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let is_name = |word: &&str| !matches!(*word, "" | "_" | "mut");
    words.filter(is_name).map(str::to_owned).collect()
}

/// The lower-case items that the file may import. Neither a variable nor a test may hide them.
fn reserved(world: &World, cases: &[&TestCase]) -> BTreeSet<String> {
    let of_steps = cases
        .iter()
        .flat_map(|case| case.sequence.steps())
        .filter_map(|step| match step {
            Step::Call { op, .. } => Some(*op),
            Step::Drop(_) => None,
        });
    let of_checks = cases
        .iter()
        .flat_map(|case| &case.checks)
        .filter_map(|check| match &check.subject {
            Subject::Slot(_) => None,
            Subject::Observer { op, .. } | Subject::Equals { op, .. } => Some(*op),
        });
    let stand_ins = world.catalogue.api.stand_ins.iter();
    of_steps
        .chain(of_checks)
        .flat_map(|op| match &world.catalogue.operation(op).form {
            Form::Function { path, .. } | Form::Const { path } => {
                vec![last_segment(path).to_owned()]
            }
            Form::Law(law) => declared(law),
            _ => Vec::new(),
        })
        .chain(stand_ins.map(|it| it.name.to_string()))
        .collect()
}
