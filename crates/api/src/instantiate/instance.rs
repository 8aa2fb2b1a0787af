//! One callable at one choice of types: substitution, normalisation, and the form of the call.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::build::{FRESH, shared, string};
use super::closures;
use super::consts::const_value;
use super::form::{
    boxed, format_template, formatter, refuse, turbofish, unnameable, without_defaults,
};
use super::palette::{Palette, candidates, general, specific};
use super::project::project;
use super::readings::{is_nameless, readings};
use super::recipes::recipe;
use super::traits::{bounds_on, has_impl, is_stand_in, satisfies};
use super::{Draft, DraftInput, variants};
use crate::api::Api;
use crate::callable::{
    Bound, Callable, CallableId, CallableKind, Field, Fields, GenericKind, Reason,
};
use crate::operation::{Form, Origin};
use crate::ty::{GenericArg, KeyNames, Region, RegionIdx, Substitution, TraitRef, Ty, is_fn_trait};
use crate::unify;

/// Regions of the types that were chosen are numbered from here, until an instance numbers its own.
const OF_CHOICE: u32 = 1 << 24;

/// The instances of a callable by its palette: parameters vary together along a diagonal.
pub(super) fn by_palette(
    palette: Palette<'_>,
    id: CallableId,
    n_max: usize,
) -> Result<Vec<Draft>, Reason> {
    let api = palette.api;
    let callable = api.callable(id);
    if callable.generics.is_empty() {
        return drafts(palette, id, &Substitution::default());
    }
    let lists = lists(palette, callable, &Substitution::default())?;
    let n_rows = lists.values().map(Vec::len).max().unwrap_or(1).min(n_max);
    let mut found = Vec::new();
    let mut refusal = None;
    let mut doubtful = None;
    for row in 0..n_rows.max(1) {
        let substitution = complete(api, callable, &lists, &Substitution::default(), row);
        let is_doubtful = matches!(&substitution, Ok(by) if violates(api, callable, by));
        match substitution.and_then(|by| drafts(palette, id, &by)) {
            Ok(drafts) if is_doubtful => doubtful = doubtful.or(Some(drafts)),
            Ok(drafts) => found.extend(drafts),
            Err(reason) => refusal = refusal.or(Some(reason)),
        }
    }
    if found.is_empty() {
        let others = variants::all(api, &lists).into_iter();
        let by = others.filter_map(|chosen| {
            complete(api, callable, &chosen, &Substitution::default(), 0).ok()
        });
        let sound = by.filter(|by| !violates(api, callable, by));
        let made = sound.filter_map(|by| drafts(palette, id, &by).ok());
        found.extend(made.take(n_max).flatten());
    }
    // The traits that are known here are not all there are, so a last resort is left for rustc to
    // judge.
    if found.is_empty() {
        found.extend(doubtful.into_iter().flatten());
    }
    match refusal {
        Some(reason) if found.is_empty() => Err(reason),
        _ => Ok(found),
    }
}

/// One instance with some parameters given, in all the ways to read it.
pub(super) fn with(palette: Palette<'_>, id: CallableId, given: &Substitution) -> Vec<Draft> {
    let chosen = chosen(palette, id, given);
    let found = chosen.and_then(|by| drafts(palette, id, &by).ok());
    found.unwrap_or_default()
}

/// Chooses all parameters where some are given.
fn chosen(palette: Palette<'_>, id: CallableId, given: &Substitution) -> Option<Substitution> {
    let api = palette.api;
    let callable = api.callable(id);
    for (name, ty) in &given.types {
        let bounds = bounds_on(&callable.bounds, &Ty::Param(name.clone()));
        if bounds
            .iter()
            .any(|trait_| satisfies(api, ty, trait_) == Some(false))
        {
            return None;
        }
    }
    let lists = lists(palette, callable, given).ok()?;
    let substitution = complete(api, callable, &lists, given, 0).ok()?;
    let agrees = given.types.iter().all(|(name, ty)| {
        let chosen = substitution.types.get(name);
        chosen.is_some_and(|chosen| unify::same_but_regions(chosen, ty))
    });
    (agrees && !violates(api, callable, &substitution)).then_some(substitution)
}

/// The operations of a callable at this substitution. There is more than one if no slot can hold
/// its result, and it is read in several ways.
fn drafts(palette: Palette<'_>, id: CallableId, by: &Substitution) -> Result<Vec<Draft>, Reason> {
    draft(palette, id, by).map(readings)
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
            let bounds = bounds_on(&callable.bounds, &Ty::Param(param.name.clone()));
            let obstacle = palette.api.obstacle(bounds.iter().copied());
            let bounds: Vec<String> = bounds.iter().map(|it| it.render(&KeyNames)).collect();
            let bounds = bounds.join(" + ");
            return Err(match obstacle {
                Some(obstacle) => Reason::NoStandIn {
                    wanted: format!("{}: {bounds}", param.name).into(),
                    obstacle,
                },
                None => Reason::NoInstance {
                    param: param.name.clone(),
                    bounds: bounds.into(),
                },
            });
        }
        lists.insert(param.name.clone(), list);
    }
    Ok(lists)
}

/// Pick one row of the lists, and resolve candidates that mention other parameters.
fn complete(
    api: &Api,
    callable: &Callable,
    lists: &BTreeMap<Arc<str>, Vec<Ty>>,
    given: &Substitution,
    row: usize,
) -> Result<Substitution, Reason> {
    let mut substitution = given.clone();
    let made = || {
        let inputs = callable.inputs.iter().map(|it| &it.ty);
        inputs.chain([&callable.output])
    };
    for param in &callable.generics {
        if let GenericKind::Const(ty) = &param.kind {
            substitution
                .consts
                .entry(param.name.clone())
                .or_insert_with(|| const_value(api, made(), &param.name, ty));
        }
    }
    for (name, list) in lists {
        let ty = list[row % list.len()].clone();
        substitution.types.insert(name.clone(), ty);
    }
    // A candidate that mentions another parameter gets that parameter's regions.
    let mut n_chosen = 0;
    for ty in substitution.types.values_mut() {
        *ty = ty.map(&mut |_| None, &mut |region| match region {
            FRESH => {
                n_chosen += 1;
                Region::Var(RegionIdx(OF_CHOICE + n_chosen - 1))
            }
            other => other,
        });
    }
    // The choice for one parameter decides others, and candidates that mention these.
    let mut resolved = substitution.clone();
    for _ in 0..3 {
        resolved = substitution.clone();
        for _ in 0..4 {
            let current = resolved.clone();
            for ty in resolved.types.values_mut() {
                *ty = ty.substitute(&current);
            }
        }
        for ty in resolved.types.values_mut() {
            *ty = normal(api, ty);
        }
        let decided = reconcile(api, callable, &substitution, &mut resolved);
        let is_settled = decided
            .iter()
            .all(|(param, ty)| substitution.types.get(param) == Some(ty));
        if is_settled {
            break;
        }
        substitution.types.extend(decided);
    }
    let unresolved = resolved
        .types
        .iter()
        .find(|(_, ty)| ty.any(&mut |t| matches!(t, Ty::Param(_))));
    match unresolved {
        Some((name, ty)) => Err(Reason::NoInstance {
            param: name.clone(),
            bounds: ty.render(&KeyNames).into(),
        }),
        None => Ok(resolved),
    }
}

/// `I: Iterator<Item = B>`: once `I` is chosen, `B` is no longer free. What was decided so.
fn reconcile(
    api: &Api,
    callable: &Callable,
    chosen: &Substitution,
    by: &mut Substitution,
) -> Vec<(Arc<str>, Ty)> {
    let mut decided = Vec::new();
    for bound in &callable.bounds {
        let Bound::Trait { on, trait_ } = bound else {
            continue;
        };
        for (name, ty) in &trait_.assoc {
            let Ty::Param(param) = ty else { continue };
            // `Vec<B>` was chosen for `I`, so it follows `B`.
            let follows = |it: &Ty| it.any(&mut |node| node == ty);
            if matches!(on, Ty::Param(on) if chosen.types.get(on).is_some_and(follows)) {
                continue;
            }
            let known = project(
                &api.impls,
                &on.substitute(by),
                Some(&trait_.substitute(by)),
                name,
            );
            if let Some(known) = known.map(|it| normal(api, &it)) {
                by.types.insert(param.clone(), known.clone());
                decided.push((param.clone(), known));
            }
        }
        for (param, known) in implemented_at(api, on, trait_, by) {
            by.types.insert(param.clone(), known.clone());
            decided.push((param, known));
        }
    }
    decided
}

/// `G: Index<I>`: a type of the crate, or one of ours, implements a trait at the arguments that its
/// impl was written for.
fn implemented_at(api: &Api, on: &Ty, trait_: &TraitRef, by: &Substitution) -> Vec<(Arc<str>, Ty)> {
    let ty = on.substitute(by);
    let is_own = matches!(&ty, Ty::Adt { path, .. } if api.adts.contains_key(path));
    let is_free = |arg: &GenericArg| matches!(arg, GenericArg::Type(Ty::Param(_)));
    let asks = trait_.args.iter().any(is_free);
    if !asks || !(is_own || is_stand_in(&ty)) || has_impl(api, &ty, &trait_.substitute(by)) {
        return Vec::new();
    }
    let impls = api.impls.iter();
    let mut matching = impls
        .filter(|it| it.trait_.path == trait_.path)
        .filter_map(|it| {
            let mut found = unify::Match::default();
            unify::unify(&it.self_ty, &ty, &mut found).then_some((it, found))
        });
    let Some((implementor, found)) = matching.next() else {
        return Vec::new();
    };
    let mut known = Vec::new();
    for pair in trait_.args.iter().zip(&implementor.trait_.args) {
        if let (GenericArg::Type(Ty::Param(param)), GenericArg::Type(arg)) = pair {
            let arg = normal(api, &arg.substitute(&found.substitution));
            if !arg.any(&mut |node| matches!(node, Ty::Param(_))) {
                known.push((param.clone(), arg));
            }
        }
    }
    known
}

/// The type with its associated types replaced as far as they are known.
fn normal(api: &Api, ty: &Ty) -> Ty {
    unify::normalise(ty, &mut |of, trait_, name| {
        project(&api.impls, of, trait_, name)
    })
}

/// Is some bound known not to hold?
fn violates(api: &Api, callable: &Callable, by: &Substitution) -> bool {
    callable.bounds.iter().any(|bound| match bound {
        Bound::Trait { on, trait_ } => {
            let ty = normal(api, &on.substitute(by));
            let trait_ = trait_.substitute(by);
            let differs = trait_.assoc.iter().any(|(name, stated)| {
                let known = project(&api.impls, &ty, Some(&trait_), name);
                let stated = normal(api, stated);
                known.is_some_and(|known| !unify::same_but_regions(&known, &stated))
            });
            differs || satisfies(api, &ty, &trait_) == Some(false)
        }
        Bound::Outlives { .. } => false,
    })
}

/// The operation that a callable is at this substitution.
fn draft(palette: Palette<'_>, id: CallableId, by: &Substitution) -> Result<Draft, Reason> {
    let api = palette.api;
    let callable = api.callable(id);
    let mut n_regions = callable.n_regions;
    let by = with_own_regions(by, &mut n_regions);
    let at = Instance { api, by: &by };
    if let Some(shown) = formatted(id, callable, at) {
        return shown;
    }
    let mut inputs: Vec<DraftInput> = callable
        .inputs
        .iter()
        .map(|param| DraftInput {
            name: param.name.clone(),
            ty: coercible(palette, &at.ty(&param.ty)),
            generic: param
                .ty
                .any(&mut |t| matches!(t, Ty::Param(_) | Ty::Dyn { .. })),
        })
        .collect();
    let mut output = at.ty(&callable.output);
    if callable.kind.is_call() && unnameable(api, &output).is_err() {
        output = Ty::Opaque { traits: Vec::new() };
    }
    let formatter = formatter(&inputs, &output);
    if let Some(at) = formatter {
        inputs.remove(at);
        output = string();
        // It is written in a closure that may be called again, so other closures are lent to it.
        for input in inputs.iter_mut().filter(|it| closures::is_shared(&it.ty)) {
            input.ty = shared(Region::Var(RegionIdx(n_regions)), input.ty.clone());
            n_regions += 1;
        }
    }
    let mut outlives = outlives(callable, &by);
    // The box that holds an opaque result lives no longer than any input.
    let bound = Region::Var(RegionIdx(n_regions));
    let object = match &output {
        Ty::Opaque { traits } => boxed(traits, bound).filter(|it| refuse(api, it, false).is_ok()),
        _ => None,
    };
    let opaque = object.is_some();
    if let Some(object) = object {
        n_regions += 1;
        output = object;
        bind_inputs(&inputs, bound, &mut outlives);
    }
    let form = form(callable, at);
    for input in &inputs {
        refuse(api, &input.ty, true)?;
    }
    if !is_nameless(&output) {
        refuse(api, &output, false)?;
    }
    for ty in by.types.values() {
        unnameable(api, ty)?;
    }
    Ok(Draft {
        key: key(callable, &by),
        origin: Origin::Callable(id),
        form,
        n_regions,
        inputs,
        output,
        outlives,
        is_view: false,
        opaque,
        formatter,
        reading: None,
    })
}

/// The operation of a callable that formats a value for the standard library: a recipe that gives
/// the text. Formatting that prints an address is refused, because it changes from run to run.
fn formatted(
    id: CallableId,
    callable: &Callable,
    at: Instance<'_>,
) -> Option<Result<Draft, Reason>> {
    let CallableKind::Trait {
        self_ty,
        trait_,
        name,
        ..
    } = &callable.kind
    else {
        return None;
    };
    let Some(template) = format_template(trait_, name) else {
        let is_address = &*trait_.path == "std::fmt::Pointer";
        return is_address.then(|| Err(Reason::Unsupported("prints an address".into())));
    };
    let borrowed = shared(FRESH, at.ty(self_ty));
    let draft = refuse(at.api, &borrowed, true).map(|()| Draft {
        key: key(callable, at.by),
        origin: Origin::Callable(id),
        ..recipe(template, vec![borrowed], string())
    });
    Some(draft)
}

/// The substitution with regions of the instance's own, which are counted in `n_regions`: each
/// parameter's type has regions that are the same wherever the parameter stands.
fn with_own_regions(by: &Substitution, n_regions: &mut u32) -> Substitution {
    let mut by = by.clone();
    let mut chosen: BTreeMap<RegionIdx, Region> = BTreeMap::new();
    let mut fresh = || {
        *n_regions += 1;
        Region::Var(RegionIdx(*n_regions - 1))
    };
    for ty in by.types.values_mut() {
        *ty = ty.map(&mut |_| None, &mut |r| match r {
            FRESH => fresh(),
            Region::Var(idx) if idx.0 >= OF_CHOICE => *chosen.entry(idx).or_insert_with(&mut fresh),
            other => other,
        });
    }
    by
}

/// Lets all regions of the inputs outlive `bound`.
fn bind_inputs(inputs: &[DraftInput], bound: Region, outlives: &mut Vec<(Region, Region)>) {
    for input in inputs {
        input.ty.map(&mut |_| None, &mut |region| {
            let pair = (region, bound);
            if matches!(region, Region::Var(_)) && !outlives.contains(&pair) {
                outlives.push(pair);
            }
            region
        });
    }
}

/// Types of a callable at a substitution, with what is known of their associated types.
#[derive(Clone, Copy)]
struct Instance<'a> {
    api: &'a Api,
    by: &'a Substitution,
}

impl Instance<'_> {
    fn ty(self, ty: &Ty) -> Ty {
        without_defaults(&normal(self.api, &ty.substitute(self.by)))
    }

    fn trait_ref(self, trait_: &TraitRef) -> TraitRef {
        TraitRef {
            path: trait_.path.clone(),
            args: self
                .by
                .args(&trait_.args)
                .iter()
                .map(|arg| match arg {
                    GenericArg::Type(ty) => GenericArg::Type(self.ty(ty)),
                    other => other.clone(),
                })
                .collect(),
            assoc: Vec::new(),
        }
    }

    fn fields(self, fields: &Fields) -> Fields {
        let all = |list: &[Field]| {
            list.iter()
                .map(|field| Field {
                    name: field.name.clone(),
                    ty: self.ty(&field.ty),
                })
                .collect()
        };
        match fields {
            Fields::Unit => Fields::Unit,
            Fields::Tuple(list) => Fields::Tuple(all(list)),
            Fields::Named(list) => Fields::Named(all(list)),
        }
    }
}

/// How a call of the callable is written at this instance.
fn form(callable: &Callable, at: Instance<'_>) -> Form {
    let turbofish = turbofish(callable, at.by);
    match &callable.kind {
        CallableKind::Function { path } => Form::Function {
            path: path.clone(),
            turbofish,
        },
        CallableKind::Inherent {
            self_ty,
            name,
            has_self,
        } => Form::Inherent {
            self_ty: at.ty(self_ty),
            name: name.clone(),
            turbofish,
            has_self: *has_self,
        },
        CallableKind::Trait {
            self_ty,
            trait_,
            name,
            has_self,
        } => Form::Trait {
            self_ty: at.ty(self_ty),
            trait_: at.trait_ref(trait_),
            name: name.clone(),
            turbofish,
            has_self: *has_self,
        },
        CallableKind::StructLiteral { self_ty, fields } => Form::StructLiteral {
            self_ty: at.ty(self_ty),
            fields: at.fields(fields),
        },
        CallableKind::Variant {
            self_ty,
            name,
            fields,
        } => Form::Variant {
            self_ty: at.ty(self_ty),
            name: name.clone(),
            fields: at.fields(fields),
        },
        CallableKind::Const { path } => Form::Const { path: path.clone() },
        CallableKind::AssocConst { self_ty, name } => Form::AssocConst {
            self_ty: at.ty(self_ty),
            name: name.clone(),
        },
        CallableKind::Field { name, .. } => Form::Field { name: name.clone() },
    }
}

/// A type that can be passed where a trait object is expected: one that implements the trait.
fn coercible(palette: Palette<'_>, ty: &Ty) -> Ty {
    match ty {
        Ty::Ref {
            region,
            mutable,
            to,
        } => match &**to {
            Ty::Dyn { traits, .. } => {
                let to = implementor(palette, traits).map_or_else(|| to.clone(), Box::new);
                Ty::Ref {
                    region: *region,
                    mutable: *mutable,
                    to,
                }
            }
            _ => ty.clone(),
        },
        Ty::Adt { path, args } if is_pointer(path) => match args.as_slice() {
            [GenericArg::Type(Ty::Dyn { traits, .. })]
                if !traits.iter().any(|it| is_fn_trait(&it.path)) =>
            {
                implementor(palette, traits).map_or_else(|| ty.clone(), |of| Ty::adt(path, [of]))
            }
            _ => ty.clone(),
        },
        _ => ty.clone(),
    }
}

/// Is it a pointer type that coerces to a pointer at a trait object?
pub(super) fn is_pointer(path: &str) -> bool {
    matches!(path, "std::boxed::Box" | "std::rc::Rc" | "std::sync::Arc")
}

/// A type without lifetimes that implements all of these.
pub(super) fn implementor(palette: Palette<'_>, traits: &[TraitRef]) -> Option<Ty> {
    let closure = traits.iter().find(|it| is_fn_trait(&it.path));
    if closure.is_some() {
        // A box of a closure is a closure as well.
        let object = Ty::Dyn {
            traits: traits.to_vec(),
            bound: Region::Static,
        };
        return Some(Ty::adt("std::boxed::Box", [object]));
    }
    let proposed = traits.iter().find_map(|it| specific(palette, it, 2));
    let fits = |ty: &Ty| {
        let mut traits = traits.iter();
        let mut has_region = false;
        ty.map(&mut |_| None, &mut |region| {
            has_region = true;
            region
        });
        !has_region && traits.all(|it| satisfies(palette.api, ty, it) != Some(false))
    };
    let mut candidates = proposed.unwrap_or_default().into_iter().chain(general());
    candidates.find(fits)
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
