//! Finds the operations that make values of a type, and those that take them.

use rustc_hash::FxHashMap;
use testsmith_api::{Form, OperationId, Origin, TypeIdx};
use testsmith_protocol::Caps;
use testsmith_sequence::World;

/// What is needed to make a value of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cost {
    /// Every operation that makes it takes only literals.
    Low,
    /// Some operations that make it take only literals.
    Mixed,
    /// No operation that makes it takes only literals.
    High,
}

/// Operations by the types that they make and take.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    /// For each operation and input, the types of slots that fit.
    pub(crate) accepts: Vec<Vec<Vec<TypeIdx>>>,
    /// For each type, the operations that make it, except literals.
    pub(crate) producers: Vec<Vec<OperationId>>,
    /// For each type, the operation that puts a literal into a slot.
    pub(crate) literal_ops: FxHashMap<TypeIdx, OperationId>,
    /// For each type, the crate's operations that take such a value, with the input. Empty for
    /// types with literals.
    pub(crate) consumers: Vec<Vec<(OperationId, usize)>>,
    costs: Vec<Cost>,
}

impl Traffic {
    pub(crate) fn new(world: &World) -> Traffic {
        let catalogue = &world.catalogue;
        let n_types = catalogue.types.len();
        let mut traffic = Traffic {
            accepts: Vec::with_capacity(catalogue.operations.len()),
            producers: vec![Vec::new(); n_types],
            literal_ops: FxHashMap::default(),
            consumers: vec![Vec::new(); n_types],
            costs: Vec::new(),
        };
        for (i, operation) in catalogue.operations.iter().enumerate() {
            let id = OperationId(i as u32);
            let output = operation.signature.output.ty;
            match operation.form {
                Form::Literal => {
                    traffic.literal_ops.insert(output, id);
                }
                Form::Law(_) => {}
                _ => traffic.producers[output.0 as usize].push(id),
            }
            let inputs = operation.signature.inputs.iter();
            let accepts: Vec<Vec<TypeIdx>> = inputs
                .map(|input| input.accepts(&catalogue.types))
                .collect();
            let is_of_crate = matches!(operation.origin, Origin::Callable(_));
            for (input_idx, types) in accepts.iter().enumerate().filter(|_| is_of_crate) {
                for ty in types
                    .iter()
                    .filter(|ty| !world.caps(**ty).has(Caps::LITERAL))
                {
                    traffic.consumers[ty.0 as usize].push((id, input_idx));
                }
            }
            traffic.accepts.push(accepts);
        }
        let makers = traffic.producers.iter();
        traffic.costs = makers.map(|makers| cost(world, makers)).collect();
        traffic
    }

    /// What is needed to make a value of this type.
    pub(crate) fn cost(&self, ty: TypeIdx) -> Cost {
        self.costs[ty.0 as usize]
    }
}

fn cost(world: &World, makers: &[OperationId]) -> Cost {
    let is_cheap = |maker: &&OperationId| {
        let inputs = &world.signature(**maker).inputs;
        let mut caps = inputs.iter().map(|input| world.caps(input.ty.ty));
        caps.all(|caps| caps.has(Caps::LITERAL))
    };
    match makers.iter().filter(is_cheap).count() {
        0 => Cost::High,
        n if n == makers.len() => Cost::Low,
        _ => Cost::Mixed,
    }
}
