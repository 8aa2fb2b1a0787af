//! `Clone`: an equal value, and another one.

use super::super::{Draft, DraftInput};
use super::{PARTIAL_EQ, Subject, apart, let_, then};
use crate::keywords::{NEWEST_EDITION, identifier};
use crate::operation::{Clause, Form};
use crate::ty::Ty;
use crate::unify::same_but_regions;

const CLONE: &str = "std::clone::Clone";
/// The most ways to change a copy that are tried.
const MAX_CHANGES: usize = 8;

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = Vec::new();
    let is_derived = subject.is_derived(CLONE) && subject.is_derived(PARTIAL_EQ);
    let is_copy = subject.is("std::marker::Copy");
    if subject.is(CLONE) && subject.is_comparable() && !is_derived {
        let mut clauses = subject.given_reflexive(0);
        clauses.push(then("assert!({0}.clone() == *{0})"));
        let says = "a clone must be equal to its original";
        laws.push(subject.law("clone", says, 1, vec![subject.lent(0)], clauses));
        if !subject.is_derived(CLONE) {
            let mut clauses = subject.given_reflexive(0);
            clauses.push(let_("mut copy", "{1}.clone()"));
            clauses.push(Clause::Do("copy.clone_from({0})".into()));
            clauses.push(then("assert!(copy == *{0})"));
            let says = "`clone_from` must do what `clone` does";
            let inputs = vec![subject.lent(0), subject.lent(1)];
            laws.push(subject.law("clone-from", says, 1, inputs, clauses));
        }
    }
    if subject.is("std::fmt::Debug") && !is_copy {
        if subject.is(CLONE) {
            laws.extend(aliases(subject, "clone"));
        }
        for name in ["copy", "duplicate", "dup", "deep_copy"] {
            let gives = subject.question(name);
            if gives.is_some_and(|ty| same_but_regions(&ty, &subject.ty)) {
                laws.extend(aliases(subject, name));
                laws.push(shown(subject, name));
            }
        }
    }
    laws
}

/// A copy shows what the original shows.
fn shown(subject: &Subject<'_>, copy: &str) -> Draft {
    let clauses = vec![then(format!(
        "assert_eq!(format!(\"{{:?}}\", {{0}}.{copy}()), format!(\"{{:?}}\", {{0}}))"
    ))];
    let says = "a copy must show what its original shows";
    let name = format!("clone shown by {copy}");
    subject.law(&name, says, 4, vec![subject.lent(0)], clauses)
}

/// A change of a copy must leave the original as it is.
fn aliases(subject: &Subject<'_>, copy: &str) -> Vec<Draft> {
    let changes = subject.drafts.values().filter_map(|draft| {
        let Form::Inherent {
            self_ty,
            name,
            turbofish,
            has_self: true,
        } = &draft.form
        else {
            return None;
        };
        let is_simple = turbofish.is_empty()
            && draft.formatter.is_none()
            && draft.reading.is_none()
            && !draft.opaque
            && same_but_regions(self_ty, &subject.ty);
        let (receiver, rest) = draft.inputs.split_first()?;
        let is_lent = matches!(&receiver.ty, Ty::Ref { mutable: true, .. });
        let others_lent = rest
            .iter()
            .any(|it| matches!(&it.ty, Ty::Ref { mutable: true, .. }));
        (is_simple && is_lent && !others_lent).then_some((name, rest))
    });
    let changes = changes.take(MAX_CHANGES);
    changes
        .map(|(name, rest)| alias(subject, copy, name, rest))
        .collect()
}

fn alias(subject: &Subject<'_>, copy: &str, change: &str, rest: &[DraftInput]) -> Draft {
    let mut inputs = vec![subject.lent(0)];
    let mut arguments = Vec::new();
    for (i, input) in rest.iter().enumerate() {
        inputs.push(apart(&input.ty, i as u32 + 1));
        arguments.push(format!("{{{}}}", i + 1));
    }
    let change = identifier(change, NEWEST_EDITION);
    let clauses = vec![
        let_("before", "format!(\"{:?}\", {0})"),
        let_("mut copy", format!("{{0}}.{copy}()")),
        let_("_", format!("copy.{change}({})", arguments.join(", "))),
        then("assert_eq!(format!(\"{:?}\", {0}), before)"),
    ];
    let name = format!("clone-alias {copy} {change}");
    let says = "a change of a copy must leave the original as it is";
    subject.law(&name, says, 5, inputs, clauses)
}
