//! Details of how an instance is written: turbofish, `format!`, and types that no operation can have.
//!
//! **A formatter is lent by the standard library alone.** A function that writes to a `&mut
//! Formatter` is an operation without that parameter (`Operation::formatter`) whose result is the
//! text: `std::fmt::from_fn` calls it in a closure, which may be called again, so nothing is moved
//! into it, and other closures are passed by reference.

use std::sync::Arc;

use super::traits::satisfies;
use super::{Draft, DraftInput};
use crate::api::Api;
use crate::callable::{Bound, Callable, CallableKind, GenericKind, Reason};
use crate::ty::{GenericArg, KeyNames, Prim, Region, Substitution, TraitRef, Ty, is_fn_trait};

/// The function's own arguments, where the inputs don't determine them all.
pub(super) fn turbofish(callable: &Callable, by: &Substitution) -> Vec<GenericArg> {
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
    let by_inputs = |name: &Arc<str>| {
        callable
            .inputs
            .iter()
            .any(|input| determines(&input.ty, name))
    };
    // `I: Iterator<Item = B>` determines `B`.
    let is_determined = |name: &Arc<str>| {
        by_inputs(name)
            || callable.bounds.iter().any(|bound| match bound {
                Bound::Trait {
                    on: Ty::Param(on),
                    trait_,
                } => {
                    (by_inputs(on) || is_of_impl(on))
                        && trait_.assoc.iter().any(|(_, ty)| determines(ty, name))
                }
                _ => false,
            })
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
pub(super) fn format_template(trait_: &TraitRef, name: &str) -> Option<&'static str> {
    if name != "fmt" || !trait_.path.starts_with("std::fmt::") {
        return None;
    }
    Some(match trait_.name() {
        "Display" => "{0}.to_string()",
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

/// Which of the inputs is the formatter that a function writes its text to, if it is such a function.
pub(super) fn formatter(inputs: &[DraftInput], output: &Ty) -> Option<usize> {
    let is_adt = |ty: &Ty, name: &str| matches!(ty, Ty::Adt { path, .. } if &**path == name);
    let is_formatter = |input: &DraftInput| match &input.ty {
        Ty::Ref {
            mutable: true, to, ..
        } => is_adt(to, "std::fmt::Formatter"),
        _ => false,
    };
    let is_result = is_adt(output, "std::result::Result")
        && matches!(output.children()[..], [ok, err] if ok.is_unit() && is_adt(err, "std::fmt::Error"));
    let mut found = (0..inputs.len()).filter(|i| is_formatter(&inputs[*i]));
    match (found.next(), found.next()) {
        (Some(at), None) if is_result => Some(at),
        _ => None,
    }
}

/// Can the types of a recipe be written without a binder?
pub(super) fn is_writable(draft: &Draft) -> bool {
    let is_plain = |ty: &Ty| !has_bound_region(ty);
    draft.inputs.iter().all(|input| is_plain(&input.ty)) && is_plain(&draft.output)
}

/// A higher-ranked region outside of what binds it.
fn has_bound_region(ty: &Ty) -> bool {
    let mut found = false;
    ty.map(
        &mut |node| matches!(node, Ty::Dyn { .. } | Ty::FnPtr { .. }).then(Ty::unit),
        &mut |r| {
            found |= matches!(r, Region::Bound(_));
            r
        },
    );
    found
}

/// A projection can lead to a type of another crate that nobody has seen before.
pub(super) fn unnameable(api: &Api, ty: &Ty) -> Result<(), Reason> {
    let mut found = None;
    ty.any(&mut |node| {
        if let Ty::Adt { path, .. } = node
            && !path.starts_with("std::")
            && let krate = path.split("::").next().unwrap_or_default()
            && krate != &*api.krate
            && !api.dependencies.iter().any(|known| **known == *krate)
        {
            found = Some(Reason::Unnameable(path.clone()));
        }
        found.is_some()
    });
    found.map_or(Ok(()), Err)
}

/// A trait object that stands for `impl Trait`, if something can be done with one.
pub(super) fn boxed(traits: &[TraitRef], bound: Region) -> Option<Ty> {
    let find = |name: &str| traits.iter().find(|trait_| trait_.name() == name);
    let item = traits
        .iter()
        .flat_map(|trait_| &trait_.assoc)
        .find(|(name, _)| &**name == "Item");
    let chosen = ["DoubleEndedIterator", "ExactSizeIterator", "Iterator"]
        .into_iter()
        .find_map(find)
        .map(|trait_| TraitRef {
            assoc: item.cloned().into_iter().collect(),
            ..trait_.clone()
        });
    let closure = || traits.iter().find(|it| is_fn_trait(&it.path)).cloned();
    let shown = || ["Display", "Debug"].into_iter().find_map(find).cloned();
    let future = traits.iter().find(|it| &*it.path == "std::future::Future");
    if let Some(future) = future.filter(|it| !it.assoc.is_empty()) {
        let object = Ty::Dyn {
            traits: vec![future.clone()],
            bound,
        };
        // A value in a box can be polled only if it is pinned.
        let boxed = Ty::adt("std::boxed::Box", [object]);
        return Some(Ty::adt("std::pin::Pin", [boxed]));
    }
    let chosen = chosen.or_else(closure).or_else(shown)?;
    let object = Ty::Dyn {
        traits: vec![chosen],
        bound,
    };
    Some(Ty::adt("std::boxed::Box", [object]))
}

/// Says why an operation cannot have this type, if it cannot.
pub(super) fn refuse(api: &Api, ty: &Ty, is_input: bool) -> Result<(), Reason> {
    let unsupported = |what: String| Err(Reason::Unsupported(what.into()));
    unnameable(api, ty)?;
    let mut found = None;
    ty.any(&mut |node| {
        found = match node {
            Ty::Opaque { .. } => Some("returns `impl Trait`".to_owned()),
            Ty::Prim(Prim::Never) if !is_input => Some("never returns".to_owned()),
            // rustc knows what the type is, and that is enough to hold a value of it.
            Ty::Assoc { of, trait_, .. } => {
                let exists = |trait_: &TraitRef| satisfies(api, of, trait_) != Some(false);
                let is_known = trait_.as_deref().is_some_and(exists);
                (!is_known).then(|| format!("unknown type `{}`", node.render(&KeyNames)))
            }
            Ty::Param(name) => Some(format!("unknown parameter `{name}`")),
            _ => None,
        };
        found.is_some()
    });
    match found {
        Some(what) => unsupported(what),
        None if has_bound_region(ty) => unsupported("a higher-ranked type".to_owned()),
        None if !is_input && ty.is_unsized() => unsupported("an unsized result".to_owned()),
        None => Ok(()),
    }
}

/// The standard library's default arguments are left out, so that equal types have equal text.
pub(super) fn without_defaults(ty: &Ty) -> Ty {
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
