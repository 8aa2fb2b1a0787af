//! Names variables after what they hold, without needless numbers and never by a keyword.

use std::collections::BTreeSet;

use testsmith_api::{Form, NEWEST_EDITION, Operation, Ty, is_fn_trait, is_keyword, last_segment};

use crate::cx::type_args;

/// `FixedBitSet` → `fixed_bit_set`, `HTTPServer` → `http_server`, `MAX_LEN` → `max_len`.
pub(crate) fn snake_case(name: &str) -> String {
    let chars: Vec<char> = name.trim_start_matches("r#").chars().collect();
    let mut out = String::new();
    for (i, &c) in chars.iter().enumerate() {
        if c.is_uppercase() && i > 0 && chars[i - 1] != '_' {
            let after_lower = chars[i - 1].is_lowercase() || chars[i - 1].is_numeric();
            let before_lower = chars.get(i + 1).is_some_and(|next| next.is_lowercase());
            // A single letter belongs to the word after it: `BTreeMap` → `btree_map`.
            let after_letter = i == 1 || !chars[i - 2].is_uppercase();
            let starts_word = chars[i - 1].is_lowercase()
                || (chars[i - 1].is_numeric() && before_lower)
                || (before_lower && !after_lower && !after_letter);
            if starts_word {
                out.push('_');
            }
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// The names of one test's variables.
#[derive(Clone, Debug)]
pub(crate) struct Variables {
    taken: BTreeSet<String>,
}

impl Variables {
    /// No names are taken but `reserved`, those of functions and constants in scope.
    pub(crate) fn new(reserved: &BTreeSet<String>) -> Variables {
        let mut taken = reserved.clone();
        taken.insert("drop".to_owned());
        Variables { taken }
    }

    /// Is the name free as it is?
    pub(crate) fn is_free(&self, name: &str) -> bool {
        !self.taken.contains(name) && !is_keyword(name, NEWEST_EDITION)
    }

    /// A new name, as close to the wanted one as possible.
    pub(crate) fn declare(&mut self, wanted: &str) -> String {
        let mut name: String = wanted
            .chars()
            .filter(|c| *c == '_' || c.is_alphanumeric())
            .collect();
        if name.is_empty() || name.starts_with(|c: char| c.is_numeric()) || name == "_" {
            name = format!("value{name}");
        }
        if is_keyword(&name, NEWEST_EDITION) {
            name.push('_');
        }
        let separator = if name.ends_with(|c: char| c.is_numeric()) {
            "_"
        } else {
            ""
        };
        let mut candidate = name.clone();
        let mut n = 2;
        while !self.taken.insert(candidate.clone()) {
            candidate = format!("{name}{separator}{n}");
            n += 1;
        }
        candidate
    }
}

/// The wanted name for a result. `role` is the parameter that it is first used for.
pub(crate) fn wanted(op: &Operation, ty: &Ty, role: Option<&str>) -> String {
    if matches!(&op.form, Form::Trait { trait_, .. } if &*trait_.path == "std::clone::Clone") {
        return "cloned".to_owned();
    }
    if let Some(name) = of_type(ty) {
        return name;
    }
    if let Some(name) = of_operation(op) {
        return name;
    }
    if let Some(role) = role.filter(|role| is_telling(role)) {
        return role.to_owned();
    }
    of_kind(ty).to_owned()
}

/// The wanted name for a column of literals that stand for a parameter.
pub(crate) fn wanted_column(parameter: &str, ty: &Ty) -> String {
    match is_telling(parameter) {
        true => snake_case(parameter),
        false => of_kind(ty).to_owned(),
    }
}

fn is_telling(role: &str) -> bool {
    let numbered = role
        .strip_prefix("arg")
        .is_some_and(|n| n.parse::<u32>().is_ok());
    role.len() > 1 && role != "self" && role != "_" && !numbered && !role.starts_with('_')
}

/// The name of a variable after its type, for types of the crate and other types that are no
/// wrappers or collections.
fn of_type(ty: &Ty) -> Option<String> {
    match ty {
        Ty::Ref { to, .. } => of_type(to),
        Ty::Adt { path, .. } => {
            let wraps = matches!(
                &**path,
                "std::option::Option"
                    | "std::result::Result"
                    | "std::boxed::Box"
                    | "std::rc::Rc"
                    | "std::sync::Arc"
            );
            if wraps {
                return of_type(type_args(ty).first()?);
            }
            let is_plain_std = path.starts_with("std::")
                && !matches!(last_segment(path), "Duration" | "Instant" | "Ordering");
            (!is_plain_std).then(|| noun(last_segment(path)))
        }
        _ => None,
    }
}

/// What people call a value of a type, without what tells the type from others: `FixedBitSet` → `set`,
/// `IterMut` → `iter`.
fn noun(ty: &str) -> String {
    let name = snake_case(ty);
    let mut words: Vec<&str> = name.split('_').collect();
    while words.len() > 1 && matches!(words.last(), Some(&("mut" | "ref"))) {
        words.pop();
    }
    let last = words.last().copied().unwrap_or_default();
    let is_noun = last.len() > 2 && !last.contains(|c: char| c.is_numeric());
    match is_noun && !is_keyword(last, NEWEST_EDITION) {
        true => last.to_owned(),
        false => words.join("_"),
    }
}

/// The name after a method that asks something: `len`, `contains`.
pub(crate) fn of_operation(op: &Operation) -> Option<String> {
    let name = match &op.form {
        Form::Function { path, .. } => last_segment(path),
        Form::Inherent { name, has_self, .. } | Form::Trait { name, has_self, .. } => {
            if !has_self && matches!(&**name, "new" | "default" | "from" | "from_str") {
                return None;
            }
            name
        }
        Form::Field { name } => name,
        Form::Const { path } => last_segment(path),
        Form::AssocConst { name, .. } => name,
        _ => return None,
    };
    let name = snake_case(name);
    let short = ["get_", "into_", "to_", "as_"]
        .into_iter()
        .find_map(|prefix| name.strip_prefix(prefix));
    Some(short.unwrap_or(&name).to_owned())
}

fn of_kind(ty: &Ty) -> &'static str {
    match ty {
        Ty::Prim(testsmith_api::Prim::Bool) => "flag",
        Ty::Prim(testsmith_api::Prim::Char) => "ch",
        Ty::Prim(_) => "number",
        Ty::Str => "text",
        Ty::Tuple(_) => "pair",
        Ty::Slice(_) | Ty::Array(..) => "items",
        Ty::Ref { to, .. } => of_kind(to),
        Ty::FnPtr { .. } | Ty::Opaque { .. } => "callback",
        Ty::Dyn { traits, .. } if traits.iter().any(|it| is_fn_trait(&it.path)) => "callback",
        Ty::Adt { path, .. } => match last_segment(path) {
            "String" => "text",
            "Option" | "Result" | "Box" | "Rc" | "Arc" | "Cow" => {
                type_args(ty).first().map_or("value", |ty| of_kind(ty))
            }
            "Vec" | "VecDeque" | "LinkedList" | "BinaryHeap" => "items",
            "HashMap" | "BTreeMap" => "map",
            "HashSet" | "BTreeSet" => "set",
            "RefCell" => "calls",
            "Cell" => "n_calls",
            "Range" | "RangeInclusive" | "RangeFrom" | "RangeTo" => "range",
            _ => "value",
        },
        _ => "value",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_become_snake_case() {
        assert_eq!(snake_case("FixedBitSet"), "fixed_bit_set");
        assert_eq!(snake_case("HTTPServer"), "http_server");
        assert_eq!(snake_case("U256"), "u256");
        assert_eq!(snake_case("MAX_LEN"), "max_len");
        assert_eq!(snake_case("Ipv4Addr"), "ipv4_addr");
    }

    #[test]
    fn a_clash_is_numbered_and_a_keyword_avoided() {
        let mut variables = Variables::new(&BTreeSet::new());
        assert_eq!(variables.declare("version"), "version");
        assert_eq!(variables.declare("version"), "version2");
        assert_eq!(variables.declare("match"), "match_");
        assert_eq!(variables.declare("u256"), "u256");
        assert_eq!(variables.declare("u256"), "u256_2");
        assert_eq!(variables.declare("drop"), "drop2");
    }
}
