//! Finds what stands at the place of a panic: a macro, a method, an index, an operator.
//!
//! A panic names a file, a line and a column. The column is where the compiler says that an
//! expression begins: a method call begins at the method's name, an overloaded index at its bracket,
//! what a macro does at the outermost macro, everything else at its first token. So `a[i] + b` begins twice in one place,
//! and what the message says decides between the two.
//!
//! What is written there is the same in every version of the standard library. The words of its
//! messages are not: slicing with the ends exchanged was told in three ways from 1.85 to 1.96.

use std::collections::BTreeMap;

use proc_macro2::{LineColumn, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, Token, UnOp};

#[cfg(test)]
mod tests;

/// An expression that can panic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Site {
    /// A macro is invoked.
    Macro(String),
    /// A method is called.
    Method(String),
    /// A function is called: the last part of its path, and the part before it if there is one.
    Call(Option<String>, String),
    /// `a[i]`
    Index,
    /// `a[i..j]`
    Slice,
    /// `a / b`, `a % b`
    Division,
    /// Another operator of arithmetic.
    Arithmetic,
}

/// The expressions of a file, by line and column as panics name them.
#[derive(Debug, Default)]
pub(super) struct Sites {
    found: BTreeMap<(u32, u32), Vec<Site>>,
    unwrapped: BTreeMap<(u32, u32), String>,
}

impl Sites {
    /// The expressions of this text; none if it cannot be parsed.
    pub(super) fn of(text: &str) -> Sites {
        let mut finder = Finder::default();
        if let Ok(file) = syn::parse_file(text) {
            finder.visit_file(&file);
        }
        Sites {
            found: finder.found,
            unwrapped: finder.unwrapped,
        }
    }

    /// The expressions that begin here, the outermost first.
    pub(super) fn at(&self, line: u32, column: u32) -> &[Site] {
        self.found.get(&(line, column)).map_or(&[], |it| &**it)
    }

    /// The name of the function or method whose result is unwrapped here.
    pub(super) fn unwrapped(&self, line: u32, column: u32) -> Option<&str> {
        self.unwrapped.get(&(line, column)).map(|it| &**it)
    }
}

#[derive(Default)]
struct Finder {
    found: BTreeMap<(u32, u32), Vec<Site>>,
    unwrapped: BTreeMap<(u32, u32), String>,
}

impl Finder {
    fn add(&mut self, at: LineColumn, site: Site) {
        // Panics count columns from 1.
        let key = (at.line as u32, at.column as u32 + 1);
        self.found.entry(key).or_default().push(site);
    }

    /// What stands in the argument of a macro is the caller's own text, and begins where it stands.
    fn visit_tokens(&mut self, tokens: &TokenStream) {
        let arguments = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(arguments) = arguments.parse2(tokens.clone()) {
            arguments.iter().for_each(|it| self.visit_expr(it));
        } else if let Ok(statements) = Block::parse_within.parse2(tokens.clone()) {
            statements.iter().for_each(|it| self.visit_stmt(it));
        } else {
            self.scan(tokens);
        }
    }

    /// Finds methods and macros in tokens that are no expressions of Rust.
    fn scan(&mut self, tokens: &TokenStream) {
        let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let is_mark = |at: usize, mark: char| matches!(tokens.get(at), Some(TokenTree::Punct(it)) if it.as_char() == mark);
        for (i, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.visit_tokens(&group.stream()),
                TokenTree::Ident(name) if i > 0 && is_mark(i - 1, '.') => {
                    self.add(name.span().start(), Site::Method(name.to_string()));
                }
                TokenTree::Ident(name) if is_mark(i + 1, '!') => {
                    self.add(name.span().start(), Site::Macro(name.to_string()));
                }
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_macro(&mut self, it: &'ast syn::Macro) {
        let name = it.path.segments.last().map(|it| it.ident.to_string());
        let name = name.unwrap_or_default();
        let is_definition = name == "macro_rules";
        self.add(it.path.span().start(), Site::Macro(name));
        if !is_definition {
            self.visit_tokens(&it.tokens);
        }
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Index(it) => {
                let site = match &*it.index {
                    Expr::Range(_) => Site::Slice,
                    _ => Site::Index,
                };
                // An array's index begins where the array does, that of an overloaded `[]` with it.
                self.add(it.bracket_token.span.open().start(), site.clone());
                self.add(start(expr), site);
            }
            Expr::Binary(it) => {
                if let Some(site) = operator(&it.op) {
                    self.add(start(expr), site);
                }
            }
            Expr::Unary(it) if matches!(it.op, UnOp::Neg(_)) => {
                self.add(start(expr), Site::Arithmetic);
            }
            Expr::MethodCall(it) => {
                let name = it.method.to_string();
                let at = it.method.span().start();
                if let "unwrap" | "expect" = &*name
                    && let Some(of) = called(&it.receiver)
                {
                    self.unwrapped
                        .insert((at.line as u32, at.column as u32 + 1), of);
                }
                self.add(at, Site::Method(name));
            }
            Expr::Call(it) => {
                if let Expr::Path(path) = &*it.func {
                    let mut names = path.path.segments.iter().rev();
                    let mut names = names.by_ref().map(|it| it.ident.to_string());
                    let name = names.next().unwrap_or_default();
                    self.add(start(expr), Site::Call(names.next(), name));
                }
            }
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}

/// The name of the function or method that an expression calls.
fn called(expr: &Expr) -> Option<String> {
    match expr {
        Expr::MethodCall(it) => Some(it.method.to_string()),
        Expr::Call(it) => match &*it.func {
            Expr::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
            _ => None,
        },
        _ => None,
    }
}

/// Where an expression begins. The spans of all its tokens together would say so, too, but joining
/// them at every level takes long.
fn start(expr: &Expr) -> LineColumn {
    match expr {
        Expr::Assign(it) => start(&it.left),
        Expr::Await(it) => start(&it.base),
        Expr::Binary(it) => start(&it.left),
        Expr::Call(it) => start(&it.func),
        Expr::Cast(it) => start(&it.expr),
        Expr::Field(it) => start(&it.base),
        Expr::Index(it) => start(&it.expr),
        Expr::MethodCall(it) => start(&it.receiver),
        Expr::Try(it) => start(&it.expr),
        Expr::Paren(it) => it.paren_token.span.open().start(),
        _ => expr.span().start(),
    }
}

fn operator(op: &BinOp) -> Option<Site> {
    Some(match op {
        BinOp::Div(_) | BinOp::Rem(_) | BinOp::DivAssign(_) | BinOp::RemAssign(_) => Site::Division,
        BinOp::Add(_)
        | BinOp::AddAssign(_)
        | BinOp::Sub(_)
        | BinOp::SubAssign(_)
        | BinOp::Mul(_)
        | BinOp::MulAssign(_)
        | BinOp::Shl(_)
        | BinOp::ShlAssign(_)
        | BinOp::Shr(_)
        | BinOp::ShrAssign(_) => Site::Arithmetic,
        _ => return None,
    })
}
