//! Feedback-directed random testing.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use testsmith_api::{Form, OperationId, Origin, Pass, TypeIdx};
use testsmith_protocol::{Caps, Death, Execution, Outcome, Value};
use testsmith_sequence::{Arg, Builder, Rejected, Sequence, SlotIdx, Step, Use, World};

use crate::components::Components;
use crate::literals::Literals;
use crate::record::{Code, Record};
use crate::rng::Rng;

/// A sequence to be run, and what to look at.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The sequence.
    pub sequence: Sequence,
    /// The first slot that is new: everything before it was run before.
    pub watch_from: SlotIdx,
    /// Slots to describe when all is done.
    pub watch_end: Vec<SlotIdx>,
    /// The slot whose making is traced.
    pub traced: Option<SlotIdx>,
    /// Are values wanted, not only fingerprints?
    pub values: bool,
}

/// How to explore.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the randomness starts.
    pub seed: u64,
    /// Sequences are not extended beyond so many steps.
    pub max_steps: usize,
    /// Percentage of calls that are repeated.
    pub repeat_percent: usize,
    /// At most so many repetitions.
    pub max_repeats: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 0,
            max_steps: 30,
            repeat_percent: 10,
            max_repeats: 12,
        }
    }
}

/// Counts of one exploration.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Calls executed, prefixes included.
    pub n_calls: u64,
    /// Calls executed that no earlier sequence had.
    pub n_new_calls: u64,
    /// Distinct sequences executed.
    pub n_sequences: u64,
    /// Proposals that were built before and discarded.
    pub n_duplicates: u64,
    /// Sequences that ended in a panic or worse.
    pub n_failed: u64,
    /// Sequences that ended in an unwrap of the other side.
    pub n_refused: u64,
    /// Proposals that the borrow check rejected.
    pub n_rejected: u64,
    /// Executions that failed before their last, new part: the crate or the guest is not
    /// deterministic.
    pub n_unsteady: u64,
    /// Programs that the guest could not read; a bug of ours.
    pub n_malformed: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    tried: u32,
    returned: u64,
    failed: u32,
    fatal: u32,
}

/// The strategy's state.
pub struct Directed<'w> {
    world: &'w World,
    literals: Literals,
    options: Options,
    rng: Rng,
    components: Components,
    record: Record,
    built: FxHashSet<u64>,
    /// Regions of code that an operation went through, and about how often.
    regions: FxHashSet<(OperationId, u32)>,
    /// Regions of code that an operation went through.
    entered: FxHashSet<(OperationId, u32)>,
    /// Ways through the code that an operation took.
    ways: FxHashSet<(OperationId, u64)>,
    accepts: Vec<Vec<Vec<TypeIdx>>>,
    producers: BTreeMap<TypeIdx, Vec<OperationId>>,
    literal_ops: FxHashMap<TypeIdx, OperationId>,
    tallies: Vec<Tally>,
    stats: Stats,
}

/// Failed attempts in a row before giving up on a proposal.
const MAX_ATTEMPTS: usize = 50;

impl<'w> Directed<'w> {
    /// Starts with nothing but the catalogue and the literals.
    pub fn new(world: &'w World, literals: Literals, options: Options) -> Self {
        let catalogue = &world.catalogue;
        let mut producers: BTreeMap<TypeIdx, Vec<OperationId>> = BTreeMap::new();
        let mut literal_ops = FxHashMap::default();
        for (i, operation) in catalogue.operations.iter().enumerate() {
            let id = OperationId(i as u32);
            let output = operation.signature.output.ty;
            if operation.form == Form::Literal {
                literal_ops.insert(output, id);
            } else {
                producers.entry(output).or_default().push(id);
            }
        }
        let accepts = catalogue
            .operations
            .iter()
            .map(|operation| {
                let inputs = operation.signature.inputs.iter();
                inputs
                    .map(|input| input.accepts(&catalogue.types))
                    .collect()
            })
            .collect();
        Directed {
            world,
            literals,
            rng: Rng::new(options.seed),
            options,
            components: Components::new(catalogue.types.len()),
            record: Record::default(),
            built: FxHashSet::default(),
            regions: FxHashSet::default(),
            ways: FxHashSet::default(),
            entered: FxHashSet::default(),
            accepts,
            producers,
            literal_ops,
            tallies: vec![Tally::default(); catalogue.operations.len()],
            stats: Stats::default(),
        }
    }

    /// Counts so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// What was found.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The number of distinct values seen.
    pub fn n_states(&self) -> usize {
        self.components.n_states()
    }

    /// Components given up because a type had too many.
    pub fn n_evicted(&self) -> u64 {
        self.components.n_evicted()
    }

    /// How often an operation returned normally.
    pub fn n_returned(&self, operation: OperationId) -> u64 {
        self.tallies[operation.0 as usize].returned
    }

    /// A new sequence. `None` when many attempts in a row gave nothing new.
    pub fn propose(&mut self) -> Option<Ask> {
        for _ in 0..MAX_ATTEMPTS {
            let operation = self.choose_operation()?;
            self.tallies[operation.0 as usize].tried += 1;
            if let Some(ask) = self.assemble(operation, 0) {
                return Some(ask);
            }
        }
        None
    }

    /// Operations at random; those that never returned get more weight, those that mostly fail
    /// or end the process get less, recipes of ours get less.
    fn choose_operation(&mut self) -> Option<OperationId> {
        let n = self.tallies.len();
        if n == 0 {
            return None;
        }
        loop {
            let i = self.rng.below(n);
            let tally = self.tallies[i];
            let operation = &self.world.catalogue.operations[i];
            let mut weight = match operation.origin {
                Origin::Callable(_) => 50,
                Origin::Recipe => 15,
            };
            if operation.form == Form::Literal {
                weight = 2;
            }
            if tally.returned == 0 && tally.failed < 50 {
                weight *= 2;
            }
            if u64::from(tally.failed) > 20 + 4 * tally.returned {
                weight = weight / 4 + 1;
            }
            if tally.fatal > 2 {
                weight = 1;
            }
            if self.rng.chance(weight) {
                return Some(OperationId(i as u32));
            }
        }
    }

    fn assemble(&mut self, operation: OperationId, depth: usize) -> Option<Ask> {
        let world = self.world;
        let n_inputs = world.signature(operation).inputs.len();
        let mut builder = Builder::new(world);
        let mut args: Vec<Arg> = Vec::with_capacity(n_inputs);
        // What lends must be older than what keeps the loan: receivers that can keep something
        // are chosen last.
        let keeps = world.signature(operation).inputs.first();
        let reversed = n_inputs > 1 && keeps.is_some_and(|input| !input.ty.regions.is_empty());
        for n in 0..n_inputs {
            let i = if reversed { n_inputs - 1 - n } else { n };
            match self.choose_argument(&mut builder, operation, i, &args) {
                Some(arg) => args.push(arg),
                None => {
                    // What is missing is sought first (demand-driven construction).
                    let ty = world.signature(operation).inputs[i].ty.ty;
                    let accepted = &self.accepts[operation.0 as usize][i];
                    if depth < 4 && !accepted.iter().any(|ty| self.components.has(*ty)) {
                        let makers = self.producers.get(&ty)?;
                        let maker = *self.rng.pick(makers)?;
                        return self.assemble(maker, depth + 1);
                    }
                    return None;
                }
            }
        }
        if reversed {
            args.reverse();
        }
        let watch_from = SlotIdx(builder.n_slots());
        if let Err(_rejected) = builder.push(operation, args.clone()) {
            self.stats.n_rejected += 1;
            return None;
        }
        if self.rng.chance(self.options.repeat_percent) && n_inputs > 0 {
            self.repeat(&mut builder, operation, &args);
        }
        self.ask(builder, watch_from)
    }

    /// The same operation again, mostly on the same values, with other literals.
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

    fn choose_argument(
        &mut self,
        builder: &mut Builder<'w>,
        operation: OperationId,
        i: usize,
        earlier: &[Arg],
    ) -> Option<Arg> {
        let world = self.world;
        let signature = world.signature(operation);
        let input = &signature.inputs[i];
        // Unwrapping what was just written says nothing.
        let unwraps = matches!(world.catalogue.operation(operation).form, Form::Unwrap(_));
        let is_literal = !unwraps && world.caps(input.ty.ty).has(Caps::LITERAL);
        let accepted = std::mem::take(&mut self.accepts[operation.0 as usize][i]);
        let chosen = 'chosen: {
            if is_literal && self.rng.chance(80) {
                break 'chosen self.literal_argument(builder, operation, i);
            }
            // A value that is already there, so that arguments can be related.
            let used = |slot: &SlotIdx| {
                earlier.iter().any(
                    |arg| matches!(arg, Arg::Slot(s, usage) if s == slot && *usage == Use::Move),
                )
            };
            let present: Vec<SlotIdx> = builder
                .live()
                .filter(|slot| accepted.contains(&builder.ty(*slot)) && !used(slot))
                .collect();
            if !present.is_empty() && self.rng.chance(60) {
                let slot = *self.rng.pick(&present)?;
                let usage = world.usage(input, builder.ty(slot))?;
                break 'chosen Some(Arg::Slot(slot, usage));
            }
            let barren_percent = if unwraps { 50 } else { 4 };
            let component = match self.rng.chance(barren_percent) {
                true => self.components.choose_barren(&accepted, &mut self.rng),
                false => None,
            };
            let component = component.or_else(|| self.components.choose(&accepted, &mut self.rng));
            if let Some((sequence, slot)) = component {
                let fits = builder.steps().len() + sequence.steps().len() < self.options.max_steps;
                if fits && let Ok(offset) = builder.append(sequence) {
                    let slot = SlotIdx(slot.0 + offset);
                    if let Some(usage) = world.usage(input, builder.ty(slot)) {
                        break 'chosen Some(Arg::Slot(slot, usage));
                    }
                }
            }
            if is_literal {
                break 'chosen self.literal_argument(builder, operation, i);
            }
            None
        };
        self.accepts[operation.0 as usize][i] = accepted;
        chosen
    }

    /// A literal in place, or in a slot of its own where it is borrowed for longer.
    fn literal_argument(
        &mut self,
        builder: &mut Builder<'w>,
        operation: OperationId,
        i: usize,
    ) -> Option<Arg> {
        let world = self.world;
        let input = &world.signature(operation).inputs[i];
        let ty = input.ty.ty;
        let value: Arc<Value> = self
            .literals
            .value(&world.catalogue.types.get(ty).ty, &mut self.rng)?
            .into();
        let in_place = match input.pass {
            Pass::Value => true,
            Pass::Shared(_) => builder.literal_fits(operation, i).is_ok() && self.rng.chance(80),
            Pass::Mut(_) => false,
        };
        if in_place {
            return Some(Arg::Literal(value));
        }
        let maker = *self.literal_ops.get(&ty)?;
        let slot = builder.push(maker, vec![Arg::Literal(value)]).ok()?;
        Some(Arg::Slot(slot, world.usage(input, ty)?))
    }

    fn ask(&mut self, builder: Builder<'w>, watch_from: SlotIdx) -> Option<Ask> {
        let mut hasher = FxHasher::default();
        builder.steps().hash(&mut hasher);
        if !self.built.insert(hasher.finish()) {
            self.stats.n_duplicates += 1;
            return None;
        }
        let mut touched: Vec<SlotIdx> = (watch_from.0..builder.n_slots()).map(SlotIdx).collect();
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
        Some(Ask {
            traced,
            sequence: builder.finish(),
            watch_from,
            watch_end: touched,
            values: false,
        })
    }

    /// Learns from an execution.
    pub fn learn(&mut self, ask: &Ask, execution: &Execution) {
        let sequence = &ask.sequence;
        self.stats.n_sequences += 1;
        self.stats.n_calls += u64::from(execution.n_calls);
        self.stats.n_new_calls += u64::from(
            execution
                .n_calls
                .saturating_sub(u32::from(ask.watch_from.0)),
        );
        let at = match &execution.outcome {
            Outcome::Returned => return self.learn_returned(ask, execution),
            Outcome::Refused { .. } => {
                self.stats.n_refused += 1;
                return;
            }
            Outcome::Malformed(_) => {
                self.stats.n_malformed += 1;
                return;
            }
            Outcome::Panicked { at, .. } | Outcome::Died { at, .. } => *at,
        };
        self.stats.n_failed += 1;
        let n_steps = sequence.steps().len() as u16;
        let (failing, cut) = self.cut(sequence, at.min(n_steps.saturating_sub(1)));
        let Some(failing) = failing else { return };
        let is_new = at >= n_steps
            || sequence.steps()[usize::from(at)..]
                .iter()
                .all(|step| !matches!(step, Step::Call { out, .. } if *out < ask.watch_from));
        if !is_new {
            self.stats.n_unsteady += 1;
        }
        let tally = &mut self.tallies[failing.0 as usize];
        tally.failed += 1;
        if let Outcome::Died { death, .. } = &execution.outcome {
            tally.fatal += u32::from(matches!(death, Death::TimedOut | Death::OutOfMemory)) + 1;
        }
        if let Some(cut) = cut {
            self.record.failed(failing, &execution.outcome, cut);
        }
    }

    fn learn_returned(&mut self, ask: &Ask, execution: &Execution) {
        let sequence = &ask.sequence;
        let mut last = None;
        for step in sequence.steps() {
            if let Step::Call { op, out, .. } = step
                && *out >= ask.watch_from
            {
                self.tallies[op.0 as usize].returned += 1;
                last = Some((*op, *out));
            }
        }
        let Some((operation, out)) = last else { return };
        let trace = &execution.trace;
        let (mut enters_new, mut leads_on) = (false, false);
        let is_new_way = trace.way != 0 && self.ways.insert((operation, trace.way));
        for region in &execution.trace.regions {
            enters_new |= self.regions.insert((operation, *region));
            leads_on |= self.entered.insert((operation, region / 4));
        }
        let code = Code {
            region: enters_new.then_some(trace.hash),
            way: is_new_way.then_some(trace.way),
        };
        for effect in execution.effects.iter().filter(|effect| effect.at_end) {
            let (maker, _) = sequence.maker(SlotIdx(effect.slot));
            let ty = self.world.signature(maker).output.ty;
            let is_new = self.components.note(ty, effect.fingerprint);
            let slot = SlotIdx(effect.slot);
            if leads_on && !effect.barren {
                self.components.add_fresh(ty, sequence, slot);
            }
            match (is_new, effect.barren) {
                (true, false) => self.components.add(ty, sequence, slot, &mut self.rng),
                (true, true) => self
                    .components
                    .add_barren(ty, sequence, slot, &mut self.rng),
                (false, _) => {}
            }
        }
        let is_shown =
            |slot: u16, at_end: bool| slot == out.0 && !at_end || slot < ask.watch_from.0;
        let shown = execution
            .effects
            .iter()
            .filter(|effect| is_shown(effect.slot, effect.at_end))
            .map(|effect| effect.fingerprint);
        self.record.returned(operation, shown, code, sequence);
    }

    /// The operation responsible for a step, and the sequence up to and including it.
    fn cut(&self, sequence: &Sequence, at: u16) -> (Option<OperationId>, Option<Sequence>) {
        let steps = &sequence.steps()[..=usize::from(at)];
        let failing = match steps.last() {
            Some(Step::Call { op, .. }) => Some(*op),
            Some(Step::Drop(slot)) => Some(sequence.maker(*slot).0),
            None => None,
        };
        let whole = steps.len() == sequence.steps().len();
        let cut = if whole {
            Some(sequence.clone())
        } else {
            let mut builder = Builder::new(self.world);
            let cut: Result<u16, Rejected> = builder.append_steps(steps);
            cut.ok().map(|_| builder.finish())
        };
        (failing, cut)
    }
}
