//! Source in, copies and mutants out.

use std::collections::BTreeSet;
use std::path::PathBuf;

use expect_test::{Expect, expect};

use crate::support::support;
use crate::{Cfg, Kept, MutantId, Rewriter, SourceFile};

fn rewriter(text: &str) -> Rewriter {
    let source = SourceFile {
        path: PathBuf::from("src/lib.rs"),
        text: text.to_owned(),
        module: String::new(),
    };
    Rewriter::new(vec![source], &Cfg::default())
}

fn copy(text: &str) -> String {
    let files = rewriter(text).render(&Kept::default());
    let text = &files[0].text;
    text.strip_suffix(&support())
        .expect("it ends with our module")
        .to_owned()
}

/// One decision a line.
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
            fn f(a: u8, b: u8) -> impl Ord { 
            (match (a, 
            (match (b, 
            (match crate::__testsmith::at(5, 3) { 0 => (2), 1 => 3, 2 => 1, _ => 0 })) { (__l, __r) => match crate::__testsmith::at(3, 2) { 0 => __l * __r, 1 => __l / __r, _ => __l + __r } })) { (__l, __r) => match crate::__testsmith::at(1, 2) { 0 => __l + __r, 1 => __l - __r, _ => __l * __r } }) }
        "#]],
    );
    check(
        "fn f(a: &str, b: &str) -> impl Ord { a.len() < b.len() && !a.is_empty() }",
        expect![[r#"
            fn f(a: &str, b: &str) -> impl Ord { 
            (match 
            (match () { () => 
            (match (&(a.len()), &(b.len())) { (__l, __r) => match crate::__testsmith::at(2, 2) { 0 => *__l < *__r, 1 => *__l <= *__r, _ => *__l >= *__r } }) }) { __l => match crate::__testsmith::at(1, 1) { 0 => __l && (
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
            left out 1 × code that cfg leaves out
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
    let files = rewriter.render(&Kept {
        dropped: all,
        ..Kept::default()
    });
    assert_eq!(files[0].text, format!("{text}{}", support()));
    assert_eq!(files[0].places, []);
}

#[test]
fn a_constant_function_is_one_where_that_is_asked_for() {
    let rewriter = rewriter("const fn f(a: u8) -> u8 { a + 1 }");
    let begins = |constants| {
        let kept = Kept {
            constants,
            ..Kept::default()
        };
        rewriter.render(&kept)[0].text.starts_with("const fn f")
    };
    assert!(begins(true));
    assert!(!begins(false));
}

#[test]
fn the_place_of_an_error_names_its_mutants() {
    let text = "fn f(a: u8) -> impl Ord { a + 1 }";
    let rewriter = rewriter(text);
    let files = rewriter.render(&Kept::default());
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
