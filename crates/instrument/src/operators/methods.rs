//! Exchanges methods for their opposites, or what comes near to these.

use syn::{Expr, ExprMethodCall};

use super::{Spot, ours, raw};
use crate::site::{Draft, Piece};
use crate::syntax::range;

pub(super) const NAME: &str = "method";

/// Both methods give the same type for some receiver, as the arms of a `match` must.
const PAIRS: &[(&str, &str)] = &[
    ("min", "max"),
    ("first", "last"),
    ("first_mut", "last_mut"),
    ("any", "all"),
    ("is_some", "is_none"),
    ("is_ok", "is_err"),
    ("starts_with", "ends_with"),
    ("strip_prefix", "strip_suffix"),
    ("trim_start", "trim_end"),
    ("to_lowercase", "to_uppercase"),
    ("to_ascii_lowercase", "to_ascii_uppercase"),
    ("push_front", "push_back"),
    ("pop_front", "pop_back"),
    ("find", "rfind"),
    ("split_first", "split_last"),
    ("floor", "ceil"),
    ("leading_zeros", "trailing_zeros"),
    ("rotate_left", "rotate_right"),
    ("count_ones", "count_zeros"),
    ("saturating_add", "wrapping_add"),
    ("saturating_sub", "wrapping_sub"),
    ("saturating_mul", "wrapping_mul"),
    ("wrapping_add", "wrapping_sub"),
    ("checked_add", "checked_sub"),
    ("is_lt", "is_ge"),
    ("is_gt", "is_le"),
    ("and_then", "or_else"),
    ("union", "intersection"),
];

pub(super) fn at(text: &str, expr: &Expr) -> Option<Spot> {
    let Expr::MethodCall(it) = expr else {
        return None;
    };
    let name = it.method.to_string();
    let others: Vec<&str> = PAIRS
        .iter()
        .filter_map(|(one, other)| match name.as_str() {
            name if name == *one => Some(*other),
            name if name == *other => Some(*one),
            _ => None,
        })
        .collect();
    if others.is_empty() || it.turbofish.is_some() {
        return None;
    }
    if !it.args.iter().all(is_calm) {
        return Some(Spot::none(
            range(it),
            "a call whose arguments may hold temporaries",
        ));
    }
    let arguments: Vec<String> = it
        .args
        .iter()
        .map(|arg| raw(text, arg))
        .collect::<Option<_>>()?;
    let arguments = arguments.join(", ");
    let shown = raw(text, &it.receiver)?;
    // A place stays where it is. A value is evaluated before the decision.
    let is_place = is_place(&it.receiver);
    let receiver = if is_place { shown.as_str() } else { "__v" };
    let mutants = others.iter().map(|other| Draft {
        operator: NAME,
        text: format!("{shown}.{other}({arguments})"),
        code: format!("{receiver}.{other}({arguments})"),
    });
    let mutants = mutants.collect();
    Some(match is_place {
        true => Spot::whole(range(it), mutants),
        false => with_value(text, it, &name, mutants),
    })
}

fn with_value(text: &str, it: &ExprMethodCall, name: &str, mutants: Vec<Draft>) -> Spot {
    let mut as_it_was = vec![ours(&format!("__v.{name}("))];
    let mut end = None;
    for argument in &it.args {
        if let Some(end) = end {
            as_it_was.push(ours(&text[end..range(argument).start].replace('\n', " ")));
        }
        as_it_was.push(Piece::Live(range(argument)));
        end = Some(range(argument).end);
    }
    as_it_was.push(ours(")"));
    Spot {
        before: vec![
            ours("(match ("),
            Piece::Live(range(&it.receiver)),
            ours(") { mut __v => "),
        ],
        as_it_was,
        after: " })",
        shown: range(it),
        range: range(it),
        mutants,
        left_out: None,
        is_comparison: false,
    }
}

/// Does the expression name something that stays where it is?
fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) => true,
        Expr::Field(it) => is_place(&it.base),
        Expr::Index(it) => is_place(&it.expr) && is_calm(&it.index),
        Expr::Paren(it) => is_place(&it.expr),
        Expr::Unary(it) => matches!(it.op, syn::UnOp::Deref(_)) && is_place(&it.expr),
        _ => false,
    }
}

/// Can the expression contain no value that is dropped at the end of the statement?
fn is_calm(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) | Expr::Path(_) | Expr::Closure(_) => true,
        Expr::Field(it) => is_calm(&it.base),
        Expr::Paren(it) => is_calm(&it.expr),
        Expr::Reference(it) => is_calm(&it.expr),
        Expr::Unary(it) => is_calm(&it.expr),
        Expr::Cast(it) => is_calm(&it.expr),
        Expr::Binary(it) => is_calm(&it.left) && is_calm(&it.right),
        Expr::Range(it) => [&it.start, &it.end]
            .into_iter()
            .flatten()
            .all(|it| is_calm(it)),
        _ => false,
    }
}
