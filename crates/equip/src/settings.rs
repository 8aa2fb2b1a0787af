//! Settings, split by the code that reads them.

use std::path::PathBuf;
use std::time::Duration;

use testsmith_explore::StrategyName;
use testsmith_project::Features;
use testsmith_states::StateBy;

use crate::values::ParameterValues;

/// What decides how a package becomes something that runs.
#[derive(Clone, Debug, Default)]
pub struct Equipping {
    /// Which package is tested, and how it is built.
    pub package: PackageChoice,
    /// Which of its callables are called, and with which values.
    pub api: ApiChoice,
    /// What the crate's code runs in.
    pub machinery: Machinery,
}

/// Which package is tested, and how it is built.
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
    /// Are lints that the package denies turned into warnings? An old version was written for the
    /// lints of the compilers of its time.
    pub cap_lints: bool,
}

/// Which callables of the API are called, and with which values.
#[derive(Clone, Debug, Default)]
pub struct ApiChoice {
    /// Patterns of what to test; without any, everything is tested. Other callables are still
    /// called to make the values that these need.
    pub only: Vec<String>,
    /// Patterns of callables that must not be called.
    pub skip: Vec<String>,
    /// A file of functions that make values.
    pub makers: Option<PathBuf>,
    /// The values that parameters may have, by `Type::function.parameter`.
    pub values: Vec<(String, ParameterValues)>,
    /// Names of methods that say whether a value is valid, beside those that testsmith knows.
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
    /// How long to explore; where tests are chosen afterwards, that counts, too. Building does not.
    pub time: Duration,
    /// How many calls to explore, instead of a time.
    pub calls: Option<u64>,
    /// The seed of all randomness.
    pub seed: u64,
    /// The strategy that chooses what to try.
    pub strategy: StrategyName,
    /// The notion by which values are the same; without a choice, values that look alike from
    /// outside are.
    pub state_by: Option<StateBy>,
    /// How many rounds the exhaustive strategy does at most.
    pub rounds: Option<u32>,
    /// Is it asked whether laws and contracts hold?
    pub laws: bool,
}
