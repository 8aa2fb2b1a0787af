//! What a test asserts, as text that does not depend on the names of its variables.
//!
//! A variable stands for what it was bound to, so `let x = f(3); assert_eq!(x, 4)` and
//! `assert_eq!(f(3), 4)` are one assertion, and the same check of something else is another. Whatever
//! can fail counts: `unwrap` and `?`, macros that nobody knows, helper functions of the tests. Two
//! texts that differ may mean the same; then the tests are taken to assert different things.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, Item, ItemFn, Pat};

use crate::digest::digest;

/// What a test asserts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assertions {
    /// Each assertion as it is compared, with its text in the test.
    pub items: BTreeMap<String, String>,
    /// The attribute `#[should_panic]` of the test, if it has one.
    pub panics: Option<String>,
    /// Functions, macros and operators that the test names. Of assertions that a macro makes, only
    /// these names are known.
    pub names: BTreeSet<String>,
    /// Why the items may not be all that is asserted, if that is so.
    pub problem: Option<String>,
}

/// Functions that exist for tests alone: a call of one counts as an assertion, because the function
/// may check something.
#[derive(Clone, Debug, Default)]
pub(crate) struct Helpers {
    names: BTreeSet<String>,
}

impl Helpers {
    pub(crate) fn add(&mut self, item: &Item) {
        match item {
            Item::Fn(it) => drop(self.names.insert(it.sig.ident.to_string())),
            Item::Impl(it) => {
                let functions = it.items.iter().filter_map(|it| match it {
                    syn::ImplItem::Fn(it) => Some(it.sig.ident.to_string()),
                    _ => None,
                });
                self.names.extend(functions);
            }
            _ => {}
        }
    }
}

/// Reads what a test asserts.
pub(crate) fn assertions(test: &ItemFn, text: &str, helpers: &Helpers) -> Assertions {
    let mut reader = Reader {
        text,
        helpers: helpers.clone(),
        bound: BTreeMap::new(),
        found: Assertions::default(),
    };
    for attribute in &test.attrs {
        reader.attribute(attribute);
    }
    if !test.sig.inputs.is_empty() {
        reader.found.problem = Some("it takes arguments".to_owned());
    }
    for statement in &test.block.stmts {
        if let syn::Stmt::Item(Item::Fn(it)) = statement {
            reader.helpers.names.insert(it.sig.ident.to_string());
        }
    }
    names(reader.tokens(&test.block), &mut reader.found.names);
    reader.visit_block(&test.block);
    if let (syn::ReturnType::Type(..), Some(syn::Stmt::Expr(last, None))) =
        (&test.sig.output, test.block.stmts.last())
        && reader.canonical(last) != "Ok ( ( ) )"
    {
        let canonical = format!("gives {}", reader.canonical(last));
        reader.add(canonical, last);
    }
    reader.found
}

/// Attributes that change nothing about what is asserted.
const PLAIN: [&str; 13] = [
    "test",
    "ignore",
    "cfg",
    "allow",
    "expect",
    "warn",
    "deny",
    "doc",
    "inline",
    "must_use",
    "cold",
    "track_caller",
    "rustfmt",
];
/// Macros that fail only if one of their arguments does.
const HARMLESS: [&str; 16] = [
    "vec",
    "format",
    "print",
    "println",
    "eprint",
    "eprintln",
    "write",
    "writeln",
    "matches",
    "concat",
    "stringify",
    "line",
    "include_str",
    "include_bytes",
    "format_args",
    "dbg",
];
/// Methods that panic for one of the two variants of what they are called on.
const FAILING: [&str; 4] = ["unwrap", "expect", "unwrap_err", "expect_err"];
/// A text that is longer than this is replaced by its digest.
const MAX_TEXT: usize = 2000;

struct Reader<'r> {
    text: &'r str,
    helpers: Helpers,
    /// What each variable stands for.
    bound: BTreeMap<String, String>,
    found: Assertions,
}

impl Reader<'_> {
    fn attribute(&mut self, attribute: &syn::Attribute) {
        let path = attribute.path();
        let first = path.segments.first().map(|it| it.ident.to_string());
        let first = first.unwrap_or_default();
        let is_plain =
            PLAIN.contains(&first.as_str()) && (path.segments.len() == 1 || first == "rustfmt");
        if first == "should_panic" {
            let text = printed(self.tokens(attribute), &BTreeMap::new());
            self.found.panics = Some(text);
        } else if !is_plain {
            self.found.problem = Some(format!("`#[{first}]` may do anything with it"));
        }
    }

    fn source(&self, node: &impl Spanned) -> &str {
        self.text.get(node.span().byte_range()).unwrap_or_default()
    }

    fn tokens(&self, node: &impl Spanned) -> TokenStream {
        self.source(node).parse().unwrap_or_default()
    }

    fn canonical(&self, node: &impl Spanned) -> String {
        shortened(printed(self.tokens(node), &self.bound))
    }

    fn add(&mut self, canonical: String, node: &impl Spanned) {
        let shown = self.source(node).split_whitespace();
        let shown = shown.collect::<Vec<_>>().join(" ");
        self.found.items.entry(canonical).or_insert(shown);
    }

    /// Remembers for every name in the pattern which part of the value it stands for.
    fn bind(&mut self, pattern: &Pat, value: &str) {
        struct Names(Vec<(String, bool)>);
        impl<'ast> Visit<'ast> for Names {
            fn visit_pat_ident(&mut self, it: &'ast syn::PatIdent) {
                let is_mutable = it.mutability.is_some();
                self.0.push((it.ident.to_string(), is_mutable));
                visit::visit_pat_ident(self, it);
            }
        }
        let mut names = Names(Vec::new());
        names.visit_pat(pattern);
        let inner = match pattern {
            Pat::Type(it) => &*it.pat,
            pattern => pattern,
        };
        let shape = match inner {
            Pat::Ident(it) if it.subpat.is_none() => None,
            _ => Some(printed(self.tokens(inner), &BTreeMap::new())),
        };
        for (i, (name, is_mutable)) in names.0.into_iter().enumerate() {
            let word = if is_mutable { "mut " } else { "" };
            let value = match &shape {
                None if is_one(value) => format!("{word}{value}"),
                None => format!("{word}( {value} )"),
                Some(shape) => {
                    // A pattern is the same under other names, so names are replaced by wildcards.
                    let mut words = shape.split(' ').collect::<Vec<_>>();
                    words.retain(|it| *it != "mut" && *it != "ref");
                    let is_name = |it: &str| it.starts_with(|c: char| c.is_lowercase());
                    let words = words
                        .into_iter()
                        .map(|it| if is_name(it) { "_" } else { it });
                    let shape = words.collect::<Vec<_>>().join(" ");
                    format!("{word}( {shape} {i} of {value} )")
                }
            };
            self.bound.insert(name, shortened(value));
        }
    }

    /// Restores the meanings of variables after a block, because a name that is bound within it
    /// holds only there.
    fn within(&mut self, read: impl FnOnce(&mut Self)) {
        let outer = self.bound.clone();
        read(self);
        self.bound = outer;
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.within(|reader| visit::visit_block(reader, block));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let value = local.init.as_ref().map(|init| {
            self.visit_expr(&init.expr);
            if let Some((_, otherwise)) = &init.diverge {
                self.visit_expr(otherwise);
                let canonical = format!("is {}", self.canonical(local));
                self.add(canonical, local);
            }
            self.canonical(&*init.expr)
        });
        // A type that is written down decides which function is called, so it belongs to the value.
        let value = match (&local.pat, value) {
            (Pat::Type(it), Some(value)) => format!("{value} as {}", self.canonical(&*it.ty)),
            (_, value) => value.unwrap_or_else(|| "later".to_owned()),
        };
        self.bind(&local.pat, &value);
    }

    fn visit_expr_for_loop(&mut self, it: &'ast syn::ExprForLoop) {
        self.visit_expr(&it.expr);
        self.within(|reader| {
            let value = format!("each {}", reader.canonical(&*it.expr));
            reader.bind(&it.pat, &value);
            reader.visit_block(&it.body);
        });
    }

    fn visit_expr_if(&mut self, it: &'ast syn::ExprIf) {
        self.within(|reader| visit::visit_expr_if(reader, it));
    }

    fn visit_expr_while(&mut self, it: &'ast syn::ExprWhile) {
        self.within(|reader| visit::visit_expr_while(reader, it));
    }

    fn visit_expr_let(&mut self, it: &'ast syn::ExprLet) {
        self.visit_expr(&it.expr);
        let value = self.canonical(&*it.expr);
        self.bind(&it.pat, &value);
    }

    fn visit_expr_match(&mut self, it: &'ast syn::ExprMatch) {
        self.visit_expr(&it.expr);
        let value = self.canonical(&*it.expr);
        for arm in &it.arms {
            self.within(|reader| {
                reader.bind(&arm.pat, &value);
                visit::visit_arm(reader, arm);
            });
        }
    }

    fn visit_expr_closure(&mut self, it: &'ast syn::ExprClosure) {
        self.within(|reader| {
            for (i, input) in it.inputs.iter().enumerate() {
                reader.bind(input, &format!("given {i}"));
            }
            reader.visit_expr(&it.body);
        });
    }

    fn visit_macro(&mut self, it: &'ast syn::Macro) {
        let name = it.path.segments.last().map(|it| it.ident.to_string());
        let name = name.unwrap_or_default();
        let is_failing = |text: &str| FAILING.contains(&text) || text == "?";
        let mut inside = BTreeSet::new();
        names(it.tokens.clone(), &mut inside);
        let may_fail = inside.iter().any(|it| is_failing(it))
            || inside.iter().any(|it| self.helpers.names.contains(it));
        if HARMLESS.contains(&name.as_str()) && !may_fail {
            return;
        }
        let mut arguments = split(it.tokens.clone(), &self.bound);
        let n_checked = match name.trim_start_matches("debug_") {
            "assert" => 1,
            "assert_eq" | "assert_ne" => 2,
            _ => arguments.len(),
        };
        // The arguments after those that are checked are the message.
        arguments.truncate(n_checked);
        if n_checked == 2 && name.starts_with("assert_") {
            arguments.sort();
        }
        let canonical = shortened(format!("{name}! {}", arguments.join(" , ")));
        self.add(canonical, it);
    }

    fn visit_expr_method_call(&mut self, it: &'ast syn::ExprMethodCall) {
        let method = it.method.to_string();
        if FAILING.contains(&method.as_str()) {
            let canonical = format!("{method} {}", self.canonical(&*it.receiver));
            self.add(canonical, it);
        } else if self.helpers.names.contains(&method) {
            let canonical = self.canonical(it);
            self.add(canonical, it);
        }
        visit::visit_expr_method_call(self, it);
    }

    fn visit_expr_call(&mut self, it: &'ast syn::ExprCall) {
        if let Expr::Path(path) = &*it.func
            && let Some(last) = path.path.segments.last()
            && self.helpers.names.contains(&last.ident.to_string())
        {
            let canonical = self.canonical(it);
            self.add(canonical, it);
        }
        visit::visit_expr_call(self, it);
    }

    fn visit_expr_try(&mut self, it: &'ast syn::ExprTry) {
        let canonical = format!("? {}", self.canonical(&*it.expr));
        self.add(canonical, it);
        visit::visit_expr_try(self, it);
    }

    /// An item that a test defines belongs to its assertions: two tests may give one name to
    /// different items.
    fn visit_item(&mut self, item: &'ast Item) {
        if !matches!(item, Item::Use(_)) {
            let canonical = shortened(printed(self.tokens(item), &BTreeMap::new()));
            self.add(canonical, item);
        }
    }
}

/// Collects names of called functions and of paths, and operators.
fn names(tokens: TokenStream, found: &mut BTreeSet<String>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(it) => match tokens.peek() {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                    found.insert(it.to_string());
                }
                // `collect::<Vec<_>>()`, and paths that are passed as arguments.
                Some(TokenTree::Punct(next)) if next.as_char() == ':' => {
                    found.insert(it.to_string());
                }
                _ => {}
            },
            TokenTree::Punct(it) if "+-*/%^?".contains(it.as_char()) => {
                found.insert(it.to_string());
            }
            TokenTree::Group(group) => names(group.stream(), found),
            _ => {}
        }
    }
}

/// The arguments of a macro, as text.
fn split(tokens: TokenStream, bound: &BTreeMap<String, String>) -> Vec<String> {
    let mut arguments = vec![TokenStream::new()];
    for token in tokens {
        match (&token, arguments.last_mut()) {
            (TokenTree::Punct(it), _) if it.as_char() == ',' => arguments.push(TokenStream::new()),
            (_, Some(last)) => last.extend([token]),
            _ => {}
        }
    }
    let arguments = arguments.into_iter().filter(|it| !it.is_empty());
    arguments.map(|it| printed(it, bound)).collect()
}

/// Tokens with a space between any two, and variables replaced by what they stand for.
fn printed(tokens: TokenStream, bound: &BTreeMap<String, String>) -> String {
    let mut words = Vec::new();
    print(tokens, bound, &mut words);
    words.join(" ")
}

fn print(tokens: TokenStream, bound: &BTreeMap<String, String>, words: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let punct = |i: Option<usize>| match i.and_then(|i| tokens.get(i)) {
        Some(TokenTree::Punct(it)) => Some(it.as_char()),
        _ => None,
    };
    for (i, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(it) => {
                let before = punct(i.checked_sub(1));
                // In `..x`, `x` is a variable and no field.
                let is_range = punct(i.checked_sub(2)) == Some('.');
                let after = punct(Some(i + 1));
                let is_member = before == Some('.') && !is_range;
                let is_other = is_member
                    || matches!(after, Some(':' | '!')) && {
                        // In `x != y`, the `!` does not make `x` a macro.
                        !(after == Some('!') && punct(Some(i + 2)) == Some('='))
                    };
                let known = bound.get(&it.to_string()).filter(|_| !is_other);
                words.push(known.cloned().unwrap_or_else(|| it.to_string()));
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                words.push(open.to_owned());
                print(group.stream(), bound, words);
                if words.last().is_some_and(|it| it == ",") {
                    words.pop();
                }
                words.push(close.to_owned());
            }
            other => words.push(other.to_string()),
        }
    }
}

/// Can the text stand in an expression without parentheses? It cannot if it has an operator outside
/// of brackets.
fn is_one(words: &str) -> bool {
    let mut depth = 0;
    words.split(' ').all(|word| {
        match word {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        depth > 0
            || !matches!(
                word,
                "as" | "&" | "|" | "^" | "=" | "<" | ">" | "+" | "-" | "*" | "/" | "%" | "!"
            )
    })
}

fn shortened(text: String) -> String {
    if text.len() <= MAX_TEXT {
        return text;
    }
    format!("#{:016x}", digest(&*text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Assertions {
        let file = syn::parse_file(text).expect("Rust");
        let mut helpers = Helpers::default();
        let is_test = |it: &ItemFn| !it.attrs.is_empty();
        for item in &file.items {
            if !matches!(item, Item::Fn(it) if is_test(it)) {
                helpers.add(item);
            }
        }
        let test = file.items.iter().find_map(|item| match item {
            Item::Fn(it) if is_test(it) => Some(it),
            _ => None,
        });
        assertions(test.expect("a test"), text, &helpers)
    }

    fn same(a: &str, b: &str) -> bool {
        let body = |text: &str| read(&format!("#[test] fn t() {{ {text} }}"));
        let (a, b) = (body(a), body(b));
        let keys = |it: &Assertions| it.items.keys().cloned().collect::<Vec<_>>();
        keys(&a) == keys(&b)
    }

    #[test]
    fn names_of_variables_and_messages_do_not_matter() {
        assert!(same(
            "let x = f(3); assert_eq!(x, 4);",
            "let number = f( 3 ); assert_eq!(4, number, \"so {}\", 1);"
        ));
        assert!(same(
            "let mut s = S::new(); s.push(1); assert!(s.len() == 1)",
            "let mut stack = S::new(); stack.push(1); assert!(stack.len() == 1,);"
        ));
        assert!(same(
            "let x = f(3); assert_eq!(x, 4);",
            "assert_eq!(f(3), 4);"
        ));
        assert!(!same("let x = 1 + 2; assert!(x * 3)", "assert!(1 + 2 * 3)"));
        assert!(same(
            "for (a, b) in CASES { assert!(f(a) != b); }",
            "for (from, to) in CASES { assert!(f(from) != to); }"
        ));
    }

    #[test]
    fn the_same_check_of_something_else_is_another() {
        assert!(!same(
            "let x = f(3); assert_eq!(x, 4);",
            "let x = f(2); assert_eq!(x, 4);"
        ));
        assert!(!same("assert_eq!(f(3), 4);", "assert_eq!(f(3), 5);"));
        assert!(!same("f(3).unwrap();", "f(3);"));
        assert!(!same(
            "if let Some(x) = f() { assert!(x) }",
            "if let Ok(x) = f() { assert!(x) }"
        ));
        assert!(!same(
            "let (a, b) = f(); assert!(a);",
            "let (a, b) = f(); assert!(b);"
        ));
        assert!(!same(
            "let x: u8 = f(); assert!(x == 1)",
            "let x: u16 = f(); assert!(x == 1)"
        ));
    }

    #[test]
    fn whatever_can_fail_counts() {
        let text = "fn check(n: u8) {}\n#[test]\n#[should_panic(expected = \"no\")]\nfn t() -> R {\n\
                    check(1); odd!(2); let v = vec![a.unwrap()]; g()?; let Some(x) = h() else { return };\n\
                    println!(\"hi\"); last() }";
        let found = read(text);
        let shown: Vec<&str> = found.items.values().map(String::as_str).collect();
        assert_eq!(
            shown,
            [
                "g()?",
                "check(1)",
                "last()",
                "let Some(x) = h() else { return };",
                "odd!(2)",
                "vec![a.unwrap()]"
            ]
        );
        assert_eq!(
            found.panics.as_deref(),
            Some("# [ should_panic ( expected = \"no\" ) ]")
        );
        assert!(found.problem.is_none());
    }

    #[test]
    fn attributes_of_others_may_do_anything() {
        let found = read("#[tokio::test] fn t() { assert!(true) }");
        assert!(found.problem.is_some());
        let found = read("#[test] #[allow(unused)] fn t() { assert!(true) }");
        assert!(found.problem.is_none());
    }
}
