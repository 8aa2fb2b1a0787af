//! Says which panics at several places have one cause, by what the failing calls share.
//!
//! A mistake is often written more than once: the same statement in six constructors of a type, in
//! three arms of a `match`, in `get` and in `get_mut`. Whoever mends one mends the others, so they are
//! one report, which names all functions. Broken laws have theirs in `suite/alike.rs`.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{Callable, CallableKind, Law, Origin, Ty};
use testsmith_explore::{Cause, Failure};
use testsmith_protocol::{Death, Value};
use testsmith_sequence::{Arg, Sequence, Step, World};

use crate::path::relative;
use crate::verdict::{
    Court, Judged, Verdict, broken, has_great_float, kind_and_function, kind_and_statement,
    unwrapped,
};

/// Failures with one cause, each with its verdict.
type Alike = Vec<(Failure, Judged)>;

/// The groups, with those joined that have a bond. What is documented is behaviour of each callable,
/// and stays apart.
pub(crate) fn joined(court: Court<'_>, groups: Vec<Alike>) -> Vec<Alike> {
    let of_law = |alike: &Alike| {
        let law = alike.iter().find_map(|it| broken(court.world, &it.0))?;
        is_about_reading(law).then(|| path(&law.of).to_owned())
    };
    let unread: BTreeSet<String> = groups.iter().filter_map(of_law).collect();
    let bonds = groups.iter().map(|alike| bonds(court, alike, &unread));
    let bonds: Vec<Vec<String>> = bonds.collect();
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
fn bonds(court: Court<'_>, alike: &Alike, unread: &BTreeSet<String>) -> Vec<String> {
    let of_one = |(failure, judged): &(Failure, Judged)| match judged.verdict {
        Verdict::Documented => Vec::new(),
        verdict => bonds_of(court, failure, verdict, unread),
    };
    let mut bonds: Vec<String> = alike.iter().flat_map(of_one).collect();
    bonds.sort();
    bonds.dedup();
    bonds
}

/// Is it about what is read again?
fn is_about_reading(law: &Law) -> bool {
    law.name.starts_with("from-str") || law.name.starts_with("serde")
}

/// `unread` are the types whose values are not read again as they were shown.
fn bonds_of(
    court: Court<'_>,
    failure: &Failure,
    verdict: Verdict,
    unread: &BTreeSet<String>,
) -> Vec<String> {
    let Cause::Panic { file, line, .. } = &failure.cause else {
        // Whoever subtracts until a number is small does so for as long as a float is large.
        let is_late = matches!(
            failure.cause,
            Cause::Death(Death::TimedOut | Death::OutOfFuel)
        );
        let bond = || "as long as a float is large".to_owned();
        let bond = (is_late && has_great_float(failure)).then(bond);
        return bond.into_iter().collect();
    };
    if let Some(law) = broken(court.world, failure) {
        if is_about_reading(law) {
            // What is not read again is not read as a part of something else, either.
            let types = made(court.world, &failure.sequence);
            let parts = types.filter(|it| unread.contains(*it));
            return parts.map(|it| format!("read again {it}")).collect();
        }
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
    // A statement that is reached in several ways panics for one reason, whatever line of it does.
    bonds.extend(kind_and_statement(court, failure));
    let of = subject(court.world, failure);
    if let Some(text) = court
        .sources
        .line(file, *line)
        .as_deref()
        .and_then(computed)
    {
        bonds.push(format!("{of} {at} {message} {text}"));
    }
    // What is alike in less than that is so only if it is judged alike.
    if has_twin(court.world, &called) {
        bonds.push(format!("{verdict:?} {} {message}", shared_name(&called)));
    }
    // What is unwrapped of one function, for one reason, is so in all that call it.
    if let Some(callee) = unwrapped(court, failure) {
        bonds.push(format!("{verdict:?} {of} {callee} {}", kind_told(&message)));
    }
    // The same words in the same method of a trait, for several types.
    if let Some(method) = method_of_trait(court.world, failure)
        && let Some(text) = court.sources.line(file, *line)
    {
        let text = match text.contains("unimplemented!") || text.contains("todo!") {
            // What it then says is of no account.
            true => "not there",
            false => text.trim(),
        };
        bonds.push(format!("{verdict:?} {method} {message} {text}"));
    }
    if is_given_nothing(failure) {
        bonds.push(format!("{called} of nothing"));
    }
    bonds
}

/// The paths of the types that the sequence makes values of.
fn made<'a>(world: &'a World, sequence: &'a Sequence) -> impl Iterator<Item = &'a str> {
    sequence.steps().iter().filter_map(|step| match step {
        Step::Call { op, .. } => {
            let ty = world.signature(*op).output.ty;
            Some(path(&world.catalogue.types.get(ty).ty))
        }
        Step::Drop(_) => None,
    })
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

/// The beginning of a message, up to what differs from one value to another: the kind of an error, but not
/// what it is about.
fn kind_told(message: &str) -> &str {
    let end = message.match_indices(['{', '(']).nth(1);
    end.map_or(message, |(at, _)| &message[..at])
}

/// The trait's method that failed, whatever type it is of.
fn method_of_trait(world: &World, failure: &Failure) -> Option<String> {
    let Origin::Callable(id) = world.catalogue.operation(failure.operation).origin else {
        return None;
    };
    match &world.catalogue.api.callable(id).kind {
        CallableKind::Trait { trait_, name, .. } => Some(format!("{}::{name}", trait_.path)),
        _ => None,
    }
}

/// The name that `get` and `get_mut` share, and their traits.
fn shared_name(called: &str) -> String {
    called.replace("_mut", "").replace("Mut", "")
}

/// Is there a callable that differs by `_mut` only?
fn has_twin(world: &World, called: &str) -> bool {
    let shared = shared_name(called);
    let mut callables = world.catalogue.api.callables.iter();
    callables.any(|it| *it.key != *called && shared_name(&it.key) == shared)
}

/// What the line computes, whatever it is called then; `None` if the line is the end of something.
fn computed(line: &str) -> Option<String> {
    let text = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches([';', ',', '?', '{', ' ']);
    let text = match text.split_once(" = ") {
        Some((_, value)) if value.len() > 1 => value,
        _ => text,
    };
    let text = &without_looking(text);
    let is_whole =
        text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '(' | '&' | '*'));
    (is_whole && text.len() > 8).then(|| text.to_owned())
}

/// The text without the macros that are there for looking only.
fn without_looking(text: &str) -> String {
    let mut plain = text.to_owned();
    while let Some((before, after)) = plain.split_once("dbg!(") {
        let mut depth = 1;
        let end = after.find(|c: char| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        let Some(end) = end else {
            break;
        };
        plain = format!("{before}{}{}", &after[..end], &after[end + 1..]);
    }
    plain
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
            "let row = dbg!(dbg!(index) / self.n_rows);",
            Some("index / self.n_rows"),
        );
        check("        .unwrap()", None);
        check("x - 1", None);
    }

    #[test]
    fn twins_share_a_name() {
        let shared = shared_name("<a::Grid<T> as a::OpsMut<T>>::col_mut");
        assert_eq!(shared, shared_name("<a::Grid<T> as a::Ops<T>>::col"));
    }

    #[test]
    fn a_message_tells_the_kind_of_an_error() {
        let said = |of: &str| format!("an `Err` value: Invalid {{ kind: Local {{ of: {of} }} }}");
        assert_eq!(kind_told(&said("a")), kind_told(&said("b")));
        assert_eq!(kind_told("it is not there"), "it is not there");
    }

    #[test]
    fn lists_of_nothing_are_nothing() {
        let nested = Value::List(vec![Value::List(Vec::new())]);
        assert!(is_empty(&nested) && is_empty(&Value::Str(String::new())));
        assert!(!is_empty(&Value::List(vec![Value::Unit])));
    }
}
