//! One callable at one choice of types: substitution, normalisation, and the form of the call.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::build::{FRESH, region, shared, string};
use super::palette::{Palette, candidates};
use super::project::project;
use super::traits::{bounds_on, satisfies};
use super::{Draft, DraftInput};
use crate::callable::{
    Api, Bound, Callable, CallableId, CallableKind, Field, Fields, GenericKind, Reason,
};
use crate::operation::{Form, Origin};
use crate::ty::{GenericArg, KeyNames, Prim, Region, RegionIdx, Substitution, TraitRef, Ty};
use crate::unify;

/// What a const parameter of this type stands at.
pub(super) fn const_value(ty: &Ty) -> Arc<str> {
    match ty {
        Ty::Prim(Prim::Bool) => "true",
        Ty::Prim(Prim::Char) => "'a'",
        _ => "4",
    }
    .into()
}

/// The instances of a callable by its palette: parameters vary together along a diagonal.
pub(super) fn by_palette(
    palette: Palette<'_>,
    id: CallableId,
    n_max: usize,
) -> Result<Vec<Draft>, Reason> {
    let api = palette.api;
    let callable = &api.callables[id.0 as usize];
    if callable.generics.is_empty() {
        return Ok(vec![draft(api, id, &Substitution::default())?]);
    }
    let lists = lists(palette, callable, &Substitution::default())?;
    let n_rows = lists.values().map(Vec::len).max().unwrap_or(1).min(n_max);
    let mut drafts = Vec::new();
    let mut refusal = None;
    for row in 0..n_rows.max(1) {
        let substitution = complete(callable, &lists, &Substitution::default(), row);
        match substitution.and_then(|by| draft(api, id, &by)) {
            Ok(draft) => drafts.push(draft),
            Err(reason) => refusal = refusal.or(Some(reason)),
        }
    }
    match refusal {
        Some(reason) if drafts.is_empty() => Err(reason),
        _ => Ok(drafts),
    }
}

/// One instance with some parameters given.
pub(super) fn with(
    palette: Palette<'_>,
    id: CallableId,
    given: &Substitution,
) -> Option<Draft> {
    let api = palette.api;
    let callable = &api.callables[id.0 as usize];
    for (name, ty) in &given.types {
        let bounds = bounds_on(&callable.bounds, &Ty::Param(name.clone()));
        if bounds.iter().any(|trait_| satisfies(api, ty, trait_) == Some(false)) {
            return None;
        }
    }
    let lists = lists(palette, callable, given).ok()?;
    let substitution = complete(callable, &lists, given, 0).ok()?;
    draft(api, id, &substitution).ok()
}

fn lists(
    palette: Palette<'_>,
    callable: &Callable,
    given: &Substitution,
) -> Result<BTreeMap<Arc<str>, Vec<Ty>>, Reason> {
    let mut lists = BTreeMap::new();
    for param in &callable.generics {
        if matches!(param.kind, GenericKind::Const(_)) || given.types.contains_key(&param.name) {
            continue;
        }
        let list = candidates(palette, callable, &param.name);
        if list.is_empty() {
            let bounds: Vec<String> = bounds_on(&callable.bounds, &Ty::Param(param.name.clone()))
                .iter()
                .map(|trait_| trait_.render(&KeyNames))
                .collect();
            return Err(Reason::NoInstance {
                param: param.name.clone(),
                bounds: bounds.join(" + ").into(),
            });
        }
        lists.insert(param.name.clone(), list);
    }
    Ok(lists)
}

/// Pick one row of the lists, and resolve candidates that mention other parameters.
fn complete(
    callable: &Callable,
    lists: &BTreeMap<Arc<str>, Vec<Ty>>,
    given: &Substitution,
    row: usize,
) -> Result<Substitution, Reason> {
    let mut substitution = given.clone();
    for param in &callable.generics {
        if let GenericKind::Const(ty) = &param.kind {
            substitution
                .consts
                .entry(param.name.clone())
                .or_insert_with(|| const_value(ty));
        }
    }
    for (name, list) in lists {
        let ty = list[row % list.len()].clone();
        substitution.types.insert(name.clone(), ty);
    }
    for _ in 0..4 {
        let current = substitution.clone();
        for ty in substitution.types.values_mut() {
            *ty = ty.substitute(&current);
        }
    }
    let unresolved = substitution
        .types
        .iter()
        .find(|(_, ty)| ty.any(&mut |t| matches!(t, Ty::Param(_))));
    match unresolved {
        Some((name, ty)) => Err(Reason::NoInstance {
            param: name.clone(),
            bounds: ty.render(&KeyNames).into(),
        }),
        None => Ok(substitution),
    }
}

/// The operation that a callable is at this substitution.
pub(super) fn draft(api: &Api, id: CallableId, by: &Substitution) -> Result<Draft, Reason> {
    let callable = &api.callables[id.0 as usize];
    let mut n_regions = callable.n_regions;
    // Each parameter's type has regions of its own, the same wherever the parameter stands.
    let mut by = by.clone();
    for ty in by.types.values_mut() {
        *ty = ty.map(&mut |_| None, &mut |r| match r {
            FRESH => {
                n_regions += 1;
                Region::Var(RegionIdx(n_regions - 1))
            }
            other => other,
        });
    }
    let normal = |ty: &Ty| {
        let ty = unify::normalise(&ty.substitute(&by), &mut |of, trait_, name| {
            project(&api.impls, of, trait_, name)
        });
        without_defaults(&ty)
    };
    let normal_trait = |trait_: &TraitRef| TraitRef {
        path: trait_.path.clone(),
        args: by
            .args(&trait_.args)
            .iter()
            .map(|arg| match arg {
                GenericArg::Type(ty) => GenericArg::Type(normal(ty)),
                other => other.clone(),
            })
            .collect(),
        assoc: Vec::new(),
    };
    let normal_fields = |fields: &Fields| {
        let all = |list: &[Field]| {
            list.iter()
                .map(|field| Field {
                    name: field.name.clone(),
                    ty: normal(&field.ty),
                })
                .collect()
        };
        match fields {
            Fields::Unit => Fields::Unit,
            Fields::Tuple(list) => Fields::Tuple(all(list)),
            Fields::Named(list) => Fields::Named(all(list)),
        }
    };

    let mut inputs: Vec<DraftInput> = callable
        .inputs
        .iter()
        .map(|param| DraftInput {
            name: param.name.clone(),
            ty: normal(&param.ty),
            generic: param.ty.any(&mut |t| matches!(t, Ty::Param(_))),
        })
        .collect();
    let mut output = normal(&callable.output);
    let turbofish = turbofish(callable, &by);
    let form = match &callable.kind {
        CallableKind::Function { path } => Form::Function {
            path: path.clone(),
            turbofish,
        },
        CallableKind::Inherent {
            self_ty,
            name,
            has_self,
        } => Form::Inherent {
            self_ty: normal(self_ty),
            name: name.clone(),
            turbofish,
            has_self: *has_self,
        },
        CallableKind::Trait {
            self_ty,
            trait_,
            name,
            has_self,
        } => match format_template(trait_, name) {
            Some(template) => {
                let self_ty = normal(self_ty);
                n_regions += 1;
                inputs = vec![DraftInput {
                    name: "self".into(),
                    ty: shared(region(n_regions - 1), self_ty),
                    generic: false,
                }];
                output = string();
                Form::Recipe {
                    template: template.into(),
                }
            }
            None => Form::Trait {
                self_ty: normal(self_ty),
                trait_: normal_trait(trait_),
                name: name.clone(),
                turbofish,
                has_self: *has_self,
            },
        },
        CallableKind::StructLiteral { self_ty, fields } => Form::StructLiteral {
            self_ty: normal(self_ty),
            fields: normal_fields(fields),
        },
        CallableKind::Variant {
            self_ty,
            name,
            fields,
        } => Form::Variant {
            self_ty: normal(self_ty),
            name: name.clone(),
            fields: normal_fields(fields),
        },
        CallableKind::Const { path } => Form::Const { path: path.clone() },
        CallableKind::AssocConst { self_ty, name } => Form::AssocConst {
            self_ty: normal(self_ty),
            name: name.clone(),
        },
        CallableKind::Field { name, .. } => Form::Field { name: name.clone() },
    };
    for input in &inputs {
        refuse(&input.ty, true)?;
    }
    refuse(&output, false)?;
    Ok(Draft {
        key: key(callable, &by),
        origin: Origin::Callable(id),
        form,
        n_regions,
        inputs,
        output,
        outlives: outlives(callable, &by),
    })
}

fn key(callable: &Callable, by: &Substitution) -> Arc<str> {
    if callable.generics.is_empty() {
        return callable.key.clone();
    }
    let args: Vec<String> = callable
        .generics
        .iter()
        .map(|param| {
            let value = match (by.types.get(&param.name), by.consts.get(&param.name)) {
                (Some(ty), _) => ty.render(&KeyNames),
                (None, Some(value)) => value.to_string(),
                (None, None) => "_".to_owned(),
            };
            format!("{} = {value}", param.name)
        })
        .collect();
    format!("{}::<{}>", callable.key, args.join(", ")).into()
}

/// `'a: 'b` as declared, and `T: 'a` for each region of what stands for `T`.
fn outlives(callable: &Callable, by: &Substitution) -> Vec<(Region, Region)> {
    let mut pairs = callable.outlives.clone();
    for bound in &callable.bounds {
        let Bound::Outlives { on, region } = bound else {
            continue;
        };
        on.substitute(by).map(&mut |_| None, &mut |longer| {
            let pair = (longer, *region);
            if longer != *region && matches!(longer, Region::Var(_)) && !pairs.contains(&pair) {
                pairs.push(pair);
            }
            longer
        });
    }
    pairs
}

/// The function's own arguments, where the inputs don't determine them all.
fn turbofish(callable: &Callable, by: &Substitution) -> Vec<GenericArg> {
    let mentions = |ty: &Ty, name: &Arc<str>| {
        ty.any(&mut |t| match t {
            Ty::Param(n) => n == name,
            Ty::Array(_, n) => n == name,
            Ty::Adt { args, .. } => args
                .iter()
                .any(|arg| matches!(arg, GenericArg::Const(n) if n == name)),
            _ => false,
        })
    };
    // A projection does not determine its parameter.
    let determines = |ty: &Ty, name: &Arc<str>| {
        let visible = ty.map(
            &mut |t| matches!(t, Ty::Assoc { .. }).then(Ty::unit),
            &mut |r| r,
        );
        mentions(&visible, name)
    };
    let is_of_impl = |name: &Arc<str>| match &callable.kind {
        CallableKind::Function { .. } => false,
        CallableKind::Inherent { self_ty, .. } => mentions(self_ty, name),
        CallableKind::Trait {
            self_ty, trait_, ..
        } => {
            let args = Ty::Opaque {
                traits: vec![trait_.clone()],
            };
            mentions(self_ty, name) || mentions(&args, name)
        }
        _ => true,
    };
    let own: Vec<_> = callable
        .generics
        .iter()
        .filter(|param| !is_of_impl(&param.name))
        .filter(|param| {
            !matches!(
                param.kind,
                GenericKind::Type {
                    synthetic: true,
                    ..
                }
            )
        })
        .collect();
    let is_determined = |name: &Arc<str>| {
        callable
            .inputs
            .iter()
            .any(|input| determines(&input.ty, name))
    };
    if own.iter().all(|param| is_determined(&param.name)) {
        return Vec::new();
    }
    own.iter()
        .filter_map(|param| match &param.kind {
            GenericKind::Type { .. } => by.types.get(&param.name).cloned().map(GenericArg::Type),
            GenericKind::Const(_) => by.consts.get(&param.name).cloned().map(GenericArg::Const),
        })
        .collect()
}

/// `std::fmt` traits are reached through `format!`: a `Formatter` cannot be made.
fn format_template(trait_: &TraitRef, name: &str) -> Option<&'static str> {
    if name != "fmt" || !trait_.path.starts_with("std::fmt::") {
        return None;
    }
    Some(match trait_.name() {
        "Display" => "format!(\"{}\", {0})",
        "Debug" => "format!(\"{:?}\", {0})",
        "LowerHex" => "format!(\"{:x}\", {0})",
        "UpperHex" => "format!(\"{:X}\", {0})",
        "Octal" => "format!(\"{:o}\", {0})",
        "Binary" => "format!(\"{:b}\", {0})",
        "LowerExp" => "format!(\"{:e}\", {0})",
        "UpperExp" => "format!(\"{:E}\", {0})",
        _ => return None,
    })
}

/// Types that an operation cannot have.
fn refuse(ty: &Ty, is_input: bool) -> Result<(), Reason> {
    let unsupported = |what: String| Err(Reason::Unsupported(what.into()));
    let mut has_bound_region = false;
    ty.map(&mut |_| None, &mut |r| {
        has_bound_region |= matches!(r, Region::Bound(_));
        r
    });
    let mut found = None;
    ty.any(&mut |node| {
        found = match node {
            Ty::Opaque { .. } => Some("returns `impl Trait`".to_owned()),
            Ty::FnPtr { .. } if is_input => Some("takes a function pointer".to_owned()),
            Ty::Dyn { .. } if is_input => Some("takes a trait object".to_owned()),
            Ty::Prim(Prim::Never) if !is_input => Some("never returns".to_owned()),
            Ty::Assoc { .. } => Some(format!("unknown type `{}`", node.render(&KeyNames))),
            Ty::Param(name) => Some(format!("unknown parameter `{name}`")),
            _ => None,
        };
        found.is_some()
    });
    match found {
        Some(what) => unsupported(what),
        None if has_bound_region => unsupported("a higher-ranked type".to_owned()),
        None if !is_input && ty.is_unsized() => unsupported("an unsized result".to_owned()),
        None => Ok(()),
    }
}

/// The standard library's default arguments are left out, so that equal types have equal text.
fn without_defaults(ty: &Ty) -> Ty {
    ty.map(
        &mut |node| match node {
            Ty::Adt { path, args } => {
                let n_args = match &**path {
                    "std::collections::HashMap" => 2,
                    "std::collections::HashSet" => 1,
                    _ => return None,
                };
                let is_default = matches!(args.get(n_args), Some(GenericArg::Type(Ty::Adt { path, .. }))
                    if &**path == "std::collections::hash_map::RandomState");
                is_default.then(|| Ty::Adt {
                    path: path.clone(),
                    args: args[..n_args]
                        .iter()
                        .map(|arg| match arg {
                            GenericArg::Type(ty) => GenericArg::Type(without_defaults(ty)),
                            other => other.clone(),
                        })
                        .collect(),
                })
            }
            _ => None,
        },
        &mut |r| r,
    )
}
