//! `TryFrom` with `Into`: what a value becomes leads back to it.

use super::super::Draft;
use super::{Subject, then};
use crate::ty::{GenericArg, Ty};
use crate::unify::{Match, same_but_regions, unify};

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = Vec::new();
    let is_cloned = subject.is("std::clone::Clone");
    if !subject.is_comparable() || !is_cloned {
        return laws;
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
        clauses.push(super::let_("other", format!("<{text}>::from({value})")));
        clauses.push(then(format!(
            "assert!(<{ty} as std::convert::TryFrom<{text}>>::try_from(other).ok().as_ref() == Some({{0}}))"
        )));
        let says = "what a value becomes must lead back to it";
        let name = format!("try-from {}", from.render(&crate::ty::KeyNames));
        laws.push(subject.law(&name, says, 2, vec![subject.lent(0)], clauses));
    }
    laws
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
