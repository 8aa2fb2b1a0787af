//! Source in, copies and mutants out.

use std::collections::BTreeSet;
use std::path::PathBuf;

use expect_test::{Expect, expect};

use crate::support::{RegionCounts, support};
use crate::{
    Cfg, Contents, DefinitionId, DerivedId, FunctionId, Generated, MonitorId, MutantId, RegionId,
    Rewriter, SourceFile,
};

fn rewriter(text: &str) -> Rewriter {
    let path = PathBuf::from("src/lib.rs");
    let source = SourceFile::new(path, text.to_owned(), String::new()).expect("Rust");
    Rewriter::new(vec![source], &Cfg::default())
}

fn copy(text: &str) -> String {
    copy_with(text, &Contents::default())
}

fn copy_with(text: &str, kept: &Contents) -> String {
    let rewriter = rewriter(text);
    let files = rewriter.render(kept);
    let text = &files[0].text;
    text.strip_suffix(&our_module(&rewriter, kept.unstable))
        .expect("it ends with our module")
        .to_owned()
}

fn our_module(rewriter: &Rewriter, unstable: bool) -> String {
    let all = rewriter.regions().len();
    let own = all - rewriter.derived().len();
    support(RegionCounts { own, all }, unstable)
}

/// Compares the copy, one decision a line.
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&(copy(text).replace("(match", "\n(match") + "\n"));
}

fn check_mutants(text: &str, expected: Expect) {
    let rewriter = rewriter(text);
    let mut lines: Vec<String> = rewriter
        .mutants()
        .iter()
        .map(|it| it.name.clone())
        .collect();
    for (why, n) in &rewriter.left_out {
        lines.push(format!("left out {n} × {why}"));
    }
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn operands_are_evaluated_before_it_is_decided() {
    check(
        "fn f(a: u8, b: u8) -> impl Ord { a + b * 2 }",
        expect![[r#"
            fn f(a: u8, b: u8) -> impl Ord { let __testsmith_call = crate::__testsmith::call(0); 
            (match (a, 
            (match (b, 
            (match crate::__testsmith::at(5, 3) { 0 => (2), 1 => 3, 2 => 1, _ => 0 })) { (__l, __r) => match crate::__testsmith::at(3, 2) { 0 => __l * __r, 1 => __l / __r, _ => __l + __r } })) { (__l, __r) => match crate::__testsmith::at(1, 2) { 0 => __l + __r, 1 => __l - __r, _ => __l * __r } }) }
        "#]],
    );
    check(
        "fn f(a: &str, b: &str) -> impl Ord { a.len() < b.len() && !a.is_empty() }",
        expect![[r#"
            fn f(a: &str, b: &str) -> impl Ord { let __testsmith_call = crate::__testsmith::call(0); 
            (match 
            (match () { () => 
            (match (&(a.len()), &(b.len())) { (__l, __r) => match crate::__testsmith::compare(2, 2, __l, __r) { 0 => *__l < *__r, 1 => *__l <= *__r, _ => *__l >= *__r } }) }) { __l => match crate::__testsmith::at(1, 1) { 0 => __l && (
            (match (a.is_empty()) { __v => match crate::__testsmith::at(4, 1) { 0 => !__v, _ => __v } })), _ => __l || (!a.is_empty()) } }) }
        "#]],
    );
}

#[test]
fn the_families_propose_mutants() {
    check_mutants(
        r#"
        impl Stack {
            fn get(&mut self, i: usize) -> Option<u8> {
                if i >= self.len { return None; }
                self.n += 1;
                self.log(i);
                self.items.reserve(5);
                match self.mode { Mode::Up => self.up(), Mode::Down if i > 3 => -1, _ => "text" }
            }
            fn make(n: u8) -> Stack { Stack { n: n, first: &7, items: items().first().min(n) } }
            fn all(&self) -> bool { for i in 0..self.len { check(i); } true }
            fn say(&self) { log::info!("{}", self.n + 1); if let Some(3 | 5..=9) = self.last { vec![1] } }
        }
        const fn skipped() -> u8 { 1 + 1 }
        const N: u8 = 1 + 1;
        #[cfg(windows)] fn elsewhere() { go(); }
        #[cfg(test)] mod tests { fn t() { go(); } }
        impl Debug for Stack { fn fmt(&self) { go(); } }
        "#,
        expect![[r#"
            src/lib.rs Stack::get: return `get` -> `return None`
            src/lib.rs Stack::get: return `get` -> `return Some(0)`
            src/lib.rs Stack::get: condition `i >= self.len` -> `true`
            src/lib.rs Stack::get: condition `i >= self.len` -> `false`
            src/lib.rs Stack::get: relational `i >= self.len` -> `i > self.len`
            src/lib.rs Stack::get: relational `i >= self.len` -> `i < self.len`
            src/lib.rs Stack::get: statement `self.n += 1;` -> `(deleted)`
            src/lib.rs Stack::get: assignment `self.n += 1` -> `self.n -= 1`
            src/lib.rs Stack::get: assignment `self.n += 1` -> `self.n *= 1`
            src/lib.rs Stack::get: literal `1` -> `2`
            src/lib.rs Stack::get: literal `1` -> `0`
            src/lib.rs Stack::get: statement `self.log(i);` -> `(deleted)`
            src/lib.rs Stack::get: arm `Mode::Up` -> `(deleted)`
            src/lib.rs Stack::get: condition `i > 3` -> `true`
            src/lib.rs Stack::get: condition `i > 3` -> `false`
            src/lib.rs Stack::get: relational `i > 3` -> `i >= 3`
            src/lib.rs Stack::get: relational `i > 3` -> `i <= 3`
            src/lib.rs Stack::get: literal `3` -> `4`
            src/lib.rs Stack::get: literal `3` -> `2`
            src/lib.rs Stack::get: literal `3` -> `0`
            src/lib.rs Stack::get: literal `-1` -> `-2`
            src/lib.rs Stack::get: literal `-1` -> `0`
            src/lib.rs Stack::get: literal `-1` -> `1`
            src/lib.rs Stack::get: literal `"text"` -> `""`
            src/lib.rs Stack::make: return `make` -> `return Default::default()`
            src/lib.rs Stack::make: field `n` -> `Default::default()`
            src/lib.rs Stack::make: field `&7` -> `Default::default()`
            src/lib.rs Stack::make: literal `&7` -> `&8`
            src/lib.rs Stack::make: literal `&7` -> `&6`
            src/lib.rs Stack::make: literal `&7` -> `&0`
            src/lib.rs Stack::make: field `items().first().min(n)` -> `Default::default()`
            src/lib.rs Stack::make: method `items().first().min(n)` -> `items().first().max(n)`
            src/lib.rs Stack::make: method `items().first()` -> `items().last()`
            src/lib.rs Stack::all: return `all` -> `return true`
            src/lib.rs Stack::all: return `all` -> `return false`
            src/lib.rs Stack::all: literal `0` -> `1`
            src/lib.rs Stack::all: range `self.len` -> `self.len + 1`
            src/lib.rs Stack::all: range `self.len` -> `self.len - 1`
            src/lib.rs Stack::all: statement `check(i);` -> `(deleted)`
            src/lib.rs Stack::all: literal `true` -> `false`
            src/lib.rs Stack::say: return `say` -> `return`
            src/lib.rs skipped: return `skipped` -> `return 0`
            src/lib.rs skipped: return `skipped` -> `return 1`
            src/lib.rs skipped: arithmetic `1 + 1` -> `1 - 1`
            src/lib.rs skipped: arithmetic `1 + 1` -> `1 * 1`
            src/lib.rs skipped: literal `1` -> `2`
            src/lib.rs skipped: literal `1` -> `0`
            src/lib.rs skipped: literal `1` -> `2` (2)
            src/lib.rs skipped: literal `1` -> `0` (2)
            left out 1 × Debug and Display
            left out 1 × a capacity hint
            left out 1 × a constant
            left out 2 × a pattern
            left out 1 × code that cfg leaves out
            left out 1 × logging
            left out 1 × the inside of a macro
        "#]],
    );
}

#[test]
fn questions_to_the_processor_are_told_to_whoever_watches() {
    let text = "fn f() -> bool {\n    std::is_x86_feature_detected!(\"avx2\") || unsafe { __cpuid(0) }.eax == 1\n}\n\
                const A: bool = is_x86_feature_detected!(\"avx\");\n\
                fn g() { unsafe { std::arch::asm!(\"rdtsc\"); std::arch::asm!(\"nop\") } }\n";
    let copy = copy(text);
    for text in [
        "crate::__testsmith::has(std::is_x86_feature_detected!(\"avx2\"))",
        "({ crate::__testsmith::ask(); __cpuid(",
        "= is_x86_feature_detected!(\"avx\");",
        "({ crate::__testsmith::ask(); std::arch::asm!(\"rdtsc\") });",
        " std::arch::asm!(\"nop\")",
    ] {
        assert!(copy.contains(text), "{text} is not in:\n{copy}");
    }
}

#[test]
fn lines_stay_where_they_are() {
    let text =
        "fn f(a: u8) -> bool {\n    // about a\n    a\n        == // the limit\n        9\n}\n";
    let copy = copy(text);
    assert_eq!(copy.lines().count(), text.lines().count(), "{copy}");
    assert!(
        copy.lines().nth(4).is_some_and(|line| line.contains('9')),
        "{copy}"
    );
}

#[test]
fn dropped_mutants_leave_the_original() {
    let text = "fn f(a: u8) -> impl Ord { a + 1 }";
    let rewriter = rewriter(text);
    let all: BTreeSet<MutantId> = (1..=rewriter.mutants().len() as u32)
        .map(MutantId)
        .collect();
    let files = rewriter.render(&Contents {
        dropped: all,
        ..Contents::default()
    });
    let body = "{ let __testsmith_call = crate::__testsmith::call(0); a + 1 }";
    let counted = text.replace("{ a + 1 }", body);
    assert_eq!(
        files[0].text,
        format!("{counted}{}", our_module(&rewriter, false))
    );
    assert_eq!(files[0].places, []);
}

#[test]
fn the_place_of_an_error_names_its_mutants() {
    let text = "fn f(a: u8) -> impl Ord { a + 1 }";
    let rewriter = rewriter(text);
    let files = rewriter.render(&Contents::default());
    let file = &files[0];
    let at = |what: &str| {
        let start = file.text.find(what).expect("it is there");
        let found = file.guilty(&(start..start + what.len()));
        let found = found.iter().flat_map(|place| &place.mutants);
        found
            .map(|id| rewriter.mutant(*id).replacement.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(at("__l * __r"), ["a * 1"]);
    assert_eq!(at("__l + __r"), ["a - 1", "a * 1"]);
    assert_eq!(at("fn f"), Vec::<String>::new());
}

#[test]
fn regions_are_counted_where_they_begin() {
    let text = r#"
        const fn kept() -> bool { if A {} loop {} }
        fn f(a: Option<u8>) -> Option<u8> {
            if a.is_none() { return None; }
            let b = a?;
            let Some(c) = g(b) else { panic!() };
            for i in c { if let Some(d) = i { go(d) } else if e { stop(|x| x.y()) } }
            match c { A => m!(), B => {} }
            h()
        }
        "#;
    let rewriter = rewriter(text);
    let all = (1..=rewriter.mutants().len() as u32).map(MutantId);
    let files = rewriter.render(&Contents {
        dropped: all.collect(),
        ..Contents::default()
    });
    let copy = files[0].text.strip_suffix(&our_module(&rewriter, false));
    let copy = copy
        .expect("it ends with our module")
        .replace("crate::__testsmith::", "");
    let mut shown = vec![copy.trim().to_owned()];
    for id in &files[0].regions {
        let region = &rewriter.regions()[id.0 as usize];
        shown.push(format!("{} {:?} {:?}", id.0, region.kind, region.lines));
    }
    expect![[r#"
        const fn kept() -> bool { if A {} loop {} }
                fn f(a: Option<u8>) -> Option<u8> { let __testsmith_call = call(4);
                    if a.is_none() { pass(6); return None; } else { pass(5); }
                     pass(7);let b = a?;
                     pass(8);let Some(c) = g(b) else { pass(9); panic!() };
                    for i in c { turn(10); if let Some(d) = i { pass(11); go(d) } else { pass(12);if e { pass(14); stop(|x| { pass(15);x.y() }) } else { pass(13); } } }
                    match c { A => { pass(16);m!() }, B => { pass(17);} }
                    h()
                }
        6 Then {4}
        5 Else {}
        7 Rest {5}
        9 LetElse {6}
        8 Question {6, 7, 8, 9}
        11 Then {7}
        15 Closure {7}
        14 Then {7}
        13 Else {}
        12 Else {7}
        10 Loop {7}
        16 Arm {8}
        17 Arm {}
        4 Function {3, 4}
    "#]].assert_eq(&(shown.join("\n") + "\n"));
}

/// Compares the copy, one field or constructor a line.
fn check_snapshots(text: &str, expected: Expect) {
    let copy = copy(text);
    assert_eq!(copy.lines().count(), text.lines().count(), "{copy}");
    let copy = copy.replace("crate::__testsmith::", "");
    let lines = copy.replace("=> if", "\n    => if");
    expected.assert_eq(&(lines.replace(" fn ", "\n  fn ") + "\n"));
}

#[test]
fn types_are_written_out_with_their_private_fields() {
    check_snapshots(
        "struct Stack<'a, T: Ord = u8, const N: usize = 3> where T: Copy {\n    items: &'a [T; N], // all\n    \
         #[cfg(unix)] r#type: u8,\n} struct Empty;",
        expect![[r#"
            struct Stack<'a, T: Ord = u8, const N: usize = 3> where T: Copy {
                items: &'a [T; N], // all
                #[cfg(unix)] r#type: u8,
            } impl<'a, T: Ord , const N: usize > Snapshot for Stack<'a, T, N> where T: Copy {
              fn snapshot(&self, __out: &mut Out) { match *self { Self { items: ref __f0, #[cfg(unix)] r#type: ref __f1, } 
                => if __out.begin(0, "Stack") { crate::__testsmith_field!(__out, "items", __f0); #[cfg(unix)] crate::__testsmith_field!(__out, "type", __f1); __out.end(); } } }
              fn restore(__from: &mut In<'_>) -> Option<Self> { let __made = match __from.begin()? { 0 => Self { items: crate::__testsmith_part!(__from, &'a [T; N])?, #[cfg(unix)] r#type: crate::__testsmith_part!(__from, u8)?, }, _ => return Option::None }; __from.end()?; Option::Some(__made) } } struct Empty; impl<> Snapshot for Empty<>  {
              fn snapshot(&self, __out: &mut Out) { match *self { Self { } 
                => if __out.begin(0, "Empty") { __out.end(); } } }
              fn restore(__from: &mut In<'_>) -> Option<Self> { let __made = match __from.begin()? { 0 => Self { }, _ => return Option::None }; __from.end()?; Option::Some(__made) } }
        "#]],
    );
    check_snapshots(
        "mod inner {\n    #[cfg(not(test))] pub(crate) enum Mode { Up, #[cfg(unix)] Down(u8, String), Both { a: u8 } } }",
        expect![[r#"
            mod inner {
                #[cfg(not(test))] pub(crate) enum Mode { Up, #[cfg(unix)] Down(u8, String), Both { a: u8 } } #[cfg(not(test))] impl<> Snapshot for Mode<>  {
              fn snapshot(&self, __out: &mut Out) { match *self { Self::Up { } 
                => if __out.begin(0, "Up") { __out.end(); } #[cfg(unix)] Self::Down { 0: ref __f0, 1: ref __f1, } 
                => if __out.begin(1, "Down") { crate::__testsmith_field!(__out, "0", __f0); crate::__testsmith_field!(__out, "1", __f1); __out.end(); } Self::Both { a: ref __f0, } 
                => if __out.begin(2, "Both") { crate::__testsmith_field!(__out, "a", __f0); __out.end(); } } }
              fn restore(__from: &mut In<'_>) -> Option<Self> { let __made = match __from.begin()? { 0 => Self::Up { }, #[cfg(unix)] 1 => Self::Down { 0: crate::__testsmith_part!(__from, u8)?, 1: crate::__testsmith_part!(__from, String)?, }, 2 => Self::Both { a: crate::__testsmith_part!(__from, u8)?, }, _ => return Option::None }; __from.end()?; Option::Some(__made) } } }
        "#]],
    );
    check_snapshots(
        "struct Tail<T: ?Sized>(u8, T); struct Text(str);",
        expect![[r#"
            struct Tail<T: ?Sized>(u8, T); impl<T: ?Sized> Snapshot for Tail<T>  {
              fn snapshot(&self, __out: &mut Out) { match *self { Self { 0: ref __f0, 1: ref __f1, } 
                => if __out.begin(0, "Tail") { crate::__testsmith_field!(__out, "0", __f0); crate::__testsmith_field!(__out, "1", __f1); __out.end(); } } } } struct Text(str); impl<> Snapshot for Text<>  {
              fn snapshot(&self, __out: &mut Out) { match *self { Self { 0: ref __f0, } 
                => if __out.begin(0, "Text") { crate::__testsmith_field!(__out, "0", __f0); __out.end(); } } } }
        "#]],
    );
}

#[test]
fn what_is_not_looked_into_is_counted() {
    check_mutants(
        "#[repr(C, packed(2))] struct P(u8); union U { a: u8 } made!(S); struct T(#[cfg(unix)] u8);\n\
         fn f() { struct Local; }",
        expect![[r#"
            src/lib.rs f: return `f` -> `return`
            left out 1 × the state of a packed type
            left out 1 × the state of a type inside a function
            left out 1 × the state of a type with conditional fields that have no names
            left out 1 × the state of a union
            left out 1 × the state of types that a macro may define
        "#]],
    );
}

#[test]
fn the_place_of_an_error_names_its_type() {
    let rewriter = rewriter("mod a { struct A(u8); }\nstruct B { a: A }");
    assert_eq!(rewriter.definitions(), ["a::A", "B"]);
    let place = |opaque: BTreeSet<DefinitionId>| {
        let files = rewriter.render(&Contents {
            opaque,
            ..Contents::default()
        });
        let start = files[0].text.find("for B").expect("it is there");
        files[0].generated_at(&(start..start + 5))
    };
    assert_eq!(
        place(BTreeSet::new()),
        Some(Generated::State(DefinitionId(1)))
    );
    assert_eq!(
        place([DefinitionId(0)].into()),
        Some(Generated::State(DefinitionId(1)))
    );
}

/// Keeps everything that a copy can contain except code for types.
fn unstable(rewriter: &Rewriter) -> Contents {
    let types = 0..rewriter.definitions().len() as u32;
    Contents {
        opaque: types.map(DefinitionId).collect(),
        unstable: true,
        constants: true,
        ..Contents::default()
    }
}

/// Compares the copy, one arm a line.
fn check_derived(text: &str, expected: Expect) {
    let copy = copy_with(text, &unstable(&rewriter(text)));
    assert_eq!(copy.lines().count(), text.lines().count(), "{copy}");
    let copy = copy.replace("crate::__testsmith::", "");
    let copy = copy.replace("#[automatically_derived] ", "\n  ");
    let lines = copy.replace("Self", "\n    Self").replace("&\n    ", "&");
    expected.assert_eq(&(lines + "\n"));
}

#[test]
fn derived_equality_is_written_out() {
    check_derived(
        "#[derive(Clone,\n  PartialEq, // ours\n  Eq)]\nstruct Pair { a: String, r#b: &'static u8, #[cfg(unix)] c: () }",
        expect![[r#"
            #[derive(Clone,
                         // ours
              Eq)]
            struct Pair { a: String, r#b: &'static u8, #[cfg(unix)] c: () } 
              impl<> PartialEq for Pair<>  { #[inline] fn eq(&self, __other: &Self) -> bool { let __testsmith_call = call(0); match *self { 
                Self { a: ref __l0, r#b: ref __l1, #[cfg(unix)] c: ref __l2, } => match *__other { 
                Self { a: ref __r0, r#b: ref __r1, #[cfg(unix)] c: ref __r2, } => { if !(*__l1 == *__r1) { return false; } #[cfg(unix)] if !(*__l2 == *__r2) { return false; } if !(*__l0 == *__r0) { return false; } true } _ => false } } } } 
              impl<> StructuralPartialEq for Pair<>  {}
        "#]],
    );
    check_derived(
        "mod m { #[derive(::core::cmp::PartialEq)] pub enum Mode<T> { Up, #[cfg(x)] Down(T, u8) } }",
        expect![[r#"
            mod m { #[derive(                      )] pub enum Mode<T> { Up, #[cfg(x)] Down(T, u8) } 
              impl<T> PartialEq for Mode<T> where T: PartialEq,  { #[inline] fn eq(&self, __other: &Self) -> bool { let __testsmith_call = call(0); match *self { 
                Self::Up { } => match *__other { 
                Self::Up { } => { true } _ => false } #[cfg(x)] 
                Self::Down { 0: ref __l0, 1: ref __l1, } => match *__other { 
                Self::Down { 0: ref __r0, 1: ref __r1, } => { if !(__l1 == __r1) { return false; } if !(__l0 == __r0) { return false; } true } _ => false } } } } 
              impl<T> StructuralPartialEq for Mode<T>  {} }
        "#]],
    );
    check_derived(
        "#[derive(PartialEq)] struct All<'a, T: Iterator + 'a, U = u8, const N: usize = 1>(Vec<T::Item>, <U as X>::Y, [&'a T; N]) where T: Copy;",
        expect![[r#"
            #[derive(         )] struct All<'a, T: Iterator + 'a, U = u8, const N: usize = 1>(Vec<T::Item>, <U as X>::Y, [&'a T; N]) where T: Copy; 
              impl<'a, T: Iterator + 'a, U , const N: usize > PartialEq for All<'a, T, U, N> where T: Copy, T: PartialEq, U: PartialEq, T::Item: PartialEq,  { #[inline] fn eq(&self, __other: &Self) -> bool { let __testsmith_call = call(0); match *self { 
                Self { 0: ref __l0, 1: ref __l1, 2: ref __l2, } => match *__other { 
                Self { 0: ref __r0, 1: ref __r1, 2: ref __r2, } => { if !(*__l0 == *__r0) { return false; } if !(*__l1 == *__r1) { return false; } if !(*__l2 == *__r2) { return false; } true } _ => false } } } } 
              impl<'a, T: Iterator + 'a, U , const N: usize > StructuralPartialEq for All<'a, T, U, N> where T: Copy {}
        "#]],
    );
    check_derived(
        "#[derive(Debug, PartialEq)] #[repr(C, packed(2))] struct Packed<T>(u8, T);\n#[derive(PartialEq)] enum Never {}",
        expect![[r#"
            #[derive(Debug,          )] #[repr(C, packed(2))] struct Packed<T>(u8, T); 
              impl<T> PartialEq for Packed<T> where T: PartialEq + Copy,  { #[inline] fn eq(&self, __other: &Self) -> bool { let __testsmith_call = call(0); match *self { 
                Self { 0: __l0, 1: __l1, } => match *__other { 
                Self { 0: __r0, 1: __r1, } => { if !(__l0 == __r0) { return false; } if !(__l1 == __r1) { return false; } true } _ => false } } } } 
              impl<T> StructuralPartialEq for Packed<T>  {}
            #[derive(         )] enum Never {} 
              impl<> PartialEq for Never<>  { #[inline] fn eq(&self, __other: &Self) -> bool { let __testsmith_call = call(1); match *self { } } } 
              impl<> StructuralPartialEq for Never<>  {}
        "#]],
    );
}

#[test]
fn a_region_knows_the_one_around_it_and_the_comparisons_that_decide() {
    let rewriter = rewriter(
        "fn f(a: u8, b: u8) -> u8 { if a < b && b == 7 { 1 } else if a > 9 { 2 } else { 3 } }
         fn g(mut a: u8, b: u8) { if a == 3 { return; } while a < b { a += 1; } }",
    );
    let ids = |of: &[MutantId]| of.iter().map(|it| it.0.to_string()).collect::<Vec<_>>();
    let lines = rewriter.regions().iter().enumerate().map(|(i, it)| {
        let parent = it.parent.map_or("none".to_owned(), |it| it.0.to_string());
        let deciding = match ids(&it.decided_by).join(" ") {
            it if it.is_empty() => "nothing".to_owned(),
            it => it,
        };
        format!("{i} {:?} within {parent} by {deciding}\n", it.kind)
    });
    let first = |text: &str| {
        let mut mutants = rewriter.mutants().iter();
        mutants.find(|it| it.original == text).map(|it| it.first.0)
    };
    let compared = ["a < b && b == 7", "a < b", "b == 7", "a > 9", "a == 3"].map(first);
    expect![[r#"
        [Some(3), Some(6), Some(8), Some(14), Some(28)]
        0 Function within none by nothing
        1 Then within 0 by 6 8
        2 Else within 0 by 6 8
        3 Then within 2 by 16
        4 Else within 2 by 16
        5 Function within none by nothing
        6 Else within 5 by 30
        7 Then within 5 by 30
        8 Rest within 5 by 30
        9 Loop within 8 by 36
    "#]]
    .assert_eq(&format!("{compared:?}\n{}", lines.collect::<String>()));
}

#[test]
fn regions_of_derived_equalities_come_last() {
    let rewriter = rewriter(
        "mod m {\n#[derive(PartialEq)] struct A<T>(T); }\n#[derive(PartialEq)] struct B; fn f() {}",
    );
    let regions = rewriter.regions().iter();
    let shown: Vec<String> = regions
        .map(|it| {
            format!(
                "{:?} {} line {} {:?}",
                it.kind, it.function, it.line, it.lines
            )
        })
        .collect();
    expect![[r#"
        Function f line 3 {3}
        Derived m::<A<T> as PartialEq>::eq line 2 {}
        Derived <B as PartialEq>::eq line 3 {}
    "#]]
    .assert_eq(&(shown.join("\n") + "\n"));
    let counted = |kept: &Contents| rewriter.render(kept)[0].regions.clone();
    let everything = unstable(&rewriter);
    assert_eq!(counted(&everything), [0, 1, 2].map(RegionId));
    let some = Contents {
        derived: [DerivedId(0)].into(),
        ..everything.clone()
    };
    assert_eq!(counted(&some), [0, 2].map(RegionId));
    let recorded = Contents {
        records: true,
        ..everything
    };
    assert_eq!(counted(&recorded), [RegionId(0)]);
    assert_eq!(counted(&Contents::default()), [RegionId(0)]);
}

#[test]
fn the_place_of_an_error_names_the_derived_equality() {
    let rewriter = rewriter("#[derive(PartialEq, Eq)] struct A(f32); struct B;");
    let at = |kept: &Contents, what: &str| {
        let file = &rewriter.render(kept)[0];
        let start = file.text.find(what).expect("it is there");
        file.generated_at(&(start..start + what.len()))
    };
    let mut kept = unstable(&rewriter);
    let it = Some(Generated::Equality(DerivedId(0)));
    assert_eq!(at(&kept, "*__l0"), it);
    assert_eq!(at(&kept, "Eq"), it);
    assert_eq!(at(&kept, "struct A"), None);
    kept.derived.insert(DerivedId(0));
    assert_eq!(at(&kept, "PartialEq, Eq"), None);
}

#[test]
fn equalities_that_the_compiler_derives_are_counted() {
    check_mutants(
        "#[cfg_attr(x, derive(PartialEq))] struct A; #[derive(PartialEq)] struct B(#[cfg(x)] u8);\n\
         #[cfg_attr(x, repr(packed))] #[derive(PartialEq)] struct C(u8);\n\
         #[derive(Clone)] struct D; fn f() { #[derive(PartialEq)] struct E; #[derive(Clone)] struct F; }",
        expect![[r#"
            src/lib.rs f: return `f` -> `return`
            left out 1 × a derived equality inside a function
            left out 1 × a derived equality under a condition
            left out 1 × the derived equality of a type that may be packed
            left out 1 × the derived equality of a type with conditional fields that have no names
            left out 1 × the state of a packed type
            left out 2 × the state of a type inside a function
            left out 1 × the state of a type with conditional fields that have no names
        "#]],
    );
    check_mutants(
        "use other::{PartialEq, Eq}; #[derive(PartialEq)] struct A;",
        expect![[r#"
            left out 1 × a derived equality that may be foreign
        "#]],
    );
    check_mutants(
        "use std::cmp::{PartialEq, Eq}; #[derive(PartialEq)] struct A; union U { a: u8 }",
        expect![[r#"
            left out 1 × the state of a union
        "#]],
    );
}

#[test]
fn a_mutant_can_be_edited_in_alone() {
    let text = "fn f(a: u8, b: u8) -> bool {\n    go(a);\n    match a { 1 => (), _ => () }\n    \
                a as u8 >= b * 2 || !x(1..a + b) && (a | b) == 3 || b\n}";
    let rewriter = rewriter(text);
    let edited = |replacement: &str| {
        let mut mutants = rewriter.mutants().iter();
        let mutant = mutants.find(|it| it.replacement == replacement);
        let mutant = mutant.unwrap_or_else(|| panic!("{replacement} is proposed"));
        let mut text = text.to_owned();
        text.replace_range(mutant.range.clone(), &mutant.edit);
        syn::parse_file(&text).expect("it is Rust");
        let line = text.lines().nth(mutant.line - 1).expect("it has the line");
        line.trim().to_owned()
    };
    let last = |begin: &str, end: &str| format!("{begin}{end}");
    let end = " || !x(1..a + b) && (a | b) == 3 || b";
    assert_eq!(
        edited("return true"),
        "fn f(a: u8, b: u8) -> bool { return true;"
    );
    assert_eq!(
        edited("(a as u8) < (b * 2)"),
        last("((a as u8) < (b * 2))", end)
    );
    assert_eq!(edited("b / 2"), last("a as u8 >= (b / 2)", end));
    assert_eq!(
        edited("(a + b) - 1"),
        "a as u8 >= b * 2 || !x(1..((a + b) - 1)) && (a | b) == 3 || b"
    );
    let mut mutants = rewriter.mutants().iter();
    let deleted = mutants.find(|it| it.operator == "arm").expect("an arm");
    assert_eq!(deleted.edit, " if false");
}

#[test]
fn a_constant_function_is_one_where_that_is_asked_for() {
    let rewriter = rewriter("const fn f(a: u8) -> u8 { a + 1 }");
    let begins = |constants| {
        let kept = Contents {
            constants,
            ..Contents::default()
        };
        rewriter.render(&kept)[0].text.starts_with("const fn f")
    };
    assert!(begins(true));
    assert!(!begins(false));
}

/// Compares the functions that note what they read, one a line.
fn check_monitored(text: &str, expected: Expect) {
    let rewriter = rewriter(text);
    let kept = Contents {
        dropped: (1..=rewriter.mutants().len() as u32)
            .map(MutantId)
            .collect(),
        ..unstable(&rewriter)
    };
    let copy = copy_with(text, &kept);
    assert_eq!(copy.lines().count(), text.lines().count(), "{copy}");
    let files = rewriter.render(&kept);
    let mut lines = String::new();
    for (range, generated) in &files[0].generated {
        if let Generated::Monitor(id) = generated {
            let code = files[0].text[range.clone()].replace("crate::__testsmith::", "");
            let name = &rewriter.monitored()[id.0 as usize];
            lines.push_str(&format!("{name}:{code}\n"));
        }
    }
    for (why, n) in &rewriter.left_out {
        if why.contains("`==`") {
            lines.push_str(&format!("left out {n} × {why}\n"));
        }
    }
    expected.assert_eq(&lines);
}

#[test]
fn an_equality_notes_the_places_that_it_reads() {
    check_monitored(
        r#"
        impl PartialEq for Stack {
            fn eq(&self, other: &Stack) -> bool {
                self.size == other.size && self.store[..self.size] == other.store[..other.size]
            }
        }
        impl<T: PartialEq> PartialEq<Self> for Grid<T> {
            fn eq(&self, it: &Self) -> bool { (*self).0.rows[1][2] == *it.0.rows[1][2].borrow() }
        }
        "#,
        expect![[r#"
            <Stack as PartialEq>::eq: if is_monitored() { enter(self); return { (* crate :: __testsmith :: read (& self . size)) == (* crate :: __testsmith :: read (& other . size)) && (* crate :: __testsmith :: read (& (* crate :: __testsmith :: base (& self . store)) [.. (* crate :: __testsmith :: read (& self . size))])) == (* crate :: __testsmith :: read (& (* crate :: __testsmith :: base (& other . store)) [.. (* crate :: __testsmith :: read (& other . size))])) }; }
            <Grid<T> as PartialEq>::eq: if is_monitored() { enter(self); return { (*read(&(*base(&(*base(&(*self).0.rows))[1]))[2])) == *(*read(&(*base(&(*base(&it.0.rows))[1]))[2])).borrow() }; }
        "#]],
    );
}

#[test]
fn methods_that_an_equality_calls_note_what_they_read() {
    check_monitored(
        r#"
        impl<T> List<T> {
            pub fn items(&self) -> &[T] { &self.buffer[..self.len()] }
            const fn len(&self) -> usize { self.len }
            fn unneeded(&self) -> u8 { self.n }
            fn into_len(self) -> usize { self.len }
        }
        impl<T: PartialEq> PartialEq for List<T> {
            fn eq(&self, other: &Self) -> bool { self.items() == other.items() }
        }
        impl Other { fn items(&self) -> u8 { self.n } }
        "#,
        expect![[r#"
            List<T>::items: pub(crate) fn __testsmith_read_items(&self) -> &[T]  { { &(*read(&(*base(&self.buffer))[..self.__testsmith_read_len()])) } }
            List<T>::len: pub(crate) fn __testsmith_read_len(&self) -> usize  { { (*read(&self.len)) } }
            <List<T> as PartialEq>::eq: if is_monitored() { enter(self); return { self.__testsmith_read_items() == other.__testsmith_read_items() }; }
        "#]],
    );
}

#[test]
fn a_pattern_that_names_fields_reads_these() {
    check_monitored(
        r#"
        impl PartialEq for Shape {
            fn eq(&self, other: &Shape) -> bool {
                match (self, other) {
                    (Shape::Dot, Shape::Dot) => true,
                    (Shape::Disc { r, .. }, Shape::Disc { r: s, .. }) if r > s => false,
                    (Shape::Disc { r, .. }, Shape::Disc { r: s, .. }) => r == s,
                    _ => false,
                }
            }
        }
        impl PartialEq for Pair {
            fn eq(&self, other: &Pair) -> bool {
                let Pair { a, b: _ } = self;
                if let Pair { a: c, .. } = other { a == c } else { false }
            }
        }
        "#,
        expect![[r#"
            <Shape as PartialEq>::eq: if is_monitored() { enter(self); return { match (self , other) { (Shape :: Dot , Shape :: Dot) => { true } , (Shape :: Disc { r , .. } , Shape :: Disc { r : s , .. }) if { crate :: __testsmith :: read (r) ; crate :: __testsmith :: read (s) ; true } && (r > s) => { crate :: __testsmith :: read (r) ; crate :: __testsmith :: read (s) ; false } , (Shape :: Disc { r , .. } , Shape :: Disc { r : s , .. }) => { crate :: __testsmith :: read (r) ; crate :: __testsmith :: read (s) ; r == s } , _ => { false } , } }; }
            <Pair as PartialEq>::eq: if is_monitored() { enter(self); return { let Pair { a , b : _ } = self ; crate :: __testsmith :: read (a) ; if let Pair { a : c , .. } = other { crate :: __testsmith :: read (c) ; a == c } else { false } }; }
        "#]],
    );
}

#[test]
fn whatever_else_an_equality_does_with_a_value_reads_all_of_it() {
    check_monitored(
        r#"
        impl PartialEq for A { fn eq(&self, other: &A) -> bool { self.cmp(other).is_eq() } }
        impl PartialEq for B { fn eq(&self, other: &B) -> bool { matches!((self.x, 1), (1, 1)) } }
        impl PartialEq for C { fn eq(&self, other: &C) -> bool { std::ptr::eq(self, other) || self.x == other.x } }
        impl PartialEq for D { fn eq(&self, other: &D) -> bool { match self { D::Some(Inner::A) => true, _ => false } } }
        impl PartialEq for E { fn eq(&self, E { x }: &E) -> bool { self.x == *x } }
        impl PartialEq<u8> for F { fn eq(&self, other: &u8) -> bool { self.x == *other } }
        "#,
        expect![[r#"
            <A as PartialEq>::eq: if is_monitored() { enter(self); read(other); read(self); return { self.cmp(other).is_eq() }; }
            <B as PartialEq>::eq: if is_monitored() { enter(self); read(self); return { matches!((self.x, 1), (1, 1)) }; }
            <C as PartialEq>::eq: if is_monitored() { enter(self); read(other); read(self); return { std::ptr::eq(self, other) || (*read(&self.x)) == (*read(&other.x)) }; }
            <D as PartialEq>::eq: if is_monitored() { enter(self); read(self); return { match self { D::Some(Inner::A) => true, _ => false } }; }
            left out 1 × an `==` that takes its other side apart
        "#]],
    );
}

#[test]
fn whoever_calls_what_is_not_monitored_is_not_monitored_either() {
    let rewriter = rewriter(
        "impl A { fn a(&self) -> u8 { self.b() } fn b(&self) -> u8 { self.x } }\n\
         impl PartialEq for A { fn eq(&self, o: &A) -> bool { self.a() == o.a() } }\n\
         impl PartialEq for B { fn eq(&self, o: &B) -> bool { self.x == o.x } }",
    );
    let names = rewriter.monitored();
    assert_eq!(
        names,
        [
            "A::a",
            "A::b",
            "<A as PartialEq>::eq",
            "<B as PartialEq>::eq"
        ]
    );
    let mut kept = unstable(&rewriter);
    assert_eq!(rewriter.monitoring(&kept).len(), 4);
    kept.unmonitored.insert(MonitorId(1));
    let left = rewriter.monitoring(&kept);
    assert_eq!(left.into_iter().collect::<Vec<_>>(), [MonitorId(3)]);
    kept.records = true;
    assert!(rewriter.monitoring(&kept).is_empty());
}

#[test]
fn what_functions_return_is_noted() {
    let text = "impl A { fn f(&self, n: u8) -> Option<&u8> { go(|| return 1); if n > 1 { return None; } \
                self.0.get(n) }\n async fn g() -> u8 { 1 } const fn h() -> u8 { 2 } \
                fn i() -> impl Ord { 3 } fn j() {} fn k() -> ! { loop {} } }";
    let rewriter = rewriter(text);
    assert_eq!(rewriter.returning(), ["src/lib.rs A::f"]);
    let dropped = (1..=rewriter.mutants().len() as u32).map(MutantId);
    let kept = |silent| Contents {
        dropped: dropped.clone().collect(),
        unstable: true,
        constants: true,
        returns: true,
        silent,
        ..Contents::default()
    };
    let files = rewriter.render(&kept(BTreeSet::new()));
    let noted = |what: &str| format!("crate::__testsmith::returned::<Option<&u8>>(0, {what})");
    let copy = &files[0].text[..files[0].own];
    assert!(
        copy.contains(&format!("return {};", noted("None"))),
        "{copy}"
    );
    // Code that ran before the decision is counted outside.
    let tail = format!("pass(4);{} }}", noted("self.0.get(n)"));
    assert!(copy.contains(&tail), "{copy}");
    assert_eq!(copy.matches("returned").count(), 2, "{copy}");
    let at = copy.find("self.0").expect("it is there");
    assert_eq!(files[0].returned_at(&(at..at + 4)), Some(FunctionId(0)));
    assert_eq!(files[0].returned_at(&(0..4)), None);

    let files = rewriter.render(&kept(BTreeSet::from([FunctionId(0)])));
    assert!(!files[0].text[..files[0].own].contains("returned"));
}

#[test]
fn what_a_panic_says_has_no_mutants() {
    check_mutants(
        r#"fn f(a: A) { a.b(1).expect("one"); a.expect("two", 2); }"#,
        expect![[r#"
            src/lib.rs f: return `f` -> `return`
            src/lib.rs f: statement `a.b(1).expect("one");` -> `(deleted)`
            src/lib.rs f: literal `1` -> `2`
            src/lib.rs f: literal `1` -> `0`
            src/lib.rs f: statement `a.expect("two", 2);` -> `(deleted)`
            src/lib.rs f: literal `"two"` -> `""`
            src/lib.rs f: literal `2` -> `3`
            src/lib.rs f: literal `2` -> `1`
            src/lib.rs f: literal `2` -> `0`
            left out 1 × what a panic says
        "#]],
    );
}
