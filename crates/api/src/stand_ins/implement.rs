//! A small type that implements traits of the crate: which traits, which associated types, which
//! derives, and its place in the model.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::bodies::{Body, DEFAULT_SELF, constant, holds};
use super::signature::{ItemNames, letter, method};
use super::{STAND_INS, StandIn, Wanted, is_own};
use crate::callable::{
    Adt, Api, Bound, Callable, CallableKind, Docs, Field, Fields, GenericKind, GenericParam,
    Implementor, Param, Shape,
};
use crate::instantiate::{proposals, satisfies};
use crate::traits::{Method, Trait};
use crate::ty::{GenericArg, KeyNames, Prim, Substitution, TraitRef, Ty};

/// More traits above each other mean that they ask for one another.
const MAX_TRAITS: usize = 12;

/// What `derive` can do.
const DERIVES: [&str; 9] = [
    "std::clone::Clone",
    "std::marker::Copy",
    "std::fmt::Debug",
    "std::cmp::PartialEq",
    "std::cmp::Eq",
    "std::cmp::PartialOrd",
    "std::cmp::Ord",
    "std::hash::Hash",
    "std::default::Default",
];

/// What derives others.
fn with(path: &str) -> &'static [&'static str] {
    match path {
        "std::marker::Copy" => &["std::clone::Clone"],
        "std::cmp::Eq" => &["std::cmp::PartialEq"],
        "std::cmp::PartialOrd" => &["std::cmp::PartialEq"],
        "std::cmp::Ord" => &[
            "std::cmp::PartialEq",
            "std::cmp::Eq",
            "std::cmp::PartialOrd",
        ],
        _ => &[],
    }
}

/// A stand-in, and what the model has to know of it.
pub(super) struct Written {
    stand_in: StandIn,
    self_ty: Ty,
    fields: Vec<Field>,
    impls: Vec<Implementor>,
}

/// An impl in the making.
struct Part<'a> {
    def: &'a Trait,
    /// What stands for the trait's parameters; those without an entry are the impl's own.
    by: Substitution,
}

/// The traits that are to be implemented.
struct Plan<'a> {
    api: &'a Api,
    parts: Vec<Part<'a>>,
    /// Traits of the standard library, by path.
    others: BTreeSet<Arc<str>>,
    /// What associated types must be.
    fixed: Vec<(Arc<str>, Ty)>,
    /// May impls have parameters?
    generic: bool,
}

/// Writes a type that implements all that is wanted, or says what is in the way.
pub(super) fn implement(api: &Api, name: &Arc<str>, wanted: &Wanted) -> Result<Written, Arc<str>> {
    // What is said of any parameter is said of more than what is said of `u8`.
    let generic = attempt(api, name, wanted, true);
    match generic {
        Ok(written) => Ok(written),
        Err(obstacle) => attempt(api, name, wanted, false).map_err(|_| obstacle),
    }
}

fn attempt(
    api: &Api,
    name: &Arc<str>,
    wanted: &Wanted,
    generic: bool,
) -> Result<Written, Arc<str>> {
    let mut plan = Plan {
        api,
        parts: Vec::new(),
        others: BTreeSet::new(),
        fixed: Vec::new(),
        generic,
    };
    for trait_ in &wanted.traits {
        plan.add(trait_)?;
    }
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
    let derives = plan.derives(&fields)?;
    let implemented = derives.iter().map(|it| Arc::from(*it));
    let implemented = implemented.chain(plan.others.iter().cloned());
    let unique: BTreeSet<Arc<str>> = implemented.collect();
    impls.extend(unique.into_iter().map(|path| Implementor {
        self_ty: self_ty.clone(),
        trait_: TraitRef {
            path,
            args: Vec::new(),
            assoc: Vec::new(),
        },
        generics: Vec::new(),
        bounds: Vec::new(),
        assoc: Vec::new(),
    }));
    let mut items = vec![definition(name, &fields, &derives)];
    let default = literal(name, &fields);
    items.extend(
        bodies
            .into_iter()
            .map(|it| it.replace(DEFAULT_SELF, &default)),
    );
    items.extend(plan.written(name));
    let short: Vec<String> = plan
        .parts
        .iter()
        .map(|it| format!("`{}`", crate::ty::last_segment(&it.def.path)))
        .collect();
    let what = if fields.is_empty() {
        ""
    } else {
        " with what its fields hold"
    };
    Ok(Written {
        stand_in: StandIn {
            name: name.clone(),
            about: format!("Implements {}{what}.", short.join(" and ")).into(),
            items,
            traits: own,
            wanted: wanted.key(api).into(),
        },
        self_ty,
        fields,
        impls,
    })
}

/// The struct with its derives, on one line.
fn definition(name: &str, fields: &[Field], derives: &[&str]) -> String {
    let names = ItemNames::of_impl(0);
    let derives: Vec<&str> = derives
        .iter()
        .map(|it| crate::ty::last_segment(it))
        .collect();
    let list: Vec<String> = fields
        .iter()
        .map(|field| format!("pub {}: {}", field.name, names.ty(&field.ty)))
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
        .map(|field| format!("{}: Default::default()", field.name))
        .collect();
    match list.is_empty() {
        true => name.to_owned(),
        false => format!("{name} {{ {} }}", list.join(", ")),
    }
}

impl<'a> Plan<'a> {
    fn add(&mut self, trait_: &TraitRef) -> Result<(), Arc<str>> {
        let path = &*trait_.path;
        let is_free = matches!(
            trait_.name(),
            "Send" | "Sync" | "Unpin" | "Sized" | "UnwindSafe" | "RefUnwindSafe" | "Any"
        );
        if is_free && path.starts_with("std::") || self.others.contains(path) {
            return Ok(());
        }
        if DERIVES.contains(&path) || path == "std::fmt::Display" {
            self.others.insert(trait_.path.clone());
            return Ok(());
        }
        if matches!(path, "std::error::Error" | "std::string::ToString") {
            self.others.insert("std::fmt::Display".into());
            if trait_.name() == "Error" {
                self.others.insert(trait_.path.clone());
            }
            return Ok(());
        }
        if !is_own(self.api, trait_) {
            let what = trait_.render(&KeyNames);
            return Err(format!("`{what}` is asked for as well").into());
        }
        let is_known = |part: &Part<'_>| part.def.path == trait_.path;
        if self.parts.iter().any(is_known) {
            return Ok(());
        }
        if self.parts.len() == MAX_TRAITS {
            return Err("it stands on too many others".into());
        }
        let api = self.api;
        if let Some(bounds) = blanket(api, &trait_.path) {
            return bounds.iter().try_for_each(|it| self.add(it));
        }
        let def = &api.traits[&trait_.path];
        if let Some(why) = &def.closed {
            return Err(why.clone());
        }
        let by = self.arguments(def, trait_);
        self.fixed.extend(trait_.assoc.iter().cloned());
        self.parts.push(Part {
            def,
            by: by.clone(),
        });
        let own: Vec<TraitRef> = def
            .supertraits
            .iter()
            .map(|it| it.substitute(&by))
            .collect();
        own.iter().try_for_each(|it| self.add(it))
    }

    /// What stands for the trait's parameters.
    fn arguments(&self, def: &Trait, asked: &TraitRef) -> Substitution {
        let mut by = Substitution::default();
        let is_open = |ty: &Ty| ty.any(&mut |t| matches!(t, Ty::Param(_) | Ty::Assoc { .. }));
        for (own, given) in def.self_ref.args.iter().zip(&asked.args) {
            match (own, given) {
                (GenericArg::Type(Ty::Param(name)), GenericArg::Type(ty)) if !is_open(ty) => {
                    by.types.insert(name.clone(), ty.clone());
                }
                (GenericArg::Type(Ty::Param(name)), _) if !self.generic => {
                    by.types.insert(name.clone(), Ty::Prim(Prim::U8));
                }
                (GenericArg::Const(name), GenericArg::Const(n))
                    if n.starts_with(|c: char| c.is_ascii_digit()) =>
                {
                    by.consts.insert(name.clone(), n.clone());
                }
                (GenericArg::Const(name), _) if !self.generic => {
                    by.consts.insert(name.clone(), "4".into());
                }
                _ => {}
            }
        }
        by
    }

    /// The associated types.
    fn choose_types(&self, wanted: &Wanted) -> Result<Vec<(Arc<str>, Ty)>, Arc<str>> {
        let mut chosen: Vec<(Arc<str>, Ty)> = Vec::new();
        for part in &self.parts {
            for required in &part.def.types {
                let name = &required.name;
                if required.generic {
                    return Err(format!("its type `{name}` has parameters").into());
                }
                let mut fixed = self.fixed.iter().filter(|(it, _)| it == name);
                let is_known = |ty: &Ty| !ty.any(&mut |it| matches!(it, Ty::Param(_)));
                if let Some((_, ty)) = fixed.find(|(_, ty)| is_known(ty)) {
                    chosen.push((name.clone(), ty.clone()));
                    continue;
                }
                let asked = wanted.of_types.iter().filter(|(it, _)| it == name);
                let bounds: Vec<TraitRef> = required
                    .bounds
                    .iter()
                    .chain(asked.map(|(_, trait_)| trait_))
                    .map(|it| in_trait(&chosen).trait_(&it.substitute(&part.by)))
                    .collect();
                let fits = |ty: &Ty| {
                    let mut bounds = bounds.iter();
                    bounds.all(|it| satisfies(self.api, ty, it) != Some(false))
                };
                let mut candidates = proposals(self.api, &bounds).into_iter();
                let Some(ty) = candidates.find(fits) else {
                    return Err(format!("nothing is known for its type `{name}`").into());
                };
                chosen.push((name.clone(), ty));
            }
        }
        Ok(chosen)
    }

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

/// Bounds of an impl for all types that meet them.
fn blanket(api: &Api, path: &Arc<str>) -> Option<Vec<TraitRef>> {
    let impls = api.impls.iter().filter(|it| it.trait_.path == *path);
    let mut of_all = impls.filter_map(|it| match &it.self_ty {
        Ty::Param(name) => Some((name, it)),
        _ => None,
    });
    let (name, implementor) = of_all.next()?;
    let bounds = implementor.bounds.iter().filter_map(|bound| match bound {
        Bound::Trait {
            on: Ty::Param(on),
            trait_,
        } if on == name => Some(trait_.clone()),
        _ => None,
    });
    Some(bounds.collect())
}

impl Part<'_> {
    fn generics(&self) -> Vec<GenericParam> {
        let is_open = |param: &&GenericParam| match &param.kind {
            GenericKind::Type { .. } => !self.by.types.contains_key(&param.name),
            GenericKind::Const(_) => !self.by.consts.contains_key(&param.name),
        };
        self.def.generics.iter().filter(is_open).cloned().collect()
    }

    fn bounds(&self) -> Vec<Bound> {
        let open = self.generics();
        let is_open =
            |ty: &Ty| matches!(ty, Ty::Param(name) if open.iter().any(|it| it.name == *name));
        let substituted = self.def.bounds.iter().filter_map(|bound| match bound {
            Bound::Trait { on, trait_ } if is_open(on) => Some(Bound::Trait {
                on: on.clone(),
                trait_: trait_.substitute(&self.by),
            }),
            _ => None,
        });
        substituted.collect()
    }

    fn trait_ref(&self) -> TraitRef {
        self.def.self_ref.substitute(&self.by)
    }

    /// `impl<T> Trait<T>`
    fn header(&self) -> String {
        let names = ItemNames::of_impl(self.def.n_regions);
        let mut params: Vec<String> = (0..self.def.n_regions).map(letter).collect();
        params.extend(names.params(&self.generics(), &self.bounds(), &[]));
        let params = match params.is_empty() {
            true => String::new(),
            false => format!("<{}>", params.join(", ")),
        };
        format!("impl{params} {}", names.trait_(&self.trait_ref()))
    }
}

/// Signatures of a trait with the associated types that were chosen.
struct InTrait<'c> {
    chosen: &'c [(Arc<str>, Ty)],
}

fn in_trait(chosen: &[(Arc<str>, Ty)]) -> InTrait<'_> {
    InTrait { chosen }
}

impl InTrait<'_> {
    fn replaced(&self, ty: &Ty) -> Option<Ty> {
        match ty {
            Ty::Assoc { of, name, .. } if matches!(&**of, Ty::Param(of) if &**of == "Self") => {
                let known = self.chosen.iter().find(|(it, _)| it == name);
                known.map(|(_, ty)| ty.clone())
            }
            _ => None,
        }
    }

    fn ty(&self, ty: &Ty) -> Ty {
        ty.map(&mut |node| self.replaced(node), &mut |region| region)
    }

    fn trait_(&self, trait_: &TraitRef) -> TraitRef {
        trait_.map(&mut |node| self.replaced(node), &mut |region| region)
    }

    fn method(&self, method: &Method, by: &Substitution) -> Method {
        let ty = |ty: &Ty| self.ty(&ty.substitute(by));
        let mut seen = method.clone();
        seen.output = ty(&method.output);
        for (param, given) in seen.inputs.iter_mut().zip(&method.inputs) {
            param.ty = ty(&given.ty);
        }
        for bound in &mut seen.bounds {
            if let Bound::Trait { on, trait_ } = bound {
                *on = ty(on);
                *trait_ = self.trait_(&trait_.substitute(by));
            }
        }
        seen
    }
}

impl Written {
    /// The model gets the type, its impls, its literal and its fields.
    pub(super) fn join(self, api: &mut Api) {
        let Ty::Adt { path, .. } = &self.self_ty else {
            return;
        };
        let fields = match self.fields.is_empty() {
            true => Fields::Unit,
            false => Fields::Named(self.fields),
        };
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
                shape: Shape::Struct {
                    fields,
                    all_public: true,
                },
            },
        );
        api.impls.extend(self.impls);
        api.stand_ins.push(self.stand_in);
        api.name_stand_ins();
    }
}
