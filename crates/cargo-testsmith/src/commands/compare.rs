//! `cargo testsmith compare`: how strategies fare against each other.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use testsmith_commands::{Comparison, Contestant};
use testsmith_record::{CompareReport, RunReport, Versus};

use crate::exit::{self, Failure};
use crate::job::Job;
use crate::row::Row;

/// What to compare.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    first_seed: u64,

    /// Seeds for each strategy
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,

    /// Calls of each run
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
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

impl Args {
    fn comparison(&self) -> Comparison {
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

/// Compares strategies on one package.
pub(crate) fn compare(args: &Args, job: &mut Job<'_>) -> Result<Row, Failure> {
    let config = job.config()?;
    let comparison = args.comparison();
    let report = job.watch(|watch| testsmith_commands::compare(&config, &comparison, watch))?;
    job.tell(&text(&report), &report)?;
    Ok(row(&report))
}

fn row(report: &CompareReport) -> Row {
    let code = match report.interrupted {
        true => exit::INTERRUPTED,
        false => 0,
    };
    let text = format!("{} runs compared", report.runs.len());
    Row::ended(&report.package, code, text)
}

/// A table of means over seeds, and how the measured strategy fared against each of the others.
fn text(report: &CompareReport) -> String {
    let mut out = String::new();
    let mut strategies: Vec<&str> = Vec::new();
    for run in &report.runs {
        if !strategies.contains(&&*run.strategy) {
            strategies.push(&run.strategy);
        }
    }
    let width = strategies.iter().map(|it| it.len()).max();
    let width = width.unwrap_or(0).max(12);
    let n_seeds = report.runs_of(&report.strategy).count();
    let _ = writeln!(
        out,
        "\n{} {}: {} calls, {n_seeds} seeds; means over seeds",
        report.package, report.version, report.calls
    );
    let _ = writeln!(
        out,
        "  {:<width$} {:>9} {:>9} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10} {:>8}",
        "strategy",
        "failures",
        "ever",
        "values",
        "reached",
        "regions",
        "branches",
        "mutants",
        "kept",
        "calls",
        "sequences",
        "seconds"
    );
    for strategy in strategies {
        let runs: Vec<&RunReport> = report.runs_of(strategy).collect();
        means(&mut out, strategy, width, &runs);
    }
    for versus in &report.against {
        against(&mut out, &report.strategy, versus);
    }
    out
}

/// The line of a strategy, of which these are the runs.
fn means(out: &mut String, strategy: &str, width: usize, runs: &[&RunReport]) {
    let n_runs = runs.len().max(1) as f64;
    let mean = |count: fn(&RunReport) -> u64| {
        let sum: u64 = runs.iter().map(|run| count(run)).sum();
        sum as f64 / n_runs
    };
    let seconds: f64 = runs.iter().map(|run| run.seconds).sum();
    let ever: BTreeSet<&String> = runs.iter().flat_map(|run| &run.failures).collect();
    let _ = writeln!(
        out,
        "  {strategy:<width$} {:>9.1} {:>9} {:>10.0} {:>9.1} {:>9.1} {:>9.1} {:>9} {:>9.0} {:>10.0} {:>10.0} {:>8.2}",
        mean(|run| run.failures.len() as u64),
        ever.len(),
        mean(|run| run.states),
        mean(|run| run.reached),
        mean(|run| run.regions),
        mean(|run| run.branches),
        match runs.iter().all(|run| run.mutants.is_some()) {
            true => format!("{:.1}", mean(|run| run.mutants.unwrap_or_default())),
            false => "-".to_owned(),
        },
        mean(|run| run.kept),
        mean(|run| run.calls),
        mean(|run| run.sequences),
        seconds / n_runs,
    );
}

/// A line for each thing that the two strategies were compared in.
fn against(out: &mut String, strategy: &str, versus: &Versus) {
    let duels = [
        ("failures", Some(&versus.failures)),
        ("branches", Some(&versus.branches)),
        ("mutants", versus.mutants.as_ref()),
    ];
    for (what, duel) in duels {
        let Some(duel) = duel else {
            continue;
        };
        let _ = writeln!(
            out,
            "  {strategy} against {}: A12 {:.2}; more {what} with {} seeds, as many with {}, fewer with {}",
            versus.strategy, duel.a12, duel.won, duel.tied, duel.lost
        );
    }
}

#[cfg(test)]
mod tests {
    use testsmith_record::{Duel, RecordKind};

    use super::*;

    fn run(strategy: &str, seed: u64, failures: &[&str]) -> RunReport {
        RunReport {
            strategy: strategy.to_owned(),
            seed,
            calls: 100,
            sequences: 40,
            states: 30,
            reached: 5,
            regions: 9,
            branches: 6,
            mutants: None,
            seconds: 0.5,
            kept: 7,
            failures: failures.iter().map(|it| (*it).to_owned()).collect(),
        }
    }

    #[test]
    fn failures_are_a_mean_over_seeds_and_counted_once_over_all() {
        let duel = Duel {
            a12: 0.75,
            won: 1,
            tied: 1,
            lost: 0,
        };
        let report = CompareReport {
            schema: 1,
            kind: RecordKind::Compare,
            package: "small".to_owned(),
            version: "0.1.0".to_owned(),
            calls: 100,
            strategy: "directed".to_owned(),
            against: vec![Versus {
                strategy: "random-walk".to_owned(),
                failures: duel.clone(),
                branches: duel,
                mutants: None,
            }],
            runs: vec![
                run("directed", 0, &["f"]),
                run("directed", 1, &["f", "g"]),
                run("random-walk", 0, &[]),
                run("random-walk", 1, &["f"]),
            ],
            interrupted: false,
        };
        let expected = "
small 0.1.0: 100 calls, 2 seeds; means over seeds
  strategy      failures      ever     values   reached   regions  branches   mutants      kept      calls  sequences  seconds
  directed           1.5         2         30       5.0       9.0       6.0         -         7        100         40     0.50
  random-walk        0.5         1         30       5.0       9.0       6.0         -         7        100         40     0.50
  directed against random-walk: A12 0.75; more failures with 1 seeds, as many with 1, fewer with 0
  directed against random-walk: A12 0.75; more branches with 1 seeds, as many with 1, fewer with 0
";
        assert_eq!(text(&report), expected);
    }
}
