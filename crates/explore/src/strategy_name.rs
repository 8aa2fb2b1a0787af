//! Strategies by name.

use std::fmt;
use std::str::FromStr;

use testsmith_sequence::{Sequence, World};

use crate::bottom_up::BottomUp;
use crate::directed::Directed;
use crate::exhaustive::Exhaustive;
use crate::literals::Literals;
use crate::options::Options;
use crate::random_walk::RandomWalk;
use crate::strategy::Strategy;

/// Strategies by name.
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
    /// All strategies.
    pub const ALL: [StrategyName; 4] = [
        StrategyName::Directed,
        StrategyName::BottomUp,
        StrategyName::RandomWalk,
        StrategyName::StateExhaustive,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            StrategyName::Directed => "directed",
            StrategyName::BottomUp => "bottom-up",
            StrategyName::RandomWalk => "random-walk",
            StrategyName::StateExhaustive => "state-exhaustive",
        }
    }

    /// Starts the strategy with the catalogue, the literals and the seeds. The baselines do not use
    /// the seeds.
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
