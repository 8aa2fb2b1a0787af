//! Lifts a script to a sequence, statement by statement, with several readings side by side.
//!
//! **Seeds are read without types.** A program in an example or a test says `Map::new()`; the
//! harness has maps of what the palette gave. So every statement is read in several ways side by
//! side, one for each instance, and what comes later decides (`seeds/lift.rs`): the reading wins
//! that lifts most statements. Where a parameter is generic, a literal of another kind stands in,
//! equal ones for equal ones. What cannot be lifted is passed over, with what depends on it, and
//! counted. A seed is what one call needs, so that what is built upon it is short. Seeds come first
//! (then they take an eighth of the calls, until there are no more), and are learnt from like any
//! other proposal; what they made is preferred now and then.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use testsmith_api::{Origin, TypeIdx};
use testsmith_sequence::{SlotIdx, Step, World};

use super::evaluate::{Evaluator, Want};
use super::index::Index;
use super::script::{Expr, Script, Statement, Target, Why, is_comparison};
use super::state::{Bound, State};

/// The most readings that are kept side by side.
const MAX_READINGS: usize = 16;
/// The most calls that are tried for one script.
const MAX_TRIES: u32 = 6000;
/// The most steps of a lifted sequence.
const MAX_STEPS: usize = 120;

/// What was lifted from a script.
#[derive(Clone, Debug)]
pub(super) struct Lifted {
    pub(super) steps: Vec<Step>,
    /// How many statements have a call in them.
    pub(super) n_statements: u64,
    /// How many of them were lifted.
    pub(super) n_lifted: u64,
    /// How many others were not, by reason.
    pub(super) left: BTreeMap<Why, u64>,
    /// How many calls were tried.
    pub(super) n_tries: u32,
    /// The slots whose values the script asserts something about.
    pub(super) asserted: Vec<SlotIdx>,
}

/// A reading of a script, and how much of it was lifted.
#[derive(Clone)]
struct Reading<'w> {
    state: State<'w>,
    scopes: Vec<usize>,
    n_lifted: u64,
    left: BTreeMap<Why, u64>,
    asserted: Vec<SlotIdx>,
}

/// Lifts as much of a script as possible. A statement that cannot be lifted is passed over, with
/// everything that depends on it. At most `max_tries` calls are tried.
pub(super) fn lift(world: &World, index: &Index, script: &Script, max_tries: u32) -> Lifted {
    let max_tries = max_tries.min(MAX_TRIES);
    let evaluator = Evaluator {
        world,
        index,
        n_tries_left: Cell::new(max_tries),
    };
    let mut readings = vec![Reading {
        state: State::new(world),
        scopes: Vec::new(),
        n_lifted: 0,
        left: BTreeMap::new(),
        asserted: Vec::new(),
    }];
    let mut n_statements = 0;
    for statement in &script.statements {
        match statement {
            Statement::Enter => {
                for reading in &mut readings {
                    reading.scopes.push(reading.state.names.len());
                }
            }
            Statement::Leave => {
                for reading in &mut readings {
                    let n_names = reading.scopes.pop().unwrap_or(0);
                    reading.state.names.truncate(n_names);
                }
            }
            Statement::Do { target, ty, expr } => {
                let counts = expr.has_call();
                n_statements += u64::from(counts);
                let mut more = Vec::new();
                for reading in &readings {
                    let n_slots = reading.state.builder.n_slots();
                    let mut after = done(&evaluator, reading, target, ty.as_deref(), expr, counts);
                    if *target == Target::Asserted {
                        after.iter_mut().for_each(|it| it.assert(n_slots, expr));
                    }
                    more.extend(after);
                }
                readings = best(more);
            }
        }
    }
    let best = readings.swap_remove(0);
    let mut steps = best.state.builder.steps().to_vec();
    let is_of_crate = |step: &Step| match step {
        Step::Call { op, .. } => {
            matches!(world.catalogue.operation(*op).origin, Origin::Callable(_))
        }
        Step::Drop(_) => false,
    };
    if !steps.iter().any(is_of_crate) {
        steps.clear();
    }
    Lifted {
        steps,
        n_statements,
        n_lifted: best.n_lifted,
        left: best.left,
        n_tries: max_tries - evaluator.n_tries_left.get(),
        asserted: best.asserted,
    }
}

impl Reading<'_> {
    /// Notes what a statement asserts: the values that were made for it, from slot `n_before` on, and
    /// those that it names.
    fn assert(&mut self, n_before: u16, expr: &Expr) {
        let made = (n_before..self.state.builder.n_slots()).map(SlotIdx);
        self.asserted.extend(made);
        self.assert_named(expr);
    }

    fn assert_named(&mut self, expr: &Expr) {
        if let Expr::Path(path) = expr
            && path.qualifier.is_none()
            && let Some(Bound::Slot(slot)) = self.state.bound(&path.name)
            && !self.asserted.contains(slot)
        {
            self.asserted.push(*slot);
        }
        for part in expr.parts() {
            self.assert_named(part);
        }
    }
}

/// The best readings: those that lift most statements come first, and of these the most exact. Of
/// readings that know the same names with the same types, one is kept.
fn best(mut readings: Vec<Reading<'_>>) -> Vec<Reading<'_>> {
    readings.sort_by_key(|it| (std::cmp::Reverse(it.n_lifted), it.state.n_stand_ins));
    let mut kept: Vec<Reading<'_>> = Vec::new();
    let mut known: Vec<Vec<Option<TypeIdx>>> = Vec::new();
    for reading in readings {
        let ty = |bound: &Bound| match bound {
            Bound::Slot(slot) => Some(reading.state.builder.ty(*slot)),
            _ => None,
        };
        let types: Vec<_> = reading
            .state
            .names
            .iter()
            .map(|(_, bound)| ty(bound))
            .collect();
        if !known.contains(&types) {
            known.push(types);
            kept.push(reading);
        }
        if kept.len() == MAX_READINGS {
            break;
        }
    }
    kept
}

/// Nobody nests calls and operators deeper than this.
const MAX_DEPTH: usize = 100;

/// Reads one more statement: gives a reading for each of its answers.
fn done<'w>(
    evaluator: &Evaluator<'w, '_>,
    reading: &Reading<'w>,
    target: &Target,
    ty: Option<&str>,
    expr: &Expr,
    counts: bool,
) -> Vec<Reading<'w>> {
    let state = &reading.state;
    // Each part is tried again with what is below it, so that an expression takes the cube of its depth.
    if expr.is_deeper_than(MAX_DEPTH) {
        let mut reading = reading.clone();
        bind(&mut reading.state, target, Bound::Lost);
        if counts {
            *reading.left.entry(Why::TooMuch).or_default() += 1;
        }
        return vec![reading];
    }
    if state.is_pure(expr) {
        let mut reading = reading.clone();
        bind(
            &mut reading.state,
            target,
            Bound::Pure(Arc::new(resolved(state, expr))),
        );
        reading.n_lifted += u64::from(counts);
        return vec![reading];
    }
    let want = match ty {
        Some(head) if head != "_" => Want::Head(head),
        _ => Want::Any,
    };
    let answers = match state.builder.steps().len() < MAX_STEPS {
        true => evaluator
            .evaluate(state, expr, want)
            .or_else(|why| match want {
                // The name may be that of another item with the same type.
                Want::Head(_) => evaluator.evaluate(state, expr, Want::Any).map_err(|_| why),
                _ => Err(why),
            }),
        false => Err(Why::TooMuch),
    };
    match answers {
        Ok(answers) => {
            let with = |(state, slot)| {
                let mut reading = Reading {
                    state,
                    ..reading.clone()
                };
                bind(&mut reading.state, target, Bound::Slot(slot));
                reading.n_lifted += u64::from(counts);
                reading
            };
            answers.into_iter().map(with).collect()
        }
        Err(why) => {
            let mut reading = reading.clone();
            let rest = parts(evaluator, &mut reading.state, expr);
            bind(&mut reading.state, target, Bound::Lost);
            match (counts, rest) {
                (false, _) => {}
                // The compared calls themselves were lifted, which is what matters.
                (true, Ok(())) if is_compared(expr) => reading.n_lifted += 1,
                (true, Err(part)) if is_compared(expr) => {
                    *reading.left.entry(part).or_default() += 1;
                }
                (true, _) => *reading.left.entry(why).or_default() += 1,
            }
            vec![reading]
        }
    }
}

/// Lifts the parts of an expression that cannot be lifted as a whole, or says why one of them was
/// not.
fn parts<'w>(evaluator: &Evaluator<'w, '_>, state: &mut State<'w>, expr: &Expr) -> Result<(), Why> {
    let mut result = Ok(());
    for part in expr.parts() {
        if !part.has_call() || state.is_pure(part) {
            continue;
        }
        if state.builder.steps().len() >= MAX_STEPS {
            return Err(Why::TooMuch);
        }
        match evaluator.evaluate(state, part, Want::Any) {
            Ok(answers) => {
                if let Some((found, _)) = answers.into_iter().next() {
                    *state = found;
                }
            }
            Err(why) => {
                let below = parts(evaluator, state, part);
                let is_lifted = below.is_ok() && is_compared(part);
                result = result.and(if is_lifted { Ok(()) } else { Err(why) });
            }
        }
    }
    result
}

fn is_compared(expr: &Expr) -> bool {
    matches!(expr, Expr::Operator(names, _) if is_comparison(names))
}

/// Resolves names in a pure expression, because they may come to mean something else.
fn resolved(state: &State<'_>, expr: &Expr) -> Expr {
    let mut expr = expr.clone();
    let pure: Vec<(String, Expr)> = state
        .names
        .iter()
        .rev()
        .filter_map(|(name, bound)| match bound {
            Bound::Pure(expr) => Some((name.to_string(), (**expr).clone())),
            _ => None,
        })
        .collect();
    expr.substitute(&pure);
    expr
}

fn bind(state: &mut State<'_>, target: &Target, bound: Bound) {
    match target {
        Target::Unused | Target::Asserted => {}
        Target::Let(name) => state.names.push((name.as_str().into(), bound)),
        Target::Assigned(name) => {
            if !state.rebind(name, bound.clone()) {
                state.names.push((name.as_str().into(), bound));
            }
        }
        Target::Lost(names) => {
            let lost = names.iter().map(|name| (name.as_str().into(), Bound::Lost));
            state.names.extend(lost);
        }
    }
}
