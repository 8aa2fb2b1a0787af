//! Gathers values of a type, and what calls do with them: values that exploration met, and those
//! that are reached from them by one call after another.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::{FxHashMap, FxHasher};
use testsmith_api::{Form, OperationId};
use testsmith_explore::{Ask, Ledger};
use testsmith_harness::GuestError;
use testsmith_protocol::{Outcome, Value};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, World, slice};

use super::kinds;
use super::look::{Held, Lookout, Reply, Sight, whole_key, with_states};
use super::subject::{Meets, Subject};
use crate::defaults::{Defaults, Given, Rows, call};
use testsmith_equip::{Executor, Setting};

/// The numbers that calls get: enough different ones to fill something small.
const NUMBERS: &[i8] = &[0, 1, 2, 3, 4, -1];
/// The most lists of arguments for one method: of simple ones, and of those that exploration found.
const MAX_ROWS: usize = 6;
const MAX_FOUND_ROWS: usize = 4;
/// The most kept sequences that are followed.
const MAX_KEPT: usize = 3_000;
/// The most values that all methods are called on: of those that look alike, and in all.
const MAX_ALIKE: usize = 3;
const MAX_CALLED_ON: usize = 160;
/// How many calls may follow each other from one value to the next. A value that is full only after
/// more calls is not filled.
const MAX_ROUNDS: usize = 24;
/// The most programs in all, so that gathering takes seconds.
const MAX_PROGRAMS: usize = 60_000;
/// A value with a longer sequence than this gets no more calls.
const MAX_LENGTH: usize = 60;

/// A value that was met, and what was seen of it.
pub(super) struct State {
    pub(super) place: Held,
    pub(super) sight: Sight,
}

/// How a call ended.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum End {
    Returned(String),
    Panicked,
}

/// A call on a value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Call {
    pub(super) from: usize,
    /// Index of the method.
    pub(super) method: usize,
    /// The number of its list of arguments; `None` if exploration made the call.
    pub(super) row: Option<usize>,
    pub(super) end: End,
    pub(super) to: Option<usize>,
}

/// Everything that was found out about a type.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) states: Vec<State>,
    by_key: FxHashMap<u64, usize>,
    pub(super) calls: Vec<Call>,
    /// The names of constructors, each with a value that it made.
    pub(super) births: BTreeSet<(String, usize)>,
    pub(super) n_programs: usize,
    /// What was left out, and how often.
    pub(super) left_out: BTreeMap<&'static str, usize>,
}

/// A method as a sequence calls it.
#[derive(Clone, Copy)]
struct Called {
    /// By position among the subject's methods.
    method: usize,
    on: SlotIdx,
    out: SlotIdx,
    /// The call's position among the steps.
    step: usize,
}

/// A call that is to be made.
struct Attempt {
    from: Option<usize>,
    method: Option<usize>,
    maker: Option<String>,
    row: Option<usize>,
    ask: Ask,
    call_step: usize,
    after: Held,
}

pub(super) struct Gatherer<'g, 'w> {
    pub(super) world: &'w World,
    pub(super) executor: &'g mut Executor,
    pub(super) subject: &'g Subject,
    pub(super) lookout: &'g mut Lookout<'w>,
    pub(super) cancel: &'g AtomicBool,
}

impl Gatherer<'_, '_> {
    pub(super) fn gather(&mut self, ledger: &Ledger) -> Result<Gathered, GuestError> {
        let mut found = Gathered::default();
        self.follow_exploration(ledger, &mut found)?;
        let rows = self.rows(ledger, &mut found);
        self.births(&mut found)?;
        // Methods are called only on the first few of the values that look alike.
        let mut n_alike: FxHashMap<u64, usize> = FxHashMap::default();
        let mut n_called_on = 0;
        let mut is_done: Vec<bool> = Vec::new();
        for _ in 0..MAX_ROUNDS {
            is_done.resize(found.states.len(), false);
            let mut order: Vec<usize> =
                (0..found.states.len()).filter(|it| !is_done[*it]).collect();
            order.sort_by_key(|it| (found.states[*it].place.sequence.steps().len(), *it));
            let mut attempts = Vec::new();
            for at in order {
                is_done[at] = true;
                let State { place, sight } = &found.states[at];
                let alike = n_alike.entry(fine(sight)).or_default();
                let is_long = place.sequence.steps().len() > MAX_LENGTH;
                if *alike >= MAX_ALIKE || n_called_on >= MAX_CALLED_ON || is_long {
                    *found.left_out.entry("values that methods were not called on, since they look like others or are too many").or_default() += 1;
                    continue;
                }
                *alike += 1;
                n_called_on += 1;
                for (method, rows) in rows.iter().enumerate() {
                    for (row, given) in rows.iter().enumerate() {
                        match self.attempt(at, place, method, row, given) {
                            Some(attempt) => attempts.push(attempt),
                            None => {
                                *found
                                    .left_out
                                    .entry("calls that the borrow check rejects")
                                    .or_default() += 1;
                            }
                        }
                    }
                }
            }
            let room = MAX_PROGRAMS.saturating_sub(found.n_programs);
            if attempts.len() > room {
                let beyond = attempts.len() - room;
                *found
                    .left_out
                    .entry("calls, since there were too many")
                    .or_default() += beyond;
                attempts.truncate(room);
            }
            if attempts.is_empty() || self.cancel.load(Ordering::Relaxed) {
                break;
            }
            self.make(attempts, &mut found)?;
        }
        found.calls.sort();
        Ok(found)
    }

    /// Lists of arguments for every method: simple ones, and some that exploration kept.
    fn rows(&self, ledger: &Ledger, found: &mut Gathered) -> Vec<Vec<Vec<Given>>> {
        let defaults = Defaults::new(self.world, NUMBERS);
        let mut kept: BTreeMap<OperationId, Vec<Vec<Given>>> = BTreeMap::new();
        for execution in ledger.record().executions() {
            let Some(Step::Call { op, args, .. }) = execution.sequence.steps().last() else {
                continue;
            };
            let literals = args.iter().skip(1).map(|arg| match arg {
                Arg::Literal(value) => Some(Given::Literal((**value).clone())),
                Arg::Slot(..) => None,
            });
            if let Some(row) = literals.collect::<Option<Vec<Given>>>() {
                let rows = kept.entry(*op).or_default();
                if rows.len() < MAX_FOUND_ROWS && !row.is_empty() && !rows.contains(&row) {
                    rows.push(row);
                }
            }
        }
        let rows = self.subject.methods.iter().map(|method| {
            let mut rows = defaults.rows(method.op, 1, Rows::Side);
            rows.truncate(MAX_ROWS);
            for row in kept.remove(&method.op).unwrap_or_default() {
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
            if rows.is_empty() {
                *found.left_out.entry("methods for which it is not known how to make an argument; only calls of the exploration show what they do").or_default() += 1;
            }
            rows
        });
        rows.collect()
    }

    /// Calls constructors with simple arguments, and keeps the values.
    fn births(&mut self, found: &mut Gathered) -> Result<(), GuestError> {
        let defaults = Defaults::new(self.world, NUMBERS);
        let mut attempts = Vec::new();
        for op in &self.subject.constructors {
            for row in defaults.rows(*op, 0, Rows::Side) {
                let mut builder = Builder::new(self.world);
                if let Ok(out) = call(self.world, &mut builder, *op, None, &row) {
                    attempts.extend(self.birth(builder, out));
                }
            }
        }
        self.make(attempts, found)
    }

    fn birth(&self, builder: Builder<'_>, out: SlotIdx) -> Option<Attempt> {
        if !builder.is_observable(out) {
            return None;
        }
        let sequence = builder.finish();
        let maker = self.maker(&sequence, out);
        Some(Attempt {
            from: None,
            method: None,
            row: None,
            maker,
            call_step: sequence.steps().len().saturating_sub(1),
            ask: ask(&sequence, out, out),
            after: Held {
                sequence,
                slot: out,
            },
        })
    }

    /// The name of the operation that makes a value of no other value of its type. If a value was
    /// unwrapped, that is the operation before.
    fn maker(&self, sequence: &Sequence, slot: SlotIdx) -> Option<String> {
        let (op, args) = sequence.maker(slot);
        let operation = self.world.catalogue.operation(op);
        if let (Form::Unwrap(_), [Arg::Slot(inner, _)]) = (&operation.form, args) {
            return self.maker(sequence, *inner);
        }
        let of_type = |arg: &Arg| match arg {
            Arg::Slot(slot, _) => {
                let (op, _) = sequence.maker(*slot);
                self.world.signature(op).output.ty == self.subject.ty
            }
            Arg::Literal(_) => false,
        };
        if args.iter().any(of_type) {
            return None;
        }
        Some(match &operation.form {
            Form::Inherent { name, .. }
            | Form::Trait { name, .. }
            | Form::Variant { name, .. }
            | Form::AssocConst { name, .. } => name.to_string(),
            Form::Function { path, .. } | Form::Const { path } => kinds::last(path).to_owned(),
            Form::StructLiteral { .. } => "{..}".to_owned(),
            _ => return None,
        })
    }

    fn attempt(
        &self,
        from: usize,
        place: &Held,
        method: usize,
        row: usize,
        given: &[Given],
    ) -> Option<Attempt> {
        let mut builder = Builder::new(self.world);
        builder.append(&place.sequence).ok()?;
        let op = self.subject.methods[method].op;
        let out = call(self.world, &mut builder, op, Some(place.slot), given).ok()?;
        let call_step = builder.steps().len() - 1;
        let called = Called {
            method,
            on: place.slot,
            out,
            step: call_step,
        };
        self.after(builder, called, Some(from), Some(row))
    }

    /// An attempt that looks at the value after the method was called on it.
    fn after(
        &self,
        mut builder: Builder<'_>,
        called: Called,
        from: Option<usize>,
        row: Option<usize>,
    ) -> Option<Attempt> {
        let Called {
            method,
            on,
            out,
            step: call_step,
        } = called;
        let slot = match self.subject.methods[method].meets {
            Meets::Replaces => out,
            Meets::Changes | Meets::Looks => on,
        };
        // The result may borrow from the value, and must be dropped before the value can be looked
        // at.
        if !builder.is_observable(slot) {
            builder.drop(out).ok()?;
        }
        if !builder.is_observable(slot) {
            return None;
        }
        let sequence = builder.finish();
        Some(Attempt {
            from,
            method: Some(method),
            row,
            maker: None,
            call_step,
            ask: ask(&sequence, out, slot),
            after: Held { sequence, slot },
        })
    }

    /// Follows sequences that exploration kept: takes the values in them, and the calls on these.
    fn follow_exploration(
        &mut self,
        ledger: &Ledger,
        found: &mut Gathered,
    ) -> Result<(), GuestError> {
        let mut by_op: BTreeMap<OperationId, usize> = BTreeMap::new();
        for (i, method) in self.subject.methods.iter().enumerate() {
            by_op.insert(method.op, i);
        }
        let mut births = Vec::new();
        let mut before: Vec<(Held, usize)> = Vec::new();
        let mut n_kept = 0;
        for execution in ledger.record().executions() {
            let Some(sequence) = slice(self.world, &execution.sequence) else {
                continue;
            };
            let Some((Step::Call { op, args, out }, steps)) = sequence.steps().split_last() else {
                continue;
            };
            let method = by_op.get(op);
            let is_birth = self.world.signature(*op).output.ty == self.subject.ty;
            if method.is_none() && !is_birth {
                continue;
            }
            n_kept += 1;
            if n_kept > MAX_KEPT {
                *found
                    .left_out
                    .entry("kept sequences, since there were too many")
                    .or_default() += 1;
                continue;
            }
            if is_birth && method.is_none() {
                let mut builder = Builder::new(self.world);
                if builder.append(&sequence).is_ok() {
                    births.extend(self.birth(builder, *out));
                }
            }
            let (Some(method), Some(Arg::Slot(on, _))) = (method, args.first()) else {
                continue;
            };
            let mut builder = Builder::new(self.world);
            if builder.append_steps(steps).is_ok()
                && builder.ty(*on) == self.subject.ty
                && builder.is_observable(*on)
            {
                let place = Held {
                    sequence: builder.finish(),
                    slot: *on,
                };
                before.push((place, *method));
                let called = Called {
                    method: *method,
                    on: *on,
                    out: *out,
                    step: steps.len(),
                };
                let mut builder = Builder::new(self.world);
                if builder.append(&sequence).is_ok()
                    && let Some(attempt) = self.after(builder, called, None, None)
                {
                    births.push(attempt);
                } else {
                    before.pop();
                }
            }
        }
        // The values before the calls are looked at first, so that it is known where each call
        // leads from.
        let places: Vec<Held> = before.iter().map(|it| it.0.clone()).collect();
        let known = self.meet(places, found)?;
        let mut known = known.into_iter();
        for attempt in births.iter_mut().filter(|it| it.method.is_some()) {
            attempt.from = known.next().flatten();
        }
        births.retain(|it| it.method.is_none() || it.from.is_some());
        self.make(births, found)
    }

    /// Looks at values, and gives the state that each of them is in.
    fn meet(
        &mut self,
        places: Vec<Held>,
        found: &mut Gathered,
    ) -> Result<Vec<Option<usize>>, GuestError> {
        found.n_programs += places.len();
        let sights = self.lookout.look(self.executor, Setting::USUAL, &places)?;
        let met = places.into_iter().zip(sights).map(|(place, sight)| {
            let sight = sight?;
            let next = found.states.len();
            let at = *found.by_key.entry(sight.key).or_insert(next);
            if at == next {
                found.states.push(State { place, sight });
            } else if place.sequence.steps().len() < found.states[at].place.sequence.steps().len() {
                found.states[at].place = place;
            }
            Some(at)
        });
        Ok(met.collect())
    }

    /// Makes calls, and looks at the values that they leave.
    fn make(&mut self, attempts: Vec<Attempt>, found: &mut Gathered) -> Result<(), GuestError> {
        found.n_programs += attempts.len();
        let asks = attempts.iter().map(|it| it.ask.clone()).collect();
        let setting = with_states(Setting::USUAL);
        let runs = self.executor.run(self.world, setting, asks)?;
        // Attempts that led to a value that was not met before.
        let mut unknown: Vec<(Attempt, End)> = Vec::new();
        let mut known: Vec<(Attempt, End, Option<usize>)> = Vec::new();
        for (attempt, (_, execution)) in attempts.into_iter().zip(runs) {
            let end = match &execution.outcome {
                _ if execution.touch.is_some() => {
                    *found
                        .left_out
                        .entry("calls that reach for the world outside")
                        .or_default() += 1;
                    continue;
                }
                Outcome::Returned => {
                    let out = attempt.ask.watch_from.0;
                    let mut effects = execution.effects.iter();
                    let effect = effects.find(|it| it.slot == out && !it.at_end);
                    let is_value = |it: &&Value| !matches!(it, Value::Opaque);
                    let value = effect.and_then(|it| it.value.as_ref()).filter(is_value);
                    let says = match attempt.method {
                        Some(method) if self.subject.methods[method].meets == Meets::Replaces => {
                            String::new()
                        }
                        _ => kinds::outcome(value),
                    };
                    End::Returned(says)
                }
                Outcome::Panicked { at, .. } if usize::from(*at) == attempt.call_step => {
                    End::Panicked
                }
                Outcome::Refused { .. } => continue,
                _ => {
                    *found.left_out.entry("calls that end the process, do not end, or fail when values are dropped").or_default() += 1;
                    continue;
                }
            };
            let key = whole_key(&execution.effects, attempt.after.slot);
            let state = key.and_then(|key| found.by_key.get(&key).copied());
            match (&end, state) {
                (End::Panicked, _) => known.push((attempt, end, None)),
                (_, Some(state)) => known.push((attempt, end, Some(state))),
                (_, None) => unknown.push((attempt, end)),
            }
        }
        let places = unknown.iter().map(|it| it.0.after.clone()).collect();
        let met = self.meet(places, found)?;
        for ((attempt, end), state) in unknown.into_iter().zip(met) {
            match state {
                Some(state) => known.push((attempt, end, Some(state))),
                None => {
                    *found
                        .left_out
                        .entry("calls that ended otherwise when made again")
                        .or_default() += 1;
                }
            }
        }
        for (attempt, end, to) in known {
            if let (Some(from), Some(method)) = (attempt.from, attempt.method) {
                found.calls.push(Call {
                    from,
                    method,
                    row: attempt.row,
                    end,
                    to,
                });
            } else if let (Some(maker), Some(to)) = (attempt.maker, to) {
                found.births.insert((maker, to));
            }
        }
        Ok(())
    }
}

fn ask(sequence: &Sequence, out: SlotIdx, after: SlotIdx) -> Ask {
    Ask {
        sequence: sequence.clone(),
        watch_from: out,
        watch_end: vec![after],
        traced: None,
        values: true,
        watched: false,
        traced_on: false,
    }
}

/// A digest of what a value looks like. Small sizes count in full: a value that grows passes
/// through many of them, and must not be stopped because some look alike.
fn fine(sight: &Sight) -> u64 {
    let mut hasher = FxHasher::default();
    for seen in &sight.seen {
        let size = kinds::size(seen).map(|it| it.min(40));
        let is_value = matches!(seen, Reply::Value(_));
        (size, is_value, kinds::predicate("", seen)).hash(&mut hasher);
    }
    kinds::predicate("", &Reply::Value(sight.own.clone())).hash(&mut hasher);
    hasher.finish()
}
