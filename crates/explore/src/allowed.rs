//! The values that the user allows a parameter: numbers of a range, given values, or texts of a
//! pattern.

use regex_syntax::hir::{Class, Hir, HirKind};
use testsmith_api::{GenericArg, Prim, Ty};
use testsmith_protocol::Value;

use crate::numbers::Width;
use crate::rng::Rng;

/// The values that a parameter may have.
#[derive(Clone, Debug)]
pub enum Allowed {
    /// Integers from the first to the last, both included.
    Integers(i128, i128),
    /// Numbers from the first to the last, where an end is no whole number.
    Floats(f64, f64),
    /// One of these values.
    OneOf(Vec<Value>),
    /// Text that the expression matches.
    Matching(Box<Hir>),
}

/// How many times more than it must a part of a pattern is repeated that may be repeated without
/// end.
const MAX_REPEATS: u32 = 6;

impl Allowed {
    /// Parses a range like `0..10` or `-1.5..=1.5`.
    pub fn range(text: &str) -> Result<Allowed, String> {
        let (first, rest) = text
            .split_once("..")
            .ok_or_else(|| format!("`{text}` is not a range; write it like `0..10`"))?;
        let (is_closed, last) = match rest.strip_prefix('=') {
            Some(last) => (true, last),
            None => (false, rest),
        };
        let plain = |text: &str| text.trim().replace('_', "");
        let (first, last) = (plain(first), plain(last));
        let is_empty = || Err(format!("the range `{text}` is empty"));
        if let (Ok(first), Ok(last)) = (first.parse::<i128>(), last.parse::<i128>()) {
            let last = if is_closed {
                last
            } else {
                last.saturating_sub(1)
            };
            return match first <= last {
                true => Ok(Allowed::Integers(first, last)),
                false => is_empty(),
            };
        }
        let number = |text: &str| {
            let number = text.parse::<f64>().ok().filter(|it| it.is_finite());
            number.ok_or_else(|| format!("`{text}` is not a number"))
        };
        match (number(&first)?, number(&last)?) {
            (first, last) if first <= last => Ok(Allowed::Floats(first, last)),
            _ => is_empty(),
        }
    }

    /// Parses a regular expression. Anchors and word boundaries are ignored.
    pub fn pattern(text: &str) -> Result<Allowed, String> {
        let hir = regex_syntax::parse(text).map_err(|error| error.to_string())?;
        Ok(Allowed::Matching(Box::new(hir)))
    }

    /// One of the allowed values, as a value of this type; `None` if none fits.
    pub fn value(&self, ty: &Ty, rng: &mut Rng) -> Option<Value> {
        if let Allowed::OneOf(values) = self {
            let fitting: Vec<Value> = values.iter().filter_map(|it| fit(it, ty)).collect();
            return rng.pick(&fitting).cloned();
        }
        let list = |of: &Ty, n: usize, rng: &mut Rng| {
            let items = (0..n).map(|_| self.value(of, rng));
            Some(Value::List(items.collect::<Option<_>>()?))
        };
        match ty {
            Ty::Prim(prim) => self.primitive(*prim, rng),
            Ty::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.value(part, rng));
                Some(Value::Tuple(parts.collect::<Option<_>>()?))
            }
            Ty::Array(of, n) => list(of, n.parse().ok()?, rng),
            Ty::Ref { to, .. } => match &**to {
                Ty::Str => self.text(rng).map(Value::Str),
                Ty::Slice(of) => {
                    let n = rng.below(6);
                    list(of, n, rng)
                }
                _ => None,
            },
            Ty::Adt { path, args } => match (&**path, &args[..]) {
                ("std::string::String", _) => self.text(rng).map(Value::Str),
                ("std::vec::Vec", [GenericArg::Type(of), ..]) => {
                    let n = rng.below(6);
                    list(of, n, rng)
                }
                ("std::option::Option", [GenericArg::Type(of)]) => match rng.chance(25) {
                    true => self.value(of, rng).map(|_| Value::none()),
                    false => self.value(of, rng).map(Value::some),
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// Does the type have all of the allowed values?
    pub fn is_within(&self, ty: &Ty) -> bool {
        match (self, ty) {
            (Allowed::OneOf(values), ty) => values.iter().all(|it| fit(it, ty).is_some()),
            (Allowed::Integers(first, last), Ty::Prim(prim)) => match prim.int_range() {
                Some((bits, signed)) => {
                    let width = Width { bits, signed };
                    width.holds(*first) && width.holds(*last)
                }
                None => true,
            },
            (_, Ty::Tuple(parts)) => parts.iter().all(|it| self.is_within(it)),
            (_, Ty::Array(of, _) | Ty::Slice(of)) => self.is_within(of),
            (_, Ty::Ref { to, .. }) => self.is_within(to),
            (_, Ty::Adt { args, .. }) => args.iter().all(|it| match it {
                GenericArg::Type(of) => self.is_within(of),
                _ => true,
            }),
            _ => true,
        }
    }

    fn primitive(&self, prim: Prim, rng: &mut Rng) -> Option<Value> {
        match self {
            Allowed::Integers(first, last) => match prim.int_range() {
                Some((bits, signed)) => integer(Width { bits, signed }, *first, *last, rng),
                None => float(prim, *first as f64, *last as f64, rng),
            },
            Allowed::Floats(first, last) => float(prim, *first, *last, rng),
            Allowed::Matching(_) if prim == Prim::Char => {
                let text = self.text(rng)?;
                text.chars().next().map(Value::Char)
            }
            _ => None,
        }
    }

    fn text(&self, rng: &mut Rng) -> Option<String> {
        let Allowed::Matching(hir) = self else {
            return None;
        };
        let mut bytes = Vec::new();
        write(hir, rng, &mut bytes);
        String::from_utf8(bytes).ok()
    }
}

/// A number of the range, as far as the type has it: often one of the ends, else one between them.
fn integer(width: Width, first: i128, last: i128, rng: &mut Rng) -> Option<Value> {
    let (least, greatest) = match (width.signed, width.bits) {
        (true, bits) => (i128::MIN >> (128 - bits), i128::MAX >> (128 - bits)),
        (false, 128) => (0, i128::MAX),
        (false, bits) => (0, (1 << bits) - 1),
    };
    let (first, last) = (first.max(least), last.min(greatest));
    if first > last {
        return None;
    }
    let n = last.abs_diff(first);
    let drawn = u128::from(rng.bits()) << 64 | u128::from(rng.bits());
    let offset = match rng.below(8) {
        0 => 0,
        1 => n,
        _ => n.checked_add(1).map_or(drawn, |n| drawn % n),
    };
    Some(width.wrap(first.wrapping_add(offset as i128)))
}

fn float(prim: Prim, first: f64, last: f64, rng: &mut Rng) -> Option<Value> {
    let share = rng.bits() as f64 / u64::MAX as f64;
    let chosen = match rng.below(8) {
        0 => first,
        1 => last,
        _ => first + (last - first) * share,
    };
    match prim {
        Prim::F32 => Some(Value::F32((chosen as f32).to_bits())),
        Prim::F64 => Some(Value::F64(chosen.to_bits())),
        _ => None,
    }
}

/// The value, turned into one of this type if it fits.
fn fit(value: &Value, ty: &Ty) -> Option<Value> {
    let all = |values: &[Value], of: &Ty| -> Option<Vec<Value>> {
        values.iter().map(|value| fit(value, of)).collect()
    };
    match (value, ty) {
        (Value::Int(n), Ty::Prim(prim)) => match prim {
            Prim::F32 => Some(Value::F32((*n as f32).to_bits())),
            Prim::F64 => Some(Value::F64((*n as f64).to_bits())),
            prim => {
                let (bits, signed) = prim.int_range()?;
                let width = Width { bits, signed };
                width.holds(*n).then(|| width.wrap(*n))
            }
        },
        (Value::F64(bits), Ty::Prim(Prim::F64)) => Some(Value::F64(*bits)),
        (Value::F64(bits), Ty::Prim(Prim::F32)) => {
            Some(Value::F32((f64::from_bits(*bits) as f32).to_bits()))
        }
        (Value::Bool(_), Ty::Prim(Prim::Bool)) => Some(value.clone()),
        (Value::Str(text), Ty::Prim(Prim::Char)) => {
            let mut chars = text.chars();
            let first = chars.next()?;
            chars.next().is_none().then_some(Value::Char(first))
        }
        (Value::Str(_), Ty::Ref { to, .. }) if **to == Ty::Str => Some(value.clone()),
        (Value::List(values), Ty::Ref { to, .. }) => match &**to {
            Ty::Slice(of) => all(values, of).map(Value::List),
            _ => None,
        },
        (Value::List(values), Ty::Tuple(parts)) if values.len() == parts.len() => {
            let parts = values.iter().zip(parts).map(|(value, ty)| fit(value, ty));
            Some(Value::Tuple(parts.collect::<Option<_>>()?))
        }
        (_, Ty::Adt { path, args }) => match (&**path, value, &args[..]) {
            ("std::string::String", Value::Str(_), _) => Some(value.clone()),
            ("std::vec::Vec", Value::List(values), [GenericArg::Type(of), ..]) => {
                all(values, of).map(Value::List)
            }
            ("std::option::Option", value, [GenericArg::Type(of)]) => {
                fit(value, of).map(Value::some)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Writes some text that the expression matches.
fn write(hir: &Hir, rng: &mut Rng, out: &mut Vec<u8>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.extend_from_slice(&literal.0),
        HirKind::Class(Class::Unicode(class)) => {
            let Some(range) = rng.pick(class.ranges()) else {
                return;
            };
            let (first, last) = (range.start() as u32, range.end() as u32);
            let chosen = first + rng.below((last - first) as usize + 1) as u32;
            let chosen = char::from_u32(chosen).unwrap_or(range.start());
            out.extend_from_slice(chosen.encode_utf8(&mut [0; 4]).as_bytes());
        }
        HirKind::Class(Class::Bytes(class)) => {
            if let Some(range) = rng.pick(class.ranges()) {
                let n = usize::from(range.end() - range.start()) + 1;
                out.push(range.start() + rng.below(n) as u8);
            }
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            let most = most.min(repetition.min.saturating_add(MAX_REPEATS));
            let n = repetition.min + rng.below((most - repetition.min) as usize + 1) as u32;
            (0..n).for_each(|_| write(&repetition.sub, rng, out));
        }
        HirKind::Capture(capture) => write(&capture.sub, rng, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, rng, out)),
        HirKind::Alternation(parts) => {
            if let Some(part) = rng.pick(parts) {
                write(part, rng, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(allowed: &Allowed, ty: &Ty) -> Vec<Value> {
        let mut rng = Rng::new(7);
        (0..200)
            .map(|_| allowed.value(ty, &mut rng).expect("a value"))
            .collect()
    }

    #[test]
    fn numbers_stay_in_their_range_and_meet_its_ends() {
        let range = Allowed::range("3..10").expect("a range");
        let values = many(&range, &Ty::Prim(Prim::U8));
        assert!(values.iter().all(|it| matches!(it, Value::UInt(3..=9))));
        assert!(values.contains(&Value::UInt(3)) && values.contains(&Value::UInt(9)));
        // Numbers outside of the type are left out, and large numbers are exact.
        let range = Allowed::range("250..=1000").expect("a range");
        let values = many(&range, &Ty::Prim(Prim::U8));
        assert!(values.iter().all(|it| matches!(it, Value::UInt(250..=255))));
        let range = Allowed::range("0..=18446744073709551615").expect("a range");
        let values = many(&range, &Ty::Prim(Prim::U64));
        assert!(values.contains(&Value::UInt(u128::from(u64::MAX))));
        let range = Allowed::range("-0.5..=0.5").expect("a range");
        for value in many(&range, &Ty::Prim(Prim::F64)) {
            let Value::F64(bits) = value else {
                panic!("{value:?}")
            };
            assert!((-0.5..=0.5).contains(&f64::from_bits(bits)));
        }
    }

    #[test]
    fn text_matches_its_pattern() {
        let pattern = Allowed::pattern("^(v|V)?[0-9]{1,2}\\.[ab]+$").expect("a pattern");
        for value in many(&pattern, &Ty::adt("std::string::String", [])) {
            let Value::Str(text) = value else {
                panic!("{value:?}")
            };
            let (number, letters) = text.split_once('.').expect("a dot");
            let number = number.trim_start_matches(['v', 'V']);
            assert!(matches!(number.len(), 1..=2) && number.parse::<u8>().is_ok());
            assert!(!letters.is_empty() && letters.chars().all(|c| matches!(c, 'a' | 'b')));
        }
    }

    #[test]
    fn values_are_fitted_to_the_type() {
        let allowed = Allowed::OneOf(vec![Value::Int(-1), Value::Int(2), Value::Str("x".into())]);
        assert!(many(&allowed, &Ty::Prim(Prim::U8)).contains(&Value::UInt(2)));
        assert!(!many(&allowed, &Ty::Prim(Prim::U8)).contains(&Value::UInt(255)));
        assert_eq!(many(&allowed, &Ty::Prim(Prim::Char))[0], Value::Char('x'));
    }

    #[test]
    fn a_range_beyond_its_type_is_known() {
        let range = |text: &str| Allowed::range(text).expect("a range");
        let list = Ty::adt("std::vec::Vec", [Ty::Prim(Prim::U8)]);
        for ty in [Ty::Prim(Prim::U8), list] {
            assert!(range("0..=255").is_within(&ty) && range("0..256").is_within(&ty));
            assert!(!range("0..=256").is_within(&ty) && !range("-1..3").is_within(&ty));
        }
        let values = |n| Allowed::OneOf(vec![Value::Int(1), Value::Int(n)]);
        assert!(values(255).is_within(&Ty::Prim(Prim::U8)));
        assert!(!values(256).is_within(&Ty::Prim(Prim::U8)));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "3", "5..2", "a..b"] {
            assert!(Allowed::range(text).is_err(), "{text}");
        }
        assert!(Allowed::pattern("(").is_err());
    }
}
