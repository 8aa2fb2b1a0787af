//! Closures: the types that stand for `F: FnMut(A) -> R`, and what such a closure may do.
//!
//! A closure is a value in a slot like others, boxed; a test writes it where it is used. What it
//! does is chosen when a sequence is built: each behaviour is a recipe, and what it captures is
//! an input.
//!
//! **Closures are values.** `F: FnMut(A) -> R` is instantiated at a boxed trait object, or at a
//! function pointer where it must be `Clone`. Each thing that such a closure may do is a recipe
//! (`closures.rs`), what it captures is an input; so one instance meets many behaviours, and the
//! borrow check needs no new rule. Tests write the closure where it is used, without the box: rustc
//! infers it there. Some write down in a `RefCell` what they are called with, which is asserted;
//! some panic, and because a child drops what is live after a panic, as a test would, code that
//! forgets about panics dies there.

mod behaviours;

pub(super) use self::behaviours::behaviours;
use super::Draft;
use super::build::{FRESH, adt_parts};
use super::recipes::{open_regions, recipe};
use crate::ty::{GenericArg, Region, RegionIdx, TraitRef, Ty, is_fn_trait};

/// The names of the arguments.
const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// Regions of a call are numbered from here; a recipe numbers them anew.
const OF_CALLS: u32 = 1 << 16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fn,
    FnMut,
    FnOnce,
}

/// How a closure is called.
struct Shape {
    kind: Kind,
    /// May it capture values? A function pointer does not.
    captures: bool,
    /// May it capture values that belong to one thread?
    captures_local: bool,
    params: Vec<Ty>,
    output: Ty,
}

/// The type that stands for a parameter with this bound among others.
pub(super) fn standing_for(trait_: &TraitRef, bounds: &[&TraitRef]) -> Ty {
    let has = |name: &str| bounds.iter().any(|bound| bound.name() == name);
    let trait_ = numbered(trait_);
    // A box is not `Clone`, a function pointer is.
    if has("Clone") || has("Copy") || has("Debug") {
        return Ty::FnPtr {
            inputs: params(&trait_),
            output: Box::new(output(&trait_)),
        };
    }
    let autos = ["Send", "Sync"].into_iter().filter(|name| has(name));
    let autos = autos.map(|name| TraitRef {
        path: format!("std::marker::{name}").into(),
        args: Vec::new(),
        assoc: Vec::new(),
    });
    Ty::adt(
        "std::boxed::Box",
        [Ty::Dyn {
            traits: [trait_].into_iter().chain(autos).collect(),
            bound: FRESH,
        }],
    )
}

/// Is it a type of closures that [`standing_for`] gives?
pub(super) fn is_closure(ty: &Ty) -> bool {
    shape(ty).is_some()
}

/// Is a reference to it a closure as well?
pub(super) fn is_shared(ty: &Ty) -> bool {
    shape(ty).is_some_and(|shape| shape.captures && shape.kind == Kind::Fn)
}

/// The type that a call of it returns.
pub(super) fn output_of(ty: &Ty) -> Option<Ty> {
    shape(ty).map(|shape| shape.output)
}

/// The higher-ranked regions numbered from 0, so that equal types have equal text.
fn numbered(trait_: &TraitRef) -> TraitRef {
    let mut known: Vec<Region> = Vec::new();
    trait_.map(&mut |_| None, &mut |region| match region {
        Region::Bound(_) => {
            let n = known.iter().position(|k| *k == region).unwrap_or_else(|| {
                known.push(region);
                known.len() - 1
            });
            Region::Bound(n as u32)
        }
        other => other,
    })
}

fn params(trait_: &TraitRef) -> Vec<Ty> {
    match trait_.args.as_slice() {
        [GenericArg::Type(Ty::Tuple(params))] => params.clone(),
        _ => Vec::new(),
    }
}

fn output(trait_: &TraitRef) -> Ty {
    let stated = trait_.assoc.iter().find(|(name, _)| &**name == "Output");
    stated.map_or_else(Ty::unit, |(_, ty)| ty.clone())
}

fn shape(ty: &Ty) -> Option<Shape> {
    let is_auto = |it: &TraitRef| matches!(it.name(), "Send" | "Sync");
    let (kind, captures, captures_local, params, output) = match ty {
        Ty::FnPtr { inputs, output } => {
            (Kind::Fn, false, false, inputs.clone(), (**output).clone())
        }
        Ty::Adt { .. } => {
            let Some(("std::boxed::Box", types, _)) = adt_parts(ty) else {
                return None;
            };
            let [Ty::Dyn { traits, .. }] = types.as_slice() else {
                return None;
            };
            let trait_ = traits.first().filter(|trait_| is_fn_trait(&trait_.path))?;
            let kind = match trait_.name() {
                "FnOnce" => Kind::FnOnce,
                "FnMut" => Kind::FnMut,
                _ => Kind::Fn,
            };
            let captures_local = !traits.iter().any(is_auto);
            (kind, true, captures_local, params(trait_), output(trait_))
        }
        _ => return None,
    };
    (params.len() <= NAMES.len()).then_some(Shape {
        kind,
        captures,
        captures_local,
        params,
        output,
    })
}

/// The operation that calls a closure which the crate returned.
pub(super) fn calls(ty: &Ty) -> Option<Draft> {
    let ty = open_regions(ty);
    let shape = shape(&ty)?;
    // A call chooses what the closure leaves open.
    let chosen = |ty: &Ty| {
        ty.map(&mut |_| None, &mut |region| match region {
            Region::Bound(n) => Region::Var(RegionIdx(OF_CALLS + n)),
            other => other,
        })
    };
    let borrowed = |mutable| Ty::Ref {
        region: Region::Var(RegionIdx(OF_CALLS - 1)),
        mutable,
        to: Box::new(ty.clone()),
    };
    let callee = match shape.kind {
        Kind::Fn => borrowed(false),
        Kind::FnMut => borrowed(true),
        Kind::FnOnce => ty.clone(),
    };
    let places = (0..shape.params.len()).map(|i| format!("{{{}}}", i + 1));
    let places: Vec<String> = places.collect();
    let inputs = [callee].into_iter().chain(shape.params.iter().map(chosen));
    Some(recipe(
        &format!("{{0}}({})", places.join(", ")),
        inputs.collect(),
        chosen(&shape.output),
    ))
}
