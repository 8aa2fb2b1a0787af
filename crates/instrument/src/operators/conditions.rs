//! Makes conditions always or never hold.

use syn::{Expr, Pat};

use super::{Spot, has_let, is_constant, plain};
use crate::syntax::range;

pub(super) const NAME: &str = "condition";

/// The temporaries of a condition end with it, so the decision can come before its evaluation.
pub(super) fn at(expr: &Expr) -> Option<Spot> {
    match expr {
        Expr::If(it) => condition(&it.cond),
        Expr::While(it) => condition(&it.cond),
        _ => None,
    }
}

/// The condition of an arm's guard.
pub(super) fn guard(pattern: &Pat) -> Option<Spot> {
    match pattern {
        Pat::Guard(it) => condition(&it.guard),
        _ => None,
    }
}

fn condition(expr: &Expr) -> Option<Spot> {
    let is_known = has_let(expr) || is_constant(expr);
    let mutants = vec![plain(NAME, "true"), plain(NAME, "false")];
    (!is_known).then(|| Spot::whole(range(expr), mutants))
}
