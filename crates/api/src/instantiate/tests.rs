//! Rust in, operations out.

use expect_test::{Expect, expect};

use super::{InstantiateOptions, instantiate, is_literal};
use crate::operation::{Catalogue, Operation, Pass};
use crate::testing::{TestNames, read_source};
use crate::ty::{GenericArg, Names, Prim, Ty};

#[test]
fn foreign_bytes_of_rustdoc_are_read_or_refused() {
    let json = crate::testing::document(
        "pub mod m { pub use super::Stack as Pile; pub trait Look<'a, T: 'a> { type Seen: Clone; \
             const N: usize = 3; fn look(&'a self, other: &mut T) -> Option<Self::Seen>; } }\n\
         /// A stack.\n#[derive(Clone, Debug, PartialEq)] pub struct Stack<T = u8> { items: Vec<T> }\n\
         impl<T: Ord + Clone> Stack<T> { pub fn new() -> Self { Stack { items: Vec::new() } }\n\
             /// # Panics\n/// If empty.\n pub fn pop(&mut self) -> Result<T, Error> { todo!() }\n\
             pub fn each(&self, f: impl Fn(&T) -> bool) -> impl Iterator<Item = &T> { self.items.iter() } }\n\
         impl<'a, T: 'a + Clone> m::Look<'a, [T; 3]> for Stack<T> { type Seen = T;\n\
             fn look(&'a self, _: &mut [T; 3]) -> Option<T> { None } }\n\
         pub enum Error { Empty, At(usize), Named { name: String } }\n\
         pub type Bytes<'a> = &'a [u8];\n\
         pub const MOST: u32 = 7;\n\
         pub async fn wait(bytes: Bytes<'_>) -> u8 { 1 }\n\
         pub unsafe fn danger(at: *const u8, f: fn(u8) -> u8) {}\n\
         pub fn grid<const N: usize>(cells: [[char; N]; 2]) -> Box<dyn Iterator<Item = char>> { todo!() }\n",
        std::path::Path::new("rustdoc"),
    );
    testsmith_noise::throw("rustdoc", &[json.into_bytes()], |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let api = match crate::rustdoc::read(&text, &Default::default()) {
            Ok(api) => api,
            Err(error) => return testsmith_noise::plain(&error.to_string()),
        };
        let n_callables = api.callables.len();
        let catalogue = instantiate(api, &InstantiateOptions::default());
        let operations = catalogue.operations.iter();
        let n_bytes: usize = operations.map(|it| render(&catalogue, it).len()).sum();
        format!("{n_callables} {}", n_bytes / 100)
    });
}

fn render(catalogue: &Catalogue, operation: &Operation) -> String {
    let names = &TestNames;
    let signature = &operation.signature;
    let region = |r| names.region(r).unwrap_or_default();
    let inputs: Vec<String> = signature
        .inputs
        .iter()
        .map(|input| {
            let ty = catalogue.types.restore(&input.ty).render(names);
            match input.pass {
                Pass::Value => ty,
                Pass::Shared(r) => format!("SHARED {} {ty}", region(r)),
                Pass::Mut(r) => format!("MUT {} {ty}", region(r)),
            }
        })
        .collect();
    let output = catalogue.types.restore(&signature.output).render(names);
    let mut line = format!("{}\n    ({}) -> {output}", operation.key, inputs.join(", "));
    for (longer, shorter) in &signature.outlives {
        line += &format!(" where {}: {}", region(*longer), region(*shorter));
    }
    line
}

fn check(source: &str, expected: Expect) {
    let catalogue = instantiate(read_source(source), &InstantiateOptions::default());
    let mut lines: Vec<String> = catalogue
        .operations
        .iter()
        .map(|operation| render(&catalogue, operation))
        .collect();
    for (id, reason) in &catalogue.skipped {
        let key = &catalogue.api.callables[id.0 as usize].key;
        lines.push(format!("SKIPPED {key}: {reason}"));
    }
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn methods_of_one_type_agree_on_its_instances() {
    check(
        r#"
        pub struct Bag<T>(Vec<T>);
        impl<T> Bag<T> { pub fn new() -> Self { Bag(vec![]) } pub fn len(&self) -> usize { 0 } }
        impl<T: Ord + Clone> Bag<T> { pub fn max(&self) -> Option<&T> { None } }
        "#,
        expect![[r#"
            again len <krate::Bag<u8>>
                (SHARED '0 krate::Bag<u8>) -> ()
            again max <krate::Bag<u8>>
                (SHARED '0 krate::Bag<u8>) -> ()
            krate::Bag<T>::len::<T = std::string::String>
                (SHARED '0 krate::Bag<std::string::String>) -> usize
            krate::Bag<T>::len::<T = u8>
                (SHARED '0 krate::Bag<u8>) -> usize
            krate::Bag<T>::max::<T = std::string::String>
                (SHARED '0 krate::Bag<std::string::String>) -> std::option::Option<&'0 std::string::String>
            krate::Bag<T>::max::<T = u8>
                (SHARED '0 krate::Bag<u8>) -> std::option::Option<&'0 u8>
            krate::Bag<T>::new::<T = std::string::String>
                () -> krate::Bag<std::string::String>
            krate::Bag<T>::new::<T = u8>
                () -> krate::Bag<u8>
            unwrap Some (std::option::Option<&std::string::String>) -> &std::string::String
                (std::option::Option<&'0 std::string::String>) -> &'0 std::string::String
            unwrap Some (std::option::Option<&u8>) -> &u8
                (std::option::Option<&'0 u8>) -> &'0 u8
        "#]],
    );
}

#[test]
fn a_special_bound_decides_for_the_whole_type() {
    check(
        r#"
        pub trait Shape { const SIDES: u8; }
        pub struct Square; impl Shape for Square { const SIDES: u8 = 4; }
        pub struct Grid<S>(S);
        impl<S: Shape> Grid<S> { pub fn new(s: S) -> Self { Grid(s) } pub fn sides(&self) -> u8 { S::SIDES } }
        pub trait Nobody {}
        pub fn alone<T: Nobody>(t: T) {}
        "#,
        expect![[r#"
            again sides <krate::Grid<krate::Square>>
                (SHARED '0 krate::Grid<krate::Square>) -> ()
            krate::Grid<S>::new::<S = krate::Square>
                (krate::Square) -> krate::Grid<krate::Square>
            krate::Grid<S>::sides::<S = krate::Square>
                (SHARED '0 krate::Grid<krate::Square>) -> u8
            krate::Square { .. }
                () -> krate::Square
            SKIPPED krate::alone: no type known for `T: krate::Nobody`
        "#]],
    );
}

#[test]
fn a_formatter_is_nobodys_input() {
    check(
        r#"
        use std::fmt;
        pub fn first(f: &mut fmt::Formatter, n: u8) -> fmt::Result { Ok(()) }
        pub fn by(n: &str, f: &mut fmt::Formatter<'_>, with: impl Fn(&u8) -> u8) -> fmt::Result { Ok(()) }
        pub fn width(f: &fmt::Formatter<'_>) -> usize { 0 }
        pub fn both(f: &mut fmt::Formatter, g: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
        "#,
        expect![[r#"
            krate::by::<impl0 = std::boxed::Box<dyn std::ops::Fn(&u8) -> u8>>
                (&'0 str, SHARED '4 std::boxed::Box<dyn for<'b0> std::ops::Fn(&'b0 u8) -> u8 + '3>) -> std::string::String
            krate::first
                (u8) -> std::string::String
            move |_| {0} (u8) -> std::boxed::Box<dyn std::ops::Fn(&u8) -> u8>
                (u8) -> std::boxed::Box<dyn for<'b0> std::ops::Fn(&'b0 u8) -> u8 + '0>
            move |a| a.wrapping_add({0}) (u8) -> std::boxed::Box<dyn std::ops::Fn(&u8) -> u8>
                (u8) -> std::boxed::Box<dyn for<'b0> std::ops::Fn(&'b0 u8) -> u8 + '0>
            std::cell::RefCell::new(vec![]) () -> std::cell::RefCell<std::vec::Vec<u8>>
                () -> std::cell::RefCell<std::vec::Vec<u8>>
            {0}.as_str() (&std::string::String) -> &str
                (SHARED '0 std::string::String) -> &'0 str
            |_| panic!("from the closure") () -> std::boxed::Box<dyn std::ops::Fn(&u8) -> u8>
                () -> std::boxed::Box<dyn for<'b0> std::ops::Fn(&'b0 u8) -> u8 + '0>
            |a| *a () -> std::boxed::Box<dyn std::ops::Fn(&u8) -> u8>
                () -> std::boxed::Box<dyn for<'b0> std::ops::Fn(&'b0 u8) -> u8 + '0>
            |a| { {0}.borrow_mut().push(*a); *a } (&std::cell::RefCell<std::vec::Vec<u8>>) -> std::boxed::Box<dyn std::ops::Fn(&u8) -> u8>
                (SHARED '0 std::cell::RefCell<std::vec::Vec<u8>>) -> std::boxed::Box<dyn for<'b0> std::ops::Fn(&'b0 u8) -> u8 + '1> where '0: '1
            SKIPPED krate::both: nothing makes a value of `std::fmt::Formatter`
            SKIPPED krate::width: nothing makes a value of `std::fmt::Formatter`
        "#]],
    );
}

#[test]
fn results_without_a_name_are_boxed_or_read() {
    check(
        r#"
        mod private { pub struct Iter<'a, T>(pub &'a [T]); pub struct Other; }
        pub struct Bag(Vec<u8>);
        impl Bag {
            pub fn new() -> Bag { Bag(vec![]) }
            pub fn iter(&self) -> private::Iter<'_, u8> { private::Iter(&self.0) }
            pub fn other(&mut self) -> Result<private::Other, u8> { Ok(private::Other) }
            pub fn text(&self) -> impl AsRef<str> { "" }
        }
        impl<'a> IntoIterator for &'a Bag {
            type Item = &'a u8; type IntoIter = private::Iter<'a, u8>;
            fn into_iter(self) -> private::Iter<'a, u8> { private::Iter(&self.0) }
        }
        impl<'a, T> Iterator for private::Iter<'a, T> {
            type Item = &'a T; fn next(&mut self) -> Option<&'a T> { None }
        }
        "#,
        expect![[r#"
            <&krate::Bag as std::iter::IntoIterator>::into_iter
                (SHARED '0 krate::Bag) -> std::boxed::Box<dyn std::iter::Iterator<Item = &'0 u8> + '1> where '0: '1
            again text <krate::Bag>
                (SHARED '0 krate::Bag) -> ()
            krate::Bag::iter
                (SHARED '0 krate::Bag) -> std::boxed::Box<dyn std::iter::Iterator<Item = &'0 u8> + '1> where '0: '1
            krate::Bag::new
                () -> krate::Bag
            krate::Bag::other as drop({0})
                (MUT '0 krate::Bag) -> ()
            krate::Bag::other as format!("{:?}", {0})
                (MUT '0 krate::Bag) -> std::string::String
            krate::Bag::other as {0}.is_ok()
                (MUT '0 krate::Bag) -> bool
            krate::Bag::text as drop({0})
                (SHARED '0 krate::Bag) -> ()
            krate::Bag::text as format!("{:?}", {0})
                (SHARED '0 krate::Bag) -> std::string::String
            krate::Bag::text as format!("{:?}", {0}.collect::<Vec<_>>())
                (SHARED '0 krate::Bag) -> std::string::String
            krate::Bag::text as {0}.as_ref().to_owned()
                (SHARED '0 krate::Bag) -> std::string::String
            unwrap Some (std::option::Option<&u8>) -> &u8
                (std::option::Option<&'0 u8>) -> &'0 u8
            {0}.as_slice() (&std::vec::Vec<&u8>) -> &[&u8]
                (SHARED '0 std::vec::Vec<&'1 u8>) -> &'0 [&'1 u8]
            {0}.as_str() (&std::string::String) -> &str
                (SHARED '0 std::string::String) -> &'0 str
            {0}.collect::<Vec<_>>() (std::boxed::Box<dyn std::iter::Iterator<Item = &u8>>) -> std::vec::Vec<&u8>
                (std::boxed::Box<dyn std::iter::Iterator<Item = &'0 u8> + '1>) -> std::vec::Vec<&'0 u8>
            {0}.collect::<Vec<_>>() (std::vec::IntoIter<&u8>) -> std::vec::Vec<&u8>
                (std::vec::IntoIter<&'0 u8>) -> std::vec::Vec<&'0 u8>
            {0}.collect::<std::collections::BTreeSet<_>>() (std::boxed::Box<dyn std::iter::Iterator<Item = &u8>>) -> std::collections::BTreeSet<&u8>
                (std::boxed::Box<dyn std::iter::Iterator<Item = &'0 u8> + '1>) -> std::collections::BTreeSet<&'0 u8>
            {0}.collect::<std::collections::BTreeSet<_>>() (std::vec::IntoIter<&u8>) -> std::collections::BTreeSet<&u8>
                (std::vec::IntoIter<&'0 u8>) -> std::collections::BTreeSet<&'0 u8>
            {0}.into_iter() (std::vec::Vec<&u8>) -> std::vec::IntoIter<&u8>
                (std::vec::Vec<&'0 u8>) -> std::vec::IntoIter<&'0 u8>
            {0}.next() (&mut std::boxed::Box<dyn std::iter::Iterator<Item = &u8>>) -> std::option::Option<&u8>
                (MUT '0 std::boxed::Box<dyn std::iter::Iterator<Item = &'1 u8> + '2>) -> std::option::Option<&'1 u8>
            {0}.next() (&mut std::vec::IntoIter<&u8>) -> std::option::Option<&u8>
                (MUT '0 std::vec::IntoIter<&'1 u8>) -> std::option::Option<&'1 u8>
            {0}.next_back() (&mut std::vec::IntoIter<&u8>) -> std::option::Option<&u8>
                (MUT '0 std::vec::IntoIter<&'1 u8>) -> std::option::Option<&'1 u8>
        "#]],
    );
}

#[test]
fn bounds_of_the_standard_library_have_recipes() {
    check(
        r#"
        pub fn text(s: impl AsRef<str>) -> usize { 0 }
        pub fn all<I: IntoIterator>(items: I) -> usize where I::Item: Into<String> { 0 }
        pub fn within<R: std::ops::RangeBounds<usize>>(range: R) {}
        pub fn sorted<'a, T: Ord + 'a>(items: &'a mut [T]) -> &'a T { &items[0] }
        pub fn call(f: impl Fn(u8) -> u8) {}
        pub fn kept<T: AsRef<str> + 'static>(t: T) {}
        "#,
        expect![[r#"
            ..{0} (usize) -> std::ops::RangeTo<usize>
                (usize) -> std::ops::RangeTo<usize>
            krate::all::<I = std::vec::Vec<&str>>
                (std::vec::Vec<&'0 str>) -> usize
            krate::all::<I = std::vec::Vec<std::string::String>>
                (std::vec::Vec<std::string::String>) -> usize
            krate::call::<impl0 = std::boxed::Box<dyn std::ops::Fn(u8) -> u8>>
                (std::boxed::Box<dyn std::ops::Fn(u8) -> u8 + '0>) -> ()
            krate::kept::<T = &str>
                (&'0 str) -> () where '0: 'static
            krate::kept::<T = std::string::String>
                (std::string::String) -> ()
            krate::sorted::<T = std::string::String>
                (&'0 mut [std::string::String]) -> &'0 std::string::String
            krate::sorted::<T = u8>
                (&'0 mut [u8]) -> &'0 u8
            krate::text::<impl0 = &str>
                (&'0 str) -> usize
            krate::text::<impl0 = std::string::String>
                (std::string::String) -> usize
            krate::within::<R = std::ops::Range<usize>>
                (std::ops::Range<usize>) -> ()
            krate::within::<R = std::ops::RangeFrom<usize>>
                (std::ops::RangeFrom<usize>) -> ()
            krate::within::<R = std::ops::RangeInclusive<usize>>
                (std::ops::RangeInclusive<usize>) -> ()
            krate::within::<R = std::ops::RangeTo<usize>>
                (std::ops::RangeTo<usize>) -> ()
            literal <std::vec::Vec<std::string::String>>
                (std::vec::Vec<std::string::String>) -> std::vec::Vec<std::string::String>
            literal <std::vec::Vec<u8>>
                (std::vec::Vec<u8>) -> std::vec::Vec<u8>
            move |_| {0} (u8) -> std::boxed::Box<dyn std::ops::Fn(u8) -> u8>
                (u8) -> std::boxed::Box<dyn std::ops::Fn(u8) -> u8 + '0>
            move |a| a.wrapping_add({0}) (u8) -> std::boxed::Box<dyn std::ops::Fn(u8) -> u8>
                (u8) -> std::boxed::Box<dyn std::ops::Fn(u8) -> u8 + '0>
            std::cell::RefCell::new(vec![]) () -> std::cell::RefCell<std::vec::Vec<u8>>
                () -> std::cell::RefCell<std::vec::Vec<u8>>
            {0}.. (usize) -> std::ops::RangeFrom<usize>
                (usize) -> std::ops::RangeFrom<usize>
            {0}..={1} (usize, usize) -> std::ops::RangeInclusive<usize>
                (usize, usize) -> std::ops::RangeInclusive<usize>
            {0}..{1} (usize, usize) -> std::ops::Range<usize>
                (usize, usize) -> std::ops::Range<usize>
            {0}.as_mut_slice() (&mut std::vec::Vec<std::string::String>) -> &mut [std::string::String]
                (MUT '0 std::vec::Vec<std::string::String>) -> &'0 mut [std::string::String]
            {0}.as_mut_slice() (&mut std::vec::Vec<u8>) -> &mut [u8]
                (MUT '0 std::vec::Vec<u8>) -> &'0 mut [u8]
            {0}.as_slice() (&std::vec::Vec<std::string::String>) -> &[std::string::String]
                (SHARED '0 std::vec::Vec<std::string::String>) -> &'0 [std::string::String]
            {0}.as_slice() (&std::vec::Vec<u8>) -> &[u8]
                (SHARED '0 std::vec::Vec<u8>) -> &'0 [u8]
            |_| panic!("from the closure") () -> std::boxed::Box<dyn std::ops::Fn(u8) -> u8>
                () -> std::boxed::Box<dyn std::ops::Fn(u8) -> u8 + '0>
            |a| a () -> std::boxed::Box<dyn std::ops::Fn(u8) -> u8>
                () -> std::boxed::Box<dyn std::ops::Fn(u8) -> u8 + '0>
            |a| { {0}.borrow_mut().push(a); a } (&std::cell::RefCell<std::vec::Vec<u8>>) -> std::boxed::Box<dyn std::ops::Fn(u8) -> u8>
                (SHARED '0 std::cell::RefCell<std::vec::Vec<u8>>) -> std::boxed::Box<dyn std::ops::Fn(u8) -> u8 + '1> where '0: '1
        "#]],
    );
}

#[test]
fn results_are_looked_into_and_formatting_goes_through_format() {
    check(
        r#"
        #[derive(Debug)]
        pub struct Node { name: String }
        pub fn find(name: &str) -> Result<Option<Node>, std::num::ParseIntError> { Ok(None) }
        pub fn take(node: Node, others: Vec<Node>) -> std::vec::IntoIter<Node> { vec![].into_iter() }
        pub fn object(x: &dyn std::fmt::Debug) {}
        pub fn hidden() -> impl Iterator<Item = u8> { None.into_iter() }
        pub struct Never(()); impl Never { pub fn poke(&self) {} }
        "#,
        expect![[r#"
            <krate::Node as std::fmt::Debug>::fmt
                (SHARED '0 krate::Node) -> std::string::String
            krate::find
                (&'0 str) -> std::result::Result<std::option::Option<krate::Node>, std::num::ParseIntError>
            krate::hidden
                () -> std::boxed::Box<dyn std::iter::Iterator<Item = u8> + '0>
            krate::object
                (SHARED '0 u8) -> ()
            krate::take
                (krate::Node, std::vec::Vec<krate::Node>) -> std::vec::IntoIter<krate::Node>
            literal <u8>
                (u8) -> u8
            unwrap Err (std::result::Result<std::option::Option<krate::Node>, std::num::ParseIntError>) -> std::num::ParseIntError
                (std::result::Result<std::option::Option<krate::Node>, std::num::ParseIntError>) -> std::num::ParseIntError
            unwrap Ok (std::result::Result<std::option::Option<krate::Node>, std::num::ParseIntError>) -> std::option::Option<krate::Node>
                (std::result::Result<std::option::Option<krate::Node>, std::num::ParseIntError>) -> std::option::Option<krate::Node>
            unwrap Some (std::option::Option<krate::Node>) -> krate::Node
                (std::option::Option<krate::Node>) -> krate::Node
            unwrap Some (std::option::Option<u8>) -> u8
                (std::option::Option<u8>) -> u8
            vec![] () -> std::vec::Vec<krate::Node>
                () -> std::vec::Vec<krate::Node>
            vec![{0}, {1}, {2}] (krate::Node, krate::Node, krate::Node) -> std::vec::Vec<krate::Node>
                (krate::Node, krate::Node, krate::Node) -> std::vec::Vec<krate::Node>
            vec![{0}, {1}] (krate::Node, krate::Node) -> std::vec::Vec<krate::Node>
                (krate::Node, krate::Node) -> std::vec::Vec<krate::Node>
            vec![{0}] (krate::Node) -> std::vec::Vec<krate::Node>
                (krate::Node) -> std::vec::Vec<krate::Node>
            {0}.as_slice() (&std::vec::Vec<krate::Node>) -> &[krate::Node]
                (SHARED '0 std::vec::Vec<krate::Node>) -> &'0 [krate::Node]
            {0}.as_slice() (&std::vec::Vec<u8>) -> &[u8]
                (SHARED '0 std::vec::Vec<u8>) -> &'0 [u8]
            {0}.as_str() (&std::string::String) -> &str
                (SHARED '0 std::string::String) -> &'0 str
            {0}.collect::<Vec<_>>() (std::boxed::Box<dyn std::iter::Iterator<Item = u8>>) -> std::vec::Vec<u8>
                (std::boxed::Box<dyn std::iter::Iterator<Item = u8> + '0>) -> std::vec::Vec<u8>
            {0}.collect::<Vec<_>>() (std::vec::IntoIter<krate::Node>) -> std::vec::Vec<krate::Node>
                (std::vec::IntoIter<krate::Node>) -> std::vec::Vec<krate::Node>
            {0}.collect::<std::collections::BTreeSet<_>>() (std::boxed::Box<dyn std::iter::Iterator<Item = u8>>) -> std::collections::BTreeSet<u8>
                (std::boxed::Box<dyn std::iter::Iterator<Item = u8> + '0>) -> std::collections::BTreeSet<u8>
            {0}.into_iter() (std::vec::Vec<krate::Node>) -> std::vec::IntoIter<krate::Node>
                (std::vec::Vec<krate::Node>) -> std::vec::IntoIter<krate::Node>
            {0}.next() (&mut std::boxed::Box<dyn std::iter::Iterator<Item = u8>>) -> std::option::Option<u8>
                (MUT '0 std::boxed::Box<dyn std::iter::Iterator<Item = u8> + '1>) -> std::option::Option<u8>
            {0}.next() (&mut std::vec::IntoIter<krate::Node>) -> std::option::Option<krate::Node>
                (MUT '0 std::vec::IntoIter<krate::Node>) -> std::option::Option<krate::Node>
            {0}.next_back() (&mut std::vec::IntoIter<krate::Node>) -> std::option::Option<krate::Node>
                (MUT '0 std::vec::IntoIter<krate::Node>) -> std::option::Option<krate::Node>
            SKIPPED krate::Never::poke: nothing makes a value of `krate::Never`
        "#]],
    );
}

#[test]
fn payloads_of_variants_can_be_taken_out() {
    check(
        r#"
        pub struct Full<'a>(&'a mut u8);
        impl Full<'_> { pub fn get(&self) -> u8 { 0 } }
        pub enum Entry<'a> { Full(Full<'a>), Empty }
        pub fn entry(x: &mut u8) -> Entry<'_> { Entry::Empty }
        "#,
        expect![[r#"
            again get <krate::Full>
                (SHARED '0 krate::Full<'1>) -> ()
            krate::Entry::Empty
                () -> krate::Entry<'0>
            krate::Entry::Full
                (krate::Full<'0>) -> krate::Entry<'0>
            krate::Full::get
                (SHARED '1 krate::Full<'0>) -> u8
            krate::entry
                (MUT '0 u8) -> krate::Entry<'0>
            literal <u8>
                (u8) -> u8
            match {0} { krate::Entry::Full(value0) => Some(value0), _ => None } (krate::Entry) -> std::option::Option<krate::Full>
                (krate::Entry<'0>) -> std::option::Option<krate::Full<'0>>
            unwrap Some (std::option::Option<krate::Full>) -> krate::Full
                (std::option::Option<krate::Full<'0>>) -> krate::Full<'0>
        "#]],
    );
}

#[test]
fn demand_makes_the_instances_that_others_need() {
    check(
        r#"
        pub struct Wrap<T>(T);
        impl<T> Wrap<T> { pub fn new(t: T) -> Self { Wrap(t) } }
        pub fn only(w: Wrap<Option<char>>) -> bool { true }
        "#,
        expect![[r#"
            krate::Wrap<T>::new::<T = std::option::Option<char>>
                (std::option::Option<char>) -> krate::Wrap<std::option::Option<char>>
            krate::Wrap<T>::new::<T = std::string::String>
                (std::string::String) -> krate::Wrap<std::string::String>
            krate::Wrap<T>::new::<T = u8>
                (u8) -> krate::Wrap<u8>
            krate::only
                (krate::Wrap<std::option::Option<char>>) -> bool
        "#]],
    );
}

#[test]
fn wrappers_of_slices_are_never_slots() {
    check(
        r#"
        #[repr(transparent)] pub struct Text(str);
        impl Text { pub fn new(s: &str) -> &Text { todo!() } pub fn len(&self) -> usize { 0 } }
        "#,
        expect![[r#"
            krate::Text::len
                (&'0 krate::Text) -> usize
            krate::Text::new
                (&'0 str) -> &'0 krate::Text
        "#]],
    );
}

#[test]
fn literals_are_values_that_can_be_written_in_place() {
    let u8s = Ty::Prim(Prim::U8);
    let vec = |of: Ty| Ty::adt("std::vec::Vec", [of]);
    assert!(is_literal(&vec(vec(u8s.clone()))));
    assert!(!is_literal(&vec(vec(vec(vec(u8s.clone()))))));
    assert!(is_literal(&Ty::Array(Box::new(u8s.clone()), "8".into())));
    assert!(!is_literal(&Ty::Array(Box::new(u8s), "9".into())));
    assert!(!is_literal(&Ty::Prim(Prim::Never)));
    assert!(is_literal(&Ty::unit()));
}

#[test]
fn futures_are_made_and_driven() {
    let api = {
        let mut api = read_source(
            r#"
            use std::{future::Future, pin::Pin, task::{Context, Poll}};
            pub async fn later<'a>(text: &'a str, n: &mut u8) -> &'a str { text }
            pub struct Both<A, B>(A, B);
            impl<A, B> Both<A, B> { pub fn new(a: A, b: B) -> Self { Both(a, b) } }
            impl<A: Future, B: Future<Output = A::Output>> Future for Both<A, B> {
                type Output = A::Output;
                fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<A::Output> { Poll::Pending }
            }
            "#,
        );
        api.add_executor();
        api
    };
    let catalogue = instantiate(api, &InstantiateOptions::default());
    let lines = catalogue.operations.iter().map(|it| render(&catalogue, it));
    let about = ["later", "poll", "block_on", "Context", "Pin"];
    let lines: Vec<String> = lines
        .filter(|line| about.iter().any(|it| line.contains(it)))
        .collect();
    expect![[r#"
        <krate::Both<A, B> as std::future::Future>::poll::<A = std::future::Ready<u8>, B = std::future::Ready<u8>>
            (std::pin::Pin<&'0 mut krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>>, MUT '1 std::task::Context<'2>) -> std::task::Poll<u8>
        Box::pin({0}) (krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>) -> std::pin::Pin<std::boxed::Box<krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>>>
            (krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>) -> std::pin::Pin<std::boxed::Box<krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>>>
        krate::later
            (&'0 str, MUT '1 u8) -> std::pin::Pin<std::boxed::Box<dyn std::future::Future<Output = &'0 str> + '2>> where '0: '2 where '1: '2
        stand_ins::block_on({0}) (krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>) -> std::option::Option<u8>
            (krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>) -> std::option::Option<u8>
        stand_ins::block_on({0}) (std::pin::Pin<std::boxed::Box<dyn std::future::Future<Output = &str>>>) -> std::option::Option<&str>
            (std::pin::Pin<std::boxed::Box<dyn std::future::Future<Output = &'0 str> + '1>>) -> std::option::Option<&'0 str>
        std::pin::Pin::new({0}) (&mut krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>) -> std::pin::Pin<&mut krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>>
            (MUT '0 krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>) -> std::pin::Pin<&'0 mut krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>>
        std::task::Context::from_waker(std::task::Waker::noop()) () -> std::task::Context
            () -> std::task::Context<'0>
        {0}.as_mut() (&mut std::pin::Pin<std::boxed::Box<krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>>>) -> std::pin::Pin<&mut krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>>
            (MUT '0 std::pin::Pin<std::boxed::Box<krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>>>) -> std::pin::Pin<&'0 mut krate::Both<std::future::Ready<u8>, std::future::Ready<u8>>>
    "#]].assert_eq(&(lines.join("\n") + "\n"));
    assert_eq!(catalogue.skipped, []);
}

#[test]
fn types_inside_a_choice_are_varied_until_the_bounds_are_met() {
    check(
        r#"
        pub trait Graph { type Weight; }
        pub trait Real {}
        impl Real for f32 {}
        pub struct Net<W>(W);
        impl<W> Net<W> { pub fn new(w: W) -> Self { Net(w) } }
        impl<W> Graph for Net<W> { type Weight = W; }
        pub fn shortest<G: Graph>(graph: G) where G::Weight: Real {}
        pub struct Id<I>(I);
        impl<I> From<I> for Id<I> { fn from(i: I) -> Self { Id(i) } }
        pub fn join<I: IntoIterator>(ids: I) where I::Item: Into<Id<u16>> {}
        "#,
        expect![[r#"
            <krate::Id<I> as std::convert::From<I>>::from::<I = std::string::String>
                (std::string::String) -> krate::Id<std::string::String>
            <krate::Id<I> as std::convert::From<I>>::from::<I = u8>
                (u8) -> krate::Id<u8>
            krate::Net<W>::new::<W = f32>
                (f32) -> krate::Net<f32>
            krate::Net<W>::new::<W = std::string::String>
                (std::string::String) -> krate::Net<std::string::String>
            krate::Net<W>::new::<W = u8>
                (u8) -> krate::Net<u8>
            krate::join::<I = std::vec::Vec<krate::Id<u16>>>
                (std::vec::Vec<krate::Id<u16>>) -> ()
            krate::join::<I = std::vec::Vec<u16>>
                (std::vec::Vec<u16>) -> ()
            krate::shortest::<G = krate::Net<f32>>
                (krate::Net<f32>) -> ()
            unwrap Some (std::option::Option<krate::Id<u16>>) -> krate::Id<u16>
                (std::option::Option<krate::Id<u16>>) -> krate::Id<u16>
            vec![] () -> std::vec::Vec<krate::Id<u16>>
                () -> std::vec::Vec<krate::Id<u16>>
            vec![{0}, {1}, {2}] (krate::Id<u16>, krate::Id<u16>, krate::Id<u16>) -> std::vec::Vec<krate::Id<u16>>
                (krate::Id<u16>, krate::Id<u16>, krate::Id<u16>) -> std::vec::Vec<krate::Id<u16>>
            vec![{0}, {1}] (krate::Id<u16>, krate::Id<u16>) -> std::vec::Vec<krate::Id<u16>>
                (krate::Id<u16>, krate::Id<u16>) -> std::vec::Vec<krate::Id<u16>>
            vec![{0}] (krate::Id<u16>) -> std::vec::Vec<krate::Id<u16>>
                (krate::Id<u16>) -> std::vec::Vec<krate::Id<u16>>
            {0}.as_slice() (&std::vec::Vec<krate::Id<u16>>) -> &[krate::Id<u16>]
                (SHARED '0 std::vec::Vec<krate::Id<u16>>) -> &'0 [krate::Id<u16>]
            {0}.collect::<Vec<_>>() (std::vec::IntoIter<krate::Id<u16>>) -> std::vec::Vec<krate::Id<u16>>
                (std::vec::IntoIter<krate::Id<u16>>) -> std::vec::Vec<krate::Id<u16>>
            {0}.into_iter() (std::vec::Vec<krate::Id<u16>>) -> std::vec::IntoIter<krate::Id<u16>>
                (std::vec::Vec<krate::Id<u16>>) -> std::vec::IntoIter<krate::Id<u16>>
            {0}.next() (&mut std::vec::IntoIter<krate::Id<u16>>) -> std::option::Option<krate::Id<u16>>
                (MUT '0 std::vec::IntoIter<krate::Id<u16>>) -> std::option::Option<krate::Id<u16>>
            {0}.next_back() (&mut std::vec::IntoIter<krate::Id<u16>>) -> std::option::Option<krate::Id<u16>>
                (MUT '0 std::vec::IntoIter<krate::Id<u16>>) -> std::option::Option<krate::Id<u16>>
        "#]],
    );
}

#[test]
fn generic_associated_types_are_held_as_what_rustc_makes_of_them() {
    check(
        r#"
        pub trait Store { type Buffer<T>; }
        pub struct Heap;
        impl Store for Heap { type Buffer<T> = Vec<T>; }
        pub struct Grid<S: Store> { cells: S::Buffer<u8> }
        pub fn cells(n: usize) -> <Heap as Store>::Buffer<u8> { vec![0; n] }
        pub fn sum(cells: &<Heap as Store>::Buffer<u8>) -> u8 { cells.iter().sum() }
        "#,
        expect![[r#"
            krate::Heap { .. }
                () -> krate::Heap
            krate::cells
                (usize) -> <krate::Heap as krate::Store>::Buffer<u8>
            krate::sum
                (SHARED '0 <krate::Heap as krate::Store>::Buffer<u8>) -> u8
        "#]],
    );
}

#[test]
fn an_impl_decides_the_arguments_of_its_trait() {
    check(
        r#"
        pub struct Id(pub u8);
        pub struct Net<W>(W);
        impl<W> Net<W> { pub fn new(w: W) -> Self { Net(w) } }
        impl<W> std::ops::Index<Id> for Net<W> { type Output = W; fn index(&self, _: Id) -> &W { &self.0 } }
        pub struct Frozen<'a, G: 'a>(&'a mut G);
        impl<'a, G> Frozen<'a, G> { pub fn new(g: &'a mut G) -> Self { Frozen(g) } }
        impl<'a, G, I> std::ops::Index<I> for Frozen<'a, G> where G: std::ops::Index<I> {
            type Output = G::Output;
            fn index(&self, i: I) -> &G::Output { self.0.index(i) }
        }
        "#,
        expect![[r#"
            <krate::Frozen<G> as std::ops::Index<I>>::index::<G = krate::Net<u8>, I = krate::Id>
                (SHARED '1 krate::Frozen<'0, krate::Net<u8>>, krate::Id) -> &'1 u8
            <krate::Net<W> as std::ops::Index<krate::Id>>::index::<W = std::string::String>
                (SHARED '0 krate::Net<std::string::String>, krate::Id) -> &'0 std::string::String
            <krate::Net<W> as std::ops::Index<krate::Id>>::index::<W = u8>
                (SHARED '0 krate::Net<u8>, krate::Id) -> &'0 u8
            krate::Frozen<G>::new::<G = krate::Net<u8>>
                (MUT '0 krate::Net<u8>) -> krate::Frozen<'0, krate::Net<u8>>
            krate::Frozen<G>::new::<G = std::string::String>
                (MUT '0 std::string::String) -> krate::Frozen<'0, std::string::String>
            krate::Frozen<G>::new::<G = u8>
                (MUT '0 u8) -> krate::Frozen<'0, u8>
            krate::Id { .. }
                (u8) -> krate::Id
            krate::Id.0
                (SHARED '0 krate::Id) -> &'0 u8
            krate::Net<W>::new::<W = std::string::String>
                (std::string::String) -> krate::Net<std::string::String>
            krate::Net<W>::new::<W = u8>
                (u8) -> krate::Net<u8>
            literal <std::string::String>
                (std::string::String) -> std::string::String
            literal <u8>
                (u8) -> u8
            {0}.as_str() (&std::string::String) -> &str
                (SHARED '0 std::string::String) -> &'0 str
        "#]],
    );
}

#[test]
fn tied_regions_are_one_and_the_call_keeps_its_own() {
    let source = "pub struct Pair<'a, 'b>(pub &'a u8, pub &'b u8);\
                  pub fn first<'a, 'b: 'a>(pair: &mut Pair<'a, 'b>) -> &'a u8 { pair.0 }";
    let mut catalogue = instantiate(read_source(source), &InstantiateOptions::default());
    let position = catalogue
        .operations
        .iter()
        .position(|it| &*it.key == "krate::first");
    let position = position.expect("it has an instance");
    let signature = &mut catalogue.operations[position].signature;
    assert!(signature.tie_regions());
    assert!(!signature.tie_regions(), "once is enough");
    expect![[r#"
        krate::first
            (MUT '2 krate::Pair<'1, '1>) -> &'1 u8"#]]
    .assert_eq(&render(&catalogue, &catalogue.operations[position]));
}

#[test]
fn an_alias_stands_for_a_type_with_its_arguments() {
    let api =
        read_source("pub struct Grid<T, S>(T, S); pub type Table<T, S = u8> = Grid<Vec<T>, S>;");
    let alias = &api.type_aliases["krate::Table"];
    let shown = |args: &[GenericArg]| alias.with(args).map(|ty| ty.render(&TestNames));
    let text = GenericArg::Type(Ty::Str);
    let expected = "krate::Grid<std::vec::Vec<str>, u8>".to_owned();
    assert_eq!(shown(std::slice::from_ref(&text)), Some(expected));
    let expected = "krate::Grid<std::vec::Vec<str>, str>".to_owned();
    assert_eq!(shown(&[text.clone(), text]), Some(expected));
    assert_eq!(shown(&[]), None);
}

#[test]
fn an_alias_says_which_const_arguments_people_use() {
    let source = "pub struct Pattern<const MANY: char, const ONE: char>;\
                  pub type Wild = Pattern<'*', '?'>;\
                  impl<const MANY: char, const ONE: char> Pattern<MANY, ONE> { pub fn new() -> Self { Pattern } }\
                  pub struct Buffer<const N: usize>;\
                  pub fn empty<const N: usize>() -> Buffer<N> { Buffer }";
    let catalogue = instantiate(read_source(source), &InstantiateOptions::default());
    let made = catalogue.operations.iter().map(|it| it.signature.output.ty);
    let types: Vec<&str> = made.map(|it| &*catalogue.types.get(it).text).collect();
    let has = |wanted: &str| types.iter().any(|it| it.contains(wanted));
    assert!(has("Pattern<'*', '?'>"), "{types:?}");
    assert!(has("Buffer<4>"), "{types:?}");
}
