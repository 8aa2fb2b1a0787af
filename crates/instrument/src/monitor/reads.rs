//! Finds where a function reads a part of its value, and inserts calls that note it.
//!
//! A chain of fields and indices from `self` or the other value is a place, and stays one:
//! `(*read(&self.field))` can be copied, borrowed and indexed as before. Patterns that name fields
//! bind what is read. Everything else reads the whole value.

use std::collections::BTreeSet;
use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Expr, Member, Pat, UnOp};

use super::Method;
use crate::syntax::range;

/// The prefix of the names of methods that take notes.
pub(super) const PREFIX: &str = "__testsmith_read_";

/// Collects what a function reads.
pub(super) struct Reads<'r> {
    ty: &'r str,
    /// The names of the values.
    roots: BTreeSet<String>,
    methods: &'r BTreeSet<Method>,
    /// The values that are read as a whole.
    wholes: BTreeSet<String>,
    pub(super) calls: BTreeSet<Method>,
    /// Insertions with their places. Those at the same place keep their order.
    edits: Vec<(usize, String)>,
}

impl<'r> Reads<'r> {
    pub(super) fn new(
        ty: &'r str,
        roots: impl IntoIterator<Item = String>,
        methods: &'r BTreeSet<Method>,
    ) -> Reads<'r> {
        Reads {
            ty,
            roots: roots.into_iter().collect(),
            methods,
            wholes: BTreeSet::new(),
            calls: BTreeSet::new(),
            edits: Vec::new(),
        }
    }

    /// Statements that note the values which are read as a whole.
    pub(super) fn noted(&self) -> String {
        noted(self.wholes.iter().map(String::as_str))
    }

    /// A part of the text with the insertions.
    pub(super) fn edited(&mut self, text: &str, part: Range<usize>) -> String {
        self.edits.sort_by_key(|(at, _)| *at);
        let (mut edited, mut done) = (String::new(), part.start);
        for (at, inserted) in &self.edits {
            edited.push_str(&text[done..*at]);
            edited.push_str(inserted);
            done = *at;
        }
        edited + &text[done..part.end]
    }

    fn insert(&mut self, at: usize, text: &str) {
        self.edits.push((at, text.to_owned()));
    }

    /// The name of the value, if the expression is nothing else.
    fn root<'e>(&self, expr: &'e Expr) -> Option<&'e syn::Ident> {
        match expr {
            Expr::Path(it) => {
                let name = it.path.get_ident()?;
                self.roots.contains(&name.to_string()).then_some(name)
            }
            Expr::Paren(it) => self.root(&it.expr),
            _ => None,
        }
    }

    /// The name of the value, if the expression is the value, dereferenced or borrowed.
    fn bare<'e>(&self, expr: &'e Expr) -> Option<&'e syn::Ident> {
        match expr {
            Expr::Unary(it) if matches!(it.op, UnOp::Deref(_)) => self.root(&it.expr),
            Expr::Reference(it) => match &*it.expr {
                Expr::Unary(it) if matches!(it.op, UnOp::Deref(_)) => self.root(&it.expr),
                _ => None,
            },
            Expr::Paren(it) => self.bare(&it.expr),
            expr => self.root(expr),
        }
    }

    /// Is the expression a field of the value, or a part of one?
    fn is_place(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Field(it) => {
                let is_field = matches!(&it.member, Member::Named(_) | Member::Unnamed(_));
                is_field && (self.bare(&it.base).is_some() || self.is_place(stripped(&it.base)))
            }
            Expr::Index(it) => self.is_place(stripped(&it.expr)),
            _ => false,
        }
    }

    fn place(&mut self, expr: &Expr) {
        let place = range(expr);
        self.insert(place.start, "(*crate::__testsmith::read(&");
        self.below(expr);
        self.insert(place.end, "))");
    }

    /// Visits the expressions inside a place, such as indices.
    fn below(&mut self, expr: &Expr) {
        match expr {
            Expr::Field(it) => self.below(&it.base),
            Expr::Paren(it) => self.below(&it.expr),
            Expr::Unary(it) => self.below(&it.expr),
            Expr::Index(it) => {
                let base = range(&*it.expr);
                self.insert(base.start, "(*crate::__testsmith::base(&");
                self.below(&it.expr);
                self.insert(base.end, "))");
                self.visit_expr(&it.index);
            }
            _ => {}
        }
    }

    /// What a pattern takes apart: each part of a tuple, or a single expression, and whether it is
    /// one of the values.
    fn subjects<'e>(&self, expr: &'e Expr) -> Option<Vec<(&'e Expr, bool)>> {
        let parts: Vec<&Expr> = match expr {
            Expr::Tuple(it) => it.elems.iter().collect(),
            expr => vec![expr],
        };
        let parts = parts.into_iter().map(|it| (it, self.bare(it).is_some()));
        let parts: Vec<(&Expr, bool)> = parts.collect();
        parts.iter().any(|(_, is_root)| *is_root).then_some(parts)
    }

    /// Visits a `match` whose patterns only name fields.
    fn visit_named(&mut self, it: &syn::ExprMatch) -> Option<()> {
        let subjects = self.subjects(&it.expr)?;
        let bound = it.arms.iter().map(|arm| match &arm.pat {
            Pat::Guard(it) => bindings(&it.pat, &subjects),
            pattern => bindings(pattern, &subjects),
        });
        let bound: Vec<BTreeSet<String>> = bound.collect::<Option<_>>()?;
        self.visit_others(&subjects);
        for (arm, bound) in it.arms.iter().zip(bound) {
            let noted = noted(bound.iter().map(String::as_str));
            self.within(bound, |reads| {
                if let Pat::Guard(it) = &arm.pat {
                    let guard = range(&*it.guard);
                    reads.insert(guard.start, &format!("{{ {noted}true }} && ("));
                    reads.visit_expr(&it.guard);
                    reads.insert(guard.end, ")");
                }
                let body = range(&*arm.body);
                reads.insert(body.start, &format!("{{ {noted}"));
                reads.visit_expr(&arm.body);
                reads.insert(body.end, " }");
            });
        }
        Some(())
    }

    /// Visits code in which these names are bound to fields, and so do not stand for values.
    fn within(&mut self, bound: BTreeSet<String>, walk: impl FnOnce(&mut Self)) {
        let roots = self.roots.clone();
        self.roots.retain(|it| !bound.contains(it));
        walk(self);
        self.roots = roots;
    }

    fn visit_others(&mut self, subjects: &[(&Expr, bool)]) {
        for (expr, is_root) in subjects {
            if !is_root {
                self.visit_expr(expr);
            }
        }
    }

    /// Visits an `if let` whose pattern only names fields.
    fn visit_if_named(&mut self, it: &syn::ExprIf) -> Option<()> {
        let Expr::Let(condition) = &*it.cond else {
            return None;
        };
        let subjects = self.subjects(&condition.expr)?;
        let bound = bindings(&condition.pat, &subjects)?;
        self.visit_others(&subjects);
        let begin = range(&it.then_branch.brace_token.span.open()).end;
        let noted = noted(bound.iter().map(String::as_str));
        self.insert(begin, &format!(" {noted}"));
        self.within(bound, |reads| reads.visit_block(&it.then_branch));
        if let Some((_, otherwise)) = &it.else_branch {
            self.visit_expr(otherwise);
        }
        Some(())
    }

    /// Visits a `let` whose pattern only names fields.
    fn visit_local_named(&mut self, it: &syn::Local) -> Option<()> {
        let value = it.init.as_ref()?;
        let subjects = self.subjects(&value.expr)?;
        let bound = bindings(&it.pat, &subjects)?;
        self.visit_others(&subjects);
        if let Some((_, otherwise)) = &value.diverge {
            self.visit_expr(otherwise);
        }
        let noted = noted(bound.iter().map(String::as_str));
        self.insert(range(it).end, &format!(" {noted}"));
        Some(())
    }

    /// Notes values that a macro names as read as a whole, because macros are not looked into.
    fn visit_tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(it) if self.roots.contains(&it.to_string()) => {
                    self.wholes.insert(it.to_string());
                }
                TokenTree::Group(it) => self.visit_tokens(it.stream()),
                // A format string may name a value.
                TokenTree::Literal(it) => {
                    let text = it.to_string();
                    let named = self.roots.iter().filter(|it| text.contains(&***it));
                    let named: Vec<String> = named.cloned().collect();
                    self.wholes.extend(named);
                }
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reads<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        if self.is_place(expr) {
            return self.place(expr);
        }
        if let Some(root) = self.root(expr) {
            self.wholes.insert(root.to_string());
            return;
        }
        let is_done = match expr {
            Expr::Match(it) => self.visit_named(it).is_some(),
            Expr::If(it) => self.visit_if_named(it).is_some(),
            Expr::MethodCall(it) => {
                let method = (self.ty.to_owned(), it.method.to_string());
                let is_own = self.bare(&it.receiver).is_some() && self.methods.contains(&method);
                if is_own {
                    self.insert(range(&it.method).start, PREFIX);
                    self.calls.insert(method);
                    it.args.iter().for_each(|it| self.visit_expr(it));
                }
                is_own
            }
            _ => false,
        };
        if !is_done {
            visit::visit_expr(self, expr);
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if self.visit_local_named(local).is_none() {
            visit::visit_local(self, local);
        }
    }

    fn visit_macro(&mut self, it: &'ast syn::Macro) {
        self.visit_tokens(it.tokens.clone());
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_path(&mut self, _: &'ast syn::Path) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

/// The expression without parentheses and `*`.
fn stripped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(it) => stripped(&it.expr),
        Expr::Unary(it) if matches!(it.op, UnOp::Deref(_)) => stripped(&it.expr),
        expr => expr,
    }
}

/// Statements that note that the values with these names are read as a whole.
fn noted<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let note = |name| format!("crate::__testsmith::read({name}); ");
    names.map(note).collect()
}

/// The names that a pattern binds to fields of values; `None` if it does more than name fields.
fn bindings(pattern: &Pat, subjects: &[(&Expr, bool)]) -> Option<BTreeSet<String>> {
    match pattern {
        Pat::Wild(_) => Some(BTreeSet::new()),
        Pat::Paren(it) => bindings(&it.pat, subjects),
        Pat::Or(it) => {
            let cases = it.cases.iter().map(|it| bindings(it, subjects));
            let cases: Vec<BTreeSet<String>> = cases.collect::<Option<_>>()?;
            Some(cases.into_iter().flatten().collect())
        }
        Pat::Tuple(it) if subjects.len() > 1 && it.elems.len() == subjects.len() => {
            let mut bound = BTreeSet::new();
            for (pattern, (_, is_root)) in it.elems.iter().zip(subjects) {
                if matches!(pattern, Pat::Rest(_)) {
                    return None;
                }
                if *is_root {
                    fields(pattern, &mut bound)?;
                }
            }
            Some(bound)
        }
        pattern if subjects.len() == 1 => {
            let mut bound = BTreeSet::new();
            fields(pattern, &mut bound)?;
            Some(bound)
        }
        _ => None,
    }
}

/// Collects the names that a pattern binds to fields of one value.
fn fields(pattern: &Pat, bound: &mut BTreeSet<String>) -> Option<()> {
    match pattern {
        Pat::Wild(_) => {}
        Pat::Paren(it) => fields(&it.pat, bound)?,
        Pat::Reference(it) => fields(&it.pat, bound)?,
        Pat::Or(it) => {
            for case in &it.cases {
                fields(case, bound)?;
            }
        }
        // A constant would be compared with the value.
        Pat::Path(it) => is_variant(&it.path.segments.last()?.ident).then_some(())?,
        Pat::Ident(it) if it.subpat.is_none() && it.by_ref.is_none() => {
            is_variant(&it.ident).then_some(())?;
        }
        Pat::TupleStruct(it) => {
            for pattern in &it.elems {
                field(pattern, bound)?;
            }
        }
        Pat::Struct(it) => {
            for it in &it.fields {
                field(&it.pat, bound)?;
            }
        }
        _ => return None,
    }
    Some(())
}

/// Collects the name that a field is bound to.
fn field(pattern: &Pat, bound: &mut BTreeSet<String>) -> Option<()> {
    match pattern {
        Pat::Wild(_) | Pat::Rest(_) => {}
        Pat::Ident(it) if it.subpat.is_none() && is_variable(&it.ident) => {
            bound.insert(it.ident.to_string());
        }
        _ => return None,
    }
    Some(())
}

/// Is it the name of a variant, by the usual style?
fn is_variant(name: &syn::Ident) -> bool {
    let name = name.to_string();
    let is_camel = name.chars().count() == 1 || name.chars().any(char::is_lowercase);
    is_camel && name.starts_with(char::is_uppercase)
}

/// Is it the name of a variable, by the usual style?
fn is_variable(name: &syn::Ident) -> bool {
    let name = name.to_string();
    name.starts_with(|c: char| c.is_lowercase() || c == '_')
}
