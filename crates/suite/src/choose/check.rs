//! From observations to checks and facts.

use rustc_hash::FxHashSet;
use testsmith_api::{OperationId, Ty, TypeIdx};
use testsmith_emit::{Check, Subject, TestCase, TestKind, Worth, assertable};
use testsmith_explore::{argument_class, class, coarse, digest};
use testsmith_protocol::{Effect, Trace, Value};
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, StepIdx, World};

use super::Candidate;
use super::observe::Plan;
use super::reduce::{Reduced, about};
use super::steady::{Place, Trial};
use super::twins::Twins;
use crate::subject::subject;

/// A longer value is not read by anybody; others say the same in fewer words.
const MAX_VALUE: usize = 100;

pub(super) fn candidate(
    world: &World,
    plan: &Plan,
    reduced: &Reduced,
    twins: &Twins,
    (first, second): (&[Effect], &[Effect]),
    trace: &Trace,
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
    let mut found: Vec<(Check, u64, Place)> = Vec::new();
    let mut add = |subject: Subject, ty: TypeIdx, value: Value, fact: u64, place: Place| {
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
        found.push((check, fact, place));
        true
    };
    let is_text = |value: &Value| value.any(&mut |v| matches!(v, Value::Debug(_)));
    let mut described = FxHashSet::default();
    let is_live = plan.watch_end.contains(&plan.out);
    if is_live
        && let Some(value) = steady(plan.out, false)
        && !is_text(&value)
    {
        // Said what it is, or it might have the digest of what an observer says.
        let fact = digest(&(op, "result", class(&value, 2)));
        if add(
            Subject::Slot(plan.out),
            world.signature(op).output.ty,
            value,
            fact,
            (plan.out.0, false),
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
            if add(subject, ty, Value::Bool(true), fact, (slot.0, true)) {
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
            if add(subject, ty, value, fact, (at.0, false)) {
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
            add(Subject::Slot(*slot), ty, value, fact, (slot.0, true));
        }
    }
    if found.is_empty() {
        return None;
    }
    let places = found.iter().map(|(_, _, place)| *place).collect();
    let found = found.into_iter().map(|(check, fact, _)| (check, fact));
    let (checks, facts): (Vec<Check>, Vec<u64>) = found.unzip();
    Some(Candidate {
        inputs: input_facts(sequence, op, facts.first().copied().unwrap_or(0)),
        regions: trace.regions.clone(),
        way: trace.way,
        entered: Vec::new(),
        fuel: 0,
        kills: Vec::new(),
        essential: false,
        n_steps: length(sequence),
        subject: subject(world, about(world, op, &plan.sequence)),
        facts,
        case: TestCase {
            sequence: sequence.clone(),
            checks,
            kind: TestKind::Regression,
            deprecated: false,
            acts: Vec::new(),
            worth: Worth::default(),
        },
        operation: op,
        source: reduced.clone(),
        places,
        trial: Trial {
            observed: plan.observed.clone(),
            out: plan.out,
            watch_end: plan.watch_end.clone(),
            prints: Trial::prints(first),
        },
    })
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
pub(super) fn length(sequence: &Sequence) -> usize {
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
