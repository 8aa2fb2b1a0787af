//! One crate as the reader sees it: all that it publishes, what is named of other crates, and the
//! items of ours that stand in for what nobody has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::callable::{Adt, Callable, Implementor, Reason, TypeAlias};
use crate::traits::Trait;
use crate::ty::{TraitRef, Ty};

/// Everything the reader learnt about one crate.
#[derive(Clone, Debug, Default)]
pub struct Api {
    /// The crate's name in code (`fixedbitset`), first segment of its paths.
    pub krate: Arc<str>,
    /// Its version, where rustdoc says it.
    pub version: Option<String>,
    /// All callables in order of their keys.
    pub callables: Vec<Callable>,
    /// Callables of others that make what the crate's own need; their ids follow.
    pub beside: Vec<Callable>,
    /// Methods of the crate's that say whether a value is valid, beside those known by their names.
    pub contracts: Vec<Arc<str>>,
    /// The crate's own generic types that have a `Drop` of their own, by public path.
    pub dropping: BTreeSet<Arc<str>>,
    /// The type that counts values, and that of the values.
    pub counted: Option<(Ty, Ty)>,
    /// Functions of the user's that say whether what they are shown is as it must be.
    pub laws: Vec<Callable>,
    /// The crate's own public structs, enums and unions, by public path.
    pub adts: BTreeMap<Arc<str>, Adt>,
    /// The crate's own public traits, by public path.
    pub traits: BTreeMap<Arc<str>, Trait>,
    /// Its type aliases by name: the head of the type that each stands for.
    pub aliases: BTreeMap<Arc<str>, Arc<str>>,
    /// Its public type aliases by path.
    pub type_aliases: BTreeMap<Arc<str>, TypeAlias>,
    /// Aliases of other crates that are mentioned, by path; what they stand for is not known.
    pub unknown_aliases: BTreeSet<Arc<str>>,
    /// All explicit trait impls in this crate, of its own traits and of others'.
    pub impls: Vec<Implementor>,
    /// Other crates whose items can be named as well, by their names in code.
    pub dependencies: Vec<Arc<str>>,
    /// Items of others that are mentioned: where they are defined, and how they are named here, if
    /// they can be.
    pub foreign: BTreeMap<Arc<str>, Option<Arc<str>>>,
    /// The crate's own items: where they are defined, and the paths that anybody can use.
    pub definitions: BTreeMap<Arc<str>, Arc<str>>,
    /// Code blocks that rustdoc would run, of all documented items, in order of the source.
    pub examples: Vec<Arc<str>>,
    /// Items of ours that harness and tests contain.
    pub stand_ins: Vec<StandIn>,
    /// The crate's traits that no type of ours can implement, by path, and what is in the way.
    pub obstacles: BTreeMap<Arc<str>, Arc<str>>,
}

impl Api {
    /// Lets unsafe functions have instances, too; how many there are.
    pub fn admit_unsafe(&mut self) -> usize {
        let callables = self.callables.iter_mut();
        let left_out = callables.filter(|it| it.is_unsafe && it.skip == Some(Reason::Unsafe));
        left_out.map(|callable| callable.skip = None).count()
    }

    /// What is in the way of a type that implements these.
    pub(crate) fn obstacle<'t>(
        &self,
        traits: impl IntoIterator<Item = &'t TraitRef>,
    ) -> Option<Arc<str>> {
        let mut traits = traits.into_iter();
        traits.find_map(|it| {
            let obstacle = self.obstacles.get(&it.path)?;
            Some(format!("`{}`: {obstacle}", it.path).into())
        })
    }
}

/// The crate that stand-ins are in, as far as paths go.
pub const STAND_INS: &str = "stand_ins";

/// A type or function of ours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StandIn {
    /// Its name, which nothing of the crate's has.
    pub name: Arc<str>,
    /// What it is for, in one sentence.
    pub about: Arc<str>,
    /// Its definition: items with paths in full, and lines where rustfmt would not make them.
    pub items: Vec<String>,
    /// The traits that it was written for, by path.
    pub traits: Vec<Arc<str>>,
    /// What it was asked for, as text.
    pub wanted: Arc<str>,
}

impl StandIn {
    /// Its path.
    pub fn path(&self) -> String {
        format!("{STAND_INS}::{}", self.name)
    }

    /// Its definition on one line.
    pub fn line(&self) -> String {
        let lines = self.items.iter().flat_map(|item| item.lines());
        lines.collect::<Vec<_>>().join(" ")
    }
}
