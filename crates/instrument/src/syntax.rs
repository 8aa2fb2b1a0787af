//! What any piece of syntax is asked: its place, its text, its attributes.

use std::ops::Range;

use syn::spanned::Spanned;
use syn::{Attribute, Expr};

/// The bytes of a node in the text.
pub(crate) fn range(node: &impl Spanned) -> Range<usize> {
    node.span().byte_range()
}

/// The text without comments and line breaks; `None` if a literal has several lines.
pub(crate) fn on_one_line(text: &str) -> Option<String> {
    if !text.contains('\n') && !text.contains("//") && !text.contains("/*") {
        return Some(text.to_owned());
    }
    let tokens: proc_macro2::TokenStream = text.parse().ok()?;
    let text = tokens.to_string();
    (!text.contains('\n')).then_some(text)
}

/// Is the item compiled only for tests?
pub(crate) fn asks_for_test(attributes: &[Attribute]) -> bool {
    let conditions = attributes.iter().filter(|it| it.path().is_ident("cfg"));
    let mut conditions = conditions.filter_map(|it| it.parse_args::<syn::Meta>().ok());
    conditions.any(|it| it.path().is_ident("test"))
}

/// The attributes of an expression of any kind.
pub(crate) fn attributes(expr: &Expr) -> &[Attribute] {
    match expr {
        Expr::Array(it) => &it.attrs,
        Expr::Assign(it) => &it.attrs,
        Expr::Binary(it) => &it.attrs,
        Expr::Block(it) => &it.attrs,
        Expr::Call(it) => &it.attrs,
        Expr::ForLoop(it) => &it.attrs,
        Expr::If(it) => &it.attrs,
        Expr::Lit(it) => &it.attrs,
        Expr::Loop(it) => &it.attrs,
        Expr::Macro(it) => &it.attrs,
        Expr::Match(it) => &it.attrs,
        Expr::MethodCall(it) => &it.attrs,
        Expr::Return(it) => &it.attrs,
        Expr::Struct(it) => &it.attrs,
        Expr::Unsafe(it) => &it.attrs,
        Expr::While(it) => &it.attrs,
        _ => &[],
    }
}
