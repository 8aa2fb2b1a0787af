//! Laws that values break are found, and those that hold are not complained of.

use std::fs;
use std::path::Path;

use crate::run::{package, record, scratch, stderr, testsmith};

/// A law of two values, one of three, a copy that is none, what is dropped twice or never, an
/// invariant, and a law of the user's.
const CRATE: &str = r#"
use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// About the same is the same.
#[derive(Clone, Debug)]
pub struct Warmth(i32);
impl Warmth { pub fn new(degrees: i32) -> Warmth { Warmth(degrees) } }
impl PartialEq for Warmth {
    fn eq(&self, other: &Warmth) -> bool { self.0.abs_diff(other.0) <= SLACK }
}

/// Capitals don't matter.
#[derive(Clone, Debug)]
pub struct User(String);
impl User { pub fn new(name: &str) -> User { User(name.to_owned()) } }
impl PartialEq for User {
    fn eq(&self, other: &User) -> bool { self.0.eq_ignore_ascii_case(&other.0) }
}
impl Eq for User {}
impl Hash for User {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if BROKEN { self.0.hash(state) } else { self.0.to_ascii_lowercase().hash(state) }
    }
}

/// Its clones are on their own.
#[derive(Debug)]
pub struct Board(Rc<RefCell<Vec<u8>>>);
impl Board {
    pub fn new() -> Board { Board(Rc::default()) }
    pub fn put(&mut self, n: u8) { self.0.borrow_mut().push(n) }
}
impl Clone for Board {
    fn clone(&self) -> Board {
        if BROKEN { Board(self.0.clone()) } else { Board(Rc::new(RefCell::new(self.0.borrow().clone()))) }
    }
}

/// It is never too full.
#[derive(Debug)]
pub struct Cup(u8);
impl Cup {
    pub fn new() -> Cup { Cup(0) }
    pub fn pour(&mut self) { self.0 = (self.0 + 1).min(if BROKEN { 6 } else { 5 }) }
    pub fn rep_ok(&self) -> bool { self.0 <= 5 }
}

/// Holds things until it goes.
pub struct Bag<T>(Vec<std::mem::ManuallyDrop<T>>);
impl<T> Bag<T> {
    pub fn new() -> Bag<T> { Bag(Vec::new()) }
    pub fn put(&mut self, thing: T) { self.0.push(std::mem::ManuallyDrop::new(thing)) }
    pub fn lose(&mut self) {
        let last = self.0.pop();
        if !BROKEN { last.map(std::mem::ManuallyDrop::into_inner); }
    }
}
impl<T> Drop for Bag<T> {
    fn drop(&mut self) { for thing in self.0.drain(..) { drop(std::mem::ManuallyDrop::into_inner(thing)) } }
}

/// Half of a number.
pub fn half(n: u8) -> Half { Half(if BROKEN && n == 7 { 4 } else { n / 2 }, n) }
/// And the number.
#[derive(Debug)]
pub struct Half(u8, u8);
impl Half {
    pub fn half(&self) -> u8 { self.0 }
    pub fn whole(&self) -> u8 { self.1 }
}
"#;

const MAKERS: &str = "use small::{Cup, Half};\n\
    pub fn is_half(half: &Half) -> bool { half.half() == half.whole() / 2 }\n\
    pub fn is_cup(_: &Cup, half: &Half) -> bool { half.half() <= half.whole() }\n";

fn suspicious(dir: &Path, broken: bool) -> Vec<String> {
    let slack = if broken { 1 } else { 0 };
    let consts = format!("const BROKEN: bool = {broken};\nconst SLACK: u32 = {slack};\n");
    package(dir, "", Some(&format!("{CRATE}{consts}")));
    fs::write(dir.join("makers.rs"), MAKERS).expect("written");
    fs::write(dir.join("testsmith.toml"), "makers = \"makers.rs\"\n").expect("written");
    // The other crate would be this one with behaviour that changed.
    let args = [
        "--fresh",
        "--calls",
        "150000",
        "--json",
        "record.json",
        "-q",
    ];
    let output = testsmith(dir, &args);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(dir);
    assert!(
        record["laws"]["asked"].as_u64() > Some(1000),
        "{}",
        record["laws"]
    );
    let failures = record["failures"].as_array().expect("they are listed");
    let failures = failures.iter().filter(|it| it["verdict"] == "suspicious");
    let text = |it: &serde_json::Value| it["name"].as_str().unwrap_or_default().to_owned();
    failures.map(text).collect()
}

#[test]
fn broken_laws_are_found_and_others_are_not() {
    let dir = scratch("laws");
    let found = suspicious(&dir, true);
    for law in [
        "eq-transitive <small::Warmth> is broken",
        "hash <small::User> is broken",
        "clone-alias clone put <small::Board> is broken",
        "contract rep_ok <small::Cup> is broken",
        "drop <small::Bag<stand_ins::Counted>> is broken",
        "law is_half <small::Half> is broken",
    ] {
        assert!(
            found.iter().any(|it| it == law),
            "{law} is not in {found:?}"
        );
    }
    let none = suspicious(&dir, false);
    assert!(none.is_empty(), "{none:?}");
}
