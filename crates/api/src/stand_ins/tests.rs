//! Traits in, implementing types out.

use expect_test::{Expect, expect};

use crate::instantiate::{InstantiateOptions, instantiate};
use crate::testing::read_source;

fn check(source: &str, expected: Expect) {
    let catalogue = instantiate(read_source(source), &InstantiateOptions::default());
    let mut api = catalogue.api.clone();
    api.add_stand_ins(&catalogue.wanted());
    let mut lines: Vec<String> = Vec::new();
    for stand_in in &api.stand_ins {
        lines.push(format!("// {}", stand_in.about));
        lines.extend(
            stand_in
                .items
                .iter()
                .map(|it| it.replace("\n\n", " ").replace('\n', " ")),
        );
    }
    let catalogue = instantiate(api, &InstantiateOptions::default());
    for (id, reason) in &catalogue.skipped {
        let key = &catalogue.api.callables[id.0 as usize].key;
        lines.push(format!("SKIPPED {key}: {reason}"));
    }
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn fields_hold_what_methods_give() {
    check(
        r#"
        pub trait Plan { fn steps(&self) -> u8; fn name(&self) -> &str; fn next(&mut self) -> Option<u16>; fn left(self) -> Vec<u8>; fn push(&mut self, text: &str); fn reset(&mut self); fn provided(&self) -> u8 { 1 } }
        pub fn run<P: Plan>(plan: P) -> u8 { plan.steps() }
        "#,
        expect![[r#"
            // Implements `Plan` with what its fields hold.
            #[derive(Clone, Debug, PartialEq)] pub struct SamplePlan { pub steps: u8, pub name: ::std::string::String, pub next: ::std::vec::Vec<u16>, pub left: ::std::vec::Vec<u8>, pub push: ::std::vec::Vec<::std::string::String>, pub reset: u32 }
            impl ::krate::Plan for SamplePlan { fn steps(&self) -> u8 { self.steps } fn name(&self) -> &str { &self.name } fn next(&mut self) -> ::std::option::Option<u16> { if self.next.is_empty() { None } else { Some(self.next.remove(0)) } } fn left(self) -> ::std::vec::Vec<u8> { self.left } fn push(&mut self, text: &str) { self.push.push(text.to_owned()); } fn reset(&mut self) { self.reset = self.reset.wrapping_add(1); } }
        "#]],
    );
}

#[test]
fn supertraits_types_and_constants_are_there() {
    check(
        r#"
        use std::fmt::{Debug, Display};
        pub trait Base: Ord + Display { fn base(&self) -> f32; }
        pub trait Shape: Clone + Send { type Unit: Display; type Items: Iterator<Item = Self::Unit>; const SIDES: usize; const NAME: &'static str; fn area(&self) -> Self::Unit; fn items(&self) -> Self::Items; fn scaled(&self, by: u8) -> Self; fn unit() -> Self where Self: Sized; fn twin(&self) -> Box<dyn Debug>; }
        pub trait Solid: Clone + Eq + std::hash::Hash + Default + Display { fn volume(&self) -> u32; fn matter<T: ?Sized + Debug>(&self, of: &T, with: impl Fn(&str) -> bool) -> Result<u8, String>; }
        pub trait Pair<'a, T> { fn first(&self, a: &'a str, t: T) -> T; fn longer<'b>(&self, a: &'b str, b: &str) -> &'b str; fn both(&self) -> &'a str { "" } }
        pub trait Held<T> { fn held(&self) -> T; }
        pub fn area<S: Shape>(shape: S) -> u8 { 1 }
        pub fn volume(solid: impl Solid) -> u8 { 1 }
        pub fn pair<T, P: for<'a> Pair<'a, T>>(p: P) -> u8 { 1 }
        pub fn held<T, P: Held<T>>(p: P) -> T { p.held() }
        pub fn base(b: impl Base) {}
        "#,
        expect![[r#"
            // Implements `Base`.
            #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)] pub struct SampleBase;
            impl ::krate::Base for SampleBase { fn base(&self) -> f32 { 2.0 } }
            impl ::std::fmt::Display for SampleBase { fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result { f.write_str("sample") } }
            // Implements `Held` with what its fields hold.
            #[derive(Clone, Debug, PartialEq)] pub struct SampleHeld { pub held: u8 }
            impl ::krate::Held<u8> for SampleHeld { fn held(&self) -> u8 { self.held } }
            // Implements `Pair`.
            #[derive(Clone, Debug, PartialEq)] pub struct SamplePair;
            impl<'a, T> ::krate::Pair<'a, T> for SamplePair { fn first(&self, _: &'a str, t: T) -> T { t } fn longer<'b>(&self, a: &'b str, _: &str) -> &'b str { a } }
            // Implements `Shape` with what its fields hold.
            #[derive(Clone, Debug, PartialEq)] pub struct SampleShape { pub area: i32, pub items: ::std::vec::Vec<i32> }
            impl ::krate::Shape for SampleShape { type Unit = i32; type Items = ::std::vec::IntoIter<i32>; const SIDES: usize = 2; const NAME: &'static str = "sample"; fn area(&self) -> i32 { self.area } fn items(&self) -> ::std::vec::IntoIter<i32> { self.items.clone().into_iter() } fn scaled(&self, _: u8) -> Self { self.clone() } fn unit() -> Self { SampleShape { area: Default::default(), items: Default::default() } } fn twin(&self) -> ::std::boxed::Box<dyn ::std::fmt::Debug> { Box::new(String::from("sample")) } }
            // Implements `Solid` with what its fields hold.
            #[derive(Clone, Debug, PartialEq, Eq, Hash, Default)] pub struct SampleSolid { pub volume: u32, pub matter: u8 }
            impl ::krate::Solid for SampleSolid { fn volume(&self) -> u32 { self.volume } fn matter<T: ::std::fmt::Debug + ?Sized>(&self, _: &T, _: impl ::std::ops::Fn(&str) -> bool) -> ::std::result::Result<u8, ::std::string::String> { Ok(self.matter) } }
            impl ::std::fmt::Display for SampleSolid { fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result { f.write_str("sample") } }
        "#]],
    );
}

#[test]
fn objects_are_made_of_stand_ins() {
    check(
        r#"
        pub trait Shape { fn area(&self) -> u32; fn dup(&self) -> Box<dyn Shape>; }
        pub fn one(shape: &dyn Shape) -> u32 { 0 }
        pub fn boxed(shape: Box<dyn Shape + Send>) -> u32 { 0 }
        pub fn counted(shape: std::sync::Arc<dyn Shape>) -> u32 { 0 }
        pub fn all(shapes: Vec<Box<dyn Shape>>, more: &[&dyn Shape]) -> u32 { 0 }
        "#,
        expect![[r#"
            // Implements `Shape` with what its fields hold.
            #[derive(Clone, Debug, PartialEq)] pub struct SampleShape { pub area: u32 }
            impl ::krate::Shape for SampleShape { fn area(&self) -> u32 { self.area } fn dup(&self) -> ::std::boxed::Box<dyn ::krate::Shape> { Box::new(self.clone()) } }
        "#]],
    );
}

#[test]
fn methods_may_give_futures_or_be_polled() {
    check(
        r#"
        use std::{future::Future, pin::Pin, task::{Context, Poll}};
        pub trait Later { async fn go(&self, n: u8) -> Result<u8, String>; fn then(&mut self) -> impl Future<Output = bool>; }
        pub trait Source { fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<u8>>; }
        pub async fn run<L: Later>(later: L) -> bool { later.go(1).await.is_ok() }
        pub fn first<S: Source + Unpin>(source: S) -> u8 { 1 }
        "#,
        expect![[r#"
            // Implements `Later` with what its fields hold.
            #[derive(Clone, Debug, PartialEq)] pub struct SampleLater { pub go: ::std::result::Result<u8, ::std::string::String>, pub then: bool }
            impl ::krate::Later for SampleLater { async fn go(&self, _: u8) -> ::std::result::Result<u8, ::std::string::String> { self.go.clone() } fn then(&mut self) -> impl ::std::future::Future<Output = bool> { ::std::future::ready(::std::mem::take(&mut self.then)) } }
            // Implements `Source` with what its fields hold.
            #[derive(Clone, Debug, PartialEq)] pub struct SampleSource { pub poll_next: ::std::vec::Vec<u8> }
            impl ::krate::Source for SampleSource { fn poll_next(self: ::std::pin::Pin<&mut Self>, _: &mut ::std::task::Context<'_>) -> ::std::task::Poll<::std::option::Option<u8>> { let this = self.get_mut(); ::std::task::Poll::Ready(if this.poll_next.is_empty() { None } else { Some(this.poll_next.remove(0)) }) } }
        "#]],
    );
}

#[test]
fn an_implementor_that_nobody_has_is_none() {
    check(
        r#"
        pub trait Rare { fn worth(&self) -> u8; }
        pub struct Gem { carat: u8 }
        impl Rare for Gem { fn worth(&self) -> u8 { self.carat } }
        pub fn price<R: Rare>(rare: &R) -> u8 { rare.worth() }
        "#,
        expect![[r#"
            // Implements `Rare` with what its fields hold.
            #[derive(Clone, Debug, PartialEq)] pub struct SampleRare { pub worth: u8 }
            impl ::krate::Rare for SampleRare { fn worth(&self) -> u8 { self.worth } }
            SKIPPED <krate::Gem as krate::Rare>::worth: nothing makes a value of `krate::Gem`
        "#]],
    );
}

#[test]
fn what_is_in_the_way_is_said() {
    check(
        r#"
        mod private { pub trait Sealed {} pub struct Token; }
        pub trait Closed: private::Sealed { fn n(&self) -> u8; }
        pub trait Keyed { fn n(&self, token: private::Token) -> u8; }
        pub unsafe trait Danger {}
        pub struct Opaque(u8);
        pub trait Maker { fn make(&self) -> Opaque; }
        pub trait Lending { type Item<'a> where Self: 'a; fn lend(&mut self) -> Self::Item<'_>; }
        pub trait Sum: Sized + std::ops::Add<Output = u8> { fn n(&self) -> u8; }
        pub fn closed<C: Closed>(c: C) {}
        pub fn keyed<C: Keyed>(c: C) {}
        pub fn danger<C: Danger>(c: C) {}
        pub fn maker(c: &dyn Maker) {}
        pub fn lending<C: Lending>(c: C) {}
        pub fn sum<C: Sum>(c: C) {}
        "#,
        expect![[r#"
            SKIPPED krate::closed: no type known for `C: krate::Closed`, and none can be written: `krate::Closed`: it asks for `krate::private::Sealed`, which nobody outside can name
            SKIPPED krate::danger: no type known for `C: krate::Danger`, and none can be written: `krate::Danger`: it is an unsafe trait
            SKIPPED krate::keyed: no type known for `C: krate::Keyed`, and none can be written: `krate::Keyed`: its method `n` has `krate::private::Token`, which nobody outside can name
            SKIPPED krate::lending: no type known for `C: krate::Lending`, and none can be written: `krate::Lending`: its type `Item` has parameters
            SKIPPED krate::maker: no type known for `&dyn krate::Maker`, and none can be written: `krate::Maker`: its method `make` gives `krate::Opaque`
            SKIPPED krate::sum: no type known for `C: krate::Sum`, and none can be written: `krate::Sum`: `std::ops::Add<Output = u8>` is asked for as well
        "#]],
    );
}

#[test]
fn what_serde_asks_for_is_text_whatever_the_crate_calls_serde() {
    let mut api = read_source(
        r#"
        pub mod data {
            pub mod ser {
                pub trait Serializer { type Ok; type Error; }
                pub trait Serialize { fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>; }
            }
            pub mod de { pub trait Deserializer<'de> { type Error; } }
        }
        pub struct Point(pub u8);
        impl data::ser::Serialize for Point {
            fn serialize<S: data::ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> { todo!() }
        }
        pub fn point<'de, D: data::de::Deserializer<'de>>(from: D) -> Result<Point, D::Error> { todo!() }
        pub struct ToText;
        "#,
    );
    api.add_data_format();
    assert!(api.stand_ins.is_empty(), "these are not serde's");
    for item in ["ser::Serialize", "ser::Serializer", "de::Deserializer"] {
        let definition = format!("serde_core::{item}").into();
        let named = format!("krate::data::{item}").into();
        api.foreign.insert(definition, Some(named));
    }
    api.add_data_format();
    let names: Vec<&str> = api.stand_ins.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["ToText2", "Refusal", "FromText", "written"]);
    let line = api.stand_ins[0].line();
    assert!(
        line.contains("impl ::krate::data::ser::Serializer for ToText2 {"),
        "{line}"
    );
    let catalogue = instantiate(api, &InstantiateOptions::default());
    let keys = catalogue.operations.iter().map(|it| &*it.key);
    let mut keys: Vec<&str> = keys
        .filter(|it| it.contains("stand_ins::") && !it.starts_with("unwrap"))
        .collect();
    keys.sort();
    expect![[r#"
        <krate::Point as krate::data::ser::Serialize>::serialize::<S = stand_ins::ToText2>
        krate::point::<D = krate::data::de::value::StrDeserializer<stand_ins::Refusal>>
        krate::point::<D = stand_ins::FromText>
        stand_ins::FromText { .. }
        stand_ins::Refusal { .. }
        stand_ins::ToText2 { .. }
        stand_ins::written <krate::Point as krate::data::ser::Serialize>::serialize
    "#]]
    .assert_eq(&(keys.join("\n") + "\n"));
}
