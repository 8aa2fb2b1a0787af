//! What a case may be there for: its duties.
//!
//! A callable of the crate has a test, and its test shows every side of what it answers: true and false,
//! something and nothing, success and failure. Whoever reads the test of a lookup wants to see it find and
//! miss.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use testsmith_api::{CallableId, Form, Operation, OperationId, Origin, TypeIdx, collects};
use testsmith_emit::{Check, Subject};
use testsmith_protocol::{MutantId, RegionId, Value};
use testsmith_sequence::{Arg, SlotIdx, Step, World};

use super::{Candidate, reduce};

/// What a case may be there for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Duty {
    /// It calls this, or asks it in an assertion.
    Call(CallableId),
    /// It is about this, and the call ends on this side.
    Side(CallableId, Side),
    /// It enters this region.
    Enter(RegionId),
    /// It kills this mutant.
    Kill(MutantId),
}

/// The sides of an answer that has two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Side {
    True,
    False,
    Some,
    None,
    Ok,
    Err,
}

impl Side {
    /// Is it the side of what is not there, or does not hold?
    pub(super) fn is_absent(self) -> bool {
        matches!(self, Side::False | Side::None | Side::Err)
    }
}

/// Tells the duties of cases.
pub(super) struct Duties<'w> {
    world: &'w World,
    /// Are mutants all that cases are there for?
    only_kills: bool,
    /// The callables that collecting an iterator calls, by its type.
    iterating: BTreeMap<TypeIdx, Vec<CallableId>>,
}

impl<'w> Duties<'w> {
    pub(super) fn new(world: &'w World, only_kills: bool) -> Duties<'w> {
        let mut iterating: BTreeMap<TypeIdx, Vec<CallableId>> = BTreeMap::new();
        for operation in &world.catalogue.operations {
            let (Origin::Callable(callable), Form::Trait { trait_, name, .. }) =
                (operation.origin, &operation.form)
            else {
                continue;
            };
            if let [receiver] = &operation.signature.inputs[..]
                && &*trait_.path == "std::iter::Iterator"
                && &**name == "next"
            {
                let of_type = iterating.entry(receiver.ty.ty).or_default();
                of_type.push(callable);
            }
        }
        Duties {
            world,
            only_kills,
            iterating,
        }
    }

    /// What a case could be there for by the call that it is about, by calls that make what others are
    /// given, and by what it asserts.
    pub(super) fn own(&self, case: &Candidate) -> Vec<Duty> {
        if self.only_kills {
            return kills(case).collect();
        }
        let checks = case.case.checks.iter();
        let asked = checks.flat_map(|it| self.asks(it));
        let calls = self.makers(case).into_iter().chain(asked);
        let enters = case.regions.iter().map(|it| Duty::Enter(it.region()));
        let calls = calls.map(Duty::Call).chain(self.side(case));
        calls.chain(enters).chain(kills(case)).collect()
    }

    /// What a case could be there for.
    pub(super) fn all(&self, case: &Candidate) -> Vec<Duty> {
        if self.only_kills {
            return kills(case).collect();
        }
        let calls = self.called(case).into_iter().map(Duty::Call);
        let checks = case.case.checks.iter();
        let asked = checks.flat_map(|it| self.asks(it)).map(Duty::Call);
        let enters = case.entered.iter().map(|it| Duty::Enter(*it));
        let calls = calls.chain(asked).chain(self.side(case));
        calls.chain(enters).chain(kills(case)).collect()
    }

    /// Is all that the case looks at iterators of the crate?
    pub(super) fn shows_iterator(&self, case: &Candidate) -> bool {
        let sequence = &case.case.sequence;
        case.case.checks.iter().all(|check| {
            let (maker, _) = sequence.maker(check.subject.slot());
            let ty = self.world.signature(maker).output.ty;
            self.iterating.contains_key(&ty)
        })
    }

    /// Does a case do this?
    pub(super) fn does(&self, case: &Candidate, wanted: &[Duty]) -> bool {
        let done: FxHashSet<Duty> = self.all(case).into_iter().collect();
        wanted.iter().all(|duty| done.contains(duty))
    }

    /// The callable that a case is about, and those that make what others are given.
    pub(super) fn makers(&self, case: &Candidate) -> Vec<CallableId> {
        let sequence = &case.case.sequence;
        let is_used = |out: SlotIdx| {
            let mut args = sequence.steps().iter().flat_map(|step| match step {
                Step::Call { args, .. } => &args[..],
                Step::Drop(_) => &[],
            });
            args.any(|arg| matches!(arg, Arg::Slot(slot, _) if *slot == out))
        };
        let makers = sequence.steps().iter().filter_map(|step| match step {
            Step::Call { op, out, .. } if is_used(*out) => callable(self.world, *op),
            _ => None,
        });
        let about = callable(self.world, about(self.world, case));
        about
            .into_iter()
            .chain(makers)
            .chain(self.iterated(case))
            .collect()
    }

    /// The callables that a check asks.
    pub(super) fn asks(&self, check: &Check) -> Vec<CallableId> {
        let (op, then) = match &check.subject {
            _ if self.only_kills => return Vec::new(),
            Subject::Observer { op, then, .. } => (*op, *then),
            Subject::Equals { op, .. } => (*op, None),
            Subject::Slot(_) => return Vec::new(),
        };
        let iterated = then.into_iter().flat_map(|it| self.iterates(it));
        callable(self.world, op)
            .into_iter()
            .chain(iterated)
            .collect()
    }

    /// The callables that a case calls.
    fn called(&self, case: &Candidate) -> BTreeSet<CallableId> {
        operations(case)
            .filter_map(|op| callable(self.world, op))
            .chain(self.iterated(case))
            .collect()
    }

    /// The callables that a case calls because it collects iterators.
    fn iterated(&self, case: &Candidate) -> Vec<CallableId> {
        operations(case).flat_map(|op| self.iterates(op)).collect()
    }

    fn iterates(&self, op: OperationId) -> Vec<CallableId> {
        let operation = self.world.catalogue.operation(op);
        match &operation.signature.inputs[..] {
            [input] if collects(&operation.form) => {
                let known = self.iterating.get(&input.ty.ty);
                known.cloned().unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// The side on which the call ends that the case is about, as a duty.
    fn side(&self, case: &Candidate) -> Option<Duty> {
        let op = about(self.world, case);
        // Every iterator ends.
        if let Form::Trait { trait_, .. } = &self.world.catalogue.operation(op).form
            && trait_.path.starts_with("std::iter::")
        {
            return None;
        }
        Some(Duty::Side(callable(self.world, op)?, side(case)?))
    }
}

/// What a case kills, as duties.
fn kills(case: &Candidate) -> impl Iterator<Item = Duty> + '_ {
    case.kills.iter().map(|it| Duty::Kill(it.mutant))
}

/// The side on which the last call of a case ends.
pub(super) fn side(case: &Candidate) -> Option<Side> {
    let shown =
        |check: &&Check| matches!(&check.subject, Subject::Slot(slot) if *slot == case.trial.out);
    Some(match &case.case.checks.iter().find(shown)?.value {
        Value::Bool(true) => Side::True,
        Value::Bool(false) => Side::False,
        Value::Named { path, .. } => match path.as_str() {
            "Some" => Side::Some,
            "None" => Side::None,
            "Ok" => Side::Ok,
            "Err" => Side::Err,
            _ => return None,
        },
        _ => return None,
    })
}

/// The operation that a case is about.
pub(super) fn about(world: &World, case: &Candidate) -> OperationId {
    reduce::about(world, case.operation, &case.case.sequence)
}

/// The operations that a case calls.
pub(super) fn operations(case: &Candidate) -> impl Iterator<Item = OperationId> + '_ {
    let steps = case.case.sequence.steps().iter();
    steps.filter_map(|step| match step {
        Step::Call { op, .. } => Some(*op),
        Step::Drop(_) => None,
    })
}

/// The callable of an operation that is worth a test for itself. What is derived is the compiler's
/// code, and `Debug` is for whoever debugs: a test of either needs a mutant or a branch.
pub(super) fn callable(world: &World, op: OperationId) -> Option<CallableId> {
    let operation = world.catalogue.operation(op);
    let Origin::Callable(callable) = operation.origin else {
        return None;
    };
    let of_trait = match &operation.form {
        // No code of the crate runs.
        Form::Variant { .. }
        | Form::StructLiteral { .. }
        | Form::Const { .. }
        | Form::AssocConst { .. } => return None,
        Form::Trait { trait_, .. } => &*trait_.path,
        _ => "",
    };
    // A derived format is somebody's contract, unlike a derived `clone`.
    let derived = world.catalogue.api.callable(callable).derived;
    let is_derived = derived && !is_serde(of_trait);
    (!is_debug(operation) && !is_derived).then_some(callable)
}

fn is_serde(of_trait: &str) -> bool {
    !of_trait.is_empty() && !of_trait.starts_with("std::")
}

/// Does the operation give `Debug` text?
pub(super) fn is_debug(operation: &Operation) -> bool {
    match (&operation.form, operation.reading) {
        (_, Some(reading)) => reading.template().contains(":?"),
        (Form::Recipe { template }, None) => template.contains(":?"),
        (Form::Trait { trait_, .. }, None) => &*trait_.path == "std::fmt::Debug",
        _ => false,
    }
}
