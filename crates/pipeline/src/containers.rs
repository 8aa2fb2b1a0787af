//! How far the crate's containers were driven: what has a `len` or an `iter` should be seen in many
//! states, and not only small ones.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{CallableKind, OperationId, Origin, Pass, Ty, TypeIdx};
use testsmith_explore::{Ask, Ledger};
use testsmith_harness::GuestError;
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, World};

use crate::executor::{Executor, Setting};
use crate::report::ContainerReport;

/// Executions that a container's sizes are looked for in.
const MAX_LOOKS: usize = 400;

/// What asks one instance of a container for its size, if anything does.
#[derive(Default)]
struct Container {
    len: Option<OperationId>,
}

/// Every container of the crate, its instances taken together.
pub(crate) fn containers(
    world: &World,
    executor: &mut Executor,
    ledger: &Ledger,
) -> Result<Vec<ContainerReport>, GuestError> {
    let mut reports: BTreeMap<String, ContainerReport> = BTreeMap::new();
    for (ty, container) in instances(world) {
        let Some(path) = path(&world.catalogue.types.get(ty).ty) else {
            continue;
        };
        let report = reports.entry(path.to_string()).or_insert(ContainerReport {
            path: path.to_string(),
            states: 0,
            largest: None,
        });
        report.states += ledger.n_states_of(ty);
        if let Some(len) = container.len {
            let largest = sizes(world, executor, ledger, ty, len)?.last().copied();
            report.largest = report.largest.max(largest);
        }
    }
    Ok(reports.into_values().collect())
}

/// The path of an ADT; one that is unsized is met behind a reference.
fn path(ty: &Ty) -> Option<&str> {
    match ty {
        Ty::Adt { path, .. } => Some(path),
        Ty::Ref { to, .. } => path(to),
        _ => None,
    }
}

/// The types of the crate that have a `len` or an `iter` of their own.
fn instances(world: &World) -> BTreeMap<TypeIdx, Container> {
    let mut found: BTreeMap<TypeIdx, Container> = BTreeMap::new();
    for (i, operation) in world.catalogue.operations.iter().enumerate() {
        let Origin::Callable(callable) = operation.origin else {
            continue;
        };
        let CallableKind::Inherent { name, .. } = &world.catalogue.api.callable(callable).kind
        else {
            continue;
        };
        let [input] = &operation.signature.inputs[..] else {
            continue;
        };
        let is_reference = |ty| matches!(world.catalogue.types.get(ty).ty, Ty::Ref { .. });
        if !matches!(input.pass, Pass::Shared(_)) && !is_reference(input.ty.ty) {
            continue;
        }
        let output = &world.catalogue.types.get(operation.signature.output.ty).ty;
        match &**name {
            "len" if matches!(output, Ty::Prim(prim) if prim.is_integer()) => {
                found.entry(input.ty.ty).or_default().len = Some(OperationId(i as u32));
            }
            "iter" => {
                found.entry(input.ty.ty).or_default();
            }
            _ => {}
        }
    }
    found
}

/// The sizes of values of this type in executions that showed something, in order.
fn sizes(
    world: &World,
    executor: &mut Executor,
    ledger: &Ledger,
    ty: TypeIdx,
    len: OperationId,
) -> Result<BTreeSet<u128>, GuestError> {
    let executions = ledger.record().executions().iter();
    let mut sequences: Vec<&Sequence> = executions.map(|kept| &kept.sequence).collect();
    // What was changed often has had time to grow.
    sequences.sort_by_key(|sequence| std::cmp::Reverse(sequence.steps().len()));
    let asks = sequences
        .into_iter()
        .filter_map(|sequence| ask(world, sequence, ty, len))
        .take(MAX_LOOKS)
        .collect();
    let executions = executor.run(world, Setting::USUAL, asks)?;
    let of_execution = executions.into_iter().filter_map(|(ask, execution)| {
        let is_size = |slot: u16| slot == ask.watch_from.0;
        let effect = execution.effects.iter().find(|it| is_size(it.slot))?;
        match effect.value.as_ref()? {
            Value::UInt(size) => Some(*size),
            Value::Int(size) => u128::try_from(*size).ok(),
            _ => None,
        }
    });
    Ok(of_execution.collect())
}

/// The execution, and then the size of its last value of this type.
fn ask(world: &World, sequence: &Sequence, ty: TypeIdx, len: OperationId) -> Option<Ask> {
    let mut builder = Builder::new(world);
    builder.append(sequence).ok()?;
    let is_it = |slot: &SlotIdx| builder.ty(*slot) == ty && builder.is_observable(*slot);
    let slot = builder.live().filter(is_it).last()?;
    let usage = world.usage(&world.signature(len).inputs[0], ty)?;
    let size = builder
        .push_gently(len, vec![Arg::Slot(slot, usage)])
        .ok()?;
    Some(Ask {
        sequence: builder.finish(),
        watch_from: size,
        watch_end: Vec::new(),
        traced: None,
        values: true,
    })
}
