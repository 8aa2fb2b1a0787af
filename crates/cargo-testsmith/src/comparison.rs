//! How strategies fared against each other, as a table.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use testsmith_record::{CompareReport, RunReport};

/// The table, means over seeds.
pub(crate) fn table(report: &CompareReport) -> String {
    let mut out = String::new();
    let mut strategies: Vec<&str> = Vec::new();
    for run in &report.runs {
        if !strategies.contains(&&*run.strategy) {
            strategies.push(&run.strategy);
        }
    }
    let width = strategies
        .iter()
        .map(|it| it.len())
        .max()
        .unwrap_or(0)
        .max(12);
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
        let mean = |count: &dyn Fn(&RunReport) -> u64| {
            let sum: u64 = report.runs_of(strategy).map(count).sum();
            sum as f64 / report.runs_of(strategy).count().max(1) as f64
        };
        let seconds: f64 = report.runs_of(strategy).map(|run| run.seconds).sum();
        let ever: BTreeSet<&String> = report
            .runs_of(strategy)
            .flat_map(|run| &run.failures)
            .collect();
        let _ = writeln!(
            out,
            "  {strategy:<width$} {:>9.1} {:>9} {:>10.0} {:>9.1} {:>9.1} {:>9.1} {:>9} {:>9.0} {:>10.0} {:>10.0} {:>8.2}",
            mean(&|run| run.failures.len() as u64),
            ever.len(),
            mean(&|run| run.states),
            mean(&|run| run.reached),
            mean(&|run| run.regions),
            mean(&|run| run.branches),
            match report.runs_of(strategy).all(|run| run.mutants.is_some()) {
                true => format!("{:.1}", mean(&|run| run.mutants.unwrap_or_default())),
                false => "-".to_owned(),
            },
            mean(&|run| run.kept),
            mean(&|run| run.calls),
            mean(&|run| run.sequences),
            seconds / report.runs_of(strategy).count().max(1) as f64,
        );
    }
    for versus in &report.against {
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
                "  {} against {}: A12 {:.2}; more {what} with {} seeds, as many with {}, fewer with {}",
                report.strategy, versus.strategy, duel.a12, duel.won, duel.tied, duel.lost
            );
        }
    }
    out
}
