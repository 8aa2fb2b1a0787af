//! From what exploration kept to the few tests that are worth writing.
//!
//! Every kept execution is run once more with observers appended: methods that take `&self`, and
//! public fields. What they answer becomes checks; what a check shows, coarsely, is a fact; tests
//! are chosen greedily by the facts they add.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};
use testsmith_api::{CallableKind, Form, OperationId, Origin, Pass, Ty, TypeIdx};
use testsmith_emit::{Check, Subject, TestCase, TestKind, assertable};
use testsmith_explore::{Ask, Kept};
use testsmith_harness::GuestError;
use testsmith_protocol::{Effect, Outcome, Value};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, StepIdx, Use, World};

use crate::executor::Executor;
use crate::report::Drops;

/// Observers asked of one value.
const MAX_OBSERVERS: usize = 16;
/// Checks in one test.
const MAX_CHECKS: usize = 8;

/// A test that could be written.
struct Candidate {
    case: TestCase,
    /// By check: what it shows.
    facts: Vec<u64>,
    /// Facts that need no check: which operation met which kind of argument.
    inputs: Vec<u64>,
    subject: String,
    n_steps: usize,
}

/// Chooses regression tests, at most `max_per_type` for each type of the crate.
pub(crate) fn choose(
    world: &World,
    executor: &mut Executor,
    kept: &[Kept],
    max_per_type: usize,
    drops: &mut Drops,
) -> Result<Vec<TestCase>, GuestError> {
    let candidates = observe(world, executor, kept, drops)?;
    Ok(cover(candidates, max_per_type, drops))
}

/// An execution with observers appended.
struct Plan<'k> {
    kept: &'k Kept,
    sequence: Sequence,
    /// (observer's slot, observer, observed slot)
    observers: Vec<(SlotIdx, OperationId, SlotIdx)>,
    watch_end: Vec<SlotIdx>,
}

fn observe(
    world: &World,
    executor: &mut Executor,
    kept: &[Kept],
    drops: &mut Drops,
) -> Result<Vec<Candidate>, GuestError> {
    let by_type = observers_by_type(world);
    let mut bad: BTreeSet<OperationId> = BTreeSet::new();
    let mut candidates = Vec::new();
    let mut todo: Vec<&Kept> = kept
        .iter()
        .filter(|kept| is_subject(world, kept.operation))
        .collect();
    for _ in 0..4 {
        let plans: Vec<Plan<'_>> = todo
            .drain(..)
            .filter_map(|kept| plan(world, &by_type, &bad, kept))
            .collect();
        let asks = |plans: &[Plan<'_>]| {
            plans
                .iter()
                .map(|plan| Ask {
                    sequence: plan.sequence.clone(),
                    watch_from: SlotIdx(0),
                    watch_end: plan.watch_end.clone(),
                    values: true,
                })
                .collect()
        };
        let first = executor.run(world, 1, asks(&plans))?;
        let second = executor.run(world, 0x5EED_5EED, asks(&plans))?;
        for (plan, ((_, first), (_, second))) in plans.iter().zip(first.into_iter().zip(second)) {
            match first.outcome {
                Outcome::Returned if second.outcome == Outcome::Returned => {
                    match candidate(world, plan, &first.effects, &second.effects) {
                        Some(candidate) => candidates.push(candidate),
                        None => drops.add("execution", "nothing about it can be asserted", 1),
                    }
                }
                // An observer that fails is not asked again; the execution gets another chance.
                Outcome::Panicked { at, .. } | Outcome::Died { at, .. }
                    if usize::from(at) >= plan.kept.sequence.steps().len() =>
                {
                    let observer = match plan.sequence.steps().get(usize::from(at)) {
                        Some(Step::Call { op, .. }) => Some(*op),
                        _ => None,
                    };
                    match observer {
                        Some(op) if bad.insert(op) => todo.push(plan.kept),
                        Some(_) => todo.push(plan.kept),
                        None => drops.add("execution", "fails when its values are dropped", 1),
                    }
                }
                _ => drops.add("execution", "ended otherwise when run again", 1),
            }
        }
        if todo.is_empty() {
            break;
        }
    }
    drops.add(
        "execution",
        "its observers fail",
        todo.len() as u64,
    );
    Ok(candidates)
}

/// Tests are about the crate under test, not about recipes of ours.
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

/// Operations that can look at a value: one input, `&self`, something assertable comes back.
fn observers_by_type(world: &World) -> BTreeMap<TypeIdx, Vec<OperationId>> {
    let mut by_type: BTreeMap<TypeIdx, Vec<OperationId>> = BTreeMap::new();
    for (i, operation) in world.catalogue.operations.iter().enumerate() {
        let signature = &operation.signature;
        let [input] = &signature.inputs[..] else {
            continue;
        };
        let is_shared = matches!(input.pass, Pass::Shared(_));
        let is_callable = matches!(operation.origin, Origin::Callable(_));
        let output = &world.catalogue.types.get(signature.output.ty).ty;
        let is_same = signature.output.ty == input.ty.ty;
        let is_debug = matches!(&operation.form, Form::Recipe { template } if template.contains(":?"));
        if is_shared && is_callable && !is_same && !output.is_unit() && !is_debug {
            by_type
                .entry(input.ty.ty)
                .or_default()
                .push(OperationId(i as u32));
        }
    }
    for (_, list) in by_type.iter_mut() {
        list.sort_by_key(|op| {
            let output = world.signature(*op).output.ty;
            rank(&world.catalogue.types.get(output).ty)
        });
    }
    by_type
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

fn plan<'k>(
    world: &World,
    by_type: &BTreeMap<TypeIdx, Vec<OperationId>>,
    bad: &BTreeSet<OperationId>,
    kept: &'k Kept,
) -> Option<Plan<'k>> {
    let mut builder = Builder::new(world);
    builder.append(&kept.sequence).ok()?;
    let (out, args) = kept.sequence.steps().iter().rev().find_map(|step| match step {
        Step::Call { out, args, .. } => Some((*out, args)),
        Step::Drop(_) => None,
    })?;
    let mut watch_end = Vec::new();
    if builder.is_observable(out) {
        watch_end.push(out);
    }
    for arg in args {
        if let Arg::Slot(slot, Use::Mut) = arg
            && builder.is_observable(*slot)
            && !watch_end.contains(slot)
        {
            watch_end.push(*slot);
        }
    }
    let mut observers = Vec::new();
    for slot in &watch_end {
        let list = by_type.get(&builder.ty(*slot)).into_iter().flatten();
        for op in list.filter(|op| !bad.contains(op)).take(MAX_OBSERVERS) {
            let args = vec![Arg::Slot(*slot, Use::Shared)];
            if let Ok(at) = builder.push_gently(*op, args) {
                observers.push((at, *op, *slot));
            }
        }
    }
    Some(Plan {
        kept,
        sequence: builder.finish(),
        observers,
        watch_end,
    })
}

fn candidate(
    world: &World,
    plan: &Plan<'_>,
    first: &[Effect],
    second: &[Effect],
) -> Option<Candidate> {
    let sequence = &plan.kept.sequence;
    let last = StepIdx(sequence.steps().len().checked_sub(1)? as u16);
    let find = |effects: &[Effect], slot: SlotIdx, at_end: bool| {
        effects
            .iter()
            .find(|e| e.slot == slot.0 && e.at_end == at_end)
            .and_then(|e| e.value.clone())
    };
    // What changes under another seed is never asserted.
    let steady = |slot: SlotIdx, at_end: bool| {
        let value = find(first, slot, at_end)?;
        (find(second, slot, at_end).as_ref() == Some(&value)).then_some(value)
    };
    let op = plan.kept.operation;
    let mut found: Vec<(Check, u64)> = Vec::new();
    let (out, _) = sequence.steps().iter().rev().find_map(|step| match step {
        Step::Call { out, op, .. } => Some((*out, *op)),
        Step::Drop(_) => None,
    })?;
    let mut add = |subject: Subject, ty: TypeIdx, value: Value, by: OperationId| {
        if assertable(world, ty, &value) == 0 {
            return;
        }
        let fact = hash(&(op, by, class(&value, 2)));
        found.push((
            Check {
                after: last,
                subject,
                value,
            },
            fact,
        ));
    };
    let out_ty = world.signature(op).output.ty;
    let mut described = FxHashSet::default();
    if let Some(value) = steady(out, false) {
        let is_text = matches!(value, Value::Debug(_));
        if !is_text {
            described.insert(out);
            add(Subject::Slot(out), out_ty, value, op);
        }
    }
    for (at, observer, slot) in &plan.observers {
        if let Some(value) = steady(*at, false) {
            let is_text = value.any(&mut |v| matches!(v, Value::Debug(_)));
            let ty = world.signature(*observer).output.ty;
            if !is_text && assertable(world, ty, &value) > 0 {
                described.insert(*slot);
                add(
                    Subject::Observer {
                        op: *observer,
                        slot: *slot,
                    },
                    ty,
                    value,
                    *observer,
                );
            }
        }
    }
    // `Debug` text comes last, for values that nothing else describes.
    for slot in &plan.watch_end {
        if !described.contains(slot)
            && let Some(value) = steady(*slot, true)
        {
            let (maker, _) = sequence.maker(*slot);
            let ty = world.signature(maker).output.ty;
            add(Subject::Slot(*slot), ty, value, op);
        }
    }
    if found.is_empty() {
        return None;
    }
    let (checks, facts): (Vec<Check>, Vec<u64>) = found.into_iter().unzip();
    Some(Candidate {
        inputs: input_facts(sequence),
        n_steps: sequence.steps().len(),
        subject: subject(world, op),
        facts,
        case: TestCase {
            sequence: sequence.clone(),
            checks,
            kind: TestKind::Regression,
        },
    })
}

/// Which operation met which kind of literal.
fn input_facts(sequence: &Sequence) -> Vec<u64> {
    let Some(Step::Call { op, args, .. }) = sequence.steps().last() else {
        return Vec::new();
    };
    let mut facts = Vec::new();
    for (i, arg) in args.iter().enumerate() {
        if let Arg::Literal(value) = arg {
            facts.push(hash(&(op, i, class(value, 2))));
        }
    }
    facts
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The coarse kind of a value: what a person would call a different case.
fn class(value: &Value, depth: u32) -> u64 {
    let bucket = |n: u128| match n {
        0..=2 => n as u64,
        3..=7 => 3,
        8..=63 => 4,
        64..=255 => 5,
        256..=65535 => 6,
        _ => 7,
    };
    match value {
        Value::Unit | Value::Opaque | Value::Cut => 0,
        Value::Bool(value) => hash(value),
        Value::Char(c) => hash(&(c.is_alphabetic(), c.is_ascii(), c.is_numeric())),
        Value::Int(value) => hash(&(*value < 0, bucket(value.unsigned_abs()))),
        Value::UInt(value) => hash(&bucket(*value)),
        Value::F32(bits) => class(&Value::F64(f64::from(f32::from_bits(*bits)).to_bits()), depth),
        Value::F64(bits) => {
            let value = f64::from_bits(*bits);
            hash(&(value.is_nan(), value > 0.0, value < 0.0, value.abs() < 1.0, value.is_finite()))
        }
        Value::Str(text) => {
            let shape: BTreeSet<char> = text
                .chars()
                .map(|c| if c.is_alphabetic() { 'a' } else if c.is_numeric() { '0' } else { c })
                .collect();
            hash(&(bucket(text.chars().count() as u128), shape))
        }
        Value::Debug(text) => {
            let head: String = text.chars().take_while(|c| c.is_alphanumeric()).collect();
            hash(&(head, bucket(text.len() as u128)))
        }
        Value::Tuple(parts) => hash(&parts.iter().map(|p| class(p, depth)).collect::<Vec<_>>()),
        Value::List(parts) | Value::Unordered(parts) => {
            let head = parts.iter().take(if depth > 0 { 1 } else { 0 });
            let head: Vec<u64> = head.map(|part| class(part, depth - 1)).collect();
            hash(&(bucket(parts.len() as u128), head))
        }
        Value::Named { path, fields } => {
            let inner: Vec<u64> = match depth {
                0 => Vec::new(),
                _ => fields.iter().map(|(_, v)| class(v, depth - 1)).collect(),
            };
            hash(&(path, inner))
        }
    }
}

/// The type (or module) that a test is about.
fn subject(world: &World, op: OperationId) -> String {
    let path_of = |ty: &Ty| match ty {
        Ty::Adt { path, .. } => path.to_string(),
        other => other.render(&testsmith_api::KeyNames),
    };
    match &world.catalogue.operation(op).form {
        Form::Inherent { self_ty, .. }
        | Form::Trait { self_ty, .. }
        | Form::StructLiteral { self_ty, .. }
        | Form::Variant { self_ty, .. }
        | Form::AssocConst { self_ty, .. } => path_of(self_ty),
        Form::Function { path, .. } | Form::Const { path } => path.to_string(),
        _ => match world.signature(op).inputs.first() {
            Some(input) => path_of(&world.catalogue.types.get(input.ty.ty).ty),
            None => String::new(),
        },
    }
}

/// Greedy cover: the candidate that adds most for its length, until nothing adds anything.
fn cover(candidates: Vec<Candidate>, max_per_type: usize, drops: &mut Drops) -> Vec<TestCase> {
    let mut covered: FxHashSet<u64> = FxHashSet::default();
    let mut per_subject: BTreeMap<String, usize> = BTreeMap::new();
    let mut open: Vec<Candidate> = candidates;
    let mut chosen = Vec::new();
    let gain = |candidate: &Candidate, covered: &FxHashSet<u64>| {
        let all = candidate.facts.iter().chain(&candidate.inputs);
        let new: BTreeSet<u64> = all.copied().filter(|fact| !covered.contains(fact)).collect();
        let has_check = candidate.facts.iter().any(|fact| !covered.contains(fact));
        new.len() * if has_check { 2 } else { 1 }
    };
    loop {
        let full = |c: &Candidate| per_subject.get(&c.subject).is_some_and(|n| *n >= max_per_type);
        let (keep, over): (Vec<_>, Vec<_>) = open.into_iter().partition(|c| !full(c));
        open = keep;
        drops.add(
            "test",
            format!("the type has its {max_per_type} tests"),
            over.len() as u64,
        );
        let best = open
            .iter()
            .enumerate()
            .map(|(i, candidate)| {
                let gain = gain(candidate, &covered) * 1000 / (candidate.n_steps + 2);
                (gain, std::cmp::Reverse(i))
            })
            .max();
        let Some((gain, std::cmp::Reverse(at))) = best else {
            break;
        };
        if gain == 0 {
            break;
        }
        let mut candidate = open.swap_remove(at);
        *per_subject.entry(candidate.subject.clone()).or_default() += 1;
        trim(&mut candidate, &covered);
        covered.extend(candidate.facts.iter().chain(&candidate.inputs));
        chosen.push((candidate.subject, candidate.case));
    }
    drops.add("test", "shows nothing that another does not", open.len() as u64);
    chosen.sort_by(|a, b| a.0.cmp(&b.0));
    chosen.into_iter().map(|(_, case)| case).collect()
}

/// Few checks: what the last call gave, then what is new, then the rest while there is room.
fn trim(candidate: &mut Candidate, covered: &FxHashSet<u64>) {
    let mut order: Vec<usize> = (0..candidate.facts.len()).collect();
    order.sort_by_key(|i| {
        let is_output = matches!(candidate.case.checks[*i].subject, Subject::Slot(_));
        (!is_output, covered.contains(&candidate.facts[*i]), *i)
    });
    order.truncate(MAX_CHECKS);
    order.sort_unstable();
    candidate.facts = order.iter().map(|i| candidate.facts[*i]).collect();
    candidate.case.checks = order
        .iter()
        .map(|i| candidate.case.checks[*i].clone())
        .collect();
}
