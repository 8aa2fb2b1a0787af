//! Finds out what the names in a source stand for: renamed items, constants, and functions of the
//! tests' own.

use std::borrow::Cow;
use std::collections::BTreeMap;

use syn::{Block, Item, ItemFn, Pat, Stmt};

use super::script::{Expr, Path};
use super::syntax::expr;

/// A function with more statements than this is not written out where it is called.
const MAX_STATEMENTS: usize = 6;

/// What the names in a source stand for.
#[derive(Clone, Default)]
pub(crate) struct Names {
    /// Renamed items: `use a::B as C`, `type C = B<u8>`.
    renamed: BTreeMap<String, String>,
    /// Constants that are literals.
    constants: BTreeMap<String, Expr>,
    /// Functions that are one expression, by name: their parameters and the expression.
    short: BTreeMap<String, (Vec<String>, Expr)>,
    /// Functions of a few statements that return nothing, by name.
    checks: BTreeMap<String, (Vec<String>, Block)>,
}

impl Names {
    /// Begins with the type aliases of the crate.
    pub(crate) fn new(aliases: &BTreeMap<String, String>) -> Names {
        Names {
            renamed: aliases.clone(),
            ..Names::default()
        }
    }

    /// Learns what a test file defines for others. Its imports hold only in itself.
    pub(crate) fn learn(&mut self, source: &str) {
        if let Ok(file) = syn::parse_file(source) {
            let renamed = self.renamed.clone();
            self.learn_items(file.items.iter());
            self.renamed = renamed;
        }
    }

    /// The names that hold in a block, with those that it defines.
    pub(super) fn within(&self, block: &Block) -> Cow<'_, Names> {
        let items = || {
            block.stmts.iter().filter_map(|stmt| match stmt {
                Stmt::Item(item) => Some(item),
                _ => None,
            })
        };
        if items().next().is_none() {
            return Cow::Borrowed(self);
        }
        let mut names = self.clone();
        names.learn_items(items());
        Cow::Owned(names)
    }

    pub(super) fn learn_items<'i>(&mut self, items: impl Iterator<Item = &'i Item>) {
        for item in items {
            match item {
                Item::Fn(func) => self.learn_function(func),
                Item::Mod(module) => {
                    if let Some((_, items)) = &module.content {
                        self.learn_items(items.iter());
                    }
                }
                Item::Use(use_) => self.learn_use(&use_.tree),
                Item::Type(alias) => {
                    if let Some(head) = self.head(&alias.ty) {
                        self.renamed.insert(alias.ident.to_string(), head);
                    }
                }
                Item::Const(it) => self.learn_constant(&it.ident, &it.expr),
                Item::Static(it) => self.learn_constant(&it.ident, &it.expr),
                _ => {}
            }
        }
    }

    fn learn_constant(&mut self, name: &syn::Ident, value: &syn::Expr) {
        let value = expr(value, self);
        if !value.has_call() {
            self.constants.insert(name.to_string(), value);
        }
    }

    fn learn_use(&mut self, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => self.learn_use(&path.tree),
            syn::UseTree::Group(group) => group.items.iter().for_each(|it| self.learn_use(it)),
            // A lower-case name could also be that of a variable.
            syn::UseTree::Rename(it) if it.rename.to_string().starts_with(char::is_uppercase) => {
                self.renamed
                    .insert(it.rename.to_string(), it.ident.to_string());
            }
            _ => {}
        }
    }

    fn learn_function(&mut self, func: &ItemFn) {
        let param = |input: &syn::FnArg| match input {
            syn::FnArg::Typed(typed) => bound_name(&typed.pat),
            syn::FnArg::Receiver(_) => None,
        };
        let params: Option<Vec<String>> = func.sig.inputs.iter().map(param).collect();
        let (Some(params), None) = (params, func.sig.asyncness) else {
            return;
        };
        let name = func.sig.ident.to_string();
        match func.block.stmts.as_slice() {
            [Stmt::Expr(value, None)] => {
                let value = expr(value, &Names::default());
                self.short.insert(name, (params, value));
            }
            stmts
                if matches!(func.sig.output, syn::ReturnType::Default)
                    && (1..=MAX_STATEMENTS).contains(&stmts.len())
                    && !params.is_empty() =>
            {
                self.checks.insert(name, (params, (*func.block).clone()));
            }
            _ => {}
        }
    }

    /// The last two segments of a path, by the names that the crate has for them.
    pub(super) fn path(&self, path: &syn::Path) -> Path {
        let mut segments = path.segments.iter().rev().map(|it| {
            let name = it.ident.to_string();
            self.renamed.get(&name).cloned().unwrap_or(name)
        });
        Path {
            name: segments.next().unwrap_or_default(),
            qualifier: segments.next(),
        }
    }

    /// The head of a type: `Map` for `&mut Map<u8, u8>`.
    pub(super) fn head(&self, ty: &syn::Type) -> Option<String> {
        match ty {
            syn::Type::Path(it) => Some(self.path(&it.path).name),
            syn::Type::Reference(it) => self.head(&it.elem),
            _ => None,
        }
    }

    /// The literal that a name is a constant for.
    pub(super) fn constant(&self, path: &Path) -> Option<&Expr> {
        self.constants.get(&path.name).filter(|_| is_own(path))
    }

    /// The expression that a call of one of the source's own short functions stands for.
    pub(super) fn inlined(&self, path: &Path, args: &[Expr]) -> Option<Expr> {
        let (params, value) = self.short.get(&path.name).filter(|_| is_own(path))?;
        if params.len() != args.len() {
            return None;
        }
        let by: Vec<(String, Expr)> = params.iter().cloned().zip(args.iter().cloned()).collect();
        let mut value = value.clone();
        value.substitute(&by);
        Some(value)
    }

    /// The parameters and statements of one of the source's own functions.
    pub(super) fn check(&self, path: &Path, n_args: usize) -> Option<(&[String], &Block)> {
        let (params, block) = self.checks.get(&path.name).filter(|_| is_own(path))?;
        (params.len() == n_args).then_some((params, block))
    }
}

/// Can the path name an item that the tests define? A path with any other qualifier cannot.
fn is_own(path: &Path) -> bool {
    let qualifier = path.qualifier.as_deref();
    qualifier.is_none_or(|it| matches!(it, "util" | "common" | "self" | "super" | "crate"))
}

/// The name that a pattern binds, if it is nothing but a name.
pub(super) fn bound_name(pat: &Pat) -> Option<String> {
    match pat {
        Pat::Ident(it) if it.subpat.is_none() => Some(it.ident.to_string()),
        Pat::Type(it) => bound_name(&it.pat),
        _ => None,
    }
}
