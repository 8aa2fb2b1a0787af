//! Executions that show a call as somebody would who writes a test by hand: on a value of a few distinct
//! items, made by a constructor, with arguments that are there and arguments that are not.
//!
//! Exploration finds what is new, and what it finds first is rarely what one would show: a map of one
//! item, a set that was cleared. These executions go through known code with plain values, so that where
//! they do as much as an explored one, they are the ones that are written.
//!
//! **Present and absent.** The `k`-th item of a value is made of the number `k`, or of the `k`-th letter; in a
//! pair, the second part goes on where the first parts end: `(1, 4), (2, 5), (3, 6)`. So 2 and 5 are found
//! and 9 is not, whatever a method looks for.

use std::collections::BTreeMap;
use std::sync::Arc;

use testsmith_api::{
    Form, GenericArg, OperationId, Origin, Pass, Prim, Side, Ty, TypeIdx, collects,
};
use testsmith_equip::Limited;
use testsmith_explore::Kept;
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, World};

use super::usual::GREETING;
use crate::simplify::{Makers, is_free};

/// The most executions of one operation.
const MAX_EACH: usize = 24;
/// The most executions in all.
const MAX_IN_ALL: usize = 6_000;
/// The most values of one type that methods are called on.
const MAX_VALUES: usize = 6;
/// The most ways to fill a value call by call.
const MAX_FILLED: usize = 3;
/// The most constructors that values of a type are made with.
const MAX_CONSTRUCTORS: usize = 2;
/// The rank of constructors that take a list.
const LISTS: usize = 0;
/// How many items a value is filled with.
const N_ITEMS: usize = 3;
/// The numbers that arguments are made of, the most telling first: one that is there in the middle, one
/// that is there in a second part, one that is not there, a border, nothing.
const ASKED: [usize; 5] = [2, 5, 9, 1, 0];
/// What methods are called that add to a value.
const ADDING: [&str; 9] = [
    "insert",
    "push",
    "push_back",
    "add",
    "set",
    "append",
    "put",
    "enqueue",
    "extend",
];

/// Executions that show each operation that exploration called.
pub(super) fn showcases(
    world: &World,
    kept: &[Kept],
    makers: &Makers,
    limited: &Limited,
) -> Vec<Kept> {
    let mut operations: Vec<OperationId> = kept.iter().map(|it| it.operation).collect();
    operations.sort_unstable_by_key(|it| it.0);
    operations.dedup();
    let mut shown = Shown {
        world,
        makers,
        limited,
        values: BTreeMap::new(),
    };
    let collects = collecting(world);
    let mut found = Vec::new();
    for operation in operations {
        let of_crate = matches!(
            world.catalogue.operation(operation).origin,
            Origin::Callable(_)
        );
        if !of_crate || found.len() >= MAX_IN_ALL {
            continue;
        }
        for sequence in shown.calls(operation) {
            let output = world.signature(operation).output.ty;
            let ways = collects.get(&output).into_iter().flatten();
            let items = ways.filter_map(|op| Some((*op, then(world, &sequence, *op)?)));
            let items: Vec<(OperationId, Sequence)> = items.collect();
            match items.is_empty() {
                true => found.push(Kept {
                    operation,
                    sequence,
                }),
                false => found.extend(items.into_iter().map(|(operation, sequence)| Kept {
                    operation,
                    sequence,
                })),
            }
        }
    }
    found
}

/// Operations that take all items of an iterator, by its type.
fn collecting(world: &World) -> BTreeMap<TypeIdx, Vec<OperationId>> {
    let mut found: BTreeMap<TypeIdx, Vec<OperationId>> = BTreeMap::new();
    for (i, operation) in world.catalogue.operations.iter().enumerate() {
        if let [input] = &operation.signature.inputs[..]
            && collects(&operation.form)
        {
            let id = OperationId(i as u32);
            found.entry(input.ty.ty).or_default().push(id);
        }
    }
    found
}

/// The sequence with a call on what its last step gave.
fn then(world: &World, sequence: &Sequence, op: OperationId) -> Option<Sequence> {
    let mut builder = Builder::new(world);
    builder.append(sequence).ok()?;
    let out = SlotIdx(builder.n_slots().checked_sub(1)?);
    let usage = world.usage(&world.signature(op).inputs[0], builder.ty(out))?;
    builder.push_gently(op, vec![Arg::Slot(out, usage)]).ok()?;
    Some(builder.finish())
}

/// A value, and how it is made.
#[derive(Clone)]
struct Made {
    sequence: Sequence,
    slot: SlotIdx,
}

impl Made {
    /// The value that the last call gives.
    fn last(sequence: Sequence) -> Option<Made> {
        let slot = SlotIdx(sequence.n_slots().checked_sub(1)?);
        Some(Made { sequence, slot })
    }
}

/// An argument.
enum Choice {
    Literal(Value),
    Made(Made),
}

struct Shown<'s> {
    world: &'s World,
    makers: &'s Makers,
    limited: &'s Limited,
    /// Values to call methods on, by type.
    values: BTreeMap<TypeIdx, Vec<Made>>,
}

impl Shown<'_> {
    /// Sequences that end in a call of the operation.
    fn calls(&mut self, op: OperationId) -> Vec<Sequence> {
        let n_inputs = self.world.signature(op).inputs.len();
        let mut choices: Vec<Vec<Choice>> = Vec::new();
        for input in 0..n_inputs {
            let literals = self.literals(op, input, &ASKED);
            choices.push(match literals.is_empty() {
                true => {
                    let ty = self.world.signature(op).inputs[input].ty.ty;
                    let values = self.values(ty).into_iter();
                    values.map(Choice::Made).collect()
                }
                false => literals.into_iter().map(Choice::Literal).collect(),
            });
        }
        let picked = diagonal(&choices.iter().map(Vec::len).collect::<Vec<_>>(), MAX_EACH);
        let calls = picked.into_iter().filter_map(|at| {
            let args: Vec<&Choice> = at.iter().zip(&choices).map(|(i, all)| &all[*i]).collect();
            self.call(op, &args)
        });
        calls.collect()
    }

    /// Literals for an input, made of these numbers. None if it takes no literals, or only such as the
    /// user allows.
    fn literals(&self, op: OperationId, input: usize, of: &[usize]) -> Vec<Value> {
        let of_input = &self.world.signature(op).inputs[input];
        let ty = &self.world.catalogue.types.get(of_input.ty.ty).ty;
        let is_literal = !matches!(of_input.pass, Pass::Mut(_));
        if !is_literal || !is_free(self.world, op, input, self.limited) {
            return Vec::new();
        }
        let mut found: Vec<Value> = Vec::new();
        for value in of.iter().filter_map(|k| made_of(ty, *k, 0)) {
            if !found.contains(&value) {
                found.push(value);
            }
        }
        if matches!(found.first(), Some(Value::Str(_))) {
            found.insert(1, Value::Str(GREETING.to_owned()));
        } else if is_bytes(ty) && found.len() > 1 {
            let letters = GREETING.bytes().map(|it| Value::UInt(it.into()));
            found.insert(1, Value::List(letters.collect()));
        }
        found
    }

    fn call(&self, op: OperationId, args: &[&Choice]) -> Option<Sequence> {
        let mut builder = Builder::new(self.world);
        let mut given = Vec::new();
        for (input, choice) in self.world.signature(op).inputs.iter().zip(args) {
            given.push(match choice {
                Choice::Literal(value) => Arg::Literal(Arc::new(value.clone())),
                Choice::Made(made) => {
                    let offset = builder.append(&made.sequence).ok()?;
                    let slot = SlotIdx(offset + made.slot.0);
                    Arg::Slot(slot, self.world.usage(input, builder.ty(slot))?)
                }
            });
        }
        builder.push_gently(op, given).ok()?;
        Some(builder.finish())
    }

    /// Values of a type: as constructors make them, and filled with a few items.
    fn values(&mut self, ty: TypeIdx) -> Vec<Made> {
        if let Some(known) = self.values.get(&ty) {
            return known.clone();
        }
        let known = self.makers.of_type(ty).cloned();
        let known: Vec<Made> = known.filter_map(Made::last).collect();
        let mut values = self.constructed(ty);
        values.extend(self.filled(ty, &known));
        // A value with a few items says more than an empty one, which comes after two of them.
        let at = values.len().min(2);
        values.splice(at..at, known);
        values.truncate(MAX_VALUES);
        self.values.insert(ty, values.clone());
        values
    }

    /// Values that constructors make of literals: of lists, or two of single literals.
    fn constructed(&self, ty: TypeIdx) -> Vec<Made> {
        let mut makers: Vec<(usize, OperationId, Option<OperationId>)> = self
            .operations()
            .filter_map(|op| {
                let then = self.gives(op, ty)?;
                Some((self.rank(op)?, op, then))
            })
            .collect();
        makers.sort_unstable_by_key(|(rank, op, _)| (*rank, op.0));
        let mut found = Vec::new();
        for (rank, op, unwrap) in makers.into_iter().take(MAX_CONSTRUCTORS) {
            let numbers: &[usize] = if rank == LISTS { &[2] } else { &[2, 5] };
            for k in numbers {
                let n_inputs = self.world.signature(op).inputs.len();
                let args = (0..n_inputs).map(|input| {
                    let mut literals = self.literals(op, input, &[*k]).into_iter();
                    literals.next().map(Choice::Literal)
                });
                let Some(args) = args.collect::<Option<Vec<_>>>() else {
                    continue;
                };
                let made = self.call(op, &args.iter().collect::<Vec<_>>());
                let made = made.and_then(|it| match unwrap {
                    Some(unwrap) => then(self.world, &it, unwrap),
                    None => Some(it),
                });
                found.extend(made.and_then(Made::last));
            }
        }
        found
    }

    /// Does the operation give the type? If it does so in an `Option` or `Result`, what takes it out?
    fn gives(&self, op: OperationId, ty: TypeIdx) -> Option<Option<OperationId>> {
        let output = self.world.signature(op).output.ty;
        if output == ty {
            return Some(None);
        }
        let is_unwrap = |it: &OperationId| {
            let operation = self.world.catalogue.operation(*it);
            let signature = &operation.signature;
            matches!(operation.form, Form::Unwrap(Side::Some | Side::Ok))
                && signature.output.ty == ty
                && matches!(&signature.inputs[..], [input] if input.ty.ty == output)
        };
        self.operations().find(is_unwrap).map(Some)
    }

    /// How good a constructor is, the best first, if all that it takes are literals.
    fn rank(&self, op: OperationId) -> Option<usize> {
        let operation = self.world.catalogue.operation(op);
        let n_inputs = operation.signature.inputs.len();
        if n_inputs == 0 || !matches!(operation.origin, Origin::Callable(_)) {
            return None;
        }
        let mut has_list = false;
        let mut has_texts = false;
        for input in 0..n_inputs {
            let literals = self.literals(op, input, &[2]);
            let literal = literals.first()?;
            has_list |= matches!(literal, Value::List(_));
            has_texts |= literal.any(&mut |part| matches!(part, Value::Str(_)));
        }
        match (has_list, has_texts) {
            (true, false) => return Some(LISTS),
            (true, true) => return Some(LISTS + 5),
            _ => {}
        }
        match &operation.form {
            Form::Inherent {
                has_self: false,
                name,
                ..
            } if &**name == "new" => Some(LISTS + 1),
            Form::StructLiteral { .. } | Form::Variant { .. } => Some(LISTS + 2),
            Form::Inherent {
                has_self: false, ..
            } => Some(LISTS + 3),
            Form::Trait {
                has_self: false,
                trait_,
                ..
            } if matches!(&*trait_.path, "std::convert::From" | "std::str::FromStr") => {
                Some(LISTS + 4)
            }
            _ => None,
        }
    }

    /// Values that methods fill item by item, from the shortest of those that are known.
    fn filled(&self, ty: TypeIdx, known: &[Made]) -> Vec<Made> {
        let Some(empty) = known.first() else {
            return Vec::new();
        };
        let mut adding: Vec<(usize, OperationId)> = self
            .operations()
            .filter_map(|op| {
                let operation = self.world.catalogue.operation(op);
                let Form::Inherent {
                    name,
                    has_self: true,
                    ..
                } = &operation.form
                else {
                    return None;
                };
                let [receiver, others @ ..] = &operation.signature.inputs[..] else {
                    return None;
                };
                let is_changed = receiver.ty.ty == ty && matches!(receiver.pass, Pass::Mut(_));
                let rank = ADDING.iter().position(|it| **it == **name)?;
                (is_changed && !others.is_empty()).then_some((rank, op))
            })
            .collect();
        adding.sort_unstable_by_key(|(rank, op)| (*rank, op.0));
        let adding = adding.into_iter().take(MAX_FILLED);
        adding
            .filter_map(|(_, op)| self.filled_by(empty, op))
            .collect()
    }

    fn filled_by(&self, empty: &Made, op: OperationId) -> Option<Made> {
        let mut builder = Builder::new(self.world);
        builder.append(&empty.sequence).ok()?;
        let receiver = empty.slot;
        let inputs = &self.world.signature(op).inputs;
        for k in 1..=N_ITEMS {
            let usage = self.world.usage(&inputs[0], builder.ty(receiver))?;
            let mut args = vec![Arg::Slot(receiver, usage)];
            for (column, input) in inputs.iter().enumerate().skip(1) {
                if !is_free(self.world, op, column, self.limited) {
                    return None;
                }
                let ty = &self.world.catalogue.types.get(input.ty.ty).ty;
                args.push(Arg::Literal(Arc::new(made_of(ty, k, column - 1)?)));
            }
            builder.push_gently(op, args).ok()?;
        }
        builder.is_live(receiver).then(|| Made {
            sequence: builder.finish(),
            slot: receiver,
        })
    }

    fn operations(&self) -> impl Iterator<Item = OperationId> + use<> {
        let n = self.world.catalogue.operations.len() as u32;
        (0..n).map(OperationId)
    }
}

fn is_bytes(ty: &Ty) -> bool {
    matches!(ty, Ty::Ref { to, .. } if matches!(
        &**to,
        Ty::Slice(of) if matches!(**of, Ty::Prim(Prim::U8))
    ))
}

/// A literal of a type that can be written, made of a number. `column` says which part of an item it is.
fn made_of(ty: &Ty, k: usize, column: usize) -> Option<Value> {
    let n = match k {
        0 => 0,
        k => k + N_ITEMS * column,
    };
    let items = |of: &Ty| -> Option<Value> {
        let items: Vec<usize> = match k {
            0 => Vec::new(),
            1 => vec![1],
            5 => vec![2, 1, 2],
            9 => vec![4, 5],
            _ => (1..=N_ITEMS).collect(),
        };
        let items = items.into_iter().map(|k| made_of(of, k, column));
        items.collect::<Option<_>>().map(Value::List)
    };
    Some(match ty {
        Ty::Prim(Prim::Bool) => Value::Bool(k.is_multiple_of(2)),
        Ty::Prim(Prim::Char) => Value::Char(char::from(letter(n))),
        Ty::Prim(Prim::F32) => Value::F32((n as f32 + 0.5).to_bits()),
        Ty::Prim(Prim::F64) => Value::F64((n as f64 + 0.5).to_bits()),
        Ty::Prim(prim) => match prim.int_range()? {
            (_, true) => Value::Int(n as i128),
            (_, false) => Value::UInt(n as u128),
        },
        Ty::Tuple(parts) if !parts.is_empty() => {
            let parts = parts.iter().enumerate();
            let parts = parts.map(|(i, part)| made_of(part, k, column + i));
            Value::Tuple(parts.collect::<Option<_>>()?)
        }
        Ty::Array(of, n) => {
            let items = (1..=n.parse().ok()?).map(|k| made_of(of, k, column));
            Value::List(items.collect::<Option<_>>()?)
        }
        Ty::Ref {
            mutable: false, to, ..
        } => match &**to {
            Ty::Str => text(n),
            Ty::Slice(of) => items(of)?,
            _ => return None,
        },
        Ty::Str => text(n),
        Ty::Slice(of) => items(of)?,
        Ty::Adt { path, args } => match (&**path, &args[..]) {
            ("std::string::String", _) => text(n),
            ("std::vec::Vec", [GenericArg::Type(of), ..]) => items(of)?,
            ("std::option::Option", [GenericArg::Type(of)]) => match k {
                0 => Value::none(),
                _ => Value::some(made_of(of, k, column)?),
            },
            _ => return None,
        },
        _ => return None,
    })
}

fn text(n: usize) -> Value {
    Value::Str(match n {
        0 => String::new(),
        n => char::from(letter(n)).to_string(),
    })
}

fn letter(n: usize) -> u8 {
    b'a' + (n.max(1) - 1) as u8 % 26
}

/// Up to `max` ways to pick one of each, those with small positions first.
fn diagonal(lengths: &[usize], max: usize) -> Vec<Vec<usize>> {
    if lengths.contains(&0) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let most: usize = lengths.iter().map(|it| it - 1).sum();
    for sum in 0..=most {
        spread(lengths, sum, &mut Vec::new(), &mut found, max);
    }
    found
}

/// Adds the ways in which positions add up to `sum`.
fn spread(
    lengths: &[usize],
    sum: usize,
    before: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
    max: usize,
) {
    if found.len() >= max {
        return;
    }
    let Some((first, rest)) = lengths.split_first() else {
        if sum == 0 {
            found.push(before.clone());
        }
        return;
    };
    for at in 0..(*first).min(sum + 1) {
        before.push(at);
        spread(rest, sum - at, before, found, max);
        before.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_a_value_are_distinct_and_found_again() {
        let byte = Ty::Prim(Prim::U8);
        let pairs = Ty::adt(
            "std::vec::Vec",
            [Ty::Tuple(vec![byte.clone(), byte.clone()])],
        );
        let n = |n| Value::UInt(n);
        let pair = |a, b| Value::Tuple(vec![n(a), n(b)]);
        let three = Value::List(vec![pair(1, 4), pair(2, 5), pair(3, 6)]);
        assert_eq!(made_of(&pairs, 2, 0), Some(three));
        let asked: Vec<Value> = ASKED.iter().filter_map(|k| made_of(&byte, *k, 0)).collect();
        assert_eq!(asked, [n(2), n(5), n(9), n(1), n(0)]);
    }

    #[test]
    fn the_first_of_each_are_picked_first() {
        assert_eq!(diagonal(&[2, 2], 3), [[0, 0], [0, 1], [1, 0]]);
        assert_eq!(diagonal(&[], 3), [Vec::<usize>::new()]);
        assert!(diagonal(&[2, 0], 3).is_empty());
    }
}
