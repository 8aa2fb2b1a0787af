//! From what exploration kept to the few tests that are worth writing.
//!
//! Every kept execution is run once more with observers appended: methods that take `&self`, and
//! public fields. What they answer becomes checks; what a check shows, coarsely, is a fact; tests
//! are chosen greedily by the facts they add.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_api::{CallableKind, Form, Operation, OperationId, Origin, Pass, Side, Ty, TypeIdx};
use testsmith_emit::{Check, Subject, TestCase, TestKind, assertable};
use testsmith_explore::{Ask, Kept, argument_class, class, coarse, digest};
use testsmith_harness::GuestError;
use testsmith_protocol::{Caps, Effect, Outcome, Value};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, StepIdx, Use, World, slice};

use crate::executor::Executor;
use crate::report::Drops;

/// Observers asked of one value.
const MAX_OBSERVERS: usize = 16;
/// A longer value is not read by anybody; others say the same in fewer words.
const MAX_VALUE: usize = 100;
/// Checks of one case.
const MAX_CHECKS: usize = 6;
/// Cases in one test.
const CASES_PER_TEST: usize = 4;
/// Cases of one operation.
const MAX_CASES_PER_OPERATION: usize = 16;
/// What a region of code that no other test goes through counts, as against a fact that is new
/// for an operation that has shown nothing yet (100,000).
const NEW_REGION: usize = 50_000;
/// Steps of a test with several cases.
const MAX_JOINED_STEPS: usize = 40;

/// A test that could be written.
struct Candidate {
    case: TestCase,
    /// By check: what it shows.
    facts: Vec<u64>,
    /// Facts that need no check: which operation met which kind of argument.
    inputs: Vec<u64>,
    /// Regions of the crate's code that the call went through.
    regions: Vec<u32>,
    subject: String,
    operation: OperationId,
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
    Ok(cover(world, candidates, max_per_type, drops))
}

/// An execution with observers appended.
struct Plan {
    operation: OperationId,
    /// What the test will do.
    sequence: Sequence,
    /// The slot that the operation filled.
    out: SlotIdx,
    /// With observers.
    observed: Sequence,
    /// (observer's slot, observer, observed slot)
    observers: Vec<(SlotIdx, OperationId, SlotIdx)>,
    watch_end: Vec<SlotIdx>,
}

/// An execution reduced to what matters, and what its last call gave.
struct Reduced {
    operation: OperationId,
    sequence: Sequence,
    output: Option<Value>,
}

/// Cuts away what the last call does not depend on, and looks at what it gives then.
fn reduce(
    world: &World,
    executor: &mut Executor,
    kept: &[Kept],
    drops: &mut Drops,
) -> Result<Vec<Reduced>, GuestError> {
    let mut known = FxHashSet::default();
    let mut asks = Vec::new();
    let mut operations = Vec::new();
    let subjects = kept.iter().filter(|k| is_subject(world, k.operation));
    for kept in subjects {
        let sequence = slice(world, &kept.sequence).unwrap_or_else(|| kept.sequence.clone());
        if known.insert(sequence.clone()) {
            operations.push(kept.operation);
            asks.push(Ask {
                sequence,
                watch_from: SlotIdx(0),
                watch_end: Vec::new(),
                traced: None,
                values: true,
            });
        }
    }
    let executions = executor.run(world, 1, asks)?;
    let mut reduced = Vec::new();
    for (operation, (ask, execution)) in operations.into_iter().zip(executions) {
        if execution.outcome != Outcome::Returned {
            drops.add("execution", "depends on calls that only seem unrelated", 1);
            continue;
        }
        let last = execution.effects.into_iter().next_back();
        reduced.push(Reduced {
            operation,
            sequence: ask.sequence,
            output: last.and_then(|effect| effect.value),
        });
    }
    Ok(reduced)
}

fn observe(
    world: &World,
    executor: &mut Executor,
    kept: &[Kept],
    drops: &mut Drops,
) -> Result<Vec<Candidate>, GuestError> {
    let tools = Tools::new(world);
    let mut bad: BTreeSet<OperationId> = BTreeSet::new();
    let mut candidates = Vec::new();
    let reduced = reduce(world, executor, kept, drops)?;
    let twins = twins(world, &reduced);
    let mut todo: Vec<&Reduced> = reduced.iter().collect();
    for _ in 0..4 {
        let (planned, plans): (Vec<&Reduced>, Vec<Plan>) = todo
            .drain(..)
            .filter_map(|reduced| Some((reduced, plan(world, &tools, &bad, reduced)?)))
            .unzip();
        let asks = |plans: &[Plan]| {
            plans
                .iter()
                .map(|plan| Ask {
                    sequence: plan.observed.clone(),
                    watch_from: SlotIdx(0),
                    watch_end: plan.watch_end.clone(),
                    traced: Some(plan.out),
                    values: true,
                })
                .collect()
        };
        let first = executor.run(world, 1, asks(&plans))?;
        // Another seed, and the other way round: what depends on what ran before shows too.
        let mut reversed: Vec<Ask> = asks(&plans);
        reversed.reverse();
        let mut second = executor.run(world, 0x5EED_5EED, reversed)?;
        second.reverse();
        let runs = plans.iter().zip(planned).zip(first.into_iter().zip(second));
        for ((plan, reduced), ((_, first), (_, second))) in runs {
            match first.outcome {
                Outcome::Returned if second.outcome == Outcome::Returned => {
                    let regions = &first.trace.regions;
                    let seen = (&first.effects[..], &second.effects[..]);
                    match candidate(world, plan, &twins, seen, regions) {
                        Some(candidate) => candidates.push(candidate),
                        None => drops.add("execution", "nothing about it can be asserted", 1),
                    }
                }
                // An observer that fails is not asked again; the execution gets another chance.
                Outcome::Panicked { at, .. } | Outcome::Died { at, .. }
                    if usize::from(at) >= plan.sequence.steps().len() =>
                {
                    match plan.observed.steps().get(usize::from(at)) {
                        Some(Step::Call { op, .. }) => {
                            bad.insert(*op);
                            todo.push(reduced);
                        }
                        _ => drops.add("execution", "fails when its values are dropped", 1),
                    }
                }
                _ => drops.add("execution", "ended otherwise when run again", 1),
            }
        }
        if todo.is_empty() {
            break;
        }
    }
    drops.add("execution", "its observers fail", todo.len() as u64);
    confirm_twins(world, executor, &mut candidates)?;
    candidates.retain(|candidate| !candidate.facts.is_empty());
    Ok(candidates)
}

/// What looks the same need not be equal: asks the crate's own `==`, and drops the checks that it
/// does not confirm.
fn confirm_twins(
    world: &World,
    executor: &mut Executor,
    candidates: &mut [Candidate],
) -> Result<(), GuestError> {
    let mut equality: BTreeMap<TypeIdx, OperationId> = BTreeMap::new();
    for (i, operation) in world.catalogue.operations.iter().enumerate() {
        if let Form::Trait { trait_, name, .. } = &operation.form
            && (&*trait_.path, &**name) == ("std::cmp::PartialEq", "eq")
            && let [left, right] = &operation.signature.inputs[..]
            && left.ty.ty == right.ty.ty
        {
            equality.insert(left.ty.ty, OperationId(i as u32));
        }
    }
    let mut asks = Vec::new();
    let mut places = Vec::new();
    for (i, candidate) in candidates.iter().enumerate() {
        for (j, check) in candidate.case.checks.iter().enumerate() {
            let Subject::Equals { slot, op, args } = &check.subject else {
                continue;
            };
            places.push((i, j));
            let comparison = || {
                let mut builder = Builder::new(world);
                builder.append(&candidate.case.sequence).ok()?;
                let equal = equality.get(&builder.ty(*slot))?;
                let twin = builder.push_gently(*op, args.to_vec()).ok()?;
                let sides = [*slot, twin].map(|slot| Arg::Slot(slot, Use::Shared));
                let answer = builder.push_gently(*equal, sides.to_vec()).ok()?;
                Some((builder.finish(), answer))
            };
            let (sequence, answer) = comparison().unwrap_or((Sequence::empty(), SlotIdx(0)));
            asks.push(Ask {
                sequence,
                watch_from: answer,
                watch_end: Vec::new(),
                traced: None,
                values: true,
            });
        }
    }
    let executions = executor.run(world, 1, asks)?;
    let mut wrong: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for ((i, j), (_, execution)) in places.into_iter().zip(executions) {
        let answer = execution
            .effects
            .last()
            .and_then(|effect| effect.value.as_ref());
        if answer != Some(&Value::Bool(true)) {
            wrong.entry(i).or_default().push(j);
        }
    }
    for (i, checks) in wrong {
        for j in checks.into_iter().rev() {
            candidates[i].case.checks.remove(j);
            candidates[i].facts.remove(j);
        }
    }
    Ok(())
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
    let is_debug = matches!(&operation.form, Form::Recipe { template } if template.contains(":?"));
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

fn last_call(sequence: &Sequence) -> Option<(SlotIdx, &[Arg])> {
    sequence.steps().iter().rev().find_map(|step| match step {
        Step::Call { out, args, .. } => Some((*out, &**args)),
        Step::Drop(_) => None,
    })
}

fn candidate(
    world: &World,
    plan: &Plan,
    twins: &Twins,
    (first, second): (&[Effect], &[Effect]),
    regions: &[u32],
) -> Option<Candidate> {
    let sequence = &plan.sequence;
    let last = StepIdx(sequence.steps().len().checked_sub(1)? as u16);
    let find = |effects: &[Effect], slot: SlotIdx, at_end: bool| {
        let mut effects = effects.iter();
        let effect = effects.find(|e| e.slot == slot.0 && e.at_end == at_end)?;
        effect.value.clone()
    };
    // What changes under another seed is never asserted.
    let steady = |slot: SlotIdx, at_end: bool| {
        let value = find(first, slot, at_end)?;
        (find(second, slot, at_end).as_ref() == Some(&value)).then_some(value)
    };
    let op = plan.operation;
    let mut found: Vec<(Check, u64)> = Vec::new();
    let mut add = |subject: Subject, ty: TypeIdx, value: Value, fact: u64| {
        let is_vague = value.any(&mut |v| matches!(v, Value::Debug(_))) && !owns_text(world, ty);
        let is_twin = matches!(subject, Subject::Equals { .. });
        if size(&value) > MAX_VALUE {
            return false;
        }
        if value == Value::Unit || is_vague || !is_twin && assertable(world, ty, &value) == 0 {
            return false;
        }
        let check = Check {
            after: last,
            subject,
            value,
        };
        found.push((check, fact));
        true
    };
    let is_text = |value: &Value| value.any(&mut |v| matches!(v, Value::Debug(_)));
    let mut described = FxHashSet::default();
    let is_live = plan.watch_end.contains(&plan.out);
    if is_live
        && let Some(value) = steady(plan.out, false)
        && !is_text(&value)
    {
        let fact = digest(&(op, class(&value, 2)));
        if add(
            Subject::Slot(plan.out),
            world.signature(op).output.ty,
            value,
            fact,
        ) {
            described.insert(plan.out);
        }
    }
    for slot in &plan.watch_end {
        let (maker, _) = sequence.maker(*slot);
        let ty = world.signature(maker).output.ty;
        if let Some(value) = steady(*slot, true)
            && let Some((twin, args)) = twins.get(&(ty, value))
            && *twin != maker
        {
            let fact = digest(&(op, "twin", twin));
            let subject = Subject::Equals {
                slot: *slot,
                op: *twin,
                args: args.clone(),
            };
            if add(subject, ty, Value::Bool(true), fact) {
                described.insert(*slot);
            }
        }
    }
    for (at, observer, slot) in &plan.observers {
        if let Some(value) = steady(*at, false)
            && !is_text(&value)
        {
            let ty = world.signature(*observer).output.ty;
            let fact = digest(&(op, observer, coarse(&value)));
            let subject = Subject::Observer {
                op: *observer,
                slot: *slot,
            };
            if add(subject, ty, value, fact) {
                described.insert(*slot);
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
            let fact = digest(&(op, "text", class(&value, 2)));
            add(Subject::Slot(*slot), ty, value, fact);
        }
    }
    if found.is_empty() {
        return None;
    }
    let (checks, facts): (Vec<Check>, Vec<u64>) = found.into_iter().unzip();
    Some(Candidate {
        inputs: input_facts(sequence, op, facts.first().copied().unwrap_or(0)),
        regions: regions.to_vec(),
        n_steps: length(sequence),
        subject: subject(world, op),
        facts,
        case: TestCase {
            sequence: sequence.clone(),
            checks,
            kind: TestKind::Regression,
            acts: Vec::new(),
        },
        operation: op,
    })
}

/// Values that one call with literals makes, by what is seen of them.
type Twins = FxHashMap<(TypeIdx, Value), (OperationId, Box<[Arg]>)>;

/// The simplest way to make a value that can be compared but not written: it stands beside the
/// one that is tested.
fn twins(world: &World, reduced: &[Reduced]) -> Twins {
    let mut twins = Twins::default();
    for reduced in reduced {
        let [Step::Call { op, args, .. }] = reduced.sequence.steps() else {
            continue;
        };
        let ty = world.signature(*op).output.ty;
        let comparable = world.caps(ty).has(Caps::EQ.with(Caps::DEBUG));
        let is_plain = args.iter().all(|arg| matches!(arg, Arg::Literal(_)));
        let Some(value) = &reduced.output else {
            continue;
        };
        let has_text = value.any(&mut |v| matches!(v, Value::Debug(_)));
        let is_whole = !value.any(&mut |v| matches!(v, Value::Opaque | Value::Cut));
        if comparable && is_plain && has_text && is_whole {
            let key = (ty, value.clone());
            twins.entry(key).or_insert_with(|| (*op, args.clone()));
        }
    }
    twins
}

/// Is the `Debug` text of this type the crate's own? That of the standard library's inner workings
/// may change with every release.
fn owns_text(world: &World, ty: TypeIdx) -> bool {
    let is_foreign = |ty: &Ty| match ty {
        Ty::Adt { path, .. } if path.starts_with("std::") => !matches!(
            &**path,
            "std::option::Option"
                | "std::result::Result"
                | "std::vec::Vec"
                | "std::string::String"
                | "std::boxed::Box"
                | "std::rc::Rc"
                | "std::sync::Arc"
                | "std::borrow::Cow"
                | "std::ops::Range"
                | "std::ops::RangeInclusive"
                | "std::ops::RangeFrom"
                | "std::ops::RangeTo"
                | "std::time::Duration"
                | "std::collections::BTreeMap"
                | "std::collections::BTreeSet"
                | "std::collections::VecDeque"
                | "std::net::Ipv4Addr"
                | "std::net::Ipv6Addr"
                | "std::net::IpAddr"
                | "std::net::SocketAddr"
        ),
        Ty::Dyn { .. } | Ty::FnPtr { .. } | Ty::RawPtr { .. } | Ty::Opaque { .. } => true,
        _ => false,
    };
    !world
        .catalogue
        .types
        .get(ty)
        .ty
        .any(&mut |ty| is_foreign(ty))
}

/// About how many characters a value takes in a test.
fn size(value: &Value) -> usize {
    let parts = |parts: &[Value]| parts.iter().map(|part| size(part) + 2).sum::<usize>();
    match value {
        Value::Str(text) | Value::Debug(text) => text.len() + 2,
        Value::Int(_) | Value::UInt(_) => 3,
        Value::Tuple(list) | Value::List(list) | Value::Unordered(list) => parts(list),
        Value::Named { path, fields } => {
            let inner: usize = fields.iter().map(|(name, v)| name.len() + size(v)).sum();
            path.len() / 2 + inner
        }
        _ => 4,
    }
}

/// The length of a case for its reader: its steps, and what is written in them.
fn length(sequence: &Sequence) -> usize {
    let mut n_characters = 0;
    for step in sequence.steps() {
        if let Step::Call { args, .. } = step {
            for arg in args {
                if let Arg::Literal(value) = arg {
                    n_characters += size(value);
                }
            }
        }
    }
    sequence.steps().len() + n_characters / 30
}

/// Which operation met which kinds of arguments, each alone and all together with the outcome.
fn input_facts(sequence: &Sequence, op: OperationId, outcome: u64) -> Vec<u64> {
    let call = sequence.steps().iter().rev().find_map(|step| match step {
        Step::Call {
            op: called, args, ..
        } if *called == op => Some(args),
        _ => None,
    });
    let Some(args) = call else {
        return Vec::new();
    };
    let mut facts: Vec<u64> = args
        .iter()
        .enumerate()
        .map(|(i, arg)| digest(&(op, i, argument_class(sequence, arg, 2))))
        .collect();
    let together: Vec<u64> = args
        .iter()
        .map(|arg| argument_class(sequence, arg, 1))
        .collect();
    facts.push(digest(&(op, outcome, together)));
    facts
}

/// The type of the crate that a test is about; for a foreign type, the trait it has from the crate.
fn subject(world: &World, op: OperationId) -> String {
    let krate = format!("{}::", world.catalogue.api.krate);
    let path_of = |ty: &Ty| {
        let mut ty = ty;
        while let Ty::Ref { to, .. } = ty {
            ty = to;
        }
        match ty {
            Ty::Adt { path, .. } => path.to_string(),
            other => other.render(&testsmith_api::KeyNames),
        }
    };
    match &world.catalogue.operation(op).form {
        Form::Trait {
            self_ty, trait_, ..
        } if !path_of(self_ty).starts_with(&krate) => trait_.path.to_string(),
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

/// Greedy cover: the candidate that adds most for its length, until nothing adds anything. What an
/// operation has already shown counts against it, so that every operation gets its turn.
fn cover(
    world: &World,
    candidates: Vec<Candidate>,
    max_per_type: usize,
    drops: &mut Drops,
) -> Vec<TestCase> {
    let mut by_subject: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
    for candidate in candidates {
        let list = by_subject.entry(candidate.subject.clone()).or_default();
        list.push(candidate);
    }
    let mut cases = Vec::new();
    for open in by_subject.into_values() {
        let chosen = cover_subject(open, max_per_type * CASES_PER_TEST, drops);
        let mut tests = join(world, chosen, max_per_type);
        let n_over = tests.len().saturating_sub(max_per_type);
        tests.truncate(max_per_type);
        drops.add(
            "test",
            format!("the type has its {max_per_type} tests"),
            n_over as u64,
        );
        cases.extend(tests);
    }
    cases
}

fn cover_subject(open: Vec<Candidate>, max: usize, drops: &mut Drops) -> Vec<Candidate> {
    let mut covered: FxHashSet<u64> = FxHashSet::default();
    let mut visited: FxHashSet<u32> = FxHashSet::default();
    let mut n_shown: BTreeMap<(OperationId, Option<u64>), usize> = BTreeMap::new();
    let outcome = |candidate: &Candidate| (candidate.operation, candidate.facts.first().copied());
    let mut open = open;
    let mut chosen = Vec::new();
    while chosen.len() < max {
        let best = open
            .iter()
            .enumerate()
            .filter(|(_, candidate)| {
                let n = n_shown.get(&(candidate.operation, None)).copied();
                n.unwrap_or(0) < MAX_CASES_PER_OPERATION
            })
            .map(|(i, candidate)| {
                let all = candidate.facts.iter().chain(&candidate.inputs);
                let new: BTreeSet<&u64> = all.filter(|fact| !covered.contains(fact)).collect();
                let regions = candidate.regions.iter();
                let n_regions = regions.filter(|region| !visited.contains(region)).count();
                let of = |key| n_shown.get(&key).copied().unwrap_or(0);
                let shown = of((candidate.operation, None)) + 3 * of(outcome(candidate));
                let gain = (new.len() * 100_000 / (shown + 1) + n_regions * NEW_REGION)
                    / (candidate.n_steps + 2);
                (gain, std::cmp::Reverse(i))
            })
            .max();
        let Some((gain, std::cmp::Reverse(at))) = best else {
            break;
        };
        if gain == 0 {
            break;
        }
        let mut candidate = open.remove(at);
        *n_shown.entry((candidate.operation, None)).or_default() += 1;
        *n_shown.entry(outcome(&candidate)).or_default() += 1;
        trim(&mut candidate, &covered);
        covered.extend(candidate.facts.iter().chain(&candidate.inputs));
        visited.extend(&candidate.regions);
        chosen.push(candidate);
    }
    let reason = match chosen.len() == max {
        true => "the type has all the cases it may have",
        false => "shows nothing new, or the operation has all the cases it may have",
    };
    drops.add("execution", reason, open.len() as u64);
    chosen
}

/// Cases of one operation in one test, a few at a time. A type with more operations than tests has
/// several operations in one.
fn join(world: &World, chosen: Vec<Candidate>, max_tests: usize) -> Vec<TestCase> {
    let mut by_operation: BTreeMap<OperationId, Vec<Candidate>> = BTreeMap::new();
    for candidate in chosen {
        let list = by_operation.entry(candidate.operation).or_default();
        list.push(candidate);
    }
    let separate = by_operation.len() <= max_tests;
    // (how many tests the operation has before this one, its cases): every operation's first test
    // comes before any operation's second.
    let mut groups: Vec<(usize, Vec<Candidate>)> = Vec::new();
    for cases in by_operation.into_values() {
        let mut n_before = 0;
        for (i, candidate) in cases.into_iter().enumerate() {
            let has_room = |group: &[Candidate]| {
                let n_steps: usize = group.iter().map(|c| c.n_steps).sum();
                group.len() < CASES_PER_TEST && n_steps + candidate.n_steps <= MAX_JOINED_STEPS
            };
            match groups.last_mut() {
                Some((_, group)) if (i > 0 || !separate) && has_room(group) => {
                    group.push(candidate)
                }
                _ => {
                    groups.push((n_before, vec![candidate]));
                    n_before += 1;
                }
            }
        }
    }
    groups.sort_by_key(|(n_before, _)| *n_before);
    groups
        .into_iter()
        .filter_map(|(_, group)| joined(world, group))
        .collect()
}

/// One test that runs these cases one after the other.
fn joined(world: &World, group: Vec<Candidate>) -> Option<TestCase> {
    if group.len() < 2 {
        return group.into_iter().next().map(|candidate| candidate.case);
    }
    let mut builder = Builder::new(world);
    let mut checks = Vec::new();
    let mut acts = Vec::new();
    for candidate in &group {
        let first_step = builder.steps().len() as u16;
        let offset = builder.append(&candidate.case.sequence).ok()?;
        let shift = |slot: SlotIdx| SlotIdx(slot.0 + offset);
        for check in &candidate.case.checks {
            let subject = match &check.subject {
                Subject::Slot(slot) => Subject::Slot(shift(*slot)),
                Subject::Observer { op, slot } => Subject::Observer {
                    op: *op,
                    slot: shift(*slot),
                },
                Subject::Equals { slot, op, args } => Subject::Equals {
                    slot: shift(*slot),
                    op: *op,
                    args: args.clone(),
                },
            };
            checks.push(Check {
                after: StepIdx(check.after.0 + first_step),
                subject,
                value: check.value.clone(),
            });
        }
        acts.push(candidate.operation);
    }
    Some(TestCase {
        sequence: builder.finish(),
        checks,
        kind: TestKind::Regression,
        acts,
    })
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
