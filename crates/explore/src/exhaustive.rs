//! Exhausts states: in each round, breadth first, every state that differs from all others meets
//! every list of arguments that differs from all others (Xie, Marinov and Notkin, *Rostra*, 2004,
//! section 4.2).
//!
//! It begins with the states that [`Directed`] reaches by random calls, examples and own tests. A
//! round takes the states that the one before it found. Calls that only borrow a state by `&`
//! should not change it, so several of them share the steps that make it ([`shared`]). A call that
//! shows something new is made again alone, and learnt from.

mod arguments;
mod shared;

use std::collections::VecDeque;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_api::{OperationId, Pass, TypeIdx};
use testsmith_protocol::{Caps, Execution};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, World};
use testsmith_states::StateBy;

use self::arguments::{Given, List, Lists};
use self::shared::{Shared, Sharing};
use crate::ask::Ask;
use crate::classes::digest;
use crate::directed::Directed;
use crate::ledger::{Ledger, Round};
use crate::literals::Literals;
use crate::options::Options;
use crate::pairs::Doubtful;
use crate::strategy::Strategy;

/// How many calls [`Directed`] makes for each operation before the first round.
const CALLS_BEFORE: u64 = 500;
/// The most calls that it makes before the first round.
const MAX_CALLS_BEFORE: u64 = 300_000;
/// The most states of all types together, which bounds memory.
const MAX_STATES: usize = 100_000;

/// What the first round begins with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Sequences that are run first. If they are all that the first round begins with, or if
    /// `states` are given, each of their beginnings is run too.
    pub sequences: Vec<Sequence>,
    /// Are the sequences all that the first round begins with? If not, [`Directed`] goes on from
    /// them for a while.
    pub is_all: bool,
    /// Digests of states. The first round takes only these.
    pub states: Option<FxHashSet<u64>>,
    /// Calls whose literals are the only ones to be used.
    pub calls: Option<Vec<(OperationId, Vec<Arg>)>>,
    /// The operations that are called on states; all of the crate's if none are given.
    pub operations: Option<FxHashSet<OperationId>>,
}

/// A state, and the sequence that makes it.
pub(crate) struct State {
    sequence: Sequence,
    slot: SlotIdx,
    /// A digest of everything that was seen of it.
    look: u64,
}

/// The index of a state: the `n`-th of a type.
#[derive(Clone, Copy)]
struct StateIdx {
    ty: TypeIdx,
    n: usize,
}

/// A call on a state.
#[derive(Clone, Debug)]
struct Call {
    operation: OperationId,
    /// The input that gets the state.
    input: usize,
    list: List,
}

/// A sequence to be made with a state.
enum Job {
    Alone(Call),
    /// Calls that should not change the state, and so share it.
    Together(Vec<Call>),
}

/// The strategy's state.
pub struct Exhaustive<'w> {
    directed: Directed<'w>,
    start: Start,
    /// Beginnings of sequences that are still to be run, each by the index of the sequence and a
    /// number of steps.
    beginnings: VecDeque<(usize, usize)>,
    is_warm: bool,
    /// Sequences that are not learnt from yet. A round begins only when everything from the one
    /// before it is known.
    n_waiting: usize,
    /// The states of each type.
    states: Vec<Vec<State>>,
    n_states: usize,
    /// For each type, the states that take part in this round.
    frontier: Vec<Range<usize>>,
    /// How far the round is: the position of the next state within each type, and the next type.
    at: (usize, usize),
    jobs: VecDeque<(StateIdx, Job)>,
    lists: Lists,
    sharing: Sharing,
    /// Calls that share a state, by a digest of their sequence.
    asked: FxHashMap<u64, Shared>,
}

impl<'w> Exhaustive<'w> {
    /// Starts with the catalogue, the literals, and sequences to begin with.
    pub fn new(
        world: &'w World,
        literals: Literals,
        seeds: &[Sequence],
        options: Options,
    ) -> Exhaustive<'w> {
        let start = Start {
            sequences: seeds.to_vec(),
            ..Start::default()
        };
        Exhaustive::starting(world, literals, start, options)
    }

    /// Starts with this for the first round.
    pub fn starting(
        world: &'w World,
        literals: Literals,
        start: Start,
        options: Options,
    ) -> Exhaustive<'w> {
        let options = Options {
            state_by: options.state_by.or(Some(StateBy::WholeState)),
            ..options
        };
        let seeds = match start.is_all {
            true => &[],
            false => &start.sequences[..],
        };
        let mut directed = Directed::new(world, literals, seeds, options);
        directed.news = Some(Vec::new());
        let mut beginnings = VecDeque::new();
        let are_wanted = start.is_all || start.states.is_some();
        for (i, sequence) in start.sequences.iter().enumerate().filter(|_| are_wanted) {
            beginnings.extend((1..=sequence.steps().len()).map(|n| (i, n)));
        }
        let n_types = world.catalogue.types.len();
        Exhaustive {
            directed,
            start,
            beginnings,
            is_warm: false,
            n_waiting: 0,
            states: (0..n_types).map(|_| Vec::new()).collect(),
            n_states: 0,
            frontier: vec![0..0; n_types],
            at: (0, n_types),
            jobs: VecDeque::new(),
            lists: Lists::default(),
            sharing: Sharing::new(),
            asked: FxHashMap::default(),
        }
    }

    /// Proposes what comes before the first round.
    fn warm_up(&mut self) -> Option<Ask> {
        while let Some((i, n)) = self.beginnings.pop_front() {
            let steps = &self.start.sequences[i].steps()[..n];
            let ask = self.directed.plant_this(steps, SlotIdx(0));
            if ask.is_some() {
                return ask;
            }
        }
        match self.start.is_all {
            true => self.directed.compare(),
            false if self.is_known() => None,
            false => self.directed.propose(),
        }
    }

    fn next_ask(&mut self) -> Option<Ask> {
        if !self.is_warm {
            let ask = self.warm_up();
            if ask.is_some() || self.n_waiting > 0 {
                return ask;
            }
            self.is_warm = true;
            if self.start.states.is_some() {
                // Findings on the way to the given states are not what was asked for.
                self.directed.workshop.begin_anew();
            }
        }
        loop {
            if let Some(ask) = self.directed.compare() {
                return Some(ask);
            }
            while let Some((state, job)) = self.jobs.pop_front() {
                if let Some(ask) = self.ask(state, job) {
                    return Some(ask);
                }
            }
            if !self.next_state() && (self.n_waiting > 0 || !self.begin_round()) {
                return None;
            }
        }
    }

    /// Have the operations been called often enough to begin with rounds?
    fn is_known(&self) -> bool {
        let workshop = &self.directed.workshop;
        let n_operations = workshop.world.catalogue.operations.len() as u64;
        workshop.ledger.stats.n_calls >= (CALLS_BEFORE * n_operations).min(MAX_CALLS_BEFORE)
    }

    /// Begins another round, if there are states for it.
    fn begin_round(&mut self) -> bool {
        let stats = &self.directed.workshop.ledger.stats;
        let max = self.directed.workshop.options.rounds;
        let n_rounds = stats.rounds.len() as u64;
        let is_new = |(range, states): (&Range<usize>, &Vec<State>)| range.end < states.len();
        let has_more = self.frontier.iter().zip(&self.states).any(is_new);
        if max.is_some_and(|max| n_rounds >= u64::from(max)) || !has_more {
            return false;
        }
        let consumers = &self.directed.workshop.traffic.consumers;
        for ((range, states), consumers) in
            self.frontier.iter_mut().zip(&self.states).zip(consumers)
        {
            // If nothing is called on values of the type, they only serve as arguments.
            let first = match consumers.is_empty() {
                true => states.len(),
                false => range.end,
            };
            *range = first..states.len();
        }
        self.at = (0, 0);
        let calls = self.start.calls.as_deref();
        self.lists = Lists::of(&self.directed.workshop, &self.states, calls);
        let states = self.frontier.iter().map(|it| it.len() as u64).sum();
        let stats = &mut self.directed.workshop.ledger.stats;
        stats.rounds.push(Round {
            states,
            ..Round::default()
        });
        true
    }

    fn round(&mut self) -> Option<&mut Round> {
        self.directed.workshop.ledger.stats.rounds.last_mut()
    }

    /// Makes the jobs of the next state. The first states of all types come before the second ones.
    fn next_state(&mut self) -> bool {
        loop {
            let (n, ty) = self.at;
            if ty == self.states.len() {
                let is_over = self.frontier.iter().all(|range| range.len() <= n + 1);
                if is_over {
                    return false;
                }
                self.at = (n + 1, 0);
                continue;
            }
            self.at.1 += 1;
            let range = &self.frontier[ty];
            if n < range.len() {
                let state = StateIdx {
                    ty: TypeIdx(ty as u32),
                    n: range.start + n,
                };
                self.make_jobs(state);
                return true;
            }
        }
    }

    fn make_jobs(&mut self, state: StateIdx) {
        let workshop = &self.directed.workshop;
        let world = workshop.world;
        let mut together = Vec::new();
        let mut n_calls = 0;
        for (operation, input) in &workshop.traffic.consumers[state.ty.0 as usize] {
            let is_meant = self.start.operations.as_ref();
            let is_meant = is_meant.is_none_or(|it| it.contains(operation));
            if !is_meant || workshop.ledger.quarantine.is_closed(*operation) {
                continue;
            }
            let inputs = &world.signature(*operation).inputs;
            let is_gentle = matches!(inputs[*input].pass, Pass::Shared(_))
                && self.sharing.may_share(*operation);
            for list in self.lists.get(*operation, *input) {
                let call = Call {
                    operation: *operation,
                    input: *input,
                    list: list.clone(),
                };
                n_calls += 1;
                let is_plain = |given: &Given| !matches!(given, Given::State(..));
                match is_gentle && list.iter().all(is_plain) {
                    true => together.push(call),
                    false => self.jobs.push_back((state, Job::Alone(call))),
                }
            }
        }
        for calls in shared::groups(together) {
            self.jobs.push_back((state, Job::Together(calls)));
        }
        if let Some(round) = self.round() {
            round.done += 1;
            round.combinations += n_calls;
        }
    }

    /// The sequence of a job. `None` if it cannot be made or shows nothing.
    fn ask(&mut self, state: StateIdx, job: Job) -> Option<Ask> {
        match job {
            Job::Alone(call) => {
                let built = self.build(state, &call);
                let ask = built.and_then(|(builder, of, out)| {
                    // A call may change a value that it only borrows, so the value is observed again.
                    let is_seen = builder.is_observable(of);
                    let mut ask = self.directed.workshop.ask(builder, out, out)?;
                    if is_seen && !ask.watch_end.contains(&of) {
                        ask.watch_end.push(of);
                    }
                    Some(ask)
                });
                if ask.is_none()
                    && let Some(round) = self.round()
                {
                    round.refused += 1;
                }
                ask
            }
            Job::Together(mut calls) if calls.len() == 1 => {
                self.ask(state, Job::Alone(calls.remove(0)))
            }
            Job::Together(calls) => {
                let made = &self.states[state.ty.0 as usize][state.n];
                match shared::build(&self.directed.workshop, made, calls) {
                    Ok((ask, calls)) => {
                        let shared = Shared { state, calls };
                        self.asked.insert(digest(&ask.sequence), shared);
                        Some(ask)
                    }
                    Err(calls) => {
                        self.alone_first(state, calls);
                        None
                    }
                }
            }
        }
    }

    /// Puts calls to the front, each to be made alone.
    fn alone_first(&mut self, state: StateIdx, calls: impl IntoIterator<Item = Call>) {
        for call in calls {
            self.jobs.push_front((state, Job::Alone(call)));
        }
    }

    /// Builds the call on its state, and gives the slots of the state and the result. If it is
    /// rejected, the other arguments are made before the state instead.
    fn build(&self, state: StateIdx, call: &Call) -> Option<(Builder<'w>, SlotIdx, SlotIdx)> {
        [false, true].into_iter().find_map(|is_last| {
            let world = self.directed.workshop.world;
            let inputs = &world.signature(call.operation).inputs;
            let mut builder = Builder::new(world);
            let order = 0..inputs.len();
            let mut order: Vec<usize> = order.filter(|it| *it != call.input).collect();
            order.insert(if is_last { order.len() } else { 0 }, call.input);
            let mut args: Vec<Option<Arg>> = vec![None; inputs.len()];
            for i in order {
                let given = match i == call.input {
                    true => &Given::State(state.ty, state.n),
                    false => &call.list[i],
                };
                args[i] = Some(match given {
                    Given::State(ty, n) => {
                        let state = &self.states[ty.0 as usize][*n];
                        let offset = builder.append(&state.sequence).ok()?;
                        let slot = SlotIdx(state.slot.0 + offset);
                        Arg::Slot(slot, world.usage(&inputs[i], builder.ty(slot))?)
                    }
                    Given::Literal(value) => {
                        let workshop = &self.directed.workshop;
                        workshop.written(&mut builder, call.operation, i, value)?
                    }
                    Given::Receiver => return None,
                });
            }
            let args: Vec<Arg> = args.into_iter().collect::<Option<_>>()?;
            let Arg::Slot(of, _) = args[call.input] else {
                return None;
            };
            let out = builder.push(call.operation, args);
            out.ok().map(|out| (builder, of, out))
        })
    }

    /// How many different states of a type were met, as far as they are kept.
    pub fn n_states(&self, ty: TypeIdx) -> usize {
        self.states[ty.0 as usize].len()
    }

    /// Takes over the new states.
    fn take_news(&mut self) {
        let news = self.directed.news.as_mut().map(std::mem::take);
        for value in news.into_iter().flatten() {
            let Doubtful {
                ty,
                sequence,
                slot,
                look,
                state,
                is_barren,
                ..
            } = value;
            // A value that can be written as a literal needs no state.
            if self.directed.workshop.world.caps(ty).has(Caps::LITERAL) {
                continue;
            }
            let is_first = self.directed.workshop.ledger.stats.rounds.is_empty();
            let is_meant = match self.start.states.as_ref().filter(|_| is_first) {
                Some(states) => state.is_some_and(|it| states.contains(&it)),
                None => !is_barren,
            };
            if !is_meant {
                continue;
            }
            if self.n_states == MAX_STATES {
                self.directed.workshop.ledger.stats.n_states_left_out += 1;
                continue;
            }
            self.n_states += 1;
            self.states[ty.0 as usize].push(State {
                sequence,
                slot,
                look,
            });
        }
    }
}

impl Strategy for Exhaustive<'_> {
    fn propose(&mut self) -> Option<Ask> {
        let ask = self.next_ask();
        self.n_waiting += usize::from(ask.is_some());
        ask
    }

    fn learn(&mut self, ask: &Ask, execution: &Execution) {
        self.n_waiting = self.n_waiting.saturating_sub(1);
        match self.asked.remove(&digest(&ask.sequence)) {
            Some(shared) => self.learn_shared(shared, ask, execution),
            None => self.directed.learn(ask, execution),
        }
        self.take_news();
    }

    fn ledger(&self) -> &Ledger {
        self.directed.ledger()
    }
}
