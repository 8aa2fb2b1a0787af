//! Prints recipes: templates with their placeholders filled and their paths shortened.

use testsmith_api::{Names as _, STAND_INS};

use crate::cx::Cx;
use crate::expr::{Expr, Prec};
use crate::lints::{alone, empty_range};
use crate::operand::Operand;

/// The template with the operands in place of `{0}`, `{1}`, ..
pub(crate) fn recipe(cx: Cx<'_>, template: &str, operands: &[Operand]) -> Expr {
    if let Some(place) = template.strip_prefix("&mut ") {
        return recipe(cx, place, operands).borrow(true);
    }
    if let Some(place) = template
        .strip_prefix('&')
        .filter(|rest| !rest.starts_with('&'))
    {
        return recipe(cx, place, operands).borrow(false);
    }
    // What is formatted is borrowed anyway.
    if let (r#"format!("{:?}", {0})"#, [shown]) = (template, operands) {
        let shown = &shown.receiver;
        return Expr::atom(match shown.is_name() {
            true => format!("format!(\"{{{}:?}}\")", shown.text),
            false => format!("format!(\"{{:?}}\", {})", shown.text),
        });
    }
    if template == "{0}" && operands.len() == 1 {
        return operands[0].direct.clone();
    }
    if let ("{0}..{1}" | "{0}..={1}", [start, end]) = (template, operands) {
        let (start, end) = (&start.direct.text, &end.direct.text);
        if let Some(range) = empty_range(cx, start, end, template.contains('=')) {
            return range;
        }
    }
    let mut out = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (before, after) = rest.split_at(open);
        out.push_str(&shorten(cx, before));
        let placeholder = after[1..].split_once('}').and_then(|(digits, rest)| {
            let operand = operands.get(digits.parse::<usize>().ok()?)?;
            Some((operand, rest))
        });
        match placeholder {
            Some((operand, tail)) if operand.by_reference && out.ends_with('*') => {
                out.pop();
                out.push_str(&operand.place.at(Prec::Unary));
                rest = tail;
            }
            Some((operand, tail)) => {
                out.push_str(&in_place(operand, &out, tail));
                rest = tail;
            }
            None => {
                out.push('{');
                rest = &after[1..];
            }
        }
    }
    out.push_str(&shorten(cx, rest));
    Expr::new(out, tightness(template))
}

/// The operand in the form that fits the text before and after it.
fn in_place(operand: &Operand, before: &str, after: &str) -> String {
    if after.starts_with('.') && !after.starts_with("..") {
        let method = &after[1..];
        // `x.into_iter()` on a value would consume it where a reference was meant.
        return if method.starts_with("into") {
            operand.direct.at(Prec::Postfix)
        } else {
            operand.receiver.at(Prec::Postfix)
        };
    }
    if after.starts_with('(') {
        return operand.receiver.at(Prec::Postfix);
    }
    let opens = before.trim_end().ends_with(['(', '[', ',', '{', '=', ';']) || before.is_empty();
    let closes = after.trim_start().starts_with([')', ']', ',', '}', ';']) || after.is_empty();
    let least = if opens && closes {
        Prec::Loose
    } else if after.starts_with(['[', '?']) {
        Prec::Postfix
    } else {
        Prec::Unary
    };
    match before.ends_with('[') && after.starts_with(']') {
        true => alone(&operand.direct),
        false => operand.direct.at(least),
    }
}

/// How tightly the template binds, read off its outermost operators.
fn tightness(template: &str) -> Prec {
    if ["|", "move |", "match ", "if "]
        .iter()
        .any(|start| template.starts_with(start))
    {
        return Prec::Loose;
    }
    let mut depth = 0usize;
    let mut outer = String::new();
    for c in template.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outer.push(c),
            _ => {}
        }
    }
    if outer.contains("..") || outer.contains(" = ") {
        Prec::Loose
    } else if outer.contains(" as ") {
        Prec::Cast
    } else if outer.split(' ').any(|word| {
        matches!(
            word,
            "+" | "-"
                | "*"
                | "/"
                | "%"
                | "<<"
                | ">>"
                | "&"
                | "|"
                | "^"
                | "=="
                | "!="
                | "<"
                | ">"
                | "<="
                | ">="
                | "&&"
                | "||"
        )
    }) {
        Prec::Loose
    } else if template.starts_with(['-', '*', '!', '&']) {
        Prec::Unary
    } else {
        Prec::Postfix
    }
}

/// Replace `std::a::B` and the crate's own `krate::B` by `B`; paths to functions and constants
/// stay as they are.
pub(crate) fn shorten(cx: Cx<'_>, text: &str) -> String {
    let is_part = |c: char| matches!(c, '_' | ':' | '#') || c.is_alphanumeric();
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(end);
        out.push_str(&short_path(cx, word));
        let next = tail.find(is_part).unwrap_or(tail.len());
        out.push_str(&tail[..next]);
        rest = &tail[next..];
    }
    out
}

fn short_path(cx: Cx<'_>, word: &str) -> String {
    let path = word.strip_prefix("::").unwrap_or(word);
    let krate = path.split_once("::").map(|(krate, _)| krate);
    let api = &cx.world.catalogue.api;
    let is_known = krate.is_some_and(|krate| {
        let mut dependencies = api.dependencies.iter();
        matches!(krate, "std" | "core" | "alloc")
            || *krate == *api.krate
            || dependencies.any(|known| **known == *krate)
    });
    if !is_known {
        return in_edition(cx, word);
    }
    if krate == Some(STAND_INS) {
        let end = path
            .match_indices("::")
            .nth(1)
            .map_or(path.len(), |it| it.0);
        let (item, rest) = path.split_at(end);
        return format!("{}{rest}", cx.imports.path(item));
    }
    let mut end = 0;
    for segment in path.split("::") {
        end += segment.len();
        if segment.starts_with(|c: char| c.is_uppercase())
            && segment.chars().any(char::is_lowercase)
        {
            let (ty, rest) = path.split_at(end);
            let ty = cx.imports.path(&ty.replace("r#", ""));
            return format!("{ty}{}", in_edition(cx, rest));
        }
        end += 2;
    }
    cx.imports.seen_here(in_edition(cx, path))
}

/// A word of a template as the edition writes it. Templates write names as raw identifiers if any
/// edition has them as keywords.
fn in_edition(cx: Cx<'_>, word: &str) -> String {
    let parts = word.split(':').map(|part| match part.strip_prefix("r#") {
        Some(name) => cx.identifier(name),
        None => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join(":")
}

#[cfg(test)]
mod tests {
    use testsmith_sequence::World;

    use super::*;
    use crate::imports::Imports;

    fn check(template: &str, operands: &[Expr], expected: &str) {
        let world = World::default();
        let imports = Imports::scratch();
        let cx = Cx {
            world: &world,
            imports: &imports,
            holes: None,
        };
        let operands: Vec<_> = operands.iter().cloned().map(Operand::value).collect();
        assert_eq!(recipe(cx, template, &operands).text, expected);
    }

    #[test]
    fn placeholders_are_parenthesised_where_needed() {
        let minus = Expr::new("-5i8", Prec::Unary);
        let x = Expr::atom("x");
        check("{0}.abs()", std::slice::from_ref(&minus), "(-5i8).abs()");
        check("f({0}, {1})", &[minus.clone(), x.clone()], "f(-5i8, x)");
        check("{0}..{1}", &[minus, x.clone()], "-5i8..x");
        check("{0}.len()", &[x.borrow(false)], "x.len()");
        check("{0}.into_iter()", &[x.borrow(false)], "(&x).into_iter()");
        check("|n| n + {0}", std::slice::from_ref(&x), "|n| n + x");
        check("*{0}", &[x], "*x");
    }

    #[test]
    fn std_types_are_shortened_and_functions_are_not() {
        let x = Expr::atom("x");
        check(
            "::std::collections::BTreeMap::<u8, std::vec::Vec<u8>>::from([({0}, vec![])])",
            std::slice::from_ref(&x),
            "BTreeMap::<u8, Vec<u8>>::from([(x, vec![])])",
        );
        check("std::iter::repeat({0})", &[x], "std::iter::repeat(x)");
        check("std::f64::consts::PI", &[], "std::f64::consts::PI");
    }
}
