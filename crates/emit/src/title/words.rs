//! Words for types and values.

use testsmith_api::{Prim, Ty, last_segment};
use testsmith_protocol::Value;

use crate::cx::{Cx, head};
use crate::names::snake_case;

/// The type in a word.
pub(super) fn type_word(ty: &Ty) -> String {
    match (head(ty), ty) {
        (Some("std::option::Option" | "std::result::Result" | "std::boxed::Box"), _) => {
            crate::cx::type_args(ty)
                .first()
                .map_or_else(|| "value".to_owned(), |ty| type_word(ty))
        }
        (Some(path), _) => snake_case(last_segment(path)),
        (None, Ty::Prim(Prim::Never)) => "never".to_owned(),
        (None, Ty::Prim(prim)) => prim.name().to_owned(),
        (None, Ty::Ref { to, .. }) => type_word(to),
        (None, Ty::Str) => "str".to_owned(),
        (None, Ty::Slice(_) | Ty::Array(..)) => "items".to_owned(),
        (None, Ty::Tuple(parts)) if parts.is_empty() => "unit".to_owned(),
        (None, Ty::Tuple(_)) => "tuple".to_owned(),
        _ => "value".to_owned(),
    }
}

/// The module of an item, if it is not in the crate's root.
pub(super) fn module_word(path: &str) -> Option<String> {
    let mut parts = path.rsplit("::").skip(1);
    let module = parts.next()?;
    parts.next().map(|_| snake_case(module))
}

/// The type in a word, with its module if another type of the crate has its name.
pub(super) fn own_type_word(cx: Cx<'_>, ty: &Ty) -> String {
    let word = type_word(ty);
    let Some(path) = head(ty) else {
        return word;
    };
    let name = last_segment(path);
    let adts = cx.world.catalogue.api.adts.keys();
    let is_rival = adts
        .filter(|it| last_segment(it) == name && !it.starts_with("std::"))
        .any(|it| **it != *path);
    match module_word(path).filter(|_| is_rival) {
        Some(module) => format!("{module}_{word}"),
        None => word,
    }
}

/// The argument of a trait in words that tell it from others: `str`, `mut_str`, `boxed_str`, `vec_char`.
pub(super) fn argument_word(ty: &Ty) -> String {
    let first = |ty: &Ty| crate::cx::type_args(ty).first().map(|it| argument_word(it));
    match (head(ty), ty) {
        (Some("std::boxed::Box"), _) => {
            first(ty).map_or_else(|| "box".to_owned(), |it| format!("boxed_{it}"))
        }
        (Some(path), _) if path.starts_with("std::") => {
            let name = snake_case(last_segment(path));
            first(ty).map_or(name.clone(), |it| format!("{name}_{it}"))
        }
        (None, Ty::Ref { mutable, to, .. }) => {
            let word = argument_word(to);
            match mutable {
                true => format!("mut_{word}"),
                false if matches!(**to, Ty::Str | Ty::Slice(_)) => word,
                false => format!("{word}_ref"),
            }
        }
        (None, Ty::Slice(of)) if matches!(**of, Ty::Prim(Prim::U8)) => "bytes".to_owned(),
        (None, Ty::Slice(of)) => format!("slice_{}", argument_word(of)),
        (None, Ty::Array(of, _)) => format!("{}_array", argument_word(of)),
        _ => type_word(ty),
    }
}

/// The outcome of a call: `is_true`, `returns_none`, `returns_3`.
pub(super) fn phrase(value: &Value, link: &str) -> String {
    match value {
        Value::Bool(value) => format!("is_{value}"),
        Value::Named { path, .. } => {
            format!("{link}_{}", snake_case(last_segment(path)))
        }
        Value::F32(bits) => format!("{link}_{}", float_word(f64::from(f32::from_bits(*bits)))),
        Value::F64(bits) => format!("{link}_{}", float_word(f64::from_bits(*bits))),
        Value::Tuple(parts) if parts.len() == 2 => format!("{link}_pair"),
        Value::Tuple(_) => format!("{link}_tuple"),
        Value::List(parts) | Value::Unordered(parts) => match parts.len() {
            0 => format!("{link}_empty"),
            1 => format!("{link}_1_item"),
            n => format!("{link}_{n}_items"),
        },
        Value::Str(text) if text.is_empty() => format!("{link}_empty_string"),
        Value::Str(text) => match word(value) {
            Some(word) if text.len() <= 16 => format!("{link}_{word}"),
            _ => format!("{link}_string"),
        },
        Value::Unit | Value::Opaque | Value::Cut => "succeeds".to_owned(),
        Value::Debug(_) => "has_debug_text".to_owned(),
        _ => match word(value) {
            Some(word) => format!("{link}_{word}"),
            None => format!("{link}_value"),
        },
    }
}

/// The outcome of a call with what it holds: `returns_some_3`, `returns_some_greater`.
pub(super) fn whole_phrase(value: &Value, link: &str) -> String {
    let short = phrase(value, link);
    let inside = match value {
        Value::Str(text) if short.ends_with("_string") => words_of(text),
        Value::Named { fields, .. } => match &fields[..] {
            [(_, inside)] => word(inside).filter(|word| word.len() <= 16),
            _ => None,
        },
        _ => None,
    };
    match inside {
        Some(inside) if short.ends_with("_string") => {
            format!("{}_{inside}", short.trim_end_matches("_string"))
        }
        Some(inside) => format!("{short}_{inside}"),
        None => short,
    }
}

/// The first words of a text, as many as a name has room for.
fn words_of(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let mut name = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        if name.len() + word.len() > 30 {
            break;
        }
        if !name.is_empty() {
            name.push('_');
        }
        name.push_str(&word.to_ascii_lowercase());
    }
    (!name.is_empty()).then_some(name)
}

fn float_word(x: f64) -> String {
    if x.is_nan() {
        "nan".to_owned()
    } else if x.is_infinite() {
        "infinity".to_owned()
    } else if x == x.trunc() && x.abs() < 1e6 {
        let sign = if x.is_sign_negative() { "minus_" } else { "" };
        format!("{sign}{}", x.abs())
    } else {
        "float".to_owned()
    }
}

/// A small value in a word.
pub(super) fn word(value: &Value) -> Option<String> {
    Some(match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(0) | Value::UInt(0) => "zero".to_owned(),
        Value::Int(n) if n.unsigned_abs() < 1_000_000 => {
            let sign = if *n < 0 { "minus_" } else { "" };
            format!("{sign}{}", n.unsigned_abs())
        }
        Value::UInt(n) if *n < 1_000_000 => n.to_string(),
        Value::Int(n) if *n < 0 => "large_negative_number".to_owned(),
        Value::Int(_) | Value::UInt(_) => "large_number".to_owned(),
        Value::Char(c) if c.is_ascii_alphanumeric() => c.to_lowercase().to_string(),
        Value::Str(text) if text.is_empty() => "empty_string".to_owned(),
        Value::Str(text) if text.len() <= 24 => {
            let words: String = text
                .chars()
                .map(|c| {
                    if c.is_ascii_alphanumeric() {
                        c.to_ascii_lowercase()
                    } else {
                        '_'
                    }
                })
                .collect();
            let words: Vec<&str> = words.split('_').filter(|word| !word.is_empty()).collect();
            if words.is_empty() {
                return None;
            }
            words.join("_")
        }
        Value::List(parts) if parts.is_empty() => "empty_list".to_owned(),
        Value::Named { path, fields } if fields.is_empty() => snake_case(last_segment(path)),
        _ => return None,
    })
}

/// `a`, `a_or_b`, `a_b_or_c`
pub(super) fn among(words: &[String], link: &str) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{}_{link}_{last}", most.join("_")),
    }
}
