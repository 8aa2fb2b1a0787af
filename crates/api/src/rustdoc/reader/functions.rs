//! Free functions, methods, constants and associated constants.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustdoc_types::{Function, Generics, Id, Impl, Item, ItemEnum, Type};

use super::hidden::{has_hidden_attribute, is_hidden_impl};
use super::scope::{Elision, Scope};
use super::{Found, Reader, is_derived, is_public};
use crate::callable::{Callable, CallableKind, Param, Reason};
use crate::traits::future_of;
use crate::ty::{KeyNames, Region, TraitRef, Ty};

impl<'r> Reader<'r> {
    /// A function, constant or static outside of impls.
    ///
    /// The fixed denominator counts the functions that rustdoc lists in a module. One that a
    /// private module defines and a single `pub use` makes public is in no list: an extra.
    pub(super) fn free_item(
        &self,
        item: &'r Item,
        in_module: bool,
        found: &mut BTreeMap<Id, Found>,
    ) {
        let hidden = self.names.hidden(item.id);
        let is_hidden = hidden.is_some() || has_hidden_attribute(item);
        let public = self.names.public(item.id).or(hidden);
        if !is_public(item) || !(in_module || public.is_some()) {
            return;
        }
        match (&item.inner, public) {
            (ItemEnum::Function(func), public) => {
                let nameable = public.is_some();
                let path = public.unwrap_or_else(|| self.definition_path(item));
                let kind = CallableKind::Function { path: path.clone() };
                let mut callable = self.function(item, func, Scope::new(self), kind, path.clone());
                callable.counted = in_module && !self.hidden.is_uncounted(item);
                if is_hidden {
                    callable.skip = Some(Reason::Hidden);
                }
                if !nameable && callable.skip.is_none() {
                    callable.skip = Some(Reason::Unnameable(path));
                }
                insert(found, item, callable);
            }
            (ItemEnum::Constant { type_, .. }, Some(path)) => {
                let skip = is_hidden.then_some(Reason::Hidden);
                self.constant(item, type_, path, skip, found);
            }
            (ItemEnum::Static(def), Some(path)) => {
                let skip = match is_hidden {
                    true => Some(Reason::Hidden),
                    false => (def.is_mutable || def.is_unsafe).then_some(Reason::Unsafe),
                };
                self.constant(item, &def.type_, path, skip, found);
            }
            _ => {}
        }
    }

    fn constant(
        &self,
        item: &Item,
        ty: &Type,
        path: Arc<str>,
        skip: Option<Reason>,
        found: &mut BTreeMap<Id, Found>,
    ) {
        let mut scope = Scope::new(self);
        scope.elision = Elision::Fixed(Region::Static);
        let output = scope.ty(ty);
        let kind = CallableKind::Const { path: path.clone() };
        let mut callable = self.callable(item, path, kind, scope, Vec::new(), output);
        callable.skip = skip;
        insert(found, item, callable);
    }

    /// The methods and constants of an impl.
    pub(super) fn impl_members(
        &self,
        impl_item: &Item,
        impl_: &'r Impl,
        found: &mut BTreeMap<Id, Found>,
    ) {
        let derived = is_derived(impl_item);
        let is_hidden_impl = is_hidden_impl(self.krate, &self.names, impl_item, impl_);
        let is_uncounted = self.hidden.is_uncounted_impl(impl_item, impl_);
        // What is said of an impl of a trait is said of its functions.
        let panics = match impl_.trait_ {
            Some(_) => self.docs(impl_item).panics,
            None => None,
        };
        for id in &impl_.items {
            let Some(item) = self.krate.index.get(id) else {
                continue;
            };
            if impl_.trait_.is_none() && !is_public(item) {
                continue;
            }
            let declared = self.declared(impl_, item);
            let is_marked =
                has_hidden_attribute(item) || declared.is_some_and(has_hidden_attribute);
            let is_hidden = is_hidden_impl || is_marked;
            if derived && is_hidden {
                continue;
            }
            let name: Arc<str> = item.name.as_deref().unwrap_or_default().into();
            match &item.inner {
                ItemEnum::Function(func) => {
                    let mut scope = Scope::new(self);
                    let (self_ty, trait_) = self.impl_header(impl_, &mut scope);
                    let has_self = func.sig.inputs.first().is_some_and(|(n, _)| n == "self");
                    let key = member_key(&self_ty, trait_.as_ref(), &name);
                    let kind = match trait_ {
                        None => CallableKind::Inherent {
                            self_ty,
                            name,
                            has_self,
                        },
                        Some(trait_) => CallableKind::Trait {
                            self_ty,
                            trait_,
                            name,
                            has_self,
                        },
                    };
                    let mut callable = self.function(item, func, scope, kind, key);
                    callable.derived = derived;
                    callable.counted = !is_uncounted && !is_marked;
                    if is_hidden {
                        callable.skip = Some(Reason::Hidden);
                    }
                    callable.docs.panics = callable.docs.panics.or_else(|| panics.clone());
                    callable.docs.deprecated |=
                        declared.is_some_and(|item| item.deprecation.is_some());
                    insert(found, item, callable);
                }
                ItemEnum::AssocConst { type_, .. } if impl_.trait_.is_none() => {
                    let mut scope = Scope::new(self);
                    let (self_ty, _) = self.impl_header(impl_, &mut scope);
                    scope.elision = Elision::Fixed(Region::Static);
                    let output = scope.ty(type_);
                    let key = member_key(&self_ty, None, &name);
                    let kind = CallableKind::AssocConst { self_ty, name };
                    let mut callable = self.callable(item, key, kind, scope, Vec::new(), output);
                    callable.skip = is_hidden.then_some(Reason::Hidden);
                    insert(found, item, callable);
                }
                _ => {}
            }
        }
    }

    /// What a member of a trait impl is in the trait: some attributes stand there, and hold here.
    fn declared(&self, impl_: &Impl, member: &Item) -> Option<&'r Item> {
        let trait_ = self.krate.index.get(&impl_.trait_.as_ref()?.id)?;
        let ItemEnum::Trait(def) = &trait_.inner else {
            return None;
        };
        let mut items = def.items.iter().filter_map(|id| self.krate.index.get(id));
        items.find(|item| item.name == member.name)
    }

    /// The provided methods of the crate's own traits that impls leave as they are: extras, for
    /// the two simplest implementors of each trait. They often make the crate's adapter types.
    pub(super) fn provided_methods(&self, impls: &[(&'r Item, &'r Impl)]) -> Vec<Found> {
        let mut by_trait: BTreeMap<Id, Vec<(&Item, &Impl)>> = BTreeMap::new();
        for (item, impl_) in impls {
            let Some(path) = &impl_.trait_ else { continue };
            let is_hidden = is_hidden_impl(self.krate, &self.names, item, impl_);
            if self.names.public(path.id).is_some() && !is_hidden {
                by_trait.entry(path.id).or_default().push((item, impl_));
            }
        }
        let mut found = Vec::new();
        for (id, mut impls) in by_trait {
            let Some(ItemEnum::Trait(def)) = self.local(id).map(|item| &item.inner) else {
                continue;
            };
            impls.sort_by_key(|(item, impl_)| {
                let is_own = matches!(&impl_.for_, Type::ResolvedPath(path) if self.local(path.id).is_some());
                (!impl_.generics.params.is_empty(), !is_own, Reader::place(item))
            });
            for (_, impl_) in impls.into_iter().take(2) {
                for id in &def.items {
                    if let Some(item) = self.local(*id)
                        && let ItemEnum::Function(func) = &item.inner
                        && func.has_body
                        && !self.overrides(impl_, item)
                    {
                        let callable = self.provided(item, func, &def.generics, impl_);
                        found.push(Found {
                            callable,
                            place: Reader::place(item),
                        });
                    }
                }
            }
        }
        found
    }

    fn overrides(&self, impl_: &Impl, method: &Item) -> bool {
        let mut members = impl_.items.iter().filter_map(|id| self.krate.index.get(id));
        members.any(|member| member.name == method.name)
    }

    fn provided(
        &self,
        item: &'r Item,
        func: &Function,
        trait_generics: &Generics,
        impl_: &'r Impl,
    ) -> Callable {
        let mut scope = Scope::new(self);
        let (self_ty, trait_) = self.impl_header(impl_, &mut scope);
        let trait_ = trait_.expect("the caller looks at trait impls only");
        scope.enter_trait(trait_generics, &trait_.args);
        let name: Arc<str> = item.name.as_deref().unwrap_or_default().into();
        let key = member_key(&self_ty, Some(&trait_), &name);
        let kind = CallableKind::Trait {
            self_ty,
            trait_,
            name,
            has_self: func.sig.inputs.first().is_some_and(|(n, _)| n == "self"),
        };
        let mut callable = self.function(item, func, scope, kind, key);
        callable.counted = false;
        if has_hidden_attribute(item) {
            callable.skip = Some(Reason::Hidden);
        }
        callable
    }

    fn function(
        &self,
        item: &Item,
        func: &Function,
        mut scope: Scope<'_>,
        kind: CallableKind,
        key: Arc<str>,
    ) -> Callable {
        let (inputs, output) = scope.signature(func);
        // What an async function gives is a future.
        let output = match func.header.is_async {
            true => future_of(output),
            false => output,
        };
        let mut callable = self.callable(item, key, kind, scope, inputs, output);
        callable.counted = true;
        callable.is_unsafe = func.header.is_unsafe;
        callable.skip = if func.header.is_unsafe {
            Some(Reason::Unsafe)
        } else if func.sig.is_c_variadic {
            Some(Reason::Unsupported("C variadic function".into()))
        } else {
            None
        };
        callable
    }

    pub(super) fn callable(
        &self,
        item: &Item,
        key: Arc<str>,
        kind: CallableKind,
        scope: Scope<'_>,
        inputs: Vec<Param>,
        output: Ty,
    ) -> Callable {
        Callable {
            key,
            kind,
            generics: scope.generics,
            bounds: scope.bounds,
            n_regions: scope.n_regions,
            outlives: scope.outlives,
            inputs,
            output,
            docs: self.docs(item),
            counted: false,
            derived: false,
            is_unsafe: false,
            skip: None,
        }
    }
}

impl Scope<'_> {
    /// The parameters and the result of a function whose surroundings are declared.
    pub(super) fn signature(&mut self, func: &Function) -> (Vec<Param>, Ty) {
        self.generics(&func.generics);
        self.elision = Elision::Fresh;
        self.mentioned.clear();
        let own = self.self_ty.clone().unwrap_or(Ty::Param("Self".into()));
        let mut inputs = Vec::new();
        let mut lender = None;
        for (i, (name, ty)) in func.sig.inputs.iter().enumerate() {
            let ty = self.ty(ty);
            if i == 0 && name == "self" {
                lender = self_borrow(&ty, &own);
            }
            inputs.push(Param {
                name: param_name(name, i),
                ty,
            });
        }
        // Where several lifetimes are mentioned, rustc refuses elision in the output: any will do.
        let lender = lender.or(self.mentioned.first().copied());
        self.elision = lender.map_or(Elision::Fresh, Elision::Fixed);
        self.in_inputs = false;
        let output = match &func.sig.output {
            Some(ty) => self.ty(ty),
            None => Ty::unit(),
        };
        (inputs, output)
    }
}

pub(super) fn insert(found: &mut BTreeMap<Id, Found>, item: &Item, callable: Callable) {
    found.insert(
        item.id,
        Found {
            callable,
            place: Reader::place(item),
        },
    );
}

fn member_key(self_ty: &Ty, trait_: Option<&TraitRef>, name: &str) -> Arc<str> {
    let owner = self_ty.render(&KeyNames);
    match trait_ {
        Some(trait_) => format!("<{owner} as {}>::{name}", trait_.render(&KeyNames)).into(),
        None if matches!(self_ty, Ty::Adt { .. }) => format!("{owner}::{name}").into(),
        None => format!("<{owner}>::{name}").into(),
    }
}

/// The region of `&self` and its longer spellings, `Pin<&mut Self>` among them.
fn self_borrow(receiver: &Ty, self_ty: &Ty) -> Option<Region> {
    match receiver {
        Ty::Ref { region, to, .. } if **to == *self_ty => Some(*region),
        Ty::Adt { .. } if receiver != self_ty => receiver
            .children()
            .into_iter()
            .find_map(|child| self_borrow(child, self_ty)),
        _ => None,
    }
}

/// A pattern has no name of its own.
fn param_name(written: &str, i: usize) -> Arc<str> {
    let is_name = written.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && written.chars().all(|c| c.is_alphanumeric() || c == '_')
        && written != "_";
    if is_name {
        written.into()
    } else {
        format!("arg{i}").into()
    }
}
