//! The model of what can be called: types, callables, operations, and why something is left out.
//!
//! Data flows one way: a reader ([`rustdoc`]) turns rustdoc's JSON into an [`Api`] of
//! [`Callable`]s, generic as written; [`instantiate()`] turns that into a [`Catalogue`] of
//! [`Operation`]s at concrete types, with region variables for every lifetime. Nothing here runs
//! a process or reads a file, and nothing downstream knows about elision or rustdoc.

mod api;
mod beside;
mod callable;
mod instantiate;
mod keywords;
mod operation;
mod polarity;
pub mod rustdoc;
mod stand_ins;
#[cfg(test)]
mod testing;
mod traits;
mod ty;
mod types;
mod unify;

pub use api::*;
pub use callable::*;
pub use instantiate::{COLLECT_SORTED, InstantiateOptions, collects, instantiate, is_literal};
pub use keywords::*;
pub use operation::*;
pub use polarity::*;
pub use stand_ins::Wanted;
pub use traits::*;
pub use ty::*;
pub use types::*;
