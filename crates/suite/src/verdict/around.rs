//! Finds what stands around a panic: the function that it is in, what that checks first, and code that
//! is unsafe.
//!
//! A helper that begins by assertions about its parameters checks for whoever calls it: what a public
//! function passes on as it was given is checked as if the function did so itself.

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, FnArg, ImplItemFn, ItemFn, Pat, Signature, Stmt, TraitItemFn};

/// The functions of a file.
#[derive(Debug, Default)]
pub(super) struct Around {
    functions: Vec<Function>,
    /// The lines of blocks that are `unsafe`, each from the first to the last.
    unsafe_blocks: Vec<(u32, u32)>,
}

/// A function with a body.
#[derive(Debug)]
struct Function {
    name: String,
    lines: (u32, u32),
    /// The lines of what it checks before it does anything else, of that which is about its parameters.
    checks: Vec<(u32, u32)>,
}

impl Around {
    /// Of a file; nothing if it cannot be parsed.
    pub(super) fn of(text: &str) -> Around {
        let mut found = Around::default();
        if let Ok(file) = syn::parse_file(text) {
            found.visit_file(&file);
        }
        found
    }

    /// The function that checks its parameters on this line before it does anything else.
    pub(super) fn checker(&self, line: u32) -> Option<&str> {
        let function = self.function(line)?;
        let mut checks = function.checks.iter();
        checks
            .any(|it| is_within(line, *it))
            .then_some(&function.name)
    }

    /// Is the line in an unsafe block?
    pub(super) fn is_unsafe(&self, line: u32) -> bool {
        self.unsafe_blocks.iter().any(|it| is_within(line, *it))
    }

    /// The innermost function with this line: its name, and its first line.
    pub(super) fn named(&self, line: u32) -> Option<(String, u32)> {
        let function = self.function(line)?;
        Some((function.name.clone(), function.lines.0))
    }

    /// The innermost function with this line.
    fn function(&self, line: u32) -> Option<&Function> {
        let with_it = self.functions.iter().filter(|it| is_within(line, it.lines));
        with_it.min_by_key(|it| it.lines.1 - it.lines.0)
    }

    fn add(&mut self, signature: &Signature, block: &Block) {
        let parameters: Vec<String> = signature.inputs.iter().filter_map(parameter).collect();
        let mut checks = Vec::new();
        for statement in &block.stmts {
            match checks_one_of(statement, &parameters) {
                Some(true) => checks.push(lines(statement)),
                Some(false) => {}
                // Values may be looked up for a check to come.
                None if matches!(statement, Stmt::Local(_)) => {}
                None => break,
            }
        }
        self.functions.push(Function {
            name: signature.ident.to_string(),
            lines: (lines(signature).0, lines(block).1),
            checks,
        });
    }
}

fn is_within(line: u32, (first, last): (u32, u32)) -> bool {
    (first..=last).contains(&line)
}

fn lines(of: &impl Spanned) -> (u32, u32) {
    let span = of.span();
    (span.start().line as u32, span.end().line as u32)
}

fn parameter(it: &FnArg) -> Option<String> {
    match it {
        FnArg::Typed(it) => match &*it.pat {
            Pat::Ident(it) => Some(it.ident.to_string()),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    }
}

/// Is it one of these that the statement checks? `None` if it does more than check something by an
/// assertion, or by an `if` that panics.
fn checks_one_of(statement: &Stmt, names: &[String]) -> Option<bool> {
    let asserts = |it: &syn::Macro| {
        let name = it.path.segments.last()?.ident.to_string();
        let is_it = name.contains("assert");
        is_it.then(|| names_one_of(&it.tokens, names))
    };
    match statement {
        Stmt::Macro(it) => asserts(&it.mac),
        Stmt::Expr(Expr::Macro(it), _) => asserts(&it.mac),
        Stmt::Expr(Expr::If(it), _) if it.else_branch.is_none() => {
            let first = it.then_branch.stmts.first()?;
            let raised = match first {
                Stmt::Macro(it) => &it.mac,
                Stmt::Expr(Expr::Macro(it), _) => &it.mac,
                _ => return None,
            };
            raised.path.is_ident("panic").then(|| {
                let mut named = Named {
                    names,
                    is_there: false,
                };
                named.visit_expr(&it.cond);
                named.is_there
            })
        }
        _ => None,
    }
}

/// Looks for names in an expression.
struct Named<'n> {
    names: &'n [String],
    is_there: bool,
}

impl<'ast> Visit<'ast> for Named<'_> {
    fn visit_ident(&mut self, it: &'ast proc_macro2::Ident) {
        self.is_there |= self.names.iter().any(|name| it == name);
    }
}

fn names_one_of(tokens: &TokenStream, names: &[String]) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(it) => names.iter().any(|name| it == name),
        TokenTree::Group(it) => names_one_of(&it.stream(), names),
        _ => false,
    })
}

impl<'ast> Visit<'ast> for Around {
    fn visit_item_fn(&mut self, it: &'ast ItemFn) {
        self.add(&it.sig, &it.block);
        visit::visit_item_fn(self, it);
    }

    fn visit_impl_item_fn(&mut self, it: &'ast ImplItemFn) {
        self.add(&it.sig, &it.block);
        visit::visit_impl_item_fn(self, it);
    }

    fn visit_trait_item_fn(&mut self, it: &'ast TraitItemFn) {
        if let Some(block) = &it.default {
            self.add(&it.sig, block);
        }
        visit::visit_trait_item_fn(self, it);
    }

    fn visit_expr_unsafe(&mut self, it: &'ast syn::ExprUnsafe) {
        self.unsafe_blocks.push(lines(it));
        visit::visit_expr_unsafe(self, it);
    }
}

/// Does this text call the function with one of these names among the arguments?
pub(super) fn passes_on(text: &str, function: &str, names: &[&str]) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let call = format!("{function}(");
    text.match_indices(&call).any(|(at, found)| {
        let is_longer = text[..at].chars().next_back().is_some_and(is_word);
        let mut depth = 1;
        let arguments = text[at + found.len()..].chars().take_while(|c| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth > 0
        });
        let arguments: String = arguments.collect();
        let mut words = arguments.split(|c| !is_word(c));
        !is_longer && words.any(|word| names.contains(&word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELPER: &str = "fn place(of: &[u8], at: usize) -> usize {
        let n = of.len();
        assert!(at < n, \"no such place\");
        if at == 3 { panic!(\"three\") }
        let next = unsafe {
            *of.get_unchecked(at + 1)
        };
        work();
        assert!(next as usize > at);
        at
    }";

    #[test]
    fn what_is_checked_first_is_about_parameters() {
        let around = Around::of(HELPER);
        let checker = |line| around.checker(line);
        assert_eq!((checker(3), checker(4)), (Some("place"), Some("place")));
        assert_eq!((checker(2), checker(9)), (None, None));
        assert!(around.is_unsafe(6) && !around.is_unsafe(8));
    }

    #[test]
    fn arguments_that_are_passed_on_are_named_in_the_call() {
        let text = "fn get(&self, at: usize) { self.place((at)) + replace(at) + self.other(1) }";
        assert!(passes_on(text, "place", &["at"]));
        assert!(!passes_on(text, "lace", &["at"]));
        assert!(!passes_on(text, "other", &["at"]));
    }
}
