//! Exchanges operators: `+` for `-`, `&` for `|`, `<<` for `>>`, also in assignments.

use syn::{BinOp, Expr, ExprBinary};

use super::{Spot, operand, ours, raw};
use crate::site::{Draft, Piece};
use crate::syntax::range;

pub(super) const ARITHMETIC: &str = "arithmetic";
pub(super) const BITWISE: &str = "bitwise";
pub(super) const SHIFT: &str = "shift";
pub(super) const ASSIGNMENT: &str = "assignment";

pub(super) fn at(text: &str, expr: &Expr) -> Option<Spot> {
    let Expr::Binary(expr) = expr else {
        return None;
    };
    let (operator, others) = others(&expr.op)?;
    match operator {
        ASSIGNMENT => assignment(text, expr, others),
        _ => computation(text, expr, operator, others),
    }
}

/// Both operands are evaluated before the decision.
fn computation(
    text: &str,
    expr: &ExprBinary,
    operator: &'static str,
    others: &[&str],
) -> Option<Spot> {
    let (left, right) = (operand(text, &expr.left)?, operand(text, &expr.right)?);
    let mutants = others.iter().map(|other| Draft {
        operator,
        text: format!("{left} {other} {right}"),
        code: format!("__l {other} __r"),
    });
    let symbol = &text[range(&expr.op)];
    Some(Spot {
        before: vec![
            ours("(match ("),
            Piece::Live(range(&expr.left)),
            ours(", "),
            Piece::Live(range(&expr.right)),
            ours(") { (__l, __r) => "),
        ],
        as_it_was: vec![ours(&format!("__l {symbol} __r"))],
        after: " })",
        shown: range(expr),
        range: range(expr),
        mutants: mutants.collect(),
        left_out: None,
        is_comparison: false,
    })
}

fn assignment(text: &str, expr: &ExprBinary, others: &[&str]) -> Option<Spot> {
    let (left, right) = (raw(text, &expr.left)?, raw(text, &expr.right)?);
    let mutants = others.iter().map(|other| {
        let text = format!("{left} {other} {right}");
        Draft {
            operator: ASSIGNMENT,
            code: format!("({text})"),
            text,
        }
    });
    Some(Spot::whole(range(expr), mutants.collect()))
}

fn others(operator: &BinOp) -> Option<(&'static str, &'static [&'static str])> {
    Some(match operator {
        BinOp::Add(_) => (ARITHMETIC, &["-", "*"]),
        BinOp::Sub(_) => (ARITHMETIC, &["+", "/"]),
        BinOp::Mul(_) => (ARITHMETIC, &["/", "+"]),
        BinOp::Div(_) => (ARITHMETIC, &["*", "%"]),
        BinOp::Rem(_) => (ARITHMETIC, &["/", "*"]),
        BinOp::BitAnd(_) => (BITWISE, &["|", "^"]),
        BinOp::BitOr(_) => (BITWISE, &["&", "^"]),
        BinOp::BitXor(_) => (BITWISE, &["&", "|"]),
        BinOp::Shl(_) => (SHIFT, &[">>"]),
        BinOp::Shr(_) => (SHIFT, &["<<"]),
        BinOp::AddAssign(_) => (ASSIGNMENT, &["-=", "*="]),
        BinOp::SubAssign(_) => (ASSIGNMENT, &["+=", "/="]),
        BinOp::MulAssign(_) => (ASSIGNMENT, &["/=", "+="]),
        BinOp::DivAssign(_) => (ASSIGNMENT, &["*=", "%="]),
        BinOp::RemAssign(_) => (ASSIGNMENT, &["/=", "*="]),
        BinOp::BitAndAssign(_) => (ASSIGNMENT, &["|=", "^="]),
        BinOp::BitOrAssign(_) => (ASSIGNMENT, &["&=", "^="]),
        BinOp::BitXorAssign(_) => (ASSIGNMENT, &["&=", "|="]),
        BinOp::ShlAssign(_) => (ASSIGNMENT, &[">>="]),
        BinOp::ShrAssign(_) => (ASSIGNMENT, &["<<="]),
        _ => return None,
    })
}
