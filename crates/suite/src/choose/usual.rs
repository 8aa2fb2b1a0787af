//! Literals that anybody would write in place of those that exploration found.
//!
//! A literal is odd if nobody would have thought of it: mixed letters, large numbers, control characters. It
//! is exchanged for a usual one wherever it stands at once, since a key that was inserted must be the key that is
//! asked for. After that, single literals are made shorter.

use std::collections::BTreeSet;

use testsmith_api::Ty;
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, Sequence, Step, World};

/// A text with more characters than this is made shorter.
const SHORT_TEXT: usize = 8;
/// Texts that anybody would write where any text will do.
const USUAL_TEXTS: &[&str] = &["a", "b", "c", "abc"];
/// A number above this is made smaller.
const SMALL_NUMBER: u128 = 999;
/// A number above this is exchanged for one that anybody would write, if any number will do.
const ODD_NUMBER: u128 = 12;
const USUAL_NUMBERS: &[u128] = &[1, 2, 3, 5, 10];
/// Known texts with more bytes than this stand in no place of others.
const MAX_LIKE: usize = 40;
/// A list with more items than this is made shorter.
const SHORT_LIST: usize = 3;
const USUAL_FLOATS: [f64; 4] = [0.5, 1.5, 2.0, 10.0];

/// The literals of a sequence, in the order of its steps.
pub(super) fn literals(sequence: &Sequence) -> impl Iterator<Item = &Value> {
    let args = sequence.steps().iter().flat_map(|step| match step {
        Step::Call { args, .. } => &args[..],
        Step::Drop(_) => &[],
    });
    args.filter_map(|arg| match arg {
        Arg::Literal(value) => Some(&**value),
        Arg::Slot(..) => None,
    })
}

/// The odd texts and numbers of a sequence, each once, in order.
pub(super) fn odd(sequence: &Sequence) -> Vec<Value> {
    let mut found = Vec::new();
    for value in leaves(sequence) {
        if is_odd(value) && !found.contains(value) {
            found.push(value.clone());
        }
    }
    found
}

/// Usual literals that the sequence does not have yet, to stand in place of an odd one.
pub(super) fn usual(odd: &Value, sequence: &Sequence) -> Vec<Value> {
    let usual: Vec<Value> = match odd {
        Value::Str(_) => USUAL_TEXTS
            .iter()
            .map(|it| Value::Str((*it).into()))
            .collect(),
        Value::Char(_) => ['a', 'b', 'c'].map(Value::Char).to_vec(),
        Value::UInt(_) => USUAL_NUMBERS.iter().map(|it| Value::UInt(*it)).collect(),
        Value::Int(n) => {
            let usual = USUAL_NUMBERS.iter();
            usual
                .map(|it| Value::Int(*it as i128 * n.signum()))
                .collect()
        }
        Value::F64(bits) => {
            let sign = f64::from_bits(*bits).signum();
            USUAL_FLOATS
                .map(|it| Value::F64((it * sign).to_bits()))
                .to_vec()
        }
        Value::F32(bits) => {
            let sign = f32::from_bits(*bits).signum();
            USUAL_FLOATS
                .map(|it| Value::F32((it as f32 * sign).to_bits()))
                .to_vec()
        }
        _ => Vec::new(),
    };
    let known: Vec<&Value> = leaves(sequence).collect();
    usual
        .into_iter()
        .filter(|it| !known.contains(&it))
        .collect()
}

/// The known texts that look most like this one. Whoever wrote them wrote what the crate is about.
pub(super) fn like(text: &str, known: &BTreeSet<String>, max: usize) -> Vec<String> {
    let letters = pairs(text);
    let is_plain =
        |it: &&String| it.len() > 1 && it.len() <= MAX_LIKE && it.chars().all(|c| !c.is_control());
    let mut found: Vec<(usize, &String)> = known
        .iter()
        .filter(is_plain)
        .map(|it| {
            let own = pairs(it);
            let n_shared = own.intersection(&letters).count();
            (own.len() + letters.len() - 2 * n_shared, it)
        })
        .collect();
    found.sort();
    found
        .into_iter()
        .take(max)
        .map(|(_, it)| it.clone())
        .collect()
}

/// The pairs of letters that follow each other in a text, and its letters.
fn pairs(text: &str) -> BTreeSet<(char, char)> {
    let letters = text.chars().zip(text.chars());
    letters
        .chain(text.chars().zip(text.chars().skip(1)))
        .collect()
}

/// The arguments that have this literal in them: their steps, their inputs, and what they are.
pub(super) fn places<'s>(sequence: &'s Sequence, part: &Value) -> Vec<(usize, usize, &'s Value)> {
    let mut found = Vec::new();
    for (step, call) in sequence.steps().iter().enumerate() {
        let Step::Call { args, .. } = call else {
            continue;
        };
        for (input, arg) in args.iter().enumerate() {
            if let Arg::Literal(value) = arg
                && value.any(&mut |it| it == part)
            {
                found.push((step, input, &**value));
            }
        }
    }
    found
}

/// A copy of the literal with one part exchanged wherever it stands.
pub(super) fn exchanged(value: &Value, old: &Value, new: &Value) -> Value {
    if value == old {
        return new.clone();
    }
    let all = |items: &[Value]| items.iter().map(|it| exchanged(it, old, new)).collect();
    match value {
        Value::List(items) => Value::List(all(items)),
        Value::Tuple(items) => Value::Tuple(all(items)),
        Value::Named { path, fields } => Value::Named {
            path: path.clone(),
            fields: fields
                .iter()
                .map(|(name, it)| (name.clone(), exchanged(it, old, new)))
                .collect(),
        },
        other => other.clone(),
    }
}

/// The texts and numbers in the literals of a sequence.
fn leaves(sequence: &Sequence) -> impl Iterator<Item = &Value> {
    let mut found = Vec::new();
    literals(sequence).for_each(|it| leaves_of(it, &mut found));
    found.into_iter()
}

/// The texts and numbers in a literal.
pub(super) fn leaves_of<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::List(items) | Value::Tuple(items) | Value::Unordered(items) => {
            items.iter().for_each(|it| leaves_of(it, found));
        }
        Value::Named { fields, .. } if !fields.is_empty() => {
            fields.iter().for_each(|(_, it)| leaves_of(it, found));
        }
        other => found.push(other),
    }
}

/// How long somebody looks at a literal who reads a test. Texts that the crate's people wrote need no
/// looking at.
pub(super) fn oddness(value: &Value, known: &BTreeSet<String>) -> usize {
    let mut leaves = Vec::new();
    leaves_of(value, &mut leaves);
    let n_extra = leaves.len().saturating_sub(SHORT_LIST * 2);
    let n_empty = leaves
        .iter()
        .filter(|it| matches!(it, Value::Str(text) if text.is_empty()));
    let n_empty = n_empty.count();
    let odd = leaves.into_iter().filter(|it| is_odd(it));
    let odd = odd.map(|it| match it {
        Value::Str(text) => {
            let n_strange = text
                .chars()
                .filter(|it| !it.is_ascii_graphic() && *it != ' ');
            let n_strange = n_strange.count();
            match known.contains(text) {
                true => text.len() / 24 + n_strange.min(2),
                false => 1 + text.len() / 6 + 2 * n_strange.min(3),
            }
        }
        Value::UInt(n) if n.is_multiple_of(10) || *n < 100 => 1,
        Value::Int(n) if n % 10 == 0 || n.abs() < 100 => 1,
        _ => 3,
    });
    n_extra / 2 + n_empty + odd.sum::<usize>()
}

/// How many texts are written as `String`. Numbers show the same with less to read.
pub(super) fn n_strings(world: &World, sequence: &Sequence) -> usize {
    let is_string =
        |ty: &Ty| matches!(ty, Ty::Adt { path, .. } if &**path == "std::string::String");
    let mut leaves = Vec::new();
    for step in sequence.steps() {
        let Step::Call { op, args, .. } = step else {
            continue;
        };
        for (input, arg) in world.signature(*op).inputs.iter().zip(args) {
            let ty = &world.catalogue.types.get(input.ty.ty).ty;
            if let Arg::Literal(value) = arg
                && ty.any(&mut |ty| is_string(ty))
            {
                leaves_of(value, &mut leaves);
            }
        }
    }
    let texts = leaves.iter().filter(|it| matches!(it, Value::Str(_)));
    texts.count()
}

/// Is it a literal that nobody would have thought of?
fn is_odd(value: &Value) -> bool {
    let is_odd_float = |x: f64| x.is_finite() && ((x * 4.0).fract() != 0.0 || x.abs() > 999.0);
    match value {
        Value::Str(text) => !text.is_empty() && !is_usual_text(text),
        Value::Char(letter) => !letter.is_ascii_alphanumeric(),
        Value::UInt(n) => *n > ODD_NUMBER && !is_limit(*n),
        Value::Int(n) => n.unsigned_abs() > ODD_NUMBER && !is_limit(n.unsigned_abs()),
        Value::F64(bits) => is_odd_float(f64::from_bits(*bits)),
        Value::F32(bits) => is_odd_float(f64::from(f32::from_bits(*bits))),
        _ => false,
    }
}

/// A text with several words and both cases, for calls that do something to a text.
pub(super) const GREETING: &str = "Hello World";

/// Is it a letter, the first letters of the alphabet, or what everybody writes?
fn is_usual_text(text: &str) -> bool {
    if text == GREETING {
        return true;
    }
    let is_letter = text.len() == 1 && text.chars().all(|c| c.is_ascii_lowercase());
    is_letter || text.len() <= SHORT_TEXT && "abcdefgh".starts_with(text)
}

/// Is it a limit of an integer type? Those are printed by name.
pub(super) fn is_limit(number: u128) -> bool {
    [8, 16, 32, 64, 128].iter().any(|bits| {
        let max = u128::MAX >> (128 - bits);
        number == max || number == max / 2 || number == max / 2 + 1
    })
}

/// Literals of the same type that are quicker to read, the quickest first. None if the literal is
/// short already.
pub(super) fn plainer(value: &Value) -> Vec<Value> {
    match value {
        Value::UInt(number) => smaller(*number).map(Value::UInt).collect(),
        Value::Int(number) => {
            let sign = number.signum();
            let smaller = smaller(number.unsigned_abs());
            smaller.map(|it| Value::Int(it as i128 * sign)).collect()
        }
        Value::Str(text) => {
            let letters: Vec<char> = text.chars().collect();
            let is_plain = |letter: &char| letter.is_ascii_graphic() || *letter == ' ';
            let is_odd = is_odd(value);
            let usual = USUAL_TEXTS.iter().filter(|_| is_odd);
            let usual = usual.map(|it| Value::Str((*it).to_owned()));
            if letters.len() <= SHORT_TEXT && letters.iter().all(is_plain) {
                let less = (0..letters.len())
                    .filter(|_| is_odd && letters.len() > 1)
                    .map(|i| {
                        let mut rest = letters.clone();
                        rest.remove(i);
                        Value::Str(rest.into_iter().collect())
                    });
                return usual.chain(less).collect();
            }
            let parts = parts(&letters).into_iter();
            let parts = parts.map(|it| Value::Str(it.into_iter().collect()));
            usual.chain(parts).collect()
        }
        Value::List(items) => {
            let shorter = match items.len() > SHORT_LIST {
                true => parts(items),
                false => Vec::new(),
            };
            let inner = within(items).map(Value::List);
            shorter.into_iter().map(Value::List).chain(inner).collect()
        }
        Value::Tuple(items) => within(items).map(Value::Tuple).collect(),
        Value::Named { path, fields } if path == "Some" => {
            let inner = fields.iter().flat_map(|(_, it)| plainer(it));
            inner.map(Value::some).collect()
        }
        _ => Vec::new(),
    }
}

/// Copies of the list, each with one item made plainer.
fn within(items: &[Value]) -> impl Iterator<Item = Vec<Value>> {
    items.iter().enumerate().flat_map(move |(i, item)| {
        plainer(item).into_iter().map(move |plain| {
            let mut all = items.to_vec();
            all[i] = plain;
            all
        })
    })
}

/// Smaller numbers with fewer digits. The limits of integer types stay, because they are printed by
/// name.
fn smaller(number: u128) -> impl Iterator<Item = u128> {
    let is_limit = is_limit(number);
    let is_small = number <= SMALL_NUMBER || is_limit;
    let is_odd = number > ODD_NUMBER && !is_limit;
    let usual = USUAL_NUMBERS.iter().copied().filter(move |_| is_odd);
    let round = [
        7,
        12,
        100,
        300,
        1_000,
        5_000,
        70_000,
        1_000_000,
        5_000_000_000,
    ];
    let n_digits = move |n: u128| n.checked_ilog10().unwrap_or(0);
    let below = [1, 2, 3, 4].map(|part| number - number / (part + 1));
    round
        .into_iter()
        .filter(move |it| n_digits(*it) < n_digits(number))
        .chain(
            below
                .into_iter()
                .filter(move |it| n_digits(*it) < n_digits(number)),
        )
        .filter(move |_| !is_small)
        .chain(usual)
}

/// Parts of a list: beginnings and ends of a few lengths, and the list without a piece, the
/// shortest first.
fn parts<T: Clone + PartialEq>(whole: &[T]) -> Vec<Vec<T>> {
    let n = whole.len();
    let lengths = [1, 3, SHORT_TEXT, n / 2, n - n / 4];
    let mut found: Vec<Vec<T>> = Vec::new();
    for length in lengths.into_iter().filter(|it| (1..n).contains(it)) {
        found.push(whole[..length].to_vec());
        found.push(whole[n - length..].to_vec());
    }
    let step = (n / 8).max(1);
    for i in (0..n).step_by(step) {
        let mut rest = whole.to_vec();
        rest.drain(i..(i + step).min(n));
        found.push(rest);
    }
    found.retain(|part| !part.is_empty());
    found.sort_by_key(Vec::len);
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left if every plainer value is taken that the predicate holds for.
    fn plainest(mut value: Value, is_good: impl Fn(&Value) -> bool) -> Value {
        while let Some(other) = plainer(&value).into_iter().find(|it| is_good(it)) {
            value = other;
        }
        value
    }

    #[test]
    fn noise_goes_and_what_is_short_stays() {
        let noise = Value::Str("1.9.0-a.lpa.lp11.00.1c144.a44".to_owned());
        let has_dash = |it: &Value| matches!(it, Value::Str(text) if text.contains('-'));
        assert_eq!(plainest(noise, has_dash), Value::Str("-".to_owned()));
        let usual = Value::Str("abc".to_owned());
        assert!(plainer(&usual).is_empty());
        let large = Value::UInt(18_446_744_073_709_551_557);
        assert_eq!(plainest(large, |_| true), Value::UInt(7));
        assert!(plainer(&Value::UInt(u128::from(u64::MAX))).is_empty());
        assert!(plainer(&Value::UInt(12)).is_empty());
        assert_eq!(plainest(Value::UInt(42), |_| true), Value::UInt(1));
        let items = Value::List([1, 2, 3, 4, 5].map(Value::UInt).to_vec());
        let has_four = |it: &Value| matches!(it, Value::List(list) if list.len() > 3);
        let four = Value::List([1, 2, 3, 4].map(Value::UInt).to_vec());
        assert_eq!(plainest(items, has_four), four);
    }
}
