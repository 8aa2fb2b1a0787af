//! Operator syntax for the standard library's operator traits.

use crate::expr::{Expr, Prec};
use crate::operand::Operand;

/// The call in operator syntax, if the trait's method has one.
pub(crate) fn operator(trait_path: &str, name: &str, operands: &[Operand]) -> Option<Expr> {
    match operands {
        [a] => unary(trait_path, a),
        [a, b] => binary(trait_path, name, a, b),
        _ => None,
    }
}

fn unary(trait_path: &str, a: &Operand) -> Option<Expr> {
    let prefix = |sign: &str| {
        Some(Expr::new(
            format!("{sign}{}", a.direct.at(Prec::Unary)),
            Prec::Unary,
        ))
    };
    match trait_path {
        "std::ops::Neg" => prefix("-"),
        "std::ops::Not" => prefix("!"),
        "std::ops::Deref" => {
            Some(Expr::new(format!("*{}", a.place.at(Prec::Unary)), Prec::Unary).borrow(false))
        }
        "std::ops::DerefMut" => {
            Some(Expr::new(format!("*{}", a.place.at(Prec::Unary)), Prec::Unary).borrow(true))
        }
        _ => None,
    }
}

fn binary(trait_path: &str, name: &str, a: &Operand, b: &Operand) -> Option<Expr> {
    if let Some(sign) = comparison(trait_path, name) {
        // A lint refuses `a == a`, and `a == *"abc"` is hard to read: those stay method calls.
        if a.place == b.place || !b.by_reference {
            return None;
        }
        let left = a.place.at(Prec::BitOr);
        let right = b.place.at(Prec::BitOr);
        let opposite = match sign {
            "==" => format!("{left} != {right}"),
            "!=" => format!("{left} == {right}"),
            // A comparison by order has no opposite, because for partial orders neither `<` nor
            // `>=` may hold. Behind a `!`, the operator would look like a mistake.
            _ => {
                let (left, right) = (a.place.borrow(false), b.place.borrow(false));
                format!("!PartialOrd::{name}({}, {})", left.text, right.text)
            }
        };
        return Some(Expr::comparison(&left, sign, &right, opposite));
    }
    let name = trait_path.strip_prefix("std::ops::")?;
    let index = || format!("{}[{}]", a.receiver.at(Prec::Postfix), b.direct.text);
    match name {
        "Index" => return Some(Expr::atom(index()).borrow(false)),
        "IndexMut" => return Some(Expr::atom(index()).borrow(true)),
        _ => {}
    }
    let (base, assigns) = match name.strip_suffix("Assign") {
        Some(base) => (base, true),
        None => (name, false),
    };
    let (sign, prec, tighter) = match base {
        "Add" => ("+", Prec::Add, Prec::Mul),
        "Sub" => ("-", Prec::Add, Prec::Mul),
        "Mul" => ("*", Prec::Mul, Prec::Cast),
        "Div" => ("/", Prec::Mul, Prec::Cast),
        "Rem" => ("%", Prec::Mul, Prec::Cast),
        "Shl" => ("<<", Prec::Shift, Prec::Add),
        "Shr" => (">>", Prec::Shift, Prec::Add),
        "BitAnd" => ("&", Prec::BitAnd, Prec::Shift),
        "BitXor" => ("^", Prec::BitXor, Prec::BitAnd),
        "BitOr" => ("|", Prec::BitOr, Prec::BitXor),
        _ => return None,
    };
    Some(if assigns {
        let place = a.place.at(Prec::Unary);
        Expr::new(format!("{place} {sign}= {}", b.direct.text), Prec::Loose)
    } else {
        Expr::new(
            format!("{} {sign} {}", a.direct.at(prec), b.direct.at(tighter)),
            prec,
        )
    })
}

fn comparison(trait_path: &str, name: &str) -> Option<&'static str> {
    Some(match (trait_path, name) {
        ("std::cmp::PartialEq", "eq") => "==",
        ("std::cmp::PartialEq", "ne") => "!=",
        ("std::cmp::PartialOrd", "lt") => "<",
        ("std::cmp::PartialOrd", "le") => "<=",
        ("std::cmp::PartialOrd", "gt") => ">",
        ("std::cmp::PartialOrd", "ge") => ">=",
        _ => return None,
    })
}
