//! Plans what each result of a test becomes: a variable, a part of a later expression, or nothing.
//!
//! A result is written into the expression that uses it only if that changes neither the order of
//! evaluation nor what is alive at any time: the steps in between must all be part of the same
//! expression, nothing may be asserted in between, and a borrowed temporary must not be needed
//! after its statement.

use testsmith_api::{Form, Operation, Pass, Ty};
use testsmith_protocol::{Caps, Use, Value};
use testsmith_sequence::{Arg, SlotIdx, Step};

use crate::call::{has_parts, is_receiver, literal_mode};
use crate::case::{Subject, TestCase};
use crate::cx::{Cx, type_args};

/// What a slot becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// `let x = ..;`
    Bound,
    /// `let _x = ..;`: nothing uses the value, but it matters when it is dropped.
    Kept,
    /// Written where it is used.
    Inlined,
    /// Written into its only assertion, the check with this index.
    Asserted(usize),
    /// A statement whose result is dropped.
    Discarded,
    /// Not written at all, because it is a literal that nothing uses.
    Omitted,
}

/// The plan of one test.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The fate of each slot.
    pub(crate) fates: Vec<Fate>,
    /// For each slot: is it ever borrowed mutably?
    pub(crate) mutable: Vec<bool>,
    /// For each slot, the name of the parameter that it is first used for.
    pub(crate) roles: Vec<Option<String>>,
    /// Drop steps that need not be printed, because the end of a statement drops the value.
    pub(crate) silent_drops: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Site {
    Arg { step: usize, pos: usize },
    Drop(usize),
    Check(usize),
}

/// Expressions larger than this get a variable.
const MAX_COST: usize = 4;

struct Planner<'a> {
    cx: Cx<'a>,
    case: &'a TestCase,
    /// For each check: is it printed?
    printed: &'a [bool],
    sites: Vec<Vec<Site>>,
    makers: Vec<usize>,
    fates: Vec<Fate>,
    /// For each step, the first step that is part of its expression.
    start: Vec<usize>,
    /// For each step, the size of its expression.
    cost: Vec<usize>,
}

/// Plans a test. `printed` says which checks will be printed.
pub(crate) fn plan(cx: Cx<'_>, case: &TestCase, printed: &[bool]) -> Plan {
    let n_slots = usize::from(case.sequence.n_slots());
    let n_steps = case.sequence.steps().len();
    let mut planner = Planner {
        cx,
        case,
        printed,
        sites: vec![Vec::new(); n_slots],
        makers: vec![0; n_slots],
        fates: vec![Fate::Bound; n_slots],
        start: (0..n_steps).collect(),
        cost: vec![0; n_steps],
    };
    planner.collect_sites();
    for step in 0..n_steps {
        planner.inline_arguments(step);
    }
    let mut silent_drops = Vec::new();
    for slot in 0..n_slots {
        planner.settle(slot, &mut silent_drops);
    }
    let (mutable, roles) = planner.mutability_and_roles();
    Plan {
        fates: planner.fates,
        mutable,
        roles,
        silent_drops,
    }
}

impl<'a> Planner<'a> {
    fn step(&self, step: usize) -> &'a Step {
        &self.case.sequence.steps()[step]
    }

    fn operation(&self, step: usize) -> Option<(&'a Operation, &'a [Arg])> {
        match self.step(step) {
            Step::Call { op, args, .. } => {
                Some((self.cx.world.catalogue.operation(*op), &args[..]))
            }
            Step::Drop(_) => None,
        }
    }

    fn maker(&self, slot: usize) -> &'a Operation {
        self.operation(self.makers[slot])
            .expect("a slot is filled by a call")
            .0
    }

    fn ty(&self, slot: usize) -> &'a Ty {
        let types = &self.cx.world.catalogue.types;
        &types.get(self.maker(slot).signature.output.ty).ty
    }

    fn collect_sites(&mut self) {
        for (idx, step) in self.case.sequence.steps().iter().enumerate() {
            match step {
                Step::Call { args, out, .. } => {
                    self.makers[usize::from(out.0)] = idx;
                    for (pos, arg) in args.iter().enumerate() {
                        if let Arg::Slot(slot, _) = arg {
                            self.sites[usize::from(slot.0)].push(Site::Arg { step: idx, pos });
                        }
                    }
                }
                Step::Drop(slot) => self.sites[usize::from(slot.0)].push(Site::Drop(idx)),
            }
        }
        for (idx, check) in self.case.checks.iter().enumerate() {
            if !self.printed[idx] {
                continue;
            }
            let mut see = |slot: &SlotIdx| {
                self.sites[usize::from(slot.0)].push(Site::Check(idx));
            };
            match &check.subject {
                Subject::Slot(slot) | Subject::Observer { slot, .. } => see(slot),
                Subject::Equals { slot, args, .. } => {
                    see(slot);
                    for arg in args {
                        if let Arg::Slot(slot, _) = arg {
                            see(slot);
                        }
                    }
                }
            }
        }
    }

    /// Writes results into this step that were made only for it. The last argument comes first, so
    /// that the order of evaluation stays that of the steps.
    fn inline_arguments(&mut self, step: usize) {
        let Some((op, args)) = self.operation(step) else {
            return;
        };
        self.cost[step] = own_cost(op, args);
        let mut next = step;
        for (pos, arg) in args.iter().enumerate().rev() {
            let Arg::Slot(slot, usage) = arg else {
                continue;
            };
            let slot = usize::from(slot.0);
            let maker = self.makers[slot];
            // What runs no code of the crate may be written anywhere.
            let is_pure = self.is_pure(maker);
            if (maker + 1 == next || is_pure) && self.may_inline(slot, step, pos, *usage) {
                self.fates[slot] = Fate::Inlined;
                self.cost[step] += self.cost[maker];
                if maker + 1 == next {
                    next = self.start[maker];
                }
            }
        }
        self.start[step] = next;
    }

    /// Does the step make a closure or a constant out of literals?
    fn is_pure(&self, step: usize) -> bool {
        self.operation(step).is_some_and(|(op, args)| {
            let is_constant = matches!(
                op.form,
                Form::Closure { .. } | Form::Const { .. } | Form::AssocConst { .. }
            );
            is_constant && args.iter().all(|arg| matches!(arg, Arg::Literal(_)))
        })
    }

    fn may_inline(&self, slot: usize, step: usize, pos: usize, usage: Use) -> bool {
        let maker = self.makers[slot];
        let (op, args) = self.operation(step).expect("only calls have arguments");
        // A law uses its arguments more than once, so they get variables.
        if matches!(op.form, Form::Law(_)) {
            return false;
        }
        // rustc warns about an `unsafe` block within another one.
        let made_by = self.cx.callable(self.maker(slot));
        if self.sites[slot].len() != 1 || made_by.is_some_and(|callable| callable.is_unsafe) {
            return false;
        }
        let asserted_between = self
            .case
            .checks
            .iter()
            .zip(self.printed)
            .any(|(check, printed)| {
                let after = usize::from(check.after.0);
                *printed && (self.start[maker]..step).contains(&after)
            });
        let is_between = asserted_between && !self.is_pure(maker);
        if is_between || self.conflicts(maker, pos, args) {
            return false;
        }
        // Code that writes to a formatter is in a closure that may be called again, so it must not
        // use anything up.
        let (_, made_of) = self.operation(maker).expect("a slot is filled by a call");
        let uses_up = made_of.iter().any(|arg| matches!(arg, Arg::Slot(..)));
        if op.formatter.is_some() && uses_up {
            return false;
        }
        let unwraps = matches!(op.form, Form::Unwrap(_));
        if unwraps && needs_annotation(self.cx, self.maker(slot)) {
            return false;
        }
        // A payload gets a statement of its own, in which it is taken out.
        if self.is_payload(slot) {
            return false;
        }
        if !unwraps && !self.reads_well(slot, op, pos, usage) {
            return false;
        }
        if matches!(self.maker(slot).form, Form::Closure { .. }) {
            return matches!(usage, Use::Move | Use::Copy)
                || op.signature.output.regions.is_empty();
        }
        match usage {
            Use::Mut => false,
            Use::Reborrow if is_mutable_reference(self.ty(slot)) => false,
            Use::Shared => {
                let result_borrows = !op.signature.output.regions.is_empty();
                let argument_borrows = op.signature.inputs.iter().any(|input| {
                    matches!(input.pass, Pass::Mut(_)) && !input.ty.regions.is_empty()
                });
                !result_borrows && !argument_borrows && !self.drop_matters(slot)
            }
            Use::Move | Use::Copy | Use::Reborrow => true,
        }
    }

    /// Is it the payload of a variant, taken out of an `Option`?
    fn is_payload(&self, slot: usize) -> bool {
        match self.operation(self.makers[slot]) {
            Some((op, [Arg::Slot(from, _)])) => {
                matches!(op.form, Form::Unwrap(_))
                    && self.sites[usize::from(from.0)].len() == 1
                    && payload_pattern(self.maker(usize::from(from.0))).is_some()
            }
            _ => false,
        }
    }

    /// Would the inlined expression and another argument get in each other's way?
    fn conflicts(&self, maker: usize, pos: usize, args: &[Arg]) -> bool {
        let mut inside = Vec::new();
        self.mentions(maker, &mut inside);
        let mut outside = Vec::new();
        for (other, arg) in args.iter().enumerate() {
            if let (true, Arg::Slot(slot, usage)) = (other != pos, arg) {
                outside.push((usize::from(slot.0), *usage));
                if self.fates[usize::from(slot.0)] == Fate::Inlined {
                    self.mentions(self.makers[usize::from(slot.0)], &mut outside);
                }
            }
        }
        inside.iter().any(|(slot, usage)| {
            outside.iter().any(|(other, other_usage)| {
                slot == other
                    && !(self.only_reads(*slot, *usage) && self.only_reads(*slot, *other_usage))
            })
        })
    }

    fn mentions(&self, step: usize, out: &mut Vec<(usize, Use)>) {
        let Some((_, args)) = self.operation(step) else {
            return;
        };
        for arg in args {
            if let Arg::Slot(slot, usage) = arg {
                let slot = usize::from(slot.0);
                out.push((slot, *usage));
                if self.fates[slot] == Fate::Inlined {
                    self.mentions(self.makers[slot], out);
                }
            }
        }
    }

    fn only_reads(&self, slot: usize, usage: Use) -> bool {
        match usage {
            Use::Shared | Use::Copy => true,
            Use::Reborrow => !is_mutable_reference(self.ty(slot)),
            Use::Move | Use::Mut => false,
        }
    }

    /// Decides by readability: constructors and constants may stand inside a call, while the
    /// results of other calls get a variable.
    fn reads_well(&self, slot: usize, op: &Operation, pos: usize, usage: Use) -> bool {
        let maker = self.makers[slot];
        // What gives an enum stands beside the pattern of its payload.
        if payload_pattern(op).is_some() && usage == Use::Move {
            return self.cost[maker] <= MAX_COST && !is_match(self.maker(slot));
        }
        if self.cost[maker] + own_cost(op, &[]) > MAX_COST || is_match(op) {
            return false;
        }
        let (made_by, made_of) = self.operation(maker).expect("a slot is filled by a call");
        let consuming_chain = is_receiver(op, pos) && usage == Use::Move;
        let borrowed_receiver = is_receiver(op, pos) && !consuming_chain;
        let is_simple = matches!(
            made_by.form,
            Form::Const { .. } | Form::AssocConst { .. } | Form::Field { .. } | Form::Literal
        ) || matches!(&made_by.form, Form::Variant { fields, .. } if fields.list().is_empty());
        if is_simple {
            return true;
        }
        if matches!(made_by.form, Form::Closure { .. }) {
            return !is_receiver(op, pos);
        }
        if borrowed_receiver {
            return false;
        }
        // If nothing fixes the type, the value needs a variable with an annotation.
        if literal_mode(self.cx, op, pos, false).typed && needs_annotation(self.cx, made_by) {
            return false;
        }
        match &made_by.form {
            Form::Unwrap(_) => match made_of {
                [Arg::Slot(from, _)] if self.fates[usize::from(from.0)] == Fate::Inlined => {
                    is_constructor(self.maker(usize::from(from.0)))
                }
                _ => false,
            },
            Form::Inherent { has_self: true, .. } | Form::Trait { has_self: true, .. } => {
                // Calls that use up what the call before gave are written as a chain.
                consuming_chain
            }
            _ => is_constructor(made_by) && !is_match(made_by),
        }
    }

    fn settle(&mut self, slot: usize, silent_drops: &mut Vec<usize>) {
        if self.fates[slot] == Fate::Inlined {
            return;
        }
        let maker = self.makers[slot];
        let op = self.maker(slot);
        let mut sites = self.sites[slot].clone();
        // A value that is dropped right after it is made, or right after its only assertion, is
        // dropped by the end of that statement.
        let dropped_at_once = sites.contains(&Site::Drop(maker + 1))
            && !sites.iter().any(|site| matches!(site, Site::Arg { .. }));
        if dropped_at_once && sites.len() <= 2 {
            sites.retain(|site| *site != Site::Drop(maker + 1));
        }
        let fate = match &sites[..] {
            [] if matches!(op.form, Form::Literal) || is_idle(op) => Fate::Omitted,
            [] if dropped_at_once || !self.drop_matters(slot) => Fate::Discarded,
            [] => Fate::Kept,
            [Site::Check(idx)] if self.may_assert(slot, *idx, dropped_at_once) => {
                Fate::Asserted(*idx)
            }
            _ => Fate::Bound,
        };
        if dropped_at_once && matches!(fate, Fate::Discarded | Fate::Asserted(_)) {
            silent_drops.push(maker + 1);
        }
        self.fates[slot] = fate;
    }

    fn may_assert(&self, slot: usize, check_idx: usize, dropped_at_once: bool) -> bool {
        let maker = self.makers[slot];
        let check = &self.case.checks[check_idx];
        let first_here = self
            .case
            .checks
            .iter()
            .zip(self.printed)
            .position(|(other, printed)| *printed && usize::from(other.after.0) == maker);
        let op = self.maker(slot);
        matches!(check.subject, Subject::Slot(_))
            && first_here == Some(check_idx)
            && !matches!(
                op.form,
                Form::Literal | Form::StructLiteral { .. } | Form::Variant { .. }
            )
            && !is_match(op)
            && !self.is_payload(slot)
            && (dropped_at_once || !self.drop_matters(slot))
    }

    /// Does it matter when the value is dropped? It does for guards and shared owners, as far as
    /// their types show it, unless nothing happens afterwards.
    fn drop_matters(&self, slot: usize) -> bool {
        let maker = self.makers[slot];
        let n_steps = self.case.sequence.steps().len();
        let checked_later = self
            .case
            .checks
            .iter()
            .zip(self.printed)
            .filter(|(check, printed)| **printed && usize::from(check.after.0) >= maker)
            .any(|(check, _)| {
                !matches!(&check.subject, Subject::Slot(seen) if usize::from(seen.0) == slot)
            });
        if maker + 1 == n_steps && !checked_later {
            return false;
        }
        let idx = self.maker(slot).signature.output.ty;
        let caps = self.cx.world.caps(idx);
        if !caps.has(Caps::DROP) {
            return false;
        }
        let info = self.cx.world.catalogue.types.get(idx);
        info.n_regions > 0
            || info.ty.any(&mut |ty| match ty {
                Ty::Dyn { .. } | Ty::Opaque { .. } => true,
                Ty::Adt { path, .. } => {
                    matches!(
                        &**path,
                        "std::rc::Rc" | "std::sync::Arc" | "std::rc::Weak" | "std::sync::Weak"
                    ) || !path.starts_with("std::") && !caps.has(Caps::CLONE)
                }
                _ => false,
            })
    }

    fn mutability_and_roles(&self) -> (Vec<bool>, Vec<Option<String>>) {
        let n_slots = self.sites.len();
        let mut mutable = vec![false; n_slots];
        let mut roles = vec![None; n_slots];
        for step in 0..self.case.sequence.steps().len() {
            let Some((op, args)) = self.operation(step) else {
                continue;
            };
            for (input, arg) in op.signature.inputs.iter().zip(args) {
                if let Arg::Slot(slot, usage) = arg {
                    let slot = usize::from(slot.0);
                    mutable[slot] |= *usage == Use::Mut;
                    roles[slot].get_or_insert_with(|| input.name.to_string());
                }
            }
        }
        (mutable, roles)
    }
}

fn is_mutable_reference(ty: &Ty) -> bool {
    matches!(ty, Ty::Ref { mutable: true, .. })
}

/// Is it written as a `match`? That gets a statement of its own, and a variable to match on.
fn is_match(op: &Operation) -> bool {
    matches!(&op.form, Form::Recipe { template } if template.starts_with("match "))
}

/// The pattern of a variant with one payload, named `value0`, if the operation takes that out of an enum
/// of several variants.
pub(crate) fn payload_pattern(op: &Operation) -> Option<&str> {
    let Form::Recipe { template } = &op.form else {
        return None;
    };
    let rest = template.strip_prefix("match {0} { ")?;
    let pattern = rest.strip_suffix(" => Some(value0), _ => None }")?;
    let is_one = pattern.matches("value").count() == 1 && pattern.contains("value0");
    is_one.then_some(pattern)
}

fn own_cost(op: &Operation, args: &[Arg]) -> usize {
    let own = match op.form {
        Form::Unwrap(_) | Form::Field { .. } | Form::Literal => 0,
        _ => 1,
    };
    let literals: usize = args
        .iter()
        .map(|arg| match arg {
            Arg::Literal(value) => size(value) / 24,
            Arg::Slot(..) => 0,
        })
        .sum();
    own + literals
}

fn size(value: &Value) -> usize {
    match value {
        Value::Str(text) => text.len(),
        Value::Tuple(parts) | Value::List(parts) => parts.iter().map(|part| size(part) + 2).sum(),
        Value::Named { fields, .. } => 4 + fields.iter().map(|(_, part)| size(part)).sum::<usize>(),
        _ => 3,
    }
}

/// Is it a recipe that takes nothing (`None`, `vec![]`)? It does nothing unless its result is used.
fn is_idle(op: &Operation) -> bool {
    let is_ours = matches!(op.form, Form::Recipe { .. } | Form::Closure { .. });
    is_ours && op.signature.inputs.is_empty()
}

fn is_constructor(op: &Operation) -> bool {
    match &op.form {
        Form::Function { .. }
        | Form::Recipe { .. }
        | Form::Closure { .. }
        | Form::StructLiteral { .. }
        | Form::Variant { .. }
        | Form::Const { .. }
        | Form::AssocConst { .. }
        | Form::Literal => true,
        Form::Inherent { has_self, .. } | Form::Trait { has_self, .. } => !has_self,
        Form::Field { .. } | Form::Unwrap(_) | Form::Law(_) => false,
    }
}

/// Does the variable that holds this result need its type written?
pub(crate) fn needs_annotation(cx: Cx<'_>, op: &Operation) -> bool {
    let types = &cx.world.catalogue.types;
    let output = &types.get(op.signature.output.ty).ty;
    match &op.form {
        Form::Literal => output.any(&mut |ty| match ty {
            Ty::Prim(prim) => prim.is_integer() || prim.is_float(),
            Ty::Slice(_) => true,
            Ty::Adt { args, .. } => !args.is_empty(),
            _ => false,
        }),
        Form::Recipe { template } => {
            let inputs = &op.signature.inputs;
            let unnameable = output.any(&mut |ty| {
                matches!(
                    ty,
                    Ty::Opaque { .. } | Ty::FnPtr { .. } | Ty::Unsupported(_)
                )
            });
            // The literal inside says it.
            if template.contains("num::NonZero::new(") {
                return false;
            }
            let is_method = template.starts_with("{0}.") && &**template != "{0}.as_ref()";
            if !has_parts(output)
                || unnameable
                || is_method
                || is_match(op)
                || template.contains("::<")
            {
                return false;
            }
            let chooses = template.contains("::from(") || template.ends_with(".as_ref()");
            let is_free = |part: &Ty| {
                !inputs
                    .iter()
                    .any(|input| types.get(input.ty.ty).ty.any(&mut |ty| ty == part))
            };
            chooses || type_args(output).into_iter().any(is_free)
        }
        Form::Closure { .. } => true,
        _ => false,
    }
}
