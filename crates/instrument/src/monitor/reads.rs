//! Where a function reads something of its value, and its text with calls that note that.
//!
//! A chain of fields and indices from `self` (or the other side) is a place, and stays one:
//! `(*read(&self.field))` can be copied, borrowed and indexed as it could before. Patterns that name
//! fields bind what is read. Everything else reads the whole value.

use std::collections::BTreeSet;
use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Expr, Member, Pat, UnOp};

use super::Method;
use crate::syntax::range;

/// What the names of monitored methods begin with.
pub(super) const PREFIX: &str = "__testsmith_read_";

/// What a function reads.
pub(super) struct Reads<'r> {
    ty: &'r str,
    /// Names of the values.
    roots: BTreeSet<String>,
    methods: &'r BTreeSet<Method>,
    /// Those that are read as a whole.
    wholes: BTreeSet<String>,
    pub(super) calls: BTreeSet<Method>,
    /// What is inserted, and where; in order where it is the same place.
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

    /// Statements that note what is read as a whole.
    pub(super) fn noted(&self) -> String {
        noted(self.wholes.iter().map(String::as_str))
    }

    /// A part of the text with what is inserted.
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

    /// The name of the value, if that is all.
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

    /// The value, its reference followed or taken.
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

    /// Is it a field of the value, or something below one?
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

    /// The parts of a place: where something is looked for, and what for.
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

    /// What is taken apart: for each part of a tuple, or for one thing alone, whether it is a value.
    fn subjects<'e>(&self, expr: &'e Expr) -> Option<Vec<(&'e Expr, bool)>> {
        let parts: Vec<&Expr> = match expr {
            Expr::Tuple(it) => it.elems.iter().collect(),
            expr => vec![expr],
        };
        let parts = parts.into_iter().map(|it| (it, self.bare(it).is_some()));
        let parts: Vec<(&Expr, bool)> = parts.collect();
        parts.iter().any(|(_, is_root)| *is_root).then_some(parts)
    }

    /// A match whose patterns name fields at most.
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

    /// Where these names are bound to fields, they mean nothing else.
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

    /// `if let` with a pattern that names fields at most.
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

    /// `let` with a pattern that names fields at most.
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

    /// Nobody looks into macros.
    fn visit_tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(it) if self.roots.contains(&it.to_string()) => {
                    self.wholes.insert(it.to_string());
                }
                TokenTree::Group(it) => self.visit_tokens(it.stream()),
                // A format string may name anything.
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

/// Without parentheses and `*`.
fn stripped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(it) => stripped(&it.expr),
        Expr::Unary(it) if matches!(it.op, UnOp::Deref(_)) => stripped(&it.expr),
        expr => expr,
    }
}

/// Statements that note that what these refer to is read.
fn noted<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let note = |name| format!("crate::__testsmith::read({name}); ");
    names.map(note).collect()
}

/// The names that a pattern binds to fields of values; `None` if it looks at anything in them.
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

/// The names that a pattern binds to fields of one value.
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
        // A constant would be compared.
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

/// The name that a field is bound to.
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

/// Does it look like the name of a variant, by custom?
fn is_variant(name: &syn::Ident) -> bool {
    let name = name.to_string();
    let is_camel = name.chars().count() == 1 || name.chars().any(char::is_lowercase);
    is_camel && name.starts_with(char::is_uppercase)
}

/// Or of a variable?
fn is_variable(name: &syn::Ident) -> bool {
    let name = name.to_string();
    name.starts_with(|c: char| c.is_lowercase() || c == '_')
}
