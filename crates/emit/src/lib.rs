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
mod case;
mod check;
mod cx;
mod debug_text;
mod expr;
mod file;
mod function;
mod guard;
mod head;
mod holes;
mod imports;
mod lines;
mod lints;
mod literal;
mod modules;
mod names;
mod operand;
mod operator;
mod options;
mod pattern;
mod plan;
mod print;
mod recipe;
mod stand_ins;
mod table;
#[cfg(test)]
mod tests;
mod title;

pub use case::{Act, Check, Subject, TestCase, TestKind, Worth};
pub use check::assertable;
pub use file::{EmittedTest, ModuleFile, Taken, TestFile, emit, emit_into};
pub use guard::narrow;
pub use modules::{Module, emit_modules, root};
pub use options::{EmitOptions, Format};
pub use table::is_table;
