//! Digests that are kept from one run to the next: they are the same in every process and in every
//! build of testsmith, which `std`'s and those of hash tables do not promise.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The digest of a value, the same in every process and build.
pub fn digest(what: &(impl Digest + ?Sized)) -> u64 {
    let mut bytes = Vec::new();
    what.feed(&mut bytes);
    testsmith_protocol::digest(&bytes)
}

/// Values that have a digest. Two values of one type that differ feed different bytes.
pub trait Digest {
    /// Appends bytes for everything that distinguishes the value.
    fn feed(&self, bytes: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($number:ty as $wide:ty),*) => {
        $(impl Digest for $number {
            fn feed(&self, bytes: &mut Vec<u8>) {
                bytes.extend(<$wide>::from(*self).to_le_bytes());
            }
        })*
    };
}

numbers!(bool as u8, u8 as u8, u32 as u32, u64 as u64);

impl Digest for usize {
    fn feed(&self, bytes: &mut Vec<u8>) {
        (*self as u64).feed(bytes);
    }
}

impl Digest for str {
    fn feed(&self, bytes: &mut Vec<u8>) {
        self.as_bytes().feed(bytes);
    }
}

impl Digest for String {
    fn feed(&self, bytes: &mut Vec<u8>) {
        self.as_str().feed(bytes);
    }
}

impl Digest for Path {
    fn feed(&self, bytes: &mut Vec<u8>) {
        self.as_os_str().as_encoded_bytes().feed(bytes);
    }
}

impl Digest for PathBuf {
    fn feed(&self, bytes: &mut Vec<u8>) {
        self.as_path().feed(bytes);
    }
}

impl<T: Digest> Digest for [T] {
    fn feed(&self, bytes: &mut Vec<u8>) {
        self.len().feed(bytes);
        self.iter().for_each(|it| it.feed(bytes));
    }
}

impl<T: Digest> Digest for Vec<T> {
    fn feed(&self, bytes: &mut Vec<u8>) {
        self.as_slice().feed(bytes);
    }
}

impl<T: Digest> Digest for BTreeSet<T> {
    fn feed(&self, bytes: &mut Vec<u8>) {
        self.len().feed(bytes);
        self.iter().for_each(|it| it.feed(bytes));
    }
}

impl<K: Digest, V: Digest> Digest for BTreeMap<K, V> {
    fn feed(&self, bytes: &mut Vec<u8>) {
        self.len().feed(bytes);
        self.iter().for_each(|it| it.feed(bytes));
    }
}

impl<T: Digest> Digest for Option<T> {
    fn feed(&self, bytes: &mut Vec<u8>) {
        self.is_some().feed(bytes);
        self.iter().for_each(|it| it.feed(bytes));
    }
}

impl<T: Digest + ?Sized> Digest for &T {
    fn feed(&self, bytes: &mut Vec<u8>) {
        (**self).feed(bytes);
    }
}

macro_rules! tuples {
    ($(($($part:ident $n:tt),*)),*) => {
        $(impl<$($part: Digest),*> Digest for ($($part,)*) {
            fn feed(&self, bytes: &mut Vec<u8>) {
                $(self.$n.feed(bytes);)*
            }
        })*
    };
}

tuples!((A 0, B 1), (A 0, B 1, C 2));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_what_it_was_in_earlier_builds() {
        assert_eq!(digest("a function"), 4322217283715927513);
        let kept = (Some("x"), vec![1_u64, 2]);
        assert_eq!(digest(&kept), 9789879837681577072);
    }

    #[test]
    fn where_one_part_ends_and_the_next_begins_counts() {
        assert_ne!(digest(&("ab", "c")), digest(&("a", "bc")));
        assert_ne!(digest(&vec!["a", ""]), digest(&vec!["a"]));
        assert_ne!(digest(&None::<u8>), digest(&Some(0_u8)));
    }
}
