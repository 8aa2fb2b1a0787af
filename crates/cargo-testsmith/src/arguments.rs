//! What the user can say on the command line: the flags that all share, and which commands there are.

use clap::{Parser, Subcommand};

use crate::commands::{
    api, bugs, compare, completions, diff, man, minimize, mutants, report, states,
};
use crate::flags::{Flags, Writing};

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
                  9 too few mutants killed (mutants --fail-under), 10 tests that are there show that \
                  behaviour changed, 130 interrupted."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    flags: Flags,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// List every public callable with its instances, or the reason there is none
    Api(api::Args),
    /// List the mutants of the package's code: small changes that its tests should notice. All are
    /// built into one copy of the source, and what rustc refuses is no mutant
    Mutants(mutants::Args),
    /// Run the package's own tests on a copy of its source that writes down every call of a public
    /// function, with the state of its arguments, and say how many of them differ
    Record,
    /// Say which tests of the package, whoever wrote them, are redundant: they make no call, on no
    /// state, that tests which stay do not make, and assert nothing else. Without them as many
    /// branches are taken and mutants killed, which is measured; else exit code 8
    Minimize(minimize::Args),
    /// Explore with several strategies and seeds, the same number of calls each, and say what each
    /// found; writes no tests
    Compare(compare::Args),
    /// Write suites as older tools did, all short sequences of calls on each type, and say how many of
    /// their tests are redundant by each notion of equal states, and that nothing is lost without
    /// them, else exit code 1; writes no tests
    Redundancy,
    /// Record the package's own tests, and write tests for what they lack: the states that they have,
    /// with the arguments that they have, in combinations that they never execute. They go to
    /// tests/testsmith_augmented.rs
    Augment(Writing),
    /// Look for bugs only: explore, report what fails, and write failing tests to
    /// tests/testsmith_failures.rs; no suite is chosen or checked, and that which is there is left alone
    Bugs(bugs::Args),
    /// Learn what OLD does, and say what NEW does otherwise: behaviour that changed although the
    /// signature did not. API that is gone is listed
    Diff(diff::Args),
    /// Do what `cargo testsmith` does, but show each change and each new test first, one at a time, and
    /// ask: yes, no, edit, never again, quit
    Review(Writing),
    /// Draw the states of a type: what its observers tell apart are the states, its methods lead from
    /// one to another; writes an SVG and a Graphviz file, no tests
    States(states::Args),
    /// Make the page of everything that is known about the package again, from the records that are
    /// kept of the last commands, or from those that are named; builds nothing
    Report(report::Args),
    /// Say what the walls around foreign code are here, and every system call that is allowed within
    Sandbox,
    /// Remove what was built and kept below the target directory, once no other testsmith is at work there
    Clean,
    /// Print a completion script
    Completions(completions::Args),
    /// Print the manual page, for `man -l -`
    Man(man::Args),
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

    /// The flags, with those that stand behind the command among them.
    pub(crate) fn flags(&self) -> Flags {
        match &self.command {
            Some(Command::Augment(args) | Command::Review(args)) => args.over(&self.flags),
            Some(Command::Bugs(args)) => args.over(&self.flags),
            Some(Command::Diff(args)) => args.over(&self.flags),
            Some(Command::Mutants(args)) => args.over(&self.flags),
            Some(Command::States(args)) => args.over(&self.flags),
            _ => self.flags.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn flags(line: &str) -> Flags {
        let words = ["cargo-testsmith"].into_iter().chain(line.split(' '));
        let arguments = Arguments::try_parse_from(words);
        arguments.expect("the line is valid").flags()
    }

    #[test]
    fn clap_finds_nothing_wrong_with_the_arguments() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_flag_means_the_same_before_and_behind_the_command() {
        for line in [
            "--jobs 3 --dry-run augment",
            "augment --jobs 3 --dry-run",
            "--dry-run augment --jobs 3",
        ] {
            let flags = flags(line);
            assert!(flags.dry_run, "{line}");
            assert_eq!(flags.exploring.jobs.map(usize::from), Some(3), "{line}");
        }
        let out = |line: &str| flags(line).out.expect("it is given");
        assert_eq!(out("--out a diff 1.0.0 ."), out("diff 1.0.0 . --out a"));
        assert_eq!(out("--out a diff 1.0.0 . --out b").to_str(), Some("b"));
        assert!(flags("--no-sandbox mutants").exploring.no_sandbox);
        assert!(flags("mutants --no-sandbox").exploring.no_sandbox);
    }

    #[test]
    fn states_are_drawn_after_a_short_time_unless_another_is_given() {
        let seconds = |line: &str| flags(line).exploring.time.map(|it| it.as_secs());
        assert_eq!(seconds("states T"), Some(5));
        assert_eq!(seconds("--time 9s states T"), Some(9));
        assert_eq!(seconds("--time 9s states T --time 2s"), Some(2));
        assert_eq!(seconds("--calls 100 states T"), None);
    }
}
