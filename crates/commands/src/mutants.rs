//! `cargo testsmith mutants`: finds out which mutants the package's own tests notice, and writes tests for
//! the others if that is wanted.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_equip::{Outcome, Watch};
use testsmith_mutation::Analysis;
use testsmith_record::{FixReport, MutantsReport, Report, Status, Stop};
use testsmith_suite::{Aim, Writing};

use crate::config::Config;
use crate::error::CommandError;
use crate::run::{Goal, run_whole};

/// Asks the package's own tests about its mutants. With `fix`, tests are written that notice those which no
/// test noticed, and all are asked again: what is told of them is what they really notice.
pub fn mutants(
    config: &Config,
    asked: &Analysis,
    fix: bool,
    watch: &mut Watch<'_>,
) -> Result<Outcome<MutantsReport>, CommandError> {
    let mut asked = asked.clone();
    asked.choice.suppressed.clone_from(&config.skip_mutants);
    asked.seed = config.exploring.seed;
    let outcome = testsmith_mutation::mutants(&config.equipping, &asked, watch)?;
    match outcome {
        Outcome::Done(report) if fix && !report.interrupted => {
            Ok(Outcome::Done(fixed(config, &asked, report, watch)?))
        }
        other => Ok(other),
    }
}

/// Writes tests for the mutants that no test notices, and asks again.
fn fixed(
    config: &Config,
    asked: &Analysis,
    before: MutantsReport,
    watch: &mut Watch<'_>,
) -> Result<MutantsReport, CommandError> {
    let living = |it: &&_| is_living(it);
    let living = before.mutants.iter().filter(living);
    let names: BTreeSet<String> = living.map(|it| it.name.clone()).collect();
    if names.is_empty() {
        let fix = Some(FixReport::default());
        return Ok(MutantsReport { fix, ..before });
    }
    let config = &Config {
        writing: Writing {
            aim: Aim::Mutants,
            ..config.writing.clone()
        },
        ..config.clone()
    };
    let run = run_whole(config, Goal::Mutants(&names), watch)?.report;
    let is_written = !config.writing.dry_run && !run.files.is_empty();
    let again = Analysis {
        fresh: false,
        ..asked.clone()
    };
    let after = match is_written && !run.interrupted {
        true => testsmith_mutation::mutants(&config.equipping, &again, watch)?,
        false => Outcome::Done(before.clone()),
    };
    let mut report = match after {
        Outcome::Done(report) => report,
        Outcome::Interrupted(_) => MutantsReport {
            interrupted: true,
            ..before
        },
    };
    report.interrupted |= run.interrupted;
    report.fix = Some(told(&names, &report, run, is_written));
    Ok(report)
}

/// What came of it. `names` are the mutants that no test noticed before.
fn told(
    names: &BTreeSet<String>,
    after: &MutantsReport,
    run: Report,
    is_written: bool,
) -> FixReport {
    let killed = after.mutants.iter();
    let killed = killed.filter(|it| it.status == Status::Killed && names.contains(&it.name));
    let killed: BTreeSet<&String> = killed.map(|it| &it.name).collect();
    let mut stops: BTreeMap<Stop, usize> = BTreeMap::new();
    let mut n_unconfirmed = 0;
    for mutant in run.mutants.iter().filter(|it| names.contains(&it.name)) {
        match mutant.stop {
            _ if killed.contains(&mutant.name) => {}
            Some(stop) => *stops.entry(stop).or_default() += 1,
            None if mutant.status == Status::Killed => n_unconfirmed += 1,
            None => {}
        }
    }
    FixReport {
        asked: names.len(),
        killed: killed.into_iter().cloned().collect(),
        // Without tests in the tree, nobody could confirm anything.
        unconfirmed: if is_written { n_unconfirmed } else { 0 },
        tests: run.tests,
        files: run.files,
        stops,
        dropped: run.dropped,
        seconds: run.seconds,
    }
}

/// Is it one that tests could notice, and none does?
fn is_living(mutant: &testsmith_record::MutantReport) -> bool {
    matches!(mutant.status, Status::Survived | Status::Unreached)
}

#[cfg(test)]
mod tests {
    use testsmith_record::MutantReport;

    use super::*;

    fn mutant(name: &str, status: Status, stop: Option<Stop>) -> MutantReport {
        MutantReport {
            name: name.to_owned(),
            status,
            stop,
            ..MutantReport::default()
        }
    }

    #[test]
    fn what_tests_really_notice_counts_and_not_what_was_expected_of_them() {
        let names = ["a", "b", "c"].map(str::to_owned).into();
        let after = MutantsReport {
            mutants: vec![
                mutant("a", Status::Killed, None),
                mutant("b", Status::Survived, None),
                mutant("c", Status::Unreached, None),
                mutant("d", Status::Killed, None),
            ],
            ..MutantsReport::default()
        };
        let run = Report {
            mutants: vec![
                mutant("a", Status::Killed, None),
                mutant("b", Status::Killed, None),
                mutant("c", Status::Unreached, Some(Stop::NotEntered)),
                mutant("d", Status::Survived, Some(Stop::NotSeen)),
            ],
            ..Report::default()
        };
        let told = told(&names, &after, run, true);
        assert_eq!(told.killed, ["a"]);
        assert_eq!((told.asked, told.unconfirmed), (3, 1));
        assert_eq!(told.stops, [(Stop::NotEntered, 1)].into());
    }
}
