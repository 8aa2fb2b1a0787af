//! The round trip of serde, where the package has `serde_json` to go by.

use super::super::Draft;
use super::{Subject, let_, then};

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let has = |name: &str| {
        let mut impls = subject.api.impls.iter();
        impls.any(|it| {
            it.trait_.name() == name
                && it.trait_.path.starts_with("serde")
                && crate::unify::unify(&it.self_ty, &subject.ty, &mut Default::default())
        })
    };
    let mut dependencies = subject.api.dependencies.iter();
    let has_format = dependencies.any(|it| &**it == "serde_json");
    let goes_both_ways = has("Serialize") && has("Deserialize");
    if !has_format || !goes_both_ways || !subject.is_comparable() {
        return Vec::new();
    }
    let mut clauses = subject.given_reflexive(0);
    clauses.push(let_("json", "serde_json::to_string({0}).unwrap()"));
    clauses.push(then(
        "assert!(serde_json::from_str(&json).ok().as_ref() == Some({0}))",
    ));
    let says = "what is serialized must be read as the same value";
    vec![subject.law("serde", says, 4, vec![subject.lent(0)], clauses)]
}
