//! A small type that implements traits of the crate: its text, and its place in the model.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::blueprint::{Blueprint, DERIVES, Part, in_trait, with};
use super::bodies::{Body, DEFAULT_SELF, constant, holds};
use super::signature::{ItemNames, identifier, method};
use super::{Wanted, provided};
use crate::api::Api;
use crate::api::{STAND_INS, StandIn};
use crate::callable::{
    Adt, Callable, CallableKind, Docs, Field, Fields, Implementor, Param, Shape,
};
use crate::ty::{KeyNames, TraitRef, Ty, last_segment};

/// A stand-in, and what the model has to know of it.
pub(super) struct Written {
    pub(super) stand_in: StandIn,
    pub(super) self_ty: Ty,
    pub(super) fields: Fields,
    pub(super) impls: Vec<Implementor>,
    pub(super) provided: Vec<Callable>,
}

/// Writes a type that implements all that is wanted, or says what is in the way.
pub(super) fn implement(api: &Api, name: &Arc<str>, wanted: &Wanted) -> Result<Written, Arc<str>> {
    // An impl that keeps the trait's parameters is of more use than one at `u8`, so it is tried first.
    let generic = attempt(api, name, wanted, true);
    match generic {
        Ok(written) => Ok(written),
        Err(obstacle) => attempt(api, name, wanted, false).map_err(|_| obstacle),
    }
}

/// Writes a type that implements all that is wanted: with the traits' parameters if it is to be
/// `generic`, or at fixed types.
fn attempt(
    api: &Api,
    name: &Arc<str>,
    wanted: &Wanted,
    generic: bool,
) -> Result<Written, Arc<str>> {
    let plan = Blueprint::of(api, wanted, generic)?;
    let assoc = plan.choose_types(wanted)?;
    let path: Arc<str> = format!("{STAND_INS}::{name}").into();
    let self_ty = Ty::Adt {
        path,
        args: Vec::new(),
    };
    let mut fields = Vec::new();
    let mut bodies = Vec::new();
    let own: Vec<Arc<str>> = plan.parts.iter().map(|it| it.def.path.clone()).collect();
    let mut impls = Vec::new();
    for part in &plan.parts {
        let members = plan.members(part, &assoc, &own, &mut fields)?;
        bodies.push(format!("{} for {name} {{\n{members}\n}}", part.header()));
        impls.push(Implementor {
            self_ty: self_ty.clone(),
            trait_: part.trait_ref(),
            generics: part.generics(),
            bounds: part.bounds(),
            assoc: assoc
                .iter()
                .filter(|(name, _)| part.def.types.iter().any(|it| it.name == *name))
                .cloned()
                .collect(),
        });
    }
    let provided = plan.parts.iter();
    let provided = provided.flat_map(|part| provided::methods(part, &self_ty, &assoc));
    let provided = provided.collect();
    let derives = plan.derives(&fields)?;
    impls.extend(plain_impls(&self_ty, &derives, &plan.others));
    let mut items = vec![definition(name, &fields, &derives)];
    let default = literal(name, &fields);
    items.extend(
        bodies
            .into_iter()
            .map(|it| it.replace(DEFAULT_SELF, &default)),
    );
    items.extend(plan.written(name));
    Ok(Written {
        stand_in: StandIn {
            name: name.clone(),
            about: about(&plan, &fields).into(),
            items,
            traits: own,
            wanted: wanted.key(api).into(),
        },
        self_ty,
        fields: match fields.is_empty() {
            true => Fields::Unit,
            false => Fields::Named(fields),
        },
        impls,
        provided,
    })
}

/// Impls of traits without arguments: those that are derived, and others.
fn plain_impls(self_ty: &Ty, derives: &[&str], others: &BTreeSet<Arc<str>>) -> Vec<Implementor> {
    let derived = derives.iter().map(|it| Arc::from(*it));
    let unique: BTreeSet<Arc<str>> = derived.chain(others.iter().cloned()).collect();
    let implementor = |path| Implementor {
        self_ty: self_ty.clone(),
        trait_: TraitRef {
            path,
            args: Vec::new(),
            assoc: Vec::new(),
        },
        generics: Vec::new(),
        bounds: Vec::new(),
        assoc: Vec::new(),
    };
    unique.into_iter().map(implementor).collect()
}

/// What the documentation of a stand-in says.
fn about(plan: &Blueprint<'_>, fields: &[Field]) -> String {
    let short: Vec<String> = plan
        .parts
        .iter()
        .map(|it| format!("`{}`", last_segment(&it.def.path)))
        .collect();
    let what = if fields.is_empty() {
        ""
    } else {
        " with what its fields hold"
    };
    format!("Implements {}{what}.", short.join(" and "))
}

/// The struct with its derives, on one line.
fn definition(name: &str, fields: &[Field], derives: &[&str]) -> String {
    let names = ItemNames::of_impl(0);
    let derives: Vec<&str> = derives.iter().map(|it| last_segment(it)).collect();
    let list: Vec<String> = fields
        .iter()
        .map(|field| format!("pub {}: {}", identifier(&field.name), names.ty(&field.ty)))
        .collect();
    let body = match list.is_empty() {
        true => ";".to_owned(),
        false => format!(" {{ {} }}", list.join(", ")),
    };
    format!("#[derive({})] pub struct {name}{body}", derives.join(", "))
}

/// A value whose fields have their defaults.
fn literal(name: &str, fields: &[Field]) -> String {
    let list: Vec<String> = fields
        .iter()
        .map(|field| format!("{}: Default::default()", identifier(&field.name)))
        .collect();
    match list.is_empty() {
        true => name.to_owned(),
        false => format!("{name} {{ {} }}", list.join(", ")),
    }
}

impl Blueprint<'_> {
    /// What stands between the braces of an impl.
    fn members(
        &self,
        part: &Part<'_>,
        assoc: &[(Arc<str>, Ty)],
        own: &[Arc<str>],
        fields: &mut Vec<Field>,
    ) -> Result<String, Arc<str>> {
        let names = ItemNames::of_impl(part.def.n_regions);
        let mut members = Vec::new();
        for required in &part.def.types {
            let chosen = assoc.iter().find(|(name, _)| *name == required.name);
            members.extend(chosen.map(|(name, ty)| format!("type {name} = {};", names.ty(ty))));
        }
        let seen = in_trait(assoc);
        for (name, ty) in &part.def.consts {
            let ty = seen.ty(&ty.substitute(&part.by));
            let Some(value) = constant(&ty) else {
                let ty = ty.render(&KeyNames);
                return Err(format!("its constant `{name}` is of type `{ty}`").into());
            };
            members.push(format!("const {name}: {} = {value};", names.ty(&ty)));
        }
        // Types and constants stand together, methods apart.
        let mut members = match members.is_empty() {
            true => Vec::new(),
            false => vec![members.join("\n")],
        };
        for required in part.def.methods.iter().filter(|method| method.required) {
            let required = seen.method(required, &part.by);
            let mut body = Body {
                api: self.api,
                method: &required,
                own,
                derived: &self.asked(),
                fields: &mut *fields,
                uses: Vec::new(),
            };
            let Some(text) = body.write() else {
                let gives = required.output.render(&KeyNames);
                let name = &required.name;
                return Err(format!("its method `{name}` gives `{gives}`").into());
            };
            let uses = body.uses;
            members.push(method(&required, part.def.n_regions, &text, &uses));
        }
        Ok(members.join("\n\n"))
    }

    /// What must be derived.
    fn asked(&self) -> Vec<&'static str> {
        let asked = DERIVES.iter().filter(|it| self.others.contains(**it));
        asked.copied().collect()
    }

    /// What can be derived of what everybody likes to have, and all that is asked for.
    fn derives(&self, fields: &[Field]) -> Result<Vec<&'static str>, Arc<str>> {
        let mut wanted = vec![
            "std::clone::Clone",
            "std::fmt::Debug",
            "std::cmp::PartialEq",
        ];
        let asked = self.asked();
        for path in &asked {
            wanted.extend([*path].iter().chain(with(path)));
        }
        let mut derives = Vec::new();
        for path in DERIVES.into_iter().filter(|it| wanted.contains(it)) {
            let holds = fields.iter().all(|it| holds(self.api, &it.ty, path));
            match (holds, asked.contains(&path)) {
                (true, _) => derives.push(path),
                (false, true) => return Err(format!("`{path}` is asked for as well").into()),
                (false, false) => {}
            }
        }
        Ok(derives)
    }

    /// Impls of the standard library's traits that nothing derives.
    fn written(&self, name: &str) -> Vec<String> {
        let mut items = Vec::new();
        if self.others.contains("std::fmt::Display") {
            items.push(format!(
                "impl ::std::fmt::Display for {name} {{ fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) \
                 -> ::std::fmt::Result {{ f.write_str(\"sample\") }} }}"
            ));
        }
        if self.others.contains("std::error::Error") {
            items.push(format!("impl ::std::error::Error for {name} {{}}"));
        }
        items
    }
}

impl Written {
    /// The model gets the type, its impls, its literal and its fields.
    pub(super) fn join(self, api: &mut Api) {
        let Ty::Adt { path, .. } = &self.self_ty else {
            return;
        };
        let fields = self.fields;
        let inputs = fields.list().iter().map(|field| Param {
            name: field.name.clone(),
            ty: field.ty.clone(),
        });
        api.beside.push(Callable {
            key: format!("{path} {{ .. }}").into(),
            kind: CallableKind::StructLiteral {
                self_ty: self.self_ty.clone(),
                fields: fields.clone(),
            },
            generics: Vec::new(),
            bounds: Vec::new(),
            n_regions: 0,
            outlives: Vec::new(),
            inputs: inputs.collect(),
            output: self.self_ty.clone(),
            docs: Docs::default(),
            counted: false,
            derived: false,
            is_unsafe: false,
            skip: None,
        });
        api.adts.insert(
            path.clone(),
            Adt {
                path: path.clone(),
                self_ty: self.self_ty.clone(),
                generics: Vec::new(),
                bounds: Vec::new(),
                sized: true,
                deprecated: false,
                panics: None,
                shape: Shape::Struct {
                    fields,
                    all_public: true,
                },
            },
        );
        api.impls.extend(self.impls);
        // One implementor shows what the crate's own code does.
        let known = api.stand_ins.iter().flat_map(|it| &it.traits);
        let known: BTreeSet<Arc<str>> = known.cloned().collect();
        let is_new = |it: &Callable| matches!(&it.kind, CallableKind::Trait { trait_, .. } if !known.contains(&trait_.path));
        api.callables
            .extend(self.provided.into_iter().filter(is_new));
        api.stand_ins.push(self.stand_in);
        api.name_stand_ins();
    }
}
