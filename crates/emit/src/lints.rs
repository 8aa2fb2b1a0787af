//! Other ways to write what clippy's default lints refuse in its plain form.
//!
//! A test shows what the crate does with a range that is empty or with a clone of a `Copy` value, on
//! purpose. Where no other syntax shows the same, a test allows the one lint by name.

use std::cmp::Ordering;

use testsmith_api::{CLOSURE_PANIC, Form, Names as _, Operation, TraitRef, Ty};
use testsmith_protocol::Caps;
use testsmith_sequence::{Arg, Step};

use crate::case::TestCase;
use crate::cx::Cx;
use crate::expr::{Expr, Prec};
use crate::operand::Operand;

/// A range whose end is not after its start. Written with dots, it looks like a mistake.
pub(crate) fn empty_range(cx: Cx<'_>, start: &str, end: &str, is_closed: bool) -> Option<Expr> {
    let is_empty = match compare(start, end)? {
        Ordering::Less => false,
        Ordering::Equal => !is_closed,
        Ordering::Greater => true,
    };
    if !is_empty {
        return None;
    }
    Some(Expr::atom(match is_closed {
        true => {
            let head = cx.imports.path("std::ops::RangeInclusive");
            format!("{head}::new({start}, {end})")
        }
        false => {
            let head = cx.imports.path("std::ops::Range");
            format!("{head} {{ start: {start}, end: {end} }}")
        }
    }))
}

/// Compares two literals, or constants like `u8::MAX`, as they are written.
fn compare(a: &str, b: &str) -> Option<Ordering> {
    if let (Some(a), Some(b)) = (number(a), number(b)) {
        return Some(a.cmp(&b));
    }
    let character = |text: &str| {
        let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
        let mut chars = inner.chars();
        let only = chars.next().filter(|c| *c != '\\')?;
        chars.next().is_none().then_some(only)
    };
    if let (Some(a), Some(b)) = (character(a), character(b)) {
        return Some(a.cmp(&b));
    }
    let float = |text: &str| {
        text.trim_end_matches("f32")
            .trim_end_matches("f64")
            .parse::<f64>()
    };
    float(a).ok()?.partial_cmp(&float(b).ok()?)
}

fn number(text: &str) -> Option<i128> {
    if let Some((ty, limit)) = text.split_once("::") {
        let is_number = ty.starts_with(['u', 'i']);
        return match limit {
            "MAX" if is_number => Some(i128::MAX),
            "MIN" if is_number => Some(i128::MIN),
            _ => None,
        };
    }
    let end = text.find(['u', 'i']).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// The only element of a list. A list of one range looks as if the range's items were meant.
pub(crate) fn alone(element: &Expr) -> String {
    match element.prec == Prec::Loose && is_range(&element.text) {
        true => format!("{}; 1", element.text),
        false => element.text.clone(),
    }
}

/// Has the range a start and an end, and is the end left out?
fn is_range(text: &str) -> bool {
    let parts = text.split_once("..");
    parts.is_some_and(|(start, end)| {
        let is_bound = |bound: &str| !bound.is_empty() && !bound.contains(['|', '"']);
        is_bound(start) && is_bound(end) && !end.starts_with('=')
    })
}

/// Does the call in the syntax that people use look like a slip: a clone of what is `Copy`, a
/// comparison with what was made for it alone, a slice of everything? Written by its path, it shows
/// that this very function is meant.
pub(crate) fn looks_like_a_slip(
    cx: Cx<'_>,
    op: &Operation,
    trait_: &TraitRef,
    operands: &[Operand],
) -> bool {
    let ty = |input: usize| {
        let types = &cx.world.catalogue.types;
        let input = op.signature.inputs.get(input)?;
        Some((input.ty.ty, &types.get(input.ty.ty).ty))
    };
    let is_borrowed = |operand: &Operand| operand.place.text.starts_with('&');
    match &*trait_.path {
        "std::clone::Clone" => ty(0).is_some_and(|(idx, _)| cx.world.caps(idx).has(Caps::COPY)),
        "std::cmp::PartialEq" => operands.iter().any(|it| is_borrowed(it) || is_made(it)),
        "std::cmp::PartialOrd" => operands.iter().any(is_borrowed),
        "std::ops::Index" | "std::ops::IndexMut" => ty(1).is_some_and(
            |(_, ty)| matches!(ty, Ty::Adt { path, .. } if &**path == "std::ops::RangeFull"),
        ),
        _ => false,
    }
}

/// Is it empty, or an owned text made of a literal?
fn is_made(operand: &Operand) -> bool {
    let text = &*operand.place.text;
    let is_empty = matches!(text, "\"\"" | "[]" | "vec![]" | "*\"\"");
    let is_owned = text.starts_with("String::") || text.ends_with(".to_owned()");
    is_empty || is_owned || text.ends_with(".to_string()")
}

/// A closure whose body only panics, with its result's type: without, the type would be that of a
/// call which never returns.
pub(crate) fn panicking(cx: Cx<'_>, op: &Operation, template: &str) -> Option<String> {
    let body = format!("panic!(\"{CLOSURE_PANIC}\")");
    let head = template.strip_suffix(&body)?;
    let ty = &cx.world.catalogue.types.get(op.signature.output.ty).ty;
    let mut output = None;
    ty.any(&mut |part| {
        let found = match part {
            Ty::FnPtr { output, .. } => Some(&**output),
            Ty::Dyn { traits, .. } => traits
                .first()
                .and_then(|it| it.assoc.iter().find(|(name, _)| &**name == "Output"))
                .map(|(_, ty)| ty),
            _ => None,
        };
        if found.is_some() && output.is_none() {
            output = found.cloned();
        }
        found.is_some()
    });
    let output = output.filter(|ty| !ty.is_unit())?;
    Some(format!("{head}-> {} {{ {body} }}", cx.ty(&output)))
}

/// How clippy weighs a type, and how much it allows in one place.
const MAX_COMPLEXITY: u64 = 250;

fn complexity(ty: &Ty, nest: u64) -> u64 {
    let (own, deeper) = match ty {
        Ty::Ref { .. } => (nest, 0),
        Ty::FnPtr { .. } => (50 * nest, 1),
        // The bound of a trait object counts as the one or the other, by its lifetimes.
        Ty::Dyn { .. } => (50 * nest, 1),
        _ => (10 * nest, 1),
    };
    let children = ty.children().into_iter();
    own + children
        .map(|child| complexity(child, nest + deeper))
        .sum::<u64>()
}

/// Is the type too much for one annotation?
pub(crate) fn is_complex(ty: &Ty) -> bool {
    complexity(ty, 1) > MAX_COMPLEXITY
}

/// Does the case unwrap what it wrapped itself?
pub(crate) fn unwraps_its_own(cx: Cx<'_>, case: &TestCase) -> bool {
    let form = |op| &cx.world.catalogue.operation(op).form;
    let wraps = |arg: &Arg| match arg {
        Arg::Slot(slot, _) => {
            let maker = form(case.sequence.maker(*slot).0);
            matches!(maker, Form::Recipe { template }
                if ["Some(", "Ok(", "Err("].iter().any(|it| template.starts_with(it)))
        }
        Arg::Literal(_) => true,
    };
    case.sequence.steps().iter().any(|step| match step {
        Step::Call { op, args, .. } => {
            matches!(form(*op), Form::Unwrap(_)) && args.first().is_some_and(wraps)
        }
        Step::Drop(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use testsmith_api::Prim;
    use testsmith_sequence::World;

    use super::*;
    use crate::imports::Imports;

    #[test]
    fn only_empty_ranges_are_written_without_dots() {
        let world = World::default();
        let imports = Imports::scratch();
        let cx = Cx {
            world: &world,
            imports: &imports,
            holes: None,
        };
        let range = |start, end, is_closed| {
            empty_range(cx, start, end, is_closed).map_or("-".to_owned(), |it| it.text)
        };
        assert_eq!(range("12u8", "2u8", true), "RangeInclusive::new(12u8, 2u8)");
        assert_eq!(range("3", "3", false), "Range { start: 3, end: 3 }");
        assert_eq!(
            range("u8::MAX", "-1i8", false),
            "Range { start: u8::MAX, end: -1i8 }"
        );
        assert_eq!(range("'b'", "'a'", true), "RangeInclusive::new('b', 'a')");
        assert_eq!(range("3", "3", true), "-");
        assert_eq!(range("x", "3", false), "-");
    }

    #[test]
    fn a_range_alone_in_a_list_is_repeated_once() {
        let range = |text: &str| alone(&Expr::new(text, Prec::Loose));
        assert_eq!(range("1..3"), "1..3; 1");
        assert_eq!(range("1..=3"), "1..=3");
        assert_eq!(range("..3"), "..3");
        assert_eq!(range("|a| a..3"), "|a| a..3");
    }

    #[test]
    fn complexity_grows_with_depth() {
        let vec = |ty: Ty| Ty::adt("std::vec::Vec", [ty]);
        let number = || Ty::Prim(Prim::U8);
        assert_eq!(complexity(&vec(vec(number())), 1), 10 + 20 + 30);
        assert!(!is_complex(&vec(number())));
    }
}
