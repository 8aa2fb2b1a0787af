//! Operators that come in pairs: `+` and `+=`, by value and by reference, `-` twice.

use super::super::Draft;
use super::super::build::{region, shared};
use super::{Subject, caught, impls, let_, then};
use crate::operation::Clause;
use crate::ty::Ty;
use crate::unify::same_but_regions;

pub(super) const OPERATORS: [(&str, &str); 10] = [
    ("Add", "+"),
    ("Sub", "-"),
    ("Mul", "*"),
    ("Div", "/"),
    ("Rem", "%"),
    ("BitAnd", "&"),
    ("BitOr", "|"),
    ("BitXor", "^"),
    ("Shl", "<<"),
    ("Shr", ">>"),
];

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = Vec::new();
    if !subject.is("std::clone::Clone") || !subject.is_comparable() {
        return laws;
    }
    for (name, sign) in OPERATORS {
        for by_values in subject.impls(&format!("std::ops::{name}")) {
            let other = by_values.args.first().unwrap_or(&subject.ty).clone();
            let output = by_values.assoc("Output");
            let is_closed = output.is_some_and(|it| same_but_regions(it, &subject.ty));
            if !is_closed {
                continue;
            }
            laws.extend(assigned(subject, name, sign, &other));
            laws.extend(refused(subject, name, sign, &other));
            if !matches!(other, Ty::Ref { .. }) {
                laws.extend(by_reference(subject, name, sign, &other));
            }
        }
    }
    laws.extend(negated(subject));
    laws
}

/// What is compared may not be equal to itself.
fn same(subject: &Subject<'_>, one: &str, other: &str) -> Clause {
    match subject.is("std::cmp::Eq") {
        true => then(format!("assert!({one} == {other})")),
        false => then(format!("assert!({one} == {other} || {one} != {one})")),
    }
}

fn assigns(subject: &Subject<'_>, name: &str, other: &Ty) -> bool {
    let assigns = subject.impls(&format!("std::ops::{name}Assign"));
    let is_it = |args: &[Ty]| same_but_regions(args.first().unwrap_or(&subject.ty), other);
    assigns.iter().any(|it| is_it(&it.args))
}

fn assigned(subject: &Subject<'_>, name: &str, sign: &str, other: &Ty) -> Option<Draft> {
    if !assigns(subject, name, other) {
        return None;
    }
    let (input, right) = subject.passed(other, 1)?;
    let clauses = vec![
        let_("result", format!("{} {sign} {right}", subject.value(0))),
        let_("mut assigned", subject.value(0)),
        Clause::Do(format!("assigned {sign}= {right}")),
        same(subject, "result", "assigned"),
    ];
    let says = format!("`{sign}` and `{sign}=` must do the same");
    let other = other.render(&crate::ty::KeyNames);
    let law = format!("operator-assign {name} with {other}");
    Some(subject.law(&law, &says, 2, vec![subject.lent(0), input], clauses))
}

/// What one refuses by a panic, the other does.
fn refused(subject: &Subject<'_>, name: &str, sign: &str, other: &Ty) -> Option<Draft> {
    if !assigns(subject, name, other) {
        return None;
    }
    let (input, right) = subject.passed(other, 1)?;
    let value = subject.value(0);
    let clauses = vec![
        let_("result", caught(&format!("{value} {sign} {right}"))),
        let_("mut assigned", value),
        let_("done", caught(&format!("assigned {sign}= {right}"))),
        then("assert_eq!(done.is_some(), result.is_some())"),
    ];
    let says = format!("`{sign}` and `{sign}=` must refuse the same");
    let other = other.render(&crate::ty::KeyNames);
    let law = format!("operator-refuses {name} with {other}");
    Some(subject.law(&law, &says, 2, vec![subject.lent(0), input], clauses))
}

fn by_reference(subject: &Subject<'_>, name: &str, sign: &str, other: &Ty) -> Vec<Draft> {
    let path = format!("std::ops::{name}");
    let mut laws = Vec::new();
    let Some((input, right)) = subject.passed(other, 1) else {
        return laws;
    };
    let reference = |ty: &Ty| shared(region(u32::MAX / 2), ty.clone());
    let sides = [
        (
            reference(&subject.ty),
            reference(other),
            "{0}".to_owned(),
            true,
        ),
        (
            reference(&subject.ty),
            other.clone(),
            "{0}".to_owned(),
            false,
        ),
        (subject.ty.clone(), reference(other), subject.value(0), true),
    ];
    for (n, (left_ty, right_ty, left, lends_right)) in sides.into_iter().enumerate() {
        let is_such = |arg: Option<&Ty>| match arg {
            Some(arg) => same_but_regions(arg, &right_ty),
            None => same_but_regions(&left_ty, &right_ty),
        };
        let known = impls(subject.api, &left_ty, &path);
        if !known.iter().any(|it| is_such(it.args.first())) {
            continue;
        }
        let lent_right = match other {
            Ty::Prim(_) => "&{1}",
            _ => "{1}",
        };
        let lent_right = if lends_right { lent_right } else { &*right };
        let clauses = vec![
            let_("result", format!("{left} {sign} {lent_right}")),
            let_("by_value", format!("{} {sign} {right}", subject.value(0))),
            same(subject, "by_value", "result"),
        ];
        let says = format!("`{sign}` must do the same by value and by reference");
        let other = other.render(&crate::ty::KeyNames);
        let law = format!("operator-reference {name} {n} with {other}");
        let inputs = vec![subject.lent(0), input.clone()];
        laws.push(subject.law(&law, &says, 2, inputs, clauses));
    }
    laws
}

fn negated(subject: &Subject<'_>) -> Option<Draft> {
    let mut found = subject.impls("std::ops::Neg").into_iter();
    let output = found.next()?.assoc("Output").cloned()?;
    if !same_but_regions(&output, &subject.ty) {
        return None;
    }
    let value = subject.value(0);
    let mut clauses = subject.given_reflexive(0);
    clauses.push(let_("negated", format!("-{value}")));
    clauses.push(then("assert!(-negated == *{0})"));
    let says = "what is negated twice must be as before";
    Some(subject.law("negation", says, 3, vec![subject.lent(0)], clauses))
}
