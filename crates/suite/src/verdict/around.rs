//! Finds what stands around a panic: the function that it is in, what that checks first, and code that
//! is unsafe.
//!
//! A helper that begins by assertions about its parameters checks for whoever calls it: what a public
//! function passes on as it was given is checked as if the function did so itself, through however many
//! functions it goes.

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, FnArg, ImplItemFn, ItemFn, Pat, Signature, Stmt, TraitItemFn};

/// The functions of a file.
#[derive(Debug, Default)]
pub(super) struct Around {
    functions: Vec<Function>,
    /// The lines of statements and of arms of a `match`, each from the first to the last.
    statements: Vec<(u32, u32)>,
    /// The lines of blocks that are `unsafe`, each from the first to the last.
    unsafe_blocks: Vec<(u32, u32)>,
}

/// A function with a body.
#[derive(Debug)]
struct Function {
    name: String,
    lines: (u32, u32),
    /// The parameters but `self`; those that are patterns have no name.
    parameters: Vec<String>,
    calls: Vec<Called>,
    /// The lines of what it checks before it does anything else, of that which is about its parameters.
    checks: Vec<(u32, u32)>,
}

/// A call of a function or of a method.
#[derive(Debug)]
struct Called {
    name: String,
    /// The names in each argument. The receiver of a method is none.
    args: Vec<Vec<String>>,
}

/// What is passed on through more functions than this is not followed.
const MAX_HOPS: usize = 4;
/// A statement with more lines than this does more than one thing.
const MAX_LINES: u32 = 12;

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

    /// The first line of the innermost statement with this line; `None` if it is a long one.
    pub(super) fn statement(&self, line: u32) -> Option<u32> {
        let with_it = self.statements.iter().filter(|it| is_within(line, **it));
        let (first, last) = with_it.min_by_key(|it| it.1 - it.0)?;
        (last - first < MAX_LINES).then_some(*first)
    }

    fn add(&mut self, signature: &Signature, block: &Block) {
        let typed = signature.inputs.iter().filter_map(parameter);
        let parameters: Vec<String> = typed.collect();
        let mut calls = Calls::default();
        calls.visit_block(block);
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
            parameters,
            calls: calls.0,
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

/// The name of a parameter, empty if it is a pattern; `None` for `self`.
fn parameter(it: &FnArg) -> Option<String> {
    match it {
        FnArg::Typed(it) => match &*it.pat {
            Pat::Ident(it) => Some(it.ident.to_string()),
            _ => Some(String::new()),
        },
        FnArg::Receiver(_) => None,
    }
}

/// Does the function that ends on this line of the first file pass what it was given on to the checker,
/// itself or through other functions of these files?
pub(super) fn is_passed_on(files: [&Around; 2], last_line: u32, checker: &str) -> bool {
    let Some(own) = files[0].function(last_line) else {
        return false;
    };
    let mut reached = vec![(own, own.parameters.clone())];
    for _ in 0..MAX_HOPS {
        let mut next = Vec::new();
        for (function, names) in &reached {
            let is_given = |arg: &Vec<String>| arg.iter().any(|it| names.contains(it));
            for call in &function.calls {
                if !call.args.iter().any(is_given) {
                    continue;
                }
                if call.name == checker {
                    return true;
                }
                let functions = files.iter().flat_map(|it| &it.functions);
                for callee in functions.filter(|it| it.name == call.name) {
                    // A method may be called by its path, with the receiver before the others.
                    let n_before = call.args.len().saturating_sub(callee.parameters.len());
                    let given = call.args.iter().skip(n_before).zip(&callee.parameters);
                    let given = given.filter(|(arg, _)| is_given(arg));
                    next.push((callee, given.map(|(_, name)| name.clone()).collect()));
                }
            }
        }
        reached = next;
    }
    false
}

/// Collects the calls in a body.
#[derive(Default)]
struct Calls(Vec<Called>);

impl Calls {
    fn add<'e>(&mut self, name: String, args: impl IntoIterator<Item = &'e Expr>) {
        let names = |it: &Expr| {
            let mut idents = Idents::default();
            idents.visit_expr(it);
            idents.0
        };
        let args = args.into_iter().map(names).collect();
        self.0.push(Called { name, args });
    }
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_call(&mut self, it: &'ast syn::ExprCall) {
        if let Expr::Path(path) = &*it.func
            && let Some(last) = path.path.segments.last()
        {
            self.add(last.ident.to_string(), &it.args);
        }
        visit::visit_expr_call(self, it);
    }

    fn visit_expr_method_call(&mut self, it: &'ast syn::ExprMethodCall) {
        self.add(it.method.to_string(), &it.args);
        visit::visit_expr_method_call(self, it);
    }
}

/// Collects the names in an expression.
#[derive(Default)]
struct Idents(Vec<String>);

impl<'ast> Visit<'ast> for Idents {
    fn visit_ident(&mut self, it: &'ast proc_macro2::Ident) {
        self.0.push(it.to_string());
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

    fn visit_stmt(&mut self, it: &'ast Stmt) {
        self.statements.push(lines(it));
        visit::visit_stmt(self, it);
    }

    fn visit_arm(&mut self, it: &'ast syn::Arm) {
        self.statements.push(lines(it));
        visit::visit_arm(self, it);
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
    fn what_is_passed_on_through_several_functions_reaches_the_checker() {
        let own = Around::of(
            "impl Grid {
                fn view(&self, from: Place, to: Place) -> View {
                    View::of_grid(from, to, self)
                }
                fn whole(&self, from: Place) -> View {
                    let to = self.end(from);
                    View::of_grid(START, to, self)
                }
            }",
        );
        let other = Around::of(
            "impl View {
                fn of_grid(from: Place, (x, y): (u8, u8), of: &Grid) -> View {
                    place(from, of)
                }
            }
            fn place(from: Place, of: &Grid) { assert!(from.0 < of.0) }",
        );
        assert!(is_passed_on([&own, &other], 4, "place"));
        assert!(!is_passed_on([&own, &other], 8, "place"));
    }

    #[test]
    fn a_statement_of_a_few_lines_is_one() {
        let around = Around::of(
            "fn f() {
                let sum = a
                    + b
                    * c;
                match sum {
                    1 => d + 1,
                    _ => {
                        e + 1
                    }
                }
            }",
        );
        let found = [2, 4, 6, 8].map(|line| around.statement(line));
        assert_eq!(found, [Some(2), Some(2), Some(6), Some(8)]);
    }

    #[test]
    fn arguments_that_are_passed_on_are_named_in_the_call() {
        let text = "fn get(&self, at: usize) { self.place((at)) + replace(at) + self.other(1) }";
        assert!(passes_on(text, "place", &["at"]));
        assert!(!passes_on(text, "lace", &["at"]));
        assert!(!passes_on(text, "other", &["at"]));
    }
}
