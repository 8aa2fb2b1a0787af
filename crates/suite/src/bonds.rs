//! Says which panics at several places have one cause, by what the failing calls share.
//!
//! A mistake is often written more than once: the same statement in six constructors of a type, in
//! three arms of a `match`, in `get` and in `get_mut`. Whoever mends one mends the others, so they are
//! one report, which names all functions. Broken laws have theirs in `suite/alike.rs`.

use std::collections::BTreeMap;

use testsmith_api::{Callable, CallableKind, Origin, Ty};
use testsmith_explore::{Cause, Failure};
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, Sequence, Step, World};

use crate::path::relative;
use crate::verdict::{Court, Judged, Verdict, broken, kind_and_function};

/// Failures with one cause, each with its verdict.
type Alike = Vec<(Failure, Judged)>;

/// The groups, with those joined that have a bond. What is documented is behaviour of each callable,
/// and stays apart.
pub(crate) fn joined(court: Court<'_>, groups: Vec<Alike>) -> Vec<Alike> {
    let bonds: Vec<Vec<String>> = groups.iter().map(|alike| bonds(court, alike)).collect();
    let mut first_with: BTreeMap<&String, usize> = BTreeMap::new();
    let mut joined_to: Vec<usize> = (0..groups.len()).collect();
    for (i, of_group) in bonds.iter().enumerate() {
        for bond in of_group {
            let other = *first_with.entry(bond).or_insert(i);
            let (one, two) = (root(&joined_to, other), root(&joined_to, i));
            joined_to[one.max(two)] = one.min(two);
        }
    }
    let mut joined: BTreeMap<usize, Alike> = BTreeMap::new();
    for (i, alike) in groups.into_iter().enumerate() {
        joined.entry(root(&joined_to, i)).or_default().extend(alike);
    }
    joined.into_values().collect()
}

fn root(joined_to: &[usize], mut at: usize) -> usize {
    while joined_to[at] != at {
        at = joined_to[at];
    }
    at
}

/// What a group has in common with others that have the same cause.
fn bonds(court: Court<'_>, alike: &Alike) -> Vec<String> {
    let of_one = |(failure, judged): &(Failure, Judged)| match judged.verdict {
        Verdict::Documented => Vec::new(),
        _ => bonds_of(court, failure),
    };
    let mut bonds: Vec<String> = alike.iter().flat_map(of_one).collect();
    bonds.sort();
    bonds.dedup();
    bonds
}

fn bonds_of(court: Court<'_>, failure: &Failure) -> Vec<String> {
    let Cause::Panic { file, line, .. } = &failure.cause else {
        return Vec::new();
    };
    if let Some(law) = broken(court.world, failure) {
        // One macro writes the impls of many types that hold a float.
        let name = law.name.split(' ').next().unwrap_or_default();
        let is_reflexive = matches!(name, "eq-reflexive" | "clone") && has_nan(&failure.sequence);
        return is_reflexive
            .then(|| "no number is equal to itself".to_owned())
            .into_iter()
            .collect();
    }
    let Some(at) = relative(file) else {
        return Vec::new();
    };
    let message = told(&failure.message);
    let called = called(court.world, failure);
    // The same line may panic in several columns, and arms of one `match` in the same way.
    let mut bonds = vec![format!("{called} {at}:{line} {message}")];
    let same_way = kind_and_function(court, failure);
    bonds.extend(same_way.map(|it| format!("{called} {it}")));
    let of = subject(court.world, failure);
    if let Some(text) = court
        .sources
        .line(file, *line)
        .as_deref()
        .and_then(computed)
    {
        bonds.push(format!("{of} {at} {message} {text}"));
        let twin = text.replace("_mut", "");
        bonds.push(format!("{} {message} {twin}", called.replace("_mut", "")));
    }
    if is_given_nothing(failure) {
        bonds.push(format!("{called} of nothing"));
    }
    bonds
}

/// The key of the callable that fails, or of the operation if it is no callable.
pub(crate) fn called(world: &World, failure: &Failure) -> String {
    let operation = world.catalogue.operation(failure.operation);
    match operation.origin {
        Origin::Callable(id) => world.catalogue.api.callable(id).key.to_string(),
        Origin::Beside(_) | Origin::Recipe | Origin::Law => operation.key.to_string(),
    }
}

/// The first line of a message, without numbers that change from run to run.
pub(crate) fn told(message: &str) -> String {
    let mut told = String::new();
    for c in message.lines().next().unwrap_or_default().chars() {
        match c.is_ascii_digit() {
            true if told.ends_with('#') => {}
            true => told.push('#'),
            false => told.push(c),
        }
    }
    told
}

/// What the line computes, whatever it is called then; `None` if the line is the end of something.
fn computed(line: &str) -> Option<String> {
    let text = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches([';', ',', '?', '{', ' ']);
    let text = match text.split_once(" = ") {
        Some((_, value)) if value.len() > 1 => value,
        _ => text,
    };
    // It may be seen by a macro that is there for looking only.
    let text = text
        .strip_prefix("dbg!(")
        .and_then(|it| it.strip_suffix(')'))
        .unwrap_or(text);
    let is_whole =
        text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '(' | '&' | '*'));
    (is_whole && text.len() > 8).then(|| text.to_owned())
}

/// The type whose function failed, or the module.
fn subject(world: &World, failure: &Failure) -> String {
    let Origin::Callable(id) = world.catalogue.operation(failure.operation).origin else {
        return String::new();
    };
    let callable: &Callable = world.catalogue.api.callable(id);
    match &callable.kind {
        CallableKind::Inherent { self_ty, .. } | CallableKind::Trait { self_ty, .. } => {
            path(self_ty).to_owned()
        }
        _ => {
            let key = callable.key.to_string();
            key.rsplit_once("::")
                .map_or_else(String::new, |it| it.0.to_owned())
        }
    }
}

fn path(ty: &Ty) -> &str {
    match ty {
        Ty::Adt { path, .. } => path,
        Ty::Ref { to, .. } => path(to),
        _ => "",
    }
}

/// Was the last call given an empty list or text?
fn is_given_nothing(failure: &Failure) -> bool {
    let Some(Step::Call { args, .. }) = failure.sequence.steps().last() else {
        return false;
    };
    args.iter().any(|arg| match arg {
        Arg::Literal(value) => is_empty(value),
        Arg::Slot(..) => false,
    })
}

/// Was any call given what is no number?
fn has_nan(sequence: &Sequence) -> bool {
    sequence.steps().iter().any(|step| match step {
        Step::Call { args, .. } => args.iter().any(|arg| match arg {
            Arg::Literal(value) => match &**value {
                Value::F64(bits) => f64::from_bits(*bits).is_nan(),
                Value::F32(bits) => f32::from_bits(*bits).is_nan(),
                _ => false,
            },
            Arg::Slot(..) => false,
        }),
        Step::Drop(_) => false,
    })
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::List(items) => items.is_empty() || items.iter().all(is_empty),
        Value::Str(text) => text.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_computes_has_no_name_and_no_end() {
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(computed(line).as_deref(), expected, "{line}");
        };
        check("    let total = rows *  columns;", Some("rows * columns"));
        check(
            "  partial.minor = Some(text.parse().unwrap());",
            Some("Some(text.parse().unwrap())"),
        );
        check(
            "let row = dbg!(index / self.n_rows);",
            Some("index / self.n_rows"),
        );
        check("        .unwrap()", None);
        check("x - 1", None);
    }

    #[test]
    fn lists_of_nothing_are_nothing() {
        let nested = Value::List(vec![Value::List(Vec::new())]);
        assert!(is_empty(&nested) && is_empty(&Value::Str(String::new())));
        assert!(!is_empty(&Value::List(vec![Value::Unit])));
    }
}
