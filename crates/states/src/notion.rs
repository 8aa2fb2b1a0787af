//! The notions of sameness, by name.

use std::fmt;
use std::str::FromStr;

/// What makes two values the same, from the finest notion to the coarsest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum StateBy {
    /// The same calls with the same arguments have been made.
    WholeSeq,
    /// The same, calls that changed nothing left out.
    ModifyingSeq,
    /// The same inside, private fields included, wherever it lies in memory.
    WholeState,
    /// The same inside, as far as `==` reads it when it compares each with itself.
    MonitorEq,
    /// `==` says so.
    PairwiseEq,
}

impl StateBy {
    /// All of them, the finest first.
    pub const ALL: [StateBy; 5] = [
        StateBy::WholeSeq,
        StateBy::ModifyingSeq,
        StateBy::WholeState,
        StateBy::MonitorEq,
        StateBy::PairwiseEq,
    ];

    /// As users write it.
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
