//! Structs, enums and unions: what is seen of them, their literals, variants and public fields.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustdoc_types::{
    Attribute, Generics, Id, Item, ItemEnum, StructKind, Variant as JsonVariant, VariantKind,
};

use super::functions::insert;
use super::hidden::has_hidden_attribute;
use super::scope::Scope;
use super::{Found, Reader, is_public};
use crate::callable::{Adt, CallableKind, Field, Fields, Param, Reason, Shape, Variant};
use crate::ty::{GenericArg, KeyNames, Ty};

impl<'r> Reader<'r> {
    /// Note an ADT that has a public path, and the callables that its shape gives.
    pub(super) fn shape(
        &self,
        item: &'r Item,
        adts: &mut BTreeMap<Arc<str>, Adt>,
        found: &mut BTreeMap<Id, Found>,
    ) {
        let generics = match &item.inner {
            ItemEnum::Struct(def) => &def.generics,
            ItemEnum::Enum(def) => &def.generics,
            ItemEnum::Union(def) => &def.generics,
            _ => return,
        };
        let Some(path) = self.names.public(item.id) else {
            return;
        };
        if has_hidden_attribute(item) {
            return;
        }
        let (mut scope, self_ty) = self.adt_scope(&path, generics);
        let is_open = non_exhaustive(item);
        let shape = match &item.inner {
            ItemEnum::Struct(def) => {
                let (fields, complete) = self.struct_fields(&def.kind, &mut scope);
                let all_public = complete && !is_open;
                if all_public {
                    self.literal(item, &path, generics, &def.kind, found);
                }
                self.public_fields(&path, generics, &def.kind, found);
                Shape::Struct { fields, all_public }
            }
            ItemEnum::Enum(def) => {
                let items = def.variants.iter().filter_map(|id| self.local(*id));
                let mut variants = Vec::new();
                let mut open = is_open || def.has_stripped_variants;
                for item in items {
                    let ItemEnum::Variant(variant) = &item.inner else {
                        continue;
                    };
                    let shown = self.variant(item, variant, &path, generics, &mut scope, found);
                    match has_hidden_attribute(item) {
                        true => {
                            open = true;
                            hide(found, item);
                        }
                        false => variants.push(shown),
                    }
                }
                Shape::Enum { variants, open }
            }
            _ => Shape::Union,
        };
        adts.insert(
            path.clone(),
            Adt {
                path,
                self_ty,
                generics: scope.generics,
                bounds: scope.bounds,
                sized: self.is_sized(item),
                deprecated: item.deprecation.is_some(),
                panics: self.docs(item).panics,
                shape,
            },
        );
    }

    /// rustdoc lists the blanket impls that apply to a type, and `Into` asks for `Sized`.
    fn is_sized(&self, item: &Item) -> bool {
        let impls = match &item.inner {
            ItemEnum::Struct(def) => &def.impls,
            _ => return true,
        };
        let mut has_blanket = false;
        for id in impls {
            let Some(ItemEnum::Impl(impl_)) = self.krate.index.get(id).map(|item| &item.inner)
            else {
                continue;
            };
            if impl_.blanket_impl.is_some() {
                has_blanket = true;
                if impl_
                    .trait_
                    .as_ref()
                    .is_some_and(|path| path.path.ends_with("Into"))
                {
                    return true;
                }
            }
        }
        !has_blanket
    }

    /// A scope with an ADT's own parameters, and the type with them as arguments.
    fn adt_scope(&self, path: &Arc<str>, generics: &Generics) -> (Scope<'_>, Ty) {
        use rustdoc_types::GenericParamDefKind as Kind;
        let mut scope = Scope::new(self);
        scope.declare(generics);
        let args = generics
            .params
            .iter()
            .map(|param| match &param.kind {
                Kind::Lifetime { .. } => GenericArg::Region(scope.region(Some(&param.name))),
                Kind::Type { .. } => GenericArg::Type(Ty::Param(param.name.as_str().into())),
                Kind::Const { .. } => GenericArg::Const(param.name.as_str().into()),
            })
            .collect();
        let self_ty = Ty::Adt {
            path: path.clone(),
            args,
        };
        scope.self_ty = Some(self_ty.clone());
        scope.read_bounds(generics);
        (scope, self_ty)
    }

    /// The public fields, and whether there are no others.
    fn struct_fields(&self, kind: &StructKind, scope: &mut Scope<'_>) -> (Fields, bool) {
        match kind {
            StructKind::Unit => (Fields::Unit, true),
            StructKind::Tuple(ids) => {
                let (fields, complete) = self.tuple_fields(ids, scope);
                (Fields::Tuple(fields), complete)
            }
            StructKind::Plain {
                fields,
                has_stripped_fields,
            } => {
                let list = self.named_fields(fields, scope);
                let complete = !has_stripped_fields && list.len() == fields.len();
                (Fields::Named(list), complete)
            }
        }
    }

    fn tuple_fields(&self, ids: &[Option<Id>], scope: &mut Scope<'_>) -> (Vec<Field>, bool) {
        let fields: Vec<Field> = ids
            .iter()
            .enumerate()
            .filter_map(|(i, id)| self.field((*id)?, i, scope))
            .collect();
        let complete = fields.len() == ids.len();
        (fields, complete)
    }

    fn named_fields(&self, ids: &[Id], scope: &mut Scope<'_>) -> Vec<Field> {
        ids.iter()
            .enumerate()
            .filter_map(|(i, id)| self.field(*id, i, scope))
            .collect()
    }

    /// A field that people may write.
    fn field(&self, id: Id, i: usize, scope: &mut Scope<'_>) -> Option<Field> {
        let item = self.local(id).filter(|item| !has_hidden_attribute(item))?;
        self.any_field(item, i, scope)
    }

    fn any_field(&self, item: &Item, i: usize, scope: &mut Scope<'_>) -> Option<Field> {
        let ItemEnum::StructField(ty) = &item.inner else {
            return None;
        };
        // The fields of a variant have no visibility of their own.
        let hidden = matches!(
            item.visibility,
            rustdoc_types::Visibility::Crate | rustdoc_types::Visibility::Restricted { .. }
        );
        if hidden {
            return None;
        }
        let name = match item.name.as_deref() {
            Some(name) if !name.is_empty() => name.into(),
            _ => i.to_string().into(),
        };
        Some(Field {
            name,
            ty: scope.ty(ty),
        })
    }

    fn literal(
        &self,
        item: &'r Item,
        path: &Arc<str>,
        generics: &Generics,
        kind: &StructKind,
        found: &mut BTreeMap<Id, Found>,
    ) {
        let (mut scope, self_ty) = self.adt_scope(path, generics);
        let (fields, _) = self.struct_fields(kind, &mut scope);
        let key = format!("{} {{ .. }}", self_ty.render(&KeyNames)).into();
        let kind = CallableKind::StructLiteral {
            self_ty: self_ty.clone(),
            fields: fields.clone(),
        };
        let callable = self.callable(item, key, kind, scope, params(&fields), self_ty);
        insert(found, item, callable);
    }

    fn variant(
        &self,
        item: &'r Item,
        variant: &JsonVariant,
        path: &Arc<str>,
        generics: &Generics,
        scope: &mut Scope<'_>,
        found: &mut BTreeMap<Id, Found>,
    ) -> Variant {
        let (fields, complete) = self.variant_fields(&variant.kind, scope);
        let name: Arc<str> = item.name.as_deref().unwrap_or_default().into();
        let usable = complete && !non_exhaustive(item);
        if usable {
            let (mut scope, self_ty) = self.adt_scope(path, generics);
            let (fields, _) = self.variant_fields(&variant.kind, &mut scope);
            let key = format!("{}::{name}", self_ty.render(&KeyNames)).into();
            let kind = CallableKind::Variant {
                self_ty: self_ty.clone(),
                name: name.clone(),
                fields: fields.clone(),
            };
            let callable = self.callable(item, key, kind, scope, params(&fields), self_ty);
            insert(found, item, callable);
        }
        Variant {
            name,
            fields,
            usable,
        }
    }

    fn variant_fields(&self, kind: &VariantKind, scope: &mut Scope<'_>) -> (Fields, bool) {
        match kind {
            VariantKind::Plain => (Fields::Unit, true),
            VariantKind::Tuple(ids) => {
                let (fields, complete) = self.tuple_fields(ids, scope);
                (Fields::Tuple(fields), complete)
            }
            VariantKind::Struct {
                fields,
                has_stripped_fields,
            } => {
                let list = self.named_fields(fields, scope);
                let complete = !has_stripped_fields && list.len() == fields.len();
                (Fields::Named(list), complete)
            }
        }
    }

    /// A callable for each public field: its place, borrowed.
    fn public_fields(
        &self,
        path: &Arc<str>,
        generics: &Generics,
        kind: &StructKind,
        found: &mut BTreeMap<Id, Found>,
    ) {
        let ids: Vec<(usize, Id)> = match kind {
            StructKind::Unit => return,
            StructKind::Tuple(ids) => (0..)
                .zip(ids)
                .filter_map(|(i, id)| Some((i, (*id)?)))
                .collect(),
            StructKind::Plain { fields, .. } => (0..).zip(fields.iter().copied()).collect(),
        };
        for (i, id) in ids {
            let Some(item) = self.local(id).filter(|item| is_public(item)) else {
                continue;
            };
            let (mut scope, self_ty) = self.adt_scope(path, generics);
            let Some(field) = self.any_field(item, i, &mut scope) else {
                continue;
            };
            let region = scope.fresh_region();
            let borrowed = |ty: Ty| Ty::Ref {
                region,
                mutable: false,
                to: Box::new(ty),
            };
            let key = format!("{}.{}", self_ty.render(&KeyNames), field.name).into();
            let kind = CallableKind::Field {
                self_ty: self_ty.clone(),
                name: field.name,
            };
            let input = Param {
                name: "self".into(),
                ty: borrowed(self_ty),
            };
            let callable = self.callable(item, key, kind, scope, vec![input], borrowed(field.ty));
            insert(found, item, callable);
            if has_hidden_attribute(item) {
                hide(found, item);
            }
        }
    }
}

/// Nobody is to use what was found for this item.
fn hide(found: &mut BTreeMap<Id, Found>, item: &Item) {
    if let Some(Found { callable, .. }) = found.get_mut(&item.id) {
        callable.skip = Some(Reason::Hidden);
    }
}

fn non_exhaustive(item: &Item) -> bool {
    item.attrs
        .iter()
        .any(|attr| matches!(attr, Attribute::NonExhaustive))
}

fn params(fields: &Fields) -> Vec<Param> {
    fields
        .list()
        .iter()
        .map(|field| Param {
            name: match fields {
                Fields::Tuple(_) => format!("arg{}", field.name).into(),
                _ => field.name.clone(),
            },
            ty: field.ty.clone(),
        })
        .collect()
}
