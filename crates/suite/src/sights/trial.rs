//! The tests of a suite, and what happens when they are run: how far each comes, where it goes, how
//! it fails.

use std::collections::BTreeSet;

use testsmith_equip::{Executor, Setting};
use testsmith_explore::Ask;
use testsmith_harness::GuestError;
use testsmith_protocol::{Outcome, RegionId};
use testsmith_sequence::{Builder, Sequence, SlotIdx, Step, World};

/// A test that was run.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its steps. If a call fails, it is the last.
    pub sequence: Sequence,
    /// How many steps returned.
    pub n_returned: usize,
    /// Regions of the crate's code that it enters.
    pub entered: BTreeSet<RegionId>,
    /// How much fuel it uses.
    pub fuel: u64,
    /// The operation that failed and how, if one did.
    pub failure: Option<String>,
}

/// The tests of a suite after a run.
#[derive(Clone, Debug, Default)]
pub struct Trials {
    /// The tests that can be used, in their order.
    pub tests: Vec<Test>,
    /// How many tests fail before their last call, and were cut off there.
    pub n_cut: usize,
    /// How many tests touch the world outside, or cannot be run by a guest.
    pub n_unfit: usize,
}

/// Asks for a run and for no observations.
pub fn plain(sequence: &Sequence) -> Ask {
    Ask {
        sequence: sequence.clone(),
        watch_from: SlotIdx(u16::MAX),
        watch_end: Vec::new(),
        traced: None,
        values: false,
        watched: false,
        traced_on: false,
    }
}

/// The first steps of a sequence, and the slots that can be looked at when they are done.
pub fn prefix(world: &World, sequence: &Sequence, n_steps: usize) -> (Sequence, Vec<SlotIdx>) {
    let mut builder = Builder::new(world);
    let steps = &sequence.steps()[..n_steps];
    let built = builder.append_steps(steps);
    built.expect("the beginning of what is valid is valid");
    let slots = builder.live().filter(|slot| builder.is_observable(*slot));
    let slots = slots.collect();
    (builder.finish(), slots)
}

/// Runs every test once.
pub fn run(
    world: &World,
    executor: &mut Executor,
    sequences: &[Sequence],
) -> Result<Trials, GuestError> {
    let setting = Setting {
        whole: true,
        ..Setting::USUAL
    };
    let asks = sequences.iter().map(plain).collect();
    let mut trials = Trials::default();
    for (ask, execution) in executor.run(world, setting, asks)? {
        let n_steps = ask.sequence.steps().len();
        let (at, cause) = match execution.outcome {
            _ if execution.touch.is_some() => {
                trials.n_unfit += 1;
                continue;
            }
            Outcome::Refused { .. } | Outcome::Malformed(_) => {
                trials.n_unfit += 1;
                continue;
            }
            Outcome::Returned => (n_steps, None),
            Outcome::Panicked { at, file, line, .. } => {
                (usize::from(at), Some(format!("panic at {file}:{line}")))
            }
            Outcome::Died { at, death } => (usize::from(at), Some(format!("{death:?}"))),
        };
        let n_returned = at.min(n_steps);
        let is_cut = n_returned + 1 < n_steps;
        trials.n_cut += usize::from(is_cut);
        let sequence = match is_cut {
            true => prefix(world, &ask.sequence, n_returned + 1).0,
            false => ask.sequence,
        };
        let failure = cause.map(|cause| {
            let who = culprit(world, &sequence, n_steps, at);
            format!("{who}: {cause}")
        });
        trials.tests.push(Test {
            sequence,
            n_returned,
            entered: execution
                .trace
                .regions
                .iter()
                .map(|it| it.region())
                .collect(),
            fuel: execution.fuel,
            failure,
        });
    }
    Ok(trials)
}

/// The operation that fails at a step. A failure after the last step is in the drop of a slot, and
/// the slot's maker is named.
fn culprit<'w>(world: &'w World, sequence: &Sequence, n_steps: usize, at: usize) -> &'w str {
    let slot = match at.checked_sub(n_steps) {
        Some(slot) => SlotIdx(slot as u16),
        None => match &sequence.steps()[at] {
            Step::Call { out, .. } => *out,
            Step::Drop(slot) => *slot,
        },
    };
    match slot.0 < sequence.n_slots() {
        true => &world.catalogue.operation(sequence.maker(slot).0).key,
        false => "the end",
    }
}
