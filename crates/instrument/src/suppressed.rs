//! Mutants that the source itself suppresses: by an attribute on the code around them, or by a
//! comment at their line.

use std::ops::Range;

use syn::visit::{self, Visit};
use syn::{Attribute, Meta};

use crate::operators::OPERATORS;
use crate::syntax::{attributes, range};

/// A part of a file whose mutants are suppressed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Suppressed {
    range: Range<usize>,
    /// The families that are suppressed; all if there are none.
    operators: Vec<String>,
    by: &'static str,
}

/// The beginning of a suppressing comment.
const COMMENT: &str = "// testsmith: skip";

/// All suppressed parts of a file, and how many suppressing comments name something else than
/// families.
pub(crate) fn suppressed(text: &str, file: &syn::File) -> (Vec<Suppressed>, usize) {
    let mut attributed = Attributed(Vec::new());
    attributed.visit_file(file);
    let (comments, n_unknown) = comments(text);
    (
        attributed.0.into_iter().chain(comments).collect(),
        n_unknown,
    )
}

/// What suppresses a mutant of this family that begins at this byte.
pub(crate) fn by(all: &[Suppressed], at: usize, operator: &str) -> Option<&'static str> {
    let is_meant = |it: &&Suppressed| {
        it.range.contains(&at)
            && (it.operators.is_empty() || it.operators.iter().any(|name| name == operator))
    };
    all.iter().find(is_meant).map(|it| it.by)
}

/// Suppressing comments. A comment is about the line that it ends, or about the next line if it has
/// a line of its own.
fn comments(text: &str) -> (Vec<Suppressed>, usize) {
    let mut found = Vec::new();
    let (mut n_unknown, mut start) = (0, 0);
    let mut pending: Option<Vec<String>> = None;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        let comment = line
            .find(COMMENT)
            .map(|at| (at, &line[at + COMMENT.len()..]));
        if let Some((at, rest)) = comment
            && let Some(operators) = named(rest)
        {
            let n_named = operators.len();
            let is_family = |name: &String| OPERATORS.contains(&name.as_str());
            let operators: Vec<String> = operators.into_iter().filter(is_family).collect();
            if operators.len() < n_named {
                n_unknown += 1;
                continue;
            }
            if line[..at].trim().is_empty() {
                pending = Some(operators);
                continue;
            }
            found.push(of_comment(range, operators));
        } else if !line.trim().is_empty()
            && !line.trim_start().starts_with("//")
            && let Some(operators) = pending.take()
        {
            found.push(of_comment(range, operators));
        }
    }
    (found, n_unknown)
}

fn of_comment(range: Range<usize>, operators: Vec<String>) -> Suppressed {
    Suppressed {
        range,
        operators,
        by: "a comment at its line",
    }
}

/// The families that the comment names before a reason after `--`; `None` if the text goes on with
/// another word.
fn named(rest: &str) -> Option<Vec<String>> {
    if !rest.is_empty() && !rest.starts_with(|it: char| it.is_whitespace() || it == ',') {
        return None;
    }
    let list = rest.split("--").next().unwrap_or_default();
    let names = list.split(|it: char| it == ',' || it.is_whitespace());
    Some(
        names
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect(),
    )
}

struct Attributed(Vec<Suppressed>);

impl Attributed {
    fn look(&mut self, attributes: &[Attribute], at: Range<usize>) {
        if attributes.iter().any(|it| says_skip(&it.meta)) {
            self.0.push(Suppressed {
                range: at,
                operators: Vec::new(),
                by: "an attribute at what it is in",
            });
        }
    }
}

/// Does the attribute say `testsmith::skip` or `mutants::skip`? It may be in a `cfg_attr`, so that
/// no crate needs to define it.
fn says_skip(meta: &Meta) -> bool {
    let path = meta.path();
    if path.is_ident("cfg_attr") {
        let Meta::List(list) = meta else { return false };
        let parse = syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated;
        let inner = list.parse_args_with(parse);
        return inner.is_ok_and(|it| it.iter().skip(1).any(says_skip));
    }
    let mut words = path.segments.iter().map(|it| it.ident.to_string());
    let first = words.next();
    matches!(first.as_deref(), Some("testsmith" | "mutants")) && words.eq(["skip".to_owned()])
}

impl<'ast> Visit<'ast> for Attributed {
    fn visit_file(&mut self, file: &'ast syn::File) {
        self.look(&file.attrs, 0..usize::MAX);
        visit::visit_file(self, file);
    }
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.look(&item.attrs, range(item));
        visit::visit_item_mod(self, item);
    }
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.look(&item.attrs, range(item));
        visit::visit_item_fn(self, item);
    }
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.look(&item.attrs, range(item));
        visit::visit_item_impl(self, item);
    }
    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.look(&item.attrs, range(item));
        visit::visit_item_trait(self, item);
    }
    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.look(&item.attrs, range(item));
        visit::visit_impl_item_fn(self, item);
    }
    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.look(&item.attrs, range(item));
        visit::visit_trait_item_fn(self, item);
    }
    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.look(&arm.attrs, range(arm));
        visit::visit_arm(self, arm);
    }
    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        let attributes = match statement {
            syn::Stmt::Local(it) => it.attrs.as_slice(),
            syn::Stmt::Expr(it, _) => attributes(it),
            syn::Stmt::Macro(it) => it.attrs.as_slice(),
            syn::Stmt::Item(_) => &[],
        };
        self.look(attributes, range(statement));
        visit::visit_stmt(self, statement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, Vec<String>)> {
        let file = syn::parse_file(text).expect("Rust");
        let (found, _) = suppressed(text, &file);
        found
            .into_iter()
            .map(|it| {
                (
                    text[it.range.start..it.range.end.min(text.len())].trim(),
                    it.operators,
                )
            })
            .collect()
    }

    #[test]
    fn a_comment_is_about_its_line_or_the_next() {
        let text = "fn f() -> u8 {\n    // testsmith: skip literal -- it does not matter\n    // why\n    1\n}\nfn g() {} // testsmith: skip\n// testsmith: skipping\nfn h() {}\n";
        assert_eq!(
            found(text),
            [
                ("1", vec!["literal".to_owned()]),
                ("fn g() {} // testsmith: skip", vec![])
            ]
        );
    }

    #[test]
    fn what_is_no_family_is_counted() {
        let text = "fn f() {} // testsmith: skip arithmetics\n";
        let file = syn::parse_file(text).expect("Rust");
        assert_eq!(suppressed(text, &file), (vec![], 1));
    }

    #[test]
    fn attributes_with_or_without_a_condition() {
        let text = "#[mutants::skip] fn f() {}\nimpl A { #[cfg_attr(any(), testsmith::skip)] fn g() {} fn h() {} }\n#[cfg_attr(test, allow(x))] fn i() {}";
        let texts: Vec<&str> = found(text).into_iter().map(|it| it.0).collect();
        assert_eq!(
            texts,
            [
                "#[mutants::skip] fn f() {}",
                "#[cfg_attr(any(), testsmith::skip)] fn g() {}"
            ]
        );
    }
}
