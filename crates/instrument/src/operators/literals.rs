//! Changes numbers, booleans, characters and text in the code.

use syn::{Expr, ExprArray, Lit, UnOp};

use super::{Spot, is_lasting, plain, raw};
use crate::site::Draft;
use crate::syntax::range;

pub(super) const NAME: &str = "literal";

/// The most elements of a list that has mutants. The copy has the whole list once for each of them.
const MAX_LISTED: usize = 32;

pub(super) fn at(text: &str, expr: &Expr) -> Option<Spot> {
    let mutants: Vec<Draft> = match expr {
        // The referent of `&5` lives for ever, but that of a reference to the result of a `match`
        // does not. So the `&` goes into the arms.
        Expr::Reference(it) if it.mutability.is_none() => match &*it.expr {
            Expr::Array(list) if is_lasting(&it.expr) => return listed(text, expr, list),
            it => drafts(it, "&"),
        },
        it => drafts(it, ""),
    };
    (!mutants.is_empty()).then(|| Spot::whole(range(expr), mutants))
}

/// Other values for a literal, each with `before` in front.
fn drafts(expr: &Expr, before: &str) -> Vec<Draft> {
    let others = others(expr).into_iter();
    others
        .map(|other| plain(NAME, format!("{before}{other}")))
        .collect()
}

/// Mutants of a reference to a list of literals. It lives for ever, too, so each mutant has a list
/// of its own.
fn listed(text: &str, expr: &Expr, list: &ExprArray) -> Option<Spot> {
    if list.elems.len() > MAX_LISTED {
        return Some(Spot::none(range(expr), "a long list of constants"));
    }
    let items: Vec<String> = list
        .elems
        .iter()
        .map(|it| raw(text, it))
        .collect::<Option<_>>()?;
    let mut mutants = Vec::new();
    for (i, item) in list.elems.iter().enumerate() {
        for other in others(item) {
            let mut items = items.clone();
            items[i] = other;
            mutants.push(plain(NAME, format!("&[{}]", items.join(", "))));
        }
    }
    (!mutants.is_empty()).then(|| Spot::whole(range(expr), mutants))
}

fn others(expr: &Expr) -> Vec<String> {
    let (literal, sign) = match expr {
        Expr::Lit(it) => (&it.lit, ""),
        Expr::Unary(it) => match (&it.op, &*it.expr) {
            (UnOp::Neg(_), Expr::Lit(it)) => (&it.lit, "-"),
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    };
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
