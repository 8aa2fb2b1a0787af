//! Prints a case as a program: what its test does, in a function that is no test.

use testsmith_emit::{EmitOptions, TestCase, TestKind, emit};
use testsmith_equip::Target;
use testsmith_project::rustfmt;
use testsmith_sequence::{Sequence, World};

/// The edition of programs.
pub(crate) const EDITION: u16 = 2024;

/// A program that begins with this head; `None` if the case has no text in Rust.
pub(crate) fn program(
    world: &World,
    case: &TestCase,
    head: &str,
    options: &EmitOptions<'_>,
) -> Option<String> {
    let file = emit(world, std::slice::from_ref(case), options);
    let test = file.tests.first()?;
    let text = file.text.replace("#[test]\n", "");
    Some(text.replace(&format!("fn {}()", test.name), head))
}

/// A whole program that makes these calls and looks at nothing.
pub(crate) fn main_of(target: &Target, world: &World, sequence: &Sequence) -> Option<String> {
    let case = TestCase {
        sequence: sequence.clone(),
        checks: Vec::new(),
        kind: TestKind::Regression,
        deprecated: false,
        acts: Vec::new(),
        parts: Vec::new(),
        worth: Default::default(),
    };
    let makers = target.scratch.makers();
    let format = |text: &str| rustfmt(text, &EDITION.to_string(), &target.package.dir);
    let options = EmitOptions {
        edition: EDITION,
        module: makers.map(|it| (it.name.clone(), it.file.display().to_string())),
        format: Some(&format),
        ..EmitOptions::default()
    };
    program(world, &case, "fn main()", &options)
}
