//! One crate as the reader sees it: everything that it publishes, the items of other crates that it
//! mentions, and the stand-ins for what nobody has.

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
    /// The format that rustdoc wrote, if it is newer than those that are known.
    pub unknown_format: Option<u32>,
    /// All callables in order of their keys.
    pub callables: Vec<Callable>,
    /// Callables that are not the crate's and make values that the crate's own need. Their ids
    /// follow those of `callables`.
    pub beside: Vec<Callable>,
    /// Methods of the crate's that say whether a value is valid, beside those known by their names.
    pub contracts: Vec<Arc<str>>,
    /// The crate's own generic types that have a `Drop` of their own, by public path.
    pub dropping: BTreeSet<Arc<str>>,
    /// The stand-in type that counts live values, and the type of these values.
    pub counted: Option<(Ty, Ty)>,
    /// The user's functions that say whether a value is valid.
    pub laws: Vec<Callable>,
    /// The crate's own public structs, enums and unions, by public path.
    pub adts: BTreeMap<Arc<str>, Adt>,
    /// The crate's own public traits, by public path.
    pub traits: BTreeMap<Arc<str>, Trait>,
    /// Its type aliases by name: the head of the type that each stands for.
    pub aliases: BTreeMap<Arc<str>, Arc<str>>,
    /// Its public type aliases by path.
    pub type_aliases: BTreeMap<Arc<str>, TypeAlias>,
    /// Type aliases of other crates that are mentioned, by path. What they stand for is not known.
    pub unknown_aliases: BTreeSet<Arc<str>>,
    /// All explicit trait impls in this crate, of its own traits and of other crates'.
    pub impls: Vec<Implementor>,
    /// Other crates whose items can be named as well, by their names in code.
    pub dependencies: Vec<Arc<str>>,
    /// Items of other crates that are mentioned, by the path of their definition, with the path by
    /// which this crate can name them, if there is one.
    pub foreign: BTreeMap<Arc<str>, Option<Arc<str>>>,
    /// The crate's own items, by the path of their definition, with their public paths.
    pub definitions: BTreeMap<Arc<str>, Arc<str>>,
    /// Code blocks that rustdoc would run, of all documented items, in order of the source.
    pub examples: Vec<Arc<str>>,
    /// The stand-ins that harness and tests contain.
    pub stand_ins: Vec<StandIn>,
    /// The crate's traits that no stand-in can implement, by path, with what is in the way.
    pub obstacles: BTreeMap<Arc<str>, Arc<str>>,
}

impl Api {
    /// Lets unsafe functions have instances, and gives how many such functions there are.
    pub fn admit_unsafe(&mut self) -> usize {
        let callables = self.callables.iter_mut();
        let left_out = callables.filter(|it| it.is_unsafe && it.skip == Some(Reason::Unsafe));
        left_out.map(|callable| callable.skip = None).count()
    }

    /// What keeps a stand-in from implementing these traits.
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

/// The name of the crate of stand-ins, in paths.
pub const STAND_INS: &str = "stand_ins";

/// A stand-in: a type or function that testsmith writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StandIn {
    /// Its name, which no item of the crate has.
    pub name: Arc<str>,
    /// What it is for, in one sentence.
    pub about: Arc<str>,
    /// Its definition: items with paths in full, and lines where rustfmt would not make them.
    pub items: Vec<String>,
    /// The traits that it was written for, by path.
    pub traits: Vec<Arc<str>>,
    /// The type or bound that it was written for, as text.
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
