//! Leaves out statements.

use syn::{BinOp, Expr, Stmt};

use super::{Spot, ours};
use crate::site::{Draft, Piece};
use crate::syntax::range;

pub(super) const NAME: &str = "statement";

/// The temporaries of a statement end with it.
pub(super) fn at(text: &str, statement: &Stmt) -> Option<Spot> {
    let Stmt::Expr(expr, Some(semicolon)) = statement else {
        return None;
    };
    let all = range(expr).start..range(semicolon).end;
    if let Expr::MethodCall(it) = expr
        && is_hint(&it.method.to_string())
    {
        return Some(Spot::none(all, "a capacity hint"));
    }
    let is_deletable = match expr {
        Expr::Call(_) | Expr::MethodCall(_) | Expr::Assign(_) => true,
        Expr::Binary(it) => !matches!(
            it.op,
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::And(_) | BinOp::Or(_)
        ),
        _ => false,
    };
    if !is_deletable || text[all.clone()].starts_with('#') {
        return None;
    }
    Some(Spot {
        before: Vec::new(),
        as_it_was: vec![ours("{ "), Piece::Live(all.clone()), ours(" }")],
        mutants: vec![Draft {
            operator: NAME,
            text: "(deleted)".to_owned(),
            code: "{}".to_owned(),
        }],
        after: "",
        shown: all.clone(),
        range: all,
        left_out: None,
        is_comparison: false,
    })
}

/// Does the method only say how much memory to take?
fn is_hint(method: &str) -> bool {
    matches!(
        method,
        "reserve" | "reserve_exact" | "shrink_to_fit" | "shrink_to"
    )
}
