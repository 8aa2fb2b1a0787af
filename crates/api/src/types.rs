//! The types a slot can hold: interned, lifetimes erased, regions kept beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ty::{FullNames, GenericArg, Names, Region, Ty, Variance};

/// Index of an interned type; dense, lives as long as one catalogue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeIdx(pub u32);

/// An erased type and its regions in order of occurrence.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Regioned {
    /// What a slot holds.
    pub ty: TypeIdx,
    /// One entry for each lifetime in the type's text, higher-ranked ones left out.
    pub regions: Vec<(Region, Variance)>,
}

/// What is known of one interned type.
#[derive(Clone, Debug)]
pub struct TypeInfo {
    /// The erased type: every free region is `'static`.
    pub ty: Ty,
    /// Its text with full paths; the identity of the type across runs.
    pub text: Arc<str>,
    /// How many regions it has.
    pub n_regions: usize,
    /// For `&T` and `&mut T` with a sized `T`: the pointee, and whether it is `&mut`.
    pub pointee: Option<(TypeIdx, bool)>,
}

/// All types of a catalogue.
#[derive(Clone, Debug, Default)]
pub struct Types {
    infos: Vec<TypeInfo>,
    by_text: BTreeMap<Arc<str>, TypeIdx>,
    refs: BTreeMap<(TypeIdx, bool), TypeIdx>,
    unsized_adts: BTreeSet<Arc<str>>,
}

impl Types {
    /// The number of types; indices run below it.
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Is it empty?
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// All indices, in order.
    pub fn indices(&self) -> impl Iterator<Item = TypeIdx> + use<> {
        (0..self.infos.len() as u32).map(TypeIdx)
    }

    /// What is known of a type.
    pub fn get(&self, ty: TypeIdx) -> &TypeInfo {
        &self.infos[ty.0 as usize]
    }

    /// The index of an erased type, if it was interned.
    pub fn find(&self, ty: &Ty) -> Option<TypeIdx> {
        let (erased, _) = erase(ty);
        self.by_text.get(&*erased.render(&FullNames)).copied()
    }

    /// `&T` (or `&mut T`) of a type, if it was interned.
    pub fn reference_to(&self, ty: TypeIdx, mutable: bool) -> Option<TypeIdx> {
        self.refs.get(&(ty, mutable)).copied()
    }

    /// Declare that values of the ADT at this path exist only behind pointers. To be called before
    /// a reference to it is interned.
    pub fn declare_unsized(&mut self, path: &Arc<str>) {
        self.unsized_adts.insert(path.clone());
    }

    /// Do values of this type exist only behind pointers?
    pub fn is_unsized(&self, ty: &Ty) -> bool {
        ty.is_unsized() || matches!(ty, Ty::Adt { path, .. } if self.unsized_adts.contains(path))
    }

    /// Intern a type without parameters; splits off its regions.
    pub fn intern(&mut self, ty: &Ty) -> Regioned {
        let (erased, regions) = erase(ty);
        let text: Arc<str> = erased.render(&FullNames).into();
        if let Some(&idx) = self.by_text.get(&text) {
            return Regioned { ty: idx, regions };
        }
        let pointee = match &erased {
            Ty::Ref { mutable, to, .. } if !to.is_unsized() => Some((self.intern(to).ty, *mutable)),
            _ => None,
        };
        let idx = TypeIdx(self.infos.len() as u32);
        if let Some(key) = pointee {
            self.refs.insert(key, idx);
        }
        self.by_text.insert(text.clone(), idx);
        self.infos.push(TypeInfo {
            ty: erased,
            text,
            n_regions: regions.len(),
            pointee,
        });
        Regioned { ty: idx, regions }
    }

    /// The type with its regions put back: the inverse of [`Types::intern`].
    pub fn restore(&self, regioned: &Regioned) -> Ty {
        let mut regions = regioned.regions.iter().map(|(r, _)| *r);
        self.get(regioned.ty)
            .ty
            .map(&mut |_| None, &mut |region| match region {
                Region::Bound(_) => region,
                _ => regions.next().unwrap_or(Region::Static),
            })
    }

    /// The text of a type under a way of writing names.
    pub fn render(&self, ty: TypeIdx, names: &dyn Names) -> String {
        self.get(ty).ty.render(names)
    }
}

/// Every free region becomes `'static`; the regions come back in order of occurrence.
pub fn erase(ty: &Ty) -> (Ty, Vec<(Region, Variance)>) {
    let mut regions = Vec::new();
    collect_regions(ty, Variance::Co, &mut regions);
    let erased = ty.map(&mut |_| None, &mut |region| match region {
        Region::Bound(_) => region,
        _ => Region::Static,
    });
    (erased, regions)
}

/// The standard library's covariant types; for all others we assume invariance, which costs
/// precision, never validity.
fn is_covariant(path: &str) -> bool {
    matches!(
        path,
        "std::option::Option"
            | "std::result::Result"
            | "std::vec::Vec"
            | "std::boxed::Box"
            | "std::rc::Rc"
            | "std::sync::Arc"
            | "std::borrow::Cow"
            | "std::string::String"
            | "std::collections::VecDeque"
            | "std::collections::BTreeMap"
            | "std::collections::BTreeSet"
            | "std::collections::HashMap"
            | "std::collections::HashSet"
            | "std::slice::Iter"
            | "std::str::Chars"
            | "std::str::CharIndices"
            | "std::str::Bytes"
            | "std::str::Split"
            | "std::ops::Range"
            | "std::ops::RangeInclusive"
            | "std::ops::RangeFrom"
            | "std::ops::RangeTo"
            | "std::pin::Pin"
            | "std::task::Poll"
            | "std::future::Ready"
    )
}

fn collect_regions(ty: &Ty, variance: Variance, out: &mut Vec<(Region, Variance)>) {
    let mut push = |region: &Region, variance| {
        if !matches!(region, Region::Bound(_)) {
            out.push((*region, variance));
        }
    };
    match ty {
        Ty::Ref {
            region,
            mutable,
            to,
        } => {
            push(region, variance);
            let inner = if *mutable { Variance::In } else { variance };
            collect_regions(to, inner, out);
        }
        Ty::Adt { path, args } => {
            let inner = if is_covariant(path) {
                variance
            } else {
                Variance::In
            };
            collect_in_args(args, inner, out);
        }
        Ty::Dyn { traits, bound } => {
            for trait_ in traits {
                collect_in_args(&trait_.args, Variance::In, out);
                for (_, ty) in &trait_.assoc {
                    collect_regions(ty, Variance::In, out);
                }
            }
            if !matches!(bound, Region::Bound(_)) {
                out.push((*bound, Variance::In));
            }
        }
        Ty::Tuple(_) | Ty::Slice(_) | Ty::Array(..) => {
            for child in ty.children() {
                collect_regions(child, variance, out);
            }
        }
        Ty::Opaque { traits } => {
            for trait_ in traits {
                collect_in_args(&trait_.args, Variance::In, out);
                for (_, ty) in &trait_.assoc {
                    collect_regions(ty, Variance::In, out);
                }
            }
        }
        Ty::Assoc {
            of, trait_, args, ..
        } => {
            collect_regions(of, Variance::In, out);
            if let Some(trait_) = trait_ {
                collect_in_args(&trait_.args, Variance::In, out);
            }
            collect_in_args(args, Variance::In, out);
        }
        _ => {
            for child in ty.children() {
                collect_regions(child, Variance::In, out);
            }
        }
    }
}

fn collect_in_args(args: &[GenericArg], variance: Variance, out: &mut Vec<(Region, Variance)>) {
    for arg in args {
        match arg {
            GenericArg::Region(Region::Bound(_)) | GenericArg::Const(_) => {}
            GenericArg::Region(region) => out.push((*region, variance)),
            GenericArg::Type(ty) => collect_regions(ty, variance, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ty::{Prim, RegionIdx};

    fn reference(region: u32, mutable: bool, to: Ty) -> Ty {
        Ty::Ref {
            region: Region::Var(RegionIdx(region)),
            mutable,
            to: Box::new(to),
        }
    }

    #[test]
    fn restoring_an_interned_type_gives_it_back() {
        let ty = Ty::Tuple(vec![
            reference(
                3,
                true,
                Ty::adt("std::vec::Vec", [reference(1, false, Ty::Str)]),
            ),
            Ty::Adt {
                path: "krate::Iter".into(),
                args: vec![
                    GenericArg::Region(Region::Var(RegionIdx(0))),
                    GenericArg::Type(Ty::Prim(Prim::U8)),
                ],
            },
        ]);
        let mut types = Types::default();
        let regioned = types.intern(&ty);
        assert_eq!(types.restore(&regioned), ty);
        let regions: Vec<_> = regioned.regions.iter().map(|(r, _)| *r).collect();
        assert_eq!(
            regions,
            [3, 1, 0].map(|i| Region::Var(RegionIdx(i))),
            "regions come in order of occurrence"
        );
    }

    #[test]
    fn regions_behind_mut_are_invariant() {
        let ty = reference(0, true, reference(1, false, Ty::Str));
        let (_, regions) = erase(&ty);
        assert_eq!(regions[0].1, Variance::Co);
        assert_eq!(regions[1].1, Variance::In);
    }
}
