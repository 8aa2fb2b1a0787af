//! `PartialEq` and `Eq`: an equivalence, partial for the first of them.

use super::super::Draft;
use super::{PARTIAL_EQ, Subject, apart, given, lent, then};
use crate::ty::{GenericArg, TraitRef, Ty};
use crate::unify::same_but_regions;

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = across(subject);
    if !subject.is_comparable() || subject.is_derived(PARTIAL_EQ) {
        return laws;
    }
    let lent = |n| subject.lent(n);
    let mut add = |name, says, inputs, clauses| {
        laws.push(subject.law(name, says, 1, inputs, clauses));
    };
    if subject.is("std::cmp::Eq") {
        add(
            "eq-reflexive",
            "a value that is `Eq` must be equal to itself",
            vec![lent(0)],
            vec![then("assert!({0}.eq({0}))")],
        );
    }
    add(
        "eq-symmetric",
        "`==` must be symmetric",
        vec![lent(0), lent(1)],
        vec![then("assert_eq!(*{0} == *{1}, *{1} == *{0})")],
    );
    add(
        "eq-transitive",
        "`==` must be transitive",
        vec![lent(0), lent(1), lent(2)],
        vec![
            given("*{0} == *{1}"),
            given("*{1} == *{2}"),
            then("assert!(*{0} == *{2})"),
        ],
    );
    add(
        "ne",
        "`!=` must be the opposite of `==`",
        vec![lent(0), lent(1)],
        vec![then("assert_ne!(*{0} != *{1}, *{0} == *{1})")],
    );
    laws
}

/// Equality with values of another type, where it goes both ways.
fn across(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = Vec::new();
    for with in subject.impls(PARTIAL_EQ) {
        let [other] = &with.args[..] else {
            continue;
        };
        let back = TraitRef {
            path: PARTIAL_EQ.into(),
            args: vec![GenericArg::Type(subject.ty.clone())],
            assoc: Vec::new(),
        };
        let is_own = same_but_regions(other, &subject.ty);
        if is_own || !super::has_impl(subject.api, other, &back) {
            continue;
        }
        let (input, text) = match other {
            Ty::Ref { to, .. } if !to.is_unsized() => (lent(to, 1), "{1}"),
            Ty::Ref { .. } | Ty::Prim(_) => (apart(other, 1), "{1}"),
            _ => (lent(other, 1), "*{1}"),
        };
        let says = "`==` must be symmetric across types";
        let name = format!("eq-symmetric with {}", other.render(&crate::ty::KeyNames));
        let then = then(format!("assert_eq!(*{{0}} == {text}, {text} == *{{0}})"));
        laws.push(subject.law(&name, says, 2, vec![subject.lent(0), input], vec![then]));
    }
    laws
}
