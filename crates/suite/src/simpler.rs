//! Proposes simpler literals: smaller numbers, shorter texts and lists, plainer letters.

use testsmith_protocol::Value;

/// In texts and lists with more parts than this, single parts are not tried.
const MAX_PARTS: usize = 24;

/// Literals of the same type that are simpler, the simplest first.
pub(crate) fn simpler(value: &Value) -> Vec<Value> {
    let cost = cost(value);
    let mut found = others(value);
    found.retain(|other| self::cost(other) < cost);
    found.sort_by_key(self::cost);
    found.dedup();
    found
}

/// How much a reader has to read.
fn cost(value: &Value) -> u64 {
    let bits = |n: u128| u64::from(128 - n.leading_zeros());
    let size = |n: u128| match n < 1 << 20 {
        true => n as u64 * 2,
        false => (bits(n) << 20) + (n >> (bits(n) - 20)) as u64,
    };
    match value {
        Value::Bool(is_true) => u64::from(*is_true),
        Value::Char(letter) => plainness(*letter),
        Value::Int(number) => size(number.unsigned_abs()) + u64::from(*number < 0),
        Value::UInt(number) => size(*number),
        Value::F32(number) => bits(u128::from(*number)),
        Value::F64(number) => bits(u128::from(*number)),
        Value::Str(text) => text.chars().map(|letter| 4 + plainness(letter)).sum(),
        Value::List(parts) | Value::Tuple(parts) | Value::Unordered(parts) => {
            parts.iter().map(|part| 4 + cost(part)).sum()
        }
        Value::Named { fields, .. } => fields.iter().map(|(_, part)| 4 + cost(part)).sum(),
        Value::Unit | Value::Debug(_) | Value::Opaque | Value::Cut => 0,
    }
}

fn plainness(letter: char) -> u64 {
    match letter {
        'a' => 0,
        'b'..='z' => 1,
        '0'..='9' | 'A'..='Z' | ' ' => 2,
        '!'..='~' => 3,
        _ => 5,
    }
}

fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(_) => vec![Value::Bool(false)],
        Value::Char(_) => ['a', 'b', '0'].map(Value::Char).to_vec(),
        Value::Int(number) => {
            let sign = number.signum();
            let less = less(number.unsigned_abs()).filter_map(|it| i128::try_from(it).ok());
            let less = less.flat_map(|it| [it, it * sign]);
            less.chain(opposite(*number)).map(Value::Int).collect()
        }
        Value::UInt(number) => less(*number).map(Value::UInt).collect(),
        Value::F32(_) => [0.0_f32, 1.0, 2.0]
            .map(|it| Value::F32(it.to_bits()))
            .to_vec(),
        Value::F64(_) => [0.0_f64, 1.0, 2.0]
            .map(|it| Value::F64(it.to_bits()))
            .to_vec(),
        Value::Str(text) => {
            let letters: Vec<char> = text.chars().collect();
            let plain = |letter: &char| {
                vec!['a', 'b']
                    .into_iter()
                    .filter(|it| it != letter)
                    .collect()
            };
            let lists = shorter(&letters, plain);
            lists
                .map(|it| Value::Str(it.into_iter().collect()))
                .collect()
        }
        Value::List(parts) => shorter(parts, simpler).map(Value::List).collect(),
        Value::Tuple(parts) => changed(parts, simpler).map(Value::Tuple).collect(),
        Value::Named { path, fields } if path == "Some" => {
            let inner = fields.iter().flat_map(|(_, it)| simpler(it));
            std::iter::once(Value::none())
                .chain(inner.map(Value::some))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The number with the other sign, unless it may be the least one of its type, which has no opposite there. The
/// type is not known here: a literal out of its range would run in a guest, which cuts it, but not compile.
fn opposite(number: i128) -> Option<i128> {
    let is_least = [8, 16, 32, 64]
        .map(|bits| -(1 << (bits - 1)))
        .contains(&number);
    number.checked_neg().filter(|_| !is_least)
}

/// Small numbers, numbers smaller by a half, a quarter and so on, and the number less one.
fn less(number: u128) -> impl Iterator<Item = u128> {
    let below = [2, 4, 8, 16, 32].map(|part| number - number / part);
    let small = [0, 1, 2, 3, 10].into_iter().chain(below);
    small.chain([number.saturating_sub(1)])
}

/// The empty list, both halves, the list without one part, and the list with one part changed.
fn shorter<'p, T: Clone>(
    parts: &'p [T],
    change: impl Fn(&T) -> Vec<T> + 'p,
) -> impl Iterator<Item = Vec<T>> + 'p {
    let half = parts.len() / 2;
    let halves = [Vec::new(), parts[..half].to_vec(), parts[half..].to_vec()];
    let n_tried = if parts.len() <= MAX_PARTS {
        parts.len()
    } else {
        0
    };
    let without = (0..n_tried).map(|i| {
        let mut rest = parts.to_vec();
        rest.remove(i);
        rest
    });
    let changed = changed(&parts[..n_tried], change);
    halves.into_iter().chain(without).chain(changed)
}

fn changed<'p, T: Clone>(
    parts: &'p [T],
    change: impl Fn(&T) -> Vec<T> + 'p,
) -> impl Iterator<Item = Vec<T>> + 'p {
    parts.iter().enumerate().flat_map(move |(i, part)| {
        change(part).into_iter().map(move |other| {
            let mut all = parts.to_vec();
            all[i] = other;
            all
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left if every simpler value is taken that the predicate holds for.
    fn simplest(value: Value, is_good: impl Fn(&Value) -> bool) -> Value {
        let mut value = value;
        while let Some(other) = simpler(&value).into_iter().find(|it| is_good(it)) {
            value = other;
        }
        value
    }

    #[test]
    fn literals_become_as_simple_as_they_may() {
        let long = Value::Str("x1-Ünicöde".to_owned());
        let has_dash = |it: &Value| matches!(it, Value::Str(text) if text.contains('-'));
        assert_eq!(simplest(long, has_dash), Value::Str("-".to_owned()));
        let large = |it: &Value| matches!(it, Value::UInt(n) if *n > 100);
        assert_eq!(simplest(Value::UInt(90_000), large), Value::UInt(101));
        let list = Value::List([9, 8, 7, 250].map(Value::UInt).to_vec());
        let two = |it: &Value| matches!(it, Value::List(parts) if parts.len() == 2);
        let expected = Value::List(vec![Value::UInt(0), Value::UInt(0)]);
        assert_eq!(simplest(list, two), expected);
    }

    #[test]
    fn the_least_number_of_a_type_keeps_its_sign() {
        for (least, most) in [
            (i8::MIN.into(), i8::MAX.into()),
            (i16::MIN.into(), i16::MAX.into()),
            (i32::MIN.into(), i32::MAX.into()),
            (i64::MIN.into(), i64::MAX.into()),
            (i128::MIN, i128::MAX),
        ] {
            let found = simpler(&Value::Int(least));
            let numbers = found.iter().map(|it| match it {
                Value::Int(number) => *number,
                other => panic!("{other:?} is another type's"),
            });
            assert!(
                numbers.clone().all(|it| (least..=most).contains(&it)),
                "{found:?}"
            );
        }
        assert!(simpler(&Value::Int(-127)).contains(&Value::Int(127)));
    }
}
