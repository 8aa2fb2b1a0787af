//! Literals for the values of a showcase: of one number a value, of several numbers distinct items.

use testsmith_api::{GenericArg, Prim, Ty};
use testsmith_protocol::Value;

use super::{N_ITEMS, OTHERS};

pub(super) fn is_bytes(ty: &Ty) -> bool {
    matches!(ty, Ty::Ref { to, .. } if matches!(
        &**to,
        Ty::Slice(of) if matches!(**of, Ty::Prim(Prim::U8))
    ))
}

/// A literal of a type that can be written, made of a number. `column` says which part of an item it is.
pub(super) fn made_of(ty: &Ty, k: usize, column: usize) -> Option<Value> {
    let n = match k {
        0 => 0,
        k => k + N_ITEMS * column,
    };
    let items = |of: &Ty| -> Option<Value> {
        let items: Vec<usize> = match k {
            0 => Vec::new(),
            1 => vec![1],
            5 => vec![2, 1, 2],
            9 => vec![4, 5],
            OTHERS => vec![2, 3, 4],
            _ => (1..=N_ITEMS).collect(),
        };
        let items = items.into_iter().map(|k| made_of(of, k, column));
        items.collect::<Option<_>>().map(Value::List)
    };
    Some(match ty {
        Ty::Prim(Prim::Bool) => Value::Bool(k.is_multiple_of(2)),
        Ty::Prim(Prim::Char) => Value::Char(char::from(letter(n))),
        Ty::Prim(Prim::F32) => Value::F32((number(k, n) as f32).to_bits()),
        Ty::Prim(Prim::F64) => Value::F64(number(k, n).to_bits()),
        Ty::Prim(prim) => match prim.int_range()? {
            (_, true) if k == 9 => Value::Int(-(n as i128)),
            (_, true) => Value::Int(n as i128),
            (_, false) => Value::UInt(n as u128),
        },
        Ty::Tuple(parts) if !parts.is_empty() => {
            let parts = parts.iter().enumerate();
            let parts = parts.map(|(i, part)| made_of(part, k, column + i));
            Value::Tuple(parts.collect::<Option<_>>()?)
        }
        Ty::Array(of, n) => {
            let items = (1..=n.parse().ok()?).map(|k| made_of(of, k, column));
            Value::List(items.collect::<Option<_>>()?)
        }
        Ty::Ref {
            mutable: false, to, ..
        } => match &**to {
            Ty::Str => text(n),
            Ty::Slice(of) => items(of)?,
            _ => return None,
        },
        Ty::Str => text(n),
        Ty::Slice(of) => items(of)?,
        Ty::Adt { path, args } => match (&**path, &args[..]) {
            ("std::string::String", _) => text(n),
            ("std::vec::Vec", [GenericArg::Type(of), ..]) => items(of)?,
            ("std::option::Option", [GenericArg::Type(of)]) => match k {
                0 => Value::none(),
                _ => Value::some(made_of(of, k, column)?),
            },
            _ => return None,
        },
        _ => return None,
    })
}

/// A number that is quick to reckon with; some have a part after the point, and one is negative.
fn number(k: usize, n: usize) -> f64 {
    match k {
        1 => n as f64 + 0.5,
        9 => -(n as f64) - 0.5,
        _ => n as f64,
    }
}

fn text(n: usize) -> Value {
    Value::Str(match n {
        0 => String::new(),
        n => char::from(letter(n)).to_string(),
    })
}

fn letter(n: usize) -> u8 {
    b'a' + (n.max(1) - 1) as u8 % 26
}

/// Up to `max` ways to pick one of each, those with small positions first.
pub(super) fn diagonal(lengths: &[usize], max: usize) -> Vec<Vec<usize>> {
    if lengths.contains(&0) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let most: usize = lengths.iter().map(|it| it - 1).sum();
    for sum in 0..=most {
        spread(lengths, sum, &mut Vec::new(), &mut found, max);
    }
    found
}

/// Adds the ways in which positions add up to `sum`.
fn spread(
    lengths: &[usize],
    sum: usize,
    before: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
    max: usize,
) {
    if found.len() >= max {
        return;
    }
    let Some((first, rest)) = lengths.split_first() else {
        if sum == 0 {
            found.push(before.clone());
        }
        return;
    };
    for at in 0..(*first).min(sum + 1) {
        before.push(at);
        spread(rest, sum - at, before, found, max);
        before.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::super::ASKED;
    use super::*;

    #[test]
    fn items_of_a_value_are_distinct_and_found_again() {
        let byte = Ty::Prim(Prim::U8);
        let pairs = Ty::adt(
            "std::vec::Vec",
            [Ty::Tuple(vec![byte.clone(), byte.clone()])],
        );
        let n = |n| Value::UInt(n);
        let pair = |a, b| Value::Tuple(vec![n(a), n(b)]);
        let three = Value::List(vec![pair(1, 4), pair(2, 5), pair(3, 6)]);
        assert_eq!(made_of(&pairs, 2, 0), Some(three));
        let asked: Vec<Value> = ASKED.iter().filter_map(|k| made_of(&byte, *k, 0)).collect();
        assert_eq!(asked, [n(2), n(5), n(9), n(1), n(0)]);
    }

    #[test]
    fn the_first_of_each_are_picked_first() {
        assert_eq!(diagonal(&[2, 2], 3), [[0, 0], [0, 1], [1, 0]]);
        assert_eq!(diagonal(&[], 3), [Vec::<usize>::new()]);
        assert!(diagonal(&[2, 0], 3).is_empty());
    }
}
