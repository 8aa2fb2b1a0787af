//! Chooses the types that stand for the parameters of the crate's own types, so that all methods of
//! a type agree.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::palette::{Palette, general, moves, specific};
use super::traits::{bounds_on, satisfies};
use crate::api::Api;
use crate::callable::{Adt, Callable, CallableKind, GenericKind};
use crate::ty::{GenericArg, Substitution, TraitRef, Ty};

/// For each local ADT, what stands for its type parameters by position. A default may mention
/// other parameters of the ADT.
///
/// Methods of one type come in many impls with different bounds. If each chose alone, a method
/// would ask for `Bag<f64>` while the constructors make `Bag<u8>`.
pub(super) type AdtPalette = BTreeMap<Arc<str>, Vec<Vec<Ty>>>;

/// Choose for each ADT the types that most of its impls accept: one that copies, one that moves.
pub(super) fn adt_palette(api: &Api) -> AdtPalette {
    // Candidates that are made of other ADTs have the defaults of these.
    let defaults: AdtPalette = api.adts.values().map(defaults).collect();
    let mut palette = defaults.clone();
    for (path, by_position) in &mut palette {
        let parameters = api.adts.get(path).map(parameters).unwrap_or_default();
        for (i, tys) in by_position.iter_mut().enumerate() {
            if tys.is_empty() && parameters[i].is_some() {
                *tys = popular(api, &defaults, path, i);
            }
        }
    }
    palette
}

/// The type parameters of an ADT by position.
fn parameters(adt: &Adt) -> Vec<Option<&Arc<str>>> {
    let Ty::Adt { args, .. } = &adt.self_ty else {
        return Vec::new();
    };
    fn parameter(arg: &GenericArg) -> Option<&Arc<str>> {
        match arg {
            GenericArg::Type(Ty::Param(name)) => Some(name),
            _ => None,
        }
    }
    args.iter().map(parameter).collect()
}

/// The defaults of an ADT's parameters.
fn defaults(adt: &Adt) -> (Arc<str>, Vec<Vec<Ty>>) {
    let default = |name: &Arc<str>| {
        let mut generics = adt.generics.iter().filter(|param| param.name == *name);
        generics.find_map(|param| match &param.kind {
            GenericKind::Type { default, .. } => default.clone(),
            GenericKind::Const(_) => None,
        })
    };
    let by_position = parameters(adt)
        .into_iter()
        .map(|name| name.and_then(default).into_iter().collect());
    (adt.path.clone(), by_position.collect())
}

/// The types that callables which mention `path<.., T, ..>` accept for `T` at this position.
fn popular(api: &Api, defaults: &AdtPalette, path: &Arc<str>, position: usize) -> Vec<Ty> {
    let mut demands: Vec<(Vec<&TraitRef>, &Callable)> = Vec::new();
    for callable in &api.callables {
        let mut params: Vec<Arc<str>> = Vec::new();
        let mut note = |ty: &Ty| {
            ty.any(&mut |node| {
                if let Ty::Adt { path: p, args } = node
                    && p == path
                    && let Some(GenericArg::Type(Ty::Param(name))) = args.get(position)
                    && !params.contains(name)
                {
                    params.push(name.clone());
                }
                false
            });
        };
        callable.inputs.iter().for_each(|param| note(&param.ty));
        note(&callable.output);
        for name in params {
            demands.push((bounds_on(&callable.bounds, &Ty::Param(name)), callable));
        }
    }
    // A type that is known to fit weighs more than one that may.
    let score = |ty: &Ty| -> usize {
        let fit = |bounds: &[&TraitRef]| {
            let verdicts: Vec<_> = bounds.iter().map(|t| satisfies(api, ty, t)).collect();
            if verdicts.contains(&Some(false)) {
                0
            } else if verdicts.contains(&None) {
                1
            } else {
                4
            }
        };
        demands.iter().map(|(bounds, _)| fit(bounds)).sum()
    };
    let mut scored: Vec<(usize, Ty)> = Vec::new();
    scored.extend(general().into_iter().map(|ty| (score(&ty), ty)));
    // A special type is chosen if it suits all, or if general ones don't suit half.
    let best_general = scored.iter().map(|(n, _)| *n).max().unwrap_or(0);
    let mut options = Vec::new();
    let demands_more = 2 * best_general < 4 * demands.len();
    for (bounds, _) in &demands {
        for trait_ in bounds {
            let alone = Palette {
                api,
                adts: defaults,
            };
            for ty in specific(alone, trait_, 1).unwrap_or_default() {
                let is_free = ty.any(&mut |t| matches!(t, Ty::Param(_)));
                let is_wanted = demands_more || score(&ty) == 4 * demands.len();
                if !options.contains(&ty) && !is_free && is_wanted && options.len() < 24 {
                    options.push(ty);
                }
            }
        }
    }
    scored.extend(options.into_iter().map(|ty| (score(&ty), ty)));
    let best = |moving: bool| {
        let mut best: Option<&(usize, Ty)> = None;
        for entry in scored.iter().filter(|(_, ty)| moves(ty) == moving) {
            if best.is_none_or(|(n, _)| entry.0 > *n) {
                best = Some(entry);
            }
        }
        best.cloned()
    };
    let mut chosen: Vec<(usize, Ty)> = best(false).into_iter().chain(best(true)).collect();
    let top = chosen.iter().map(|(n, _)| *n).max().unwrap_or(0);
    chosen.retain(|(n, _)| 2 * n >= top);
    chosen.sort_by_key(|(n, ty)| (2 * n < top, moves(ty)));
    chosen.into_iter().map(|(_, ty)| ty).collect()
}

/// The types that the ADTs' palettes have for a parameter which these types mention.
pub(super) fn from_adts<'t>(
    palette: Palette<'_>,
    tys: impl IntoIterator<Item = &'t Ty>,
    name: &str,
) -> Option<Vec<Ty>> {
    let mut found = None;
    for ty in tys {
        ty.any(&mut |node| {
            if let Ty::Adt { path, args } = node
                && let Some(by_position) = palette.adts.get(path)
            {
                for (arg, candidates) in args.iter().zip(by_position) {
                    let is_it = matches!(arg, GenericArg::Type(Ty::Param(n)) if **n == *name);
                    if is_it && !candidates.is_empty() && found.is_none() {
                        let by = of_arguments(palette.api, path, args);
                        found = Some(candidates.iter().map(|ty| ty.substitute(&by)).collect());
                    }
                }
            }
            found.is_some()
        });
    }
    found
}

/// The parameters of an ADT's definition, and the arguments that stand for them.
fn of_arguments(api: &Api, path: &Arc<str>, args: &[GenericArg]) -> Substitution {
    let mut by = Substitution::default();
    let declared = match api.adts.get(path).map(|adt| &adt.self_ty) {
        Some(Ty::Adt { args, .. }) => args.as_slice(),
        _ => &[],
    };
    for (param, arg) in declared.iter().zip(args) {
        if let (GenericArg::Type(Ty::Param(name)), GenericArg::Type(ty)) = (param, arg) {
            by.types.insert(name.clone(), ty.clone());
        }
    }
    by
}

/// Does the same as [`from_adts`] for all types that a callable mentions.
pub(super) fn from_callable(
    palette: Palette<'_>,
    callable: &Callable,
    name: &str,
) -> Option<Vec<Ty>> {
    let self_ty = match &callable.kind {
        CallableKind::Inherent { self_ty, .. } | CallableKind::Trait { self_ty, .. } => {
            Some(self_ty)
        }
        _ => None,
    };
    let inputs = callable.inputs.iter().map(|param| &param.ty);
    let tys = self_ty.into_iter().chain(inputs).chain([&callable.output]);
    from_adts(palette, tys, name)
}
