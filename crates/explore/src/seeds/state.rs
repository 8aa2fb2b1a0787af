//! One way to read a script up to some statement: the calls so far, and the meaning of its names.

use std::sync::Arc;

use testsmith_protocol::Value;
use testsmith_sequence::{Builder, SlotIdx};

use super::pure::{Fit, is_pure, value_at};
use super::script::Expr;

/// What a local name stands for.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// A value.
    Slot(SlotIdx),
    /// An expression without calls. It is written anew at each use, with the type that is wanted
    /// there.
    Pure(Arc<Expr>),
    /// Unknown, because its statement was not lifted.
    Lost,
}

/// One way to read a script up to some statement.
#[derive(Clone)]
pub(super) struct State<'w> {
    pub(super) builder: Builder<'w>,
    /// The last entry of a name counts.
    pub(super) names: Vec<(Arc<str>, Bound)>,
    /// How many literals stand in for others.
    pub(super) n_stand_ins: u32,
}

impl<'w> State<'w> {
    /// A state in which nothing is read yet.
    pub(super) fn new(world: &'w testsmith_sequence::World) -> State<'w> {
        State {
            builder: Builder::new(world),
            names: Vec::new(),
            n_stand_ins: 0,
        }
    }

    pub(super) fn bound(&self, name: &str) -> Option<&Bound> {
        let found = self.names.iter().rev().find(|(known, _)| **known == *name);
        found.map(|(_, bound)| bound)
    }

    pub(super) fn pure(&self, name: &str) -> Option<&Expr> {
        match self.bound(name)? {
            Bound::Pure(expr) => Some(expr),
            _ => None,
        }
    }

    pub(super) fn is_pure(&self, expr: &Expr) -> bool {
        is_pure(expr, &|name| self.pure(name))
    }

    /// The value of an expression at a type, if the expression is pure and has one there.
    pub(super) fn value_at(&self, ty: &testsmith_api::Ty, expr: &Expr, fit: Fit) -> Option<Value> {
        value_at(ty, expr, &|name| self.pure(name), fit)
    }

    /// Changes what a name stands for, and says whether it was known.
    pub(super) fn rebind(&mut self, name: &str, bound: Bound) -> bool {
        let found = self
            .names
            .iter_mut()
            .rev()
            .find(|(known, _)| **known == *name);
        found.map(|(_, old)| *old = bound).is_some()
    }
}
