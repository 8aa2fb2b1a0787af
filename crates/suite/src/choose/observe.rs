//! Appends observers to executions, and sees what they answer.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{
    Form, Operation, OperationId, Origin, Pass, Side, Ty, TypeIdx, collects, is_literal,
};
use testsmith_equip::{Executor, Setting};
use testsmith_explore::{Ask, Kept};
use testsmith_harness::GuestError;
use testsmith_protocol::{Execution, Outcome, Value};
use testsmith_record::Drops;
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, Use, World};

use super::Candidate;
use super::check::{Twice, candidate};
use super::duty::is_debug;
use super::kill::ask_about;
use super::reduce::{AT_ONCE, Reduced, Scope, reduce, spread};
use super::touch::reaches_out;
use super::twins::{Twins, confirm_twins, twins};
use crate::budget::{Budget, Doing};

/// How many executions are observed at first, and then twice as many each time: an observer that does
/// not end in time takes as long as thousands of programs, and is not asked again once that is known.
const AT_FIRST: usize = 8;
/// The most observers asked about one value.
const MAX_OBSERVERS: usize = 16;
/// The most values that are looked at beside those that the last call gave or changed.
const MAX_BESIDE: usize = 4;
/// The most observers asked about one of these.
const MAX_OBSERVERS_BESIDE: usize = 6;

/// An execution's sequence with observers appended.
pub(super) struct Appended {
    pub(super) operation: OperationId,
    /// The steps of the test, without observers.
    pub(super) sequence: Sequence,
    /// The slot that the tested operation fills.
    pub(super) out: SlotIdx,
    /// The steps with observers.
    pub(super) observed: Sequence,
    pub(super) observers: Vec<Asked>,
    pub(super) watch_end: Vec<SlotIdx>,
    /// Of these, the values that the last call neither gave nor changed.
    pub(super) beside: Vec<SlotIdx>,
}

/// An observer that was asked about a value.
pub(super) struct Asked {
    /// The slot of the answer.
    pub(super) at: SlotIdx,
    pub(super) op: OperationId,
    /// The operation that takes what the observer gives, if that itself says nothing.
    pub(super) then: Option<OperationId>,
    /// The slot that is observed.
    pub(super) slot: SlotIdx,
}

/// The most regions that a test may enter. That many take some milliseconds in an unoptimised
/// build.
const MAX_WORK: u64 = 1 << 17;

/// What is needed to observe executions, now and again later.
pub(super) struct Observatory {
    tools: Tools,
    /// Observers that fail or touch the world outside. They are not asked again.
    bad: BTreeSet<OperationId>,
    twins: Twins,
}

pub(super) fn observe(
    world: &World,
    executor: &mut Executor,
    kept: &[Kept],
    budget: &Budget<'_>,
    drops: &mut Drops,
) -> Result<(Vec<Candidate>, Observatory), GuestError> {
    budget.enter(Doing::Reducing);
    let reduced = reduce(world, executor, kept, budget, drops)?;
    budget.enter(Doing::Observing);
    let mut observatory = Observatory {
        tools: Tools::new(world),
        bad: BTreeSet::new(),
        twins: twins(world, &reduced),
    };
    let mut found: Vec<Option<Candidate>> = reduced.iter().map(|_| None).collect();
    let operations: Vec<OperationId> = reduced.iter().map(|it| it.operation).collect();
    let order = spread(&operations);
    let mut n_seen = 0;
    let mut at_once = AT_FIRST;
    while n_seen < order.len() {
        // Something must be seen, however little time there is.
        if n_seen > 0 && budget.is_over(executor.work) {
            break;
        }
        let some = &order[n_seen..order.len().min(n_seen + at_once)];
        n_seen += some.len();
        at_once = AT_ONCE.min(at_once * 2);
        let chunk: Vec<Reduced> = some.iter().map(|i| reduced[*i].clone()).collect();
        let seen = observatory.look(world, executor, &chunk, drops)?;
        for (i, candidate) in some.iter().zip(seen) {
            found[*i] = candidate;
        }
    }
    let n_left = reduced.len() - n_seen;
    budget.give_up("execution", "look at it", n_left, drops);
    let mut candidates: Vec<Candidate> = found.into_iter().flatten().collect();
    candidates.retain(|candidate| !candidate.facts.is_empty());
    Ok((candidates, observatory))
}

impl Appended {
    /// Asks for a run in which all values are described.
    fn ask(&self) -> Ask {
        Ask {
            sequence: self.observed.clone(),
            watch_from: SlotIdx(0),
            watch_end: self.watch_end.clone(),
            traced: Some(self.out),
            values: true,
            watched: false,
            traced_on: false,
        }
    }
}

/// What observing an execution led to.
enum Looked {
    /// A test can be made of it.
    Candidate(Box<Candidate>),
    /// An observer fails or touches the world outside. The execution is observed again without that
    /// observer.
    BadObserver(OperationId),
    /// No test can be made of it, for this reason.
    Unfit(String),
}

impl Observatory {
    /// Runs executions with observers appended. Gives a candidate for each execution of which a
    /// test can be made.
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
                let appended = append(world, &self.tools, &self.bad, &reduced[i])?;
                Some((i, appended))
            });
            let (planned, plans): (Vec<usize>, Vec<Appended>) = planned.unzip();
            let asks = plans.iter().map(Appended::ask).collect();
            let first = executor.run(world, Setting::USUAL, asks)?;
            // The second run has another seed and the reverse order, so that values show themselves
            // which depend on what ran before. What failed once is not run twice: a time-out takes
            // as long as thousands of programs.
            let ended = plans.iter().zip(&first);
            let ended = ended.filter(|(_, (_, run))| run.outcome == Outcome::Returned);
            let asks = ended.map(|(appended, _)| appended.ask()).rev().collect();
            let mut second = executor.run(world, Setting::OTHER, asks)?;
            for ((appended, i), (_, first)) in plans.iter().zip(planned).zip(first) {
                let second = match first.outcome {
                    Outcome::Returned => second.pop().map(|(_, run)| run),
                    _ => None,
                };
                let second = second.as_ref().unwrap_or(&first);
                match self.judge(world, appended, &reduced[i], &first, second) {
                    Looked::Candidate(candidate) => candidates[i] = Some(*candidate),
                    Looked::BadObserver(op) => {
                        self.bad.insert(op);
                        todo.push(i);
                    }
                    Looked::Unfit(why) => drops.add("execution", why, 1),
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

    /// Decides by two runs what becomes of an appended sequence.
    fn judge(
        &self,
        world: &World,
        appended: &Appended,
        reduced: &Reduced,
        first: &Execution,
        second: &Execution,
    ) -> Looked {
        let n_steps = appended.sequence.steps().len();
        let observer = |at: u16| match appended.observed.steps().get(usize::from(at)) {
            Some(Step::Call { op, .. }) if usize::from(at) >= n_steps => Some(*op),
            _ => None,
        };
        let touch = first.touch.or(second.touch);
        let failed_at = match first.outcome {
            Outcome::Panicked { at, .. } | Outcome::Died { at, .. } => Some(at),
            _ => touch.map(|touch| touch.at),
        };
        if let Some(op) = failed_at.and_then(observer) {
            return Looked::BadObserver(op);
        }
        if let Some(touch) = touch {
            return Looked::Unfit(reaches_out(touch));
        }
        let why = match first.outcome {
            Outcome::Returned if first.trace.work > MAX_WORK => "takes too long for a unit test",
            Outcome::Returned if second.outcome == Outcome::Returned => {
                let runs = Twice {
                    first: &first.effects,
                    second: &second.effects,
                    trace: &first.trace,
                };
                match candidate(world, appended, reduced, &self.twins, runs) {
                    Some(candidate) => return Looked::Candidate(Box::new(candidate)),
                    None => "nothing about it can be asserted",
                }
            }
            Outcome::Panicked { at, .. } | Outcome::Died { at, .. }
                if usize::from(at) >= n_steps =>
            {
                "fails when its values are dropped"
            }
            _ => "ended otherwise when run again",
        };
        Looked::Unfit(why.to_owned())
    }
}

/// Operations that help to look at the values of a case.
struct Tools {
    /// Observers by the type that they look at: operations with one input, `&self`, that return
    /// something else.
    observers: BTreeMap<TypeIdx, Vec<OperationId>>,
    /// Operations that take all items of an iterator, by its type: as they come, or in their own order.
    collects: BTreeMap<TypeIdx, Vec<OperationId>>,
    /// Observers that give an iterator over all that a value contains, by the value's type.
    iterators: BTreeMap<TypeIdx, OperationId>,
    /// Operations that take the payload out of an `Option` or `Result`, by type and variant.
    unwraps: BTreeMap<(TypeIdx, &'static str), OperationId>,
    /// Operations that take a part out of a tuple which can be written, by the tuple's type.
    parts: BTreeMap<TypeIdx, OperationId>,
}

impl Tools {
    fn new(world: &World) -> Tools {
        let mut tools = Tools {
            observers: BTreeMap::new(),
            collects: BTreeMap::new(),
            iterators: BTreeMap::new(),
            unwraps: BTreeMap::new(),
            parts: BTreeMap::new(),
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
            if collects(&operation.form) {
                tools.collects.entry(input.ty.ty).or_default().push(id);
            }
            let output = &world.catalogue.types.get(operation.signature.output.ty).ty;
            if matches!(&operation.form, Form::Recipe { template } if template.starts_with("{0}."))
                && matches!(world.catalogue.types.get(input.ty.ty).ty, Ty::Tuple(_))
                && is_literal(output)
            {
                tools.parts.insert(input.ty.ty, id);
            }
            if is_iterating(operation) {
                tools.iterators.entry(input.ty.ty).or_insert(id);
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

    /// Observers of a type, or else of the type that it refers to.
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
    matches!(input.pass, Pass::Shared(_))
        && matches!(operation.origin, Origin::Callable(_))
        && signature.output.ty != input.ty.ty
        && !output.is_unit()
        && !is_debug(operation)
}

/// Does the operation give an iterator over what a value contains?
fn is_iterating(operation: &Operation) -> bool {
    let is_named = matches!(&operation.form, Form::Inherent { name, .. } if &**name == "iter");
    let [input] = &operation.signature.inputs[..] else {
        return false;
    };
    is_named
        && matches!(input.pass, Pass::Shared(_))
        && matches!(operation.origin, Origin::Callable(_))
}

/// The rank of an observer by the type of its answer: plain types come first.
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

fn append(
    world: &World,
    tools: &Tools,
    bad: &BTreeSet<OperationId>,
    reduced: &Reduced,
) -> Option<Appended> {
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
    subjects.extend(payload(world, tools, &mut builder, reduced, out));
    let sequence = builder.clone().finish();
    subjects.retain(|slot| builder.is_observable(*slot));
    let beside = match reduced.scope {
        Scope::Last => Vec::new(),
        Scope::All => others(&builder, &subjects),
    };
    let n_subjects = subjects.len();
    subjects.extend(&beside);
    let mut observers = Vec::new();
    for (i, slot) in subjects.iter().enumerate() {
        let most = match i < n_subjects {
            true => MAX_OBSERVERS,
            false => MAX_OBSERVERS_BESIDE,
        };
        let list = tools.observers(world, builder.ty(*slot)).iter();
        for op in list.filter(|op| !bad.contains(op)).take(most) {
            if let Some(at) = ask_about(world, &mut builder, *op, *slot) {
                observers.push(Asked {
                    at,
                    op: *op,
                    then: None,
                    slot: *slot,
                });
            }
        }
        observers.extend(contents(world, tools, &mut builder, *slot, bad));
    }
    Some(Appended {
        operation: reduced.operation,
        sequence,
        out,
        observed: builder.finish(),
        observers,
        watch_end: subjects,
        beside,
    })
}

/// Takes the payload of an `Option` or `Result` out, if it says more by itself; of a pair that part which can be
/// written.
fn payload(
    world: &World,
    tools: &Tools,
    builder: &mut Builder<'_>,
    reduced: &Reduced,
    out: SlotIdx,
) -> Option<SlotIdx> {
    let Some(Value::Named { path, fields }) = &reduced.output else {
        return None;
    };
    let [(_, payload)] = &fields[..] else {
        return None;
    };
    let side @ ("Some" | "Ok" | "Err") = path.as_str() else {
        return None;
    };
    if !payload.any(&mut |v| matches!(v, Value::Debug(_) | Value::Opaque | Value::Cut)) {
        return None;
    }
    let mut unwraps = tools.unwraps.iter();
    let (_, op) = unwraps.find(|((ty, s), _)| *ty == builder.ty(out) && *s == side)?;
    let inside = world.signature(*op).output.ty;
    let part = tools.parts.get(&inside);
    if part.is_none() && tools.observers(world, inside).is_empty() {
        return None;
    }
    let inner = ask_about(world, builder, *op, out)?;
    let part = part.and_then(|part| ask_about(world, builder, *part, inner));
    Some(part.unwrap_or(inner))
}

/// The last values that are there in the end and can be looked at, but for these.
fn others(builder: &Builder<'_>, but: &[SlotIdx]) -> Vec<SlotIdx> {
    let live = builder
        .live()
        .filter(|it| builder.is_observable(*it) && !but.contains(it));
    let mut others: Vec<SlotIdx> = live.collect();
    others.reverse();
    others.truncate(MAX_BESIDE);
    others
}

/// Asks for all that a container contains.
fn contents(
    world: &World,
    tools: &Tools,
    builder: &mut Builder<'_>,
    slot: SlotIdx,
    bad: &BTreeSet<OperationId>,
) -> Vec<Asked> {
    let Some(op) = tools.iterators.get(&builder.ty(slot)).copied() else {
        return Vec::new();
    };
    let ways = tools.collects.get(&world.signature(op).output.ty);
    let ways = ways.into_iter().flatten().copied();
    let mut asked = Vec::new();
    for then in ways.filter(|then| !bad.contains(&op) && !bad.contains(then)) {
        let mut trial = builder.clone();
        let at = ask_about(world, &mut trial, op, slot)
            .and_then(|iterator| ask_about(world, &mut trial, then, iterator));
        if let Some(at) = at {
            *builder = trial;
            asked.push(Asked {
                at,
                op,
                then: Some(then),
                slot,
            });
        }
    }
    asked
}

/// Collects the slots in which closures log their calls, for closures that are this argument or
/// moved into it.
fn logs(world: &World, sequence: &Sequence, arg: &Arg, found: &mut Vec<SlotIdx>) {
    let Arg::Slot(slot, _) = arg else { return };
    let (op, args) = sequence.maker(*slot);
    let operation = world.catalogue.operation(op);
    for arg in args {
        match (arg, &operation.form) {
            (Arg::Slot(log, Use::Shared), Form::Closure { .. }) if !found.contains(log) => {
                found.push(*log);
            }
            // A value without a lifetime cannot hold a closure that borrows its log.
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
