//! Finds values to compare a tested value with, if it can be compared but not written as a literal.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use testsmith_api::{Form, OperationId, TypeIdx};
use testsmith_emit::Subject;
use testsmith_explore::Ask;
use testsmith_harness::GuestError;
use testsmith_protocol::{Caps, Fingerprint, Value};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, Use, World};

use super::Candidate;
use super::check::born;
use super::reduce::Reduced;
use testsmith_equip::{Executor, Setting};

/// Values that a single call with literals makes, by their type and what is seen of them.
pub(super) type Twins = FxHashMap<(TypeIdx, Value), (OperationId, Box<[Arg]>)>;

/// For each value that can be compared but not written, the first call with literals that makes it.
/// A test calls it to get the value to compare with.
pub(super) fn twins(world: &World, reduced: &[Reduced]) -> Twins {
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

/// Appends the call that makes a twin, and the comparison with it; gives the slot of the answer.
fn compare(
    builder: &mut Builder<'_>,
    equality: &BTreeMap<TypeIdx, OperationId>,
    slot: SlotIdx,
    twin: OperationId,
    args: &[Arg],
) -> Option<SlotIdx> {
    let equal = equality.get(&builder.ty(slot))?;
    let twin = builder.push_gently(twin, args.to_vec()).ok()?;
    let sides = [slot, twin].map(|slot| Arg::Slot(slot, Use::Shared));
    builder.push_gently(*equal, sides.to_vec()).ok()
}

/// Makes a confirmed comparison part of the candidate's trial. `print` is what the answer is known by.
fn join_trial(
    world: &World,
    equality: &BTreeMap<TypeIdx, OperationId>,
    candidate: &mut Candidate,
    check: usize,
    print: Fingerprint,
) -> Option<()> {
    let Subject::Equals { slot, op, args } = &candidate.case.checks[check].subject else {
        return None;
    };
    let mut builder = Builder::new(world);
    builder.append(&candidate.trial.observed).ok()?;
    let place = born(compare(&mut builder, equality, *slot, *op, args)?);
    candidate.trial.observed = builder.finish();
    candidate.trial.prints.push((place, print));
    candidate.places[check] = place;
    Some(())
}

/// Values that look the same need not be equal. This asks the crate's own `==`, and drops the
/// checks that it does not confirm. From then on the comparison is part of the trial: a mutant that changes
/// what is compared may change what it is compared with, too.
pub(super) fn confirm_twins(
    world: &World,
    executor: &mut Executor,
    candidates: &mut [&mut Candidate],
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
            let mut builder = Builder::new(world);
            let appended = builder.append(&candidate.case.sequence).ok();
            let answer = appended.and_then(|_| compare(&mut builder, &equality, *slot, *op, args));
            let (sequence, answer) = match answer {
                Some(answer) => (builder.finish(), answer),
                None => (Sequence::empty(), SlotIdx(0)),
            };
            asks.push(Ask {
                sequence,
                watch_from: answer,
                watch_end: Vec::new(),
                traced: None,
                values: true,
                watched: false,
                traced_on: false,
            });
        }
    }
    let executions = executor.run(world, Setting::USUAL, asks)?;
    let mut wrong: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for ((i, j), (_, execution)) in places.into_iter().zip(executions) {
        let answer = execution.effects.last();
        let equal = answer.filter(|it| it.value == Some(Value::Bool(true)));
        let joined =
            equal.and_then(|it| join_trial(world, &equality, candidates[i], j, it.fingerprint));
        if joined.is_none() {
            wrong.entry(i).or_default().push(j);
        }
    }
    for (i, checks) in wrong {
        for j in checks.into_iter().rev() {
            candidates[i].case.checks.remove(j);
            candidates[i].facts.remove(j);
            candidates[i].places.remove(j);
        }
    }
    Ok(())
}
