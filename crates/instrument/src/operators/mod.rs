//! The operators, which change the code, one family a file.
//!
//! An operator looks at a piece of syntax and proposes places with mutants. It knows how to write
//! them so that the original behaves as before if no mutant is active.

mod arithmetic;
mod arms;
mod conditions;
mod fields;
mod literals;
mod logical;
mod methods;
mod negation;
mod ranges;
mod relational;
mod returns;
mod statements;

use std::ops::Range;

use syn::{Block, Expr, ExprMatch, Lit, Signature, Stmt, UnOp};

use crate::site::{Draft, Piece};
use crate::syntax::{on_one_line, range};

/// The names of the families, as mutants have them.
pub const OPERATORS: &[&str] = &[
    arithmetic::ARITHMETIC,
    arithmetic::BITWISE,
    arithmetic::SHIFT,
    arithmetic::ASSIGNMENT,
    relational::NAME,
    logical::NAME,
    negation::NAME,
    literals::NAME,
    conditions::NAME,
    returns::NAME,
    statements::NAME,
    arms::NAME,
    ranges::NAME,
    methods::NAME,
    fields::NAME,
];

/// A place where an operator proposes mutants.
pub(crate) struct Spot {
    /// The bytes that are replaced.
    pub(crate) range: Range<usize>,
    /// The bytes that are shown as the original.
    pub(crate) shown: Range<usize>,
    pub(crate) before: Vec<Piece>,
    /// Are `__l` and `__r` compared?
    pub(crate) is_comparison: bool,
    pub(crate) as_it_was: Vec<Piece>,
    pub(crate) mutants: Vec<Draft>,
    pub(crate) after: &'static str,
    /// Why it has no mutants, if it was left out on purpose.
    pub(crate) left_out: Option<&'static str>,
}

impl Spot {
    /// A place where nothing is evaluated before the decision: its code has no temporaries, or they
    /// end with it anyway.
    fn whole(range: Range<usize>, mutants: Vec<Draft>) -> Spot {
        Spot {
            before: vec![ours("(")],
            as_it_was: vec![ours("("), Piece::Live(range.clone()), ours(")")],
            after: ")",
            shown: range.clone(),
            range,
            mutants,
            left_out: None,
            is_comparison: false,
        }
    }

    /// A place whose value is evaluated, as `__v`, before the decision.
    fn of_value(range: Range<usize>, value: Range<usize>, then: &str, mutants: Vec<Draft>) -> Spot {
        Spot {
            before: vec![ours("(match ("), Piece::Live(value), ours(") { __v => ")],
            as_it_was: vec![ours(then)],
            after: " })",
            shown: range.clone(),
            range,
            mutants,
            left_out: None,
            is_comparison: false,
        }
    }

    /// A place that is left out on purpose.
    fn none(range: Range<usize>, why: &'static str) -> Spot {
        Spot {
            left_out: Some(why),
            ..Spot::whole(range, Vec::new())
        }
    }
}

fn ours(text: &str) -> Piece {
    Piece::Text(text.to_owned())
}

/// A mutant whose code is the text that replaces the original.
fn plain(operator: &'static str, text: impl Into<String>) -> Draft {
    let text = text.into();
    Draft {
        operator,
        code: text.clone(),
        text,
    }
}

/// The text that replaces a place of the source, or is inserted there, to have only this mutant.
pub(crate) fn edit(mutant: &Draft) -> String {
    match mutant.operator {
        returns::NAME => format!(" {};", mutant.text),
        statements::NAME => String::new(),
        arms::NAME => " if false".to_owned(),
        _ => format!("({})", mutant.text),
    }
}

/// Why a mutant is the same program as the original for certain, if it is.
pub(crate) fn sameness(mutant: &Draft, original: &str) -> Option<&'static str> {
    let is_same = mutant.operator == fields::NAME && fields::is_default(original);
    is_same.then_some("the value is the default of its type")
}

/// A piece of the source, on one line.
fn raw(text: &str, node: &impl syn::spanned::Spanned) -> Option<String> {
    on_one_line(&text[range(node)])
}

/// An operand on one line, in parentheses if any other operator needs them.
fn operand(text: &str, expr: &Expr) -> Option<String> {
    let loose = matches!(
        expr,
        Expr::Binary(_) | Expr::Cast(_) | Expr::Range(_) | Expr::Closure(_) | Expr::Unary(_)
    );
    let text = raw(text, expr)?;
    Some(if loose { format!("({text})") } else { text })
}

/// Places of the expression itself. Those of its parts are found when these are visited.
pub(crate) fn of_expression(text: &str, expr: &Expr) -> Vec<Spot> {
    let mut places = Vec::new();
    places.extend(arithmetic::at(text, expr));
    places.extend(relational::at(text, expr));
    places.extend(logical::at(text, expr));
    places.extend(negation::at(text, expr));
    places.extend(literals::at(text, expr));
    places.extend(conditions::at(expr));
    places.extend(ranges::at(text, expr));
    places.extend(methods::at(text, expr));
    places.extend(fields::at(expr));
    places
}

/// Places in a statement as a whole.
pub(crate) fn of_statement(text: &str, statement: &Stmt) -> Vec<Spot> {
    statements::at(text, statement).into_iter().collect()
}

/// Places in a `match` as a whole.
pub(crate) fn of_match(text: &str, expr: &ExprMatch) -> Vec<Spot> {
    arms::at(text, expr)
}

/// Places in a function as a whole.
pub(crate) fn of_function(text: &str, signature: &Signature, body: &Block) -> Vec<Spot> {
    returns::at(text, signature, body).into_iter().collect()
}

/// Is it a literal, or a negative one?
pub(crate) fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(it) => !matches!(it.lit, Lit::Verbatim(_)),
        Expr::Paren(it) => is_constant(&it.expr),
        Expr::Unary(it) => matches!(it.op, UnOp::Neg(_)) && matches!(&*it.expr, Expr::Lit(_)),
        _ => false,
    }
}

/// Does a reference to the expression live for ever?
pub(crate) fn is_lasting(expr: &Expr) -> bool {
    match expr {
        Expr::Array(it) => it.elems.iter().all(is_constant),
        _ => is_constant(expr),
    }
}

/// Does the expression bind a name, as conditions may?
fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(it) => has_let(&it.left) || has_let(&it.right),
        Expr::Paren(it) => has_let(&it.expr),
        _ => false,
    }
}
