//! What the user can say on the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use testsmith_pipeline::{Config, StrategyName};
use testsmith_project::Features;

/// Point it at a Rust crate and it writes the unit tests.
///
/// Learns the crate's public API, calls it hundreds of thousands of times in a guest process, and
/// writes tests/testsmith_regression.rs (what the crate does today) and
/// tests/testsmith_failures.rs (panics and worse, ignored by default).
#[derive(Parser, Debug)]
#[command(name = "cargo testsmith", bin_name = "cargo testsmith", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// The package's Cargo.toml; by default the one of this directory
    #[arg(long, value_name = "PATH", global = true)]
    manifest_path: Option<PathBuf>,

    /// The package, in a workspace that has several
    #[arg(short, long, value_name = "NAME", global = true)]
    package: Option<String>,

    /// How long to explore; building and checking come on top
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = humantime::parse_duration)]
    time: Duration,

    /// Explore so many calls instead of a length of time
    #[arg(long, value_name = "N", conflicts_with = "time")]
    calls: Option<u64>,

    /// Where the randomness starts
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// How to choose what to try: directed, bottom-up or random-walk
    #[arg(long, value_name = "NAME", default_value_t)]
    strategy: StrategyName,

    /// Features of the package to turn on
    #[arg(long, value_name = "LIST", value_delimiter = ',', global = true)]
    features: Vec<String>,

    /// Leave the package's default features off
    #[arg(long, global = true)]
    no_default_features: bool,

    /// At most so many tests for one type
    #[arg(long, value_name = "N", default_value_t = 25)]
    max_tests: usize,

    /// Add the test files to a manifest that has `autotests = false`
    #[arg(long)]
    register: bool,

    /// Do not look at which code is gone through: builds faster, chooses tests less well
    #[arg(long)]
    no_instrument: bool,

    /// Write a record of everything to this file (docs/record.md)
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) json: Option<PathBuf>,

    /// No progress, only the summary
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// List every public callable with its instances, or the reason there is none
    Api {
        /// Let rustc judge the instances: builds the harness
        #[arg(long)]
        check: bool,
    },
    /// Explore with several strategies and seeds, the same number of calls each, and say what each
    /// found; writes no tests
    Compare {
        /// Seeds for each strategy, counted from 0
        #[arg(long, value_name = "N", default_value_t = 10)]
        seeds: u64,

        /// Calls of each run
        #[arg(long, value_name = "N", default_value_t = 200_000)]
        calls: u64,

        /// The strategies; the first is measured against the others
        #[arg(
            long,
            value_name = "LIST",
            value_delimiter = ',',
            default_value = "directed,bottom-up,random-walk"
        )]
        strategies: Vec<StrategyName>,

        /// Count only panics whose message contains this, each message once
        #[arg(long, value_name = "PATTERN")]
        fault: Option<String>,
    },
}

impl Arguments {
    /// Cargo passes its own name of the subcommand first.
    pub(crate) fn from_command_line() -> Arguments {
        let mut words: Vec<_> = std::env::args_os().collect();
        if words.get(1).is_some_and(|word| word == "testsmith") {
            words.remove(1);
        }
        Arguments::parse_from(words)
    }

    pub(crate) fn config(&self) -> Config {
        Config {
            manifest_path: self.manifest_path.clone(),
            package: self.package.clone(),
            time: self.time,
            calls: self.calls,
            seed: self.seed,
            strategy: self.strategy,
            features: Features {
                default: !self.no_default_features,
                named: self.features.clone(),
            },
            max_tests_per_type: self.max_tests,
            register: self.register,
            rustc_wrapper: std::env::current_exe().ok().filter(|_| !self.no_instrument),
        }
    }
}
