//! `FromStr` after `Display`. That `Debug` and `Display` don't panic is seen when they are called.

use super::super::Draft;
use super::{Subject, draft, then};
use crate::operation::{Asks, Law};

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let is_read = subject.is("std::fmt::Display") && subject.is("std::str::FromStr");
    if !is_read || !subject.is_comparable() {
        return Vec::new();
    }
    let mut clauses = subject.given_reflexive(0);
    clauses.push(then(
        "assert!({0}.to_string().parse().ok().as_ref() == Some({0}))",
    ));
    let says = "what a value shows of itself must be read as the same value";
    let law = Law {
        name: "from-str".into(),
        of: subject.ty.clone(),
        says: says.into(),
        rank: 5,
        clauses,
        asks: Asks::OfAny,
        // Some types are written in one format and read in another.
        doubted_above: Some(90),
    };
    vec![draft(law, vec![subject.lent(0)])]
}
