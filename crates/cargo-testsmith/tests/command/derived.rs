//! Derived equalities are written out in a copy, and nobody notices but who counts.

use std::fs;

use crate::mutants::own_tests;
use crate::run::{expect_tests_pass, package, record, scratch, stderr, stdout, testsmith};

/// What could be compared in another way: the order of fields, bounds, patterns, packed fields, lines.
const CRATE: &str = r#"
#![forbid(unsafe_code)]
#![deny(warnings)]
use std::cell::RefCell;

thread_local! { static LOG: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) }; }

/// Says when it is compared.
#[derive(Clone, Copy, Debug)]
pub struct Loud(pub &'static str, pub u8);

impl PartialEq for Loud {
    fn eq(&self, other: &Loud) -> bool { LOG.with_borrow_mut(|log| log.push(self.0)); self.1 == other.1 }
}

#[derive(
    Clone, // by hand it would be longer
    PartialEq, /* this
    goes */ Debug
)]
pub struct Pair { pub a: Loud, pub b: Loud, pub n: u32 }

#[derive(core::cmp::PartialEq)]
pub struct Rest<'r, I: Iterator, const N: usize = 2>(pub &'r str, pub Vec<I::Item>, pub [I; N]) where I: Clone;

#[derive(PartialEq, Eq, Clone, Copy, Debug, PartialOrd, Ord, Hash)]
pub enum Mode { Up, Down(u8), Both { r#in: u8, out: bool } }

impl Mode { pub const FIRST: Mode = Mode::Down(1); }

/// A constant is a pattern.
pub fn is_first(mode: Mode) -> bool { match mode { Mode::FIRST => true, _ => false } }

#[derive(PartialEq, Debug, Clone, Copy)]
#[repr(C, packed)]
pub struct Packed<T>(pub u8, pub T);

#[derive(PartialEq, Eq, Debug)]
pub enum Never {}

#[derive(PartialEq)]
pub struct Tail<T: ?Sized> { pub n: u8, pub tail: T }

pub trait Boxed { fn id(&self) -> u8; }
impl PartialEq for dyn Boxed { fn eq(&self, other: &dyn Boxed) -> bool { self.id() == other.id() } }
impl Boxed for u8 { fn id(&self) -> u8 { *self } }

#[derive(PartialEq)]
pub enum Holds { One(Box<dyn Boxed>), #[cfg(test)] Two { #[cfg(test)] a: u8 } }

/// Nobody but the compiler may say what is equal.
macro_rules! made { ($name:ident) => { #[derive(PartialEq, Debug)] pub struct $name(pub u8); } }
made!(Made);

#[derive(PartialEq)]
pub struct Patchy { pub here: u8, #[cfg_attr(all(), cfg(any()))] pub gone: u8 }

#[cfg(test)]
mod tests {
    use super::*;

    fn compared<T: PartialEq>(a: &T, b: &T) -> (bool, Vec<&'static str>) {
        let is_equal = a == b;
        (is_equal, LOG.take())
    }

    #[test]
    fn fields_are_compared_in_the_order_of_the_derived_ones() {
        let pair = Pair { a: Loud("a", 1), b: Loud("b", 2), n: 3 };
        assert_eq!(compared(&pair, &pair.clone()), (true, vec!["a", "b"]));
        assert_eq!(compared(&pair, &Pair { n: 4, ..pair.clone() }), (false, vec![]));
        assert_eq!(compared(&pair, &Pair { a: Loud("c", 7), ..pair.clone() }), (false, vec!["a"]));
    }

    #[test]
    fn values_are_equal_as_before() {
        let rest = |text, item| Rest(text, vec![item], [0..1, 0..2]);
        assert!(rest("a", 1) == rest("a", 1) && rest("a", 1) != rest("a", 2));
        let both = Mode::Both { r#in: 1, out: true };
        assert!(both == both && both != Mode::Up && both != Mode::Both { r#in: 1, out: false });
        assert!(is_first(Mode::Down(1)) && !is_first(Mode::Down(2)));
        assert!(Packed(1, 7_u32) == Packed(1, 7) && Packed(1, 7) != Packed(1, 8));
        let tail: &Tail<[u8]> = &Tail { n: 1, tail: [1, 2] };
        assert!(*tail == *tail);
        let holds = |id: u8| Holds::One(Box::new(id));
        assert!(holds(1) == holds(1) && holds(1) != holds(2) && holds(1) != Holds::Two { a: 1 });
        assert!(Patchy { here: 1 } == Patchy { here: 1 } && Made(1) != Made(2));
        assert_eq!(line!(), 88);
    }
}
"#;

/// It is counted beside the crate's own code.
const COUNTED: &str = r#"
use small::__testsmith::{N_OWN_REGIONS, REGIONS};
use small::{Loud, Mode, Pair};
use std::sync::atomic::Ordering::Relaxed;

#[test]
fn derived_equalities_are_counted() {
    let counted = || {
        let n = |it: &std::sync::atomic::AtomicU64| it.load(Relaxed);
        let (own, derived) = REGIONS.split_at(N_OWN_REGIONS);
        (own.iter().map(n).sum::<u64>(), derived.iter().map(n).sum::<u64>())
    };
    assert!(Mode::Up != Mode::Down(1));
    assert_eq!(counted(), (0, 1));
    let pair = Pair { a: Loud("a", 1), b: Loud("b", 2), n: 3 };
    assert!(pair == pair.clone());
    // A function of the crate with a closure, twice.
    assert_eq!(counted(), (4, 2));
}
"#;

#[test]
fn a_derived_equality_is_seen_and_behaves_as_the_original() {
    let dir = scratch("derived");
    package(&dir, "", Some(CRATE));
    let output = testsmith(&dir, &["--json", "record.json", "mutants", "--list"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    assert_eq!(record["written_out"], 7);
    let derived = record["derived"].as_object().expect("types with reasons");
    assert!(derived.keys().eq(["Patchy"]), "{derived:?}");

    expect_tests_pass(&dir);
    fs::create_dir_all(dir.join("tests")).expect("writable");
    fs::write(dir.join("tests/counted.rs"), COUNTED).expect("writable");
    let copy = record["copy"].as_str().expect("it says where the copy is");
    let output = own_tests(&dir, copy, 0);
    let said = stdout(&output);
    assert!(output.status.success(), "{said}{}", stderr(&output));
    for test in [
        "values_are_equal_as_before",
        "derived_equalities_are_counted",
    ] {
        assert!(said.contains(&format!("{test} ... ok")), "{said}");
    }
}
