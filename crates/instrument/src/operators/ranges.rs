//! Moves the bounds of a range by one. `..` and `..=` differ in type, so they cannot be exchanged.

use syn::Expr;

use super::{Spot, is_constant, operand};
use crate::site::Draft;
use crate::syntax::range;

pub(super) const NAME: &str = "range";

pub(super) fn at(text: &str, expr: &Expr) -> Vec<Spot> {
    let Expr::Range(it) = expr else {
        return Vec::new();
    };
    let bounds = [&it.start, &it.end].into_iter().flatten();
    // Bounds that are literals are changed as literals.
    bounds
        .filter(|bound| !is_constant(bound))
        .filter_map(|bound| moved(text, bound))
        .collect()
}

fn moved(text: &str, bound: &Expr) -> Option<Spot> {
    let original = operand(text, bound)?;
    let mutants = ["+", "-"].map(|operator| Draft {
        operator: NAME,
        text: format!("{original} {operator} 1"),
        code: format!("__v {operator} 1"),
    });
    let all = range(bound);
    Some(Spot::of_value(all.clone(), all, "__v", mutants.into()))
}
