//! A walk through a file that finds where mutants can stand.
//!
//! Constants, patterns and the insides of macros cannot have any; tests and code that is not
//! compiled should not.

use std::collections::BTreeMap;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprMatch, Signature, Stmt};

use crate::operators::{self, Place};
use crate::site::Site;
use crate::{Cfg, SourceFile, files};

/// What a walk found.
#[derive(Default)]
pub(crate) struct Found {
    /// In order of their beginnings, outer ones before inner ones.
    pub(crate) sites: Vec<Site>,
    pub(crate) left_out: BTreeMap<&'static str, usize>,
}

/// Finds the sites of one file.
pub(crate) fn sites(source: &SourceFile, cfg: &Cfg) -> Found {
    let Ok(file) = files::parse(&source.text) else {
        let mut found = Found::default();
        found.left_out.insert("a file that cannot be parsed", 1);
        return found;
    };
    let mut walk = Walk {
        text: &source.text,
        lines: line_starts(&source.text),
        cfg,
        names: match source.module.as_str() {
            "" => Vec::new(),
            module => vec![module.to_owned()],
        },
        in_function: false,
        is_freed: false,
        found: Found::default(),
    };
    walk.visit_file(&file);
    // Outer ones first where two begin at the same place; a stable sort keeps the order of visits.
    let sites = &mut walk.found.sites;
    sites.sort_by_key(|site| (site.range.start, std::cmp::Reverse(site.range.end)));
    walk.found
}

fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.match_indices('\n').map(|(i, _)| i + 1);
    [0].into_iter().chain(ends).collect()
}

/// Where something stands in the text.
pub(crate) fn range(node: &impl Spanned) -> Range<usize> {
    node.span().byte_range()
}

struct Walk<'w> {
    text: &'w str,
    lines: Vec<usize>,
    cfg: &'w Cfg,
    /// Modules, impls and functions around.
    names: Vec<String>,
    in_function: bool,
    /// Is the function `const`?
    is_freed: bool,
    found: Found,
}

impl Walk<'_> {
    fn leave_out(&mut self, why: &'static str) {
        *self.found.left_out.entry(why).or_default() += 1;
    }

    /// Is it compiled, and no test?
    fn is_code(&mut self, attributes: &[Attribute]) -> bool {
        let is_test = |it: &Attribute| {
            let last = it.path().segments.last();
            last.is_some_and(|it| it.ident == "test" || it.ident == "bench")
        };
        if attributes.iter().any(is_test) {
            return false;
        }
        let is_compiled = self.cfg.allows(attributes);
        if !is_compiled && !asks_for_test(attributes) {
            self.leave_out("code that cfg leaves out");
        }
        is_compiled
    }

    fn add(&mut self, places: Vec<Place>) {
        for place in places {
            let start = place.range.start;
            let line = self.lines.partition_point(|begin| *begin <= start);
            if let Some(why) = place.left_out {
                self.leave_out(why);
            }
            if place.mutants.is_empty() {
                continue;
            }
            self.found.sites.push(Site {
                original: on_one_line(&self.text[place.shown.clone()]).unwrap_or_default(),
                range: place.range,
                line,
                function: self.names.join("::"),
                before: place.before,
                as_it_was: place.as_it_was,
                mutants: place.mutants,
                after: place.after,
                is_freed: self.is_freed,
                frees: None,
            });
        }
    }

    /// The word `const` of a function that ends there.
    fn free(&mut self, word: Range<usize>, end: usize) {
        self.found.sites.push(Site {
            range: word,
            line: 0,
            function: String::new(),
            original: String::new(),
            before: Vec::new(),
            as_it_was: Vec::new(),
            mutants: Vec::new(),
            after: "",
            is_freed: false,
            frees: Some(end),
        });
    }

    fn within(&mut self, name: String, walk: impl FnOnce(&mut Self)) {
        self.names.push(name);
        walk(self);
        self.names.pop();
    }

    /// A function's body, if mutants can stand in it.
    fn function(&mut self, attributes: &[Attribute], signature: &Signature, body: &syn::Block) {
        if !self.is_code(attributes) {
            return;
        }
        if let Some(word) = &signature.constness {
            self.free(range(word), range(body).end);
        }
        self.within(signature.ident.to_string(), |walk| {
            let outer = (walk.in_function, walk.is_freed);
            (walk.in_function, walk.is_freed) = (true, signature.constness.is_some());
            let text = walk.text;
            walk.add(operators::of_function(text, signature, body));
            visit::visit_block(walk, body);
            (walk.in_function, walk.is_freed) = outer;
        });
    }
}

/// Is it there for tests alone?
fn asks_for_test(attributes: &[Attribute]) -> bool {
    let conditions = attributes.iter().filter(|it| it.path().is_ident("cfg"));
    let mut conditions = conditions.filter_map(|it| it.parse_args::<syn::Meta>().ok());
    conditions.any(|it| it.path().is_ident("test"))
}

/// The text without comments and line breaks; `None` if a literal goes over lines.
pub(crate) fn on_one_line(text: &str) -> Option<String> {
    if !text.contains('\n') && !text.contains("//") && !text.contains("/*") {
        return Some(text.to_owned());
    }
    let tokens: proc_macro2::TokenStream = text.parse().ok()?;
    let text = tokens.to_string();
    (!text.contains('\n')).then_some(text)
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if self.is_code(&item.attrs) && item.content.is_some() {
            self.within(item.ident.to_string(), |walk| {
                visit::visit_item_mod(walk, item)
            });
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.attrs, &item.sig, body);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !self.is_code(&item.attrs) {
            return;
        }
        let shown = item.trait_.as_ref().and_then(|it| it.0.segments.last());
        if shown.is_some_and(|it| it.ident == "Debug" || it.ident == "Display") {
            self.leave_out("Debug and Display");
            return;
        }
        let of = on_one_line(&self.text[range(&*item.self_ty)]).unwrap_or_default();
        let name = match shown {
            Some(trait_) => format!("<{of} as {}>", trait_.ident),
            None => of,
        };
        self.within(name, |walk| visit::visit_item_impl(walk, item));
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        if self.is_code(&item.attrs) {
            self.within(item.ident.to_string(), |walk| {
                visit::visit_item_trait(walk, item)
            });
        }
    }

    // What stands in these is evaluated by the compiler.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {
        self.leave_out("a constant");
    }
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {
        self.leave_out("a constant");
    }
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {
        self.leave_out("a constant");
    }
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {
        self.leave_out("a constant");
    }
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {
        self.leave_out("a constant");
    }
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
    fn visit_path_arguments(&mut self, _: &'ast syn::PathArguments) {}
    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        _: &'ast syn::AngleBracketedGenericArguments,
    ) {
    }
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}

    fn visit_macro(&mut self, _: &'ast syn::Macro) {
        if self.in_function {
            self.leave_out("the inside of a macro");
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        let attributes = match statement {
            Stmt::Local(local) => local.attrs.as_slice(),
            Stmt::Expr(expr, _) => operators::attributes(expr),
            Stmt::Macro(it) => it.attrs.as_slice(),
            Stmt::Item(_) => &[],
        };
        if !attributes.is_empty() {
            // Attributes on what we would wrap say something about it as it stands.
            if !self.is_code(attributes) {
                return;
            }
            visit::visit_stmt(self, statement);
            return;
        }
        let places = operators::of_statement(self.text, statement);
        let is_left_out = places.iter().any(|place| place.left_out.is_some());
        self.add(places);
        if !is_left_out {
            visit::visit_stmt(self, statement);
        }
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if self.is_code(&arm.attrs) {
            if let syn::Pat::Guard(it) = &arm.pat {
                self.visit_expr(&it.guard);
            }
            self.visit_expr(&arm.body);
        }
    }

    fn visit_expr_match(&mut self, expr: &'ast ExprMatch) {
        self.add(operators::of_match(self.text, expr));
        visit::visit_expr_match(self, expr);
    }

    fn visit_expr_repeat(&mut self, expr: &'ast syn::ExprRepeat) {
        // The length is a constant.
        self.visit_expr(&expr.expr);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        if !operators::attributes(expr).is_empty() {
            return;
        }
        if self.in_function {
            let places = operators::of_expression(self.text, expr);
            self.add(places);
        }
        match expr {
            // The place stands above the reference: what it refers to lives for ever.
            Expr::Reference(it) if operators::is_lasting(&it.expr) => {}
            Expr::Unary(it)
                if matches!(it.op, syn::UnOp::Neg(_)) && operators::is_constant(&it.expr) => {}
            Expr::Let(it) => self.visit_expr(&it.expr),
            _ => visit::visit_expr(self, expr),
        }
    }
}
