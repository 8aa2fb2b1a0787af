//! The places of literals and expected values in a case that may become a row of a table.
//!
//! While such a case is printed, a private character stands for each of them. Two cases whose text is
//! the same then differ in nothing but these, and [`crate::table`] prints them as a loop.

use std::cell::RefCell;

use testsmith_protocol::Value;

use crate::expr::{Expr, Prec};

/// The character that stands for the first place; the others follow.
const FIRST: u32 = 0xf_0000;

/// What stands at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Hole {
    /// The name of the parameter or of the observer, if it has one.
    pub(crate) name: String,
    /// Is it what an assertion expects, and not what a call is given?
    pub(crate) is_expected: bool,
    /// The literal.
    pub(crate) text: String,
    /// How tightly the literal binds.
    pub(crate) prec: Prec,
    /// The lengths of the lists in it. Arrays of different lengths have different types, so they
    /// cannot be in one column.
    pub(crate) lengths: Vec<usize>,
    /// The assertion to write if all cases expect the same: `assert!(x)` for `assert_eq!(x, true)`.
    pub(crate) instead: Option<String>,
}

/// The places of one case, in the order of printing.
#[derive(Default, Debug)]
pub(crate) struct Holes {
    found: RefCell<Vec<Hole>>,
    /// The name of the observer whose answer is expected next.
    observer: RefCell<String>,
}

impl Holes {
    /// Remembers what stands at a place, and gives the character for it.
    pub(crate) fn put(&self, hole: Hole) -> String {
        let mut found = self.found.borrow_mut();
        let mark = char::from_u32(FIRST + found.len() as u32);
        found.push(hole);
        mark.expect("a test has few literals").to_string()
    }

    /// The place of a literal that a call is given.
    pub(crate) fn given(&self, expr: &Expr, name: &str, value: &Value) -> Expr {
        // Of owned text, the literal inside is what differs.
        let (head, text, tail) = match expr.text.strip_prefix("String::from(") {
            _ if expr.text == "String::new()" => ("String::from(", "\"\"", ")"),
            Some(rest) => ("String::from(", rest.strip_suffix(')').unwrap_or(rest), ")"),
            None => ("", &*expr.text, ""),
        };
        let mark = self.put(Hole {
            name: name.to_owned(),
            is_expected: false,
            text: text.to_owned(),
            prec: expr.prec,
            lengths: lengths(value),
            instead: None,
        });
        Expr::atom(format!("{head}{mark}{tail}"))
    }

    /// Says which observer's answer the next assertion expects.
    pub(crate) fn expect_of(&self, observer: Option<String>) {
        *self.observer.borrow_mut() = observer.unwrap_or_default();
    }

    /// The place of a value that an assertion expects.
    pub(crate) fn expected(&self, text: &str, value: &Value, instead: Option<String>) -> String {
        self.put(Hole {
            name: self.observer.borrow().clone(),
            is_expected: true,
            text: text.to_owned(),
            prec: Prec::Loose,
            lengths: lengths(value),
            instead,
        })
    }

    /// All places.
    pub(crate) fn into_list(self) -> Vec<Hole> {
        self.found.into_inner()
    }
}

/// The index of the place that a character stands for.
pub(crate) fn index(c: char) -> Option<usize> {
    let index = u32::from(c).checked_sub(FIRST)?;
    (index < 0xfffe).then_some(index as usize)
}

fn lengths(value: &Value) -> Vec<usize> {
    match value {
        Value::List(parts) | Value::Unordered(parts) => {
            let inner = parts.first().map(lengths).unwrap_or_default();
            std::iter::once(parts.len()).chain(inner).collect()
        }
        Value::Tuple(parts) => parts.iter().flat_map(lengths).collect(),
        Value::Named { fields, .. } => fields.iter().flat_map(|(_, it)| lengths(it)).collect(),
        _ => Vec::new(),
    }
}
