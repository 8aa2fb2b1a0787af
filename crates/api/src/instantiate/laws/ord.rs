//! `PartialOrd` and `Ord`: orders that agree with each other and with `==`.

use super::super::Draft;
use super::{PARTIAL_EQ, Subject, given, then};
use crate::unify::same_but_regions;

const PARTIAL_ORD: &str = "std::cmp::PartialOrd";
const ORD: &str = "std::cmp::Ord";

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = Vec::new();
    let lent = |n| subject.lent(n);
    let mut add = |name, says, inputs, clauses| {
        laws.push(subject.law(name, says, 1, inputs, clauses));
    };
    let two = || vec![lent(0), lent(1)];
    let three = || vec![lent(0), lent(1), lent(2)];
    let derives_eq = subject.is_derived(PARTIAL_EQ);
    let mut ordered = subject.impls(PARTIAL_ORD).into_iter();
    let of_self = |args: &[crate::ty::Ty]| args.iter().all(|it| same_but_regions(it, &subject.ty));
    if ordered.any(|it| of_self(&it.args)) && !(subject.is_derived(PARTIAL_ORD) && derives_eq) {
        add(
            "partial-ord-eq",
            "`partial_cmp` must say equal of what is `==`, and of nothing else",
            two(),
            vec![then(
                "assert_eq!({0}.partial_cmp({1}) == Some(std::cmp::Ordering::Equal), *{0} == *{1})",
            )],
        );
        add(
            "partial-ord-dual",
            "`a < b` and `b > a` must be the same",
            two(),
            vec![then(
                "assert_eq!({0}.partial_cmp({1}), {1}.partial_cmp({0}).map(std::cmp::Ordering::reverse))",
            )],
        );
        add(
            "partial-ord-operators",
            "`<` must be what `partial_cmp` says",
            two(),
            vec![then(
                "assert_eq!((*{0} < *{1}, *{0} > *{1}), ({0}.partial_cmp({1}) == Some(std::cmp::Ordering::Less), {0}.partial_cmp({1}) == Some(std::cmp::Ordering::Greater)))",
            )],
        );
        add(
            "partial-ord-operators or equal",
            "`<=` must be what `partial_cmp` says",
            two(),
            vec![then(
                "assert_eq!((*{0} <= *{1}, *{0} >= *{1}), ({0}.partial_cmp({1}).is_some_and(std::cmp::Ordering::is_le), {0}.partial_cmp({1}).is_some_and(std::cmp::Ordering::is_ge)))",
            )],
        );
        add(
            "partial-ord-transitive",
            "`<` must be transitive",
            three(),
            vec![
                given("*{0} < *{1}"),
                given("*{1} < *{2}"),
                then("assert!(*{0} < *{2})"),
            ],
        );
    }
    let is_derived = subject.is_derived(ORD) && subject.is_derived(PARTIAL_ORD) && derives_eq;
    if subject.is(ORD) && !is_derived {
        add(
            "ord-partial",
            "`cmp` and `partial_cmp` must say the same",
            two(),
            vec![then("assert_eq!({0}.partial_cmp({1}), Some({0}.cmp({1})))")],
        );
        add(
            "ord-eq",
            "`cmp` must say equal of what is `==`, and of nothing else",
            two(),
            vec![then(
                "assert_eq!({0}.cmp({1}) == std::cmp::Ordering::Equal, *{0} == *{1})",
            )],
        );
        add(
            "ord-dual",
            "`a.cmp(b)` must be the reverse of `b.cmp(a)`",
            two(),
            vec![then("assert_eq!({0}.cmp({1}), {1}.cmp({0}).reverse())")],
        );
        add(
            "ord-transitive",
            "`cmp` must be transitive",
            three(),
            vec![
                given("{0}.cmp({1}).is_le()"),
                given("{1}.cmp({2}).is_le()"),
                then("assert!({0}.cmp({2}).is_le())"),
            ],
        );
        let (a, b, c) = ("{0}.clone()", "{1}.clone()", "{2}.clone()");
        if subject.is("std::clone::Clone") {
            add(
                "ord-max",
                "`max` and `min` must go by `cmp`",
                two(),
                vec![
                    given("{0}.cmp({1}).is_lt()"),
                    then(format!("assert!(*{{1}} == std::cmp::Ord::max({a}, {b}))")),
                    then(format!("assert!(*{{0}} == std::cmp::Ord::min({a}, {b}))")),
                ],
            );
            add(
                "ord-clamp",
                "`clamp` must go by `cmp`",
                three(),
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
            );
        }
    }
    laws
}
