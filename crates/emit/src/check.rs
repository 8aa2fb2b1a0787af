//! One observation as one assertion, the strongest that can be written.
//!
//! Everything here is a pure function of type and value; whether something can be asserted is found
//! out by writing it with imports that are not printed.

use testsmith_api::{Prim, Ty, TypeIdx};
use testsmith_protocol::{Caps, Value};
use testsmith_sequence::World;

use crate::cx::{Cx, type_args};
use crate::debug_text::{debug_text, shows_address};
use crate::expr::{Expr, Prec};
use crate::imports::Imports;
use crate::literal::{Mode, byte_text, elements, literal, string};
use crate::pattern::pattern;

/// Only the shape or the size is asserted.
pub(crate) const SHAPE: u8 = 1;
/// The `Debug` text is asserted.
pub(crate) const TEXT: u8 = 2;
/// The whole value is asserted.
pub(crate) const WHOLE: u8 = 3;

/// A list with more elements is asserted by its length, and a longer text not at all.
const MAX_ELEMENTS: usize = 40;
const MAX_TEXT: usize = 300;

/// A value to assert something about.
#[derive(Clone, Debug)]
pub(crate) struct Shown<'a> {
    /// The expression.
    pub(crate) expr: Expr,
    /// Its type.
    pub(crate) ty: &'a Ty,
    /// Is the value a temporary, so that consuming it costs nothing?
    pub(crate) owned: bool,
}

/// The assertion, without its semicolon, and how strong it is.
pub(crate) fn assertion(cx: Cx<'_>, seen: &Shown<'_>, value: &Value) -> Option<(String, u8)> {
    if let Some((expr, ty)) = in_cell(seen) {
        let inside = Shown {
            expr,
            ty: &ty,
            owned: true,
        };
        return assertion(cx, &inside, value);
    }
    let scratch = Imports::scratch();
    let trial = Cx {
        imports: &scratch,
        holes: None,
        ..cx
    };
    let write = [scalar, text, list, whole, side, matching, debug, shape]
        .into_iter()
        .find(|write| write(trial, seen, value).is_some())?;
    write(cx, seen, value)
}

/// The strength of the best assertion on a value of this type.
pub(crate) fn strength(cx: Cx<'_>, ty: &Ty, value: &Value) -> u8 {
    let seen = Shown {
        expr: Expr::atom("x"),
        ty,
        owned: false,
    };
    assertion(cx, &seen, value).map_or(0, |(_, strength)| strength)
}

/// The expression for the content of a cell, and its type.
fn in_cell(seen: &Shown<'_>) -> Option<(Expr, Ty)> {
    let Ty::Adt { path, .. } = seen.ty else {
        return None;
    };
    let inner = type_args(seen.ty).into_iter().next()?.clone();
    match &**path {
        "std::cell::RefCell" => Some((
            seen.expr.receiver().dot("borrow()"),
            Ty::adt("std::cell::Ref", [inner]),
        )),
        "std::cell::Cell" if matches!(inner, Ty::Prim(_)) => {
            Some((seen.expr.receiver().dot("get()"), inner))
        }
        _ => None,
    }
}

/// `assert_eq!` with the text of the value that is expected.
fn eq(cx: Cx<'_>, left: &Expr, right: &str, value: &Value) -> String {
    let right = match cx.holes {
        Some(holes) => &*holes.expected(right, value, None),
        None => right,
    };
    format!("assert_eq!({}, {right})", left.text)
}

fn assert(condition: &Expr) -> String {
    format!("assert!({})", condition.text)
}

fn has_nan(value: &Value) -> bool {
    value.any(&mut |part| match part {
        Value::F32(bits) => f32::from_bits(*bits).is_nan(),
        Value::F64(bits) => f64::from_bits(*bits).is_nan(),
        _ => false,
    })
}

/// Follows references and boxes to the place behind them, with its type. `str` and slices stay
/// behind their last reference.
fn behind<'a>(expr: &Expr, ty: &'a Ty) -> (Expr, &'a Ty) {
    match ty {
        Ty::Ref { to, .. } if !to.is_unsized() => behind(&expr.deref(), to),
        Ty::Adt { path, .. }
            if matches!(
                &**path,
                "std::boxed::Box" | "std::rc::Rc" | "std::sync::Arc" | "std::cell::Ref"
            ) =>
        {
            match type_args(ty).first() {
                Some(Ty::Dyn { .. }) => (expr.clone(), ty),
                Some(to) => {
                    let place = Expr::new(format!("*{}", expr.at(Prec::Unary)), Prec::Unary);
                    behind(&place, to)
                }
                None => (expr.clone(), ty),
            }
        }
        _ => (expr.clone(), ty),
    }
}

fn scalar(cx: Cx<'_>, seen: &Shown<'_>, value: &Value) -> Option<(String, u8)> {
    let (place, ty) = behind(&seen.expr, seen.ty);
    let Ty::Prim(prim) = ty else {
        return None;
    };
    let text = match value {
        Value::Bool(flag) => {
            let assertion = match flag {
                true => assert(&place),
                false => assert(&place.not()),
            };
            match cx.holes {
                Some(holes) => {
                    let mark = holes.expected(&flag.to_string(), value, Some(assertion));
                    format!("assert_eq!({}, {mark})", place.text)
                }
                None => assertion,
            }
        }
        Value::F32(_) | Value::F64(_) if has_nan(value) => {
            assert(&seen.expr.receiver().dot("is_nan()"))
        }
        _ => {
            let expected = crate::literal::scalar(cx, *prim, value, false)?;
            match tolerance(value).filter(|_| !expected.text.contains("::")) {
                Some(within) => near(cx, &place, &expected.text, value, &within),
                None => eq(cx, &place, &expected.text, value),
            }
        }
    };
    Some((text, WHOLE))
}

/// How far off a number may be that nobody reckons in his head: its last digits depend on the system's library.
fn tolerance(value: &Value) -> Option<String> {
    let (x, digits, most) = match value {
        Value::F32(bits) => {
            let x = f32::from_bits(*bits);
            (f64::from(x), format!("{x:e}"), 6)
        }
        Value::F64(bits) => {
            let x = f64::from_bits(*bits);
            (x, format!("{x:e}"), 12)
        }
        _ => return None,
    };
    let mantissa = digits.split('e').next()?;
    let n_digits = mantissa.chars().filter(char::is_ascii_digit).count();
    if !x.is_finite() || n_digits <= most {
        return None;
    }
    let size = x.abs().log10().floor() as i32;
    // Most numbers are of a size for which one tolerance will do.
    let size = if (-2..=1).contains(&size) { 0 } else { size };
    Some(format!("1e{}", size + 2 - most as i32))
}

/// An assertion that a number is as expected but for so much.
fn near(cx: Cx<'_>, place: &Expr, expected: &str, value: &Value, within: &str) -> String {
    let left = place.at(Prec::Add);
    let difference = match (cx.holes, expected.strip_prefix('-')) {
        (Some(holes), _) => format!("{left} - {}", holes.expected(expected, value, None)),
        (None, Some(positive)) => format!("{left} + {positive}"),
        (None, None) => format!("{left} - {expected}"),
    };
    format!("assert!(({difference}).abs() < {within})")
}

fn text(cx: Cx<'_>, seen: &Shown<'_>, value: &Value) -> Option<(String, u8)> {
    let Value::Str(expected) = value else {
        return None;
    };
    let (place, ty) = behind(&seen.expr, seen.ty);
    let left = match ty {
        Ty::Ref { to, .. } if **to == Ty::Str => place,
        Ty::Str => place.borrow(false),
        Ty::Adt { path, .. } if matches!(&**path, "std::string::String" | "std::borrow::Cow") => {
            place
        }
        _ => return None,
    };
    Some((eq(cx, &left, &string(expected), value), WHOLE))
}

fn list(cx: Cx<'_>, seen: &Shown<'_>, value: &Value) -> Option<(String, u8)> {
    let (Value::List(values) | Value::Unordered(values)) = value else {
        return None;
    };
    let (place, ty) = behind(&seen.expr, seen.ty);
    let element = match ty {
        Ty::Array(_, n) if &**n == "0" => return None,
        Ty::Array(element, _) | Ty::Slice(element) => Some(&**element),
        Ty::Ref { to, .. } => match &**to {
            Ty::Slice(element) => Some(&**element),
            _ => return None,
        },
        Ty::Adt { path, .. } => match &**path {
            "std::vec::Vec" | "std::collections::VecDeque" => Some(*type_args(ty).first()?),
            "std::collections::BTreeMap"
            | "std::collections::BTreeSet"
            | "std::collections::HashMap"
            | "std::collections::HashSet" => None,
            _ => return None,
        },
        _ => return None,
    };
    let receiver = seen.expr.receiver();
    if values.is_empty() {
        return Some((assert(&receiver.dot("is_empty()")), WHOLE));
    }
    let whole = || {
        if values.len() > MAX_ELEMENTS && values.iter().any(|value| *value != values[0]) {
            return None;
        }
        if has_nan(value) || !cx.comparable(element.unwrap_or(ty)) {
            return None;
        }
        let is_vec = matches!(ty, Ty::Ref { .. })
            || matches!(ty, Ty::Adt { path, .. } if &**path == "std::vec::Vec");
        let bytes = element.filter(|_| is_vec);
        if let Some(text) = bytes.and_then(|element| byte_text(element, values)) {
            return Some((eq(cx, &place, &text, value), WHOLE));
        }
        let expected = match element {
            // A `String` compares with a literal as it is.
            Some(Ty::Adt { path, .. }) if &**path == "std::string::String" => {
                format!("[{}]", elements(cx, &str_ref(), values, Mode::EXACT)?)
            }
            Some(element) => format!("[{}]", elements(cx, element, values, Mode::EXACT)?),
            None => literal(cx, ty, value, Mode::EXACT)?.text,
        };
        Some((eq(cx, &place, &expected, value), WHOLE))
    };
    whole().or_else(|| {
        // The `Debug` text says more than the length would.
        if debug(cx, seen, value).is_some() || matches!(ty, Ty::Array(..)) {
            return None;
        }
        let n = values.len();
        let n_value = Value::UInt(n as u128);
        Some((
            eq(cx, &receiver.dot("len()"), &n.to_string(), &n_value),
            SHAPE,
        ))
    })
}

fn str_ref() -> Ty {
    Ty::Ref {
        region: testsmith_api::Region::Static,
        mutable: false,
        to: Box::new(Ty::Str),
    }
}

fn whole(cx: Cx<'_>, seen: &Shown<'_>, value: &Value) -> Option<(String, u8)> {
    if has_nan(value) || matches!(value, Value::Unit) || !cx.comparable(seen.ty) {
        return None;
    }
    // `Option<String>` reads better against a literal.
    if let (Ty::Adt { path, .. }, Value::Named { fields, .. }) = (seen.ty, value)
        && matches!(&**path, "std::option::Option" | "std::result::Result")
        && let [(_, Value::Str(text))] = &fields[..]
        && let Value::Named { path: made, .. } = value
        && made != "Err"
        && type_args(seen.ty).first() == Some(&&Ty::adt("std::string::String", []))
    {
        let left = seen.expr.dot("as_deref()");
        let expected = format!("{made}({})", string(text));
        return Some((eq(cx, &left, &expected, value), WHOLE));
    }
    let (place, ty) = behind(&seen.expr, seen.ty);
    let expected = literal(cx, ty, value, Mode::EXACT)?;
    // Beside rows with a text, a row without one is compared in the same way.
    let is_text = matches!(ty, Ty::Adt { path, .. } if &**path == "std::option::Option")
        && type_args(ty).first() == Some(&&Ty::adt("std::string::String", []));
    let place = match cx.holes.is_some() && is_text {
        true => seen.expr.dot("as_deref()"),
        false => place,
    };
    Some((eq(cx, &place, &expected.text, value), WHOLE))
}

/// One side of a `Result` whose other side cannot be compared.
fn side(cx: Cx<'_>, seen: &Shown<'_>, value: &Value) -> Option<(String, u8)> {
    let (Ty::Adt { path, .. }, Value::Named { path: made, fields }) = (seen.ty, value) else {
        return None;
    };
    let ([ok, err], "std::result::Result", [(_, inner)]) =
        (&type_args(seen.ty)[..], &**path, &fields[..])
    else {
        return None;
    };
    let (this, other, take, peek) = match &**made {
        "Ok" => (*ok, *err, "unwrap()", "as_ref().ok()"),
        "Err" => (*err, *ok, "unwrap_err()", "as_ref().err()"),
        _ => return None,
    };
    if has_nan(inner) {
        return None;
    }
    if seen.owned && (cx.can(other, Caps::DEBUG) || cx.can(seen.ty, Caps::DEBUG)) {
        let unwrapped = Shown {
            expr: seen.expr.dot(take),
            ty: this,
            owned: true,
        };
        return scalar(cx, &unwrapped, inner)
            .or_else(|| text(cx, &unwrapped, inner))
            .or_else(|| whole(cx, &unwrapped, inner));
    }
    if !cx.comparable(this) || this.is_unit() {
        return None;
    }
    let expected = literal(cx, this, inner, Mode::EXACT)?.borrow(false);
    let left = seen.expr.dot(peek);
    let expected = format!("Some({})", expected.text);
    Some((eq(cx, &left, &expected, value), WHOLE))
}

/// An assertion by pattern, where only the value matches it.
fn matching(cx: Cx<'_>, seen: &Shown<'_>, value: &Value) -> Option<(String, u8)> {
    let pattern = by_pattern(cx, seen, value)?;
    (pattern.1 == WHOLE).then_some(pattern)
}

fn by_pattern(cx: Cx<'_>, seen: &Shown<'_>, value: &Value) -> Option<(String, u8)> {
    if let Some(none) = variant_test(seen, value, &["None"]) {
        return Some((none, WHOLE));
    }
    let (place, ty) = behind(&seen.expr, seen.ty);
    let found = pattern(cx, ty, value);
    if !found.refutable {
        return None;
    }
    let strength = if found.exact { WHOLE } else { SHAPE };
    if strength == SHAPE
        && let Some(text) = variant_test(seen, value, &["Some", "Ok", "Err"])
        && found.text.ends_with("(_)")
    {
        return Some((text, SHAPE));
    }
    Some((
        format!("assert!(matches!({}, {}))", place.text, found.text),
        strength,
    ))
}

/// `is_none()` and its like.
fn variant_test(seen: &Shown<'_>, value: &Value, made: &[&str]) -> Option<String> {
    let Value::Named { path, .. } = value else {
        return None;
    };
    let (_, ty) = behind(&seen.expr, seen.ty);
    let Ty::Adt { path: of, .. } = ty else {
        return None;
    };
    if !matches!(&**of, "std::option::Option" | "std::result::Result") {
        return None;
    }
    let name = made.iter().find(|name| ***name == **path)?;
    let test = match *name {
        "None" => "is_none()",
        "Some" => "is_some()",
        "Ok" => "is_ok()",
        "Err" => "is_err()",
        _ => return None,
    };
    Some(assert(&seen.expr.receiver().dot(test)))
}

/// The last resort: the `Debug` text.
fn debug(cx: Cx<'_>, seen: &Shown<'_>, value: &Value) -> Option<(String, u8)> {
    if !cx.can(seen.ty, Caps::DEBUG) || matches!(seen.ty, Ty::Prim(Prim::Bool)) {
        return None;
    }
    let text = debug_text(seen.ty, value)?;
    if text.len() > MAX_TEXT || text.is_empty() || shows_address(&text) {
        return None;
    }
    let shown = seen.expr.receiver();
    let formatted = if shown.is_name() {
        format!("format!(\"{{{}:?}}\")", shown.text)
    } else {
        format!("format!(\"{{:?}}\", {})", shown.text)
    };
    Some((
        eq(cx, &Expr::atom(formatted), &string(&text), value),
        if value.any(&mut |part| matches!(part, Value::Debug(_))) {
            TEXT
        } else {
            WHOLE
        },
    ))
}

fn shape(cx: Cx<'_>, seen: &Shown<'_>, value: &Value) -> Option<(String, u8)> {
    by_pattern(cx, seen, value)
}

/// `assert_eq!(x, Foo::new(3))`; `assert_ne!` if they are known to differ.
pub(crate) fn equality(cx: Cx<'_>, seen: &Shown<'_>, other: &Expr, equal: bool) -> Option<String> {
    if !cx.can(seen.ty, Caps::EQ) {
        return None;
    }
    let (left, right) = (&seen.expr, other);
    Some(match (cx.can(seen.ty, Caps::DEBUG), equal) {
        (true, true) => format!("assert_eq!({}, {})", left.text, right.text),
        (true, false) => format!("assert_ne!({}, {})", left.text, right.text),
        (false, _) => format!(
            "assert!({} {} {})",
            left.at(Prec::BitOr),
            if equal { "==" } else { "!=" },
            right.at(Prec::BitOr)
        ),
    })
}

/// How strong an assertion about this value of this type can be: 0 if none that can fail can be
/// written, 1 if only its shape or size can be asserted, 2 for its `Debug` text, 3 for the whole
/// value.
pub fn assertable(world: &World, ty: TypeIdx, value: &Value) -> u8 {
    let imports = Imports::scratch();
    let cx = Cx {
        world,
        imports: &imports,
        holes: None,
    };
    strength(cx, &world.catalogue.types.get(ty).ty, value)
}
