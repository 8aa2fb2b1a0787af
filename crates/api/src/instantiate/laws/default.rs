//! `Default`, and questions about size that go together.

use std::sync::Arc;

use super::super::Draft;
use super::{Subject, then};
use crate::operation::Form;
use crate::ty::{Prim, Ty};
use crate::unify::same_but_regions;

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = Vec::new();
    let ty = subject.text();
    let is_default = subject.is("std::default::Default");
    // A default value need not be equal to itself, and then it is not equal to another default
    // either.
    if is_default && subject.is("std::cmp::Eq") && !subject.is_derived("std::default::Default") {
        let same = format!("assert!(<{ty}>::default() == <{ty}>::default())");
        let says = "there must be one default";
        laws.push(subject.law("default", says, 2, Vec::new(), vec![then(same)]));
    }
    if is_default && subject.is("std::cmp::Eq") && makes_new(subject) {
        let same = format!("assert!(<{ty}>::new() == <{ty}>::default())");
        let says = "`new` without arguments must give the default";
        laws.push(subject.law("default-new", says, 4, Vec::new(), vec![then(same)]));
    }
    let is_sized = subject.question("len") == Some(Ty::Prim(Prim::Usize))
        && subject.question("is_empty") == Some(Ty::Prim(Prim::Bool));
    if is_sized {
        let same = "assert_eq!({0}.is_empty(), {0}.len() == 0)";
        let says = "what is empty must have the length 0, and nothing else";
        let mut law = subject.law("empty", says, 2, vec![subject.lent(0)], vec![then(same)]);
        // What is a list in some cases and a number in others may call a zero empty.
        if subject.is_enum()
            && let Form::Law(law) = &mut law.form
        {
            Arc::make_mut(law).doubted_above = Some(10);
        }
        laws.push(law);
    }
    laws
}

/// Is there a `new()` that gives the type itself?
fn makes_new(subject: &Subject<'_>) -> bool {
    subject.drafts.values().any(|draft| {
        matches!(&draft.form, Form::Inherent { self_ty, name, has_self: false, .. }
            if &**name == "new" && same_but_regions(self_ty, &subject.ty))
            && draft.inputs.is_empty()
            && same_but_regions(&draft.output, &subject.ty)
    })
}
