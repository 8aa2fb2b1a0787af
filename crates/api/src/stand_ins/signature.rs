//! How the methods of an impl are written: lifetimes elided where everybody would elide them.

use std::borrow::Cow;
use std::sync::Arc;

use crate::callable::{Bound, GenericKind, GenericParam};
use crate::keywords::NEWEST_EDITION;
use crate::traits::Method;
use crate::ty::{FullNames, Names, Region, RegionIdx, TraitRef, Ty};

/// The name as it must be written; who prints it for an older edition knows what to leave out.
pub(super) fn identifier(name: &str) -> Cow<'_, str> {
    crate::keywords::identifier(name, NEWEST_EDITION)
}

/// Paths in full; regions by letters where they are declared, else elided.
pub(super) struct ItemNames {
    /// Regions below this are those of the impl.
    pub(super) n_outer: u32,
    /// Those that the method declares.
    pub(super) declared: Vec<u32>,
}

impl Names for ItemNames {
    fn path(&self, path: &str) -> String {
        FullNames.path(path)
    }
    fn region(&self, region: Region) -> Option<String> {
        match region {
            Region::Static => Some("'static".to_owned()),
            Region::Var(RegionIdx(n)) if n < self.n_outer => Some(letter(n)),
            Region::Var(RegionIdx(n)) => Some(match self.position(n) {
                Some(i) => letter(self.n_outer + i),
                None => "'_".to_owned(),
            }),
            Region::Bound(_) => None,
        }
    }
}

/// `'a`, `'b`, ..
pub(super) fn letter(n: u32) -> String {
    match u8::try_from(n) {
        Ok(n) if n < 26 => format!("'{}", char::from(b'a' + n)),
        _ => format!("'r{n}"),
    }
}

/// What everybody would leave out.
fn plain(text: &str) -> String {
    text.replace("&'_ ", "&").replace(" + 'static>", ">")
}

impl ItemNames {
    /// For what stands outside of methods.
    pub(super) fn of_impl(n_outer: u32) -> ItemNames {
        ItemNames {
            n_outer,
            declared: Vec::new(),
        }
    }

    fn position(&self, n: u32) -> Option<u32> {
        let mut declared = (0..).zip(&self.declared);
        declared.find(|(_, it)| **it == n).map(|(i, _)| i)
    }

    pub(super) fn ty(&self, ty: &Ty) -> String {
        plain(&ty.render(self))
    }

    pub(super) fn trait_(&self, trait_: &TraitRef) -> String {
        plain(&trait_.render(self))
    }

    /// `T: A + B`, `const N: usize`, without `impl Trait` parameters.
    pub(super) fn params(
        &self,
        generics: &[GenericParam],
        bounds: &[Bound],
        maybe_unsized: &[Arc<str>],
    ) -> Vec<String> {
        let mut params = Vec::new();
        for param in generics {
            match &param.kind {
                GenericKind::Const(ty) => {
                    params.push(format!("const {}: {}", param.name, self.ty(ty)));
                }
                GenericKind::Type {
                    synthetic: true, ..
                } => {}
                GenericKind::Type { .. } => {
                    let mut texts: Vec<String> =
                        on(bounds, &param.name).map(|it| self.trait_(it)).collect();
                    if maybe_unsized.contains(&param.name) {
                        texts.push("?Sized".to_owned());
                    }
                    params.push(match texts.is_empty() {
                        true => param.name.to_string(),
                        false => format!("{}: {}", param.name, texts.join(" + ")),
                    });
                }
            }
        }
        params
    }
}

fn on<'b>(bounds: &'b [Bound], name: &Arc<str>) -> impl Iterator<Item = &'b TraitRef> {
    bounds.iter().filter_map(move |bound| match bound {
        Bound::Trait {
            on: Ty::Param(on),
            trait_,
        } if on == name => Some(trait_),
        _ => None,
    })
}

/// The method as it stands in an impl, with this body. Parameters that the body does not use have
/// no name.
pub(super) fn method(method: &Method, n_outer: u32, body: &str, uses: &[usize]) -> String {
    let names = ItemNames {
        n_outer,
        declared: declared(method, n_outer),
    };
    let n_declared = names.declared.len() as u32;
    let mut generics: Vec<String> = (n_outer..n_outer + n_declared).map(letter).collect();
    generics.extend(names.params(&method.generics, &method.bounds, &method.maybe_unsized));
    let generics = match generics.is_empty() {
        true => String::new(),
        false => format!("<{}>", generics.join(", ")),
    };
    let inputs: Vec<String> = method
        .inputs
        .iter()
        .enumerate()
        .map(|(i, param)| {
            let ty = in_place(method, &param.ty);
            match &*param.name {
                "self" => receiver(&names, &ty),
                name if uses.contains(&i) => format!("{}: {}", identifier(name), names.ty(&ty)),
                _ => format!("_: {}", names.ty(&ty)),
            }
        })
        .collect();
    let output = match method.output.is_unit() {
        true => String::new(),
        false => format!(" -> {}", names.ty(&method.output)),
    };
    let is_simple = |on: &Ty| matches!(on, Ty::Param(_));
    let clauses: Vec<String> = method
        .bounds
        .iter()
        .filter_map(|bound| match bound {
            Bound::Trait { on, trait_ } if !is_simple(on) && !mentions_synthetic(method, on) => {
                Some(format!("{}: {}", names.ty(on), names.trait_(trait_)))
            }
            _ => None,
        })
        .collect();
    let clauses = match clauses.is_empty() {
        true => String::new(),
        false => format!(" where {}", clauses.join(", ")),
    };
    let is_async = if method.is_async { "async " } else { "" };
    format!(
        "{is_async}fn {}{generics}({}){output}{clauses} {{ {body} }}",
        identifier(&method.name),
        inputs.join(", ")
    )
}

fn receiver(names: &ItemNames, ty: &Ty) -> String {
    let is_self = |ty: &Ty| matches!(ty, Ty::Param(name) if &**name == "Self");
    match ty {
        ty if is_self(ty) => "self".to_owned(),
        Ty::Ref { to, .. } if is_self(to) => {
            let text = names.ty(ty);
            format!("{}self", text.trim_end_matches("Self"))
        }
        ty => format!("self: {}", names.ty(ty)),
    }
}

fn is_synthetic(method: &Method, name: &Arc<str>) -> bool {
    let mut generics = method.generics.iter();
    generics.any(|param| {
        param.name == *name
            && matches!(
                param.kind,
                GenericKind::Type {
                    synthetic: true,
                    ..
                }
            )
    })
}

fn mentions_synthetic(method: &Method, ty: &Ty) -> bool {
    ty.any(&mut |node| matches!(node, Ty::Param(name) if is_synthetic(method, name)))
}

/// `impl Trait` where it stands.
fn in_place(method: &Method, ty: &Ty) -> Ty {
    ty.map(
        &mut |node| match node {
            Ty::Param(name) if is_synthetic(method, name) => Some(Ty::Opaque {
                traits: on(&method.bounds, name).cloned().collect(),
            }),
            _ => None,
        },
        &mut |region| region,
    )
}

/// The regions of the result, unless they would be found without being written.
fn declared(method: &Method, n_outer: u32) -> Vec<u32> {
    let own = |tys: &mut dyn Iterator<Item = &Ty>| {
        let mut found = regions(tys);
        found.retain(|n| *n >= n_outer);
        found
    };
    let of_output = own(&mut [&method.output].into_iter());
    let lender = match method.receiver() {
        Some(Ty::Ref {
            region: Region::Var(RegionIdx(n)),
            ..
        }) => Some(*n),
        Some(_) => None,
        None => match own(&mut method.inputs.iter().map(|it| &it.ty)).as_slice() {
            [only] => Some(*only),
            _ => None,
        },
    };
    match of_output.iter().all(|n| Some(*n) == lender) {
        true => Vec::new(),
        false => of_output,
    }
}

/// The region variables in order of occurrence.
fn regions<'t>(tys: impl IntoIterator<Item = &'t Ty>) -> Vec<u32> {
    let mut found = Vec::new();
    for ty in tys {
        ty.map(&mut |_| None, &mut |region| {
            if let Region::Var(RegionIdx(n)) = region
                && !found.contains(&n)
            {
                found.push(n);
            }
            region
        });
    }
    found
}
