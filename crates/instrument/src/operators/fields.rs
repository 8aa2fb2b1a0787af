//! Replaces fields of a struct expression by their type's default.

use syn::Expr;

use super::{Spot, is_constant, plain};
use crate::syntax::range;

pub(super) const NAME: &str = "field";

pub(super) fn at(expr: &Expr) -> Vec<Spot> {
    let Expr::Struct(it) = expr else {
        return Vec::new();
    };
    let written = it.fields.iter().filter(|field| field.colon_token.is_some());
    written
        .filter(|field| field.attrs.is_empty() && !is_constant(&field.expr))
        .map(|field| {
            let mutant = plain(NAME, "Default::default()");
            let all = range(&field.expr);
            Spot::of_value(all.clone(), all, "__v", vec![mutant])
        })
        .collect()
}
