//! Makes proposals for every strategy: chooses operations by weight, and arguments among literals,
//! present values, and components.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;
use testsmith_api::{Form, OperationId, Origin, Pass, TypeIdx};
use testsmith_protocol::{Caps, Execution, Value};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, Use, World};

use crate::allowed::Allowed;
use crate::ask::Ask;
use crate::components::Components;
use crate::digests::Digests;
use crate::ledger::{Ledger, Lesson, Tally};
use crate::literals::{Literals, Purpose};
use crate::options::Options;
use crate::rng::Rng;
use crate::traffic::{Cost, Traffic};
use crate::weights::Weights;
use crate::worth::{Worth, dearness, is_hopeless};

/// The most failed attempts in a row before a proposal is given up.
const MAX_ATTEMPTS: usize = 50;
/// How deep missing arguments may be nested.
const MAX_DEMAND: usize = 4;
/// The number of sequences remembered as built, as a power of two. 21 means 16 MiB.
const BUILT_BITS: u32 = 21;

/// What proposals are made from.
pub(crate) struct Workshop<'w> {
    pub(crate) world: &'w World,
    pub(crate) options: Options,
    pub(crate) rng: Rng,
    pub(crate) literals: Literals,
    pub(crate) components: Components,
    pub(crate) ledger: Ledger,
    /// Do the regions that calls entered decide what is worth calling?
    pub(crate) is_guided: bool,
    /// Are components left out, because a sequence is made from nothing?
    is_walking: bool,
    built: Digests,
    weights: Weights,
    worth: Worth,
    pub(crate) traffic: Traffic,
}

impl<'w> Workshop<'w> {
    /// A workshop that has made nothing yet.
    pub(crate) fn new(world: &'w World, literals: Literals, options: Options) -> Workshop<'w> {
        let n_operations = world.catalogue.operations.len();
        let n_types = world.catalogue.types.len();
        let worth = Worth::new(world);
        let start = |i| worth.weight(OperationId(i as u32), Tally::default());
        Workshop {
            world,
            literals,
            rng: Rng::new(options.seed),
            options,
            components: Components::new(n_types),
            ledger: Ledger::new(n_operations, n_types),
            is_guided: false,
            is_walking: false,
            built: Digests::with_bits(BUILT_BITS),
            weights: Weights::new((0..n_operations).map(start).collect()),
            worth,
            traffic: Traffic::new(world),
        }
    }

    /// Forgets findings and the sequences that were built. What is known of operations stays.
    pub(crate) fn begin_anew(&mut self) {
        self.ledger.begin_anew();
        self.built = Digests::with_bits(BUILT_BITS);
    }

    /// A random operation, by weight. `None` if none may be called.
    fn choose_operation(&mut self) -> Option<OperationId> {
        let operation = OperationId(self.weights.pick(&mut self.rng)? as u32);
        self.ledger.tallies[operation.0 as usize].tried += 1;
        Some(operation)
    }

    /// An operation that makes a value of this type.
    fn choose_producer(&mut self, ty: TypeIdx) -> Option<OperationId> {
        let producers = &self.traffic.producers[ty.0 as usize];
        let mut chosen = *self.rng.pick(producers)?;
        for _ in 0..MAX_DEMAND {
            if !self.is_too_dear(chosen) {
                break;
            }
            let producers = &self.traffic.producers[ty.0 as usize];
            chosen = *self.rng.pick(producers)?;
        }
        Some(chosen)
    }

    /// Is the operation left out this time? The dearer its calls are, the more often it is.
    fn is_too_dear(&mut self, operation: OperationId) -> bool {
        let dearness = dearness(self.ledger.tallies[operation.0 as usize]);
        self.is_guided && dearness > 1 && self.rng.below(dearness as usize) > 0
    }

    /// Computes the weight of an operation again, from what happened to its calls.
    fn weigh(&mut self, operation: OperationId) {
        let tally = self.ledger.tallies[operation.0 as usize];
        let weight = match self.is_guided {
            _ if self.ledger.quarantine.is_closed(operation) => 0,
            true => self.worth.guided_weight(operation, &self.ledger),
            false => self.worth.weight(operation, tally),
        };
        self.weights.set(operation.0 as usize, weight);
    }

    /// A new sequence that extends components by one or more operations. `None` if many attempts in
    /// a row gave nothing new.
    pub(crate) fn extend(&mut self) -> Option<Ask> {
        for _ in 0..MAX_ATTEMPTS {
            let operation = self.choose_operation()?;
            let ask = self.assemble(operation, 0);
            let tally = &mut self.ledger.tallies[operation.0 as usize];
            if ask.is_some() {
                tally.built += 1;
                return ask;
            }
            if is_hopeless(*tally) {
                self.weigh(operation);
            }
        }
        None
    }

    /// A new sequence from nothing: random operations up to a random length.
    pub(crate) fn walk(&mut self) -> Option<Ask> {
        self.is_walking = true;
        let ask = self.walk_on();
        self.is_walking = false;
        ask
    }

    fn walk_on(&mut self) -> Option<Ask> {
        for _ in 0..MAX_ATTEMPTS {
            let mut builder = Builder::new(self.world);
            let n_steps = 1 + self.rng.below(self.options.max_steps);
            for _ in 0..MAX_ATTEMPTS {
                if builder.steps().len() >= n_steps {
                    break;
                }
                let operation = self.choose_operation()?;
                self.apply(&mut builder, operation);
            }
            if !builder.steps().is_empty()
                && let Some(ask) = self.ask(builder, SlotIdx(0), SlotIdx(0))
            {
                return Some(ask);
            }
        }
        None
    }

    fn assemble(&mut self, operation: OperationId, depth: usize) -> Option<Ask> {
        let world = self.world;
        let mut builder = Builder::new(world);
        let mut new_from = None;
        let args = match self.choose_arguments(&mut builder, operation, None, 0, &mut new_from) {
            Ok(args) => args,
            Err(missing) => {
                // A missing argument is made first (demand-driven construction).
                let accepted = &self.traffic.accepts[operation.0 as usize][missing];
                if depth < MAX_DEMAND && !accepted.iter().any(|ty| self.components.has(*ty)) {
                    let ty = world.signature(operation).inputs[missing].ty.ty;
                    let maker = self.choose_producer(ty)?;
                    return self.assemble(maker, depth + 1);
                }
                return None;
            }
        };
        // Values made on the way are cheap, so they are not observed.
        let look_from = SlotIdx(builder.n_slots());
        let watch_from = new_from.unwrap_or(look_from);
        self.push(&mut builder, operation, &args)?;
        let repeats = !args.is_empty() && self.rng.chance(self.options.repeat_percent);
        if repeats && !self.is_too_dear(operation) {
            self.repeat(&mut builder, operation, &args);
        }
        if self.rng.chance(self.options.burst_percent) {
            self.burst(&mut builder);
        }
        self.ask(builder, watch_from, look_from)
    }

    /// Appends a call, with the calls that make its missing arguments.
    fn apply(&mut self, builder: &mut Builder<'w>, operation: OperationId) {
        if let Ok(args) = self.choose_arguments(builder, operation, None, 0, &mut None)
            && self.push(builder, operation, &args).is_some()
            && !args.is_empty()
            && self.rng.chance(self.options.repeat_percent)
        {
            self.repeat(builder, operation, &args);
        }
    }

    /// Appends a few more operations on present values, because a prefix costs as much for one new
    /// call as for many.
    pub(crate) fn burst(&mut self, builder: &mut Builder<'w>) {
        for _ in 0..self.rng.below(self.options.max_burst) + 1 {
            if builder.steps().len() >= self.options.max_steps {
                return;
            }
            let takes =
                |slot: &SlotIdx| !self.traffic.consumers[builder.ty(*slot).0 as usize].is_empty();
            let slots: Vec<SlotIdx> = builder.live().filter(takes).collect();
            let Some(&slot) = self.rng.pick(&slots) else {
                return;
            };
            let consumers = &self.traffic.consumers[builder.ty(slot).0 as usize];
            let heaviest = |n: usize, rng: &mut Rng| {
                let drawn = (0..n).filter_map(|_| rng.pick(consumers).copied());
                drawn.max_by_key(|(operation, _)| self.weights.get(operation.0 as usize))
            };
            let Some((operation, input)) = heaviest(2, &mut self.rng) else {
                return;
            };
            if self.is_too_dear(operation) {
                continue;
            }
            let given = Some((input, slot));
            if let Ok(args) = self.choose_arguments(builder, operation, given, 0, &mut None) {
                self.push(builder, operation, &args);
            }
        }
    }

    fn push(
        &mut self,
        builder: &mut Builder<'w>,
        operation: OperationId,
        args: &[Arg],
    ) -> Option<SlotIdx> {
        match builder.push(operation, args.to_vec()) {
            Ok(slot) => Some(slot),
            Err(_rejected) => {
                self.ledger.stats.n_rejected += 1;
                None
            }
        }
    }

    /// Chooses arguments for all inputs, or gives the input for which there is none. `given` says
    /// which slot serves which input. `new_from` becomes the first slot that is new and not part of
    /// a component.
    fn choose_arguments(
        &mut self,
        builder: &mut Builder<'w>,
        operation: OperationId,
        given: Option<(usize, SlotIdx)>,
        depth: usize,
        new_from: &mut Option<SlotIdx>,
    ) -> Result<Vec<Arg>, usize> {
        let world = self.world;
        let inputs = &world.signature(operation).inputs;
        let n_inputs = inputs.len();
        let mut args: Vec<Arg> = Vec::with_capacity(n_inputs);
        let reversed = is_reversed(world, operation);
        for n in 0..n_inputs {
            let i = if reversed { n_inputs - 1 - n } else { n };
            let arg = match given {
                Some((input, slot)) if input == i => {
                    let usage = world.usage(&inputs[i], builder.ty(slot));
                    usage.map(|usage| Arg::Slot(slot, usage))
                }
                _ => self.choose_argument(builder, operation, i, &args),
            };
            let arg = match arg {
                None if depth < MAX_DEMAND => {
                    let ty = inputs[i].ty.ty;
                    let from = SlotIdx(builder.n_slots());
                    let slot = self.make(builder, ty, depth + 1);
                    new_from.get_or_insert(from);
                    let usage = world.usage(&inputs[i], ty);
                    slot.and_then(|slot| Some(Arg::Slot(slot, usage?)))
                }
                arg => arg,
            };
            args.push(arg.ok_or(i)?);
        }
        if reversed {
            args.reverse();
        }
        Ok(args)
    }

    /// Chooses arguments for an operation that is not proposed by itself, such as a law.
    pub(crate) fn arguments(
        &mut self,
        builder: &mut Builder<'w>,
        operation: OperationId,
    ) -> Option<Vec<Arg>> {
        let args = self.choose_arguments(builder, operation, None, 0, &mut None);
        args.ok()
    }

    /// Chooses one argument for such an operation, after the `earlier` ones.
    pub(crate) fn argument(
        &mut self,
        builder: &mut Builder<'w>,
        operation: OperationId,
        i: usize,
        earlier: &[Arg],
    ) -> Option<Arg> {
        self.choose_argument(builder, operation, i, earlier)
    }

    /// A value of this type, made only of literals and of values made from them.
    pub(crate) fn made(&mut self, ty: TypeIdx) -> Option<(Sequence, SlotIdx)> {
        let mut builder = Builder::new(self.world);
        let slot = self.make(&mut builder, ty, 1)?;
        Some((builder.finish(), slot))
    }

    /// Makes a value of this type within the sequence.
    fn make(&mut self, builder: &mut Builder<'w>, ty: TypeIdx, depth: usize) -> Option<SlotIdx> {
        if builder.steps().len() >= self.options.max_steps {
            return None;
        }
        let maker = self.choose_producer(ty)?;
        let args = self.choose_arguments(builder, maker, None, depth, &mut None);
        self.push(builder, maker, &args.ok()?)
    }

    /// Repeats the operation, mostly on the same values, with other literals.
    fn repeat(&mut self, builder: &mut Builder<'w>, operation: OperationId, args: &[Arg]) {
        for _ in 0..self.rng.below(self.options.max_repeats) + 1 {
            if builder.steps().len() >= self.options.max_steps {
                return;
            }
            let mut again = Vec::with_capacity(args.len());
            for (i, arg) in args.iter().enumerate() {
                let keep = match arg {
                    Arg::Slot(slot, usage) => *usage != Use::Move && builder.is_live(*slot),
                    Arg::Literal(_) => self.rng.chance(30),
                };
                let arg = match keep {
                    true => Some(arg.clone()),
                    false => self.choose_argument(builder, operation, i, &again),
                };
                match arg {
                    Some(arg) => again.push(arg),
                    None => return,
                }
            }
            if builder.push(operation, again).is_err() {
                return;
            }
        }
    }

    /// Chooses a literal, a present value, or a component.
    fn choose_argument(
        &mut self,
        builder: &mut Builder<'w>,
        operation: OperationId,
        i: usize,
        earlier: &[Arg],
    ) -> Option<Arg> {
        let world = self.world;
        let input = &world.signature(operation).inputs[i];
        // An input that the user limits gets only literals.
        if self.allowed(operation, i).is_some() {
            return self.literal_argument(builder, operation, i);
        }
        // Unwrapping a literal says nothing.
        let unwraps = matches!(world.catalogue.operation(operation).form, Form::Unwrap(_));
        let is_literal = !unwraps && world.caps(input.ty.ty).has(Caps::LITERAL);
        if is_literal && self.rng.chance(80) {
            return self.literal_argument(builder, operation, i);
        }
        let accepted = &self.traffic.accepts[operation.0 as usize][i];
        // A present value may serve, so that arguments can be related.
        let is_moved = |slot: &SlotIdx| earlier.contains(&Arg::Slot(*slot, Use::Move));
        let present: Vec<SlotIdx> = builder
            .live()
            .filter(|slot| accepted.contains(&builder.ty(*slot)) && !is_moved(slot))
            .collect();
        if !present.is_empty() && self.rng.chance(60) {
            let slot = *self.rng.pick(&present)?;
            let usage = world.usage(input, builder.ty(slot))?;
            return Some(Arg::Slot(slot, usage));
        }
        if self.is_walking {
            return match is_literal {
                true => self.literal_argument(builder, operation, i),
                false => None,
            };
        }
        let made_percent = match self.traffic.cost(input.ty.ty) {
            Cost::High => 5,
            Cost::Mixed => 40,
            Cost::Low => 70,
        };
        let barren_percent = if unwraps { 50 } else { 4 };
        let component = match self.rng.chance(barren_percent) {
            true => self.components.choose_barren(accepted, &mut self.rng),
            false => None,
        };
        // Now and then a new value is made, because components are not all there is.
        let is_made = component.is_none() && self.rng.chance(made_percent);
        let component = match is_made {
            true => None,
            false => component.or_else(|| self.components.choose(accepted, &mut self.rng)),
        };
        if let Some((sequence, slot)) = component {
            let fits = builder.steps().len() + sequence.steps().len() < self.options.max_steps;
            if fits && let Ok(offset) = builder.append(sequence) {
                let slot = SlotIdx(slot.0 + offset);
                if let Some(usage) = world.usage(input, builder.ty(slot)) {
                    return Some(Arg::Slot(slot, usage));
                }
            }
        }
        match is_literal {
            true => self.literal_argument(builder, operation, i),
            false => None,
        }
    }

    /// The limit of an argument that the user set, if there is one.
    pub(crate) fn allowed(&self, operation: OperationId, i: usize) -> Option<&Allowed> {
        let operation = self.world.catalogue.operation(operation);
        match operation.origin {
            Origin::Callable(id) | Origin::Beside(id) => {
                self.literals.allowed(id, operation.parameter(i))
            }
            Origin::Recipe | Origin::Law => None,
        }
    }

    /// A literal in place, or in a slot of its own if it is borrowed for longer.
    fn literal_argument(
        &mut self,
        builder: &mut Builder<'w>,
        operation: OperationId,
        i: usize,
    ) -> Option<Arg> {
        let input = &self.world.signature(operation).inputs[i];
        let value: Arc<Value> = self.literal(operation, i)?.into();
        let in_place = match input.pass {
            Pass::Value => true,
            Pass::Shared(_) => builder.literal_fits(operation, i).is_ok() && self.rng.chance(80),
            Pass::Mut(_) => false,
        };
        if in_place {
            return Some(Arg::Literal(value));
        }
        self.in_a_slot(builder, operation, i, &value)
    }

    /// A literal for an input, as the user allows it.
    pub(crate) fn literal(&mut self, operation: OperationId, i: usize) -> Option<Value> {
        let world = self.world;
        let purpose = Purpose {
            operation,
            callable: match world.catalogue.operation(operation).origin {
                Origin::Callable(callable) => Some(callable),
                Origin::Beside(_) | Origin::Recipe | Origin::Law => None,
            },
        };
        let ty = world.signature(operation).inputs[i].ty.ty;
        let ty = &world.catalogue.types.get(ty).ty;
        let allowed = self.allowed(operation, i).cloned();
        match allowed {
            Some(allowed) => allowed.value(ty, &mut self.rng),
            None => self.literals.value_for(purpose, ty, &mut self.rng),
        }
    }

    /// Writes this literal for an input, in place if it can stand there.
    pub(crate) fn written(
        &self,
        builder: &mut Builder<'_>,
        operation: OperationId,
        i: usize,
        value: &Arc<Value>,
    ) -> Option<Arg> {
        match builder.literal_fits(operation, i) {
            Ok(()) => Some(Arg::Literal(Arc::clone(value))),
            Err(_) => self.in_a_slot(builder, operation, i, value),
        }
    }

    fn in_a_slot(
        &self,
        builder: &mut Builder<'_>,
        operation: OperationId,
        i: usize,
        value: &Arc<Value>,
    ) -> Option<Arg> {
        let input = &self.world.signature(operation).inputs[i];
        let ty = input.ty.ty;
        let maker = *self.traffic.literal_ops.get(&ty)?;
        let slot = builder
            .push(maker, vec![Arg::Literal(Arc::clone(value))])
            .ok()?;
        Some(Arg::Slot(slot, self.world.usage(input, ty)?))
    }

    /// The finished proposal, unless it was made before or must not be run. Values from `look_from`
    /// on, and those that were changed, are observed at the end.
    pub(crate) fn ask(
        &mut self,
        builder: Builder<'w>,
        watch_from: SlotIdx,
        look_from: SlotIdx,
    ) -> Option<Ask> {
        let mut hasher = FxHasher::default();
        builder.steps().hash(&mut hasher);
        if !self.built.insert(hasher.finish()) {
            self.ledger.stats.n_duplicates += 1;
            return None;
        }
        let mut touched: Vec<SlotIdx> = (look_from.0..builder.n_slots()).map(SlotIdx).collect();
        for step in builder.steps() {
            if let Step::Call { args, out, .. } = step
                && *out >= watch_from
            {
                for arg in args {
                    if let Arg::Slot(slot, Use::Mut) = arg
                        && !touched.contains(slot)
                    {
                        touched.push(*slot);
                    }
                }
            }
        }
        touched.retain(|slot| builder.is_observable(*slot));
        let traced = builder.n_slots().checked_sub(1).map(SlotIdx);
        let sequence = builder.finish();
        if self.ledger.quarantine.refuses(&sequence, watch_from) {
            self.ledger.stats.n_quarantined += 1;
            return None;
        }
        Some(Ask {
            traced,
            sequence,
            watch_from,
            watch_end: touched,
            values: false,
            watched: false,
            traced_on: false,
        })
    }

    /// Enters an execution into the ledger, and computes the weights of its new operations again.
    pub(crate) fn learn(&mut self, ask: &Ask, execution: &Execution) -> Option<Lesson> {
        let lesson = self.ledger.enter(self.world, ask, execution);
        for step in ask.sequence.steps() {
            if let Step::Call { op, out, .. } = step
                && *out >= ask.watch_from
            {
                self.weigh(*op);
            }
        }
        self.ledger.stats.n_evicted = self.components.n_evicted();
        self.ledger.stats.n_forgotten = self.built.n_forgotten();
        lesson
    }
}

/// Are the arguments chosen in reverse order? A value that is lent must be older than the one that
/// keeps the loan, so receivers that can keep loans come last.
fn is_reversed(world: &World, operation: OperationId) -> bool {
    let inputs = &world.signature(operation).inputs;
    inputs.len() > 1 && !inputs[0].ty.regions.is_empty()
}
