//! `Iterator` and what promises more: how many items are left, both ends, no end after the end.

use super::super::Draft;
use super::super::project::{iterator_item, project};
use super::{Subject, apart, draft, given, is, let_, then};
use crate::operation::{Asks, Clause, Law};
use crate::ty::Ty;
use crate::unify::normalise;

const ITERATOR: &str = "std::iter::Iterator";
/// Iterators may never end.
const MANY: &str = "1000";

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let iterators = subject.impls(ITERATOR);
    let Some(iterator) = iterators.first() else {
        return Vec::new();
    };
    let mut laws = lengths(subject);
    let item = iterator.assoc("Item");
    if item.is_some_and(|item| is_comparable(subject, item)) {
        laws.extend(items(subject));
    }
    laws
}

/// What an iterator of this type gives, if that is known.
pub(super) fn item(subject: &Subject<'_>, ty: &Ty) -> Option<Ty> {
    let impls = &subject.api.impls;
    let item = iterator_item(impls, ty)?;
    let item = normalise(&item, &mut |of, trait_, name| {
        project(impls, of, trait_, name)
    });
    let is_known = !item.any(&mut |it| matches!(it, Ty::Assoc { .. } | Ty::Param(_)));
    is_known.then_some(item)
}

/// Can values of the type be compared, and are they equal to themselves?
pub(super) fn is_comparable(subject: &Subject<'_>, item: &Ty) -> bool {
    match item {
        Ty::Ref { to, .. } => is_comparable(subject, to),
        Ty::Tuple(parts) => parts.iter().all(|part| is_comparable(subject, part)),
        Ty::Prim(prim) => !prim.is_float(),
        Ty::Str => true,
        Ty::Slice(of) | Ty::Array(of, _) => is_comparable(subject, of),
        Ty::Adt { path, .. } if is_walk(path) => false,
        Ty::Adt { path, args } if path.starts_with("std::") => args.iter().all(|arg| match arg {
            crate::ty::GenericArg::Type(ty) => is_comparable(subject, ty),
            _ => true,
        }),
        ty => is(subject.api, ty, "std::cmp::Eq"),
    }
}

/// Is it one of the standard library's iterators, which nobody can compare?
fn is_walk(path: &str) -> bool {
    let name = path.rsplit("::").next().unwrap_or_default();
    let of_iterators = ["std::iter::", "std::slice::", "std::str::"];
    of_iterators.iter().any(|it| path.starts_with(it))
        || path.starts_with("std::") && (name.contains("Iter") || name == "Drain")
}

/// What is said of the number of items that are left.
fn lengths(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = Vec::new();
    let mut add = |name, says, clauses| {
        laws.push(subject.law(name, says, 1, vec![subject.lent_mutably(0)], clauses));
    };
    let rest = format!("{{0}}.by_ref().take({MANY}).count()");
    add(
        "size-hint",
        "`size_hint` must be bounds of what is left",
        vec![
            let_("(least, most)", "{0}.size_hint()"),
            let_("n", &*rest),
            then(format!("assert!(least <= n || n == {MANY})")),
            then("assert!(most.is_none_or(|most| n <= most))"),
        ],
    );
    let is_exact = subject.is("std::iter::ExactSizeIterator");
    if is_exact {
        add(
            "exact-size",
            "`len` must be the number of items that are left",
            vec![
                let_("len", "{0}.len()"),
                given(format!("len < {MANY}")),
                then(format!("assert_eq!({rest}, len)")),
            ],
        );
    }
    if is_exact && subject.is("std::iter::DoubleEndedIterator") {
        add(
            "exact-size from the back",
            "`len` must be the number of items that are left",
            vec![
                let_("len", "{0}.len()"),
                given("{0}.next_back().is_some()"),
                then("assert_eq!({0}.len() + 1, len)"),
            ],
        );
    }
    if subject.is("std::iter::FusedIterator") {
        add(
            "fused",
            "a fused iterator must give nothing after its end",
            vec![
                given(format!("{rest} < {MANY}")),
                then("assert!({0}.next().is_none())"),
                then("assert!({0}.next().is_none())"),
            ],
        );
    }
    laws
}

/// What is said of the items of two iterators that must give the same.
fn items(subject: &Subject<'_>) -> Vec<Draft> {
    let twice = Twice::of(subject);
    let mut laws = Vec::new();
    if subject.is("std::iter::DoubleEndedIterator") {
        laws.extend(from_both_ends(&twice));
    }
    laws.extend(skips_and_counts(&twice));
    laws
}

/// Two iterators that must give the same: clones, or two that were made in the same way.
struct Twice<'a> {
    subject: &'a Subject<'a>,
    is_clone: bool,
    /// The expressions of both.
    first: &'static str,
    second: &'static str,
}

impl<'a> Twice<'a> {
    fn of(subject: &'a Subject<'a>) -> Twice<'a> {
        let is_clone = subject.is("std::clone::Clone");
        let (first, second) = match is_clone {
            true => ("{0}.clone()", "{0}.clone()"),
            false => ("{0}", "{1}"),
        };
        Twice {
            subject,
            is_clone,
            first,
            second,
        }
    }

    fn law(&self, name: &str, says: &str, clauses: Vec<Clause>) -> Draft {
        let ty = &self.subject.ty;
        let (inputs, asks) = match self.is_clone {
            true => (vec![self.subject.lent(0)], Asks::OfAny),
            false => (vec![apart(ty, 0), apart(ty, 1)], Asks::OfAlike),
        };
        let law = Law {
            name: name.into(),
            of: ty.clone(),
            says: says.into(),
            rank: 1,
            clauses,
            asks,
            doubted_above: None,
        };
        draft(law, inputs)
    }
}

/// Both ends of an iterator must give the same items.
fn from_both_ends(twice: &Twice<'_>) -> [Draft; 2] {
    let Twice { first, second, .. } = *twice;
    [
        twice.law(
        "double-ended",
        "from the back there must be the same items in reverse",
        vec![
            let_("forth", format!("{first}.take({MANY}).collect::<Vec<_>>()")),
            given(format!("forth.len() < {MANY}")),
            let_("mut back", format!("{second}.rev().collect::<Vec<_>>()")),
            Clause::Do("back.reverse()".into()),
            then("assert!(forth == back)"),
        ],
    ),
        twice.law(
        "double-ended from both ends",
        "from both ends there must be every item once",
        vec![
            let_("n", format!("{first}.take({MANY}).count()")),
            given(format!("n < {MANY}")),
            let_("mut both", second),
            let_("mut m", "0"),
            Clause::Do(
                "while (if m % 2 == 0 { both.next() } else { both.next_back() }).is_some() { m += 1 }"
                    .into(),
            ),
            then("assert_eq!(m, n)"),
        ],
    ),
    ]
}

/// `nth`, `count` and `last` must agree with `next`.
fn skips_and_counts(twice: &Twice<'_>) -> [Draft; 3] {
    let Twice { first, second, .. } = *twice;
    [
        twice.law(
            "nth",
            "`nth` must skip as many as `next` gives",
            vec![
                let_("mut one", first),
                let_("skipped", "one.next().is_some()"),
                given("skipped"),
                let_("mut other", second),
                then("assert!(other.nth(1) == one.next())"),
                then("assert!(other.next() == one.next())"),
            ],
        ),
        twice.law(
            "count",
            "`count` must be the number of items",
            vec![
                let_("mut one", first),
                let_("n", format!("one.by_ref().take({MANY}).count()")),
                given(format!("n < {MANY}")),
                then(format!("assert_eq!({second}.count(), n)")),
            ],
        ),
        twice.law(
            "count to the last",
            "`last` must be the last item",
            vec![
                let_("mut one", first),
                let_(
                    "items",
                    format!("one.by_ref().take({MANY}).collect::<Vec<_>>()"),
                ),
                given(format!("items.len() < {MANY}")),
                then(format!(
                    "assert!({second}.last() == items.into_iter().next_back())"
                )),
            ],
        ),
    ]
}
