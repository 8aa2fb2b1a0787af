//! Makes literals with one part changed: a number, a letter, a length.

use std::cmp::Ordering;

use testsmith_api::{GenericArg, Prim, Ty};
use testsmith_protocol::Value;

use crate::numbers::{Width, is_costly};

/// Texts and lists are made no longer than this.
const MAX_LENGTH: i128 = 80;
/// Two numbers this close may be the same one with something added on the way.
const NEAR: u128 = 4;

/// One side of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Scalar {
    /// An integer, a letter, or a byte.
    Number(i128),
    Float(f64),
    Text(String),
}

impl Scalar {
    pub(crate) fn of(value: &Value) -> Option<Scalar> {
        Some(match value {
            Value::Int(number) => Scalar::Number(*number),
            Value::UInt(number) => Scalar::Number(i128::try_from(*number).ok()?),
            Value::F64(bits) => Scalar::Float(f64::from_bits(*bits)),
            Value::Str(text) => Scalar::Text(text.clone()),
            _ => return None,
        })
    }

    /// The order of this value and another of its kind.
    pub(crate) fn order(&self, other: &Scalar) -> Option<Ordering> {
        match (self, other) {
            (Scalar::Number(a), Scalar::Number(b)) => Some(a.cmp(b)),
            (Scalar::Float(a), Scalar::Float(b)) => a.partial_cmp(b),
            (Scalar::Text(a), Scalar::Text(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// The distance to another value of its kind.
    pub(crate) fn distance(&self, other: &Scalar) -> f64 {
        match (self, other) {
            (Scalar::Number(a), Scalar::Number(b)) => a.abs_diff(*b) as f64,
            (Scalar::Float(a), Scalar::Float(b)) => (a - b).abs(),
            (Scalar::Text(a), Scalar::Text(b)) => {
                let n_alike = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
                (a.chars().count().max(b.chars().count()) - n_alike) as f64
            }
            _ => f64::INFINITY,
        }
    }

    /// A value near this one that has this order to it. A large size is given only if it must be
    /// met exactly; otherwise it is not worth its cost.
    pub(crate) fn moved(&self, order: Ordering) -> Option<Scalar> {
        let step = order as i8;
        Some(match self {
            Scalar::Number(number) if step != 0 && is_costly(*number) => return None,
            Scalar::Number(number) => Scalar::Number(number.checked_add(step.into())?),
            Scalar::Float(number) => Scalar::Float(number + f64::from(step)),
            Scalar::Text(text) if order == Ordering::Equal => Scalar::Text(text.clone()),
            Scalar::Text(_) => return None,
        })
    }
}

/// Values of this type that differ from the given one in one part, which was `side` and becomes
/// `target`, likely ones first.
pub(crate) fn others(ty: &Ty, value: &Value, side: &Scalar, target: &Scalar) -> Vec<Value> {
    match (ty, value) {
        (Ty::Prim(prim), value) => scalar(*prim, value, side, target).into_iter().collect(),
        (Ty::Ref { to, .. }, value) => others(to, value, side, target),
        (Ty::Str, Value::Str(text)) => texts(text, side, target),
        (Ty::Slice(of), Value::List(parts)) => {
            let mut found: Vec<Value> = resized(parts, side, target).into_iter().collect();
            found.extend(within(|_| Some(of), parts, side, target).map(Value::List));
            found
        }
        (Ty::Array(of, _), Value::List(parts)) => {
            let changed = within(|_| Some(of), parts, side, target);
            changed.map(Value::List).collect()
        }
        (Ty::Tuple(types), Value::Tuple(parts)) => {
            let changed = within(|i| types.get(i), parts, side, target);
            changed.map(Value::Tuple).collect()
        }
        (Ty::Adt { path, args }, value) => match (&**path, &args[..], value) {
            ("std::string::String", _, value) => others(&Ty::Str, value, side, target),
            ("std::vec::Vec", [GenericArg::Type(of), ..], value) => {
                others(&Ty::Slice(of.clone().into()), value, side, target)
            }
            ("std::option::Option", [GenericArg::Type(of)], Value::Named { fields, .. }) => {
                let inner = fields
                    .iter()
                    .flat_map(|(_, it)| others(of, it, side, target));
                inner.map(Value::some).collect()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// All ways to change one part.
fn within<'a>(
    ty: impl Fn(usize) -> Option<&'a Ty> + 'a,
    parts: &'a [Value],
    side: &'a Scalar,
    target: &'a Scalar,
) -> impl Iterator<Item = Vec<Value>> + 'a {
    parts.iter().enumerate().flat_map(move |(i, part)| {
        let changed = ty(i).map_or(Vec::new(), |ty| others(ty, part, side, target));
        changed.into_iter().map(move |value| {
            let mut all = parts.to_vec();
            all[i] = value;
            all
        })
    })
}

fn scalar(prim: Prim, value: &Value, side: &Scalar, target: &Scalar) -> Option<Value> {
    match (side, target) {
        (Scalar::Number(side), Scalar::Number(target)) => match value {
            Value::Char(letter) => {
                let is_it = i128::from(u32::from(*letter)) == *side;
                Some(Value::Char(letter_of(*target).filter(|_| is_it)?))
            }
            value => {
                let (bits, signed) = prim.int_range()?;
                let Scalar::Number(number) = Scalar::of(value)? else {
                    return None;
                };
                let apart = number.checked_sub(*side)?;
                let other = target.checked_add(apart)?;
                let width = Width { bits, signed };
                let is_likely = apart.unsigned_abs() <= NEAR && other != number;
                (is_likely && width.holds(other)).then(|| width.wrap(other))
            }
        },
        (Scalar::Float(side), Scalar::Float(target)) => match value {
            Value::F64(bits) if f64::from_bits(*bits) == *side => {
                Some(Value::F64(target.to_bits()))
            }
            Value::F32(bits) if f64::from(f32::from_bits(*bits)) == *side => {
                Some(Value::F32((*target as f32).to_bits()))
            }
            _ => None,
        },
        _ => None,
    }
}

fn letter_of(number: i128) -> Option<char> {
    char::from_u32(u32::try_from(number).ok()?)
}

fn texts(text: &str, side: &Scalar, target: &Scalar) -> Vec<Value> {
    let mut found = Vec::new();
    match (side, target) {
        (Scalar::Text(side), Scalar::Text(target))
            if text == side || !side.is_empty() && text.contains(&**side) =>
        {
            found.push(text.replacen(&**side, target, 1));
        }
        (Scalar::Number(side), Scalar::Number(target)) => {
            if let (Some(old), Some(new)) = (letter_of(*side), letter_of(*target)) {
                found.extend(exchanged(text, old, new));
            }
            let n_chars = text.chars().count() as i128;
            let is_length = *side == text.len() as i128 || *side == n_chars;
            if is_length && (0..=MAX_LENGTH).contains(target) {
                let letters = text.chars().chain(std::iter::repeat('a'));
                found.push(letters.take(*target as usize).collect());
            }
        }
        _ => {}
    }
    found.into_iter().map(Value::Str).collect()
}

/// The text with one letter replaced, first at its first place, then at its last.
fn exchanged(text: &str, old: char, new: char) -> Vec<String> {
    let (first, last) = (text.find(old), text.rfind(old));
    let places = first.into_iter().chain(last.filter(|_| last != first));
    let exchange = |at: usize| {
        let mut other = text.to_owned();
        other.replace_range(at..at + old.len_utf8(), new.encode_utf8(&mut [0; 4]));
        other
    };
    places.map(exchange).collect()
}

/// The list with another length, if its length is what was compared.
fn resized(parts: &[Value], side: &Scalar, target: &Scalar) -> Option<Value> {
    let (Scalar::Number(side), Scalar::Number(target)) = (side, target) else {
        return None;
    };
    let fits = *side == parts.len() as i128 && (0..=MAX_LENGTH).contains(target);
    let more = parts.iter().cycle().take(*target as usize).cloned();
    let other: Vec<Value> = fits.then(|| more.collect())?;
    (other.len() as i128 == *target).then_some(Value::List(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str, side: i128, target: i128) -> Vec<Value> {
        let value = Value::Str(text.to_owned());
        others(
            &Ty::Str,
            &value,
            &Scalar::Number(side),
            &Scalar::Number(target),
        )
    }

    #[test]
    fn letters_and_lengths_of_a_text_are_changed() {
        let dash = i128::from(u32::from('-'));
        let plus = i128::from(u32::from('+'));
        let expected = ["+1-2", "-1+2"].map(|it| Value::Str(it.to_owned()));
        assert_eq!(text("-1-2", dash, plus), expected);
        assert_eq!(text("abc", 3, 5), [Value::Str("abcaa".to_owned())]);
        assert_eq!(text("abc", 3, 0), [Value::Str(String::new())]);
        assert_eq!(text("abc", 7, 5), []);
    }

    #[test]
    fn numbers_stay_in_their_type() {
        let ty = Ty::Prim(Prim::U8);
        let change = |side, target| {
            let side = Scalar::Number(side);
            others(&ty, &Value::UInt(7), &side, &Scalar::Number(target))
        };
        assert_eq!(change(7, 200), [Value::UInt(200)]);
        assert_eq!(change(8, 200), [Value::UInt(199)]);
        assert_eq!(change(7, 300), []);
        assert_eq!(change(70, 200), []);
    }

    #[test]
    fn the_least_number_is_far_from_zero() {
        let ty = Ty::Prim(Prim::I128);
        let least = Value::Int(i128::MIN);
        let (zero, one) = (Scalar::Number(0), Scalar::Number(1));
        assert_eq!(others(&ty, &least, &zero, &one), []);
        assert_eq!(
            others(&ty, &least, &Scalar::Number(i128::MIN), &one),
            [Value::Int(1)]
        );
    }

    #[test]
    fn a_part_of_a_list_is_changed() {
        let ty = Ty::Slice(Ty::Prim(Prim::I32).into());
        let list = |parts: &[i128]| Value::List(parts.iter().map(|it| Value::Int(*it)).collect());
        let found = others(
            &ty,
            &list(&[50, 90]),
            &Scalar::Number(90),
            &Scalar::Number(-5),
        );
        assert_eq!(found, [list(&[50, -5])]);
    }
}
