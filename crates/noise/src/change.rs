//! Changes to samples: bytes, numbers, words, pieces that are repeated or come from another sample.

use std::ops::Range;

/// Numbers that lie at edges.
const EDGES: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// Words that formats take in odd ways.
const WORDS: [&str; 24] = [
    "null",
    "true",
    "-1",
    "1e999",
    "0",
    "18446744073709551616",
    "\"\"",
    "{}",
    "[]",
    "\u{202e}",
    "\u{0}",
    "\r\n",
    "\u{1b}[2J",
    "\\u0000",
    "../..",
    "crate",
    "self",
    "r#type",
    "'",
    "\u{10ffff}",
    "%",
    "::",
    "#[x]",
    "//",
];

/// The most times that a piece is repeated. What reads recursively must not run out of its stack.
const MOST_REPEATS: u64 = 1 << 16;
const MAX_BYTES: usize = 1 << 20;

/// A small generator of random numbers (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }
}

/// A sample with a few changes.
pub(crate) fn changed(random: &mut Random, samples: &[Vec<u8>], kept: &[Vec<u8>]) -> Vec<u8> {
    let base = match kept.is_empty() || random.below(3) == 0 {
        true => random.of(samples),
        false => random.of(kept),
    };
    let mut bytes = base.clone();
    for _ in 0..1 + random.below(5) {
        let other = random.of(samples);
        change(random, &mut bytes, other);
        bytes.truncate(MAX_BYTES);
    }
    bytes
}

fn change(random: &mut Random, bytes: &mut Vec<u8>, other: &[u8]) {
    let at = random.below(bytes.len() + 1);
    let put = |bytes: &mut Vec<u8>, range: Range<usize>, with: &[u8]| {
        bytes.splice(range, with.iter().copied());
    };
    match random.below(12) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => bytes[at] = random.next() as u8,
        2 => bytes.truncate(at),
        3 => {
            let range = piece(random, bytes);
            put(bytes, range, &[]);
        }
        4 => {
            let with = other[piece(random, other)].to_vec();
            put(bytes, at..at, &with);
        }
        // A number of the wire, or a part of one.
        5 => {
            let n_bytes = [1, 2, 4, 8][random.below(4)];
            let number = random.of(&EDGES).to_le_bytes();
            let end = (at + n_bytes).min(bytes.len());
            put(bytes, at..end, &number[..n_bytes]);
        }
        // Something short, very often: parentheses, tags, lines.
        6 => {
            let range = piece(random, bytes);
            let short = range.start..range.end.min(range.start + 1 + random.below(12));
            let n = 1 << random.below(MOST_REPEATS.ilog2() as usize + 1);
            let many = bytes[short.clone()].repeat(n);
            put(bytes, short, &many[..many.len().min(MAX_BYTES)]);
        }
        7 => {
            let word = random.of(&WORDS).as_bytes();
            put(bytes, at..at, word);
        }
        // A word in place of another.
        8 | 9 => {
            let range = word(random, bytes);
            let with = match random.below(4) {
                0 => random.of(&WORDS).as_bytes().to_vec(),
                1 => other[word(random, other)].to_vec(),
                _ => bytes[word(random, bytes)].to_vec(),
            };
            put(bytes, range, &with);
        }
        // A line twice, or not at all.
        10 => {
            let from = bytes[..at].iter().rposition(|it| *it == b'\n');
            let from = from.map_or(0, |it| it + 1);
            let to = bytes[at..].iter().position(|it| *it == b'\n');
            let line = from..to.map_or(bytes.len(), |it| at + it + 1);
            let twice = bytes[line.clone()].repeat(2 * random.below(2));
            put(bytes, line, &twice);
        }
        // What opens and does not close.
        _ => {
            let opening = random.of(&[
                "(", "[", "{", "<", "&", "-", "a.", "\"", "/*", "[[", "{\"a\":",
            ]);
            let n = 1 << random.below(MOST_REPEATS.ilog2() as usize + 1);
            put(bytes, at..at, opening.repeat(n).as_bytes());
        }
    }
}

/// Some bytes that follow each other, few more often than many.
fn piece(random: &mut Random, bytes: &[u8]) -> Range<usize> {
    let start = random.below(bytes.len() + 1);
    let most = 1 << random.below(12);
    start..bytes.len().min(start + random.below(most))
}

/// A word or a number of the text.
fn word(random: &mut Random, bytes: &[u8]) -> Range<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let at = random.below(bytes.len() + 1);
    let start = bytes[at..]
        .iter()
        .position(is_part)
        .map_or(at, |it| at + it);
    let n = bytes[start..].iter().take_while(|it| is_part(it)).count();
    start..start + n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_input() {
        let samples = [
            b"{\"a\": [1, 2, \"b\"]}\n".to_vec(),
            b"fn a() {}\n".to_vec(),
        ];
        let inputs = |seed: u64| -> Vec<_> {
            let make = |n| changed(&mut Random::new(seed + n), &samples, &[]);
            (0..200).map(make).collect()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(1000));
        assert!(inputs(1).iter().any(|it| it.len() > 1000));
    }

    #[test]
    fn nothing_at_all_can_be_changed_too() {
        for seed in 0..500 {
            changed(&mut Random::new(seed), &[Vec::new()], &[]);
        }
    }
}
