//! Shortens failing sequences: steps that the failure does not depend on are removed, values are
//! made in shorter ways that exploration found, and literals become simple.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use testsmith_api::{Asks, Form, OperationId, Origin, TypeIdx};
use testsmith_equip::{Executor, Limited, Setting};
use testsmith_explore::{Ask, Cause, Failure, is_fairly_asked};
use testsmith_harness::GuestError;
use testsmith_protocol::{Death, Execution, Outcome, Use, Value};
use testsmith_record::Drops;
use testsmith_sequence::{
    Arg, Builder, Sequence, SlotIdx, Step, World, doubled, slice, twins, with_literal, with_maker,
    without,
};

use crate::budget::{Budget, Doing};
use crate::simpler::simpler;
use crate::verdict::{Court, Verdict, judge, trusts};

/// How many ways to make values of a type are kept.
const MAX_MAKERS: usize = 6;
/// The most of them that end with the same operation.
const MAX_ALIKE: usize = 2;
/// A number that asks for little, whatever it counts.
const SMALL: u128 = 40;
/// How many times a literal of one sequence is made simpler.
const MAX_SIMPLER: usize = 40;
/// How many simpler literals are tried at once.
const MAX_TRIES: usize = 48;

/// The shortest known ways to make values of each type.
pub struct Makers(BTreeMap<TypeIdx, Vec<Sequence>>);

impl Makers {
    /// Ways to make values, from sequences by the type that their last step gives.
    pub fn of<'s>(world: &World, sequences: impl Iterator<Item = &'s Sequence>) -> Makers {
        let mut makers: BTreeMap<TypeIdx, Vec<Sequence>> = BTreeMap::new();
        for sequence in sequences {
            let Some(Step::Call { op, .. }) = sequence.steps().last() else {
                continue;
            };
            let known = makers.entry(world.signature(*op).output.ty).or_default();
            let cost = |it: &Sequence| (it.steps().len(), reading(world, it));
            let own = cost(sequence);
            let at = known.partition_point(|it| cost(it) <= own);
            let is_alike = |it: &&Sequence| makes_by(it) == makes_by(sequence);
            if known[..at].iter().filter(is_alike).count() >= MAX_ALIKE {
                continue;
            }
            known.insert(at, sequence.clone());
            // Longer ones of the same operation give way, so that there are several operations.
            let after = (at + 1..known.len()).filter(|i| is_alike(&&known[*i]));
            let alike: Vec<usize> = after.collect();
            if known.iter().filter(is_alike).count() > MAX_ALIKE
                && let Some(last) = alike.last()
            {
                known.remove(*last);
            }
            known.truncate(MAX_MAKERS);
        }
        Makers(makers)
    }

    /// The ways to make values of one type, the shortest first.
    pub fn of_type(&self, ty: TypeIdx) -> impl Iterator<Item = &Sequence> {
        self.0.get(&ty).into_iter().flatten()
    }
}

/// The operation of the last step.
fn makes_by(sequence: &Sequence) -> Option<OperationId> {
    match sequence.steps().last() {
        Some(Step::Call { op, .. }) => Some(*op),
        _ => None,
    }
}

/// What there is to read in the calls of a sequence. Whoever makes a value by hand calls its
/// constructor; a conversion or an operator that happens to give the same takes longer to understand.
pub(crate) fn reading(world: &World, sequence: &Sequence) -> usize {
    let calls = sequence.steps().iter().map(|step| match step {
        Step::Call { op, .. } => match &world.catalogue.operation(*op).form {
            Form::Inherent {
                has_self: false,
                name,
                ..
            } if &**name == "new" => 2,
            Form::Inherent { has_self: true, .. } => 4,
            Form::Trait { has_self: true, .. } => 5,
            Form::Inherent { .. } | Form::Trait { .. } | Form::Function { .. } => 3,
            // A constant stands for a value that one has to look up.
            Form::Const { .. } | Form::AssocConst { .. } => 3,
            _ => 2,
        },
        Step::Drop(_) => 1,
    });
    calls.sum()
}

/// Gives each failure the shortest sequence that is found to fail in the same way at its last step.
pub fn simplify(
    court: Court<'_>,
    executor: &mut Executor,
    failures: impl Iterator<Item = Failure>,
    makers: &Makers,
    limited: &Limited,
    budget: &Budget<'_>,
    drops: &mut Drops,
) -> Result<Vec<Failure>, GuestError> {
    let world = court.world;
    let mut simple = Vec::new();
    budget.enter(Doing::Shortening);
    for mut failure in failures {
        if budget.is_over(executor.work) {
            budget.give_up("failure", "make it shorter", 1, drops);
            simple.push(failure);
            continue;
        }
        let n_steps = failure.sequence.steps().len();
        if asked_twice(world, &failure).is_none()
            && let Some(shorter) =
                slice(world, &failure.sequence).filter(|it| it.steps().len() < n_steps)
        {
            try_out(court, executor, &mut failure, vec![shorter])?;
        }
        // Each run until time or memory is used up takes long, so there is only one try.
        let is_slow = matches!(
            failure.cause,
            Cause::Death(Death::TimedOut | Death::OutOfMemory)
        );
        if is_slow {
            let smaller = with_small_numbers(world, &failure.sequence, limited);
            try_out(court, executor, &mut failure, smaller.into_iter().collect())?;
            simple.push(failure);
            continue;
        }
        if let Some((half, slot)) = asked_twice(world, &failure) {
            simplify_twins(court, executor, &mut failure, half, slot, limited)?;
            simple.push(failure);
            continue;
        }
        if judge(court, &failure).verdict == Verdict::Precondition {
            exchange_numbers(court, executor, &mut failure, limited)?;
        }
        // Steps are removed from the back, because late steps depend on early ones and not the
        // reverse.
        let mut step_idx = failure.sequence.steps().len().saturating_sub(1);
        while step_idx > 0 {
            step_idx -= 1;
            if let Some(shorter) = without(world, &failure.sequence, step_idx) {
                try_out(court, executor, &mut failure, vec![shorter])?;
            }
            step_idx = step_idx.min(failure.sequence.steps().len().saturating_sub(1));
        }
        read_what_is_trusted(court, executor, &mut failure)?;
        replace_makers(court, executor, &mut failure, makers)?;
        simplify_literals(court, executor, &mut failure, limited)?;
        simple.push(failure);
    }
    Ok(simple)
}

/// A number in the failing call may look like the caller's mistake. If an earlier call of the same
/// operation has a number that does not, the two are exchanged: if the call still fails, the state
/// is to blame and not the number.
fn exchange_numbers(
    court: Court<'_>,
    executor: &mut Executor,
    failure: &mut Failure,
    limited: &Limited,
) -> Result<(), GuestError> {
    let world = court.world;
    let sequence = &failure.sequence;
    let Some((Step::Call { op, args, .. }, before)) = sequence.steps().split_last() else {
        return Ok(());
    };
    let last = before.len();
    let mut exchanged = Vec::new();
    for (input, arg) in args.iter().enumerate() {
        let Arg::Literal(value) = arg else {
            continue;
        };
        if !is_free(world, *op, input, limited) {
            continue;
        }
        for (step_idx, step) in before.iter().enumerate() {
            let Step::Call {
                op: earlier, args, ..
            } = step
            else {
                continue;
            };
            let Some(Arg::Literal(other)) = args.get(input).filter(|_| earlier == op) else {
                continue;
            };
            let once = with_literal(world, sequence, step_idx, input, (**value).clone());
            exchanged.extend(
                once.and_then(|it| with_literal(world, &it, last, input, (**other).clone())),
            );
        }
    }
    try_out(court, executor, failure, exchanged)?;
    Ok(())
}

/// The sequence with small numbers in place of those that may ask for much time or memory.
fn with_small_numbers(world: &World, sequence: &Sequence, limited: &Limited) -> Option<Sequence> {
    let mut smaller = sequence.clone();
    let mut is_other = false;
    for (step_idx, step) in sequence.steps().iter().enumerate() {
        let Step::Call { op, args, .. } = step else {
            continue;
        };
        for (input, arg) in args.iter().enumerate() {
            let small = match arg {
                Arg::Literal(value) if is_free(world, *op, input, limited) => match &**value {
                    Value::UInt(n) if *n > SMALL => Value::UInt(SMALL),
                    Value::Int(n) if n.unsigned_abs() > SMALL => Value::Int(SMALL as i128),
                    _ => continue,
                },
                _ => continue,
            };
            smaller = with_literal(world, &smaller, step_idx, input, small)?;
            is_other = true;
        }
    }
    is_other.then_some(smaller)
}

/// The steps that are done twice, for a law about two values made alike, and the slot that they
/// fill.
fn asked_twice(world: &World, failure: &Failure) -> Option<(Sequence, SlotIdx)> {
    match &world.catalogue.operation(failure.operation).form {
        Form::Law(law) if law.asks == Asks::OfAlike => twins(&failure.sequence),
        _ => None,
    }
}

/// Shortens the steps that are done twice and simplifies their literals, in both places alike.
fn simplify_twins(
    court: Court<'_>,
    executor: &mut Executor,
    failure: &mut Failure,
    mut half: Sequence,
    mut slot: SlotIdx,
    limited: &Limited,
) -> Result<(), GuestError> {
    let (world, law) = (court.world, failure.operation);
    for step_idx in (0..half.steps().len()).rev() {
        let Step::Call { out, .. } = &half.steps()[step_idx] else {
            continue;
        };
        let moved = match out.cmp(&slot) {
            Ordering::Less => SlotIdx(slot.0 - 1),
            Ordering::Equal => continue,
            Ordering::Greater => slot,
        };
        let Some(shorter) = without(world, &half, step_idx) else {
            continue;
        };
        let doubled = doubled(world, &shorter, moved, law);
        if try_out(court, executor, failure, doubled.into_iter().collect())? {
            (half, slot) = (shorter, moved);
        }
    }
    for step_idx in 0..half.steps().len() {
        let mut input = 0;
        while let Step::Call { op, args, .. } = &half.steps()[step_idx]
            && let Some(arg) = args.get(input)
        {
            let values = match arg {
                Arg::Literal(value) if is_free(world, *op, input, limited) => simpler(value),
                _ => Vec::new(),
            };
            let halves = values.into_iter().take(MAX_TRIES);
            let halves =
                halves.filter_map(|value| with_literal(world, &half, step_idx, input, value));
            let twice = halves.filter_map(|half| doubled(world, &half, slot, law));
            let twice = twice.collect();
            match try_out(court, executor, failure, twice)? {
                true => half = twins(&failure.sequence).map_or(half, |(half, _)| half),
                false => input += 1,
            }
        }
    }
    Ok(())
}

/// Reads values from text that were made of it without a check, if the failure stays: what a function makes that
/// trusts its callers proves little.
fn read_what_is_trusted(
    court: Court<'_>,
    executor: &mut Executor,
    failure: &mut Failure,
) -> Result<(), GuestError> {
    let world = court.world;
    let mut slot = failure.sequence.n_slots().saturating_sub(1);
    while slot > 0 {
        slot -= 1;
        let sequence = &failure.sequence;
        let (op, args) = sequence.maker(SlotIdx(slot));
        if trusts(world, op)
            && let Some(read) = read_from(world, world.signature(op).output.ty, args)
            && let Some(replaced) = with_maker(world, sequence, SlotIdx(slot), &read)
            && try_out(court, executor, failure, vec![replaced])?
        {
            // The new slots come first.
            slot = (slot + read.n_slots()).min(failure.sequence.n_slots() - 1);
        }
    }
    Ok(())
}

/// Makes values in a shorter way, as long as the failure stays.
fn replace_makers(
    court: Court<'_>,
    executor: &mut Executor,
    failure: &mut Failure,
    makers: &Makers,
) -> Result<(), GuestError> {
    let world = court.world;
    // The last call is the one that fails, so its slot keeps its maker.
    let mut slot = failure.sequence.n_slots().saturating_sub(1);
    while slot > 0 {
        slot -= 1;
        let sequence = &failure.sequence;
        let (op, _) = sequence.maker(SlotIdx(slot));
        let known = makers.0.get(&world.signature(op).output.ty);
        let n_steps = sequence.steps().len();
        let is_checked = |maker: &&Sequence| {
            trusts(world, op) || !makes_by(maker).is_some_and(|it| trusts(world, it))
        };
        let known = known.into_iter().flatten().filter(is_checked);
        let shorter = known.filter_map(|maker| {
            let replaced = with_maker(world, sequence, SlotIdx(slot), maker)?;
            slice(world, &replaced).filter(|it| it.steps().len() < n_steps)
        });
        let shorter = shorter.collect();
        try_out(court, executor, failure, shorter)?;
        slot = slot.min(failure.sequence.n_slots().saturating_sub(1));
    }
    Ok(())
}

/// A value that is read from the text among these arguments.
fn read_from(world: &World, ty: TypeIdx, args: &[Arg]) -> Option<Sequence> {
    let is_text =
        |it: &&Arg| matches!(it, Arg::Literal(value) if matches!(&**value, Value::Str(_)));
    let text = args.iter().find(is_text)?;
    let ids = || (0..world.catalogue.operations.len()).map(|i| OperationId(i as u32));
    let form = |op: OperationId| &world.catalogue.operation(op).form;
    let unwraps = |read: OperationId| {
        ids().find(|op| {
            let signature = world.signature(*op);
            let of = signature.inputs.first().map(|it| it.ty.ty);
            matches!(form(*op), Form::Unwrap(_))
                && signature.output.ty == ty
                && of == Some(world.signature(read).output.ty)
        })
    };
    let mut reads = ids().filter(|op| {
        matches!(form(*op), Form::Trait { trait_, .. } if &*trait_.path == "std::str::FromStr")
    });
    let (read, unwrap) = reads.find_map(|op| Some((op, unwraps(op)?)))?;
    let mut builder = Builder::new(world);
    builder.push(read, vec![text.clone()]).ok()?;
    builder
        .push(unwrap, vec![Arg::Slot(SlotIdx(0), Use::Move)])
        .ok()?;
    Some(builder.finish())
}

/// Makes one literal after another simpler, as long as the failure stays.
fn simplify_literals(
    court: Court<'_>,
    executor: &mut Executor,
    failure: &mut Failure,
    limited: &Limited,
) -> Result<(), GuestError> {
    let world = court.world;
    let mut n_simpler = 0;
    for step_idx in 0..failure.sequence.steps().len() {
        let mut input = 0;
        while n_simpler < MAX_SIMPLER {
            let Step::Call { op, args, .. } = &failure.sequence.steps()[step_idx] else {
                break;
            };
            let Some(arg) = args.get(input) else {
                break;
            };
            let is_free = is_free(world, *op, input, limited);
            let simpler = match arg {
                Arg::Literal(value) if is_free => simpler(value),
                _ => Vec::new(),
            };
            let sequences = simpler
                .into_iter()
                .take(MAX_TRIES)
                .filter_map(|value| with_literal(world, &failure.sequence, step_idx, input, value));
            let sequences = sequences.collect();
            match try_out(court, executor, failure, sequences)? {
                true => n_simpler += 1,
                false => input += 1,
            }
        }
    }
    Ok(())
}

/// May this input have any value? Not if the user limits its parameter.
pub(crate) fn is_free(world: &World, op: OperationId, input: usize, limited: &Limited) -> bool {
    let operation = world.catalogue.operation(op);
    match operation.origin {
        Origin::Callable(id) | Origin::Beside(id) => {
            let place = (id, operation.parameter(input));
            !limited.iter().any(|(limited, _)| *limited == place)
        }
        Origin::Recipe | Origin::Law => true,
    }
}

/// Takes the first sequence that fails in the same way, if its verdict is no weaker. With a smaller
/// number a failure may begin to look like the caller's mistake; such a sequence is not taken, but
/// one that stops looking so is.
fn try_out(
    court: Court<'_>,
    executor: &mut Executor,
    failure: &mut Failure,
    sequences: Vec<Sequence>,
) -> Result<bool, GuestError> {
    let asks = sequences
        .into_iter()
        .filter(|it| is_fairly_asked(court.world, it))
        .map(|sequence| Ask {
            sequence,
            watch_from: SlotIdx(u16::MAX),
            watch_end: Vec::new(),
            traced: None,
            values: false,
            watched: false,
            traced_on: false,
        })
        .collect();
    let known = judge(court, failure);
    for (ask, execution) in executor.run(court.world, Setting::USUAL, asks)? {
        let Some(message) = fails_alike(failure, &ask.sequence, &execution) else {
            continue;
        };
        let simple = Failure {
            message,
            sequence: ask.sequence,
            ..failure.clone()
        };
        if judge(court, &simple).is_at_least(&known) {
            *failure = simple;
            return Ok(true);
        }
    }
    Ok(false)
}

/// The message, if the last step fails for the same cause.
fn fails_alike(failure: &Failure, sequence: &Sequence, execution: &Execution) -> Option<String> {
    if execution.touch.is_some() {
        return None;
    }
    let last = sequence.steps().len().checked_sub(1)? as u16;
    let fails_in = |at: u16| {
        let is_drop = at > last || matches!(sequence.steps().last(), Some(Step::Drop(_)));
        at >= last && is_drop == failure.dropping
    };
    match (&execution.outcome, &failure.cause) {
        (
            Outcome::Panicked {
                at,
                message,
                file,
                line,
                column,
            },
            Cause::Panic {
                file: known_file,
                line: known_line,
                column: known_column,
            },
        ) if fails_in(*at) && (file, line, column) == (known_file, known_line, known_column) => {
            Some(message.clone())
        }
        (Outcome::Died { at, death }, Cause::Death(known)) if fails_in(*at) && death == known => {
            Some(String::new())
        }
        _ => None,
    }
}
