//! Observers appended to executions, and what they answer.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{Form, Operation, OperationId, Origin, Pass, Side, Ty, TypeIdx};
use testsmith_explore::{Ask, Kept};
use testsmith_harness::GuestError;
use testsmith_protocol::{Outcome, Value};
use testsmith_record::Drops;
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, Use, World};

use super::Candidate;
use super::check::candidate;
use super::reduce::{Reduced, reduce};
use super::touch::reaches_out;
use super::twins::{Twins, confirm_twins, twins};
use testsmith_equip::{Executor, Setting};

/// Observers asked of one value.
const MAX_OBSERVERS: usize = 16;

/// An execution with observers appended.
pub(super) struct Plan {
    pub(super) operation: OperationId,
    /// What the test will do.
    pub(super) sequence: Sequence,
    /// The slot that the operation filled.
    pub(super) out: SlotIdx,
    /// With observers.
    pub(super) observed: Sequence,
    /// (observer's slot, observer, observed slot)
    pub(super) observers: Vec<(SlotIdx, OperationId, SlotIdx)>,
    pub(super) watch_end: Vec<SlotIdx>,
}

/// Regions of code that a test may enter: some milliseconds of an unoptimised build.
const MAX_WORK: u64 = 1 << 17;

/// What is needed to look at executions, the first time and again.
pub(super) struct Bench {
    tools: Tools,
    /// Observers that fail or reach for the world: nobody asks them again.
    bad: BTreeSet<OperationId>,
    twins: Twins,
}

pub(super) fn observe(
    world: &World,
    executor: &mut Executor,
    kept: &[Kept],
    drops: &mut Drops,
) -> Result<(Vec<Candidate>, Bench), GuestError> {
    let reduced = reduce(world, executor, kept, drops)?;
    let mut bench = Bench {
        tools: Tools::new(world),
        bad: BTreeSet::new(),
        twins: twins(world, &reduced),
    };
    let candidates = bench.look(world, executor, &reduced, drops)?;
    let mut candidates: Vec<Candidate> = candidates.into_iter().flatten().collect();
    candidates.retain(|candidate| !candidate.facts.is_empty());
    Ok((candidates, bench))
}

impl Bench {
    /// Runs executions with observers appended; what they give, if it is anything.
    pub(super) fn look(
        &mut self,
        world: &World,
        executor: &mut Executor,
        reduced: &[Reduced],
        drops: &mut Drops,
    ) -> Result<Vec<Option<Candidate>>, GuestError> {
        let mut candidates: Vec<Option<Candidate>> = reduced.iter().map(|_| None).collect();
        let mut todo: Vec<usize> = (0..reduced.len()).collect();
        for _ in 0..4 {
            let planned = todo.drain(..).filter_map(|i| {
                let plan = plan(world, &self.tools, &self.bad, &reduced[i])?;
                Some((i, plan))
            });
            let (planned, plans): (Vec<usize>, Vec<Plan>) = planned.unzip();
            let asks = |plans: &[Plan]| -> Vec<Ask> {
                plans
                    .iter()
                    .map(|plan| Ask {
                        sequence: plan.observed.clone(),
                        watch_from: SlotIdx(0),
                        watch_end: plan.watch_end.clone(),
                        traced: Some(plan.out),
                        values: true,
                        watched: false,
                        traced_on: false,
                    })
                    .collect()
            };
            let first = executor.run(world, Setting::USUAL, asks(&plans))?;
            // Another seed, and the other way round: what depends on what ran before shows too.
            let mut reversed: Vec<Ask> = asks(&plans);
            reversed.reverse();
            let mut second = executor.run(world, Setting::OTHER, reversed)?;
            second.reverse();
            let runs = plans.iter().zip(planned).zip(first.into_iter().zip(second));
            for ((plan, i), ((_, first), (_, second))) in runs {
                let observer = |at: u16| match plan.observed.steps().get(usize::from(at)) {
                    Some(Step::Call { op, .. })
                        if usize::from(at) >= plan.sequence.steps().len() =>
                    {
                        Some(*op)
                    }
                    _ => None,
                };
                // An observer that fails or reaches for the world is not asked again; the
                // execution gets another chance.
                let touch = first.touch.or(second.touch);
                let failed_at = match first.outcome {
                    Outcome::Panicked { at, .. } | Outcome::Died { at, .. } => Some(at),
                    _ => touch.map(|touch| touch.at),
                };
                if let Some(op) = failed_at.and_then(observer) {
                    self.bad.insert(op);
                    todo.push(i);
                    continue;
                }
                if let Some(touch) = touch {
                    drops.add("execution", reaches_out(touch), 1);
                    continue;
                }
                match first.outcome {
                    Outcome::Returned if first.trace.work > MAX_WORK => {
                        drops.add("execution", "takes too long for a unit test", 1);
                    }
                    Outcome::Returned if second.outcome == Outcome::Returned => {
                        let seen = (&first.effects[..], &second.effects[..]);
                        let found =
                            candidate(world, plan, &reduced[i], &self.twins, seen, &first.trace);
                        if found.is_none() {
                            drops.add("execution", "nothing about it can be asserted", 1);
                        }
                        candidates[i] = found;
                    }
                    Outcome::Panicked { at, .. } | Outcome::Died { at, .. }
                        if usize::from(at) >= plan.sequence.steps().len() =>
                    {
                        drops.add("execution", "fails when its values are dropped", 1);
                    }
                    _ => drops.add("execution", "ended otherwise when run again", 1),
                }
            }
            if todo.is_empty() {
                break;
            }
        }
        drops.add("execution", "its observers fail", todo.len() as u64);
        let mut found: Vec<&mut Candidate> = candidates.iter_mut().flatten().collect();
        confirm_twins(world, executor, &mut found)?;
        Ok(candidates)
    }
}

/// Operations of use beside the one that is tested.
struct Tools {
    /// What can look at a value: one input, `&self`, something assertable comes back.
    observers: BTreeMap<TypeIdx, Vec<OperationId>>,
    /// What takes a side of an `Option` or `Result`, by the constructor's name.
    unwraps: BTreeMap<(TypeIdx, &'static str), OperationId>,
}

impl Tools {
    fn new(world: &World) -> Tools {
        let mut tools = Tools {
            observers: BTreeMap::new(),
            unwraps: BTreeMap::new(),
        };
        for (i, operation) in world.catalogue.operations.iter().enumerate() {
            let id = OperationId(i as u32);
            let [input] = &operation.signature.inputs[..] else {
                continue;
            };
            if let Form::Unwrap(side) = operation.form {
                let side = match side {
                    Side::Some => "Some",
                    Side::Ok => "Ok",
                    Side::Err => "Err",
                };
                tools.unwraps.insert((input.ty.ty, side), id);
            }
            if is_observer(world, operation) {
                tools.observers.entry(input.ty.ty).or_default().push(id);
            }
        }
        for (_, list) in tools.observers.iter_mut() {
            list.sort_by_key(|op| {
                let output = world.signature(*op).output.ty;
                rank(&world.catalogue.types.get(output).ty)
            });
        }
        tools
    }

    /// Observers of a value, or of what it refers to.
    fn observers(&self, world: &World, ty: TypeIdx) -> &[OperationId] {
        let pointee = world.catalogue.types.get(ty).pointee;
        let own = self.observers.get(&ty);
        let list = own.or_else(|| self.observers.get(&pointee?.0));
        list.map_or(&[], |list| list)
    }
}

fn is_observer(world: &World, operation: &Operation) -> bool {
    let signature = &operation.signature;
    let [input] = &signature.inputs[..] else {
        return false;
    };
    let output = &world.catalogue.types.get(signature.output.ty).ty;
    let is_debug = match (&operation.form, operation.reading) {
        (_, Some(reading)) => reading.template().contains(":?"),
        (Form::Recipe { template }, None) => template.contains(":?"),
        _ => false,
    };
    matches!(input.pass, Pass::Shared(_))
        && matches!(operation.origin, Origin::Callable(_))
        && signature.output.ty != input.ty.ty
        && !output.is_unit()
        && !is_debug
}

/// Plain answers first.
fn rank(ty: &Ty) -> u8 {
    match ty {
        Ty::Prim(_) => 0,
        Ty::Ref { to, .. } => rank(to) + 1,
        Ty::Str => 1,
        Ty::Adt { path, .. } if path.starts_with("std::") => 2,
        Ty::Adt { .. } => 5,
        _ => 3,
    }
}

fn plan(
    world: &World,
    tools: &Tools,
    bad: &BTreeSet<OperationId>,
    reduced: &Reduced,
) -> Option<Plan> {
    let mut builder = Builder::new(world);
    builder.append(&reduced.sequence).ok()?;
    let (out, args) = last_call(&reduced.sequence)?;
    let mut subjects = vec![out];
    for arg in args {
        if let Arg::Slot(slot, Use::Mut) = arg
            && !subjects.contains(slot)
        {
            subjects.push(*slot);
        }
    }
    for arg in args {
        logs(world, &reduced.sequence, arg, &mut subjects);
    }
    // A payload that says more when it is taken out of its `Option` or `Result`.
    if let Some(Value::Named { path, fields }) = &reduced.output
        && let [(_, payload)] = &fields[..]
        && payload.any(&mut |v| matches!(v, Value::Debug(_) | Value::Opaque | Value::Cut))
        && let side @ ("Some" | "Ok" | "Err") = path.as_str()
    {
        let unwrap = tools
            .unwraps
            .iter()
            .find(|((ty, s), _)| *ty == builder.ty(out) && *s == side);
        if let Some((_, op)) = unwrap
            && !tools
                .observers(world, world.signature(*op).output.ty)
                .is_empty()
        {
            let usage = world.usage(&world.signature(*op).inputs[0], builder.ty(out))?;
            let inner = builder.push_gently(*op, vec![Arg::Slot(out, usage)]).ok();
            subjects.extend(inner);
        }
    }
    let sequence = builder.clone().finish();
    subjects.retain(|slot| builder.is_observable(*slot));
    let mut observers = Vec::new();
    for slot in &subjects {
        let list = tools.observers(world, builder.ty(*slot)).iter();
        for op in list.filter(|op| !bad.contains(op)).take(MAX_OBSERVERS) {
            let Some(usage) = world.usage(&world.signature(*op).inputs[0], builder.ty(*slot))
            else {
                continue;
            };
            if let Ok(at) = builder.push_gently(*op, vec![Arg::Slot(*slot, usage)]) {
                observers.push((at, *op, *slot));
            }
        }
    }
    Some(Plan {
        operation: reduced.operation,
        sequence,
        out,
        observed: builder.finish(),
        observers,
        watch_end: subjects,
    })
}

/// Where closures that this argument is or holds write down what they are called with.
fn logs(world: &World, sequence: &Sequence, arg: &Arg, found: &mut Vec<SlotIdx>) {
    let Arg::Slot(slot, _) = arg else { return };
    let (op, args) = sequence.maker(*slot);
    let operation = world.catalogue.operation(op);
    for arg in args {
        match (arg, &operation.form) {
            (Arg::Slot(log, Use::Shared), Form::Closure { .. }) if !found.contains(log) => {
                found.push(*log);
            }
            // What has no lifetime holds no closure that borrows.
            (Arg::Slot(_, Use::Move), _) if !operation.signature.output.regions.is_empty() => {
                logs(world, sequence, arg, found);
            }
            _ => {}
        }
    }
}

fn last_call(sequence: &Sequence) -> Option<(SlotIdx, &[Arg])> {
    sequence.steps().iter().rev().find_map(|step| match step {
        Step::Call { out, args, .. } => Some((*out, &**args)),
        Step::Drop(_) => None,
    })
}
