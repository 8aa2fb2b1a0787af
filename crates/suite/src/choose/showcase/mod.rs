//! Executions that show a call as somebody would who writes a test by hand: on a value of a few distinct
//! items, made by a constructor, with arguments that are there and arguments that are not.
//!
//! Exploration finds what is new, and what it finds first is rarely what one would show: a map of one
//! item, a set that was cleared. These executions go through known code with plain values, so that where
//! they do as much as an explored one, they are the ones that are written.
//!
//! **Present and absent.** The `k`-th item of a value is made of the number `k`, or of the `k`-th letter; in a
//! pair, the second part goes on where the first parts end: `(1, 4), (2, 5), (3, 6)`. So 2 and 5 are found
//! and 9 is not, whatever a method looks for. Of two values of one type, the second is another one that has
//! something in common with the first: `[1, 2, 3]` and `[2, 3, 4]`.
//!
//! **What no constructor makes** is taken from a value that has a few items: an iterator, an entry, the id of a
//! node. Texts are such as the crate's people wrote for that parameter, if they did.

mod literal;
mod sequel;

use std::collections::BTreeMap;
use std::sync::Arc;

use testsmith_api::{Form, OperationId, Origin, Pass, Side, TypeIdx, collects};
use testsmith_equip::Limited;
use testsmith_explore::Kept;
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, World};

use self::literal::{diagonal, is_bytes, made_of};
use super::Wanted;
use super::people::{ends_in, literals_of};
use super::scene::{Given, Made, call};
use super::usual::{GREETING, leaves_of, literals};
use super::weak::{ADDING, is_about_room, is_nothing};
use crate::simplify::{Makers, is_free, reading};

/// The most executions of one operation, and the least that each may have.
const MAX_EACH: usize = 24;
const LEAST_EACH: usize = 3;
/// About the most executions in all.
const MAX_IN_ALL: usize = 6_000;
/// The most executions that ask what came of a change.
const MAX_SEQUELS: usize = 2_000;
/// The most values of one type that methods are called on.
const MAX_VALUES: usize = 8;
/// The most ways to fill a value call by call.
const MAX_FILLED: usize = 3;
/// The most constructors that values of a type are made with.
const MAX_CONSTRUCTORS: usize = 2;
/// The rank of constructors that take a list.
const LISTS: usize = 0;
/// The most values that methods make of one which they use up.
const MAX_BUILT: usize = 3;
/// The most ways to take a value from another one.
const MAX_DERIVED: usize = 3;
/// Values are taken from values that were taken from others, up to so many times over.
const MAX_DEPTH: usize = 5;
/// The most calls of one operation that are taken from the crate's people as they are.
const MAX_BY_PEOPLE: usize = 8;
/// Calls of theirs that need more steps are not.
const MAX_STEPS_SHOWN: usize = 6;
/// A value that people make in more steps is not made in their way.
const MAX_STEPS_BY_PEOPLE: usize = 4;
/// The number of items that are partly those of number 2.
const OTHERS: usize = 7;
/// How many items a value is filled with.
const N_ITEMS: usize = 3;
/// The numbers that arguments are made of, the most telling first: one that is there in the middle, one
/// that is there in a second part, one that is not there, a border, nothing.
const ASKED: [usize; 5] = [2, 5, 9, 1, 0];
/// The first number for each of several parameters that take one.
const BESIDE: [usize; 5] = [2, 8, 4, 6, 3];

/// Executions that show each operation that exploration called.
pub(super) fn showcases(wanted: &Wanted<'_>, kept: &[Kept]) -> Vec<Kept> {
    let Wanted { world, people, .. } = *wanted;
    let mut operations: Vec<OperationId> = kept.iter().map(|it| it.operation).collect();
    operations.sort_unstable_by_key(|it| it.0);
    operations.dedup();
    let mut people: Vec<&Sequence> = people.iter().collect();
    people.sort_by_key(|it| reading(world, it));
    let mut shown = Shown {
        world,
        makers: wanted.makers,
        limited: wanted.limited,
        literals: literals_of(world, &people, kept, wanted.known),
        gives: giving(world),
        values: BTreeMap::new(),
        depth: 0,
        people,
    };
    let collects = collecting(world);
    let is_own = |op: OperationId| {
        let origin = world.catalogue.operation(op).origin;
        matches!(origin, Origin::Callable(_))
    };
    let own: Vec<OperationId> = operations.into_iter().filter(|it| is_own(*it)).collect();
    let max_each = (MAX_IN_ALL / own.len().max(1)).clamp(LEAST_EACH, MAX_EACH);
    let mut found = Vec::new();
    for operation in own.iter().copied() {
        let by_people = shown
            .people
            .iter()
            .filter(|it| ends_in(it) == Some(operation) && it.steps().len() <= MAX_STEPS_SHOWN);
        let by_people: Vec<Sequence> = by_people
            .take(MAX_BY_PEOPLE.min(max_each))
            .map(|it| (*it).clone())
            .collect();
        let calls = shown.calls(operation, max_each);
        for sequence in by_people.into_iter().chain(calls) {
            found.extend(taken_out(world, &collects, operation, sequence));
        }
    }
    for (operation, sequence) in shown.sequels(&own).into_iter().take(MAX_SEQUELS) {
        found.extend(taken_out(world, &collects, operation, sequence));
    }
    found
}

/// The execution, or those that take all items out of the iterator that it ends with.
fn taken_out(
    world: &World,
    collects: &BTreeMap<TypeIdx, Vec<OperationId>>,
    operation: OperationId,
    sequence: Sequence,
) -> Vec<Kept> {
    let output = world.signature(operation).output.ty;
    let ways = collects.get(&output).into_iter().flatten();
    let items = ways.filter_map(|op| {
        Some(Kept {
            operation: *op,
            sequence: then(world, &sequence, *op)?,
        })
    });
    let items: Vec<Kept> = items.collect();
    match items.is_empty() {
        true => vec![Kept {
            operation,
            sequence,
        }],
        false => items,
    }
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

/// Operations by the type that they give.
fn giving(world: &World) -> BTreeMap<TypeIdx, Vec<OperationId>> {
    let mut found: BTreeMap<TypeIdx, Vec<OperationId>> = BTreeMap::new();
    for (i, operation) in world.catalogue.operations.iter().enumerate() {
        let of_type = found.entry(operation.signature.output.ty).or_default();
        of_type.push(OperationId(i as u32));
    }
    found
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
    /// Calls that the crate's people wrote, the shortest first.
    people: Vec<&'s Sequence>,
    /// What they gave to each parameter.
    literals: BTreeMap<(OperationId, usize), Vec<Value>>,
    /// Operations by the type that they give.
    gives: BTreeMap<TypeIdx, Vec<OperationId>>,
    /// Values to call methods on, by type.
    values: BTreeMap<TypeIdx, Vec<Made>>,
    /// How many values are being made from others just now.
    depth: usize,
}

impl Shown<'_> {
    /// Sequences that end in a call of the operation.
    fn calls(&mut self, op: OperationId, max: usize) -> Vec<Sequence> {
        let choices = self.choices(op, &ASKED);
        let picked = diagonal(&choices.iter().map(Vec::len).collect::<Vec<_>>(), max);
        let calls = picked.into_iter().filter_map(|at| {
            let args: Vec<&Choice> = at.iter().zip(&choices).map(|(i, all)| &all[*i]).collect();
            self.call(op, &args)
        });
        calls.collect()
    }

    /// What each input may be given, the most telling first.
    fn choices(&mut self, op: OperationId, numbers: &[usize]) -> Vec<Vec<Choice>> {
        let inputs: Vec<TypeIdx> = self
            .world
            .signature(op)
            .inputs
            .iter()
            .map(|it| it.ty.ty)
            .collect();
        let mut choices: Vec<Vec<Choice>> = Vec::new();
        for (input, ty) in inputs.iter().enumerate() {
            // What is put in is not what is there.
            let n_literals = inputs[..input]
                .iter()
                .filter(|it| self.is_number(**it))
                .count();
            let first = BESIDE[n_literals.min(BESIDE.len() - 1)];
            let others = numbers.iter().copied().filter(|it| *it != first);
            let numbers: Vec<usize> = match self.is_number(*ty) {
                true => std::iter::once(first).chain(others).collect(),
                false => numbers.to_vec(),
            };
            let literals = self.literals(op, input, &numbers);
            choices.push(match literals.is_empty() {
                true => {
                    let mut values = self.values_of(*ty, &inputs[..input]);
                    // Two that are the same do not show which of them does what.
                    let n_before = inputs[..input].iter().filter(|it| *it == ty).count();
                    match (n_before, values.len()) {
                        (_, 0 | 1) => {}
                        // The second one is there to stand beside the first.
                        (0, _) => values[1..].rotate_left(1),
                        (n_before, n) => values.rotate_left(n_before % n),
                    }
                    values.into_iter().map(Choice::Made).collect()
                }
                false => literals.into_iter().map(Choice::Literal).collect(),
            });
        }
        choices
    }

    fn is_number(&self, ty: TypeIdx) -> bool {
        let ty = &self.world.catalogue.types.get(ty).ty;
        matches!(
            made_of(ty, 2, 0),
            Some(Value::Int(_) | Value::UInt(_) | Value::F32(_) | Value::F64(_) | Value::Char(_))
        )
    }

    /// Literals for an input, made of these numbers. None if it takes no literals, or only such as the
    /// user allows.
    fn literals(&self, op: OperationId, input: usize, of: &[usize]) -> Vec<Value> {
        self.literals_of_part(op, input, of, 0)
    }

    /// The same for a part of an item: parts of one item differ.
    fn literals_of_part(
        &self,
        op: OperationId,
        input: usize,
        of: &[usize],
        column: usize,
    ) -> Vec<Value> {
        let of_input = &self.world.signature(op).inputs[input];
        let ty = &self.world.catalogue.types.get(of_input.ty.ty).ty;
        let is_literal = !matches!(of_input.pass, Pass::Mut(_));
        if !is_literal || !is_free(self.world, op, input, self.limited) {
            return Vec::new();
        }
        let mut found: Vec<Value> = Vec::new();
        for value in of.iter().filter_map(|k| made_of(ty, *k, column)) {
            if !found.contains(&value) {
                found.push(value);
            }
        }
        let form = &self.world.catalogue.operation(op).form;
        let is_method = matches!(
            form,
            Form::Inherent { has_self: true, .. } | Form::Trait { has_self: true, .. }
        );
        let by_people = self.literals.get(&(op, input)).map_or(&[][..], |it| it);
        if matches!(found.first(), Some(Value::Str(_))) {
            found.insert(1, Value::Str(GREETING.to_owned()));
        } else if is_bytes(ty) && found.len() > 1 {
            let letters = GREETING.bytes().map(|it| Value::UInt(it.into()));
            let at = usize::from(is_method);
            found.insert(at, Value::List(letters.collect()));
        }
        // A method may look for what its receiver was given.
        let at = usize::from(is_method).min(found.len());
        found.retain(|it| !by_people.contains(it));
        let at = at.min(found.len());
        found.splice(at..at, by_people.iter().cloned());
        found
    }

    fn call(&self, op: OperationId, args: &[&Choice]) -> Option<Sequence> {
        let given = args.iter().map(|choice| match choice {
            Choice::Literal(value) => Given::Literal(Arg::Literal(Arc::new(value.clone()))),
            Choice::Made(made) => Given::Made(made),
        });
        call(self.world, op, given.collect())
    }

    /// Values of a type: as constructors make them, and filled with a few items.
    fn values(&mut self, ty: TypeIdx) -> Vec<Made> {
        if let Some(known) = self.values.get(&ty) {
            return known.clone();
        }
        let known = self.makers.of_type(ty).cloned();
        let known: Vec<Made> = known.filter_map(Made::last).collect();
        let (is_list, mut values) = self.constructed(ty);
        // Of a list it is known what is in it and what is not.
        let at = if is_list { values.len() } else { 0 };
        values.splice(at..at, self.by_people(ty));
        values.extend(self.closures(ty));
        values.extend(self.listed(ty));
        values.extend(self.filled(ty, &known));
        if values.is_empty() {
            // What is asked for while it is made is not made of itself.
            self.values.insert(ty, Vec::new());
            values = self.derived(ty);
        }
        values.extend(self.built(ty, values.first().or(known.first())));
        // A value with a few items says more than an empty one, which comes after two of them.
        let at = values.len().min(2);
        values.splice(at..at, known);
        values.truncate(MAX_VALUES);
        self.values.insert(ty, values.clone());
        values
    }

    /// Values of a type beside others: what one of these gives comes first, since a handle means something
    /// only to the value that gave it.
    fn values_of(&mut self, ty: TypeIdx, beside: &[TypeIdx]) -> Vec<Made> {
        let values = self.values(ty);
        let Some(receiver) = beside.first().filter(|it| **it != ty) else {
            return values;
        };
        let gives_it = |op: &OperationId| {
            let operation = self.world.catalogue.operation(*op);
            let is_method = matches!(&operation.form, Form::Inherent { has_self: true, .. });
            let first = operation.signature.inputs.first();
            is_method && first.is_some_and(|it| it.ty.ty == *receiver)
        };
        let ways = self.gives.get(&ty).into_iter().flatten();
        let ways: Vec<OperationId> = ways.copied().filter(gives_it).take(MAX_DERIVED).collect();
        if ways.is_empty() || self.depth >= MAX_DEPTH {
            return values;
        }
        self.depth += 1;
        let mut found: Vec<Made> = Vec::new();
        for op in ways {
            found.extend(self.taken(op));
        }
        self.depth -= 1;
        found.truncate(MAX_DERIVED);
        found.extend(values);
        found.truncate(MAX_VALUES);
        found
    }

    /// Values that constructors make of literals: of lists, or two of single literals.
    /// The first result says whether they are made of lists.
    fn constructed(&self, ty: TypeIdx) -> (bool, Vec<Made>) {
        let mut makers: Vec<(usize, OperationId, Option<OperationId>)> = self
            .operations()
            .filter_map(|op| {
                let then = self.gives(op, ty)?;
                Some((self.rank(op)?, op, then))
            })
            .collect();
        makers.sort_unstable_by_key(|(rank, op, _)| (*rank, op.0));
        let is_list = makers.first().is_some_and(|(rank, ..)| *rank == LISTS);
        let mut found = Vec::new();
        for (rank, op, unwrap) in makers.into_iter().take(MAX_CONSTRUCTORS) {
            let second = if rank == LISTS { OTHERS } else { 5 };
            for (n, k) in [2, second].into_iter().enumerate() {
                let n_inputs = self.world.signature(op).inputs.len();
                let args = (0..n_inputs).map(|input| {
                    let literals = self.literals_of_part(op, input, &[k], input);
                    let by_people = self.literals.get(&(op, input)).and_then(|it| it.get(n));
                    let literal = by_people.or(literals.first())?;
                    Some(Choice::Literal(literal.clone()))
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
        (is_list, found)
    }

    /// Values as the crate's people make them, if they give something to what makes them.
    fn by_people(&self, ty: TypeIdx) -> Vec<Made> {
        let mut found: Vec<Made> = Vec::new();
        for sequence in &self.people {
            let Some(op) = ends_in(sequence) else {
                continue;
            };
            let is_short = sequence.steps().len() <= MAX_STEPS_BY_PEOPLE;
            let mut leaves = Vec::new();
            literals(sequence).for_each(|it| leaves_of(it, &mut leaves));
            if !is_short || leaves.is_empty() || leaves.into_iter().all(is_nothing) {
                continue;
            }
            let made = match self.gives(op, ty) {
                Some(None) => Some((*sequence).clone()),
                Some(Some(unwrap)) => then(self.world, sequence, unwrap),
                None => None,
            };
            if let Some(made) = made.and_then(Made::last) {
                found.push(made);
            }
            if found.len() >= MAX_CONSTRUCTORS {
                break;
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
        let ways = self.gives.get(&ty).into_iter().flatten();
        ways.copied().find(is_unwrap).map(Some)
    }

    /// How good a constructor is, the best first, if all that it takes are literals.
    fn rank(&self, op: OperationId) -> Option<usize> {
        let operation = self.world.catalogue.operation(op);
        let n_inputs = operation.signature.inputs.len();
        if n_inputs == 0 || !matches!(operation.origin, Origin::Callable(_)) {
            return None;
        }
        // With room for items it has none.
        if operation
            .signature
            .inputs
            .iter()
            .any(|it| is_about_room(&it.name))
        {
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

    /// Lists of a few items that are no literals, but made of one each: paths, texts of the system.
    fn listed(&self, ty: TypeIdx) -> Option<Made> {
        let ways = || self.gives.get(&ty).into_iter().flatten().copied();
        let template = |op: OperationId| match &self.world.catalogue.operation(op).form {
            Form::Recipe { template } => &**template,
            _ => "",
        };
        let list = ways().find(|op| template(*op) == "vec![{0}, {1}, {2}]")?;
        let item = self.world.signature(list).inputs[0].ty.ty;
        let makes = |op: &&OperationId| {
            let inputs = &self.world.signature(**op).inputs;
            inputs.len() == 1 && !self.literals(**op, 0, &[1]).is_empty()
        };
        let made_of = self.gives.get(&item)?.iter().find(makes)?;
        let mut builder = Builder::new(self.world);
        let mut args = Vec::new();
        for k in 1..=N_ITEMS {
            let literal = made_of_input(self.world, *made_of, k)?;
            let slot = builder
                .push_gently(*made_of, vec![Arg::Literal(Arc::new(literal))])
                .ok()?;
            let usage = self
                .world
                .usage(&self.world.signature(list).inputs[k - 1], builder.ty(slot))?;
            args.push(Arg::Slot(slot, usage));
        }
        builder.push_gently(list, args).ok()?;
        Made::last(builder.finish())
    }

    /// Closures that do something with what they are given.
    fn closures(&self, ty: TypeIdx) -> Vec<Made> {
        let mut found: Vec<(usize, OperationId)> = Vec::new();
        for op in self.gives.get(&ty).into_iter().flatten() {
            if let Form::Closure { template, .. } = &self.world.catalogue.operation(*op).form {
                let telling = [
                    "% 2 == 0",
                    "wrapping_add",
                    ".cmp(",
                    " < ",
                    "= {0}",
                    ".len()",
                ];
                let rank = telling.iter().position(|it| template.contains(it));
                let is_plain = !template.contains('{') || template.contains("{0}");
                if let Some(rank) = rank.filter(|_| is_plain && !template.contains("{ ")) {
                    found.push((rank, *op));
                }
            }
        }
        found.sort_unstable_by_key(|(rank, op)| (*rank, op.0));
        let made = found
            .into_iter()
            .take(MAX_CONSTRUCTORS)
            .filter_map(|(_, op)| {
                let n_inputs = self.world.signature(op).inputs.len();
                let args = (0..n_inputs).map(|input| {
                    let mut literals = self.literals(op, input, &[2]).into_iter();
                    literals.next().map(Choice::Literal)
                });
                let args = args.collect::<Option<Vec<_>>>()?;
                Made::last(self.call(op, &args.iter().collect::<Vec<_>>())?)
            });
        made.collect()
    }

    /// Values that methods make which use up the value and give it back otherwise.
    fn built(&self, ty: TypeIdx, base: Option<&Made>) -> Vec<Made> {
        let Some(base) = base else {
            return Vec::new();
        };
        let is_built = |op: &&OperationId| {
            let operation = self.world.catalogue.operation(**op);
            let [receiver, others @ ..] = &operation.signature.inputs[..] else {
                return false;
            };
            matches!(&operation.form, Form::Inherent { has_self: true, .. })
                && receiver.ty.ty == ty
                && matches!(receiver.pass, Pass::Value)
                && !others.is_empty()
        };
        let ways = self.gives.get(&ty).into_iter().flatten().filter(is_built);
        let made = ways.filter_map(|op| {
            let n_inputs = self.world.signature(*op).inputs.len();
            let mut args = vec![Choice::Made(base.clone())];
            for input in 1..n_inputs {
                args.push(Choice::Literal(
                    self.literals(*op, input, &[2]).into_iter().next()?,
                ));
            }
            Made::last(self.call(*op, &args.iter().collect::<Vec<_>>())?)
        });
        made.take(MAX_BUILT).collect()
    }

    /// Values that are taken from others: what methods give, what is in an enum.
    fn derived(&mut self, ty: TypeIdx) -> Vec<Made> {
        if self.depth >= MAX_DEPTH {
            return Vec::new();
        }
        let ways = self.gives.get(&ty).into_iter().flatten();
        let mut ways: Vec<(usize, OperationId)> = ways
            .filter_map(|op| Some((self.rank_of_way(*op, ty)?, *op)))
            .collect();
        ways.sort_unstable_by_key(|(rank, op)| (*rank, op.0));
        self.depth += 1;
        let mut found: Vec<Made> = Vec::new();
        for (_, op) in ways.into_iter().take(MAX_DERIVED) {
            found.extend(self.taken(op));
        }
        self.depth -= 1;
        found
    }

    /// What a method gives, called in two ways.
    fn taken(&mut self, op: OperationId) -> Vec<Made> {
        let mut choices = self.choices(op, &[2, 9]);
        choices.iter_mut().for_each(|it| it.truncate(2));
        let lengths: Vec<usize> = choices.iter().map(Vec::len).collect();
        let made = diagonal(&lengths, 2).into_iter().filter_map(|at| {
            let args: Vec<&Choice> = at.iter().zip(&choices).map(|(i, all)| &all[*i]).collect();
            Made::last(self.call(op, &args)?)
        });
        made.collect()
    }

    /// How good a way an operation is to take a value from another one, the best first.
    fn rank_of_way(&self, op: OperationId, ty: TypeIdx) -> Option<usize> {
        let operation = self.world.catalogue.operation(op);
        let inputs = &operation.signature.inputs;
        let is_of_itself = inputs.iter().any(|it| it.ty.ty == ty);
        let rank = match &operation.form {
            _ if is_of_itself || inputs.is_empty() => return None,
            Form::Inherent { has_self: true, .. } => 0,
            Form::Unwrap(Side::Some | Side::Ok) => 1,
            Form::Recipe { template } if template.starts_with("match ") => 1,
            Form::Trait {
                has_self: true,
                name,
                ..
            } if &**name == "into_iter" => 2,
            _ => return None,
        };
        Some(rank + 4 * inputs.len())
    }

    /// Values that methods fill item by item, from the shortest of those that are known.
    fn filled(&self, ty: TypeIdx, known: &[Made]) -> Vec<Made> {
        // What was taken from another value is not filled.
        let is_constructed = |it: &&Made| it.sequence.steps().len() == 1;
        let Some(empty) = known.first().filter(is_constructed) else {
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

/// A literal for the only input of an operation, made of a number.
fn made_of_input(world: &World, op: OperationId, k: usize) -> Option<Value> {
    let ty = world.signature(op).inputs.first()?.ty.ty;
    made_of(&world.catalogue.types.get(ty).ty, k, 0)
}
