//! Feedback-directed random testing.
//! It builds upon what is new: upon values that were never seen before, and above all upon
//! sequences that went where no call had been in the code. Their literals are varied, at random and
//! towards the values that the crate compared them with. It begins with seeds: sequences from
//! examples and tests.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use testsmith_protocol::Execution;
use testsmith_sequence::{Builder, Sequence, SlotIdx, Step, World, slice};

use crate::ask::Ask;
use crate::classes::digest;
use crate::fair::law;
use crate::hints::{Changed, Hints};
use crate::laws::Laws;
use crate::ledger::{Ledger, values_left};
use crate::literals::Literals;
use crate::newness::{Newness, Novelty, look};
use crate::options::Options;
use crate::pairs::{Doubtful, Pairs};
use crate::strategy::Strategy;
use crate::workshop::Workshop;

/// A value is not built upon if making it enters more regions of code than this.
const MAX_WORK: u64 = 1 << 14;

/// How many calls of seeds are made before anything else. The remaining seeds take turns with other
/// proposals.
const SEED_CALLS: u64 = 1000;

/// One proposal in this many follows hints: values that the crate compared.
const HINT_EVERY: u64 = 4;
/// One proposal in this many asks whether laws hold.
const LAW_EVERY: u64 = 5;
/// At most one call in this many is made for laws.
const LAW_SHARE: u64 = 4;
/// One sequence that asks for laws in this many is watched.
const WATCH_LAWS_EVERY: usize = 8;
/// One sequence in this many is watched although it shows nothing new.
const WATCH_EVERY: usize = 200;

/// A walk with at most this many steps is built upon as a whole. A longer one is reduced to the
/// steps that its last call needs.
const SHORT_WALK: usize = 4;

/// The strategy's state.
pub struct Directed<'w> {
    pub(crate) workshop: Workshop<'w>,
    /// Seeds that are still to be tried.
    seeds: VecDeque<Sequence>,
    /// Digests of the seeds that were proposed.
    planted: FxHashSet<u64>,
    /// How many calls of seeds were proposed, and how many other calls.
    n_seed_calls: u64,
    n_other_calls: u64,
    /// How many calls were proposed that ask whether laws hold.
    n_law_calls: u64,
    hints: Hints,
    newness: Newness,
    pairs: Pairs,
    /// New values since the caller last took them, if it collects them.
    pub(crate) news: Option<Vec<Doubtful>>,
    laws: Laws,
    n_proposed: u64,
}

impl<'w> Directed<'w> {
    /// Starts with the catalogue, the literals, and the seeds.
    pub fn new(
        world: &'w World,
        literals: Literals,
        seeds: &[Sequence],
        options: Options,
    ) -> Directed<'w> {
        let laws = match options.laws {
            true => Laws::of(world),
            false => Laws::default(),
        };
        let newness = Newness::new(options.state_by);
        let mut workshop = Workshop::new(world, literals, options);
        workshop.is_guided = true;
        Directed {
            workshop,
            seeds: seeds.iter().cloned().collect(),
            planted: FxHashSet::default(),
            n_seed_calls: 0,
            n_other_calls: 0,
            n_law_calls: 0,
            hints: Hints::default(),
            pairs: match newness.is_pairwise() {
                true => Pairs::of(world),
                false => Pairs::default(),
            },
            newness,
            news: None,
            laws,
            n_proposed: 0,
        }
    }

    /// Proposes a sequence in which a comparison may come out differently, or one to be watched for
    /// comparisons.
    fn follow_hints(&mut self) -> Option<Ask> {
        while let Some(Changed { sequence, from }) = self.hints.changed() {
            let mut builder = Builder::new(self.workshop.world);
            if builder.append(&sequence).is_ok()
                && let Some(ask) = self.workshop.ask(builder, from, from)
            {
                return Some(ask);
            }
        }
        self.hints.unwatched()
    }

    /// Learns from the comparisons that the crate made.
    fn take_hints(&mut self, ask: &Ask, execution: &Execution) {
        let workshop = &mut self.workshop;
        workshop.ledger.count_again(execution);
        let is_free = |step: &Step, input: usize| match step {
            Step::Call { op, .. } => workshop.allowed(*op, input).is_none(),
            Step::Drop(_) => false,
        };
        let compared = &execution.noted.compared;
        self.hints
            .learn(workshop.world, &ask.sequence, compared, is_free);
    }

    /// Compares a value that may be new with others, before it is built upon.
    pub(crate) fn compare(&mut self) -> Option<Ask> {
        let mut found = Vec::new();
        let world = self.workshop.world;
        let ask = self.pairs.propose(world, |value| found.push(value));
        found.into_iter().for_each(|value| self.add(value));
        ask
    }

    /// Adds a new value to the components.
    fn add(&mut self, value: Doubtful) {
        let workshop = &mut self.workshop;
        let components = &mut workshop.components;
        let (ty, sequence, slot) = (value.ty, &value.sequence, value.slot);
        if value.is_seed && !value.is_barren {
            components.add_seeded(ty, sequence, slot);
        }
        match value.is_barren {
            false => components.add(ty, sequence, slot, &mut workshop.rng),
            true => components.add_barren(ty, sequence, slot, &mut workshop.rng),
        }
        if let Some(news) = &mut self.news {
            news.push(value);
        }
    }

    /// Proposes the next seed, with its last call as the new one. Seeds come first, but a short
    /// exploration of a crate with many tests should see something else as well.
    fn plant(&mut self) -> Option<Ask> {
        if self.n_seed_calls > SEED_CALLS + self.n_other_calls / 7 {
            return None;
        }
        while let Some(seed) = self.seeds.pop_front() {
            let last = SlotIdx(seed.n_slots().saturating_sub(1));
            if let Some(ask) = self.plant_this(seed.steps(), last) {
                return Some(ask);
            }
        }
        None
    }

    /// Proposes these steps unchanged, with the last call as the new one. Values in slots from
    /// `look_from` on are observed after the last step.
    pub(crate) fn plant_this(&mut self, steps: &[Step], look_from: SlotIdx) -> Option<Ask> {
        let mut builder = Builder::new(self.workshop.world);
        builder.append_steps(steps).ok()?;
        let last = SlotIdx(builder.n_slots().saturating_sub(1));
        let ask = self.workshop.ask(builder, last, look_from)?;
        self.planted.insert(digest(&ask.sequence));
        self.n_seed_calls += u64::from(ask.sequence.n_slots());
        Some(ask)
    }

    /// Learns whether a law holds.
    fn learn_of_law(&mut self, ask: &Ask, execution: &Execution) {
        let workshop = &mut self.workshop;
        let world = workshop.world;
        if let Some(law) = workshop.ledger.enter_laws(world, ask, execution) {
            self.laws.note_broken(law);
        }
        if workshop.rng.below(WATCH_LAWS_EVERY) == 0 {
            self.hints.watch(&ask.sequence);
        }
    }

    /// Learns which of the values that a sequence left are new, and builds upon those.
    fn learn_values(&mut self, ask: &Ask, execution: &Execution, lesson: &Lesson) {
        let workshop = &mut self.workshop;
        let mut found = Vec::new();
        for (ty, slot, effect) in values_left(workshop.world, ask, execution) {
            let (sequence, slot) = match &lesson.needed {
                Some(needed) if Some(slot) == ask.traced => (needed, SlotIdx(needed.n_slots() - 1)),
                _ if lesson.is_walk => {
                    workshop.ledger.note_state(ty, effect.fingerprint);
                    continue;
                }
                _ => (&ask.sequence, slot),
            };
            let novelty = self
                .newness
                .note(&mut workshop.ledger, ty, sequence, slot, effect);
            let is_new = match novelty {
                Novelty::New => true,
                Novelty::Known => false,
                Novelty::Unseen => workshop.components.wants_unseen(ty),
            };
            if lesson.leads_on && !effect.barren {
                workshop.components.add_fresh(ty, sequence, slot);
            }
            if !is_new {
                continue;
            }
            let value = Doubtful {
                ty,
                sequence: sequence.clone(),
                slot,
                look: look(effect),
                state: effect
                    .state
                    .as_ref()
                    .filter(|it| it.whole)
                    .map(|it| it.hash),
                is_barren: effect.barren,
                is_seed: lesson.is_seed,
            };
            if self.newness.is_pairwise() && !self.pairs.has_equality(ty) {
                *workshop.ledger.stats.n_unequalled.entry(ty).or_default() += 1;
            }
            match self.pairs.compares(ty) {
                true => self.pairs.add(value),
                false => found.push(value),
            }
        }
        found.into_iter().for_each(|value| self.add(value));
    }
}

/// What an execution says about its sequence as a whole.
struct Lesson {
    /// The steps that the last call of a long walk needs.
    needed: Option<Sequence>,
    /// Is it a long walk, of which only the last call's value is built upon?
    is_walk: bool,
    /// Was it a seed?
    is_seed: bool,
    /// Did it go where no call had been in the code?
    leads_on: bool,
}

impl Strategy for Directed<'_> {
    fn propose(&mut self) -> Option<Ask> {
        if let Some(ask) = self.plant() {
            return Some(ask);
        }
        if let Some(ask) = self.compare() {
            return Some(ask);
        }
        self.n_proposed += 1;
        if self.n_proposed.is_multiple_of(HINT_EVERY)
            && let Some(ask) = self.follow_hints()
        {
            return Some(ask);
        }
        if self.n_proposed % LAW_EVERY == 1
            && self.n_law_calls * (LAW_SHARE - 1) <= self.n_other_calls
            && let Some(ask) = self.laws.propose(&mut self.workshop)
        {
            self.n_law_calls += ask.sequence.steps().len() as u64;
            return Some(ask);
        }
        // Breadth comes before depth: in a wide API, every operation should be tried before
        // anything is built upon.
        let workshop = &mut self.workshop;
        let n_known = workshop.ledger.stats.n_new_calls / workshop.options.calls_to_know.max(1);
        let percent = match n_known < workshop.world.catalogue.operations.len() as u64 {
            true => workshop.options.early_walk_percent,
            false => workshop.options.late_walk_percent,
        };
        let ask = match workshop.rng.chance(percent) {
            true => workshop.walk(),
            false => workshop.extend(),
        };
        self.n_other_calls += ask
            .iter()
            .map(|it| u64::from(it.sequence.n_slots()))
            .sum::<u64>();
        ask
    }

    fn learn(&mut self, ask: &Ask, execution: &Execution) {
        if ask.watched {
            return self.take_hints(ask, execution);
        }
        let workshop = &mut self.workshop;
        if let Some(value) = self.pairs.answer(ask, execution) {
            workshop.ledger.count_again(execution);
            value.into_iter().for_each(|value| self.add(value));
            return;
        }
        if let Some(Step::Call { op, .. }) = ask.sequence.steps().last()
            && law(workshop.world, *op).is_some()
        {
            return self.learn_of_law(ask, execution);
        }
        let n_unsteady = workshop.ledger.stats.n_unsteady;
        let lesson = workshop.learn(ask, execution);
        let is_seed = !self.planted.is_empty() && self.planted.remove(&digest(&ask.sequence));
        if is_seed {
            // All calls of a seed may be new, so a failure before its last call does not mean that
            // anything is unsteady.
            workshop.ledger.stats.n_unsteady = n_unsteady;
        }
        let Some(lesson) = lesson else {
            return;
        };
        let sequence = &ask.sequence;
        // Every sequence that is built upon it would do that work again.
        if execution.trace.work > MAX_WORK {
            workshop.ledger.stats.n_costly += 1;
            return;
        }
        if lesson.enters_new {
            workshop.literals.enliven(sequence);
        }
        // Most of a long walk has nothing to do with its last call, so only the steps that this
        // call needs are built upon.
        let is_walk = ask.watch_from == SlotIdx(0) && sequence.steps().len() > SHORT_WALK;
        let needed = match is_walk {
            true => slice(workshop.world, sequence),
            false => None,
        };
        if lesson.leads_on || workshop.rng.below(WATCH_EVERY) == 0 {
            self.hints.watch(needed.as_ref().unwrap_or(sequence));
        }
        let lesson = Lesson {
            needed,
            is_walk,
            is_seed,
            leads_on: lesson.leads_on,
        };
        self.learn_values(ask, execution, &lesson);
    }

    fn ledger(&self) -> &Ledger {
        &self.workshop.ledger
    }
}
