//! Evaluates an expression: finds the instances of operations that it may stand for.
//!
//! A program says less than an instance: `Map::new()` may be a map of any items. So an expression
//! has several answers, at most one for each type of its value, and later statements decide.

use std::cell::Cell;

use testsmith_api::{OperationId, TypeIdx};
use testsmith_sequence::{SlotIdx, World};

use super::index::{Index, fields};
use super::pure::Fit;
use super::script::{Expr, Path, Why};
use super::state::{Bound, State};

/// The most answers to one expression.
pub(super) const MAX_ANSWERS: usize = 16;

/// What type an expression's value must have.
#[derive(Clone, Copy)]
pub(super) enum Want<'a> {
    Any,
    /// The type must have this head.
    Head(&'a str),
    /// It must be one of these types. A literal must fit it at least this exactly.
    Types(&'a [TypeIdx], Fit),
}

/// States, each with the slot of the expression's value.
pub(super) type Answers<'w> = Result<Vec<(State<'w>, SlotIdx)>, Why>;

/// Looks up operations, and tries to apply them.
pub(super) struct Evaluator<'w, 'i> {
    pub(super) world: &'w World,
    pub(super) index: &'i Index,
    pub(super) n_tries_left: Cell<u32>,
}

impl<'w> Evaluator<'w, '_> {
    /// The ways to get the expression's value, or why there is none.
    pub(super) fn evaluate(&self, state: &State<'w>, expr: &Expr, want: Want<'_>) -> Answers<'w> {
        if let Want::Types(types, fit) = want
            && state.is_pure(expr)
        {
            return self.written(state, expr, types, fit);
        }
        let found = match expr {
            Expr::Place(of) => return self.evaluate(state, of, want),
            Expr::Path(path) => {
                match state.bound(&path.name).filter(|_| path.qualifier.is_none()) {
                    Some(Bound::Slot(slot)) if state.builder.is_live(*slot) => {
                        Ok(vec![(state.clone(), *slot)])
                    }
                    Some(Bound::Pure(expr)) => return self.evaluate(state, &expr.clone(), want),
                    Some(_) => Err(Why::Lost),
                    None => self.call(state, path, &[], want),
                }
            }
            Expr::Call(path, args) => self.call(state, path, args, want),
            Expr::Method {
                receiver,
                name,
                args,
            } => self.method(state, receiver, name, args, want),
            Expr::Field(of, name) => {
                self.on_values(state, of, self.index.of_field(name), &[], want)
            }
            Expr::Struct(path, given) => self.literal_struct(state, path, given, want),
            Expr::Unwrap { of, is_err } => self.unwrapped(state, of, *is_err, want),
            Expr::Operator(names, args) => self.operator(state, names, args, want),
            Expr::Tuple(_) | Expr::List(_) | Expr::Range { .. } => self.composed(state, expr, want),
            Expr::Beyond(why) => Err(*why),
            // A literal without a wanted type has no type.
            _ => Err(Why::Syntax),
        };
        match want {
            Want::Types(types, _) => self.coerced(found?, types),
            _ => found,
        }
    }

    pub(super) fn call(
        &self,
        state: &State<'w>,
        path: &Path,
        args: &[Expr],
        want: Want<'_>,
    ) -> Answers<'w> {
        let args: Vec<&Expr> = args.iter().collect();
        let ops: Vec<OperationId> = self.index.of_path(path).map(|entry| entry.op).collect();
        self.tried(state, &ops, None, &args, want)
    }

    /// Tuples, lists and ranges, which are recipes by the number of their parts.
    pub(super) fn composed(&self, state: &State<'w>, expr: &Expr, want: Want<'_>) -> Answers<'w> {
        let parts: Vec<Expr> = expr.parts().into_iter().cloned().collect();
        let name = match expr {
            Expr::Tuple(_) => format!("({})", parts.len()),
            Expr::Range {
                start,
                end,
                is_inclusive,
            } => {
                let place = |end: &Option<Box<Expr>>| if end.is_some() { "_" } else { "" };
                let dots = if *is_inclusive { "..=" } else { ".." };
                format!("{}{dots}{}", place(start), place(end))
            }
            _ => format!("[{}]", parts.len()),
        };
        let path = Path {
            qualifier: None,
            name,
        };
        self.call(state, &path, &parts, want)
    }

    fn method(
        &self,
        state: &State<'w>,
        receiver: &Expr,
        name: &str,
        args: &[Expr],
        want: Want<'_>,
    ) -> Answers<'w> {
        let methods = self.index.of_name(name).filter(|entry| entry.is_method);
        let converts = name == "into" && args.is_empty();
        let from = self.index.of_name("from").filter(|_| converts);
        let ops: Vec<OperationId> = methods.chain(from).map(|entry| entry.op).collect();
        if ops.is_empty() {
            return Err(match self.evaluate(state, receiver, Want::Any) {
                Err(why) if !state.is_pure(receiver) => why,
                _ => Why::Unknown,
            });
        }
        let args: Vec<&Expr> = args.iter().collect();
        if state.is_pure(receiver) {
            let args: Vec<&Expr> = [receiver].into_iter().chain(args).collect();
            return self.tried(state, &ops, None, &args, want);
        }
        self.on_values(state, receiver, &ops, &args, want)
    }

    /// Applies operations to each value that the expression may have.
    fn on_values(
        &self,
        state: &State<'w>,
        of: &Expr,
        ops: &[OperationId],
        args: &[&Expr],
        want: Want<'_>,
    ) -> Answers<'w> {
        let mut answers = Vec::new();
        let mut why = Why::Unknown;
        for (state, slot) in self.evaluate(state, of, Want::Any)? {
            let tried = self.tried(&state, ops, Some(slot), args, want);
            match tried.or_else(|why| self.tried_coerced(&state, ops, slot, args, want).ok_or(why))
            {
                Ok(more) => answers.extend(more),
                Err(reason) => why = reason,
            }
            if answers.len() >= MAX_ANSWERS {
                break;
            }
        }
        match answers.is_empty() {
            true => Err(why),
            false => Ok(answers),
        }
    }

    /// Tries operations on a value that is dereferenced as in a method call.
    fn tried_coerced(
        &self,
        state: &State<'w>,
        ops: &[OperationId],
        slot: SlotIdx,
        args: &[&Expr],
        want: Want<'_>,
    ) -> Option<Vec<(State<'w>, SlotIdx)>> {
        ops.iter().find_map(|op| {
            let inputs = &self.world.signature(*op).inputs;
            let accepted = inputs.first()?.accepts(&self.world.catalogue.types);
            let is_coerced = accepted
                .iter()
                .any(|ty| !self.index.coercions(*ty).is_empty());
            if !is_coerced || inputs.len() != args.len() + 1 {
                return None;
            }
            let coerced = self.coerced(vec![(state.clone(), slot)], &accepted).ok()?;
            let (state, slot) = coerced.into_iter().next()?;
            self.tried(&state, &[*op], Some(slot), args, want).ok()
        })
    }

    fn literal_struct(
        &self,
        state: &State<'w>,
        path: &Path,
        given: &[(String, Expr)],
        want: Want<'_>,
    ) -> Answers<'w> {
        let mut why = Why::Unknown;
        for entry in self.index.of_path(path) {
            let Some(fields) = fields(&self.world.catalogue.operation(entry.op).form) else {
                continue;
            };
            let find = |name: &str| given.iter().find(|(known, _)| known == name);
            let args: Option<Vec<&Expr>> = fields
                .list()
                .iter()
                .map(|field| Some(&find(&field.name)?.1))
                .collect();
            match self.tried(state, &[entry.op], None, &args.unwrap_or_default(), want) {
                Ok(answers) => return Ok(answers),
                Err(reason) => why = reason,
            }
        }
        Err(why)
    }

    fn unwrapped(&self, state: &State<'w>, of: &Expr, is_err: bool, want: Want<'_>) -> Answers<'w> {
        let mut answers = Vec::new();
        for (state, slot) in self.evaluate(state, of, Want::Any)? {
            match self.index.unwrap(state.builder.ty(slot), is_err) {
                Some(op) => answers.extend(self.applied(&state, op, Some(slot), &[])),
                // There is nothing to unwrap in the value.
                None if matches!(want, Want::Any) => answers.push((state, slot)),
                None => {}
            }
        }
        let mut answers = self.wanted(answers, want);
        answers.truncate(MAX_ANSWERS);
        match answers.is_empty() {
            true => Err(Why::Unfit),
            false => Ok(answers),
        }
    }

    fn operator(
        &self,
        state: &State<'w>,
        names: &[&str],
        args: &[Expr],
        want: Want<'_>,
    ) -> Answers<'w> {
        let Some((first, rest)) = args
            .split_first()
            .filter(|(first, _)| !state.is_pure(first))
        else {
            return Err(Why::Unknown);
        };
        let rest: Vec<&Expr> = rest.iter().collect();
        let entries = names.iter().flat_map(|name| self.index.of_name(name));
        let ops: Vec<OperationId> = entries.map(|entry| entry.op).collect();
        self.on_values(state, first, &ops, &rest, want)
    }
}
