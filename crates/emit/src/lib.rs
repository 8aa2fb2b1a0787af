//! Sequences and checks to readable Rust tests.
//!
//! A test is printed from a [`TestCase`]: the steps of a sequence, and what was seen along the
//! way. Results that are used once are written where they are used, results that nobody uses get
//! no variable, and what was observed becomes the strongest assertion that can be written for its
//! type. The text depends on nothing but std and the crate under test.
//!
//! Deliberately absent: deciding which checks are worth making, running rustfmt (the caller gives
//! a function, [`EmitOptions::format`]), and running the tests.
//!
//! The tests of a file, or of one file for each of several modules ([`emit_modules`]), are one test
//! binary.
//!
//! A case that cannot be written (a literal without syntax) is left out of [`TestFile::tests`];
//! [`EmittedTest::case`] says which ones are there.

mod call;
mod check;
mod cx;
mod debug_text;
mod expr;
mod head;
mod imports;
mod lines;
mod literal;
mod modules;
mod names;
mod operator;
mod pattern;
mod plan;
mod print;
mod recipe;
mod stand_ins;
#[cfg(test)]
mod tests;
mod title;

use std::collections::BTreeSet;

use testsmith_api::{Clause, Form, Law, OperationId, TypeIdx, last_segment};
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, StepIdx, World};

pub use modules::{Module, ModuleFile, emit_modules, root};

use crate::cx::{Cx, deprecated_paths};
use crate::imports::Imports;

/// A sequence with what is to be asserted.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// The calls.
    pub sequence: Sequence,
    /// What was seen; those that cannot be asserted are left out.
    pub checks: Vec<Check>,
    /// What the test is for.
    pub kind: TestKind,
    /// Does rustc say that it uses something deprecated? What the model itself knows to be
    /// deprecated need not be said here.
    pub deprecated: bool,
    /// Its cases, if it shows several one after the other; they name it.
    pub acts: Vec<Act>,
    /// What the test is known to reach and to kill.
    pub worth: Worth,
}

/// One of several cases that a test shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Act {
    /// The call it is about.
    pub op: OperationId,
    /// Where it begins; it ends where the next one does.
    pub first: StepIdx,
}

/// What is known of the use of a test; it is not shown in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Worth {
    /// Regions of the crate's code that it enters.
    pub regions: BTreeSet<u32>,
    /// Mutants that it kills.
    pub kills: BTreeSet<u32>,
}

/// What a test is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TestKind {
    /// It passes, and shows what the crate does today.
    Regression,
    /// The last step panics, as documented.
    ShouldPanic {
        /// A part of the message.
        expected: Option<String>,
    },
    /// It fails: ignored, for somebody to look at.
    Failure {
        /// What happens, in one line.
        reason: String,
    },
}

/// One observation to assert.
#[derive(Clone, Debug)]
pub struct Check {
    /// Asserted right after this step.
    pub after: StepIdx,
    /// What is looked at.
    pub subject: Subject,
    /// What it was.
    pub value: Value,
}

/// What a check looks at.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A slot's value.
    Slot(SlotIdx),
    /// What an operation with one shared input says about a slot.
    Observer {
        /// The operation.
        op: OperationId,
        /// The slot.
        slot: SlotIdx,
    },
    /// The slot compared with what a call gives; the check's value is `false` if they differ.
    Equals {
        /// The slot.
        slot: SlotIdx,
        /// The call.
        op: OperationId,
        /// Its arguments.
        args: Box<[Arg]>,
    },
}

/// Formats a source text, or says that it could not.
pub type Format<'a> = &'a dyn Fn(&str) -> Option<String>;

/// How a file is written.
#[derive(Clone)]
pub struct EmitOptions<'a> {
    /// Lines of documentation at the top, without slashes: a crate that demands documentation
    /// demands it of its tests too.
    pub header: Vec<String>,
    /// The `cfg` predicate without which the file is empty.
    pub condition: Option<String>,
    /// The edition of the package whose test it will be.
    pub edition: u16,
    /// A module of functions that make values, if tests may need one: its name and its file, as
    /// seen from the file that is written.
    pub module: Option<(String, String)>,
    /// rustfmt, as a rule; where it fails the text stays as it is.
    pub format: Option<Format<'a>>,
}

impl Default for EmitOptions<'_> {
    fn default() -> Self {
        EmitOptions {
            header: Vec::new(),
            condition: None,
            edition: 2021,
            module: None,
            format: None,
        }
    }
}

impl EmitOptions<'_> {
    /// The text after formatting.
    fn formatted(&self, text: String) -> String {
        let format = self.format.and_then(|format| format(&text));
        format.unwrap_or(text)
    }
}

/// A printed file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TestFile {
    /// Its text; that of a file with modules only declares them.
    pub text: String,
    /// The files of its modules, if the tests are in such.
    pub modules: Vec<ModuleFile>,
    /// Its tests, in order of the text, and of its modules.
    pub tests: Vec<EmittedTest>,
}

impl TestFile {
    /// The module that a test is in.
    pub fn module(&self, test: &EmittedTest) -> Option<&ModuleFile> {
        test.module.map(|i| &self.modules[i])
    }

    /// The text that a test stands in.
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

/// One test of a printed file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmittedTest {
    /// The function's name, after that of its module: `cargo test -- --exact` takes it.
    pub name: String,
    /// Index of the module it is in; its lines are those of that file.
    pub module: Option<usize>,
    /// 1-based, attributes and comment included.
    pub first_line: u32,
    /// 1-based.
    pub last_line: u32,
    /// Calls of the crate under test.
    pub n_calls: u32,
    /// Assertions printed.
    pub n_assertions: u32,
    /// The line each assertion begins on, and its index in the case's checks.
    pub assertion_lines: Vec<(u32, usize)>,
    /// Index of the case it was printed from.
    pub case: usize,
}

/// Print the cases as one test file.
pub fn emit(world: &World, cases: &[TestCase], options: &EmitOptions<'_>) -> TestFile {
    print_file(world, &Vec::from_iter(cases), options, false)
}

/// Prints one file: the root of a test binary, or a module of one.
fn print_file(
    world: &World,
    cases: &[&TestCase],
    options: &EmitOptions<'_>,
    is_module: bool,
) -> TestFile {
    let makers = options.module.as_ref().filter(|_| is_module);
    let at_root = makers.map(|(name, _)| name.clone());
    let imports = Imports::new(options.edition, deprecated_paths(world), at_root);
    let cx = Cx {
        world,
        imports: &imports,
    };
    let reserved = reserved(world, cases);
    let mut taken = reserved.clone();
    let mut tests = Vec::new();
    let mut body = String::new();
    for (case_idx, case) in cases.iter().enumerate() {
        // A case that cannot be written must leave neither a name nor an import behind.
        let scratch = Imports::scratch();
        let trial = Cx {
            imports: &scratch,
            ..cx
        };
        let printed = print::printable(trial, case);
        if print::print(trial, case, &printed, "trial", &reserved).is_none() {
            continue;
        }
        let name = title::title(trial, case, &printed, &mut taken);
        let test = print::print(cx, case, &printed, &name, &reserved)
            .expect("what was printed once is printed again");
        body.push('\n');
        body.push_str(&test.text);
        tests.push((name, test.n_calls, test.checks, case_idx));
    }
    body.push_str(&stand_ins::definitions(cx));
    let mut text = head::header(options);
    let lines = imports.lines();
    let is_named = |krate: &str| {
        let path = format!("{krate}::");
        lines.contains(&path) || body.contains(&path)
    };
    let declarations = match is_module {
        true => String::new(),
        false => head::declarations(world, options, &is_named),
    };
    let uses = format!("{declarations}{lines}");
    if !text.is_empty() && !uses.is_empty() {
        text.push('\n');
    }
    text.push_str(&uses);
    text.push_str(&body);
    let text = options.formatted(text.trim_start_matches('\n').to_owned());
    let located = lines::locate(&text, tests.iter().map(|(name, ..)| &**name));
    let tests = tests
        .into_iter()
        .zip(located)
        .map(|((name, n_calls, checks, case), lines)| EmittedTest {
            name,
            module: None,
            first_line: lines.first,
            last_line: lines.last,
            n_calls,
            n_assertions: checks.len() as u32,
            assertion_lines: lines.assertions.into_iter().zip(checks).collect(),
            case,
        })
        .collect();
    TestFile {
        text,
        modules: Vec::new(),
        tests,
    }
}

/// Can this value of this type be asserted in some way that can fail? 0 is no; higher is better:
/// 1 only its shape or size, 2 its `Debug` text, 3 the whole value.
pub fn assertable(world: &World, ty: TypeIdx, value: &Value) -> u8 {
    let imports = Imports::scratch();
    let cx = Cx {
        world,
        imports: &imports,
    };
    check::strength(cx, &world.catalogue.types.get(ty).ty, value)
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

/// Lower-case items that the file may import: neither a variable nor a test may hide them.
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
