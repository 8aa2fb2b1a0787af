//! `Hash` with `Eq`, and both with `Borrow`.

use super::super::Draft;
use super::{PARTIAL_EQ, Subject, given, is, let_, then};
use crate::operation::Clause;

const HASH: &str = "std::hash::Hash";
const ORD: &str = "std::cmp::Ord";

fn hasher() -> Clause {
    let_(
        "hasher",
        "std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default()",
    )
}

fn hash(of: &str) -> String {
    format!("std::hash::BuildHasher::hash_one(&hasher, {of})")
}

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = Vec::new();
    let is_derived = subject.is_derived(HASH) && subject.is_derived(PARTIAL_EQ);
    if subject.is(HASH) && subject.is_comparable() && !is_derived {
        let same = format!("assert_eq!({}, {})", hash("{0}"), hash("{1}"));
        laws.push(subject.law(
            "hash",
            "equal values must have equal hashes",
            1,
            vec![subject.lent(0), subject.lent(1)],
            vec![given("*{0} == *{1}"), hasher(), then(same)],
        ));
    }
    laws.extend(of_borrowed(subject));
    laws
}

/// What is borrowed must be hashed and compared like its owner, or maps don't find it.
fn of_borrowed(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = Vec::new();
    for borrow in subject.impls("std::borrow::Borrow") {
        let [to] = &borrow.args[..] else {
            continue;
        };
        let to_text = to.render(&super::Inferred);
        let borrowed = |n| format!("std::borrow::Borrow::<{to_text}>::borrow({{{n}}})");
        let both = |path| subject.is(path) && is_known(subject, to, path);
        let mut add = |name, says, inputs, clauses| {
            laws.push(subject.law(name, says, 1, inputs, clauses));
        };
        if both(HASH) && subject.is("std::cmp::Eq") {
            let same = format!("assert_eq!({}, {})", hash("{0}"), hash(&borrowed(0)));
            add(
                "hash-borrow",
                "what is borrowed must have the hash of its owner",
                vec![subject.lent(0)],
                vec![hasher(), then(same)],
            );
        }
        if both("std::cmp::Eq") {
            let same = format!(
                "assert_eq!(*{{0}} == *{{1}}, {} == {})",
                borrowed(0),
                borrowed(1)
            );
            add(
                "eq-borrow",
                "what is borrowed must be equal where its owner is",
                vec![subject.lent(0), subject.lent(1)],
                vec![then(same)],
            );
        }
        if both(ORD) {
            let same = format!(
                "assert_eq!({{0}}.cmp({{1}}), {}.cmp({}))",
                borrowed(0),
                borrowed(1)
            );
            add(
                "ord-borrow",
                "what is borrowed must be ordered like its owner",
                vec![subject.lent(0), subject.lent(1)],
                vec![then(same)],
            );
        }
    }
    laws
}

/// Text and slices of such are what most types borrow as.
fn is_known(subject: &Subject<'_>, ty: &crate::ty::Ty, path: &str) -> bool {
    use crate::ty::Ty;
    match ty {
        Ty::Str => true,
        Ty::Slice(of) => is_known(subject, of, path),
        ty => is(subject.api, ty, path),
    }
}
