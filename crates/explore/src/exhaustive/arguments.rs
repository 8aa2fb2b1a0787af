//! The lists of arguments of each operation, all different, from calls that showed something.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use testsmith_api::{OperationId, TypeIdx};
use testsmith_protocol::{Caps, Value};
use testsmith_sequence::{Arg, Step};

use super::State;
use crate::workshop::Workshop;

/// The most lists of literals for an operation.
const MAX_LITERALS: usize = 24;
/// The most states for an argument other than the first.
const MAX_STATES: usize = 6;
/// The most lists of one operation.
const MAX_LISTS: usize = 96;

/// The argument for an input.
#[derive(Clone, Debug)]
pub(super) enum Given {
    Literal(Arc<Value>),
    State(TypeIdx, usize),
    /// The state that the call is made on.
    Receiver,
}

/// The argument of each input.
pub(super) type List = Vec<Given>;

/// Lists of arguments by operation, and by the input that gets the state.
#[derive(Default)]
pub(super) struct Lists(FxHashMap<(OperationId, usize), Vec<List>>);

impl Lists {
    /// Lists from these calls, or else from all kept executions so far.
    pub(super) fn of(
        workshop: &Workshop<'_>,
        states: &[Vec<State>],
        calls: Option<&[(OperationId, Vec<Arg>)]>,
    ) -> Lists {
        let world = workshop.world;
        let mut literals: FxHashMap<OperationId, Vec<&[Arg]>> = FxHashMap::default();
        let kept = workshop.ledger.record().executions().iter();
        let kept = kept.filter_map(|kept| match kept.sequence.steps().last() {
            Some(Step::Call { op, args, .. }) if calls.is_none() => Some((*op, &args[..])),
            _ => None,
        });
        let calls = calls.unwrap_or_default().iter();
        let calls = calls.map(|(op, args)| (*op, &args[..]));
        for (op, args) in kept.chain(calls) {
            let known = literals.entry(op).or_default();
            if known.len() < MAX_LITERALS && !known.iter().any(|it| is_like(it, args)) {
                known.push(args);
            }
        }
        let mut lists = Lists::default();
        let consumers = workshop.traffic.consumers.iter().flatten();
        for (operation, input) in consumers {
            let key = (*operation, *input);
            if lists.0.contains_key(&key) {
                continue;
            }
            let inputs = &world.signature(*operation).inputs;
            let is_literal = |i: usize| world.caps(inputs[i].ty.ty).has(Caps::LITERAL);
            let has_literals = (0..inputs.len()).any(|i| i != *input && is_literal(i));
            let none: [&[Arg]; 1] = [&[]];
            let rows = match (has_literals, literals.get(operation)) {
                (false, _) => &none[..],
                (true, Some(rows)) => rows,
                // It is not known which values the operation takes.
                (true, None) => continue,
            };
            let mut found: Vec<List> = Vec::new();
            for row in rows {
                let mut of_row: Vec<List> = vec![Vec::new()];
                for i in 0..inputs.len() {
                    let choices: Vec<Given> = match row.get(i) {
                        _ if i == *input => vec![Given::Receiver],
                        Some(Arg::Literal(value)) => vec![Given::Literal(Arc::clone(value))],
                        // A literal that was in a slot has no value here, so states serve instead.
                        _ => {
                            let accepted = &workshop.traffic.accepts[operation.0 as usize][i];
                            let of = |ty: &TypeIdx| {
                                let n = states[ty.0 as usize].len().min(MAX_STATES);
                                (0..n).map(move |at| (at, *ty)).collect::<Vec<_>>()
                            };
                            let mut all: Vec<_> = accepted.iter().flat_map(of).collect();
                            all.sort_by_key(|(at, _)| *at);
                            let all = all.into_iter().take(MAX_STATES);
                            all.map(|(at, ty)| Given::State(ty, at)).collect()
                        }
                    };
                    let longer = of_row.iter().flat_map(|list| {
                        choices.iter().map(|choice| {
                            let mut list = list.clone();
                            list.push(choice.clone());
                            list
                        })
                    });
                    of_row = longer.take(MAX_LISTS).collect();
                }
                found.extend(of_row);
            }
            found.truncate(MAX_LISTS);
            lists.0.insert(key, found);
        }
        lists
    }

    pub(super) fn get(&self, operation: OperationId, input: usize) -> &[List] {
        self.0.get(&(operation, input)).map_or(&[], Vec::as_slice)
    }
}

/// Do both calls have the same literals?
fn is_like(one: &[Arg], other: &[Arg]) -> bool {
    let literal = |arg: &Arg| match arg {
        Arg::Literal(value) => Some(Arc::clone(value)),
        Arg::Slot(..) => None,
    };
    one.iter().map(literal).eq(other.iter().map(literal))
}
