//! Rewrites what tests expect to what there is now, where the user accepts the change.
//!
//! The value that an assertion met is written in place of the one that it expects, if its text is also
//! Rust: numbers, texts, and what holds such. A condition is negated. What cannot be rewritten is taken
//! out, and what a run chooses stands in its place. Tests that a person wrote or edited stay as they
//! are: only a person knows what they are to say.

use std::collections::BTreeSet;

use syn::spanned::Spanned;
use syn::visit::Visit;

use super::changed::Broke;
use super::text::{Author, StandingFile};
use super::trial::{Fate, Fates, fates};
use super::{At, Standing};
use crate::vet::{VetError, Vetting};

/// The most assertions of one test that are rewritten: each shows only when those before it hold.
const MAX_ROUNDS: usize = 12;

/// The suite after changes were accepted.
pub(crate) struct Accepted {
    pub(crate) standing: Standing,
    pub(crate) fates: Fates,
    /// Names of tests that expect something else now.
    pub(crate) rewritten: BTreeSet<String>,
    /// Names of tests that were taken out.
    pub(crate) taken_out: BTreeSet<String>,
}

/// Accepts what these tests show, or all changes.
pub(crate) fn accept(
    vetting: &Vetting<'_>,
    standing: &Standing,
    before: &Fates,
    is_accepted: &dyn Fn(&str) -> bool,
) -> Result<Accepted, VetError> {
    let mut accepted = Accepted {
        standing: standing.clone(),
        fates: before.clone(),
        rewritten: BTreeSet::new(),
        taken_out: BTreeSet::new(),
    };
    for _ in 0..MAX_ROUNDS {
        let (mut out, mut texts) = (BTreeSet::new(), Vec::new());
        for at in open(&accepted, is_accepted) {
            let name = accepted.standing.full_name(at);
            match rewritten(&accepted.standing, &accepted.fates, at) {
                Some(text) => {
                    accepted.rewritten.insert(name);
                    texts.push((at, text));
                }
                None => {
                    accepted.rewritten.remove(&name);
                    accepted.taken_out.insert(name);
                    out.insert(at);
                }
            }
        }
        if out.is_empty() && texts.is_empty() {
            return Ok(accepted);
        }
        accepted.standing = accepted.standing.with(&texts).without(&out);
        accepted.fates = fates(vetting, &accepted.standing)?;
    }
    // What still fails changes with every run, or has more assertions than anybody reads.
    let out: BTreeSet<At> = open(&accepted, is_accepted).collect();
    for at in &out {
        let name = accepted.standing.full_name(*at);
        accepted.rewritten.remove(&name);
        accepted.taken_out.insert(name);
    }
    accepted.standing = accepted.standing.without(&out);
    accepted.fates = fates(vetting, &accepted.standing)?;
    Ok(accepted)
}

/// Tests of testsmith's that fail, or that show a failure which is gone.
fn open<'a>(
    accepted: &'a Accepted,
    is_accepted: &'a dyn Fn(&str) -> bool,
) -> impl Iterator<Item = At> + 'a {
    let which = accepted.fates.which(|it| matches!(it, Fate::Broken(_) | Fate::Fixed));
    which.into_iter().filter(|at| {
        let is_ours = accepted.standing.test(*at).author == Author::Testsmith;
        is_ours && is_accepted(&accepted.standing.full_name(*at))
    })
}

impl Standing {
    /// The suite with other texts of some tests, which have as many lines as before.
    fn with(&self, texts: &[(At, String)]) -> Standing {
        let files = self.files.iter().enumerate().map(|(i, file)| {
            let own = texts.iter().filter(|(at, _)| at.file == i);
            let own: Vec<(usize, &str)> = own.map(|(at, text)| (at.test, &**text)).collect();
            match own.is_empty() {
                true => file.clone(),
                false => file.with(&own),
            }
        });
        Standing {
            files: files.collect(),
            ..self.clone()
        }
    }
}

impl StandingFile {
    fn with(&self, texts: &[(usize, &str)]) -> StandingFile {
        let mut lines: Vec<String> = self.text.lines().map(str::to_owned).collect();
        let mut texts = texts.to_vec();
        // From the end on, so that the lines before stay where they are.
        texts.sort_by_key(|(test, _)| std::cmp::Reverse(*test));
        for (test, text) in &texts {
            let own = text.lines().map(str::to_owned);
            lines.splice(self.tests[*test].lines.clone(), own);
        }
        let pieces: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
        let text = self.sealed(&(lines.join("\n") + "\n"), &pieces);
        StandingFile::parse(&self.path, self.module.as_deref(), text)
            .expect("only expressions were replaced by others")
    }
}

/// The text of a test that expects what there is now.
fn rewritten(standing: &Standing, fates: &Fates, at: At) -> Option<String> {
    let Fate::Broken(Broke::Assertion { line, new, .. }) = fates.of(at) else {
        return None;
    };
    let test = standing.test(at);
    let line = (*line as usize).checked_sub(test.lines.start)?;
    replaced(&test.text, line, new.as_deref())
}

/// The text of a test with another expectation in the assertion that begins at a line, counted from 1.
fn replaced(text: &str, line: usize, new: Option<&str>) -> Option<String> {
    let function: syn::ItemFn = syn::parse_str(text).ok()?;
    let mut finder = Finder { line, found: None };
    finder.visit_item_fn(&function);
    let (name, args) = finder.found?;
    let splice = |range: std::ops::Range<usize>, with: &str| {
        let text = format!("{}{with}{}", &text[..range.start], &text[range.end..]);
        syn::parse_str::<syn::ItemFn>(&text).is_ok().then_some(text)
    };
    match (&*name, &args[..], new) {
        ("assert_eq", [_, expected, ..], Some(new)) => {
            is_plain(&syn::parse_str(new).ok()?).then_some(())?;
            // A list is expected without `vec!`, as it was before.
            splice(expected.span().byte_range(), new)
        }
        ("assert", [condition, ..], None) => match condition {
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

/// Finds the assertion that begins at a line.
struct Finder {
    line: usize,
    found: Option<(String, Vec<syn::Expr>)>,
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let parse = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        if mac.path.span().start().line == self.line
            && let Some(name) = mac.path.get_ident()
            && let Ok(args) = mac.parse_body_with(parse)
        {
            self.found = Some((name.to_string(), args.into_iter().collect()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#[test]\nfn t() {\n    let a = f();\n    assert_eq!(a.g(), Some(3));\n    assert!(!a.h());\n    assert!(a.i() == 2);\n}";

    fn line(line: usize, new: Option<&str>) -> Option<String> {
        let text = replaced(TEXT, line, new)?;
        text.lines().nth(line - 1).map(str::to_owned)
    }

    #[test]
    fn what_there_is_stands_in_place_of_what_was_expected() {
        let some = line(4, Some("Some(-4)"));
        assert_eq!(some.as_deref(), Some("    assert_eq!(a.g(), Some(-4));"));
        assert_eq!(line(5, None).as_deref(), Some("    assert!(a.h());"));
        assert_eq!(line(6, None).as_deref(), Some("    assert!(!(a.i() == 2));"));
    }

    #[test]
    fn text_that_is_no_expression_is_not_written() {
        assert_eq!(line(4, Some("Point { x: 1 }")), None);
        assert_eq!(line(4, Some("<hidden>")), None);
        assert_eq!(line(3, Some("1")), None);
    }
}
