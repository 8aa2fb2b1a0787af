//! Cuts a huge API down, visibly and always in the same way, to a catalogue that can still be built
//! and a suite that can still be compiled.

use std::collections::BTreeMap;

use testsmith_api::{
    Api, CallableKind, Catalogue, InstantiateOptions, Operation, Origin, Reason, Ty, instantiate,
};

use crate::filter::Filter;
use crate::needed::keep_needed;

/// What a cut left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cut {
    /// Callables that were left out with all their instances.
    pub n_callables: usize,
}

/// The most tests that one operation can have: its cases stand four to a test.
const TESTS_PER_OPERATION: usize = 4;

/// Makes a catalogue of the wanted operations and of those they need, at most `max` in all. First
/// every callable keeps one instance only. If that is not enough, callables go: those that the user
/// did not ask for first, then the last ones by their keys.
pub(crate) fn instantiate_at_most(
    api: Api,
    filter: &Filter,
    max: usize,
) -> (Catalogue, Option<Cut>) {
    let make = |api, options: &InstantiateOptions| {
        let mut catalogue = instantiate(api, options);
        keep_needed(&mut catalogue, filter);
        catalogue
    };
    let catalogue = make(api, &InstantiateOptions::default());
    if catalogue.operations.len() <= max {
        return (catalogue, None);
    }
    let options = InstantiateOptions {
        max_instances: 1,
        max_demanded: 1,
        ..InstantiateOptions::default()
    };
    let mut catalogue = make(catalogue.api, &options);
    // Callables in the order in which they are kept, the wanted ones first. A callable that is
    // skipped already has no operations, so leaving it out would save nothing.
    let mut order: Vec<usize> = (0..catalogue.api.callables.len())
        .filter(|i| catalogue.api.callables[*i].skip.is_none())
        .collect();
    order.sort_by_key(|i| !filter.wants(*i));
    let n_before = order.len();
    while catalogue.operations.len() > max && !order.is_empty() {
        // Keeps as many callables as the proportion says, and always drops at least one: recipes go
        // only with the last callable that needs them, so the proportion alone may drop none.
        let n_keep = order.len() * max / catalogue.operations.len();
        for i in order.drain(n_keep.min(order.len() - 1)..) {
            catalogue.api.callables[i].skip = Some(Reason::TooMany);
        }
        catalogue = make(catalogue.api, &options);
    }
    let n_callables = n_before - order.len();
    (catalogue, Some(Cut { n_callables }))
}

/// The most tests for one type or free function, up to `max`, with which a suite of all wanted
/// operations stays below `max_suite` tests. At least one.
pub fn tests_per_subject(
    catalogue: &Catalogue,
    filter: &Filter,
    max: usize,
    max_suite: usize,
) -> usize {
    let mut n_operations: BTreeMap<&str, usize> = BTreeMap::new();
    for operation in &catalogue.operations {
        if filter.wants_operation(catalogue, operation) {
            *n_operations
                .entry(subject(catalogue, operation))
                .or_default() += 1;
        }
    }
    let n_tests = |per_subject: usize| -> usize {
        let counts = n_operations.values();
        counts
            .map(|n| per_subject.min(n * TESTS_PER_OPERATION))
            .sum()
    };
    if n_tests(max) <= max_suite {
        return max;
    }
    let fewer = 1..=max.min(max_suite);
    fewer.rev().find(|n| n_tests(*n) <= max_suite).unwrap_or(1)
}

/// The type or free function that an operation's tests are counted for.
fn subject<'c>(catalogue: &'c Catalogue, operation: &'c Operation) -> &'c str {
    let Origin::Callable(callable) = operation.origin else {
        return &operation.key;
    };
    match &catalogue.api.callables[callable.0 as usize].kind {
        CallableKind::Function { path } | CallableKind::Const { path } => path,
        CallableKind::Inherent { self_ty, .. }
        | CallableKind::Trait { self_ty, .. }
        | CallableKind::StructLiteral { self_ty, .. }
        | CallableKind::Variant { self_ty, .. }
        | CallableKind::AssocConst { self_ty, .. }
        | CallableKind::Field { self_ty, .. } => match self_ty {
            Ty::Adt { path, .. } => path,
            _ => &operation.key,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use testsmith_api::{Callable, Docs, Param, Prim};

    use super::*;

    fn functions(n: usize) -> Api {
        let function = |i: usize| {
            let path: Arc<str> = format!("huge::f{i:05}").into();
            Callable {
                key: path.clone(),
                kind: CallableKind::Function { path },
                generics: Vec::new(),
                bounds: Vec::new(),
                n_regions: 0,
                outlives: Vec::new(),
                inputs: vec![Param {
                    name: "x".into(),
                    ty: Ty::Prim(Prim::U8),
                }],
                output: Ty::Prim(Prim::U8),
                docs: Docs::default(),
                counted: true,
                derived: false,
                is_unsafe: false,
                skip: None,
            }
        };
        Api {
            krate: "huge".into(),
            callables: (0..n).map(function).collect(),
            ..Api::default()
        }
    }

    #[test]
    fn a_small_api_is_left_whole() {
        let (catalogue, cut) = instantiate_at_most(functions(50), &Filter::default(), 100);
        assert_eq!(cut, None);
        assert!(catalogue.skipped.is_empty());
    }

    #[test]
    fn what_is_too_much_is_counted_and_has_a_reason() {
        let (catalogue, cut) = instantiate_at_most(functions(500), &Filter::default(), 100);
        assert!(catalogue.operations.len() <= 100);
        let cut = cut.expect("it was cut");
        assert!(cut.n_callables >= 400 && cut.n_callables < 450, "{cut:?}");
        let is_too_many = |(_, reason): &&(_, Reason)| *reason == Reason::TooMany;
        let n_skipped = catalogue.skipped.iter().filter(is_too_many).count();
        assert_eq!(n_skipped, cut.n_callables);
    }

    #[test]
    fn what_was_asked_for_stays() {
        let mut api = functions(500);
        let filter = Filter::apply(&mut api, &["f0049*".to_owned()], &[]);
        let (catalogue, cut) = instantiate_at_most(api, &filter, 100);
        assert_eq!(cut, None);
        assert_eq!(catalogue.operations.len(), 10);
    }

    #[test]
    fn many_functions_share_what_a_suite_can_hold() {
        let (catalogue, _) = instantiate_at_most(functions(500), &Filter::default(), 10_000);
        let per_subject =
            |max, max_suite| tests_per_subject(&catalogue, &Filter::default(), max, max_suite);
        assert_eq!(per_subject(25, 5000), 25);
        assert_eq!(per_subject(25, 1100), 2);
        assert_eq!(per_subject(25, 10), 1);
        assert_eq!(per_subject(usize::MAX, 5000), usize::MAX);
    }
}
