//! Values that a container gets must be dropped, and only once.

use super::super::Draft;
use super::super::feasible::Feasible;
use super::{draft, lent, then};
use crate::api::Api;
use crate::operation::{Asks, Law};
use crate::ty::Ty;

/// One law for each type that itself drops the values which it gets.
pub(super) fn laws(api: &Api, feasible: &Feasible) -> Vec<Draft> {
    let Some((counter, counted)) = api.counted() else {
        return Vec::new();
    };
    let holds = |ty: &Ty| ty.any(&mut |part| part == counted);
    let types = api.dropping.iter();
    let holders = types.filter_map(|path| feasible.available_of(path).into_iter().find(holds));
    let law = |of: Ty| Law {
        name: "drop".into(),
        of,
        says: "what was given away must be dropped, and dropped once".into(),
        rank: 1,
        clauses: vec![then("assert_eq!({0}.alive(), 0)")],
        asks: Asks::AfterDrops,
        doubted_above: None,
    };
    holders
        .map(|of| draft(law(of), vec![lent(counter, 0)]))
        .collect()
}
