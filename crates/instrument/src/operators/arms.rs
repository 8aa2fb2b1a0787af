//! Arms of a `match` that are never taken, if there is a wildcard; and guards that always or never
//! hold.

use syn::{Arm, ExprMatch, Pat};

use super::{Spot, conditions, ours, plain};
use crate::site::Draft;
use crate::syntax::range;

pub(super) const NAME: &str = "arm";

pub(super) fn at(_: &str, expr: &ExprMatch) -> Vec<Spot> {
    let has_wildcard = expr.arms.iter().any(|arm| is_wildcard(&arm.pat));
    let mut places = Vec::new();
    for arm in &expr.arms {
        places.extend(conditions::guard(&arm.pat));
        let is_guarded = matches!(arm.pat, Pat::Guard(_));
        if has_wildcard && !is_guarded && !is_wildcard(&arm.pat) && arm.attrs.is_empty() {
            places.push(deleted(arm));
        }
    }
    places
}

fn is_wildcard(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        // A name in capitals is a constant.
        Pat::Ident(it) => {
            it.subpat.is_none()
                && it
                    .ident
                    .to_string()
                    .starts_with(|c: char| c.is_lowercase() || c == '_')
        }
        _ => false,
    }
}

/// A guard that never holds, inserted after the pattern.
fn deleted(arm: &Arm) -> Spot {
    let pattern = range(&arm.pat);
    let mutant = Draft {
        text: "(deleted)".to_owned(),
        ..plain(NAME, "false")
    };
    Spot {
        before: vec![ours(" if (")],
        as_it_was: vec![ours("true")],
        after: ")",
        shown: pattern.clone(),
        range: pattern.end..pattern.end,
        mutants: vec![mutant],
        left_out: None,
        is_comparison: false,
    }
}
