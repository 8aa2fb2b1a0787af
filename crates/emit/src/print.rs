//! The statements of one test case.

use std::collections::BTreeSet;

use testsmith_api::{Clause, Form, Law, Operation, Origin, Pass, Reading, STAND_INS, Ty};
use testsmith_protocol::{Use, Value};
use testsmith_sequence::{Arg, SlotIdx, Step};

use crate::call::{call, closure, literal_mode, may_be_ignored};
use crate::case::{Check, Subject, TestCase};
use crate::check::{Shown, assertion, equality, strength};
use crate::cx::Cx;
use crate::expr::{Expr, Prec};
use crate::imports::Imports;
use crate::lints::{is_complex, unwraps_its_own};
use crate::literal::literal;
use crate::names::{Variables, of_operation, wanted, wanted_column};
use crate::operand::Operand;
use crate::plan::{Fate, Plan, needs_annotation, payload_pattern, plan};
use crate::recipe::recipe;

/// Which checks can be printed.
pub(crate) fn printable(cx: Cx<'_>, case: &TestCase) -> Vec<bool> {
    let scratch = Imports::scratch();
    let cx = Cx {
        imports: &scratch,
        ..cx
    };
    let n_steps = case.sequence.steps().len();
    let output = |op| {
        let op: &Operation = cx.world.catalogue.operation(op);
        &cx.world.catalogue.types.get(op.signature.output.ty).ty
    };
    let of_slot = |slot: &SlotIdx| output(case.sequence.maker(*slot).0);
    case.checks
        .iter()
        .map(|check| {
            usize::from(check.after.0) < n_steps
                && match &check.subject {
                    Subject::Slot(slot) => strength(cx, of_slot(slot), &check.value) > 0,
                    Subject::Observer { op, then, .. } => {
                        strength(cx, output(then.unwrap_or(*op)), &check.value) > 0
                    }
                    Subject::Equals { slot, .. } => {
                        cx.can(of_slot(slot), testsmith_protocol::Caps::EQ)
                    }
                }
        })
        .collect()
}

/// The statements of a test.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) lines: Vec<String>,
    pub(crate) n_calls: u32,
    /// The indices of the printed checks, in order of printing.
    pub(crate) checks: Vec<usize>,
    /// Does it use something deprecated?
    pub(crate) is_deprecated: bool,
    /// The lints that it needs to be allowed.
    pub(crate) allowed: BTreeSet<&'static str>,
    /// The names of its variables, and those that they must not have.
    pub(crate) variables: Variables,
}

/// Prints the statements of a case.
pub(crate) fn body_of(
    cx: Cx<'_>,
    case: &TestCase,
    printed: &[bool],
    reserved: &BTreeSet<String>,
) -> Option<Body> {
    let plan = plan(cx, case, printed);
    let n_slots = plan.fates.len();
    let mut printer = Printer {
        cx,
        case,
        printed,
        plan,
        variables: Variables::new(reserved),
        names: vec![String::new(); n_slots],
        lines: Vec::new(),
        checks: Vec::new(),
        allowed: BTreeSet::new(),
    };
    if unwraps_its_own(cx, case) {
        printer.allowed.insert("clippy::unnecessary_literal_unwrap");
    }
    printer.body()?;
    Some(Body {
        n_calls: printer.n_calls(),
        is_deprecated: printer.uses_deprecated(),
        lines: printer.lines,
        checks: printer.checks,
        allowed: printer.allowed,
        variables: printer.variables,
    })
}

struct Printer<'a> {
    cx: Cx<'a>,
    case: &'a TestCase,
    printed: &'a [bool],
    plan: Plan,
    variables: Variables,
    /// The name of each slot's variable; empty if it has none.
    names: Vec<String>,
    lines: Vec<String>,
    checks: Vec<usize>,
    /// Lints that the test allows.
    allowed: BTreeSet<&'static str>,
}

impl<'a> Printer<'a> {
    fn operation(&self, op: testsmith_api::OperationId) -> &'a Operation {
        self.cx.world.catalogue.operation(op)
    }

    fn output(&self, op: &Operation) -> &'a Ty {
        &self.cx.world.catalogue.types.get(op.signature.output.ty).ty
    }

    fn slot_ty(&self, slot: SlotIdx) -> &'a Ty {
        self.output(self.operation(self.case.sequence.maker(slot).0))
    }

    fn body(&mut self) -> Option<()> {
        let case = self.case;
        let unused = self.variables.clone();
        for (idx, step) in case.sequence.steps().iter().enumerate() {
            // Each case has variables of its own, with the names that they would have in a test of
            // their own.
            if case
                .acts
                .iter()
                .skip(1)
                .any(|act| usize::from(act.first.0) == idx)
            {
                self.variables = unused.clone();
            }
            match step {
                Step::Call { op, args, out } => self.statement(self.operation(*op), args, *out)?,
                Step::Drop(slot) if !self.plan.silent_drops.contains(&idx) => self.drop(*slot),
                Step::Drop(_) => {}
            }
            for check_idx in 0..case.checks.len() {
                let check = &case.checks[check_idx];
                if self.printed[check_idx] && usize::from(check.after.0) == idx {
                    let line = self.check(check)?;
                    self.lines.push(format!("{line};"));
                    self.checks.push(check_idx);
                }
            }
        }
        if case.acts.len() > 1 {
            self.separate_cases();
        }
        Some(())
    }

    /// Puts a blank line between the assertions of one case and the first lines of the next.
    fn separate_cases(&mut self) {
        let is_assertion = |line: &str| line.starts_with("assert");
        let mut spaced: Vec<String> = Vec::new();
        for line in std::mem::take(&mut self.lines) {
            let is_new =
                spaced.last().is_some_and(|last| is_assertion(last)) && !is_assertion(&line);
            if is_new {
                spaced.push(String::new());
            }
            spaced.push(line);
        }
        self.lines = spaced;
    }

    fn drop(&mut self, slot: SlotIdx) {
        let name = &self.names[usize::from(slot.0)];
        if !name.is_empty() {
            self.lines.push(format!("drop({name});"));
        }
    }

    fn statement(&mut self, op: &'a Operation, args: &'a [Arg], out: SlotIdx) -> Option<()> {
        if let Form::Law(law) = &op.form {
            return self.law(op, law, args);
        }
        let slot = usize::from(out.0);
        let fate = self.plan.fates[slot];
        let line = match fate {
            Fate::Inlined | Fate::Asserted(_) | Fate::Omitted => return Some(()),
            Fate::Discarded => {
                let expr = self.call(op, args, true)?;
                if may_be_ignored(self.cx, op) {
                    format!("{};", expr.text)
                } else {
                    format!("let _ = {};", expr.text)
                }
            }
            Fate::Bound | Fate::Kept if self.payload_of(op, args).is_some() => {
                let (pattern, from) = self.payload_of(op, args)?;
                self.let_else(pattern, from, op, out)?
            }
            Fate::Bound | Fate::Kept => {
                let boxed = self.needs_box(out);
                let annotated = boxed || needs_annotation(self.cx, op);
                let mut expr = self.call(op, args, !annotated)?;
                if boxed {
                    expr = in_box(&expr, self.output(op));
                }
                let ty = self.output(op);
                // `<HashBag<u8>>::new()` reads better with its type beside the name.
                let of_self = self.beside_its_type(&expr, ty);
                let annotated = annotated || of_self.is_some();
                expr = of_self.unwrap_or(expr);
                let role = self.plan.roles[slot].as_deref();
                let mut name = wanted(self.origin(op, args), ty, role);
                if fate == Fate::Kept {
                    name.insert(0, '_');
                }
                let name = self.variables.declare(&name);
                let mutable = if self.plan.mutable[slot] { "mut " } else { "" };
                if annotated && is_complex(ty) {
                    self.allowed.insert("clippy::type_complexity");
                }
                let annotation = if annotated {
                    format!(": {}", self.cx.ty(ty))
                } else {
                    String::new()
                };
                let line = format!("let {mutable}{name}{annotation} = {};", expr.text);
                self.names[slot] = name;
                line
            }
        };
        self.lines.push(line);
        Some(())
    }

    /// If the call takes the payload out of a variant: the pattern, and the value that is matched.
    fn payload_of(&self, op: &Operation, args: &[Arg]) -> Option<(&'a str, SlotIdx)> {
        let (Form::Unwrap(_), [Arg::Slot(from, _)]) = (&op.form, args) else {
            return None;
        };
        if self.plan.fates[usize::from(from.0)] != Fate::Inlined {
            return None;
        }
        let (maker, of) = self.case.sequence.maker(*from);
        match of {
            [Arg::Slot(whole, Use::Move | Use::Copy)] => {
                Some((payload_pattern(self.operation(maker))?, *whole))
            }
            _ => None,
        }
    }

    /// `let Entry::Occupied(entry) = map.entry(1) else { panic!(..) };`
    fn let_else(
        &mut self,
        pattern: &str,
        from: SlotIdx,
        op: &'a Operation,
        out: SlotIdx,
    ) -> Option<String> {
        let slot = usize::from(out.0);
        let whole = self.slot(from, true)?;
        let role = self.plan.roles[slot].as_deref();
        let mut name = wanted(op, self.output(op), role);
        if self.plan.fates[slot] == Fate::Kept {
            name.insert(0, '_');
        }
        let name = self.variables.declare(&name);
        let mutable = if self.plan.mutable[slot] { "mut " } else { "" };
        let head = pattern.split(['(', ' ']).next().unwrap_or_default();
        let variant = recipe(self.cx, head, &[]).text;
        let pattern = recipe(
            self.cx,
            &pattern.replace("value0", &format!("{mutable}{name}")),
            &[],
        );
        self.names[slot] = name;
        Some(format!(
            "let {} = {} else {{ panic!(\"not {variant}\") }};",
            pattern.text,
            whole.at(Prec::Postfix)
        ))
    }

    /// `HashBag::new()` for `<HashBag<u8>>::new()`, if the variable can have that type beside its name.
    fn beside_its_type(&self, expr: &Expr, ty: &Ty) -> Option<Expr> {
        let rest = expr.text.strip_prefix('<')?;
        let written = self.cx.ty(ty);
        let rest = rest.strip_prefix(&*written)?.strip_prefix(">::")?;
        let head = written.split('<').next()?;
        Some(Expr::atom(format!("{head}::{rest}")))
    }

    /// The statements of a law about its arguments. Its preconditions become assertions, too.
    fn law(&mut self, op: &Operation, law: &Law, args: &[Arg]) -> Option<()> {
        let operands = self.operands(op, args, true)?;
        for clause in &law.clauses {
            let text = |template: &str| recipe(self.cx, template, &operands).text;
            let line = match clause {
                Clause::Let(name, template) => format!("let {name} = {};", text(template)),
                Clause::Given(template) => format!("assert!({});", text(template)),
                Clause::Do(template) if template.starts_with("while ") => text(template),
                Clause::Do(template) | Clause::Then(template) => format!("{};", text(template)),
            };
            self.lines.push(line);
        }
        Some(())
    }

    /// The operation that a result is named after. An unwrapped value is named after the operation
    /// that gave it.
    fn origin(&self, op: &'a Operation, args: &'a [Arg]) -> &'a Operation {
        match (&op.form, args) {
            (Form::Unwrap(_), [Arg::Slot(from, _)]) => {
                let (op, args) = self.case.sequence.maker(*from);
                self.origin(self.operation(op), args)
            }
            _ => op,
        }
    }

    fn call(&self, op: &Operation, args: &[Arg], pinned: bool) -> Option<Expr> {
        if let Form::Closure { boxed, .. } = &op.form {
            let closure = self.closure(op, args)?;
            return Some(match boxed {
                true => in_box(&closure, self.output(op)),
                false => closure,
            });
        }
        let operands = self.operands(op, args, pinned)?;
        Some(call(self.cx, op, &operands, pinned))
    }

    fn operands(&self, op: &Operation, args: &[Arg], pinned: bool) -> Option<Vec<Operand>> {
        let args = args.iter().enumerate();
        args.map(|(idx, arg)| self.operand(op, idx, arg, pinned))
            .collect()
    }

    fn operand(&self, op: &Operation, idx: usize, arg: &Arg, pinned: bool) -> Option<Operand> {
        let input = &op.signature.inputs[idx];
        let mode = literal_mode(self.cx, op, idx, pinned);
        match arg {
            Arg::Literal(value) => {
                let ty = &self.cx.world.catalogue.types.get(input.ty.ty).ty;
                let mut expr = literal(self.cx, ty, value, mode)?;
                if let Some(holes) = self.cx.holes {
                    let name = wanted_column(&input.name, ty);
                    expr = holes.given(&expr, &name, value);
                }
                Some(match input.pass {
                    Pass::Value => Operand::value(expr),
                    Pass::Shared(_) => Operand::borrow(expr, false),
                    Pass::Mut(_) => Operand::borrow(expr, true),
                })
            }
            Arg::Slot(slot, usage) => {
                let bare = self
                    .inlined_closure(*slot)
                    .filter(|_| !mode.coerces || self.takes_object(op, idx));
                let expr = match bare {
                    Some((closure, args)) => self.closure(closure, args)?,
                    None => self.slot(*slot, mode.typed)?,
                };
                Some(match usage {
                    // `&|a| a` needs no parentheses.
                    Use::Shared | Use::Mut if bare.is_some() => {
                        let borrow = match *usage {
                            // The variable may be lent more than once, so the closure gets the
                            // reference that it holds.
                            _ if op.formatter.is_some() && !mode.coerces => "",
                            Use::Mut => "&mut ",
                            _ => "&",
                        };
                        Operand::value(Expr::new(format!("{borrow}{}", expr.text), Prec::Loose))
                    }
                    Use::Move | Use::Copy => Operand::value(expr),
                    Use::Shared => Operand::borrow(expr, false),
                    Use::Mut => Operand::borrow(expr, true),
                    Use::Reborrow => {
                        let held_mutably =
                            matches!(self.slot_ty(*slot), Ty::Ref { mutable: true, .. });
                        let mutable = held_mutably && !matches!(input.pass, Pass::Shared(_));
                        Operand::reborrow(expr, held_mutably, mutable)
                    }
                })
            }
        }
    }

    /// The closure that is written in place of this slot, if one is.
    fn inlined_closure(&self, slot: SlotIdx) -> Option<(&'a Operation, &'a [Arg])> {
        let (op, args) = self.case.sequence.maker(slot);
        let op = self.operation(op);
        let is_inlined = self.plan.fates[usize::from(slot.0)] == Fate::Inlined;
        (is_inlined && matches!(op.form, Form::Closure { .. })).then_some((op, args))
    }

    /// A closure without its box, for a place whose type is a parameter.
    fn closure(&self, op: &Operation, args: &[Arg]) -> Option<Expr> {
        let Form::Closure { template, .. } = &op.form else {
            return None;
        };
        let operands = (0..).zip(args);
        let operands: Vec<_> = operands
            .map(|(idx, arg)| self.operand(op, idx, arg, false))
            .collect::<Option<_>>()?;
        let is_literal = |i: usize| matches!(args[i], Arg::Literal(_));
        Some(closure(self.cx, op, template, &operands, is_literal))
    }

    /// Is the input a borrowed trait object, or a reference to a type parameter?
    fn takes_object(&self, op: &Operation, input: usize) -> bool {
        let callable = self.cx.callable(op);
        let declared = callable.and_then(|callable| callable.inputs.get(op.parameter(input)));
        declared.is_some_and(|param| match &param.ty {
            Ty::Ref { to, .. } => matches!(**to, Ty::Dyn { .. } | Ty::Param(_)),
            _ => false,
        })
    }

    /// Is a result whose type has no name used as the trait object that stands for it?
    fn needs_box(&self, slot: SlotIdx) -> bool {
        let is_bare = |op: &Operation, input: usize| match &op.form {
            // Stand-in functions take any type.
            Form::Recipe { template } => {
                template.starts_with("{0}.") || template.starts_with(STAND_INS)
            }
            _ => !literal_mode(self.cx, op, input, false).coerces,
        };
        let is_called = |op: &Operation, input: usize| match &op.form {
            Form::Recipe { template } => input == 0 && template.starts_with("{0}("),
            _ => false,
        };
        let maker = self.operation(self.case.sequence.maker(slot).0);
        maker.opaque
            && self.case.sequence.steps().iter().any(|step| match step {
                Step::Call { op, args, .. } => {
                    let op = self.operation(*op);
                    (0..).zip(args).any(|(input, arg)| {
                        matches!(arg, Arg::Slot(used, _) if *used == slot)
                            && !is_bare(op, input)
                            && !is_called(op, input)
                    })
                }
                Step::Drop(_) => false,
            })
    }

    fn slot(&self, slot: SlotIdx, pinned: bool) -> Option<Expr> {
        match self.plan.fates[usize::from(slot.0)] {
            Fate::Inlined | Fate::Asserted(_) => {
                let (op, args) = self.case.sequence.maker(slot);
                let expr = self.call(self.operation(op), args, pinned)?;
                Some(if self.needs_box(slot) {
                    in_box(&expr, self.slot_ty(slot))
                } else {
                    expr
                })
            }
            _ => {
                let name = &self.names[usize::from(slot.0)];
                (!name.is_empty()).then(|| Expr::atom(name.clone()))
            }
        }
    }

    fn check(&self, check: &Check) -> Option<String> {
        match &check.subject {
            Subject::Slot(slot) => {
                let fate = self.plan.fates[usize::from(slot.0)];
                let owned = matches!(fate, Fate::Asserted(_)) || self.is_asserted_only(*slot);
                let maker = self.operation(self.case.sequence.maker(*slot).0);
                let mut expr = self.slot(*slot, true)?;
                // A borrowed text is compared as it is.
                if let (true, Some(Reading::Borrowed)) = (owned, maker.reading)
                    && let Some(borrowed) = expr.text.strip_suffix(".to_owned()")
                {
                    expr = Expr::atom(borrowed);
                }
                let seen = Shown {
                    expr,
                    ty: self.slot_ty(*slot),
                    owned,
                };
                Some(assertion(self.cx, &seen, &check.value)?.0)
            }
            Subject::Observer { op, slot, then } => {
                let op = self.operation(*op);
                let arg = self.look(op, *slot)?;
                if let Some(holes) = self.cx.holes {
                    holes.expect_of(of_operation(op));
                }
                let expr = self.call(op, &[arg], true)?;
                let then = then.map(|then| self.operation(then));
                let seen = Shown {
                    expr: match then.map(|then| &then.form) {
                        Some(Form::Recipe { template }) => {
                            recipe(self.cx, template, &[Operand::value(expr)])
                        }
                        _ => expr,
                    },
                    ty: self.output(then.unwrap_or(op)),
                    owned: true,
                };
                Some(assertion(self.cx, &seen, &check.value)?.0)
            }
            Subject::Equals { slot, op, args } => {
                let op = self.operation(*op);
                let other = self.call(op, args, true)?;
                let mut seen = Shown {
                    expr: self.slot(*slot, true)?,
                    ty: self.slot_ty(*slot),
                    owned: false,
                };
                if let Ty::Ref { to, .. } = seen.ty
                    && **to == *self.output(op)
                {
                    seen.expr = seen.expr.deref();
                    seen.ty = to;
                }
                equality(self.cx, &seen, &other, check.value != Value::Bool(false))
            }
        }
    }

    /// Is nothing done with the value but that one assertion reads it?
    fn is_asserted_only(&self, slot: SlotIdx) -> bool {
        let is_argument = self.case.sequence.steps().iter().any(|step| match step {
            Step::Call { args, .. } => args
                .iter()
                .any(|arg| matches!(arg, Arg::Slot(used, _) if *used == slot)),
            Step::Drop(dropped) => *dropped == slot,
        });
        let checks = self.case.checks.iter().zip(self.printed);
        let reading = checks.filter(|(it, printed)| **printed && it.subject.slot() == slot);
        !is_argument && reading.count() == 1
    }

    /// The slot as the only argument of an observer.
    fn look(&self, op: &Operation, slot: SlotIdx) -> Option<Arg> {
        let input = op.signature.inputs.first()?;
        let have = self
            .operation(self.case.sequence.maker(slot).0)
            .signature
            .output
            .ty;
        let usage = self.cx.world.usage(input, have)?;
        Some(Arg::Slot(slot, usage))
    }

    fn operations(&self) -> impl Iterator<Item = &'a Operation> {
        let case = self.case;
        let printed = self.printed;
        let cx = self.cx;
        let of_steps = case.sequence.steps().iter().filter_map(|step| match step {
            Step::Call { op, .. } => Some(*op),
            Step::Drop(_) => None,
        });
        let of_checks = case
            .checks
            .iter()
            .zip(printed)
            .filter(|(_, printed)| **printed)
            .filter_map(|(check, _)| match &check.subject {
                Subject::Slot(_) => None,
                Subject::Observer { op, .. } | Subject::Equals { op, .. } => Some(*op),
            });
        of_steps
            .chain(of_checks)
            .map(move |op| cx.world.catalogue.operation(op))
    }

    fn n_calls(&self) -> u32 {
        self.operations()
            .filter(|op| matches!(op.origin, Origin::Callable(_)))
            .count() as u32
    }

    fn uses_deprecated(&self) -> bool {
        let types = &self.cx.world.catalogue.types;
        let is_deprecated = |ty: &Ty| matches!(ty, Ty::Adt { path, .. } if self.cx.adt(path).is_some_and(|adt| adt.deprecated));
        self.operations().any(|op| {
            let callable = self.cx.callable(op);
            let inputs = op.signature.inputs.iter().map(|input| input.ty.ty);
            let of_std = matches!(&op.form, Form::Trait { trait_, name, .. }
                if &*trait_.path == "std::error::Error"
                    && matches!(&**name, "description" | "cause"));
            of_std
                || callable.is_some_and(|callable| callable.docs.deprecated)
                || inputs
                    .chain([op.signature.output.ty])
                    .any(|ty| types.get(ty).ty.any(&mut |node| is_deprecated(node)))
        })
    }
}

/// The expression, put into the box that stands for a type without a name.
fn in_box(expr: &Expr, ty: &Ty) -> Expr {
    let is_pinned = matches!(ty, Ty::Adt { path, .. } if &**path == "std::pin::Pin");
    let make = if is_pinned { "pin" } else { "new" };
    Expr::atom(format!("Box::{make}({})", expr.text))
}
