//! A walk through a file that finds where mutants can stand.
//!
//! Constants, patterns and the insides of macros cannot have any; tests and code that is not
//! compiled should not.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprMatch, Pat, Signature, Stmt};

use crate::asking::{self, Asking};
use crate::cfg::Cfg;
use crate::files::SourceFile;
use crate::ids::RegionId;
use crate::operators::{self, Spot};
use crate::region::{Count, Probe, Region, RegionKind};
use crate::site::{Decision, Returning, Site, What};
use crate::suppressed::{Suppressed, suppressed};
use crate::syntax::{asks_for_test, attributes, on_one_line, range};

/// What a walk found.
#[derive(Default)]
pub(crate) struct Found {
    /// In order of their beginnings, outer ones before inner ones.
    pub(crate) sites: Vec<Site>,
    pub(crate) regions: Vec<Region>,
    /// The code that decides whether each region is entered once the region around it is, if that is known.
    pub(crate) deciding: Vec<Option<Range<usize>>>,
    /// The bodies of functions.
    pub(crate) functions: Vec<(String, Range<usize>)>,
    /// Functions that can note what they return.
    pub(crate) returning: Vec<Returning>,
    /// Where mutants are not wanted.
    pub(crate) suppressed: Vec<Suppressed>,
    pub(crate) left_out: BTreeMap<&'static str, usize>,
}

/// Finds the sites of one file.
pub(crate) fn sites(source: &SourceFile, cfg: &Cfg) -> Found {
    let mut walk = Walk {
        source,
        text: &source.text,
        lines: line_starts(&source.text),
        cfg,
        names: match source.module.as_str() {
            "" => Vec::new(),
            module => vec![module.to_owned()],
        },
        in_function: false,
        is_freed: false,
        is_mutated: true,
        returning: None,
        deciding: None,
        region: None,
        found: Found::default(),
    };
    walk.visit_file(&source.syntax);
    let (suppressed, n_unknown) = suppressed(&source.text, &source.syntax);
    walk.found.suppressed = suppressed;
    for _ in 0..n_unknown {
        walk.leave_out("a comment that should suppress mutants, and names no family of operators");
    }
    // Outer ones first where two begin at the same place; a stable sort keeps the order of visits.
    let sites = &mut walk.found.sites;
    sites.sort_by_key(|site| (site.range.start, std::cmp::Reverse(site.range.end)));
    walk.found
}

fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.match_indices('\n').map(|(i, _)| i + 1);
    [0].into_iter().chain(ends).collect()
}

struct Walk<'w> {
    source: &'w SourceFile,
    text: &'w str,
    lines: Vec<usize>,
    cfg: &'w Cfg,
    /// Modules, impls and functions around.
    names: Vec<String>,
    in_function: bool,
    /// Is the function `const`?
    is_freed: bool,
    /// Are mutants wanted here?
    is_mutated: bool,
    /// What the function returns, if that can be noted: its position among those that do, and its tail.
    returning: Option<(usize, Option<Range<usize>>)>,
    /// What decides whether the next region is entered.
    deciding: Option<Range<usize>>,
    /// The innermost region around, by its position.
    region: Option<usize>,
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

    fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|begin| *begin <= offset)
    }

    fn add(&mut self, places: Vec<Spot>) {
        if !self.is_mutated {
            return;
        }
        for place in places {
            let line = self.line(place.range.start);
            if let Some(why) = place.left_out {
                self.leave_out(why);
            }
            if place.mutants.is_empty() {
                continue;
            }
            let original = on_one_line(&self.text[place.shown.clone()]).unwrap_or_default();
            self.found.sites.push(Site {
                range: place.range,
                what: What::Decision(Decision {
                    line,
                    function: self.names.join("::"),
                    region: self.region,
                    original,
                    before: place.before,
                    is_comparison: place.is_comparison,
                    as_it_was: place.as_it_was,
                    mutants: place.mutants,
                    after: place.after,
                    is_freed: self.is_freed,
                }),
            });
        }
    }

    /// Something at this offset is code of the region around.
    fn note(&mut self, offset: usize) {
        let line = self.line(offset);
        if let Some(region) = self.region {
            self.found.regions[region].lines.insert(line);
        }
    }

    /// A region that is counted where `probe` says, and what is in it.
    fn enter(
        &mut self,
        kind: RegionKind,
        range: Range<usize>,
        probe: Probe,
        walk: impl FnOnce(&mut Self),
    ) {
        let region = self.found.regions.len();
        self.found.regions.push(Region {
            file: self.source.path.clone(),
            line: self.line(range.start),
            function: self.names.join("::"),
            kind,
            parent: self.region.map(|it| RegionId(it as u32)),
            decided_by: Vec::new(),
            lines: BTreeSet::new(),
        });
        self.found.deciding.push(self.deciding.take());
        self.found.sites.push(Site {
            range,
            what: What::Probe(Probe {
                region,
                is_constant: self.is_freed,
                ..probe
            }),
        });
        let outer = self.region.replace(region);
        walk(self);
        self.region = outer;
    }

    /// A region that is a block.
    fn block(&mut self, kind: RegionKind, count: Count, block: &syn::Block) {
        self.block_with(kind, count, None, block);
    }

    fn block_with(
        &mut self,
        kind: RegionKind,
        count: Count,
        recorded: Option<Vec<(String, bool)>>,
        block: &syn::Block,
    ) {
        let braces = block.brace_token.span;
        let inside = range(&braces.open()).end..range(&braces.close()).start;
        if self.text[inside.clone()].trim_start().starts_with("#!") {
            self.deciding = None;
            return self.visit_block(block);
        }
        let probe = Probe {
            recorded,
            ..Probe::before("", count, "")
        };
        self.enter(kind, inside, probe, |walk| walk.visit_block(block));
    }

    /// A region that is an expression.
    fn expression(&mut self, kind: RegionKind, expr: &Expr) {
        match expr {
            Expr::Block(it) if it.label.is_none() && it.attrs.is_empty() => {
                self.block(kind, Count::Pass, &it.block);
            }
            _ => {
                let probe = Probe::before("{", Count::Pass, " }");
                self.enter(kind, range(expr), probe, |walk| walk.visit_expr(expr));
            }
        }
    }

    fn visit_if(&mut self, expr: &syn::ExprIf) {
        self.visit_expr(&expr.cond);
        let deciding = Some(range(&*expr.cond));
        self.deciding.clone_from(&deciding);
        if expr.else_branch.is_none() {
            let probe = Probe {
                is_behind: true,
                ..Probe::before(" else {", Count::Pass, " }")
            };
            self.enter(RegionKind::Else, range(&expr.then_branch), probe, |_| {});
        }
        self.deciding.clone_from(&deciding);
        self.block(RegionKind::Then, Count::Pass, &expr.then_branch);
        self.deciding = deciding;
        if let Some((_, otherwise)) = &expr.else_branch {
            self.expression(RegionKind::Else, otherwise);
        }
        self.deciding = None;
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
            self.found.sites.push(Site {
                range: range(word),
                what: What::Const {
                    end: range(body).end,
                },
            });
        }
        self.within(signature.ident.to_string(), |walk| {
            let function = (walk.names.join("::"), range(body));
            walk.found.functions.push(function);
            let outer = (walk.in_function, walk.is_freed);
            (walk.in_function, walk.is_freed) = (true, signature.constness.is_some());
            let text = walk.text;
            let is_constant = signature.constness.is_some();
            let count = match signature.asyncness {
                Some(_) => Count::Pass,
                // Nothing is left to do at the end of what the compiler evaluates.
                None if is_constant => Count::Turn,
                None => Count::Call,
            };
            // Private ones, too: unit tests call them.
            let recorded = Some(arguments(signature));
            let outer_region = walk.region.take();
            let n_regions = walk.found.regions.len();
            let returning = walk.returning(signature, body, n_regions);
            let outer_returning = std::mem::replace(&mut walk.returning, returning);
            walk.block_with(RegionKind::Function, count, recorded, body);
            walk.returning = outer_returning;
            if walk.found.regions.len() > n_regions {
                walk.region = Some(n_regions);
                walk.note(range(&signature.ident).start);
            }
            walk.add(operators::of_function(text, signature, body));
            walk.region = outer_region;
            (walk.in_function, walk.is_freed) = outer;
        });
    }
}

impl Walk<'_> {
    /// What is noted of what a function returns, if its region has this position.
    fn returning(
        &mut self,
        signature: &Signature,
        body: &syn::Block,
        region: usize,
    ) -> Option<(usize, Option<Range<usize>>)> {
        let syn::ReturnType::Type(_, ty) = &signature.output else {
            return None;
        };
        // What the compiler evaluates is not run, and a future is another type.
        if signature.constness.is_some() || signature.asyncness.is_some() || !can_be_named(ty) {
            return None;
        }
        let ty = on_one_line(&self.text[range(&**ty)])?;
        self.found.returning.push(Returning {
            name: self.names.join("::"),
            ty,
            region,
        });
        let tail = match body.stmts.last() {
            Some(Stmt::Expr(tail, None)) if attributes(tail).is_empty() => Some(range(tail)),
            _ => None,
        };
        Some((self.found.returning.len() - 1, tail))
    }

    /// It is noted what is returned here.
    fn returned(&mut self, range: Range<usize>) {
        if let Some((function, _)) = self.returning {
            self.found.sites.push(Site {
                range,
                what: What::Returned(function),
            });
        }
    }

    /// Something is asked for here, unless the compiler evaluates it.
    fn asks(&mut self, range: Range<usize>, asking: Option<&'static Asking>) {
        if let Some(asking) = asking
            && self.in_function
            && !self.is_freed
        {
            let what = What::Asking(asking);
            self.found.sites.push(Site { range, what });
        }
    }

    /// What stands in a closure or a future is returned by somebody else.
    fn elsewhere(&mut self, walk: impl FnOnce(&mut Self)) {
        let outer = self.returning.take();
        walk(self);
        self.returning = outer;
    }
}

/// Can it be written within a function, and has it values?
fn can_be_named(ty: &syn::Type) -> bool {
    struct Unnamed(bool);
    impl<'ast> Visit<'ast> for Unnamed {
        fn visit_type(&mut self, ty: &'ast syn::Type) {
            use syn::Type::{ImplTrait, Infer, Macro, Never, Verbatim};
            self.0 |= matches!(
                ty,
                ImplTrait(_) | Infer(_) | Macro(_) | Never(_) | Verbatim(_)
            );
            visit::visit_type(self, ty);
        }
    }
    let mut unnamed = Unnamed(false);
    unnamed.visit_type(ty);
    let is_unit = matches!(ty, syn::Type::Tuple(it) if it.elems.is_empty());
    !unnamed.0 && !is_unit
}

/// The names that a function's parameters are bound to, and whether it is a formatter. What has none,
/// the function cannot see.
fn arguments(signature: &Signature) -> Vec<(String, bool)> {
    #[derive(Default)]
    struct Names(Vec<(String, bool)>, bool);
    impl<'ast> Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.0.push((pattern.ident.to_string(), self.1));
            visit::visit_pat_ident(self, pattern);
        }
    }
    let mut names = Names::default();
    for argument in &signature.inputs {
        match argument {
            syn::FnArg::Receiver(_) => names.0.push(("self".to_owned(), false)),
            syn::FnArg::Typed(it) => {
                names.1 = is_formatter(&it.ty);
                names.visit_pat(&it.pat);
            }
        }
    }
    names.0
}

/// Is it a reference to the standard library's formatter, by its name?
fn is_formatter(ty: &syn::Type) -> bool {
    let syn::Type::Reference(it) = ty else {
        return false;
    };
    let syn::Type::Path(it) = &*it.elem else {
        return false;
    };
    let last = it.path.segments.last();
    last.is_some_and(|it| it.ident == "Formatter")
}

/// Does it say something to whoever watches, and nothing else?
fn is_logging(it: &syn::Macro) -> bool {
    const NAMES: [&str; 10] = [
        "trace", "debug", "info", "warn", "error", "log", "print", "println", "eprint", "eprintln",
    ];
    let name = it.path.segments.last();
    name.is_some_and(|name| NAMES.iter().any(|it| name.ident == it))
}

/// Whether what follows a statement may be left out because of it, and by what.
fn leaving(statement: &Stmt) -> Option<RegionKind> {
    #[derive(Default)]
    struct Exits(Option<RegionKind>);
    impl<'ast> Visit<'ast> for Exits {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            let kind = match expr {
                Expr::Try(_) => Some(RegionKind::Question),
                Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => Some(RegionKind::Rest),
                Expr::Closure(_) | Expr::Async(_) => return,
                _ => None,
            };
            // A `?` is a branch of its own; whatever else leaves stands in one.
            self.0 = match (self.0, kind) {
                (Some(RegionKind::Question), _) => self.0,
                (known, kind) => kind.or(known),
            };
            visit::visit_expr(self, expr);
        }
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut exits = Exits::default();
    exits.visit_stmt(statement);
    exits.0
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
            self.is_mutated = false;
        }
        let of = on_one_line(&self.text[range(&*item.self_ty)]).unwrap_or_default();
        let name = match shown {
            Some(trait_) => format!("<{of} as {}>", trait_.ident),
            None => of,
        };
        self.within(name, |walk| visit::visit_item_impl(walk, item));
        self.is_mutated = true;
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
    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        match pattern {
            Pat::Lit(_) | Pat::Range(_) => self.leave_out("a pattern"),
            // What is compared with is a name here, and the compiler looks at it.
            Pat::Path(_) | Pat::Const(_) => {}
            pattern => visit::visit_pat(self, pattern),
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        self.asks(range(call), asking::by_call(call));
        visit::visit_expr_call(self, call);
    }

    fn visit_macro(&mut self, it: &'ast syn::Macro) {
        self.asks(range(it), asking::by_macro(it));
        if self.in_function {
            self.leave_out(match is_logging(it) {
                true => "logging",
                false => "the inside of a macro",
            });
        }
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        let mut leaves = None;
        let mut before = None;
        let around = self.region;
        for statement in &block.stmts {
            if let Some(kind) = leaves
                && !matches!(statement, Stmt::Item(_))
            {
                let probe = Probe::before("", Count::Pass, "");
                self.deciding = before.take();
                self.enter(kind, range(statement), probe, |_| {});
                self.region = Some(self.found.regions.len() - 1);
                leaves = None;
            }
            self.visit_stmt(statement);
            let leaving = leaving(statement);
            if leaving.is_some() {
                before = Some(range(statement));
            }
            leaves = leaves.max(leaving);
        }
        self.region = around;
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let Some(value) = &local.init else { return };
        self.visit_expr(&value.expr);
        match value.diverge.as_ref().map(|(_, otherwise)| &**otherwise) {
            Some(Expr::Block(it)) => self.block(RegionKind::LetElse, Count::Pass, &it.block),
            Some(otherwise) => self.visit_expr(otherwise),
            None => {}
        }
    }

    fn visit_expr_while(&mut self, expr: &'ast syn::ExprWhile) {
        self.visit_expr(&expr.cond);
        self.deciding = Some(range(&*expr.cond));
        self.block(RegionKind::Loop, Count::Turn, &expr.body);
    }

    fn visit_expr_for_loop(&mut self, expr: &'ast syn::ExprForLoop) {
        self.visit_expr(&expr.expr);
        self.block(RegionKind::Loop, Count::Turn, &expr.body);
    }

    fn visit_expr_loop(&mut self, expr: &'ast syn::ExprLoop) {
        self.block(RegionKind::Loop, Count::Turn, &expr.body);
    }

    fn visit_expr_closure(&mut self, expr: &'ast syn::ExprClosure) {
        self.elsewhere(|walk| match walk.in_function {
            true => walk.expression(RegionKind::Closure, &expr.body),
            false => walk.visit_expr(&expr.body),
        });
    }

    fn visit_expr_async(&mut self, expr: &'ast syn::ExprAsync) {
        self.elsewhere(|walk| visit::visit_expr_async(walk, expr));
    }

    fn visit_expr_try_block(&mut self, expr: &'ast syn::ExprTryBlock) {
        self.elsewhere(|walk| visit::visit_expr_try_block(walk, expr));
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let is_text = |it: &Expr| matches!(it, Expr::Lit(it) if matches!(it.lit, syn::Lit::Str(_)));
        let is_expect = call.method == "expect" || call.method == "expect_err";
        match call.args.first() {
            Some(text) if is_expect && call.args.len() == 1 && is_text(text) => {
                self.leave_out("what a panic says");
                self.visit_expr(&call.receiver);
            }
            _ => visit::visit_expr_method_call(self, call),
        }
    }

    fn visit_expr_return(&mut self, expr: &'ast syn::ExprReturn) {
        if let Some(value) = &expr.expr {
            self.returned(range(&**value));
        }
        visit::visit_expr_return(self, expr);
    }

    fn visit_expr_if(&mut self, expr: &'ast syn::ExprIf) {
        self.visit_if(expr);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if !matches!(statement, Stmt::Item(_)) {
            self.note(range(statement).start);
        }
        if let Some((_, tail)) = &mut self.returning
            && let Some(tail) = tail.take_if(|it| *it == range(statement))
        {
            self.returned(tail);
        }
        let attributes = match statement {
            Stmt::Local(local) => local.attrs.as_slice(),
            Stmt::Expr(expr, _) => attributes(expr),
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
            match &arm.pat {
                Pat::Guard(it) => {
                    self.visit_pat(&it.pat);
                    self.visit_expr(&it.guard);
                }
                pattern => self.visit_pat(pattern),
            }
            self.expression(RegionKind::Arm, &arm.body);
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
        if !attributes(expr).is_empty() {
            return;
        }
        if self.in_function {
            self.note(range(expr).start);
            let places = operators::of_expression(self.text, expr);
            self.add(places);
        }
        match expr {
            // The place stands above the reference: what it refers to lives for ever.
            Expr::Reference(it) if operators::is_lasting(&it.expr) => {}
            Expr::Unary(it)
                if matches!(it.op, syn::UnOp::Neg(_)) && operators::is_constant(&it.expr) => {}
            Expr::Let(it) => {
                self.visit_pat(&it.pat);
                self.visit_expr(&it.expr);
            }
            _ => visit::visit_expr(self, expr),
        }
    }
}
