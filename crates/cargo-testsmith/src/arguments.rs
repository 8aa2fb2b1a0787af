//! What the user can say on the command line.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use testsmith_commands::{Comparison, Contestant, Minimizing, Picture};
use testsmith_explore::StrategyName;
use testsmith_harness::OPERATORS;
use testsmith_mutation::{Analysis, ChangedLines, Choice, EQUIVALENTS, Verification};
use testsmith_states::StateBy;

use crate::settings::{Settings, parse_time};

/// Point it at a Rust crate and it writes the unit tests.
///
/// Learns the crate's public API, calls it hundreds of thousands of times in a guest process, and
/// writes tests/testsmith_regression.rs (what the crate does today) and
/// tests/testsmith_failures.rs (panics and worse, ignored by default).
#[derive(Parser, Debug)]
#[command(
    name = "cargo testsmith",
    bin_name = "cargo testsmith",
    version,
    after_help = "Most of this can also stand in testsmith.toml beside Cargo.toml, or under \
                  [package.metadata.testsmith]; the command line wins.\n\n\
                  Exit codes: 0 written, 1 a bug of testsmith, 2 bad usage, 3 no library, \
                  4 does not build, 5 nothing to call or to report, 6 cannot write, \
                  7 behaviour changed (diff), 8 tests would be missed (minimize), \
                  9 too few mutants killed (mutants --fail-under), 130 interrupted."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

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
    exploring: Exploring,

    /// Where the randomness starts [default: 0]
    #[arg(long, value_name = "N", global = true)]
    seed: Option<u64>,

    /// Test only what matches: a path or a piece of one, `*` for any text in a segment
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', global = true)]
    only: Vec<String>,

    /// Never call what matches
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', global = true)]
    skip: Vec<String>,

    /// Features of the package to turn on
    #[arg(
        short = 'F',
        long,
        value_name = "LIST",
        value_delimiter = ',',
        global = true
    )]
    features: Vec<String>,

    /// Leave the package's default features off
    #[arg(long, global = true)]
    no_default_features: bool,

    /// Turn on every feature of the package
    #[arg(long, global = true)]
    all_features: bool,

    /// Where the test files go, instead of the package's tests directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write kept sequences as programs there: a package to run under Miri, sanitizers, or often
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,

    /// A file of public functions of yours that make values; tests include it as a module
    #[arg(long, global = true, value_name = "FILE")]
    makers: Option<PathBuf>,

    /// Call unsafe functions, too, whatever they ask of their callers
    #[arg(long = "unsafe", global = true)]
    allow_unsafe: bool,

    /// Do everything but write the test files
    #[arg(long)]
    dry_run: bool,

    /// Add test files that cargo does not find by itself to the manifest
    #[arg(long)]
    register: bool,

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

/// How to explore: for a run, and for a run on the older of two versions.
#[derive(Args, Clone, Debug)]
struct Exploring {
    /// How long to explore; building and checking come on top [default: 60s]
    #[arg(long, value_name = "DURATION", value_parser = parse_time)]
    time: Option<Duration>,

    /// Explore so many calls instead of a length of time
    #[arg(long, value_name = "N", conflicts_with = "time")]
    calls: Option<NonZeroU64>,

    /// Guests that work at once [default: one for each processor]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// How to choose what to try: directed, state-exhaustive, bottom-up or random-walk
    /// [default: directed]
    #[arg(long, value_name = "NAME")]
    strategy: Option<StrategyName>,

    /// Which values are the same, so that one of them is enough to go on from: by the calls that made
    /// them (whole-seq), by those that changed something (modifying-seq), by all that is inside
    /// (whole-state), by what `==` reads of that (monitor-eq), or by `==` (pairwise-eq) [default: by what can be seen from outside; with
    /// state-exhaustive, whole-state]
    #[arg(long, value_name = "NOTION")]
    state_by: Option<StateBy>,

    /// Rounds of state-exhaustive: every state with every list of arguments, then the states that came
    /// of it [default: as many as there is time for]
    #[arg(long, value_name = "N")]
    rounds: Option<NonZeroU32>,

    /// At most so many tests for one type [default: 25]
    #[arg(long, value_name = "N")]
    max_tests: Option<NonZeroUsize>,

    /// Do not look at which code is gone through: builds faster, chooses tests less well
    #[arg(long)]
    no_instrument: bool,

    /// Do not ask whether values obey the laws of their traits, nor contracts
    #[arg(long)]
    no_laws: bool,

    /// Let the crate under test do in the guest whatever it does elsewhere
    #[arg(long)]
    no_sandbox: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// List every public callable with its instances, or the reason there is none
    Api {
        /// Let rustc judge the instances (`cargo check`), and say how many callables have one that
        /// it accepts, with the reasons for the others; what it refuses is no error, exit code 0
        #[arg(long)]
        check: bool,
    },
    /// List the mutants of the package's code: small changes that its tests should notice. All are
    /// built into one copy of the source, and what rustc refuses is no mutant
    Mutants(Mutants),
    /// Run the package's own tests on a copy of its source that writes down every call of a public
    /// function, with the state of its arguments, and say how many of them differ
    Record,
    /// Say which tests of the package, whoever wrote them, are redundant: they make no call, on no
    /// state, that tests which stay do not make, and assert nothing else. Without them as many
    /// branches are taken and mutants killed, which is measured; else exit code 8
    Minimize(Minimize),
    /// Explore with several strategies and seeds, the same number of calls each, and say what each
    /// found; writes no tests
    Compare(Compare),
    /// Write suites as older tools did, all short sequences of calls on each type, and say how many of
    /// their tests are redundant by each notion of equal states, and that nothing is lost without
    /// them, else exit code 1; writes no tests
    Redundancy,
    /// Record the package's own tests, and write tests for what they lack: the states that they have,
    /// with the arguments that they have, in combinations that they never execute. They go to
    /// tests/testsmith_augmented.rs
    Augment(Augment),
    /// Learn what OLD does, and say what NEW does otherwise: behaviour that changed although the
    /// signature did not. API that is gone is listed
    Diff(Diff),
    /// Draw the states of a type: what its observers tell apart are the states, its methods lead from
    /// one to another; writes an SVG and a Graphviz file, no tests
    States(States),
    /// Make the page of everything that is known about the package again, from the records that are
    /// kept of the last commands, or from those that are named; builds nothing
    Report(Report),
    /// Print a completion script
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, for `man -l -`
    Man {
        /// Of one of the commands
        #[arg(value_name = "COMMAND")]
        of: Option<String>,
    },
}

/// What to make of records.
#[derive(Args, Debug)]
pub(crate) struct Report {
    /// What to make of them
    #[arg(long, value_enum, default_value_t = Format::Html)]
    pub(crate) format: Format,

    /// Where it goes, `-` for the terminal [default: target/testsmith/report/PACKAGE.html; github prints]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Files that --json wrote, instead of the records that are kept
    #[arg(value_name = "RECORD")]
    pub(crate) records: Vec<PathBuf>,
}

/// What can be made of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Format {
    /// A page for people, in one file
    Html,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// The report of mutation-testing-elements, for its viewers
    Elements,
    /// Annotations of a GitHub workflow
    Github,
}

impl Format {
    /// Of a file's name.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Format::Html => "html",
            Format::Sarif => "sarif",
            Format::Elements => "mutation.json",
            Format::Github => "txt",
        }
    }
}

/// Which type to draw, and how.
#[derive(Args, Debug)]
pub(crate) struct States {
    /// A public type: its path or the end of it; a generic one may be written in full, `Map<u8, u8>`,
    /// to choose the instance
    #[arg(value_name = "TYPE")]
    ty: String,

    /// Where the drawing goes [default: target/testsmith/states/TYPE.svg]
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Where the Graphviz file goes [default: target/testsmith/states/TYPE.dot]
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,

    /// How long to explore before it is drawn [default: 5s]
    #[arg(long, value_name = "DURATION", value_parser = parse_time)]
    time: Option<Duration>,

    /// Explore so many calls instead; then the same seed gives the same picture
    #[arg(long, value_name = "N", conflicts_with = "time")]
    calls: Option<NonZeroU64>,

    /// At most so many states; observers that would make more are left out
    #[arg(long, value_name = "N", default_value = "12")]
    max_states: NonZeroUsize,
}

impl States {
    pub(crate) fn picture(&self) -> Picture {
        Picture {
            ty: self.ty.clone(),
            svg: self.svg.clone(),
            dot: self.dot.clone(),
            max_states: self.max_states.get(),
        }
    }

    /// Its budget, or the one before the command, or a short one: a file's is for writing tests.
    fn exploring(&self, before: &Exploring) -> Exploring {
        let (time, calls) = match (self.time, self.calls) {
            (None, None) => match (before.time, before.calls) {
                (None, None) => (Some(Duration::from_secs(5)), None),
                chosen => chosen,
            },
            chosen => chosen,
        };
        Exploring {
            time,
            calls,
            ..before.clone()
        }
    }
}

/// How to augment a suite. Rounds are 1 by default: states that come of a round are the suite's own
/// no more.
#[derive(Args, Debug)]
pub(crate) struct Augment {
    #[command(flatten)]
    exploring: Exploring,

    /// Where the test files go, instead of the package's tests directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Do everything but write the test files
    #[arg(long)]
    dry_run: bool,
}

/// Which versions to compare, and how.
#[derive(Args, Debug)]
pub(crate) struct Diff {
    /// A directory with a Cargo.toml, a published version (1.2.3 of the package here, or
    /// name@1.2.3), or a git revision
    pub(crate) old: String,

    /// The same, for the other version
    pub(crate) new: String,

    #[command(flatten)]
    exploring: Exploring,

    /// Where the tests go that pass on OLD and fail on NEW [default: target/testsmith/diff]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Which mutants to ask about, and how.
#[derive(Args, Debug)]
pub(crate) struct Mutants {
    #[command(subcommand)]
    pub(crate) command: Option<MutantsCommand>,

    /// Only list the mutants, and ask no tests
    #[arg(long)]
    pub(crate) list: bool,

    /// Only mutants on lines that this diff adds or changes (`git diff main | cargo testsmith mutants
    /// --in-diff -`)
    #[arg(long, value_name = "FILE")]
    in_diff: Option<PathBuf>,

    /// Only mutants in this file, `*` for any text; may be repeated
    #[arg(long, value_name = "PATH")]
    file: Vec<String>,

    /// Only mutants of this family of operators; may be repeated
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(OPERATORS.iter().copied()), hide_possible_values = true)]
    operator: Vec<String>,

    /// Only mutants that survived or were not reached the last time
    #[arg(long)]
    survivors: bool,

    /// Every N-th mutant only, beginning with the K-th; `mutants merge` puts the records together
    #[arg(long, value_name = "K/N", value_parser = parse_shard)]
    shard: Option<(usize, usize)>,

    /// Tests that run at once [default: one for each processor]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// End with exit code 9 if fewer mutants are killed, in percent of those that are killed, survive
    /// or are not reached
    #[arg(long, value_name = "SCORE", value_parser = parse_percent)]
    pub(crate) fail_under: Option<f64>,

    /// Who lists the tests and says how they run: with nextest, each has a process of its own
    #[arg(long, value_name = "TOOL", default_value = "cargo")]
    test_tool: TestTool,

    /// Leave out the tests in the documentation, which take long to build
    #[arg(long)]
    no_doc_tests: bool,

    /// Ask the tests of packages of the workspace, too, that depend on this one
    #[arg(long)]
    dependants: bool,

    /// Let tests do whatever they do elsewhere: start processes, write files, use the network
    #[arg(long)]
    no_sandbox: bool,

    /// Forget the verdicts of earlier runs
    #[arg(long)]
    fresh: bool,

    /// Builds, about, to find survivors that compile to the same code; 0 looks for none
    #[arg(long, value_name = "N", default_value_t = EQUIVALENTS)]
    equivalents: usize,

    /// Really edit so many mutants, chosen by chance, into a copy of the package, and let its own
    /// tests say whether each is the same there as in the copy with all mutants; else exit code 1
    #[arg(long, value_name = "N", default_value_t = 0)]
    verify: usize,

    /// Of so many that rustc refused, chosen by chance, say which compile when they are edited in
    /// alone
    #[arg(long, value_name = "N", default_value_t = 0)]
    verify_refused: usize,
}

/// What else can be done with mutants.
#[derive(Subcommand, Debug)]
pub(crate) enum MutantsCommand {
    /// Put the records of shards together: `--json` writes the whole
    Merge {
        /// Records that `mutants --shard K/N --json FILE` wrote
        #[arg(required = true, value_name = "FILE")]
        records: Vec<PathBuf>,
    },
}

/// Who lists the tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum TestTool {
    Cargo,
    Nextest,
}

fn parse_shard(text: &str) -> Result<(usize, usize), String> {
    let numbers = text
        .split_once('/')
        .and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match numbers {
        Some((k, n)) if 0 < k && k <= n => Ok((k, n)),
        _ => Err("write it like `1/4`: the first of four".to_owned()),
    }
}

fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').parse();
    let number = number.ok().filter(|it| (0.0..=100.0).contains(it));
    number.ok_or_else(|| "it is a number of percent, from 0 to 100".to_owned())
}

impl Mutants {
    /// What is asked for; `diff` is what `--in-diff` names.
    pub(crate) fn analysis(&self, diff: Option<ChangedLines>) -> Analysis {
        Analysis {
            choice: Choice {
                in_diff: diff,
                files: self.file.clone(),
                operators: self.operator.clone(),
                survivors: self.survivors,
                shard: self.shard,
                suppressed: Vec::new(),
            },
            list: self.list,
            no_docs: self.no_doc_tests,
            dependants: self.dependants,
            nextest: self.test_tool == TestTool::Nextest,
            fresh: self.fresh,
            equivalents: self.equivalents,
            verification: Verification {
                n_accepted: self.verify,
                n_refused: self.verify_refused,
            },
            ..Analysis::default()
        }
    }

    /// How its tests run.
    fn running(&self, before: &Exploring) -> Exploring {
        Exploring {
            jobs: self.jobs.or(before.jobs),
            no_sandbox: self.no_sandbox || before.no_sandbox,
            ..before.clone()
        }
    }

    /// Where the diff is, if there is one.
    pub(crate) fn diff(&self) -> Option<&Path> {
        self.in_diff.as_deref()
    }
}

/// How to make the suite smaller.
#[derive(Args, Debug)]
pub(crate) struct Minimize {
    /// Change the files: tests that somebody wrote are commented out, those that testsmith wrote go
    #[arg(long)]
    apply: bool,

    /// Ask at most so many mutants, chosen by chance [default: all]
    #[arg(long, value_name = "N")]
    mutants: Option<NonZeroUsize>,
}

impl Minimize {
    pub(crate) fn minimizing(&self) -> Minimizing {
        Minimizing {
            apply: self.apply,
            max_mutants: self.mutants.map(NonZeroUsize::get),
        }
    }
}

/// What to compare.
#[derive(Args, Debug)]
pub(crate) struct Compare {
    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    first_seed: u64,

    /// Seeds for each strategy
    #[arg(long, value_name = "N", default_value_t = 10)]
    seeds: u64,

    /// Calls of each run
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    calls: u64,

    /// The strategies; the first is measured against the others. `directed@whole-state` is one with
    /// that notion of equal values
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "directed,bottom-up,random-walk"
    )]
    strategies: Vec<Contestant>,

    /// Count the mutants, too, that kept executions kill
    #[arg(long)]
    mutants: bool,

    /// Count only panics whose message contains this, each message once
    #[arg(long, value_name = "PATTERN")]
    fault: Option<String>,
}

impl Compare {
    pub(crate) fn comparison(&self) -> Comparison {
        Comparison {
            strategies: self.strategies.clone(),
            first_seed: self.first_seed,
            n_seeds: self.seeds,
            calls: self.calls,
            mutants: self.mutants,
            fault: self.fault.clone(),
        }
    }
}

impl Exploring {
    /// These options, and those of `before` where these say nothing: both `diff --time 5s` and
    /// `--time 5s diff` are understood.
    fn or(&self, before: &Exploring) -> Exploring {
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
            no_instrument: self.no_instrument || before.no_instrument,
            no_laws: self.no_laws || before.no_laws,
            no_sandbox: self.no_sandbox || before.no_sandbox,
        }
    }
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

    /// Is nothing to be written into the user's tree?
    pub(crate) fn is_dry_run(&self) -> bool {
        let of_command = match &self.command {
            Some(Command::Augment(augment)) => augment.dry_run,
            _ => false,
        };
        self.dry_run || of_command
    }

    /// What is said here rather than in a file.
    pub(crate) fn settings(&self) -> Settings {
        let (exploring, out) = match &self.command {
            Some(Command::Diff(diff)) => {
                let out = diff.out.as_ref().or(self.out.as_ref());
                (diff.exploring.or(&self.exploring), out.cloned())
            }
            Some(Command::Augment(augment)) => {
                let out = augment.out.as_ref().or(self.out.as_ref());
                (augment.exploring.or(&self.exploring), out.cloned())
            }
            Some(Command::Mutants(mutants)) => (mutants.running(&self.exploring), self.out.clone()),
            Some(Command::States(states)) => (states.exploring(&self.exploring), self.out.clone()),
            _ => (self.exploring.clone(), self.out.clone()),
        };
        let list = |words: &[String]| (!words.is_empty()).then(|| words.to_vec());
        let flag = |is_given: bool| is_given.then_some(true);
        Settings {
            time: exploring.time,
            calls: exploring.calls,
            seed: self.seed,
            jobs: exploring.jobs,
            only: list(&self.only),
            skip: list(&self.skip),
            features: list(&self.features),
            no_default_features: flag(self.no_default_features),
            all_features: flag(self.all_features),
            max_tests: exploring.max_tests,
            out,
            makers: self.makers.clone(),
            values: BTreeMap::new(),
            verdicts: BTreeMap::new(),
            accept: Vec::new(),
            contracts: Vec::new(),
            skip_mutants: Vec::new(),
            export: self.export.clone(),
            r#unsafe: flag(self.allow_unsafe),
            register: flag(self.register),
            no_instrument: flag(exploring.no_instrument),
            no_laws: flag(exploring.no_laws),
            no_sandbox: flag(exploring.no_sandbox),
            strategy: exploring.strategy,
            state_by: exploring.state_by,
            rounds: exploring.rounds,
        }
    }
}
