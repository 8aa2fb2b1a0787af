//! Values as Rust expressions, directed by their type.
//!
//! `None` stands for values that cannot be written: hidden fields, `Debug` text, cut values.

use std::time::Duration;

use testsmith_api::{
    Adt, Fields, GenericArg, Names as _, Prim, Shape, Substitution, Ty, last_segment,
};
use testsmith_protocol::Value;

use crate::cx::{Cx, type_args};
use crate::expr::{Expr, Prec};
use crate::lints::{alone, empty_range};

/// What is known about a literal's type from the place where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mode {
    /// Nothing else fixes the type: numbers get suffixes, empty containers their types.
    pub(crate) typed: bool,
    /// An expected type is known and coerces: `&[1, 2]` may stand for a slice.
    pub(crate) coerces: bool,
    /// Anything with items will do, so an array stands for a `Vec`.
    pub(crate) array: bool,
}

impl Mode {
    /// For an argument of a parameter whose type is fixed.
    pub(crate) const KNOWN: Mode = Mode {
        typed: false,
        coerces: true,
        array: false,
    };
    /// For a side of `==`: its type is inferred, but nothing coerces.
    pub(crate) const EXACT: Mode = Mode {
        typed: false,
        coerces: false,
        array: false,
    };
    /// For a literal whose type nothing else fixes.
    pub(crate) const TYPED: Mode = Mode {
        typed: true,
        coerces: false,
        array: false,
    };

    /// The mode of the later elements of a list whose first one has this mode.
    fn later(self) -> Mode {
        Mode {
            typed: false,
            ..self
        }
    }

    fn names_empty(self) -> bool {
        self.typed || !self.coerces
    }
}

/// From this many equal elements on, `[x; n]` reads better than the list.
const MIN_REPEATED: usize = 8;

/// The most bytes that are written as text.
const MAX_BYTES: usize = 40;
/// Numbers with more digits are written in groups of three.
const MAX_DIGITS: usize = 4;

/// The value as an expression of the type.
pub(crate) fn literal(cx: Cx<'_>, ty: &Ty, value: &Value, mode: Mode) -> Option<Expr> {
    match (ty, value) {
        (Ty::Prim(prim), _) => scalar(cx, *prim, value, mode.typed),
        (Ty::Tuple(parts), Value::Unit) if parts.is_empty() => Some(Expr::atom("()")),
        (Ty::Tuple(types), Value::Tuple(values)) if types.len() == values.len() => {
            let parts: Vec<_> = types
                .iter()
                .zip(values)
                .map(|(ty, value)| Some(literal(cx, ty, value, mode)?.text))
                .collect::<Option<_>>()?;
            let comma = if parts.len() == 1 { "," } else { "" };
            Some(Expr::atom(format!("({}{comma})", parts.join(", "))))
        }
        (Ty::Ref { mutable, to, .. }, _) => reference(cx, *mutable, to, value, mode),
        (Ty::Array(element, _), Value::List(values)) => Some(Expr::atom(format!(
            "[{}]",
            elements(cx, element, values, mode)?
        ))),
        (Ty::Adt { path, .. }, _) => adt(cx, path, ty, value, mode),
        _ => None,
    }
}

/// The elements of a list, without brackets.
pub(crate) fn elements(cx: Cx<'_>, ty: &Ty, values: &[Value], mode: Mode) -> Option<String> {
    if let (Ty::Prim(_), Some(first)) = (ty, values.first())
        && values.len() >= MIN_REPEATED
        && values.iter().all(|value| value == first)
    {
        let element = literal(cx, ty, first, mode)?;
        return Some(format!("{}; {}", element.text, values.len()));
    }
    let parts: Vec<_> = values
        .iter()
        .enumerate()
        .map(|(i, value)| {
            let mode = if i == 0 { mode } else { mode.later() };
            literal(cx, ty, value, mode)
        })
        .collect::<Option<_>>()?;
    Some(match &parts[..] {
        [only] => alone(only),
        _ => {
            let parts: Vec<&str> = parts.iter().map(|part| &*part.text).collect();
            parts.join(", ")
        }
    })
}

fn reference(cx: Cx<'_>, mutable: bool, to: &Ty, value: &Value, mode: Mode) -> Option<Expr> {
    match (to, value) {
        (Ty::Str, Value::Str(text)) if !mutable => Some(Expr::atom(string(text))),
        (Ty::Slice(element), Value::List(values)) => {
            let sign = if mutable { "&mut " } else { "&" };
            let number = suffix(element).filter(|_| mode.coerces);
            if values.is_empty()
                && mode.typed
                && let Some(suffix) = number
            {
                let text = format!("{sign}[0{suffix}; 0]");
                return Some(Expr::new(text, Prec::Unary));
            }
            if values.is_empty() && mode.names_empty() {
                let element = cx.ty(element);
                return Some(Expr::new(
                    format!("{sign}[] as {sign}[{element}]"),
                    Prec::Cast,
                ));
            }
            if let Some(text) = byte_text(element, values).filter(|_| !mutable) {
                return Some(match mode.coerces {
                    true => Expr::atom(text),
                    false => Expr::atom(format!("{text}[..]")).borrow(false),
                });
            }
            let list = Expr::atom(format!("[{}]", elements(cx, element, values, mode)?));
            if mode.coerces {
                Some(list.borrow(mutable))
            } else {
                Some(Expr::atom(format!("{}[..]", list.text)).borrow(mutable))
            }
        }
        (Ty::Dyn { .. } | Ty::Str | Ty::Slice(_), _) => None,
        _ => {
            let mode = Mode {
                coerces: false,
                ..mode
            };
            Some(literal(cx, to, value, mode)?.borrow(mutable))
        }
    }
}

/// Bytes that are text, as people write them: `b"ab"`.
pub(crate) fn byte_text(element: &Ty, values: &[Value]) -> Option<String> {
    if !matches!(element, Ty::Prim(Prim::U8)) || !(1..=MAX_BYTES).contains(&values.len()) {
        return None;
    }
    let bytes = values.iter().map(|value| match value {
        Value::UInt(byte) => u8::try_from(*byte).ok(),
        _ => None,
    });
    let bytes: Vec<u8> = bytes.collect::<Option<_>>()?;
    // Of most bytes it must be seen at once what they are.
    let n_letters = bytes.iter().filter(|it| it.is_ascii_alphabetic());
    let n_plain = bytes.iter().filter(|it| matches!(it, b' '..=b'~'));
    let (n_letters, n_plain) = (n_letters.count(), n_plain.count());
    (n_letters > 0 && 2 * n_plain > bytes.len()).then(|| format!("b\"{}\"", bytes.escape_ascii()))
}

fn suffix(ty: &Ty) -> Option<&'static str> {
    match ty {
        Ty::Prim(prim) if prim.is_integer() => Some(prim.name()),
        _ => None,
    }
}

/// A value of a named type.
fn adt(cx: Cx<'_>, path: &str, ty: &Ty, value: &Value, mode: Mode) -> Option<Expr> {
    let args = type_args(ty);
    // Nothing coerces in a constructor's argument, except in those of the prelude's constructors.
    let inner = Mode {
        coerces: false,
        array: false,
        ..mode
    };
    match (path, value) {
        ("std::string::String", Value::Str(text)) => Some(Expr::atom(if text.is_empty() {
            "String::new()".to_owned()
        } else {
            format!("String::from({})", string(text))
        })),
        ("std::vec::Vec", Value::List(values)) => {
            if values.is_empty() && mode.names_empty() {
                return Some(Expr::atom(format!("{}::new()", cx.ty_in_expr(ty))));
            }
            if let Some(text) = byte_text(args.first()?, values) {
                return Some(Expr::atom(format!("{text}.to_vec()")));
            }
            let list = elements(cx, args.first()?, values, inner)?;
            let head = match mode.array && !values.is_empty() {
                true => "",
                false => "vec!",
            };
            Some(Expr::atom(format!("{head}[{list}]")))
        }
        (
            "std::collections::VecDeque"
            | "std::collections::BTreeSet"
            | "std::collections::BTreeMap"
            | "std::collections::HashMap"
            | "std::collections::HashSet",
            Value::List(values) | Value::Unordered(values),
        ) => collection(cx, path, ty, values, mode),
        ("std::boxed::Box" | "std::rc::Rc" | "std::sync::Arc", _) => {
            pointer(cx, path, args.first()?, value, inner)
        }
        ("std::borrow::Cow", Value::Str(text)) => Some(Expr::atom(format!(
            "{}::Borrowed({})",
            cx.imports.path(path),
            string(text)
        ))),
        ("std::num::NonZero", Value::Int(_) | Value::UInt(_)) => {
            let inner = literal(cx, args.first()?, value, inner)?;
            let head = cx.imports.path(path);
            Some(Expr::atom(format!("{head}::new({}).unwrap()", inner.text)))
        }
        ("std::option::Option", Value::Named { path, fields }) => match (&**path, &fields[..]) {
            ("None", []) if mode.typed => {
                Some(Expr::atom(format!("None::<{}>", cx.ty(args.first()?))))
            }
            ("None", []) => Some(Expr::atom("None")),
            ("Some", [(_, value)]) => {
                let inner = literal(cx, args.first()?, value, mode)?;
                Some(Expr::atom(format!("Some({})", inner.text)))
            }
            _ => None,
        },
        ("std::result::Result", Value::Named { path, fields }) => {
            result(cx, &args, path, fields, mode)
        }
        (_, Value::Named { path: made, fields }) => named(cx, ty, made, fields, inner),
        _ => None,
    }
}

/// A collection, made from an array of its items.
fn collection(cx: Cx<'_>, path: &str, ty: &Ty, values: &[Value], mode: Mode) -> Option<Expr> {
    let args = type_args(ty);
    if cx.n_explicit(path, argument_list(ty)) == argument_list(ty).len()
        && path.contains("Hash")
        && args.len() > usize::from(path.ends_with("Map")) + 1
    {
        // Only the default hasher has `from`.
        return None;
    }
    if values.is_empty() {
        let head = if mode.names_empty() {
            cx.ty_in_expr(ty)
        } else {
            cx.imports.path(path)
        };
        return Some(Expr::atom(format!("{head}::new()")));
    }
    let element = if path.ends_with("Map") {
        Ty::Tuple(args.iter().take(2).map(|ty| (*ty).clone()).collect())
    } else {
        (*args.first()?).clone()
    };
    let inner = Mode {
        coerces: false,
        ..mode
    };
    let list = elements(cx, &element, values, inner)?;
    Some(Expr::atom(format!(
        "{}::from([{list}])",
        cx.imports.path(path)
    )))
}

/// A `Box`, `Rc` or `Arc`.
fn pointer(cx: Cx<'_>, path: &str, to: &Ty, value: &Value, mode: Mode) -> Option<Expr> {
    let head = cx.imports.path(path);
    match (to, value) {
        (Ty::Str, Value::Str(text)) => {
            Some(Expr::atom(format!("{head}::<str>::from({})", string(text))))
        }
        (Ty::Slice(element), Value::List(values)) if !values.is_empty() => {
            let list = elements(cx, element, values, mode)?;
            let element = cx.ty(element);
            Some(Expr::atom(format!("{head}::<[{element}]>::from([{list}])")))
        }
        (to, _) if !to.is_unsized() => {
            let inner = literal(cx, to, value, mode)?;
            Some(Expr::atom(format!("{head}::new({})", inner.text)))
        }
        _ => None,
    }
}

/// An `Ok` or an `Err`.
fn result(
    cx: Cx<'_>,
    args: &[&Ty],
    made: &str,
    fields: &[(String, Value)],
    mode: Mode,
) -> Option<Expr> {
    let ([ok, err], [(_, value)]) = (args, fields) else {
        return None;
    };
    let side = match made {
        "Ok" => ok,
        "Err" => err,
        _ => return None,
    };
    let inner = literal(cx, side, value, mode)?;
    let turbofish = if mode.typed {
        format!("::<{}, {}>", cx.ty(ok), cx.ty(err))
    } else {
        String::new()
    };
    Some(Expr::atom(format!("{made}{turbofish}({})", inner.text)))
}

fn argument_list(ty: &Ty) -> &[GenericArg] {
    match ty {
        Ty::Adt { args, .. } => args,
        _ => &[],
    }
}

/// The fields of a constructor with their types at this instance, if tests can see it; and whether
/// these are all of its fields.
pub(crate) fn constructor(cx: Cx<'_>, ty: &Ty, made: &str) -> Option<(Fields, bool)> {
    let Ty::Adt { path, .. } = ty else {
        return None;
    };
    let adt = cx.adt(path)?;
    let by = instance(adt, ty);
    let (fields, complete) = match &adt.shape {
        Shape::Struct { fields, all_public } if made == &**path => (fields, *all_public),
        Shape::Enum { variants, .. } => {
            let name = made.strip_prefix(&**path)?.strip_prefix("::")?;
            let variant = variants.iter().find(|variant| &*variant.name == name)?;
            (&variant.fields, variant.usable)
        }
        _ => return None,
    };
    let mut fields = fields.clone();
    if let Fields::Tuple(list) | Fields::Named(list) = &mut fields {
        for field in list {
            field.ty = field.ty.substitute(&by);
        }
    }
    Some((fields, complete))
}

/// What the ADT's own parameters stand for in this type.
fn instance(adt: &Adt, ty: &Ty) -> Substitution {
    let mut by = Substitution::default();
    for (declared, given) in argument_list(&adt.self_ty).iter().zip(argument_list(ty)) {
        match (declared, given) {
            (GenericArg::Type(Ty::Param(name)), GenericArg::Type(ty)) => {
                by.types.insert(name.clone(), ty.clone());
            }
            (GenericArg::Const(name), GenericArg::Const(n)) => {
                by.consts.insert(name.clone(), n.clone());
            }
            _ => {}
        }
    }
    by
}

fn named(cx: Cx<'_>, ty: &Ty, made: &str, fields: &[(String, Value)], mode: Mode) -> Option<Expr> {
    let Ty::Adt { path, .. } = ty else {
        return None;
    };
    if let Some((declared, complete)) = constructor(cx, ty, made) {
        if !complete || declared.list().len() != fields.len() {
            return None;
        }
        let head = constructor_path(cx, path, made);
        let mut parts = Vec::new();
        for (field, (name, value)) in declared.list().iter().zip(fields) {
            if *name != *field.name {
                return None;
            }
            parts.push(literal(cx, &field.ty, value, mode)?.text);
        }
        return Some(Expr::atom(fill_fields(cx, &head, &declared, &parts)));
    }
    let number = |name: &str| {
        let (_, value) = fields.iter().find(|(field, _)| field == name)?;
        literal(cx, type_args(ty).first()?, value, mode)
    };
    let range = |text: String| Some(Expr::new(text, Prec::Loose));
    match &**path {
        "std::cmp::Ordering" | "std::ops::Bound" if fields.is_empty() => {
            Some(Expr::atom(constructor_path(cx, path, made)))
        }
        "std::time::Duration" => {
            let head = cx.imports.path(path);
            Some(Expr::atom(format!("{head}::{}", duration(fields)?)))
        }
        "std::task::Poll" => match fields {
            [] => Some(Expr::atom(constructor_path(cx, path, made))),
            [(_, value)] => {
                let inner = literal(cx, type_args(ty).first()?, value, mode)?;
                let head = constructor_path(cx, path, made);
                Some(Expr::atom(format!("{head}({})", inner.text)))
            }
            _ => None,
        },
        "std::ops::Range" => {
            let (start, end) = (number("start")?.text, number("end")?.text);
            empty_range(cx, &start, &end, false).or_else(|| range(format!("{start}..{end}")))
        }
        "std::ops::RangeFrom" => range(format!("{}..", number("start")?.text)),
        "std::ops::RangeTo" => range(format!("..{}", number("end")?.text)),
        _ => None,
    }
}

/// The constructor of a `Duration` as people write it, in the largest unit that is exact.
fn duration(fields: &[(String, Value)]) -> Option<String> {
    let time = time_of(fields)?;
    let (secs, nanos) = (time.as_secs(), time.subsec_nanos());
    let whole = |number: u128| u64::try_from(number).ok();
    let unit = match nanos {
        0 => Some(("secs", secs)),
        n if n.is_multiple_of(1_000_000) => whole(time.as_millis()).map(|n| ("millis", n)),
        n if n.is_multiple_of(1_000) => whole(time.as_micros()).map(|n| ("micros", n)),
        _ => whole(time.as_nanos()).map(|n| ("nanos", n)),
    };
    Some(match unit {
        Some((unit, number)) => format!("from_{unit}({})", grouped(u128::from(number))),
        None => {
            let (secs, nanos) = (grouped(u128::from(secs)), grouped(u128::from(nanos)));
            format!("new({secs}, {nanos})")
        }
    })
}

/// The `Duration` that was observed.
pub(crate) fn time_of(fields: &[(String, Value)]) -> Option<Duration> {
    match fields {
        [(_, Value::UInt(secs)), (_, Value::UInt(nanos))] => Some(Duration::new(
            u64::try_from(*secs).ok()?,
            u32::try_from(*nanos).ok()?,
        )),
        _ => None,
    }
}

/// `Type` or `Type::Variant`, short.
pub(crate) fn constructor_path(cx: Cx<'_>, path: &str, made: &str) -> String {
    let head = cx.imports.path(path);
    match made.strip_prefix(path) {
        Some("") => head,
        _ => format!("{head}::{}", cx.identifier(last_segment(made))),
    }
}

/// `Foo`, `Foo(a, b)`, `Foo { x: a, y: b }`.
pub(crate) fn fill_fields(cx: Cx<'_>, head: &str, fields: &Fields, parts: &[String]) -> String {
    match fields {
        Fields::Unit => head.to_owned(),
        Fields::Tuple(_) => format!("{head}({})", parts.join(", ")),
        Fields::Named(list) if list.is_empty() => format!("{head} {{}}"),
        Fields::Named(list) => {
            let parts: Vec<_> = list
                .iter()
                .zip(parts)
                .map(|(field, part)| {
                    let name = cx.identifier(&field.name);
                    if *part == name {
                        name
                    } else {
                        format!("{name}: {part}")
                    }
                })
                .collect();
            format!("{head} {{ {} }}", parts.join(", "))
        }
    }
}

/// A primitive's value.
pub(crate) fn scalar(cx: Cx<'_>, prim: Prim, value: &Value, typed: bool) -> Option<Expr> {
    match (prim, value) {
        (Prim::Bool, Value::Bool(value)) => Some(Expr::atom(value.to_string())),
        (Prim::Char, Value::Char(c)) => Some(Expr::atom(character(*c))),
        (Prim::F32, Value::F32(bits)) => {
            let x = f32::from_bits(*bits);
            let special = [
                (f32::MAX, "MAX"),
                (f32::MIN, "MIN"),
                (f32::EPSILON, "EPSILON"),
                (f32::MIN_POSITIVE, "MIN_POSITIVE"),
            ];
            let constant = special.iter().find(|(y, _)| *y == x).map(|(_, name)| *name);
            let constant = constant.or_else(|| f64_name(f64::from(x)));
            Some(float("f32", constant, &format!("{x:?}"), typed))
        }
        (Prim::F64, Value::F64(bits)) => {
            let x = f64::from_bits(*bits);
            let special = [
                (f64::MAX, "MAX"),
                (f64::MIN, "MIN"),
                (f64::EPSILON, "EPSILON"),
                (f64::MIN_POSITIVE, "MIN_POSITIVE"),
                (std::f64::consts::PI, "consts::PI"),
                (std::f64::consts::TAU, "consts::TAU"),
                (std::f64::consts::E, "consts::E"),
            ];
            let constant = special.iter().find(|(y, _)| *y == x).map(|(_, name)| *name);
            let constant = constant.or_else(|| f64_name(x));
            Some(float("f64", constant, &format!("{x:?}"), typed))
        }
        (_, Value::Int(n)) => integer(cx, prim, *n < 0, n.unsigned_abs(), typed),
        (_, Value::UInt(n)) => integer(cx, prim, false, *n, typed),
        _ => None,
    }
}

fn f64_name(x: f64) -> Option<&'static str> {
    if x.is_nan() {
        Some("NAN")
    } else if x == f64::INFINITY {
        Some("INFINITY")
    } else if x == f64::NEG_INFINITY {
        Some("NEG_INFINITY")
    } else {
        None
    }
}

fn float(ty: &str, constant: Option<&str>, text: &str, typed: bool) -> Expr {
    match constant {
        Some(name) if name.starts_with("consts") => Expr::atom(format!("std::{ty}::{name}")),
        Some(name) => Expr::atom(format!("{ty}::{name}")),
        None => {
            let suffix = if typed { ty } else { "" };
            let prec = if text.starts_with('-') {
                Prec::Unary
            } else {
                Prec::Postfix
            };
            Expr::new(format!("{text}{suffix}"), prec)
        }
    }
}

fn integer(_: Cx<'_>, prim: Prim, negative: bool, magnitude: u128, typed: bool) -> Option<Expr> {
    let (bits, signed) = prim.int_range()?;
    let max = if signed {
        (1u128 << (bits - 1)) - 1
    } else {
        u128::MAX >> (128 - bits)
    };
    let name = prim.name();
    if !negative && magnitude == max {
        return Some(Expr::atom(format!("{name}::MAX")));
    }
    if negative && signed && magnitude == max + 1 {
        return Some(Expr::atom(format!("{name}::MIN")));
    }
    let suffix = if typed { name } else { "" };
    let digits = grouped(magnitude);
    Some(if negative {
        Expr::new(format!("-{digits}{suffix}"), Prec::Unary)
    } else {
        Expr::atom(format!("{digits}{suffix}"))
    })
}

/// The digits of a number, long ones in groups of three: `86_400`.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    if digits.len() <= MAX_DIGITS {
        return digits;
    }
    let n = digits.len();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (n - i).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

/// A character literal.
fn character(c: char) -> String {
    if flips_direction(c) {
        format!("'\\u{{{:x}}}'", u32::from(c))
    } else {
        format!("{c:?}")
    }
}

/// A string literal; raw where that saves escapes.
pub(crate) fn string(text: &str) -> String {
    let raw_is_possible = !text.chars().any(|c| c.is_control() || flips_direction(c))
        && format!("{text:?}")
            .replace("\\\\", "")
            .replace("\\\"", "")
            .find('\\')
            .is_none();
    if raw_is_possible && text.contains(['"', '\\']) {
        let mut hashes = String::new();
        while text.contains(&format!("\"{hashes}")) {
            hashes.push('#');
        }
        return format!("r{hashes}\"{text}\"{hashes}");
    }
    let mut out = String::new();
    for c in escaped(text).chars() {
        if flips_direction(c) {
            out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// The text in quotes. Before a digit, `\0` looks like an octal escape.
fn escaped(text: &str) -> String {
    let mut out = String::from('"');
    for (i, part) in text.split('\0').enumerate() {
        if i > 0 {
            let is_digit = part.starts_with(|c: char| c.is_ascii_digit());
            out.push_str(if is_digit { "\\x00" } else { "\\0" });
        }
        let quoted = format!("{part:?}");
        out.push_str(&quoted[1..quoted.len() - 1]);
    }
    out.push('"');
    out
}

/// Does the character change the direction of text? rustc refuses these in source text.
fn flips_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use testsmith_sequence::World;

    use super::*;
    use crate::imports::Imports;

    fn show(ty: &Ty, value: &Value, mode: Mode) -> String {
        let world = World::default();
        let imports = Imports::scratch();
        let cx = Cx {
            world: &world,
            imports: &imports,
            holes: None,
        };
        literal(cx, ty, value, mode).map_or("-".into(), |expr| expr.text)
    }

    fn number(prim: Prim, value: Value) -> String {
        show(&Ty::Prim(prim), &value, Mode::KNOWN)
    }

    #[test]
    fn numbers_are_written_so_that_they_parse_back() {
        assert_eq!(
            number(Prim::I32, Value::Int(i128::from(i32::MIN))),
            "i32::MIN"
        );
        assert_eq!(number(Prim::I128, Value::Int(i128::MIN)), "i128::MIN");
        assert_eq!(
            number(Prim::U64, Value::UInt(u128::from(u64::MAX))),
            "u64::MAX"
        );
        assert_eq!(number(Prim::U128, Value::UInt(u128::MAX)), "u128::MAX");
        assert_eq!(number(Prim::I8, Value::Int(-5)), "-5");
        assert_eq!(number(Prim::F64, Value::F64(1.0f64.to_bits())), "1.0");
        assert_eq!(number(Prim::F64, Value::F64((-0.0f64).to_bits())), "-0.0");
        assert_eq!(number(Prim::F64, Value::F64(1e308f64.to_bits())), "1e308");
        assert_eq!(
            number(Prim::F64, Value::F64(f64::NAN.to_bits())),
            "f64::NAN"
        );
        assert_eq!(number(Prim::F32, Value::F32(0.1f32.to_bits())), "0.1");
        assert_eq!(
            number(Prim::F32, Value::F32(f32::INFINITY.to_bits())),
            "f32::INFINITY"
        );
    }

    #[test]
    fn strings_are_escaped_or_raw() {
        assert_eq!(string("a\nb"), r#""a\nb""#);
        assert_eq!(string(r#"say "hi""#), r##"r#"say "hi""#"##);
        assert_eq!(string(r"a\b"), r#"r"a\b""#);
        assert_eq!(string("é\u{202e}"), r#""é\u{202e}""#);
        assert_eq!(string("\0a\x002"), r#""\0a\x002""#);
        assert_eq!(character('\''), r"'\''");
    }

    #[test]
    fn a_time_is_written_in_its_largest_unit() {
        let ty = Ty::adt("std::time::Duration", []);
        let written = |secs, nanos| {
            let fields = [("secs", secs), ("nanos", nanos)];
            let fields = fields.map(|(name, n)| (name.to_owned(), Value::UInt(n)));
            let value = Value::Named {
                path: "std::time::Duration".into(),
                fields: fields.to_vec(),
            };
            show(&ty, &value, Mode::EXACT)
        };
        assert_eq!(written(86_400, 0), "Duration::from_secs(86_400)");
        assert_eq!(written(1, 500_000_000), "Duration::from_millis(1500)");
        assert_eq!(written(0, 17), "Duration::from_nanos(17)");
        let longest = written(u128::from(u64::MAX), 1);
        assert_eq!(longest, "Duration::new(18_446_744_073_709_551_615, 1)");
    }

    #[test]
    fn bytes_are_text_where_most_of_them_are() {
        let byte = Ty::Prim(Prim::U8);
        let text = |bytes: &[u8]| {
            let bytes: Vec<Value> = bytes.iter().map(|it| Value::UInt((*it).into())).collect();
            byte_text(&byte, &bytes)
        };
        assert_eq!(
            text(b"\nfoo \"bar\""),
            Some(r#"b"\nfoo \"bar\"""#.to_owned())
        );
        assert_eq!(text(&[97, 0xe9]), None);
        assert_eq!(text(&[1, 2, 3]), None);
        let vec = Ty::adt("std::vec::Vec", [byte.clone()]);
        let list = Value::List(vec![Value::UInt(97), Value::UInt(98)]);
        assert_eq!(show(&vec, &list, Mode::EXACT), "b\"ab\".to_vec()");
    }

    #[test]
    fn only_a_typed_literal_carries_its_type() {
        let vec = Ty::adt("std::vec::Vec", [Ty::Prim(Prim::U8)]);
        let list = Value::List(vec![Value::UInt(1), Value::UInt(2)]);
        assert_eq!(show(&vec, &list, Mode::KNOWN), "vec![1, 2]");
        assert_eq!(show(&vec, &list, Mode::TYPED), "vec![1u8, 2]");
        assert_eq!(show(&vec, &Value::List(vec![]), Mode::KNOWN), "vec![]");
        assert_eq!(
            show(&vec, &Value::List(vec![]), Mode::TYPED),
            "Vec::<u8>::new()"
        );
        let option = Ty::adt("std::option::Option", [Ty::Prim(Prim::U8)]);
        assert_eq!(show(&option, &Value::none(), Mode::TYPED), "None::<u8>");
        assert_eq!(
            show(&option, &Value::some(Value::UInt(3)), Mode::EXACT),
            "Some(3)"
        );
        let slice = Ty::Ref {
            region: testsmith_api::Region::Static,
            mutable: false,
            to: Box::new(Ty::Slice(Box::new(Ty::Prim(Prim::U8)))),
        };
        assert_eq!(show(&slice, &list, Mode::KNOWN), "&[1, 2]");
        assert_eq!(show(&slice, &list, Mode::EXACT), "&[1, 2][..]");
        assert_eq!(
            show(&slice, &Value::List(vec![Value::UInt(0); 9]), Mode::KNOWN),
            "&[0; 9]"
        );
    }
}
