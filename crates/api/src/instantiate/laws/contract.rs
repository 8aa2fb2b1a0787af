//! The user's own: methods that say whether a value is valid, and functions of the module that makes
//! values.

use super::super::Draft;
use super::{Subject, apart, draft, then};
use crate::api::Api;
use crate::callable::CallableKind;
use crate::keywords::{NEWEST_EDITION, identifier};
use crate::operation::{Asks, Law};
use crate::ty::{FullNames, Names as _, Prim, Ty};

/// Names that are only used for invariants.
const INVARIANTS: [&str; 8] = [
    "rep_ok",
    "repr_ok",
    "check_rep",
    "check_invariants",
    "check_invariant",
    "invariants_hold",
    "invariant",
    "invariants",
];
/// Names that are used for invariants, but also for questions about a value that comes from
/// outside.
const QUESTIONS: [&str; 3] = ["is_valid", "is_consistent", "is_well_formed"];

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let named = subject.api.contracts.iter().map(|it| (&**it, false));
    let named: Vec<(&str, bool)> = named
        .chain(INVARIANTS.map(|it| (it, false)))
        .chain(QUESTIONS.map(|it| (it, true)))
        .collect();
    let mut laws = Vec::new();
    for (name, guessed) in named {
        let is_known = |it: &Draft| it.key.starts_with(&format!("contract {name} <"));
        let answers = subject.question(name) == Some(Ty::Prim(Prim::Bool));
        if !answers || laws.iter().any(is_known) {
            continue;
        }
        let law = Law {
            name: format!("contract {name}").into(),
            of: subject.ty.clone(),
            says: format!("`{name}` must hold after every call").into(),
            rank: if guessed { 5 } else { 1 },
            clauses: vec![then(format!(
                "assert!({{0}}.{}())",
                identifier(name, NEWEST_EDITION)
            ))],
            asks: Asks::OfAny,
            // The answer to a question is often no.
            doubted_above: guessed.then_some(33),
        };
        laws.push(draft(law, vec![subject.lent(0)]));
    }
    laws
}

/// Laws of the module that makes values.
pub(in super::super) fn of_module(api: &Api) -> Vec<Draft> {
    let laws = api.laws.iter().filter_map(|callable| {
        let CallableKind::Function { path } = &callable.kind else {
            return None;
        };
        let inputs = callable.inputs.iter().enumerate();
        let inputs = inputs
            .map(|(n, input)| apart(&input.ty, n as u32))
            .collect();
        let places: Vec<String> = (0..callable.inputs.len())
            .map(|n| format!("{{{n}}}"))
            .collect();
        let call = format!("assert!({}({}))", FullNames.path(path), places.join(", "));
        let of = match &callable.inputs.first()?.ty {
            Ty::Ref { to, .. } => &**to,
            ty => ty,
        };
        let law = Law {
            name: format!("law {}", crate::ty::last_segment(path)).into(),
            of: of.clone(),
            says: format!("`{}` must hold", crate::ty::last_segment(path)).into(),
            rank: 1,
            clauses: vec![then(call)],
            asks: Asks::OfAny,
            doubted_above: None,
        };
        Some(draft(law, inputs))
    });
    laws.collect()
}
