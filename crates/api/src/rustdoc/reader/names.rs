//! By which path anybody outside can name an item: the shortest one through modules and re-exports.
//!
//! Paths through what is hidden from the documentation are a name for want of another: a value of
//! such a type can be passed on, but nobody is to call what has no other name.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use rustdoc_types::{Crate, Id, Item, ItemEnum, ItemKind, Visibility};

use super::hidden::has_hidden_attribute;
use crate::rustdoc::{Externs, std_paths};
use crate::ty::{GenericArg, Ty};

/// The public names of one crate.
pub(super) struct PublicNames<'r> {
    krate: &'r Crate,
    best: HashMap<Id, Arc<str>>,
    /// Names of what has none but through something hidden.
    hidden: HashMap<Id, Arc<str>>,
    /// Re-exported modules of other crates: definition path and the public path in its place.
    foreign_modules: Vec<(Vec<String>, String)>,
    /// Definition paths handed out for things that have no public path.
    unnameable: RefCell<BTreeSet<Arc<str>>>,
    externs: &'r Externs,
    /// Other crates' items that were named, see [`Api::foreign`](crate::api::Api::foreign).
    foreign: RefCell<BTreeMap<Arc<str>, Option<Arc<str>>>>,
    /// Aliases of other crates that were met and not known.
    unknown_aliases: RefCell<BTreeSet<Arc<str>>>,
}

/// The name of an item.
pub(super) struct Name<'r> {
    /// The public path, or the definition path for want of one.
    pub(super) path: Arc<str>,
    /// The item, if it is this crate's own.
    pub(super) item: Option<&'r Item>,
    /// Is it the standard library's?
    pub(super) is_std: bool,
    /// Its kind, where rustdoc says it.
    pub(super) kind: Option<ItemKind>,
}

impl<'r> PublicNames<'r> {
    /// Walk the public modules of a crate.
    pub(super) fn new(krate: &'r Crate, externs: &'r Externs) -> PublicNames<'r> {
        let mut walk = Walk::through(krate, externs, false);
        let mut hidden = Walk::through(krate, externs, true).best;
        hidden.retain(|id, _| !walk.best.contains_key(id));
        for (id, path) in walk.best.iter_mut().chain(&mut hidden) {
            let summary = krate.paths.get(id).filter(|it| it.crate_id == 0);
            let known = summary.and_then(|it| externs.public.get(&*it.path.join("::")));
            if let Some(known) = known {
                *path = known.clone();
            }
        }
        PublicNames {
            krate,
            best: walk.best,
            hidden,
            foreign_modules: walk.foreign_modules,
            unnameable: RefCell::default(),
            externs,
            foreign: RefCell::default(),
            unknown_aliases: RefCell::default(),
        }
    }

    /// What another crate's alias stands for, if that is known.
    pub(super) fn expand_alias(&self, path: &Arc<str>, args: &[GenericArg]) -> Option<Ty> {
        let alias = self.externs.aliases.get(path);
        if alias.is_none() {
            self.unknown_aliases.borrow_mut().insert(path.clone());
        }
        alias?.with(args)
    }

    /// Aliases of other crates that were met and not known.
    pub(super) fn unknown_aliases(&self) -> BTreeSet<Arc<str>> {
        self.unknown_aliases.borrow().clone()
    }

    /// Other crates' items that were named: where they are defined, and the names given to them.
    pub(super) fn foreign(&self) -> BTreeMap<Arc<str>, Option<Arc<str>>> {
        self.foreign.borrow().clone()
    }

    /// Where the crate's own items are defined, and their public paths.
    pub(super) fn definitions(&self) -> BTreeMap<Arc<str>, Arc<str>> {
        let own = self.best.iter().filter_map(|(id, public)| {
            let summary = self.krate.paths.get(id).filter(|it| it.crate_id == 0)?;
            Some((summary.path.join("::").into(), public.clone()))
        });
        own.collect()
    }

    /// The public path of an item, if it has one.
    pub(super) fn public(&self, id: Id) -> Option<Arc<str>> {
        self.best.get(&id).cloned()
    }

    /// The path of an item that has none but through something hidden.
    pub(super) fn hidden(&self, id: Id) -> Option<Arc<str>> {
        self.hidden.get(&id).cloned()
    }

    /// Was this path handed out for something that cannot be named?
    pub(super) fn is_unnameable(&self, path: &str) -> bool {
        self.unnameable.borrow().contains(path)
    }

    /// Name an item that a signature mentions as `written`.
    pub(super) fn resolve(&self, id: Id, written: &str) -> Name<'r> {
        let item = self.krate.index.get(&id).filter(|item| item.crate_id == 0);
        let summary = self.krate.paths.get(&id);
        let kind = item
            .map(|item| item.inner.item_kind())
            .or(summary.map(|summary| summary.kind));
        let name = |path: Arc<str>, is_std| Name {
            path,
            item,
            is_std,
            kind,
        };
        if item.is_none()
            && let Some(summary) = summary
            && summary.crate_id != 0
            && summary.path.first().is_some_and(|k| std_paths::is_std(k))
        {
            return name(std_paths::public(&summary.path).into(), true);
        }
        let is_foreign = summary.is_some_and(|it| it.crate_id != 0) && item.is_none();
        let of_own = || self.best.get(&id).cloned();
        let of_module = || Some(self.through_foreign_module(&summary?.path)?.into());
        let of_other = || self.of_other(&summary.filter(|_| is_foreign)?.path);
        let public = of_own().or_else(of_module).or_else(of_other);
        if let Some(summary) = summary.filter(|_| is_foreign) {
            let definition = summary.path.join("::").into();
            let mut foreign = self.foreign.borrow_mut();
            foreign.insert(definition, public.clone());
        }
        if let Some(path) = public {
            return name(path, false);
        }
        if let Some(path) = self.hidden.get(&id) {
            return name(path.clone(), false);
        }
        let text: Arc<str> = match summary {
            Some(summary) => summary.path.join("::").into(),
            None if written.is_empty() => "an unnamed item".into(),
            None => written.into(),
        };
        self.unnameable.borrow_mut().insert(text.clone());
        name(text, false)
    }

    /// The name of another crate's item, if anybody found one; else where a crate that can be named
    /// defines it: rustc will say if nobody can name it there.
    fn of_other(&self, definition: &[String]) -> Option<Arc<str>> {
        let found = self.externs.public.get(&*definition.join("::"));
        let [krate, rest @ ..] = definition else {
            return None;
        };
        let there = || {
            let krate = self.externs.names.get(krate)?;
            Some(format!("{krate}::{}", rest.join("::")).into())
        };
        found.cloned().or_else(there)
    }

    fn through_foreign_module(&self, path: &[String]) -> Option<String> {
        self.foreign_modules
            .iter()
            .filter(|(module, _)| path.starts_with(module) && path.len() > module.len())
            .map(|(module, public)| format!("{public}::{}", path[module.len()..].join("::")))
            .min_by_key(|path| (path.matches("::").count(), path.clone()))
    }
}

struct Walk<'r> {
    krate: &'r Crate,
    /// Go through what is hidden, too.
    with_hidden: bool,
    best: HashMap<Id, Arc<str>>,
    foreign_modules: Vec<(Vec<String>, String)>,
    seen: HashSet<(Id, String)>,
}

impl<'r> Walk<'r> {
    fn through(krate: &'r Crate, externs: &Externs, with_hidden: bool) -> Walk<'r> {
        let mut walk = Walk {
            krate,
            with_hidden,
            best: HashMap::new(),
            foreign_modules: Vec::new(),
            seen: HashSet::new(),
        };
        let root_name = krate
            .index
            .get(&krate.root)
            .and_then(|root| root.name.clone())
            .unwrap_or_default();
        // Whoever depends on it may call it something else.
        let root_name = externs
            .names
            .get(&root_name)
            .map_or(root_name, |it| it.to_string());
        let mut level = BTreeMap::from([(root_name, krate.root)]);
        while !level.is_empty() {
            let mut next = BTreeMap::new();
            for (path, module) in level {
                walk.module(&path, module, &mut next);
            }
            level = next;
        }
        walk
    }

    fn module(&mut self, path: &str, module: Id, next: &mut BTreeMap<String, Id>) {
        // A module may be reached again under a longer path; its items then have shorter ones.
        if !self.seen.insert((module, path.to_owned())) || path.matches("::").count() > 12 {
            return;
        }
        let krate = self.krate;
        let Some(item) = krate.index.get(&module) else {
            return;
        };
        let members = match &item.inner {
            ItemEnum::Module(module) => &module.items,
            _ => return,
        };
        for &id in members {
            let Some(item) = krate.index.get(&id) else {
                continue;
            };
            if !self.with_hidden && has_hidden_attribute(item) {
                continue;
            }
            match &item.inner {
                ItemEnum::Use(import) if item.visibility == Visibility::Public => {
                    let Some(target) = import.id else { continue };
                    if import.is_glob {
                        self.glob(path, target, next);
                    } else {
                        self.offer(path, &import.name, target, next, 8);
                    }
                }
                ItemEnum::ExternCrate { name, rename } if item.visibility == Visibility::Public => {
                    let public = format!("{path}::{}", rename.as_ref().unwrap_or(name));
                    self.foreign_modules.push((vec![name.clone()], public));
                }
                ItemEnum::Use(_) | ItemEnum::ExternCrate { .. } | ItemEnum::Impl(_) => {}
                _ if item.visibility == Visibility::Public => {
                    if let Some(name) = &item.name {
                        self.offer(path, name, id, next, 8);
                    }
                }
                _ => {}
            }
        }
    }

    fn glob(&mut self, path: &str, target: Id, next: &mut BTreeMap<String, Id>) {
        if self.krate.index.contains_key(&target) {
            self.module(path, target, next);
        } else if let Some(summary) = self.krate.paths.get(&target) {
            self.foreign_modules
                .push((summary.path.clone(), path.to_owned()));
        }
    }

    /// `id` can be named `path::name`.
    fn offer(
        &mut self,
        path: &str,
        name: &str,
        id: Id,
        next: &mut BTreeMap<String, Id>,
        fuel: u32,
    ) {
        let full = format!("{path}::{name}");
        match self.krate.index.get(&id).map(|item| &item.inner) {
            Some(ItemEnum::Use(import)) => {
                if let Some(target) = import.id
                    && fuel > 0
                {
                    self.offer(path, name, target, next, fuel - 1);
                }
                return;
            }
            Some(ItemEnum::Module(_)) => {
                next.insert(full.clone(), id);
            }
            Some(_) => {}
            None => {
                if let Some(summary) = self.krate.paths.get(&id)
                    && summary.kind == ItemKind::Module
                {
                    self.foreign_modules
                        .push((summary.path.clone(), full.clone()));
                }
            }
        }
        let rank = |path: &str| (path.matches("::").count(), path.to_owned());
        let best = self.best.entry(id).or_insert_with(|| full.as_str().into());
        if rank(&full) < rank(best) {
            *best = full.into();
        }
    }
}
