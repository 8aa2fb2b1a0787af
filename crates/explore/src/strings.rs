//! Makes strings from strings, because the branches of parsers lie between the literals that the
//! source has.

use crate::rng::Rng;

/// Longer strings are cut, because they would only be slow.
const MAX_CHARS: usize = 120;

/// How many of a hundred changes that add a letter repeat a part many times instead.
const REPEATED_PERCENT: usize = 5;

/// Strings that are always worth a try.
pub(crate) const EDGES: [&str; 12] = [
    "", "a", "b", "ab", "abc", "0", "1", " ", "A", "é", "a b", "-1",
];

/// The string with a few changes. Parts may come from `other`, and new letters from `letter`.
pub(crate) fn mutate(
    text: &str,
    other: &str,
    rng: &mut Rng,
    mut letter: impl FnMut(&mut Rng) -> char,
) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let other: Vec<char> = other.chars().collect();
    // Mostly there is one change. Several are needed now and then to get from one form to another.
    let n_changes = [1, 1, 1, 1, 2, 2, 3, 4][rng.below(8)];
    for _ in 0..n_changes {
        change(&mut chars, &other, rng, &mut letter);
    }
    chars.truncate(MAX_CHARS);
    chars.into_iter().collect()
}

fn change(
    chars: &mut Vec<char>,
    other: &[char],
    rng: &mut Rng,
    letter: &mut impl FnMut(&mut Rng) -> char,
) {
    let at = rng.below(chars.len() + 1);
    let is_inside = at < chars.len();
    let part = |len: usize, rng: &mut Rng| {
        let start = rng.below(len + 1);
        let end = (start + 1 + rng.below(6)).min(len);
        start..end
    };
    match rng.below(11) {
        // Removes, replaces or doubles a letter, or changes its case.
        0 | 1 if is_inside => {
            chars.remove(at);
        }
        2 if is_inside => chars[at] = letter(rng),
        3 if is_inside => chars.insert(at, chars[at]),
        4 if is_inside => chars[at] = swap_case(chars[at]),
        // Takes the next or the previous digit, because numbers in text have boundaries, too.
        5 if is_inside => {
            if let Some(digit) = chars[at].to_digit(10) {
                let digit = (digit + [1, 9][rng.below(2)]) % 10;
                chars[at] = char::from_digit(digit, 10).unwrap_or('0');
            } else {
                chars.insert(at, letter(rng));
            }
        }
        // Removes or doubles a part, inserts one of the other string, or joins the head of one
        // string with the tail of the other.
        6 => {
            chars.drain(part(chars.len(), rng));
        }
        7 => {
            let copy: Vec<char> = chars[part(chars.len(), rng)].to_vec();
            chars.splice(at..at, copy);
        }
        8 => {
            let lent = other[part(other.len(), rng)].iter().copied();
            chars.splice(at..at, lent);
        }
        9 => {
            chars.truncate(at);
            let from = rng.below(other.len() + 1);
            chars.extend(&other[from..]);
        }
        // Buffers have ends, and few texts are long by themselves.
        _ if is_inside && rng.chance(REPEATED_PERCENT) => {
            let repeated = chars[at..(at + 1 + rng.below(6)).min(chars.len())].to_vec();
            let n_times = 4 << rng.below(5);
            chars.splice(at..at, repeated.repeat(n_times));
        }
        _ => chars.insert(at, letter(rng)),
    }
}

fn swap_case(c: char) -> char {
    match c.is_lowercase() {
        true => c.to_uppercase().next().unwrap_or(c),
        false => c.to_lowercase().next().unwrap_or(c),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn mutants_are_many_near_and_not_longer_than_allowed() {
        let mut rng = Rng::new(5);
        let mut mutants = BTreeSet::new();
        for _ in 0..3000 {
            let mutant = mutate("1.2.3-alpha", "x y", &mut rng, |_| '+');
            assert!(mutant.chars().count() <= MAX_CHARS);
            mutants.insert(mutant);
        }
        assert!(mutants.len() > 400, "{}", mutants.len());
        for expected in ["1.2.3-alphA", "1.2.3-alpha+", "1.2.4-alpha", "1.2.-alpha"] {
            assert!(mutants.contains(expected), "{expected}");
        }
    }

    #[test]
    fn nothing_can_be_mutated_too() {
        let mut rng = Rng::new(6);
        for _ in 0..100 {
            mutate("", "", &mut rng, |_| 'x');
        }
    }
}
