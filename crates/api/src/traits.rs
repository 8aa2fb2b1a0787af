//! Traits of the crate: who implements them, and what somebody else would have to write.

use std::sync::Arc;

use crate::callable::{Bound, Docs, GenericParam, Implementor, Param};
use crate::ty::{TraitRef, Ty};

/// A public trait of the crate.
#[derive(Clone, Debug)]
pub struct Trait {
    /// Public path.
    pub path: Arc<str>,
    /// Implementors with their generics, from explicit impls in this crate.
    pub implementors: Vec<Implementor>,
    /// Can objects of it exist?
    pub dyn_compatible: bool,
    /// `#[deprecated]`
    pub deprecated: bool,
    /// The trait with its own parameters as arguments; its regions are the first of each method.
    pub self_ref: TraitRef,
    /// How many regions it has.
    pub n_regions: u32,
    /// Its type and const parameters.
    pub generics: Vec<GenericParam>,
    /// Bounds on them.
    pub bounds: Vec<Bound>,
    /// What `Self` must implement besides.
    pub supertraits: Vec<TraitRef>,
    /// Associated types without a default.
    pub types: Vec<RequiredType>,
    /// Associated constants without a default: name and type.
    pub consts: Vec<(Arc<str>, Ty)>,
    /// Its methods.
    pub methods: Vec<Method>,
    /// Why nobody outside the crate can implement it, if that is known.
    pub closed: Option<Arc<str>>,
}

/// An associated type that an impl must choose.
#[derive(Clone, Debug)]
pub struct RequiredType {
    /// Its name.
    pub name: Arc<str>,
    /// What it must implement.
    pub bounds: Vec<TraitRef>,
    /// Has it parameters of its own?
    pub generic: bool,
}

/// A method of a trait; `Self` is a parameter.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its name.
    pub name: Arc<str>,
    /// Its own type and const parameters.
    pub generics: Vec<GenericParam>,
    /// Bounds and where clauses on them.
    pub bounds: Vec<Bound>,
    /// Parameters that may be unsized.
    pub maybe_unsized: Vec<Arc<str>>,
    /// How many regions it has, those of the trait included.
    pub n_regions: u32,
    /// Parameters, the receiver first.
    pub inputs: Vec<Param>,
    /// What it gives; of an `async fn`, what that gives in the end.
    pub output: Ty,
    /// What the documentation says.
    pub docs: Docs,
    /// Is it an `async fn`?
    pub is_async: bool,
    /// Is it an `unsafe fn`?
    pub is_unsafe: bool,
    /// Must an impl write it?
    pub required: bool,
}

/// `impl Future<Output = output>`
pub(crate) fn future_of(output: Ty) -> Ty {
    Ty::Opaque {
        traits: vec![TraitRef {
            path: "std::future::Future".into(),
            args: Vec::new(),
            assoc: vec![("Output".into(), output)],
        }],
    }
}

impl Method {
    /// Its receiver, if it has one.
    pub fn receiver(&self) -> Option<&Ty> {
        let first = self.inputs.first()?;
        (&*first.name == "self").then_some(&first.ty)
    }
}
