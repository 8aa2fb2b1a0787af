//! The books that every strategy keeps: counts, what operations did, and executions worth keeping.
//!
//! Nothing here decides what to try next: a strategy reads here what it is guided by.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{OperationId, Origin, TypeIdx};
use testsmith_protocol::{
    Death, Effect, Execution, Fingerprint, Notion, Outcome, Realm, RegionId, Touch, Use,
};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, World};

use crate::ask::Ask;
use crate::classes::digest;
use crate::digests::Digests;
use crate::fair::{is_fairly_asked, law};
use crate::quarantine::{DEAR_WORK, FATAL_WORK, Quarantine};
use crate::record::{Code, Record};

/// Counts of one exploration.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Calls that were executed, those of known beginnings included.
    pub n_calls: u64,
    /// Calls that were executed for the first time.
    pub n_new_calls: u64,
    /// How often a law was asked for.
    pub n_laws: u64,
    /// Different sequences that were executed.
    pub n_sequences: u64,
    /// Proposals that were discarded because they had been built before.
    pub n_duplicates: u64,
    /// Sequences that ended in a panic or worse.
    pub n_failed: u64,
    /// Sequences that ended in an unwrap which found the other variant.
    pub n_refused: u64,
    /// Proposals that the borrow check rejected.
    pub n_rejected: u64,
    /// Proposals with a call that earlier did not end in time, filled the memory or took too much
    /// work.
    pub n_quarantined: u64,
    /// Values that were too much work to be built upon.
    pub n_costly: u64,
    /// Components that were replaced because there were too many.
    pub n_evicted: u64,
    /// Sequences that were forgotten, and so may be proposed again.
    pub n_forgotten: u64,
    /// Sequences that touched the world outside.
    pub n_touched: BTreeMap<Realm, u64>,
    /// Executions that failed before their new part, so that the crate or the guest is not
    /// deterministic.
    pub n_unsteady: u64,
    /// Programs that the guest could not read, which is a bug of testsmith.
    pub n_malformed: u64,
    /// Rounds through all states.
    pub rounds: Vec<Round>,
    /// States that were left out of all rounds because there are too many.
    pub n_states_left_out: u64,
    /// For each type, values whose state cannot be seen whole. They are identified by what they
    /// look like.
    pub n_unseen: BTreeMap<TypeIdx, u64>,
    /// For each type, values without `==`. They are identified by their state.
    pub n_unequalled: BTreeMap<TypeIdx, u64>,
}

/// One round through all states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Round {
    /// States that take part in it.
    pub states: u64,
    /// States whose turn is over.
    pub done: u64,
    /// Pairs of a state and a list of arguments for a call.
    pub combinations: u64,
    /// Combinations that shared the steps that make their state, and showed nothing new.
    pub shared: u64,
    /// Combinations that the borrow check rejects, or that must not be run.
    pub refused: u64,
}

/// What happened to an operation's calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// Proposals that were to end in a call of it.
    pub(crate) tried: u32,
    /// Proposals that did end in a call of it.
    pub(crate) built: u32,
    pub(crate) returned: u64,
    pub(crate) failed: u32,
    pub(crate) fatal: u32,
    pub(crate) touched: u32,
    /// Different ways that it took through the code.
    pub(crate) ways: u32,
    /// Calls that were traced, and the work that they did.
    pub(crate) traced: u64,
    pub(crate) work: u64,
}

/// What an execution that returned showed about the code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lesson {
    /// Did it enter code more often than before, or code that its operation had not entered?
    pub(crate) enters_new: bool,
    /// Did it enter code that its operation had not entered?
    pub(crate) leads_on: bool,
}

/// The sizes of tables, as powers of two. 21 means 16 MiB.
const STATES_BITS: u32 = 21;
const REGIONS_BITS: u32 = 19;
const WAYS_BITS: u32 = 18;

/// How often an operation may end the process in sequences that are no findings.
const MAX_FATAL: u32 = 6;

/// Counts and findings of an exploration.
pub struct Ledger {
    pub(crate) stats: Stats,
    pub(crate) tallies: Vec<Tally>,
    pub(crate) quarantine: Quarantine,
    record: Record,
    touches: BTreeMap<OperationId, BTreeSet<Realm>>,
    /// Values that were seen.
    states: Digests,
    /// For each type, how many values were seen.
    n_states: Vec<u64>,
    /// Regions that each operation entered, and about how often.
    regions: Digests,
    /// Regions that each operation entered.
    entered: Digests,
    /// Ways through the code that each operation took.
    ways: Digests,
    /// Regions that any call entered.
    code: BTreeSet<RegionId>,
}

impl Ledger {
    /// An empty ledger for this many operations and types.
    pub(crate) fn new(n_operations: usize, n_types: usize) -> Ledger {
        Ledger {
            stats: Stats::default(),
            tallies: vec![Tally::default(); n_operations],
            quarantine: Quarantine::default(),
            record: Record::default(),
            touches: BTreeMap::new(),
            states: Digests::with_bits(STATES_BITS),
            n_states: vec![0; n_types],
            regions: Digests::with_bits(REGIONS_BITS),
            entered: Digests::with_bits(REGIONS_BITS),
            ways: Digests::with_bits(WAYS_BITS),
            code: BTreeSet::new(),
        }
    }

    /// Counts so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The findings.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The number of different values that were seen, as far as they are remembered.
    pub fn n_states(&self) -> usize {
        self.states.n_inserted()
    }

    /// How many regions were entered by calls that returned.
    pub fn n_regions(&self) -> usize {
        self.code.len()
    }

    /// The regions that were entered by calls that returned.
    pub fn regions(&self) -> impl Iterator<Item = RegionId> + '_ {
        self.code.iter().copied()
    }

    /// How often an operation returned normally.
    pub fn n_returned(&self, operation: OperationId) -> u64 {
        self.tallies[operation.0 as usize].returned
    }

    /// Operations that touched the world outside, and which realms of it.
    pub fn touches(&self) -> &BTreeMap<OperationId, BTreeSet<Realm>> {
        &self.touches
    }

    /// Calls that are not to be made again.
    pub fn quarantine(&self) -> &Quarantine {
        &self.quarantine
    }

    /// Remembers a value, and says whether it was new. A value that shows nothing never is.
    pub(crate) fn note_state(&mut self, ty: TypeIdx, fingerprint: Fingerprint) -> bool {
        let is_new =
            fingerprint.notion != Notion::None && self.states.insert(digest(&(ty, fingerprint)));
        self.n_states[ty.0 as usize] += u64::from(is_new);
        is_new
    }

    /// The number of different values of a type that were seen, as far as they are remembered.
    pub fn n_states_of(&self, ty: TypeIdx) -> u64 {
        self.n_states[ty.0 as usize]
    }

    /// Counts an execution of a sequence that was entered before.
    pub(crate) fn count_again(&mut self, execution: &Execution) {
        self.stats.n_calls += u64::from(execution.n_calls);
    }

    /// Forgets all findings and all code that was entered. What is known of operations stays.
    pub(crate) fn begin_anew(&mut self) {
        self.record = Record::default();
        self.regions = Digests::with_bits(REGIONS_BITS);
        self.entered = Digests::with_bits(REGIONS_BITS);
        self.ways = Digests::with_bits(WAYS_BITS);
        self.code.clear();
    }

    /// Counts calls that share a state, of which only the joint effect is known.
    pub(crate) fn count_shared(&mut self, ask: &Ask, execution: &Execution) {
        self.stats.n_sequences += 1;
        self.stats.n_calls += u64::from(execution.n_calls);
        let from = ask.traced.unwrap_or(SlotIdx(0));
        let n_known = u32::from(from.0);
        self.stats.n_new_calls += u64::from(execution.n_calls.saturating_sub(n_known));
        for step in ask.sequence.steps() {
            if let Step::Call { op, out, .. } = step
                && *out >= from
            {
                self.tallies[op.0 as usize].returned += 1;
            }
        }
    }

    /// Did an operation enter this region, as far as that is remembered?
    pub(crate) fn has_entered(&self, operation: OperationId, region: RegionId) -> bool {
        self.entered.contains(digest(&(operation, region)))
    }

    /// Enters an execution. If all of it returned and it did not touch the world outside, gives
    /// what it showed about the code.
    pub(crate) fn enter(
        &mut self,
        world: &World,
        ask: &Ask,
        execution: &Execution,
    ) -> Option<Lesson> {
        self.stats.n_sequences += 1;
        self.stats.n_calls += u64::from(execution.n_calls);
        let n_known = u32::from(ask.watch_from.0);
        self.stats.n_new_calls += u64::from(execution.n_calls.saturating_sub(n_known));
        if let Some(touch) = execution.touch {
            self.enter_touch(world, ask, touch);
        }
        let n_steps = ask.sequence.steps().len();
        match &execution.outcome {
            Outcome::Returned => {
                let last = self.count_returned(ask, n_steps)?;
                // After a touch of the world outside, it might go differently elsewhere or
                // tomorrow.
                let is_pure = execution.touch.is_none();
                return is_pure.then(|| self.enter_returned(ask, execution, last.0, last.1));
            }
            Outcome::Malformed(_) => self.stats.n_malformed += 1,
            Outcome::Refused { at } => {
                self.stats.n_refused += 1;
                self.count_returned(ask, n_steps.min(usize::from(*at)));
            }
            Outcome::Panicked { at, .. } | Outcome::Died { at, .. } => {
                self.count_returned(ask, n_steps.min(usize::from(*at)));
                self.enter_failed(world, ask, execution, *at);
            }
        }
        None
    }

    /// Enters the execution of a sequence that asks for laws, and gives the law that is broken.
    /// Failures before the laws are found by other sequences.
    pub(crate) fn enter_laws(
        &mut self,
        world: &World,
        ask: &Ask,
        execution: &Execution,
    ) -> Option<OperationId> {
        self.stats.n_sequences += 1;
        self.stats.n_calls += u64::from(execution.n_calls);
        let steps = ask.sequence.steps();
        let failed = match &execution.outcome {
            Outcome::Panicked { at, .. } | Outcome::Died { at, .. } => Some(*at),
            Outcome::Refused { at } => Some(*at),
            Outcome::Malformed(_) => {
                self.stats.n_malformed += 1;
                Some(0)
            }
            Outcome::Returned => None,
        };
        let n_done = failed.map_or(steps.len(), |at| steps.len().min(usize::from(at)));
        let mut last = None;
        for step in &steps[..steps.len().min(n_done + 1)] {
            let Step::Call { op, .. } = step else {
                continue;
            };
            last = law(world, *op).map(|_| *op);
            if last.is_some() {
                self.stats.n_laws += 1;
                self.tallies[op.0 as usize].returned += 1;
            }
        }
        let (at, broken) = (failed?, last?);
        // The sequence is cut after the law, because a failure in the drops at its end would not be
        // the law's.
        let mut builder = Builder::new(world);
        builder.append_steps(steps.get(..n_done + 1)?).ok()?;
        if !is_fairly_asked(world, &builder.finish()) {
            return None;
        }
        let n_unsteady = self.stats.n_unsteady;
        self.enter_failed(world, ask, execution, at);
        // No part of the sequence was run before, so a failure in it does not mean that anything is
        // unsteady.
        self.stats.n_unsteady = n_unsteady;
        Some(broken)
    }

    /// Counts the new calls among the first steps as returned, and gives the last of them.
    fn count_returned(&mut self, ask: &Ask, n_steps: usize) -> Option<(OperationId, SlotIdx)> {
        let mut last = None;
        for step in &ask.sequence.steps()[..n_steps] {
            if let Step::Call { op, out, .. } = step
                && *out >= ask.watch_from
            {
                self.tallies[op.0 as usize].returned += 1;
                last = Some((*op, *out));
            }
        }
        last
    }

    fn enter_touch(&mut self, world: &World, ask: &Ask, touch: Touch) {
        *self.stats.n_touched.entry(touch.realm).or_default() += 1;
        if let (Some(operation), _) = responsible(world, &ask.sequence, touch.at) {
            self.tallies[operation.0 as usize].touched += 1;
            self.touches
                .entry(operation)
                .or_default()
                .insert(touch.realm);
        }
    }

    fn enter_returned(
        &mut self,
        ask: &Ask,
        execution: &Execution,
        operation: OperationId,
        out: SlotIdx,
    ) -> Lesson {
        let trace = &execution.trace;
        let (mut enters_new, mut leads_on) = (false, false);
        let is_new_way = trace.way != 0 && self.ways.insert(digest(&(operation, trace.way)));
        let tally = &mut self.tallies[operation.0 as usize];
        tally.ways += u32::from(is_new_way);
        tally.traced += 1;
        tally.work = tally.work.saturating_add(trace.work);
        for passage in &trace.regions {
            let region = passage.region();
            enters_new |= self.regions.insert(digest(&(operation, *passage)));
            if self.entered.insert(digest(&(operation, region))) {
                leads_on = true;
                self.code.insert(region);
            }
        }
        let code = Code {
            region: enters_new.then_some(trace.hash),
            way: is_new_way.then_some(trace.way),
        };
        let last = ask.sequence.steps().last();
        if let Some(Step::Call { op, args, .. }) = last
            && trace.work > DEAR_WORK
        {
            self.quarantine.add_dear(&ask.sequence, *op, args);
        }
        let is_changed = |slot| {
            slot < ask.watch_from.0 || last.is_some_and(|step| step.uses(SlotIdx(slot), Use::Mut))
        };
        let is_shown = |slot: u16, at_end: bool| match at_end {
            true => is_changed(slot),
            false => slot == out.0,
        };
        let shown = execution
            .effects
            .iter()
            .filter(|effect| is_shown(effect.slot, effect.at_end))
            .map(|effect| effect.fingerprint);
        self.record.returned(operation, shown, code, &ask.sequence);
        Lesson {
            enters_new,
            leads_on,
        }
    }

    fn enter_failed(&mut self, world: &World, ask: &Ask, execution: &Execution, at: u16) {
        let sequence = &ask.sequence;
        self.stats.n_failed += 1;
        let n_steps = sequence.steps().len() as u16;
        let (Some(failing), steps) = responsible(world, sequence, at) else {
            return;
        };
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
            let takes_all = matches!(death, Death::TimedOut | Death::OutOfMemory);
            tally.fatal += u32::from(takes_all) + 1;
            // A sequence that touched the world outside gives no finding. The operation may still
            // fail in others.
            let is_finding = execution.touch.is_none() || tally.fatal > MAX_FATAL;
            if takes_all && is_finding {
                // The call has no trace, but it took as long as thousands of others.
                tally.traced += 1;
                tally.work = tally.work.saturating_add(FATAL_WORK);
            }
            if is_finding && let Some(Step::Call { op, args, .. }) = steps.last() {
                match death {
                    Death::TimedOut => self.quarantine.add(sequence, *op, args),
                    // Filling the memory takes longer than most calls.
                    Death::OutOfMemory => self.quarantine.add_dearest(sequence, *op, args),
                    _ => {}
                }
            }
        }
        if execution.touch.is_some() {
            return;
        }
        let cut = if steps.len() == sequence.steps().len() {
            Some(sequence.clone())
        } else {
            let mut builder = Builder::new(world);
            let cut = builder.append_steps(steps);
            cut.ok().map(|_| builder.finish())
        };
        if let Some(cut) = cut {
            let dropping = at >= n_steps || matches!(steps.last(), Some(Step::Drop(_)));
            self.record
                .failed(failing, &execution.outcome, dropping, cut);
        }
    }
}

/// The values that an execution left, with their types.
pub(crate) fn values_left<'a>(
    world: &'a World,
    ask: &'a Ask,
    execution: &'a Execution,
) -> impl Iterator<Item = (TypeIdx, SlotIdx, &'a Effect)> {
    let at_end = execution.effects.iter().filter(|effect| effect.at_end);
    at_end.map(|effect| {
        let slot = SlotIdx(effect.slot);
        let (maker, _) = ask.sequence.maker(slot);
        (world.signature(maker).output.ty, slot, effect)
    })
}

/// The operation that is responsible for a step, and the steps up to that one.
fn responsible<'s>(
    world: &World,
    sequence: &'s Sequence,
    at: u16,
) -> (Option<OperationId>, &'s [Step]) {
    let n_steps = sequence.steps().len();
    let steps = &sequence.steps()[..n_steps.min(usize::from(at) + 1)];
    // At the end, all values that are left are dropped.
    let left = usize::from(at).checked_sub(n_steps).map(|slot| slot as u16);
    if let Some(slot) = left.filter(|slot| *slot < sequence.n_slots()) {
        return (Some(maker(world, sequence, SlotIdx(slot))), steps);
    }
    let operation = match steps.last() {
        Some(Step::Call { op, .. }) => Some(*op),
        Some(Step::Drop(slot)) => Some(maker(world, sequence, *slot)),
        None => None,
    };
    (operation, steps)
}

/// The operation that made a value. A recipe that takes the value out of another one did not make
/// it.
fn maker(world: &World, sequence: &Sequence, slot: SlotIdx) -> OperationId {
    let (op, args) = sequence.maker(slot);
    let is_ours = world.catalogue.operation(op).origin == Origin::Recipe;
    match args {
        [Arg::Slot(from, Use::Move)] if is_ours => maker(world, sequence, *from),
        _ => op,
    }
}
