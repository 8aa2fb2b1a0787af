//! Lets functions return a simple value of their type at once.

use syn::{Block, GenericArgument, PathArguments, ReturnType, Signature, Type};

use super::{Spot, ours, plain};
use crate::site::Draft;
use crate::syntax::range;

pub(super) const NAME: &str = "return";

/// A decision that is inserted at the beginning of the body.
pub(super) fn at(text: &str, signature: &Signature, body: &Block) -> Option<Spot> {
    let begin = range(&body.brace_token.span.open()).end;
    let is_attributed = text[begin..].trim_start().starts_with("#!");
    if body.stmts.is_empty() || is_attributed {
        return None;
    }
    let values = match &signature.output {
        ReturnType::Default => vec![String::new()],
        ReturnType::Type(_, ty) => values(ty),
    };
    let mutants: Vec<Draft> = values
        .into_iter()
        .map(|value| Draft {
            code: format!("return {value}"),
            ..plain(NAME, format!("return {value}").trim_end().to_owned())
        })
        .collect();
    (!mutants.is_empty()).then(|| Spot {
        before: vec![ours(" ")],
        as_it_was: vec![ours("{}")],
        after: "",
        shown: range(&signature.ident),
        range: begin..begin,
        mutants,
        left_out: None,
        is_comparison: false,
    })
}

/// Values that many types have. rustc decides whether this type has them.
fn values(ty: &Type) -> Vec<String> {
    let some = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    match ty {
        Type::Never(_) | Type::ImplTrait(_) => Vec::new(),
        Type::Tuple(it) if it.elems.is_empty() => vec![String::new()],
        Type::Tuple(it) => {
            let parts: Vec<String> = it
                .elems
                .iter()
                .filter_map(|it| values(it).into_iter().next())
                .collect();
            match parts.len() == it.elems.len() {
                true => vec![format!("({},)", parts.join(", "))],
                false => Vec::new(),
            }
        }
        Type::Reference(it) if it.mutability.is_none() => match &*it.elem {
            Type::Path(path) if path.path.is_ident("str") => some(&["\"\"", "\"xyzzy\""]),
            Type::Slice(_) => some(&["&[]"]),
            _ => Vec::new(),
        },
        Type::Reference(_) => Vec::new(),
        Type::Paren(it) => values(&it.elem),
        Type::Path(it) => {
            let Some(last) = it.path.segments.last() else {
                return Vec::new();
            };
            match last.ident.to_string().as_str() {
                "bool" => some(&["true", "false"]),
                "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => some(&["0", "1"]),
                "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => some(&["0", "1", "-1"]),
                "f32" | "f64" => some(&["0.0", "1.0", "-1.0"]),
                "char" => some(&["'a'"]),
                "String" => some(&["Default::default()", "\"xyzzy\".into()"]),
                "Option" => {
                    let inner =
                        argument(&last.arguments, 0).and_then(|ty| values(ty).into_iter().next());
                    let mut all = vec!["None".to_owned()];
                    all.extend(
                        inner
                            .filter(|it| !it.is_empty())
                            .map(|it| format!("Some({it})")),
                    );
                    all
                }
                "Result" => {
                    let inner = argument(&last.arguments, 0);
                    let inner = match inner {
                        Some(ty) => values(ty).into_iter().next(),
                        None => Some("Default::default()".to_owned()),
                    };
                    let inner = inner.map(|it| if it.is_empty() { "()".to_owned() } else { it });
                    inner.into_iter().map(|it| format!("Ok({it})")).collect()
                }
                "Ordering" => ["Less", "Equal", "Greater"]
                    .map(|variant| format!("{}::{variant}", path(&it.path)))
                    .into(),
                _ => some(&["Default::default()"]),
            }
        }
        _ => some(&["Default::default()"]),
    }
}

/// A path as it is written, without generic arguments.
fn path(path: &syn::Path) -> String {
    let segments: Vec<String> = path
        .segments
        .iter()
        .map(|it| it.ident.to_string())
        .collect();
    let root = path.leading_colon.map_or("", |_| "::");
    format!("{root}{}", segments.join("::"))
}

fn argument(arguments: &PathArguments, position: usize) -> Option<&Type> {
    let PathArguments::AngleBracketed(list) = arguments else {
        return None;
    };
    let types = list.args.iter().filter_map(|it| match it {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.into_iter().nth(position)
}
