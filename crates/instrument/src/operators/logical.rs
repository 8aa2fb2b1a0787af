//! Exchanges `&&` and `||`.

use syn::{BinOp, Expr};

use super::{Spot, has_let, operand, ours};
use crate::site::{Draft, Piece};
use crate::syntax::range;

pub(super) const NAME: &str = "logical";

/// The temporaries of each side end with it, as they do in an arm.
pub(super) fn at(text: &str, expr: &Expr) -> Option<Spot> {
    let Expr::Binary(it) = expr else {
        return None;
    };
    let (symbol, other) = match it.op {
        BinOp::And(_) => ("&&", "||"),
        BinOp::Or(_) => ("||", "&&"),
        _ => return None,
    };
    if has_let(expr) {
        return None;
    }
    let (left, right) = (operand(text, &it.left)?, operand(text, &it.right)?);
    Some(Spot {
        before: vec![
            ours("(match (match () { () => "),
            Piece::Live(range(&it.left)),
            ours(" }) { __l => "),
        ],
        as_it_was: vec![
            ours(&format!("__l {symbol} (")),
            Piece::Live(range(&it.right)),
            ours(")"),
        ],
        mutants: vec![Draft {
            operator: NAME,
            text: format!("{left} {other} {right}"),
            code: format!("__l {other} {right}"),
        }],
        after: " })",
        shown: range(it),
        range: range(it),
        left_out: None,
        is_comparison: false,
    })
}
