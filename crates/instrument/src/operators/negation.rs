//! Removes negations: `!x` becomes `x`, `-x` becomes `x`.

use syn::{Expr, UnOp};

use super::{Spot, is_constant, raw};
use crate::site::Draft;
use crate::syntax::range;

pub(super) const NAME: &str = "negation";

pub(super) fn at(text: &str, expr: &Expr) -> Option<Spot> {
    let Expr::Unary(it) = expr else {
        return None;
    };
    let then = match it.op {
        UnOp::Not(_) => "!__v",
        // `-1` is a literal.
        UnOp::Neg(_) if !is_constant(&it.expr) => "-__v",
        _ => return None,
    };
    let mutant = Draft {
        operator: NAME,
        text: raw(text, &it.expr)?,
        code: "__v".to_owned(),
    };
    let (all, value) = (range(it), range(&it.expr));
    Some(Spot::of_value(all, value, then, vec![mutant]))
}
