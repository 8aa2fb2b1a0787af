//! Rust in, callables out, through the real rustdoc.

use std::path::Path;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::callable::Callable;
use crate::rustdoc::{Externs, ReadError, read};
use crate::testing::{document, read_source, render, rustdocs};

fn check(source: &str, expected: Expect) {
    let api = read_source(source);
    let lines: Vec<String> = api.callables.iter().map(render).collect();
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn elided_lifetimes_become_regions() {
    check(
        r#"
        pub struct View<'a> { text: &'a str }
        impl<'a> View<'a> {
            pub fn new(text: &'a str) -> Self { View { text } }
            pub fn text(&self) -> &'a str { self.text }
            pub fn part(&self, other: &str) -> &str { self.text }
            pub fn pinned(self: std::pin::Pin<&mut Self>, x: &u8) -> &u8 { todo!() }
        }
        impl View<'_> { pub fn anonymous(&mut self) -> View { todo!() } }
        pub fn first(words: &[&'static str]) -> Option<&'static str> { None }
        pub fn only(view: View) -> &str { view.text }
        pub fn longer<'a: 'b, 'b, 'c>(a: &'a str, b: &'b mut &'c u8) -> &'b str where 'c: 'b { a }
        "#,
        expect![[r#"
            krate::View::anonymous (self: &'1 mut krate::View<'0>) -> krate::View<'1>
            krate::View::new (text: &'0 str) -> krate::View<'0>
            krate::View::part (self: &'1 krate::View<'0>, other: &'2 str) -> &'1 str
            krate::View::pinned (self: std::pin::Pin<&'1 mut krate::View<'0>>, x: &'2 u8) -> &'1 u8
            krate::View::text (self: &'1 krate::View<'0>) -> &'0 str
            krate::first (words: &'0 [&'static str]) -> std::option::Option<&'static str>
            krate::longer (a: &'0 str, b: &'1 mut &'2 u8) -> &'1 str where '0: '1, '2: '1
            krate::only (view: krate::View<'0>) -> &'0 str
        "#]],
    );
}

#[test]
fn items_go_by_their_shortest_public_path() {
    check(
        r#"
        mod hidden { pub fn renamed() {} pub mod deep { pub struct Gem; impl Gem { pub fn cut(&self) {} } pub fn dig() -> Gem { Gem } } pub fn sealed() -> Sealed { Sealed } pub struct Sealed; }
        pub use hidden::renamed as fresh;
        pub use hidden::sealed;
        pub mod shelf { pub use crate::hidden::deep::*; pub fn here() {} }
        pub mod long { pub mod way { pub use crate::shelf::Gem as Stone; } }
        pub use std::ops::Range as Span;
        pub fn span(x: Span<u8>, e: std::collections::hash_map::Entry<u8, u8>) {}
        "#,
        expect![[r#"
            krate::fresh () (extra)
            krate::sealed () -> impl _ (extra)
            krate::shelf::Gem { .. } () -> krate::shelf::Gem (extra)
            krate::shelf::Gem::cut (self: &'0 krate::shelf::Gem)
            krate::shelf::dig () -> krate::shelf::Gem
            krate::shelf::here ()
            krate::span (x: std::ops::Range<u8>, e: std::collections::hash_map::Entry<'0, u8, u8>)
        "#]],
    );
}

#[test]
fn hidden_items_are_named_but_not_for_anybody_to_call() {
    check(
        r#"
        #[doc(hidden)] pub fn secret() {}
        #[doc(hidden)] pub mod inner {
            pub struct Token(pub u8);
            impl Token { pub fn worth(&self) -> u8 { 0 } }
            pub fn token() -> Token { Token(0) }
            pub struct Ticket;
            impl Ticket { pub fn number(&self) -> u8 { 0 } }
            pub fn shown() {}
        }
        pub use inner::{Ticket, shown};
        pub fn token_of() -> inner::Token { inner::Token(0) }
        #[doc(hidden)] pub trait Sealed { fn id(&self) -> u8; }
        #[derive(PartialEq, Eq)]
        pub struct Lamp { pub lit: bool, #[doc(hidden)] pub wear: u8 }
        impl Lamp { #[doc(hidden)] pub unsafe fn smash(&self) {} #[doc(hidden)] pub const MAX: u8 = 0; }
        impl Sealed for Lamp { fn id(&self) -> u8 { 0 } }
        impl From<inner::Token> for Lamp { fn from(_: inner::Token) -> Lamp { todo!() } }
        pub fn of_sealed<T: Sealed>(x: &T) {}
        pub trait Tune { fn play(&self); #[doc(hidden)] fn raw(&self); }
        impl Tune for Lamp { fn play(&self) {} fn raw(&self) {} }
        pub enum Colour { Red, #[doc(hidden)] Other }
        "#,
        expect![[r#"
            <krate::Lamp as krate::Sealed>::id (self: &'0 krate::Lamp) -> u8 (extra) SKIPPED hidden from the documentation
            <krate::Lamp as krate::Tune>::play (self: &'0 krate::Lamp)
            <krate::Lamp as krate::Tune>::raw (self: &'0 krate::Lamp) (extra) SKIPPED hidden from the documentation
            <krate::Lamp as std::cmp::PartialEq>::eq (self: &'0 krate::Lamp, other: &'1 krate::Lamp) -> bool (derived)
            <krate::Lamp as std::convert::From<krate::inner::Token>>::from (arg0: krate::inner::Token) -> krate::Lamp (extra) SKIPPED hidden from the documentation
            krate::Colour::Other () -> krate::Colour (extra) SKIPPED hidden from the documentation
            krate::Colour::Red () -> krate::Colour (extra)
            krate::Lamp.lit (self: &'0 krate::Lamp) -> &'0 bool (extra)
            krate::Lamp.wear (self: &'0 krate::Lamp) -> &'0 u8 (extra) SKIPPED hidden from the documentation
            krate::Lamp::MAX () -> u8 (extra) SKIPPED hidden from the documentation
            krate::Lamp::smash (self: &'0 krate::Lamp) (extra) SKIPPED hidden from the documentation
            krate::Ticket { .. } () -> krate::Ticket (extra)
            krate::Ticket::number (self: &'0 krate::Ticket) -> u8 (extra)
            krate::inner::Token::worth (self: &'0 krate::inner::Token) -> u8 (extra) SKIPPED hidden from the documentation
            krate::inner::token () -> krate::inner::Token (extra) SKIPPED hidden from the documentation
            krate::of_sealed [T] (x: &'0 T) where T: krate::Sealed
            krate::secret () (extra) SKIPPED hidden from the documentation
            krate::shown () (extra)
            krate::token_of () -> krate::inner::Token
        "#]],
    );
}

#[test]
fn what_a_deprecated_trait_has_is_deprecated_in_its_impls() {
    let api = read_source(
        "pub struct Bell;\n\
         #[deprecated] pub trait Old { fn ring(&self); }\n\
         pub trait New { fn play(&self); #[deprecated] fn strike(&self); }\n\
         impl Old for Bell { fn ring(&self) {} }\n\
         impl New for Bell { fn play(&self) {} fn strike(&self) {} }\n",
    );
    let is_old = |name: &str| {
        let mut callables = api.callables.iter();
        let callable = callables.find(|it| it.key.ends_with(name));
        callable.map(|it| it.docs.deprecated)
    };
    assert_eq!(is_old("::ring"), Some(true));
    assert_eq!(is_old("::play"), Some(false));
    assert_eq!(is_old("::strike"), Some(true));
    assert!(api.traits["krate::Old"].deprecated && !api.traits["krate::New"].deprecated);
}

#[test]
fn trait_impls_are_keyed_by_type_and_trait() {
    check(
        r#"
        #[derive(Clone, PartialEq, Debug)]
        pub struct Num(i32);
        impl std::ops::Add for Num { type Output = Num; fn add(self, other: Num) -> Self::Output { self } }
        impl std::ops::Add<&Num> for &Num { type Output = Num; fn add(self, other: &Num) -> Num { todo!() } }
        impl PartialEq<str> for Num { fn eq(&self, other: &str) -> bool { false } }
        impl std::str::FromStr for Num { type Err = std::num::ParseIntError; fn from_str(s: &str) -> Result<Self, Self::Err> { todo!() } }
        impl Drop for Num { fn drop(&mut self) {} }
        impl std::io::Write for Num { fn write(&mut self, b: &[u8]) -> std::io::Result<usize> { Ok(0) } fn flush(&mut self) -> std::io::Result<()> { Ok(()) } }
        "#,
        expect![[r#"
            <&krate::Num as std::ops::Add<&krate::Num>>::add (self: &'0 krate::Num, other: &'2 krate::Num) -> krate::Num
            <krate::Num as std::clone::Clone>::clone (self: &'0 krate::Num) -> krate::Num (derived)
            <krate::Num as std::cmp::PartialEq<str>>::eq (self: &'0 krate::Num, other: &'1 str) -> bool
            <krate::Num as std::cmp::PartialEq>::eq (self: &'0 krate::Num, other: &'1 krate::Num) -> bool (derived)
            <krate::Num as std::fmt::Debug>::fmt (self: &'0 krate::Num, f: &'1 mut std::fmt::Formatter<'2>) -> std::result::Result<(), std::fmt::Error> (derived)
            <krate::Num as std::io::Write>::flush (self: &'0 mut krate::Num) -> std::result::Result<(), std::io::Error>
            <krate::Num as std::io::Write>::write (self: &'0 mut krate::Num, b: &'1 [u8]) -> std::result::Result<usize, std::io::Error>
            <krate::Num as std::ops::Add>::add (self: krate::Num, other: krate::Num) -> krate::Num
            <krate::Num as std::str::FromStr>::from_str (s: &'0 str) -> std::result::Result<krate::Num, std::num::ParseIntError>
        "#]],
    );
}

#[test]
fn generics_bounds_and_associated_types() {
    check(
        r#"
        use std::collections::HashMap;
        pub struct Bag<T, const N: usize = 4> { items: [Option<T>; N] }
        pub struct Iter<'a, T>(&'a [T]);
        impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; fn next(&mut self) -> Option<Self::Item> { None } }
        impl<'b, U> DoubleEndedIterator for Iter<'b, U> { fn next_back(&mut self) -> Option<Self::Item> { None } }
        impl<T: Clone, const N: usize> Bag<T, N> {
            pub fn iter(&self) -> Iter<T> { todo!() }
            pub fn fill<Q: ?Sized>(&mut self, q: &Q) where T: std::borrow::Borrow<Q> + 'static, Q: Eq {}
        }
        impl<'a, T: Clone, const N: usize> IntoIterator for &'a Bag<T, N> {
            type Item = &'a T; type IntoIter = Iter<'a, T>;
            fn into_iter(self) -> Iter<'a, T> { todo!() }
        }
        pub fn default_bag() -> Bag<u8> { todo!() }
        pub fn each<I>(items: I) -> Vec<I::Item> where I: IntoIterator, I::Item: Ord { todo!() }
        pub type Map<V> = HashMap<String, V>;
        pub fn map(m: &Map<u8>) -> std::fmt::Result { Ok(()) }
        "#,
        expect![[r#"
            <&krate::Bag<T, N> as std::iter::IntoIterator>::into_iter [T, const N: usize] (self: &'0 krate::Bag<T, N>) -> krate::Iter<'0, T> where T: std::clone::Clone
            <krate::Iter<T> as std::iter::Iterator>::next [T] (self: &'1 mut krate::Iter<'0, T>) -> std::option::Option<&'0 T>
            <krate::Iter<U> as std::iter::DoubleEndedIterator>::next_back [U] (self: &'1 mut krate::Iter<'0, U>) -> std::option::Option<&'0 U>
            krate::Bag<T, N>::fill [T, const N: usize, Q] (self: &'0 mut krate::Bag<T, N>, q: &'1 Q) where T: std::clone::Clone, T: std::borrow::Borrow<Q>, T: 'static, Q: std::cmp::Eq
            krate::Bag<T, N>::iter [T, const N: usize] (self: &'0 krate::Bag<T, N>) -> krate::Iter<'0, T> where T: std::clone::Clone
            krate::default_bag () -> krate::Bag<u8, 4>
            krate::each [I] (items: I) -> std::vec::Vec<<I as std::iter::IntoIterator>::Item> where I: std::iter::IntoIterator, <I as std::iter::IntoIterator>::Item: std::cmp::Ord
            krate::map (m: &'0 std::collections::HashMap<std::string::String, u8>) -> std::result::Result<(), std::fmt::Error>
        "#]],
    );
}

#[test]
fn a_blanket_impl_brings_the_methods_that_its_trait_provides() {
    check(
        r#"
        pub trait More: Iterator { fn skip_one(mut self) -> Self where Self: Sized { self.next(); self } }
        impl<T: ?Sized + Iterator> More for T {}
        "#,
        expect![[r#"
            <T as krate::More>::skip_one [T] (self: T) -> T where T: std::iter::Iterator (extra)
        "#]],
    );
}

#[test]
fn impl_trait_dyn_and_function_pointers() {
    check(
        r#"
        pub fn args(f: impl Fn(&str) -> &str + Clone, items: impl Iterator<Item = impl AsRef<str>>) -> impl Iterator<Item = u8> { None.into_iter() }
        pub fn objects(a: &dyn std::fmt::Debug, b: Box<dyn Fn(u8) -> u8 + Send>) {}
        pub fn pointer(f: for<'a> fn(&'a u8, &u16) -> &'a u8, (p, q): (u8, u8)) -> ! { todo!() }
        pub unsafe fn raw(p: *const u8) {}
        pub async fn later() {}
        "#,
        expect![[r#"
            krate::args [impl0, impl1, impl2] (f: impl0, items: impl1) -> impl std::iter::Iterator<Item = u8> where impl0: std::ops::Fn(&'b0 str) -> &'b0 str, impl0: std::clone::Clone, impl2: std::convert::AsRef<str>, impl1: std::iter::Iterator<Item = impl2>
            krate::later () -> impl std::future::Future<Output = ()>
            krate::objects (a: &'0 (dyn std::fmt::Debug + '0), b: std::boxed::Box<dyn std::ops::Fn(u8) -> u8 + std::marker::Send + 'static>)
            krate::pointer (f: for<'b0, 'b1> fn(&'b0 u8, &'b1 u16) -> &'b0 u8, arg1: (u8, u8)) -> !
            krate::raw (p: *const u8) SKIPPED unsafe function; --unsafe calls it
        "#]],
    );
}

#[test]
fn literals_variants_fields_and_constants() {
    check(
        r#"
        pub struct Point<T> { pub x: T, pub y: T }
        pub struct Half { pub shown: u8, hidden: u8 }
        pub struct Pair(pub u8, pub String);
        #[non_exhaustive] pub struct Open { pub a: u8 }
        pub struct Marker;
        pub enum Shape<'a> { Dot, Line(u8, u8), Text { text: &'a str }, #[non_exhaustive] Later { z: u8 } }
        impl Half { pub const MAX: Half = Half { shown: 0, hidden: 0 }; }
        pub const NAME: &str = "n";
        pub static TABLE: [u8; 2] = [1, 2];
        "#,
        expect![[r#"
            krate::Half.shown (self: &'0 krate::Half) -> &'0 u8 (extra)
            krate::Half::MAX () -> krate::Half (extra)
            krate::Marker { .. } () -> krate::Marker (extra)
            krate::NAME () -> &'static str (extra)
            krate::Open.a (self: &'0 krate::Open) -> &'0 u8 (extra)
            krate::Pair { .. } (arg0: u8, arg1: std::string::String) -> krate::Pair (extra)
            krate::Pair.0 (self: &'0 krate::Pair) -> &'0 u8 (extra)
            krate::Pair.1 (self: &'0 krate::Pair) -> &'0 std::string::String (extra)
            krate::Point<T> { .. } [T] (x: T, y: T) -> krate::Point<T> (extra)
            krate::Point<T>.x [T] (self: &'0 krate::Point<T>) -> &'0 T (extra)
            krate::Point<T>.y [T] (self: &'0 krate::Point<T>) -> &'0 T (extra)
            krate::Shape::Dot () -> krate::Shape<'0> (extra)
            krate::Shape::Line (arg0: u8, arg1: u8) -> krate::Shape<'0> (extra)
            krate::Shape::Text (text: &'0 str) -> krate::Shape<'0> (extra)
            krate::TABLE () -> [u8; 2] (extra)
        "#]],
    );
}

#[test]
fn documentation_is_kept() {
    let api = read_source(
        "/// Divides.\n///\n/// # Panics\n///\n/// If `b` is zero.\n///\n/// ```\n/// assert_eq!(krate::div(4, 2), 2);\n/// ```\n\
         #[must_use]\n#[deprecated]\npub fn div(a: u8, b: u8) -> u8 { a / b }\n",
    );
    let docs = &api.callables[0].docs;
    assert_eq!(docs.panics.as_deref(), Some("If `b` is zero."));
    assert_eq!(docs.examples.len(), 1);
    assert!(docs.must_use && docs.deprecated);
    assert_eq!(docs.line, 12);
}

#[test]
fn examples_of_all_items_are_kept_once_and_aliases_are_known() {
    let api = read_source(
        "//! ```\n//! krate::Pair::default();\n//! ```\n\
         pub mod inner {\n//! ```\n//! inner();\n//! ```\n//! ```text\n//! no\n//! ```\n}\n\
         /// ```\n/// inner();\n/// ```\npub trait Tone {}\n\
         /// ```\n/// # let hidden = 1;\n/// pair();\n/// ```\n\
         #[derive(Default)] pub struct Pair<T> { a: T }\n\
         pub type Bytes = Pair<u8>;\npub type Small = u8;\n",
    );
    let examples: Vec<&str> = api.examples.iter().map(|it| &**it).collect();
    assert_eq!(
        examples,
        [
            "krate::Pair::default();",
            "inner();",
            "let hidden = 1;\npair();"
        ]
    );
    let aliases: Vec<(&str, &str)> = api.aliases.iter().map(|(a, b)| (&**a, &**b)).collect();
    assert_eq!(aliases, [("Bytes", "Pair")]);
}

#[test]
fn implementors_of_a_local_trait_are_listed() {
    let api = read_source(
        "pub trait Tone { type Out; fn play(&self) -> Self::Out; }\n\
         pub struct Bell; impl Tone for Bell { type Out = u8; fn play(&self) -> u8 { 0 } }\n\
         impl<T: Tone> Tone for Vec<T> { type Out = Vec<T::Out>; fn play(&self) -> Vec<T::Out> { vec![] } }\n",
    );
    let tone = &api.traits["krate::Tone"];
    let lines: Vec<String> = tone
        .implementors
        .iter()
        .map(|i| i.self_ty.render(&crate::ty::KeyNames))
        .collect();
    assert_eq!(lines, ["krate::Bell", "std::vec::Vec<T>"]);
    assert!(tone.dyn_compatible);
}

#[test]
fn a_format_that_is_too_old_is_an_error_that_says_what_can_be_read() {
    let error = read(r#"{"format_version": 1, "index": {}}"#, &Externs::default())
        .expect_err("no such reader");
    assert!(matches!(error, ReadError::Format { found: 1 }));
    assert_eq!(
        error.to_string(),
        "rustdoc wrote format 1, and formats 37 to 61 can be read"
    );
    assert!(matches!(
        read("[]", &Externs::default()),
        Err(ReadError::Json(_))
    ));
}

/// Something of everything that formats write differently.
const DIFFERENT: &str = r#"
    #[derive(Clone, PartialEq, Debug)] #[non_exhaustive] pub struct Shelf<T> { pub items: Vec<T>, n: usize }
    #[repr(u8)] #[non_exhaustive] pub enum Side { Left = 1, Right }
    #[doc(hidden)] pub struct Secret;
    #[doc(hidden)] pub mod inner { pub struct Found; impl Found { pub fn new() -> Found { Found } } }
    pub use inner::Found;
    impl<T: Clone + 'static> Shelf<T> {
        #[must_use = "it is what was asked for"] pub fn first(&self) -> Option<&T> { None }
        #[deprecated] #[inline] pub fn old(self) {}
        pub fn all<'a>(&'a self) -> impl Iterator<Item = &'a T> + use<'a, T> { self.items.iter() }
        pub fn each(&mut self, f: &mut dyn FnMut(&T) -> bool) -> Result<(), std::fmt::Error> { Ok(()) }
        pub const fn sized<const N: usize>(of: [T; N]) -> Option<Shelf<T>> { None }
    }
    pub trait Tone { type Out: Default; const N: u8; fn play(&self) -> Self::Out; fn twice(&self) {} }
    impl Tone for Side { type Out = u8; const N: u8 = 2; fn play(&self) -> u8 { 0 } }
    impl<T> IntoIterator for Shelf<T> { type Item = T; type IntoIter = std::vec::IntoIter<T>; fn into_iter(self) -> Self::IntoIter { todo!() } }
    pub fn sum<I>(of: I, by: fn(u8) -> u8) -> <I as IntoIterator>::Item where I: IntoIterator, I::Item: Tone<Out = u8> { todo!() }
    pub unsafe extern "C" fn raw(at: *const u8) -> Box<dyn Iterator<Item = u8> + Send> { todo!() }
    pub type Bytes<'a> = std::borrow::Cow<'a, [u8]>;
    pub fn bytes(of: Bytes<'_>) -> Bytes<'static> { todo!() }
"#;

#[test]
fn every_rustdoc_that_is_here_is_understood_alike() {
    let told = |json: &str| {
        let api = read(json, &Externs::default()).expect("its format is known");
        let lines: Vec<String> = api.callables.iter().map(render).collect();
        let types: Vec<String> = api.adts.iter().map(|it| format!("{it:?}")).collect();
        let notes = |it: &Callable| (it.docs.must_use, it.docs.deprecated, it.docs.line);
        let notes: Vec<_> = api.callables.iter().map(notes).collect();
        (lines, types, notes)
    };
    let expected = told(&document(DIFFERENT, Path::new("rustdoc")));
    assert!(expected.0.len() > 15, "{:#?}", expected.0);
    for rustdoc in rustdocs() {
        let found = told(&document(DIFFERENT, &rustdoc));
        assert_eq!(found, expected, "{}", rustdoc.display());
    }
}

#[test]
fn a_newer_format_is_tried_and_that_is_said() {
    let json = document(DIFFERENT, Path::new("rustdoc"));
    let of_format = |format: u32| {
        let mut krate: Value = serde_json::from_str(&json).expect("it is JSON");
        krate["format_version"] = json!(format);
        let items = krate["index"].as_object_mut().expect("items");
        for item in items.values_mut() {
            item["stability"] = json!({"feature": "new", "level": "unstable"});
        }
        krate
    };
    let read = |krate: &Value| read(&krate.to_string(), &Externs::default());
    let here = read(&of_format(57)).expect("it is known");
    for (format, unknown) in [(61, None), (62, Some(62))] {
        let api = read(&of_format(format)).expect("only fields are new");
        assert_eq!(api.unknown_format, unknown);
        assert_eq!(api.callables.len(), here.callables.len());
    }
    let mut other = of_format(70);
    other["index"] = json!([]);
    let refused = read(&other);
    assert!(matches!(refused, Err(ReadError::Format { found: 70 })));
}
