//! `TryFrom` with `Into`: what a value becomes leads back to it. A number that becomes one of the language's
//! is compared as that is.

use super::super::Draft;
use super::{PARTIAL_EQ, Subject, given, let_, then};
use crate::ty::{GenericArg, Prim, Ty};
use crate::unify::{Match, same_but_regions, unify};

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = Vec::new();
    let is_cloned = subject.is("std::clone::Clone");
    if !subject.is_comparable() || !is_cloned {
        return laws;
    }
    if let Some(number) = number(subject) {
        laws.extend(compared(subject, &number));
    }
    for tried in subject.impls("std::convert::TryFrom") {
        let [from @ (Ty::Prim(_) | Ty::Adt { .. })] = &tried.args[..] else {
            continue;
        };
        if !becomes(subject, from) {
            continue;
        }
        let value = subject.value(0);
        let (ty, text) = (subject.text(), from.render(&super::Inferred));
        let mut clauses = subject.given_reflexive(0);
        clauses.push(let_("other", format!("<{text}>::from({value})")));
        clauses.push(then(format!(
            "assert!(<{ty} as std::convert::TryFrom<{text}>>::try_from(other).ok().as_ref() == Some({{0}}))"
        )));
        let says = "what a value becomes must lead back to it";
        let name = format!("try-from {}", from.render(&crate::ty::KeyNames));
        laws.push(subject.law(&name, says, 2, vec![subject.lent(0)], clauses));
    }
    laws
}

/// The number of the language's that the type becomes, if it is a number: it is made of one, too.
fn number(subject: &Subject<'_>) -> Option<Ty> {
    let is_numeric = |prim: &Prim| prim.is_integer() || prim.is_float();
    let made_of = subject.impls("std::convert::From");
    let is_number = made_of
        .iter()
        .any(|it| matches!(&it.args[..], [Ty::Prim(prim)] if is_numeric(prim)));
    let into = subject.api.impls.iter().filter_map(|it| match &it.self_ty {
        Ty::Prim(prim) if &*it.trait_.path == "std::convert::From" => Some(*prim),
        _ => None,
    });
    // The widest float says most.
    let into = into.filter(|prim| is_numeric(prim) && becomes(subject, &Ty::Prim(*prim)));
    let into = into.max_by_key(|prim| *prim == Prim::F64)?;
    is_number.then_some(Ty::Prim(into))
}

/// `==` and `<` of numbers are those of what they become, if somebody wrote them.
fn compared(subject: &Subject<'_>, number: &Ty) -> Vec<Draft> {
    let text = number.render(&super::Inferred);
    let become_ = |name, n| let_(name, format!("{text}::from({})", subject.value(n)));
    let inputs = || vec![subject.lent(0), subject.lent(1)];
    let mut laws = Vec::new();
    if !subject.is_derived(PARTIAL_EQ) && is_exact(subject, number) {
        let mut clauses = vec![become_("one", 0), become_("other", 1)];
        if matches!(number, Ty::Prim(prim) if prim.is_float()) {
            // Whatever is too large becomes the same infinity.
            clauses.push(given("one.is_finite()"));
        }
        clauses.extend([given("one == other"), then("assert!(*{0} == *{1})")]);
        let says = format!("numbers that are equal as `{text}` must be equal");
        laws.push(subject.law(&format!("eq-into {text}"), &says, 3, inputs(), clauses));
    }
    let order = "std::cmp::PartialOrd";
    if subject.is(order) && !subject.is_derived(order) {
        let clauses = vec![
            become_("one", 0),
            become_("other", 1),
            given("one < other"),
            then("assert!(*{0} < *{1})"),
        ];
        let says = format!("numbers must be in the order that they have as `{text}`");
        laws.push(subject.law(&format!("ord-into {text}"), &says, 3, inputs(), clauses));
    }
    laws
}

/// Does a number keep all of itself as this one? Not if it is made of integers that a float rounds.
fn is_exact(subject: &Subject<'_>, number: &Ty) -> bool {
    let bits = match number {
        Ty::Prim(Prim::F64) => 53,
        Ty::Prim(Prim::F32) => 24,
        _ => return true,
    };
    let made_of = subject.impls("std::convert::From");
    let rounds = |prim: &Prim| prim.int_range().is_some_and(|(wide, _)| wide > bits);
    !made_of
        .iter()
        .any(|it| matches!(&it.args[..], [Ty::Prim(prim)] if rounds(prim)))
}

/// Does the type become the other one by `impl From<T> for U`?
fn becomes(subject: &Subject<'_>, other: &Ty) -> bool {
    subject.api.impls.iter().any(|it| {
        let is_from = &*it.trait_.path == "std::convert::From";
        let from = match &it.trait_.args[..] {
            [GenericArg::Type(from)] if is_from => from,
            _ => return false,
        };
        let mut found = Match::default();
        unify(&it.self_ty, other, &mut found) && same_but_regions(&found.apply(from), &subject.ty)
    })
}
