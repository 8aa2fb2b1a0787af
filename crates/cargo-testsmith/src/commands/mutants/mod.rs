//! `cargo testsmith mutants`: which small changes of the code the package's own tests notice.

#![expect(
    clippy::disallowed_methods,
    reason = "it reads diffs and records that the user names"
)]

mod text;

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Duration;

use testsmith_harness::OPERATORS;
use testsmith_mutation::{
    Analysis, ChangedLines, Choice, EQUIVALENTS, Verification, changed_lines,
};
use testsmith_record::{AnyRecord, MutantsReport};

use self::text::{Telling, text};
use crate::exit::{self, Failure};
use crate::flags::{Exploring, Flags};
use crate::job::Job;
use crate::output;
use crate::row::Row;
use crate::settings::{parse_jobs, parse_time};
use crate::terminal;

/// Which mutants to ask about, and how.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Subcommand>,

    /// Only list the mutants, and ask no tests
    #[arg(long)]
    list: bool,

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
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<NonZeroUsize>,

    /// End with exit code 9 if fewer mutants are killed, in percent of those that are killed, survive
    /// or are not reached
    #[arg(long, value_name = "SCORE", value_parser = parse_percent)]
    fail_under: Option<f64>,

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

    /// Write tests that notice what no test noticed, to tests/testsmith_mutants.rs, and ask again
    #[arg(long, conflicts_with_all = ["list", "shard"])]
    fix: bool,

    /// How long to explore and choose for --fix [default: 60s]
    #[arg(long, value_name = "DURATION", value_parser = parse_time, requires = "fix")]
    time: Option<Duration>,

    /// Explore so many calls for --fix instead of a length of time
    #[arg(long, value_name = "N", conflicts_with = "time", requires = "fix")]
    calls: Option<NonZeroU64>,

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
#[derive(clap::Subcommand, Debug)]
pub(crate) enum Subcommand {
    /// Put the records of shards together: `--json` writes the whole
    Merge {
        /// Records that `mutants --shard K/N --json FILE` wrote
        #[arg(required = true, value_name = "FILE")]
        records: Vec<PathBuf>,
    },
}

/// Who lists the tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum TestTool {
    Cargo,
    Nextest,
}

impl Args {
    /// The analysis that is asked for; `diff` has the lines of the file that `--in-diff` names.
    fn analysis(&self, diff: Option<ChangedLines>) -> Analysis {
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

    /// The flags before the command with those that say how its tests run.
    pub(crate) fn over(&self, before: &Flags) -> Flags {
        let exploring = &before.exploring;
        let (time, calls) = match (self.time, self.calls) {
            (None, None) => (exploring.time, exploring.calls),
            chosen => chosen,
        };
        Flags {
            exploring: Exploring {
                time,
                calls,
                jobs: self.jobs.or(exploring.jobs),
                no_sandbox: self.no_sandbox || exploring.no_sandbox,
                ..exploring.clone()
            },
            ..before.clone()
        }
    }
}

/// Asks the tests of one package about its mutants.
pub(crate) fn mutants(args: &Args, job: &mut Job<'_>) -> Result<Row, Failure> {
    let analysis = args.analysis(changed(args.in_diff.as_deref())?);
    let config = job.config()?;
    let report =
        job.watch(|watch| testsmith_commands::mutants(&config, &analysis, args.fix, watch))?;
    let telling = Telling {
        is_list: analysis.list,
        verbose: job.flags.verbose,
        survivors: analysis.choice.survivors,
    };
    let mut text = text(&report, telling);
    // A list says nothing of what tests notice, and must not replace a record of that.
    if !analysis.list
        && let Some(page) = job.keep("mutants", &report)
    {
        let _ = writeln!(text, "  report    {page}");
    }
    job.tell(&text, &report)?;
    if !job.packages.several {
        check_files(&analysis.choice, &report)?;
    }
    Ok(row(&report, args.fail_under))
}

/// Puts the records of shards together, and says what they say. Returns the exit code.
pub(crate) fn merge(args: &Args, paths: &[PathBuf], flags: &Flags) -> Result<u8, Failure> {
    output::check_json(flags.json.as_deref())?;
    let records: Result<Vec<MutantsReport>, Failure> = paths.iter().map(|it| read(it)).collect();
    let merged = testsmith_mutation::merge(records?);
    let merged = merged.map_err(|error| no_record(error.to_string()))?;
    let telling = Telling {
        verbose: flags.verbose,
        ..Telling::default()
    };
    terminal::say(&text(&merged, telling));
    output::write_json(flags.json.as_deref(), &merged)?;
    Ok(row(&merged, args.fail_under).code)
}

/// Reads a record of this command.
fn read(path: &Path) -> Result<MutantsReport, Failure> {
    let broken = |why: String| no_record(format!("cannot read {}: {why}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| broken(error.to_string()))?;
    match AnyRecord::read(&text).map_err(|error| broken(error.to_string()))? {
        AnyRecord::Mutants(record) => Ok(*record),
        _ => Err(broken("it is no record of `mutants`".to_owned())),
    }
}

fn no_record(message: String) -> Failure {
    Failure {
        message,
        advice: Some("name records that `cargo testsmith mutants --json FILE` wrote".to_owned()),
        code: exit::USAGE,
    }
}

/// Reads which lines the diff in this file changes; `-` is standard input.
fn changed(path: Option<&Path>) -> Result<Option<ChangedLines>, Failure> {
    let Some(path) = path else {
        return Ok(None);
    };
    let failure = |problem: String| Failure {
        message: format!("cannot use the diff {}: {problem}", path.display()),
        advice: Some(
            "name a file that `git diff` wrote, or `-` and pipe its output here".to_owned(),
        ),
        code: exit::USAGE,
    };
    let mut text = String::new();
    let read = match path == Path::new("-") {
        true => std::io::stdin().read_to_string(&mut text).map(drop),
        false => fs::read_to_string(path).map(|it| text = it),
    };
    read.map_err(|error| failure(error.to_string()))?;
    match changed_lines(&text) {
        Some(lines) => Ok(Some(lines)),
        None => Err(failure("it is no unified diff".to_owned())),
    }
}

/// Fails if `--file` names what matches no file: it is true that there are no mutants in it, but that is
/// hardly what somebody wanted to know.
fn check_files(choice: &Choice, report: &MutantsReport) -> Result<(), Failure> {
    let files: Vec<&str> = report.sources.iter().map(|it| it.path.as_str()).collect();
    let unmatched = choice.unmatched(&files);
    if unmatched.is_empty() {
        return Ok(());
    }
    Err(Failure {
        message: format!(
            "no file of package `{}` is meant by --file {}",
            report.package,
            unmatched.join(", ")
        ),
        advice: Some(format!("these have code: {}", files.join(", "))),
        code: exit::USAGE,
    })
}

/// A line of the table of several packages.
fn row(report: &MutantsReport, fail_under: Option<f64>) -> Row {
    let score = report.score.map(|it| it * 100.0);
    let text = match score {
        Some(score) => format!("{score:.1} % of mutants killed"),
        None => format!("{} mutants", report.mutants.len()),
    };
    let verified = &report.verification.verified;
    if !verified.iter().all(|it| it.agrees) {
        return Row::failed(
            &report.package,
            exit::INTERNAL,
            "a mutant is not what it says it is",
        );
    }
    if report.interrupted {
        return Row::failed(&report.package, exit::INTERRUPTED, &text);
    }
    match (score, fail_under) {
        (Some(score), Some(least)) if score < least => {
            let text = format!("{text}, less than {least} %");
            Row::failed(&report.package, exit::BELOW, &text)
        }
        _ => Row::done(&report.package, text),
    }
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

#[cfg(test)]
mod tests {
    use super::text::tests::report;
    use super::*;

    #[test]
    fn a_shard_is_one_of_so_many() {
        assert_eq!(parse_shard("2/4"), Ok((2, 4)));
        for text in ["0/4", "5/4", "1", "1/0", "a/b"] {
            assert!(parse_shard(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_score_is_given_in_percent() {
        assert_eq!(parse_percent("80%"), Ok(80.0));
        assert_eq!(parse_percent("99.5"), Ok(99.5));
        for text in ["101", "-1", "most", "NaN"] {
            assert!(parse_percent(text).is_err(), "{text}");
        }
    }

    #[test]
    fn too_low_a_score_and_an_interruption_have_their_codes() {
        assert_eq!(row(&report(), None).code, 0);
        assert_eq!(row(&report(), Some(30.0)).code, 0);
        assert_eq!(row(&report(), Some(34.0)).code, exit::BELOW);
        let mut report = report();
        report.interrupted = true;
        assert_eq!(row(&report, Some(34.0)).code, exit::INTERRUPTED);
    }
}
