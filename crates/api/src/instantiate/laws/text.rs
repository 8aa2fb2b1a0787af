//! `FromStr` after `Display`. That `Debug` and `Display` don't panic is seen when they are called.
//!
//! A value may hold what its text does not: a pattern with options is shown as the pattern. So what is
//! shown must be read and be shown alike again, but only a value that was read itself must come back.

use super::super::Draft;
use super::{Subject, draft, then};
use crate::operation::{Asks, Law};

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let is_read = subject.is("std::fmt::Display") && subject.is("std::str::FromStr");
    if !is_read || !subject.is_comparable() {
        return Vec::new();
    }
    let law = |name: &str, says: &str, asks: Asks, then_: String| {
        let mut clauses = subject.given_reflexive(0);
        clauses.push(then(then_));
        let law = Law {
            name: name.into(),
            of: subject.ty.clone(),
            says: says.into(),
            rank: 5,
            clauses,
            asks,
            // Some types are written in one format and read in another.
            doubted_above: Some(90),
        };
        draft(law, vec![subject.lent(0)])
    };
    let shown = format!(
        "assert_eq!({{0}}.to_string().parse::<{}>().ok().map(|it| it.to_string()), Some({{0}}.to_string()))",
        subject.text()
    );
    vec![
        law(
            "from-str",
            "what a value shows of itself must be read, and as what is shown alike",
            Asks::OfAny,
            shown,
        ),
        law(
            "from-str again",
            "what was read must be shown so that it is read as the same value",
            Asks::OfRead,
            "assert!({0}.to_string().parse().ok().as_ref() == Some({0}))".to_owned(),
        ),
    ]
}
