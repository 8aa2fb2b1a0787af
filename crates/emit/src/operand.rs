//! An argument in the forms that different kinds of syntax need.

use crate::expr::Expr;

/// An argument in the forms that different kinds of syntax need.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    /// As a function's argument: `&x`.
    pub(crate) direct: Expr,
    /// The place that is borrowed, or the value: `x`, `*r`.
    pub(crate) place: Expr,
    /// As a method's receiver: `x`, `r`.
    pub(crate) receiver: Expr,
    /// Is the parameter a reference to a sized type?
    pub(crate) by_reference: bool,
}

impl Operand {
    /// An argument by value.
    pub(crate) fn value(expr: Expr) -> Operand {
        Operand {
            place: expr.clone(),
            receiver: expr.receiver(),
            direct: expr,
            by_reference: false,
        }
    }

    /// A borrow of a place or temporary.
    pub(crate) fn borrow(place: Expr, mutable: bool) -> Operand {
        Operand {
            direct: place.borrow(mutable),
            receiver: place.clone(),
            place,
            by_reference: true,
        }
    }

    /// A reference that is lent on. `reference` has type `&T` or, if `held_mutably`, `&mut T`.
    pub(crate) fn reborrow(reference: Expr, held_mutably: bool, mutable: bool) -> Operand {
        let place = reference.deref();
        // A shared reference is `Copy`, so it can be passed itself.
        let direct = if held_mutably {
            place.borrow(mutable)
        } else {
            reference.clone()
        };
        Operand {
            direct,
            place,
            receiver: reference.receiver(),
            by_reference: true,
        }
    }
}
