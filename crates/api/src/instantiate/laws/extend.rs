//! `Extend` with `FromIterator`.

use super::super::Draft;
use super::super::build::vec;
use super::{Subject, is, lent, let_, then};
use crate::operation::Clause;
use crate::unify::same_but_regions;

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = Vec::new();
    if !subject.is("std::default::Default") || !subject.is_comparable() {
        return laws;
    }
    let extends = subject.impls("std::iter::Extend");
    for collects in subject.impls("std::iter::FromIterator") {
        let [item] = &collects.args[..] else {
            continue;
        };
        let is_extended =
            |args: &[crate::ty::Ty]| matches!(args, [it] if same_but_regions(it, item));
        let can_be_cloned = is(subject.api, item, "std::clone::Clone");
        if !extends.iter().any(|it| is_extended(&it.args)) || !can_be_cloned {
            continue;
        }
        let ty = subject.text();
        let clauses = vec![
            let_("mut extended", format!("<{ty}>::default()")),
            Clause::Do("extended.extend({0}.iter().cloned())".into()),
            then(format!(
                "assert!({{0}}.iter().cloned().collect::<{ty}>() == extended)"
            )),
        ];
        let says = "what is collected and what is extended from nothing must be the same";
        let name = format!("extend with {}", item.render(&crate::ty::KeyNames));
        laws.push(subject.law(&name, says, 2, vec![lent(&vec(item.clone()), 0)], clauses));
    }
    laws
}
