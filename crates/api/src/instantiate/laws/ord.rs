//! `PartialOrd` and `Ord`: orders that agree with each other and with `==`.

use super::super::Draft;
use super::{PARTIAL_EQ, Subject, given, then};
use crate::ty::Ty;
use crate::unify::same_but_regions;

const PARTIAL_ORD: &str = "std::cmp::PartialOrd";
const ORD: &str = "std::cmp::Ord";

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = Vec::new();
    let derives_eq = subject.is_derived(PARTIAL_EQ);
    let mut ordered = subject.impls(PARTIAL_ORD).into_iter();
    let of_self = |args: &[Ty]| args.iter().all(|it| same_but_regions(it, &subject.ty));
    if ordered.any(|it| of_self(&it.args)) && !(subject.is_derived(PARTIAL_ORD) && derives_eq) {
        laws.extend(partial(subject));
    }
    let is_derived = subject.is_derived(ORD) && subject.is_derived(PARTIAL_ORD) && derives_eq;
    if subject.is(ORD) && !is_derived {
        laws.extend(total(subject));
        if subject.is("std::clone::Clone") {
            laws.extend(chosen(subject));
        }
    }
    laws
}

fn two(subject: &Subject<'_>) -> Vec<Ty> {
    vec![subject.lent(0), subject.lent(1)]
}

fn three(subject: &Subject<'_>) -> Vec<Ty> {
    vec![subject.lent(0), subject.lent(1), subject.lent(2)]
}

/// `partial_cmp` must agree with `==` and with the operators, both ways round.
fn partial(subject: &Subject<'_>) -> [Draft; 5] {
    [
        subject.law(
        "partial-ord-eq",
        "`partial_cmp` must say equal of what is `==`, and of nothing else",
1,
        two(subject),
        vec![then(
            "assert_eq!({0}.partial_cmp({1}) == Some(std::cmp::Ordering::Equal), *{0} == *{1})",
        )],
    ),
        subject.law(
        "partial-ord-dual",
        "`a < b` and `b > a` must be the same",
1,
        two(subject),
        vec![then(
            "assert_eq!({0}.partial_cmp({1}), {1}.partial_cmp({0}).map(std::cmp::Ordering::reverse))",
        )],
    ),
        subject.law(
        "partial-ord-operators",
        "`<` must be what `partial_cmp` says",
1,
        two(subject),
        vec![then(
            "assert_eq!((*{0} < *{1}, *{0} > *{1}), ({0}.partial_cmp({1}) == Some(std::cmp::Ordering::Less), {0}.partial_cmp({1}) == Some(std::cmp::Ordering::Greater)))",
        )],
    ),
        subject.law(
        "partial-ord-operators or equal",
        "`<=` must be what `partial_cmp` says",
1,
        two(subject),
        vec![then(
            "assert_eq!((*{0} <= *{1}, *{0} >= *{1}), ({0}.partial_cmp({1}).is_some_and(std::cmp::Ordering::is_le), {0}.partial_cmp({1}).is_some_and(std::cmp::Ordering::is_ge)))",
        )],
    ),
        subject.law(
        "partial-ord-transitive",
        "`<` must be transitive",
1,
        three(subject),
        vec![
            given("*{0} < *{1}"),
            given("*{1} < *{2}"),
            then("assert!(*{0} < *{2})"),
        ],
    ),
    ]
}

/// `cmp` must agree with `partial_cmp` and `==`, both ways round.
fn total(subject: &Subject<'_>) -> [Draft; 4] {
    [
        subject.law(
            "ord-partial",
            "`cmp` and `partial_cmp` must say the same",
            1,
            two(subject),
            vec![then("assert_eq!({0}.partial_cmp({1}), Some({0}.cmp({1})))")],
        ),
        subject.law(
            "ord-eq",
            "`cmp` must say equal of what is `==`, and of nothing else",
            1,
            two(subject),
            vec![then(
                "assert_eq!({0}.cmp({1}) == std::cmp::Ordering::Equal, *{0} == *{1})",
            )],
        ),
        subject.law(
            "ord-dual",
            "`a.cmp(b)` must be the reverse of `b.cmp(a)`",
            1,
            two(subject),
            vec![then("assert_eq!({0}.cmp({1}), {1}.cmp({0}).reverse())")],
        ),
        subject.law(
            "ord-transitive",
            "`cmp` must be transitive",
            1,
            three(subject),
            vec![
                given("{0}.cmp({1}).is_le()"),
                given("{1}.cmp({2}).is_le()"),
                then("assert!({0}.cmp({2}).is_le())"),
            ],
        ),
    ]
}

/// `max`, `min` and `clamp` must choose by `cmp`.
fn chosen(subject: &Subject<'_>) -> [Draft; 2] {
    let (a, b, c) = ("{0}.clone()", "{1}.clone()", "{2}.clone()");
    [
        subject.law(
            "ord-max",
            "`max` and `min` must go by `cmp`",
            1,
            two(subject),
            vec![
                given("{0}.cmp({1}).is_lt()"),
                then(format!("assert!(*{{1}} == std::cmp::Ord::max({a}, {b}))")),
                then(format!("assert!(*{{0}} == std::cmp::Ord::min({a}, {b}))")),
            ],
        ),
        subject.law(
            "ord-clamp",
            "`clamp` must go by `cmp`",
            1,
            three(subject),
            vec![
                given("{0}.cmp({1}).is_lt()"),
                given("{1}.cmp({2}).is_lt()"),
                then(format!(
                    "assert!(*{{1}} == std::cmp::Ord::clamp({b}, {a}, {c}))"
                )),
                then(format!(
                    "assert!(*{{1}} == std::cmp::Ord::clamp({a}, {b}, {c}))"
                )),
                then(format!(
                    "assert!(*{{1}} == std::cmp::Ord::clamp({c}, {a}, {b}))"
                )),
            ],
        ),
    ]
}
