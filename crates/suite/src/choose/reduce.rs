//! Reduces executions to what their last call depends on.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use testsmith_api::{CallableKind, Form, GenericArg, OperationId, Origin, STAND_INS, Ty, collects};
use testsmith_explore::{Ask, Kept};
use testsmith_harness::GuestError;
use testsmith_protocol::{Execution, Outcome, Value};
use testsmith_record::Drops;
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, World, slice};

use super::touch::reaches_out;
use crate::budget::Budget;
use testsmith_equip::{Executor, Setting};

/// An execution reduced to the steps that matter, and what its last call gave.
#[derive(Clone)]
pub(super) struct Reduced {
    pub(super) operation: OperationId,
    pub(super) sequence: Sequence,
    pub(super) output: Option<Value>,
    pub(super) scope: Scope,
}

/// How much of an execution is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scope {
    /// What the last call gave, and what it changed.
    Last,
    /// Every value that is there in the end, and private `Debug` text: for mutants that nothing else tells.
    All,
}

/// How many executions are run between two looks at the budget: four batches.
pub(super) const AT_ONCE: usize = 256;

/// The order in which executions are run: each operation's first ones come before the second ones of
/// any, so that no operation is without if there is no time for all.
pub(super) fn spread(operations: &[OperationId]) -> Vec<usize> {
    let mut n_alike: BTreeMap<OperationId, usize> = BTreeMap::new();
    let rank = |operation: &OperationId| {
        let n = n_alike.entry(*operation).or_default();
        *n += 1;
        *n
    };
    let ranks: Vec<usize> = operations.iter().map(rank).collect();
    let mut order: Vec<usize> = (0..operations.len()).collect();
    order.sort_by_key(|i| ranks[*i]);
    order
}

/// The steps of an execution that its last call depends on.
pub(super) fn sliced(world: &World, kept: &Kept) -> Sequence {
    slice(world, &kept.sequence).unwrap_or_else(|| kept.sequence.clone())
}

/// Removes the steps that the last call does not depend on, and runs the rest to see what the call
/// gives then.
pub(super) fn reduce(
    world: &World,
    executor: &mut Executor,
    kept: &[Kept],
    budget: &Budget<'_>,
    drops: &mut Drops,
) -> Result<Vec<Reduced>, GuestError> {
    let mut known = FxHashSet::default();
    let mut asks = Vec::new();
    let mut operations = Vec::new();
    let subjects = kept
        .iter()
        .filter(|k| is_subject(world, about(world, k.operation, &k.sequence)));
    for kept in subjects {
        let sequence = sliced(world, kept);
        if known.insert(sequence.clone()) {
            operations.push(kept.operation);
            asks.push(Ask {
                sequence,
                watch_from: SlotIdx(0),
                watch_end: Vec::new(),
                traced: None,
                values: true,
                watched: false,
                traced_on: false,
            });
        }
    }
    let mut runs: Vec<Option<(Ask, Execution)>> = asks.iter().map(|_| None).collect();
    let mut n_run = 0;
    for some in spread(&operations).chunks(AT_ONCE) {
        // Something must be run, however little time there is.
        if n_run > 0 && budget.is_over(executor.work) {
            break;
        }
        n_run += some.len();
        let chunk = some.iter().map(|i| asks[*i].clone()).collect();
        let done = executor.run(world, Setting::USUAL, chunk)?;
        for (i, run) in some.iter().zip(done) {
            runs[*i] = Some(run);
        }
    }
    budget.give_up("execution", "run it again", asks.len() - n_run, drops);
    let mut reduced = Vec::new();
    let runs = operations.into_iter().zip(runs);
    for (operation, (ask, execution)) in runs.filter_map(|(op, run)| Some((op, run?))) {
        if let Some(touch) = execution.touch {
            drops.add("execution", reaches_out(touch), 1);
            continue;
        }
        if execution.outcome != Outcome::Returned {
            drops.add("execution", "depends on calls that only seem unrelated", 1);
            continue;
        }
        let last = execution.effects.into_iter().next_back();
        reduced.push(Reduced {
            operation,
            sequence: ask.sequence,
            output: last.and_then(|effect| effect.value),
            scope: Scope::Last,
        });
    }
    Ok(reduced)
}

/// The operation that a call is about. If a recipe only uses a trait object or a future, that is
/// the operation which gave it, because the object itself shows nothing.
pub(super) fn about(world: &World, op: OperationId, sequence: &Sequence) -> OperationId {
    let operation = world.catalogue.operation(op);
    let drives =
        |form: &Form| matches!(form, Form::Recipe { template } if template.starts_with(STAND_INS));
    let object = operation.signature.inputs.first().filter(|input| {
        let ty = &world.catalogue.types.get(input.ty.ty).ty;
        let is_recipe = operation.origin == Origin::Recipe;
        is_recipe && (is_boxed_object(ty) || drives(&operation.form) || collects(&operation.form))
    });
    let user = sequence.steps().iter().rev().find_map(|step| match step {
        Step::Call { op: last, args, .. } if *last == op => Some(args),
        _ => None,
    });
    match (object, user.and_then(|args| args.first())) {
        (Some(_), Some(Arg::Slot(slot, _))) => sequence.maker(*slot).0,
        _ => op,
    }
}

fn is_boxed_object(ty: &Ty) -> bool {
    matches!(ty, Ty::Adt { path, args } if &**path == "std::boxed::Box"
        && matches!(args.as_slice(), [GenericArg::Type(Ty::Dyn { .. })]))
}

/// Is the operation of the crate under test, and not a field? Recipes of ours get no tests.
fn is_subject(world: &World, op: OperationId) -> bool {
    let operation = world.catalogue.operation(op);
    let Origin::Callable(callable) = operation.origin else {
        return false;
    };
    !matches!(
        world.catalogue.api.callables[callable.0 as usize].kind,
        CallableKind::Field { .. }
    )
}
