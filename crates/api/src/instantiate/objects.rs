//! Trait objects as values of their own: in a list, or in an option.
//!
//! Where a parameter is a trait object, anything that implements the trait is passed and coerces.
//! Elsewhere nothing coerces, so the type is written.

use super::Draft;
use super::instance::{implementor, is_pointer};
use super::palette::Palette;
use super::recipes::{open_regions, recipe};
use crate::ty::{GenericArg, KeyNames, Ty, is_fn_trait};

/// The recipes that make a box of a trait object, or a reference to one.
pub(super) fn constructors(palette: Palette<'_>, ty: &Ty) -> Option<Draft> {
    let ty = open_regions(ty);
    let object = match &ty {
        Ty::Ref { to, .. } => &**to,
        Ty::Adt { path, args } if is_pointer(path) => match args.as_slice() {
            [GenericArg::Type(to)] => to,
            _ => return None,
        },
        _ => return None,
    };
    let Ty::Dyn { traits, .. } = object else {
        return None;
    };
    if traits.iter().any(|it| is_fn_trait(&it.path)) {
        return None;
    }
    let of = implementor(palette, traits)?;
    let text = ty.render(&KeyNames);
    Some(match &ty {
        Ty::Ref {
            region, mutable, ..
        } => {
            let lent = Ty::Ref {
                region: *region,
                mutable: *mutable,
                to: Box::new(of),
            };
            recipe(&format!("{{0}} as {text}"), vec![lent], ty.clone())
        }
        Ty::Adt { path, .. } => recipe(
            &format!("{path}::new({{0}}) as {text}"),
            vec![of],
            ty.clone(),
        ),
        _ => return None,
    })
}
