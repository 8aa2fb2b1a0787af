//! Options of exploration.

use testsmith_states::StateBy;

/// Options of exploration.
#[derive(Clone, Debug)]
pub struct Options {
    /// The seed of all randomness.
    pub seed: u64,
    /// The most steps of a sequence that is extended.
    pub max_steps: usize,
    /// Percentage of calls that are repeated.
    pub repeat_percent: usize,
    /// The most repetitions of a call.
    pub max_repeats: usize,
    /// Percentage of proposals that go on with further calls.
    pub burst_percent: usize,
    /// The most further calls.
    pub max_burst: usize,
    /// Percentage of the directed strategy's proposals that begin from nothing while operations are
    /// little known. All of their calls are new, whereas an extension repeats the calls of its
    /// prefix.
    pub early_walk_percent: usize,
    /// The same percentage once operations are known.
    pub late_walk_percent: usize,
    /// How many new calls there must be for each operation until operations count as known.
    pub calls_to_know: u64,
    /// Does the directed strategy ask whether laws hold?
    pub laws: bool,
    /// The notion by which the directed strategy takes values for the same; without a choice,
    /// values that look alike from outside are.
    pub state_by: Option<StateBy>,
    /// How many rounds the exhaustive strategy does at most; without a number, it goes on while
    /// there are states.
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
