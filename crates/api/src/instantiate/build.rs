//! Short ways to write the types that palettes and recipes talk about.

use crate::ty::{GenericArg, Prim, Region, RegionIdx, Ty};

/// Stands for a region variable that the instance chooses later.
pub(super) const FRESH: Region = Region::Var(RegionIdx(u32::MAX));

/// The `n`th region variable of a recipe.
pub(super) fn region(n: u32) -> Region {
    Region::Var(RegionIdx(n))
}

pub(super) fn prim(prim: Prim) -> Ty {
    Ty::Prim(prim)
}

pub(super) fn string() -> Ty {
    Ty::adt("std::string::String", [])
}

pub(super) fn vec(of: Ty) -> Ty {
    Ty::adt("std::vec::Vec", [of])
}

pub(super) fn option(of: Ty) -> Ty {
    Ty::adt("std::option::Option", [of])
}

pub(super) fn shared(region: Region, to: Ty) -> Ty {
    Ty::Ref {
        region,
        mutable: false,
        to: Box::new(to),
    }
}

pub(super) fn exclusive(region: Region, to: Ty) -> Ty {
    Ty::Ref {
        region,
        mutable: true,
        to: Box::new(to),
    }
}

pub(super) fn slice(of: Ty) -> Ty {
    Ty::Slice(Box::new(of))
}

/// An ADT with one lifetime, then types.
pub(super) fn borrowing(path: &str, region: Region, types: impl IntoIterator<Item = Ty>) -> Ty {
    let mut args = vec![GenericArg::Region(region)];
    args.extend(types.into_iter().map(GenericArg::Type));
    Ty::Adt {
        path: path.into(),
        args,
    }
}

/// The path and the type arguments of an ADT.
pub(super) fn adt_parts(ty: &Ty) -> Option<(&str, Vec<&Ty>, Option<Region>)> {
    let Ty::Adt { path, args } = ty else {
        return None;
    };
    let types = args
        .iter()
        .filter_map(|arg| match arg {
            GenericArg::Type(ty) => Some(ty),
            _ => None,
        })
        .collect();
    let region = args.iter().find_map(|arg| match arg {
        GenericArg::Region(region) => Some(*region),
        _ => None,
    });
    Some((path, types, region))
}
