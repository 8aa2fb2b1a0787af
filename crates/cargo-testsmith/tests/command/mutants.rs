//! One copy of a crate with all its mutants, and with derived equalities written out.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::run::{expect_tests_pass, package, record, scratch, stderr, stdout, testsmith};

/// What a copy could get wrong: the order of drops, constants, lines, moves.
const CRATE: &str = r#"
#![forbid(unsafe_code)]
#![deny(warnings)]
use std::cell::RefCell;

pub type Log = RefCell<Vec<String>>;

/// Says when it goes.
pub struct Loud<'l>(pub &'static str, pub &'l Log);

impl Drop for Loud<'_> {
    fn drop(&mut self) { self.1.borrow_mut().push(format!("-{}", self.0)); }
}

impl Loud<'_> {
    fn weight(&self) -> u32 { self.1.borrow_mut().push(format!("+{}", self.0)); 2 }
}

/// Temporaries go at the end of the statement, the youngest first; those of a condition before.
pub fn sum(log: &Log) -> u32 {
    let n = Loud("a", log).weight()
        + Loud("b", log).weight(); // over lines
    if Loud("c", log).weight() > 1 && Loud("d", log).weight() > 1 { log.borrow_mut().push("then".into()); }
    let least = Loud("e", log).weight().min(7);
    n + least
}

/// A constant needs it.
pub const fn double(n: u32) -> u32 { n * 2 }
pub const EIGHT: [u8; double(4) as usize] = [0; double(4) as usize];

/// No constant needs it.
pub const fn triple(n: u32) -> u32 { n * 3 } pub fn new(log: &Log) -> Loud<'_> { Loud("f", log) }

/// What a literal refers to lives for ever.
pub fn forever(is_long: bool) -> &'static u8 { if is_long { &7 } else { &1 } }

pub fn name(n: u8) -> String {
    let mut text = String::from("n");
    text.push_str(match n { 0 => "one", 1 | 2 if text.len() == 1 => "few", _ => "many" });
    text
}

#[cfg(feature = "never")]
pub fn nowhere() -> u32 { 1 + 1 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_in_order() {
        let log = Log::default();
        assert_eq!(sum(&log), 6);
        let expected = ["+a", "+b", "-b", "-a", "+c", "-c", "+d", "-d", "then", "+e", "-e"];
        assert_eq!(*log.borrow(), expected);
        assert_eq!(line!(), 57);
    }

    #[test]
    fn numbers() {
        assert_eq!((double(4), triple(4), EIGHT.len()), (8, 12, 8));
        assert_eq!((*forever(true), *forever(false)), (7, 1));
        assert_eq!([name(0), name(1), name(2), name(3)], ["none", "nfew", "nfew", "nmany"]);
    }
}
"#;

/// What could be compared in another way: the order of fields, bounds, patterns, packed fields, lines.
const DERIVED: &str = r#"
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
use small::derived::{Loud, Mode, Pair};
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

/// The package's own tests on its copy.
fn own_tests(dir: &Path, copy: &str, mutant: u64) -> Output {
    let mut command = Command::new("cargo");
    command
        .args(["test", "--tests", "--target-dir", "copied"])
        .current_dir(dir)
        .env("RUSTC_WRAPPER", env!("CARGO_BIN_EXE_cargo-testsmith"))
        .env("TESTSMITH_INSTRUMENT", "small")
        .env("TESTSMITH_COPY", copy)
        .env("TESTSMITH_MUTANT", mutant.to_string());
    command.output().expect("cargo runs")
}

#[test]
fn a_copy_with_nothing_active_behaves_as_the_original_and_each_mutant_is_noticed() {
    let dir = scratch("mutants");
    // Its dependency is a crate of the same name, which the test that counts calls by another.
    let older = "[dependencies]\nelder = { package = \"older\", path = \"older\" }\n\
                 [features]\nnever = []\n";
    package(&dir, older, Some(&format!("{CRATE}pub mod derived;\n")));
    fs::write(dir.join("src/derived.rs"), DERIVED).expect("writable");
    fs::create_dir_all(dir.join("older/src")).expect("it can be made");
    let manifest = "package = { name = 'older', edition = '2024' }\nlib = { name = 'small' }\n";
    fs::write(dir.join("older/Cargo.toml"), manifest).expect("it can be written");
    let source = "pub fn older(n: u32) -> u32 { n + 1 }";
    fs::write(dir.join("older/src/lib.rs"), source).expect("it can be written");
    let before = fs::read_to_string(dir.join("src/lib.rs")).expect("it is there");
    let output = testsmith(&dir, &["--json", "record.json", "mutants", "--list"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(
        fs::read_to_string(dir.join("src/lib.rs")).ok(),
        Some(before)
    );

    let record = record(&dir);
    let copy = record["copy"].as_str().expect("it says where the copy is");
    let mutants = record["mutants"].as_array().expect("they are listed");
    let of = |function: &str, replacement: &str| {
        let mut mutants = mutants.iter();
        let is_it = |it: &&serde_json::Value| {
            it["function"] == function && it["replacement"] == replacement
        };
        mutants
            .find(is_it)
            .unwrap_or_else(|| panic!("{function}: {replacement} is proposed"))
    };
    assert!(
        of("double", "n / 2")["reason"]
            .as_str()
            .is_some_and(|it| it.contains("E0015"))
    );
    let left_alone = ["nowhere", "older"];
    assert!(
        !mutants
            .iter()
            .any(|it| left_alone.iter().any(|name| it["function"] == *name))
    );
    let accepted = |it: &&serde_json::Value| it["status"] != "unviable";
    assert!(
        mutants.iter().filter(accepted).count() > 60,
        "{}",
        stdout(&output)
    );

    // Derived equalities are written out there.
    assert_eq!(record["written_out"], 7);
    let derived = record["derived"].as_object().expect("types with reasons");
    assert!(derived.keys().eq(["derived::Patchy"]), "{derived:?}");

    expect_tests_pass(&dir);
    fs::create_dir_all(dir.join("tests")).expect("writable");
    fs::write(dir.join("tests/counted.rs"), COUNTED).expect("writable");
    let untouched = own_tests(&dir, copy, 0);
    let said = stdout(&untouched);
    assert!(untouched.status.success(), "{said}{}", stderr(&untouched));
    for test in [
        "drops_are_in_order",
        "fields_are_compared_in_the_order_of_the_derived_ones",
        "values_are_equal_as_before",
        "derived_equalities_are_counted",
    ] {
        assert!(said.contains(&format!("{test} ... ok")), "{said}");
    }
    for (function, replacement) in [
        ("triple", "n / 3"),
        ("forever", "&0"),
        ("name", "(deleted)"),
        ("Loud<'_>::weight", "return 0"),
    ] {
        let mutant = of(function, replacement);
        assert_eq!(mutant["status"], "pending", "{mutant}");
        let id = mutant["id"].as_u64().expect("a number");
        let output = own_tests(&dir, copy, id);
        assert!(
            stdout(&output).contains("FAILED"),
            "{mutant} is not noticed"
        );
    }
}

#[test]
fn mutants_behave_as_if_they_were_edited_in() {
    let dir = scratch("mutants-verified");
    package(&dir, "[features]\nnever = []\n", Some(CRATE));
    // A crate of the same name, which has no mutants, and needs a constant.
    let test = "static THREE: u32 = small::triple(1);\n\
                #[test] fn three() { let _ = THREE; }\n";
    fs::create_dir_all(dir.join("tests")).expect("writable");
    fs::write(dir.join("tests/small.rs"), test).expect("writable");
    let before = fs::read_to_string(dir.join("src/lib.rs")).expect("it is there");
    let output = testsmith(
        &dir,
        &[
            "--json",
            "record.json",
            "mutants",
            "--verify",
            "8",
            "--verify-refused",
            "3",
            "--seed",
            "1",
        ],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("edited in: agreed 8 of 8"),
        "{}",
        stdout(&output)
    );
    let record = record(&dir);
    let verified = record["verified"].as_array().expect("they are listed");
    let is_noticed = |it: &&serde_json::Value| {
        let said = it["copied"].as_str().expect("text");
        said.contains("noticed by lib small")
    };
    assert!(
        verified.iter().filter(is_noticed).count() > 2,
        "{verified:?}"
    );
    let alone = record["alone"].as_array().expect("they are listed");
    assert!(!alone.is_empty());
    assert!(alone.iter().all(|it| it["compiles"] == false), "{alone:?}");
    let after = fs::read_to_string(dir.join("src/lib.rs"));
    assert_eq!(after.ok(), Some(before));
    assert!(!dir.join("Cargo.lock").exists());
}
