//! Divides a crate's source into the parts that a verdict about a mutant depends on: its function,
//! everything outside of functions, and what exists for tests. Comments, line breaks and
//! documentation do not count.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use syn::visit::{self, Visit};
use syn::{Attribute, Item};

use crate::rewriter::Rewriter;
use crate::syntax::{asks_for_test, range};

/// The source in parts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Texts {
    /// The bodies of functions by file and name. Functions with the same name are joined.
    pub functions: BTreeMap<(PathBuf, String), String>,
    /// Everything else that is not for tests.
    pub rest: String,
    /// Everything that exists for tests, except the tests themselves.
    pub helpers: String,
}

impl Rewriter {
    /// The parts of the source.
    pub fn texts(&self) -> Texts {
        let mut texts = Texts::default();
        for file in &self.files {
            let text = &file.source.text;
            for (name, range) in &file.functions {
                let key = (file.source.path.clone(), name.clone());
                let known = texts.functions.entry(key).or_default();
                known.push_str(&tokens(&text[range.clone()]));
            }
            let mut cut = Cut::default();
            cut.visit_file(&file.source.syntax);
            texts
                .rest
                .push_str(&tokens(&without(text, 0..text.len(), &cut.rest)));
            for helpers in &cut.for_tests {
                texts
                    .helpers
                    .push_str(&tokens(&without(text, helpers.clone(), &cut.tests)));
            }
        }
        texts
    }
}

/// The parts of a file that do not belong to the rest, and those that exist for tests.
#[derive(Default)]
struct Cut {
    rest: Vec<Range<usize>>,
    for_tests: Vec<Range<usize>>,
    tests: Vec<Range<usize>>,
}

fn is_test(attributes: &[Attribute]) -> bool {
    let mut last = attributes.iter().filter_map(|it| it.path().segments.last());
    last.any(|it| it.ident == "test" || it.ident == "bench")
}

impl<'ast> Visit<'ast> for Cut {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Fn(it) => it.attrs.as_slice(),
            Item::Mod(it) => &it.attrs,
            Item::Impl(it) => &it.attrs,
            Item::Use(it) => &it.attrs,
            Item::Struct(it) => &it.attrs,
            Item::Macro(it) => &it.attrs,
            Item::Const(it) => &it.attrs,
            _ => &[],
        };
        if is_test(attributes) {
            self.tests.push(range(item));
            self.rest.push(range(item));
            return;
        }
        if asks_for_test(attributes) {
            self.for_tests.push(range(item));
            self.rest.push(range(item));
            // Functions in an item for tests are cut out of that item only.
            let rest = std::mem::take(&mut self.rest);
            visit::visit_item(self, item);
            self.rest = rest;
            return;
        }
        visit::visit_item(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.rest.push(range(&*item.block));
    }
    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.rest.push(range(&item.block));
    }
    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.rest.extend(item.default.as_ref().map(range));
    }
}

/// A part of the text without these ranges.
fn without(text: &str, part: Range<usize>, cut: &[Range<usize>]) -> String {
    let mut out = String::new();
    let mut at = part.start;
    for it in cut
        .iter()
        .filter(|it| it.start >= part.start && it.end <= part.end)
    {
        if it.start >= at {
            out.push_str(&text[at..it.start]);
            out.push(' ');
            at = it.end;
        }
    }
    out.push_str(&text[at..part.end]);
    out
}

/// The tokens of a text, without comments.
pub fn tokens(text: &str) -> String {
    let is_documentation = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("///") || line.starts_with("//!")
    };
    let lines: Vec<&str> = text.lines().filter(|it| !is_documentation(it)).collect();
    let text = lines.join("\n");
    match text.parse::<proc_macro2::TokenStream>() {
        Ok(tokens) => tokens.to_string(),
        Err(_) => text,
    }
}
