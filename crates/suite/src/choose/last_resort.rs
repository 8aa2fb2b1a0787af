//! Checks that are made as a last resort: of private text, and of what may change although nothing has broken.

use testsmith_api::{Form, OperationId};
use testsmith_emit::{Check, Subject};
use testsmith_protocol::Value;
use testsmith_sequence::World;

use super::Candidate;
use super::duty::about;

/// Does the check read private `Debug` text?
pub(super) fn is_private(check: &Check) -> bool {
    check.value.any(&mut |part| matches!(part, Value::Debug(_)))
        && !matches!(check.subject, Subject::Equals { .. })
}

/// Does the check ask for something that may change although nothing has broken?
pub(super) fn is_incidental(world: &World, check: &Check) -> bool {
    let Subject::Observer { op, .. } = &check.subject else {
        return false;
    };
    let name = method(world, *op);
    name.contains("capacity") || name.ends_with("_ptr") || name == "size_hint"
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

/// The name of a method, if the operation calls one.
fn method(world: &World, op: OperationId) -> &str {
    match &world.catalogue.operation(op).form {
        Form::Inherent { name, .. } | Form::Trait { name, .. } => name,
        _ => "",
    }
}
