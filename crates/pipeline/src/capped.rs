//! A catalogue that can still be built: a huge API is cut down, visibly and always in the same way.

use testsmith_api::{Api, Catalogue, InstantiateOptions, Reason, instantiate};

use crate::filter::Filter;

/// What had to be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cut {
    /// Callables that were left out whole.
    pub(crate) n_callables: usize,
}

/// Makes a catalogue of at most `max` operations. First every callable keeps one instance only; if
/// that does not do, callables go: those that nobody asked for first, else the last by their keys.
pub(crate) fn instantiate_at_most(
    api: Api,
    filter: &Filter,
    max: usize,
) -> (Catalogue, Option<Cut>) {
    let catalogue = instantiate(api, &InstantiateOptions::default());
    if catalogue.operations.len() <= max {
        return (catalogue, None);
    }
    let options = InstantiateOptions {
        max_instances: 1,
        max_demanded: 1,
        ..InstantiateOptions::default()
    };
    let mut catalogue = instantiate(catalogue.api, &options);
    // Whom to keep, most wanted first; what has a reason to be left out costs nothing.
    let mut order: Vec<usize> = (0..catalogue.api.callables.len())
        .filter(|i| catalogue.api.callables[*i].skip.is_none())
        .collect();
    order.sort_by_key(|i| !filter.wants(*i));
    let n_before = order.len();
    while catalogue.operations.len() > max && !order.is_empty() {
        // In proportion, and always some: recipes that several callables need go with the last.
        let n_keep = order.len() * max / catalogue.operations.len();
        for i in order.drain(n_keep.min(order.len() - 1)..) {
            catalogue.api.callables[i].skip = Some(Reason::TooMany);
        }
        catalogue = instantiate(catalogue.api, &options);
    }
    let n_callables = n_before - order.len();
    (catalogue, Some(Cut { n_callables }))
}
