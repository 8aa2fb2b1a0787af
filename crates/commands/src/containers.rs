//! Measures how far the crate's containers were driven. A type with a `len` or an `iter` should be
//! seen in many states, and not only in small ones.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{CallableKind, Form, Operation, OperationId, Origin, Pass, Ty, TypeIdx};
use testsmith_explore::{Ask, Ledger};
use testsmith_harness::GuestError;
use testsmith_protocol::Value;
use testsmith_record::ContainerReport;
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, World};

use testsmith_equip::{Executor, Setting};

/// The most executions that are run again to measure a container.
const MAX_LOOKS: usize = 5_000;
/// If the values of a type alone show fewer states than this, their methods are asked as well.
const FEW_STATES: u64 = 100;

/// How many items are taken from an iterator that cannot be collected.
const N_ITEMS: usize = 4;

/// The operations that look at one instance of a container.
#[derive(Default)]
struct Container {
    /// The operation that gives its size.
    len: Option<OperationId>,
    /// Operations that take nothing but `&self`.
    methods: Vec<OperationId>,
    is_container: bool,
}

/// Measures every container of the crate; instances of one type are counted together.
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
        let mut states = ledger.n_states_of(ty);
        if states < FEW_STATES {
            let said = told_apart(world, executor, ledger, ty, &container.methods)?;
            states = states.max(said);
        }
        report.states += states;
        if let Some(len) = container.len {
            let largest = sizes(world, executor, ledger, ty, len)?.last().copied();
            report.largest = report.largest.max(largest);
        }
    }
    Ok(reports.into_values().collect())
}

/// The path of a type of the crate. An unsized type stands behind a reference.
fn path(ty: &Ty) -> Option<&str> {
    match ty {
        Ty::Adt { path, .. } => Some(path),
        Ty::Ref { to, .. } => path(to),
        _ => None,
    }
}

/// Instances of the crate's types that have a `len` or an `iter` of their own.
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
        let id = OperationId(i as u32);
        let container = found.entry(input.ty.ty).or_default();
        match &**name {
            "len" if matches!(output, Ty::Prim(prim) if prim.is_integer()) => {
                container.len = Some(id);
                container.is_container = true;
            }
            "iter" => container.is_container = true,
            _ => {}
        }
        container.methods.push(id);
    }
    found.retain(|_, container| container.is_container);
    found
}

/// How many values of this type are told apart by what their methods give.
fn told_apart(
    world: &World,
    executor: &mut Executor,
    ledger: &Ledger,
    ty: TypeIdx,
    methods: &[OperationId],
) -> Result<u64, GuestError> {
    let asks = longest_first(ledger)
        .filter_map(|sequence| ask(world, sequence, ty, methods))
        .take(MAX_LOOKS)
        .collect();
    let executions = executor.run(world, Setting::USUAL, asks)?;
    let said = executions.into_iter().map(|(ask, execution)| {
        let of_methods = execution
            .effects
            .iter()
            .filter(|it| it.slot >= ask.watch_from.0);
        let values: Vec<&Value> = of_methods.filter_map(|it| it.value.as_ref()).collect();
        format!("{values:?}")
    });
    let distinct: BTreeSet<String> = said.filter(|it| it != "[]").collect();
    Ok(distinct.len() as u64)
}

/// The sequences of kept executions, the longest first, because a value that was changed often has
/// had time to grow.
fn longest_first(ledger: &Ledger) -> impl Iterator<Item = &Sequence> {
    let executions = ledger.record().executions().iter();
    let mut sequences: Vec<&Sequence> = executions.map(|kept| &kept.sequence).collect();
    sequences.sort_by_key(|sequence| std::cmp::Reverse(sequence.steps().len()));
    sequences.into_iter()
}

/// The sizes of values of this type in kept executions, in order.
fn sizes(
    world: &World,
    executor: &mut Executor,
    ledger: &Ledger,
    ty: TypeIdx,
    len: OperationId,
) -> Result<BTreeSet<u128>, GuestError> {
    let asks = longest_first(ledger)
        .filter_map(|sequence| ask(world, sequence, ty, &[len]))
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

/// Runs the sequence, and then the methods on its last value of this type.
fn ask(world: &World, sequence: &Sequence, ty: TypeIdx, methods: &[OperationId]) -> Option<Ask> {
    let mut builder = Builder::new(world);
    builder.append(sequence).ok()?;
    let is_it = |slot: &SlotIdx| builder.ty(*slot) == ty && builder.is_observable(*slot);
    let slot = builder.live().filter(is_it).last()?;
    let mut first = None;
    for method in methods {
        let usage = world.usage(&world.signature(*method).inputs[0], ty)?;
        let argument = vec![Arg::Slot(slot, usage)];
        let Ok(said) = builder.push_gently(*method, argument) else {
            continue;
        };
        first = first.or(Some(said));
        // The items of an iterator say more than the iterator itself.
        let ty = builder.ty(said);
        if let Some(collect) = collector(world, ty)
            && let Some(usage) = world.usage(&world.signature(collect).inputs[0], ty)
        {
            let _ = builder.push_gently(collect, vec![Arg::Slot(said, usage)]);
        } else if let Some(next) = driver(world, ty)
            && let Some(usage) = world.usage(&world.signature(next).inputs[0], ty)
        {
            for _ in 0..N_ITEMS {
                let _ = builder.push_gently(next, vec![Arg::Slot(said, usage)]);
            }
        }
    }
    Some(Ask {
        sequence: builder.finish(),
        watch_from: first?,
        watch_end: Vec::new(),
        traced: None,
        values: true,
        watched: false,
        traced_on: false,
    })
}

/// The operation that gives the next item of an iterator of this type.
fn driver(world: &World, iterator: TypeIdx) -> Option<OperationId> {
    let drives = |operation: &Operation| {
        let [input] = &operation.signature.inputs[..] else {
            return false;
        };
        matches!(&operation.form, Form::Trait { name, .. } if &**name == "next")
            && matches!(input.pass, Pass::Mut(_))
            && input.ty.ty == iterator
    };
    let position = world.catalogue.operations.iter().position(drives)?;
    Some(OperationId(position as u32))
}

/// The recipe that collects an iterator of this type.
fn collector(world: &World, iterator: TypeIdx) -> Option<OperationId> {
    let collects = |operation: &Operation| {
        matches!(&operation.form, Form::Recipe { template } if template.contains(".collect::<"))
            && operation.signature.inputs[0].ty.ty == iterator
    };
    let position = world.catalogue.operations.iter().position(collects)?;
    Some(OperationId(position as u32))
}
