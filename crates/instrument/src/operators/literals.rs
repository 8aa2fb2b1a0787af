//! Numbers, booleans, characters and text that stand in the code.

use syn::{Expr, Lit, UnOp};

use super::{Place, is_constant, plain};
use crate::site::Draft;
use crate::walk::range;

pub(super) const NAME: &str = "literal";

pub(super) fn at(expr: &Expr) -> Option<Place> {
    let (literal, sign, reference) = match expr {
        Expr::Lit(it) => (&it.lit, "", ""),
        Expr::Unary(it) if matches!(it.op, UnOp::Neg(_)) => match &*it.expr {
            Expr::Lit(it) => (&it.lit, "-", ""),
            _ => return None,
        },
        // What `&5` refers to lives for ever; what a `match` gives does not.
        Expr::Reference(it) if is_constant(&it.expr) && it.mutability.is_none() => {
            match &*it.expr {
                Expr::Lit(it) => (&it.lit, "", "&"),
                _ => return None,
            }
        }
        _ => return None,
    };
    let mutants: Vec<Draft> = others(literal, sign)
        .into_iter()
        .map(|other| plain(NAME, format!("{reference}{other}")))
        .collect();
    (!mutants.is_empty()).then(|| Place::whole(range(expr), mutants))
}

fn others(literal: &Lit, sign: &str) -> Vec<String> {
    match literal {
        Lit::Int(it) => {
            let suffix = it.suffix();
            let Ok(n) = it.base10_parse::<u128>() else {
                return Vec::new();
            };
            let mut others = vec![n.wrapping_add(1)];
            others.extend(n.checked_sub(1));
            others.extend((n > 1).then_some(0));
            let mut others: Vec<String> = others
                .into_iter()
                .map(|other| format!("{}{other}{suffix}", if other == 0 { "" } else { sign }))
                .collect();
            if !sign.is_empty() {
                others.push(format!("{n}{suffix}"));
            }
            others
        }
        Lit::Float(it) => {
            let (digits, suffix) = (it.base10_digits(), it.suffix());
            let Ok(value) = digits.parse::<f64>() else {
                return Vec::new();
            };
            let mut others = Vec::new();
            for other in [0.0, 1.0] {
                if value != other || !sign.is_empty() && other != 0.0 {
                    others.push(format!("{other:.1}{suffix}"));
                }
            }
            if value != 0.0 {
                let opposite = if sign.is_empty() { "-" } else { "" };
                others.push(format!("{opposite}{it}"));
            }
            others.dedup();
            others
        }
        Lit::Bool(it) => vec![(!it.value).to_string()],
        Lit::Char(it) => vec![if it.value() == 'a' { "'b'" } else { "'a'" }.to_owned()],
        Lit::Str(it) if it.value().is_empty() => vec!["\"xyzzy\"".to_owned()],
        Lit::Str(_) => vec!["\"\"".to_owned()],
        _ => Vec::new(),
    }
}
