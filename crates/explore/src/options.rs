//! How to explore.

use testsmith_states::StateBy;

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
