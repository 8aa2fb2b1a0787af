//! The round trip of serde, through a format of ours. What it cannot tell apart says nothing.

use super::super::Draft;
use super::{Subject, given, let_, then};
use crate::api::STAND_INS;

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let of_serde = |name: &str| {
        let mut impls = subject.api.impls.iter();
        let found = impls.find(|it| {
            it.trait_.name() == name
                && it.trait_.path.starts_with("serde")
                && crate::unify::unify(&it.self_ty, &subject.ty, &mut Default::default())
        });
        found.map(|it| it.trait_.path.clone())
    };
    let Some((_, deserialize)) = of_serde("Serialize").zip(of_serde("Deserialize")) else {
        return Vec::new();
    };
    let Some(written) = subject.api.way_back() else {
        return Vec::new();
    };
    if !subject.is_comparable() {
        return Vec::new();
    }
    let ty = subject.text();
    let read = format!("<{ty} as ::{deserialize}>::deserialize({STAND_INS}::{written}({{0}}))");
    let mut clauses = subject.given_reflexive(0);
    clauses.push(let_("back", &*read));
    clauses.push(given("back.is_ok()"));
    clauses.push(then("assert!(back.ok().as_ref() == Some({0}))"));
    let says = "what is serialized must be read as the same value";
    let same = subject.law("serde", says, 3, vec![subject.lent(0)], clauses);
    let clauses = vec![
        let_(
            "refusal",
            format!("{read}.err().map_or(String::new(), |it| it.to_string())"),
        ),
        then("assert!(!refusal.starts_with(\"missing field\"))"),
    ];
    let says = "what is serialized must have all that is asked for when it is read";
    let whole = subject.law("serde-whole", says, 3, vec![subject.lent(0)], clauses);
    vec![same, whole]
}
