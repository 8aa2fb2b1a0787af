//! Methods that a trait provides, at a stand-in: they are the crate's own code.

use std::sync::Arc;

use super::blueprint::{Part, in_trait};
use crate::callable::{Bound, Callable, CallableKind, Param};
use crate::traits::{Method, future_of};
use crate::ty::{KeyNames, Substitution, Ty};

/// The provided methods of one of the traits that the stand-in implements: extras.
pub(super) fn methods(part: &Part<'_>, self_ty: &Ty, assoc: &[(Arc<str>, Ty)]) -> Vec<Callable> {
    let provided = part.def.methods.iter().filter(|it| !it.required);
    let safe = provided.filter(|method| !method.is_unsafe);
    let seen = in_trait(assoc);
    safe.map(|method| callable(part, &seen.method(method, &part.by), self_ty))
        .collect()
}

fn callable(part: &Part<'_>, method: &Method, self_ty: &Ty) -> Callable {
    let mut by = Substitution::default();
    by.types.insert("Self".into(), self_ty.clone());
    let trait_ = part.trait_ref();
    let name = method.name.clone();
    let key = format!(
        "<{} as {}>::{name}",
        self_ty.render(&KeyNames),
        trait_.render(&KeyNames)
    );
    let output = method.output.substitute(&by);
    let mut bounds = part.bounds();
    bounds.extend(method.bounds.iter().map(|bound| match bound {
        Bound::Trait { on, trait_ } => Bound::Trait {
            on: on.substitute(&by),
            trait_: trait_.substitute(&by),
        },
        other => other.clone(),
    }));
    let inputs = method.inputs.iter().map(|param| Param {
        name: param.name.clone(),
        ty: param.ty.substitute(&by),
    });
    Callable {
        key: key.into(),
        kind: CallableKind::Trait {
            self_ty: self_ty.clone(),
            trait_,
            name,
            has_self: method.receiver().is_some(),
        },
        generics: [part.generics(), method.generics.clone()].concat(),
        bounds,
        n_regions: method.n_regions,
        outlives: Vec::new(),
        inputs: inputs.collect(),
        output: match method.is_async {
            true => future_of(output),
            false => output,
        },
        docs: method.docs.clone(),
        counted: false,
        derived: false,
        is_unsafe: false,
        skip: None,
    }
}
