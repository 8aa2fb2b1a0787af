//! Turns observations into checks and facts.

use rustc_hash::FxHashSet;
use testsmith_api::{OperationId, Ty, TypeIdx};
use testsmith_emit::{Check, Subject, TestCase, TestKind, Worth, assertable};
use testsmith_explore::{argument_class, class, coarse, digest};
use testsmith_protocol::{Effect, Trace, Value};
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, StepIdx, World};

use super::Candidate;
use super::observe::{Appended, Asked};
use super::reduce::{Reduced, Scope, about};
use super::steady::{SeenAt, Trial};
use super::twins::Twins;
use crate::subject::subject;

/// A value that takes more characters than this is not asserted: nobody reads it, and other values
/// say the same in fewer words.
const MAX_VALUE: usize = 100;

/// Private text may take as many characters where nothing else tells a mutant.
const MAX_TEXT: usize = 300;

/// Contents that take more characters are asserted only if nothing else is known of a value.
const MAX_CONTENTS: usize = 48;

/// Two runs of an appended sequence under different seeds and clocks.
#[derive(Clone, Copy)]
pub(super) struct Twice<'r> {
    pub(super) first: &'r [Effect],
    pub(super) second: &'r [Effect],
    /// The trace of the first run.
    pub(super) trace: &'r Trace,
}

impl Twice<'_> {
    /// The value of a slot if both runs agree on it; what changes with the seed is never asserted.
    fn steady(&self, slot: SlotIdx, at_end: bool) -> Option<Value> {
        let find = |effects: &[Effect]| {
            let mut effects = effects.iter();
            let effect = effects.find(|e| e.slot == slot.0 && e.at_end == at_end)?;
            effect.value.clone()
        };
        let value = find(self.first)?;
        (find(self.second).as_ref() == Some(&value)).then_some(value)
    }
}

/// A check, the fact that it shows, and the place where its value was seen.
struct Shown {
    check: Check,
    fact: u64,
    place: SeenAt,
}

/// Collects the checks that two runs allow.
struct Finder<'f> {
    world: &'f World,
    appended: &'f Appended,
    runs: Twice<'f>,
    /// Checks are made after this step.
    last: StepIdx,
    found: Vec<Shown>,
    /// How much is looked at.
    scope: Scope,
    /// Slots about which some check already says something.
    described: FxHashSet<SlotIdx>,
}

impl Finder<'_> {
    fn add(
        &mut self,
        subject: Subject,
        ty: TypeIdx,
        value: Value,
        fact: u64,
        place: SeenAt,
    ) -> bool {
        let world = self.world;
        let is_vague = is_text(&value) && !owns_text(world, ty);
        let is_twin = matches!(subject, Subject::Equals { .. });
        let max = match is_text(&value) && self.scope == Scope::All {
            true => MAX_TEXT,
            false => MAX_VALUE,
        };
        if size(&value) > max {
            return false;
        }
        if value == Value::Unit || is_vague || !is_twin && assertable(world, ty, &value) == 0 {
            return false;
        }
        self.found.push(Shown {
            check: Check {
                after: self.last,
                subject,
                value,
            },
            fact,
            place,
        });
        true
    }

    /// The type of the value that was made in a slot.
    fn ty(&self, slot: SlotIdx) -> TypeIdx {
        let (maker, _) = self.appended.sequence.maker(slot);
        self.world.signature(maker).output.ty
    }

    /// Checks what the call gave.
    fn result(&mut self) {
        let Appended { operation, out, .. } = *self.appended;
        if self.appended.watch_end.contains(&out)
            && let Some(value) = self.runs.steady(out, false)
            && !is_text(&value)
        {
            // The word keeps the digest apart from that of an observer's answer.
            let fact = digest(&(operation, "result", class(&value, 2)));
            let ty = self.world.signature(operation).output.ty;
            if self.add(Subject::Slot(out), ty, value, fact, born(out)) {
                self.described.insert(out);
            }
        }
    }

    /// Checks that a value equals one that another operation makes from literals.
    fn twins(&mut self, twins: &Twins) {
        for slot in &self.appended.watch_end {
            let (maker, _) = self.appended.sequence.maker(*slot);
            let ty = self.ty(*slot);
            if let Some(value) = self.runs.steady(*slot, true)
                && let Some((twin, args)) = twins.get(&(ty, value))
                && *twin != maker
            {
                let fact = digest(&(self.appended.operation, "twin", twin));
                let subject = Subject::Equals {
                    slot: *slot,
                    op: *twin,
                    args: args.clone(),
                };
                if self.add(subject, ty, Value::Bool(true), fact, in_the_end(*slot)) {
                    self.described.insert(*slot);
                }
            }
        }
    }

    /// Checks what observers answer.
    fn observers(&mut self) {
        for Asked { at, op, then, slot } in &self.appended.observers {
            if let Some(value) = self.runs.steady(*at, false)
                && !is_text(&value)
                && !(then.is_some() && self.is_poor(&value, *slot))
            {
                let ty = self.world.signature(then.unwrap_or(*op)).output.ty;
                let fact = digest(&(self.appended.operation, op, coarse(&value)));
                let subject = Subject::Observer {
                    op: *op,
                    slot: *slot,
                    then: *then,
                };
                if self.add(subject, ty, value, fact, born(*at)) {
                    self.described.insert(*slot);
                }
            }
        }
    }

    /// Are these contents better told by other observers? Nothing reads better as `is_empty()` or a
    /// length of zero, and long lists are not read.
    fn is_poor(&self, contents: &Value, slot: SlotIdx) -> bool {
        let is_empty = matches!(contents, Value::List(items) if items.is_empty());
        (is_empty || size(contents) > MAX_CONTENTS) && self.described.contains(&slot)
    }

    /// Checks the `Debug` text of values that no other check describes, or of all.
    fn texts(&mut self) {
        for slot in &self.appended.watch_end {
            let is_described = self.described.contains(slot);
            if let Some(value) = self.runs.steady(*slot, true)
                && (!is_described || self.scope == Scope::All && is_text(&value))
            {
                let fact = digest(&(self.appended.operation, "text", class(&value, 2)));
                let ty = self.ty(*slot);
                self.add(Subject::Slot(*slot), ty, value, fact, in_the_end(*slot));
            }
        }
    }
}

/// Of a value when it is made.
pub(super) fn born(slot: SlotIdx) -> SeenAt {
    SeenAt {
        slot,
        at_end: false,
    }
}

/// Of a value in the end.
fn in_the_end(slot: SlotIdx) -> SeenAt {
    SeenAt { slot, at_end: true }
}

/// Is some part of the value known by nothing but its `Debug` text?
fn is_text(value: &Value) -> bool {
    value.any(&mut |v| matches!(v, Value::Debug(_)))
}

/// The test that could be written of an execution, if anything about it can be asserted.
pub(super) fn candidate(
    world: &World,
    appended: &Appended,
    reduced: &Reduced,
    twins: &Twins,
    runs: Twice<'_>,
) -> Option<Candidate> {
    let sequence = &appended.sequence;
    let op = appended.operation;
    let mut finder = Finder {
        world,
        appended,
        runs,
        last: StepIdx(sequence.steps().len().checked_sub(1)? as u16),
        found: Vec::new(),
        scope: reduced.scope,
        described: FxHashSet::default(),
    };
    finder.result();
    finder.twins(twins);
    finder.observers();
    // Text comes last, because it is only for slots that nothing else describes.
    finder.texts();
    let found = finder.found;
    if found.is_empty() {
        return None;
    }
    let places = found.iter().map(|it| it.place).collect();
    let found = found.into_iter().map(|it| (it.check, it.fact));
    let (checks, facts): (Vec<Check>, Vec<u64>) = found.unzip();
    Some(Candidate {
        inputs: input_facts(sequence, op, facts.first().copied().unwrap_or(0)),
        regions: runs.trace.regions.clone(),
        way: runs.trace.way,
        entered: Vec::new(),
        reached: Vec::new(),
        fuel: 0,
        kills: Vec::new(),
        beside: appended.beside.clone(),
        unmoved: Vec::new(),
        duties: Vec::new(),
        shown: false,
        essential: false,
        n_steps: length(sequence),
        subject: subject(world, about(world, op, &appended.sequence)),
        facts,
        case: TestCase {
            sequence: sequence.clone(),
            checks,
            kind: TestKind::Regression,
            deprecated: false,
            acts: Vec::new(),
            worth: Worth::default(),
            parts: Vec::new(),
        },
        operation: op,
        source: reduced.clone(),
        places,
        trial: Trial {
            observed: appended.observed.clone(),
            out: appended.out,
            watch_end: appended.watch_end.clone(),
            prints: Trial::prints(runs.first),
        },
    })
}

/// Is the `Debug` text of this type fixed by the crate, or stable in the standard library? The text
/// of the standard library's other types may change with every release.
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

/// How long a case is for its reader: its steps, and the literals in them.
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

/// Facts about arguments: which kind each argument of the call has, and which kinds they have
/// together, with the outcome.
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
