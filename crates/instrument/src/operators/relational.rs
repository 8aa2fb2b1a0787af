//! Changes comparisons: their boundary, and to their opposite.

use syn::{BinOp, Expr};

use super::{Spot, operand, ours};
use crate::site::{Draft, Piece};
use crate::syntax::range;

pub(super) const NAME: &str = "relational";

/// A comparison borrows its operands and does not move them.
pub(super) fn at(text: &str, expr: &Expr) -> Option<Spot> {
    let Expr::Binary(expr) = expr else {
        return None;
    };
    let others = others(&expr.op)?;
    let (left, right) = (operand(text, &expr.left)?, operand(text, &expr.right)?);
    let mutants = others.iter().map(|other| Draft {
        operator: NAME,
        text: format!("{left} {other} {right}"),
        code: format!("*__l {other} *__r"),
    });
    let symbol = &text[range(&expr.op)];
    Some(Spot {
        before: vec![
            ours("(match (&("),
            Piece::Live(range(&expr.left)),
            ours("), &("),
            Piece::Live(range(&expr.right)),
            ours(")) { (__l, __r) => "),
        ],
        as_it_was: vec![ours(&format!("*__l {symbol} *__r"))],
        after: " })",
        shown: range(expr),
        range: range(expr),
        mutants: mutants.collect(),
        left_out: None,
        is_comparison: true,
    })
}

fn others(operator: &BinOp) -> Option<&'static [&'static str]> {
    Some(match operator {
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        _ => return None,
    })
}
