//! The printer as a whole: a sequence in, a test out; rustc has the last word.

#![expect(
    clippy::disallowed_methods,
    reason = "rustc and rustfmt judge what is printed"
)]

mod bindings;
mod calls;
mod checks;
mod judge;
mod model;
mod modules;
mod stand_ins;
mod tables;
mod titles;
mod values;

use expect_test::Expect;
use testsmith_protocol::Value;

use crate::{EmitOptions, TestCase, emit};
use judge::judge;
use model::Model;

/// Prints the cases, lets rustc judge the file, and compares its text.
fn check(model: &Model, cases: &[TestCase], expected: Expect) {
    let file = emit(&model.world, cases, &EmitOptions::default());
    expected.assert_eq(&file.text);
    judge(&file.text);
    for test in &file.tests {
        assert_eq!(test.n_assertions as usize, test.assertion_lines.len());
    }
}

fn named(path: &str, fields: &[(&str, Value)]) -> Value {
    Value::Named {
        path: path.into(),
        fields: fields
            .iter()
            .map(|(name, value)| ((*name).into(), value.clone()))
            .collect(),
    }
}
