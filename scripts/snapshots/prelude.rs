//! Random values, and what becomes of their snapshots. A crate's own part follows: `fn value`.

use std::collections::BTreeMap;

/// A small generator of numbers.
pub struct Random(u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    pub fn one<'o, T>(&mut self, of: &'o [T]) -> &'o T {
        &of[self.below(of.len() as u64) as usize]
    }

    pub fn list<T>(&mut self, make: impl Fn(&mut Random) -> T) -> Vec<T> {
        (0..self.below(9)).map(|_| make(self)).collect()
    }

    pub fn text(&mut self) -> String {
        let letters = self.list(|it| *it.one(&['a', 'b', 'Z', '0', '7', '-', '.', '%', ' ', 'ß']));
        letters.into_iter().collect()
    }
}

/// How often a type's values were restored, and what else happened.
#[derive(Default)]
pub struct Seen {
    restored: u64,
    opaque: u64,
    cut: u64,
    refused: u64,
    different: u64,
    unequal: u64,
}

#[derive(Default)]
pub struct Judge(BTreeMap<&'static str, Seen>);

impl Judge {
    /// A value is the same again if its snapshot is.
    pub fn same<T>(&mut self, value: &T) {
        self.judge(value, |_, _| true);
    }

    /// Its own notion of sameness agrees.
    pub fn equal<T: PartialEq>(&mut self, value: &T) {
        self.judge(value, |a, b| a == b || a != a);
    }

    fn judge<T>(&mut self, value: &T, is_equal: fn(&T, &T) -> bool) {
        use krate::__testsmith::{IS_CUT, IS_OPAQUE, restore, snapshot};
        let seen = self.0.entry(std::any::type_name::<T>()).or_default();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let flags = snapshot(value, &mut before);
        if flags & IS_OPAQUE != 0 {
            seen.opaque += 1;
        } else if flags & IS_CUT != 0 {
            seen.cut += 1;
        } else {
            match restore::<T>(&before) {
                None => seen.refused += 1,
                Some(again) => {
                    seen.restored += 1;
                    let flags = snapshot(&again, &mut after);
                    seen.different += u64::from(flags != 0 || before != after);
                    seen.unequal += u64::from(!is_equal(value, &again));
                }
            }
        }
    }
}

fn main() {
    let n: u64 = std::env::args().nth(1).and_then(|it| it.parse().ok()).expect("a number");
    let (mut judge, mut random) = (Judge::default(), Random(88172645463325252));
    for _ in 0..n {
        value(&mut random, &mut judge);
    }
    for (name, it) in judge.0 {
        println!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}",
            it.restored, it.different, it.unequal, it.refused, it.opaque, it.cut, name
        );
    }
}
