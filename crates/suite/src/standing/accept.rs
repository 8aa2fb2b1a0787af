//! Rewrites what tests expect to what there is now, where the user accepts the change.
//!
//! The value that an assertion met is written in place of the one that it expects, if its text is also
//! Rust: numbers, texts, and what holds such. A condition is negated. What cannot be rewritten is taken
//! out, and what a run chooses stands in its place. Tests that a person wrote or edited stay as they
//! are: only a person knows what they are to say.

use std::collections::BTreeSet;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::Visit;

use super::changed::Broke;
use super::seal::{place, sealed};
use super::trial::{Fate, Fates, fates};
use super::{At, Author, Edit, Standing, edited};
use crate::vet::{VetError, Vetting};

/// The most assertions of one test that are rewritten: each shows only when those before it hold.
const MAX_ROUNDS: usize = 12;

/// The suite after changes were accepted.
#[derive(Clone, Default)]
pub(crate) struct Accepted {
    pub(crate) standing: Standing,
    pub(crate) fates: Fates,
    /// Names of tests that expect something else now.
    pub(crate) rewritten: BTreeSet<String>,
    /// Names of tests that were taken out, with their texts.
    pub(crate) taken_out: Vec<(String, String)>,
}

/// Accepts what these tests show, or all changes.
pub(crate) fn accept(
    vetting: &Vetting<'_>,
    standing: &Standing,
    before: &Fates,
    is_failures: &dyn Fn(&str) -> bool,
    is_accepted: &dyn Fn(&str) -> bool,
) -> Result<Accepted, VetError> {
    let mut accepted = Accepted {
        standing: standing.clone(),
        fates: before.clone(),
        ..Accepted::default()
    };
    for round in 0..=MAX_ROUNDS {
        let (mut out, mut texts) = (BTreeSet::new(), Vec::new());
        for at in open(&accepted, is_accepted) {
            let name = accepted.standing.full_name(at);
            // What fails after so many rounds changes with every run, or asserts more than anybody
            // reads.
            let text = rewritten(&accepted, at).filter(|_| round < MAX_ROUNDS);
            match text {
                Some(text) => {
                    accepted.rewritten.insert(name);
                    texts.push((at, text));
                }
                None => {
                    accepted.rewritten.remove(&name);
                    let text = accepted.standing.test(at).text.clone();
                    accepted.taken_out.push((name, text));
                    out.insert(at);
                }
            }
        }
        if out.is_empty() && texts.is_empty() {
            break;
        }
        // Indices hold as long as no test is gone.
        accepted.standing = accepted.standing.with(&texts).without(&out);
        accepted.fates = fates(vetting, &accepted.standing, is_failures)?;
    }
    // What cannot be resolved hides what is not used.
    for _ in 0..2 {
        let unused = std::mem::take(&mut accepted.fates.unused);
        if !accepted.taken_out.is_empty() && !unused.is_empty() {
            accepted.standing = accepted.standing.without_imports(&unused);
            accepted.fates = fates(vetting, &accepted.standing, is_failures)?;
        }
    }
    accepted.standing = accepted.standing.with_seals_of(standing);
    Ok(accepted)
}

/// Tests of testsmith's that fail, or that show a failure which is gone.
fn open(accepted: &Accepted, is_accepted: &dyn Fn(&str) -> bool) -> Vec<At> {
    let which = accepted
        .fates
        .which(|it| matches!(it, Fate::Broken(_) | Fate::Fixed));
    let which = which.into_iter().filter(|at| {
        let is_ours = accepted.standing.test(*at).author == Author::Testsmith;
        is_ours && is_accepted(&accepted.standing.full_name(*at))
    });
    which.collect()
}

impl Standing {
    /// The suite with the seals of what it was made of, and no more than is needed for what is new.
    /// Else each round of rewriting would leave a line behind.
    fn with_seals_of(&self, before: &Standing) -> Standing {
        let texts = self.files.iter().map(|file| {
            let old = before.files.iter().find(|it| it.path == file.path);
            match old.filter(|it| it.text != file.text) {
                Some(old) => {
                    let body = &file.text[..place(&file.text).start];
                    let seal = &old.text[place(&old.text).start..];
                    sealed(&format!("{body}{seal}"), &file.own_pieces(), None)
                }
                None => file.text.clone(),
            }
        });
        self.with_texts(texts.collect())
    }

    /// The suite with other texts of some tests.
    pub(crate) fn with(&self, texts: &[(At, String)]) -> Standing {
        let of_file = |i: usize| {
            let file = &self.files[i];
            let own = texts.iter().filter(|(at, _)| at.file == i);
            let edits = own.clone().map(|(at, text)| Edit {
                lines: file.tests[at.test].lines.clone(),
                with: text.lines().map(str::to_owned).collect(),
            });
            let edits: Vec<Edit> = edits.collect();
            if edits.is_empty() {
                return file.text.clone();
            }
            let mut pieces: Vec<&str> = own.map(|(_, text)| &**text).collect();
            // A file of an earlier version forgets what else it was.
            pieces.extend(file.own_pieces());
            sealed(&edited(&file.text, edits), &pieces, None)
        };
        self.with_texts((0..self.files.len()).map(of_file).collect())
    }
}

/// The text of a test that expects what there is now.
fn rewritten(accepted: &Accepted, at: At) -> Option<String> {
    let Fate::Broken(Broke::Assertion { line, old, new }) = accepted.fates.of(at) else {
        return None;
    };
    let test = accepted.standing.test(at);
    let line = (*line as usize).checked_sub(test.lines.start)?;
    replaced(&test.text, line, old.as_deref(), new.as_deref())
}

/// The text of a test with another expectation in the assertion that begins at a line, counted from 1.
fn replaced(text: &str, line: usize, old: Option<&str>, new: Option<&str>) -> Option<String> {
    let function: syn::ItemFn = syn::parse_str(text).ok()?;
    let mut finder = Finder {
        line,
        tables: Vec::new(),
        found: None,
    };
    finder.visit_item_fn(&function);
    let Found { name, args, table } = finder.found?;
    let splice = |range: Range<usize>, with: &str| {
        let text = format!("{}{with}{}", &text[..range.start], &text[range.end..]);
        syn::parse_str::<syn::ItemFn>(&text).is_ok().then_some(text)
    };
    match (&*name, &args[..], new) {
        ("assert_eq", [_, expected, ..], Some(new)) => {
            is_plain(&syn::parse_str(new).ok()?).then_some(())?;
            let range = match table {
                None => expected.span().byte_range(),
                Some(table) => row(&table, expected, old?)?,
            };
            splice(range, new)
        }
        ("assert", [condition, ..], None) if table.is_none() => match condition {
            syn::Expr::Unary(syn::ExprUnary {
                op: syn::UnOp::Not(not),
                ..
            }) => splice(not.span().byte_range(), ""),
            syn::Expr::Binary(it) => {
                let range = it.span().byte_range();
                splice(range.clone(), &format!("!({})", &text[range]))
            }
            condition => {
                let range = condition.span().byte_range();
                splice(range.clone(), &format!("!{}", &text[range]))
            }
        },
        _ => None,
    }
}

/// Where the value stands in a table that an assertion in a loop expects, if only one row has it.
fn row(table: &syn::ExprForLoop, expected: &syn::Expr, old: &str) -> Option<Range<usize>> {
    let (syn::Expr::Path(name), syn::Pat::Tuple(pattern)) = (expected, &*table.pat) else {
        return None;
    };
    let name = name.path.get_ident()?;
    let column = pattern.elems.iter().position(|it| match it {
        syn::Pat::Ident(it) => it.ident == *name,
        _ => false,
    })?;
    let rows = match &*table.expr {
        syn::Expr::Array(it) => &it.elems,
        _ => return None,
    };
    let old: syn::Expr = syn::parse_str(old).ok()?;
    let cells = rows.iter().filter_map(|row| match row {
        syn::Expr::Tuple(row) => row.elems.get(column),
        _ => None,
    });
    let mut same = cells.filter(|cell| is_same(cell, &old));
    match (same.next(), same.next()) {
        (Some(cell), None) => Some(cell.span().byte_range()),
        _ => None,
    }
}

/// Are two plain values the same, whatever their suffixes?
fn is_same(one: &syn::Expr, other: &syn::Expr) -> bool {
    use syn::Expr;
    let all = |a: &syn::punctuated::Punctuated<Expr, syn::Token![,]>,
               b: &syn::punctuated::Punctuated<Expr, syn::Token![,]>| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
    };
    match (one, other) {
        (Expr::Lit(a), Expr::Lit(b)) => match (&a.lit, &b.lit) {
            (syn::Lit::Int(a), syn::Lit::Int(b)) => a.base10_digits() == b.base10_digits(),
            (syn::Lit::Float(a), syn::Lit::Float(b)) => a.base10_digits() == b.base10_digits(),
            (syn::Lit::Str(a), syn::Lit::Str(b)) => a.value() == b.value(),
            (syn::Lit::Char(a), syn::Lit::Char(b)) => a.value() == b.value(),
            (syn::Lit::Bool(a), syn::Lit::Bool(b)) => a.value == b.value,
            _ => false,
        },
        (Expr::Unary(a), Expr::Unary(b)) => is_same(&a.expr, &b.expr),
        (Expr::Reference(a), b) => is_same(&a.expr, b),
        (Expr::Array(a), Expr::Array(b)) => all(&a.elems, &b.elems),
        (Expr::Tuple(a), Expr::Tuple(b)) => all(&a.elems, &b.elems),
        (Expr::Path(a), Expr::Path(b)) => a.path.get_ident() == b.path.get_ident(),
        (Expr::Call(a), Expr::Call(b)) => is_same(&a.func, &b.func) && all(&a.args, &b.args),
        _ => false,
    }
}

/// Is the `Debug` text of a value also the value's expression, whatever its type?
fn is_plain(value: &syn::Expr) -> bool {
    match value {
        syn::Expr::Lit(_) => true,
        syn::Expr::Unary(it) => is_plain(&it.expr),
        syn::Expr::Array(it) => it.elems.iter().all(is_plain),
        syn::Expr::Tuple(it) => it.elems.iter().all(is_plain),
        syn::Expr::Path(it) => it.path.is_ident("None"),
        syn::Expr::Call(it) => {
            let is_known = match &*it.func {
                syn::Expr::Path(it) => ["Some", "Ok", "Err"].iter().any(|of| it.path.is_ident(of)),
                _ => false,
            };
            is_known && it.args.iter().all(is_plain)
        }
        _ => false,
    }
}

/// An assertion.
struct Found {
    name: String,
    args: Vec<syn::Expr>,
    /// The loop that it is in.
    table: Option<syn::ExprForLoop>,
}

/// Finds the assertion that begins at a line.
struct Finder {
    line: usize,
    tables: Vec<syn::ExprForLoop>,
    found: Option<Found>,
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_expr_for_loop(&mut self, table: &'ast syn::ExprForLoop) {
        self.tables.push(table.clone());
        syn::visit::visit_expr_for_loop(self, table);
        self.tables.pop();
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let parse = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        if mac.path.span().start().line == self.line
            && let Some(name) = mac.path.get_ident()
            && let Ok(args) = mac.parse_body_with(parse)
        {
            self.found = Some(Found {
                name: name.to_string(),
                args: args.into_iter().collect(),
                table: self.tables.last().cloned(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#[test]\nfn t() {\n    let a = f();\n    assert_eq!(a.g(), Some(3));\n    assert!(!a.h());\n    assert!(a.i() == 2);\n    for (text, expected) in [(\"a\", 1), (\"b\", 2), (\"c\", 2)] {\n        assert_eq!(f(text), expected);\n    }\n}";

    fn line(line: usize, new: Option<&str>) -> Option<String> {
        let text = replaced(TEXT, line, None, new)?;
        text.lines().nth(line - 1).map(str::to_owned)
    }

    #[test]
    fn what_there_is_stands_in_place_of_what_was_expected() {
        let some = line(4, Some("Some(-4)"));
        assert_eq!(some.as_deref(), Some("    assert_eq!(a.g(), Some(-4));"));
        assert_eq!(line(5, None).as_deref(), Some("    assert!(a.h());"));
        assert_eq!(
            line(6, None).as_deref(),
            Some("    assert!(!(a.i() == 2));")
        );
    }

    #[test]
    fn text_that_is_no_expression_is_not_written() {
        assert_eq!(line(4, Some("Point { x: 1 }")), None);
        assert_eq!(line(4, Some("<hidden>")), None);
        assert_eq!(line(3, Some("1")), None);
    }

    #[test]
    fn a_row_of_a_table_is_rewritten_if_no_other_expects_the_same() {
        let text = replaced(TEXT, 8, Some("1"), Some("9")).expect("one row expects 1");
        assert!(
            text.contains("[(\"a\", 9), (\"b\", 2), (\"c\", 2)]"),
            "{text}"
        );
        assert_eq!(replaced(TEXT, 8, Some("2"), Some("9")), None);
    }
}
