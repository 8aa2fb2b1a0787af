//! Which values can be written in place and decoded by the guest.

use crate::ty::{GenericArg, Prim, Ty};

/// Can a value of this type be written as a literal, and decoded by the guest?
pub fn is_literal(ty: &Ty) -> bool {
    is_literal_within(ty, 3)
}

fn is_literal_within(ty: &Ty, depth: u32) -> bool {
    let inner = |ty: &Ty| depth > 0 && is_literal_within(ty, depth - 1);
    match ty {
        Ty::Prim(prim) => *prim != Prim::Never,
        Ty::Tuple(parts) => parts.len() <= 4 && parts.iter().all(inner),
        Ty::Array(of, n) => n.parse::<u32>().is_ok_and(|n| n <= 8) && inner(of),
        Ty::Ref {
            mutable: false, to, ..
        } => match &**to {
            Ty::Str => true,
            Ty::Slice(of) => {
                matches!(&**of, Ty::Prim(prim) if *prim != Prim::Never) || is_str_ref(of)
            }
            _ => false,
        },
        Ty::Adt { path, args } => match (&**path, args.as_slice()) {
            ("std::string::String", []) => true,
            ("std::option::Option" | "std::vec::Vec", [GenericArg::Type(of)]) => inner(of),
            _ => false,
        },
        _ => false,
    }
}

fn is_str_ref(ty: &Ty) -> bool {
    matches!(ty, Ty::Ref { mutable: false, to, .. } if **to == Ty::Str)
}
