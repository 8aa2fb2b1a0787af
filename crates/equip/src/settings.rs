//! What is asked for, split by who reads it.

use std::path::PathBuf;
use std::time::Duration;

use testsmith_explore::StrategyName;
use testsmith_project::Features;
use testsmith_states::StateBy;

use crate::values::ParameterValues;

/// What it takes to come from a package to something that runs.
#[derive(Clone, Debug, Default)]
pub struct Equipping {
    /// Which package, and how it is built.
    pub package: PackageChoice,
    /// What of its API is called, and with what.
    pub api: ApiChoice,
    /// What the crate's code runs in.
    pub machinery: Machinery,
}

/// Which package, and how it is built.
#[derive(Clone, Debug, Default)]
pub struct PackageChoice {
    /// `--manifest-path`
    pub manifest_path: Option<PathBuf>,
    /// `-p`
    pub name: Option<String>,
    /// Where to build, instead of the package's own target directory.
    pub target_dir: Option<PathBuf>,
    /// Features of the package.
    pub features: Features,
    /// Are warnings that the package denies let pass? A version of the past was written for the
    /// compilers of its time.
    pub cap_lints: bool,
}

/// What of the API is called, and with what.
#[derive(Clone, Debug, Default)]
pub struct ApiChoice {
    /// Patterns of what to test; everything if there are none. The rest is still called to make
    /// what these need.
    pub only: Vec<String>,
    /// Patterns of what must not be called.
    pub skip: Vec<String>,
    /// A file of functions that make values.
    pub makers: Option<PathBuf>,
    /// What parameters may be, by `Type::function.parameter`.
    pub values: Vec<(String, ParameterValues)>,
    /// Names of methods that say whether a value is valid, beside those that are known.
    pub contracts: Vec<String>,
    /// Are unsafe functions called, too?
    pub allow_unsafe: bool,
}

/// What the crate's code runs in.
#[derive(Clone, Debug)]
pub struct Machinery {
    /// Guests that work at once.
    pub jobs: usize,
    /// Does the crate's code run in a sandbox?
    pub sandbox: bool,
    /// An executable that instruments the crate under test (see [`testsmith_harness::wrap`]);
    /// without one, exploration does not see which code it goes through.
    pub rustc_wrapper: Option<PathBuf>,
}

impl Default for Machinery {
    fn default() -> Machinery {
        Machinery {
            jobs: 1,
            sandbox: true,
            rustc_wrapper: None,
        }
    }
}

impl Default for Exploring {
    fn default() -> Exploring {
        Exploring {
            time: Duration::from_secs(60),
            calls: None,
            seed: 0,
            strategy: StrategyName::default(),
            state_by: None,
            rounds: None,
            laws: true,
        }
    }
}

/// How to explore, and for how long.
#[derive(Clone, Debug)]
pub struct Exploring {
    /// How long to explore; building and checking not counted.
    pub time: Duration,
    /// Explore so many calls instead.
    pub calls: Option<u64>,
    /// Where the randomness starts.
    pub seed: u64,
    /// How to choose what to try.
    pub strategy: StrategyName,
    /// Which values are taken for the same; without a choice, those that look alike from outside.
    pub state_by: Option<StateBy>,
    /// Rounds of the exhaustive strategy.
    pub rounds: Option<u32>,
    /// Is it asked whether laws and contracts hold?
    pub laws: bool,
}
