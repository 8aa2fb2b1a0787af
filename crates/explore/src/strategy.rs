//! What every strategy can do, and their names.

use std::fmt;
use std::str::FromStr;

use testsmith_protocol::Execution;
use testsmith_sequence::{Sequence, SlotIdx, World};
use testsmith_states::StateBy;

use crate::bottom_up::BottomUp;
use crate::directed::Directed;
use crate::exhaustive::Exhaustive;
use crate::ledger::Ledger;
use crate::literals::Literals;
use crate::random_walk::RandomWalk;

/// Proposes sequences and learns from their executions: a function of what it was told and a seed.
pub trait Strategy {
    /// A new sequence. `None` when many attempts in a row gave nothing new.
    fn propose(&mut self) -> Option<Ask>;

    /// Learns from an execution.
    fn learn(&mut self, ask: &Ask, execution: &Execution);

    /// What was found and counted so far.
    fn ledger(&self) -> &Ledger;
}

/// The strategies by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum StrategyName {
    /// [`Directed`]
    #[default]
    Directed,
    /// [`BottomUp`]
    BottomUp,
    /// [`RandomWalk`]
    RandomWalk,
    /// [`Exhaustive`]
    StateExhaustive,
}

impl StrategyName {
    /// All of them.
    pub const ALL: [StrategyName; 4] = [
        StrategyName::Directed,
        StrategyName::BottomUp,
        StrategyName::RandomWalk,
        StrategyName::StateExhaustive,
    ];

    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            StrategyName::Directed => "directed",
            StrategyName::BottomUp => "bottom-up",
            StrategyName::RandomWalk => "random-walk",
            StrategyName::StateExhaustive => "state-exhaustive",
        }
    }

    /// Starts it with the catalogue, the literals, and sequences to begin with. The baselines leave
    /// those aside: they begin with nothing.
    pub fn start<'w>(
        self,
        world: &'w World,
        literals: Literals,
        seeds: &[Sequence],
        options: Options,
    ) -> Box<dyn Strategy + 'w> {
        match self {
            StrategyName::Directed => Box::new(Directed::new(world, literals, seeds, options)),
            StrategyName::BottomUp => Box::new(BottomUp::new(world, literals, options)),
            StrategyName::RandomWalk => Box::new(RandomWalk::new(world, literals, options)),
            StrategyName::StateExhaustive => {
                Box::new(Exhaustive::new(world, literals, seeds, options))
            }
        }
    }
}

impl fmt::Display for StrategyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for StrategyName {
    type Err = String;

    fn from_str(text: &str) -> Result<StrategyName, String> {
        let found = StrategyName::ALL.into_iter().find(|it| it.name() == text);
        found.ok_or_else(|| {
            let names = StrategyName::ALL.map(StrategyName::name).join(", ");
            format!("there is no strategy `{text}`; there are {names}")
        })
    }
}

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
    /// Are all steps after that traced with it?
    pub traced_on: bool,
    /// Are values wanted, not only fingerprints?
    pub values: bool,
    /// Is it to be noted what the crate compares?
    pub watched: bool,
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
    /// Percentage of proposals that go on with other calls.
    pub burst_percent: usize,
    /// At most so many of those.
    pub max_burst: usize,
    /// Percentage of proposals of the directed strategy that begin from nothing while operations
    /// are little known: all of their calls are new, where an extension pays for its prefix.
    pub early_walk_percent: usize,
    /// The same later on.
    pub late_walk_percent: usize,
    /// So many new calls for each operation it takes to know them.
    pub calls_to_know: u64,
    /// Does the directed strategy ask whether laws hold?
    pub laws: bool,
    /// Which values the directed strategy takes for the same; without a choice, those that look alike
    /// from outside.
    pub state_by: Option<StateBy>,
    /// Rounds of the exhaustive strategy, if not as many as there are states for.
    pub rounds: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 0,
            max_steps: 30,
            repeat_percent: 10,
            max_repeats: 12,
            burst_percent: 20,
            max_burst: 8,
            early_walk_percent: 85,
            late_walk_percent: 10,
            calls_to_know: 120,
            laws: true,
            state_by: None,
            rounds: None,
        }
    }
}
