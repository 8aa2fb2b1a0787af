//! Chooses the values that laws are tried on. Values chosen at random are hardly ever nearly equal,
//! so a second and a third value are made like the first, with a literal changed a little.
//!
//! **A law is an operation.** What values must obey (`Form::Law`) is a call like any other: rustc
//! says whether it makes sense at a type, arguments are chosen, the borrow check holds, and a
//! failure is cut down and printed like any other. It panics by an assertion that the test prints
//! as it stands, after what it presupposes, which the test shows to hold. Every fifth proposal is
//! for laws: values are made, others like them with a literal changed, exchanged or a call less,
//! changed by a few calls, and all laws of their type follow in one sequence; so one prefix pays
//! for many questions. Nothing is learnt from what holds. Types whose values are exhausted, and
//! laws already broken, get a turn now and then. Laws that the compiler's own impls obey by
//! construction are not asked for. Some ask for one value twice (an iterator that is no `Clone` is
//! made twice, `twins.rs`), or once all is dropped; whoever shortens such a sequence must keep it
//! fair (`is_fairly_asked`).

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use testsmith_api::{Asks, OperationId, Pass, TypeIdx};
use testsmith_protocol::Value;
use testsmith_sequence::{
    Arg, Builder, Sequence, SlotIdx, Step, World, doubled, with_literal, without,
};

use crate::ask::Ask;
use crate::fair::{is_fairly_asked, law};
use crate::numbers::neighbour;
use crate::other::{Scalar, others};
use crate::rng::Rng;
use crate::workshop::Workshop;

/// By the number of a law's inputs, how many orders of its values it is tried in.
const ORDERS: [usize; 4] = [1, 1, 2, 4];
/// How many groups of laws may be passed over in a row before none is proposed.
const MAX_ATTEMPTS: usize = 16;
/// A law that was tried this many times for each tuple of values hardly gives a new answer.
const TIMES_ASKED: u64 = 4;
/// A law that was tried this many times in all hardly gives a new answer, however many values there
/// are.
const MANY_TIMES: u64 = 4_000;
/// A group of laws whose answers are known gets one turn in this many.
const TURNS: usize = 6;
/// How many of a hundred values are changed by a few more calls.
const CHANGED_PERCENT: usize = 40;
/// How many of a hundred second values are made exactly like the first.
const SAME_PERCENT: usize = 15;
/// How many of a hundred second values are made nearly like the first.
const NEAR_PERCENT: usize = 55;

/// How many of a hundred third values differ from the second as the second does from the first.
const FURTHER_PERCENT: usize = 40;

/// How many laws that take more than values of their type are asked for at once.
const TOGETHER: usize = 8;

/// The most changes that make a value nearly like another one.
const MAX_CHANGES: usize = 3;

/// All laws, and which of them is next.
#[derive(Debug, Default)]
pub(crate) struct Laws {
    groups: Vec<Group>,
    next: usize,
}

/// Laws that are asked for together.
#[derive(Debug)]
struct Group {
    kind: Kind,
    n_asked: u64,
    /// Those that were found broken.
    broken: Vec<OperationId>,
}

#[derive(Debug)]
enum Kind {
    /// They look at one, two or three values of one type.
    Looking(TypeIdx, Vec<OperationId>),
    /// They look at values of one type, and take something else.
    Asking(TypeIdx, Vec<OperationId>),
    /// It is about values that are made in the same way.
    Alike(OperationId),
    /// It is about values of this type that are made of text.
    Read(OperationId, TypeIdx),
    /// It is asked after a value of this type, and everything else, was dropped.
    Dropped(OperationId, TypeIdx),
    /// It takes arguments like any operation.
    Other(OperationId),
}

impl Laws {
    pub(crate) fn of(world: &World) -> Laws {
        let mut looking: BTreeMap<TypeIdx, Vec<OperationId>> = BTreeMap::new();
        let mut asking: BTreeMap<TypeIdx, Vec<OperationId>> = BTreeMap::new();
        let mut kinds = Vec::new();
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
                _ if law.asks == Asks::OfAlike => kinds.push(Kind::Alike(op)),
                Some(ty) if law.asks == Asks::OfRead => kinds.push(Kind::Read(op, ty)),
                _ if law.asks == Asks::AfterDrops => {
                    let of = world.catalogue.types.find(&law.of);
                    kinds.extend(of.map(|of| Kind::Dropped(op, of)));
                }
                Some(ty) if inputs.len() <= 3 && inputs.iter().all(is_like_first) => {
                    looking.entry(ty).or_default().push(op);
                }
                Some(ty) if inputs.first().is_some_and(is_like_first) => {
                    asking.entry(ty).or_default().push(op);
                }
                _ => kinds.push(Kind::Other(op)),
            }
        }
        let looking = looking.into_iter();
        kinds.extend(looking.map(|(ty, ops)| Kind::Looking(ty, ops)));
        for (ty, ops) in asking {
            let together = ops.chunks(TOGETHER);
            kinds.extend(together.map(|ops| Kind::Asking(ty, ops.to_vec())));
        }
        let groups = kinds.into_iter().map(|kind| Group {
            kind,
            n_asked: 0,
            broken: Vec::new(),
        });
        Laws {
            groups: groups.collect(),
            next: 0,
        }
    }

    /// Notes that a law is broken. Others that look at the same values may be, too.
    pub(crate) fn note_broken(&mut self, law: OperationId) {
        for group in &mut self.groups {
            let has_it = match &group.kind {
                Kind::Looking(_, laws) | Kind::Asking(_, laws) => laws.contains(&law),
                Kind::Alike(op) | Kind::Other(op) => *op == law,
                Kind::Dropped(op, _) | Kind::Read(op, _) => *op == law,
            };
            if has_it && !group.broken.contains(&law) {
                group.broken.push(law);
            }
        }
    }

    /// Proposes values, and the laws that they must obey. `None` if there are no such values yet.
    pub(crate) fn propose(&mut self, workshop: &mut Workshop<'_>) -> Option<Ask> {
        let n_groups = self.groups.len();
        for _ in 0..n_groups.min(MAX_ATTEMPTS) {
            let group = &mut self.groups[self.next % n_groups];
            self.next += 1;
            if group.is_known(workshop) {
                continue;
            }
            group.n_asked += 1;
            let builder = match &group.kind {
                Kind::Looking(ty, laws) => look(workshop, *ty, laws),
                Kind::Asking(ty, laws) => ask(workshop, *ty, laws, &group.broken),
                Kind::Alike(law) => twice(workshop, *law),
                Kind::Dropped(law, ty) => drop_all(workshop, *law, *ty),
                Kind::Read(law, ty) => read(workshop, *law, *ty),
                Kind::Other(law) => apply(workshop, *law),
            };
            let Some(builder) = builder else {
                continue;
            };
            // Nothing is new from here on, because laws make nothing to build upon.
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

impl Group {
    /// Is there hardly anything new to find out about the group? Even then it gets a turn now and
    /// then.
    fn is_known(&self, workshop: &mut Workshop<'_>) -> bool {
        let world = workshop.world;
        let n_values = match &self.kind {
            Kind::Looking(ty, laws) => {
                let n_inputs = laws.iter().map(|it| world.signature(*it).inputs.len());
                let n_states = workshop.ledger.n_states_of(*ty);
                n_states.saturating_pow(n_inputs.max().unwrap_or(0) as u32)
            }
            Kind::Asking(..) | Kind::Alike(_) | Kind::Dropped(..) | Kind::Read(..) => u64::MAX,
            Kind::Other(_) => u64::MAX,
        };
        let is_broken = match &self.kind {
            Kind::Asking(_, laws) => self.broken.len() == laws.len(),
            _ => !self.broken.is_empty(),
        };
        let enough = n_values.saturating_mul(TIMES_ASKED).saturating_add(64);
        let is_asked = self.n_asked > enough.min(MANY_TIMES);
        (is_broken || is_asked) && workshop.rng.below(TURNS) > 0
    }
}

/// Makes up to three values of a type, and asks for its laws about nothing else.
fn look<'w>(workshop: &mut Workshop<'w>, ty: TypeIdx, laws: &[OperationId]) -> Option<Builder<'w>> {
    let world = workshop.world;
    let n_inputs = |law: &OperationId| world.signature(*law).inputs.len();
    let n_values = laws.iter().map(n_inputs).max()?;
    let (mut builder, mut slots) = values(workshop, ty, n_values)?;
    let start = workshop.rng.below(laws.len());
    for n in 0..laws.len() {
        let law = laws[(start + n) % laws.len()];
        let inputs = &world.signature(law).inputs;
        for _ in 0..ORDERS[inputs.len().min(3)] {
            shuffle(&mut slots, &mut workshop.rng);
            let args = inputs.iter().zip(&slots).map(|(input, slot)| {
                let usage = world.usage(input, builder.ty(*slot))?;
                Some(Arg::Slot(*slot, usage))
            });
            let args: Option<Vec<Arg>> = args.collect();
            // If one of the values is lent, the borrow check rejects the call, and the law is left
            // out.
            let _ = builder.push(law, args?);
        }
    }
    Some(builder)
}

/// Makes values of a type, and asks for laws that take something else, too. One that is broken hardly
/// leaves anything to find out, and keeps the others from being asked for.
fn ask<'w>(
    workshop: &mut Workshop<'w>,
    ty: TypeIdx,
    laws: &[OperationId],
    broken: &[OperationId],
) -> Option<Builder<'w>> {
    let world = workshop.world;
    let is_value =
        |input: &testsmith_api::Input| input.ty.ty == ty && matches!(input.pass, Pass::Shared(_));
    let n_values = |law: &OperationId| {
        let inputs = world.signature(*law).inputs.iter();
        inputs.filter(|input| is_value(input)).count()
    };
    let (mut builder, mut slots) = values(workshop, ty, laws.iter().map(n_values).max()?)?;
    let start = workshop.rng.below(laws.len());
    for law in (0..laws.len()).map(|n| laws[(start + n) % laws.len()]) {
        if broken.contains(&law) && workshop.rng.below(TURNS) > 0 {
            continue;
        }
        shuffle(&mut slots, &mut workshop.rng);
        let mut next = slots.iter();
        let mut args = Vec::new();
        for (i, input) in world.signature(law).inputs.iter().enumerate() {
            let arg = match is_value(input).then(|| next.next()).flatten() {
                Some(slot) => Arg::Slot(*slot, world.usage(input, ty)?),
                None => workshop.argument(&mut builder, law, i, &args)?,
            };
            args.push(arg);
        }
        let _ = builder.push(law, args);
    }
    Some(builder)
}

/// Makes up to three values of a type, each often like the one before.
fn values<'w>(
    workshop: &mut Workshop<'w>,
    ty: TypeIdx,
    n_values: usize,
) -> Option<(Builder<'w>, Vec<SlotIdx>)> {
    let world = workshop.world;
    let mut builder = Builder::new(world);
    let (mut sequence, mut slot) = component(workshop, ty)?;
    let mut before = None;
    let mut slots = Vec::new();
    for n in 0..n_values {
        let further = before
            .as_ref()
            .filter(|_| n == 2 && workshop.rng.chance(FURTHER_PERCENT));
        if let Some(third) = further.and_then(|before| further_on(world, before, &sequence)) {
            sequence = third;
        } else if n > 0 {
            before = Some(sequence.clone());
            let rng = &mut workshop.rng;
            match rng.below(100) {
                percent if percent < SAME_PERCENT => {}
                percent if percent < SAME_PERCENT + NEAR_PERCENT => {
                    for _ in 0..workshop.rng.below(MAX_CHANGES) + 1 {
                        if let Some(near) = near(workshop, &sequence, slot) {
                            (sequence, slot) = near;
                        }
                    }
                }
                _ => (sequence, slot) = component(workshop, ty)?,
            }
        }
        let offset = builder.append(&sequence).ok()?;
        slots.push(SlotIdx(slot.0 + offset));
    }
    if workshop.rng.chance(CHANGED_PERCENT) {
        workshop.burst(&mut builder);
        if !slots.iter().all(|slot| builder.is_live(*slot)) {
            return None;
        }
    }
    Some((builder, slots))
}

fn shuffle(slots: &mut [SlotIdx], rng: &mut Rng) {
    for i in (1..slots.len()).rev() {
        slots.swap(i, rng.below(i + 1));
    }
}

/// Makes a value twice in the same way, and asks for a law about both.
fn twice<'w>(workshop: &mut Workshop<'w>, law: OperationId) -> Option<Builder<'w>> {
    let world = workshop.world;
    let ty = world.signature(law).inputs.first()?.ty.ty;
    let (sequence, slot) = component(workshop, ty)?;
    let doubled = doubled(world, &sequence, slot, law)?;
    let mut builder = Builder::new(world);
    builder.append(&doubled).ok()?;
    Some(builder)
}

/// Makes a value of text, and asks for a law about it. Texts near one that could be read are mostly read, too.
fn read<'w>(workshop: &mut Workshop<'w>, law: OperationId, ty: TypeIdx) -> Option<Builder<'w>> {
    let world = workshop.world;
    let usage = world.usage(world.signature(law).inputs.first()?, ty)?;
    for _ in 0..MAX_ATTEMPTS {
        let Some((mut sequence, slot)) = component(workshop, ty) else {
            continue;
        };
        for _ in 0..workshop.rng.below(MAX_CHANGES) {
            sequence = changed(workshop, &sequence).unwrap_or(sequence);
        }
        let mut builder = Builder::new(world);
        let asked = builder
            .append(&sequence)
            .and_then(|_| builder.push(law, vec![Arg::Slot(slot, usage)]));
        if asked.is_ok() && is_fairly_asked(world, &builder.clone().finish()) {
            return Some(builder);
        }
    }
    None
}

/// Makes a value that holds others, changes it a little, and drops everything but the counter.
fn drop_all<'w>(workshop: &mut Workshop<'w>, law: OperationId, ty: TypeIdx) -> Option<Builder<'w>> {
    let world = workshop.world;
    let (sequence, _) = component(workshop, ty)?;
    let mut builder = Builder::new(world);
    builder.append(&sequence).ok()?;
    workshop.burst(&mut builder);
    workshop.burst(&mut builder);
    if builder.steps().iter().any(|step| gives_up(world, step)) {
        return None;
    }
    let input = world.signature(law).inputs.first()?;
    let is_counter = |builder: &Builder<'_>, slot: &SlotIdx| builder.ty(*slot) == input.ty.ty;
    for slot in (0..builder.n_slots()).rev().map(SlotIdx) {
        if builder.is_live(slot) && !is_counter(&builder, &slot) {
            builder.drop(slot).ok()?;
        }
    }
    let counters: Vec<SlotIdx> = builder
        .live()
        .filter(|it| is_counter(&builder, it))
        .collect();
    for counter in &counters {
        let usage = world.usage(input, builder.ty(*counter))?;
        builder.push(law, vec![Arg::Slot(*counter, usage)]).ok()?;
    }
    (!counters.is_empty()).then_some(builder)
}

/// Does the step keep a destructor from running, so that a leak is intended?
fn gives_up(world: &World, step: &Step) -> bool {
    let Step::Call { op, .. } = step else {
        return false;
    };
    let key = &world.catalogue.operation(*op).key;
    ["leak", "forget", "raw", "ManuallyDrop"]
        .iter()
        .any(|word| key.contains(word))
}

/// Asks for a law about arguments like those of any call.
fn apply<'w>(workshop: &mut Workshop<'w>, law: OperationId) -> Option<Builder<'w>> {
    let mut builder = Builder::new(workshop.world);
    let args = workshop.arguments(&mut builder, law)?;
    builder.push(law, args).ok()?;
    Some(builder)
}

/// A value of this type, and the sequence that makes it.
fn component(workshop: &mut Workshop<'_>, ty: TypeIdx) -> Option<(Sequence, SlotIdx)> {
    // A value that needs only literals is often made anew, so that there are more different ones.
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

/// A sequence with nearly the same calls, and the slot of its value: with one call fewer, or with a
/// literal exchanged or changed a little.
fn near(
    workshop: &mut Workshop<'_>,
    sequence: &Sequence,
    slot: SlotIdx,
) -> Option<(Sequence, SlotIdx)> {
    match workshop.rng.below(6) {
        0 => shorter(workshop, sequence, slot),
        1 => exchanged(workshop, sequence).map(|it| (it, slot)),
        _ => changed(workshop, sequence).map(|it| (it, slot)),
    }
}

/// The sequence with one call fewer.
fn shorter(
    workshop: &mut Workshop<'_>,
    sequence: &Sequence,
    slot: SlotIdx,
) -> Option<(Sequence, SlotIdx)> {
    let n_steps = sequence.steps().len();
    let step_idx = workshop.rng.below(n_steps.max(1));
    let Some(Step::Call { out, .. }) = sequence.steps().get(step_idx) else {
        return None;
    };
    let slot = match out.cmp(&slot) {
        Ordering::Less => SlotIdx(slot.0 - 1),
        Ordering::Equal => return None,
        Ordering::Greater => slot,
    };
    let shorter = without(workshop.world, sequence, step_idx)?;
    Some((shorter, slot))
}

/// The sequence with two literals of one operation exchanged.
fn exchanged(workshop: &mut Workshop<'_>, sequence: &Sequence) -> Option<Sequence> {
    let world = workshop.world;
    let places = places(workshop, sequence);
    let one = workshop.rng.pick(&places)?.clone();
    let is_partner =
        |it: &&LiteralAt| (it.input, it.op) == (one.input, one.op) && it.value != one.value;
    let partners: Vec<&LiteralAt> = places.iter().filter(is_partner).collect();
    let other = (*workshop.rng.pick(&partners)?).clone();
    let once = with_literal(
        world,
        sequence,
        one.step_idx,
        one.input,
        (*other.value).clone(),
    )?;
    with_literal(
        world,
        &once,
        other.step_idx,
        one.input,
        (*one.value).clone(),
    )
}

/// A literal of a sequence.
#[derive(Clone)]
struct LiteralAt {
    step_idx: usize,
    input: usize,
    /// The operation that takes it.
    op: OperationId,
    value: Arc<Value>,
}

/// The literals that may be changed.
fn places(workshop: &Workshop<'_>, sequence: &Sequence) -> Vec<LiteralAt> {
    let mut places = Vec::new();
    for (step_idx, step) in sequence.steps().iter().enumerate() {
        let Step::Call { op, args, .. } = step else {
            continue;
        };
        for (input, arg) in args.iter().enumerate() {
            if let Arg::Literal(value) = arg
                && workshop.allowed(*op, input).is_none()
            {
                places.push(LiteralAt {
                    step_idx,
                    input,
                    op: *op,
                    value: value.clone(),
                });
            }
        }
    }
    places
}

/// The same calls with one literal changed a little.
fn changed(workshop: &mut Workshop<'_>, sequence: &Sequence) -> Option<Sequence> {
    let world = workshop.world;
    let places = places(workshop, sequence);
    let LiteralAt {
        step_idx,
        input,
        op,
        value,
    } = workshop.rng.pick(&places)?.clone();
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

/// The same calls with numbers that are as far from the second sequence's as those are from the
/// first's. What holds for neighbours need not hold for the neighbours of these.
fn further_on(world: &World, first: &Sequence, second: &Sequence) -> Option<Sequence> {
    if first.steps().len() != second.steps().len() {
        return None;
    }
    let mut third = None;
    for (step_idx, (one, two)) in first.steps().iter().zip(second.steps()).enumerate() {
        let (
            Step::Call { op, args, .. },
            Step::Call {
                op: same,
                args: of_second,
                ..
            },
        ) = (one, two)
        else {
            continue;
        };
        if op != same {
            return None;
        }
        for (input, (one, two)) in args.iter().zip(of_second).enumerate() {
            let (Arg::Literal(one), Arg::Literal(two)) = (one, two) else {
                continue;
            };
            let (Some(Scalar::Number(from)), Some(Scalar::Number(to))) =
                (Scalar::of(one), Scalar::of(two))
            else {
                continue;
            };
            if from == to {
                continue;
            }
            let next = Scalar::Number(to.checked_add(to.checked_sub(from)?)?);
            let ty = &world
                .catalogue
                .types
                .get(world.signature(*op).inputs[input].ty.ty)
                .ty;
            let moved = others(ty, two, &Scalar::Number(to), &next)
                .into_iter()
                .next()?;
            let sequence = third.as_ref().unwrap_or(second);
            third = Some(with_literal(world, sequence, step_idx, input, moved)?);
        }
    }
    third
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

/// A value that is easily mistaken for this one.
fn moved(side: &Scalar, rng: &mut Rng) -> Scalar {
    match side {
        Scalar::Number(number) => {
            let letter = u32::try_from(*number).ok().and_then(char::from_u32);
            match letter.filter(|c| c.is_ascii_alphabetic()) {
                // The same letter in the other case.
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
