//! The notions of sameness, by name.

use std::fmt;
use std::str::FromStr;

/// What makes two values the same, from the finest notion to the coarsest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum StateBy {
    /// The same calls with the same arguments were made.
    WholeSeq,
    /// The same calls were made, leaving out those that changed nothing.
    ModifyingSeq,
    /// The values are the same inside, private fields included, wherever they lie in memory.
    WholeState,
    /// The parts are the same that `==` reads when it compares each value with itself.
    MonitorEq,
    /// `==` says that the values are equal.
    PairwiseEq,
}

impl StateBy {
    /// All notions, the finest first.
    pub const ALL: [StateBy; 5] = [
        StateBy::WholeSeq,
        StateBy::ModifyingSeq,
        StateBy::WholeState,
        StateBy::MonitorEq,
        StateBy::PairwiseEq,
    ];

    /// The name that users write.
    pub fn name(self) -> &'static str {
        match self {
            StateBy::WholeSeq => "whole-seq",
            StateBy::ModifyingSeq => "modifying-seq",
            StateBy::WholeState => "whole-state",
            StateBy::MonitorEq => "monitor-eq",
            StateBy::PairwiseEq => "pairwise-eq",
        }
    }

    /// Does it go by the private state of values, which a guest has to write out?
    pub fn needs_states(self) -> bool {
        self != StateBy::WholeSeq
    }
}

impl fmt::Display for StateBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for StateBy {
    type Err = String;

    fn from_str(text: &str) -> Result<StateBy, String> {
        let found = StateBy::ALL.into_iter().find(|it| it.name() == text);
        found.ok_or_else(|| {
            let names = StateBy::ALL.map(StateBy::name);
            format!("`{text}` is none of {}", names.join(", "))
        })
    }
}
