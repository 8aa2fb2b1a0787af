//! How much an assertion tells of a call.

use std::collections::BTreeSet;

use testsmith_api::{COLLECT_SORTED, Form, OperationId, TypeIdx};
use testsmith_emit::{Check, Subject, assertable};
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, World};

use super::Candidate;
use super::duty::about;
use super::usual::oddness;
use super::weak::is_about_room;

/// The rank from which on a check is made only where nothing else is said.
pub(super) const TEXT: u8 = 4;

/// How little a check tells: 0 for a whole value, then numbers, flags and shapes; text that shows
/// private fields and what is no matter of behaviour come last.
pub(super) fn telling(world: &World, case: &Candidate, check: &Check) -> u8 {
    if is_incidental(world, check) {
        return TEXT + 1;
    }
    if is_private(check) {
        return TEXT;
    }
    let ty: TypeIdx = match &check.subject {
        Subject::Equals { op, args, .. } => return far_fetched(world, *op, args),
        Subject::Slot(slot) => world.signature(case.case.sequence.maker(*slot).0).output.ty,
        Subject::Observer { op, then, .. } => world.signature(then.unwrap_or(*op)).output.ty,
    };
    let is_result = matches!(&check.subject, Subject::Slot(slot) if *slot == case.trial.out);
    match &check.value {
        // Nobody says it by a length or a new value.
        Value::Bool(true) if is_asked(world, check, "is_empty") => 0,
        _ if assertable(world, ty, &check.value) < 3 => 3,
        _ if is_result => 0,
        Value::Bool(_) => 2,
        Value::Int(_) | Value::UInt(_) | Value::F32(_) | Value::F64(_) => 1,
        Value::Named { fields, .. } if fields.is_empty() => 2,
        _ => 0,
    }
}

/// How much an assertion tells that says what a value is equal to: least, if it takes long to see what
/// that is.
fn far_fetched(world: &World, op: OperationId, args: &[Arg]) -> u8 {
    let nothing = BTreeSet::new();
    let literals = args.iter().filter_map(|arg| match arg {
        Arg::Literal(value) => Some(oddness(value, &nothing)),
        Arg::Slot(..) => None,
    });
    let is_made = !matches!(
        &world.catalogue.operation(op).form,
        Form::Inherent { has_self: true, .. } | Form::Trait { has_self: true, .. }
    );
    // How much room a value has is no part of what it is.
    if is_about_room(method(world, op)) {
        return 3;
    }
    match literals.sum::<usize>() {
        0 if args.is_empty() => 1,
        0..=1 => u8::from(!is_made),
        2..=4 => 1 + u8::from(!is_made),
        _ => 3,
    }
}

/// How well a check says what the call did: the smaller, the better.
pub(super) fn strength(world: &World, case: &Candidate, check: &Check) -> (u8, u8) {
    (telling(world, case, check), roundabout(world, check))
}

/// How far about a check asks: a method of the type's own is how anybody would ask, then text, then
/// what a conversion for other code gives.
fn roundabout(world: &World, check: &Check) -> u8 {
    let (op, then) = match &check.subject {
        Subject::Slot(_) => return 0,
        // What is equal may be wrong, too.
        Subject::Equals { .. } => return 1,
        Subject::Observer { op, then, .. } => (op, then),
    };
    match &world.catalogue.operation(*op).form {
        // Whoever knows the order asserts it.
        _ if then.is_some_and(|it| is_sorted(world, it)) => 1,
        Form::Inherent { .. } | Form::Field { .. } => 0,
        Form::Recipe { .. } => 2,
        Form::Trait { trait_, .. } => match &*trait_.path {
            "std::string::ToString" | "std::fmt::Display" => 2,
            "std::ops::Deref" => 3,
            _ => 4,
        },
        _ => 3,
    }
}

/// Does the operation put all items of an iterator into an order that they do not have?
pub(super) fn is_sorted(world: &World, op: OperationId) -> bool {
    let form = &world.catalogue.operation(op).form;
    matches!(form, Form::Recipe { template } if &**template == COLLECT_SORTED)
}

/// Does the check ask for something that may change although nothing has broken?
pub(super) fn is_incidental(world: &World, check: &Check) -> bool {
    let Subject::Observer { op, .. } = &check.subject else {
        return false;
    };
    let name = method(world, *op);
    name.contains("capacity") || name.ends_with("_ptr") || name == "size_hint"
}

/// Does the check read private `Debug` text?
pub(super) fn is_private(check: &Check) -> bool {
    check.value.any(&mut |part| matches!(part, Value::Debug(_)))
        && !matches!(check.subject, Subject::Equals { .. })
}

/// Is the check never made, because what it asks for may change although nothing has broken? It is made if the
/// case is about what changes that.
pub(super) fn is_left_out(world: &World, case: &Candidate, check: &Check) -> bool {
    let name = method(world, about(world, case));
    let is_their_matter = [
        "capacity",
        "reserve",
        "shrink",
        "size_hint",
        "grow",
        "spilled",
    ]
    .iter()
    .any(|it| name.contains(it));
    !is_their_matter && is_incidental(world, check)
}

/// Does the check ask this method?
fn is_asked(world: &World, check: &Check, name: &str) -> bool {
    matches!(&check.subject, Subject::Observer { op, .. } if method(world, *op) == name)
}

/// The name of a method, if the operation calls one.
pub(super) fn method(world: &World, op: OperationId) -> &str {
    match &world.catalogue.operation(op).form {
        Form::Inherent { name, .. } | Form::Trait { name, .. } => name,
        _ => "",
    }
}

/// Does a case assert nothing but private text? Whoever reads that does not learn what the crate promises.
pub(super) fn tells_text_only(world: &World, case: &Candidate) -> bool {
    let checks = &case.case.checks;
    !checks.is_empty() && checks.iter().all(|it| telling(world, case, it) >= TEXT)
}
