//! Flags that several commands share, and the layer of settings that they make.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use testsmith_explore::StrategyName;
use testsmith_states::StateBy;
use testsmith_suite::Course;

use crate::settings::{Settings, parse_jobs, parse_time};

/// The flags of `cargo testsmith` itself. Most of them may also stand behind the name of a command. A
/// command that declares some of the others, too, says what they come to beside these.
#[derive(Args, Clone, Debug)]
pub(crate) struct Flags {
    /// The package's Cargo.toml; by default the one of this directory
    #[arg(long, value_name = "PATH", global = true)]
    pub(crate) manifest_path: Option<PathBuf>,

    /// The package, in a workspace that has several; may be repeated
    #[arg(short, long, value_name = "NAME", global = true)]
    pub(crate) package: Vec<String>,

    /// Every package of the workspace that has a library, one after another
    #[arg(long, global = true, conflicts_with = "package")]
    pub(crate) workspace: bool,

    #[command(flatten)]
    pub(crate) exploring: Exploring,

    /// Where the randomness starts [default: 0]
    #[arg(long, value_name = "N", global = true)]
    pub(crate) seed: Option<u64>,

    /// Test only what matches: a path or a piece of one, `*` for any text in a segment
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', global = true)]
    pub(crate) only: Vec<String>,

    /// Never call what matches
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', global = true)]
    pub(crate) skip: Vec<String>,

    /// Features of the package to turn on
    #[arg(
        short = 'F',
        long,
        value_name = "LIST",
        value_delimiter = ',',
        global = true
    )]
    pub(crate) features: Vec<String>,

    /// Leave the package's default features off
    #[arg(long, global = true)]
    pub(crate) no_default_features: bool,

    /// Turn on every feature of the package
    #[arg(long, global = true)]
    pub(crate) all_features: bool,

    /// Where the test files go, instead of the package's tests directory
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Write kept sequences as programs there: a package to run under Miri, sanitizers, or often
    #[arg(long, value_name = "DIR")]
    pub(crate) export: Option<PathBuf>,

    /// A file of public functions of yours that make values; tests include it as a module
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) makers: Option<PathBuf>,

    /// Call unsafe functions, too, whatever they ask of their callers
    #[arg(long = "unsafe", global = true)]
    pub(crate) allow_unsafe: bool,

    /// Do everything but write the test files
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Only run the tests that are there, and end with exit code 10 if one shows that behaviour changed:
    /// for CI. Nothing is explored or written
    #[arg(long, conflicts_with_all = ["accept", "fresh", "dry_run"])]
    pub(crate) check: bool,

    /// Let the tests that are there expect what they show now: all that show a change, or the ones that
    /// are named. A test that a person edited is never rewritten
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..=1,
        default_missing_value = "",
        value_delimiter = ','
    )]
    pub(crate) accept: Vec<String>,

    /// Write the tests as if none were there; tests that a person wrote or edited stay
    #[arg(long, conflicts_with = "accept")]
    pub(crate) fresh: bool,

    /// Add test files that cargo does not find by itself to the manifest
    #[arg(long)]
    pub(crate) register: bool,

    /// Write a record of everything to this file (docs/record.md)
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) json: Option<PathBuf>,

    /// No progress, only the summary
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    /// A summary with everything that was left out, and why
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
}

impl Flags {
    /// What becomes of the suite that is there.
    pub(crate) fn course(&self) -> Course {
        let named = self.accept.iter().filter(|it| !it.is_empty());
        match (self.fresh, &self.accept[..]) {
            (true, _) => Course::Fresh,
            (false, []) => Course::Usual,
            (false, names) if names.iter().any(String::is_empty) => Course::Accept(Vec::new()),
            (false, _) => Course::Accept(named.cloned().collect()),
        }
    }

    /// What is said here rather than in a file.
    pub(crate) fn settings(&self) -> Settings {
        let list = |words: &[String]| (!words.is_empty()).then(|| words.to_vec());
        let flag = |is_given: bool| is_given.then_some(true);
        Settings {
            time: self.exploring.time,
            calls: self.exploring.calls,
            seed: self.seed,
            jobs: self.exploring.jobs,
            only: list(&self.only),
            skip: list(&self.skip),
            features: list(&self.features),
            no_default_features: flag(self.no_default_features),
            all_features: flag(self.all_features),
            max_tests: self.exploring.max_tests,
            out: self.out.clone(),
            makers: self.makers.clone(),
            values: BTreeMap::new(),
            verdicts: BTreeMap::new(),
            accept: Vec::new(),
            contracts: Vec::new(),
            skip_mutants: Vec::new(),
            export: self.export.clone(),
            r#unsafe: flag(self.allow_unsafe),
            register: flag(self.register),
            no_instrument: flag(self.exploring.no_instrument),
            no_laws: flag(self.exploring.no_laws),
            no_sandbox: flag(self.exploring.no_sandbox),
            strategy: self.exploring.strategy,
            state_by: self.exploring.state_by,
            rounds: self.exploring.rounds,
        }
    }
}

/// Which failures get a failing test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Failures {
    /// Those that look like bugs.
    Likely,
    /// All, also what may be the caller's mistake.
    All,
}

/// How mutants are hunted that survive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Hunt {
    /// For all of them at once, from the executions with which each came farthest.
    Archive,
    /// Not at all.
    Off,
}

/// Which cases become tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Keep {
    /// Those that are worth reading.
    Readable,
    /// All that show something which no other does.
    All,
}

/// How to explore: for a run, and for a run on the older of two versions.
#[derive(Args, Clone, Debug)]
pub(crate) struct Exploring {
    /// How long to explore and choose; building comes before, and compiling and running the tests
    /// comes on top [default: 60s]
    #[arg(long, value_name = "DURATION", value_parser = parse_time)]
    pub(crate) time: Option<Duration>,

    /// Explore so many calls instead of a length of time
    #[arg(long, value_name = "N", conflicts_with = "time")]
    pub(crate) calls: Option<NonZeroU64>,

    /// Guests that work at once [default: one for each processor]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    pub(crate) jobs: Option<NonZeroUsize>,

    /// How to choose what to try: directed, state-exhaustive, bottom-up or random-walk
    /// [default: directed]
    #[arg(long, value_name = "NAME")]
    pub(crate) strategy: Option<StrategyName>,

    /// Which values are the same, so that one of them is enough to go on from: by the calls that made
    /// them (whole-seq), by those that changed something (modifying-seq), by all that is inside
    /// (whole-state), by what `==` reads of that (monitor-eq), or by `==` (pairwise-eq) [default: by what can be seen from outside; with
    /// state-exhaustive, whole-state]
    #[arg(long, value_name = "NOTION")]
    pub(crate) state_by: Option<StateBy>,

    /// Rounds of state-exhaustive: every state with every list of arguments, then the states that came
    /// of it [default: as many as there is time for]
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<NonZeroU32>,

    /// At most so many tests for one type [default: 25]
    #[arg(long, value_name = "N")]
    pub(crate) max_tests: Option<NonZeroUsize>,

    /// Which failures get a failing test: those that look like bugs, or all, also what may be the
    /// caller's mistake [default: likely]
    #[arg(long, value_name = "WHICH")]
    pub(crate) failures: Option<Failures>,

    /// How mutants are hunted that nothing kills which exploration found: by variations of the executions
    /// with which each came farthest (archive), or not at all (off) [default: archive]
    #[arg(long, value_name = "HOW")]
    pub(crate) hunt: Option<Hunt>,

    /// Which cases become tests: those that are worth reading (readable), or all that notice a mutant or
    /// enter code which no other does, however odd they are (all) [default: readable]
    #[arg(long, value_name = "WHICH")]
    pub(crate) keep: Option<Keep>,

    /// Do not look at which code is gone through: builds faster, chooses tests less well
    #[arg(long)]
    pub(crate) no_instrument: bool,

    /// Do not ask whether values obey the laws of their traits, nor contracts
    #[arg(long)]
    pub(crate) no_laws: bool,

    /// Let the crate under test do in the guest whatever it does elsewhere
    #[arg(long)]
    pub(crate) no_sandbox: bool,
}

impl Exploring {
    /// These options, and those of `before` where these say nothing: both `diff --time 5s` and
    /// `--time 5s diff` are understood.
    pub(crate) fn or(&self, before: &Exploring) -> Exploring {
        let (time, calls) = match (self.time, self.calls) {
            (None, None) => (before.time, before.calls),
            chosen => chosen,
        };
        Exploring {
            time,
            calls,
            jobs: self.jobs.or(before.jobs),
            strategy: self.strategy.or(before.strategy),
            state_by: self.state_by.or(before.state_by),
            rounds: self.rounds.or(before.rounds),
            max_tests: self.max_tests.or(before.max_tests),
            failures: self.failures.or(before.failures),
            hunt: self.hunt.or(before.hunt),
            keep: self.keep.or(before.keep),
            no_instrument: self.no_instrument || before.no_instrument,
            no_laws: self.no_laws || before.no_laws,
            no_sandbox: self.no_sandbox || before.no_sandbox,
        }
    }
}

/// Flags of a command that explores and writes tests of its own kind.
#[derive(Args, Debug)]
pub(crate) struct Writing {
    #[command(flatten)]
    exploring: Exploring,

    /// Where the test files go, instead of the package's tests directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Do everything but write the test files
    #[arg(long)]
    dry_run: bool,
}

impl Writing {
    /// These flags, and those of `before` where these say nothing.
    pub(crate) fn over(&self, before: &Flags) -> Flags {
        Flags {
            exploring: self.exploring.or(&before.exploring),
            out: self.out.as_ref().or(before.out.as_ref()).cloned(),
            dry_run: self.dry_run || before.dry_run,
            ..before.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Words {
        #[command(flatten)]
        exploring: Exploring,
    }

    fn exploring(words: &str) -> Exploring {
        let words = ["testsmith"].into_iter().chain(words.split_whitespace());
        let words = <Words as clap::Parser>::try_parse_from(words);
        words.expect("the flags are valid").exploring
    }

    #[test]
    fn time_behind_a_command_replaces_calls_before_it() {
        let both = exploring("--time 5s").or(&exploring("--calls 100 --jobs 2"));
        assert_eq!(both.time, Some(Duration::from_secs(5)));
        assert_eq!(both.calls, None);
        assert_eq!(both.jobs, NonZeroUsize::new(2));
    }

    #[test]
    fn changes_are_accepted_by_name_or_all_of_them() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            flags: Flags,
        }
        let course = |words: &str| {
            let words = ["testsmith"].into_iter().chain(words.split_whitespace());
            let line = <Line as clap::Parser>::try_parse_from(words);
            line.expect("the flags are valid").flags.course()
        };
        assert_eq!(course(""), Course::Usual);
        assert_eq!(course("--fresh"), Course::Fresh);
        assert_eq!(course("--accept"), Course::Accept(Vec::new()));
        let named = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!(course("--accept a,b --accept c"), Course::Accept(named));
        assert_eq!(course("--accept a --accept"), Course::Accept(Vec::new()));
    }

    #[test]
    fn a_switch_counts_on_either_side_of_a_command() {
        let before = exploring("--no-laws").or(&exploring(""));
        let behind = exploring("").or(&exploring("--no-laws"));
        assert!(before.no_laws && behind.no_laws && !behind.no_sandbox);
    }
}
