//! Finds the numbers that calls were given, and indexes that come from another container.

use testsmith_api::{CallableKind, Form, OperationId, Prim, Ty, last_segment};
use testsmith_explore::Failure;
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, World};

use super::callable;

/// The integers that the last call was given, as literals or in slots made from literals. The
/// receiver's are not among them: they are part of its state.
pub(super) fn given(world: &World, failure: &Failure) -> Vec<u128> {
    let sequence = &failure.sequence;
    let Some(Step::Call { op, args, .. }) = sequence.steps().last() else {
        return Vec::new();
    };
    let has_receiver = has_receiver(world, *op);
    let mut found = Vec::new();
    for (n, arg) in args.iter().enumerate() {
        if n == 0 && has_receiver {
            continue;
        }
        match arg {
            Arg::Literal(value) => numbers(value, &mut found),
            Arg::Slot(slot, _) => {
                for arg in sequence.maker(*slot).1 {
                    if let Arg::Literal(value) = arg {
                        numbers(value, &mut found);
                    }
                }
            }
        }
    }
    found
}

/// The integers that were given to the calls which made the receiver of the last call. Later
/// changes are not among them: they are part of its state.
pub(super) fn given_to_maker(world: &World, failure: &Failure) -> Vec<u128> {
    let sequence = &failure.sequence;
    let mut found = Vec::new();
    if let Some(Step::Call { op, args, .. }) = sequence.steps().last()
        && has_receiver(world, *op)
        && let Some(Arg::Slot(slot, _)) = args.first()
    {
        for origin in origins(sequence, *slot) {
            for arg in sequence.maker(origin).1 {
                if let Arg::Literal(value) = arg {
                    numbers(value, &mut found);
                }
            }
        }
    }
    found
}

/// Was the last call, or what made its receiver, given a number of 32 bits that is so great that its double
/// is none?
pub(super) fn has_great_number(world: &World, failure: &Failure) -> bool {
    let sequence = &failure.sequence;
    let Some(Step::Call { op, args, .. }) = sequence.steps().last() else {
        return false;
    };
    let slots = slots(failure).into_iter();
    let made = slots.flat_map(|slot| origins(sequence, slot));
    let made = made.map(|slot| sequence.maker(slot));
    let mut calls = std::iter::once((*op, &args[..])).chain(made);
    calls.any(|(op, args)| {
        let inputs = world.signature(op).inputs.iter();
        args.iter().zip(inputs).any(|(arg, input)| {
            let ty = &world.catalogue.types.get(input.ty.ty).ty;
            matches!(arg, Arg::Literal(value) if is_great(ty, value))
        })
    })
}

/// Is there such a number in a value of this type?
fn is_great(ty: &Ty, value: &Value) -> bool {
    let has = |bits: u32| {
        ty.any(&mut |it| matches!(it, Ty::Prim(prim) if prim.int_range().is_some_and(|it| it.0 == bits)))
    };
    let mut found = Vec::new();
    integers(value, &mut found);
    has(32) && !has(64) && !has(128) && found.iter().any(|n| *n >= 1 << 30)
}

/// The slots that the last call was given.
pub(crate) fn slots(failure: &Failure) -> Vec<SlotIdx> {
    let args = match failure.sequence.steps().last() {
        Some(Step::Call { args, .. }) => &args[..],
        _ => &[],
    };
    let slots = args.iter().filter_map(|arg| match arg {
        Arg::Slot(slot, _) => Some(*slot),
        Arg::Literal(_) => None,
    });
    slots.collect()
}

/// Was the last call given a range without an end?
pub(super) fn has_endless_range(world: &World, failure: &Failure) -> bool {
    slots(failure).into_iter().any(|slot| {
        let ty = world.signature(failure.sequence.maker(slot).0).output.ty;
        matches!(&world.catalogue.types.get(ty).ty, Ty::Adt { path, .. }
            if matches!(&**path, "std::ops::RangeFrom" | "std::ops::RangeFull"))
    })
}

/// Was the last call given an integer that another call returned?
pub(super) fn has_number_of_another(world: &World, failure: &Failure) -> bool {
    slots(failure).into_iter().any(|slot| {
        let (maker, _) = failure.sequence.maker(slot);
        let ty = world.signature(maker).output.ty;
        let ty = &world.catalogue.types.get(ty).ty;
        matches!(ty, Ty::Prim(prim) if prim.int_range().is_some() && *prim != Prim::Char)
    })
}

/// Ends of the names of types that stand for a place in a container.
const PLACES: [&str; 6] = ["Index", "Idx", "Id", "Key", "Handle", "Position"];

/// Was the last call given a place that does not come from any container it was given?
pub(super) fn has_foreign_place(world: &World, failure: &Failure) -> bool {
    let sequence = &failure.sequence;
    let is_place = |slot: &SlotIdx| {
        let ty = world.signature(sequence.maker(*slot).0).output.ty;
        matches!(&world.catalogue.types.get(ty).ty, Ty::Adt { path, .. }
            if PLACES.iter().any(|end| last_segment(path).ends_with(end)))
    };
    let (mut places, mut containers) = (Vec::new(), Vec::new());
    for slot in slots(failure) {
        let origins = origins(sequence, slot);
        match origins.iter().any(is_place) {
            true => places.extend(origins.into_iter().filter(is_place)),
            false => containers.extend(origins),
        }
    }
    let is_told = |place: SlotIdx| {
        let origins = origins(sequence, place);
        origins.iter().any(|it| containers.contains(it))
    };
    !containers.is_empty() && !places.into_iter().all(is_told)
}

/// The slot, and all slots that its value was made from.
pub(crate) fn origins(sequence: &Sequence, slot: SlotIdx) -> Vec<SlotIdx> {
    let mut found = vec![slot];
    let mut next = 0;
    while let Some(slot) = found.get(next).copied() {
        next += 1;
        for arg in sequence.maker(slot).1 {
            if let Arg::Slot(of, _) = arg
                && !found.contains(of)
            {
                found.push(*of);
            }
        }
    }
    found
}

pub(super) fn has_receiver(world: &World, op: OperationId) -> bool {
    callable(world, op).is_some_and(|it| match it.kind {
        CallableKind::Inherent { has_self, .. } | CallableKind::Trait { has_self, .. } => has_self,
        _ => false,
    })
}

/// Is some float as large or as small as floats of its type can be?
pub(super) fn has_extreme_float(sequence: &Sequence) -> bool {
    let mut literals = sequence.steps().iter().flat_map(|step| match step {
        Step::Call { args, .. } => &args[..],
        Step::Drop(_) => &[],
    });
    literals.any(|arg| match arg {
        Arg::Literal(value) => is_extreme_float(value),
        Arg::Slot(..) => false,
    })
}

fn is_extreme_float(value: &Value) -> bool {
    let is_extreme = |n: f64, least: f64, greatest: f64| {
        let n = n.abs();
        n.is_finite() && (n >= greatest || n > 0.0 && n <= least)
    };
    match value {
        Value::F64(bits) => is_extreme(f64::from_bits(*bits), f64::MIN_POSITIVE, f64::MAX / 2.0),
        Value::F32(bits) => is_extreme(
            f32::from_bits(*bits).into(),
            f32::MIN_POSITIVE.into(),
            f64::from(f32::MAX) / 2.0,
        ),
        Value::Tuple(parts) | Value::List(parts) => parts.iter().any(is_extreme_float),
        Value::Named { fields, .. } => fields.iter().any(|(_, part)| is_extreme_float(part)),
        _ => false,
    }
}

/// Was the last call given a float that no integer of 32 bits holds?
pub(super) fn is_given_float_beyond_integers(failure: &Failure) -> bool {
    match failure.sequence.steps().last() {
        Some(last) => is_given_great_float(last),
        None => false,
    }
}

/// Was any call given such a float?
pub(super) fn has_great_float(sequence: &Sequence) -> bool {
    sequence.steps().iter().any(is_given_great_float)
}

fn is_given_great_float(step: &Step) -> bool {
    let mut is_beyond = false;
    if let Step::Call { args, .. } = step {
        for arg in args {
            if let Arg::Literal(value) = arg {
                each_float(value, &mut |n| is_beyond |= n.abs() > f64::from(u32::MAX));
            }
        }
    }
    is_beyond
}

/// Did the test fill a field of an argument with so great a number?
pub(super) fn is_filled_beyond(world: &World, failure: &Failure, much: u128) -> bool {
    slots(failure).into_iter().any(|slot| {
        let (maker, args) = failure.sequence.maker(slot);
        let form = &world.catalogue.operation(maker).form;
        let is_filled = matches!(form, Form::StructLiteral { .. } | Form::Variant { .. });
        let mut found = Vec::new();
        for arg in args {
            if let Arg::Literal(value) = arg {
                integers(value, &mut found);
            }
        }
        is_filled && found.iter().any(|n| *n > much)
    })
}

/// The integers in the literals of all calls. A float is no amount of anything.
pub(super) fn all_given(sequence: &Sequence) -> Vec<u128> {
    let mut found = Vec::new();
    for step in sequence.steps() {
        if let Step::Call { args, .. } = step {
            for arg in args {
                if let Arg::Literal(value) = arg {
                    integers(value, &mut found);
                }
            }
        }
    }
    found
}

/// The integers in a value, and its floats without their fractions.
fn numbers(value: &Value, found: &mut Vec<u128>) {
    integers(value, found);
    each_float(value, &mut |number| found.extend(whole(number)));
}

fn integers(value: &Value, found: &mut Vec<u128>) {
    match value {
        Value::UInt(number) => found.push(*number),
        Value::Int(number) => found.push(number.unsigned_abs()),
        Value::Tuple(parts) | Value::List(parts) => {
            parts.iter().for_each(|part| integers(part, found));
        }
        Value::Named { fields, .. } => fields.iter().for_each(|(_, part)| integers(part, found)),
        _ => {}
    }
}

fn each_float(value: &Value, see: &mut impl FnMut(f64)) {
    match value {
        Value::F64(bits) => see(f64::from_bits(*bits)),
        Value::F32(bits) => see(f32::from_bits(*bits).into()),
        Value::Tuple(parts) | Value::List(parts) => {
            parts.iter().for_each(|part| each_float(part, see));
        }
        Value::Named { fields, .. } => fields.iter().for_each(|(_, part)| each_float(part, see)),
        _ => {}
    }
}

/// A float without its fraction; `None` if it is infinite or no number.
fn whole(number: f64) -> Option<u128> {
    number.is_finite().then_some(number.abs() as u128)
}

/// Does the message have a number that is at the end of an integer type?
pub(super) fn names_extreme(message: &str) -> bool {
    let words = message.split(|c: char| !c.is_ascii_digit());
    let mut numbers = words.filter_map(|word| word.parse::<u128>().ok());
    numbers.any(|n| n > 1 << 30 && is_extreme(n))
}

/// Does the message name one of these numbers, or the one after it if it is about the end of a
/// range?
pub(super) fn names_one_of(message: &str, given: &[u128]) -> bool {
    let words = message.split(|c: char| !c.is_ascii_digit());
    let mut numbers = words.filter_map(|word| word.parse::<u128>().ok());
    // In std's message about indexes the length comes first, and the index after it.
    let skipped = usize::from(message.starts_with("index out of bounds: the len"));
    let last = numbers.nth(skipped);
    let is_end = message.starts_with("range end");
    let is_near = |n: u128| given.contains(&n) || is_end && n > 0 && given.contains(&(n - 1));
    // The message may also name the difference between two of the numbers.
    let is_between = |n: u128| n > 1 && given.iter().any(|it| given.contains(&it.wrapping_add(n)));
    last.is_some_and(|n| is_near(n) || is_between(n))
}

/// The most that an index differs from the one that was given if it was computed of it.
const NEAR: u128 = 4;

/// Does the message name an index near one that was given and is beyond the end itself?
pub(super) fn names_near_beyond(message: &str, given: &[u128]) -> bool {
    let words = message.split(|c: char| !c.is_ascii_digit());
    let numbers: Vec<u128> = words.filter_map(|word| word.parse().ok()).collect();
    let is_index = message.starts_with("index out of bounds: the len");
    let [len, index] = numbers[..] else {
        return false;
    };
    let is_it = |n: &u128| *n > len && n.abs_diff(index) <= NEAR;
    is_index && given.iter().any(is_it)
}

/// Does the message name the place of an item in rows of a few, by a number that a list of indexes has
/// which was given?
pub(super) fn names_place_in_rows(world: &World, failure: &Failure) -> bool {
    let words = failure.message.split(|c: char| !c.is_ascii_digit());
    let mut named = words.filter_map(|word| word.parse::<u128>().ok());
    let (Some(place), Some(Step::Call { op, args, .. })) =
        (named.next_back(), failure.sequence.steps().last())
    else {
        return false;
    };
    let inputs = world.signature(*op).inputs.iter();
    let mut listed = Vec::new();
    for (arg, input) in args.iter().zip(inputs) {
        let ty = &world.catalogue.types.get(input.ty.ty).ty;
        if let Arg::Literal(value) = arg
            && matches!(&**value, Value::List(_))
            && ty.any(&mut |it| *it == Ty::Prim(Prim::Usize))
        {
            numbers(value, &mut listed);
        }
    }
    is_in_rows(&failure.message, place, &listed)
}

/// Is it a place in rows that one of these indexes begins, or the end that somebody comes to who goes to such a row?
fn is_in_rows(message: &str, place: u128, listed: &[u128]) -> bool {
    let is_end = message.starts_with(&format!("index out of bounds: the len is {place} "));
    let mut listed = listed.iter().filter(|n| **n > 0);
    listed.any(|n| {
        let mut rows = 2..=4;
        rows.any(|n_in_row| place / n_in_row == *n || is_end && n.saturating_mul(n_in_row) > place)
    })
}

/// Was the last call given two lengths whose product no memory holds?
pub(super) fn has_endless_product(world: &World, failure: &Failure) -> bool {
    let Some(Step::Call { op, args, .. }) = failure.sequence.steps().last() else {
        return false;
    };
    let inputs = world.signature(*op).inputs.iter();
    let lengths = args.iter().zip(inputs).filter_map(|(arg, input)| {
        let ty = &world.catalogue.types.get(input.ty.ty).ty;
        match arg {
            Arg::Literal(value) if *ty == Ty::Prim(Prim::Usize) => match &**value {
                Value::UInt(n) => Some(*n),
                _ => None,
            },
            _ => None,
        }
    });
    lengths.fold(1, |product: u128, n| product.saturating_mul(n)) > u128::from(u64::MAX)
}

/// Is it the last number of an integer type, or next to it, or so large that a few additions or a product with
/// a small number are beyond 64 bits?
pub(super) fn is_extreme(number: u128) -> bool {
    number > 1 << 56 || is_last(number)
}

/// Is it the last number of an integer type, or next to it?
pub(super) fn is_last(number: u128) -> bool {
    let ends = [7, 8, 15, 16, 31, 32, 63, 64, 127].map(|bits| (1u128 << bits) - 1);
    let is_near = |end: u128| number.abs_diff(end) <= 1;
    number > 100 && ends.into_iter().any(is_near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_rows_is_known_by_its_row_or_by_the_end_before_it() {
        let at = |len: u128, place: u128| {
            let message = format!("index out of bounds: the len is {len} but the index is {place}");
            is_in_rows(&message, place, &[2])
        };
        assert!(at(3, 5) && at(3, 3));
        assert!(!at(13, 13) && !at(3, 20));
    }

    #[test]
    fn great_numbers_are_those_of_32_bits() {
        let int = |prim: Prim| Ty::Prim(prim);
        let n = Value::UInt(1 << 30);
        assert!(is_great(&int(Prim::U32), &n) && is_great(&int(Prim::I32), &n));
        assert!(!is_great(&int(Prim::U64), &n));
        assert!(!is_great(&int(Prim::U32), &Value::UInt(1 << 29)));
    }

    #[test]
    fn an_index_that_was_computed_of_one_beyond_the_end_is_found() {
        let message = "index out of bounds: the len is 3 but the index is 3";
        assert!(names_near_beyond(message, &[5]));
        assert!(!names_near_beyond(message, &[2]));
        assert!(!names_near_beyond(message, &[9]));
    }

    #[test]
    fn an_index_that_was_given_is_found_in_the_message() {
        let message = "index out of bounds: the len is 3 but the index is 7";
        assert!(names_one_of(message, &[1, 7]));
        assert!(!names_one_of(message, &[3]));
        assert!(names_one_of(
            "range end index 9 out of range for slice of length 2",
            &[8]
        ));
        assert!(!names_one_of(
            "range end index 9 out of range for slice of length 2",
            &[2]
        ));
    }
}
