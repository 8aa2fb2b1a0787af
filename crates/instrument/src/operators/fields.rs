//! Replaces fields of a struct expression by their type's default.

use syn::Expr;

use super::{Spot, is_constant, plain};
use crate::syntax::range;

pub(super) const NAME: &str = "field";

/// What is the default of whatever type has it.
const DEFAULTS: &[&str] = &[
    "None",
    "Option::None",
    "Vec::new()",
    "vec![]",
    "String::new()",
    "VecDeque::new()",
    "BTreeMap::new()",
    "BTreeSet::new()",
    "HashMap::new()",
    "HashSet::new()",
    "PhantomData",
    "marker::PhantomData",
    "Default::default()",
];

/// Is the field's value the default of its type as it stands?
pub(super) fn is_default(original: &str) -> bool {
    let name = original.trim_start_matches("::");
    let roots = ["std::", "core::", "alloc::"];
    let name = roots.iter().find_map(|it| name.strip_prefix(it));
    let name = name.unwrap_or(original);
    let modules = ["option::", "vec::", "string::", "collections::"];
    let own = modules.iter().find_map(|it| name.strip_prefix(it));
    DEFAULTS.contains(&name) || own.is_some_and(|it| DEFAULTS.contains(&it))
}

pub(super) fn at(expr: &Expr) -> Vec<Spot> {
    let Expr::Struct(it) = expr else {
        return Vec::new();
    };
    let written = it.fields.iter().filter(|field| field.colon_token.is_some());
    written
        .filter(|field| field.attrs.is_empty() && !is_constant(&field.expr))
        .map(|field| {
            let mutant = plain(NAME, "Default::default()");
            let all = range(&field.expr);
            Spot::of_value(all.clone(), all, "__v", vec![mutant])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_is_its_own_default() {
        let yes = [
            "None",
            "Vec::new()",
            "::std::option::Option::None",
            "std::vec::Vec::new()",
        ];
        assert!(yes.into_iter().all(is_default));
        let no = [
            "Mode::None",
            "none",
            "Vec::with_capacity(0)",
            "Some(0)",
            "other::Vec::new()",
        ];
        assert!(!no.into_iter().any(is_default));
    }
}
