//! Applies operations to a value and expressions, where they fit.

use testsmith_api::{OperationId, Pass, TypeIdx};
use testsmith_protocol::Caps;
use testsmith_sequence::{Arg, SlotIdx};

use super::evaluate::{Answers, Evaluator, MAX_ANSWERS, Want};
use super::index::head;
use super::pure::Fit;
use super::script::{Expr, Path, Why};
use super::state::{Bound, State};

impl<'w> Evaluator<'w, '_> {
    /// Writes a literal into a slot of its own, or as the only input of a recipe.
    pub(super) fn written(
        &self,
        state: &State<'w>,
        expr: &Expr,
        types: &[TypeIdx],
        fit: Fit,
    ) -> Answers<'w> {
        for (ty, fit) in types
            .iter()
            .flat_map(|ty| exact_first(fit).map(move |fit| (ty, fit)))
        {
            let Some(&op) = self.index.literals.get(ty) else {
                continue;
            };
            let type_ = &self.world.catalogue.types.get(*ty).ty;
            if let Some(value) = state.value_at(type_, expr, fit) {
                let mut state = state.clone();
                state.n_stand_ins += u32::from(fit == Fit::StandIn);
                let slot = state.builder.push(op, vec![Arg::Literal(value.into())]);
                return Ok(vec![(state, slot.map_err(|_| Why::Unfit)?)]);
            }
        }
        for op in types.iter().flat_map(|ty| self.index.wrappers(*ty)) {
            let input = &self.world.signature(*op).inputs[0];
            let is_literal = self.world.caps(input.ty.ty).has(Caps::LITERAL);
            if is_literal && let Ok(answer) = self.applied(state, *op, None, &[expr]) {
                return Ok(vec![answer]);
            }
        }
        match expr {
            Expr::Place(of) => self.evaluate(state, of, Want::Types(types, fit)),
            Expr::Tuple(_) | Expr::List(_) | Expr::Range { .. } => {
                self.composed(state, expr, Want::Types(types, fit))
            }
            Expr::Path(path) if let Some(of) = state.pure(&path.name) => {
                self.written(state, of, types, fit)
            }
            Expr::Path(path) | Expr::Call(path, _) if matches!(&*path.name, "Some" | "None") => {
                let args = match expr {
                    Expr::Call(_, args) => &args[..],
                    _ => &[],
                };
                self.call(state, path, args, Want::Types(types, fit))
            }
            _ => Err(Why::Unfit),
        }
    }

    /// Answers of these types. Others are turned into them where Rust would do that by itself.
    pub(super) fn coerced(
        &self,
        answers: Vec<(State<'w>, SlotIdx)>,
        types: &[TypeIdx],
    ) -> Answers<'w> {
        let (fit, other): (Vec<_>, Vec<_>) = answers
            .into_iter()
            .partition(|(state, slot)| types.contains(&state.builder.ty(*slot)));
        if !fit.is_empty() {
            return Ok(fit);
        }
        for (state, slot) in other {
            for op in types.iter().flat_map(|ty| self.index.coercions(*ty)) {
                if let Ok(answer) = self.applied(&state, *op, Some(slot), &[]) {
                    return Ok(vec![answer]);
                }
            }
        }
        Err(Why::Unfit)
    }

    pub(super) fn wanted(
        &self,
        answers: Vec<(State<'w>, SlotIdx)>,
        want: Want<'_>,
    ) -> Vec<(State<'w>, SlotIdx)> {
        let is_wanted = |state: &State<'w>, slot| self.is_wanted(state.builder.ty(slot), want);
        // Coercion may still make the answers fit.
        if matches!(want, Want::Types(..)) {
            return answers;
        }
        answers
            .into_iter()
            .filter(|(state, slot)| is_wanted(state, *slot))
            .collect()
    }

    fn is_wanted(&self, ty: TypeIdx, want: Want<'_>) -> bool {
        match want {
            Want::Any => true,
            Want::Head(name) => head(&self.world.catalogue.types.get(ty).ty) == name,
            Want::Types(types, _) => types.contains(&ty),
        }
    }

    /// Tries operations in turn. There is one answer for each type of the value; if some have a
    /// wanted type, only these are given.
    pub(super) fn tried(
        &self,
        state: &State<'w>,
        ops: &[OperationId],
        first: Option<SlotIdx>,
        args: &[&Expr],
        want: Want<'_>,
    ) -> Answers<'w> {
        let mut answers: Vec<(State<'w>, SlotIdx)> = Vec::new();
        let mut types: Vec<TypeIdx> = Vec::new();
        let mut why = match ops.is_empty() {
            true => Why::Unknown,
            false => Why::Unfit,
        };
        let (fitting, other): (Vec<OperationId>, Vec<OperationId>) = ops
            .iter()
            .copied()
            .partition(|op| self.is_wanted(self.world.signature(*op).output.ty, want));
        let other = match want {
            Want::Types(..) => other,
            _ => Vec::new(),
        };
        for (is_fitting, op) in fitting
            .iter()
            .map(|op| (true, op))
            .chain(other.iter().map(|op| (false, op)))
        {
            let output = self.world.signature(*op).output.ty;
            if answers.len() >= MAX_ANSWERS || !is_fitting && !answers.is_empty() {
                break;
            }
            if types.contains(&output) {
                continue;
            }
            match self.applied(state, *op, first, args) {
                Ok(answer) => {
                    types.push(output);
                    answers.push(answer);
                }
                // The reason of an argument says more than that the operation does not fit.
                Err(Why::Unfit) => {}
                Err(reason) => why = reason,
            }
        }
        match answers.is_empty() {
            true => Err(why),
            false => Ok(answers),
        }
    }

    /// Makes a call: `first` serves the first input, expressions the others.
    pub(super) fn applied(
        &self,
        state: &State<'w>,
        op: OperationId,
        first: Option<SlotIdx>,
        args: &[&Expr],
    ) -> Result<(State<'w>, SlotIdx), Why> {
        let inputs = &self.world.signature(op).inputs;
        let n_first = usize::from(first.is_some());
        if inputs.len() != n_first + args.len() {
            return Err(Why::Unfit);
        }
        let mut given = Vec::with_capacity(inputs.len());
        if let Some(slot) = first {
            let usage = self.world.usage(&inputs[0], state.builder.ty(slot));
            given.push(Arg::Slot(slot, usage.ok_or(Why::Unfit)?));
        }
        let n_left = self.n_tries_left.get().checked_sub(1);
        self.n_tries_left.set(n_left.ok_or(Why::TooMuch)?);
        let mut state = state.clone();
        for (i, expr) in (n_first..).zip(args) {
            let arg = self.argument(&mut state, op, i, expr)?;
            given.push(arg);
        }
        let slot = state.builder.push(op, given).map_err(|_| Why::Unfit)?;
        Ok((state, slot))
    }

    fn argument(
        &self,
        state: &mut State<'w>,
        op: OperationId,
        i: usize,
        expr: &Expr,
    ) -> Result<Arg, Why> {
        let types = &self.world.catalogue.types;
        let input = &self.world.signature(op).inputs[i];
        let ty = input.ty.ty;
        let fit = match input.generic {
            true => Fit::StandIn,
            false => Fit::Exact,
        };
        let is_in_place = match input.pass {
            Pass::Value => true,
            Pass::Shared(_) => state.builder.literal_fits(op, i).is_ok(),
            Pass::Mut(_) => false,
        };
        if is_in_place && self.world.caps(ty).has(Caps::LITERAL) {
            for fit in exact_first(fit) {
                if let Some(value) = state.value_at(&types.get(ty).ty, expr, fit) {
                    state.n_stand_ins += u32::from(fit == Fit::StandIn);
                    return Ok(Arg::Literal(value.into()));
                }
            }
        }
        let accepted = input.accepts(types);
        let answers = self.evaluate(state, expr, Want::Types(&accepted, fit))?;
        let (found, slot) = answers.into_iter().next().ok_or(Why::Unfit)?;
        *state = found;
        self.keep(state, expr, slot, input.pass);
        let usage = self.world.usage(input, state.builder.ty(slot));
        Ok(Arg::Slot(slot, usage.ok_or(Why::Unfit)?))
    }

    /// Binds the name of a literal to its slot if the call may change it, because later uses must
    /// see the change.
    fn keep(&self, state: &mut State<'w>, expr: &Expr, slot: SlotIdx, pass: Pass) {
        let name = match expr {
            Expr::Place(of) => return self.keep(state, of, slot, pass),
            Expr::Path(Path {
                qualifier: None,
                name,
            }) => name,
            _ => return,
        };
        if matches!(pass, Pass::Mut(_)) && state.pure(name).is_some() {
            state.rebind(name, Bound::Slot(slot));
        }
    }
}

/// An exact fit is tried before a stand-in.
fn exact_first(fit: Fit) -> impl Iterator<Item = Fit> {
    let other = (fit == Fit::StandIn).then_some(fit);
    [Fit::Exact].into_iter().chain(other)
}
