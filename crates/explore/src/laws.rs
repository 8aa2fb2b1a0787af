//! Which laws are tried on which values. What is chosen at random is hardly ever nearly equal, so
//! a second and third value is made like the first, with a literal changed a little.

use std::collections::BTreeMap;

use testsmith_api::{Form, Law, OperationId, Pass, TypeIdx};
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, World, with_literal};

use crate::numbers::neighbour;
use crate::other::{Scalar, others};
use crate::rng::Rng;
use crate::strategy::Ask;
use crate::workshop::Workshop;

/// How often a law of two or three values is tried on them, each time in another order.
const ORDERS: usize = 2;
/// Of a hundred second values, those that are made exactly like the first.
const SAME_PERCENT: usize = 15;
/// Those that are made nearly like it.
const NEAR_PERCENT: usize = 55;

/// The laws there are, and whose turn it is.
#[derive(Debug, Default)]
pub(crate) struct Laws {
    groups: Vec<Group>,
    next: usize,
}

#[derive(Debug)]
enum Group {
    /// They look at one, two or three values of one type.
    Looking(TypeIdx, Vec<OperationId>),
    /// It asks for values that are made alike.
    Alike(OperationId),
    /// It takes what it takes.
    Other(OperationId),
}

/// The law that an operation is.
pub(crate) fn law(world: &World, op: OperationId) -> Option<&Law> {
    match &world.catalogue.operation(op).form {
        Form::Law(law) => Some(law),
        _ => None,
    }
}

impl Laws {
    pub(crate) fn of(world: &World) -> Laws {
        let mut looking: BTreeMap<TypeIdx, Vec<OperationId>> = BTreeMap::new();
        let mut groups = Vec::new();
        let ids = (0..world.catalogue.operations.len()).map(|i| OperationId(i as u32));
        for op in ids {
            let Some(law) = law(world, op) else {
                continue;
            };
            let inputs = &world.signature(op).inputs;
            let first = inputs.first().map(|input| input.ty.ty);
            let is_like_first = |it: &testsmith_api::Input| {
                Some(it.ty.ty) == first && matches!(it.pass, Pass::Shared(_))
            };
            match first {
                _ if law.alike => groups.push(Group::Alike(op)),
                Some(ty) if inputs.len() <= 3 && inputs.iter().all(is_like_first) => {
                    looking.entry(ty).or_default().push(op);
                }
                _ => groups.push(Group::Other(op)),
            }
        }
        let looking = looking.into_iter();
        groups.extend(looking.map(|(ty, ops)| Group::Looking(ty, ops)));
        Laws { groups, next: 0 }
    }

    /// Values, and the laws they must obey. `None` if there are no such values yet.
    pub(crate) fn propose(&mut self, workshop: &mut Workshop<'_>) -> Option<Ask> {
        let n_groups = self.groups.len();
        for _ in 0..n_groups.min(8) {
            let group = &self.groups[self.next % n_groups];
            self.next += 1;
            let builder = match group {
                Group::Looking(ty, laws) => look(workshop, *ty, laws),
                Group::Alike(law) => twice(workshop, *law),
                Group::Other(law) => apply(workshop, *law),
            };
            let Some(builder) = builder else {
                continue;
            };
            // Nothing is made that anybody builds upon.
            let end = SlotIdx(builder.n_slots());
            if let Some(mut ask) = workshop.ask(builder, end, end) {
                ask.traced = None;
                ask.watch_end.clear();
                return Some(ask);
            }
        }
        None
    }
}

/// Up to three values of a type, and its laws.
fn look<'w>(workshop: &mut Workshop<'w>, ty: TypeIdx, laws: &[OperationId]) -> Option<Builder<'w>> {
    let world = workshop.world;
    let n_inputs = |law: &OperationId| world.signature(*law).inputs.len();
    let n_values = laws.iter().map(n_inputs).max()?;
    let mut builder = Builder::new(world);
    let (mut sequence, mut slot) = component(workshop, ty)?;
    let mut slots = Vec::new();
    for n in 0..n_values {
        if n > 0 {
            let rng = &mut workshop.rng;
            match rng.below(100) {
                percent if percent < SAME_PERCENT => {}
                percent if percent < SAME_PERCENT + NEAR_PERCENT => {
                    if let Some(near) = near(workshop, &sequence) {
                        sequence = near;
                    }
                }
                _ => (sequence, slot) = component(workshop, ty)?,
            }
        }
        let offset = builder.append(&sequence).ok()?;
        slots.push(SlotIdx(slot.0 + offset));
    }
    let start = workshop.rng.below(laws.len());
    for n in 0..laws.len() {
        let law = laws[(start + n) % laws.len()];
        let inputs = &world.signature(law).inputs;
        let n_orders = if inputs.len() > 1 { ORDERS } else { 1 };
        for _ in 0..n_orders {
            shuffle(&mut slots, &mut workshop.rng);
            let args = inputs.iter().zip(&slots).map(|(input, slot)| {
                let usage = world.usage(input, builder.ty(*slot))?;
                Some(Arg::Slot(*slot, usage))
            });
            let args: Option<Vec<Arg>> = args.collect();
            builder.push(law, args?).ok()?;
        }
    }
    Some(builder)
}

fn shuffle(slots: &mut [SlotIdx], rng: &mut Rng) {
    for i in (1..slots.len()).rev() {
        slots.swap(i, rng.below(i + 1));
    }
}

/// A law of values that are made alike.
fn twice<'w>(workshop: &mut Workshop<'w>, law: OperationId) -> Option<Builder<'w>> {
    let world = workshop.world;
    let inputs = &world.signature(law).inputs;
    let (sequence, slot) = component(workshop, inputs.first()?.ty.ty)?;
    let mut builder = Builder::new(world);
    let mut args = Vec::new();
    for input in inputs {
        let offset = builder.append(&sequence).ok()?;
        let slot = SlotIdx(slot.0 + offset);
        args.push(Arg::Slot(slot, world.usage(input, builder.ty(slot))?));
    }
    builder.push(law, args).ok()?;
    Some(builder)
}

/// A law of arguments like those of any call.
fn apply<'w>(workshop: &mut Workshop<'w>, law: OperationId) -> Option<Builder<'w>> {
    let mut builder = Builder::new(workshop.world);
    let args = workshop.arguments(&mut builder, law)?;
    builder.push(law, args).ok()?;
    Some(builder)
}

/// A value of this type, and how it is made.
fn component(workshop: &mut Workshop<'_>, ty: TypeIdx) -> Option<(Sequence, SlotIdx)> {
    // What takes nothing but literals is made anew as often as not: then there are more of them.
    if workshop.rng.chance(30)
        && let Some(made) = workshop.made(ty)
    {
        return Some(made);
    }
    let types = [ty];
    let Workshop {
        components, rng, ..
    } = workshop;
    let found = match rng.chance(10) {
        true => components.choose_barren(&types, rng),
        false => None,
    };
    let found = found.or_else(|| components.choose(&types, rng));
    match found {
        Some((sequence, slot)) => Some((sequence.clone(), *slot)),
        None => workshop.made(ty),
    }
}

/// The same calls with one literal changed a little.
fn near(workshop: &mut Workshop<'_>, sequence: &Sequence) -> Option<Sequence> {
    let world = workshop.world;
    let mut places = Vec::new();
    for (step_idx, step) in sequence.steps().iter().enumerate() {
        let Step::Call { op, args, .. } = step else {
            continue;
        };
        for (input, arg) in args.iter().enumerate() {
            if let Arg::Literal(value) = arg
                && workshop.allowed(*op, input).is_none()
            {
                places.push((step_idx, input, *op, value.clone()));
            }
        }
    }
    let (step_idx, input, op, value) = workshop.rng.pick(&places)?.clone();
    let ty = world.signature(op).inputs[input].ty.ty;
    let ty = &world.catalogue.types.get(ty).ty;
    let mut sides = Vec::new();
    scalars(&value, &mut sides);
    let side = workshop.rng.pick(&sides)?.clone();
    let target = moved(&side, &mut workshop.rng);
    let changed = others(ty, &value, &side, &target);
    let changed = workshop.rng.pick(&changed)?.clone();
    with_literal(world, sequence, step_idx, input, changed)
}

/// The numbers and texts that a value consists of.
fn scalars(value: &Value, found: &mut Vec<Scalar>) {
    match value {
        Value::Tuple(parts) => parts.iter().for_each(|part| scalars(part, found)),
        Value::List(parts) => {
            found.push(Scalar::Number(parts.len() as i128));
            parts.iter().for_each(|part| scalars(part, found));
        }
        Value::Named { fields, .. } => fields.iter().for_each(|(_, part)| scalars(part, found)),
        Value::Char(letter) => found.push(Scalar::Number(u32::from(*letter).into())),
        Value::F32(bits) => found.push(Scalar::Float(f32::from_bits(*bits).into())),
        Value::Str(text) => {
            found.push(Scalar::Text(text.clone()));
            let letters = text.chars().map(|c| Scalar::Number(u32::from(c).into()));
            found.extend(letters.take(8));
        }
        value => found.extend(Scalar::of(value)),
    }
}

/// Something that is easily taken for it.
fn moved(side: &Scalar, rng: &mut Rng) -> Scalar {
    match side {
        Scalar::Number(number) => {
            let letter = u32::try_from(*number).ok().and_then(char::from_u32);
            match letter.filter(|c| c.is_ascii_alphabetic()) {
                // The other case.
                Some(letter) if rng.chance(50) => Scalar::Number((u32::from(letter) ^ 32).into()),
                _ => Scalar::Number(neighbour(*number, rng)),
            }
        }
        Scalar::Float(number) => Scalar::Float(match rng.below(5) {
            0 => -number,
            1 => number + 1.0,
            2 => number - 1.0,
            3 => f64::NAN,
            _ => number + f64::EPSILON,
        }),
        Scalar::Text(text) => Scalar::Text(match rng.below(6) {
            0 => text.to_uppercase(),
            1 => text.to_lowercase(),
            2 => format!("{text} "),
            3 => format!("{text}{text}"),
            4 => text.chars().rev().collect(),
            _ => text.chars().skip(1).collect(),
        }),
    }
}
