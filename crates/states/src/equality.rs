//! Finds the operations that compare two values of a type.

use std::collections::BTreeMap;

use testsmith_api::{Form, OperationId, Pass, TypeIdx};
use testsmith_sequence::World;

/// For each type, the operation `==` on two values of it.
pub fn equalities(world: &World) -> BTreeMap<TypeIdx, OperationId> {
    let operations = world.catalogue.operations.iter().zip(0..);
    let found = operations.filter_map(|(operation, id)| match &operation.signature.inputs[..] {
        [one, other]
            if is_equality(world, OperationId(id))
                && one.ty.ty == other.ty.ty
                && matches!(one.pass, Pass::Shared(_))
                && matches!(other.pass, Pass::Shared(_)) =>
        {
            Some((one.ty.ty, OperationId(id)))
        }
        _ => None,
    });
    found.collect()
}

/// Is the operation `PartialEq::eq`?
pub(crate) fn is_equality(world: &World, op: OperationId) -> bool {
    matches!(&world.catalogue.operation(op).form, Form::Trait { trait_, name, .. }
        if &*trait_.path == "std::cmp::PartialEq" && &**name == "eq")
}
